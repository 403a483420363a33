// Explains terms where they occur: a “?” opens the explanation, by mouse, touch or keyboard. Notes on an
// action open there, too.

import { Box } from "../common/box.js";
import { make } from "../common/dom.js";

const WIDTH = 24; // rem; less on a phone

// The explanations by topic: words, and their meanings.
export const TOPICS = {
  counts: [
    ["bytes", "What a computer stores. In UTF-8, a character takes one to four bytes."],
    ["characters", "What Unicode gives a number, its code points. 👩‍🚀 is three."],
    ["graphemes", "What a reader sees as one letter or symbol. 👩‍🚀 is one."],
  ],
  switches: [
    ["text, ids, bytes", "Tokens as their text, as the numbers that a model reads, or as bytes in hex."],
    ["details", "Shows bytes and characters per token, and whether decoding restores your text exactly."],
    ["spaces as ·", "Shows a space as ·, a tab as → and a line end as ⏎."],
    [
      "where pieces end",
      "Shows the walls: where a tokenizer splits a text before it merges anything. No token reaches across " +
        "a wall; the text between two walls is a piece.",
    ],
    ["cuts only one makes", "Shows, as thick edges, the cuts between two tokens that no other panel makes."],
    [
      "read special tokens",
      "On: text that spells one, such as <|endoftext|>, becomes that token, in an outline. Off: it is " +
        "plain text, with a wavy underline.",
    ],
    [
      "start and end tokens",
      "On: also draws and counts the tokens that a model’s own library puts around a text when asked, such " +
        "as <s>, or [CLS] and [SEP]. Many have none.",
    ],
    ["scroll together", "Scrolls all panels when you scroll one."],
  ],
  figures: [
    [
      "tokens",
      "How many tokens this tokenizer needs for your text. Each coloured block is one; a token that goes " +
        "on in the next line has dotted edges there.",
    ],
    [
      "fewest, +20%",
      "The fewest tokens of all panels that lose nothing of your text, and how many more the others need.",
    ],
    ["not restored", "Decoding the tokens gives another text than yours: in how many places."],
    [
      "bytes each, characters each",
      "Your text’s bytes or characters ÷ its tokens. More of them means fewer tokens.",
    ],
    ["✓ exact", "Checked: decoding the tokens restores your text, byte for byte."],
    ["bars under a symbol", "Several tokens share one symbol. Each has a bar."],
  ],
  pin: [
    ["id", "The token’s number, which the model sees."],
    ["rank", "When its merge was learned in training. Lower ranks were learned earlier, and merge first."],
    ["at", "Which bytes of the text it covers. The first byte is number 0."],
    ["shared", "Bytes that stand for a part of it and of the token before: both are of the same character."],
    ["UTF-8", "Whether its bytes are whole characters, or parts of them."],
    ["piece", "A stretch of text that the split pattern yields before any merge. The token lies in it."],
  ],
};

// A “?” that explains a topic; label: its question, for screen readers.
export const makeQuestion = (topic, label) =>
  make("button", "question", "?", { type: "button", "data-explain": topic, "aria-label": label });

export class Explainer {
  // root: its .explain is where the words are shown; its [data-explain] ask for them.
  constructor(root) {
    this.box = new Box(root.querySelector(".explain"), WIDTH);
    root.addEventListener("click", (event) => {
      const button = event.target.closest?.("[data-explain]");
      if (button) this.explain(button);
    });
  }

  explain(button) {
    const about = button.dataset.about ? [make("p", "", button.dataset.about)] : [];
    const words = TOPICS[button.dataset.explain].flatMap(([word, meaning]) => [
      make("dt", "", word),
      make("dd", "", meaning),
    ]);
    this.box.element.replaceChildren(...about, make("dl", "", words));
    this.box.toggle(button);
  }

  // Show notes below a button, over what is there.
  tell(button, notes) {
    this.box.element.replaceChildren(...notes.map((note) => make("p", "", note)));
    this.box.open(button);
  }
}
