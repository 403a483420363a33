// The bytes of an answer of Python. pages/shared/reply.py describes the layout.

// The flags of a token, as in reply.py.
export const CLEAN = 1, ONLY_HERE = 2, WALL = 4, SPECIAL = 8, LOOKS_SPECIAL = 16, BEGINS_BEFORE = 32, GOES_ON = 64,
  GAP = 128, UNKNOWN = 256, SHARES = 512;

const utf8 = new TextDecoder();
const TYPES = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array };

// Bytes -> header and typed arrays.
export function unpack(bytes) {
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
  const header = JSON.parse(utf8.decode(bytes.subarray(4, 4 + headerLength)));
  const body = 4 + headerLength;
  const arrays = header.arrays.map(([kind, offset, length]) => {
    const Type = TYPES[kind];
    const start = body + offset;
    return new Type(bytes.slice(start, start + length * Type.BYTES_PER_ELEMENT).buffer);
  });
  return { header, array: (index) => arrays[index] };
}
