// The browser's own storage: one object store of records. A record holds what Python packed, as it is:
//   id       of its content, by which Python knows it      n_bytes  of its payload
//   head     says what it is (kind, title, …)              payload  base64
//   at       when it was put here, in milliseconds
// Whether anything is kept is a record too, so that all tabs go by the same.

const NAME = "token-grove", STORE = "kept", CHOICE = "choice";

const settled = (request) => new Promise((done, fail) => {
  request.onsuccess = () => done(request.result);
  request.onerror = () => fail(request.error);
});

export class Storage {
  constructor() { this.database = null; }

  async open() {
    if (this.database) return this.database;
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "id" });
    const database = await settled(request);
    database.onversionchange = database.onclose = () => { database.close(); this.database = null; };
    return (this.database = database);
  }

  async all() {
    const store = (await this.open()).transaction(STORE).objectStore(STORE);
    return (await settled(store.getAll())).filter(({ id }) => id !== CHOICE).toSorted((a, b) => a.at - b.at);
  }

  async isOn() {
    const store = (await this.open()).transaction(STORE).objectStore(STORE);
    return (await settled(store.get(CHOICE)))?.on ?? true;
  }

  // Changes in one step, or not at all: change(store) makes requests.
  async change(change) {
    const transaction = (await this.open()).transaction(STORE, "readwrite");
    const done = new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = transaction.onerror = () => reject(transaction.error ?? new Error("not stored"));
    });
    change(transaction.objectStore(STORE));
    return done;
  }

  // A text in the editor takes the place of the one before.
  async put(record) {
    const replaced = record.head.kind === "editor" ? (await this.all()).filter(({ head }) => head.kind === "editor") : [];
    return this.change((store) => {
      for (const { id } of replaced) store.delete(id);
      store.put({ ...record, at: Date.now() });
    });
  }

  remove(ids) { return this.change((store) => { for (const id of ids) store.delete(id); }); }
  choose(on) { return this.change((store) => store.put({ id: CHOICE, on })); }
  forget() { return this.change((store) => { store.clear(); store.put({ id: CHOICE, on: false }); }); }
}
