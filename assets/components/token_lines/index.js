// Draws texts in several encodings, one below the other: the tokens of each as blocks. What all have in
// common is pale, and the first that is not is framed; in a plain row, nothing is.

import { drawChips } from "../common/chips.js";
import { make, number } from "../common/dom.js";

function row({ name, hue, says, tokens, count, before, isPlain }) {
  const about = make("header", "", [make("b", "", name), says]);
  const skipped = before ? [make("span", "token more", `… ${number(before)} before`)] : [];
  const chips = make("div", "chips show-space", skipped);
  drawChips(chips, tokens, count);
  const element = make("div", "row", [about, chips]);
  element.style.setProperty("--e", hue);
  // Of those that are not in common.
  if (!isPlain) element.querySelector(".token:not(.same, .more)")?.classList.add("first");
  return element;
}

// A skin colour by itself, which fonts draw as a square.
const TONE = /^\s*[\u{1F3FB}-\u{1F3FF}]$/u;

function card({ title, rows, notes }) {
  const element = make("li", "", [make("h4", "", title), ...rows.map(row)]);
  const part = element.querySelector(".hex");
  const tokens = [...element.querySelectorAll(".token > b")];
  if (part) {
    notes = [
      ...notes,
      `A token that holds only a part of a character is shown as its bytes: ${part.textContent}.`,
    ];
  }
  if (tokens.some((token) => TONE.test(token.textContent)))
    notes = [...notes, "A plain square is a skin colour: it changes the emoji before it."];
  element.append(...notes.map((note) => make("p", "hint", note)));
  return element;
}

export default class TokenLines {
  constructor(root) {
    this.root = root;
  }
  receive({ lines }) {
    this.root.replaceChildren(...lines.map(card));
  }
}
