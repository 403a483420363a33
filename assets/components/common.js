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

// A button that is disabled loses the focus, and the keyboard would have to start from the top of the page.
function disable(button, off, heir) {
  if (off && button.matches(":focus")) heir.focus();
  button.disabled = off;
}

// Characters that draw nothing by themselves, and what is drawn for them.
const UNSEEN = /[\s\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Cs}/gu;
const CONTROLS = ("NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI " +
  "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US").split(" ");
const NAMES = { 0x7f: "DEL", 0x85: "NEL", 0xa0: "NBSP", 0xad: "SHY", 0x200b: "ZWSP", 0x200c: "ZWNJ", 0x200d: "ZWJ", 0x200e: "LRM",
  0x200f: "RLM", 0x2028: "LSEP", 0x2029: "PSEP", 0x202a: "LRE", 0x202b: "RLE", 0x202c: "PDF", 0x202d: "LRO", 0x202e: "RLO",
  0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI", 0x2069: "PDI", 0xfe0f: "VS16", 0xfeff: "BOM" };
function glyphOf(char) {
  const code = char.codePointAt(0);
  if (char === " ") return ["·", "g sp"];
  if (char === "\n") return ["⏎", "g nl"];
  if (char === "\t") return ["→", "g tab"];
  if (code < 0x20) return [CONTROLS[code], "g hid"]; // in letters: Unicode's own pictures of them are too small to read
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

// Merge trees. A node is {id, rank, start, end, step, kids}; its word comes from the bytes of the text.

const SVG = "http://www.w3.org/2000/svg";
const TREE = { leaf: 15, rise: 44, pad: 14 }; // pixels: half a leaf's width, height of a merge, margin

function svgElement(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  return element;
}

// Bytes in words: [text, whether they are whole characters]. If not, they are in hex.
function wordOf(bytes) {
  try { return [new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes), true]; }
  catch { return [Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" "), false]; }
}

// A token that no merge makes: tiktoken takes it by look-up, where a piece is exactly its bytes.
const tellLookUp = (tree) => (tree.kids.length > 2 ? [make("p", "hint", "No merge makes it: it is looked up, as a whole piece. Merges alone would stop at these parts.")] : []);

const visible = (text) => text.replace(UNSEEN, (char) => glyphOf(char)[0]);

// Give every node of a tree its place: x in the middle of its parts, y by its height.
function placeTree(root, bytes) {
  let x = 0;
  const place = (node) => {
    const [word, whole] = wordOf(bytes.subarray(node.start, node.end));
    node.label = whole ? visible(word) : word;
    if (node.label.length > 22) node.label = `${node.label.slice(0, 12)}…${node.label.slice(-8)}`;
    node.whole = whole;
    const wanted = Math.max(node.label.length * 8 + 14, node.rank === null ? 26 : 30 + String(node.rank).length * 7);
    node.width = wanted;
    if (!node.kids.length) {
      node.height = 0;
      node.x = x + wanted / 2 + 3;
      x += wanted + 6;
    } else {
      const from = x;
      for (const kid of node.kids) place(kid);
      node.height = 1 + Math.max(...node.kids.map((kid) => kid.height));
      node.x = (node.kids[0].x + node.kids.at(-1).x) / 2;
      // A label wider than what is under it needs room of its own.
      const short = from + wanted + 6 - x;
      if (short > 0) {
        const shift = (n) => { n.x += short / 2; n.kids.forEach(shift); };
        shift(node);
        x += short;
      }
    }
  };
  place(root);
  root.span = x;
}

// Draw a placed tree at (left, top); its root at the top, its bytes at the bottom.
function drawTree(svg, root, left, bottom, hue) {
  const y = (node) => bottom - node.height * TREE.rise;
  const draw = (node, parent) => {
    const group = svgElement("g", { class: "node" + (parent ? "" : " root") + (node.kids.length ? "" : " leaf") });
    group.node = node;
    node.element = group;
    for (const kid of node.kids) {
      const [x1, y1, x2, y2] = [left + node.x, y(node) + 13, left + kid.x, y(kid) - 13];
      const middle = (y1 + y2) / 2;
      group.append(svgElement("path", { class: "edge", d: `M${x1},${y1} C${x1},${middle} ${x2},${middle} ${x2},${y2}` }));
    }
    for (const kid of node.kids) group.append(draw(kid, node));
    const box = svgElement("g", { class: "box", transform: `translate(${left + node.x},${y(node)})` });
    const ranked = node.rank !== null;
    const rect = svgElement("rect", { x: -node.width / 2, y: -13, width: node.width, height: ranked ? 27 : 24, rx: 5 });
    if (!parent && hue) rect.style.fill = hue;
    box.append(rect);
    const label = svgElement("text", { class: node.whole ? "word" : "word hex", y: ranked ? -2 : 0 });
    label.textContent = node.label;
    box.append(label);
    if (ranked) {
      const rank = svgElement("text", { class: "rank", y: 8.5 });
      rank.textContent = `rank ${node.rank}`;
      box.append(rank);
    }
    group.append(box);
    return group;
  };
  svg.append(draw(root, null));
}
