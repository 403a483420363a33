// Collects the keys while there is no editor: after a restart of the server, the page first restores saved
// items.

const PATIENCE = 60000; // milliseconds after which it stops

export class Meanwhile {
  /**
   * @param {Partial<import("./shared_state.js").Fields>} fields of the editor's last state
   * @param {number} start the selection in its text, in UTF-16 units
   * @param {number} end
   */
  constructor(fields, start, end) {
    this.fields = fields;
    this.text = fields.text;
    this.start = start;
    this.end = end;
    this.path = location.pathname;
    this.hear = (event) => this.type(event);
    addEventListener("keydown", this.hear, true);
    this.timer = setTimeout(() => this.stop(), PATIENCE);
  }

  type(event) {
    // The person moved on.
    if (event.target !== document.body || location.pathname !== this.path) return this.stop();
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

  // Stop collecting, and return the fields with the typed keys; null: there were none.
  stop() {
    clearTimeout(this.timer);
    removeEventListener("keydown", this.hear, true);
    return this.text === this.fields.text ? null : { ...this.fields, text: this.text };
  }
}
