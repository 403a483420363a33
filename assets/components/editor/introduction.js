// Above the comparison, at a first visit: scenes that show how letters become numbers, and what for
// (introduction.py). One is in view; a swipe, an arrow key or a button scrolls to the next.

import { fromBase64, toHex } from "../common/bytes.js";
import { drawChips } from "../common/chips.js";
import { tokenId } from "../common/curve.js";
import { clamp, hasModifier, make, number, percent, plural } from "../common/dom.js";
import { BROWSER, read, write } from "../common/tab.js";

/**
 * @typedef {[number, string, string]} Chip id, bytes in hex, classes
 * @typedef {{shown: string, count: number, tokens: Chip[]}} Side shown: the text, or its name
 * @typedef {{name: string, sentence: string, moves: string[], sides: Side[]}} Pair
 * @typedef {object} Row of the tiny model, for the last token of a text
 * @property {string} token
 * @property {number} id
 * @property {number} n_vocab
 * @property {number[]} counts
 * @property {[string, number][]} next tokens, and how likely each is
 * @typedef {{bytes: string, gone: string, byte_ids: number[]}} Line
 * @typedef {{line: Line, model: Row[], pairs: Pair[]}} Scenes
 */

const SEEN = "token-grove-introduction"; // in the browser, from the first visit on
const OPEN = "token-grove-introduction-open"; // in the tab, until it is closed

/**
 * The tokens of a line at a vocabulary size.
 * @param {Uint8Array} bytes
 * @param {Uint32Array} gone see curve.js
 * @param {number[]} byteIds
 * @param {number} size
 * @returns {Chip[]}
 */
function cutAt(bytes, gone, byteIds, size) {
  /** @type {Chip[]} */
  const tokens = [];
  let start = 0;
  for (let end = 1; end <= bytes.length; end++) {
    if (gone[end] <= size) continue; // no cut
    tokens.push([tokenId(bytes, gone, byteIds, 0, start, end), toHex(bytes.subarray(start, end)), ""]);
    start = end;
  }
  return tokens;
}

function drawTokens(box, { tokens, count }) {
  box.replaceChildren();
  drawChips(box, tokens, count);
}

// A token's text, with a number below it.
const drawBlock = (kind, words, below) =>
  make("span", `token ${kind}`, [make("b", "mono", words), make("small", "mono", below)]);

