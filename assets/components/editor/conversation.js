// Talking to Python: one message under way at a time, and the newest state goes next.

const REPLY_SECONDS = 3; // after which a message counts as lost
const UNITS_PER_SECOND = 40000; // UTF-16 units that surely get through Python and a line of half a megabit
const BUSY_AFTER = 400; // milliseconds

// page.compose() gives {fields, text, units}: what a message says, the text in the editor when it is sent,
// and how long the message and its answer are. page.settle() is told that these fields have been sent.
// send(message, again) is told whether it was sent before.
export class Conversation {
  constructor(page, send) {
    this.page = page;
    this.send = send;
    this.revision = null; // of the newest text from Python that this page has
    this.seq = 0;
    this.received = -1; // seq of the newest answer
    this.sent = null; // the message that waits for its answer
    this.waiting = false; // whether something newer waits to be sent after it
    this.action = 0; // the number of the last action
    this.pending = null; // an action that Python has not confirmed
    this.texts = new Map(); // by the seq that it was sent or known with
    this.acked = ""; // the text of the newest answer
  }

  push() {
    if (this.sent) { this.waiting = true; return; }
    const { fields, text, units } = this.page.compose();
    const message = { seq: ++this.seq, revision: this.revision, ...fields, action: this.pending };
    this.texts.set(message.seq, text);
    this.sent = message;
    this.waiting = false;
    this.page.settle();
    const all = units + (this.pending?.data?.length ?? this.pending?.text?.length ?? 0);
    this.patience = 1000 * (REPLY_SECONDS + all / UNITS_PER_SECOND);
    this.timer = setTimeout(() => this.repeat(), this.patience);
    this.busy = setTimeout(() => this.page.showBusy(true), BUSY_AFTER);
    this.send(message);
  }

  // No answer yet: ask for the same again, and wait twice as long. A late answer still counts.
  repeat() {
    this.patience *= 2;
    this.timer = setTimeout(() => this.repeat(), this.patience);
    this.send({ ...this.sent, again: this.patience }, true);
  }

  // An answer came that cannot be read without an earlier one, which is not here.
  askForAll() {
    if (!this.sent) return this.push();
    this.sent.holds = null;
    this.send({ ...this.sent, again: ++this.patience }, true);
  }

  act(action) {
    this.pending = { number: ++this.action, ...action };
    this.push();
  }

  // An answer: null if a newer one has come before, else what it answers.
  //   settled   nothing was said since: what Python has is what the person wants
  //   edited    it answers an edit of the text
  //   text      the text that it is about, if Python sends none
  // isKnown: its text is one that this page has.
  receive(header, isKnown = false) {
    if (header.seq < this.received) return null;
    this.received = header.seq;
    const { sent } = this;
    // the answer to the message under way is still to come
    const overtaken = sent !== null && header.seq < sent.seq;
    if (!overtaken) {
      this.stop();
      this.page.showBusy(false);
      this.sent = null;
    }
    this.seq = Math.max(this.seq, header.seq);
    this.action = Math.max(this.action, header.action);
    if (this.pending && this.pending.number <= header.action) this.pending = null;
    const text = this.texts.get(header.seq) ?? this.acked;
    for (const seq of this.texts.keys()) if (seq < header.seq) this.texts.delete(seq);
    return { settled: !this.waiting && !overtaken, edited: sent?.text !== undefined && (header.text === undefined || isKnown), text };
  }

  // The server was started anew, and knows nothing of this page.
  startOver(header) {
    this.stop();
    this.sent = null;
    this.received = header.seq;
    this.seq = Math.max(this.seq, header.seq);
    this.action = header.action;
    this.revision = header.revision;
  }

  stop() {
    clearTimeout(this.timer);
    clearTimeout(this.busy);
  }
}
