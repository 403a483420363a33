// A grapheme that several tokens share: drawn once, its tokens as lanes under it.
//
// A cell is an inline box, so the browser orders and joins the letters of all scripts as in plain text.

import { make } from "./dom.js";

const MOST_LANES = 20; // under one grapheme; the others come after it, where the line can break
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
export const DIRECTION_MARK = /^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]$/;
const BARE = /^\p{M}+$/u;
const WIDE = /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\u{1f000}-\u{3fffd}]/u;

// Whether a token's first edge is at its right.
export const isRightToLeft = (text) => RIGHT_TO_LEFT.test(text);

// The direction of a whole text: that of its first letter.
export const directionOf = (text) => (isRightToLeft(text.match(/\p{L}/u)?.[0] ?? "") ? "rtl" : "ltr");

// Whether a text begins with a sign as wide as two letters.
export const isWide = (text) => WIDE.test(text);

// Whether a text has combining marks alone, which have no width without a letter before them.
export const isBare = (text) => BARE.test(text);

// Append a cell to a box: its text, which write(element) writes, its lanes, and classes that mark its beginning.
export function drawCell(box, text, write, lanes, marks, turned = isRightToLeft(text)) {
  const cell = make("span", ["cell", ...marks].join(" "));
  if (turned) cell.classList.add("rtl");
  if (text.trim()) cell.classList.add("sign"); // after white space, a line may end
  const glyph = make("span", isBare(text) ? "bare" : "");
  write(glyph);
  // A line must not break inside a cell, or its lanes would reach over two lines.
  const breaks = text.endsWith("\n");
  if (breaks) glyph.lastElementChild.textContent = "";
  // A direction mark that acts would tear the cell's own box apart.
  const mark = DIRECTION_MARK.test(text) && glyph.lastChild.nodeType === Node.TEXT_NODE ? glyph.lastChild : null;
  mark?.remove();
  // At least so wide, in columns, that no lane gets too narrow; the fonts of many scripts are narrow.
  cell.style.setProperty("--columns", isWide(text) ? 1.6 : text < "\u0250" ? 1 : 0.6);
  addLanes(cell, lanes.slice(0, MOST_LANES));
  cell.prepend(glyph);
  box.append(cell);
  for (let from = MOST_LANES; from < lanes.length; from += MOST_LANES) {
    const more = make("span", "cell more");
    addLanes(more, lanes.slice(from, from + MOST_LANES));
    box.append(make("wbr"), more);
  }
  if (breaks) box.append("\n");
  if (mark) box.append(mark);
}

function addLanes(cell, lanes) {
  cell.style.setProperty("--lanes", lanes.length);
  cell.append(make("span", "lanes", lanes));
}
