// Draws a pending tokenizer: its steps, and its tokens of a short text.

import { drawChips } from "../common/chips.js";
import { make, number, plural, pluralWord } from "../common/dom.js";
import { isolate } from "../common/letters.js";

export default class Preview {
  constructor(root) {
    this.$ = (selector) => root.querySelector(selector);
  }

  receive(data) {
    const drawn = JSON.stringify(data);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.$(".facts").replaceChildren(
      ...data.facts.flatMap(([label, value]) => [make("dt", "", label), make("dd", "", value)]),
    );
    this.$(".chips").replaceChildren();
    drawChips(this.$(".chips"), data.tokens, data.count);
    this.$(".sum").replaceChildren(
      ...(data.problem
        ? []
        : [
            make("b", "", number(data.count)),
            ` ${pluralWord(data.count, "token")} for ${plural(data.n_bytes, "byte")}`,
          ]),
    );
    const back = this.$(".back");
    if (data.problem) {
      back.className = "back problem";
      back.textContent = data.problem;
    } else if (data.places) {
      back.className = "back loses";
      back.textContent = `Decoding changes ${plural(data.places, "place")}:`;
    } else {
      back.className = "back";
      back.textContent = "Decoding restores the text exactly.";
    }
    const losses = data.lost.map(({ was, became }) =>
      make(
        "li",
        "",
        became ? `${isolate(was || "nothing")} → ${isolate(became)}` : `${isolate(was)} is dropped`,
      ),
    );
    if (data.places > losses.length)
      losses.push(make("li", "", `and ${number(data.places - losses.length)} more`));
    this.$(".lost").replaceChildren(...losses);
  }
}
