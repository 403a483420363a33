// What this browser keeps of what a person made. Python says what to put, to remove and to send
// (pages/session/kept.py); this does it, says what is there, and draws it. Tabs tell each other of changes.

import { make, plural } from "../common/dom.js";
import { Storage } from "./storage.js";

const MAX_MESSAGE = 8 * 1024 * 1024; // characters of base64 in one message, or one record if it is longer
const REPLY_SECONDS = 4;
const COOKIE = "token_grove_keeps"; // tells the server that it is worth waiting for what is kept here
const KINDS = { encoding: "encoding", text: "text", editor: "in the editor" };
const CLOSED = "This browser keeps nothing here (in a private window, for example): save what you want to have again.";
const FULL = "This browser’s storage is full: what you made last is not kept. Save it, or make room.";

const size = (bytes) => {
  if (bytes < 1024) return plural(bytes, "byte");
  const [number, unit] = bytes < 1024 ** 2 ? [bytes / 1024, "KB"] : [bytes / 1024 ** 2, "MB"];
  return `${number.toFixed(number < 10 ? 1 : 0)} ${unit}`;
};

export default class Keeper {
  constructor(root) {
    this.$ = (selector) => root.querySelector(selector);
    this.storage = new Storage();
    this.records = []; // what is there, without payloads
    this.on = true;
    this.problem = "";
    this.said = []; // Python's sentences
    this.seq = 0;
    this.sent = null; // the message that waits for its answer
    this.isLong = false; // whether the newest message holds records
    this.work = Promise.resolve(); // one thing after the other
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel("token-grove") : null;
    if (this.channel) this.channel.onmessage = () => this.do(() => this.announce());
    this.look = () => this.do(() => this.announce());
    window.addEventListener("grove:made", this.look); // the editor says it when there is something to keep
    // The theme was changed: Python draws the charts anew. (The style has a transition for this.)
    this.onTheme = (event) => { if (event.target === root) this.do(() => this.announce()); };
    root.addEventListener("transitionend", this.onTheme); // goes with the element
    this.$(".switch").onclick = () => this.do(() => this.choose(!this.on));
    this.$(".forget").onclick = () => this.do(() => this.forget());
  }

  // Whatever fails in the storage, the page works without it.
  do(step) { this.work = this.work.then(step).catch((error) => this.fail(error)); }

  fail(error) {
    if (this.gone) return;
    this.problem = error?.name === "QuotaExceededError" ? FULL : CLOSED;
    this.draw();
    this.send({ list: this.list(), on: this.on });
  }

  receive(data) {
    this.seq = Math.max(this.seq, data.heard);
    if (data.heard >= (this.sent?.seq ?? 0)) { clearTimeout(this.timer); this.sent = null; }
    this.do(() => this.follow(data));
  }

  async follow(data) {
    this.said = data.problems;
    this.most = data.most;
    let changed = false;
    if (data.remove.length) { await this.storage.remove(data.remove); changed = true; }
    const { put } = data;
    if (put && !this.has(put.id)) { await this.storage.put(put); changed = true; }
    if (changed) { this.problem = ""; this.channel?.postMessage("changed"); }
    const isNew = this.session !== data.session;
    this.session = data.session;
    const waits = this.sent !== null;
    if (changed || isNew || (data.asks && !waits)) await this.announce();
    else if (data.want.length && !waits) await this.bring(data.want);
    else if (this.isLong && !waits) await this.announce(); // in place of the long message, which would be sent again
    else this.draw();
  }

  has(id) { return this.records.some((record) => record.id === id); }
  list() { return this.records.map(({ id, n_bytes }) => ({ id, n_bytes })); }

  async read() {
    const records = await this.storage.all();
    this.on = await this.storage.isOn();
    this.records = records.map(({ id, n_bytes, head, at }) => ({ id, n_bytes, head, at }));
    document.cookie = `${COOKIE}=1; path=/; SameSite=Strict; max-age=${this.on && records.length ? 31536000 : 0}`;
    this.draw();
    return records;
  }

  // Says what is there.
  async announce() {
    await this.read();
    this.send({ list: this.list(), on: this.on });
  }

  // Sends what Python asks for, as much of it as a message may hold.
  async bring(wanted) {
    const sent = [];
    let length = 0;
    for (const record of await this.read()) {
      if (!wanted.includes(record.id)) continue;
      if (sent.length && length + record.payload.length > MAX_MESSAGE) break;
      length += record.payload.length;
      sent.push({ id: record.id, head: record.head, payload: record.payload });
    }
    this.send({ records: sent, list: this.list(), on: this.on });
  }

  send(message) {
    this.isLong = "records" in message;
    this.sent = { ...message, problem: this.problem, seq: ++this.seq };
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
    await this.announce();
  }

  draw() {
    const { records, on } = this;
    const sum = records.reduce((bytes, record) => bytes + record.n_bytes, 0);
    const problems = [...new Set([...(this.problem ? [this.problem] : []), ...this.said])]; // Python says ours too
    this.$(".label").textContent = on ? `Kept here: ${records.length}` : records.length ? `Kept here: ${records.length}, off` : "Nothing is kept";
    this.$(".dot").hidden = !problems.length;
    this.$(".open").title = problems[0] ?? "What this browser keeps of what you made";
    this.$(".list").replaceChildren(...records.map(({ head, n_bytes }) => {
      const row = make("li");
      row.append(make("span", "name", String(head.title)), make("span", "about", `${KINDS[head.kind] ?? ""} · ${size(n_bytes)}`));
      return row;
    }));
    const much = `${plural(records.length, "thing")}, ${size(sum)} of up to ${size(this.most ?? 0)}.`;
    const off = "Nothing more is kept until you switch it on; what is open here stays until the page is closed or loaded anew.";
    this.$(".sum").textContent = on ? (records.length ? much : "Nothing yet.") : this.forgotten ? `All is forgotten. ${off}` : `${records.length ? much : ""} ${off}`;
    this.$(".problems").replaceChildren(...problems.map((problem) => make("p", "", problem)));
    this.$(".switch").setAttribute("aria-checked", on);
    this.$(".forget").disabled = !records.length;
  }

  destroy() {
    this.gone = true;
    clearTimeout(this.timer);
    this.channel?.close();
    window.removeEventListener("grove:made", this.look);
  }
}
