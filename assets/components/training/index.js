// Draws a training in progress: its share done, newest merges and curve. It requests the progress itself, and
// reruns the page once, at the end.

import { drawAxes } from "../common/axes.js";
import { make, svgElement } from "../common/dom.js";
import { watchTraining } from "../common/training.js";

const TICKS = 6;

// Round numbers up to the largest vocabulary.
function ticksTo(most) {
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

export default class Training {
  /** @type {import("../common/mount.js").Tell} */
  sendEvent;

  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.resizing = new ResizeObserver(() => this.drawCurve());
    this.resizing.observe(this.$(".plot"));
  }

  receive(data) {
    this.data = data;
    this.root.style.setProperty("--e", data.hue);
    this.$("h2").textContent = data.caption;
    this.draw(data.progress);
    if (this.ticket === data.ticket) return;
    this.ticket = data.ticket;
    this.stop?.();
    this.stop = watchTraining(
      data.ticket,
      (progress) => this.draw(progress),
      () => this.sendEvent({ over: data.ticket }),
    );
  }

  draw(progress) {
    if (!progress.words) return; // the server does not know this training
    const percent = Math.round(100 * progress.share);
    this.$(".bar").setAttribute("aria-valuenow", percent);
    this.$(".bar").setAttribute("aria-valuetext", progress.words);
    this.$(".done").style.width = `${percent}%`;
    this.$(".words").textContent = progress.words;
    this.$(".newest").textContent = progress.newest.join("\n");
    this.$(".columns").hidden = !this.data.caption;
    this.$(".columns").classList.toggle("plain", !progress.curve);
    this.$(".plot").toggleAttribute("hidden", !progress.curve);
    this.curve = progress.curve;
    this.drawCurve();
    this.drawMethods(progress.methods);
  }

  drawCurve() {
    const plot = this.$(".plot");
    if (!plot.clientWidth || !this.curve) return;
    const { least, most } = this.data;
    const best = Math.max(1.5, ...this.curve.map(([, ratio]) => ratio));
    const sizes = ticksTo(most).filter((each) => each >= least);
    const { x, y, write, wide } = drawAxes(plot, best, sizes, (size) => (size - least) / (most - least));
    const [size, ratio] = this.curve.at(-1);
    const points = this.curve.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    plot.append(svgElement("polyline", { class: "curve", points }));
    plot.append(svgElement("circle", { class: "end", cx: x(size), cy: y(ratio), r: 3.5 }));
    const isLeft = x(size) < wide / 2; // its value stands where no curve is
    write(ratio.toFixed(2), {
      x: x(size) + (isLeft ? 9 : -4),
      y: y(ratio) + (isLeft ? 4 : -8),
      "text-anchor": isLeft ? "start" : "end",
      class: "value",
    });
  }

  drawMethods(methods) {
    const most = Math.max(0, ...methods.map(({ ratio }) => ratio ?? 0));
    this.$(".methods").replaceChildren(
      ...methods.map(({ name, ratio, lossy, words }) => {
        if (ratio === null)
          return make("div", "method", [make("span", "", name), make("span", "problem", words)]);
        const fill = make("div", lossy ? "fill lossy" : "fill");
        fill.style.width = `${(100 * ratio) / most}%`;
        return make("div", "method", [make("span", "", name), fill, make("span", "", words)]);
      }),
    );
  }

  destroy() {
    this.stop?.();
    this.resizing.disconnect();
  }
}
