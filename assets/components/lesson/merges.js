// Plays what merges make of a few pieces of a text: blocks that join, from the letters to the tokens. With
// reduced motion, it is a picture of the steps.

import { colourTokens } from "../common/colours.js";
import { fromHex, toHex } from "../common/bytes.js";
import { make, number, plural, relabel } from "../common/dom.js";
import { directionOf } from "../common/letters.js";
import { Clock, paceOf, playLabel } from "../common/playback.js";
import { spellAlone, textOf } from "../common/spelling.js";

/**
 * A piece, as draw_pieces of pages/teaching/reasons.py makes it.
 * @typedef {object} Piece
 * @property {string[]} blocks its bytes in hex, or a special token's as one block
 * @property {number[][]} joins for each merge, the blocks that it joins to the one before
 */

const TIMING = { total: 6, pace: /** @type {[number, number]} */ ([40, 300]) }; // see paceOf
const MOST_STEPS = 10; // of a picture

const countMerges = (pieces) => pieces.reduce((sum, { joins }) => sum + joins.length, 0);

/**
 * The blocks of each piece after so many merges, which are done piece by piece.
 * @param {Piece[]} pieces
 * @param {number} step
 */
export function blocksAfter(pieces, step) {
  let before = 0; // merges of the pieces before
  return pieces.map(({ blocks, joins }) => {
    const done = joins.slice(0, Math.max(0, step - before));
    const newest = before + done.length === step ? done.at(-1) : undefined;
    before += joins.length;
    const joined = new Set(done.flat());
    const drawn = [];
    for (const [at, hex] of blocks.entries()) {
      if (!joined.has(at)) drawn.push({ at, hex, isNew: false });
      else drawn.at(-1).hex += hex;
      if (newest?.includes(at)) drawn.at(-1).isNew = true;
    }
    return drawn;
  });
}

function drawBlocks(line, pieces, step) {
  const directionOfAll = (blocks) => directionOf(textOf(fromHex(blocks.join(""))) ?? "");
  line.dir = directionOfAll(pieces.flatMap(({ blocks }) => blocks));
  const drawn = blocksAfter(pieces, step).map((blocks, nth) => {
    const colours = colourTokens(blocks.map(({ at }) => at));
    const chips = blocks.map(({ hex, isNew }, place) => {
      const bytes = fromHex(hex);
      const text = textOf(bytes);
      const word = text === null ? make("span", "part", toHex(bytes)) : make("span", "", spellAlone(text));
      return make("span", isNew ? `chip c${colours[place]} merged` : `chip c${colours[place]}`, [word]);
    });
    return make("span", "piece", chips, { dir: directionOfAll(pieces[nth].blocks) });
  });
  line.replaceChildren(...drawn);
  return line;
}

/**
 * The merges of some pieces, to be played; nothing, if there are none.
 * @param {Piece[]} pieces
 * @param {boolean} plays whether it begins to play by itself
 */
export function drawMerges(pieces, plays = false) {
  const last = countMerges(pieces);
  if (!last) return [];
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return [drawSteps(pieces, last)];
  return [drawPlayer(pieces, last, plays)];
}

function drawPlayer(pieces, last, plays) {
  const line = make("div", "tokens stage mono");
  const button = make("button", "button", playLabel(false));
  const slider = make("input", "slider", [], { type: "range", max: last, "aria-label": "Steps" });
  const at = make("span", "soft at");
  // Screen readers read it when they come to it, and not at each merge.
  const player = make("div", "merges", [line, button, slider, at], {
    role: "group",
    "aria-label": "How the letters are joined",
    "aria-live": "off",
  });
  let step = 0;
  let waited = 0;
  const show = (next) => {
    step = next;
    slider.value = String(step);
    at.textContent = `${number(step)} of ${plural(last, "step")}`;
    slider.setAttribute("aria-valuetext", at.textContent);
    drawBlocks(line, pieces, step);
  };
  const pace = paceOf(last, TIMING);
  const clock = new Clock(
    (elapsed) => {
      waited += elapsed;
      const steps = Math.floor(waited / pace);
      waited -= steps * pace;
      if (steps) show(Math.min(last, step + steps));
      return step < last && player.isConnected;
    },
    () => relabel(button, playLabel(clock.running)),
  );
  const play = () => {
    if (step === last) show(0);
    waited = 0;
    clock.start();
  };
  button.onclick = () => (clock.running ? clock.stop() : play());
  slider.oninput = () => {
    clock.stop();
    show(Number(slider.value));
  };
  show(0);
  if (plays) play();
  return player;
}

// The steps below each other; of many, some of them.
function drawSteps(pieces, last) {
  const rows = Math.min(last, MOST_STEPS);
  const steps = Array.from({ length: rows + 1 }, (_, row) => Math.round((row * last) / rows));
  const items = steps.map((step) => drawBlocks(make("li", "tokens stage mono"), pieces, step));
  return make("ul", "steps", items);
}
