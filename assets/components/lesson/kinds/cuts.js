// A question for the cuts of a text: a button between any two graphemes, for mouse, touch and keyboard. An
// answer is the places of the cuts, in order.

import { make, percent, plural } from "../../common/dom.js";
import { directionOf } from "../../common/letters.js";
import { spellAlone } from "../../common/spelling.js";
import { drawMerges } from "../merges.js";

const SPOKEN = {
  " ": "a space",
  "\n": "a line’s end",
  "\r\n": "a line’s end",
  "\t": "a tab",
  "\u3000": "a wide space",
};
const MARKS = { right: "✓", missed: "!", needless: "✕" };
const NAMES = { right: "found", missed: "missed", needless: "extra" };
const MOST_REASONS = 3; // in which an answer differs; more are behind a press
const MOST_PLACES = 6; // that a reason shows
const AROUND = 4; // graphemes on each side of a place, where its reason is told

const spell = (grapheme) => ([...grapheme].length === 1 ? spellAlone(grapheme) : grapheme);
// For screen readers.
const speak = (grapheme) => SPOKEN[grapheme] ?? spell(grapheme);

// The cuts that were placed against those of the encoding: right, missed and needless ones.
function judge(placed, real) {
  const mine = new Set(placed);
  const theirs = new Set(real);
  return {
    right: real.filter((cut) => mine.has(cut)),
    missed: real.filter((cut) => !mine.has(cut)),
    needless: placed.filter((cut) => !theirs.has(cut)),
  };
}

// A text as a line of its graphemes; between any two stands what drawGap(place) gives.
function drawLine(clusters, className, properties, drawGap) {
  const dir = directionOf(clusters.join(""));
  const line = make("div", className, [], { dir, ...properties });
  let word = null; // a line breaks between words, and within one only if it is longer than the line
  for (const [place, grapheme] of clusters.entries()) {
    if (!word || /^\s/.test(grapheme)) line.append((word = make("span", "word")));
    if (place) word.append(drawGap(place));
    word.append(make("span", "grapheme", spell(grapheme)));
    if (grapheme.includes("\n")) line.append(make("br"));
  }
  return line;
}

const nameGap = ({ clusters }, place, isCut) =>
  `${isCut ? "Cut" : "No cut"} between ${speak(clusters[place - 1])} and ${speak(clusters[place])}`;

// A text with a button at each place for a cut, which fill(button, place) completes.
function drawPlaces(slide, fill) {
  const label = "Place the cuts: arrow keys move, Space places a cut or takes it away";
  return drawLine(slide.clusters, "line mono", { role: "group", "aria-label": label }, (place) => {
    const gap = make("button", "gap", "", { "data-place": place });
    fill(gap, place);
    return gap;
  });
}

function draw(slide, answer, isRevealed, change) {
  if (!isRevealed) return drawOpen(slide, answer, change);
  return answer ? drawJudged(slide, answer) : drawTrue(slide);
}

function showCut(slide, gap, place, isCut) {
  gap.setAttribute("aria-label", nameGap(slide, place, isCut));
  gap.setAttribute("aria-pressed", isCut);
  gap.classList.toggle("placed", isCut);
}

// To place cuts in.
function drawOpen(slide, answer, change) {
  const cuts = new Set(answer ?? []);
  const none = make("button", "button none", "No cut anywhere", { "aria-pressed": answer?.length === 0 });
  // Without a cut, only the button says that this is the answer.
  const choose = (sure) => {
    none.setAttribute("aria-pressed", sure);
    change(cuts.size || sure ? [...cuts].sort((a, b) => a - b) : undefined);
  };
  const show = (gap, place) => showCut(slide, gap, place, cuts.has(place));
  const gaps = new Map(); // the places, by their buttons
  const line = drawPlaces(slide, (gap, place) => {
    show(gap, place);
    gap.onclick = () => {
      if (!cuts.delete(place)) cuts.add(place);
      show(gap, place);
      choose(false);
    };
    gaps.set(gap, place);
  });
  none.onclick = () => {
    cuts.clear();
    for (const [gap, place] of gaps) show(gap, place);
    choose(true);
  };
  walkByKeys(line, [...gaps.keys()]);
  const note = slide.clusters.includes(" ") ? [make("p", "soft", "“·” is a space.")] : [];
  return [line, ...note, none];
}

