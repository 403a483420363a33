// Sends the editor's requests to the server: one at a time, always with the newest state.
// A key: ask() -> pump() -> encode() -> encode_route.py: encode -> useAnswer() -> wire.js: unpack -> Editor.draw.

import { forget, recall, remember } from "../common/tab.js";
import { Meanwhile } from "./meanwhile.js";
import { unpack } from "./wire.js";

const ADDRESS = new URL("../../../", import.meta.url).href; // under a sub-path, too
const DRAFT = "grove:draft"; // the tab remembers the editor's state over a reload or a restart of the server
const BUSY_AFTER = 400; // milliseconds
const TRY_AGAIN = [300, 2000]; // milliseconds after a request that failed: at first, and at most
const RERUN_AFTER = 500; // milliseconds without a key
const POLL_EVERY = 1000; // milliseconds, while panels of a long text are counting
const GIVE_UP_AFTER = 120000; // milliseconds without an answer

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

let meanwhile = null; // keys are collected until the editor is back

// Opening a link shows the link's state, and not an earlier draft.
if (performance.getEntriesByType("navigation")[0]?.type === "navigate") forget(DRAFT);

// The sentence about a failed response, for the page.
async function reasonOf(response) {
  const isOurs = response?.headers.get("Content-Type")?.startsWith("text/plain") && response.status < 500;
  return isOurs ? (await response.text()).trim() : "The server did not answer. Try it again.";
}

export class Connection {
  // Uses of editor: shown (its state), state() (for a request), draft (worth remembering); adopt(state, isDraft),
  // startOver(data), draw(answer, isNewest, isEdit), frame (for messages), sendEvent(event)
  constructor(editor) {
    this.editor = editor;
    this.data = null; // from the page's newest run
    this.answer = null; // the newest one, which is drawn
    this.isBehind = false; // whether something changed since the last request
    this.replacements = []; // pending replacements of the text
    this.lostTicket = null; // a ticket that the server does not know
    this.wait = TRY_AGAIN[0];
    addEventListener("pagehide", this.leave);
  }

  // Use the data of a page run: the first one, one of another session, one with another text or other settings, or one
  // that only changed what is below the panels.
  receive(data) {
    const before = this.data, { editor } = this;
    this.data = data;
    if (!before) {
      editor.adopt(data);
      const draft = recall(DRAFT);
      // A draft of another session, or one that never reached this session.
      const isDue = draft && (draft.ticket !== data.ticket || draft.unsent === data.text_revision);
      const state = meanwhile?.stop() ?? (isDue ? draft.state : null);
      if (state) editor.adopt(state, true);
      if (meanwhile) editor.input.putCaret(meanwhile);
      this.needsRerun = state !== null;
      meanwhile = null;
      forget(DRAFT);
    } else if (before.ticket !== data.ticket) {
      this.answer = null;
      this.needsRerun = true;
      editor.startOver(data); // the server was restarted: the new session gets the editor's state
    } else if (before.revision !== data.revision) editor.adopt(data);
    else return;
    this.isBehind = true;
    this.pump();
  }

  // The person changed something.
  ask() {
    clearTimeout(this.rerunTimer);
    this.isBehind = this.needsRerun = true;
    this.pump();
  }

  // Replace the text by a long one, or by one that only the server has: see replace_text in editor_request.py.
  replace(action, value = "", body = "") {
    this.replacements.push({ query: new URLSearchParams({ do: action, value }), body });
    this.pump();
  }

  async pump() {
    if (this.isPumping) return;
    this.isPumping = true;
    try {
      while (this.data && this.data.ticket !== this.lostTicket && (this.isBehind || this.replacements.length))
        await (this.isBehind ? this.encode() : this.replaceText(this.replacements.shift()));
    } finally {
      this.isPumping = false;
    }
  }

  async encode() {
    this.isBehind = false;
    const state = this.editor.state(), previous = this.answer;
    const response = await this.post("encode", JSON.stringify({ ...state, holds: previous?.number }));
    if (!this.data) return;
    if (response?.ok) {
      this.wait = TRY_AGAIN[0];
      return this.useAnswer(response, previous, state.text);
    }
    if (response?.status === 404) this.lostTicket = this.data.ticket; // until the page runs with a new session
    else if (response?.status <= 500) return this.editor.frame.refuse(await reasonOf(response));
    else await pause(this.wait);
    this.wait = Math.min(2 * this.wait, TRY_AGAIN[1]);
    this.isBehind = true;
  }

