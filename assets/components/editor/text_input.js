// The editor's text: typed, pasted, dropped or opened, and the mirror under it, in which characters have places.

import { CarriageReturns } from "../common/carriage_returns.js";
import { bytesInWords } from "../common/dom.js";
import { takeDrops } from "../common/files.js";

const LIVE_MIRROR = 40000; // UTF-16 units up to which the editor grows with its text at each key

const encoder = new TextEncoder();
const byteLength = (text) => encoder.encode(text).length;

// page hears: typed(before), replaceText(action, value, body), clear(), refuse(sentence), scrolled(),
// takenAway(start, end).
// Next: Editor.typed in index.js.
export class TextInput {
  constructor(root, page) {
    this.page = page;
    this.$ = (selector) => root.querySelector(selector);
    this.input = this.$(".input");
    this.text = "";
    this.accepted = ""; // what the textarea returns to when too much was typed
    this.maxBytes = Infinity; // a longer text is not sent: the server says how much it takes
    this.liveBytes = Infinity; // a longer text is no longer edited here, but sent at once and shown in pages
    this.returns = new CarriageReturns();
    this.listen();
  }

  listen() {
    const { input, page } = this;
    input.addEventListener("input", () => {
      const text = this.returns.toText(input.value);
      if (text === this.text) return; // an edit of several lines says so for each of them
      if (this.isLong(text)) {
        this.set(this.accepted);
        return this.bringLong(text);
      }
      const before = this.text;
      this.text = text;
      this.mirror();
      page.typed(before);
    });
    input.addEventListener("scroll", () => page.scrolled());
    // A browser takes the caret out of a field that is taken away, before it is gone.
    input.addEventListener("blur", () => queueMicrotask(() => {
      if (!input.isConnected) page.takenAway(input.selectionStart, input.selectionEnd);
    }));
    input.addEventListener("paste", (event) => {
      // As in every text field: the clipboard's line ends are those of the system, not of the text.
      const pasted = (event.clipboardData?.getData("text/plain") ?? "").replace(/\r\n?/g, "\n");
      if (input.readOnly) { // a page of a long text is only shown: a paste takes the place of the whole text
        event.preventDefault();
        if (pasted) this.bringLong(pasted);
        return;
      }
      const value = input.value.slice(0, input.selectionStart) + pasted + input.value.slice(input.selectionEnd);
      if (pasted.length > this.liveBytes / 3 && byteLength(value) > this.liveBytes) {
        event.preventDefault();
        this.bringLong(this.returns.toText(value));
      }
    });
    // Typing into a page that is only shown says what can be done; all of it selected, Delete empties the editor.
    input.addEventListener("keydown", (event) => {
      if (!input.readOnly || event.ctrlKey || event.metaKey || event.altKey) return;
      const deletes = event.key === "Delete" || event.key === "Backspace";
      if (deletes && input.selectionStart === 0 && input.selectionEnd === input.value.length) page.clear();
      else if (deletes || event.key === "Enter" || [...event.key].length === 1)
        page.refuse("A page of a long text is only shown. Choose “Edit this page alone”, or Clear, or paste another text over it.");
    });
    this.listenToFiles();
  }

  listenToFiles() {
    const field = this.$(".field"), drop = this.$(".drop"), chooser = this.$(".file");
    this.endDrops = takeDrops(field, {
      take: ([file]) => this.openFile(file),
      showOver: (isOver) => { drop.hidden = !isOver; field.classList.toggle("over", isOver); },
    });
    chooser.addEventListener("change", () => { this.openFile(chooser.files[0]); chooser.value = ""; });
  }

  chooseFile() { this.$(".file").click(); }

  isLong(text) { return text.length > this.liveBytes / 3 && byteLength(text) > this.liveBytes; }

  bringLong(text) {
    const size = byteLength(text);
    if (size > this.maxBytes) this.page.refuse(`This text has ${bytesInWords(size)}, and Token Grove takes up to ${bytesInWords(this.maxBytes)} at a time. Paste a part of it.`);
    else this.page.replaceText("paste", "", text);
  }

  openFile(file) {
    if (!file) return;
    if (file.size > this.maxBytes) this.page.refuse(`${file.name} has ${bytesInWords(file.size)}, and Token Grove takes up to ${bytesInWords(this.maxBytes)} at a time. Choose a part of it.`);
    else this.page.replaceText("file", file.name, file);
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

  // Put the caret where it was in this very text, unless the person has gone on elsewhere.
  putCaret({ text, start, end }) {
    if (text !== this.text || document.activeElement !== document.body) return;
    this.input.focus({ preventScroll: true });
    this.input.setSelectionRange(start, end);
  }

  // As if it were typed, so that undo brings back what was there.
  replaceAll(text) {
    const { input } = this;
    input.focus();
    input.select();
    if (!document.execCommand("insertText", false, text)) {
      input.value = text;
      input.dispatchEvent(new Event("input"));
    }
    input.setSelectionRange(0, 0);
    input.scrollTop = 0;
  }

  mirror() {
    const mirror = this.$(".mirror");
    clearTimeout(this.mirrorLater);
    const write = () => { this.mirrorNode ??= mirror.appendChild(document.createTextNode("")); this.mirrorNode.data = this.input.value + "\u200b"; };
    if (this.input.value.length <= LIVE_MIRROR) write();
    else this.mirrorLater = setTimeout(write, 300);
  }

  // Whether the text that is drawn is in the field.
  shows(drawn) { return drawn !== null && this.text === drawn.text; }

  // UTF-16 [start, end) of the character at a point of the window; null if there is none.
  characterAt(drawn, x, y) {
    if (!drawn || !document.caretPositionFromPoint) return null;
    const place = document.caretPositionFromPoint(x, y, { shadowRoots: [this.input.getRootNode()] });
    if (place?.offsetNode !== this.input) return null;
    // The place between two characters that is next to the point: it lies on one of them.
    const { offset } = place, { text } = drawn;
    const before = offset - (text.codePointAt(offset - 2) > 0xffff ? 2 : 1);
    const after = offset + (text.codePointAt(offset) > 0xffff ? 2 : 1);
    for (const range of [[offset, after], [before, offset]])
      if (range[0] >= 0 && range[1] <= text.length && this.boxesOf(drawn, range)?.some(
        ({ left, right, top, bottom }) => left <= x && x <= right && top <= y && y <= bottom)) return range;
    return null;
  }

  // Where UTF-16 [start, end) of the text that is drawn is in the field; null if another text is there now.
  boxesOf(drawn, [start, end]) {
    if (this.mirrorNode?.data.length !== this.input.value.length + 1 || !this.shows(drawn)) return null;
    const range = document.createRange();
    range.setStart(this.mirrorNode, start);
    range.setEnd(this.mirrorNode, end);
    this.$(".mirror").scrollTop = this.input.scrollTop;
    return [...range.getClientRects()].filter((box) => box.width > 0);
  }

  destroy() {
    this.endDrops();
    clearTimeout(this.mirrorLater);
  }
}
