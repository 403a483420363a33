// One encoding of the scrubber: its cuts at each size, and the text drawn with them.

import { above, fromBase64 } from "../common/bytes.js";
import { drawCell, isBare, isRightToLeft } from "../common/cells.js";
import { colourBeside, colourOf } from "../common/colours.js";
import { make, number, pluralWord } from "../common/dom.js";
import { textOf, writeText, writeToken } from "../common/spelling.js";

const CHUNK = 320; // bytes, at least, that are painted at once
const LONGEST_NEWEST = 24; // UTF-16 units of the newest token

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

// The id of the token [start, end) of a text. A vocabulary of size V has the ids below V, so a
// token's id follows from the size at which its last inner cut goes. The ids of single bytes come from Python.
export function tokenId(bytes, gone, byteIds, firstId, start, end) {
  let size = 0;
  for (let at = start + 1; at < end; at++) size = Math.max(size, gone[at]);
  return size ? size - 1 + firstId : byteIds[bytes[start]];
}

export class Stand {
  constructor(page, data) {
    this.page = page;
    this.bytes = data.bytes ? fromBase64(data.bytes) : page.bytes; // of the text as this encoding reads it
    this.edges = data.edges ? fromBase64(data.edges) : page.edges;
    this.name = data.name;
    this.full = data.full ?? 0;
    const head = make("header", "", [make("h3", "", data.name)]);
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
    const figures = [make("span", "", [this.count, " ", this.countWord]), make("span", "", [this.ratio, " bytes per token"])];
    head.append(make("div", "figures", figures), this.size, this.newest);
    this.text = make("div", "text mono", "", { tabIndex: 0, role: "region", "aria-label": `The text in ${data.name}` });
    this.root.append(this.text);
    this.gone = new Uint32Array(fromBase64(data.gone).buffer);
    this.byteIds = data.byte_ids;
    this.firstId = data.first_id;
    this.sizes = this.gone.subarray(1, this.bytes.length).filter((size) => size <= this.full).sort();
    this.watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        entry.target.chunk.seen = entry.isIntersecting;
        if (entry.isIntersecting) this.paint(entry.target.chunk);
      }
    }, { root: this.text, rootMargin: "120px" });
    this.makeChunks();
  }

  // Stretches between cuts that are there at every size, so that no token ever reaches over their ends.
  makeChunks() {
    const { bytes, edges } = this;
    let start = 0;
    for (let at = 1; at <= bytes.length; at++) {
      const may = at === bytes.length || (this.gone[at] > this.full && edges[at] && at - start >= CHUNK);
      if (!may) continue;
      const element = make("span", "chunk", decoder.decode(bytes.subarray(start, at)));
      const sizes = this.gone.subarray(start + 1, at).filter((size) => size <= this.full).sort();
      element.chunk = { start, end: at, element, key: "", seen: false, sizes };
      this.text.append(element);
      this.watcher.observe(element);
      start = at;
    }
  }

  countAt(size) { return this.bytes.length - above(this.sizes, size); }

  show() {
    if (!this.gone) return;
    const size = Math.min(this.page.size, this.full);
    const count = this.countAt(size), n = this.bytes.length;
    this.count.textContent = number(count);
    this.countWord.textContent = pluralWord(count, "token");
    this.ratio.textContent = count ? (n / count).toFixed(2) : "–";
    this.size.textContent = this.page.size > this.full ? `It has no more than ${number(this.full)}` :
      `${number(size)} of ${number(this.full)} tokens`;
    const before = above(this.sizes, size);
    this.latest = before ? this.sizes[before - 1] : 0;
    this.showNewest(size);
  }

  paintSeen() {
    if (this.gone) for (const element of this.text.children) if (element.chunk.seen) this.paint(element.chunk);
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
    let start = at, end = at;
    while (this.gone[start] <= size) start--;
    while (this.gone[end] <= size) end++;
    const { bytes: all } = this;
    const bytes = all.subarray(start, end);
    const chip = make("s", `t mono c${colourOf(tokenId(all, this.gone, this.byteIds, this.firstId, start, end))}`);
    const text = textOf(bytes);
    if (text === null || text.length <= LONGEST_NEWEST) writeToken(chip, bytes);
    else writeText(chip, text.slice(0, LONGEST_NEWEST - 1) + "…");
    this.newest.append("Newest here: ", chip, ` from ${number(this.latest)}${times > 1 ? `, ${number(times)} times` : ""}`);
  }

  paint(chunk) {
    const size = Math.min(this.page.size, this.full);
    const { bytes, edges } = this;
    const idOf = (start, end) => tokenId(bytes, this.gone, this.byteIds, this.firstId, start, end);
    let last = -1;
    if (chunk.start) { // the neighbour to the left, in another chunk
      let start = chunk.start - 1;
      while (start > 0 && this.gone[start] <= size) start--;
      last = colourOf(idOf(start, chunk.start));
    }
    const has = chunk.sizes.includes(this.latest);
    const key = `${above(chunk.sizes, size)}:${has ? this.latest : 0}:${last}`;
    if (key === chunk.key) return;
    chunk.key = key;
    const colour = (start, end) => (last = colourBeside(idOf(start, end), last));
    const drawn = document.createDocumentFragment();
    const isFresh = (start, end) => {
      if (has) for (let i = start + 1; i < end; i++) if (this.gone[i] === this.latest) return true;
      return false;
    };
    for (let at = chunk.start; at < chunk.end;) {
      // Tokens up to the first cut that is also a grapheme's edge: one, or those that split a grapheme.
      const tokens = [];
      let start = at;
      for (at++; ; at++) {
        if (this.gone[at] <= size) continue;
        tokens.push([start, at]);
        start = at;
        if (edges[at]) break;
      }
      if (tokens.length === 1) {
        const [from, to] = tokens[0];
        const chip = make("s", `t c${colour(from, to)}${isFresh(from, to) ? " fresh" : ""}`);
        this.write(chip, from, to);
        const text = chip.textContent;
        if (isBare(text)) chip.classList.add("bare");
        if (isRightToLeft(text)) chip.classList.add("rtl");
        drawn.append(chip);
      } else this.drawSplit(drawn, tokens, colour, isFresh);
    }
    chunk.element.replaceChildren(drawn);
  }

  // Text between two graphemes' edges; joiners inside a grapheme get no glyph.
  write(element, start, end) {
    const { bytes, edges } = this;
    let plain = true;
    for (let i = start; i < end && plain; i++) plain = bytes[i] < 0x80;
    if (plain) return writeText(element, decoder.decode(bytes.subarray(start, end)));
    for (let at = start; at < end;) {
      let until = at + 1;
      while (!edges[until]) until++;
      const text = decoder.decode(bytes.subarray(at, until));
      writeText(element, text, () => [...text].length > 1);
      at = until;
    }
  }

  // Tokens that split graphemes: each grapheme once, its tokens as lanes under it.
  drawSplit(box, tokens, colour, isFresh) {
    const { bytes, edges } = this;
    const colours = tokens.map(([start, end]) => colour(start, end));
    const end = tokens.at(-1)[1];
    let token = 0;
    for (let at = tokens[0][0]; at < end;) {
      let until = at + 1;
      while (!edges[until]) until++;
      while (token > 0 && tokens[token][0] > at) token--;
      const lanes = [];
      for (; token < tokens.length && tokens[token][0] < until; token++) {
        const [from, to] = tokens[token];
        const lane = make("s", `lane c${colours[token]}${isFresh(from, to) ? " fresh" : ""}`);
        lane.style.setProperty("--w", Math.min(to, until) - Math.max(from, at));
        lanes.push(lane);
      }
      token = Math.max(0, token - 1);
      const [start, stop] = [at, until];
      drawCell(box, decoder.decode(bytes.subarray(start, stop)), (glyph) => this.write(glyph, start, stop), lanes, []);
      at = until;
    }
  }

  destroy() { this.watcher?.disconnect(); }
}
