// A text in aligned rows: graphemes, code points, units, tokens. A column is a byte of UTF-8, which is the measure that
// all of them share. Python says what is where (rows.py); a person's text is only ever written as text.

import { fromHex, toHex } from "../common/bytes.js";
import { CarriageReturns } from "../common/carriage_returns.js";
import { isRightToLeft } from "../common/cells.js";
import { colourTokens, hueOf } from "../common/colours.js";
import { clamp, make, number, plural, pluralWord } from "../common/dom.js";
import { quote, quoteText, spellText, writeText, writeToken } from "../common/spelling.js";

const PAUSE = 60; // milliseconds without a key, after which Python is told
const SHARED = { // scripts whose names say nothing by themselves
  Common: "Common: used with several scripts",
  Inherited: "Inherited: of the script of the character before it",
};
const FIRST_COLUMN = 2; // the first one holds the row's name

export default class Unicode {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.grid = this.$(".rows");
    this.input = this.$(".input");
    this.returns = new CarriageReturns();
    this.revision = null;
    this.seq = 0;
    this.boxes = [];
    this.listen();
  }

  listen() {
    this.input.addEventListener("input", () => {
      clearTimeout(this.telling);
      this.telling = setTimeout(() => this.tell({ text: this.returns.toText(this.input.value) }), PAUSE);
    });
    for (const button of this.root.querySelectorAll("[data-go]"))
      button.addEventListener("click", () => this.tell({ part: clamp(this.data.part + Number(button.dataset.go), 0, this.data.n_parts - 1) }));
    const boxOf = (event) => this.byElement.get(event.target.closest?.(".box"));
    this.grid.addEventListener("pointerover", (event) => this.light(boxOf(event) ?? this.focused));
    this.grid.addEventListener("pointerleave", () => this.light(this.focused));
    this.grid.addEventListener("focusin", (event) => {
      const box = boxOf(event);
      if (!box) return;
      this.makeCurrent(box);
      this.focused = box;
      this.light(box);
    });
    this.grid.addEventListener("click", (event) => boxOf(event)?.element.focus());
    this.grid.addEventListener("keydown", (event) => this.move(event));
  }

  tell(message) {
    this.sendMessage({ ...message, seq: ++this.seq, revision: this.revision });
  }

  receive(data) {
    const isGiven = this.revision !== data.revision; // by Python, not by what is typed here
    if (!isGiven && data.seq < this.seq) return; // an answer to what was typed before
    this.data = data;
    if (isGiven) {
      clearTimeout(this.telling);
      this.input.value = this.returns.toValue(data.text);
      this.revision = data.revision;
    }
    this.seq = Math.max(this.seq, data.seq);
    this.drawFigures();
    this.drawParts();
    this.drawRows();
  }

  drawFigures() {
    const { counts, encodings, note } = this.data;
    const figure = (count, word, hue) => {
      const item = make("span", hue === undefined ? "" : "tokens");
      if (hue !== undefined) item.style.setProperty("--hue", hueOf(hue));
      item.append(make("strong", "", number(count)), ` ${word}`);
      return item;
    };
    this.$(".figures").replaceChildren(
      figure(counts.graphemes, pluralWord(counts.graphemes, "grapheme")),
      figure(counts.code_points, pluralWord(counts.code_points, "code point")),
      figure(counts.utf8, "bytes of UTF-8"), figure(counts.utf16, "units of UTF-16"), figure(counts.utf32, "units of UTF-32"),
      ...encodings.filter(({ problem }) => !problem).map(({ name, hue, n_tokens }) => figure(n_tokens, `${pluralWord(n_tokens, "token")} in ${name}`, hue)),
    );
    this.$(".note").hidden = !note;
    this.$(".note").textContent = note;
  }

  drawParts() {
    const { part, n_parts, start, end, counts } = this.data;
    this.$(".parts").hidden = n_parts < 2;
    this.$(".at").textContent = `Part ${number(part + 1)} of ${number(n_parts)}: bytes ${number(start)} to ${number(end)} of ${number(counts.utf8)}`;
    for (const button of this.root.querySelectorAll("[data-go]"))
      button.disabled = Number(button.dataset.go) < 0 ? part === 0 : part === n_parts - 1;
  }

  drawRows() {
    const { data, grid } = this;
    const kept = grid.contains(grid.getRootNode().activeElement) ? this.focused : null;
    this.boxes = []; // of each row
    this.byElement = new Map();
    this.focused = null;
    grid.style.setProperty("--n", data.end - data.start);
    if (data.start === data.end) {
      grid.replaceChildren();
      this.$(".detail").replaceChildren();
      this.$(".rtl-note").hidden = true;
      return;
    }
    const isMarked = data.points.some((point) => point.kind || point.mixed);
    const four = (kind) => data.points.flatMap((point) => this.units(point, kind));
    grid.replaceChildren(
      this.row("Graphemes", "what you see", data.graphemes.map((one) => this.graphemeBox(one))),
      this.row("Code points", "U+…", data.points.map((point) => this.pointBox(point))),
      this.row("Category", "", data.points.map((point) => this.categoryBox(point))),
      this.row("Script", "", data.points.map((point) => ({ ...this.wordsBox(point, point.script), title: SHARED[point.script] ?? point.script }))),
      this.row("Block", "of Unicode’s list", data.points.map((point) => this.wordsBox(point, point.block, "two"))),
      ...(isMarked ? [this.row("Look out", "", data.points.filter(({ kind, mixed }) => kind || mixed).map((point) => this.warnBox(point)))] : []),
      this.row("UTF-8", "bytes", four("utf8"), "section"),
      this.row("UTF-16", "units of 2 bytes", four("utf16")),
      this.row("UTF-32", "units of 4 bytes", four("utf32")),
      ...data.encodings.map((encoding, i) => this.encodingRow(encoding, i === 0)),
    );
    this.$(".rtl-note").hidden = !isRightToLeft(data.points.map(({ char }) => char).join(""));
    const first = this.boxes[0][0];
    const again = kept && this.boxAt(Math.min(kept.row, this.boxes.length - 1), kept.start);
    this.makeCurrent(again ?? first);
    if (again) again.element.focus({ preventScroll: true });
    else this.light(null);
  }

  row(title, hint, boxes, className = "") {
    const row = make("div", `row ${className}`);
    row.setAttribute("role", "row");
    const head = make("div", "head", title);
    head.setAttribute("role", "rowheader");
    if (hint) head.append(make("small", "", hint));
    row.append(head);
    const edges = new Set(this.data.graphemes.map(({ end }) => end));
    boxes.sort((one, other) => one.start - other.start);
    for (const box of boxes) {
      const { element, start, end } = box;
      box.row = this.boxes.length;
      element.style.gridColumn = `${start - this.data.start + FIRST_COLUMN} / ${end - this.data.start + FIRST_COLUMN}`;
      element.classList.toggle("edge", edges.has(end));
      element.setAttribute("role", "gridcell");
      element.tabIndex = -1;
      element.title = box.title ?? box.lines()[0];
      this.byElement.set(element, box);
      row.append(element);
    }
    this.boxes.push(boxes);
    return row;
  }

  graphemeBox({ start, end, text }) {
    const element = make("div", "box grapheme");
    element.append(this.glyph(text));
    const points = this.data.points.filter((point) => start <= point.start && point.end <= end);
    const marks = points.filter(({ category }) => category === "Mn").length;
    element.classList.toggle("stack", marks > 1);
    element.style.setProperty("--marks", Math.max(0, marks - 1));
    return { element, start, end, lines: () => [
      `Grapheme ${quoteText(text)}: ${plural(points.length, "code point")}, ${plural(end - start, "byte")}`,
      points.map((point) => `${point.number} ${point.name}`).join(" + "),
    ] };
  }

  // Joiners and the like inside a grapheme do their work there.
  glyph(text) {
    const glyph = make("span", "glyph alone");
    if (/^\p{M}/u.test(text)) glyph.classList.add("bare");
    const several = [...text].length > 1;
    writeText(glyph, text, () => several);
    return glyph;
  }

  pointBox(point) {
    const element = make("div", "box point");
    element.append(this.glyph(point.char), make("small", "mono", point.number.slice(2)));
    return { element, start: point.start, end: point.end, lines: () => this.pointLines(point) };
  }

  pointLines(point) {
    const sentences = [
      `${point.number} ${point.name}, ${spellText(point.char)}`,
      `Category ${point.category}, ${point.category_words} · script ${point.script} · block ${point.block} · UTF-8 ${point.utf8.join(" ")} · UTF-16 ${point.utf16.join(" ")} · UTF-32 ${point.utf32}`,
    ];
    if (point.kind) sentences.push(`A ${point.kind}. ${this.data.kinds[point.kind]}`.replace(/^A (i|o)/, "An $1"));
    if (point.like) sentences.push(`Looks like ${[...point.like].map((char) => `“${char}”`).join(", ")}, and is another character${point.mixed ? `: this word mixes ${point.mixed}.` : "."}`);
    return sentences;
  }

  // Unicode's two letters, and above them what the first of them says.
  categoryBox(point) {
    const box = this.wordsBox(point, point.category_words.split(",")[0]);
    box.element.append(make("br"), make("small", "mono", point.category));
    return { ...box, title: `${point.category}: ${point.category_words}` };
  }

  wordsBox(point, words, lines = "") {
    const element = make("div", `box words ${lines}`);
    element.append(make("span", "", words));
    return { element, start: point.start, end: point.end, lines: () => this.pointLines(point) };
  }

  warnBox(point) {
    const element = make("div", "box warn", point.kind || `like ${[...point.like].join(" ")}`);
    return { element, start: point.start, end: point.end, lines: () => this.pointLines(point) };
  }

  // The units of a code point share its bytes' columns evenly.
  units(point, kind) {
    const units = kind === "utf32" ? [point.utf32] : point[kind];
    const width = (point.end - point.start) / units.length;
    return units.map((unit, i) => {
      const start = point.start + i * width;
      const element = make("div", "box mono four", unit.length > 4 && width < 2 ? `${unit.slice(0, 4)} ${unit.slice(4)}` : unit);
      const which = units.length === 1 ? "" : `, ${i + 1} of ${units.length}`;
      const name = kind === "utf8" ? `Byte ${unit}, number ${number(start)} of the text` : `Unit ${unit} of UTF-${kind.slice(3)}`;
      const half = kind === "utf16" && units.length === 2 ? `, ${i ? "the second" : "the first"} half of a surrogate pair` : "";
      return { element, start, end: start + width, lines: () => [`${name}${which} of ${point.number} ${point.name}${half}`, this.pointLines(point)[1]] };
    });
  }

  encodingRow(encoding, isFirst) {
    const { data } = this;
    const className = `encoding ${isFirst ? "section" : ""}`;
    const tokens = encoding.tokens ?? [];
    const colours = colourTokens(tokens.map(({ id }) => id ?? 0));
    const graphemeEdges = new Set(data.graphemes.flatMap(({ start, end }) => [start, end]));
    const boxes = tokens.map((token, i) => {
      const start = Math.max(token.start, data.start), end = Math.min(token.end, data.end);
      if (token.id === null) {
        const element = make("div", "box gap", "no token");
        return { element, start, end, lines: () => [`${encoding.name}: no token covers this`] };
      }
      const element = make("div", `box token c${colours[i]}`);
      const isSplit = token.start >= data.start && !graphemeEdges.has(token.start);
      element.classList.toggle("split", isSplit);
      const bytes = fromHex(token.bytes);
      const glyph = make("span", "glyph mono");
      if (!writeToken(glyph, bytes)) glyph.classList.add("hex");
      const more = token.more.length ? ` +${token.more.length}` : "";
      element.append(glyph, make("small", "mono", `${token.id}${more}`));
      const lines = () => {
        const sentences = [
          `${encoding.name}: token ${token.id}, ${quote(bytes)}${token.unknown ? ", which stands for what is unknown" : ""}`,
          `Bytes ${number(token.start)} to ${number(token.end)} of the text: ${plural(token.end - token.start, "byte")} (${toHex(bytes)})`,
        ];
        if (isSplit) sentences.push("It begins inside a grapheme: what you see as one symbol is cut here.");
        if (more) sentences.push(`At the same place: ${plural(token.more.length, "token")} more, ${token.more.join(", ")}.`);
        if (token.start < data.start || token.end > data.end) sentences.push("It reaches into the next or the last part.");
        return sentences;
      };
      return { element, start, end, lines };
    });
    const row = this.row(encoding.name, encoding.problem ? "" : plural(encoding.n_tokens, "token"), boxes, className);
    row.style.setProperty("--hue", hueOf(encoding.hue));
    if (encoding.problem) {
      const cell = make("div", "problem");
      cell.setAttribute("role", "gridcell");
      cell.append(make("span", "", encoding.problem));
      row.append(cell);
    }
    return row;
  }

  boxAt(row, at) {
    const boxes = this.boxes[row];
    return boxes.find(({ start, end }) => start <= at && at < end) ?? boxes.find(({ start }) => start >= at) ?? boxes.at(-1);
  }

  // One box is in the tab order; the arrows lead to the others.
  makeCurrent(box) {
    if (this.current) this.current.element.tabIndex = -1;
    this.current = box;
    box.element.tabIndex = 0;
  }

  move(event) {
    const { current } = this;
    if (!current || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = this.boxes[current.row], at = row.indexOf(current);
    const beyond = (step) => {
      let next = current.row + step;
      while (this.boxes[next] && !this.boxes[next].length) next += step;
      return this.boxes[next] && this.boxAt(next, current.start);
    };
    const goal = {
      ArrowRight: () => row[at + 1], ArrowLeft: () => row[at - 1], ArrowDown: () => beyond(1), ArrowUp: () => beyond(-1),
      Home: () => row[0], End: () => row.at(-1),
    }[event.key];
    if (!goal) return;
    event.preventDefault();
    const box = goal();
    if (!box) return;
    box.element.focus({ preventScroll: true });
    this.reveal(box);
  }

  // Scrolls the rows alone, so far that the box is beside the rows' names, not under them.
  reveal({ element }) {
    const outer = this.grid.getBoundingClientRect(), inner = element.getBoundingClientRect();
    const left = this.grid.querySelector(".head").getBoundingClientRect().right;
    if (inner.left < left) this.grid.scrollLeft -= left - inner.left;
    else if (inner.right > outer.right) this.grid.scrollLeft += Math.min(inner.right - outer.right, inner.left - left);
  }

  // The same bytes in all rows, and what is known of the box.
  light(box) {
    for (const row of this.boxes)
      for (const { element, start, end } of row) element.classList.toggle("hot", Boolean(box) && start < box.end && box.start < end);
    const lines = box ? box.lines() : ["Point at a box, or choose one and move on with the arrow keys: the same bytes light up in all rows."];
    this.$(".detail").replaceChildren(...lines.map((line) => make("p", "", line)));
  }

  destroy() { clearTimeout(this.telling); }
}
