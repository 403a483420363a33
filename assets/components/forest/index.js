// Draws the merge forest of a text in several encodings; one slider replays the merges by rank.

import { above, fromHex, toHex } from "../common/bytes.js";
import { colourTokens } from "../common/colours.js";
import {
  clamp,
  make,
  number,
  percent,
  placeTip,
  plural,
  pluralWord,
  remInPixels,
  svgElement,
} from "../common/dom.js";
import { directionOf, isolate } from "../common/letters.js";
import { Playback } from "../common/playback.js";
import { directionsOf, visualOrder } from "../common/runs.js";
import { textOf } from "../common/spelling.js";
import { TREE, drawTree, makeButton, nextNode, placeTree } from "../common/tree.js";

const ROW_GAP = 18;
const TITLE_HEIGHT = 28; // of a saved picture's
const SMALLEST = 0.09; // to how much of its size a tree may shrink before its panel scrolls sideways
const LEGIBLE = 0.7; // smaller than this, a tree's words are hard to read
const SCALES = [0.25, 4];
const MOST_HEX = 60; // characters of a node's bytes in its tip
const utf8 = new TextDecoder();
const MOST_FADING = 30; // merges of a step that fade in or out: thousands of them would take seconds

// Equal for encodings that read the same bytes, apart from a space in front; other texts have other places.
const readAs = (stand) => (stand.shift ? undefined : stand.bytes);

// The bytes [start, end) of the text that a node is over.
const bytesUnder = ({ stand: { shift = 0 }, node }) => [node.start - shift, node.end - shift];

// What the tip says of a node, in lines.
function describeNode(node, bytes) {
  const single = `a single ${bytes.length === 1 ? "byte" : "token"}`;
  const origin = node.rank === null ? single : `rank ${node.rank}, merge ${node.step}`;
  const hex = toHex(bytes);
  const shown = hex.length > MOST_HEX ? `${hex.slice(0, MOST_HEX - 2)}…` : hex;
  return [
    node.whole ? `“${isolate(node.label)}”` : node.label,
    `id ${node.id}, ${origin}`,
    `bytes ${number(node.start)}–${number(node.end)}: ${shown}`,
  ];
}

