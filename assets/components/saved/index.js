// Saved items: copies of the session's items in this browser's IndexedDB (pages/session/saved_items.py). A
// new session gets all records by POST. Afterwards, new items of the session are fetched and stored, and
// missing ones deleted.

import { Box } from "../common/box.js";
import { bytesInWords, disable, make, plural, relabel } from "../common/dom.js";
import { allowProgress } from "../common/progress.js";
import { recall, remember } from "../common/tab.js";
import { watchTraining } from "../common/training.js";

const ITEMS = new URL("../../../items", import.meta.url).href; // under a sub-path too
const NAME = "token-grove";
const STORE = "kept";
const CHOICE = "choice"; // the record that says whether items are saved
const ABOUT = "about";
const ABOUT_PATHS = ["at", "n_bytes", "head.kind", "head.title"]; // what the list needs, without payloads
const RETRY_SECONDS = 5; // after which a storage that failed is tried again
const COOKIE = "token_grove_keeps"; // tells the server that it is worth waiting for saved items
const KINDS = { encoding: "tokenizer", text: "text", editor: "in the editor" };
const NO_ANSWER =
  "There is no connection. What you saved comes back, and new items are saved, once there is one.";
const CLOSED =
  "This browser cannot save anything here, for example in a private window. Download what you want to keep.";
const FULL =
  "This browser’s storage is full, so your newest item is not saved. Download it, or delete another.";

// What the pages of this tab show, as Python wrote it down: a new session reads it again after a reload of
// the same URL, or when the server was restarted.
const TAB = "token-grove-tab";
let pagesOfTab = recall(TAB);
addEventListener("pagehide", () => remember(TAB, pagesOfTab));

let steps = Promise.resolve(); // one step at a time
let loaded = ""; // the ticket of the session that got this browser's records
// Ids that the session has, and that were put or came from here: none of them is put again.
let known = new Set();
let database = null;

class LostError extends Error {}

const settled = (request) =>
  new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error);
  });

async function open() {
  const request = indexedDB.open(NAME, 2);
  request.onupgradeneeded = () => {
    const { result, transaction } = request;
    const isNew = !result.objectStoreNames.contains(STORE);
    const store = isNew ? result.createObjectStore(STORE, { keyPath: "id" }) : transaction.objectStore(STORE);
    store.createIndex(ABOUT, ABOUT_PATHS);
  };
  const opened = await settled(request);
  opened.onversionchange = opened.onclose = () => {
    opened.close();
    database = null;
  };
  return opened;
}

// The result of act(store), once its transaction is complete. After a failure, a new connection is opened.
async function transact(mode, act) {
  try {
    database ??= await open();
    const transaction = database.transaction(STORE, mode);
    const complete = new Promise((done, fail) => {
      transaction.oncomplete = done;
      transaction.onabort = () => fail(transaction.error ?? new Error("not stored"));
    });
    complete.catch(() => {});
    const acted = act(transaction.objectStore(STORE));
    // It holds, also if the page is left now; act awaits nothing.
    if (mode === "readwrite") transaction.commit();
    const result = await acted;
    await complete;
    return result;
  } catch (error) {
    database?.close();
    database = null;
    throw error;
  }
}

// The records without their payloads, the oldest first.
function listRecords(store) {
  return new Promise((done, fail) => {
    const records = [];
    const request = store.index(ABOUT).openKeyCursor();
    request.onerror = () => fail(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      if (!cursor) {
        done(records);
        return;
      }
      const [, n_bytes, kind, title] = cursor.key;
      records.push({ id: cursor.primaryKey, n_bytes, kind: String(kind), title: String(title) });
      cursor.continue();
    };
  });
}

const clear = () =>
  transact("readwrite", (store) => {
    store.clear();
    store.put({ id: CHOICE, on: false });
  });

export default class Saved {
  /** @type {import("../common/mount.js").Tell} */
  sendEvent;