// Arrow keys, Home and End move from button to button; the Tab key stops at the line once.
function walkByKeys(line, buttons) {
  const [ahead, back] = line.dir === "rtl" ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  for (const [at, button] of buttons.entries()) button.tabIndex = at ? -1 : 0;
  line.onkeydown = (event) => {
    const from = buttons.indexOf(event.target);
    const at = { [ahead]: from + 1, [back]: from - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (at === undefined || from < 0) return;
    event.preventDefault();
    event.stopPropagation();
    if (!buttons[at]) return;
    buttons[from].tabIndex = -1;
    buttons[at].tabIndex = 0;
    buttons[at].focus();
  };
}

// The cuts of the encoding, where nobody has placed any.
function drawTrue(slide) {
  const [{ cuts, why }] = slide.shows;
  const line = drawPlaces(slide, (gap, place) => {
    const isCut = cuts.includes(place);
    gap.disabled = true;
    gap.setAttribute("aria-label", nameGap(slide, place, isCut));
    gap.classList.toggle("real", isCut);
    if (isCut) gap.title = why[place] ?? "";
  });
  return [line, make("p", "soft legend", cuts.length ? "▏ a cut" : "There is no cut.")];
}

// With what was right in the answer, and why.
function drawJudged(slide, placed) {
  const [{ cuts, why }] = slide.shows;
  const verdict = judge(placed, cuts);
  const line = drawPlaces(slide, (gap, place) => {
    const isCut = placed.includes(place);
    const name = nameGap(slide, place, isCut);
    const judged = Object.keys(NAMES).find((each) => verdict[each].includes(place));
    gap.disabled = true;
    gap.setAttribute("aria-label", judged ? `${name}: ${NAMES[judged]}` : name);
    gap.setAttribute("aria-pressed", isCut);
    if (!judged) return;
    gap.classList.add(judged);
    gap.title = why[place] ? `${NAMES[judged]}: ${why[place]}` : NAMES[judged];
  });
  return [line, drawLegend(verdict)];
}

function drawLegend(verdict) {
  const there = Object.entries(NAMES).filter(([judged]) => verdict[judged].length);
  return make("p", "soft legend", there.map(([judged, name]) => `${MARKS[judged]} ${name}`).join(" · "));
}

// The right ones ÷ all that the learner or the encoding placed, the same as in pages/teaching/kinds/cuts.py.
function score(slide, answer) {
  const { right, missed, needless } = judge(answer, slide.shows[0].cuts);
  const all = right.length + missed.length + needless.length;
  return all ? right.length / all : 1;
}

function explain(slide, answer) {
  const { right, missed, needless } = judge(answer, slide.shows[0].cuts);
  const found = `${right.length} found, ${missed.length} missed, ${needless.length} extra.`;
  return `${found} Score ${percent(score(slide, answer))}: found ÷ the sum of all three.`;
}

// Why the first encoding cuts where it does; first where an answer differs from it, with the merges.
function drawReasons(slide, answer) {
  const [{ cuts, why }] = slide.shows;
  const { missed, needless } = judge(answer ?? [], cuts);
  const differs = answer ? [...missed, ...needless].filter((place) => why[place]).sort((a, b) => a - b) : [];
  const groups = groupBySentence(why, differs);
  const first = groups.slice(0, MOST_REASONS);
  const rest = groups.slice(MOST_REASONS);
  const reasons = [];
  const playFirst = (pieces, number) => drawMerges(pieces, number === 0);
  if (first.length)
    reasons.push(make("p", "", "Where your cuts differ:"), listReasons(slide, first, playFirst));
  if (rest.length)
    reasons.push(
      hide(
        "Where else they differ",
        listReasons(slide, rest, (pieces) => drawMerges(pieces)),
      ),
    );
  const others = groupBySentence(
    why,
    cuts.filter((place) => !differs.includes(place)),
  );
  const asks = first.length ? "Why is it cut elsewhere?" : "Why is it cut there?";
  if (others.length)
    reasons.push(
      hide(
        asks,
        listReasons(slide, others, () => []),
      ),
    );
  return reasons;
}

const hide = (words, content) => make("details", "", [make("summary", "", words), content]);

// Places that have the same reason, so that it is said once: lists of places.
export function groupBySentence(why, places) {
  const groups = new Map();
  for (const place of places) groups.set(why[place], [...(groups.get(why[place]) ?? []), place]);
  return [...groups.values()];
}

// A reason for each group of places, and what drawPieces(pieces, number) makes of the pieces around them.
function listReasons(slide, groups, drawPieces) {
  const { why, more = {}, near = {}, pieces = [] } = slide.shows[0];
  const items = groups.map((places, number) => {
    const marked = places.slice(0, MOST_PLACES).flatMap((place) => [drawAround(slide, place), " "]);
    const rest = places.length - MOST_PLACES;
    if (rest > 0) marked.push(`and ${plural(rest, "more place")}: `);
    const item = make("li", "", [...marked, why[places[0]] ?? ""]);
    const around = new Set(places.flatMap((place) => near[place] ?? []));
    const played = pieces.filter((_, at) => around.has(at));
    item.append(...drawPieces(played, number));
    const exact = places.filter((place) => more[place]);
    if (exact.length) item.append(hide("More", listExactly(slide, exact)));
    return item;
  });
  return make("ul", "links reasons", items);
}

function listExactly(slide, places) {
  const { more } = slide.shows[0];
  const items = places.map((place) => make("li", "", [drawAround(slide, place), ` ${more[place]}`]));
  return make("ul", "", items);
}

// A place, between the graphemes around it.
function drawAround({ clusters }, place) {
  const start = Math.max(0, place - AROUND);
  const end = place + AROUND;
  const before = clusters.slice(start, place).map(spell).join("");
  const after = clusters.slice(place, end).map(spell).join("");
  const front = start ? "…" : "";
  const behind = end < clusters.length ? "…" : "";
  const around = `${front}${before} | ${after}${behind}`;
  return make("code", "", around, { dir: directionOf(clusters.join("")) });
}

// What nobody could answer.
function remarkOnTokens({ shows }) {
  const { inside } = shows[0];
  if (!inside) return "";
  const are = inside === 1 ? "is" : "are";
  return `${inside} of its cuts ${are} inside a character, where you could not place one.`;
}

// A bar over each gap: the share of the class that cut there. Below it the text; real cuts are marked once
// revealed.
function drawPicture(slide, { n, counts }) {
  const { clusters, shows } = slide;
  const real = new Set(shows?.[0].cuts);
  const line = drawLine(clusters, "line mono gaps", {}, (place) => {
    const count = counts[place] ?? 0;
    const share = n ? count / n : 0;
    const bar = make("span", "bar", count ? [make("small", "", percent(share))] : []);
    bar.style.setProperty("--share", share);
    const vote = make("span", "vote", [bar], { title: `${count} of ${n}` });
    if (shows && real.has(place)) {
      vote.classList.add("right");
      vote.title += ": a real cut";
    } else if (shows) {
      vote.classList.toggle("needless", count > 0);
      vote.title += ": no cut";
    }
    return vote;
  });
  const unmade = n ? [...real].filter((place) => !counts[place]) : [];
  return unmade.length ? [line, drawUnmade(slide, unmade)] : [line];
}

// The cuts that nobody made, in one line.
function drawUnmade(slide, places) {
  const shown = places.slice(0, MOST_PLACES).flatMap((place) => [" ", drawAround(slide, place)]);
  const rest = places.length - MOST_PLACES;
  const more = rest > 0 ? [` and at ${plural(rest, "more place")}`] : [];
  return make("p", "unmade", ["Nobody cut here:", ...shown, ...more]);
}

/** @type {import("../kinds.js").Kind} */
export const cuts = {
  asks: true,
  holdsText: true,
  howTo: {
    lesson:
      "Press between two characters to place a cut, and again to remove it. Then press “Show the answer”.",
    byKeyboard: " On a keyboard, move with the arrow keys and press Space.",
    phone: "Tap between two characters to place a cut, and again to remove it. Then press Send.",
  },
  draw,
  score,
  explain,
  drawReasons,
  remarkOnTokens,
  drawPicture,
};
