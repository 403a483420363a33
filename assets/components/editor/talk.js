// What the editor says to Python and what comes back, also over a reload or a new start of the server.

import { Conversation } from "./conversation.js";
import { dropDraft, findDraft, leaveDraft } from "./draft.js";
import { Link } from "./link.js";
import { Meanwhile } from "./meanwhile.js";
import { ShortWay } from "./short_way.js";
import { Answers } from "./wire.js";

// Milliseconds without a key, after which the rest of the page is told what was typed.
const TELL_PAGE_AFTER = 500;

// Milliseconds after which panels that are still being counted are asked for again.
const ASK_AGAIN_AFTER = 150;

// Draft not yet acknowledged when the editor was removed: by a reload, or by a server that was started anew and
// first brings back what this browser keeps.
let unheard = findDraft();

// Collects keys until the editor is back; null if the caret was elsewhere.
let meanwhile = null;

// Whether an answer differs by its number alone: what did not change in it is the same object.
function saysTheSame(header, other) {
  const keys = Object.keys(header);
  return keys.length === Object.keys(other).length && keys.every((key) => key === "seq" || header[key] === other[key]);
}

function withoutUnknown(settings, available) {
  return { ...settings, encodings: settings.encodings.filter((name) => available.some((known) => known.name === name)) };
}

export class Talk {
  // page has: settings, order, pin, panels, input (the TextInput), pager, link. It hears: draw(header, text, answer),
  // typed(), refuse(sentence), showBusy(isBusy), sendMessage(message).
  constructor(page) {
    this.page = page;
    this.header = undefined; // the newest answer that is drawn
    this.session = undefined; // of the newest answer
    this.textChanged = this.pinChanged = false; // since the last message
    this.isLong = false; // whether the newest message to the page holds a long text or a file
    this.isAskingAgain = false; // whether panels that were being counted are ready
    this.answers = new Answers();
    this.conversation = new Conversation(this, (message, again) => this.send(message, again));
    this.shortWay = new ShortWay();
    this.leaver = () => this.leave();
    addEventListener("pagehide", this.leaver);
  }

  // Tell Python how things stand; or an action, which is done once.
  ask() { this.conversation.push(); }
  act(action) { this.conversation.act(action); }

  compose() {
    const { page } = this;
    const fields = { ...page.settings, page: page.pager.number };
    if (this.textChanged) fields.text = page.input.text;
    if (this.pinChanged) fields.pin = page.pin; // otherwise Python moves it along with the text
    fields.holds = this.answers.newest; // Python tells what differs from it
    if (!Link.canBeMade) fields.wants_link = true;
    if (this.isAskingAgain) fields.asks_again = true; // the person did nothing: notes stay
    return { fields, text: page.input.text, units: (fields.text?.length ?? 0) + (this.header?.bytes ?? 0) };
  }

  settle() {
    this.textChanged = this.pinChanged = false;
  }

  showBusy(isBusy) { this.page.showBusy(isBusy); }

  // Typing and looking go the short way. A message goes to the page if it concerns more than the editor, if the
  // short way is closed, or if it is sent again because no answer came.
  async send(message, again) {
    clearTimeout(this.telling);
    this.shortWay.leave();
    const needsPage = again || message.action || this.header?.page || message.text?.length > this.page.input.liveBytes;
    if (!needsPage && this.shortWay.isOpen) {
      const bytes = await this.shortWay.ask(message);
      if (bytes === undefined) return;
      if (bytes) {
        this.telling = setTimeout(() => this.tellPage(), TELL_PAGE_AFTER);
        return this.receive(bytes);
      }
    }
    this.sendToPage(message);
  }

  sendToPage(message) {
    const { text, action } = message;
    this.isLong = (action?.data ?? action?.text ?? text ?? "").length > this.page.input.liveBytes;
    this.page.sendMessage(message);
  }

  // What stands below the panels follows the text. Nothing waits for the answer: it says nothing new.
  tellPage() {
    const { sent, seq, revision } = this.conversation;
    if (!sent) this.sendToPage({ seq, revision, ...this.compose().fields, action: null });
  }

