// The short way of a message to Python: a request of its own, which is answered without a run of the page.
// pages/explore/playground/keystroke.py answers it.

const ADDRESS = new URL("../../../keystroke", import.meta.url).href; // under a sub-path too
const CLOSED = [2000, 300000]; // milliseconds for which it counts as closed: at first, and at most

export class ShortWay {
  constructor() {
    this.ticket = null; // comes with each answer of the page
    this.closedUntil = 0;
    this.closedFor = CLOSED[0];
  }

  // Another server, or another session, has another ticket.
  take(ticket) {
    if (ticket === this.ticket) return;
    this.ticket = ticket;
    this.open();
  }

  get isOpen() { return Boolean(this.ticket) && performance.now() >= this.closedUntil; }

  open() { [this.closedUntil, this.closedFor] = [0, CLOSED[0]]; }

  // A proxy that lets nothing through, or a server that has gone: it is tried again now and then.
  close() {
    this.closedUntil = performance.now() + this.closedFor;
    this.closedFor = Math.min(2 * this.closedFor, CLOSED[1]);
  }

  // The bytes of the answer; null: the message has to go to the page; undefined: nobody waits for it any more.
  async ask(message) {
    const leaving = this.leaving = new AbortController();
    try {
      const response = await fetch(ADDRESS, {
        method: "POST",
        headers: { "Content-Type": "application/json", "Grove-Ticket": this.ticket },
        body: JSON.stringify(message),
        signal: leaving.signal,
      });
      const isAnswer = response.headers.get("Content-Type") === "application/octet-stream";
      const bytes = response.status === 200 && isAnswer ? new Uint8Array(await response.arrayBuffer()) : null;
      if (bytes || response.status === 204) this.open(); else this.close();
      return leaving.signal.aborted ? undefined : bytes;
    } catch {
      if (leaving.signal.aborted) return undefined;
      this.close();
      return null;
    }
  }

  // Do not wait for the answer any more.
  leave() { this.leaving?.abort(); }
}
