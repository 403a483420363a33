// A step that asks nothing: words to read, with what they speak of.

/** @type {import("../kinds.js").Kind} */
export const say = { asks: false, draw: () => [], drawPicture: () => [] };
