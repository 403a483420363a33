// The playground's editor and panels. Python computes everything; this draws it, and sends what the person
// does.
// A person's text only ever becomes a text node, an attribute value or a textarea's value.
//
//   text_input     the textarea, pasting, files     panel         draws one encoding: metrics and tokens
//   connection     requests to the server           chunks        cuts a panel's tokens into chunks to paint
//   wire           unpacks an answer                spotlight     highlights, marks and pins
//   frame          counts, notes, choosers          inspector     the pinned token
//   pager          pages of a long text             explain       explanations of terms
//   toolbar        samples, switches, view, size    meanwhile     collects keys while there is no editor
//   link           the link in the URL              chooser       the list of models to choose from
//   introduction   what a first visit is shown      projector     large type, and a key to step
//   shared_state   what browser and server both change
//
// A key: TextInput -> Editor.typed -> Connection.ask -> the server (encode_route.py) -> Connection.useAnswer
// -> Editor.draw -> Editor.drawPanels -> Panel.update. Each file names the next step at its top.

import { commonEnds, utf8Length } from "../common/bytes.js";
import { colourOf } from "../common/colours.js";
import { bytesInWords, copyText } from "../common/dom.js";
import { DrawnText } from "../common/drawn_text.js";
import { isolate } from "../common/letters.js";
import { Chooser } from "./chooser.js";
import { Connection } from "./connection.js";
import { Explainer } from "./explain.js";
import { Frame } from "./frame.js";
import { drawInspector } from "./inspector.js";
import { Introduction } from "./introduction.js";
import { Link } from "./link.js";
import { Pager } from "./pager.js";
import { Panel, countTokens } from "./panel.js";
import { Projector } from "./projector.js";
import { SharedState } from "./shared_state.js";
import { Spotlight } from "./spotlight.js";
import { TextInput } from "./text_input.js";
import { Toolbar } from "./toolbar.js";

/**
 * @typedef {import("./shared_state.js").Fields} Fields
 * @typedef {import("./wire.js").Answer} Answer
 */

const MOST_COLUMNS = 4; // of panels

/**
 * Where the pinned byte is after an edit; null if it was in the part that was replaced.
 * @param {import("./shared_state.js").Pin} pin
 * @param {string} old
 * @param {string} text
 */
export function followPin(pin, old, text) {
  const [before, after] = commonEnds(
    old.length,
    text.length,
    (i, j) => old.charCodeAt(i) === text.charCodeAt(j),
  );
  const first = utf8Length(old, 0, before);
  const removed = utf8Length(old, before, old.length - after);
  if (pin.start < first) return pin;
  const start = pin.start - removed + utf8Length(text, before, text.length - after);
  return pin.start < first + removed ? null : { ...pin, start };
}

