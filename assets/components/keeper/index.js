// What this browser keeps of what a person made. Python says what to put, to remove and to send
// (pages/session/kept.py); this does it, says what is there, and draws it. Tabs tell each other of changes.
// If a folder of the machine is chosen instead, Python keeps things there, and this only draws them.

import { bytesInWords, disable, make, plural } from "../common/dom.js";
import { recall, remember } from "../common/tab.js";
import { Storage } from "./storage.js";

const MAX_MESSAGE = 8 * 1024 * 1024; // characters of base64 in one message, or one record if it is longer
const REPLY_SECONDS = 4;
const RETRY_SECONDS = 4; // after which a storage that failed is tried again; each time twice as long, up to
const MOST_RETRY_SECONDS = 256;
const COOKIE = "token_grove_keeps"; // tells the server that it is worth waiting for what is kept here
const KINDS = { encoding: "encoding", text: "text", editor: "in the editor" };
const LEAVES = "This browser’s storage does not let go of what was removed: it can come back.";
const CLOSED = "This browser keeps nothing here (in a private window, for example): save what you want to have again.";
const FULL = "This browser’s storage is full: what you made last is not kept. Save it, or make room.";

// What the pages of this tab show, as Python wrote it down: a new session reads it again after a reload of the
// same address, or when the server was started anew.
const TAB = "token-grove-tab";
let pagesOfTab = recall(TAB);
addEventListener("pagehide", () => remember(TAB, pagesOfTab));

// Run storage steps one at a time, so lists are sent in the order read.
let work = Promise.resolve();

export default class Keeper {
  constructor(root) {
    this.$ = (selector) => root.querySelector(selector);
    this.storage = new Storage();
    this.records = []; // what is there, without payloads
    this.on = true;
    this.problem = "";
    this.retryAfter = RETRY_SECONDS;
    this.sentences = []; // Python's sentences
    this.seq = 0;
    this.sent = null; // the message that waits for its answer
    this.isLong = false; // whether the newest message holds records
    this.folder = null; // of this machine: { path, chosen, records }, if there is one to choose
    this.wishes = []; // what Python has to do for the person; each is told until it was done
    this.wished = 0;
    this.armed = null; // the id of what is removed at the next press
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel("token-grove") : null;
    if (this.channel) this.channel.onmessage = () => this.do(() => this.announce());
    this.look = () => this.do(() => this.announce());
    window.addEventListener("grove:made", this.look); // the editor says it when there is something to keep
    // The theme was changed: Python draws the charts anew. (The style has a transition for this.)
    this.onTheme = (event) => { if (event.target === root) this.do(() => this.announce()); };
    root.addEventListener("transitionend", this.onTheme); // goes with the element
    this.$(".switch").onclick = () => this.do(() => this.choose(!this.on));
    this.$(".forget").onclick = () => this.do(() => this.forget());
    for (const input of root.querySelectorAll(".place input")) input.onchange = () => this.do(() => this.wish({ folder: input.value === "folder" }));
    this.$(".list").onclick = ({ target }) => { if (target.dataset.id) this.press(target.dataset.id); };
    this.$(".list").onfocusout = ({ target, relatedTarget }) => { if (relatedTarget && target.dataset.id === this.armed) this.arm(null); };
  }

  // Whatever fails in the storage, the page works without it.
  do(step) { work = work.then(() => (this.gone ? null : step())).catch((error) => this.fail(error)); }

  fail(error) {
    if (this.gone) return;
    this.note(error);
    this.draw();
    this.send({ ...this.list(), unread: true });
  }

  // What failed is said. If the storage cannot be used, it is tried again: that may be over.
  note(error, sentence = CLOSED) {
    this.problem = error?.name === "QuotaExceededError" ? FULL : sentence;
    clearTimeout(this.retry);
    if (this.problem === CLOSED) this.retry = setTimeout(() => this.do(() => this.tryAgain()), 1000 * this.retryAfter);
  }

  async tryAgain() {
    this.retryAfter = Math.min(2 * this.retryAfter, MOST_RETRY_SECONDS);
    try {
      await this.storage.probe();
    } catch (error) {
      this.note(error);
      return;
    }
    this.problem = "";
    await this.announce(); // Python puts again what was refused
  }

  receive(data) {
    this.seq = Math.max(this.seq, data.heard);
    if (data.heard >= (this.sent?.seq ?? 0)) { clearTimeout(this.timer); this.sent = null; }
    this.do(() => this.follow(data));
  }