  constructor(root) {
    this.$ = (selector) => root.querySelector(selector);
    this.records = []; // in the storage, without payloads
    this.on = true;
    this.problem = ""; // of the storage
    this.armed = null; // the id of the item that the next press removes
    this.look = () => this.do(() => this.refresh());
    addEventListener("grove:made", this.look); // the editor says it when there is something to save
    addEventListener("grove:reconnected", this.look); // connection_note.js
    // The theme was changed: Python draws the charts anew. (The style has a transition for this.)
    root.addEventListener("transitionend", ({ target }) => {
      if (target === root) this.tell({ theme: true });
    });
    const card = new Box(root.querySelector(".card"));
    this.$(".open").onclick = ({ currentTarget }) => card.toggle(currentTarget);
    this.$(".switch").onclick = () => this.do(() => this.choose(!this.on));
    this.$(".forget").onclick = () => {
      this.erased = true; // what is being saved is not stored any more
      clear().catch(() => {}); // at once, whatever is being done: a person may leave now
      this.do(() => this.forget());
    };
    this.$(".list").onclick = ({ target }) => {
      if (target.dataset.id) this.press(target.dataset.id);
    };
    this.$(".list").onfocusout = ({ target, relatedTarget }) => {
      if (relatedTarget && target.dataset.id === this.armed) this.arm(null);
    };
  }

  // If the storage fails, the page works without it. Without a connection, it waits for its saved items.
  do(step) {
    steps = steps.then(() => (this.gone ? null : step())).catch((error) => this.fail(error));
  }

  tell(event) {
    if (!this.gone) this.sendEvent(event);
  }

  fail(error) {
    const isLost = error instanceof LostError;
    if (isLost) this.problem = NO_ANSWER;
    else this.problem = error?.name === "QuotaExceededError" ? FULL : CLOSED;
    clearTimeout(this.retry);
    if (this.problem !== FULL)
      this.retry = setTimeout(() => this.do(() => this.sync()), 1000 * RETRY_SECONDS);
    if (!this.gone) this.draw();
    if (this.data.waits && !isLost) this.tell({ loaded: this.data.ticket });
  }

  // A request to our own routes; null: it was refused. A server that was restarted knows the session no more:
  // then the page runs, and with it a new session begins. Without a connection, the step is taken again
  // later.
  async ask(path, options = {}) {
    const request = fetch(ITEMS + path, {
      cache: "no-store",
      headers: { "Grove-Ticket": this.data.ticket },
      ...options,
    });
    const response = await request.catch(() => {
      throw new LostError(NO_ANSWER);
    });
    if (response.status === 404 && !path) this.tell({ lost: true });
    return response.ok ? response : null;
  }

  receive(data) {
    this.data = data;
    if (!data.waits) pagesOfTab = data.tab;
    if (data.training !== this.training) {
      // which the page does not watch itself
      this.stopWatching?.();
      this.stopWatching =
        data.training &&
        watchTraining(
          data.training,
          () => {},
          () => this.tell({ trained: true }),
        );
      this.training = data.training;
    }
    this.do(() => this.sync());
  }

  // Requests the list of items.
  async refresh() {
    const listing = await (await this.ask(""))?.json();
    if (!listing) return;
    this.data = { ...this.data, ...listing };
    await this.sync();
  }

  async sync() {
    await this.read();
    if (loaded !== this.data.ticket) await this.load();
    else if (this.data.waits) this.tell({ loaded, tab: pagesOfTab });
    if (this.on && loaded === this.data.ticket && !this.data.waits) await this.save();
    this.problem = "";
    this.draw();
  }

  async read() {
    const [choice, records] = await transact("readonly", (store) =>
      Promise.all([settled(store.get(CHOICE)), listRecords(store)]),
    );
    [this.on, this.records] = [choice?.on ?? true, records];
    this.draw();
  }

  // Sends all records to a new session.
  async load() {
    const { ticket, waits } = this.data;
    const had = new Set();
    const there = this.on ? this.records : [];
    for (const { id } of there) {
      const record = await transact("readonly", (store) => settled(store.get(id)));
      if (!record) continue; // it was deleted meanwhile
      const body = new Blob([`${JSON.stringify(record.head)}\n`, record.payload]);
      const answer = await this.ask(`/${id}`, { method: "POST", body });
      if (answer && (await answer.json())) had.add(id); // the next session gets the others
    }
    [loaded, known] = [ticket, had];
    if (there.length || waits) this.tell({ loaded, tab: pagesOfTab });
  }

