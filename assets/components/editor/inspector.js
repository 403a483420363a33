// Draws the facts about the pinned token (tokenizers/text/facts.py), its tree, and the reasons for its cuts.

import { fromHex, utf8Length } from "../common/bytes.js";
import { make, number, plural, pluralWord } from "../common/dom.js";
import { isolate } from "../common/letters.js";
import { nameCharacter, quoteText, spellAlone, writeText } from "../common/spelling.js";
import { makeTree, tellLookUp } from "../common/tree.js";
import { makeQuestion } from "./explain.js";

/**
 * The pinned token: TokenFacts in tokenizers/text/facts.py, and what _inspect in answer.py adds.
 * @typedef {object} Facts
 * @property {string} encoding
 * @property {number} token_id
 * @property {string} token_bytes in hex; of a very long token, the first ones
 * @property {number} unlisted how many bytes follow them
 * @property {[string, string][]} characters each with its bytes in hex
 * @property {string} utf8 whether the bytes are whole characters, in words
 * @property {number} start its bytes in the whole text
 * @property {number} end
 * @property {number} n_bytes of the whole text
 * @property {number} shared_bytes how many of its bytes earlier tokens cover, too
 * @property {boolean} special
 * @property {boolean} unknown
 * @property {string | null} stands_for its own text, if that differs from the text under it
 * @property {number | null} rank
 * @property {string | null} piece null: not known for this text
 * @property {boolean} merges whether its encoding merges
 * @property {boolean} splits whether it splits a text into pieces
 * @property {boolean} not_drawn whether it has merges, but none that are drawn here
 * @property {import("../common/tree.js").TreeNode | null} tree
 * @property {string | null} tree_bytes in hex
 * @property {string} no_tree why an encoding without merges has none
 * @property {string[]} why the reasons for its two cuts; none for a long text
 * @property {string[]} why_plain the same in plain words
 * @property {Elsewhere[]} elsewhere its bytes in the other panels
 */

/**
 * @typedef {object} Elsewhere
 * @property {string} encoding
 * @property {number | null} token_id the token with exactly these bytes
 * @property {number[]} covering the ids of the tokens over them
 * @property {boolean} aligned whether these tokens begin and end where the bytes do
 */

/**
 * @typedef {object} Surroundings
 * @property {number} colour the token's, as in its panel
 * @property {(name: string) => string} hue an encoding's colour
 * @property {(name: string) => string} model the model that uses it
 * @property {boolean} isMoved whether the person has just pinned it
 * @property {boolean[]} steps whether there is a token before it, and after it
 * @property {(direction: number) => void} step what its buttons do
 * @property {() => void} unpin
 * @property {() => void} openBiography
 */

/**
 * @param box
 * @param {Facts} facts
 * @param {Surroundings} surroundings
 */
export function drawInspector(box, facts, surroundings) {
  const { colour, hue, model, isMoved, steps, step, unpin, openBiography } = surroundings;
  const stops = () => [...box.querySelectorAll("button, summary, [tabindex]")];
  const focused = stops().indexOf(box.getRootNode().activeElement);
  const isOpen = box.querySelector(".more")?.open;
  box.style.setProperty("--e", hue(facts.encoding));
  const close = make("button", "icon close", "×", { type: "button", "aria-label": "Close", onclick: unpin });
  let isPressed = false;
  const summary = make("summary", "", "More: its bytes, its merges, the other panels", {
    onclick: () => (isPressed = true),
  });
  const columns = make("div", "columns", [
    drawProperties(facts),
    drawTreeOf(facts, colour),
    drawElsewhere(facts, hue, model),
  ]);
  const more = make("details", "more", [summary, columns], {
    open: isOpen,
    ontoggle: () => {
      box.classList.toggle("opened", more.open);
      if (more.open && (isPressed || isMoved)) box.scrollIntoView({ block: "nearest" });
    },
  });
  box.replaceChildren(
    drawToken(facts, { colour, model, steps, step, openBiography }),
    drawCuts(facts),
    close,
    more,
  );
  if (focused >= 0) stops()[focused]?.focus({ preventScroll: true }); // it was drawn anew
}

