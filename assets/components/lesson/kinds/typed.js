// A step of a class: everybody types a text, and the wall fills with the tokens of all of them. An answer is
// a text; what comes back from the server is the text with its tokens.

import { colourTokens } from "../../common/colours.js";
import { make, plural, pluralWord } from "../../common/dom.js";
import { appendInOrder } from "../../common/runs.js";

const MOST = 20; // tokens of one text that are drawn
const RECORDS = {
  most: "The most tokens",
  fewest: "The fewest",
  most_for_letters: "The most for its letters",
};

function draw(slide, answer, isRevealed, change) {
  const input = make("input", "typed", [], {
    type: "text",
    maxLength: slide.most,
    value: answer?.text ?? answer ?? "",
    disabled: isRevealed,
    autocomplete: "off",
    spellcheck: false,
    dir: "auto",
    "aria-label": slide.asks,
    oninput: () => change(input.value.trim() || undefined),
  });
  return isRevealed && answer ? [input, ...drawOwn(slide, answer)] : [input];
}

// A text as its tokens, in the text's own direction.
function drawTokens({ tokens }) {
  const colours = colourTokens(tokens.map(({ id }) => id));
  const shown = tokens.slice(0, MOST);
  const chips = shown.map(({ text, hex, id, part }, at) =>
    make("span", `chip c${colours[at]}`, [make("bdi", "", part ? hex : text)], { title: `id ${id}` }),
  );
  const line = make("span", "tokens mono");
  appendInOrder(
    line,
    chips,
    shown.map(({ part, text }) => (part ? "" : text)),
  );
  if (tokens.length > MOST) line.append(make("span", "soft", `and ${tokens.length - MOST} more`));
  return line;
}

const drawOwn = ({ model }, answer) => [
  make("p", "soft", `${model} reads ${plural(answer.tokens.length, "token")}:`),
  drawTokens(answer),
];

// A card for each text, with a button that takes it off the wall; below, the records.
function drawPicture(slide, picture, act) {
  const box = make("div", "typed-box", [make("ul", "cards"), make("div", "below")]);
  refill(box, slide, picture, act);
  return [box];
}

function refill(box, slide, picture, act) {
  const { typed: texts = [], numbers = [], n_hidden: nHidden, is_closed: isClosed } = picture;
  const list = box.querySelector(".cards");
  const old = new Map([...list.children].map((card) => [card.dataset.key, card]));
  for (const [at, each] of texts.entries()) {
    const key = `${numbers[at]} ${each.text}`;
    if (!old.delete(key)) list.append(drawCard(key, each, () => act("hide", { answer: numbers[at] })));
  }
  for (const card of old.values()) card.remove();
  const below = drawRecords(picture);
  const buttons = [];
  const words = isClosed ? "Take texts again" : "Take no more texts";
  buttons.push(make("button", "button", words, { onclick: () => act(isClosed ? "reopen" : "reveal") }));
  if (nHidden) {
    const undo = () => {
      if (confirm("Show the text that you took off last?")) act("show hidden");
    };
    buttons.push(
      make("button", "button", `${nHidden} taken off: bring the last one back …`, { onclick: undo }),
    );
  }
  if (isClosed) buttons.unshift(make("span", "soft", "No more texts are taken."));
  box.querySelector(".below").replaceChildren(...below, make("p", "row", buttons));
}

function drawCard(key, text, hide) {
  return make(
    "li",
    "card",
    [
      drawTokens(text),
      make("small", "soft", String(text.tokens.length)),
      make("button", "hide", "✕", {
        "aria-label": `Take “${text.text}” off the wall`,
        title: "Take it off the wall",
        onclick: hide,
      }),
    ],
    { "data-key": key },
  );
}

function drawRecords({ typed: texts, ...records }) {
  const names = Object.keys(RECORDS).filter((name) => name in records);
  if (!names.length) return [];
  const rows = names.map((name) => {
    const holders = records[name].map((at) => texts[at]);
    const words = holders.length > 1 ? tellShared(name, holders) : tellRecord(name, holders[0]);
    return make("li", "", [`${RECORDS[name]}: `, ...words]);
  });
  return [make("ul", "records", rows)];
}

function tellRecord(name, { text, tokens, n_letters: nLetters }) {
  const of = name === "most_for_letters" ? `${tokens.length} for ${nLetters}` : `${tokens.length}`;
  return [make("bdi", "excerpt", text), ` (${of})`];
}

function tellShared(name, holders) {
  const [{ tokens, n_letters: nLetters }] = holders;
  const perLetter = tokens.length / nLetters;
  const each = perLetter.toLocaleString("en-US", { maximumFractionDigits: 2 });
  const have =
    name === "most_for_letters"
      ? `${each} ${pluralWord(perLetter, "token")} for each letter`
      : plural(tokens.length, "token");
  return [`${holders.length} texts have ${have}`];
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
  refill,
};
