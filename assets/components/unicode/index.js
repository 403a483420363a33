// Draws a text in aligned rows: graphemes, code points, units, tokens. A column is a byte of UTF-8. The data
// is that of pages/explore/unicode/sections.py; user text only becomes text nodes.

import { fromHex, toHex } from "../common/bytes.js";
import { CarriageReturns } from "../common/carriage_returns.js";
import { isBare, isRightToLeft, isolate } from "../common/letters.js";
import { colourTokens } from "../common/colours.js";
import { make, number, plural, pluralWord } from "../common/dom.js";
import { quote, quoteText, spellAlone, writeText, writeToken } from "../common/spelling.js";

const PAUSE = 60; // milliseconds without a key, after which the page gets the text
const HINT = "Point at a box to see the same bytes in all rows, or choose one and move with the arrow keys.";
// Scripts whose names say nothing by themselves.
const SHARED = {
  Common: "Common: used with several scripts",
  Inherited: "Inherited: of the script of the character before it",
};
const FIRST_COLUMN = 2; // the first one holds the row's name

export default class Unicode {
  /** @type {import("../common/mount.js").Tell} */
  sendMessage;

  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.grid = this.$(".rows");
    this.input = this.$(".input");
    this.returns = new CarriageReturns();
    this.revision = null;
    this.input.addEventListener("input", () => {
      clearTimeout(this.pause);
      this.pause = setTimeout(() => this.show(0), PAUSE);
    });
    for (const button of this.steps())
      button.addEventListener("click", () => this.show(this.data.part + Number(button.dataset.go)));
    const boxOf = (event) => event.target.closest(".box")?.box;
    this.grid.addEventListener("pointerover", (event) => this.light(boxOf(event) ?? this.focused));
    this.grid.addEventListener("pointerleave", () => this.light(this.focused));
    this.grid.addEventListener("focusin", (event) => this.focus(boxOf(event)));
    this.grid.addEventListener("click", (event) => boxOf(event)?.element.focus());
    this.grid.addEventListener("keydown", (event) => this.move(event));
  }

  steps() {
    return this.root.querySelectorAll("[data-go]");
  }

  // Ask the page for a part of the text.
  show(part) {
    this.sendMessage({ text: this.returns.toText(this.input.value), part, revision: this.revision });
  }

  receive(data) {
    if (this.revision !== data.revision) {
      // the page changed the text
      clearTimeout(this.pause);
      this.input.value = this.returns.toValue(data.text);
      this.revision = data.revision;
    }
    const drawn = JSON.stringify(data);
    if (drawn === this.drawn) return; // the focus stays where it is
    this.drawn = drawn;
    this.data = data;
    this.drawCounts();
    this.drawPart();
    this.drawRows();
  }

  drawCounts() {
    const { counts, encodings, note } = this.data;
    const count = (n, words, hue) => {
      const item = make("span", hue === undefined ? "" : "tokens", [
        make("strong", "", number(n)),
        ` ${words}`,
      ]);
      item.style.setProperty("--hue", hue ?? "");
      return item;
    };
    this.$(".counts").replaceChildren(
      count(counts.graphemes, pluralWord(counts.graphemes, "grapheme")),
      count(counts.code_points, pluralWord(counts.code_points, "code point")),
      count(counts.utf8, "bytes of UTF-8"),
      count(counts.utf16, "units of UTF-16"),
      count(counts.utf32, "units of UTF-32"),
      ...encodings
        .filter(({ problem }) => !problem)
        .map(({ model, hue, n_tokens }) =>
          count(n_tokens, `${pluralWord(n_tokens, "token")} in ${model}`, hue),
        ),
    );
    this.$(".note").hidden = !note;
    this.$(".note").textContent = note;
  }

  drawPart() {
    const { part, n_parts, start, end, counts } = this.data;
    this.$(".parts").hidden = n_parts < 2;
    this.$(".at").textContent =
      `Part ${number(part + 1)} of ${number(n_parts)}: bytes ${number(start)} to ${number(end)} of ` +
      `${number(counts.utf8)}`;
    const [back, on] = this.steps();
    back.disabled = part === 0;
    on.disabled = part === n_parts - 1;
  }

  drawRows() {
    const { points, graphemes, encodings, start, end } = this.data;
    this.boxes = []; // of each row that has some
    this.focused = null;
    this.grid.style.setProperty("--n", end - start);
    this.graphemeEdges = new Set(graphemes.map((grapheme) => grapheme.end));
    for (const point of points) point.lines = this.pointLines(point);
    const marked = points.filter(({ kind, mixed }) => kind || mixed);
    const row = (title, hint, className, draw, titleOf, of = points) =>
      this.row(
        title,
        hint,
        of.map((point) => this.box(point, className, draw(point), point.lines, titleOf?.(point))),
      );
    const words = (text) => [make("span", "", text)];
    const mono = (text) => make("small", "mono", text);
    const rows = [
      this.row(
        "Graphemes",
        "what you see",
        graphemes.map((grapheme) => this.graphemeBox(grapheme)),
      ),
      row("Code points", "U+…", "point", ({ char, code }) => [this.glyph(char), mono(code.slice(2))]),
      row(
        "Category",
        "",
        "words",
        ({ category, category_words: text }) => [...words(text.split(",")[0]), make("br"), mono(category)],
        ({ category, category_words: text }) => `${category}: ${text}`,
      ),
      row(
        "Script",
        "",
        "words",
        ({ script }) => words(script),
        ({ script }) => SHARED[script] ?? script,
      ),
      row("Block", "of Unicode’s list", "words two", ({ block }) => words(block)),
      ...(marked.length
        ? [
            row(
              "Look out",
              "",
              "warn",
              ({ kind, like }) => [kind || `like ${[...like].join(" ")}`],
              null,
              marked,
            ),
          ]
        : []),
      this.row(
        "UTF-8",
        "bytes",
        points.flatMap((point) => this.unitBoxes(point, "utf8")),
        "section",
      ),
      this.row(
        "UTF-16",
        "units of 2 bytes",
        points.flatMap((point) => this.unitBoxes(point, "utf16")),
      ),
      this.row(
        "UTF-32",
        "units of 4 bytes",
        points.flatMap((point) => this.unitBoxes(point, "utf32")),
      ),
      ...encodings.map((encoding, i) => this.encodingRow(encoding, i === 0)),
    ];
    this.grid.replaceChildren(...(points.length ? rows : []));
    this.$(".rtl-note").hidden = !isRightToLeft(points.map(({ char }) => char).join(""));
    this.current = this.boxes[0]?.[0];
    if (this.current) this.current.element.tabIndex = 0;
    this.light(null);
  }

  row(title, hint, boxes, className = "") {
    for (const box of boxes) box.row = this.boxes.length;
    if (boxes.length) this.boxes.push(boxes);
    const head = make("div", "head", hint ? [title, make("small", "", hint)] : title, { role: "rowheader" });
    return make("div", `row ${className}`, [head, ...boxes.map(({ element }) => element)], { role: "row" });
  }

  // A box over bytes of the text; `lines` describe it when it is chosen.
  box({ start, end }, className, content, lines, title = lines[0]) {
    const edge = this.graphemeEdges.has(end) ? "edge" : "";
    const element = make("div", `box ${className} ${edge}`, content, {
      role: "gridcell",
      tabIndex: -1,
      title,
    });
    element.style.gridColumn = [start, end].map((at) => at - this.data.start + FIRST_COLUMN).join(" / ");
    return (element.box = { element, start, end, lines });
  }

  graphemeBox(grapheme) {
    const { start, end, text } = grapheme;
    const points = this.data.points.filter((point) => start <= point.start && point.end <= end);
    const n_marks = points.filter(({ category }) => category === "Mn").length;
    const box = this.box(
      grapheme,
      `grapheme ${n_marks > 1 ? "stack" : ""}`,
      [this.glyph(text)],
      [
        `Grapheme ${quoteText(text)}: ${plural(points.length, "code point")}, ${plural(end - start, "byte")}`,
        points.map(({ code, name }) => `${code} ${name}`).join(" + "),
      ],
    );
    box.element.style.setProperty("--marks", Math.max(0, n_marks - 1));
    return box;
  }

  // Joiners and the like inside a grapheme do their work there.
  glyph(text) {
    const glyph = make("span", "glyph alone");
    glyph.classList.toggle("bare", isBare(text));
    const isLong = [...text].length > 1;
    writeText(glyph, text, () => isLong);
    return glyph;
  }

  pointLines(point) {
    const lines = [
      `${point.code} ${point.name}, ${isolate(spellAlone(point.char))}`,
      `Category ${point.category}, ${point.category_words} · script ${point.script} · block ${point.block} ` +
        `· UTF-8 ${point.utf8.join(" ")} · UTF-16 ${point.utf16.join(" ")} · UTF-32 ${point.utf32}`,
    ];
    if (point.kind)
      lines.push(`A ${point.kind}. ${this.data.kinds[point.kind]}`.replace(/^A (i|o)/, "An $1"));
    if (point.like) {
      lines.push(
        `Looks like ${[...point.like].map((char) => `“${isolate(char)}”`).join(", ")}, and is another ` +
          `character${point.mixed ? `: this word mixes ${point.mixed}.` : "."}`,
      );
    }
    return lines;
  }

  // The units of a code point share its bytes' columns evenly.
  unitBoxes(point, encoding) {
    const units = point[encoding];
    const width = (point.end - point.start) / units.length;
    return units.map((unit, i) => {
      const start = point.start + i * width;
      const name =
        encoding === "utf8"
          ? `Byte ${unit}, number ${number(start)} of the text`
          : `Unit ${unit} of UTF-${encoding.slice(3)}`;
      const which = units.length === 1 ? "" : `, ${i + 1} of ${units.length}`;
      const half =
        encoding === "utf16" && units.length === 2
          ? `, ${i ? "the second" : "the first"} half of a surrogate pair`
          : "";
      const text = unit.length > 4 && width < 2 ? `${unit.slice(0, 4)} ${unit.slice(4)}` : unit;
      return this.box(
        { start, end: start + width },
        "mono four",
        [text],
        [`${name}${which} of ${point.code} ${point.name}${half}`, point.lines[1]],
      );
    });
  }

  encodingRow(encoding, isFirst) {
    const tokens = encoding.tokens ?? [];
    const colours = colourTokens(tokens.map(({ id }) => id ?? 0));
    const boxes = tokens.map((token, i) => this.tokenBox(encoding.model, token, colours[i]));
    const row = this.row(
      encoding.model,
      encoding.problem ? "" : plural(encoding.n_tokens, "token"),
      boxes,
      `encoding ${isFirst ? "section" : ""}`,
    );
    row.style.setProperty("--hue", encoding.hue);
    if (encoding.problem)
      row.append(make("div", "problem", [make("span", "", encoding.problem)], { role: "gridcell" }));
    return row;
  }

  tokenBox(name, token, colour) {
    const { start, end } = this.data;
    const place = { start: Math.max(token.start, start), end: Math.min(token.end, end) };
    if (token.id === null) return this.box(place, "gap", ["no token"], [`${name}: no token covers this`]);
    const bytes = fromHex(token.bytes);
    const { more } = token;
    const lines = [
      `${name}: token ${token.id}, ` +
        `${quote(bytes)}${token.unknown ? ", which stands for what is unknown" : ""}`,
      `Bytes ${number(token.start)} to ${number(token.end)} of the text: ` +
        `${plural(token.end - token.start, "byte")} (${toHex(bytes)})`,
    ];
    const isSplit = token.start > start && !this.graphemeEdges.has(token.start);
    if (isSplit) lines.push("It begins inside a grapheme: one symbol is cut here.");
    if (more.length)
      lines.push(`At the same place: ${plural(more.length, "token")} more, ${more.join(", ")}.`);
    if (token.start < start || token.end > end) lines.push("It continues in another part.");
    const glyph = make("span", "glyph mono");
    glyph.classList.toggle("hex", !writeToken(glyph, bytes));
    const id = make("small", "mono", `${token.id}${more.length ? ` +${more.length}` : ""}`);
    return this.box(place, `token c${colour} ${isSplit ? "split" : ""}`, [glyph, id], lines);
  }

  // One box is in the tab order; the arrows lead to the others.
  focus(box) {
    if (!box) return;
    this.current.element.tabIndex = -1;
    box.element.tabIndex = 0;
    this.current = this.focused = box;
    this.light(box);
  }

  move(event) {
    if (!this.current || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = this.boxes[this.current.row];
    const at = row.indexOf(this.current);
    const beside = (step) => {
      // the box over the same byte, or the next one, in another row
      const boxes = this.boxes[this.current.row + step];
      return boxes?.find(({ end }) => this.current.start < end) ?? boxes?.at(-1);
    };
    const find = {
      ArrowRight: () => row[at + 1],
      ArrowLeft: () => row[at - 1],
      ArrowDown: () => beside(1),
      ArrowUp: () => beside(-1),
      Home: () => row[0],
      End: () => row.at(-1),
    }[event.key];
    if (!find) return;
    event.preventDefault();
    const element = find()?.element;
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Highlight the same bytes in all rows, and describe the box.
  light(box) {
    for (const { element, start, end } of this.boxes.flat())
      element.classList.toggle("hot", Boolean(box) && start < box.end && box.start < end);
    this.$(".detail").replaceChildren(
      ...(box?.lines ?? (this.data.points.length ? [HINT] : [])).map((line) => make("p", "", line)),
    );
  }

  destroy() {
    clearTimeout(this.pause);
  }
}
