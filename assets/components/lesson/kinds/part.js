// The beginning of a part of a class. The wall shows the agenda beside it.

import { make } from "../../common/dom.js";

/** @type {import("../kinds.js").Kind} */
export const part = {
  asks: false,
  draw: ({ question }) => [make("p", "", question)],
  drawPicture: ({ question }) => [make("p", "", question)],
};