  // Stores new items of the session, and deletes the records of missing ones.
  async save() {
    const listed = new Set(this.data.items);
    const gone = [...known].filter((id) => !listed.has(id));
    await this.change(gone); // first: it makes room
    for (const id of gone) known.delete(id);
    for (const id of listed) {
      if (known.has(id)) continue;
      const answer = await this.ask(`/${id}`);
      if (!answer) continue; // it has changed meanwhile
      const bytes = new Uint8Array(await answer.arrayBuffer());
      const end = bytes.indexOf(10);
      const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
      const payload = bytes.slice(end + 1);
      const others =
        head.kind === "editor"
          ? this.records.filter(({ kind }) => kind === "editor").map((each) => each.id)
          : [];
      if (this.erased) return;
      await this.change(others, { id, head, payload, n_bytes: payload.length, at: Date.now() });
      known.add(id);
    }
    await this.read();
  }

  // Deletes records, and puts one, in one step.
  async change(ids, record = null) {
    if (ids.length || record)
      await transact("readwrite", (store) => {
        for (const id of ids) store.delete(id);
        if (record) store.put(record);
      });
  }

  // Switched on again: what was forgotten or not saved meanwhile is new.
  async choose(on) {
    await transact("readwrite", (store) => {
      store.put({ id: CHOICE, on });
    });
    await this.read();
    if (on) known = new Set(this.records.map(({ id }) => id).filter((id) => known.has(id)));
    await this.sync();
  }

  async forget() {
    await clear();
    this.erased = false;
    this.forgotten = true;
    await this.sync();
  }

  // The first press asks, the second removes the item.
  press(id) {
    if (this.armed !== id) {
      this.arm(id);
      return;
    }
    this.armed = null;
    this.change([id]).catch(() => {}); // at once, as all of them
    this.do(async () => {
      await this.change([id]);
      await this.read();
      this.tell({ remove: id });
    });
  }

  arm(id) {
    this.armed = id;
    for (const button of this.$(".list").querySelectorAll("button")) {
      const isArmed = button.dataset.id === id;
      button.textContent = isArmed ? "Delete?" : "×";
      button.setAttribute(
        "aria-label",
        isArmed ? `Delete ${button.title}? Press again` : `Delete ${button.title}`,
      );
      button.classList.toggle("armed", isArmed);
    }
  }

  draw() {
    const { on, records } = this;
    const n = records.length;
    allowProgress(on);
    document.cookie = `${COOKIE}=1; path=/; SameSite=Strict; max-age=${on && n ? 31536000 : 0}`;
    const problems = [this.problem, ...this.data.problems].filter(Boolean);
    const saved = `Saved here: ${n}${problems.length ? ", not all" : ""}`;
    const kept = n ? `Saved here: ${n}, off` : "Nothing is saved";
    relabel(this.$(".label"), on ? saved : kept);
    this.$(".dot").hidden = !problems.length;
    this.$(".open").title = problems[0] ?? "Your saved items";
    this.drawList(records);
    const much = n
      ? `${plural(n, "item")}, ${bytesInWords(records.reduce((sum, { n_bytes }) => sum + n_bytes, 0))}, ` +
        `compressed.`
      : "";
    const off =
      "Nothing more is saved until you switch this on. What is open stays until you close or reload the " +
      "page.";
    this.$(".sum").textContent = on
      ? much || "Nothing yet."
      : `${this.forgotten ? "Everything is deleted." : much} ${off}`;
    this.$(".problems").replaceChildren(...problems.map((problem) => make("p", "", problem)));
    this.$(".switch").setAttribute("aria-checked", on);
    disable(this.$(".forget"), !n, this.$(".switch"));
  }

  // Only if it has changed. The focus stays where it was in the list, so that the keyboard can go on.
  drawList(records) {
    const key = JSON.stringify(records.map(({ id }) => id));
    if (key === this.drawn) return;
    this.drawn = key;
    const list = this.$(".list");
    const place = [...list.querySelectorAll("button")].findIndex((button) => button.matches(":focus"));
    list.replaceChildren(
      ...records.map(({ id, title, kind, n_bytes }) => {
        const button = make("button", "remove", "×", { type: "button", title, "data-id": id });
        return make("li", "", [
          make("span", "name", title),
          make("span", "about", `${KINDS[kind] ?? ""} · ${bytesInWords(n_bytes)}`),
          button,
        ]);
      }),
    );
    this.arm(this.armed);
    if (place >= 0)
      (
        [...list.querySelectorAll("button")].at(Math.min(place, records.length - 1)) ?? this.$(".switch")
      ).focus();
  }

  destroy() {
    this.gone = true;
    this.stopWatching?.();
    clearTimeout(this.retry);
    removeEventListener("grove:made", this.look);
    removeEventListener("grove:reconnected", this.look);
  }
}
