// A card for each encoding: a large number, and lines that explain it.

import { hueOf } from "../common/colours.js";
import { make } from "../common/dom.js";

function card({ name, hue, value, unit, lines }) {
  const item = make("li");
  item.style.setProperty("--e", hue === null ? "var(--soft)" : hueOf(hue));
  const big = make("span", "value", value);
  if (unit) big.append(make("small", "", unit));
  item.append(make("h4", "", name), big);
  for (const parts of lines) {
    const line = make("p");
    parts.forEach((part, i) => line.append(i % 2 ? make("b", "", part) : part)); // every second one is strong
    item.append(line);
  }
  return item;
}

export default class Cards {
  constructor(root) { this.root = root; }
  receive({ cards }) { this.root.replaceChildren(...cards.map(card)); }
  destroy() {}
}
