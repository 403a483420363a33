// Sends what the person does to the server: one request at a time, in order, until it was answered.
// A key: ask() -> send() -> work() -> encode_route.py: encode -> useAnswer() -> wire.js: unpack -> Editor.draw.
// The table at the top of encode_route.py says which of two texts stays.

import { forget, recall, remember } from "../common/tab.js";
import { Meanwhile } from "./meanwhile.js";
import { unpack } from "./wire.js";

const ADDRESS = new URL("../../../", import.meta.url).href; // under a sub-path, too
const DRAFT = "grove:draft"; // the tab remembers the editor's state over a reload or a restart of the server
const BUSY_AFTER = 400; // milliseconds without an answer
const LOST_AFTER = 3000; // milliseconds without an answer
const TRY_AGAIN = [300, 2000]; // milliseconds after a request that failed: at first, and at most
const RERUN_AFTER = 500; // milliseconds without a key
const POLL_EVERY = 1000; // milliseconds, while panels of a long text are counting
const GIVE_UP_AFTER = 15000, GIVE_UP_LONG_AFTER = 120000; // milliseconds without an answer: on a state, on what takes long

let meanwhile = null; // keys are collected until the editor is back
let left = null; // {ticket, state, outbox} of the editor that the page had before: what it had not sent yet

// Opening a link shows the link's state, and not an earlier draft.
if (performance.getEntriesByType("navigation")[0]?.type === "navigate") forget(DRAFT);

// The sentence about a refused request, for the page.
async function reasonOf(response) {
  const isOurs = response.headers.get("Content-Type")?.startsWith("text/plain") && response.status < 500;
  return isOurs ? (await response.text()).trim() : "The server did not answer. Try it again.";
}

// What a page run can change in the answers without a field of the state.
const surroundings = ({ available, note }) => JSON.stringify([available, note]);

export class Connection {
  // Uses of editor: state (the SharedState), adopt(message), restore(draft), startOver(data, isAwaited), takeBack(request),
  // draw(answer, isEdit), draft (worth remembering), isPaged, frame (for messages), sendEvent(event)
  constructor(editor) {
    this.editor = editor;
    this.status = "idle"; // idle; asking: a request is under way; behind: and another waits; lost: the last one failed
    this.outbox = []; // what the server has not answered yet, in order: replacements of the text, and states
    this.data = null; // from the page's newest run
    this.answer = null; // the newest one, which is drawn
    this.counting = null; // the answer whose slow panels are being counted
    this.retryAfter = TRY_AGAIN[0];
    addEventListener("pagehide", this.leave);
    addEventListener("online", this.wake);
    addEventListener("grove:reconnected", this.wake); // connection_note.js
  }

  // Use the data of a page run. It may be of another session, or older than what the person did.
  receive(data) {
    const before = this.data, { editor } = this;
    this.data = data;
    if (!before) this.begin(data);
    else if (before.ticket !== data.ticket) this.startOver(data);
    else if (!editor.adopt(data.state).length && surroundings(before) === surroundings(data)) return; // only the tools below changed
    this.ask();
  }

  begin(data) {
    const { editor } = this, draft = recall(DRAFT), typed = meanwhile?.stop();
    if (left?.outbox.length) {
      this.outbox = left.outbox.splice(0);
      editor.continueWith(left.state);
      if (left.ticket === data.ticket) editor.adopt(data.state);
      else this.startOver(data);
    } else {
      editor.adopt(data.state);
      if (draft && draft.ticket === data.ticket) editor.adopt(draft.state); // newer if it never reached this session
      else if (draft) editor.restore(draft.state.fields);
    }
    if (typed) editor.restore(typed);
    if (meanwhile) editor.input.putCaret(meanwhile);
    left = meanwhile = null;
    forget(DRAFT);
  }

  // The server was restarted: the new session gets what the editor has. Its versions begin anew.
  startOver(data) {
    this.answer = null;
    this.outbox = this.outbox.filter((request) => request.query);
    this.editor.startOver(data, this.outbox);
    this.wake();
  }

  // Send the state, and have its answer drawn.
  ask() { this.send({ state: this.editor.state.copy() }); }

  // Replace the text by a long one, or by one that only the server has: see replace_text in editor_request.py.
  // before: the text that stays if the server refuses, and its version.
  replace({ action, value, body, version, before }) {
    this.send({ query: { do: action, value }, body, version, before });
    this.ask();
  }

  send(request) {
    clearTimeout(this.rerunTimer);
    if (this.outbox.at(-1)?.state && request.state) this.outbox.pop(); // the newer state has what the older one has
    this.outbox.push(request);
    if (this.status === "idle") this.work();
    else if (this.status === "asking") this.status = "behind";
  }

  async work() {
    while (this.outbox.length) {
      const [request] = this.outbox;
      this.status = this.outbox.length > 1 ? "behind" : "asking";
      this.startWaiting();
      const response = await (request.query ? this.replaceText(request) : this.encode(request));
      const isAnswered = response !== null && response.status !== 404 && response.status <= 500;
      if (isAnswered && this.outbox[0] === request) this.outbox.shift();
      if (isAnswered) {
        this.endWaiting();
        this.retryAfter = TRY_AGAIN[0];
        if (!response.ok) await this.refuse(request, response);
        continue;
      }
      this.status = "lost";
      const isUnknown = response?.status === 404; // the ticket, until the page runs with a new session
      if (isUnknown && !this.editor) break;
      await this.pause(isUnknown ? null : this.retryAfter);
      this.retryAfter = Math.min(2 * this.retryAfter, TRY_AGAIN[1]);
    }
    this.status = "idle";
  }

