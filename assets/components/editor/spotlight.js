// Highlights the token under the pointer or the keyboard's cursor in all panels and in the editor, with a
// tip. A pinned token stays marked. A selection or the pointer in the editor highlights tokens, too.

import { utf8Length } from "../common/bytes.js";
import { make, placeTip } from "../common/dom.js";
import { BEGINS_BEFORE, GOES_ON, LOOKS_SPECIAL, SPECIAL, UNKNOWN } from "../common/text_tokens.js";

const MOST_LIT = 2000; // tokens of a panel that a selection highlights
/**
 * What a tip says of a token that is no usual one: the first that is so.
 * @type {[number, string][]}
 */
const REMARKS = [
  [SPECIAL, "a special token"],
  [UNKNOWN, "unknown: not in the vocabulary"],
  [LOOKS_SPECIAL, "plain text that spells a special token"],
];
const OVER_THE_EDGE = "reaches over the edge of this page: this is its part here";

// What a tip says of a token, in lines.
function describeToken(data, index) {
  const flags = data.flags[index];
  const lines = [make("b", "", data.describe(index)), `bytes ${data.hex(index)}`];
  const remark = REMARKS.find(([flag]) => flags & flag);
  if (remark) lines.push(remark[1]);
  if (flags & (BEGINS_BEFORE | GOES_ON)) lines.push(OVER_THE_EDGE);
  return lines;
}

/** @typedef {import("./panel.js").Panel} Panel */

export class Spotlight {
  /**
   * @param root
   * @param {import("./index.js").default} editor of which it uses panels, drawn, input and pin
   */
  constructor(root, editor) {
    this.editor = editor;
    this.marks = root.querySelector(".marks");
    this.field = root.querySelector(".field");
    this.tip = root.querySelector(".tip");
    this.lit = [];
    /** @type {[number, number] | null} */
    this.units = null; // UTF-16 [start, end) that are lit in the editor
    this.hovered = null;
    /** @type {[number, number] | null} */
    this.bytes = null; // [start, end) of the text that is drawn, whose tokens are lit in every panel
    this.selected = false; // whether they are those of the editor's selection
    this.listenToEditor(root.querySelector(".input"));
  }

  listenToEditor(input) {
    this.select = () => {
      const { selectionStart: start, selectionEnd: end } = input;
      const isSelected = start < end && input.matches(":focus") && this.editor.input.shows(this.editor.drawn);
      if (!isSelected && !this.selected) return;
      this.clear();
      this.selected = isSelected;
      if (isSelected) this.lightText(start, end);
    };
    input.ownerDocument.addEventListener("selectionchange", this.select);
    input.addEventListener("selectionchange", this.select);
    input.addEventListener("blur", this.select);
    input.addEventListener("pointermove", (event) => {
      if (this.selected || event.buttons || event.pointerType === "touch") return;
      const place = this.editor.input.characterAt(this.editor.drawn, event.clientX, event.clientY);
      const key = place && `editor ${place[0]}`;
      if (key === this.hovered) return;
      this.clear();
      this.hovered = key;
      if (!place) return;
      this.lightText(...place);
      this.units = place;
      this.drawMarks();
    });
    input.addEventListener("pointerleave", () => {
      if (!this.selected) this.clear();
    });
  }

  // Highlight the tokens over UTF-16 [start, end) of the editor's text, in all panels.
  lightText(start, end) {
    const { text } = this.editor.drawn;
    const from = utf8Length(text, 0, start);
    this.bytes = [from, from + utf8Length(text, start, end)];
    for (const panel of this.editor.panels.values()) {
      if (this.selected && panel.n) panel.scrollTo(panel.data.overlapping(...this.bytes)[0]);
      for (const chunk of panel.chunks) if (chunk.painted) this.lightChunk(panel, chunk);
    }
  }

