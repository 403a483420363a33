// A text at every vocabulary size. Python sends, for each byte of the text and each encoding, the vocabulary
// size from which there is no cut (curve.py); from that this script cuts the text at any size, by itself.

import { above, fromBase64 } from "../common/bytes.js";
import { clamp, disable, number, plural, svgElement, zoomOf } from "../common/dom.js";
import { Clock, playLabel } from "../common/playback.js";
import { sizesAt, valuesTo } from "../common/axes.js";
import { Stand } from "./stand.js";

const THUMB = 22; // pixels, as in the style
const POINTS = 140; // of a curve
const GROW_SECONDS = 12;
const TELL_AFTER = 500; // milliseconds without a further move, after which Python is told


export default class Scrubber {
  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.stands = [];
    this.revision = null;
    this.size = null;
    this.clock = new Clock((elapsed) => this.grow(elapsed), () => {
      this.$("[data-go=play]").textContent = playLabel(this.clock.running);
    });
    const slider = this.$(".slider");
    slider.oninput = () => { this.pause(); this.set(this.sizeAt(slider.value / 1000)); };
    const exact = this.$(".exact");
    exact.onchange = () => { this.pause(); if (exact.value) this.set(Number(exact.value)); };
    this.$("[data-go=play]").onclick = () => (this.clock.running ? this.pause() : this.play());
    this.$("[data-go=back]").onclick = () => { this.pause(); this.step(-1); };
    this.$("[data-go=next]").onclick = () => { this.pause(); this.step(1); };
    const plot = this.$(".plot");
    const drag = (event) => {
      if (!(event.buttons & 1)) return;
      this.pause();
      const box = plot.getBoundingClientRect();
      this.set(this.sizeAt(clamp(((event.clientX - box.left) / zoomOf(plot) - this.left) / this.width, 0, 1)));
    };
    plot.onpointerdown = (event) => { plot.setPointerCapture(event.pointerId); drag(event); };
    plot.onpointermove = drag;
    this.resizing = new ResizeObserver(() => this.draw());
    this.resizing.observe(plot);
  }

  receive(data) {
    if (this.size === null) this.size = data.size;
    if (this.revision === data.revision) return;
    this.pause();
    this.revision = data.revision;
    this.bytes = fromBase64(data.bytes);
    this.edges = fromBase64(data.edges);
    for (let at = 1; at < this.bytes.length; at++) // the line breaks at \n, so \r is drawn apart from it
      if (this.bytes[at] === 10 && this.bytes[at - 1] === 13) this.edges[at] = 1;
    for (const stand of this.stands) stand.destroy();
    this.stands = data.stands.map((each) => new Stand(this, each));
    this.$(".stands").replaceChildren(...this.stands.map((stand) => stand.root));
    this.drawable = this.stands.filter((stand) => stand.gone);
    this.smallest = data.smallest;
    this.most = Math.max(this.smallest + 1, ...this.drawable.map((stand) => stand.full));
    const changes = new Set();
    for (const stand of this.drawable) for (const size of stand.sizes) changes.add(size);
    this.changes = Uint32Array.from(changes).sort();
    this.$(".note").textContent = data.note;
    this.$(".drive").hidden = !this.drawable.length;
    const exact = this.$(".exact");
    exact.min = this.smallest;
    exact.max = this.most;
    this.set(this.size, false);
    this.draw();
  }

  sizeAt(share) { return Math.round(this.smallest * (this.most / this.smallest) ** share); }
  shareOf(size) { return Math.log(size / this.smallest) / Math.log(this.most / this.smallest); }

  step(way) {
    const here = above(this.changes, this.size);
    if (way > 0) this.set(this.changes[here] ?? this.size);
    else this.set(here && this.changes[here - 1] === this.size ? this.changes[here - 2] ?? this.smallest : this.changes[here - 1] ?? this.smallest);
  }

  set(size, tell = true) {
    this.size = clamp(Math.round(size) || this.smallest, this.smallest, this.most);
    const slider = this.$(".slider");
    slider.value = Math.round(1000 * this.shareOf(this.size));
    slider.setAttribute("aria-valuetext", `${number(this.size)} tokens`);
    if (this.root.getRootNode().activeElement !== this.$(".exact")) this.$(".exact").value = this.size;
    else if (Number(this.$(".exact").value) !== this.size) this.$(".exact").value = this.size;
    this.root.dataset.size = this.size;
    disable(this.$("[data-go=back]"), this.size <= this.smallest, slider);
    disable(this.$("[data-go=next]"), above(this.changes, this.size) >= this.changes.length, slider);
    for (const stand of this.stands) stand.show();
    this.mark();
    // The figures follow at once, the text once a frame, however often the slider moves.
    this.painting ??= requestAnimationFrame(() => {
      this.painting = null;
      for (const stand of this.stands) stand.paintSeen();
    });
    if (tell) {
      clearTimeout(this.telling);
      this.telling = setTimeout(() => {
        this.$(".said").textContent = this.drawable.map((stand) => `${stand.name}: ${plural(stand.countAt(Math.min(this.size, stand.full)), "token")}`).join(", ");
        this.sendMessage({ size: this.size });
      }, TELL_AFTER);
    }
  }

  play() {
    if (this.size >= this.most) this.set(this.smallest);
    this.share = this.shareOf(this.size); // kept unrounded while it plays: sizes are whole numbers
    this.clock.start();
  }

  pause() { this.clock.stop(); }

  grow(elapsed) {
    this.share = Math.min(1, this.share + elapsed / 1000 / GROW_SECONDS);
    this.set(this.sizeAt(this.share));
    return this.share < 1;
  }

  // The curves, once for each text and width; then only the marker moves.
  draw() {
    const plot = this.$(".plot");
    const [wide, high] = [plot.clientWidth, plot.clientHeight];
    if (!wide || !this.drawable?.length) return;
    this.left = 34;
    this.width = wide - this.left - 14;
    const [top, bottom] = [22, high - 22];
    const n = this.bytes.length;
    const ratio = (stand, size) => n / Math.max(1, stand.countAt(size));
    const best = Math.max(1.5, ...this.drawable.map((stand) => ratio(stand, stand.full)));
    this.x = (size) => this.left + this.width * this.shareOf(size);
    this.y = (value) => bottom - ((value - Math.min(1, value)) / (best - 1)) * (bottom - top);
    plot.replaceChildren();
    const say = (text, x, y, className, anchor) => {
      const element = svgElement("text", { x, y, class: className, "text-anchor": anchor });
      element.textContent = text;
      plot.append(element);
      return element;
    };
    for (const value of valuesTo(best)) {
      plot.append(svgElement("line", { class: "axis", x1: this.left, x2: this.left + this.width, y1: this.y(value), y2: this.y(value) }));
      say(String(value), this.left - 8, this.y(value) + 4, "", "end");
    }
    for (const tick of sizesAt(this.smallest, this.most)) {
      const element = say(number(tick), this.x(tick), high - 5, "", "middle");
      const over = this.x(tick) + element.getComputedTextLength() / 2 - wide;
      if (over > 0) element.setAttribute("x", this.x(tick) - over); // whole, also at the edge
    }
    say("bytes per token", this.left, 10, "", "start");
    const names = [];
    for (const stand of this.drawable) {
      const points = [];
      for (let i = 0; i <= POINTS; i++) {
        const size = Math.round(this.smallest * (stand.full / this.smallest) ** (i / POINTS));
        points.push(`${this.x(size).toFixed(1)},${this.y(ratio(stand, size)).toFixed(1)}`);
      }
      const hue = stand.root.style.getPropertyValue("--e");
      const paint = (element) => { element.style.setProperty("--e", hue); plot.append(element); return element; };
      paint(svgElement("polyline", { class: "curve", points: points.join(" ") }));
      paint(svgElement("circle", { class: "end", cx: this.x(stand.full), cy: this.y(ratio(stand, stand.full)), r: 3.5 }));
      names.push({ stand, hue, x: this.x(stand.full), y: this.y(ratio(stand, stand.full)) });
    }
    this.at = svgElement("line", { class: "at", y1: top - 4, y2: bottom });
    plot.append(this.at);
    // Names are right of the ends, where no line goes on; without room there, above the upper line and below the lower.
    names.sort((a, b) => a.y - b.y);
    let free = 0;
    names.forEach(({ stand, hue, x, y }, i) => {
      const name = stand.name.length > 22 ? stand.name.slice(0, 21) + "…" : stand.name;
      const element = say(name, x + 9, Math.max(free, y + 4), "name", "start");
      element.style.setProperty("--e", hue);
      free = y + 20;
      if (x + 9 + element.getComputedTextLength() <= wide) return;
      for (const [key, value] of Object.entries({ x: Math.max(x, this.left + 90), y: i ? Math.min(bottom - 6, y + 20) : Math.max(12, y - 12), "text-anchor": "end" })) element.setAttribute(key, value);
    });
    this.dots = this.drawable.map((stand) => {
      const dot = svgElement("circle", { class: "dot", r: 6 });
      dot.style.setProperty("--e", stand.root.style.getPropertyValue("--e"));
      plot.append(dot);
      return dot;
    });
    const slider = this.$(".slider");
    slider.style.marginLeft = `${this.left - THUMB / 2}px`;
    slider.style.width = `${this.width + THUMB}px`;
    this.ratio = ratio;
    this.mark();
  }

  mark() {
    if (!this.at) return;
    const x = this.x(this.size);
    this.at.setAttribute("x1", x);
    this.at.setAttribute("x2", x);
    this.drawable.forEach((stand, i) => {
      const size = Math.min(this.size, stand.full);
      this.dots[i]?.setAttribute("cx", this.x(size));
      this.dots[i]?.setAttribute("cy", this.y(this.ratio(stand, size)));
    });
    const ratios = this.drawable.map((stand) => `${stand.name} ${this.ratio(stand, Math.min(this.size, stand.full)).toFixed(2)}`).join(", ");
    this.$(".plot").setAttribute("aria-label", `Bytes per token at ${number(this.size)} tokens: ${ratios}`);
  }

  destroy() {
    this.pause();
    clearTimeout(this.telling);
    cancelAnimationFrame(this.painting);
    this.resizing.disconnect();
    for (const stand of this.stands) stand.destroy();
  }
}
