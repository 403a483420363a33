// Replays a training merge by merge. Python sends every state (step_through); this shows one.

import { fromHex } from "../common/bytes.js";
import { colourOf } from "../common/colours.js";
import { make, number, plural, pluralWord } from "../common/dom.js";
import { Playback } from "../common/playback.js";
import { quote, writeToken } from "../common/spelling.js";

const MOST_PAIRS = 12;
const TELL_AFTER = 400; // milliseconds without a further step, after which Python is told

export default class ByHand {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.revision = null;
    this.playback = new Playback(root, {
      show: (step, before, isLoaded) => this.show(step, before, isLoaded), pace: [250, 1100], total: 24,
      speeds: [0.25, 0.5, 1, 2, 4], keys: true,
    });
  }

  receive(data) {
    const fresh = this.revision !== data.revision;
    this.data = data;
    this.revision = data.revision;
    this.root.dataset.ties = data.ties;
    this.root.dataset.walls = data.walls;
    this.tokens = new Map(Object.entries(data.tokens).map(([id, hex]) => [Number(id), fromHex(hex)]));
    if (fresh) this.playback.load(data.states.length - 1, data.step);
  }

  quote(id) { return quote(this.tokens.get(id)); }

  chip(id) {
    const chip = make("s", `t mono c${colourOf(id)}`);
    writeToken(chip, this.tokens.get(id));
    return chip;
  }

  show(step, before, isLoaded) {
    this.step = step;
    const { states, n_bytes } = this.data;
    const state = states[step];
    const ids = state.pieces.flat();
    this.$(".tokens-now").textContent = number(ids.length);
    this.$(".tokens-word").textContent = pluralWord(ids.length, "token");
    this.$(".ratio").textContent = ids.length ? (n_bytes / ids.length).toFixed(2) : "–";
    this.$(".vocabulary").textContent = number(256 + this.step);
    this.$(".learned").textContent = this.step ? `256 bytes and ${plural(this.step, "merge")}` : "the 256 bytes";
    this.drawText(state, this.step === before + 1 ? 255 + this.step : null);
    this.drawBars(state);
    this.drawMerges();
    this.$(".say").textContent = this.sentence(state);
    if (isLoaded) return;
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.sendMessage({ step: this.step, revision: this.revision }), TELL_AFTER);
  }

  drawText(state, freshId) {
    const box = this.$(".text");
    box.classList.toggle("walls", this.data.walls);
    box.replaceChildren(...state.pieces.map((ids) => {
      const piece = make("span", "piece");
      let covered = false; // an occurrence takes two tokens; the next may not overlap it
      ids.forEach((id, i) => {
        const word = make("b");
        const isText = writeToken(word, this.tokens.get(id));
        const token = make("span", `tok c${colourOf(id)}` + (isText ? "" : " half") + (id === freshId ? " fresh" : ""),
          [word, make("small", "", id)], { title: `${this.quote(id)}, id ${id}` });
        const starts = !covered && state.winner && id === state.winner[0] && ids[i + 1] === state.winner[1];
        if (starts || covered) token.classList.add("next");
        covered = starts;
        piece.append(token);
      });
      return piece;
    }));
    box.setAttribute("aria-label", `The text as tokens: ${state.pieces.flat().map((id) => this.quote(id)).join(" ")}`);
  }

  drawBars(state) {
    const top = state.pairs[0]?.[2] ?? 1;
    const bars = state.pairs.slice(0, MOST_PAIRS).map(([left, right, count], i) => {
      const wins = state.winner && i === 0;
      const pair = make("span", "pair", [this.chip(left), " ", this.chip(right)], { title: `(${left}, ${right})` });
      const fill = make("span", "fill");
      fill.style.width = `${(100 * count) / top}%`;
      const label = wins ? `${count} → ${state.new_id}` : i < state.tied ? `${count}, tied` : String(count);
      return make("div", "bar" + (wins ? " wins" : i < state.tied ? " tied" : ""), [pair, fill, make("span", "n", label)]);
    });
    const rest = state.n_pairs - bars.length;
    if (rest > 0) bars.push(make("p", "more", `and ${plural(rest, "more pair")}, none more frequent`));
    if (!state.n_pairs) bars.push(make("p", "more", this.data.n_bytes ? "No pair is left." : "No text, no pairs."));
    this.$(".bars").replaceChildren(...bars);
  }

  drawMerges() {
    const head = make("tr", "", ["new id", "pair", "token", "count"].map((title) => make("th", "", title)));
    const none = make("tr", "", [make("td", "more", "None yet: every token is a single byte.")]);
    const rows = this.data.states.slice(0, this.step).map((state, i) => make("tr", i === this.step - 1 ? "now" : "", [
      make("td", "", state.new_id), make("td", "mono", `(${state.winner.join(", ")})`),
      make("td", "", [this.chip(state.new_id)]), make("td", "", state.pairs[0][2]),
    ]));
    this.$(".merges").replaceChildren(...(rows.length ? [head, ...rows.reverse()] : [none]));
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
    const pair = `${this.quote(left)} and ${this.quote(right)}`;
    const next = `${pair} stand side by side ${often}`;
    if (state.tied < 2) return `${next}, more often than any other pair: they become token ${state.new_id}.`;
    const wins = this.data.says_winner.replace("{pair}", `(${left}, ${right})`);
    return `${next}, and ${plural(state.tied - 1, "other pair")} just as often. A tie: ${wins} token ${state.new_id}.`;
  }

  destroy() { this.playback.destroy(); clearTimeout(this.telling); }
}
