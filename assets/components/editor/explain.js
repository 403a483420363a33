// Explains terms where they occur: a “?” opens the explanation, by mouse, touch or keyboard.

import { make, zoomOf } from "../common/dom.js";

const WIDTH = 380; // pixels; less on a phone
const MARGIN = 8;

// The explanations by topic: words, and their meanings.
const TOPICS = {
  counts: [
    ["bytes", "What a text is stored as. In UTF-8, a character takes one to four of them."],
    ["characters", "What Unicode numbers: its code points. 👩‍🚀 is three."],
    ["graphemes", "What a reader sees as one letter or symbol. 👩‍🚀 is one."],
  ],
  switches: [
    ["text, ids, bytes", "Tokens as their text, as the numbers that a model reads, or as bytes in hex."],
    ["whitespace", "Shows a space as ·, a tab as → and a line end as ⏎."],
    ["walls", "Shows where an encoding cuts a text before it merges anything, by its split pattern. No token reaches across a wall; what stands between two is a piece."],
    ["only-here cuts", "Shows, as thick edges, the cuts between two tokens that no other encoding here makes."],
    ["special tokens", "On: text that spells one, such as <|endoftext|>, becomes that token. Off: it is plain text."],
    ["added tokens", "On: what the library of a model puts around a text when asked is drawn and counted too, such as <s>, or [CLS] and [SEP]. Many encodings have none."],
  ],
  figures: [
    ["tokens", "The parts into which this encoding cuts your text, one coloured field for each. A model reads their numbers, the ids."],
    ["bytes each", "The text’s bytes ÷ its tokens. The more, the fewer tokens a text takes."],
    ["best, + 20 %", "The fewest tokens here, and how many more than that the others take."],
    ["characters each", "The text’s characters ÷ its tokens."],
    ["✓ exact", "These ids were decoded again, and gave your text, byte for byte."],
    ["bars under a symbol", "Several tokens share one grapheme: each has a bar, its lane."],
  ],
  pin: [
    ["id", "The token’s number, which a model reads."],
    ["rank", "When its merge was learned, in training: lower is earlier, and lower ranks merge first."],
    ["at bytes", "Where it is in the text."],
    ["UTF-8", "Whether its bytes are whole characters, or parts of them."],
    ["piece", "What the split pattern yields before any merge. The token lies in it, between two walls."],
  ],
};

// A “?” that explains a topic; label: its question, for screen readers.
export const makeQuestion = (topic, label) => make("button", "question", "?", { type: "button", "data-explain": topic, "aria-label": label });

export class Explainer {
  // root: its .explain is where the words are shown; its [data-explain] ask for them.
  constructor(root) {
    this.box = root.querySelector(".explain");
    root.addEventListener("click", (event) => {
      const button = event.target.closest?.("[data-explain]");
      if (button) this.fill(button);
    });
  }

  get isOpen() { return this.box.matches(":popover-open"); }

  // Before the browser opens the box, which it does after the click: it also closes it, by Escape or a click
  // elsewhere.
  fill(button) {
    const { box } = this;
    button.popoverTargetElement = box;
    const about = button.dataset.about ? [make("p", "", button.dataset.about)] : [];
    const words = TOPICS[button.dataset.explain].flatMap(([word, meaning]) => [make("dt", "", word), make("dd", "", meaning)]);
    box.replaceChildren(...about, make("dl", "", words));
    const zoom = zoomOf(box);
    const at = button.getBoundingClientRect();
    const [left, top, bottom, right, end] = [at.left, at.top, at.bottom, innerWidth, innerHeight].map((place) => place / zoom);
    const width = Math.min(WIDTH, right - 2 * MARGIN);
    const below = end - bottom > top;
    box.style.width = `${width}px`;
    box.style.left = `${Math.max(MARGIN, Math.min(left - 12, right - width - MARGIN))}px`;
    box.style.top = below ? `${bottom + 6}px` : "auto";
    box.style.bottom = below ? "auto" : `${end - top + 6}px`;
    box.style.maxHeight = `${(below ? end - bottom : top) - 6 - MARGIN}px`;
  }
}
