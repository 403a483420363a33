// The parts that slides of all kinds have: the heading, the text, the tokens of an encoding. The live class
// draws the same ones (../classroom).

import { directionOf } from "../common/letters.js";
import { colourTokens } from "../common/colours.js";
import { make, number, percent, plural } from "../common/dom.js";
import { appendInOrder } from "../common/runs.js";
import { kindOf } from "./kinds.js";

const MANY_LINES = 9; // a longer text has two columns in the teacher's view
const MANY = 30; // tokens; with more, the ids are in tooltips only
const MOST_TAUGHT = 40; // tokens in the teacher's view: more cannot be read from the last row
const MOST_DRAWN = 400; // tokens elsewhere

const WHEN = {
  before: "Before the lesson: what do you think? The answer comes after it.",
  after: "The same question, after the lesson:",
};

// The question, or what the step says; before it, when a question of the quiz is asked.
export function drawHeading({ when, asks }) {
  const heading = make("h2", "", asks);
  return WHEN[when] ? [make("p", "soft", WHEN[when]), heading] : [heading];
}

// What a step speaks of, unless its kind shows it. hidesText: whether the tokens show the text.
export function drawSubject(slide, isRevealed, hidesText = false) {
  if (kindOf(slide).holdsText) return [];
  if (slide.stage) return [drawStage(slide, isRevealed)];
  return slide.text === undefined || hidesText ? [] : [drawText(slide.text)];
}

function drawText(text) {
  const isLong = text.split("\n").length > MANY_LINES;
  const box = make("pre", isLong ? "line plain mono long" : "line plain mono", text);
  box.dir = directionOf(text);
  return box;
}

// A text as the tokens that merges have made of it so far; once revealed, after one merge more.
function drawStage({ stage, next_stage: next }, revealed) {
  const tokens = revealed ? next : stage;
  const names = [...new Set(tokens)];
  const colours = colourTokens(tokens.map((token) => names.indexOf(token)));
  const chips = tokens.map((token, at) =>
    make("span", `chip c${colours[at]} ${stage.includes(token) ? "" : "merged"}`, token, { dir: "auto" }),
  );
  const box = make("div", "tokens stage mono");
  appendInOrder(box, chips, tokens);
  return box;
}

// What the answer shows besides its words. teaching: see drawTokens.
export function drawFigures(slide, teaching) {
  const { row, counts, lattice, n_fit: nFit, shows = [] } = slide;
  const tokens = shows.map((example) => drawTokens(example, teaching));
  const remark = teaching ? "" : kindOf(slide).remarkOnTokens?.(slide);
  if (remark) tokens[0].append(make("span", "soft", remark));
  return [
    row && drawRow(row),
    counts && drawCounts(counts),
    lattice && drawLattice(lattice, nFit),
    ...tokens,
  ].filter(Boolean);
}

const drawBar = (name, share, words) => {
  const bar = make("span", "share");
  bar.style.width = percent(share);
  return make("li", "", [make("span", "", name), make("span", "track", [bar]), make("span", "", words)]);
};

// How many tokens some texts have in each encoding, on one scale.
function drawCounts(counts) {
  const most = Math.max(...counts.flatMap(({ bars }) => bars.map(([, n]) => n)));
  return make(
    "div",
    "counts",
    counts.map(({ name, bars }) =>
      make("div", "row-of", [
        make("b", "", name),
        make(
          "ul",
          "",
          bars.map(([text, n]) => drawBar(text, n / most, plural(n, "token"))),
        ),
      ]),
    ),
  );
}

// The tokens of a Unigram that fit a text, each below its characters.
function drawLattice(bars, nFit) {
  const grid = make(
    "div",
    "lattice mono",
    bars.map(([token, start, end, score, path, row]) => {
      const bar = make("span", `fits ${["best", "next", ""][path]}`, token, {
        title: `log-probability ${score}`,
      });
      bar.style.gridArea = `${row + 1} / ${start + 1} / auto / ${end + 1}`;
      return bar;
    }),
    { dir: directionOf(bars.map(([token]) => token).join("")) },
  );
  const some = bars.length < nFit ? `${bars.length} of ${nFit} tokens` : `${nFit} tokens`;
  return make("div", "", [
    grid,
    make(
      "p",
      "soft",
      `The ${some} that fit. Filled: the way that is taken. Dashed: where the next best way differs.`,
    ),
  ]);
}

// What followed a token in the stories of the tiny model: its id, and its row of the table as bars.
function drawRow({ token, id, row, others, n, n_vocab }) {
  const chip = make("span", "chip mono c0", [make("span", "", token), make("small", "", id)]);
  const says = make(
    "span",
    "soft",
    `Row ${number(id)} of a table with ${number(n_vocab)} rows, one for each token:`,
  );
  const bars = row.map(([follower, count]) =>
    drawBar(follower, count / row[0][1], `${count} of ${number(n)} = ${percent(count / n)}`),
  );
  if (others) bars.push(make("li", "soft", `and ${plural(others, "other")}; all other tokens: 0`));
  return make("div", "row-of", [make("div", "", [chip, " → ", says]), make("ul", "mono", bars)]);
}

// The tokens of an encoding. teaching: on a projector, so not too many.
function drawTokens(example, teaching) {
  const row = make("div", "shown");
  const parts = example.tokens.filter(({ part }) => part);
  const colours = colourTokens(example.tokens.map(({ id }) => id));
  row.append(make("b", "", example.name), make("span", "soft", plural(example.tokens.length, "token")));
  const line = make("div", example.tokens.length > MANY ? "tokens mono many" : "tokens mono");
  const most = teaching ? MOST_TAUGHT : MOST_DRAWN;
  const drawn = example.tokens.length > most + 5 ? example.tokens.slice(0, most) : example.tokens;
  const chips = drawn.map((token, at) => {
    const word = make("span", token.part ? "part" : "", token.part ? token.hex : token.text, { dir: "auto" });
    return make("span", `chip c${colours[at]}`, [word, make("small", "", token.id)], {
      title: `id ${token.id}, bytes ${token.hex}`,
    });
  });
  const texts = drawn.map(({ part, text }) => (part ? "" : text));
  appendInOrder(line, chips, texts);
  if (drawn.length < example.tokens.length)
    line.append(make("span", "soft more", `and ${number(example.tokens.length - drawn.length)} more`));
  row.append(line);
  if (parts.length) row.append(make("span", "soft", tellParts(parts, example.tokens)));
  return row;
}

// What is to say of tokens that hold only a part of a character.
function tellParts(parts, tokens) {
  if (parts.length <= tokens.length / 2)
    return `A token that holds only a part of a character is shown as its bytes: ${parts[0].hex}.`;
  return (
    `${number(parts.length)} of them hold only a part of a character, and are shown as their bytes, ` +
    `such as ${parts[0].hex}.`
  );
}
