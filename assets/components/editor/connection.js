// Sends what the person does to the server: one request at a time, in order, until it was answered.
// A key: ask() -> send() -> work() -> encode_route.py: encode -> useAnswer() -> wire.js: unpack ->
// Editor.draw.
// The table at the top of encode_route.py says which of two texts stays.

import { forget, navigationType, recall, remember } from "../common/tab.js";
import { Meanwhile } from "./meanwhile.js";
import { unpack } from "./wire.js";

/**
 * What a run of the page sends, and no key changes: mount_data in answer.py.
 * @typedef {object} Data
 * @property {State} state
 * @property {string} ticket names the session's workspace
 * @property {string} note about the last file, link or refusal
 * @property {boolean} is_welcome whether the state is that of a first visit
 * @property {import("./chooser.js").Choice[]} available
 * @property {import("./chooser.js").Absent[]} absent
 * @property {Record<string, string>} own what links hold of encodings that do not come with the app, by name
 * @property {{label: string, hint: string, text: string}[]} samples
 * @property {{text: string, hint: string}[]} prepared texts to step through on a projector
 * @property {string[]} lessons their slugs, in order
 * @property {import("./introduction.js").Scenes | null} introduction null: a file of it is missing
 * @property {number} live_bytes a longer text is shown in pages
 * @property {number} max_bytes a longer text is refused
 * @property {string | null} url of the app for others; null: they cannot reach it
 */

/**
 * What is to be sent: a state, or a replacement of the text.
 * @typedef {object} Outgoing
 * @property {State} [state]
 * @property {boolean} [isOvertaken] whether the server has a newer text than the state
 * @property {{do: string, value: string}} [query] of a replacement: see replace_text in editor_request.py
 * @property {BodyInit} [body]
 * @property {number} [version] of the new text
 */

/**
 * What the server responded.
 * @typedef {object} Reply
 * @property {boolean} ok
 * @property {number} status
 * @property {string | null} type of the content
 * @property {Uint8Array} bytes
 */

/**
 * @typedef {import("./shared_state.js").State} State
 * @typedef {import("./wire.js").Answer} Answer
 */

const ADDRESS = new URL("../../../", import.meta.url).href; // under a sub-path, too
const DRAFT = "grove:state"; // the tab remembers the editor's state over a reload or a restart of the server
const BUSY_AFTER = 400; // milliseconds without an answer
const LOST_AFTER = 3000; // milliseconds without an answer
const TRY_AGAIN = [300, 2000]; // milliseconds after a request that failed: at first, and at most
const RERUN_AFTER = 500; // milliseconds without a key
const POLL_EVERY = 1000; // milliseconds, while panels of a long text are counting
const GIVE_UP_AFTER = 15000; // milliseconds without an answer to a state
const GIVE_UP_LONG_AFTER = 120000; // milliseconds without an answer to what takes long

const utf8 = new TextDecoder();

let meanwhile = null; // keys are collected until the editor is back
let left = null; // {ticket, state, outbox} of the editor that the page had before: what it had not sent yet

// Opening a link shows the link's state, and not an earlier draft.
if (navigationType() === "navigate") forget(DRAFT);

/**
 * The sentence about a refused request, for the page.
 * @param {Reply} reply
 */
function reasonOf({ type, status, bytes }) {
  const isOurs = type?.startsWith("text/plain") && status < 500;
  return isOurs ? utf8.decode(bytes).trim() : "The server did not answer. Try it again.";
}

/**
 * Whether another try may succeed: our server does not know the ticket, a proxy is too busy, or nothing
 * answers.
 * @param {Reply | null} reply
 */
const isWorthRetrying = (reply) =>
  reply === null || [404, 408, 429].includes(reply.status) || reply.status > 500;

/**
 * What a page run can change in the answers without a field of the state.
 * @param {Data} data
 */
const surroundings = ({ available, note }) => JSON.stringify([available, note]);

export class Connection {
  /**
   * @param {import("./index.js").default} editor of which it uses state, adopt, restore, continueWith,
   *   startOver, askForText, draw, draft, isPaged, input, projector, sendEvent, and frame for messages
   */
  constructor(editor) {
    this.editor = editor;
    // "idle"; "asking": a request is under way; "behind": and another waits; "lost": the last one failed.
    this.status = "idle";
    /** @type {Outgoing[]} */
    this.outbox = []; // what the server has not answered yet, in order
    /** @type {"" | "busy" | "lost"} */
    this.silence = ""; // how long there was no answer
    /** @type {Data | null} */
    this.data = null; // from the page's newest run
    /** @type {Answer | null} */
    this.answer = null; // the newest one, which is drawn
    /** @type {Answer | null} */
    this.counting = null; // whose slow panels are being counted
    this.retryAfter = TRY_AGAIN[0];
    addEventListener("pagehide", this.leave);
    addEventListener("online", this.wake);
    addEventListener("grove:reconnected", this.wake); // connection_note.js
  }

