// One colour for each token, on every page. (Python sends the colours of encodings: pages/shared/colours.py.)

export const COLOURS = 8; // --t0 to --t7 in common.css, and the classes c0 to c7

// A token's colour comes from its id, so it is the same in every run.
export const colourOf = (id) => Math.imul(id + 1, 0x9e3779b1) >>> 29;

// The colour of a token beside one of another colour, or beside none (-1). Neighbours always differ.
export function colourBeside(id, neighbour) {
  const colour = colourOf(id);
  return colour === neighbour ? (colour + 3) % COLOURS : colour;
}

// The colours of tokens that are side by side, after one of a colour (last): an edit changes those of its own
// surroundings only.
export function colourTokens(ids, last = -1) {
  const colours = new Uint8Array(ids.length);
  for (let i = 0; i < ids.length; i++) colours[i] = last = colourBeside(ids[i], last);
  return colours;
}