  async follow(data) {
    this.sentences = data.problems;
    this.most = data.most;
    this.asks = data.asks;
    this.wishes = this.wishes.filter(({ number }) => number > data.wished);
    this.wished = Math.max(this.wished, data.wished);
    this.see(data.folder);
    const changed = await this.change(data.remove, data.put && !this.has(data.put.id) ? data.put : null);
    const isNew = this.session !== data.session;
    this.session = data.session;
    if (!data.asks) pagesOfTab = data.tab;
    const waits = this.sent !== null;
    if (changed || isNew || ((data.asks || this.wishes.length) && !waits)) await this.announce();
    else if (data.want.length && !waits) await this.bring(data.want, data.most_record);
    else if (this.isLong && !waits) await this.announce(); // in place of the long message, which would be sent again
    else this.draw();
  }

  // What lies in the folder now. Other tabs look, too, if that is news.
  see(folder) {
    const ids = (place) => place && [place.chosen, ...place.records.map(({ id }) => id)].join();
    const isNews = this.folder && ids(this.folder) !== ids(folder);
    this.folder = folder;
    if (isNews) this.channel?.postMessage("changed");
  }

  // Removes and puts in one step, so that other tabs see a new name as such. True if anything was tried.
  async change(remove, put) {
    if (!remove.length && !put) return false;
    if (put?.head.kind === "editor") remove = [...remove, ...this.records.filter(({ kind }) => kind === "editor").map(({ id }) => id)];
    try {
      await this.storage.swap(remove, put);
      this.problem = "";
      this.retryAfter = RETRY_SECONDS;
    } catch (error) {
      this.note(error, put ? CLOSED : LEAVES);
      if (put && remove.length) await this.storage.swap(remove, null).catch(() => { this.problem = LEAVES; });
    }
    this.channel?.postMessage("changed");
    return true;
  }

  all() { return [...this.records, ...(this.folder?.records ?? []).filter(({ id }) => !this.has(id))]; }
  has(id) { return this.records.some((record) => record.id === id); }
  list() { return { list: this.records.map(({ id, n_bytes }) => ({ id, n_bytes })), on: this.on, storage: this.which, read_at: this.readAt ?? 0 }; }

  async read() {
    const at = performance.now(); // a list that was read before another one is older, whenever it is sent
    const { records, on, storage } = await this.storage.read();
    [this.readAt, this.records, this.on, this.which] = [at, records, on, storage];
    this.draw();
  }

  // Says what is there.
  async announce() {
    await this.read();
    const tab = this.asks && this.all().length ? { session: this.session, pages: pagesOfTab } : null;
    this.send({ ...this.list(), tab });
  }

  // Sends what Python asks for, as much of it as a message may hold.
  async bring(wanted, mostBytes) {
    await this.read();
    const records = [];
    let length = 0;
    for (const id of wanted) {
      const about = this.records.find((record) => record.id === id);
      if (!about) continue; // it is not in the list any more, and Python sees that
      const { head, payload } = (await this.storage.get(id)) ?? {};
      const fits = typeof payload === "string" && payload.length <= 1.4 * mostBytes + 4;
      if (records.length && fits && length + payload.length > MAX_MESSAGE) break;
      if (fits) length += payload.length;
      records.push({ id, head, payload: fits ? payload : null });
    }
    this.send({ records, ...this.list() });
  }

  send(message) {
    this.isLong = "records" in message;
    this.sent = { ...message, problem: this.problem, wish: this.wishes[0] ? { ...this.wishes[0], session: this.session } : null, seq: ++this.seq };
    this.repeat(REPLY_SECONDS);
  }

  repeat(seconds) {
    clearTimeout(this.timer);
    if (this.gone || !this.sent) return;
    this.sendMessage(this.sent);
    this.timer = setTimeout(() => { if (this.sent) this.sent.seq = ++this.seq; this.repeat(2 * seconds); }, 1000 * seconds);
  }

  async choose(on) {
    await this.storage.choose(on);
    this.problem = "";
    this.channel?.postMessage("changed");
    await this.announce();
  }

  async forget() {
    await this.storage.forget();
    this.forgotten = true;
    this.channel?.postMessage("changed");
    await this.wish({ forget: true });
  }

  async wish(wish) {
    this.wishes.push({ ...wish, number: (this.wished += 1) });
    await this.announce();
  }

