// The playground for a room: the editor alone fills the screen in large type, and a key of a presenter's
// clicker steps through prepared texts. Its button leaves it, and Esc, as every full screen. Then the text is
// there again that was there before.

import { hasModifier } from "../common/dom.js";

const LARGER = "150%"; // of the letters that the person has chosen; all lengths here follow them

const WAYS = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1 };

export class Projector {
  /**
   * @param root
   * @param {import("./index.js").default} editor
   */
  constructor(root, editor) {
    this.root = root;
    this.editor = editor;
    /** @type {{text: string | null, hint: string}[]} */
    this.texts = []; // the person's own (null: a long one, which only the server has), and the prepared ones
    this.at = 0;
    this.end = new AbortController();
    this.button = root.querySelector("[data-do=project]");
    this.button.hidden = !root.requestFullscreen; // on an iPhone
    this.button.onclick = () => (this.isOn ? document.exitFullscreen() : this.fill());
    root.addEventListener("fullscreenchange", () => this.resize());
    root.addEventListener("keydown", (event) => this.hear(event));
    // Before the connection's, which keeps the text over a reload.
    addEventListener("pagehide", () => this.putBack(), { signal: this.end.signal });
  }

  get isOn() {
    return this.root.matches(":fullscreen");
  }

  fill() {
    // The person's own is noted at the first step.
    this.texts = [{ text: null, hint: "" }, ...this.editor.data.prepared.map((each) => ({ ...each }))];
    this.at = 0;
    // A browser may refuse while it is busy: the next press asks again.
    this.root.requestFullscreen().catch(() => {});
  }

  resize() {
    const { style } = document.documentElement;
    this.button.textContent = this.isOn ? "Leave" : "Projector";
    if (this.isOn) style.setProperty("font-size", LARGER, "important");
    else style.removeProperty("font-size");
    if (this.isOn) this.root.focus();
    else this.putBack();
  }

  // Arrow keys move in the text and from token to token; a clicker's keys step wherever the focus is.
  /** @param {KeyboardEvent} event */
  hear(event) {
    const way = WAYS[event.key];
    const isArrow = event.key.startsWith("Arrow");
    if (!this.isOn || !way || hasModifier(event) || (isArrow && event.target !== this.root)) return;
    event.preventDefault();
    this.step(way);
  }

  step(way) {
    const { text: shown } = this.editor.settings;
    const isLongOwn = this.at === 0 && shown === null;
    if (this.at === 0 || shown !== null) this.texts[this.at].text = shown; // as edited here
    this.at = (this.at + way + this.texts.length) % this.texts.length;
    const { text, hint } = this.texts[this.at];
    if (text === null) this.editor.replaceText({ action: "end_presenting" });
    else if (isLongOwn) this.editor.replaceText({ action: "present", body: text, text });
    else this.editor.insertSample(text, hint);
    this.root.focus();
  }

  // Show the person's own text again. If the prepared one that is shown was edited, "Restore" brings it back.
  putBack() {
    if (!this.at) return;
    this.at = 0;
    const { text } = this.texts[0];
    if (text === null) this.editor.replaceText({ action: "end_presenting" });
    else this.editor.replaceText({ action: "paste", body: text, text });
  }

  destroy() {
    this.end.abort();
    this.putBack();
    document.documentElement.style.removeProperty("font-size");
  }
}