// At the text's end, it keeps the focus: it is not disabled, and does nothing.
const makeStep = (direction, glyph, title, step, isThere) =>
  make("button", "icon", glyph, {
    type: "button",
    title,
    "data-step": direction,
    "aria-label": title,
    "aria-disabled": !isThere,
    onclick: () => {
      if (isThere) step(direction);
    },
  });

/** @param {Facts} facts */
const isWhole = (facts) => facts.utf8 === "whole characters";

/**
 * What it is, for somebody who sees a token for the first time.
 * @param {Facts} facts
 * @param {Partial<Surroundings>} surroundings
 */
function drawToken(facts, { colour, model, steps, step, openBiography }) {
  const chip = make("s", `t alone c${colour}`);
  chip.classList.toggle("special", facts.special);
  chip.classList.toggle("unknown", facts.unknown);
  const text = facts.characters.map(([char]) => char).join("");
  if (isWhole(facts)) writeText(chip, text + (facts.unlisted ? "…" : ""));
  else chip.textContent = facts.token_bytes;
  const title = make("h3", "", [
    `A token of ${model(facts.encoding)} `,
    makeStep(-1, "‹", "The token before", step, steps[0]),
    makeStep(1, "›", "The token after", step, steps[1]),
  ]);
  const plain = make("p", "", [
    "The model sees it as one number, its token id: ",
    make("b", "mono", String(facts.token_id)),
    ". ",
    ...describeText(facts, text),
  ]);
  const whole = make("button", "button life", facts.tree ? "See its merge tree" : "See its own page", {
    type: "button",
    title: "How it is built, its variants, its ids in other tokenizers",
    onclick: openBiography,
  });
  return make("div", "", [title, make("div", "big mono", [chip]), plain, whole]);
}

/**
 * What its text does not show by itself.
 * @param {Facts} facts
 */
function describeText(facts, text) {
  if (facts.special) return ["It is a special token: a mark for the model, such as the end of a text."];
  if (facts.unknown) return ["It is the unknown token: the tokenizer has none for this text."];
  if (facts.stands_for) return [`The model reads it as ${facts.stands_for}.`];
  if (!isWhole(facts)) {
    const parts = facts.characters.filter(
      ([char, hex]) => utf8Length(char, 0, char.length) > fromHex(hex).length,
    );
    return parts.map(
      ([char, hex]) =>
        `It has only a part of ${isolate(spellAlone(char))}: ` +
        `${pluralWord(fromHex(hex).length, "byte")} ${hex}. `,
    );
  }
  return text.startsWith(" ") ? ["The dot is a space."] : [];
}

/**
 * What an expert asks.
 * @param {Facts} facts
 */
function drawProperties(facts) {
  const properties = table([
    ["rank", describeRank(facts), facts.rank === null ? "" : "mono"],
    ["at", describePlace(facts)],
    ...(facts.shared_bytes
      ? [["shared", `${number(facts.shared_bytes)} of them with the token before`]]
      : []),
    ["UTF-8", facts.utf8],
    ["piece", describePiece(facts), facts.piece === null ? "" : "mono"],
  ]);
  const caption =
    `${plural(facts.end - facts.start, "byte")}, by ` +
    `character${facts.unlisted ? ` (all but the last ${number(facts.unlisted)})` : ""}`;
  const bytes = table(facts.characters.map(([char, hex]) => [nameCharacter(char), hex, "mono", "mono"]));
  const title = make("h3", "", [
    "In numbers ",
    makeQuestion("pin", "What do rank, piece and the rest mean?"),
  ]);
  return make("div", "", [title, properties, make("h3", "later", caption), make("div", "scroll", [bytes])]);
}

