// Tokens over a drawn text: the place of each in bytes and UTF-16 units, and its description.
// A gap, which is text without a token, is among them, so that together they are the text.

import { above, commonEnds, runningSum, toHex } from "./bytes.js";
import { colourTokens } from "./colours.js";
import { plural } from "./dom.js";
import { quoteText } from "./spelling.js";

// The flags of a token, the same as in pages/explore/playground/answer.py.
export const CLEAN = 1,
  ONLY_HERE = 2,
  WALL = 4,
  SPECIAL = 8,
  LOOKS_SPECIAL = 16,
  BEGINS_BEFORE = 32,
  GOES_ON = 64,
  GAP = 128,
  UNKNOWN = 256,
  SHARES = 512;

/**
 * A number for each token, in order. A gap has the id 0.
 * @typedef {object} TokenArrays
 * @property {Numbers} ids
 * @property {Numbers} byte_lengths
 * @property {Numbers} flags
 * @property {Numbers} [utf16_lengths] if they are not the same as the byte lengths
 * @property {[number, string, string][]} [stands_for] the own text, quoted and in hex, of the tokens in which
 *   it differs from the text under them, by their ordinal
 */
/** @typedef {Uint32Array | number[]} Numbers */

export class TextTokens {
  /**
   * @param {TokenArrays} arrays
   * @param {import("./drawn_text.js").DrawnText} drawn the text that the tokens cover, from these places on
   * @param {object} [places]
   * @param {number} [places.byte]
   * @param {number} [places.unit]
   * @param {number} [places.colour] of the token before
   */
  constructor(arrays, drawn, { byte = 0, unit = 0, colour = -1 } = {}) {
    const { ids, byte_lengths: lengths, flags, utf16_lengths, stands_for = [] } = arrays;
    this.ids = ids;
    this.lengths = lengths;
    this.flags = flags;
    this.drawn = drawn;
    this.firstByte = byte;
    this.firstUnit = unit;
    this.n = ids.length;
    this.standsFor = new Map(stands_for.map(([ordinal, text, hex]) => [ordinal, { text, hex }]));
    this.gapsBefore = flags.some((flag) => flag & GAP)
      ? runningSum(flags.map((flag) => (flag & GAP ? 1 : 0)))
      : null;
    this.colours = colourTokens(ids, colour);
    this.byteEnds = runningSum(lengths, byte);
    this.unitEnds = utf16_lengths ? runningSum(utf16_lengths, unit) : this.byteEnds;
  }

  // Whether token i is drawn apart from the one before: it begins at a grapheme's edge, or between \r and \n.
  opens(i) {
    if (this.flags[i] & CLEAN) return true;
    const { text } = this.drawn;
    const at = this.unitStart(i);
    return text[at] === "\n" && text[at - 1] === "\r" && !(this.flags[i] & SHARES);
  }

  isGap(i) {
    return Boolean(this.flags[i] & GAP);
  }

  // Its place among the tokens here, from 0.
  ordinal(i) {
    return this.gapsBefore ? i - this.gapsBefore[i] : i;
  }

  // The nearest token from this place on in this direction (1 or -1), or else in the other one; -1: no token
  // at all.
  nearestToken(i, direction) {
    for (const step of [direction, -direction])
      for (let at = i; at >= 0 && at < this.n; at += step) if (!this.isGap(at)) return at;
    return -1;
  }

  // The ids of the tokens, without the gaps.
  tokenIds() {
    return Array.from(this.ids).filter((_, i) => !this.isGap(i));
  }

  byteStart(i) {
    return i ? this.byteEnds[i - 1] : this.firstByte;
  }
  unitStart(i) {
    return i ? this.unitEnds[i - 1] : this.firstUnit;
  }

  // Whether the tokens, put side by side, are the text.
  get joins() {
    return (this.n ? this.unitEnds[this.n - 1] : 0) === this.drawn.text.length;
  }

  // The bytes that a token stands for.
  hex(i) {
    return (
      this.standsFor.get(this.ordinal(i))?.hex ??
      toHex(this.drawn.bytes.subarray(this.byteStart(i), this.byteEnds[i]))
    );
  }

  // Whether a token covers nothing of the text: a space that was put in front.
  isInFront(i) {
    return !this.lengths[i] && !(this.flags[i] & (SHARES | GAP));
  }

  /**
   * The UTF-16 range [start, end) of the characters that token i has bytes of.
   * @param {number} i
   * @returns {[number, number]}
   */
  units(i) {
    const end = this.unitEnds[i];
    if (!this.drawn.splitsCharacter(this.byteEnds[i])) return [this.unitStart(i), end];
    const cutCharacter = this.drawn.text.codePointAt(end) > 0xffff ? 2 : 1;
    return [this.unitStart(i), end + cutCharacter];
  }

  // The token to pin for token i. A pin is a byte of the text, so a token without bytes of its own pins the
  // token that it shares them with.
  pinnable(i) {
    while (i > 0 && this.flags[i] & SHARES && !this.lengths[i]) i--;
    return i;
  }

  // Describe a token in words.
  describe(i) {
    const [start, end] = this.units(i);
    const characters = this.drawn.text.slice(start, end);
    const isPart =
      this.drawn.splitsCharacter(this.byteStart(i)) || this.drawn.splitsCharacter(this.byteEnds[i]);
    const shares = this.flags[i] & SHARES;
    const other = this.standsFor.get(this.ordinal(i))?.text;
    if (other && this.isInFront(i))
      return `${other}, id ${this.ids[i]}, which is put there: it covers nothing of the text`;
    if (other && (shares || isPart))
      return `${other}, id ${this.ids[i]}, which is here with others, for what was rewritten`;
    if (other) return `${other}, id ${this.ids[i]}, which stands for ${quoteText(characters)}`;
    if (shares && !this.lengths[i])
      return `id ${this.ids[i]}, which shares all its bytes with the token before`;
    const words =
      `${isPart ? "part of " : ""}${quoteText(characters)}, id ${this.ids[i]}, ` +
      `${plural(this.lengths[i], "byte")}`;
    return shares ? `${words}, and shares more with the token before` : words;
  }

  /**
   * Tokens that share bytes with [start, end) of what is shown: [first, after).
   * @param {number} start
   * @param {number} end
   * @returns {[number, number]}
   */
  overlapping(start, end) {
    const first = above(this.byteEnds, start);
    let after = first;
    while (after < this.n && this.byteStart(after) < end) after++;
    return [first, after];
  }

  /**
   * How many tokens at the beginning and at the end keep their drawing. Equal tokens may be over another
   * text, such as unknown words.
   * @param {TextTokens} old
   * @returns {[number, number]}
   */
  unchanged(old) {
    const same = (i, j) =>
      old.ids[i] === this.ids[j] &&
      old.flags[i] === this.flags[j] &&
      old.colours[i] === this.colours[j] &&
      old.lengths[i] === this.lengths[j];
    const [front, behind] = this.drawn.unchanged(old.drawn);
    let [prefix, suffix] = commonEnds(old.n, this.n, same);
    while (prefix && this.unitEnds[prefix - 1] > front) prefix--;
    while (suffix && this.unitStart(this.n - suffix) < this.drawn.text.length - behind) suffix--;
    return [prefix, suffix];
  }

  /**
   * The tokens that an edit changed, gaps included: [first, after).
   * @param {TextTokens} old
   * @returns {[number, number]}
   */
  changedSince(old) {
    const [prefix, suffix] = commonEnds(old.n, this.n, (i, j) => old.ids[i] === this.ids[j]);
    return [prefix, this.n - suffix];
  }
}
