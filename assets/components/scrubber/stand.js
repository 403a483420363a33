// One encoding of the scrubber: its cuts at each size, and the text drawn with them.

import { above, fromBase64 } from "../common/bytes.js";
import { colourOf } from "../common/colours.js";
import { tokenId } from "../common/curve.js";
import { make, number, pluralWord } from "../common/dom.js";
import { drawTogether } from "../common/draw_tokens.js";
import { DrawnText } from "../common/drawn_text.js";
import { textOf, writeText, writeToken } from "../common/spelling.js";
import { CLEAN, TextTokens } from "../common/text_tokens.js";

/**
 * A stretch of the text that is painted at once.
 * @typedef {object} StandChunk
 * @property {number} start its bytes
 * @property {number} end
 * @property {HTMLElement} element
 * @property {string} key of what is painted
 * @property {boolean} seen whether it is in view
 * @property {Uint32Array} sizes at which it changes
 */
/** @typedef {HTMLElement & {chunk: StandChunk}} ChunkElement */

const CHUNK = 320; // bytes, at least, that are painted at once
const LONGEST_NEWEST = 24; // UTF-16 units of the newest token

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Stand {
  constructor(page, data) {
    this.page = page;
    const { bytes, clusters } = data.bytes ? data : page.data; // of the text as this encoding reads it
    this.bytes = fromBase64(bytes);
    this.drawn = new DrawnText(decoder.decode(this.bytes), clusters, 0);
    this.placeBytes();
    this.name = data.title;
    this.full = data.full ?? 0;
    const head = make("header", "", [make("h3", "", data.title)]);
    this.root = make("section", "stand", [head], { "data-encoding": data.name });
    this.root.style.setProperty("--e", data.hue);
    if (data.problem) {
      this.root.append(make("div", "problem", data.problem));
      return;
    }
    this.count = make("strong", "count");
    this.ratio = make("strong", "ratio");
    this.countWord = make("span");
    this.size = make("span", "size");
    this.newest = make("div", "newest");
    const figures = [
      make("span", "", [this.count, " ", this.countWord]),
      make("span", "", [this.ratio, " bytes per token"]),
    ];
    head.append(make("div", "figures", figures), this.size, this.newest);
    this.text = make("div", "text mono", "", {
      tabIndex: 0,
      role: "region",
      "aria-label": `The text in ${data.title}`,
    });
    this.root.append(this.text);
    this.gone = new Uint32Array(fromBase64(data.gone).buffer);
    this.byteIds = data.byte_ids;
    this.firstId = data.first_id;
    this.sizes = this.gone
      .subarray(1, this.bytes.length)
      .filter((size) => size <= this.full)
      .sort();
    this.watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const { chunk } = /** @type {ChunkElement} */ (target);
          chunk.seen = isIntersecting;
          if (isIntersecting) this.paint(chunk);
        }
      },
      { root: this.text, rootMargin: "120px" },
    );
    this.makeChunks();
  }

  // For each byte, the UTF-16 unit at which its character begins, and whether a grapheme does.
  placeBytes() {
    const { bytes, drawn } = this;
    const n = bytes.length;
    this.units = new Uint32Array(n + 1);
    for (let i = 0; i < n; i++) {
      this.units[i + 1] = this.units[i];
      if (!drawn.splitsCharacter(i + 1)) this.units[i + 1] += bytes[i - 3] >= 0xf0 ? 2 : 1;
    }
    this.edges = new Uint8Array(n + 1).fill(1, n);
    let at = 0;
    for (const [, , length] of drawn.cells(0, drawn.text.length)) {
      this.edges[at] = 1;
      at += length;
    }
  }

  // Stretches between cuts that are there at every size, so that no token ever reaches over their ends.
  makeChunks() {
    const { bytes, edges } = this;
    let start = 0;
    for (let at = 1; at <= bytes.length; at++) {
      const may = at === bytes.length || (this.gone[at] > this.full && edges[at] && at - start >= CHUNK);
      if (!may) continue;
      const element = make("span", "chunk", decoder.decode(bytes.subarray(start, at)));
      const sizes = this.gone
        .subarray(start + 1, at)
        .filter((size) => size <= this.full)
        .sort();
      element.chunk = { start, end: at, element, key: "", seen: false, sizes };
      this.text.append(element);
      this.watcher.observe(element);
      start = at;
    }
  }

  countAt(size) {
    return this.bytes.length - above(this.sizes, size);
  }

  show() {
    if (!this.gone) return;
    const size = Math.min(this.page.size, this.full);
    const count = this.countAt(size);
    const n = this.bytes.length;
    this.count.textContent = number(count);
    this.countWord.textContent = pluralWord(count, "token");
    this.ratio.textContent = count ? (n / count).toFixed(2) : "–";
    this.size.textContent =
      this.page.size > this.full
        ? `It has no more than ${number(this.full)}`
        : `${number(size)} of ${number(this.full)} tokens`;
    const before = above(this.sizes, size);
    this.latest = before ? this.sizes[before - 1] : 0;
    this.showNewest(size);
  }

  paintSeen() {
    if (this.gone)
      for (const element of this.text.children) if (element.chunk.seen) this.paint(element.chunk);
  }

  // The token that the last merge in this text has made.
  showNewest(size) {
    this.newest.replaceChildren();
    if (!this.latest) {
      this.newest.append("Every byte is a token.");
      return;
    }
    const at = this.gone.indexOf(this.latest, 1);
    let times = 0;
    for (let i = at; i < this.bytes.length; i++) if (this.gone[i] === this.latest) times++;
    let start = at;
    let end = at;
    while (this.gone[start] <= size) start--;
    while (this.gone[end] <= size) end++;
    const { bytes: all } = this;
    const bytes = all.subarray(start, end);
    const chip = make(
      "s",
      `t mono c${colourOf(tokenId(all, this.gone, this.byteIds, this.firstId, start, end))}`,
    );
    const text = textOf(bytes);
    if (text === null || text.length <= LONGEST_NEWEST) writeToken(chip, bytes);
    else writeText(chip, text.slice(0, LONGEST_NEWEST - 1) + "…");
    this.newest.append(
      "Newest here: ",
      chip,
      ` from ${number(this.latest)}${times > 1 ? `, ${number(times)} times` : ""}`,
    );
  }

  /** @param {StandChunk} chunk */
  paint(chunk) {
    const size = Math.min(this.page.size, this.full);
    const idOf = (start, end) => tokenId(this.bytes, this.gone, this.byteIds, this.firstId, start, end);
    let last = -1;
    if (chunk.start) {
      // the neighbour to the left, in another chunk
      let start = chunk.start - 1;
      while (start > 0 && this.gone[start] <= size) start--;
      last = colourOf(idOf(start, chunk.start));
    }
    const has = chunk.sizes.includes(this.latest);
    const key = `${above(chunk.sizes, size)}:${has ? this.latest : 0}:${last}`;
    if (key === chunk.key) return;
    chunk.key = key;
    const ids = [];
    const lengths = [];
    const flags = [];
    const units = [];
    const ends = [];
    for (let start = chunk.start, at = start + 1; at <= chunk.end; at++) {
      if (this.gone[at] <= size) continue; // no cut
      ids.push(idOf(start, at));
      lengths.push(at - start);
      units.push(this.units[at] - this.units[start]);
      flags.push(this.edges[start] ? CLEAN : 0);
      ends.push(at);
      start = at;
    }
    const tokens = new TextTokens({ ids, byte_lengths: lengths, utf16_lengths: units, flags }, this.drawn, {
      byte: chunk.start,
      unit: this.units[chunk.start],
      colour: last,
    });
    const isFresh = (i) => has && this.gone.subarray(tokens.byteStart(i) + 1, ends[i]).includes(this.latest);
    const makeElement = (i, tag, kind) =>
      make(tag, `${kind} c${tokens.colours[i]}${isFresh(i) ? " fresh" : ""}`);
    const box = document.createDocumentFragment();
    for (let i = 0, next; i < tokens.n; i = next) {
      for (next = i + 1; next < tokens.n && !tokens.opens(next);) next++;
      drawTogether(box, tokens, i, next - 1, makeElement);
    }
    chunk.element.replaceChildren(box);
  }

  destroy() {
    this.watcher?.disconnect();
  }
}
