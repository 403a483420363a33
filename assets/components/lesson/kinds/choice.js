// A question with answers to choose from: radio buttons. An answer is the place of the chosen one.

import { make, number } from "../../common/dom.js";
import { isolate } from "../../common/letters.js";

let groups = 0; // of radio buttons: each has a name of its own

function draw(slide, answer, isRevealed, change) {
  const name = `answer ${groups++}`;
  const choices = slide.choices.map((words, place) => {
    const input = make("input", "", [], {
      type: "radio",
      name,
      checked: answer === place,
      disabled: isRevealed,
      onchange: () => change(place),
    });
    const label = make("label", "choice", [input, make("span", "", words)]);
    if (isRevealed && place === slide.right) label.classList.add("right");
    else if (isRevealed && place === answer) label.classList.add("wrong");
    return label;
  });
  return [make("div", "choices", choices, { role: "radiogroup", "aria-label": slide.asks })];
}

const score = ({ right }, answer) => (answer === right ? 1 : 0);

function explain({ right, whys }, answer) {
  if (answer === right) return "Right.";
  return `No. ${whys[answer] || "The right answer is marked."}`;
}

// A bar for each answer: how many of the class chose it.
function drawPicture({ choices, right }, { n, counts }) {
  const rows = choices.map((words, place) => {
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
  });
  return [make("div", "votes", rows)];
}

const tellWrong = ({ choices }, { n, wrong: { place, count, why } }) =>
  `${count} of ${n} chose “${isolate(choices[place])}”. ${why}`;

/** @type {import("../kinds.js").Kind} */
export const choice = {
  asks: true,
  howTo: { phone: "Choose an answer, then press Send." },
  draw,
  score,
  explain,
  drawPicture,
  tellWrong,
};
