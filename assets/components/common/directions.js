// Where direction marks turn the order of letters: RLO writes even Latin letters from right to left, LRO even
// Hebrew ones from left to right, until PDF, the end of an isolate around them, or the end of the line.

const MARK = /[\u202a-\u202e\u2066-\u2069\n\u2029]/g;
const ISOLATES = "\u2066\u2067\u2068";
const EMBEDDINGS = "\u202a\u202b\u202d\u202e";

// Stretches of a text that are turned: [start, end, whether to the left], in UTF-16 units, in order.
export function findOverrides(text) {
  const stretches = [];
  let open = []; // the marks that are in force
  let from = 0;
  const close = (at) => {
    const mark = open.at(-1);
    if (at > from && (mark === "\u202e" || mark === "\u202d")) stretches.push([from, at, mark === "\u202e"]);
    from = at;
  };
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    close(index);
    if (EMBEDDINGS.includes(mark) || ISOLATES.includes(mark)) open.push(mark);
    else if (mark === "\u202c") {
      if (EMBEDDINGS.includes(open.at(-1))) open.pop();
    } else if (mark === "\u2069") {
      const isolate = open.findLastIndex((one) => ISOLATES.includes(one));
      if (isolate >= 0) open.length = isolate;
    } else open = [];
  }
  close(text.length);
  return stretches;
}
