// Words of the glossary where they stand: the first of each on a slide shows its meaning, by the mouse over
// it, or by a press.

import { Box } from "../common/box.js";
import { make } from "../common/dom.js";

const WIDTH = 22; // rem

/** @typedef {Record<string, string>} Meanings by word, the longer words before those that they begin with */

/**
 * A text as text and buttons: a button for each word that has a meaning and is not among those seen.
 * @param {string} text
 * @param {Meanings} meanings
 * @param {Set<string>} seen gets the words that are found
 */
export function splitTerms(text, meanings, seen) {
  const names = Object.keys(meanings).join("|");
  // "A piece of text" is any stretch.
  const parts = text.split(new RegExp(`\\b((?:${names})s?)\\b(?! of text)`, "i"));
  return parts.filter(Boolean).map((part) => {
    const word = [part, part.replace(/s$/, "")]
      .map((each) => each.toLowerCase())
      .find((each) => each in meanings);
    if (!word || seen.has(word)) return part;
    seen.add(word);
    return make("button", "term", part, { type: "button", title: meanings[word] });
  });
}

export class Terms {
  /** @param {HTMLElement} element where a meaning is shown */
  constructor(element) {
    this.box = new Box(element, WIDTH);
    /** @type {Meanings} */
    this.meanings = {};
  }

  /** @param {Iterable<Element>} paragraphs of one slide */
  mark(paragraphs) {
    const seen = new Set();
    for (const paragraph of paragraphs)
      for (const node of [...paragraph.childNodes])
        if (node instanceof Text) node.replaceWith(...splitTerms(node.data, this.meanings, seen));
    for (const paragraph of paragraphs)
      for (const term of paragraph.querySelectorAll(".term"))
        term.addEventListener("click", () => this.tell(term));
  }

  tell(term) {
    this.box.element.textContent = term.title;
    this.box.toggle(term);
  }
}
