// What is typed where the editor was, while the page is drawn anew. After the server was started anew, what this
// browser keeps is brought back first, and until then there is no editor.

const PATIENCE = 60000; // milliseconds after which the keys are the page's again

export class Meanwhile {
  // draft: what the editor held, with its text; start, end: what was selected in it, in UTF-16 units.
  constructor(draft, start, end) {
    Object.assign(this, { draft, text: draft.text, start, end, path: location.pathname });
    this.hear = (event) => this.type(event);
    addEventListener("keydown", this.hear, true);
    this.timer = setTimeout(() => this.stop(), PATIENCE);
  }

  type(event) {
    if (event.target !== document.body || location.pathname !== this.path) return this.stop(); // the person went on elsewhere
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Enter") this.replace("\n");
    else if ([...event.key].length === 1) this.replace(event.key);
    else if (event.key === "Backspace") {
      if (this.start === this.end) this.start -= [...this.text.slice(0, this.start)].at(-1)?.length ?? 0;
      this.replace("");
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation(); // of Streamlit's own, one clears its cache
  }

  replace(typed) {
    this.text = this.text.slice(0, this.start) + typed + this.text.slice(this.end);
    this.start = this.end = this.start + typed.length;
  }

  // Another editor is here: what it has to take up.
  stop() {
    clearTimeout(this.timer);
    removeEventListener("keydown", this.hear, true);
    return this;
  }
}
