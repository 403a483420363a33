// Draws tokens over their text, the same way everywhere.

import { make } from "./dom.js";
import { DIRECTION_MARK, isBare, isWide } from "./letters.js";

const LONGEST_WHOLE = 20; // UTF-16 units of a token that stays whole on its line
const MOST_LANES = 20; // under one grapheme; the others come after it, where the line can break

// Draw tokens [first, last] of TextTokens, which no grapheme's edge parts, into a box. makeElement(i, tag,
// kind): an element of token i, in its colour.
export function drawTogether(box, tokens, first, last, makeElement) {
  // A line may break before the space, rather than within a word.
  if (tokens.drawn.text[tokens.unitStart(first)] === " ") box.append(make("wbr"));
  if (first === last) box.append(drawChip(tokens, first, makeElement));
  else drawSplit(box, tokens, first, last, makeElement);
}

function drawChip(tokens, i, makeElement) {
  const { drawn } = tokens;
  const start = tokens.unitStart(i);
  const end = tokens.unitEnds[i];
  const chip = tokens.isGap(i) ? make("span", "gap") : makeElement(i, "s", "t");
  const text = drawn.text.slice(start, end);
  const isLong = text.length > LONGEST_WHOLE || /\n./s.test(text) || !text.trim();
  if (isLong) chip.classList.add("long");
  // A line end at a token's end stands behind the box that goes on from line to line: on the next one, nothing
  // is left of the token.
  const stop = text.endsWith("\n") ? end - 1 : end;
  drawn.write(isLong && text.length > 1 ? chip.appendChild(make("b")) : chip, start, stop);
  drawn.write(chip, stop, end);
  if (isBare(text)) chip.classList.add("bare");
  if (drawn.isTurned(start, end)) chip.classList.add("rtl");
  return chip;
}

// Each grapheme once, its tokens as lanes under it. Graphemes that share a token stay on one line.
function drawSplit(box, tokens, first, last, makeElement) {
  const { drawn } = tokens;
  let token = first;
  let at = tokens.byteStart(first);
  let line = box;
  for (const [start, end, bytes] of drawn.cells(tokens.unitStart(first), tokens.unitEnds[last])) {
    const stop = at + bytes;
    const lanes = [];
    const marks = [];
    // A token without bytes of its own follows the token that it shares them with.
    while (token <= last && (at < stop || tokens.byteEnds[token] === at)) {
      const until = Math.min(stop, tokens.byteEnds[token]);
      const lane = tokens.isGap(token) ? make("s", "lane-gap") : makeElement(token, "s", "lane");
      lane.style.setProperty("--w", Math.max(1, until - at));
      if (tokens.byteStart(token) !== at) lane.classList.remove("only", "wall");
      else if (!lanes.length) marks.push(...["only", "wall"].filter((name) => lane.classList.contains(name)));
      lanes.push(lane);
      at = until;
      if (at === tokens.byteEnds[token]) token++;
    }
    const goesOn = token <= last && tokens.byteStart(token) < at;
    if (goesOn && line === box) line = box.appendChild(make("span", "whole"));
    drawCell(
      line,
      drawn.text.slice(start, end),
      (glyph) => drawn.write(glyph, start, end),
      lanes,
      marks,
      drawn.isTurned(start, end),
    );
    if (!goesOn || line.textContent.length > LONGEST_WHOLE) line = box;
  }
}

// A grapheme that several tokens share, as an inline box, so that the browser orders and joins the letters of
// all scripts as in plain text: its text, which write(element) writes, its lanes, and classes that mark its
// beginning.
function drawCell(box, text, write, lanes, marks, turned) {
  const cell = make("span", ["cell", ...marks].join(" "));
  if (turned) cell.classList.add("rtl");
  if (text.trim()) cell.classList.add("sign"); // after white space, a line may end
  const glyph = make("span", isBare(text) ? "bare" : "");
  write(glyph);
  // A line must not break inside a cell, or its lanes would reach over two lines.
  const breaks = text.endsWith("\n");
  if (breaks) glyph.lastElementChild.textContent = "";
  // A direction mark that acts would tear the cell's own box apart.
  const mark =
    DIRECTION_MARK.test(text) && glyph.lastChild.nodeType === Node.TEXT_NODE ? glyph.lastChild : null;
  mark?.remove();
  // At least so wide, in columns, that no lane gets too narrow; the fonts of many scripts are narrow.
  const columns = text < "\u0250" ? 1 : 0.6;
  cell.style.setProperty("--columns", isWide(text) ? 1.6 : columns);
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
