// One merge at a time. Python sends every state of the training (stepping.py); this script shows one.

const SHOWN_PAIRS = 12;

class Hand {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.step = 0;
    this.revision = null;
    const go = { first: () => 0, back: () => this.step - 1, next: () => this.step + 1, last: () => this.data.states.length - 1 };
    for (const button of root.querySelectorAll("[data-go]"))
      button.onclick = () => (button.dataset.go === "play" ? this.play() : (this.pause(), this.show(go[button.dataset.go]())));
    this.$(".slider").oninput = () => { this.pause(); this.show(Number(this.$(".slider").value)); };
    root.addEventListener("keydown", (event) => {
      if (event.target.type === "range" || event.ctrlKey || event.metaKey || event.altKey) return;
      const key = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last" }[event.key];
      if (key) { event.preventDefault(); this.pause(); this.show(go[key]()); }
    });
  }

  receive(data) {
    const fresh = this.revision !== data.revision;
    this.data = data;
    this.revision = data.revision;
    this.root.dataset.ties = data.ties;
    this.root.dataset.walls = data.walls;
    const tokens = new Map(Object.entries(data.tokens).map(([id, hex]) => [Number(id), hex]));
    this.bytes = (id) => tokens.get(id).match(/../g).map((pair) => parseInt(pair, 16));
    if (fresh) { this.pause(); this.show(data.step, false); }
  }

  // A token in words: its text, or its bytes in hex where they are no whole characters.
  word(id) {
    const bytes = Uint8Array.from(this.bytes(id));
    try { return [new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), true]; }
    catch { return [Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" "), false]; }
  }

  plain(id) {
    const [text, whole] = this.word(id);
    return whole ? `“${text.replace(UNSEEN, (char) => glyphOf(char)[0])}”` : `⟨${text}⟩`;
  }

  chip(id) {
    const [text, whole] = this.word(id);
    const chip = make("s", `t mono c${colourTokens([id])[0]}`);
    if (whole) writeText(chip, text); else chip.textContent = text;
    return chip;
  }

  play() {
    if (this.timer) return this.pause();
    if (this.step >= this.data.states.length - 1) this.show(0);
    const pace = Math.max(250, Math.min(1100, 24000 / this.data.states.length));
    this.timer = setInterval(() => {
      this.show(this.step + 1);
      if (this.step >= this.data.states.length - 1) this.pause();
    }, pace);
    this.$("[data-go=play]").textContent = "⏸ Pause";
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.$("[data-go=play]").textContent = "▶ Play";
  }

  show(step, tell = true) {
    const { states, n_bytes, walls } = this.data;
    const before = this.step;
    this.step = Math.max(0, Math.min(states.length - 1, step));
    const state = states[this.step];
    const last = states.length - 1;
    const slider = this.$(".slider");
    slider.max = last;
    slider.value = this.step;
    this.$(".at").textContent = `${this.step} of ${plural(last, "merge")}`;
    for (const [key, off] of [["first", !this.step], ["back", !this.step], ["next", this.step === last], ["last", this.step === last]])
      disable(this.$(`[data-go=${key}]`), off, this.$(".slider"));
    this.$("[data-go=play]").disabled = !last;
    const ids = state.pieces.flat();
    this.$(".tokens-now").textContent = number(ids.length);
    this.$(".tokens-word").textContent = ids.length === 1 ? "token" : "tokens";
    this.$(".ratio").textContent = ids.length ? (n_bytes / ids.length).toFixed(2) : "–";
    this.$(".vocabulary").textContent = number(256 + this.step);
    this.$(".learned").textContent = this.step ? `256 bytes and ${plural(this.step, "merge")}` : "the 256 bytes";
    this.drawText(state, this.step === before + 1 ? 255 + this.step : null);
    this.drawBars(state);
    this.drawMerges();
    this.$(".say").textContent = this.sentence(state);
    if (tell) {
      clearTimeout(this.telling);
      this.telling = setTimeout(() => this.sendMessage({ step: this.step, revision: this.revision }), 400);
    }
  }

  drawText(state, freshId) {
    const box = this.$(".text");
    box.classList.toggle("walls", this.data.walls);
    const colours = colourTokens(state.pieces.flat());
    let k = 0;
    box.replaceChildren(...state.pieces.map((ids) => {
      const piece = make("span", "piece");
      let covered = false; // an occurrence takes two tokens; the next may not overlap it
      ids.forEach((id, i) => {
        const [text, whole] = this.word(id);
        const token = make("span", `tok c${colours[k++]}` + (whole ? "" : " half") + (id === freshId ? " fresh" : ""));
        const starts = !covered && state.winner && id === state.winner[0] && ids[i + 1] === state.winner[1];
        if (starts || covered) token.classList.add("next");
        covered = starts;
        const word = make("b");
        if (whole) writeText(word, text); else word.textContent = text;
        token.append(word, make("small", "", String(id)));
        token.title = `${this.plain(id)}, id ${id}`;
        piece.append(token);
      });
      return piece;
    }));
    box.setAttribute("aria-label", `The text as tokens: ${state.pieces.flat().map((id) => this.plain(id)).join(" ")}`);
  }

  drawBars(state) {
    const top = state.pairs[0]?.[2] ?? 1;
    const bars = state.pairs.slice(0, SHOWN_PAIRS).map(([left, right, count], i) => {
      const wins = state.winner && i === 0;
      const bar = make("div", "bar" + (wins ? " wins" : i < state.tied ? " tied" : ""));
      const pair = make("span", "pair");
      pair.append(this.chip(left), " ", this.chip(right));
      pair.title = `(${left}, ${right})`;
      const fill = make("span", "fill");
      fill.style.width = `${(100 * count) / top}%`;
      const said = wins ? `${count} → ${state.new_id}` : i < state.tied ? `${count}, tied` : String(count);
      bar.append(pair, fill, make("span", "n", said));
      return bar;
    });
    const rest = state.n_pairs - bars.length;
    if (rest > 0) bars.push(make("p", "more", `and ${plural(rest, "more pair")}, none more frequent`));
    if (!state.n_pairs) bars.push(make("p", "more", this.data.n_bytes ? "No pair is left." : "No text, no pairs."));
    this.$(".bars").replaceChildren(...bars);
  }

  drawMerges() {
    const head = make("tr");
    for (const title of ["new id", "pair", "token", "count"]) head.append(make("th", "", title));
    const rows = this.data.states.slice(0, this.step).map((state, i) => {
      const row = make("tr", i === this.step - 1 ? "now" : "");
      const token = make("td");
      token.append(this.chip(state.new_id));
      row.append(make("td", "", String(state.new_id)), make("td", "mono", `(${state.winner.join(", ")})`), token, make("td", "", String(state.pairs[0][2])));
      return row;
    });
    this.$(".merges").replaceChildren(...(rows.length ? [head, ...rows.reverse()] : []));
    if (!rows.length) {
      const row = make("tr");
      row.append(make("td", "more", "None yet: every token is a single byte."));
      this.$(".merges").append(row);
    }
  }

  sentence(state) {
    if (!this.data.n_bytes) return "Type a short text above.";
    if (!state.winner) {
      if (!state.n_pairs) return this.data.walls
        ? "Every piece is one token: no pair is left, because nothing merges across a wall. Training stops here."
        : "The whole text is one token: no pair is left. Training stops here.";
      return "That is all the merges that were asked for.";
    }
    const [left, right] = state.winner;
    const count = state.pairs[0][2];
    const often = count === 1 ? "once" : count === 2 ? "twice" : `${number(count)} times`;
    const pair = `${this.plain(left)} and ${this.plain(right)}`;
    const next = `${pair} stand side by side ${often}`;
    if (state.tied < 2) return `${next}, more often than any other pair: they become token ${state.new_id}.`;
    const smallest = this.data.ties === "smallest";
    const rule = smallest
      ? `the smallest ids, (${left}, ${right}), win`
      : "the pair that comes first in the text wins";
    return `${next}, and ${plural(state.tied - 1, "other pair")} just as often. A tie: ${rule} and ${smallest ? "become" : "becomes"} token ${state.new_id}.`;
  }

  destroy() { this.pause(); clearTimeout(this.telling); }
}

const hands = new WeakMap();

export default function (component) {
  const { parentElement, data, setStateValue } = component;
  let hand = hands.get(parentElement);
  if (!hand) hands.set(parentElement, (hand = new Hand(parentElement.querySelector(".hand"))));
  hand.sendMessage = (message) => setStateValue("message", message);
  hand.receive(data);
  return () => { hand.destroy(); hands.delete(parentElement); };
}
