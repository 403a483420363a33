// A long text is shown a page at a time, and not edited. This is the row that turns its pages.

import { clamp, disable, number } from "../common/dom.js";

export class Pager {
  // turn(number): the person chose another page.
  constructor(root, turn) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.number = 0;
    this.count = 1;
    const go = (page) => {
      this.number = clamp(page, 0, this.count - 1);
      turn(this.number);
    };
    for (const [key, step] of Object.entries({ previous: -1, next: 1 }))
      this.$(`[data-do=${key}]`).onclick = () => go(this.number + step);
    const field = this.$(".page-number");
    field.onchange = () => {
      const page = Math.round(Number(field.value));
      if (page > 0) go(page - 1);
    };
  }

  /**
   * @param {import("./wire.js").Page | null} page of the answer
   * @param {number} chosen the page that the person chose last
   * @param {number} allBytes of the whole text
   */
  update(page, chosen, allBytes) {
    this.count = page?.count ?? 1;
    this.number = chosen;
    this.root.hidden = !page;
    if (!page) return;
    const field = this.$(".page-number");
    field.value = page.number + 1;
    field.max = page.count;
    this.$(".page-count").textContent = number(page.count);
    this.$(".page-place").textContent =
      `bytes ${number(page.start)}–${number(page.end)} of ${number(allBytes)}; the counts are of the whole ` +
      `text`;
    disable(this.$("[data-do=previous]"), page.number === 0, field);
    disable(this.$("[data-do=next]"), page.number === page.count - 1, field);
  }
}
