// A question for the cuts of a text: a button between any two graphemes, for mouse, touch and keyboard. An
// answer is the places of the cuts, in order.

import { make, percent } from "../../common/dom.js";
import { directionOf, isolate } from "../../common/letters.js";
import { spellAlone } from "../../common/spelling.js";

const SPOKEN = {
  " ": "a space",
  "\n": "a line’s end",
  "\r\n": "a line’s end",
  "\t": "a tab",
  "\u3000": "a wide space",
};
const MARKS = { right: "✓", missed: "!", needless: "✕" };
const NAMES = { right: "found", missed: "missed", needless: "extra" };
const MOST_REASONS = 3; // places where an answer differs
const AROUND = 4; // graphemes on each side of a place, where its reason is told
const BEFORE = 6; // graphemes before a place, where the wall speaks of it

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
  return answer ? drawJudged(slide, answer) : drawReal(slide);
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
  return [line, none];
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

// The cuts of the encoding, where nobody answered: in the teacher's view, or on a phone that came late.
function drawReal(slide) {
  const [{ cuts, why }] = slide.shows;
  const line = drawPlaces(slide, (gap, place) => {
    gap.disabled = true;
    gap.title = why[place] ?? "";
    showCut(slide, gap, place, cuts.includes(place));
  });
  return [line];
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

// Why the first encoding cuts where it does; first where an answer differs from it.
function drawReasons(slide, answer) {
  const [{ cuts, why }] = slide.shows;
  const { missed, needless } = judge(answer ?? [], cuts);
  const differs = answer ? [...missed, ...needless].filter((place) => why[place]).sort((a, b) => a - b) : [];
  const first = differs.slice(0, MOST_REASONS);
  const others = cuts.filter((place) => !first.includes(place));
  const some = differs.length > first.length ? ` (${first.length} of ${differs.length})` : "";
  const asks = first.length ? "Why is it cut elsewhere?" : "Why is it cut there?";
  const reasons = [];
  if (first.length) reasons.push(make("p", "", `Where your cuts differ${some}:`), listReasons(slide, first));
  if (others.length) {
    reasons.push(make("details", "", [make("summary", "", asks), listReasons(slide, others)]));
  }
  return reasons;
}

function listReasons({ clusters, shows: [{ why }] }, places) {
  const dir = directionOf(clusters.join(""));
  const spellAll = (from, to) => clusters.slice(Math.max(0, from), to).map(spell).join("");
  const items = places.map((place) => {
    const around = `${spellAll(place - AROUND, place)} | ${spellAll(place, place + AROUND)}`;
    return make("li", "", [make("code", "", around, { dir }), ` ${why[place] ?? ""}`]);
  });
  return make("ul", "links", items);
}

// What nobody could answer.
function remarkOnTokens({ shows }) {
  const { inside } = shows[0];
  return inside ? `${inside} of its cuts are inside a character, where you could not place one.` : "";
}

// A bar over each gap: the share of the class that cut there. Below it the text; real cuts are marked once
// revealed.
function drawPicture({ clusters, shows }, { n, counts }) {
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
  return [line];
}

// Tokens correspond to cuts where none is inside a grapheme.
function tellWrong({ clusters, shows }, { n, wrong: { place, count, why } }) {
  const { cuts: real, tokens, inside } = shows[0];
  const before = clusters
    .slice(Math.max(0, place - BEFORE), place)
    .map(spell)
    .join("");
  const token = inside
    ? ""
    : ` The token is “${isolate(tokens[real.filter((cut) => cut <= place).length].text)}”.`;
  return `${count} of ${n} cut after “${isolate(before)}”.${token} ${why}`;
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
  tellWrong,
};
