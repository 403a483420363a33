// What a class answered, as a picture: bars over the gaps of a text, bars of choices, dots on a line.

import { directionOf } from "../common/letters.js";
import { clamp, make, number, percent, svgElement } from "../common/dom.js";
import { spellAlone } from "../common/spelling.js";
import { writeValue } from "../lesson/slides.js";

const HIGHEST = 320; // of a stack of dots, where the line is 1000 long

const spell = (grapheme) => ([...grapheme].length === 1 ? spellAlone(grapheme) : grapheme);

// A bar over each gap: the share of the class that cut there. Below it the text; real cuts are marked once
// revealed.
export function drawGaps({ clusters, shows }, { n, counts }) {
  const line = make("div", "line mono gaps", [], { dir: directionOf(clusters.join("")) });
  const real = new Set(shows?.[0].cuts);
  let word = null;
  for (const [place, grapheme] of clusters.entries()) {
    if (!word || /^\s/.test(grapheme)) line.append((word = make("span", "word")));
    if (place) {
      const share = n ? counts[place] / n : 0;
      const bar = make("span", "bar", counts[place] ? [make("small", "", percent(share))] : []);
      bar.style.setProperty("--share", share);
      const vote = make("span", "vote", [bar], { title: `${counts[place]} of ${n}` });
      if (shows && real.has(place)) {
        vote.classList.add("right");
        vote.title += ": a real cut";
      } else if (shows) {
        vote.classList.toggle("needless", counts[place] > 0);
        vote.title += ": no cut";
      }
      word.append(vote);
    }
    word.append(make("span", "grapheme", spell(grapheme)));
    if (grapheme.includes("\n")) line.append(make("br"));
  }
  return line;
}

// The most frequent wrong choice or cut, with its reason. Tokens correspond to cuts where none is inside a
// grapheme.
export function tellWrong({ choices, clusters, shows }, { n, wrong: { place, count, why } }) {
  if (choices) return `${count} of ${n} chose “${choices[place]}”. ${why}`;
  const [{ cuts, tokens, inside }] = shows;
  const before = clusters
    .slice(Math.max(0, place - 6), place)
    .map(spell)
    .join("");
  const token = inside ? "" : ` The token is “${tokens[cuts.filter((cut) => cut <= place).length].text}”.`;
  return `${count} of ${n} cut after “${before}”.${token} ${why}`;
}

export function drawVotes({ choices, right }, { n, counts }) {
  return make(
    "div",
    "votes",
    choices.map((words, place) => {
      const bar = make("span", "bar");
      bar.style.setProperty("--share", n ? counts[place] / n : 0);
      const isRight = place === right;
      const row = make("div", "votes-row", [
        make("span", "words", isRight ? `✓ ${words}` : words),
        make("span", "track", [bar]),
        make("b", "", n ? number(counts[place]) : ""),
      ]);
      if (right !== undefined) row.classList.add(isRight ? "right" : "wrong");
      return row;
    }),
  );
}

// A dot for each guess on the slider's line; equal ones are stacked, and a high stack is pressed together.
export function drawGuesses(slide, { guesses }) {
  const { low, high, value } = slide;
  const width = 1000;
  const foot = 30;
  const step = 16;
  const x = (guess) => 20 + ((guess - low) / (high - low)) * (width - 40);
  const heights = new Map();
  const dots = guesses.map((guess) => {
    const column = Math.round(x(guess) / step);
    const level = heights.get(column) ?? 0;
    heights.set(column, level + 1);
    return [column * step, level];
  });
  const tallest = Math.max(1, ...heights.values());
  const rise = Math.min(step, HIGHEST / tallest);
  const height = foot + 46 + rise * tallest;
  const base = height - foot;
  const svg = svgElement("svg", {
    viewBox: `0 0 ${width} ${height}`,
    class: "dots-line",
    role: "img",
    "aria-label": `${guesses.length} guesses from ${number(guesses[0] ?? low)} to ${number(guesses.at(-1) ?? high)}`,
  });
  svg.append(svgElement("line", { class: "axis", x1: 20, x2: width - 20, y1: base, y2: base }));
  for (const [at, anchor] of [
    [low, "start"],
    [high, "end"],
  ])
    svg.append(svgElement("text", { x: x(at), y: height - 8, "text-anchor": anchor }, number(at)));
  for (const [at, level] of dots) {
    svg.append(
      svgElement("circle", {
        class: "guess-dot",
        cx: at,
        cy: base - 10 - level * rise,
        r: clamp(0.4 * rise, 3, 6.4),
      }),
    );
  }
  if (value !== undefined) {
    const anchor = value > (low + high) / 2 ? "end" : "start";
    svg.append(svgElement("line", { class: "truth", x1: x(value), x2: x(value), y1: 28, y2: base }));
    svg.append(
      svgElement("text", { class: "truth", x: x(value), y: 22, "text-anchor": anchor }, writeValue(slide)),
    );
  }
  return svg;
}