  /**
   * Use the data of a page run. It may be of another session, or older than what the person did.
   * @param {Data} data
   */
  receive(data) {
    const before = this.data;
    this.data = data;
    if (!before) this.begin(data);
    else if (before.ticket !== data.ticket) this.startOver(data);
    // Only the tools below changed.
    else if (!this.adopt(data.state).length && surroundings(before) === surroundings(data)) return;
    this.ask();
  }

  /** @param {Data} data */
  begin(data) {
    const { editor } = this;
    const draft = recall(DRAFT);
    const typed = meanwhile?.stop();
    forget(DRAFT);
    if (left?.outbox.length) {
      this.outbox = left.outbox.splice(0);
      editor.continueWith(left.state);
      if (left.ticket === data.ticket) editor.adopt(data.state);
      else this.startOver(data);
    } else {
      editor.adopt(data.state);
      // It is newer if it never reached this session.
      if (draft && draft.ticket === data.ticket) editor.adopt(draft.state);
      else if (draft) editor.restore(draft.state.fields);
    }
    if (typed) editor.restore(typed);
    if (meanwhile) editor.input.putCaret(meanwhile);
    left = meanwhile = null;
  }

  /**
   * The server was restarted: the new session gets what the editor has. Its versions begin anew.
   * @param {Data} data
   */
  startOver(data) {
    this.answer = null;
    // The others need the old one.
    this.outbox = this.outbox.filter(({ query }) => query?.do === "file" || query?.do === "paste");
    this.editor.startOver(data, this.outbox);
    this.wake();
  }

  /**
   * Take what is newer from a message; returns the names of the fields that have changed.
   * @param {State} message
   */
  adopt(message) {
    const changed = this.editor.adopt(message);
    const last = this.outbox.at(-1);
    if (last?.state && changed.includes("text")) last.isOvertaken = true; // the server sets its text aside
    return changed;
  }

  // Send the state, and have its answer drawn.
  ask() {
    this.send({ state: this.editor.state.copy() });
  }

  /**
   * Replace the text by a request of its own: of a long one, one of the server's, or on a projector.
   * @param {{action: string, value: string, body: BodyInit, version: number}} replacement
   */
  replace({ action, value, body, version }) {
    this.send({ query: { do: action, value }, body, version });
    this.ask();
  }

  /** @param {Outgoing} request */
  send(request) {
    clearTimeout(this.rerunTimer);
    const last = this.outbox.at(-1);
    // The newer state has what the older one has.
    if (last?.state && request.state && !last.isOvertaken) this.outbox.pop();
    this.outbox.push(request);
    if (this.silence === "lost") this.showSilence("lost");
    if (this.status === "idle") this.work();
    else if (this.status === "asking") this.status = "behind";
  }

  async work() {
    while (this.outbox.length) {
      const [request] = this.outbox;
      this.status = this.outbox.length > 1 ? "behind" : "asking";
      this.startWaiting();
      const reply = await this.request(request);
      if (!isWorthRetrying(reply)) {
        if (this.outbox[0] === request) this.outbox.shift();
        this.endWaiting();
        this.retryAfter = TRY_AGAIN[0];
        if (!reply.ok) this.refuse(request, reply);
        continue;
      }
      this.status = "lost";
      const isUnknown = reply?.status === 404; // the ticket, until the page runs with a new session
      if (isUnknown && !this.editor) break;
      await this.pause(isUnknown ? null : this.retryAfter);
      this.retryAfter = Math.min(2 * this.retryAfter, TRY_AGAIN[1]);
    }
    this.status = "idle";
  }

  /**
   * The reply; null: there is none, or it is not ours.
   * @param {Outgoing} request
   */
  async request(request) {
    try {
      return await (request.query ? this.replaceText(request) : this.encode(request));
    } catch (error) {
      reportError(error);
      return null;
    }
  }

  /**
   * Wait for so long, or until something happened that makes another try worthwhile.
   * @param {number | null} milliseconds
   * @returns {Promise<void>}
   */
  pause(milliseconds) {
    return new Promise((done) => {
      this.endPause = done;
      if (milliseconds !== null) setTimeout(done, milliseconds);
    });
  }

  wake = () => this.endPause?.();

  /** @param {Outgoing} request */
  async encode({ state }) {
    const held = this.answer;
    const { text, ...fields } = state.fields;
    const body = { ...fields, ...(text !== null && { text }), versions: state.versions, holds: held?.tag };
    const reply = await this.post("encode", JSON.stringify(body), { giveUpAfter: GIVE_UP_AFTER });
    if (reply?.ok && this.editor) this.useAnswer(reply, held, state);
    return reply;
  }

  /** @param {Outgoing} request */
  async replaceText({ query, body, version }) {
    const parameters = new URLSearchParams({ ...query, version: String(version) });
    const reply = await this.post(`text?${parameters}`, body);
    if (reply?.ok && this.editor) this.adopt(JSON.parse(utf8.decode(reply.bytes)));
    // Saving takes time from counting.
    setTimeout(() => window.dispatchEvent(new CustomEvent("grove:made")), POLL_EVERY);
    return reply;
  }

  /**
   * @param {Outgoing} request
   * @param {Reply} reply
   */
  refuse(request, reply) {
    if (!this.editor) return;
    const isTextAwaited = this.editor.state.versions.text === request.version;
    if (isTextAwaited && request.query.do !== "keep") {
      this.outbox = []; // states with the refused text
      this.editor.askForText();
    }
    this.editor.frame.refuse(reasonOf(reply));
  }

