// The playground's editor and panels. Python computes everything that is shown; this draws it and says what the
// person does. A person's text only ever becomes a text node, an attribute value or a textarea's value.
//
//   wire           an answer of Python, unpacked        panel         one encoding: figures and tokens, drawn
//   conversation   messages to Python and answers       panel_tokens  where its tokens stand
//   drawn_text     the text that is drawn               chunks        a panel's tokens in stretches to paint
//   text_input     the textarea, pasting, files         spotlight     what is lit, marked and pinned
//   pager          pages of a long text                 inspector     the pinned token
//   toolbar        samples, switches, view, size        link          the address of all that
//   explain        what the words mean                guides        notes for the first visit
//   short_way      a message that needs no run of the page
//   draft          what was typed just before a reload   meanwhile     and while there is no editor

import { colourOf } from "../common/colours.js";
import { copyText, inGroups, make, plural } from "../common/dom.js";
import { Conversation } from "./conversation.js";
import { dropDraft, findDraft, leaveDraft } from "./draft.js";
import { DrawnText } from "./drawn_text.js";
import { Explainer } from "./explain.js";
import { Guides } from "./guides.js";
import { drawInspector } from "./inspector.js";
import { Link } from "./link.js";
import { Meanwhile } from "./meanwhile.js";
import { Pager } from "./pager.js";
import { Panel, countTokens } from "./panel.js";
import { ShortWay } from "./short_way.js";
import { Spotlight } from "./spotlight.js";
import { TextInput } from "./text_input.js";
import { Toolbar } from "./toolbar.js";
import { Answers } from "./wire.js";

// The one thing to try, beside the question that the page answers.
const TRY = {
  text: "strawberry strawberry Strawberry STRAWBERRY",
  hint: "One word, four times: in most encodings, the space before it or a capital makes other tokens of it.",
};

// Milliseconds without a key, after which the rest of the page is told what was typed.
const TELL_PAGE_AFTER = 500;

// Milliseconds after which panels that are still being counted are asked for again.
const ASK_AGAIN_AFTER = 150;

// What was typed and not heard when the page was taken away: by a reload, or by a server that was started anew and
// first brings back what this browser keeps.
let unheard = findDraft();

// What is typed until there is an editor again; null: the caret was elsewhere when it was taken away.
let meanwhile = null;

// Whether an answer differs by its number alone: what did not change in it is the same object.
function saysTheSame(header, other) {
  const keys = Object.keys(header);
  return keys.length === Object.keys(other).length && keys.every((key) => key === "seq" || header[key] === other[key]);
}

