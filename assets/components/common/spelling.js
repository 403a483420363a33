// How a token is spelt, the same as in tokenizers/text/spelling.py; tests/spelling.json holds both to it.
//   space · line feed ⏎ tab →; what draws nothing by its name or number: ⟨CR⟩ ⟨U+3000⟩
//   bytes that are not whole characters, in hex: ⟨0xec 95⟩

import { toHex } from "./bytes.js";
import { DIRECTION_MARK, isBare, isolate } from "./letters.js";
import { make, pluralWord } from "./dom.js";

// Characters that draw nothing, or nothing that all fonts agree on.
const UNSEEN = new RegExp(
  "[\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5" +
    "\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ud800-\\udfff" +
    "\\ue000-\\uf8ff\\ufdd0-\\ufdef\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\ufffe\\uffff" +
    "\\u{13430}-\\u{1343f}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}" +
    "\\u{f0000}-\\u{10ffff}]",
  "gu",
);

const CONTROLS = (
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI " +
  "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
).split(" ");
const NAMES = {
  0x7f: "DEL",
  0x85: "NEL",
  0xa0: "NBSP",
  0xad: "SHY",
  0x200b: "ZWSP",
  0x200c: "ZWNJ",
  0x200d: "ZWJ",
  0x200e: "LRM",
  0x200f: "RLM",
  0x2028: "LSEP",
  0x2029: "PSEP",
  0x202a: "LRE",
  0x202b: "RLE",
  0x202c: "PDF",
  0x202d: "LRO",
  0x202e: "RLO",
  0x2060: "WJ",
  0x2066: "LRI",
  0x2067: "RLI",
  0x2068: "FSI",
  0x2069: "PDI",
  0xfe0f: "VS16",
  0xfeff: "BOM",
};
const LONGEST_QUOTE = 40; // characters, or bytes in hex
const GLYPHS = { " ": "·", "\n": "⏎", "\t": "→" };
const BLANKS = { " ": "g sp", "\n": "g nl", "\t": "g tab" }; // the classes of those that have a width

const codeOf = (char) => "U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
// In letters: Unicode's own pictures of control characters are too small to read.
const nameOf = (char) => CONTROLS[char.codePointAt(0)] ?? NAMES[char.codePointAt(0)] ?? codeOf(char);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// The text of a token, or null where its bytes are not whole characters.
export function textOf(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

export const spellText = (text) => text.replace(UNSEEN, (char) => GLYPHS[char] ?? `⟨${nameOf(char)}⟩`);

// A text that stands by itself: a combining mark at its start is on a dotted circle.
export const spellAlone = (text) => (isBare(text) ? "◌" : "") + spellText(text);

// A text or a token for a sentence; of a long one, its ends.
export function quoteText(text) {
  const characters = [...text];
  if (characters.length <= LONGEST_QUOTE) return `“${isolate(spellAlone(text))}”`;
  const half = LONGEST_QUOTE / 2;
  const [head, tail] = [characters.slice(0, half).join(""), characters.slice(-half).join("")];
  return `“${isolate(`${spellAlone(head)}…${spellText(tail)}`)}”`;
}

export function quote(bytes) {
  const text = textOf(bytes);
  if (text !== null) return quoteText(text);
  const half = LONGEST_QUOTE / 2;
  const digits =
    bytes.length <= LONGEST_QUOTE
      ? toHex(bytes)
      : `${toHex(bytes.subarray(0, half))} … ${toHex(bytes.subarray(-half))}`;
  return `${pluralWord(bytes.length, "byte")} ${digits}`;
}

// A character of a table: as it is spelt, and its number.
export function nameCharacter(char) {
  const spelt = spellAlone(char).replace(/^⟨(.+)⟩$/, "$1");
  return spelt === codeOf(char) ? spelt : `${spelt}  ${codeOf(char)}`;
}

/**
 * Writes text into an element. The characters stay in it, for copying and for line breaks; the style adds a
 * glyph for those that cannot be seen.
 * @param {Element} element
 * @param {string} text
 * @param {(at: number) => boolean} [isJoined] whether a character is inside a grapheme of several: joiners
 *   and the like get no glyph there, where they do their work
 * @param {boolean} [marksAct] whether direction marks act on what is around them: where a text is drawn as a
 *   whole, in lines of its own
 */
export function writeText(element, text, isJoined = () => false, marksAct = false) {
  let end = 0;
  for (const match of text.matchAll(UNSEEN)) {
    const char = match[0];
    if (char !== "\r" && char !== "\n" && isJoined(match.index)) continue;
    if (match.index > end) element.append(text.slice(end, match.index));
    const acts = marksAct && DIRECTION_MARK.test(char);
    element.append(drawUnseen(char, !acts));
    if (acts) element.append(char);
    end = match.index + char.length;
  }
  if (end < text.length) element.append(end ? text.slice(end) : text);
}

// The glyph of a character that cannot be seen. holds: whether the character is in the glyph's box, where it
// does not act on what is around.
function drawUnseen(char, holds) {
  const blank = BLANKS[char];
  const mark = make("i", blank ?? "g hid");
  if (char !== " ") mark.dataset.g = GLYPHS[char] ?? nameOf(char);
  if (blank) mark.append(char);
  else mark.append(make("b", "", holds ? char : ""));
  return mark;
}

// Writes a token into an element of its own, in which its line ends and tabs break and span nothing: its
// text, or its bytes in hex. Returns whether it was text.
export function writeToken(element, bytes) {
  const text = textOf(bytes);
  element.classList.add("alone");
  if (text !== null && isBare(text)) element.classList.add("bare");
  if (text === null) element.textContent = toHex(bytes);
  else writeText(element, text);
  return text !== null;
}
