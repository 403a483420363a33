// Draws the parts around the panels: counts, notes, a sample's hint, the character set of a file, and the
// chooser that adds an encoding.

import { make, percent, plural } from "../common/dom.js";
import { countTokens } from "./panel.js";

/**
 * How the models of some panels, in which the text is whole, differ on it, in a sentence.
 * @param {{model: string, count: number}[]} counted
 */
export function compareModels(counted) {
  if (counted.length < 2) return "";
  const [fewest, ...others] = counted.toSorted((a, b) => a.count - b.count);
  const most = others.at(-1);
  if (most.count === fewest.count)
    return `${fewest.model} and ${most.model} need the same number of tokens for this text.`;
  const more = most.count / fewest.count - 1;
  if (more >= 2)
    return (
      `${most.model} needs ${(more + 1).toFixed(1)} times as many tokens for this text as ` +
      `${fewest.model}.`
    );
  const difference = most.count - fewest.count;
  if (more < 0.005)
    return `${most.model} needs ${plural(difference, "more token")} for this text than ${fewest.model}.`;
  return `${most.model} needs ${percent(more)} more tokens for this text than ${fewest.model}.`;
}

// What the sentence compares: a person's own tokenizer that stands first with the first model; or all models.
export function chooseCompared(counted) {
  const models = counted.filter(({ model, name, group }) => model !== name && group !== "Home-trained");
  const [first] = counted;
  if (first?.group === "your own" && models.length) return [first, models[0]];
  return models.length > 1 ? models : counted;
}

export class Frame {
  /**
   * @param root
   * @param {import("./index.js").default} editor of which it uses input and choiceOf
   */
  constructor(root, editor) {
    this.root = root;
    this.editor = editor;
    this.$ = (selector) => root.querySelector(selector);
    this.lesson = null; // the hint of the sample in the editor
    /** @type {import("./wire.js").Note | null} */
    this.refusal = null; // why the last action was refused
  }

  /** @param {import("./wire.js").Answer} answer */
  draw(answer) {
    const { input } = this.editor;
    const graphemes =
      answer.graphemes !== undefined && answer.graphemes !== answer.chars
        ? ` · ${plural(answer.graphemes, "grapheme")}`
        : "";
    this.$(".counts").textContent =
      `${plural(answer.bytes, "byte")} · ${plural(answer.chars, "character")}${graphemes}`;
    this.root.classList.toggle("paged", Boolean(answer.page));
    this.$("[data-do=back]").hidden = !answer.can_go_back;
    // Its neighbours stay where they are.
    this.$("[data-do=clear]").style.visibility = answer.bytes ? "" : "hidden";
    this.showLesson();
    this.compare(answer.panels);
    this.$(".none").hidden = answer.panels.length > 0;
    const notes = [...answer.notes, ...(this.refusal ? [this.refusal] : [])];
    const carriage = input.returns.standIn;
    if (carriage && !answer.page && input.text.includes("\r"))
      notes.push({ text: `${carriage} in the editor stands for a carriage return (\\r).`, error: false });
    this.showNotes(notes);
  }

  /**
   * @param {"" | "busy" | "lost"} silence lost: there is no answer
   * @param {{isOlder: boolean, isSending: boolean}} what whether the drawn counts are of another text, and
   *   whether a long text is on its way, which takes a while
   */
  showSilence(silence, { isOlder, isSending }) {
    const isLost = silence === "lost";
    this.$(".counts").classList.toggle("busy", silence === "busy");
    this.root.classList.toggle("lost", isLost && isOlder);
    if (!isLost) return;
    const sentences = [
      isSending
        ? "Your text is on its way, and not there yet."
        : "No answer from the computer that runs Token Grove.",
    ];
    if (isOlder) sentences.push("These counts are of the text before.");
    this.showNotes([{ text: sentences.join(" "), error: true }]);
  }

  // Show the hint of a new sample at once, instead of older notes.
  teach(lesson) {
    this.lesson = lesson;
    this.showLesson();
    this.showNotes([]);
  }

  showLesson() {
    this.$(".lesson").textContent = this.lesson ?? "";
  }

  /**
   * The models that people know, if there are two, and else all encodings.
   * @param {import("./wire.js").PanelValues[]} panels
   */
  compare(panels) {
    const counted = panels
      .filter((info) => info.best_of && info.tokens)
      .map((info) => ({ ...this.editor.choiceOf(info.name), count: countTokens(info) }));
    this.$(".compares").textContent = compareModels(chooseCompared(counted));
  }

  /** @param {import("./wire.js").Note[]} notes */
  showNotes(notes) {
    this.$(".notes").replaceChildren(
      ...notes.map(({ text, error }) => make("p", error ? "error" : "", text)),
    );
  }

  // Show a refusal at once, until the person does something else.
  refuse(text) {
    this.refusal = { text, error: true };
    this.showNotes([this.refusal]);
  }

  // Show the result of a button on the button.
  flash(button, text, title) {
    const [oldText, oldTitle] = [button.dataset.text ?? button.textContent, button.title];
    button.dataset.text = oldText;
    button.style.minWidth = `${button.getBoundingClientRect().width}px`; // its neighbours stay where they are
    button.textContent = text;
    if (title) button.title = title;
    this.say(title ?? text);
    clearTimeout(button.later);
    button.later = setTimeout(() => {
      button.textContent = oldText;
      button.title = oldTitle;
    }, 1600);
  }

  // Announce words to screen readers.
  say(text) {
    this.$(".spoken").textContent = text;
  }
}
