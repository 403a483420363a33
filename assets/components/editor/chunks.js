// Cuts a panel's tokens into chunks, so that only visible chunks are painted, and an edit repaints few of
// them.

import { CLEAN } from "../common/text_tokens.js";

/**
 * @typedef {object} Chunk
 * @property {number} first its tokens
 * @property {number} last
 * @property {boolean} sealed whether more text begins another chunk
 * @property {number} size how much there is to draw
 * @property {boolean} painted
 * @property {ChunkElement} [element]
 * @property {TokenElement[][] | null} elements of each token, once it is painted
 * @property {ChildNode[]} [nodes] see Panel.draw
 */
/** @typedef {HTMLElement & {chunk: Chunk}} ChunkElement */
/** @typedef {HTMLElement & {token: number}} TokenElement the token's place in its chunk */

/** @typedef {import("../common/text_tokens.js").TextTokens} TextTokens */

const CHUNK = 500; // UTF-16 units in a chunk, or tokens where they are more: a letter may be drawn as several

/**
 * How many of a panel's chunks are likely to be in view, and are painted at once.
 * @param {Chunk[]} chunks
 */
export function countAtOnce(chunks) {
  let count = 0;
  for (let size = 0; count < chunks.length && size < 2 * CHUNK; count++) size += chunks[count].size;
  return count;
}

/**
 * Tokens [from, to) in chunks that begin at grapheme edges and end, if they can, at line ends. A short rest
 * before a chunk that stays goes with the chunk before it: each chunk begins a line, and each edit of a long
 * one would add such.
 * @param {TextTokens} tokens
 * @param {number} from
 * @param {number} to
 * @returns {Chunk[]}
 */
export function cutChunks(tokens, from, to) {
  const { flags } = tokens;
  const chunks = [];
  let first = from;
  for (let i = from; i < to; i++) {
    const atEdge = i + 1 === tokens.n || flags[i + 1] & CLEAN;
    const size = Math.max(tokens.unitEnds[i] - tokens.unitStart(first), i + 1 - first);
    const endsLine = endsLineAt(tokens, i);
    const previous = chunks.at(-1);
    if (i + 1 === to && to < tokens.n && size < CHUNK && previous && !endsLineAt(tokens, previous.last))
      Object.assign(previous, { last: i, size: previous.size + size });
    else if (i + 1 === to || (atEdge && ((size >= CHUNK && endsLine) || size >= 4 * CHUNK))) {
      chunks.push({
        first,
        last: i,
        sealed: endsLine || size >= 4 * CHUNK,
        size,
        painted: false,
        elements: null,
      });
      first = i + 1;
    }
  }
  return chunks;
}

// Whether a chunk is too short to stand before another one: it would end a line where the text does not.
const isRest = ({ sealed, size }) => !sealed && size < CHUNK;

const endsLineAt = (tokens, i) => tokens.drawn.text.charCodeAt(tokens.unitEnds[i] - 1) === 10;

// Which chunks stay when the first `prefix` and the last `suffix` of `oldN` tokens stayed: how many at the
// head, and the number of the first one of the tail.
function keepChunks(chunks, oldN, prefix, suffix) {
  const changed = chunks.findIndex((chunk) => !chunk.sealed || chunk.last >= prefix);
  const head = changed < 0 ? chunks.length : changed;
  let tail = chunks.length;
  while (tail > head && chunks[tail - 1].first > oldN - suffix) tail--;
  // The chunk before the tail must end in a line end, or the tail would seem to begin a line.
  if (tail < chunks.length && !chunks[tail - 1]?.sealed) tail = chunks.length;
  return [head, tail];
}

/**
 * Cut anew what an edit changed. Returns the chunks that stay at the head and at the tail, the stale ones
 * between them, and the fresh ones that take their place.
 * @param {Chunk[]} chunks
 * @param {number} oldN how many tokens there were
 * @param {TextTokens} tokens
 * @param {[number, number] | null} same how many tokens stayed at each end; null: none may keep its drawing
 */
export function recut(chunks, oldN, tokens, same) {
  let [headEnd, tailStart] = same ? keepChunks(chunks, oldN, ...same) : [0, chunks.length];
  // The text after a chunk may now belong to its last character.
  const isTorn = ({ last }) => last + 1 < tokens.n && !tokens.opens(last + 1);
  while (headEnd && isTorn(chunks[headEnd - 1])) headEnd--;
  const from = headEnd ? chunks[headEnd - 1].last + 1 : 0;
  const to = tailStart < chunks.length ? chunks[tailStart].first + tokens.n - oldN : tokens.n;
  let fresh = cutChunks(tokens, from, to);
  if (tailStart < chunks.length && fresh.length && isRest(fresh.at(-1))) {
    tailStart = chunks.length;
    fresh = cutChunks(tokens, from, tokens.n);
  }
  const head = chunks.slice(0, headEnd);
  const stale = chunks.slice(headEnd, tailStart);
  const tail = chunks.slice(tailStart);
  return { head, stale, fresh, tail };
}
