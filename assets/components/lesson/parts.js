// The parts of a slide: its text, its answers, the tokens of an encoding and the reasons for its cuts. The
// live class draws the same ones (../classroom).

import { directionOf } from "../common/letters.js";
import { colourTokens } from "../common/colours.js";
import { make, number, percent, plural } from "../common/dom.js";
import { spellAlone } from "../common/spelling.js";
import { judgeCuts, writeValue } from "./slides.js";

const MANY_LINES = 9; // a longer text has two columns in the teacher's view
const MANY = 30; // tokens; with more, the ids are in tooltips only
const MOST_REASONS = 3; // places where an answer differs
const MOST_TAUGHT = 40; // tokens in the teacher's view: more cannot be read from the last row

let groups = 0; // of radio buttons: each has a name of its own

export function drawText(text) {
  const isLong = text.split("\n").length > MANY_LINES;
  const box = make("pre", isLong ? "line plain mono long" : "line plain mono", text);
  box.dir = directionOf(text);
  return box;
}

// A text as the tokens that merges have made of it so far; once revealed, after one merge more.
export function drawStage({ stage, next_stage: next }, revealed) {
  const tokens = revealed ? next : stage;
  const names = [...new Set(tokens)];
  const colours = colourTokens(tokens.map((token) => names.indexOf(token)));
  const chips = tokens.map((token, at) =>
    make("span", `chip c${colours[at]} ${stage.includes(token) ? "" : "merged"}`, token),
  );
  return make("div", "tokens stage mono", chips);
}

// What the answer shows besides its words. teaching: see drawTokens.
export function drawFigures({ kind, row, counts, lattice, n_fit: nFit, shows = [] }, teaching) {
  const tokens = shows.map((example) => drawTokens(example, teaching));
  const inside = kind === "cuts" && !teaching && shows[0].inside;
  if (inside) {
    tokens[0].append(
      make("span", "soft", `${inside} of its cuts are inside a character, where you could not place one.`),
    );
  }
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
  );
  const some = bars.length < nFit ? `${bars.length} of ${nFit} tokens` : `${nFit} tokens`;
  return make("div", "", [
    grid,
    make(
      "p",
      "soft",
      `The ${some} that fit. Green: the way that is taken. Dashed: where the next best way differs.`,
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

// answer: the place of the choice; choose(place) hears each choice.
export function drawChoices(slide, answer, revealed, choose) {
  const name = `answer ${groups++}`;
  const choices = slide.choices.map((words, place) => {
    const input = make("input", "", [], {
      type: "radio",
      name,
      checked: answer === place,
      disabled: revealed,
      onchange: () => choose(place),
    });
    const label = make("label", "choice", [input, make("span", "", words)]);
    if (revealed && place === slide.right) label.classList.add("right");
    else if (revealed && place === answer) label.classList.add("wrong");
    return label;
  });
  return make("div", "choices", choices, { role: "radiogroup", "aria-label": slide.asks });
}

// answer: the number; guess(number) hears each move of the slider.
export function drawNumber(slide, answer, revealed, guess) {
  const input = make("input", "", [], {
    type: "range",
    min: slide.low,
    max: slide.high,
    step: slide.step,
    disabled: revealed,
    "aria-label": slide.asks,
  });
  input.value = answer ?? (slide.low + slide.high) / 2;
  const chosen = make("output", "", answer === undefined ? "?" : number(answer));
  // A press where the slider stands already, in the middle, is a guess, too.
  input.oninput = input.onclick = () => {
    guess(Number(input.value));
    chosen.textContent = number(Number(input.value));
  };
  const [low, high] = [slide.low, slide.high].map((end) => make("small", "soft", number(end)));
  const real = revealed ? [make("strong", "real", writeValue(slide))] : [];
  return make("div", "guess", [low, input, high, chosen, ...real]);
}

// The tokens of an encoding. teaching: on a projector, so not too many.
function drawTokens(example, teaching) {
  const row = make("div", "shown");
  const parts = example.tokens.filter(({ part }) => part);
  const colours = colourTokens(example.tokens.map(({ id }) => id));
  row.append(make("b", "", example.name), make("span", "soft", plural(example.tokens.length, "token")));
  if (example.tokens.length > MANY && parts.length > example.tokens.length / 2) {
    // bytes upon bytes tell nothing
    row.append(
      make(
        "span",
        "soft",
        `${number(parts.length)} of them hold only a part of a character, such as ${parts[0].hex} (bytes in ` +
          `hex).`,
      ),
    );
    return row;
  }
  const line = make("div", example.tokens.length > MANY ? "tokens mono many" : "tokens mono");
  const drawn =
    teaching && example.tokens.length > MOST_TAUGHT + 5
      ? example.tokens.slice(0, MOST_TAUGHT)
      : example.tokens;
  for (const [at, token] of drawn.entries()) {
    const word = make("span", token.part ? "part" : "", token.part ? token.hex : token.text);
    line.append(
      make("span", `chip c${colours[at]}`, [word, make("small", "", token.id)], {
        title: `id ${token.id}, bytes ${token.hex}`,
      }),
    );
  }
  if (drawn.length < example.tokens.length)
    line.append(make("span", "soft more", `and ${number(example.tokens.length - drawn.length)} more`));
  row.append(line);
  if (parts.length) {
    row.append(
      make(
        "span",
        "soft",
        `A token that holds only a part of a character is shown as its bytes: ${parts[0].hex}.`,
      ),
    );
  }
  return row;
}

// Why the first encoding cuts where it does; first where an answer differs from it.
export function drawReasons(box, slide, answer) {
  const [{ cuts, why }] = slide.shows;
  const list = (places) =>
    make(
      "ul",
      "links",
      places.map((place) => {
        const part = (from, to) =>
          slide.clusters
            .slice(Math.max(0, from), to)
            .map((grapheme) => ([...grapheme].length === 1 ? spellAlone(grapheme) : grapheme))
            .join("");
        const around = `${part(place - 4, place)} | ${part(place, place + 4)}`;
        return make("li", "", [make("code", "", around), ` ${why[place] ?? ""}`]);
      }),
    );
  const { missed, needless } = judgeCuts(answer ?? [], cuts);
  const differs = answer ? [...missed, ...needless].filter((place) => why[place]).sort((a, b) => a - b) : [];
  const first = differs.slice(0, MOST_REASONS);
  const others = cuts.filter((place) => !first.includes(place));
  const some = differs.length > first.length ? ` (${first.length} of ${differs.length})` : "";
  if (first.length) box.append(make("p", "", `Where your cuts differ${some}:`), list(first));
  const asks = first.length ? "Why is it cut elsewhere?" : "Why is it cut there?";
  if (others.length) box.append(make("details", "", [make("summary", "", asks), list(others)]));
}
