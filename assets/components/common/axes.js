// The axes of the curves of bytes per token. Each has at least two numbers, since one gives no scale.

import { remInPixels, svgElement } from "./dom.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [34, 14, 22, 24]; // sixteenths of a rem around the curves

// Draw the axes anew, for the size that the SVG has now. best: the largest value; shareOf(size): its place on
// the x axis, 0 to 1. Returns the places of sizes and values, the edges, write(text, attributes), and unit:
// the pixels of a sixteenth of a rem, in which it draws.
export function drawAxes(svg, best, sizes, shareOf) {
  const unit = remInPixels() / 16;
  const wide = svg.clientWidth / unit;
  const high = svg.clientHeight / unit;
  const right = wide - RIGHT;
  const bottom = high - BOTTOM;
  const x = (size) => LEFT + shareOf(size) * (right - LEFT);
  const y = (value) => bottom - (Math.max(0, value - 1) / (best - 1)) * (bottom - TOP);
  const write = (text, attributes) => svg.appendChild(svgElement("text", attributes, text));
  svg.setAttribute("viewBox", `0 0 ${wide} ${high}`);
  svg.replaceChildren();
  for (const value of valuesTo(best)) {
    svg.append(svgElement("line", { class: "axis", x1: LEFT, x2: right, y1: y(value), y2: y(value) }));
    write(value, { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end" });
  }
  for (const size of sizes) {
    const tick = write(size.toLocaleString("en-US"), {
      x: x(size),
      y: bottom + BOTTOM - 5,
      "text-anchor": "middle",
    });
    const over = x(size) + tick.getComputedTextLength() / 2 - wide;
    if (over > 0) tick.setAttribute("x", x(size) - over); // whole, also at the edge
  }
  write("bytes per token", { x: LEFT, y: 10 });
  return { x, y, write, unit, wide, left: LEFT, right, top: TOP, bottom };
}

// Vocabulary sizes on a logarithmic axis.
export function sizesAt(smallest, most) {
  const sizes = [];
  for (let size = 256; size <= most; size *= most < 4096 ? 2 : 4) if (size >= smallest) sizes.push(size);
  return sizes.length > 1 ? sizes : [...new Set([smallest, most])];
}

// Bytes per token, from 1 on.
export function valuesTo(best) {
  let step = 1;
  if (best > 6) step = 2;
  if (best < 2) step = 0.5;
  const values = [];
  for (let value = 1; value <= best; value += step) values.push(value);
  return values;
}
