// A token's biography: what it is, its tree, and the tokens around it, each a step to another biography.

import { fromHex } from "../common/bytes.js";
import { colourOf, hueOf } from "../common/colours.js";
import { make, number, svgElement } from "../common/dom.js";
import { writeToken } from "../common/spelling.js";
import { TREE, describeNode, drawTree, makeButton, placeTree, tellLookUp } from "../common/tree.js";

const SMALLEST = 0.62; // to how much of its size a tree may shrink before it scrolls

export default class Biography {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.$(".see").onclick = () => this.sendEvent({ encoding: this.data.encoding, id: this.data.id, see: true });
    const go = (event) => {
      const node = event.target.closest?.(".node")?.node;
      if (node && node.id !== this.data.id) { event.preventDefault(); this.go(this.data.encoding, node.id); }
    };
    this.$(".grown").addEventListener("click", go);
    this.$(".grown").addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") go(event); });
  }

  go(encoding, id) { this.went = true; this.sendEvent({ encoding, id }); }

  receive(data) {
    const drawn = JSON.stringify(data);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.data = data;
    this.root.style.setProperty("--e", hueOf(data.hue));
    const name = this.$(".name");
    const chip = make("s", `t c${colourOf(data.id)} show-space`);
    name.classList.toggle("hex", !writeToken(chip, fromHex(data.bytes)));
    name.replaceChildren(chip);
    const who = this.$(".who");
    who.replaceChildren(make("b", "", data.encoding), ` token ${data.id}`);
    const see = this.$(".see");
    see.disabled = !data.see;
    see.title = data.see ?? "No text of its own, so there is nothing to put into the editor";
    const note = this.$(".note");
    note.hidden = !data.note;
    note.textContent = data.note ?? "";
    this.$(".facts").replaceChildren(...data.facts.flatMap(([label, value, mono]) => [make("dt", "", label), make("dd", mono ? "mono" : "", value)]));
    this.drawGrown();
    this.$(".lists").replaceChildren(...data.lists.map((list) => this.list(list)));
    if (this.went || data.arrives) name.focus({ preventScroll: false });
    if (data.arrives) this.root.scrollIntoView({ block: "start" });
    this.went = false;
  }

  drawGrown() {
    const box = this.$(".grown");
    const { tree } = this.data;
    if (!tree) return box.replaceChildren(make("p", "hint", this.data.tree_hint));
    const svg = svgElement("svg", { class: "tree", role: "group" });
    svg.setAttribute("aria-label", "Its merge tree, from the bytes up");
    placeTree(tree, fromHex(this.data.bytes));
    const [width, height] = [tree.span + 4, tree.height * TREE.rise + 36];
    drawTree(svg, tree, 2, height - 17, `var(--t${colourOf(this.data.id)})`);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.style.width = "100%";
    svg.style.maxWidth = `${width}px`;
    svg.style.minWidth = `${Math.round(width * SMALLEST)}px`;
    for (const element of svg.querySelectorAll(".node")) {
      const { node } = element;
      const title = svgElement("title");
      title.textContent = describeNode(node);
      element.prepend(title);
      if (node !== tree && node.kids.length) makeButton(element, true);
    }
    box.replaceChildren(svg, ...tellLookUp(tree));
  }

  list({ title, none, total, items }) {
    const section = make("section");
    section.dataset.list = title;
    const heading = make("h3", "", title);
    if (total > items.length) heading.append(make("i", "", `: ${number(total)}, the first ${number(items.length)} shown`));
    else if (total > 3) heading.append(make("i", "", `: ${number(total)}`));
    section.append(heading);
    if (!items.length) { section.append(make("p", "hint", none)); return section; }
    const chips = make("div", "chips");
    for (const item of items) {
      const there = item.id !== null;
      const chip = make(there ? "button" : "span", there ? "chip" : "chip none");
      if (item.encoding) {
        const of = make("span", "of", item.encoding);
        of.style.setProperty("--e", hueOf(item.hue));
        chip.append(of);
      } else {
        const word = make("b", "mono show-space");
        word.classList.toggle("hex", !writeToken(word, fromHex(item.bytes)));
        chip.append(word);
      }
      chip.append(make("small", "", there ? String(item.id) : "no single token"));
      if (there) chip.onclick = () => this.go(item.encoding ?? this.data.encoding, item.id);
      chips.append(chip);
    }
    section.append(chips);
    return section;
  }

  destroy() {}
}
