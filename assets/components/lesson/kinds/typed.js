// A step of a class: everybody types a text, and the wall fills with the tokens of all of them. An answer is
// a text; what comes back from the server is the text with its tokens.

import { colourTokens } from "../../common/colours.js";
import { make, plural } from "../../common/dom.js";
import { directionOf } from "../../common/letters.js";

const RECORDS = {
  most: "The most tokens",
  fewest: "The fewest",
  most_for_letters: "The most for its letters",
};

function draw(slide, answer, isRevealed, change) {
  const input = make("input", "typed", [], {
    type: "text",
    maxLength: slide.most,
    value: answer?.text ?? "",
    autocomplete: "off",
    spellcheck: false,
    dir: "auto",
    "aria-label": slide.asks,
    oninput: () => change(input.value.trim() || undefined),
  });
  return [input];
}

// A text as its tokens, in the text's own direction.
function drawTokens({ text: whole, tokens }) {
  const colours = colourTokens(tokens.map(({ id }) => id));
  const chips = tokens.map(({ text, hex, id, part }, at) =>
    make("span", `chip c${colours[at]}`, [make("bdi", "", part ? hex : text)], { title: `id ${id}` }),
  );
  return make("span", "tokens mono", chips, { dir: directionOf(whole) });
}

const drawOwn = (answer) => [
  make("p", "soft", `GPT-4o reads ${plural(answer.tokens.length, "token")}:`),
  drawTokens(answer),
];

// A card for each text, with a button that takes it off the wall; below, the records.
function drawPicture(slide, { typed = [], numbers, n_hidden: nHidden, ...records }, act) {
  const cards = typed.map((each, at) =>
    make("li", "card", [
      drawTokens(each),
      make("small", "soft", String(each.tokens.length)),
      make("button", "hide", "✕", {
        "aria-label": `Take “${each.text}” off the wall`,
        title: "Take it off the wall",
        onclick: () => act("hide", { number: numbers[at] }),
      }),
    ]),
  );
  const drawn = [make("ul", "cards", cards)];
  const told = Object.keys(RECORDS).filter((name) => name in records);
  if (told.length) {
    const rows = told.map((name) => {
      const { text, tokens, n_letters: nLetters } = typed[records[name]];
      const of = name === "most_for_letters" ? `${tokens.length} for ${nLetters}` : `${tokens.length}`;
      return make("li", "", [`${RECORDS[name]}: `, make("bdi", "", text), ` (${of})`]);
    });
    drawn.push(make("ul", "records", rows));
  }
  if (nHidden) {
    const show = () => act("show hidden");
    drawn.push(
      make("button", "button", `Show the ${plural(nHidden, "text")} that you took off`, { onclick: show }),
    );
  }
  return drawn;
}

/** @type {import("../kinds.js").Kind} */
export const typed = {
  asks: true,
  isLive: true,
  howTo: {
    phone: "Everybody sees it on the wall, and nobody sees who sent it. It is deleted when the class ends.",
  },
  draw,
  drawOwn,
  drawPicture,
};
