// What a class's pages ask their room, and send to it. A poll is answered when there is something new.

const WAIT = 1000, LONGEST_WAIT = 8000; // ms before another try, when the network is gone

export class Refusal extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

// headers: who asks. Paths are relative to folder, which ends with the room's code and a slash.
export class Connection {
  constructor(folder, headers = {}) {
    this.folder = folder;
    this.headers = headers;
  }

  async ask(path, body) {
    const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(this.folder + path, { ...options, headers: this.headers, cache: "no-store" });
    if (!response.ok) throw new Refusal(response.status, (await response.text()).trim());
    return response;
  }

  // Follow the room for as long as the page is open. draw(view) hears what is new, and refused(error) why the room no
  // longer answers; then the polls end. lost(true) hears that the network is gone, and lost(false) that it is back.
  async follow(path, version, { draw, refused, lost }) {
    let after = 0, wait = WAIT;
    for (;;) {
      try {
        const response = await this.ask(`${path}?after=${after}`);
        wait = WAIT;
        lost(false);
        if (response.status === 204) continue;
        const view = await response.json();
        after = version(view);
        draw(view);
        if (view.over) return;
      } catch (error) {
        if (error instanceof Refusal && error.status < 500) { refused(error); return; }
        lost(true);
        // A phone that wakes up, or finds its network again, asks at once.
        await new Promise((done) => {
          setTimeout(done, wait);
          addEventListener("online", done, { once: true });
          document.addEventListener("visibilitychange", done, { once: true });
        });
        wait = Math.min(2 * wait, LONGEST_WAIT);
      }
    }
  }
}
