// The bytes of an answer of Python: pages/shared/wire.py describes them, and reply.py what an answer holds.

// The flags of a token, as in reply.py.
export const CLEAN = 1, ONLY_HERE = 2, WALL = 4, SPECIAL = 8, LOOKS_SPECIAL = 16, BEGINS_BEFORE = 32, GOES_ON = 64,
  GAP = 128, UNKNOWN = 256, SHARES = 512;

const utf8 = new TextDecoder();
const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array };

// The answers that came, by number: the newest one, and the one that the newest message says is held here.
export class Answers {
  constructor() {
    this.held = new Map();
    this.newest = null; // the number of the newest one
  }

  // Bytes -> an answer; the one that is here, if they change nothing of it; null if it is told as changes to one
  // that is not here; undefined if a newer one came before: answers come in two ways.
  unpack(bytes) {
    const headerLength = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
    const { number, base, change, arrays } = JSON.parse(utf8.decode(bytes.subarray(4, 4 + headerLength)));
    const newest = this.held.get(this.newest);
    if (base !== null && number < this.newest) return undefined;
    if (base !== null && !this.held.has(base)) return null;
    const answer = new Maker(bytes, 4 + headerLength, arrays).make(change, this.held.get(base) ?? {});
    if (number < this.newest && answer.session === newest.session) return undefined;
    for (const other of this.held.keys()) if (other !== base) this.held.delete(other);
    this.held.set(number, answer);
    this.newest = number;
    return answer;
  }
}

// Makes values of changes. What was there stays as it is.
class Maker {
  constructor(bytes, begin, table) {
    this.arrays = table.map(([kind, length]) => {
      const Type = TYPES[kind], end = begin + length * Type.BYTES_PER_ELEMENT;
      const array = new Type(bytes.slice(begin, end).buffer);
      begin = end + (-end & 3);
      return array;
    });
  }

  make(change, old) {
    if ("=" in change) return change["="];
    if ("@" in change) return this.arrays[change["@"]];
    if ("[" in change) return change["["].map((item) => this.make(item));
    if ("{" in change) {
      return Object.fromEntries(Object.entries(change["{"]).map(([key, item]) => [key, this.make(item)]));
    }
    if ("+" in change) {
      const [before, after, between] = change["+"];
      return splice(old, before, this.make(between), after);
    }
    if (Object.keys(change["~"] ?? change["*"]).length + (change["-"]?.length ?? 0) === 0) return old;
    const made = "*" in change ? [...old] : { ...old };
    for (const [key, item] of Object.entries(change["*"] ?? change["~"])) made[key] = this.make(item, made[key]);
    for (const key of change["-"] ?? []) delete made[key];
    return made;
  }
}

// The first and the last so many items of what was there, and others between them.
function splice(old, before, between, after) {
  const head = old.slice(0, before), tail = old.slice(old.length - after);
  if (Array.isArray(old)) return [...head, ...between, ...tail];
  const Wider = [old.constructor, between.constructor].reduce((a, b) => (a.BYTES_PER_ELEMENT < b.BYTES_PER_ELEMENT ? b : a));
  const made = new Wider(before + between.length + after);
  made.set(head);
  made.set(between, before);
  made.set(tail, before + between.length);
  return made;
}
