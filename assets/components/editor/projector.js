// The playground for a room: the editor alone fills the screen in large type, and a key of a presenter's
// clicker steps through prepared texts. Its button leaves it, and Esc, as every full screen.

import { hasModifier } from "../common/dom.js";

const LARGER = "150%"; // of the letters that the person has chosen; all lengths here follow them

const WAYS = { PageDown: 1, PageUp: -1, ArrowRight: 1, ArrowLeft: -1 };

export class Projector {
  /**
   * @param root
   * @param {import("./index.js").default} editor of which it uses data, settings, state, frame, insertSample and replaceText
   */
  constructor(root, editor) {
    this.root = root;
    this.editor = editor;
    /** @type {{text: string | null, hint: string}[]} */
    this.texts = []; // the person's own (null: a long one, which only the server has), and the prepared ones
    this.at = 0;
    this.button = root.querySelector("[data-do=project]");
    this.button.hidden = !root.requestFullscreen; // on an iPhone
    this.button.onclick = () => (this.isOn ? document.exitFullscreen() : this.fill());
    root.addEventListener("fullscreenchange", () => this.resize());
    root.addEventListener("keydown", (event) => this.hear(event));
    addEventListener("pagehide", this.putBack); // before the connection's, which keeps the text over a reload
  }

  get isOn() {
    return this.root.matches(":fullscreen");
  }

  fill() {
    const { data, settings } = this.editor;
    this.texts = [{ text: settings.text, hint: "" }, ...data.prepared.map((each) => ({ ...each }))];
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
    else this.at = 0;
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
    const { editor } = this;
    const isOwn = this.at === 0;
    if (editor.settings.text !== null) this.texts[this.at].text = editor.settings.text; // as edited here
    this.at = (this.at + way + this.texts.length) % this.texts.length;
    const { text, hint } = this.texts[this.at];
    // The server sets the own text aside: after leaving, "Restore the previous text" brings it back.
    if (isOwn) editor.replaceText({ action: "paste", body: text, text });
    else if (text === null) editor.replaceText({ action: "back" });
    else editor.insertSample(text, hint);
    editor.frame.teach(hint);
    this.root.focus();
  }

  // The page is reloaded while a prepared text is shown.
  putBack = () => {
    const own = this.texts[0]?.text;
    if (this.at && own) this.editor.state.change({ text: own });
  };

  destroy() {
    removeEventListener("pagehide", this.putBack);
    document.documentElement.style.removeProperty("font-size");
  }
}
