// The samples, and the buttons that set something: a button with a value is one of several, the others are
// switches.

import { make, relabel } from "../common/dom.js";
import { nextLesson, readProgress } from "../common/progress.js";

export class Toolbar {
  /**
   * @param root
   * @param {import("./index.js").default} editor of which it uses settings, set, insertSample and sendEvent
   */
  constructor(root, editor) {
    this.root = root;
    this.editor = editor;
    this.buttons = [...root.querySelectorAll("[data-set]")];
    for (const button of this.buttons) {
      const key = button.dataset.set;
      const group = this.buttons.filter(({ dataset, value }) => value && dataset.set === key);
      button.onclick = () => editor.set(key, button.value || !editor.settings[key]);
      button.onkeydown = (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (!step || !button.value) return;
        event.preventDefault();
        const next = group[(group.indexOf(button) + step + group.length) % group.length];
        next.focus();
        next.click();
      };
    }
  }

  // Show the switches that one does not need at first, or hide them.
  showMore(isShown) {
    this.root.querySelector(".switches").hidden = !isShown;
    this.root.querySelector("[data-do=more]").setAttribute("aria-expanded", isShown);
  }

  /** @param {Partial<import("./shared_state.js").Fields>} settings */
  show(settings) {
    const { root } = this;
    root.dataset.view = settings.view;
    root.classList.toggle("show-space", settings.whitespace);
    root.classList.toggle("marks-only", settings.only_here);
    root.classList.toggle("detailed", settings.figures);
    for (const button of this.buttons) {
      const key = button.dataset.set;
      const value = settings[key];
      const isOn = button.value ? value === button.value : value;
      if (!button.value && value !== "on" in button.dataset) this.showMore(true);
      button.setAttribute("aria-checked", isOn);
      button.tabIndex = isOn || !button.value ? 0 : -1;
    }
  }

  showSamples(samples) {
    const box = this.root.querySelector(".samples");
    if (box.childElementCount > 2) return;
    box.firstChild.after(
      ...samples.map(({ label, hint, text }) =>
        make("button", "", label, {
          type: "button",
          title: hint,
          onclick: () => this.editor.insertSample(text, hint),
        }),
      ),
    );
  }

  // The lesson to go on with; the list, if all are done.
  showLesson(lessons) {
    const slug = nextLesson(lessons);
    let words = "All lessons";
    if (slug) {
      const verb = readProgress()[slug] ? "Go on with" : "Start";
      words = `${verb} lesson ${lessons.indexOf(slug) + 1}`;
    }
    const button = this.root.querySelector("[data-do=lesson]");
    relabel(button, words);
    button.onclick = () => this.editor.sendEvent({ go: "lesson", slug });
  }
}
