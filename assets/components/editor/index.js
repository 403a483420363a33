// The playground's editor and panels. Python computes everything that is shown (reply.py says how
// the bytes lie); this script draws it and says what the person does. User text only ever becomes
// a text node, an attribute value or a textarea's value.

import { above, runningSum, toHex, utf8Length } from "../common/bytes.js";
import { colourOf, colourTokens, hueOf } from "../common/colours.js";
import { copyText, disable, make, number, plural, svgElement } from "../common/dom.js";
import { nameCharacter, quoteText, spellText, writeText } from "../common/spelling.js";
import { TREE, drawTree, placeTree, tellLookUp } from "../common/tree.js";

const CLEAN = 1, ONLY_HERE = 2, WALL = 4, SPECIAL = 8, LOOKS_SPECIAL = 16, BEGINS_BEFORE = 32, GOES_ON = 64; // as in reply.py
const CHUNK = 500; // UTF-16 units that are painted at once
const MAX_BYTES = 10 * 1024 * 1024; // as in files.py
const REPLY_SECONDS = 3; // after which a message counts as lost
const LIVE_MIRROR = 40000; // UTF-16 units up to which the editor grows with its text at each key

const utf8 = new TextDecoder();
const encoder = new TextEncoder();
const byteLength = (text) => encoder.encode(text).length;

// Bytes from Python -> header and typed arrays.
function unpack(bytes) {
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const header = JSON.parse(utf8.decode(bytes.subarray(4, 4 + headerLength)));
  const body = 4 + headerLength;
  const types = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array };
  const arrays = header.arrays.map(([kind, offset, length]) => {
    const Type = types[kind];
    const start = body + offset;
    return new Type(bytes.slice(start, start + length * Type.BYTES_PER_ELEMENT).buffer);
  });
  return { header, array: (index) => arrays[index] };
}

// The text that is drawn: where its graphemes are.
class Shown {
  constructor(text, clusters, start) {
    this.text = text;
    this.start = start; // the byte at which it begins in the whole text
    this.clusterStarts = new Uint32Array(clusters.length / 2);
    this.clusterLengths = new Uint16Array(clusters.length / 2);
    let at = 0;
    for (let i = 0; i < this.clusterStarts.length; i++) {
      this.clusterStarts[i] = at += clusters[2 * i];
      at += this.clusterLengths[i] = clusters[2 * i + 1];
    }
  }

  // Whether the character at this place belongs to a grapheme of several characters.
  isJoined(at) {
    const i = above(this.clusterStarts, at) - 1;
    return i >= 0 && at < this.clusterStarts[i] + this.clusterLengths[i];
  }

  write(element, start, end) { writeText(element, this.text.slice(start, end), (at) => this.isJoined(start + at)); }

  // The graphemes in UTF-16 [start, end): [start, end, bytes].
  *cells(start, end) {
    let next = above(this.clusterStarts, start - 1);
    for (let at = start; at < end;) {
      let length = this.text.codePointAt(at) > 0xffff ? 2 : 1;
      if (this.clusterStarts[next] === at) length = this.clusterLengths[next++];
      yield [at, at + length, utf8Length(this.text, at, at + length)];
      at += length;
    }
  }
}