  // Wait for so long, or until something happened that makes another try worthwhile.
  pause(milliseconds) {
    return new Promise((done) => {
      this.endPause = done;
      if (milliseconds !== null) setTimeout(done, milliseconds);
    });
  }

  wake = () => this.endPause?.();

  async encode({ state }) {
    const held = this.answer, { text, ...fields } = state.fields;
    const body = { ...fields, ...(text !== null && { text }), versions: state.versions, holds: held?.tag };
    const response = await this.post("encode", JSON.stringify(body), { giveUpAfter: GIVE_UP_AFTER });
    if (response?.ok && this.editor) this.useAnswer(response, held, state);
    return response;
  }

  async replaceText({ query, body, version }) {
    const response = await this.post(`text?${new URLSearchParams({ ...query, version })}`, body);
    if (response?.ok) this.editor?.adopt(JSON.parse(new TextDecoder().decode(response.bytes)));
    setTimeout(() => window.dispatchEvent(new CustomEvent("grove:made")), POLL_EVERY); // saving takes time from counting
    return response;
  }

  async refuse(request, response) {
    const reason = await reasonOf(response);
    if (!this.editor) return;
    if (request.query) this.editor.takeBack(request);
    this.editor.frame.refuse(reason);
  }

  // Draw an answer, which leaves out what its request held. held: the answer that the request named; state: of the request.
  useAnswer(response, held, state) {
    const answer = unpack(response.bytes, held);
    answer.state.versions = { ...state.versions, ...answer.state.versions };
    answer.text = answer.page?.text ?? answer.state.fields.text ?? state.fields.text;
    this.answer = answer;
    this.editor.adopt(answer.state);
    this.editor.draw(answer, held !== null && answer.text !== held.text);
    this.encodeSlowPanels();
    this.runLater();
  }

  // After a pause in typing, have the page run for what is below the panels, unless it has run for this state.
  runLater() {
    const { answer, editor } = this;
    clearTimeout(this.rerunTimer);
    const isCounting = editor.isPaged && answer.panels.some(({ counting }) => counting); // the page would count, too
    if (this.status === "behind" || isCounting || editor.state.has(this.data.state.versions)) return;
    this.rerunTimer = setTimeout(() => editor.sendEvent({ drawn: answer.tag }), RERUN_AFTER);
  }

  // Request the slow panels that an answer left out. Requests for keys go on meanwhile.
  async encodeSlowPanels() {
    const { answer } = this;
    if (this.counting || !answer.panels.some(({ counting }) => counting)) return;
    this.counting = answer;
    const poll = this.editor.isPaged && setInterval(() => this.ask(), POLL_EVERY); // for the progress of a long text
    const response = await this.post("encode", JSON.stringify({ slow: true, holds: answer.tag }));
    clearInterval(poll);
    this.counting = null;
    if (!this.editor) return;
    if (this.answer === answer && response?.status === 200) this.useAnswer(response, answer, { fields: { text: answer.text }, versions: {} });
    else if (response?.ok) this.encodeSlowPanels();
    else if (response?.status !== 500) this.ask();
  }

  // The response with its bytes; null: the server did not answer, or the page has another session now.
  // keepalive: also if the page is left.
  async post(path, body, { keepalive = false, giveUpAfter = GIVE_UP_LONG_AFTER } = {}) {
    const { ticket } = this.data;
    try {
      const headers = { "Grove-Ticket": ticket };
      const response = await fetch(ADDRESS + path, { method: "POST", headers, body, keepalive, signal: AbortSignal.timeout(giveUpAfter) });
      if (response.ok) response.bytes = new Uint8Array(await response.arrayBuffer());
      return ticket === this.data.ticket ? response : null;
    } catch {
      return null;
    }
  }

  // Until there is an answer, the page says that it waits, and then that there is none.
  startWaiting() {
    if (this.waiting) return;
    const show = (how) => this.editor?.frame.showWaiting(how, this.editor.state.versions.text !== this.answer?.state.versions.text);
    this.waiting = [setTimeout(show, BUSY_AFTER, "busy"), setTimeout(show, LOST_AFTER, "lost")];
  }

  endWaiting() {
    this.waiting?.forEach(clearTimeout);
    this.waiting = null;
    this.editor?.frame.showWaiting("");
  }

  // The textarea was removed from the page. [start, end): its selection.
  inputRemoved(start, end) {
    if (this.data && this.editor && !this.editor.isPaged) meanwhile = new Meanwhile(this.editor.state.fields, start, end);
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
    if (this.status !== "idle" && fields.text !== null) this.post("encode", JSON.stringify({ ...fields, versions }), { keepalive: true });
  };

  // The page has another component now. What waits is still sent.
  destroy() {
    removeEventListener("pagehide", this.leave);
    removeEventListener("online", this.wake);
    removeEventListener("grove:reconnected", this.wake);
    clearTimeout(this.rerunTimer);
    if (this.data) this.remember();
    left = this.data && { ticket: this.data.ticket, state: this.editor.state, outbox: this.outbox };
    this.editor = null;
    this.wake();
  }
}