export default class Editor {
  /** @type {import("../common/mount.js").Tell} */
  sendEvent;

  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    /** @type {Map<string, Panel>} */
    this.panels = new Map(); // by encoding
    this.state = new SharedState();
    this.pinMoved = false; // whether the person pinned another token since the inspector was drawn
    /** @type {DrawnText | null} */
    this.drawn = null;
    this.touched = false; // whether the person changed anything
    this.input = new TextInput(root, this);
    this.spotlight = new Spotlight(root, this);
    this.toolbar = new Toolbar(root, this);
    this.chooser = new Chooser(root, this);
    this.frame = new Frame(root, this);
    this.explainer = new Explainer(root);
    this.pager = new Pager(this.$(".pager"), (page) => this.change({ page }));
    this.link = new Link();
    this.introduction = new Introduction(root);
    this.projector = new Projector(root, this);
    this.connection = new Connection(this);
    this.listen();
  }

  listen() {
    this.$("[data-do=open]").onclick = () => this.input.chooseFile();
    const link = this.$("[data-do=link]");
    for (const kind of ["pointerenter", "pointerdown", "focus"])
      link.addEventListener(kind, () => this.link.prepare(this.shown));
    link.onclick = () => this.copyLink(link);
    this.$("[data-do=edit-page]").onclick = () => this.replaceText({ action: "edit_page" });
    this.$("[data-do=back]").onclick = () => this.replaceText({ action: "back" });
    this.$("[data-do=clear]").onclick = () => this.clear();
    const add = this.$("[data-do=add]");
    add.onclick = () =>
      this.chooser.open(add, (name) => this.setEncodings([...this.settings.encodings, name]));
    this.$("[data-do=more]").onclick = () => this.toolbar.showMore(this.$(".switches").hidden);
    // Scroll the others with the panel that is scrolled.
    this.$(".panels").addEventListener(
      "scroll",
      ({ target }) => {
        if (!this.settings.scrolls_together || !target.matches(".tokens:is(:hover, :focus)")) return;
        const share = target.scrollTop / (target.scrollHeight - target.clientHeight);
        for (const { tokens } of this.panels.values())
          if (tokens !== target) tokens.scrollTop = share * (tokens.scrollHeight - tokens.clientHeight);
      },
      true,
    );
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.pin) this.unpin();
    });
  }

  // The newest answer, which is drawn.
  get answer() {
    return this.connection.answer;
  }

  // The data of the page's newest run, which no key changes: samples, encodings, limits.
  get data() {
    return this.connection.data;
  }

  // The fields of the state: encodings, view, switches, and more. They are changed by change() alone.
  get settings() {
    return this.state.fields;
  }

  // The pinned token: {encoding, start}, by the byte at which it begins; or null.
  get pin() {
    return this.state.fields.pin;
  }

  // Whether only the server has the text: it is long, and the editor shows a page of it, or it is on its way.
  get isPaged() {
    return this.state.fields.text === null;
  }

  // Whether the answer to a replacement of the text has not come yet.
  get awaitsText() {
    return this.isPaged && this.answer?.state.versions.text !== this.state.versions.text;
  }

  // What the person does

  typed(before) {
    this.frame.lesson = null;
    this.spotlight.clear();
    const { text } = this.input;
    const pin = this.pin && followPin(this.pin, before, text);
    this.change(pin === this.pin ? { text } : { text, pin });
  }

  /**
   * Change fields of the state, and request an answer. Next: Connection.ask.
   * @param {Partial<Fields>} fields
   */
  change(fields) {
    this.touched = true;
    this.frame.refusal = null;
    this.state.change(fields);
    this.connection.ask();
  }

  /**
   * Replace the text: see replace_text in pages/session/editor_request.py.
   * @param {object} replacement
   * @param {string} replacement.action
   * @param {string} [replacement.value]
   * @param {BodyInit} [replacement.body]
   * @param {string | null} [replacement.text] null: only the server will know it
   */
  replaceText({ action, value = "", body = "", text = null }) {
    this.frame.lesson = this.frame.refusal = null;
    this.touched = true;
    const version = this.state.change({ text });
    this.showText();
    this.connection.replace({ action, value, body, version });
  }

  // The server refused a replacement: have the text that it has.
  askForText() {
    this.replaceText({ action: "keep" });
  }

  // Why a key does nothing.
  hintAtText() {
    if (this.awaitsText) this.frame.showNotes([{ text: "The new text is on its way.", error: false }]);
    else
      this.frame.refuse(
        "A long text cannot be edited here. Choose “Edit this page alone” or Clear, or paste another text.",
      );
  }

  clear() {
    this.replaceText({ action: "clear", text: "" });
    this.$(".input").focus();
  }

  set(key, value) {
    if (this.settings[key] === value) return;
    this.change({ [key]: value });
    this.toolbar.show(this.settings);
    if (key === "view") for (const panel of this.panels.values()) if (panel.data) panel.redraw(panel.data);
  }

  insertSample(text, lesson) {
    this.touched = true;
    if (this.isPaged) return this.replaceText({ action: "paste", body: text, text });
    this.input.replaceAll(text);
    this.frame.teach(lesson);
  }

  setEncodings(names) {
    this.set("encodings", names);
  }
  replaceEncoding(from, to) {
    this.setEncodings(this.settings.encodings.map((name) => (name === from ? to : name)));
  }
  removeEncoding(name) {
    const at = this.settings.encodings.indexOf(name);
    const names = this.settings.encodings.filter((other) => other !== name);
    const next = this.panels.get(names[Math.min(at, names.length - 1)]);
    (next?.buttons.remove ?? this.$("[data-do=add]"))?.focus(); // the pressed button disappears
    this.setEncodings(names);
  }
  moveEncoding(name, step) {
    const names = [...this.settings.encodings];
    const at = names.indexOf(name);
    [names[at], names[at + step]] = [names[at + step], names[at]];
    this.setEncodings(names);
  }

  togglePin(panel, index) {
    if (!panel.data) return; // its tokens are being counted
    const start = this.drawn.start + panel.data.byteStart(panel.data.pinnable(index));
    this.setPin(
      this.pin?.encoding === panel.name && this.pin.start === start ? null : { encoding: panel.name, start },
    );
  }

  unpin() {
    // The focus goes from the inspector, which disappears, to the tokens.
    if (this.root.getRootNode().activeElement?.closest(".inspector"))
      this.panels.get(this.pin.encoding)?.tokens.focus({ preventScroll: true });
    this.setPin(null);
  }

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
    this.pinMoved = pin !== null;
    this.change({ pin });
    this.spotlight.markPins();
  }

  async copyLink(button) {
    const made = this.link.prepare(this.shown);
    const isReady = made.link !== null;
    const { href, hasText } = made.link ?? (await made.promise);
    const tell = (...notes) => {
      this.explainer.tell(button, notes);
      this.frame.say(notes.join(" "));
    };
    if (!hasText) {
      return tell(
        "This text is too long for a link, which holds about 6 KB compressed. Link to a part of it, or " +
          "export the tokens. (This browser saves the text, so a reload restores it.)",
      );
    }
    // A link to 127.0.0.1 would lead everybody else to their own computer.
    const link = this.data.url ? this.data.url + "/" + new URL(href).search : href;
    if (!(await copyText(link))) {
      return tell(
        isReady ? "Your browser did not allow copying." : "The link is ready now. Press “Copy link” again.",
      );
    }
    this.frame.flash(button, "Copied", "Link copied");
    const own = Object.entries(this.own)
      .filter(([, mark]) => !mark.includes("~")) // those with a recipe can be trained anywhere
      .map(([name]) => `“${isolate(name)}”`);
    const notes = [];
    if (!this.data.url) {
      notes.push(
        "This link works on this computer only. To share links, start Token Grove for a class, as its " +
          "README says.",
      );
    }
    if (own.length) {
      notes.push(
        `${own.join(", ")} ${own.length === 1 ? "is" : "are"} on this computer only: send ` +
          `${own.length === 1 ? "its file" : "their files"} (Download, on the page “Add a tokenizer”), or ` +
          `a bundle, below.`,
      );
    }
    if (notes.length) tell("Link copied.", ...notes);
  }

  // What a link holds of the chosen encodings that do not come with the app, by name.
  get own() {
    return Object.fromEntries(
      this.settings.encodings
        .filter((name) => name in this.data.own)
        .map((name) => [name, this.data.own[name]]),
    );
  }

  // For the connection

  /** @param {import("./connection.js").Data} data */
  receive(data) {
    this.input.liveBytes = data.live_bytes;
    this.input.maxBytes = data.max_bytes;
    this.$("[data-do=open]").title =
      `Open a text file of up to ${bytesInWords(data.max_bytes)}, best in UTF-8.`;
    this.toolbar.showSamples(data.samples);
    this.toolbar.showLesson(data.lessons);
    if (data.introduction) this.introduction.receive(data.introduction, data.is_welcome);
    this.connection.receive(data);
    this.chooser.fill();
  }

  /**
   * The state as links hold it.
   * @returns {import("./link.js").LinkState}
   */
  get shown() {
    const { text, pin, page, ...settings } = this.state.fields;
    return { text, settings, pin, page, own: this.own };
  }

  // The state that the tab remembers over a reload; null: the server, or a link, has it.
  get draft() {
    if (!this.touched) return null;
    const unsent = this.connection.outbox.findLast(({ state }) => typeof state?.fields.text === "string");
    return this.isPaged ? (unsent?.state ?? null) : this.state.copy();
  }

  /**
   * Take what is newer from a message of the server; returns the names of the fields that have changed.
   * @param {import("./shared_state.js").State} message
   */
  adopt(message) {
    this.touched ||= !this.data.is_welcome;
    const changed = this.state.merge(message);
    if (changed.includes("text")) this.showText();
    return changed;
  }

  /**
   * Show a state that this tab had before.
   * @param {Partial<Fields>} fields
   */
  restore(fields) {
    this.touched = true;
    this.state.change(this.withoutUnknown(fields));
    this.showText();
  }

  /**
   * Go on with the state of the editor that the page had before.
   * @param {SharedState} state
   */
  continueWith(state) {
    this.touched = true;
    this.state = state;
    this.showText();
  }

  showText() {
    const { text } = this.state.fields;
    if (text !== null) this.input.set(text);
    this.$(".input").readOnly = text === null;
  }

  /**
   * The server was restarted, and knows neither the state nor the replacements of the text that wait.
   * @param {import("./connection.js").Data} data
   * @param {import("./connection.js").Outgoing[]} replacements
   */
  startOver(data, replacements) {
    const fields = { ...this.state.fields, page: data.state.fields.page };
    this.state = new SharedState();
    this.state.merge(data.state);
    if (fields.text === null && !replacements.length) {
      this.frame.refuse(
        "The server was restarted. If this browser saved the long text, it will be back in a moment. If " +
          "not, open it again.",
      );
      Object.assign(fields, { text: data.state.fields.text, pin: data.state.fields.pin });
    }
    for (const request of replacements) request.version = this.state.change({ text: null });
    this.restore(fields);
    if (replacements.length && fields.text === null) replacements.at(-1).version = this.state.versions.text;
  }

  withoutUnknown(settings) {
    const known = new Set(this.data.available.map(({ name }) => name));
    return { ...settings, encodings: settings.encodings.filter((name) => known.has(name)) };
  }

  // Drawing

  /**
   * Draw an answer, maybe to an older state. Next for a key: drawPanels.
   * @param {Answer} answer
   * @param {boolean} isEdit its text is another one than before
   */
  draw(answer, isEdit) {
    this.edited = isEdit;
    this.pager.update(answer.page, this.settings.page, answer.bytes);
    const textVersion = answer.state.versions.text;
    const isNewest = textVersion === this.state.versions.text;
    const pageKey = answer.page ? `${textVersion}.${answer.page.number}` : null;
    if (this.isPaged && isNewest) this.input.set(answer.text);
    if (pageKey !== this.pageKey) for (const panel of this.panels.values()) panel.tokens.scrollTop = 0;
    this.pageKey = pageKey;
    this.drawn = new DrawnText(answer.text, answer.arrays[""].clusters, answer.page?.start ?? 0);
    this.toolbar.show(this.settings);
    this.frame.draw(answer);
    this.drawPanels(answer);
    this.drawInspector(answer.inspector);
    if (this.touched) this.link.follow(() => this.shown);
  }

  /**
   * An encoding as the choosers show it, and the first model that uses it.
   * @param {string} name
   * @returns {Partial<import("./chooser.js").Choice> & {model: string}}
   */
  choiceOf(name) {
    const choice = this.data.available.find((each) => each.name === name) ?? {
      hue: "",
      about: "",
      models: name,
      name,
    };
    return { ...choice, model: choice.models.split(", ")[0] };
  }

  /**
   * Next for a key: Panel.update in panel.js.
   * @param {Answer} answer
   */
  drawPanels(answer) {
    const box = this.$(".panels");
    // Having few tokens is no advantage if part of the text is lost.
    const counted = answer.panels.filter((info) => info.best_of);
    const best = counted.length ? Math.min(...counted.map(countTokens)) : 0;
    const bestWord = answer.panels.some((info) => info.losses && countTokens(info) <= best)
      ? "fewest, nothing lost"
      : "fewest";
    const names = new Set(answer.panels.map((info) => info.name));
    for (const [name, panel] of this.panels)
      if (!names.has(name)) {
        panel.destroy();
        this.panels.delete(name);
      }
    this.spotlight.clear();
    const drawn = box.getElementsByClassName("panel");
    for (const [position, info] of answer.panels.entries()) {
      let panel = this.panels.get(info.name);
      if (!panel) this.panels.set(info.name, (panel = new Panel(this, info.name)));
      if (drawn[position] !== panel.root) box.insertBefore(panel.root, drawn[position] ?? null);
      panel.update(
        { ...info, ...answer.arrays[info.name] },
        answer,
        { best, bestWord },
        position,
        answer.panels.length,
      );
    }
    box.dataset.count = answer.panels.length;
    box.style.setProperty(
      "--columns",
      Math.ceil(answer.panels.length / Math.ceil(answer.panels.length / MOST_COLUMNS)) || 1,
    );
    this.spotlight.markPins();
    this.spotlight.select();
  }

  /** @param {import("./inspector.js").Facts | null} facts */
  drawInspector(facts) {
    const box = this.$(".inspector");
    const isCounting = this.answer.panels.some(
      ({ name, counting }) => name === this.pin?.encoding && counting,
    );
    this.spotlight.markPins();
    box.classList.toggle("counting", isCounting);
    box.setAttribute("aria-busy", isCounting);
    if (isCounting) return; // the facts for the old text stay for a moment, dimmed
    box.hidden = !facts;
    this.$(".unpinned").hidden = Boolean(facts) || ![...this.panels.values()].some((panel) => panel.n);
    this.$(".parts").hidden = Boolean(facts) || !this.$(".lanes");
    if (!facts) return;
    const panel = this.panels.get(facts.encoding);
    // Seen below all panels, it comes after its own for the Tab key.
    if (panel.root.nextElementSibling !== box) panel.root.after(box);
    const place = facts.start - this.drawn.start;
    const [token] = place < 0 ? [-1] : panel.data.overlapping(place, place + 1);
    const isHere = token >= 0 && token < panel.n; // it may be on another page
    drawInspector(box, facts, {
      colour: isHere ? panel.data.colours[token] : colourOf(facts.token_id),
      isMoved: this.pinMoved,
      steps: [-1, 1].map((direction) => isHere && panel.neighbour(token, direction) >= 0),
      step: (direction) => this.stepPin(direction),
      hue: (name) => this.choiceOf(name).hue,
      model: (name) => this.choiceOf(name).model,
      unpin: () => this.unpin(),
      openBiography: () => this.sendEvent({ go: "biography", encoding: facts.encoding, id: facts.token_id }),
    });
    const block = this.root.querySelector(".pin");
    // The inspector stands over the panels' end where they are longer than the window.
    if (this.pinMoved && isHere && block?.getBoundingClientRect().bottom > box.getBoundingClientRect().top)
      block.scrollIntoView({ block: "center" });
    this.pinMoved = false;
  }

  destroy() {
    this.projector.destroy(); // before the connection, which sends and remembers the text
    this.connection.destroy();
    this.input.destroy();
    this.spotlight.destroy();
    this.link.destroy();
    for (const panel of this.panels.values()) panel.destroy();
  }
}