// One encoding: its figures and its tokens.
class Panel {
  constructor(page, name) {
    this.page = page;
    this.name = name;
    this.root = make("section", "panel");
    this.root.dataset.encoding = name;
    this.root.setAttribute("aria-label", name);
    const head = make("div", "head");
    this.chooser = make("select");
    this.chooser.setAttribute("aria-label", `Encoding of this panel`);
    this.chooser.onchange = () => page.replaceEncoding(name, this.chooser.value);
    this.tools = {};
    const tool = (key, glyph, label, act) => {
      const button = (this.tools[key] = make("button", "tool", glyph));
      button.type = "button";
      button.title = label;
      button.setAttribute("aria-label", `${label}: ${name}`);
      button.onclick = act;
      return button;
    };
    head.append(
      this.chooser,
      tool("copy", "⧉", "Copy ids", () => this.copyIds()),
      tool("left", "‹", "Move left", () => page.moveEncoding(name, -1)),
      tool("right", "›", "Move right", () => page.moveEncoding(name, 1)),
      tool("remove", "×", "Remove", () => page.removeEncoding(name)),
    );
    this.figures = make("div", "figures");
    this.count = make("strong");
    this.detail = make("span");
    this.difference = make("span", "difference");
    this.joins = make("span", "joins");
    this.changed = make("span", "changed");
    this.changed.title = "Tokens that your last edit changed";
    this.figures.append(this.count, this.detail, this.difference, this.joins, this.changed);
    this.problem = make("div", "problem");
    this.tokens = make("div", "tokens");
    this.tokens.tabIndex = 0;
    this.tokens.setAttribute("role", "group");
    this.root.append(head, this.figures, this.problem, this.tokens);
    this.chunks = [];
    this.n = 0;
    this.cursor = -1;
    this.watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) this.paint(entry.target.chunk);
    }, { rootMargin: "300px" });
    this.listen();
  }

  listen() {
    const found = (event) => {
      const element = event.target.closest?.(".t, .lane");
      const chunk = element?.closest(".chunk")?.chunk;
      return chunk ? chunk.first + element.token : -1;
    };
    this.tokens.onpointermove = (event) => this.page.hover(this, found(event), event);
    this.tokens.onpointerleave = () => this.page.hover(this, -1);
    this.tokens.onclick = (event) => {
      const index = found(event);
      if (index >= 0) { this.cursor = index; this.page.togglePin(this, index); }
    };
    this.tokens.onkeydown = (event) => {
      const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10, Home: -Infinity, End: Infinity };
      if (event.key in steps && this.n && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        this.cursor = Math.max(0, Math.min(this.n - 1, this.cursor + steps[event.key]));
        this.reveal(this.cursor);
        this.page.hover(this, this.cursor);
        this.page.say(`Token ${number(this.first + this.cursor + 1)} of ${number(this.total)}: ${this.sayToken(this.cursor)}`);
      } else if ((event.key === "Enter" || event.key === " ") && this.cursor >= 0) {
        event.preventDefault();
        this.page.togglePin(this, this.cursor);
      } else if (event.key === "Escape") {
        this.page.unpin();
      }
    };
    this.tokens.onblur = () => this.page.hover(this, -1);
  }

  // New figures and tokens. What is painted already and unchanged stays as it is.
  update(info, reply, best, position, count) {
    const { header, array } = reply;
    this.root.style.setProperty("--e", hueOf(this.page.hueNumber(this.name)));
    this.fillChooser(header);
    this.tools.left.disabled = position === 0;
    this.tools.right.disabled = position === count - 1;
    this.problem.hidden = !info.problem && !info.walls_problem;
    this.problem.textContent = info.problem ?? info.walls_problem ?? "";
    this.figures.hidden = this.tokens.hidden = Boolean(info.problem);
    this.tools.copy.disabled = Boolean(info.problem) || Boolean(header.page);
    if (info.problem) { this.n = 0; this.chunks = []; this.tokens.replaceChildren(); return; }

    this.total = info.tokens;
    this.first = info.first;
    this.count.textContent = number(info.tokens);
    const each = (amount) => (info.tokens ? (amount / info.tokens).toFixed(2) : "–");
    this.detail.textContent = `token${info.tokens === 1 ? "" : "s"}` + (info.tokens ? ` · ${each(header.bytes)} bytes each` : "");
    this.detail.title = `${each(header.bytes)} bytes per token, ${each(header.chars)} characters per token`;
    const isBest = info.tokens === best;
    this.difference.className = "difference" + (isBest && count > 1 ? " best" : "");
    this.difference.textContent = count < 2 || !best ? "" : isBest ? "best" : `+${Math.round((info.tokens / best - 1) * 100)} %`;
    this.difference.title = isBest || !best ? "" : `${plural(info.tokens - best, "token")} more than the best`;

    const next = {
      ids: array(info.ids), lengths: array(info.byte_lengths), flags: array(info.flags),
      utf16: array(info.utf16_lengths ?? info.byte_lengths),
    };
    next.colours = colourTokens(next.ids);
    const drawnUnits = next.utf16.reduce((sum, length) => sum + length, 0);
    const joins = info.joins && drawnUnits === reply.shown.text.length;
    this.joins.className = "joins " + (joins ? "ok" : "wrong");
    this.joins.textContent = !info.tokens ? "" : `${each(header.chars)} characters each · ${joins ? "✓ exact" : "does not join"}`;
    this.joins.title = joins
      ? "Checked: these ids decode to your text, byte for byte, and what is drawn joins to it."
      : "What is drawn does not join to your text. Please report this text.";
    this.tokens.setAttribute("aria-label", `${this.name}: ${plural(info.tokens, "token")}. Arrow keys move, Enter pins.`);
    this.redraw(next, reply.shown);
  }

  fillChooser(header) {
    const options = header.available.filter(({ name }) => name === this.name || !header.settings.encodings.includes(name));
    const key = options.map(({ name }) => name).join();
    if (this.chooserKey !== key) {
      this.chooserKey = key;
      this.chooser.replaceChildren(...options.map(({ name }) => new Option(name, name, false, name === this.name)));
    }
    this.chooser.value = this.name;
  }

  redraw(next, shown) {
    const view = this.page.settings.view;
    const old = this.data;
    const oldN = this.n, n = next.ids.length;
    const same = (i, j) => old.ids[i] === next.ids[j] && old.flags[i] === next.flags[j] && old.colours[i] === next.colours[j]
      && old.lengths[i] === next.lengths[j];
    let prefix = 0, suffix = 0;
    if (old && this.view === view) {
      const most = Math.min(oldN, n);
      while (prefix < most && same(prefix, prefix)) prefix++;
      while (suffix < most - prefix && same(oldN - 1 - suffix, n - 1 - suffix)) suffix++;
    }
    const ripple = old && this.view === view && this.page.edited ? this.changedSince(old, next) : null;
    this.view = view;
    this.data = next;
    this.n = n;
    this.shown = shown;
    this.byteEnds = runningSum(next.lengths);
    this.unitEnds = next.utf16 === next.lengths ? this.byteEnds : runningSum(next.utf16);
    this.changed.textContent = ripple ? `${number(ripple[1] - ripple[0])} changed` : "";
    if (old && prefix === n && oldN === n) return;

    const kept = this.chunks.filter((chunk) => chunk.sealed && chunk.last < prefix);
    const headChunks = kept.length;
    const from = headChunks ? kept[headChunks - 1].last + 1 : 0;
    let tail = this.chunks.length;
    while (tail > headChunks && this.chunks[tail - 1].first > oldN - suffix) tail--;
    const shift = n - oldN;
    // The chunk before the tail must end in a line end, or the tail would seem to begin a line.
    if (tail < this.chunks.length && !this.chunks[tail - 1]?.sealed) tail = this.chunks.length;
    const tailChunks = this.chunks.slice(tail);
    for (const chunk of this.chunks.slice(headChunks, tail)) { this.watcher.unobserve(chunk.element); chunk.element.remove(); }
    for (const chunk of tailChunks) { chunk.first += shift; chunk.last += shift; }
    const to = tailChunks.length ? tailChunks[0].first : n;
    const fresh = this.cutChunks(from, to);
    const before = tailChunks[0]?.element ?? null;
    this.chunks = [...kept, ...fresh, ...tailChunks];
    for (const [order, chunk] of fresh.entries()) {
      chunk.element = make("div", "chunk");
      chunk.element.chunk = chunk;
      this.tokens.insertBefore(chunk.element, before);
      // Paint at once what is likely to be in view; the rest when it comes into view.
      if (order < 2 && (headChunks || order < 2)) this.paint(chunk);
      else {
        chunk.element.textContent = shown.text.slice(this.unitStart(chunk.first), this.unitEnds[chunk.last]);
        this.watcher.observe(chunk.element);
      }
    }
    if (this.cursor >= n) this.cursor = n - 1;
    if (ripple && ripple[1] - ripple[0] <= 400)
      for (let i = ripple[0]; i < ripple[1]; i++) for (const element of this.elementsOf(i)) element.classList.add("ripple");
  }

  // Which tokens an edit changed: [first, after) of the new ones.
  changedSince(old, next) {
    const [a, b] = [old.ids, next.ids];
    const most = Math.min(a.length, b.length);
    let start = 0, end = 0;
    while (start < most && a[start] === b[start]) start++;
    while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
    return [start, b.length - end];
  }

  unitStart(i) { return i ? this.unitEnds[i - 1] : 0; }
  byteStart(i) { return i ? this.byteEnds[i - 1] : 0; }

  // Tokens [from, to) in chunks that begin at grapheme edges and end, if they can, at line ends.
  cutChunks(from, to) {
    const { flags } = this.data;
    const chunks = [];
    let first = from;
    for (let i = from; i < to; i++) {
      const atEdge = i + 1 === this.n || flags[i + 1] & CLEAN;
      const length = this.unitEnds[i] - this.unitStart(first);
      const endsLine = this.shown.text.charCodeAt(this.unitEnds[i] - 1) === 10;
      if (i + 1 === to || (atEdge && ((length >= CHUNK && endsLine) || length >= 4 * CHUNK))) {
        chunks.push({ first, last: i, sealed: endsLine || length >= 4 * CHUNK, painted: false, elements: null });
        first = i + 1;
      }
    }
    return chunks;
  }

  paint(chunk) {
    if (chunk.painted) return;
    chunk.painted = true;
    this.watcher.unobserve(chunk.element);
    chunk.elements = Array.from({ length: chunk.last - chunk.first + 1 }, () => []);
    const { flags } = this.data;
    const box = document.createDocumentFragment();
    for (let i = chunk.first; i <= chunk.last;) {
      let after = i + 1;
      while (after <= chunk.last && !(flags[after] & CLEAN)) after++;
      if (this.view !== "text") for (; i < after; i++) this.drawPlate(chunk, i, box);
      else if (after === i + 1) this.drawChip(chunk, i, box);
      else this.drawSplit(chunk, i, after - 1, box);
      i = after;
    }
    chunk.element.replaceChildren(box);
    this.page.markPin(this, chunk);
  }

  element(chunk, i, tag, kind) {
    const flags = this.data.flags[i];
    const element = make(tag, `${kind} c${this.data.colours[i]}`
      + (flags & ONLY_HERE ? " only" : "") + (flags & WALL ? " wall" : "") + (flags & SPECIAL ? " special" : "")
      + (flags & LOOKS_SPECIAL ? " looks-special" : "") + (flags & BEGINS_BEFORE ? " before" : "") + (flags & GOES_ON ? " goes-on" : ""));
    element.token = i - chunk.first;
    chunk.elements[element.token].push(element);
    return element;
  }

  drawChip(chunk, i, box) {
    const chip = this.element(chunk, i, "s", "t");
    this.shown.write(chip, this.unitStart(i), this.unitEnds[i]);
    box.append(chip);
  }

  // A token as its id or its bytes; after a line end the next one starts a new line.
  drawPlate(chunk, i, box) {
    const plate = this.element(chunk, i, "s", "t");
    plate.textContent = this.view === "ids" ? this.data.ids[i] : this.hex(i);
    box.append(plate);
    if (this.shown.text.slice(this.unitStart(i), this.unitEnds[i]).includes("\n")) box.append(make("br"));
  }

  // Tokens [first, last] that split a grapheme: each grapheme once, its tokens as lanes under it.
  drawSplit(chunk, first, last, box) {
    let token = first;
    let at = this.byteStart(first);
    for (const [start, end, bytes] of this.shown.cells(this.unitStart(first), this.unitEnds[last])) {
      const cell = make("span", "cell");
      const glyph = make("span");
      this.shown.write(glyph, start, end);
      const lanes = make("span", "lanes");
      const stop = at + bytes;
      let count = 0;
      while (at < stop) {
        const until = Math.min(stop, this.byteEnds[token]);
        const lane = this.element(chunk, token, "s", "lane");
        lane.style.setProperty("--w", until - at);
        if (this.byteStart(token) !== at) lane.classList.remove("only", "wall");
        else if (!count) for (const name of ["only", "wall"]) if (lane.classList.contains(name)) cell.classList.add(name);
        lanes.append(lane);
        count++;
        at = until;
        if (at === this.byteEnds[token]) token++;
      }
      cell.style.setProperty("--lanes", count);
      cell.append(glyph, lanes);
      box.append(cell);
    }
  }

  bytes(i) {
    // The bytes of [start, end) of the text: from the characters around, since tokens can split one.
    const start = this.byteStart(i), end = this.byteEnds[i];
    const from = this.unitStart(i);
    const wide = this.shown.text.codePointAt(this.unitEnds[i]) > 0xffff ? 2 : 1;
    const raw = encoder.encode(this.shown.text.slice(from, this.unitEnds[i] + wide));
    const skip = start - this.byteOfUnit(i);
    return raw.subarray(skip, skip + end - start);
  }

  // The byte at which the character begins that token i begins in.
  byteOfUnit(i) {
    let j = i;
    while (j > 0 && this.data.utf16[j - 1] === 0) j--;
    // Token j - 1 (if any) has units, so some character ended in it; count back from its start.
    if (j === 0) return 0;
    let k = j - 1;
    while (k > 0 && !(this.data.flags[k] & CLEAN)) k--;
    return this.byteStart(k) + utf8Length(this.shown.text, this.unitStart(k), this.unitStart(i));
  }

  hex(i) { return toHex(this.bytes(i)); }

  // UTF-16 [start, end) of the characters in which token i has bytes.
  units(i) {
    const start = this.unitStart(i);
    let end = this.unitEnds[i];
    const whole = this.byteOfUnit(i) + utf8Length(this.shown.text, start, end);
    if (whole < this.byteEnds[i]) end += this.shown.text.codePointAt(end) > 0xffff ? 2 : 1;
    return [start, end];
  }

  sayToken(i) {
    const [start, end] = this.units(i);
    const text = spellText(this.shown.text.slice(start, end));
    const part = this.byteOfUnit(i) !== this.byteStart(i) || this.byteOfUnit(i) + utf8Length(this.shown.text, start, end) !== this.byteEnds[i];
    return `${part ? "part of " : ""}“${text}”, id ${this.data.ids[i]}, ${plural(this.data.lengths[i], "byte")}`;
  }

  chunkOf(i) { return this.chunks[above(this.chunks.map((chunk) => chunk.first), i) - 1]; }
  elementsOf(i) {
    const chunk = this.chunkOf(i);
    return chunk?.painted ? chunk.elements[i - chunk.first] : [];
  }

  // Tokens that share bytes with [start, end) of what is shown: [first, after).
  overlapping(start, end) {
    const first = above(this.byteEnds, start);
    let after = first;
    while (after < this.n && this.byteStart(after) < end) after++;
    return [first, after];
  }

  reveal(i) {
    const chunk = this.chunkOf(i);
    if (!chunk) return;
    this.paint(chunk);
    chunk.elements[i - chunk.first][0]?.scrollIntoView({ block: "nearest" });
  }

  async copyIds() {
    const done = await copyText(JSON.stringify(Array.from(this.data.ids)));
    this.page.flash(this.tools.copy, done ? "✓" : "✗", done ? `${plural(this.n, "id")} copied` : "Your browser did not allow copying");
  }

  destroy() { this.watcher.disconnect(); this.root.remove(); }
}

