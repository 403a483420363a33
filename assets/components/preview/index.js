// Draws a pending tokenizer: its steps, and its tokens of a short text.

import { fromHex } from "../common/bytes.js";
import { colourTokens } from "../common/colours.js";
import { make, number, plural, pluralWord } from "../common/dom.js";
import { writeToken } from "../common/spelling.js";

export default class Preview {
  constructor(root) { this.$ = (selector) => root.querySelector(selector); }

  receive(data) {
    const drawn = JSON.stringify(data);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.$(".facts").replaceChildren(...data.facts.flatMap(([label, value]) => [make("dt", "", label), make("dd", "", value)]));
    this.drawTokens(data);
    this.$(".sum").replaceChildren(...(data.problem ? [] : [
      make("b", "", number(data.count)), ` ${pluralWord(data.count, "token")} for ${plural(data.n_bytes, "byte")}`,
    ]));
    const back = this.$(".back");
    back.className = `back ${data.problem ? "problem" : data.places ? "loses" : ""}`;
    back.textContent = data.problem || (data.places ? `Decoding changes ${plural(data.places, "place")}:` : "Decoding restores the text exactly.");
    const losses = data.lost.map(({ was, became }) => make("li", "", became ? `${was || "nothing"} → ${became}` : `${was} is dropped`));
    if (data.places > losses.length) losses.push(make("li", "", `and ${number(data.places - losses.length)} more`));
    this.$(".lost").replaceChildren(...losses);
  }

  drawTokens({ tokens, count }) {
    const colours = colourTokens(tokens.map(([id]) => id));
    const chips = tokens.map(([id, bytes, kind], i) => {
      const text = make("b", "mono");
      text.classList.toggle("hex", !writeToken(text, fromHex(bytes)));
      return make("span", `token c${colours[i]} ${kind}`, [text, make("small", "mono", id)]);
    });
    if (count > tokens.length) chips.push(make("span", "token more", `and ${number(count - tokens.length)} more`));
    this.$(".line").replaceChildren(...chips);
  }
}
