// The browser's own storage: one object store of records. A record holds what Python packed, as it is:
//   id       of its content, by which Python knows it      n_bytes  of its payload
//   head     says what it is (kind, title, …)              payload  base64
//   at       when it was put here, in milliseconds
// Whether anything is kept is a record too, so that all tabs go by the same; it also says which storage this
// is, for a browser can clear it and begin another.

const NAME = "token-grove", STORE = "kept", CHOICE = "choice";
const ABOUT = "about", ABOUT_PATHS = ["at", "n_bytes", "head.kind", "head.title"]; // what a list needs, without payloads

const settled = (request) => new Promise((done, fail) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => fail(request.error);
});

export class Storage {
  constructor() { this.database = null; }

  async open() {
    if (this.database) return this.database;
    const request = indexedDB.open(NAME, 2);
    request.onupgradeneeded = () => {
      const { result, transaction } = request;
      const isNew = !result.objectStoreNames.contains(STORE);
      const store = isNew ? result.createObjectStore(STORE, { keyPath: "id" }) : transaction.objectStore(STORE);
      store.createIndex(ABOUT, ABOUT_PATHS);
      if (isNew) try { store.put({ id: CHOICE, on: true, storage: crypto.getRandomValues(new Uint32Array(2)).join("-") }); } catch { /* it is full */ }
    };
    const database = await settled(request);
    database.onversionchange = database.onclose = () => { database.close(); this.database = null; };
    return (this.database = database);
  }

  // A browser that has much to do can lose its storage for a moment. What fails is done again, once, by a new
  // connection, unless there is no room.
  async use(step) {
    try {
      return await step(await this.open());
    } catch (error) {
      if (error?.name === "QuotaExceededError") throw error;
      this.database?.close();
      this.database = null;
      return step(await this.open());
    }
  }

  // The records without their payloads, the oldest first; whether anything is kept; and which storage this is.
  async read() { return this.use((database) => this.list(database)); }

  async list(database) {
    const store = database.transaction(STORE).objectStore(STORE);
    const choice = settled(store.get(CHOICE));
    const records = await new Promise((done, fail) => {
      const read = [], request = store.index(ABOUT).openKeyCursor();
      request.onerror = () => fail(request.error);
      request.onsuccess = () => {
        const cursor = request.result;
        if (!cursor) { done(read); return; }
        const [at, n_bytes, kind, title] = cursor.key;
        read.push({ id: cursor.primaryKey, at, n_bytes, kind: String(kind), title: String(title) });
        cursor.continue();
      };
    });
    const { on = true, storage = "" } = (await choice) ?? {};
    return { records, on, storage };
  }

  async get(id) { return this.use((database) => settled(database.transaction(STORE).objectStore(STORE).get(id))); }

  // Changes in one step, or not at all: change(store) makes requests.
  async change(change) {
    return this.use((database) => {
      const transaction = database.transaction(STORE, "readwrite");
      const done = new Promise((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("not stored"));
      });
      change(transaction.objectStore(STORE));
      return done;
    });
  }

  async swap(ids, record) {
    return this.change((store) => {
      for (const id of ids) store.delete(id);
      if (record) store.put({ ...record, at: Date.now() });
    });
  }

  async choose(on) {
    const choice = await this.get(CHOICE);
    return this.change((store) => store.put({ ...choice, id: CHOICE, on }));
  }

  // Fails as long as nothing can be changed here.
  async probe() {
    const choice = await this.get(CHOICE);
    if (choice) await this.change((store) => store.put(choice));
  }

  async forget() {
    const choice = await this.get(CHOICE);
    return this.change((store) => { store.clear(); store.put({ ...choice, id: CHOICE, on: false }); });
  }
}