// The whole component: what the person set, what was sent, what came back.
export default class Editor {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.input = this.$(".input");
    this.panels = new Map();
    this.order = [];
    this.settings = null;
    this.revision = null;
    this.seq = 0;
    this.action = 0;
    this.pin = null;
    this.pageNumber = 0;
    this.sent = null; // the message that waits for its reply
    this.waiting = false; // whether there is news to send after that
    this.lit = [];
    this.carriage = null; // what stands for \r in the textarea, which cannot hold it
    this.acked = ""; // the text of the last reply
    this.texts = new Map(); // by the message that it was sent or known with
    this.received = -1;
    this.listen();
  }

  // From the editor's value to the text and back. A textarea turns \r into \n, so while a text has
  // carriage returns, a character that the text does not have stands for them.
  toText(value) { return this.carriage ? value.replaceAll(this.carriage, "\r") : value; }
  toValue(text) {
    this.carriage = null;
    for (let code = 0xe000; text.includes("\r") && !this.carriage && code < 0xf900; code++) {
      const char = code === 0xe000 ? "␍" : String.fromCharCode(code);
      if (!text.includes(char)) this.carriage = char;
    }
    return this.carriage ? text.replaceAll("\r", this.carriage) : text;
  }

  listen() {
    const { input } = this;
    input.addEventListener("input", () => {
      this.pageText = this.toText(input.value);
      this.lesson = null;
      if (this.pageText.length > this.liveBytes / 3 && byteLength(this.pageText) > this.liveBytes) {
        const text = this.pageText;
        this.setInput(this.acked);
        this.pageText = this.acked;
        return this.bringLong(text);
      }
      this.textChanged = true;
      this.mirror();
      this.clearLight();
      this.push();
    });
    input.addEventListener("scroll", () => this.drawMarks());
    input.addEventListener("paste", (event) => {
      // As every text field does: line ends of a clipboard are the system's, not the text's.
      const pasted = (event.clipboardData?.getData("text/plain") ?? "").replace(/\r\n?/g, "\n");
      if (input.readOnly) return this.refuse("A page of a long text is only shown. Choose “Edit this page alone” first, or go back.");
      const value = input.value.slice(0, input.selectionStart) + pasted + input.value.slice(input.selectionEnd);
      if (pasted.length > this.liveBytes / 3 && byteLength(value) > this.liveBytes) {
        event.preventDefault();
        this.bringLong(this.toText(value));
      }
    });
    const field = this.$(".field"), drop = this.$(".drop");
    let depth = 0;
    const hasFile = (event) => event.dataTransfer?.types.includes("Files");
    field.addEventListener("dragenter", (event) => { if (hasFile(event)) { event.preventDefault(); depth++; drop.hidden = false; field.classList.add("over"); } });
    field.addEventListener("dragover", (event) => { if (hasFile(event)) event.preventDefault(); });
    const leave = () => { depth = 0; drop.hidden = true; field.classList.remove("over"); };
    field.addEventListener("dragleave", () => { if (--depth <= 0) leave(); });
    field.addEventListener("drop", (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      leave();
      this.openFile(event.dataTransfer.files[0]);
    });
    // A file dropped beside the field must not make the browser leave the page.
    this.stayHere = (event) => { if (hasFile(event)) event.preventDefault(); };
    for (const type of ["dragover", "drop"]) window.addEventListener(type, this.stayHere);
    this.$(".guess-charset").addEventListener("change", (event) => this.act({ kind: "read_as", charset: event.target.value }));
    const chooser = this.$(".file");
    chooser.addEventListener("change", () => { this.openFile(chooser.files[0]); chooser.value = ""; });

    for (const button of this.root.querySelectorAll("[data-switch]"))
      button.onclick = () => this.set(button.dataset.switch, !this.settings[button.dataset.switch]);
    for (const group of this.root.querySelectorAll("[role=radiogroup]")) {
      const buttons = [...group.querySelectorAll("button")];
      const choose = (button) => { const key = button.dataset.view ? "view" : "size"; this.set(key, button.dataset[key]); button.focus(); };
      for (const [i, button] of buttons.entries()) {
        button.onclick = () => choose(button);
        button.onkeydown = (event) => {
          const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
          if (step) { event.preventDefault(); choose(buttons[(i + step + buttons.length) % buttons.length]); }
        };
      }
    }
    const go = (page) => { this.pageNumber = Math.max(0, Math.min(this.pageCount - 1, page)); this.push(); };
    const actions = {
      open: () => chooser.click(),
      link: (button) => this.copyLink(button),
      first: () => go(0), last: () => go(this.pageCount - 1),
      previous: () => go(this.pageNumber - 1), next: () => go(this.pageNumber + 1),
      "edit-page": () => this.act({ kind: "edit_page" }),
      back: () => this.act({ kind: "go_back" }),
    };
    for (const button of this.root.querySelectorAll("[data-do]")) button.onclick = () => actions[button.dataset.do](button);
    const pageNumber = this.$(".page-number");
    pageNumber.onchange = () => { const page = Math.round(Number(pageNumber.value)); if (page > 0) go(page - 1); };
    this.root.addEventListener("keydown", (event) => { if (event.key === "Escape" && this.pin) this.unpin(); });
  }

  // Talking to Python: one message under way at a time; the newest state goes next.

  push() {
    if (this.sent) { this.waiting = true; return; }
    const message = {
      seq: ++this.seq, revision: this.revision, ...this.settings, page: this.pageNumber, action: this.pending ?? null,
    };
    if (this.textChanged) message.text = this.pageText;
    if (this.pinChanged) message.pin = this.pin; // otherwise Python moves it along with the text
    this.texts.set(message.seq, this.pageText);
    this.sent = { message, seq: message.seq, text: this.pageText, hadText: this.textChanged, hadPin: this.pinChanged };
    this.textChanged = this.pinChanged = false;
    this.waiting = false;
    this.refusal = null;
    const size = (message.text?.length ?? 0) + (this.pending?.data?.length ?? this.pending?.text?.length ?? 0) + (this.totalBytes ?? 0);
    this.patience = 1000 * (REPLY_SECONDS + size / 200000);
    this.timer = setTimeout(() => this.lost(), this.patience);
    this.busy = setTimeout(() => this.$(".counts").classList.add("busy"), 400);
    this.sendMessage(message);
  }

  // No reply yet: ask again for the same, and wait twice as long. A late reply is as good as a new one.
  lost() {
    this.patience *= 2;
    this.timer = setTimeout(() => this.lost(), this.patience);
    this.sendMessage({ ...this.sent.message, again: this.patience });
  }

  act(action) {
    this.pending = { number: ++this.action, ...action };
    this.push();
  }

  set(key, value) {
    if (this.settings[key] === value) return;
    this.settings[key] = value;
    this.touched = true;
    this.applySettings();
    if (key === "view") for (const panel of this.panels.values()) if (panel.data) panel.redraw(panel.data, panel.shown);
    this.push();
  }

  bringLong(text) {
    const size = byteLength(text);
    if (size > MAX_BYTES) return this.refuse(`This text has ${(size / 1024 / 1024).toFixed(1)} MB, and Token Grove takes up to 10 MB at a time. Paste a part of it.`);
    this.act({ kind: "long_text", text });
  }

  openFile(file) {
    if (!file) return;
    if (file.size > MAX_BYTES) return this.refuse(`${file.name} has ${(file.size / 1024 / 1024).toFixed(1)} MB, and Token Grove takes up to 10 MB at a time. Choose a part of it.`);
    const reader = new FileReader();
    reader.onload = () => this.act({ kind: "file", name: file.name, data: reader.result.slice(reader.result.indexOf(",") + 1) });
    reader.onerror = () => this.refuse(`${file.name} could not be read. Is it a folder, or did it move?`);
    reader.readAsDataURL(file);
  }

  // Said at once and kept until the person does something else.
  refuse(text) {
    this.refusal = { text, error: true };
    this.showNotes([this.refusal]);
  }

  receive(data) {
    const reply = unpack(data);
    const { header } = reply;
    if (this.session && this.session !== header.session) return this.startOver(header);
    this.session = header.session;
    if (header.seq < this.received) return; // it has been overtaken
    this.received = header.seq;
    const overtaken = this.sent !== null && header.seq < this.sent.seq; // its answer is still to come
    if (!overtaken) {
      clearTimeout(this.timer);
      clearTimeout(this.busy);
      this.$(".counts").classList.remove("busy");
    }
    this.seq = Math.max(this.seq, header.seq);
    this.action = Math.max(this.action, header.action);
    if (this.pending && this.pending.number <= header.action) this.pending = null;
    const sent = this.sent;
    if (!overtaken) this.sent = null;
    this.liveBytes = header.live_bytes;
    this.totalBytes = header.bytes;
    const settled = !this.waiting && !overtaken;
    if (!this.settings || settled) { this.settings = { ...header.settings }; this.order = header.settings.encodings; }

    this.edited = Boolean(sent?.hadText) && header.text === undefined;
    let text = this.texts.get(header.seq) ?? this.acked;
    for (const seq of this.texts.keys()) if (seq < header.seq) this.texts.delete(seq);
    const pageKey = header.page ? `${header.revision}.${header.page.number}` : null;
    if (header.page) {
      text = header.page.text;
      if (this.pageKey !== pageKey) this.setInput(text);
      this.revision = header.revision;
    } else if (header.text !== undefined) {
      text = header.text;
      this.revision = header.revision;
      // What was typed while this was under way is newer than an older text of ours, but a text
      // that was asked for (a sample, a file, a link) is what the person wants to see.
      this.textChanged = false;
      this.setInput(text);
    } else if (this.revision !== header.revision) {
      this.revision = null; // a new mount of an old session: ask for the text
      return this.push();
    }
    if (this.pageKey !== pageKey) for (const panel of this.panels.values()) panel.tokens.scrollTop = 0;
    this.pageKey = pageKey;
    this.acked = text;
    this.pageCount = header.page?.count ?? 1;
    if (settled || this.pageCount <= this.pageNumber) this.pageNumber = header.page?.number ?? 0;
    this.header = header;
    reply.shown = new Shown(text, reply.array(header.clusters), header.page?.start ?? 0);
    this.shown = reply.shown;
    this.drawFrame(reply);
    this.drawPanels(reply);
    this.drawInspector(header.inspector);
    this.keepLink(header);
    if (this.waiting) this.push();
  }

  // The server was started anew, and knows nothing of this page: tell it what stands here.
  startOver(header) {
    clearTimeout(this.timer);
    this.session = header.session;
    this.sent = null;
    this.received = header.seq;
    this.seq = Math.max(this.seq, header.seq);
    this.action = header.action;
    this.revision = header.revision;
    this.liveBytes = header.live_bytes;
    if (this.header.page) this.refuse("The server was started anew, and the long text went with it. Open it again.");
    else this.textChanged = true;
    this.pageKey = null;
    this.settings.encodings = this.settings.encodings.filter((name) => header.available.some((known) => known.name === name));
    const refusal = this.refusal;
    this.push();
    this.refusal = refusal;
  }

  setInput(text) {
    const value = this.toValue(text);
    if (this.input.value !== value) {
      this.input.value = value;
      this.input.scrollTop = 0;
    }
    this.pageText = text;
    this.mirror();
  }

  // Samples go in as if typed, so that undo brings back what was there.
  insertSample(text, lesson) {
    this.touched = true;
    if (this.header.page) return this.act({ kind: "long_text", text });
    const { input } = this;
    input.focus();
    input.select();
    if (!document.execCommand("insertText", false, text)) {
      input.value = text;
      input.dispatchEvent(new Event("input"));
    }
    input.setSelectionRange(0, 0);
    input.scrollTop = 0;
    this.lesson = lesson;
    this.showNotes([{ text: lesson, error: false }]);
  }

  mirror() {
    const mirror = this.$(".mirror");
    clearTimeout(this.mirrorLater);
    const write = () => { this.mirrorNode ??= mirror.appendChild(document.createTextNode("")); this.mirrorNode.data = this.input.value + "\u200b"; };
    if (this.input.value.length <= LIVE_MIRROR) write();
    else this.mirrorLater = setTimeout(write, 300);
  }

  // Drawing

  applySettings() {
    const { settings, root } = this;
    root.dataset.size = settings.size;
    root.classList.toggle("show-space", settings.whitespace);
    root.classList.toggle("marks-only", settings.only_here);
    for (const view of ["text", "ids", "bytes"]) root.classList.toggle(`view-${view}`, settings.view === view);
    for (const button of root.querySelectorAll("[data-switch]")) button.setAttribute("aria-checked", settings[button.dataset.switch]);
    for (const key of ["view", "size"])
      for (const button of root.querySelectorAll(`button[data-${key}]`)) {
        const on = button.dataset[key] === settings[key];
        button.setAttribute("aria-checked", on);
        button.tabIndex = on ? 0 : -1;
      }
  }

  drawFrame({ header }) {
    this.applySettings();
    const { page } = header;
    const counts = this.$(".counts");
    const graphemes = header.graphemes !== undefined && header.graphemes !== header.chars ? ` · ${plural(header.graphemes, "grapheme")}` : "";
    counts.textContent = `${plural(header.bytes, "byte")} · ${plural(header.chars, "character")}${graphemes}`;
    this.input.readOnly = Boolean(page);
    this.root.classList.toggle("paged", Boolean(page));
    this.$(".pager").hidden = !page;
    this.$("[data-do=back]").hidden = !header.can_go_back;
    if (page) {
      this.$(".page-number").value = page.number + 1;
      this.$(".page-number").max = page.count;
      this.$(".page-count").textContent = number(page.count);
      this.$(".page-place").textContent = `bytes ${number(page.start)}–${number(page.end)} of ${number(header.bytes)}; the counts are of the whole text`;
      for (const [key, off] of [["first", page.number === 0], ["previous", page.number === 0], ["next", page.number === page.count - 1], ["last", page.number === page.count - 1]])
        disable(this.$(`[data-do=${key}]`), off, this.$(".page-number"));
    }
    const notes = [...(this.lesson ? [{ text: this.lesson, error: false }] : []), ...header.notes, ...(this.refusal ? [this.refusal] : [])];
    if (this.carriage && !page) notes.push({ text: `${this.carriage} in the editor stands for a carriage return (\\r).`, error: false });
    this.showNotes(notes);
    this.drawGuess(header.guessed);
    const samples = this.$(".samples");
    if (!samples.childElementCount)
      for (const { label, hint, text } of header.samples) {
        const button = make("button", "", label);
        button.type = "button";
        button.title = hint;
        button.onclick = () => this.insertSample(text, hint);
        samples.append(button);
      }
  }

  // Which character set a file is in that does not say so was guessed: here another one is chosen.
  drawGuess(guessed) {
    this.$(".guess").hidden = !guessed;
    const select = this.$(".guess-charset");
    if (!guessed) return;
    this.$(".guess-name").textContent = `Wrong letters? Read ${guessed.name} as`;
    if (!select.childElementCount)
      for (const [codec, name] of guessed.charsets) {
        const option = make("option", "", name);
        option.value = codec;
        select.append(option);
      }
    select.value = guessed.charset;
  }

  showNotes(notes) {
    this.$(".notes").replaceChildren(...notes.map(({ text, error }) => make("p", error ? "error" : "", text)));
  }

  // One strong hue for each encoding, the same on every page; Python says which.
  hueNumber(name) { return this.header.available.find((encoding) => encoding.name === name)?.hue ?? 0; }

  drawPanels(reply) {
    const { header } = reply;
    const box = this.$(".panels");
    const counted = header.panels.filter((info) => !info.problem);
    const best = counted.length ? Math.min(...counted.map((info) => info.tokens)) : 0;
    const names = new Set(header.panels.map((info) => info.name));
    for (const [name, panel] of this.panels) if (!names.has(name)) { panel.destroy(); this.panels.delete(name); }
    this.clearLight();
    for (const [position, info] of header.panels.entries()) {
      let panel = this.panels.get(info.name);
      if (!panel) this.panels.set(info.name, (panel = new Panel(this, info.name)));
      if (box.children[position] !== panel.root) box.insertBefore(panel.root, box.children[position] ?? null);
      panel.update(info, reply, best, position, header.panels.length);
    }
    this.drawAdd(header);
    this.markPins();
  }

  drawAdd(header) {
    const box = this.$(".add");
    const left = header.available.filter(({ name }) => !header.settings.encodings.includes(name));
    const key = left.map(({ name }) => name).join();
    box.hidden = !left.length;
    if (this.addKey === key) return;
    this.addKey = key;
    const chooser = make("select");
    chooser.setAttribute("aria-label", "Add an encoding");
    chooser.append(new Option("Add an encoding", ""), ...left.map(({ name, kind }) => new Option(`${name} (${kind})`, name)));
    chooser.onchange = () => { if (chooser.value) this.setEncodings([...this.order, chooser.value]); };
    box.querySelector("select")?.remove();
    box.append(chooser);
  }

  setEncodings(names) { this.order = names; this.set("encodings", names); }
  replaceEncoding(from, to) { this.setEncodings(this.order.map((name) => (name === from ? to : name))); }
  removeEncoding(name) {
    const at = this.order.indexOf(name);
    const names = this.order.filter((other) => other !== name);
    const next = this.panels.get(names[Math.min(at, names.length - 1)]);
    (next?.tools.remove ?? this.$(".add select"))?.focus(); // the button that was pressed goes away
    this.setEncodings(names);
  }
  moveEncoding(name, step) {
    const names = [...this.order];
    const at = names.indexOf(name);
    [names[at], names[at + step]] = [names[at + step], names[at]];
    this.setEncodings(names);
  }

  // Light and pin

  light(element, name) { element.classList.add(name); this.lit.push([element, name]); }
  clearLight() {
    for (const [element, name] of this.lit) element.classList.remove(name);
    this.lit = [];
    this.marked = null;
    this.drawMarks();
    this.$(".tip").hidden = true;
    this.hovered = null;
  }

  hover(panel, index, event) {
    const key = index < 0 ? null : `${panel.name} ${index}`;
    if (key && key === this.hovered) { if (event) this.placeTip(event); return; }
    if (!key && !this.hovered) return;
    this.clearLight();
    if (!key) return;
    this.hovered = key;
    const start = panel.byteStart(index), end = panel.byteEnds[index];
    for (const element of panel.elementsOf(index)) this.light(element, "lit");
    for (const other of this.panels.values()) {
      if (other === panel || !other.n) continue;
      const [first, after] = other.overlapping(start, end);
      for (let i = first; i < after; i++) for (const element of other.elementsOf(i)) this.light(element, "same");
    }
    this.marked = panel.units(index);
    this.drawMarks();
    const tip = this.$(".tip");
    const flags = panel.data.flags[index];
    tip.replaceChildren(make("b", "", panel.sayToken(index)), make("br"), `bytes ${panel.hex(index)}`);
    if (flags & SPECIAL) tip.append(make("br"), "a special token");
    else if (flags & LOOKS_SPECIAL) tip.append(make("br"), "plain text that spells a special token");
    if (flags & (BEGINS_BEFORE | GOES_ON)) tip.append(make("br"), "reaches over the edge of this page: this is its part here");
    if (event) this.placeTip(event);
    else {
      const box = panel.elementsOf(index)[0]?.getBoundingClientRect();
      if (box) this.placeTip({ clientX: box.left, clientY: box.bottom - 8 });
    }
  }

  placeTip({ clientX, clientY }) {
    const tip = this.$(".tip");
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const x = Math.max(4, Math.min(clientX + 12, window.innerWidth - width - 8));
    const below = clientY + 22;
    const y = below + height > window.innerHeight ? clientY - height - 14 : below;
    tip.style.left = `${x}px`;
    tip.style.top = `${y}px`;
    // A transformed ancestor would make "fixed" relative to itself: correct what came out.
    const got = tip.getBoundingClientRect();
    if (Math.abs(got.left - x) > 1 || Math.abs(got.top - y) > 1) {
      tip.style.left = `${2 * x - got.left}px`;
      tip.style.top = `${2 * y - got.top}px`;
    }
  }

  // The lit characters in the editor, by the places they have in its mirror.
  drawMarks() {
    const marks = this.$(".marks");
    if (!this.marked || !this.mirrorNode || this.mirrorNode.data.length !== this.input.value.length + 1) { marks.replaceChildren(); return; }
    if (this.toText(this.input.value) !== this.shown.text) { marks.replaceChildren(); return; }
    const range = document.createRange();
    range.setStart(this.mirrorNode, this.marked[0]);
    range.setEnd(this.mirrorNode, this.marked[1]);
    const mirror = this.$(".mirror");
    mirror.scrollTop = this.input.scrollTop;
    const base = this.$(".field").getBoundingClientRect();
    marks.replaceChildren(...[...range.getClientRects()].filter((box) => box.width > 0).map((box) => {
      const mark = make("i");
      mark.style.cssText = `left:${box.left - base.left - 1}px;top:${box.top - base.top - 2}px;width:${box.width}px;height:${box.height + 4}px`;
      return mark;
    }));
  }

  togglePin(panel, index) {
    const start = this.shown.start + panel.byteStart(index);
    if (this.pin && this.pin.encoding === panel.name && this.pin.start === start) return this.unpin();
    this.pin = { encoding: panel.name, start };
    this.pinChanged = true;
    this.markPins();
    this.push();
  }

  unpin() {
    this.pin = null;
    this.pinChanged = true;
    this.markPins();
    this.push();
  }

  markPins() {
    for (const panel of this.panels.values()) for (const chunk of panel.chunks) if (chunk.painted) this.markPin(panel, chunk);
  }

  markPin(panel, chunk) {
    for (const element of chunk.element.querySelectorAll(".pin, .pin-same")) element.classList.remove("pin", "pin-same");
    const source = this.pin && this.panels.get(this.pin.encoding);
    if (!source?.n || !this.shown) return;
    const start = this.pin.start - this.shown.start;
    const [token] = source.overlapping(start, start + 1);
    if (start < 0 || token >= source.n) return;
    const [first, after] = panel === source ? [token, token + 1] : panel.overlapping(source.byteStart(token), source.byteEnds[token]);
    for (let i = Math.max(first, chunk.first); i < Math.min(after, chunk.last + 1); i++)
      for (const element of chunk.elements[i - chunk.first]) element.classList.add(panel === source ? "pin" : "pin-same");
  }

  drawInspector(facts) {
    const box = this.$(".inspector");
    if (!this.pinChanged) this.pin = facts ? { encoding: facts.encoding, start: facts.start } : null;
    this.markPins();
    box.hidden = !facts;
    if (!facts) return;
    box.style.setProperty("--e", hueOf(this.hueNumber(facts.encoding)));
    const close = make("button", "tool close", "×");
    close.type = "button";
    close.setAttribute("aria-label", "Unpin");
    close.onclick = () => this.unpin();

    const first = make("div");
    const big = make("div", "big mono");
    const panel = this.panels.get(facts.encoding);
    const place = facts.start - this.shown.start;
    const [token] = place < 0 ? [-1] : panel.overlapping(place, place + 1);
    const colour = panel.data.colours[token] ?? colourOf(facts.token_id); // it may be on another page
    const chip = make("s", `t c${colour}${facts.special ? " special" : ""}`);
    const whole = facts.utf8 === "whole characters";
    if (whole) writeText(chip, facts.characters.map(([char]) => char).join("") + (facts.unlisted ? "…" : ""));
    else chip.textContent = facts.token_bytes;
    big.append(chip);
    first.append(make("h3", "", "Pinned token"), big, this.table([
      [`id in ${facts.encoding}`, number(facts.token_id).replaceAll(",", ""), "mono"],
      ["rank", facts.special ? "none: a special token" : facts.rank === null ? "none: a single byte" : String(facts.rank), facts.rank === null ? "" : "mono"],
      ["at bytes", `${number(facts.start)}–${number(facts.end)} of ${number(facts.n_bytes)}`],
      ["UTF-8", facts.utf8],
      ["piece", facts.special ? "none: a special token" : facts.piece === null ? "not known for this text" : quoteText(facts.piece), facts.piece === null ? "" : "mono"],
    ]));

    const bytes = this.table(facts.characters.map(([char, hex]) => [nameCharacter(char), hex, "mono", "mono"]));
    const byCharacter = make("details");
    byCharacter.append(make("summary", "", `${plural(facts.end - facts.start, "byte")}, by character${facts.unlisted ? ` (all but the last ${number(facts.unlisted)})` : ""}`), bytes);
    byCharacter.open = !whole || facts.characters.length === 1;
    first.append(byCharacter);
    const second = make("div");
    const grew = make("h3", "", "How it grew");
    second.append(grew);
    const view = make("div", "scroll grown");
    if (facts.tree) {
      const svg = svgElement("svg", { class: "tree", role: "img" });
      svg.setAttribute("aria-label", "Merge tree of the pinned token");
      const raw = Uint8Array.from(facts.token_bytes.split(" "), (pair) => parseInt(pair, 16));
      placeTree(facts.tree, raw);
      const height = facts.tree.height * TREE.rise + 34;
      drawTree(svg, facts.tree, 2, height - 16, `var(--t${colour})`);
      svg.setAttribute("viewBox", `0 0 ${facts.tree.span + 4} ${height}`);
      svg.setAttribute("width", facts.tree.span + 4);
      svg.setAttribute("height", height);
      view.append(svg, ...tellLookUp(facts.tree));
    } else view.append(make("p", "hint", facts.special ? "A special token: no merge makes it." : "A long token: its tree is under Merge trees."));
    const life = make("button", "button life", "Its biography");
    life.type = "button";
    life.title = "The token’s parents and children, its variants, its ids in every vocabulary";
    life.onclick = () => this.act({ kind: "biography", encoding: facts.encoding, id: facts.token_id });
    grew.append(life);
    second.append(view);

    const third = make("div", "why");
    third.append(make("h3", "", "Why is it cut here?"));
    for (const [place, sentence] of [["Before it", facts.why[0]], ["After it", facts.why[1]]]) {
      const line = make("p");
      line.append(make("b", "", `${place}. `), sentence ?? "Not worked out for a text this long.");
      third.append(line);
    }
    const others = make("p", "elsewhere");
    for (const other of facts.elsewhere) {
      const ids = other.covering.slice(0, 12).join(" ") + (other.covering.length > 12 ? " …" : "");
      const entry = make("span");
      const name = make("b", "", other.encoding);
      name.style.color = hueOf(this.hueNumber(other.encoding));
      entry.append(name, other.aligned ? " " : " inside ", make("span", "mono", ids));
      others.append(entry);
    }
    third.append(make("h3", "later", "The same bytes elsewhere, as ids"), facts.elsewhere.length ? others : make("p", "hint", "Add another encoding to compare."));
    const single = facts.elsewhere.filter((other) => other.token_id !== null && other.covering[0] !== other.token_id);
    for (const other of single) third.append(make("p", "hint", `${other.encoding} has a token for these bytes, ${other.token_id}, but does not use it here.`));

    box.replaceChildren(close, first, second, third);
  }

  table(rows) {
    const table = make("table");
    for (const [name, value, valueClass = "", nameClass = "", hue = ""] of rows) {
      const row = make("tr");
      const head = make("th", nameClass, name);
      if (hue) head.style.color = hue;
      row.append(head, make("td", valueClass, value));
      table.append(row);
    }
    return table;
  }

  // The address restores the page; it follows, quietly, what the person does.
  keepLink(header) {
    clearTimeout(this.linkLater);
    const pristine = header.seq === 0 || (!this.touched && header.is_welcome && header.seq < 2);
    if (pristine) return;
    this.linkLater = setTimeout(() => {
      const url = new URL(window.location.href);
      if (header.link) url.searchParams.set("s", header.link); else url.searchParams.delete("s");
      if (url.href !== window.location.href) window.history.replaceState(window.history.state, "", url);
    }, 600);
  }

  async copyLink(button) {
    const { header } = this;
    if (!header.link) {
      return this.refuse("This text is too long for a link, which holds about 6 KB compressed. Export the tokens instead, or link to a part of it.");
    }
    const url = new URL(window.location.href);
    url.searchParams.set("s", header.link);
    this.flash(button, (await copyText(url.href)) ? "Link copied" : "Copying was not allowed");
  }

  flash(button, text, title) {
    const [oldText, oldTitle] = [button.dataset.text ?? button.textContent, button.title];
    button.dataset.text = oldText;
    button.textContent = text;
    if (title) button.title = title;
    this.say(title ?? text);
    clearTimeout(button.later);
    button.later = setTimeout(() => { button.textContent = oldText; button.title = oldTitle; }, 1600);
  }

  say(text) { this.$(".spoken").textContent = text; }

  destroy() {
    for (const type of ["dragover", "drop"]) window.removeEventListener(type, this.stayHere);
    for (const timer of [this.timer, this.busy, this.linkLater, this.mirrorLater]) clearTimeout(timer);
    for (const panel of this.panels.values()) panel.destroy();
  }
}
