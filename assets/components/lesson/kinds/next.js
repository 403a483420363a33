// A step of a class: it votes for the next token of a sentence. An answer is the place of the chosen one.

import { make, number, percent } from "../../common/dom.js";
import { choice } from "./choice.js";

function draw(slide, answer, isRevealed, change) {
  if (!isRevealed) return choice.draw(slide, answer, false, change);
  const rows = slide.choices.map((words, place) =>
    drawRow(place === answer ? `${words} (yours)` : words, [["model", slide.shares[place]]], ""),
  );
  return [make("p", "soft", "How likely each was for the tiny model:"), make("div", "votes", rows)];
}

// A token with bars for shares, each after the name of its colour, and a number.
function drawRow(words, shares, says) {
  const bars = shares.map(([name, share]) => {
    const bar = make("span", `bar ${name}`);
    bar.style.setProperty("--share", share);
    return make("span", "track", [bar], { title: `${name}: ${percent(share)}` });
  });
  return make("div", "votes-row", [
    make("span", "words mono", words),
    make("span", "tracks", bars),
    make("b", "", says),
  ]);
}

// A bar for the votes of each token, and once revealed, one for the model's share.
function drawPicture({ choices, shares }, { n, counts, winner }) {
  const rows = choices.map((words, place) => {
    const drawn = [["class", n ? counts[place] / n : 0]];
    if (shares) drawn.push(["model", shares[place]]);
    const isWinner = shares && place === winner;
    const name = isWinner ? `→ ${words}` : words;
    const row = drawRow(name, drawn, n ? number(counts[place]) : "");
    row.classList.toggle("winner", Boolean(isWinner));
    return row;
  });
  const legend = make("p", "soft legend", [
    make("span", "swatch class"),
    " the class’s votes ",
    make("span", "swatch model"),
    " how likely it is for the tiny model",
  ]);
  return [make("div", "votes", rows), ...(shares ? [legend] : [])];
}

/** @type {import("../kinds.js").Kind} */
export const next = {
  asks: true,
  hasVotes: true,
  howTo: {
    phone: "Choose a token, then press Send. The one with the most votes is taken; of equals, the likeliest.",
  },
  draw,
  drawPicture,
};
