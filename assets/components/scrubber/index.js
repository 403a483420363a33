// Cuts a text at any vocabulary size, without the server. Python sends, for each byte and each encoding, the
// vocabulary size from which there is no cut before it (curve.py).

import { above, fromBase64 } from "../common/bytes.js";
import { clamp, disable, number, plural, svgElement } from "../common/dom.js";
import { Clock, playLabel } from "../common/playback.js";
import { drawAxes, sizesAt } from "../common/axes.js";
import { Stand } from "./stand.js";

const THUMB = 22; // sixteenths of a rem, as in the style
const POINTS = 140; // of a curve
const GROW_SECONDS = 12;
const TELL_AFTER = 500; // milliseconds without a further move, after which Python is told

export default class Scrubber {
  /** @type {import("../common/mount.js").Tell} */
  sendMessage;

  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.stands = [];
    this.revision = null;
    this.size = null;
    this.clock = new Clock(
      (elapsed) => this.grow(elapsed),
      () => {
        this.$("[data-go=play]").textContent = playLabel(this.clock.running);
      },
    );
    const slider = this.$(".slider");
    slider.oninput = () => {
      this.pause();
      this.set(this.sizeAt(slider.value / 1000));
    };
    const exact = this.$(".exact");
    exact.onchange = () => {
      this.pause();
      if (exact.value) this.set(Number(exact.value));
    };
    this.$("[data-go=play]").onclick = () => (this.clock.running ? this.pause() : this.play());
    this.$("[data-go=back]").onclick = () => {
      this.pause();
      this.step(-1);
    };
    this.$("[data-go=next]").onclick = () => {
      this.pause();
      this.step(1);
    };
    const plot = this.$(".plot");
    const drag = (event) => {
      if (!(event.buttons & 1) || !this.axes) return;
      this.pause();
      const box = plot.getBoundingClientRect();
      const { left, right, unit } = this.axes;
      this.set(this.sizeAt(clamp(((event.clientX - box.left) / unit - left) / (right - left), 0, 1)));
    };
    plot.onpointerdown = (event) => {
      plot.setPointerCapture(event.pointerId);
      drag(event);
    };
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
    this.data = data;
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

  sizeAt(share) {
    return Math.round(this.smallest * (this.most / this.smallest) ** share);
  }
  shareOf(size) {
    return Math.log(size / this.smallest) / Math.log(this.most / this.smallest);
  }

  step(way) {
    const here = above(this.changes, this.size);
    if (way > 0) this.set(this.changes[here] ?? this.size);
    else
      this.set(
        here && this.changes[here - 1] === this.size
          ? (this.changes[here - 2] ?? this.smallest)
          : (this.changes[here - 1] ?? this.smallest),
      );
  }

  set(size, tell = true) {
    this.size = clamp(Math.round(size) || this.smallest, this.smallest, this.most);
    const slider = this.$(".slider");
    slider.value = Math.round(1000 * this.shareOf(this.size));
    slider.setAttribute("aria-valuetext", `${number(this.size)} tokens`);
    // What is being typed stays.
    if (Number(this.$(".exact").value) !== this.size) this.$(".exact").value = this.size;
    this.root.dataset.size = this.size;
    disable(this.$("[data-go=back]"), this.size <= this.smallest, slider);
    disable(this.$("[data-go=next]"), above(this.changes, this.size) >= this.changes.length, slider);
    for (const stand of this.stands) stand.show();
    this.mark();
    // The numbers follow at once, and the text once a frame.
    this.painting ??= requestAnimationFrame(() => {
      this.painting = null;
      for (const stand of this.stands) stand.paintSeen();
    });
    if (tell) {
      clearTimeout(this.telling);
      this.telling = setTimeout(() => {
        this.$(".spoken").textContent = this.drawable
          .map((stand) => `${stand.name}: ${plural(stand.countAt(Math.min(this.size, stand.full)), "token")}`)
          .join(", ");
        this.sendMessage({ size: this.size });
      }, TELL_AFTER);
    }
  }

