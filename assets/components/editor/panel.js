// Draws one encoding: its metrics, and its tokens over the text.
// A key: update -> TextTokens in text_tokens.js -> redraw, which keeps unchanged chunks (chunks.js) -> mend
// or paint -> draw -> drawTogether in draw_tokens.js, the painted token.

import { copyText, hasModifier, make, number, percent, plural, pluralWord } from "../common/dom.js";
import { drawTogether } from "../common/draw_tokens.js";
import { quoteText } from "../common/spelling.js";
import {
  BEGINS_BEFORE,
  GOES_ON,
  LOOKS_SPECIAL,
  ONLY_HERE,
  SPECIAL,
  TextTokens,
  UNKNOWN,
  WALL,
} from "../common/text_tokens.js";
import { countAtOnce, recut } from "./chunks.js";
import { makeQuestion } from "./explain.js";

/**
 * @typedef {import("../common/text_tokens.js").TokenArrays} TokenArrays
 * @typedef {import("./wire.js").PanelValues & TokenArrays} Info what an answer has of a panel
 * @typedef {import("./chunks.js").Chunk} Chunk
 */

const NEAR = [5, 10, 15, 20]; // px around a finger: the nearest token within counts
const LISTED = 5; // losses that the badge's hint lists
const MOST_RIPPLES = 60; // changed tokens that fade in; after a larger edit, none does
const EXACT = {
  state: "ok",
  badge: "✓ exact",
  hint: "Checked: decoding these ids restores your text, byte for byte.",
};
const DOES_NOT_JOIN = {
  state: "wrong",
  badge: "does not join",
  hint: "What is drawn does not join to your text. Please report this text.",
};

/**
 * Whether decoding restores the text: a class, a badge and its hint.
 * @param {Info} info
 * @param {boolean} drawn whether the drawn tokens join to the text
 */
function describeExactness(info, drawn) {
  if (!drawn || (!info.joins && !info.losses)) return DOES_NOT_JOIN;
  if (info.joins) return EXACT;
  const quoted = (text) => (text ? quoteText(text) : "nothing");
  const places = info.lost
    .slice(0, LISTED)
    .map(({ start, was, became }) => `byte ${number(start)}: ${quoted(was)} becomes ${quoted(became)}`);
  const more = info.losses > LISTED ? `\nand ${number(info.losses - LISTED)} more` : "";
  const unknown = info.unknown ? `${number(info.unknown)} unknown · ` : "";
  return {
    state: "lost",
    badge: `${unknown}not restored: ${plural(info.losses, "place")}`,
    hint: `Decoding these ids does not restore your text:\n${places.join("\n")}${more}`,
  };
}

// How many more tokens than the fewest, as a share of those.
export function describeDifference(tokens, { best, bestWord }) {
  if (!best) return "";
  const share = (tokens - best) / best;
  if (!share) return bestWord;
  if (share < 0.0005) return "+<0.1%";
  return share < 0.0095 ? `+${(100 * share).toFixed(1)}%` : `+${percent(share)}`;
}

// Whether unchanged text keeps its drawing. It does not if a direction mark may turn the rest of its line.
const canKeep = (old, next) => old && !old.drawn.overrides.length && !next.drawn.overrides.length;

const MARKED = ".ripple, .lit, .same, .picked"; // temporary highlights of a token
const emptyLists = (length) => Array.from({ length }, () => []);

/**
 * The number of tokens, added ones included.
 * @param {import("./wire.js").PanelValues} info
 */
export const countTokens = (info) => info.tokens + info.frame.flat().length;

