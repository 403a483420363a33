// A question with a number to guess on a slider. An answer is the number.

import { clamp, make, number as inWords, percent, svgElement } from "../../common/dom.js";

// The picture's line, in its own units, and the dots above it.
const WIDTH = 1000;
const EDGE = 20; // from the picture's sides to the ends of the line
const LETTER = 12; // the width of one
const FOOT = 30; // from the line down to the picture's end
const STEP = 16; // between dots
const HIGHEST = 320; // of a stack of dots

// The right number.
const writeValue = ({ value }) => value.toLocaleString("en-US", { maximumFractionDigits: 1 });

function draw(slide, answer, isRevealed, change) {
  const input = make("input", "", [], {
    type: "range",
    min: slide.low,
    max: slide.high,
    step: slide.step,
    disabled: isRevealed,
    "aria-label": slide.asks,
  });
  input.value = answer ?? (slide.low + slide.high) / 2;
  const chosen = make("output", "", answer === undefined ? "?" : inWords(answer));
  // A press where the slider stands already, in the middle, is a guess, too.
  input.oninput = input.onclick = () => {
    change(Number(input.value));
    chosen.textContent = inWords(Number(input.value));
  };
  const [low, high] = [slide.low, slide.high].map((end) => make("small", "soft", inWords(end)));
  const real = isRevealed ? [make("strong", "real", writeValue(slide))] : [];
  return [make("div", "guess", [low, input, high, chosen, ...real])];
}

function score({ value }, answer) {
  const less = Math.min(answer, value);
  const more = Math.max(answer, value);
  if (less === more) return 1;
  return less > 0 ? less / more : 0;
}

function explain(slide, answer) {
  const guessed = `You guessed ${answer.toLocaleString("en-US")}, and it is ${writeValue(slide)}.`;
  return `${guessed} Score ${percent(score(slide, answer))}: the smaller number ÷ the larger.`;
}

// A dot for each guess on the slider's line, and the right number, once it is known.
function drawPicture(slide, { guesses }) {
  const { low, high, value } = slide;
  const x = (guess) => EDGE + ((guess - low) / (high - low)) * (WIDTH - 2 * EDGE);
  const { dots, tallest } = stackDots(guesses, x);
  const rise = Math.min(STEP, HIGHEST / tallest); // a high stack is pressed together
  const height = FOOT + 46 + rise * tallest;
  const base = height - FOOT;
  const first = inWords(guesses[0] ?? low);
  const last = inWords(guesses.at(-1) ?? high);
  const svg = svgElement("svg", {
    viewBox: `0 0 ${WIDTH} ${height}`,
    class: "dots-line",
    role: "img",
    "aria-label": `${guesses.length} guesses from ${first} to ${last}`,
  });
  const addText = (text, attributes) => svg.append(svgElement("text", attributes, text));
  const addTick = (at) =>
    svg.append(svgElement("line", { class: "axis", x1: at, x2: at, y1: base, y2: base + 6 }));
  svg.append(svgElement("line", { class: "axis", x1: EDGE, x2: WIDTH - EDGE, y1: base, y2: base }));
  const half = guesses.length / 2;
  const median = (guesses[Math.ceil(half) - 1] + guesses[Math.floor(half)]) / 2; // no number: nobody guessed
  const values = [{ value: median, name: "median " }, { value: guesses[0] }, { value: guesses.at(-1) }];
  const labels = [
    { text: inWords(low), at: x(low), anchor: "start" },
    { text: inWords(high), at: x(high), anchor: "end" },
  ];
  for (const { value: guess, name = "" } of guesses.length ? values : [])
    labels.push({ text: `${name}${inWords(guess)}`, at: x(guess), anchor: "middle" });
  for (const { text, at, anchor } of withRoom(labels)) {
    if (anchor === "middle") addTick(at);
    addText(text, { x: at, y: height - 8, "text-anchor": anchor });
  }
  const r = clamp(0.4 * rise, 3, 6.4);
  for (const { at, level, guess } of dots) {
    const dot = svgElement("circle", { class: "guess-dot", cx: at, cy: base - 10 - level * rise, r });
    dot.append(svgElement("title", {}, inWords(guess)));
    svg.append(dot);
  }
  if (value !== undefined) {
    const anchor = value > (low + high) / 2 ? "end" : "start";
    svg.append(svgElement("line", { class: "truth", x1: x(value), x2: x(value), y1: 28, y2: base }));
    addText(writeValue(slide), { class: "truth", x: x(value), y: 22, "text-anchor": anchor });
  }
  if (!guesses.length) return [svg];
  const [lowest, highest] = [guesses[0], guesses.at(-1)].map(inWords);
  const words = `Lowest guess ${lowest}, median ${inWords(median)}, highest ${highest}`;
  return [svg, make("p", "soft", words)];
}

// Dots for the guesses, by their places on the line; those that would be over each other are stacked.
function stackDots(guesses, x) {
  const heights = new Map();
  const dots = guesses.map((guess) => {
    const column = Math.round(x(guess) / STEP);
    const level = heights.get(column) ?? 0;
    heights.set(column, level + 1);
    return { at: column * STEP, level, guess };
  });
  return { dots, tallest: Math.max(1, ...heights.values()) };
}

// The labels that do not touch one before them.
function withRoom(labels) {
  const placed = [];
  for (const label of labels) {
    const width = LETTER * label.text.length;
    const from = label.at - width * { start: 0, middle: 0.5, end: 1 }[label.anchor];
    const to = from + width;
    if (placed.every((other) => to + LETTER < other.from || other.to + LETTER < from))
      placed.push({ ...label, from, to });
  }
  return placed;
}

/** @type {import("../kinds.js").Kind} */
export const number = {
  asks: true,
  howTo: {
    lesson: "Move the slider to your guess, then press “Show the answer”.",
    phone: "Move the slider to your guess, then press Send.",
  },
  draw,
  score,
  explain,
  drawPicture,
};
