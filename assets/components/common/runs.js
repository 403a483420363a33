// Tokens in the order in which their text is read: where its letters run the other way, so do the tokens.

import { make } from "./dom.js";
import { directionOf, isRightToLeft } from "./letters.js";

const NUMBER = /\p{N}/u;
const STRONG = /[\p{L}\p{N}]/u;

// Undefined: nothing in the text has a direction. Numbers run from left to right in every script.
function ownDirection(text) {
  const first = text.match(STRONG)?.[0];
  if (first === undefined) return undefined;
  return isRightToLeft(first) && !NUMBER.test(first) ? "rtl" : "ltr";
}

/**
 * The direction of each token in its text. One without letters, such as a space or a part of a character,
 * has that of both its neighbours, or else the text's.
 * @param {string[]} texts of the tokens, in order; "": a part of a character
 * @param {string} base the text's own direction
 */
export function directionsOf(texts, base) {
  const own = texts.map(ownDirection);
  const before = [];
  for (const [at, direction] of own.entries()) before.push(direction ?? before[at - 1] ?? base);
  let after = base;
  return own
    .map((_, fromEnd) => {
      const at = own.length - 1 - fromEnd;
      after = own[at] ?? after;
      return before[at] === after ? after : base;
    })
    .reverse();
}

/**
 * The places of tokens from the left to the right of a line.
 * @param {string[]} directions see directionsOf
 * @param {string} base
 */
export function visualOrder(directions, base) {
  const runs = [];
  for (const [at, direction] of directions.entries()) {
    if (direction !== directions[at - 1]) runs.push([]);
    runs.at(-1).push(at);
  }
  for (const run of runs) if (directions[run[0]] === "rtl") run.reverse();
  if (base === "rtl") runs.reverse();
  return runs.flat();
}

/**
 * Append the elements of tokens to a box whose style puts them side by side.
 * @param {HTMLElement} box
 * @param {Element[]} elements
 * @param {string[]} texts see directionsOf
 * @param {string} [base]
 */
export function appendInOrder(box, elements, texts, base = directionOf(texts.join(""))) {
  box.dir = base;
  let run = box;
  for (const [at, direction] of directionsOf(texts, base).entries()) {
    if (direction === base) run = box;
    else if (run === box) box.append((run = make("span", "run", [], { dir: direction })));
    run.append(elements[at]);
  }
}
