// A text in which the user places cuts: a button between any two graphemes, for mouse, touch and keyboard.

import { directionOf } from "../common/letters.js";
import { make } from "../common/dom.js";
import { spellAlone } from "../common/spelling.js";
import { judgeCuts } from "./slides.js";

const SPOKEN = {
  " ": "a space",
  "\n": "a line’s end",
  "\r\n": "a line’s end",
  "\t": "a tab",
  "\u3000": "a wide space",
};
// For screen readers.
const speak = (grapheme) =>
  SPOKEN[grapheme] ?? ([...grapheme].length === 1 ? spellAlone(grapheme) : grapheme);

const MARKS = { right: "✓", missed: "!", needless: "✕" };
const NAMES = { right: "found", missed: "missed", needless: "extra" };

// box: where it is drawn; slide: of kind cuts; answer: the places of the cuts; change(cuts) hears each
// change.
export function drawCuts(box, slide, answer, revealed, change) {
  const cuts = new Set(answer ?? []);
  const dir = directionOf(slide.clusters.join(""));
  const line = make("div", "line mono", [], {
    role: "group",
    dir,
    "aria-label": "Place the cuts: arrow keys move, Space places a cut or takes it away",
  });
  const [ahead, back] = dir === "rtl" ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  const verdict = revealed ? judgeCuts([...cuts], slide.shows[0].cuts) : null;
  const buttons = [];
  const draws = [];
  const none = make("button", "button none", "No cut anywhere", { "aria-pressed": answer?.length === 0 });
  // Without a cut, only the button says that this is the answer.
  const choose = (sure = false) => {
    none.setAttribute("aria-pressed", sure);
    change(cuts.size || sure ? [...cuts].sort((a, b) => a - b) : undefined);
  };
  none.onclick = () => {
    cuts.clear();
    for (const draw of draws) draw();
    choose(true);
  };
  let word = null; // a line breaks between words, and within one only if it is longer than the line
  for (const [place, grapheme] of slide.clusters.entries()) {
    if (!word || /^\s/.test(grapheme)) line.append((word = make("span", "word")));
    if (place) {
      const button = make("button", "gap", "", {
        tabIndex: buttons.length ? -1 : 0,
        "data-place": place,
        disabled: Boolean(verdict),
      });
      const kind = verdict && Object.keys(NAMES).find((each) => verdict[each].includes(place));
      const draw = () => {
        const name =
          `${cuts.has(place) ? "Cut" : "No cut"} between ${speak(slide.clusters[place - 1])} and ` +
          `${speak(grapheme)}`;
        button.setAttribute("aria-label", kind ? `${name}: ${NAMES[kind]}` : name);
        button.setAttribute("aria-pressed", cuts.has(place));
        button.classList.toggle("placed", !verdict && cuts.has(place));
      };
      draw();
      draws.push(draw);
      if (kind) {
        button.classList.add(kind);
        button.title = NAMES[kind] + (slide.shows[0].why[place] ? `: ${slide.shows[0].why[place]}` : "");
      }
      button.onclick = () => {
        if (!cuts.delete(place)) cuts.add(place);
        draw();
        choose();
      };
      buttons.push(button);
      word.append(button);
    }
    word.append(make("span", "grapheme", [...grapheme].length === 1 ? spellAlone(grapheme) : grapheme));
    if (grapheme.includes("\n")) line.append(make("br"));
  }
  line.onkeydown = (event) => {
    const from = buttons.indexOf(event.target);
    const at = { [ahead]: from + 1, [back]: from - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at === undefined || from < 0) return;
    event.preventDefault();
    event.stopPropagation();
    if (buttons[at]) {
      buttons[from].tabIndex = -1;
      buttons[at].tabIndex = 0;
      buttons[at].focus();
    }
  };
  box.append(line);
  if (!verdict) box.append(none);
  if (verdict && answer) {
    box.append(
      make(
        "p",
        "soft legend",
        Object.entries(NAMES)
          .filter(([kind]) => verdict[kind].length)
          .map(([kind, words]) => `${MARKS[kind]} ${words}`)
          .join(" · "),
      ),
    );
  }
}
