// Merge trees: the place of each node, its drawing, and its words.

import { toHex } from "./bytes.js";
import { isRightToLeft, isWide } from "./letters.js";
import { make, svgElement } from "./dom.js";
import { directionsOf } from "./runs.js";
import { spellAlone, textOf } from "./spelling.js";

/**
 * A node as describe_node in pages/shared/trees.py makes it. placeTree adds what is behind kids.
 * @typedef {object} TreeNode
 * @property {number} id
 * @property {number | null} rank null: no merge makes it
 * @property {number} start its bytes within the tree's
 * @property {number} end
 * @property {number | null} step the number of the merge that makes it, in a replay
 * @property {TreeNode[]} kids
 * @property {string} [label]
 * @property {boolean} [whole] whether the label is text, and not bytes in hex
 * @property {number} [x] of its middle
 * @property {number} [width]
 * @property {number} [height] how many merges are under it
 * @property {number} [span] of the root: the width of the tree
 * @property {boolean} [toLeft] of the root: whether its parts are drawn from right to left
 */

export const TREE = { rise: 44 }; // sixteenths of a rem, as all lengths here: height of a merge

/**
 * A token that no merge makes: tiktoken takes it by look-up, where a piece is exactly its bytes.
 * @param {TreeNode} tree
 */
export function tellLookUp(tree) {
  if (tree.kids.length <= 2) return [];
  const words =
    "No merge makes this token: it is looked up as a whole piece. " +
    "Merges alone would stop at these parts.";
  return [make("p", "hint", words)];
}

/**
 * Give every node of a tree its place: x in the middle of its parts, y by its height.
 * @param {TreeNode} root
 * @param {Uint8Array} bytes
 * @param {boolean} toLeft whether its token runs from right to left
 */
export function placeTree(root, bytes, toLeft) {
  let x = 0;
  const place = (node) => {
    const token = bytes.subarray(node.start, node.end);
    const text = textOf(token);
    node.whole = text !== null;
    // In a hand of its own, so it is not taken for text.
    node.label = node.whole ? spellAlone(text) : toHex(token);
    if (node.label.length > 22) node.label = `${node.label.slice(0, 12)}…${node.label.slice(-8)}`;
    const letters = [...node.label].reduce((sum, char) => sum + (isWide(char) ? 13.5 : 8), 14);
    const wanted = Math.max(letters, node.rank === null ? 26 : 41 + String(node.rank).length * 7);
    node.width = wanted;
    if (!node.kids.length) {
      node.height = 0;
      node.x = x + wanted / 2 + 3;
      x += wanted + 6;
    } else {
      const from = x;
      for (const kid of node.kids) place(kid);
      node.height = 1 + Math.max(...node.kids.map((kid) => kid.height));
      node.x = (node.kids[0].x + node.kids.at(-1).x) / 2;
      // A label wider than what is under it needs room of its own.
      const short = from + wanted + 6 - x;
      if (short > 0) {
        const shift = (n) => {
          n.x += short / 2;
          n.kids.forEach(shift);
        };
        shift(node);
        x += short;
      }
    }
  };
  place(root);
  root.span = x;
  root.toLeft = toLeft;
  if (toLeft) turn(root, x);
}

// From its right to its left.
function turn(node, span) {
  node.x = span - node.x;
  for (const kid of node.kids) turn(kid, span);
}

// Draw a placed tree at (left, top); its root at the top, its bytes at the bottom.
export function drawTree(svg, root, left, bottom, hue) {
  const y = (node) => bottom - node.height * TREE.rise;
  const draw = (node, parent) => {
    const group = svgElement("g", { class: "node" });
    group.classList.toggle("root", !parent);
    group.classList.toggle("leaf", !node.kids.length);
    group.node = node;
    for (const kid of node.kids) {
      const [x1, y1, x2, y2] = [left + node.x, y(node) + 16, left + kid.x, y(kid) - 13];
      const middle = (y1 + y2) / 2;
      group.append(
        svgElement("path", { class: "edge", d: `M${x1},${y1} C${x1},${middle} ${x2},${middle} ${x2},${y2}` }),
      );
    }
    for (const kid of node.kids) group.append(draw(kid, node));
    const box = svgElement("g", { class: "box", transform: `translate(${left + node.x},${y(node)})` });
    const ranked = node.rank !== null;
    const rect = svgElement("rect", {
      x: -node.width / 2,
      y: -13,
      width: node.width,
      height: ranked ? 29 : 24,
      rx: 5,
    });
    if (!parent && hue) rect.style.fill = hue;
    box.append(rect);
    box.append(
      svgElement(
        "text",
        {
          class: node.whole ? "word" : "word hex",
          y: ranked ? -2.5 : 0,
          direction: isRightToLeft(node.label) ? "rtl" : "ltr",
        },
        node.label,
      ),
    );
    group.append(box);
    if (ranked) {
      // beside the box, not in it: its name says the rank
      const beside = svgElement("g", {
        class: "beside",
        transform: box.getAttribute("transform"),
        "aria-hidden": "true",
      });
      beside.append(svgElement("text", { class: "rank", y: 9 }, `rank ${node.rank}`));
      group.append(beside);
    }
    return group;
  };
  svg.append(draw(root, null));
}

/**
 * One token's tree as an SVG, with its bytes at the bottom.
 * @param {TreeNode} tree
 * @param {Uint8Array} bytes
 * @param {string} hue
 * @param {object} attributes
 */
export function makeTree(tree, bytes, hue, attributes) {
  const toLeft = directionsOf([textOf(bytes) ?? ""], "ltr")[0] === "rtl";
  placeTree(tree, bytes, toLeft);
  const width = tree.span + 4;
  const height = tree.height * TREE.rise + 34;
  const svg = svgElement("svg", { class: "tree", viewBox: `0 0 ${width} ${height}`, ...attributes });
  svg.style.cssText = `width: ${width / 16}rem; height: ${height / 16}rem`;
  drawTree(svg, tree, 2, height - 16, hue);
  return svg;
}

// A node in words. They begin as the node is drawn: whoever speaks to the computer says what is written
// there.
export const describeNode = ({ label, id, rank }) =>
  (rank === null ? label : `${label} rank ${rank}`) + `, id ${id}`;

// A node's box can be pressed, and is named for people who listen. The box and not the node, which holds the
// nodes below it: a button inside a button is none for a screen reader.
export function makeButton(element, inTabOrder) {
  const box = element.querySelector(":scope > .box");
  box.setAttribute("role", "button");
  box.setAttribute("aria-label", describeNode(element.node));
  box.setAttribute("tabindex", inTabOrder ? "0" : "-1");
}

// The node that an arrow key leads to: up to the parent, down to the first part, sideways to a neighbour.
export function nextNode(element, key) {
  const isNode = (other) => other?.classList.contains("node");
  const inward = [...element.children].filter(isNode);
  if (key === "ArrowDown") return inward[0] ?? null;
  if (key === "ArrowUp") return isNode(element.parentElement) ? element.parentElement : null;
  if (key !== "ArrowLeft" && key !== "ArrowRight") return null;
  const isRoot = element.classList.contains("root");
  const all = isRoot
    ? [...(element.closest(".trees") ?? element.closest("svg")).querySelectorAll(".node.root")]
    : [...element.parentElement.children].filter(isNode);
  const toLeft = isRoot ? element.closest(".to-left") : element.closest(".root").node.toLeft;
  const ahead = toLeft ? "ArrowLeft" : "ArrowRight";
  return all[all.indexOf(element) + (key === ahead ? 1 : -1)] ?? null;
}