  play() {
    if (this.size >= this.most) this.set(this.smallest);
    this.share = this.shareOf(this.size); // kept unrounded while it plays: sizes are whole numbers
    this.clock.start();
  }

  pause() {
    this.clock.stop();
  }

  grow(elapsed) {
    this.share = Math.min(1, this.share + elapsed / 1000 / GROW_SECONDS);
    this.set(this.sizeAt(this.share));
    return this.share < 1;
  }

  // The curves, once for each text and width; then only the marker moves.
  draw() {
    const plot = this.$(".plot");
    if (!plot.clientWidth || !this.drawable?.length) return;
    const best = Math.max(1.5, ...this.drawable.map((stand) => this.ratio(stand, stand.full)));
    this.axes = drawAxes(plot, best, sizesAt(this.smallest, this.most), (size) => this.shareOf(size));
    const { x, y, write, wide, left, right, top, bottom } = this.axes;
    const paint = (stand, element) => {
      element.style.setProperty("--e", stand.root.style.getPropertyValue("--e"));
      return plot.appendChild(element);
    };
    for (const stand of this.drawable) {
      const points = [];
      for (let i = 0; i <= POINTS; i++) {
        const size = Math.round(this.smallest * (stand.full / this.smallest) ** (i / POINTS));
        points.push(`${x(size).toFixed(1)},${y(this.ratio(stand, size)).toFixed(1)}`);
      }
      paint(stand, svgElement("polyline", { class: "curve", points: points.join(" ") }));
      paint(
        stand,
        svgElement("circle", {
          class: "end",
          cx: x(stand.full),
          cy: y(this.ratio(stand, stand.full)),
          r: 3.5,
        }),
      );
    }
    this.at = plot.appendChild(svgElement("line", { class: "at", y1: top - 4, y2: bottom }));
    // Names are right of the ends, where no line goes on; without room there, above the upper line and below
    // the lower.
    let free = 0;
    const ends = this.drawable.map((stand) => ({
      stand,
      endX: x(stand.full),
      endY: y(this.ratio(stand, stand.full)),
    }));
    ends
      .sort((a, b) => a.endY - b.endY)
      .forEach(({ stand, endX, endY }, i) => {
        const name = stand.name.length > 22 ? stand.name.slice(0, 21) + "…" : stand.name;
        const element = paint(
          stand,
          write(name, { x: endX + 9, y: Math.max(free, endY + 4), class: "name" }),
        );
        free = endY + 20;
        if (endX + 9 + element.getComputedTextLength() <= wide) return;
        for (const [key, value] of Object.entries({
          x: Math.max(endX, left + 90),
          y: i ? Math.min(bottom - 6, endY + 20) : Math.max(12, endY - 12),
          "text-anchor": "end",
        }))
          element.setAttribute(key, value);
      });
    this.dots = this.drawable.map((stand) => paint(stand, svgElement("circle", { class: "dot", r: 6 })));
    const slider = this.$(".slider");
    slider.style.marginLeft = `${(left - THUMB / 2) / 16}rem`;
    slider.style.width = `${(right - left + THUMB) / 16}rem`;
    this.mark();
  }

  // Bytes per token of an encoding at a size.
  ratio(stand, size) {
    return this.bytes.length / Math.max(1, stand.countAt(size));
  }

  mark() {
    if (!this.axes) return;
    const { x, y } = this.axes;
    for (const end of ["x1", "x2"]) this.at.setAttribute(end, x(this.size));
    this.drawable.forEach((stand, i) => {
      const size = Math.min(this.size, stand.full);
      this.dots[i]?.setAttribute("cx", x(size));
      this.dots[i]?.setAttribute("cy", y(this.ratio(stand, size)));
    });
    const ratios = this.drawable
      .map((stand) => `${stand.name} ${this.ratio(stand, Math.min(this.size, stand.full)).toFixed(2)}`)
      .join(", ");
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
