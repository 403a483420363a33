// The editor's requests to the server. One is under way at a time, and the newest state goes next.
// Next: pages/explore/playground/encode_route.py answers, and wire.js unpacks the answer.

import { forget, recall, remember } from "../common/tab.js";
import { Meanwhile } from "./meanwhile.js";
import { unpack } from "./wire.js";

const ADDRESS = new URL("../../../", import.meta.url).href; // under a sub-path, too
const DRAFT = "grove:draft"; // what stands in the editor, remembered by the tab over a reload or a restart of the server
const BUSY_AFTER = 400; // milliseconds
const TRY_AGAIN = [300, 2000]; // milliseconds after a request that failed: at first, and at most
const TELL_PAGE_AFTER = 500; // milliseconds without a key
const GIVE_UP_AFTER = 120000; // milliseconds without an answer

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

let meanwhile = null; // keys are collected until the editor is back

// A link that is opened shows what it holds, and no draft of before.
if (performance.getEntriesByType("navigation")[0]?.type === "navigate") forget(DRAFT);

// What a failed response says to the person.
async function reasonOf(response) {
  const isOurs = response?.headers.get("Content-Type")?.startsWith("text/plain") && response.status < 500;
  return isOurs ? (await response.text()).trim() : "The server did not answer. Try it again.";
}

export class Connection {
  // page has: shown, what it shows, state(), the same as a request, and draft, the same if it is worth remembering. It
  // hears: adopt(state, isDraft), startOver(data), drawChoosers(), draw(answer, isNewest, isEdit), refuse(sentence),
  // showBusy(isBusy), sendEvent(event).
  constructor(page) {
    this.page = page;
    this.data = null; // from the page's newest run
    this.answer = null; // the newest one: it is drawn
    this.isBehind = false; // whether something changed since the last request
    this.replacements = []; // of the text, to be asked for
    this.lostTicket = null; // one that the server does not know
    this.wait = TRY_AGAIN[0];
    addEventListener("pagehide", this.leave);
  }

  // The page ran: for the first time here, with another session, with a change of the text or the settings, or only
  // for what is below the panels.
  receive(data) {
    const before = this.data, { page } = this;
    this.data = data;
    if (!before) {
      page.adopt(data);
      const draft = recall(DRAFT);
      // One of another session, or one that this session has not heard of.
      const isDue = draft && (draft.ticket !== data.ticket || draft.unheard === data.text_revision);
      const state = meanwhile?.stop() ?? (isDue ? draft.state : null);
      if (state) page.adopt(state, true);
      if (meanwhile) page.input.putCaret(meanwhile);
      this.mustTell = state !== null;
      meanwhile = null;
      forget(DRAFT);
    } else if (before.ticket !== data.ticket) {
      this.answer = null;
      this.mustTell = true;
      page.startOver(data); // the server was restarted: what stands here goes to the new session
    } else if (before.revision !== data.revision) page.adopt(data);
    else return page.drawChoosers();
    this.isBehind = true;
    this.pump();
  }

  // The person changed something.
  ask() {
    clearTimeout(this.telling);
    this.isBehind = this.mustTell = true;
    this.pump();
  }

  // Replace the text by one that is not here, or is long: see replace_text in pages/session/editor_request.py.
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
    const state = this.page.state(), held = this.answer;
    const response = await this.post("encode", JSON.stringify({ ...state, holds: held?.number }));
    if (!this.data) return;
    if (response?.ok) {
      this.wait = TRY_AGAIN[0];
      return this.take(response, held, state.text);
    }
    if (response?.status === 404) this.lostTicket = this.data.ticket; // until the page runs with a new session
    else if (response?.status <= 500) return this.page.refuse(await reasonOf(response));
    else await pause(this.wait);
    this.wait = Math.min(2 * this.wait, TRY_AGAIN[1]);
    this.isBehind = true;
  }

  take(response, held, text) {
    const isEdit = text !== undefined && held && text !== held.text;
    const answer = unpack(response.bytes, held);
    answer.text = answer.page?.text ?? text;
    this.answer = answer;
    this.page.draw(answer, !this.isBehind, isEdit);
    this.encodeSlowPanels();
    if (!this.mustTell || this.isBehind) return;
    this.telling = setTimeout(() => { this.mustTell = false; this.page.sendEvent({ told: answer.number }); }, TELL_PAGE_AFTER);
  }

  // The panels that an answer left out, as they may take long: asked for beside the keys.
  async encodeSlowPanels() {
    const held = this.answer;
    if (this.isCounting || !held.panels.some(({ counting }) => counting)) return;
    this.isCounting = true;
    const response = await this.post("encode", JSON.stringify({ slow: true, holds: held.number }));
    this.isCounting = false;
    if (!this.data) return;
    if (this.answer === held && response?.status === 200) this.take(response, held, held.text);
    else if (response?.ok) this.encodeSlowPanels();
    else if (response?.status !== 500) this.ask();
  }

  async replaceText({ query, body }) {
    const response = await this.post(`text?${query}`, body);
    if (!this.data) return;
    if (!response?.ok) return this.page.refuse(await reasonOf(response));
    const state = JSON.parse(new TextDecoder().decode(response.bytes));
    if (state.revision !== this.data.revision) {
      Object.assign(this.data, { revision: state.revision, text_revision: state.text_revision });
      this.page.adopt(state);
    }
    window.dispatchEvent(new CustomEvent("grove:made"));
    this.ask();
  }

  // The response with its bytes; null: there is none.
  async post(path, body) {
    const busy = setTimeout(() => this.page.showBusy(true), BUSY_AFTER);
    try {
      const headers = { "Grove-Ticket": this.data.ticket };
      const response = await fetch(ADDRESS + path, { method: "POST", headers, body, signal: AbortSignal.timeout(GIVE_UP_AFTER) });
      if (response.ok) response.bytes = new Uint8Array(await response.arrayBuffer());
      this.page.showBusy(response.status === 404 || response.status > 500);
      return response;
    } catch {
      this.page.showBusy(true);
      return null;
    } finally {
      clearTimeout(busy);
    }
  }

  // The textarea is taken away with this selection.
  takenAway(start, end) { if (this.data && !this.page.isPaged) meanwhile = new Meanwhile(this.page.shown, start, end); }

  // The person leaves: what was not sent yet is sent without waiting for an answer.
  leave = () => {
    if (!this.data) return;
    const state = this.page.draft;
    const unheard = this.isBehind || this.isPumping ? this.data.text_revision : null;
    if (state) remember(DRAFT, { ticket: this.data.ticket, unheard, state });
    else forget(DRAFT);
    if (this.isBehind) fetch(`${ADDRESS}encode`, {
      method: "POST", keepalive: true, headers: { "Grove-Ticket": this.data.ticket }, body: JSON.stringify(this.page.state()),
    }).catch(() => {});
  };

  destroy() {
    removeEventListener("pagehide", this.leave);
    clearTimeout(this.telling);
    this.leave();
    this.data = null;
  }
}