export default class Editor {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.panels = new Map(); // by encoding
    this.order = []; // of the encodings, as the person wants them
    this.settings = null;
    this.pin = null; // {encoding, start}: the pinned token, by the byte at which it begins
    this.drawn = null;
    this.isAskingAgain = false; // whether panels that were being counted are ready
    this.input = new TextInput(root, this);
    this.spotlight = new Spotlight(root, this);
    this.toolbar = new Toolbar(root, this);
    this.explainer = new Explainer(root);
    this.guides = new Guides(root, this);
    this.pager = new Pager(this.$(".pager"), () => this.ask());
    this.answers = new Answers();
    this.conversation = new Conversation(this, (message, again) => this.send(message, again));
    this.shortWay = new ShortWay();
    this.link = new Link();
    this.leaver = () => this.leave();
    addEventListener("pagehide", this.leaver);
    this.listen();
  }

  listen() {
    this.$(".guess-charset").addEventListener("change", (event) => this.act({ kind: "read_as", charset: event.target.value }));
    this.$("[data-do=open]").onclick = () => this.input.chooseFile();
    this.$("[data-do=link]").onclick = (event) => this.copyLink(event.currentTarget);
    this.$("[data-do=edit-page]").onclick = () => this.act({ kind: "edit_page" });
    this.$("[data-do=back]").onclick = () => this.act({ kind: "go_back" });
    this.$("[data-do=clear]").onclick = () => this.clear();
    this.$("[data-do=try]").onclick = () => this.insertSample(TRY.text, TRY.hint);
    this.root.addEventListener("keydown", (event) => { if (event.key === "Escape" && this.pin && !this.explainer.isOpen) this.unpin(); });
  }

  // What the person does

  typed() {
    this.lesson = null;
    if (!this.isSample) this.guides.close("text");
    this.textChanged = true;
    this.spotlight.clear();
    this.ask();
  }

  bringLong(text) { this.lesson = null; this.act({ kind: "long_text", text }); }
  clear() {
    this.lesson = null;
    this.touched = true;
    this.act({ kind: "clear" });
    this.$(".input").focus();
  }
  openFile(name, data) { this.act({ kind: "file", name, data }); }
  scrolled() { this.spotlight.drawMarks(); }
  takenAway(start, end) { if (this.draft) meanwhile = new Meanwhile(this.draft, start, end); }
  act(action) {
    this.refusal = null;
    this.conversation.act(action);
  }

  // The person changed something that Python has to know.
  ask() {
    this.refusal = null;
    this.conversation.push();
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
    this.lesson = lesson;
    this.showLesson();
    this.showNotes([]);
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
    this.pinChanged = true;
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

  // Talking to Python

  compose() {
    const fields = { ...this.settings, page: this.pager.number };
    if (this.textChanged) fields.text = this.input.text;
    if (this.pinChanged) fields.pin = this.pin; // otherwise Python moves it along with the text
    fields.holds = this.answers.newest; // Python tells what differs from it
    if (!Link.canBeMade) fields.wants_link = true;
    if (this.isAskingAgain) fields.asks_again = true; // the person did nothing: notes stay
    return { fields, text: this.input.text, units: (fields.text?.length ?? 0) + (this.header?.bytes ?? 0) };
  }

  // What is typed and looked at goes the short way. To the page goes what concerns more of it than the editor,
  // what found the short way closed, and what was not answered (again).
  async send(message, again) {
    clearTimeout(this.telling);
    this.shortWay.leave();
    const needsPage = again || message.action || this.header?.page || message.text?.length > this.input.liveBytes;
    if (!needsPage && this.shortWay.isOpen) {
      const bytes = await this.shortWay.ask(message);
      if (bytes === undefined) return;
      if (bytes) {
        this.telling = setTimeout(() => this.tellPage(), TELL_PAGE_AFTER);
        return this.receive(bytes);
      }
    }
    this.sendMessage(message);
  }

  // What stands below the panels follows the text. Nothing waits for the answer, which says nothing new.
  tellPage() {
    const { sent, seq, revision } = this.conversation;
    if (!sent) this.sendMessage({ seq, revision, ...this.compose().fields, action: null });
  }

  settle() {
    this.textChanged = this.pinChanged = false;
  }

  showBusy(isBusy) { this.$(".counts").classList.toggle("busy", isBusy); }

  receive(data) {
    const header = this.answers.unpack(data);
    if (header === undefined) return; // a newer one came the other way
    if (!header) return this.conversation.askForAll();
    this.shortWay.take(header.ticket);
    if (this.session && this.session !== header.session) return this.startOver(header);
    const typed = meanwhile?.stop();
    if (typed && typed.text !== typed.draft.text) unheard = { ...typed.draft, text: typed.text };
    const draft = unheard && !this.session && unheard.session !== header.session ? unheard : null;
    unheard = meanwhile = null;
    dropDraft();
    this.session = header.session;
    const isKnown = header.text !== undefined && header.revision === this.conversation.revision; // what was typed since counts
    const answer = this.conversation.receive(header, isKnown);
    if (!answer) return;
    if (header === this.header) return this.goOn(); // all of it is drawn
    if (answer.settled && header.seq === this.askedAgain && saysTheSame(header, this.header)) {
      this.header = header;
      return this.goOn();
    }
    this.input.liveBytes = header.live_bytes;
    this.input.maxBytes = header.max_bytes;
    if (!this.settings || answer.settled) { this.settings = { ...header.settings }; this.order = header.settings.encodings; }
    this.edited = answer.edited;
    const text = this.takeText(header, answer.text, isKnown);
    if (text === null) return;
    this.header = header;
    this.pager.update(header.page, answer.settled, header.bytes);
    this.drawn = new DrawnText(text, header.clusters, header.page?.start ?? 0);
    this.drawFrame(header);
    this.drawPanels(header);
    this.drawInspector(header.inspector);
    this.link.keep(header, text, this.touched);
    if (draft && !header.page) this.takeUp(draft); else this.goOn();
    if (typed) this.input.putCaret(typed);
  }

  goOn() {
    clearTimeout(this.asking);
    if (this.conversation.waiting) this.conversation.push();
    else if (this.header.panels.some((info) => info.counting))
      this.asking = setTimeout(() => this.askAgain(), ASK_AGAIN_AFTER);
  }

  askAgain() {
    const { conversation } = this;
    if (conversation.sent) return;
    this.isAskingAgain = !conversation.pending && !this.textChanged && !this.pinChanged;
    conversation.push();
    this.isAskingAgain = false;
    this.askedAgain = conversation.seq;
  }

  // The text that an answer is about, put into the editor if it is not there; null if Python has to send it
  // first.
  takeText(header, known, isKnown) {
    const { conversation } = this;
    const pageKey = header.page ? `${header.revision}.${header.page.number}` : null;
    let text = known;
    if (header.page) {
      ({ text } = header.page);
      if (this.pageKey !== pageKey) this.input.set(text);
      conversation.revision = header.revision;
    } else if (header.text !== undefined && !isKnown) {
      ({ text } = header);
      conversation.revision = header.revision;
      // What was typed while this was under way wins over an older text from Python. But a text that the
      // person asked for (a sample, a file, a link) wins over what was typed.
      this.textChanged = false;
      this.input.set(text);
    } else if (conversation.revision !== header.revision) {
      conversation.revision = null; // a new mount of an old session
      conversation.push();
      return null;
    }
    if (this.pageKey !== pageKey) for (const panel of this.panels.values()) panel.tokens.scrollTop = 0;
    this.pageKey = pageKey;
    this.input.accepted = conversation.acked = text;
    return text;
  }

  // The server was started anew, and knows nothing of this page: tell it what stands here.
  startOver(header) {
    this.session = header.session;
    this.conversation.startOver(header);
    this.input.liveBytes = header.live_bytes;
    this.input.maxBytes = header.max_bytes;
    if (this.header.page) this.refuse("The server was started anew. If this browser kept the long text, it comes back in a moment; if not, open it again.");
    else this.textChanged = true;
    this.pageKey = null;
    this.settings.encodings = this.settings.encodings.filter((name) => header.available.some((known) => known.name === name));
    this.conversation.push();
  }

  // The same, in an editor that stands here anew.
  takeUp(draft) {
    this.input.set(draft.text);
    this.settings = this.withoutUnknown(draft.settings);
    this.order = this.settings.encodings;
    this.typed();
  }

  withoutUnknown(settings) {
    return { ...settings, encodings: settings.encodings.filter((name) => this.header.available.some((known) => known.name === name)) };
  }

  // Drawing

  drawFrame(header) {
    this.toolbar.show(this.settings);
    this.toolbar.showSamples(header.samples);
    const { page } = header;
    const graphemes = header.graphemes !== undefined && header.graphemes !== header.chars ? ` · ${plural(header.graphemes, "grapheme")}` : "";
    this.$(".counts").textContent = `${plural(header.bytes, "byte")} · ${plural(header.chars, "character")}${graphemes}`;
    this.$(".input").readOnly = Boolean(page);
    this.root.classList.toggle("paged", Boolean(page));
    this.$("[data-do=back]").hidden = !header.can_go_back;
    this.$("[data-do=clear]").style.visibility = header.bytes ? "" : "hidden"; // its neighbours stay where they are
    this.showLesson();
    const notes = [...header.notes, ...(this.refusal ? [this.refusal] : [])];
    const carriage = this.input.returns.standIn;
    if (carriage && !page && this.input.text.includes("\r")) notes.push({ text: `${carriage} in the editor stands for a carriage return (\\r).`, error: false });
    this.showNotes(notes);
    this.drawGuess(header.guessed);
  }

  // The character set of a file was guessed, as the file does not name it: another one can be chosen here.
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

  // What a sample shows stands where the page says what it is.
  showLesson() {
    this.$(".lead").classList.toggle("taught", Boolean(this.lesson));
    this.$(".lesson").textContent = this.lesson ?? "";
  }

  showNotes(notes) {
    this.$(".notes").replaceChildren(...notes.map(({ text, error }) => make("p", error ? "error" : "", text)));
  }

  // Shown at once, and kept until the person does something else.
  refuse(text) {
    this.refusal = { text, error: true };
    this.showNotes([this.refusal]);
  }

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
    this.drawAdd(header);
    this.$("[data-switch=adds_frame]").hidden = !header.has_frames; // none of these encodings has such tokens
    this.spotlight.markPins();
    this.spotlight.select();
  }

  drawAdd(header) {
    const box = this.$(".add");
    const left = header.available.filter(({ name }) => !header.settings.encodings.includes(name));
    const key = left.map(({ name }) => name).join();
    this.$(".row").classList.toggle("empty", !header.settings.encodings.length);
    if (this.addKey === key) return;
    this.addKey = key;
    const chooser = make("select");
    chooser.setAttribute("aria-label", "Add an encoding");
    const groups = inGroups(left, ({ name, about }) => new Option(about ? `${name}: ${about}` : name, name));
    const bring = new Option("Bring your own, from a file…", "");
    chooser.append(new Option("Add an encoding", ""), ...groups, bring);
    chooser.onchange = () => {
      if (bring.selected) this.act({ kind: "bring" });
      else if (chooser.value) this.setEncodings([...this.order, chooser.value]);
    };
    box.querySelector("select")?.remove();
    box.append(chooser);
  }

  drawInspector(facts) {
    const box = this.$(".inspector");
    const isCounting = this.header.panels.some((info) => info.counting && info.name === this.pin?.encoding);
    if (!this.pinChanged && !isCounting) this.pin = facts ? { encoding: facts.encoding, start: facts.start } : null;
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

  // A button's answer, in its own place.
  flash(button, text, title) {
    const [oldText, oldTitle] = [button.dataset.text ?? button.textContent, button.title];
    button.dataset.text = oldText;
    button.textContent = text;
    if (title) button.title = title;
    this.say(title ?? text);
    clearTimeout(button.later);
    button.later = setTimeout(() => { button.textContent = oldText; button.title = oldTitle; }, 1600);
  }

  // For people who listen to the page.
  say(text) { this.$(".spoken").textContent = text; }

  get isUnheard() { return this.textChanged || this.conversation.waiting || this.conversation.sent?.text !== undefined; }
  get draft() { return this.settings && !this.header?.page ? { session: this.session, text: this.input.text, settings: this.settings } : null; }

  leave() {
    if (!this.settings) return; // no answer came yet: a draft stays where it is, for the next reload
    const { draft } = this;
    if (draft && (this.isUnheard || this.link.isBehind)) leaveDraft(draft); else dropDraft();
  }

  destroy() {
    const { draft } = this;
    if (draft && (this.isUnheard || this.link.isBehind)) unheard = draft;
    removeEventListener("pagehide", this.leaver);
    this.conversation.stop();
    clearTimeout(this.telling);
    clearTimeout(this.asking);
    this.shortWay.leave();
    this.input.destroy();
    this.spotlight.destroy();
    this.link.destroy();
    for (const panel of this.panels.values()) panel.destroy();
  }
}
