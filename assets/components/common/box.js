// A box over the page, which a button opens. The same button, Escape, or a press elsewhere closes it.
//
// popover="auto" does so by itself, but neither before Safari 17 and Firefox 125, nor by a tap elsewhere
// before iOS 18.3.
// So this closes it, and popover="manual" only lays it over all else, where there is such a thing.

import { remInPixels } from "./dom.js";

export class Box {
  // width: how many rem it is wide at most, below its button; null: its style says where it stands.
  constructor(element, width = null) {
    this.element = element;
    this.width = width;
    this.button = null; // that opened it; null: it is closed
    element.hidden = true;
    this.pressed = (event) => {
      if (!event.composedPath().some((each) => each === element || each === this.button)) this.close();
    };
    this.typed = (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation(); // it closes nothing else
      this.close();
    };
  }

  toggle(button) {
    if (this.button === button) this.close();
    else this.open(button);
  }

  open(button) {
    this.close();
    this.button = button;
    this.element.hidden = false;
    this.element.showPopover?.();
    if (this.width) placeBelow(this.element, button, this.width);
    button.setAttribute("aria-expanded", true);
    document.addEventListener("pointerdown", this.pressed, true);
    document.addEventListener("keydown", this.typed, true);
  }

  close() {
    const { element, button } = this;
    if (!button) return;
    if (element.matches(":focus-within")) button.focus();
    element.hidePopover?.();
    element.hidden = true;
    button.setAttribute("aria-expanded", false);
    this.button = null;
    document.removeEventListener("pointerdown", this.pressed, true);
    document.removeEventListener("keydown", this.typed, true);
  }
}

// Place a box below a button, or above it where there is more room. most: rem.
function placeBelow(box, button, most, margin = 8) {
  const { left, top, bottom } = button.getBoundingClientRect();
  const width = Math.min(most * remInPixels(), innerWidth - 2 * margin);
  const below = innerHeight - bottom > top;
  box.style.width = `${width}px`;
  box.style.left = `${Math.max(margin, Math.min(left - 12, innerWidth - width - margin))}px`;
  box.style.top = below ? `${bottom + 6}px` : "auto";
  box.style.bottom = below ? "auto" : `${innerHeight - top + 6}px`;
  box.style.maxHeight = `${(below ? innerHeight - bottom : top) - 6 - margin}px`;
}