  /**
   * @param {Panel} panel
   * @param {import("./chunks.js").Chunk} chunk
   */
  lightChunk(panel, chunk) {
    if (!this.bytes) return;
    const [first, after] = panel.data.overlapping(...this.bytes);
    const last = Math.min(after, first + MOST_LIT);
    for (const element of panel.elementsOf(first, last, [chunk]))
      this.light(element, this.selected ? "picked" : "lit");
  }

  // Mark the tokens of a newly painted chunk.
  markChunk(panel, chunk) {
    this.markPin(panel, chunk);
    this.lightChunk(panel, chunk);
  }

  light(element, name) {
    element.classList.add(name);
    this.lit.push([element, name]);
  }

  clear() {
    for (const [element, name] of this.lit) element.classList.remove(name);
    this.lit = [];
    this.units = this.bytes = null;
    this.selected = false;
    this.drawMarks();
    this.tip.hidden = true;
    this.hovered = null;
  }

  // index: the token under the pointer, or under the keyboard's cursor, which has no event; -1: none.
  hover(panel, index, event) {
    const key = index < 0 ? null : `${panel.name} ${index}`;
    if (key && key === this.hovered) {
      if (event) placeTip(this.tip, event);
      return;
    }
    if (!key && !this.hovered) return;
    this.clear();
    if (!key) return this.select();
    this.hovered = key;
    this.lightToken(panel, index);
    this.showTip(panel, index, event);
  }

  /**
   * Highlight a token in its panel and in the editor, and the tokens over the same bytes in the others.
   * @param {Panel} panel
   * @param {number} index
   */
  lightToken(panel, index) {
    const { data } = panel;
    for (const element of panel.elementsOf(index)) this.light(element, "lit");
    for (const other of this.editor.panels.values()) {
      if (other === panel || !other.n) continue;
      const over = other.data.overlapping(data.byteStart(index), data.byteEnds[index]);
      for (const element of other.elementsOf(...over)) this.light(element, "same");
    }
    this.units = data.units(index);
    this.drawMarks();
  }

  // The tip is at the pointer, or below the token.
  showTip(panel, index, event) {
    const [first, ...others] = describeToken(panel.data, index);
    this.tip.replaceChildren(first, ...others.flatMap((line) => [make("br"), line]));
    const box = panel.elementsOf(index)[0]?.getBoundingClientRect();
    const place = event ?? (box && { clientX: box.left, clientY: box.bottom - 8 });
    if (place) placeTip(this.tip, place);
  }

  // Draw the highlighted characters in the editor.
  drawMarks() {
    const boxes = this.units && this.editor.input.boxesOf(this.editor.drawn, this.units);
    if (!boxes) {
      this.marks.replaceChildren();
      return;
    }
    const base = this.field.getBoundingClientRect();
    this.marks.replaceChildren(
      ...boxes.map((box) => {
        const mark = make("i");
        mark.style.cssText =
          `left:${box.left - base.left - 1}px;top:${box.top - base.top - 2}px;` +
          `width:${box.width}px;height:${box.height + 4}px`;
        return mark;
      }),
    );
  }

  // Mark the pinned token in its panel, and the tokens over the same bytes in the others.
  markPins() {
    for (const panel of this.editor.panels.values())
      for (const chunk of panel.chunks) if (chunk.painted) this.markPin(panel, chunk);
  }

  markPin(panel, chunk) {
    for (const element of chunk.element.querySelectorAll(".pin, .pin-same"))
      element.classList.remove("pin", "pin-same");
    const { pin, drawn } = this.editor;
    const source = pin && this.editor.panels.get(pin.encoding);
    if (!source?.n || !drawn) return;
    const start = pin.start - drawn.start;
    const [token] = source.data.overlapping(start, start + 1);
    if (start < 0 || token >= source.n) return;
    const { data } = source;
    const over =
      panel === source
        ? [token, token + 1]
        : panel.data.overlapping(data.byteStart(token), data.byteEnds[token]);
    for (const element of panel.elementsOf(...over, [chunk]))
      element.classList.add(panel === source ? "pin" : "pin-same");
  }

  destroy() {
    document.removeEventListener("selectionchange", this.select);
  }
}