  // One thing is removed at the second press: the first one asks.
  press(id) {
    if (this.armed !== id) this.arm(id);
    else this.do(() => this.remove(id));
  }

  arm(id) {
    this.armed = id;
    for (const button of this.$(".list").querySelectorAll("button")) {
      const isArmed = button.dataset.id === id;
      button.textContent = isArmed ? "Remove?" : "×";
      button.setAttribute("aria-label", isArmed ? `Remove ${button.title}? Press again` : `Remove ${button.title}`);
      button.classList.toggle("armed", isArmed);
    }
  }

  async remove(id) {
    this.armed = null;
    if (this.has(id)) await this.change([id], null);
    await this.wish({ remove: id });
  }

  draw() {
    const { on, folder } = this;
    const records = this.all();
    document.cookie = `${COOKIE}=1; path=/; SameSite=Strict; max-age=${on && records.length ? 31536000 : 0}`;
    const sum = records.reduce((bytes, record) => bytes + record.n_bytes, 0);
    const problems = [...new Set([...(this.problem ? [this.problem] : []), ...this.sentences])]; // Python says ours too
    this.$(".label").textContent = on ? `Kept here: ${records.length}${problems.length ? ", not all" : ""}` : records.length ? `Kept here: ${records.length}, off` : "Nothing is kept";
    this.$(".dot").hidden = !problems.length;
    this.$(".open").title = problems[0] ?? "What is kept of what you made";
    this.drawList(records);
    const inFolder = Boolean(folder?.chosen);
    this.$(".where").textContent = inFolder
      ? "lie in a folder of this machine, as files that your user alone can read: over a reload, in every browser that you use here, and when the server is started anew."
      : "stay in this browser’s own storage: over a reload, in a second tab, and when the server is started anew. Nobody else sees them.";
    this.$(".place").hidden = !folder;
    const chosen = this.wishes.findLast((wish) => "folder" in wish)?.folder ?? inFolder;
    this.$(`.place [value=${chosen ? "folder" : "browser"}]`).checked = true;
    this.$(".path").textContent = folder?.path ?? "";
    const much = `${plural(records.length, "thing")}, ${bytesInWords(sum)} of up to ${bytesInWords(this.most ?? 0)}, compressed.`;
    const forget = this.$(".forget");
    forget.textContent = inFolder ? "Forget all in the folder" : "Forget all in this browser";
    forget.title = inFolder
      ? "Removes all that is kept in the folder, whichever browser put it there. What is open in a page stays there until it is closed."
      : "Removes all that this browser keeps. Other browsers keep theirs, and what is open in a page stays there until it is closed.";
    const off = "Nothing more is kept until you switch it on; what is open here stays until the page is closed or loaded anew.";
    this.$(".sum").textContent = on ? (records.length ? much : "Nothing yet.") : this.forgotten ? `All is forgotten${inFolder ? ", for every browser that uses this folder" : ""}. ${off}` : `${records.length ? much : ""} ${off}`;
    this.$(".problems").replaceChildren(...problems.map((problem) => make("p", "", problem)));
    this.$(".switch").setAttribute("aria-checked", on);
    disable(this.$(".forget"), !records.length, this.$(".switch"));
  }

  // Only if it has changed. The focus stays where it was in the list, so that the keyboard can go on.
  drawList(records) {
    const key = JSON.stringify(records.map(({ id }) => id));
    if (key === this.drawn) return;
    this.drawn = key;
    const list = this.$(".list");
    const place = [...list.querySelectorAll("button")].findIndex((button) => button.matches(":focus"));
    list.replaceChildren(...records.map(({ id, title, kind, n_bytes }) => {
      const row = make("li"), button = make("button", "remove", "×");
      Object.assign(button, { type: "button", title });
      button.dataset.id = id;
      row.append(make("span", "name", title), make("span", "about", `${KINDS[kind] ?? ""} · ${bytesInWords(n_bytes)}`), button);
      return row;
    }));
    this.arm(this.armed);
    if (place >= 0) ([...list.querySelectorAll("button")].at(Math.min(place, records.length - 1)) ?? this.$(".switch")).focus();
  }

  destroy() {
    this.gone = true;
    clearTimeout(this.timer);
    clearTimeout(this.retry);
    this.channel?.close();
    window.removeEventListener("grove:made", this.look);
  }
}
