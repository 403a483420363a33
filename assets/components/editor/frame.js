// What stands around the panels: counts, notes, what a sample shows, the character set of a file, and the chooser that
// adds an encoding.

import { inGroups, make, plural } from "../common/dom.js";

export class Frame {
  // page has: order, input (the TextInput); it hears: act(action), setEncodings(names).
  constructor(root, page) {
    this.root = root;
    this.page = page;
    this.$ = (selector) => root.querySelector(selector);
    this.lesson = null; // what the sample in the editor shows
    this.refusal = null; // why what the person did last was not done
    this.$(".guess-charset").addEventListener("change", (event) => page.act({ kind: "read_as", charset: event.target.value }));
  }

  draw(header) {
    const { input } = this.page;
    const graphemes = header.graphemes !== undefined && header.graphemes !== header.chars ? ` · ${plural(header.graphemes, "grapheme")}` : "";
    this.$(".counts").textContent = `${plural(header.bytes, "byte")} · ${plural(header.chars, "character")}${graphemes}`;
    this.$(".input").readOnly = Boolean(header.page);
    this.root.classList.toggle("paged", Boolean(header.page));
    this.$("[data-do=back]").hidden = !header.can_go_back;
    this.$("[data-do=clear]").style.visibility = header.bytes ? "" : "hidden"; // its neighbours stay where they are
    this.showLesson();
    const notes = [...header.notes, ...(this.refusal ? [this.refusal] : [])];
    const carriage = input.returns.standIn;
    if (carriage && !header.page && input.text.includes("\r")) notes.push({ text: `${carriage} in the editor stands for a carriage return (\\r).`, error: false });
    this.showNotes(notes);
    this.drawGuess(header.guessed);
    this.drawAdd(header);
  }

  showBusy(isBusy) { this.$(".counts").classList.toggle("busy", isBusy); }

  // The character set of a file was guessed, as the file does not name it: another one can be chosen here.
  drawGuess(guessed) {
    this.$(".guess").hidden = !guessed;
    const select = this.$(".guess-charset");
    if (!guessed) return;
    this.$(".guess-name").textContent = `Wrong letters? Read ${guessed.name} as`;
    if (!select.childElementCount)
      for (const [codec, name] of guessed.charsets) {
        const option = make("option", "", name);
        option.value = codec;
        select.append(option);
      }
    select.value = guessed.charset;
  }

  // A sample is in the editor: what it shows is said at once, in the place of older notes.
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

  // Shown at once, and kept until the person does something else.
  refuse(text) {
    this.refusal = { text, error: true };
    this.showNotes([this.refusal]);
  }

  drawAdd(header) {
    const box = this.$(".add");
    const left = header.available.filter(({ name }) => !header.settings.encodings.includes(name));
    const key = left.map(({ name }) => name).join();
    this.$(".row").classList.toggle("empty", !header.settings.encodings.length);
    if (this.addKey === key) return;
    this.addKey = key;
    const chooser = make("select");
    chooser.setAttribute("aria-label", "Add an encoding");
    const groups = inGroups(left, ({ name, about }) => new Option(about ? `${name}: ${about}` : name, name));
    const bring = new Option("Bring your own, from a file…", "");
    chooser.append(new Option("Add an encoding", ""), ...groups, bring);
    chooser.onchange = () => {
      if (bring.selected) this.page.act({ kind: "bring" });
      else if (chooser.value) this.page.setEncodings([...this.page.order, chooser.value]);
    };
    box.querySelector("select")?.remove();
    box.append(chooser);
  }

  // A button's answer, in its own place.
  flash(button, text, title) {
    const [oldText, oldTitle] = [button.dataset.text ?? button.textContent, button.title];
    button.dataset.text = oldText;
    button.textContent = text;
    if (title) button.title = title;
    this.say(title ?? text);
    clearTimeout(button.later);
    button.later = setTimeout(() => { button.textContent = oldText; button.title = oldTitle; }, 1600);
  }

  // For people who listen to the page.
  say(text) { this.$(".spoken").textContent = text; }
}
