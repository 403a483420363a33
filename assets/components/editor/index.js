// The playground's editor and panels. Python computes everything that is shown; this draws it and says what the
// person does. A person's text only ever becomes a text node, an attribute value or a textarea's value.
//
//   talk           what is said to Python, and comes back   panel         one encoding: figures and tokens, drawn
//   conversation   one message under way at a time          panel_tokens  where its tokens stand
//   wire           an answer of Python, unpacked            chunks        a panel's tokens in stretches to paint
//   drawn_text     the text that is drawn                   spotlight     what is lit, marked and pinned
//   text_input     the textarea, pasting, files             inspector     the pinned token
//   frame          counts, notes, what is around panels     link          the address of all that
//   pager          pages of a long text                     guides        notes for the first visit
//   toolbar        samples, switches, view, size            explain       what the words mean
//   short_way      a message that needs no run of the page
//   draft          what was typed just before a reload      meanwhile     and while there is no editor

import { colourOf } from "../common/colours.js";
import { copyText } from "../common/dom.js";
import { DrawnText } from "./drawn_text.js";
import { Explainer } from "./explain.js";
import { Frame } from "./frame.js";
import { Guides } from "./guides.js";
import { drawInspector } from "./inspector.js";
import { Link } from "./link.js";
import { Pager } from "./pager.js";
import { Panel, countTokens } from "./panel.js";
import { Spotlight } from "./spotlight.js";
import { Talk } from "./talk.js";
import { TextInput } from "./text_input.js";
import { Toolbar } from "./toolbar.js";

// The one thing to try, beside the question that the page answers.
const TRY = {
  text: "strawberry strawberry Strawberry STRAWBERRY",
  hint: "One word, four times: in most encodings, the space before it or a capital makes other tokens of it.",
};

