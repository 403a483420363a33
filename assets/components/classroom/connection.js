// What a class's pages ask their room, and send to it. A poll is answered when there is something new.

// Milliseconds before another try, when the network is gone.
const WAIT = 1000;
const LONGEST_WAIT = 8000;
const GIVE_UP_AFTER = 20000; // ms without an answer: the room answers a poll within six seconds

class Refusal extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }

  // Whether another try would be refused, too. A proxy says 429 to a school whose phones share one address.
  get isFinal() {
    return this.status < 500 && this.status !== 429;
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
    const response = await fetch(this.folder + path, {
      ...options,
      headers: this.headers,
      cache: "no-store",
      signal: AbortSignal.timeout?.(GIVE_UP_AFTER),
    });
    if (!response.ok) throw new Refusal(response.status, (await response.text()).trim());
    return response;
  }

  // Take a step until it succeeds, and return its result. Throws a final refusal. lost(true) hears that the
  // network is gone, and lost(false) that it is back.
  async insist(step, lost) {
    for (let wait = WAIT; ; wait = Math.min(2 * wait, LONGEST_WAIT)) {
      try {
        const result = await step();
        lost(false);
        return result;
      } catch (error) {
        lost(!error.isFinal);
        if (error.isFinal) throw error;
        // A phone that wakes up, or finds its network again, asks at once.
        await new Promise((done) => {
          setTimeout(done, wait);
          addEventListener("online", done, { once: true });
          document.addEventListener("visibilitychange", done, { once: true });
        });
      }
    }
  }

  // Follow the room until it ends or refuses. draw(view) hears what is new; lost: see insist; after: the
  // version that is drawn already.
  async follow(path, version, { draw, lost, after = 0 }) {
    const poll = async () => {
      const response = await this.ask(`${path}?after=${after}`);
      if (response.status === 204) return false;
      const view = await response.json();
      after = version(view);
      draw(view);
      return view.over;
    };
    for (let isOver = false; !isOver;) isOver = await this.insist(poll, lost);
  }
}
