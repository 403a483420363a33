// Three notes for the first visit, each on an edge of what it is about: a press closes it, and so does doing what it
// says. This browser remembers which were closed. Where it keeps nothing, the page does, as long as it is open.

const KEY = "token-grove.guides-closed";
const NAMES = ["text", "tokens", "click"];
let closed = read(); // outlives the component, which goes when another page is opened

function read() {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
  } catch {
    return new Set(); // no storage, or something else lies there
  }
}

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify([...closed]));
  } catch { /* it refuses: the page remembers */ }
}

export class Guides {
  // editor hears: focusOn(name), for the keyboard, which would be nowhere after a press; frame.say(words).
  constructor(root, editor) {
    this.buttons = new Map(NAMES.map((name) => [name, root.querySelector(`[data-guide=${name}]`)]));
    for (const [name, button] of this.buttons)
      button.onclick = () => {
        const byKeyboard = button.matches(":focus-visible");
        this.close(name);
        if (byKeyboard) editor.focusOn(name);
      };
    root.querySelector("[data-do=guide]").onclick = () => {
      closed = new Set();
      keep();
      this.show();
      editor.frame.say([...this.buttons.values()].map((button) => button.querySelector("span").textContent).join(". "));
    };
    this.show();
  }

  // What a note says was done, or read.
  close(name) {
    if (closed.has(name)) return;
    closed.add(name);
    keep();
    this.show();
  }

  show() {
    for (const [name, button] of this.buttons) button.hidden = closed.has(name);
  }
}