export default class Forest {
  /** @type {import("../common/mount.js").Tell} */
  sendEvent;

  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.scale = 1;
    this.playback = new Playback(root, {
      show: (step) => this.show(step),
      pace: [12, 900],
      total: 24,
      speeds: [0.25, 0.5, 1, 2, 4, 16],
    });
    for (const button of root.querySelectorAll("[data-zoom]"))
      button.onclick = () => this.zoom(button.dataset.zoom === "+" ? 1.2 : 1 / 1.2);
    this.showScale();
    const stands = this.$(".stands");
    // The wheel zooms with Ctrl only; without it, the page scrolls.
    stands.addEventListener(
      "wheel",
      (event) => {
        if (event.ctrlKey) {
          event.preventDefault();
          this.zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
        }
      },
      { passive: false },
    );
    const nodeOf = (event) => event.target.closest?.(".node");
    stands.addEventListener("pointermove", (event) => this.hover(nodeOf(event), event));
    stands.addEventListener("pointerleave", () => this.hover(null));
    stands.addEventListener("click", (event) => {
      const node = nodeOf(event);
      if (node) this.pin(node);
    });
    stands.addEventListener("focusin", (event) => this.hover(nodeOf(event)));
    stands.addEventListener("keydown", (event) => {
      const node = nodeOf(event);
      if (!node) return;
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.pin(node);
      }
      const next = nextNode(node, event.key);
      if (next) {
        event.preventDefault();
        next.querySelector(":scope > .box").focus();
      }
    });
    this.resize = new ResizeObserver(() => {
      clearTimeout(this.later);
      this.later = setTimeout(() => this.data && this.width !== this.measure() && this.draw(), 120);
    });
    this.resize.observe(stands);
  }

  // The width of a panel in the units of its trees (tree.js).
  measure() {
    return ((this.$(".view")?.clientWidth ?? 0) * 16) / remInPixels();
  }

  receive(data) {
    const fresh = this.revision !== data.revision;
    this.data = data;
    if (!fresh) return;
    this.revision = data.revision;
    this.pinned = null;
    this.bytes = fromHex(data.bytes);
    const last = Math.max(0, ...data.stands.map((stand) => stand.counts?.length - 1 || 0));
    this.$(".controls").hidden = data.stands.every(({ problem }) => problem);
    this.draw();
    this.playback.load(last, last);
  }

  draw() {
    const box = this.$(".stands");
    box.replaceChildren(
      ...this.data.stands.map((stand) => {
        const header = make("header", "", [make("h2", "", stand.title)]);
        const section = (stand.section = make("section", "stand", [header], { "data-encoding": stand.name }));
        section.style.setProperty("--e", stand.hue);
        if (stand.problem) {
          section.append(make("div", stand.is_family ? "problem family" : "problem", stand.problem));
          return section;
        }
        const save = ["SVG", "PNG"].map((kind) =>
          make("button", "", kind, {
            title: `Save this forest as ${kind}`,
            onclick: () => this.save(stand, kind),
          }),
        );
        const words = "The widest trees are drawn small to fit. Zoom in, then scroll sideways.";
        const wide = make("span", "wide", words, { hidden: true });
        header.append(make("strong"), make("span", "word"), make("span", "of"));
        header.append(make("span", "save", save), wide);
        section.append(
          make("div", "view", "", { tabIndex: 0, "aria-label": `Merge trees of ${stand.title}` }),
        );
        return section;
      }),
    );
    this.width = this.measure();
    for (const stand of this.data.stands) if (!stand.problem) this.plant(stand);
    if (this.step !== undefined) this.show(this.step);
  }

  // The bytes under a forest: of the text, or of the rewritten text that its encoding reads.
  bytesOf(stand) {
    return (stand.data ??= stand.bytes ? fromHex(stand.bytes) : this.bytes);
  }

  // Trees side by side, in rows that wrap like words. A tree wider than its panel is drawn smaller, but not
  // so small that it is lost: a token of 128 spaces has a leaf for each. Each row is a picture of its own,
  // which the browser draws only where it is seen: of a long text, most rows are not.
  plant(stand) {
    const bytes = this.bytesOf(stand);
    const base = directionOf(utf8.decode(bytes));
    const directions = directionsOf(
      stand.roots.map(({ start, end }) => textOf(bytes.subarray(start, end)) ?? ""),
      base,
    );
    const trees = make("div", base === "rtl" ? "trees to-left" : "trees", [], {
      role: "group",
      "aria-label":
        `${plural(stand.roots.length, "tree")}, one for each token. Arrow keys move, Enter ` +
        `shows a token’s biography.`,
    });
    const room = Math.max(220, this.width - 24);
    const wide = room / this.scale;
    let row = [];
    let x = 0;
    let broadest = 0;
    const rows = [row];
    for (const [at, root] of stand.roots.entries()) {
      placeTree(root, bytes, directions[at] === "rtl");
      root.shrunk = Math.max(SMALLEST, Math.min(1, room / root.span));
      const span = root.span * root.shrunk;
      if (x + span > wide && row.length) {
        row = [];
        rows.push(row);
        x = 0;
      }
      x += span + 6;
      broadest = Math.max(broadest, x);
      row.push(root);
    }
    const colours = colourTokens(stand.roots.map((root) => root.id));
    const width = broadest + 8;
    let k = 0;
    for (const inRow of rows) {
      const bottom =
        ROW_GAP / 2 + Math.max(0, ...inRow.map((root) => (14 + root.height * TREE.rise) * root.shrunk));
      const height = bottom + 14 * Math.max(0, ...inRow.map((root) => root.shrunk)) + ROW_GAP / 2;
      const svg = svgElement("svg", { class: "tree", viewBox: `0 0 ${width} ${height}` });
      this.setSideBySide(inRow, base, broadest);
      for (const root of inRow) {
        const place = svgElement("g", {
          transform: `translate(${root.left + 4},${bottom}) scale(${root.shrunk})`,
        });
        drawTree(place, root, 0, 0, `var(--t${colours[k++]})`);
        svg.append(place);
      }
      const box = make("div", "row", [svg]);
      box.style.cssText = `width: ${(width * this.scale) / 16}rem; height: ${(height * this.scale) / 16}rem`;
      trees.append(box);
    }
    stand.nodes = [...trees.querySelectorAll(".node")];
    for (const element of stand.nodes) {
      element.stand = stand;
      makeButton(element, element.classList.contains("root"));
    }
    // What a merge makes, in the order of the merges: a step then touches no more than what it changes.
    stand.made = stand.nodes
      .filter(({ node }) => node.step !== null)
      .sort((a, b) => a.node.step - b.node.step)
      .map((element) => ({
        step: element.node.step,
        parts: [...element.children].filter((part) => !part.classList.contains("node")),
      }));
    stand.madeAt = stand.made.map(({ step }) => step);
    stand.done = null;
    const view = stand.section.querySelector(".view");
    view.replaceChildren(trees);
    stand.section.querySelector(".wide").hidden = !stand.roots.some((root) => root.shrunk < LEGIBLE);
    const pinned = this.pinned;
    if (pinned?.name === stand.name)
      stand.nodes
        .find(({ node }) => node.start === pinned.start && node.end === pinned.end && node.id === pinned.id)
        ?.classList.add("pin");
  }

  // The trees of a row, from its left, or from its right if the text runs so.
  setSideBySide(inRow, base, broadest) {
    const spans = inRow.map((root) => root.span * root.shrunk + 6);
    const directions = inRow.map(({ toLeft }) => (toLeft ? "rtl" : "ltr"));
    let left = base === "rtl" ? broadest - spans.reduce((sum, span) => sum + span, 0) : 0;
    for (const at of visualOrder(directions, base)) {
      inRow[at].left = left;
      left += spans[at];
    }
  }

  zoom(factor) {
    this.scale = clamp(this.scale * factor, ...SCALES);
    this.showScale();
    for (const stand of this.data.stands) {
      if (stand.problem) continue;
      const view = stand.section.querySelector(".view");
      const [x, y] = [
        (view.scrollLeft + view.clientWidth / 2) / view.scrollWidth,
        (view.scrollTop + view.clientHeight / 2) / view.scrollHeight,
      ];
      this.plant(stand);
      // The middle stays in the middle.
      view.scrollTo(
        x * view.scrollWidth - view.clientWidth / 2,
        y * view.scrollHeight - view.clientHeight / 2,
      );
    }
    this.show(this.step);
  }

  showScale() {
    this.$(".scale").textContent = percent(this.scale);
    for (const [key, limit] of [
      ["-", SCALES[0]],
      ["+", SCALES[1]],
    ])
      this.$(`[data-zoom="${key}"]`).disabled = this.scale === limit;
  }

  show(step) {
    this.step = step;
    const { last } = this.playback;
    for (const stand of this.data.stands) {
      if (stand.problem) continue;
      const done = Math.min(this.step, stand.counts.length - 1);
      const count = stand.counts[done];
      stand.section.querySelector("strong").textContent = number(count);
      stand.section.querySelector(".word").textContent = pluralWord(count, "token");
      stand.section.querySelector(".of").textContent =
        `after ${plural(done, "merge")} of ${number(stand.counts.length - 1)}`;
      const [from, to] =
        stand.done === null ? [0, Infinity] : [Math.min(stand.done, done), Math.max(stand.done, done)];
      stand.done = done;
      const first = above(stand.madeAt, from - 1);
      const after = above(stand.madeAt, to);
      const fades = after - first <= MOST_FADING;
      for (const { step: at, parts } of stand.made.slice(first, after))
        for (const part of parts) {
          part.classList.toggle("fades", fades);
          part.classList.toggle("future", at > done);
          part.classList.toggle("fresh", at === this.step && done === this.step && this.step < last);
        }
    }
  }

  // element: the node under the pointer, or the one with the focus; null: none.
  hover(element, event) {
    if (element !== this.hovered) this.light(element);
    this.$(".tip").hidden = !element;
    if (element) this.showTip(element, event);
  }

  // Highlight the subtree, and the tokens over the same bytes in the other forests.
  light(element) {
    for (const lit of this.root.querySelectorAll(".lit, .same")) lit.classList.remove("lit", "same");
    this.hovered = element;
    if (!element) return;
    for (const below of [element, ...element.querySelectorAll(".node")]) below.classList.add("lit");
    const [start, end] = bytesUnder(element);
    for (const other of this.leavesBeside(element.stand)) {
      const [from, to] = bytesUnder(other);
      if (from < end && to > start) other.classList.add("same");
    }
  }

  // The leaves of the other forests that read the same bytes.
  leavesBeside(stand) {
    return this.data.stands
      .filter((other) => other.nodes && other !== stand && readAs(other) === readAs(stand))
      .flatMap(({ nodes }) => nodes.filter(({ node }) => !node.kids.length));
  }

  // The tip is at the pointer, or below the node.
  showTip(element, event) {
    const tip = this.$(".tip");
    const { node, stand } = element;
    const [name, ...lines] = describeNode(node, this.bytesOf(stand).subarray(node.start, node.end));
    tip.replaceChildren(make("b", "", name), ...lines.flatMap((line) => [make("br"), line]));
    const { left, bottom } = element.querySelector(":scope > .box").getBoundingClientRect();
    placeTip(tip, event?.clientX === undefined ? { clientX: left, clientY: bottom - 14 } : event);
  }

  pin(element) {
    for (const pinned of this.root.querySelectorAll(".pin")) pinned.classList.remove("pin");
    element.classList.add("pin");
    const { id, start, end } = element.node;
    this.pinned = { name: element.stand.name, id, start, end };
    this.sendEvent({ encoding: element.stand.name, id });
  }

  // Save the picture with its present colours, so that it looks the same anywhere.
  save(stand, kind) {
    const rows = [...stand.section.querySelectorAll(".row > svg")];
    const title = svgElement("text", {
      x: 8,
      y: 0.7 * TITLE_HEIGHT,
      "font-family": "sans-serif",
      "font-size": 15,
    });
    title.textContent = stand.title;
    title.style.fill = getComputedStyle(this.root).color;
    const width = Math.max(...rows.map((row) => row.viewBox.baseVal.width), 9 * stand.title.length);
    const height = rows.reduce((sum, row) => sum + row.viewBox.baseVal.height, TITLE_HEIGHT);
    const copy = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, width, height });
    const paper = copy.appendChild(svgElement("rect", { width, height }));
    paper.style.fill = getComputedStyle(this.root).getPropertyValue("--st-background-color") || "white";
    copy.append(title);
    let top = TITLE_HEIGHT;
    for (const row of rows) {
      const place = copy.appendChild(svgElement("g", { transform: `translate(0,${top})` }));
      place.append(...row.cloneNode(true).children);
      top += row.viewBox.baseVal.height;
      const copies = place.querySelectorAll("*");
      for (const [i, element] of row.querySelectorAll("*").entries()) {
        const style = getComputedStyle(element);
        for (const key of [
          "fill",
          "stroke",
          "stroke-width",
          "stroke-dasharray",
          "opacity",
          "fill-opacity",
          "stroke-opacity",
          "font-family",
          "font-size",
          "text-anchor",
          "dominant-baseline",
        ])
          copies[i].style.setProperty(key, style.getPropertyValue(key));
      }
    }
    const blob = new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
    if (kind === "SVG") return offer(blob, `forest-${stand.name}.svg`);
    const picture = new Image();
    picture.onload = () => {
      const sharp = Math.min(2, 8000 / Math.max(width, height));
      const canvas = make("canvas");
      canvas.width = width * sharp;
      canvas.height = height * sharp;
      canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((png) => offer(png, `forest-${stand.name}.png`));
      URL.revokeObjectURL(picture.src);
    };
    picture.src = URL.createObjectURL(blob);
  }

  destroy() {
    this.playback.destroy();
    this.resize.disconnect();
    clearTimeout(this.later);
  }
}

function offer(blob, name) {
  const link = make("a", "", name, { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
