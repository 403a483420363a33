// The editor's textarea: text is typed, pasted, dropped or opened. A mirror under it tells where each
// character is.
// A key: the "input" listener -> Editor.typed in index.js -> Connection.ask in connection.js.

import { CarriageReturns } from "../common/carriage_returns.js";
import { bytesInWords } from "../common/dom.js";
import { takeDrops } from "../common/files.js";

const LIVE_MIRROR = 40000; // up to so many UTF-16 units, the editor grows with its text at each key

const encoder = new TextEncoder();

/** @typedef {import("../common/drawn_text.js").DrawnText} DrawnText */

export class TextInput {
  /**
   * @param root
   * @param {import("./index.js").default} editor of which it uses typed, replaceText, hintAtText, clear, and
   *   its frame, spotlight and connection
   */
  constructor(root, editor) {
    this.editor = editor;
    this.$ = (selector) => root.querySelector(selector);
    this.input = this.$(".input");
    this.mirrored = this.$(".mirror").firstChild; // the mirror's text
    this.text = "";
    this.maxBytes = Infinity; // the server's limit: longer texts are not sent
    this.liveBytes = Infinity; // the server shows a longer text in pages, and nobody edits it here
    this.returns = new CarriageReturns();
    this.listen();
  }

  listen() {
    const { input, editor } = this;
    input.addEventListener("input", () => {
      const text = this.returns.toText(input.value);
      if (text === this.text) return; // an edit of several lines fires the event for each of them
      if (this.isLong(text)) {
        this.set(this.text); // which stays if the long one is refused
        return this.sendLong(text);
      }
      const before = this.text;
      this.text = text;
      this.mirror();
      editor.typed(before);
    });
    input.addEventListener("scroll", () => editor.spotlight.drawMarks());
    // A browser blurs a field just before it removes the field.
    input.addEventListener("blur", () =>
      queueMicrotask(() => {
        if (!input.isConnected) editor.connection.inputRemoved(input.selectionStart, input.selectionEnd);
      }),
    );
    input.addEventListener("paste", (event) => {
      // Every text field does this: line ends in the clipboard are the system's, not the text's.
      const pasted = (event.clipboardData?.getData("text/plain") ?? "").replace(/\r\n?/g, "\n");
      if (input.readOnly) {
        // a page of a long text is read-only: a paste replaces the whole text
        event.preventDefault();
        if (pasted) this.sendLong(pasted);
        return;
      }
      const value =
        input.value.slice(0, input.selectionStart) + pasted + input.value.slice(input.selectionEnd);
      if (this.isLong(value)) {
        event.preventDefault();
        this.sendLong(this.returns.toText(value));
      }
    });
    // A key in a read-only page shows a hint. With everything selected, Delete empties the editor.
    input.addEventListener("keydown", (event) => {
      if (!input.readOnly || event.ctrlKey || event.metaKey || event.altKey) return;
      const deletes = event.key === "Delete" || event.key === "Backspace";
      if (deletes && input.selectionStart === 0 && input.selectionEnd === input.value.length) editor.clear();
      else if (deletes || event.key === "Enter" || [...event.key].length === 1) editor.hintAtText();
    });
    this.listenToFiles();
  }

  listenToFiles() {
    const field = this.$(".field");
    const drop = this.$(".drop");
    const chooser = this.$(".file");
    this.endDrops = takeDrops(field, {
      take: ([file]) => this.openFile(file),
      showOver: (isOver) => {
        drop.hidden = !isOver;
        field.classList.toggle("over", isOver);
      },
    });
    chooser.addEventListener("change", () => {
      this.openFile(chooser.files[0]);
      chooser.value = "";
    });
  }

  chooseFile() {
    this.$(".file").click();
  }

  // A UTF-16 unit takes one to three bytes.
  isLong(text) {
    return (
      text.length > this.liveBytes ||
      (text.length > this.liveBytes / 3 && encoder.encode(text).length > this.liveBytes)
    );
  }

