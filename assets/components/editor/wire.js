// Unpacks the bytes of an answer, which pages/explore/playground/wire.py packs.
// Next for a key: Editor.draw in index.js.

const utf8 = new TextDecoder();
const TYPES = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };

// Bytes -> the values of an answer. `arrays` has the arrays of each panel by name; the panel "" has those of
// the text.
// previous: the answer that the request named; the new arrays may refer to its arrays.
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
