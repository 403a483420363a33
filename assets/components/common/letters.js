// What letters there are: their direction, their width, and marks without a letter.

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
export const DIRECTION_MARK = /^[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]$/;
const BARE = /^(?!\p{DI})\p{M}/u; // but those that draw nothing
const WIDE =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\u{1f000}-\u{3fffd}]/u;

// Whether a token's first edge is at its right.
export const isRightToLeft = (text) => RIGHT_TO_LEFT.test(text);

// A person's words within a sentence, whose order they do not turn (isolate in tokenizers/text/spelling.py).
export const isolate = (text) => (isRightToLeft(text) ? `\u2068${text}\u2069` : text);

// The direction of a whole text: that of its first letter.
export const directionOf = (text) => (isRightToLeft(text.match(/\p{L}/u)?.[0] ?? "") ? "rtl" : "ltr");

// Whether a text begins with a sign as wide as two letters.
export const isWide = (text) => WIDE.test(text);

// Whether a text begins with a combining mark, which has no width without a letter before it.
export const isBare = (text) => BARE.test(text);
