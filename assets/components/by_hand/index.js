// Replays a training merge by merge. Python sends every state (step_through) of the typed text; this shows
// one. A pair that the person picks is merged instead of the most frequent one.

import { fromHex } from "../common/bytes.js";
import { CarriageReturns } from "../common/carriage_returns.js";
import { colourOf } from "../common/colours.js";
import { make, number, plural, pluralWord } from "../common/dom.js";
import { Playback } from "../common/playback.js";
import { directionOf } from "../common/letters.js";
import { appendInOrder } from "../common/runs.js";
import { quote, textOf, writeToken } from "../common/spelling.js";

const PAUSE = 60; // milliseconds without a key, after which Python gets the text
const TELL_AFTER = 400; // milliseconds without a further step, after which Python is told

const SPACE = 32;
const utf8 = new TextDecoder();
const isPicked = ({ winner, pairs: [best] }) =>
  winner !== null && (winner[0] !== best[0] || winner[1] !== best[1]);

export default class ByHand {
  /** @type {import("../common/mount.js").Tell} */
  sendMessage;

  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.revision = null;
    this.statesOf = null;
    this.returns = new CarriageReturns();
    this.input = this.$(".input");
    this.input.oninput = () => this.tell({ picks: [], step: 0 }, PAUSE);
    this.$(".price button").onclick = () => this.tell({ picks: [], step: this.step });
    this.playback = new Playback(root, {
      show: (step, before, isLoaded) => this.show(step, before, isLoaded),
      pace: [250, 1100],
      total: 24,
      speeds: [0.25, 0.5, 1, 2, 4],
      keys: true,
    });
  }

  receive(data) {
    if (this.revision !== data.revision) {
      // the page changed the text
      clearTimeout(this.telling);
      this.input.value = this.returns.toValue(data.text);
      this.revision = data.revision;
    }
    this.$(".problem").textContent = data.problem ?? "";
    this.$(".problem").hidden = !data.problem;
    if (data.problem) return;
    const isFresh = this.statesOf !== data.states_of;
    // A message that waits is about the states before, unless a newer text is being typed.
    if (isFresh && this.returns.toText(this.input.value) === data.text) clearTimeout(this.telling);
    this.data = data;
    this.statesOf = data.states_of;
    this.root.dataset.ties = data.ties;
    this.root.dataset.walls = data.walls;
    this.tokens = new Map(Object.entries(data.tokens).map(([id, hex]) => [Number(id), fromHex(hex)]));
    if (isFresh) this.playback.load(data.states.length - 1, data.step);
  }

  // Tell Python how things stand, after so many milliseconds.
  tell(changes, delay = 0) {
    clearTimeout(this.telling);
    const text = this.returns.toText(this.input.value);
    const message = {
      text,
      picks: this.data?.picks ?? [],
      step: this.step,
      revision: this.revision,
      ...changes,
    };
    this.telling = setTimeout(() => this.sendMessage(message), delay);
  }

  // Merge this pair next, after the merges that are done.
  pick(pair) {
    const merged = this.data.states.slice(0, this.step).map(({ winner }) => winner);
    this.playback.pause();
    this.tell({ picks: [...merged, pair], step: this.step + 1 });
  }

  quote(id) {
    return quote(this.tokens.get(id));
  }

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
    this.$(".learned").textContent = this.step
      ? `256 bytes and ${plural(this.step, "merge")}`
      : "the 256 bytes";
    this.drawText(state, this.step === before + 1 ? 255 + this.step : null);
    this.drawBars(state);
    this.drawMerges();
    this.$(".say").textContent = [this.sentence(state), this.sayWalls()].join(" ");
    this.drawPrice(ids.length);
    if (!isLoaded) this.tell({}, TELL_AFTER);
  }

  drawText(state, freshId) {
    const box = this.$(".text");
    box.classList.toggle("walls", this.data.walls);
    const pieces = state.pieces.map((ids) => {
      const piece = make("span", "piece");
      let covered = false; // an occurrence takes two tokens; the next may not overlap it
      const tokens = ids.map((id, i) => {
        const word = make("b", "", [], { dir: "auto" });
        const isText = writeToken(word, this.tokens.get(id));
        const token = make("span", `tok c${colourOf(id)}`, [word, make("small", "", id)], {
          title: `${this.quote(id)}, id ${id}`,
        });
        token.classList.toggle("half", !isText);
        token.classList.toggle("fresh", id === freshId);
        const starts = !covered && state.winner && id === state.winner[0] && ids[i + 1] === state.winner[1];
        if (starts || covered) token.classList.add("next");
        covered = starts;
        return token;
      });
      const bytes = ids.map((id) => this.tokens.get(id));
      const text = utf8.decode(Uint8Array.from(bytes.flatMap((each) => [...each])));
      appendInOrder(
        piece,
        tokens,
        bytes.map((each) => textOf(each) ?? ""),
        directionOf(text),
      );
      return { piece, text };
    });
    box.replaceChildren();
    appendInOrder(
      box,
      pieces.map(({ piece }) => piece),
      pieces.map(({ text }) => text),
    );
    box.setAttribute(
      "aria-label",
      `The text as tokens: ${state.pieces
        .flat()
        .map((id) => this.quote(id))
        .join(" ")}`,
    );
  }

  drawBars(state) {
    const top = state.pairs[0]?.[2] ?? 1;
    const bars = state.pairs.map(([left, right, count], i) => {
      const wins = state.winner && left === state.winner[0] && right === state.winner[1];
      const pair = make("span", "pair", [this.chip(left), " ", this.chip(right)], {
        title: `Merge (${left}, ${right})`,
      });
      const fill = make("span", "fill");
      fill.style.width = `${(100 * count) / top}%`;
      let kind = "bar";
      let label = String(count);
      if (wins) {
        kind = "bar wins";
        label = `${count} → ${state.new_id}`;
      } else if (i < state.tied) {
        kind = "bar tied";
        label = `${count}, tied`;
      }
      return make("button", kind, [pair, fill, make("span", "n", label)], {
        type: "button",
        disabled: !state.winner,
        onclick: () => this.pick([left, right]),
      });
    });
    const rest = state.n_pairs - bars.length;
    if (rest > 0) bars.push(make("p", "more", `and ${plural(rest, "more pair")}, none more frequent`));
    if (!state.n_pairs)
      bars.push(make("p", "more", this.data.n_bytes ? "No pair is left." : "No text, no pairs."));
    this.$(".bars").replaceChildren(...bars);
  }

  drawMerges() {
    const head = make(
      "tr",
      "",
      ["new id", "pair", "token", "count"].map((title) => make("th", "", title)),
    );
    const none = make("tr", "", [make("td", "more", "None yet: every token is a single byte.")]);
    const rows = this.data.states
      .slice(0, this.step)
      .map((state, i) =>
        make("tr", i === this.step - 1 ? "now" : "", [
          make("td", "", state.new_id),
          make("td", "mono", `(${state.winner.join(", ")})`),
          make("td", "", [this.chip(state.new_id)]),
          make("td", "", state.count),
        ]),
      );
    this.$(".merges").replaceChildren(...(rows.length ? [head, ...rows.reverse()] : [none]));
  }

  sentence(state) {
    if (!this.data.n_bytes) return "Type a short text above.";
    if (!state.winner) {
      if (!state.n_pairs)
        return this.data.walls
          ? "Every piece is one token: no pair is left, because nothing merges across a wall. Training " +
              "stops here."
          : "The whole text is one token: no pair is left. Training stops here.";
      return "By hand shows no more merges than these.";
    }
    const next = this.often(state.winner, state.count);
    if (isPicked(state)) return `You picked: ${next}, and they become token ${state.new_id}.`;
    const [left, right] = state.winner;
    const wins = state.n_pairs === 1 ? "the only pair left" : "more often than any other pair";
    if (state.tied < 2) return `${next}, ${wins}: they become token ${state.new_id}.`;
    const rule = this.data.says_winner.replace("{pair}", `(${left}, ${right})`);
    return (
      `${next}, and ${plural(state.tied - 1, "other pair")} just as often. A tie: ${rule} token ` +
      `${state.new_id}.`
    );
  }

  often([left, right], count) {
    const times = { 1: "once", 2: "twice" }[count] ?? `${number(count)} times`;
    return `${this.quote(left)} and ${this.quote(right)} stand side by side ${times}`;
  }

  // Whether the newest token goes over a space, which walls would prevent.
  sayWalls() {
    const newest = this.step ? this.tokens.get(255 + this.step) : [];
    const crosses = !this.data.walls && newest.indexOf(SPACE) >= 0 && newest.some((byte) => byte !== SPACE);
    return crosses ? "Walls are off, so merges can cross spaces." : "";
  }

  // What the person's picks cost: the tokens that they leave, and those that the algorithm's merges leave.
  drawPrice(left) {
    const { states, best } = this.data;
    const picked = states.slice(0, this.step).filter(isPicked).at(-1);
    this.$(".price").hidden = !picked;
    if (!picked) return;
    const times = ([first, second], count) =>
      `${this.quote(first)} and ${this.quote(second)} (${number(count)} ×)`;
    const of = best[Math.min(this.step, best.length - 1)];
    const more = left - of;
    let price = "the same";
    if (more > 0) price = `${plural(more, "token")} more`;
    if (more < 0) price = `${plural(-more, "token")} fewer`;
    this.$(".price span").textContent =
      `You merged ${times(picked.winner, picked.count)}; the algorithm would have merged ` +
      `${times(picked.pairs[0], picked.pairs[0][2])}. ` +
      `After ${plural(this.step, "merge")}, your way leaves ${plural(left, "token")}, the algorithm’s ` +
      `${number(of)}: ${price}.`;
  }

  destroy() {
    this.playback.destroy();
    clearTimeout(this.telling);
  }
}
