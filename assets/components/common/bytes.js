// Bytes as Python sends them, and searches in rising arrays.

export const fromHex = (hex) =>
  Uint8Array.from(hex.match(/[0-9a-f]{2}/gi) ?? [], (pair) => parseInt(pair, 16));
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
export const fromBase64 = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

// The index of the first value above x in a rising array, which is also how many values are not above x.
export function above(values, x) {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] > x) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function runningSum(lengths, sum = 0) {
  const ends = new Uint32Array(lengths.length);
  for (let i = 0; i < lengths.length; i++) ends[i] = sum += lengths[i];
  return ends;
}

// How many bytes of UTF-8 the UTF-16 units from start to end take, without encoding them.
export function utf8Length(text, start, end) {
  let bytes = 0;
  for (let at = start; at < end; at++) {
    const code = text.codePointAt(at);
    bytes++;
    if (code >= 0x80) bytes++;
    if (code >= 0x800) bytes++;
    if (code > 0xffff) {
      bytes++;
      at++; // the second unit of a pair
    }
  }
  return bytes;
}

// The lengths of the longest common beginning of two lists, and of the longest common end of what is left.
export function commonEnds(oldN, newN, same) {
  const most = Math.min(oldN, newN);
  let prefix = 0;
  let suffix = 0;
  while (prefix < most && same(prefix, prefix)) prefix++;
  while (suffix < most - prefix && same(oldN - 1 - suffix, newN - 1 - suffix)) suffix++;
  return [prefix, suffix];
}