  // Draw an answer. After a pause in typing, have the page run for what is below the panels.
  useAnswer(response, previous, text) {
    const isEdit = text !== undefined && previous && text !== previous.text;
    const answer = unpack(response.bytes, previous);
    answer.text = answer.page?.text ?? text;
    if (answer.text === undefined) return; // the page replaced the long text meanwhile: its run brings the new one
    this.answer = answer;
    this.editor.draw(answer, !this.isBehind, isEdit);
    this.encodeSlowPanels();
    const isCounting = this.editor.isPaged && answer.panels.some(({ counting }) => counting); // the page would count, too
    if (!this.needsRerun || this.isBehind || isCounting) return;
    this.rerunTimer = setTimeout(() => { this.needsRerun = false; this.editor.sendEvent({ drawn: answer.number }); }, RERUN_AFTER);
  }

  // Request the slow panels that an answer left out. Requests for keys go on meanwhile.
  async encodeSlowPanels() {
    const previous = this.answer;
    if (this.isCounting || !previous.panels.some(({ counting }) => counting)) return;
    this.isCounting = true;
    const poll = this.editor.isPaged && setInterval(() => { this.isBehind = true; this.pump(); }, POLL_EVERY); // for the progress of a long text
    const response = await this.post("encode", JSON.stringify({ slow: true, holds: previous.number }));
    clearInterval(poll);
    this.isCounting = false;
    if (!this.data) return;
    if (this.answer === previous && response?.status === 200) this.useAnswer(response, previous, previous.text);
    else if (response?.ok) this.encodeSlowPanels();
    else if (response?.status !== 500) this.ask();
  }

  async replaceText({ query, body }) {
    const response = await this.post(`text?${query}`, body);
    if (!this.data) return;
    if (!response?.ok) return this.editor.frame.refuse(await reasonOf(response));
    const state = JSON.parse(new TextDecoder().decode(response.bytes));
    if (state.revision !== this.data.revision) {
      Object.assign(this.data, { revision: state.revision, text_revision: state.text_revision });
      this.editor.adopt(state);
    }
    setTimeout(() => window.dispatchEvent(new CustomEvent("grove:made")), POLL_EVERY); // saving takes time from counting
    this.ask();
  }

  // The response with its bytes; null: the server did not answer. keepalive: also if the page is left.
  async post(path, body, keepalive = false) {
    const busy = setTimeout(() => this.editor.frame.showBusy(true), BUSY_AFTER);
    try {
      const headers = { "Grove-Ticket": this.data.ticket };
      const response = await fetch(ADDRESS + path, { method: "POST", headers, body, keepalive, signal: AbortSignal.timeout(GIVE_UP_AFTER) });
      if (response.ok) response.bytes = new Uint8Array(await response.arrayBuffer());
      this.editor.frame.showBusy(response.status === 404 || response.status > 500);
      return response;
    } catch {
      this.editor.frame.showBusy(true);
      return null;
    } finally {
      clearTimeout(busy);
    }
  }

  // The textarea was removed from the page. [start, end): its selection.
  inputRemoved(start, end) { if (this.data && !this.editor.isPaged) meanwhile = new Meanwhile(this.editor.shown, start, end); }

  // The person leaves: remember the draft, and send unsent changes without waiting for an answer.
  leave = () => {
    if (!this.data) return;
    const state = this.editor.draft;
    const unsent = this.isBehind || this.isPumping ? this.data.text_revision : null;
    if (state) remember(DRAFT, { ticket: this.data.ticket, unsent, state });
    else forget(DRAFT);
    if (this.isBehind) this.post("encode", JSON.stringify(this.editor.state()), true);
  };

  destroy() {
    removeEventListener("pagehide", this.leave);
    clearTimeout(this.rerunTimer);
    this.leave();
    this.data = null;
  }
}