  sendLong(text) {
    const file = new Blob([text]); // in UTF-8
    if (this.fits("This text", file.size, "Paste"))
      this.editor.replaceText({ action: "paste", body: file, text: this.isLong(text) ? null : text });
  }

  openFile(file) {
    if (file && this.fits(file.name, file.size, "Choose"))
      this.editor.replaceText({ action: "file", value: file.name, body: file });
  }

  // Whether so many bytes can be sent; if not, a note says what to do.
  fits(what, size, verb) {
    const fits = size <= this.maxBytes;
    if (!fits) {
      this.editor.frame.refuse(
        `${what} has ${bytesInWords(size)}, and Token Grove takes up to ` +
          `${bytesInWords(this.maxBytes)} at a time. ${verb} a part of it.`,
      );
    }
    return fits;
  }

  set(text) {
    const value = this.returns.toValue(text);
    if (this.input.value !== value) {
      this.input.value = value;
      this.input.scrollTop = 0;
    }
    this.text = text;
    this.mirror();
  }

  // Put the caret where it was in this very text, unless the person has focused something else.
  putCaret({ text, start, end }) {
    if (text !== this.text || document.activeElement !== document.body) return;
    this.input.focus({ preventScroll: true });
    this.input.setSelectionRange(start, end);
  }

  // Replace the whole text as typing would, so that undo restores the old one; its carriage returns, too,
  // unless the new text needs another character to stand for its own.
  replaceAll(text) {
    const { input } = this;
    const { standIn } = this.returns;
    const needsAnother = text.includes("\r") || (standIn !== null && text.includes(standIn));
    const value = needsAnother ? this.returns.toValue(text) : text;
    input.focus();
    input.select();
    document.execCommand("insertText", false, value);
    input.setSelectionRange(0, 0);
    input.scrollTop = 0;
  }

  mirror() {
    clearTimeout(this.mirrorLater);
    const write = () => {
      this.mirrored.data = this.input.value + "\u200b";
    };
    if (this.input.value.length <= LIVE_MIRROR) write();
    else this.mirrorLater = setTimeout(write, 300);
  }

  /**
   * Whether the field has this text.
   * @param {DrawnText | null} drawn
   */
  shows(drawn) {
    return drawn !== null && this.text === drawn.text;
  }

  /**
   * The UTF-16 range [start, end) of the character at a point of the window; null if there is none.
   * @param {DrawnText | null} drawn
   * @param {number} x
   * @param {number} y
   * @returns {[number, number] | null}
   */
  characterAt(drawn, x, y) {
    if (!drawn || !document.caretPositionFromPoint) return null;
    const place = document.caretPositionFromPoint(x, y, { shadowRoots: [this.input.getRootNode()] });
    if (place?.offsetNode !== this.input) return null;
    // The browser gives the nearest place between two characters. The point is on one of the two.
    const { offset } = place;
    const { text } = drawn;
    const before = offset - (text.codePointAt(offset - 2) > 0xffff ? 2 : 1);
    const after = offset + (text.codePointAt(offset) > 0xffff ? 2 : 1);
    /** @type {[number, number][]} */
    const sides = [
      [offset, after],
      [before, offset],
    ];
    for (const range of sides)
      if (
        range[0] >= 0 &&
        range[1] <= text.length &&
        this.boxesOf(drawn, range)?.some(
          ({ left, right, top, bottom }) => left <= x && x <= right && top <= y && y <= bottom,
        )
      )
        return range;
    return null;
  }

  /**
   * The boxes in the field of a UTF-16 range [start, end) of a text; null if the field has another text now.
   * @param {DrawnText} drawn
   * @param {[number, number]} range
   */
  boxesOf(drawn, [start, end]) {
    if (this.mirrored.data.length !== this.input.value.length + 1 || !this.shows(drawn)) return null;
    const range = document.createRange();
    range.setStart(this.mirrored, start);
    range.setEnd(this.mirrored, end);
    this.$(".mirror").scrollTop = this.input.scrollTop;
    return [...range.getClientRects()].filter((box) => box.width > 0);
  }

  destroy() {
    this.endDrops();
    clearTimeout(this.mirrorLater);
  }
}
