// Collects the keys while the editor is gone: after a restart of the server, the page first brings back what the browser
// stores, and until then it has no editor.

const PATIENCE = 60000; // milliseconds after which the keys are the page's again

export class Meanwhile {
  // state: what the editor showed, with its text; start, end: the selection in it, in UTF-16 units.
  constructor(state, start, end) {
    Object.assign(this, { state, text: state.text, start, end, path: location.pathname });
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

  // The editor is back: what it showed and what was typed since; null: nothing was.
  stop() {
    clearTimeout(this.timer);
    removeEventListener("keydown", this.hear, true);
    return this.text === this.state.text ? null : { ...this.state, text: this.text };
  }
}
