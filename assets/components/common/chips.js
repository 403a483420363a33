// Tokens by themselves, as blocks in a row: the text of each, or its bytes in hex, with its id below.

import { fromHex } from "./bytes.js";
import { colourTokens } from "./colours.js";
import { make, number } from "./dom.js";
import { appendInOrder } from "./runs.js";
import { textOf, writeToken } from "./spelling.js";

// Fills a box with them. tokens: [id, bytes in hex, classes] of each that is drawn; count: how many there
// are.
export function drawChips(box, tokens, count) {
  const colours = colourTokens(tokens.map(([id]) => id));
  const chips = tokens.map(([id, bytes, kind], i) => {
    const text = make("b", "mono", [], { dir: "auto" });
    text.classList.toggle("hex", !writeToken(text, fromHex(bytes)));
    return make("span", `token c${colours[i]} ${kind}`, [text, make("small", "mono", id)]);
  });
  const texts = tokens.map(([, bytes]) => textOf(fromHex(bytes)) ?? "");
  appendInOrder(box, chips, texts);
  if (count > tokens.length)
    box.append(make("span", "token more", `and ${number(count - tokens.length)} more`));
}
