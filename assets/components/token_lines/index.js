// Draws texts in several encodings, one below the other: the tokens of each as blocks. What all have in common is pale.

import { drawChips } from "../common/chips.js";
import { make } from "../common/dom.js";

function row({ name, hue, says, tokens, count }) {
  const about = make("header", "", [make("b", "", name), says]);
  const element = make("div", "row", [about, make("div", "chips show-space", drawChips(tokens, count))]);
  element.style.setProperty("--e", hue);
  return element;
}

export default class TokenLines {
  constructor(root) { this.root = root; }
  receive({ lines }) {
    this.root.replaceChildren(...lines.map(({ title, rows, notes }) =>
      make("li", "", [make("h4", "", title), ...rows.map(row), ...notes.map((note) => make("p", "hint", note))])));
  }
}
