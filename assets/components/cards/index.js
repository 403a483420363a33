// Draws a card for each encoding: a large number, and lines that explain it.

import { make } from "../common/dom.js";

function card({ name, hue, value, unit, lines }) {
  const emphasise = (part, i) => (i % 2 ? make("b", "", part) : part); // every second one is strong
  const about = lines.map((parts) => make("p", "", parts.map(emphasise)));
  const item = make("li", "", [
    make("h4", "", name),
    make("span", "value", [value, ...(unit ? [make("small", "", unit)] : [])]),
    ...about,
  ]);
  item.style.setProperty("--e", hue);
  return item;
}

export default class Cards {
  constructor(root) {
    this.root = root;
  }
  receive({ cards }) {
    this.root.replaceChildren(...cards.map(card));
  }
}