export class Panel {
  /**
   * @param {import("./index.js").default} editor
   * @param {string} name of the encoding
   */
  constructor(editor, name) {
    this.editor = editor;
    this.name = name;
    const makeIcon = (glyph, title, onclick) =>
      make("button", "icon", glyph, { type: "button", title, "aria-label": `${title}: ${name}`, onclick });
    this.buttons = {
      copy: makeIcon("⧉", "Copy ids", () => this.copyIds()),
      left: makeIcon("‹", "Move left", () => editor.moveEncoding(name, -1)),
      right: makeIcon("›", "Move right", () => editor.moveEncoding(name, 1)),
      remove: makeIcon("×", "Remove", () => editor.removeEncoding(name)),
    };
    const { models, about, group } = editor.choiceOf(name);
    const isHomeTrained = group === "Home-trained";
    this.question = makeQuestion("figures", `What do the numbers of ${name} mean?`);
    this.question.dataset.about = about ? `${models}: ${about}.` : "";
    const words = models === name || isHomeTrained ? about : `${name} · ${about}`;
    const under = make("p", "under", [make("span", "about", words)], { title: about });
    if (isHomeTrained) {
      under.append(
        make("button", "link", "Train your own", {
          type: "button",
          onclick: () => editor.sendEvent({ go: "train" }),
        }),
      );
    }
    const model = make("button", "model", [make("b", "", models)], {
      type: "button",
      title: "Choose another tokenizer",
      onclick: () => editor.chooser.open(model, (other) => editor.replaceEncoding(name, other)),
    });
    this.count = make("strong");
    this.word = make("span", "word");
    this.difference = make("span", "difference");
    this.detail = make("div", "detail");
    this.figures = make("div", "figures", [
      make("div", "first", [this.count, this.word, this.difference, this.question]),
      this.detail,
    ]);
    this.problem = make("div", "problem");
    this.tokens = make("div", "tokens", "", { tabIndex: 0, role: "group" });
    this.root = make(
      "section",
      "panel",
      [
        make("div", "head", [model, ...Object.values(this.buttons)]),
        under,
        this.figures,
        this.problem,
        this.tokens,
      ],
      { "data-encoding": name, "aria-label": name },
    );
    /** @type {Chunk[]} */
    this.chunks = [];
    /** @type {TextTokens | null} */
    this.data = null;
    this.cursor = -1;
    this.watcher = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries)
          if (isIntersecting) this.paint(/** @type {import("./chunks.js").ChunkElement} */ (target).chunk);
      },
      { rootMargin: "300px" },
    );
    this.listen();
  }

  get n() {
    return this.data?.n ?? 0;
  }

  listen() {
    const tokenOf = (target) => {
      const element = target?.closest?.(".t, .lane");
      const chunk = element?.closest(".chunk")?.chunk;
      return chunk ? chunk.first + element.token : -1;
    };
    // A finger that touches beside a token means the nearest one.
    const nearest = ({ clientX, clientY }) => {
      for (const reach of NEAR)
        for (const [x, y] of [
          [0, -reach],
          [0, reach],
          [-reach, 0],
          [reach, 0],
        ]) {
          const target = this.root.getRootNode().elementFromPoint(clientX + x, clientY + y);
          if (this.tokens.contains(target) && tokenOf(target) >= 0) return tokenOf(target);
        }
      return -1;
    };
    this.tokens.onpointermove = (event) => this.editor.spotlight.hover(this, tokenOf(event.target), event);
    this.tokens.onpointerleave = () => this.editor.spotlight.hover(this, -1);
    this.tokens.onclick = (event) => {
      let index = tokenOf(event.target);
      if (index < 0 && event.pointerType === "touch") index = nearest(event);
      if (index >= 0) {
        this.cursor = index;
        this.editor.togglePin(this, index);
      }
    };
    this.tokens.onkeydown = (event) => {
      const steps = {
        ArrowRight: 1,
        ArrowLeft: -1,
        ArrowDown: 10,
        ArrowUp: -10,
        Home: -Infinity,
        End: Infinity,
      };
      if (event.key in steps && this.n && !hasModifier(event)) {
        event.preventDefault();
        const wanted = Math.max(0, Math.min(this.n - 1, this.cursor + steps[event.key]));
        this.cursor = this.data.nearestToken(wanted, Math.sign(steps[event.key]));
        if (this.cursor < 0) return;
        this.reveal(this.cursor);
        this.editor.spotlight.hover(this, this.cursor);
        this.editor.frame.say(
          `Token ${number(this.first + this.data.ordinal(this.cursor) + 1)} of ${number(this.total)}: ` +
            `${this.data.describe(this.cursor)}`,
        );
      } else if ((event.key === "Enter" || event.key === " ") && this.cursor >= 0) {
        event.preventDefault();
        this.editor.togglePin(this, this.cursor);
      } else if (event.key === "Escape") {
        this.editor.unpin();
      }
    };
    this.tokens.oncopy = (event) => this.copySelection(event);
    this.tokens.onblur = () => this.editor.spotlight.hover(this, -1);
  }

  /**
   * Show new metrics and tokens. Painted tokens that have not changed stay.
   * @param {Info} info
   * @param {import("./wire.js").Answer} answer
   * @param {{best: number, bestWord: string}} fewest tokens of a panel, and what this is called
   * @param {number} position among the panels
   * @param {number} count of the panels
   */
  update(info, answer, fewest, position, count) {
    this.root.style.setProperty("--e", this.editor.choiceOf(this.name).hue);
    this.buttons.left.disabled = position === 0;
    this.buttons.right.disabled = position === count - 1;
    this.buttons.copy.disabled = Boolean(info.problem || info.counting || answer.page);
    this.drawProblem(info);
    const wasCounting = this.root.classList.contains("counting");
    this.root.classList.toggle("counting", Boolean(info.counting));
    this.tokens.setAttribute("aria-busy", Boolean(info.counting));
    if (info.counting) return this.wait(info.share);
    if (info.problem || wasCounting) {
      this.drop();
      this.tokens.replaceChildren();
    }
    if (info.problem) return;

    this.total = info.tokens;
    this.first = info.first;
    this.frame = info.frame;
    const next = new TextTokens(info, this.editor.drawn);
    const exactness = describeExactness(info, next.joins);
    this.drawCount(info);
    this.drawDifference(countTokens(info), exactness, count > 1 && info.best_of ? fewest : null);
    this.drawDetail(info, answer, exactness);
    this.tokens.setAttribute(
      "aria-label",
      `${this.name}: ${plural(info.tokens, "token")}. Arrow keys move, Enter pins.`,
    );
    this.redraw(next);
    this.drawFrame(answer.page);
  }

  /**
   * Why there are no tokens, or no walls between them.
   * @param {Info} info
   */
  drawProblem(info) {
    const problem = info.problem ?? info.walls_problem ?? "";
    this.problem.hidden = !problem;
    this.problem.classList.toggle("hint", info.has_walls === false); // no error: the encoding has no walls
    this.problem.textContent = problem;
    this.figures.hidden = this.tokens.hidden = Boolean(info.problem);
  }

  /** @param {Info} info */
  drawCount(info) {
    const tokens = countTokens(info);
    const added = tokens - info.tokens;
    this.count.textContent = number(tokens);
    this.count.style.setProperty("--digits", this.count.textContent.length);
    this.word.textContent = pluralWord(tokens, "token") + (added ? `, ${number(added)} added` : "");
  }

  // How many more tokens these are than the fewest. fewest: {best, bestWord}; null: nothing is to compare.
  drawDifference(tokens, { state, badge, hint }, fewest) {
    const difference = fewest ? describeDifference(tokens, fewest) : "";
    const more = fewest ? tokens - fewest.best : 0;
    this.difference.className = `difference ${state} ${difference && !more ? "best" : ""}`;
    if (state === "ok") {
      this.difference.textContent = difference;
      this.difference.title = more ? `${plural(more, "token")} more than the fewest` : "";
    } else {
      this.difference.textContent = [badge, difference].filter(Boolean).join(" · ");
      this.difference.title = hint;
    }
  }

  /**
   * @param {Info} info
   * @param {import("./wire.js").Answer} answer
   * @param {{badge: string, hint: string}} exactness
   */
  drawDetail(info, { bytes, chars }, { badge, hint }) {
    const tokens = countTokens(info);
    const each = (amount) => (amount / tokens).toFixed(2);
    this.detail.textContent = info.tokens
      ? `${each(bytes)} bytes, ${each(chars)} characters each · ${badge}`
      : "";
    this.detail.title = hint;
  }

  // Forget the tokens.
  drop() {
    this.data = null;
    this.chunks = [];
    this.watcher.disconnect();
  }

  // The encoding is slow: the old text's tokens stay, dimmed, until the new ones arrive.
  wait(share) {
    this.drop();
    this.word.replaceChildren("counting…");
    if (share) {
      const label = `How much ${this.name} has counted`;
      this.word.append(make("progress", "", "", { value: share, "aria-label": label }));
    }
    for (const part of [this.count, this.difference, this.detail]) part.textContent = "";
    for (const part of [this.difference, this.detail]) part.title = "";
    this.tokens.setAttribute("aria-label", `${this.name}: counting.`);
  }

  /**
   * Draw the tokens that the encoding's publisher adds before and after the text.
   * @param {import("./wire.js").Page | null} page
   */
  drawFrame(page) {
    const [front, behind] = this.frame;
    const isFirst = !page || page.number === 0;
    const isLast = !page || page.number === page.count - 1;
    const draw = (tokens, side, place) => {
      this.tokens.querySelector(`.frame-${side}`)?.remove();
      if (!tokens.length) return;
      const where = side === "behind" ? "behind" : "in front of";
      const elements = tokens.map(({ id, text, hex }) => {
        const title = `${text}, id ${id}: added ${where} the text, on request`;
        return make("s", `t special added ${side}`, { text, ids: id, bytes: hex }[this.view], { title });
      });
      this.tokens[place](make("span", `frame frame-${side}`, elements));
    };
    draw(isFirst ? front : [], "before", "prepend");
    draw(isLast ? behind : [], "behind", "append");
  }

  /** @param {TextTokens} next */
  redraw(next) {
    const { view } = this.editor.settings;
    const old = this.view === view ? this.data : null;
    const oldN = this.n;
    const same = old && next.unchanged(old);
    this.view = view;
    this.data = next;
    if (old && same[0] === next.n && oldN === next.n) return;
    this.replaceChunks(old, oldN, canKeep(old, next) ? same : null);
    if (this.cursor >= next.n) this.cursor = next.n - 1;
    if (old && this.editor.edited) this.ripple(next.changedSince(old));
  }

  /**
   * Let the chunks that an edit changed give way to others.
   * @param {TextTokens | null} old
   * @param {number} oldN
   * @param {[number, number] | null} same see recut
   */
  replaceChunks(old, oldN, same) {
    const { head, stale, fresh, tail } = recut(this.chunks, oldN, this.data, same);
    for (const chunk of tail) {
      chunk.first += this.n - oldN;
      chunk.last += this.n - oldN;
    }
    if (same && stale.length === 1 && fresh.length === 1 && stale[0].painted) {
      this.mend(stale[0], fresh[0], old, ...same);
      this.chunks = [...head, ...stale, ...tail];
      return;
    }
    for (const chunk of stale) {
      this.watcher.unobserve(chunk.element);
      chunk.element.remove();
    }
    this.chunks = [...head, ...fresh, ...tail];
    this.place(fresh, tail[0]?.element ?? null);
  }

  // Let the tokens [first, after) fade in, if they are few.
  ripple([first, after]) {
    if (after - first > MOST_RIPPLES) return;
    for (const element of this.elementsOf(first, after)) element.classList.add("ripple");
  }

  /**
   * Put chunks into the page, and paint those that are likely to be in view.
   * @param {Chunk[]} chunks
   * @param {Element | null} before
   */
  place(chunks, before) {
    const atOnce = countAtOnce(chunks);
    for (const [order, chunk] of chunks.entries()) {
      chunk.element = make("div", "chunk");
      chunk.element.chunk = chunk;
      this.tokens.insertBefore(chunk.element, before);
      // The watcher paints the other chunks when they come into view.
      if (order < atOnce) this.paint(chunk);
      else {
        chunk.element.textContent = this.data.drawn.text.slice(
          this.data.unitStart(chunk.first),
          this.data.unitEnds[chunk.last],
        );
        this.watcher.observe(chunk.element);
      }
    }
  }

  /** @param {Chunk} chunk */
  paint(chunk) {
    if (chunk.painted) return;
    chunk.painted = true;
    this.watcher.unobserve(chunk.element);
    chunk.elements = emptyLists(chunk.last - chunk.first + 1);
    chunk.nodes = [];
    chunk.element.replaceChildren(this.draw(chunk, chunk.first, chunk.last + 1));
    this.editor.spotlight.markChunk(this, chunk);
  }

  /**
   * Repaint the changed tokens of a painted chunk; the others keep their elements, so the browser has no work
   * with them.
   * @param {Chunk} chunk
   * @param {Chunk} now as it is cut now
   * @param {TextTokens} old
   * @param {number} prefix how many of all tokens stayed at each end
   * @param {number} suffix
   */
  mend(chunk, now, old, prefix, suffix) {
    const { data } = this;
    const end = chunk.last + 1;
    const added = now.last - chunk.last;
    // The changed tokens are [first, after) in the old numbering, and end at after + added in the new one.
    // Tokens that are drawn together with one of them are included.
    let first = prefix;
    let after = old.n - suffix;
    while (
      first > chunk.first &&
      !((first >= end || old.opens(first)) && (first >= end + added || data.opens(first)))
    )
      first--;
    while (after < end && !data.opens(after + added)) after++;

    for (const element of chunk.element.querySelectorAll(MARKED))
      element.classList.remove("ripple", "lit", "same", "picked");
    // Some tokens are drawn as nothing.
    const nodeAt = (i) => chunk.nodes.slice(i - chunk.first).find(Boolean) ?? null;
    const behind = nodeAt(after);
    for (let node = nodeAt(first); node !== behind;) {
      const gone = node;
      node = node.nextSibling;
      gone.remove();
    }
    const place = first - chunk.first;
    const count = after + added - first;
    chunk.elements.splice(place, after - first, ...emptyLists(count));
    chunk.nodes.splice(place, after - first, ...Array(count));
    if (added)
      for (const elements of chunk.elements.slice(place + count))
        for (const element of elements) element.token += added;
    Object.assign(chunk, { last: now.last, sealed: now.sealed, size: now.size });
    chunk.element.insertBefore(this.draw(chunk, first, after + added), behind);
    this.editor.spotlight.markChunk(this, chunk);
  }

  // Draw the tokens [first, after) of a chunk. chunk.elements lists each token's elements; chunk.nodes has
  // the first node of tokens that are drawn together, at the first of them.
  draw(chunk, first, after) {
    const box = document.createDocumentFragment();
    const makeElement = (i, tag, kind) => this.element(chunk, i, tag, kind);
    for (let i = first; i < after;) {
      let next = i + 1;
      while (next < after && !this.data.opens(next)) next++;
      const { lastChild } = box;
      const begin = i;
      if (this.view !== "text") for (; i < next; i++) this.drawPlate(chunk, i, box);
      else drawTogether(box, this.data, i, next - 1, makeElement);
      chunk.nodes[begin - chunk.first] = lastChild ? lastChild.nextSibling : box.firstChild;
      i = next;
    }
    return box;
  }

  element(chunk, i, tag, kind) {
    const flags = this.data.flags[i];
    const element = make(
      tag,
      `${kind} c${this.data.colours[i]}` +
        (flags & ONLY_HERE ? " only" : "") +
        (flags & WALL ? " wall" : "") +
        (flags & SPECIAL ? " special" : "") +
        (flags & LOOKS_SPECIAL ? " looks-special" : "") +
        (flags & BEGINS_BEFORE ? " before" : "") +
        (flags & GOES_ON ? " goes-on" : ""),
    );
    if (flags & UNKNOWN) element.classList.add("unknown");
    if (this.data.isInFront(i)) element.classList.add("front");
    element.token = i - chunk.first;
    chunk.elements[element.token].push(element);
    return element;
  }

  // Draw a token as its id or its bytes. Line ends of the text stay line ends.
  drawPlate(chunk, i, box) {
    if (!this.data.isGap(i)) {
      const plate = this.element(chunk, i, "s", "t");
      plate.textContent = this.view === "ids" ? this.data.ids[i] : this.data.hex(i);
      box.append(plate);
    }
    for (const char of this.data.drawn.text.slice(this.data.unitStart(i), this.data.unitEnds[i]))
      if (char === "\n") box.append(make("br"));
  }

  // The painted elements of tokens [first, after).
  elementsOf(first, after = first + 1, chunks = this.chunks) {
    const inChunk = (chunk) =>
      chunk.elements.slice(Math.max(0, first - chunk.first), Math.max(0, after - chunk.first)).flat();
    return chunks.filter(({ painted }) => painted).flatMap(inChunk);
  }

  // A token's first element, painted.
  painted(i) {
    const chunk = this.chunks.findLast(({ first }) => first <= i);
    if (chunk) this.paint(chunk);
    return this.elementsOf(i)[0];
  }

  reveal(i) {
    this.painted(i)?.scrollIntoView({ block: "nearest" });
  }

  // Scroll the panel, and not the page, until a token is visible.
  scrollTo(i) {
    const element = this.painted(i);
    if (!element) return;
    const { top, bottom } = element.getBoundingClientRect();
    const box = this.tokens.getBoundingClientRect();
    if (top < box.top) this.tokens.scrollTop -= box.top - top;
    else if (bottom > box.bottom) this.tokens.scrollTop += bottom - box.bottom;
  }

  // Copy the selected text itself: the browser would put a line end at each row of lanes.
  copySelection(event) {
    const selection = this.root.getRootNode().getSelection?.() ?? document.getSelection();
    if (this.view !== "text" || !selection.rangeCount) return;
    const range = selection.getRangeAt(0);
    if (range.collapsed || !this.tokens.contains(range.commonAncestorContainer)) return;
    event.clipboardData.setData("text/plain", range.toString());
    event.preventDefault();
  }

  // The next token in a direction (1 or -1) that has bytes of its own; -1: there is none.
  neighbour(i, direction) {
    for (let at = i + direction; at >= 0 && at < this.n; at += direction)
      if (!this.data.isGap(at) && this.data.byteEnds[at] > this.data.byteStart(at)) return at;
    return -1;
  }

  async copyIds() {
    const [front, behind] = this.frame.map((side) => side.map(({ id }) => id));
    const ids = [...front, ...this.data.tokenIds(), ...behind];
    const done = await copyText(JSON.stringify(ids));
    this.editor.frame.flash(
      this.buttons.copy,
      done ? "✓" : "✗",
      done ? `${plural(ids.length, "id")} copied` : "Your browser did not allow copying",
    );
  }

  destroy() {
    this.watcher.disconnect();
    this.root.remove();
  }
}
