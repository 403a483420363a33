// A token's biography: its facts, its tree, and related tokens, each of which opens another biography.

import { fromHex } from "../common/bytes.js";
import { colourOf } from "../common/colours.js";
import { make, number, svgElement } from "../common/dom.js";
import { writeToken } from "../common/spelling.js";
import { describeNode, makeButton, makeTree, tellLookUp } from "../common/tree.js";

const STAY = 2000; // milliseconds
const SMALLEST = 0.62; // to how much of its size a tree may shrink before it scrolls

export default class Biography {
  /** @type {import("../common/mount.js").Tell} */
  sendEvent;

  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.$(".see").onclick = () =>
      this.sendEvent({ encoding: this.data.encoding, id: this.data.id, see: true });
    const go = (event) => {
      const node = event.target.closest?.(".node")?.node;
      if (node && node.id !== this.data.id) {
        event.preventDefault();
        this.go(this.data.encoding, node.id);
      }
    };
    this.$(".grown").addEventListener("click", go);
    this.$(".grown").addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") go(event);
    });
  }

  go(encoding, id) {
    this.went = true;
    this.sendEvent({ encoding, id });
  }

  receive(data) {
    const drawn = JSON.stringify(data);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.data = data;
    this.root.style.setProperty("--e", data.hue);
    const name = this.$(".name");
    const chip = make("s", `t c${colourOf(data.id)} show-space`);
    name.classList.toggle("hex", !writeToken(chip, fromHex(data.bytes)));
    name.replaceChildren(chip);
    this.$(".who").replaceChildren(make("b", "", data.title), ` token ${data.id}`);
    const see = this.$(".see");
    see.disabled = !data.can_be_seen;
    see.title = see.disabled ? "It has no text of its own" : "Put a text with this token into the editor";
    const note = this.$(".note");
    note.hidden = !data.note;
    note.textContent = data.note ?? "";
    this.$(".facts").replaceChildren(
      ...data.facts.flatMap(([label, value, mono]) => [
        make("dt", "", label),
        make("dd", mono ? "mono" : "", value),
      ]),
    );
    this.drawGrown();
    this.$(".lists").replaceChildren(...data.lists.map((list) => this.list(list)));
    if (this.went || data.arrives) name.focus({ preventScroll: false });
    if (data.arrives) this.stayInView();
    this.went = false;
  }

  // Scroll to it, also after what stands above it is drawn, which makes the page longer.
  stayInView() {
    const growing = new ResizeObserver(() => this.root.scrollIntoView({ block: "start" }));
    growing.observe(document.querySelector("[data-testid=stMainBlockContainer]") ?? document.body);
    setTimeout(() => growing.disconnect(), STAY);
  }

  drawGrown() {
    const box = this.$(".grown");
    const { tree } = this.data;
    if (!tree) return box.replaceChildren(make("p", "hint", this.data.tree_hint));
    const attributes = { role: "group", "aria-label": "Its merge tree, from the bytes up" };
    const svg = makeTree(tree, fromHex(this.data.bytes), `var(--t${colourOf(this.data.id)})`, attributes);
    const most = (tree.span + 4) / 16;
    const least = (tree.span * SMALLEST) / 16;
    svg.style.cssText = `width: 100%; max-width: ${most}rem; min-width: ${least}rem`;
    for (const element of svg.querySelectorAll(".node")) {
      const { node } = element;
      element.prepend(svgElement("title", {}, describeNode(node)));
      if (node !== tree && node.kids.length) makeButton(element, true);
    }
    box.replaceChildren(svg, ...tellLookUp(tree));
  }

  list({ title, none, total, items }) {
    let counted = "";
    if (total > items.length) counted = `: ${number(total)}, the first ${number(items.length)} shown`;
    else if (total > 3) counted = `: ${number(total)}`;
    const chips = items.map((item) => this.chip(item));
    const drawn = chips.length ? make("div", "chips", chips) : make("p", "hint", none);
    return make("section", "", [make("h3", "", [title, make("i", "", counted)]), drawn], {
      "data-list": title,
    });
  }

  // An item of a list: a button that opens its biography, if it is a token.
  chip(item) {
    const word = item.encoding ? drawModel(item) : drawText(item);
    if (item.id === null) return make("span", "chip none", [word, make("small", "", "no single token")]);
    const chip = make("button", "chip", [word, make("small", "", item.id)]);
    chip.onclick = () => this.go(item.encoding ?? this.data.encoding, item.id);
    return chip;
  }
}

// What an item is called: the model whose token it is, or the text of a token of this encoding.

function drawModel({ model, hue }) {
  const word = make("span", "of", model);
  word.style.setProperty("--e", hue);
  return word;
}

function drawText({ bytes }) {
  const word = make("b", "mono show-space");
  word.classList.toggle("hex", !writeToken(word, fromHex(bytes)));
  return word;
}
