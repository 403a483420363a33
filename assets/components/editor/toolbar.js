// The samples, the switches and the choices of view and size.

import { make } from "../common/dom.js";

export class Toolbar {
  // editor hears: set(key, value), insertSample(text, hint).
  constructor(root, editor) {
    this.root = root;
    this.editor = editor;
    for (const button of root.querySelectorAll("[data-switch]"))
      button.onclick = () => editor.set(button.dataset.switch, !editor.settings[button.dataset.switch]);
    for (const group of root.querySelectorAll("[role=radiogroup]")) this.listenToGroup([...group.querySelectorAll("button")]);
  }

  listenToGroup(buttons) {
    const choose = (button) => { const key = button.dataset.view ? "view" : "size"; this.editor.set(key, button.dataset[key]); button.focus(); };
    for (const [i, button] of buttons.entries()) {
      button.onclick = () => choose(button);
      button.onkeydown = (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step) { event.preventDefault(); choose(buttons[(i + step + buttons.length) % buttons.length]); }
      };
    }
  }

  show(settings) {
    const { root } = this;
    root.dataset.size = settings.size;
    root.classList.toggle("show-space", settings.whitespace);
    root.classList.toggle("marks-only", settings.only_here);
    for (const view of ["text", "ids", "bytes"]) root.classList.toggle(`view-${view}`, settings.view === view);
    for (const button of root.querySelectorAll("[data-switch]")) button.setAttribute("aria-checked", settings[button.dataset.switch]);
    for (const key of ["view", "size"])
      for (const button of root.querySelectorAll(`button[data-${key}]`)) {
        const on = button.dataset[key] === settings[key];
        button.setAttribute("aria-checked", on);
        button.tabIndex = on ? 0 : -1;
      }
  }

  showSamples(samples) {
    const box = this.root.querySelector(".samples");
    if (box.childElementCount) return;
    for (const { label, hint, text } of samples) {
      const button = make("button", "", label);
      button.type = "button";
      button.title = hint;
      button.onclick = () => this.editor.insertSample(text, hint);
      box.append(button);
    }
  }
}
