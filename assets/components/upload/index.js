// The drop zone for tokenizer files: uploads the chosen or dropped ones, one request each
// (pages/grow/add_tokenizer/upload_route.py), and then tells the page. Of a .gguf file, only the beginning is
// sent: its header holds the tokenizer.

import { bytesInWords, plural } from "../common/dom.js";
import { takeDrops } from "../common/files.js";

const ROUTE = new URL("../../../files", import.meta.url).href; // under a sub-path too
const LOST = "The server was restarted. Choose the files again.";
const RETRY_AFTER = 2000; // milliseconds without a connection

export default class Upload {
  /** @type {import("../common/mount.js").Tell} */
  sendEvent;

  constructor(root) {
    this.$ = (selector) => root.querySelector(selector);
    this.files = []; // waiting for their upload
    const chooser = this.$(".chooser");
    const place = this.$(".place");
    chooser.onchange = () => {
      this.take([...chooser.files]);
      chooser.value = "";
    };
    this.endDrops = takeDrops(place, {
      take: (files) => this.take(files),
      showOver: (isOver) => place.classList.toggle("over", isOver),
    });
    this.$(".stop").onclick = () => this.stop();
  }

  receive(data) {
    this.data = data;
  }

  take(files) {
    const most = this.data.max_files;
    const others = Math.max(0, files.length - most);
    this.note(
      others ? `Up to ${most} files can be uploaded at a time. Left out: ${plural(others, "file")}.` : "",
    );
    this.files.push(...files.slice(0, most));
    if (!this.isUploading) this.uploadAll();
  }

  async uploadAll() {
    this.isUploading = true;
    while (this.files.length) {
      const file = this.files.shift();
      const status = await this.upload(file);
      if (status === 0 && !this.isGone) {
        this.files.unshift(file);
        this.draw(`There is no connection. ${file.name} is uploaded as soon as there is one.`, 0);
        await new Promise((done) => setTimeout(done, RETRY_AFTER));
      } else if (status === null)
        this.note(`${file.name} could not be read. Is it a folder, or did it move? Choose it again.`);
      else if (status === 404) this.note(LOST);
      else if (status >= 300) this.note(`${file.name} could not be uploaded (${status}).`);
    }
    this.isUploading = false;
    this.draw(null);
    if (!this.isGone) this.sendEvent({ uploaded: true });
  }

  // The status of the answer: 0 without one, -1 if the person stopped it, null if the file cannot be read.
  async upload(file) {
    const { ticket, max_bytes: most } = this.data;
    let start;
    try {
      start = await file.slice(0, 4).text();
    } catch {
      return null;
    }
    const isHeader = file.size > most && start === "GGUF";
    // Too long: only its kind is asked for.
    const part = file.slice(0, file.size > most && !isHeader ? 4 : most);
    const others = this.files.length ? `, and ${plural(this.files.length, "more file")}` : "";
    const name = isHeader
      ? `the header of ${file.name} (${bytesInWords(file.size)}; the rest stays where it is)`
      : `${file.name} (${bytesInWords(file.size)})`;
    return new Promise((done) => {
      const request = (this.request = new XMLHttpRequest());
      request.upload.onprogress = ({ loaded, total }) =>
        this.draw(`Uploading ${name}${others}`, loaded / total);
      request.onload = () => done(request.status);
      request.onerror = () => done(0);
      request.onabort = () => done(-1);
      request.open("POST", `${ROUTE}?${new URLSearchParams({ name: file.name, size: file.size })}`);
      request.setRequestHeader("Grove-Ticket", ticket);
      request.send(part);
    });
  }

  stop() {
    this.files = [];
    this.request?.abort();
  }

  draw(words, share) {
    this.$(".doing").hidden = !words;
    this.$(".place").classList.toggle("busy", Boolean(words));
    if (!words) return;
    this.$(".what").textContent = words;
    this.$("progress").value = share;
  }

  note(text) {
    this.$(".note").hidden = !text;
    this.$(".note").textContent = text;
  }

  destroy() {
    this.isGone = true;
    this.stop();
    this.endDrops();
  }
}