  receive(data) {
    const { page } = this;
    const header = this.answers.unpack(data);
    if (header === undefined) return; // a newer one came the other way
    if (!header) return this.conversation.askForAll();
    this.shortWay.take(header.ticket);
    if (this.session && this.session !== header.session) return this.startOver(header);
    const typed = meanwhile?.stop();
    if (typed && typed.text !== typed.draft.text) unheard = { ...typed.draft, text: typed.text };
    const draft = unheard && !this.session && unheard.session !== header.session ? unheard : null;
    unheard = meanwhile = null;
    dropDraft();
    this.session = header.session;
    const isKnown = header.text !== undefined && header.revision === this.conversation.revision; // what was typed since counts
    const answer = this.conversation.receive(header, isKnown);
    if (!answer) return;
    if (header === this.header) return this.goOn(); // all of it is drawn
    if (answer.settled && header.seq === this.askedAgain && saysTheSame(header, this.header)) {
      this.header = header;
      return this.goOn();
    }
    this.takeLimits(header);
    if (!page.settings || answer.settled) { page.settings = { ...header.settings }; page.order = header.settings.encodings; }
    const text = this.takeText(header, answer.text, isKnown);
    if (text === null) return;
    this.header = header;
    page.draw(header, text, answer);
    if (draft && !header.page) this.takeUp(draft); else this.goOn();
    if (typed) page.input.putCaret(typed);
  }

  takeLimits(header) {
    this.page.input.liveBytes = header.live_bytes;
    this.page.input.maxBytes = header.max_bytes;
  }

  goOn() {
    clearTimeout(this.asking);
    if (this.conversation.waiting) this.conversation.push();
    else if (this.isLong) this.tellPage(); // in place of the long message, which goes along with all that is sent
    else if (this.header.panels.some((info) => info.counting))
      this.asking = setTimeout(() => this.askAgain(), ASK_AGAIN_AFTER);
  }

  askAgain() {
    const { conversation } = this;
    if (conversation.sent) return;
    this.isAskingAgain = !conversation.pending && !this.textChanged && !this.pinChanged;
    conversation.push();
    this.isAskingAgain = false;
    this.askedAgain = conversation.seq;
  }

  // The text that an answer is about, put into the editor if it is not there; null if Python has to send it
  // first.
  takeText(header, known, isKnown) {
    const { conversation, page } = this;
    const pageKey = header.page ? `${header.revision}.${header.page.number}` : null;
    let text = known;
    if (header.page) {
      ({ text } = header.page);
      if (this.pageKey !== pageKey) page.input.set(text);
      conversation.revision = header.revision;
    } else if (header.text !== undefined && !isKnown) {
      ({ text } = header);
      conversation.revision = header.revision;
      // What was typed while this was under way wins over an older text from Python. But a text that the
      // person asked for (a sample, a file, a link) wins over what was typed.
      this.textChanged = false;
      page.input.set(text);
    } else if (conversation.revision !== header.revision) {
      conversation.revision = null; // a new mount of an old session
      conversation.push();
      return null;
    }
    if (this.pageKey !== pageKey) for (const panel of page.panels.values()) panel.tokens.scrollTop = 0;
    this.pageKey = pageKey;
    page.input.accepted = conversation.acked = text;
    return text;
  }

  // The server was started anew, and knows nothing of this page: tell it what stands here.
  startOver(header) {
    this.session = header.session;
    this.conversation.startOver(header);
    this.takeLimits(header);
    if (this.header.page) this.page.refuse("The server was started anew. If this browser kept the long text, it comes back in a moment; if not, open it again.");
    else this.textChanged = true;
    this.pageKey = null;
    this.page.settings = withoutUnknown(this.page.settings, header.available);
    this.conversation.push();
  }

  // As startOver, where the editor is new, too: the draft of the one before is put into it.
  takeUp(draft) {
    const { page } = this;
    page.input.set(draft.text);
    page.settings = withoutUnknown(draft.settings, this.header.available);
    page.order = page.settings.encodings;
    page.typed();
  }

  get draft() {
    const { input, settings } = this.page;
    return settings && !this.header?.page ? { session: this.session, text: input.text, settings } : null;
  }

  // The draft, if neither Python nor the address has all of it.
  get unsaved() {
    const { sent, waiting } = this.conversation;
    const isUnheard = this.textChanged || waiting || sent?.text !== undefined;
    return isUnheard || this.page.link.isBehind ? this.draft : null;
  }

  takenAway(start, end) { if (this.draft) meanwhile = new Meanwhile(this.draft, start, end); }

  leave() {
    if (!this.page.settings) return; // no answer came yet: a draft stays where it is, for the next reload
    const { unsaved } = this;
    if (unsaved) leaveDraft(unsaved); else dropDraft();
  }

  destroy() {
    unheard = this.unsaved ?? unheard;
    removeEventListener("pagehide", this.leaver);
    this.conversation.stop();
    clearTimeout(this.telling);
    clearTimeout(this.asking);
    this.shortWay.leave();
  }
}
