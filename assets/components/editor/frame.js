// Draws the parts around the panels: counts, notes, a sample's hint, the character set of a file, and the chooser that
// adds an encoding.

import { inGroups, make, plural } from "../common/dom.js";

export class Frame {
  // Uses of editor: settings, data, input (the TextInput), replaceText(action, value), setEncodings(names), sendEvent(event).
  constructor(root, editor) {
    this.root = root;
    this.editor = editor;
    this.$ = (selector) => root.querySelector(selector);
    this.lesson = null; // the hint of the sample in the editor
    this.refusal = null; // why the last action was refused
    this.$(".guess-charset").onchange = ({ target }) => editor.replaceText("read_as", target.value);
    this.add = this.$(".add select");
    this.bring = new Option("Bring your own, from a file…", "");
    this.add.onchange = () => {
      if (this.bring.selected) editor.sendEvent({ go: "bring" });
      else editor.setEncodings([...editor.settings.encodings, this.add.value]);
    };
  }

  draw(answer) {
    const { input } = this.editor;
    const graphemes = answer.graphemes !== undefined && answer.graphemes !== answer.chars ? ` · ${plural(answer.graphemes, "grapheme")}` : "";
    this.$(".counts").textContent = `${plural(answer.bytes, "byte")} · ${plural(answer.chars, "character")}${graphemes}`;
    this.$(".input").readOnly = Boolean(answer.page);
    this.root.classList.toggle("paged", Boolean(answer.page));
    this.$("[data-do=back]").hidden = !answer.can_go_back;
    this.$("[data-do=clear]").style.visibility = answer.bytes ? "" : "hidden"; // its neighbours stay where they are
    this.showLesson();
    const notes = [...answer.notes, ...(this.refusal ? [this.refusal] : [])];
    const carriage = input.returns.standIn;
    if (carriage && !answer.page && input.text.includes("\r")) notes.push({ text: `${carriage} in the editor stands for a carriage return (\\r).`, error: false });
    this.showNotes(notes);
    this.drawGuess(answer.guessed);
  }

  showBusy(isBusy) { this.$(".counts").classList.toggle("busy", isBusy); }

  // A chooser for the character set of a file, if it is a guess.
  drawGuess(guessed) {
    this.$(".guess").hidden = !guessed;
    const select = this.$(".guess-charset");
    if (!guessed) return;
    this.$(".guess-name").textContent = `Wrong letters? Read ${guessed.name} as`;
    if (!select.childElementCount) select.append(...guessed.charsets.map(([codec, name]) => new Option(name, codec)));
    select.value = guessed.charset;
  }

  // Show the hint of a new sample at once, instead of older notes.
  teach(lesson) {
    this.lesson = lesson;
    this.showLesson();
    this.showNotes([]);
  }

  // What a sample shows stands where the page says what it is.
  showLesson() {
    this.$(".lead").classList.toggle("taught", Boolean(this.lesson));
    this.$(".lesson").textContent = this.lesson ?? "";
  }

  showNotes(notes) {
    this.$(".notes").replaceChildren(...notes.map(({ text, error }) => make("p", error ? "error" : "", text)));
  }

  // Show a refusal at once, until the person does something else; or a remark.
  refuse(text, error = true) {
    this.refusal = { text, error };
    this.showNotes([this.refusal]);
  }

  // others: the encodings that can be added.
  fillAdd(others) {
    const groups = inGroups(others, ({ name, title }) => new Option(title, name));
    this.add.replaceChildren(new Option("Add an encoding", ""), ...groups, this.bring);
    this.$(".row").classList.toggle("empty", !this.editor.settings.encodings.length);
  }

  // Show the result of a button on the button.
  flash(button, text, title) {
    const [oldText, oldTitle] = [button.dataset.text ?? button.textContent, button.title];
    button.dataset.text = oldText;
    button.textContent = text;
    if (title) button.title = title;
    this.say(title ?? text);
    clearTimeout(button.later);
    button.later = setTimeout(() => { button.textContent = oldText; button.title = oldTitle; }, 1600);
  }

  // Announce words to screen readers.
  say(text) { this.$(".spoken").textContent = text; }
}
