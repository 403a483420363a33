// Files that a person chooses or drops. Python asks for pieces of them (pages/session/incoming.py), so that of a
// file of gigabytes no more is read and sent than is needed.

import { bytesInWords, plural } from "../common/dom.js";
import { readBase64, takeDrops } from "../common/files.js";

const LOST = "The server was started anew: choose the files again.";

export default class Files {
  constructor(root) {
    this.$ = (selector) => root.querySelector(selector);
    this.files = new Map(); // those that are coming, by number
    this.waiting = []; // what was chosen while others came
    this.number = Date.now(); // no number of a page that was left while its files came
    this.seq = 0;
    this.answered = 0; // the number of the piece that was sent last
    this.isLong = false; // whether the newest message holds a piece
    const chooser = this.$(".chooser"), place = this.$(".place");
    chooser.onchange = () => { this.take([...chooser.files]); chooser.value = ""; };
    this.endDrops = takeDrops(place, {
      take: (files) => this.take(files),
      showOver: (isOver) => place.classList.toggle("over", isOver),
    });
    this.$(".stop").onclick = () => { this.waiting = []; this.files.clear(); this.send({ stop: true }); };
  }

  take(files) {
    if (!files.length) return;
    this.note("");
    this.waiting.push(...files);
    this.begin();
  }

  begin() {
    if (this.files.size || !this.waiting.length || !this.session) return;
    for (const file of this.waiting) this.files.set(++this.number, file);
    this.waiting = [];
    this.send({ files: [...this.files].map(([number, file]) => ({ number, name: file.name, size: file.size })) });
  }

  send(message) {
    this.isLong = "piece" in message;
    this.sendMessage({ ...message, session: this.session, seq: ++this.seq });
  }

  async receive(data) {
    if (this.session && this.session !== data.session) {
      if (this.files.size) this.note(LOST);
      this.files.clear();
      this.answered = 0;
    }
    this.session = data.session;
    const isNews = data.heard >= this.seq; // an answer to the newest message
    this.seq = Math.max(this.seq, data.heard);
    this.$(".how").textContent = data.how;
    this.draw(data.doing);
    if (data.ask) return this.answer(data.ask);
    if (!isNews) return;
    this.files.clear();
    if (this.waiting.length) this.begin();
    else if (this.isLong) this.send({}); // in place of the piece, which would be sent again with all that follows
  }

  async answer({ number, file, start, length }) {
    if (number === this.answered) return;
    this.answered = number;
    const chosen = this.files.get(file);
    const data = chosen ? await readBase64(chosen.slice(start, start + length)) : null;
    if (!this.gone && this.answered === number) this.send({ piece: { number, data } });
  }

  draw(doing) {
    this.$(".doing").hidden = !doing;
    this.$(".place").classList.toggle("busy", Boolean(doing));
    if (!doing) return;
    const { name, got, wanted, size, header, more } = doing;
    const others = more ? `, and ${plural(more, "more file")}` : "";
    const part = header ? `the header of ${name} (${bytesInWords(size)}; the rest stays where it is)` : `${name} (${bytesInWords(size)})`;
    this.$(".what").textContent = `Reading ${part}${others}`;
    if (wanted) this.$("progress").value = got / wanted; else this.$("progress").removeAttribute("value");
  }

  note(text) {
    this.$(".note").hidden = !text;
    this.$(".note").textContent = text;
  }

  destroy() {
    this.gone = true;
    this.endDrops();
  }
}
