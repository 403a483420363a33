// A training while it runs: how far it is, its newest merges and its curve so far. It asks the server itself, and
// tells the page once, at the end.

import { valuesTo } from "../common/axes.js";
import { make, number, svgElement } from "../common/dom.js";
import { watchTraining } from "../common/training.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [34, 14, 22, 24]; // pixels around the curve
const TICKS = 6;

// Round numbers up to the largest vocabulary.
function ticksTo(most) {
  const rough = most / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => each >= rough);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

export default class Training {
  constructor(root) {
    this.$ = (selector) => root.querySelector(selector);
    this.resizing = new ResizeObserver(() => this.drawCurve());
    this.resizing.observe(this.$(".plot"));
  }

  receive(data) {
    this.data = data;
    this.$("h2").textContent = data.caption;
    this.draw(data.progress);
    if (this.ticket === data.ticket) return;
    this.ticket = data.ticket;
    this.stop?.();
    this.stop = watchTraining(data.ticket, (progress) => this.draw(progress), () => this.sendEvent({ over: data.ticket }));
  }

  draw(progress) {
    if (!progress.words) return; // the server knows nothing of it any more
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
    const [wide, high] = [plot.clientWidth, plot.clientHeight];
    if (!wide || !this.curve) return;
    const [right, bottom] = [wide - RIGHT, high - BOTTOM];
    const { least, most } = this.data;
    const best = Math.max(1.5, ...this.curve.map(([, ratio]) => ratio));
    const x = (size) => LEFT + ((size - least) / (most - least)) * (right - LEFT);
    const y = (ratio) => bottom - ((ratio - 1) / (best - 1)) * (bottom - TOP);
    plot.replaceChildren();
    const write = (text, place, className = "") => {
      const element = plot.appendChild(svgElement("text", { class: className, ...place }));
      element.textContent = text;
      return element;
    };
    for (const value of valuesTo(best)) {
      plot.append(svgElement("line", { class: "axis", x1: LEFT, x2: right, y1: y(value), y2: y(value) }));
      write(String(value), { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" });
    }
    for (const tick of ticksTo(most).filter((each) => each >= least)) {
      const half = write(number(tick), { x: x(tick), y: high - 5, "text-anchor": "middle" });
      const over = x(tick) + half.getComputedTextLength() / 2 - wide;
      if (over > 0) half.setAttribute("x", x(tick) - over); // whole, also at the edge
    }
    write("bytes per token", { x: LEFT, y: 10 });
    const [size, ratio] = this.curve.at(-1);
    const points = this.curve.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
    plot.append(svgElement("polyline", { class: "curve", points }));
    plot.append(svgElement("circle", { class: "end", cx: x(size), cy: y(ratio), r: 3.5 }));
    const isLeft = x(size) < wide / 2; // its value stands where no curve is
    write(ratio.toFixed(2), { x: x(size) + (isLeft ? 9 : -4), y: y(ratio) + (isLeft ? 4 : -8), "text-anchor": isLeft ? "start" : "end" }, "value");
  }

  drawMethods(methods) {
    const most = Math.max(0, ...methods.map(({ ratio }) => ratio ?? 0));
    this.$(".methods").replaceChildren(...methods.map(({ name, ratio, lossy, words }) => {
      const row = make("div", "method");
      row.append(make("span", "", name));
      if (ratio === null) {
        row.append(make("span", "problem", words));
        return row;
      }
      const fill = make("div", lossy ? "fill lossy" : "fill");
      fill.style.width = `${(100 * ratio) / most}%`;
      row.append(fill, make("span", "", words));
      return row;
    }));
  }

  destroy() {
    this.stop?.();
    this.resizing.disconnect();
  }
}
