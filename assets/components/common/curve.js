// A text at any vocabulary size of a byte pair encoding, from the size at which each cut goes (curve.py).

/**
 * The id of the token [start, end) of a text. A vocabulary of size V has the ids below V, so a token's id
 * follows from the size at which its last inner cut goes.
 * @param {Uint8Array} bytes of the text
 * @param {Uint32Array} gone for each byte, the size from which there is no cut before it
 * @param {number[]} byteIds of the single bytes
 * @param {number} firstId of the first merge
 * @param {number} start
 * @param {number} end
 */
export function tokenId(bytes, gone, byteIds, firstId, start, end) {
  let size = 0;
  for (let at = start + 1; at < end; at++) size = Math.max(size, gone[at]);
  return size ? size - 1 + firstId : byteIds[bytes[start]];
}
