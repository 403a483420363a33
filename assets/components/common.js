// What every component uses: put before each component's own script (pages/shared/components.py).

const COLOURS = 8;

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const number = (value) => value.toLocaleString("en-US");
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? "" : "s"}`;
// A token's colour comes from its id, and steps aside if its neighbour has it already. So it is the
// same in every run, and an edit changes the colours of its own surroundings only.
function colourTokens(ids) {
  const colours = new Uint8Array(ids.length);
  let last = -1;
  for (let i = 0; i < ids.length; i++) {
    let colour = Math.imul(ids[i] + 1, 0x9e3779b1) >>> 29;
    if (colour === last) colour = (colour + 3) % COLOURS;
    colours[i] = last = colour;
  }
  return colours;
}

// Characters that draw nothing by themselves, and what is drawn for them.
const UNSEEN = /[\s\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu;
const NAMES = { 0x85: "NEL", 0xa0: "NBSP", 0xad: "SHY", 0x200b: "ZWSP", 0x200c: "ZWNJ", 0x200d: "ZWJ", 0x200e: "LRM",
  0x200f: "RLM", 0x2028: "LSEP", 0x2029: "PSEP", 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO",
  0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xfe0f: "VS16", 0xfeff: "BOM" };
function glyphOf(char) {
  const code = char.codePointAt(0);
  if (char === " ") return ["·", "g sp"];
  if (char === "\n") return ["⏎", "g nl"];
  if (char === "\t") return ["→", "g tab"];
  if (code < 0x20) return [String.fromCodePoint(0x2400 + code), "g hid"];
  if (code === 0x7f) return ["␡", "g hid"];
  return [NAMES[code] ?? "U+" + code.toString(16).toUpperCase().padStart(4, "0"), "g hid"];
}

// Text into an element; spaces and unseen characters get a glyph, and stay in the text. Joiners and
// the like inside a grapheme of several characters do their work there: they get none.
function writeText(element, text, isJoined = () => false) {
  let end = 0;
  for (const match of text.matchAll(UNSEEN)) {
    if (match[0] !== "\r" && match[0] !== "\n" && isJoined(match.index)) continue;
    if (match.index > end) element.append(text.slice(end, match.index));
    const [glyph, className] = glyphOf(match[0]);
    const mark = make("i", className);
    if (className !== "g sp") mark.dataset.g = glyph;
    // Direction marks and their like must not act on what stands around them.
    if (className === "g hid") mark.append(make("b", "", match[0])); else mark.append(match[0]);
    element.append(mark);
    end = match.index + match[0].length;
  }
  if (end < text.length) element.append(end ? text.slice(end) : text);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No clipboard without https or a permission: the old way.
    const area = make("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

const shorten = (text) => (text.length > 60 ? text.slice(0, 57) + "…" : text).replace(UNSEEN, (char) => glyphOf(char)[0]);
function nameChar(char) {
  const code = "U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  UNSEEN.lastIndex = 0;
  const glyph = UNSEEN.test(char) ? glyphOf(char)[0] : char;
  return glyph === code ? code : `${glyph}  ${code}`;
}