export default class Editor {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.panels = new Map(); // by encoding
    this.order = []; // of the encodings, as the person wants them
    this.settings = null;
    this.pin = null; // {encoding, start}: the pinned token, by the byte at which it begins
    this.drawn = null;
    this.input = new TextInput(root, this);
    this.spotlight = new Spotlight(root, this);
    this.toolbar = new Toolbar(root, this);
    this.frame = new Frame(root, this);
    this.explainer = new Explainer(root);
    this.guides = new Guides(root, this);
    this.pager = new Pager(this.$(".pager"), () => this.ask());
    this.link = new Link();
    this.talk = new Talk(this);
    this.listen();
  }

  listen() {
    this.$("[data-do=open]").onclick = () => this.input.chooseFile();
    this.$("[data-do=link]").onclick = (event) => this.copyLink(event.currentTarget);
    this.$("[data-do=edit-page]").onclick = () => this.act({ kind: "edit_page" });
    this.$("[data-do=back]").onclick = () => this.act({ kind: "go_back" });
    this.$("[data-do=clear]").onclick = () => this.clear();
    this.$("[data-do=try]").onclick = () => this.insertSample(TRY.text, TRY.hint);
    this.root.addEventListener("keydown", (event) => { if (event.key === "Escape" && this.pin && !this.explainer.isOpen) this.unpin(); });
  }

  // The newest answer that is drawn.
  get header() { return this.talk.header; }

  // What the person does

  typed() {
    this.frame.lesson = null;
    if (!this.isSample) this.guides.close("text");
    this.talk.textChanged = true;
    this.spotlight.clear();
    this.ask();
  }

  bringLong(sent) { this.frame.lesson = null; this.act({ kind: "long_text", ...sent }); }
  clear() {
    this.frame.lesson = null;
    this.touched = true;
    this.act({ kind: "clear" });
    this.$(".input").focus();
  }
  openFile(name, data) { this.act({ kind: "file", name, data }); }
  scrolled() { this.spotlight.drawMarks(); }
  takenAway(start, end) { this.talk.takenAway(start, end); }
  act(action) {
    this.frame.refusal = null;
    this.talk.act(action);
  }

  // The person changed something that Python has to know.
  ask() {
    this.frame.refusal = null;
    this.talk.ask();
  }

  set(key, value) {
    if (this.settings[key] === value) return;
    this.settings[key] = value;
    this.touched = true;
    this.toolbar.show(this.settings);
    if (key === "view") for (const panel of this.panels.values()) if (panel.data) panel.redraw(panel.data);
    this.ask();
  }

  insertSample(text, lesson) {
    this.touched = true;
    if (this.header.page) return this.act({ kind: "long_text", text });
    this.isSample = true;
    this.input.replaceAll(text);
    this.isSample = false;
    this.frame.teach(lesson);
  }

  setEncodings(names) { this.order = names; this.set("encodings", names); }
  replaceEncoding(from, to) { this.setEncodings(this.order.map((name) => (name === from ? to : name))); }
  removeEncoding(name) {
    const at = this.order.indexOf(name);
    const names = this.order.filter((other) => other !== name);
    const next = this.panels.get(names[Math.min(at, names.length - 1)]);
    (next?.buttons.remove ?? this.$(".add select"))?.focus(); // the button that was pressed goes away
    this.setEncodings(names);
  }
  moveEncoding(name, step) {
    const names = [...this.order];
    const at = names.indexOf(name);
    [names[at], names[at + step]] = [names[at + step], names[at]];
    this.setEncodings(names);
  }

  // Where a note that the keyboard closed pointed to.
  focusOn(name) {
    const heirs = { text: ".input", tokens: ".tokens", click: ".tokens" };
    this.$(heirs[name])?.focus();
  }

  hover(panel, index, event) { this.spotlight.hover(panel, index, event); }

  togglePin(panel, index) {
    if (!panel.data) return; // its tokens are being counted
    const start = this.drawn.start + panel.data.byteStart(panel.data.pinnable(index));
    this.setPin(this.pin?.encoding === panel.name && this.pin.start === start ? null : { encoding: panel.name, start });
  }

  unpin() { this.setPin(null); }

  // Pin the neighbour of the pinned token, in its panel.
  stepPin(direction) {
    const panel = this.panels.get(this.pin.encoding);
    if (!panel?.data) return;
    const place = this.pin.start - this.drawn.start;
    const next = panel.neighbour(panel.data.overlapping(place, place + 1)[0], direction);
    if (next < 0) return;
    panel.reveal(next);
    this.setPin({ encoding: panel.name, start: this.drawn.start + panel.data.byteStart(next) });
  }

  setPin(pin) {
    this.touched = true;
    this.pin = pin;
    this.talk.pinChanged = true;
    if (pin) this.guides.close("click");
    this.spotlight.markPins();
    this.ask();
  }

  async copyLink(button) {
    if (!this.header.link_has_text) {
      return this.refuse("This text is too long for a link, which holds about 6 KB compressed. Export the tokens instead, or link to a part of it. (After a reload it is here again, as long as this browser keeps it.)");
    }
    this.flash(button, (await copyText(await this.link.address(this.header, this.drawn.text))) ? "Link copied" : "Copying was not allowed");
  }

  // Drawing

  receive(data) { this.talk.receive(data); }

  // answer: as Conversation.receive gives it.
  draw(header, text, answer) {
    this.edited = answer.edited;
    this.pager.update(header.page, answer.settled, header.bytes);
    this.drawn = new DrawnText(text, header.clusters, header.page?.start ?? 0);
    this.toolbar.show(this.settings);
    this.toolbar.showSamples(header.samples);
    this.frame.draw(header);
    this.drawPanels(header);
    this.drawInspector(header.inspector);
    this.link.keep(header, text, this.touched);
  }

  showBusy(isBusy) { this.frame.showBusy(isBusy); }
  refuse(text) { this.frame.refuse(text); }
  flash(button, text, title) { this.frame.flash(button, text, title); }
  say(text) { this.frame.say(text); }

  // The number of an encoding's hue; Python says which.
  hueNumber(name) { return this.header.available.find((encoding) => encoding.name === name)?.hue ?? 0; }

  // What it is, or which models use it.
  aboutOf(name) { return this.header.available.find((encoding) => encoding.name === name)?.about ?? ""; }

  drawPanels(header) {
    const box = this.$(".panels");
    // Having few tokens is no advantage if part of the text is lost.
    const counted = header.panels.filter((info) => info.best_of);
    const best = counted.length ? Math.min(...counted.map(countTokens)) : 0;
    const names = new Set(header.panels.map((info) => info.name));
    for (const [name, panel] of this.panels) if (!names.has(name)) { panel.destroy(); this.panels.delete(name); }
    this.spotlight.clear();
    for (const [position, info] of header.panels.entries()) {
      let panel = this.panels.get(info.name);
      if (!panel) this.panels.set(info.name, (panel = new Panel(this, info.name)));
      if (box.children[position] !== panel.root) box.insertBefore(panel.root, box.children[position] ?? null);
      panel.update(info, header, best, position, header.panels.length);
    }
    this.$("[data-switch=adds_frame]").hidden = !header.has_frames; // none of these encodings has such tokens
    this.spotlight.markPins();
    this.spotlight.select();
  }

  drawInspector(facts) {
    const box = this.$(".inspector");
    const isCounting = this.header.panels.some((info) => info.counting && info.name === this.pin?.encoding);
    if (!this.talk.pinChanged && !isCounting) this.pin = facts ? { encoding: facts.encoding, start: facts.start } : null;
    this.spotlight.markPins();
    box.classList.toggle("counting", isCounting);
    box.setAttribute("aria-busy", isCounting);
    if (isCounting) return; // what stands there stays for a moment, dimmed: it is of the text before
    box.hidden = !facts;
    this.$(".unpinned").hidden = Boolean(facts) || ![...this.panels.values()].some((panel) => panel.n);
    if (!facts) return;
    const panel = this.panels.get(facts.encoding);
    const place = facts.start - this.drawn.start;
    const [token] = place < 0 ? [-1] : panel.data.overlapping(place, place + 1);
    const isHere = token >= 0 && token < panel.n; // it may be on another page
    drawInspector(box, facts, {
      colour: isHere ? panel.data.colours[token] : colourOf(facts.token_id),
      steps: [-1, 1].map((direction) => isHere && panel.neighbour(token, direction) >= 0),
      step: (direction) => this.stepPin(direction),
      hue: (name) => this.hueNumber(name),
      unpin: () => this.unpin(),
      openBiography: () => this.act({ kind: "biography", encoding: facts.encoding, id: facts.token_id }),
    });
  }

  destroy() {
    this.talk.destroy();
    this.input.destroy();
    this.spotlight.destroy();
    this.link.destroy();
    for (const panel of this.panels.values()) panel.destroy();
  }
}
