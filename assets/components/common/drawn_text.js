// The drawn text and its graphemes: the whole text, or a page of a long one.

import { above, commonEnds, utf8Length } from "./bytes.js";
import { isRightToLeft } from "./letters.js";
import { findOverrides } from "./directions.js";
import { writeText } from "./spelling.js";

const encoder = new TextEncoder();

// The last comparison, since each panel asks for the same one.
let compared = { text: null, old: null, ends: [0, 0] };

export class DrawnText {
  /**
   * @param {string} text
   * @param {ArrayLike<number>} clusters the graphemes of several characters, two numbers for each, in UTF-16
   *   units: how far its start is behind the end of the one before, and its length
   * @param {number} start the first byte of this text in the whole one
   */
  constructor(text, clusters, start) {
    this.text = text;
    this.start = start;
    /** @type {Uint8Array | null} */
    this.encoded = null;
    this.clusterStarts = new Uint32Array(clusters.length / 2);
    this.clusterLengths = new Uint16Array(clusters.length / 2);
    this.overrides = findOverrides(text);
    this.overrideStarts = this.overrides.map(([from]) => from);
    let at = 0;
    for (let i = 0; i < this.clusterStarts.length; i++) {
      this.clusterStarts[i] = at += clusters[2 * i];
      at += this.clusterLengths[i] = clusters[2 * i + 1];
    }
  }

  // Its UTF-8.
  get bytes() {
    return (this.encoded ??= encoder.encode(this.text));
  }

  // Whether a byte is inside a character.
  splitsCharacter(byte) {
    return (this.bytes[byte] & 0xc0) === 0x80;
  }

  // How many UTF-16 units at the beginning and at the end are equal to those of another text.
  unchanged({ text: old }) {
    const { text } = this;
    if (compared.text !== text || compared.old !== old) {
      compared = {
        text,
        old,
        ends: commonEnds(old.length, text.length, (i, j) => old.charCodeAt(i) === text.charCodeAt(j)),
      };
    }
    return compared.ends;
  }

  // Whether the character at this place belongs to a grapheme of several characters.
  isJoined(at) {
    const i = above(this.clusterStarts, at) - 1;
    return i >= 0 && at < this.clusterStarts[i] + this.clusterLengths[i];
  }

  write(element, start, end) {
    writeText(element, this.text.slice(start, end), (at) => this.isJoined(start + at), true);
  }

  // Whether the first edge of [start, end) is at its right: it is written from right to left.
  isTurned(start, end) {
    const override = this.overrides[above(this.overrideStarts, start) - 1];
    return override && start < override[1] ? override[2] : isRightToLeft(this.text.slice(start, end));
  }

  // The graphemes in UTF-16 [start, end): [start, end, bytes]. \r and \n are drawn apart, as the line breaks
  // at \n.
  *cells(start, end) {
    let next = above(this.clusterStarts, start - 1);
    for (let at = start; at < end;) {
      let length = this.text.codePointAt(at) > 0xffff ? 2 : 1;
      if (this.clusterStarts[next] === at) length = this.clusterLengths[next++];
      if (this.text[at] === "\r") length = 1;
      yield [at, at + length, utf8Length(this.text, at, at + length)];
      at += length;
    }
  }
}
