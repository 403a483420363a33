// Unpacks the bytes of an answer, which pages/explore/playground/wire.py packs.
// Next for a key: Editor.draw in index.js.

/**
 * What Python answers to a key. answer.py, beside wire.py, makes the values; connection.js completes the
 * state.
 * @typedef {object} Answer
 * @property {number} tag names it, so that the next answer can refer to its arrays
 * @property {import("./shared_state.js").State} state
 * @property {string} text which its panels show: the whole, or the page
 * @property {Page | null} page null: the text is shown whole
 * @property {number} bytes of the whole text, as chars and graphemes are
 * @property {number} chars
 * @property {number} [graphemes] not counted for a text with pages
 * @property {PanelValues[]} panels
 * @property {{"": TextArrays} & Record<string, TokenArrays>} arrays of the text, and of the panels with
 *   tokens, by name
 * @property {import("./inspector.js").Facts | null} inspector of the pinned token
 * @property {Note[]} notes
 * @property {boolean} can_go_back whether another text was set aside
 */

/**
 * @typedef {object} Page
 * @property {number} number from 0
 * @property {number} count of all pages
 * @property {string} text
 * @property {number} start its bytes in the whole text
 * @property {number} end
 */

/**
 * An encoding and what became of the text: a problem, or "counting", or all the rest.
 * @typedef {object} PanelValues
 * @property {string} name the encoding
 * @property {string} [problem] why it has no tokens
 * @property {boolean} [counting] it is slow: its tokens are in a later answer
 * @property {number} [share] how much is counted, from 0 to 1
 * @property {number} [tokens] how many the whole text has, without those of frame
 * @property {number} [first] how many of them are before this page
 * @property {[AddedToken[], AddedToken[]]} [frame] what is added before and after the text
 * @property {boolean} [joins] whether decoding restores the text
 * @property {number} [losses] in how many places it does not
 * @property {{start: number, was: string, became: string}[]} [lost] the first of these places
 * @property {number} [unknown] how many unknown tokens there are
 * @property {boolean} [best_of] whether it may have the fewest tokens: nothing of the text is dropped
 * @property {string} [walls_problem] why no walls are shown
 * @property {boolean} [has_walls] with walls_problem: whether the encoding splits texts at all
 * @property {[number, string, string][]} [stands_for] see TokenArrays
 */

/** @typedef {{id: number, text: string, hex: string}} AddedToken */

/** @typedef {{text: string, error: boolean}} Note */

/** @typedef {{clusters: Uint32Array}} TextArrays see DrawnText */

/** @typedef {import("../common/text_tokens.js").TokenArrays} TokenArrays */

const utf8 = new TextDecoder();
const TYPES = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };

/**
 * @param {Uint8Array} bytes
 * @param {Answer | null} previous that the request named: the new arrays may refer to its arrays
 * @returns {Answer} without its text
 */
export function unpack(bytes, previous) {
  const { buffer, byteOffset } = bytes;
  let at = 4 + new DataView(buffer, byteOffset).getUint32(0, true);
  const answer = JSON.parse(utf8.decode(bytes.subarray(4, at)));
  const arrays = {};
  for (const [panel, name, size, before, after, count] of answer.arrays) {
    const old = previous?.arrays[panel]?.[name] ?? [];
    const array = new Uint32Array(before + count + after);
    array.set(old.slice(0, before));
    array.set(new TYPES[size](buffer, byteOffset + at, count), before);
    array.set(old.slice(old.length - after), before + count);
    (arrays[panel] ??= {})[name] = array;
    at += size * count + ((-size * count) & 3);
  }
  return { ...answer, arrays };
}