/** @param {Facts} facts */
function describePlace({ start, end, n_bytes: all }) {
  const last = end - 1; // people count both ends in
  const which = last > start ? `bytes ${number(start)} to ${number(last)}` : `byte ${number(start)}`;
  return `${which} of ${number(all)}`;
}

/** @param {Facts} facts */
function describeRank(facts) {
  if (facts.special) return "none: a special token";
  if (!facts.merges) return facts.not_drawn ? "not drawn here" : "none: nothing merges here";
  if (facts.rank !== null) return String(facts.rank);
  return facts.splits ? "none: a single byte" : "none: a single character or byte";
}

/** @param {Facts} facts */
function describePiece(facts) {
  if (facts.special) return "none: a special token";
  if (!facts.splits) return "none: no split pattern";
  return facts.piece === null ? "not known for this text" : quoteText(facts.piece);
}

/** @param {Facts} facts */
function whyNoTree(facts) {
  if (facts.special) return "A special token: no merge makes it.";
  if (facts.unknown) return "It stands for any text that is not in the vocabulary.";
  if (!facts.merges) return facts.no_tree;
  return "A long token: its tree is under Merge trees.";
}

/**
 * How it is built.
 * @param {Facts} facts
 */
function drawTreeOf(facts, colour) {
  const view = make("div", "scroll grown");
  if (facts.tree) {
    const attributes = { role: "img", "aria-label": "Merge tree of the pinned token" };
    view.append(
      makeTree(facts.tree, fromHex(facts.tree_bytes), `var(--t${colour})`, attributes),
      ...tellLookUp(facts.tree),
    );
  } else view.append(make("p", "hint", whyNoTree(facts)));
  return make("div", "", [make("h3", "", "How it is built"), view]);
}

/**
 * Why it is cut where it is.
 * @param {Facts} facts
 */
function drawCuts(facts) {
  const others = facts.elsewhere.length
    ? [make("p", "hint", "In the other panels, a dashed outline marks the same text.")]
    : [];
  return make("div", "why", [make("h3", "", "Why is it cut here?"), ...tellCuts(facts.why_plain), ...others]);
}

/** @param {string[]} reasons of the cut before it and the one after it */
function tellCuts([before, after]) {
  const reasons =
    before && before === after
      ? [["On both sides", before]]
      : [
          ["Before it", before],
          ["After it", after],
        ];
  return reasons.map(([place, reason]) =>
    make("p", "", [make("b", "", `${place}. `), reason ?? "Not computed for a text this long."]),
  );
}

/**
 * What led to its cuts, and what other encodings make of the same bytes.
 * @param {Facts} facts
 */
function drawElsewhere(facts, hue, model) {
  const section = make("div", "", [make("h3", "", "The cuts, in full"), ...tellCuts(facts.why)]);
  const others = make("p", "elsewhere");
  for (const other of facts.elsewhere) {
    const ids = other.covering.slice(0, 12).join(" ") + (other.covering.length > 12 ? " …" : "");
    const name = make("b", "", model(other.encoding));
    name.style.color = hue(other.encoding);
    others.append(make("span", "", [name, other.aligned ? " " : " in ", make("span", "mono", ids)]));
  }
  section.append(
    make("h3", "later", "The same bytes in the other panels, as ids"),
    facts.elsewhere.length ? others : make("p", "hint", "Add another tokenizer to compare."),
  );
  const single = facts.elsewhere.filter(
    (other) => other.token_id !== null && other.covering[0] !== other.token_id,
  );
  for (const other of single) {
    section.append(
      make(
        "p",
        "hint",
        `${model(other.encoding)} has a token for these bytes, ${other.token_id}, but does not use it here.`,
      ),
    );
  }
  return section;
}

const table = (rows) =>
  make(
    "table",
    "",
    rows.map(([name, value, valueClass, nameClass]) =>
      make("tr", "", [make("th", nameClass, name), make("td", valueClass, value)]),
    ),
  );
