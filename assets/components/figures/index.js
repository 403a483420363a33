// Big figures, one card for each encoding, with what is behind them.

import { hueOf } from "../common/colours.js";
import { make } from "../common/dom.js";

function card({ name, hue, figure, unit, lines }) {
  const item = make("li");
  item.style.setProperty("--e", hue === null ? "var(--soft)" : hueOf(hue));
  const big = make("span", "figure", figure);
  if (unit) big.append(make("small", "", unit));
  item.append(make("h4", "", name), big);
  for (const parts of lines) {
    const line = make("p");
    parts.forEach((part, i) => line.append(i % 2 ? make("b", "", part) : part)); // every second one is strong
    item.append(line);
  }
  return item;
}

export default class Figures {
  constructor(root) { this.root = root; }
  receive({ cards }) { this.root.replaceChildren(...cards.map(card)); }
  destroy() {}
}