export class Introduction {
  /**
   * @param root of the editor
   */
  constructor(root) {
    this.$ = (selector) => root.querySelector(selector);
    this.box = this.$(".introduction");
    this.strip = this.$(".scenes");
    this.opener = this.$("[data-do=introduce]");
    /** @type {{name: string, sentence: HTMLElement, element: HTMLElement}[]} */
    this.scenes = [];
    this.at = 0;
    this.opener.onclick = () => this.show(this.box.hidden);
    this.$("[data-do=fold]").onclick = () => this.fold();
    this.$("[data-do=scene-back]").onclick = () => this.go(this.at - 1);
    this.$("[data-do=scene-next]").onclick = () =>
      this.at < this.scenes.length - 1 ? this.go(this.at + 1) : this.fold();
    this.strip.onscroll = () => {
      const at = Math.round(this.strip.scrollLeft / this.strip.clientWidth);
      if (at !== this.at) this.tell(at);
    };
    this.box.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step || hasModifier(event) || event.target.type === "range") return;
      event.preventDefault();
      this.go(this.at + step);
    };
  }

  /**
   * @param {Scenes} data
   * @param {boolean} isWelcome whether the person has seen nothing else yet
   */
  receive({ line, model, pairs }, isWelcome) {
    this.opener.hidden = false;
    if (!this.scenes.length) {
      this.addScene("Letters to words", this.$(".first-sentence"), this.$(".scene"));
      this.drawModel(model);
      for (const pair of pairs) this.drawPair(pair);
      this.tell(0);
      if (isWelcome && (read(OPEN) || !read(SEEN, BROWSER))) this.show(true);
    }
    if (line.bytes !== this.drawn) this.cutLine(line);
    this.drawn = line.bytes;
  }

  show(isShown) {
    this.box.hidden = !isShown;
    this.opener.setAttribute("aria-expanded", isShown);
    write(OPEN, isShown);
    if (isShown) write(SEEN, true, BROWSER);
    this.go(0);
  }

  fold() {
    this.show(false);
    this.opener.focus();
  }

  go(at) {
    const to = clamp(at, 0, this.scenes.length - 1);
    this.strip.scrollTo({ left: to * this.strip.clientWidth });
    this.tell(to);
  }

  // Say which scene is in view.
  tell(at) {
    this.at = at;
    for (const [place, { sentence, element }] of this.scenes.entries()) {
      sentence.classList.toggle("shown", place === at);
      element.inert = place !== at;
    }
    this.$("[data-do=scene-back]").disabled = at === 0;
    this.$(".scene-number").textContent = `${at + 1} of ${this.scenes.length}`;
    this.$("[data-do=scene-next]").textContent = `${this.scenes[at + 1]?.name ?? "Now compare"} ›`;
  }

  /**
   * @param {string} name
   * @param {HTMLElement} sentence what it shows, in the place of the editor's first one
   * @param {HTMLElement} element
   */
  addScene(name, sentence, element) {
    this.scenes.push({ name, sentence, element });
    if (!element.isConnected) this.strip.append(element);
    if (!sentence.isConnected) this.$(".lead").append(sentence);
  }

  // The first scene: the slider's places are the vocabulary sizes at which a cut of the line goes.
  /** @param {Line} line */
  cutLine(line) {
    const slider = this.$(".scene .slider");
    const bytes = fromBase64(line.bytes);
    const gone = new Uint32Array(fromBase64(line.gone).buffer);
    const [never] = gone; // the size that no vocabulary has
    const inner = gone.subarray(1, bytes.length).filter((size) => size < never);
    const sizes = [...new Set(inner.sort())];
    const draw = () => {
      const size = sizes[slider.value - 1] ?? 0;
      const tokens = cutAt(bytes, gone, line.byte_ids, size);
      drawTokens(this.$(".scene .chips"), { tokens, count: tokens.length });
      this.$(".scene .count").textContent = plural(tokens.length, "number");
      slider.setAttribute("aria-valuetext", plural(tokens.length, "token"));
    };
    slider.max = sizes.length;
    slider.value = sizes.length;
    slider.oninput = draw;
    draw();
  }

  /** @param {Row[]} rows after no answer, one, … */
  drawModel(rows) {
    const chips = make("div", "chips prediction");
    const move = make("button", "button", "", { type: "button" });
    const draw = (answers) => {
      const { id, token, n_vocab, counts, next } = rows[answers];
      const said = rows.slice(0, answers + 1).map((row) => drawBlock("", row.token, row.id));
      const candidates = next.map(([piece, share]) => drawBlock("likely", piece, percent(share)));
      chips.replaceChildren(
        ...said,
        make("span", "soft", "→"),
        make("span", "vector mono", [...counts, "…"].join("  "), {
          title:
            `Row ${number(id)} of its table: how often each of ${number(n_vocab)} tokens followed ` +
            `“${token}”`,
        }),
        make("span", "soft", "→"),
        ...candidates,
      );
      const isOver = answers === rows.length - 1;
      move.textContent = isOver ? "Again" : `Choose “${next[0][0]}”`;
      move.onclick = () => {
        draw(isOver ? 0 : answers + 1);
        chips.scrollLeft = isOver ? 0 : chips.scrollWidth; // on a phone, what is new is beyond the edge
      };
    };
    draw(0);
    const says = make(
      "span",
      "soft",
      "A tiny model that has read two stories. In GPT-2, a row has 768 numbers, and many layers work on " +
        "them.",
    );
    this.addScene(
      "What happens to the numbers?",
      make(
        "span",
        "sentence",
        "Each number picks a row of a table. The row says what may come next, and how likely it is.",
      ),
      make("div", "scene", [chips, make("div", "move", [move, says])]),
    );
  }

  /** @param {Pair} pair */
  drawPair({ name, sentence, moves, sides }) {
    const whole = make("span", "original");
    const chips = make("div", "chips");
    const move = make("button", "button", "", { type: "button" });
    const count = make("b", "count");
    const draw = (side) => {
      whole.textContent = sides[side].shown;
      drawTokens(chips, sides[side]);
      move.textContent = moves[side];
      count.textContent = plural(sides[side].count, "number");
      move.onclick = () => draw(1 - side);
    };
    draw(0);
    this.addScene(
      name,
      make("span", "sentence", sentence),
      make("div", "scene", [
        make("div", "told", [whole, make("span", "soft", "→"), chips]),
        make("div", "move", [move, count]),
      ]),
    );
  }
}