  /**
   * Draw an answer, which leaves out what its request held.
   * @param {Reply} reply
   * @param {Answer | null} held which the request named
   * @param {State} state of the request
   */
  useAnswer(reply, held, state) {
    const answer = unpack(reply.bytes, held);
    answer.state.fields = { ...state.fields, ...answer.state.fields };
    answer.state.versions = { ...state.versions, ...answer.state.versions };
    answer.text = answer.page?.text ?? answer.state.fields.text;
    this.answer = answer;
    this.adopt(answer.state);
    this.editor.draw(answer, held !== null && answer.text !== held.text);
    this.encodeSlowPanels();
    this.runLater();
  }

  // After a pause in typing, have the page run for what is below the panels, unless it has run for this
  // state.
  runLater() {
    const { answer, editor } = this;
    clearTimeout(this.rerunTimer);
    // The page would count, too.
    const isCounting = editor.isPaged && answer.panels.some(({ counting }) => counting);
    if (this.status === "behind" || isCounting || editor.state.has(this.data.state.versions)) return;
    this.rerunTimer = setTimeout(() => editor.sendEvent({ drawn: answer.tag }), RERUN_AFTER);
  }

  // Request the slow panels that an answer left out. Requests for keys go on meanwhile.
  async encodeSlowPanels() {
    const { answer } = this;
    if (this.counting || !answer.panels.some(({ counting }) => counting)) return;
    this.counting = answer;
    // For the progress of a long text.
    if (this.editor.isPaged) this.poll = setInterval(() => this.ask(), POLL_EVERY);
    const reply = await this.post("encode", JSON.stringify({ slow: true, holds: answer.tag }));
    clearInterval(this.poll);
    this.counting = null;
    if (!this.editor) return;
    if (this.answer === answer && reply?.status === 200)
      this.useAnswer(reply, answer, { fields: { text: answer.text }, versions: {} });
    else if (reply?.ok) this.encodeSlowPanels();
    else if (reply?.status !== 500) this.ask();
  }

  /**
   * The reply; null: the server did not answer, or the page has another session now.
   * @param {string} path
   * @param {BodyInit} body
   * @param {object} [how]
   * @param {boolean} [how.keepalive] also if the page is left
   * @param {number} [how.giveUpAfter] milliseconds
   * @returns {Promise<Reply | null>}
   */
  async post(path, body, { keepalive = false, giveUpAfter = GIVE_UP_LONG_AFTER } = {}) {
    const { ticket } = this.data;
    try {
      const headers = { "Grove-Ticket": ticket };
      const response = await fetch(ADDRESS + path, {
        method: "POST",
        headers,
        body,
        keepalive,
        signal: AbortSignal.timeout(giveUpAfter),
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (ticket !== this.data.ticket) return null;
      const { ok, status } = response;
      return { ok, status, type: response.headers.get("Content-Type"), bytes };
    } catch {
      return null;
    }
  }

  // Until there is an answer, the page says that it waits, and then that there is none.
  startWaiting() {
    if (this.waiting) return;
    const show = (silence) => this.showSilence(silence);
    this.waiting = [setTimeout(show, BUSY_AFTER, "busy"), setTimeout(show, LOST_AFTER, "lost")];
  }

  endWaiting() {
    this.waiting?.forEach(clearTimeout);
    this.waiting = null;
    this.showSilence("");
  }

  showSilence(silence) {
    this.silence = silence;
    const { editor, answer } = this;
    const isOlder = answer !== null && answer.state.versions.text !== editor?.state.versions.text;
    editor?.frame.showSilence(silence, { isOlder, isSending: Boolean(this.outbox[0]?.body) });
  }

  // The textarea was removed from the page. [start, end): its selection.
  inputRemoved(start, end) {
    // A prepared text on a projector gives way to the person's own.
    if (this.data && this.editor && !this.editor.isPaged && !this.editor.projector.at)
      meanwhile = new Meanwhile(this.editor.state.fields, start, end);
  }

  remember() {
    const { draft } = this.editor;
    if (draft) remember(DRAFT, { ticket: this.data.ticket, state: draft });
    else forget(DRAFT);
  }

  // The tab is closed or reloaded: send unsent changes without waiting for an answer.
  leave = () => {
    if (!this.data) return;
    this.remember();
    const { fields, versions } = this.editor.state;
    if (this.status !== "idle" && fields.text !== null)
      this.post("encode", JSON.stringify({ ...fields, versions }), { keepalive: true });
  };

  // The page has another component now. What waits is still sent.
  destroy() {
    removeEventListener("pagehide", this.leave);
    removeEventListener("online", this.wake);
    removeEventListener("grove:reconnected", this.wake);
    clearTimeout(this.rerunTimer);
    clearInterval(this.poll);
    if (this.data) this.remember();
    left = this.data && { ticket: this.data.ticket, state: this.editor.state, outbox: this.outbox };
    this.editor = null;
    this.wake();
  }
}
