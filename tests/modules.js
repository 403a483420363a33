// Tests of the components' modules. test_modules.py calls each exported function in an empty page. One that
// takes a session gets that of a page run with the text "welcome", and what the server answers to it, to "a",
// and to "abc".

import { fromHex } from "../assets/components/common/bytes.js";
import { COLOURS, colourOf, colourTokens } from "../assets/components/common/colours.js";
import { CarriageReturns } from "../assets/components/common/carriage_returns.js";
import { bytesInWords } from "../assets/components/common/dom.js";
import { DrawnText } from "../assets/components/common/drawn_text.js";
import { Playback } from "../assets/components/common/playback.js";
import { quote, writeText } from "../assets/components/common/spelling.js";
import { SHARES, TextTokens } from "../assets/components/common/text_tokens.js";
import { countAtOnce, cutChunks } from "../assets/components/editor/chunks.js";
import { chooseCompared, compareModels } from "../assets/components/editor/frame.js";
import Editor, { followPin } from "../assets/components/editor/index.js";
import { Meanwhile } from "../assets/components/editor/meanwhile.js";
import { describeDifference } from "../assets/components/editor/panel.js";
import Lesson from "../assets/components/lesson/index.js";
import { cuts } from "../assets/components/lesson/kinds/cuts.js";
import { number } from "../assets/components/lesson/kinds/number.js";
import { typed } from "../assets/components/lesson/kinds/typed.js";
import { drawMerges } from "../assets/components/lesson/merges.js";
import { drawFigures } from "../assets/components/lesson/parts.js";
import { describeGuesses } from "../assets/components/lesson/slides.js";
import { splitTerms } from "../assets/components/lesson/terms.js";
import Preview from "../assets/components/preview/index.js";

/** Fail if two values differ: what JSON can hold, undefined and NaN. */
function equal(seen, expected) {
  const spell = (_, value) => (value === undefined || Number.isNaN(value) ? `${value}` : value);
  const [found, wanted] = [seen, expected].map((value) => JSON.stringify(value, spell, 1));
  if (found !== wanted) throw new Error(`${found}\nis not\n${wanted}`);
}

const make = (tag) => document.createElement(tag);
const add = (tag) => document.body.appendChild(make(tag));
const textsIn = (element, css) => [...element.querySelectorAll(css)].map((each) => each.textContent);

/** Press a key, as one that the browser passes on to all that listen. */
function press(key, target = document, more = {}) {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
}

// Common

// As in Python: test_spelling.py and test_amounts.py hold it to the same files.
export async function aTokenIsQuotedAsInPython() {
  const { quotes } = await (await fetch("/tests/spelling.json")).json();
  equal(
    quotes.map(({ bytes }) => quote(fromHex(bytes))),
    quotes.map(({ quoted }) => quoted),
  );
}

export async function aSizeIsWrittenAsInPython() {
  const sizes = await (await fetch("/tests/sizes.json")).json();
  equal(
    sizes.map(([size]) => bytesInWords(size)),
    sizes.map(([, words]) => words),
  );
}

export function carriageReturnsPassATextarea() {
  const field = make("textarea"); // which makes line feeds of them
  const returns = new CarriageReturns();
  const pass = (text) => {
    field.value = returns.toValue(text);
    return [returns.toText(field.value), returns.standIn];
  };
  equal(pass("plain\n"), ["plain\n", null]);
  equal(pass("a\r\nb\r"), ["a\r\nb\r", "␍"]);
  equal(pass("\r ␍ and \ue001"), ["\r ␍ and \ue001", "\ue002"]);
}

export function textStaysTextInAnElement() {
  const text = '<img src=x onerror="alert(1)"> a\u200db\r\n\t\u202e é 👩\u200d🌾';
  const element = make("s");
  writeText(element, text);
  equal(element.textContent, text);
  equal(element.querySelectorAll("img").length, 0);
  const marks = [...element.querySelectorAll("[data-g]")].map((mark) => mark.dataset.g);
  equal(marks, ["ZWJ", "CR", "⏎", "→", "RLO", "ZWJ"]);

  const joined = make("s");
  writeText(joined, "👩\u200d🌾", () => true);
  equal([joined.textContent, joined.children.length], ["👩\u200d🌾", 0]);
}

export function tokensBesideEachOtherDifferInColour() {
  const ids = [...Array(300).keys(), ...Array(20).fill(7)];
  const beside = [...colourTokens(ids)];
  const alone = ids.map(colourOf);
  const all = [...Array(COLOURS).keys()];
  for (const colours of [beside, alone])
    equal(
      [...new Set(colours)].sort((a, b) => a - b),
      all,
    );
  for (let i = 1; i < ids.length; i++) {
    if (beside[i] === beside[i - 1]) throw new Error(`tokens ${i - 1} and ${i} have the same colour`);
    if (beside[i - 1] !== alone[i]) equal(beside[i], alone[i]);
  }
}

export function aTokenThatSharesBytesSaysSo() {
  const info = {
    ids: [1, 2, 3, 4],
    byte_lengths: [2, 0, 1, 1],
    utf16_lengths: [1, 0, 1, 1],
    flags: [1, SHARES, 1 | SHARES, 1],
  };
  const tokens = new TextTokens(info, new DrawnText("½ab", [], 0));
  equal(
    [0, 1, 2, 3].map((i) => tokens.describe(i)),
    [
      "“½”, id 1, 2 bytes",
      "id 2, which shares all its bytes with the token before",
      "“a”, id 3, 1 byte, and shares more with the token before",
      "“b”, id 4, 1 byte",
    ],
  );
}

// The field sends its text at the press, and the states of that text come after it.
export function playbackObeysAPressThatEndsTyping() {
  const field = add("textarea");
  const root = add("div");
  for (const key of ["first", "back", "play", "next", "last"]) {
    const button = root.appendChild(make("button"));
    button.dataset.go = key;
  }
  root.insertAdjacentHTML("beforeend", '<input type="range" class="slider"><output class="at"></output>');
  const playback = new Playback(root, { show() {}, pace: [9000, 9000], total: 24, speeds: [1] });
  const click = (key) => {
    const button = root.querySelector(`[data-go=${key}]`);
    button.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    field.blur();
    button.click();
  };

  playback.load(3, 0);
  field.focus();
  click("next");
  playback.load(9, 0);
  equal(playback.step, 1);
  playback.load(5, 0);
  equal(playback.step, 0);

  field.focus();
  click("play");
  playback.load(9, 0);
  equal(playback.clock.running, true);
  click("last");
  playback.load(4, 0);
  equal(playback.step, 0);

  playback.destroy();
  field.remove();
  root.remove();
}

// The editor

export function aPanelSaysHowManyMoreTokensItHasAsAShare() {
  const say = (tokens) => describeDifference(tokens, { best: 10000, bestWord: "fewest" });
  const said = [10_000, 10_001, 10_005, 10_049, 10_090, 10_095, 20_500].map(say);
  equal(said, ["fewest", "+<0.1%", "+0.1%", "+0.5%", "+0.9%", "+1%", "+105%"]);
}

export function onesOwnTokenizerIsComparedWithTheFirstModel() {
  const mine = { name: "my-2k", model: "my-2k", group: "your own", count: 206 };
  const grove = { name: "grove", model: "Home-trained", group: "Home-trained", count: 190 };
  const now = { name: "o200k_base", model: "GPT-4o", group: "OpenAI", count: 151 };
  const past = { name: "gpt2", model: "GPT-2", group: "OpenAI", count: 163 };
  const say = (...models) => compareModels(chooseCompared(models));
  equal(say(mine, now, past), "my-2k needs 36% more tokens for this text than GPT-4o.");
  equal(say(now, mine, past), "GPT-2 needs 8% more tokens for this text than GPT-4o.");
  equal(say(grove, now, past), "GPT-2 needs 8% more tokens for this text than GPT-4o.");
  equal(say(mine, grove), "my-2k needs 8% more tokens for this text than Home-trained.");
}

// Each is an element: 40,000 letters of three tokens were 96,000 elements before anything was seen.
export function noChunkHasManyMoreTokensWhereEachIsAPartOfALetter() {
  const letters = 4_000;
  const n = 3 * letters;
  const tokens = {
    n,
    unitEnds: Uint32Array.from({ length: n }, (_, i) => Math.floor(i / 3) + 1),
    flags: Uint8Array.from({ length: n }, (_, i) => Number(i % 3 === 0)),
    unitStart: (i) => Math.floor(i / 3),
    drawn: { text: "ⴰ".repeat(letters) },
  };
  const chunks = cutChunks(tokens, 0, n);
  const sizes = chunks.map(({ first, last }) => last + 1 - first);
  equal(Math.max(...sizes), 2001); // whole letters, of about 2,000 tokens
  equal(
    sizes.reduce((sum, size) => sum + size),
    12_000,
  );
  equal(countAtOnce(chunks), 1);
}

export function aPinFollowsItsToken() {
  const follow = (text) => followPin({ start: 4 }, "one two", text)?.start ?? null;
  equal(follow("xx one two"), 7);
  equal(follow("one two!"), 4);
  equal(follow("one tw"), 4);
  equal(follow(""), null);
  equal(follow("three four"), null);
  equal(follow("on two"), 3);
  equal(follow("öne two"), 5);
  equal(follow("👩\u200d🚀one two"), 15);
}

export function whatIsTypedMeanwhileIsPutWhereTheCaretWas() {
  const meanwhile = new Meanwhile({ text: "a👩‍🚀 cut b" }, 7, 10); // "cut" is selected
  const heard = [];
  const page = (event) => heard.push(event.key);
  document.addEventListener("keydown", page);
  const { body } = document;
  for (const key of ["x", "Backspace", "Backspace", "Backspace", "é", "Enter", "Shift"]) press(key, body);
  press("c", body, { ctrlKey: true });
  press("Tab", body);
  const { text, start, end } = meanwhile;
  const field = add("input");
  press("y", field); // the person has gone on elsewhere
  press("z", body);
  document.removeEventListener("keydown", page);
  field.remove();
  // A joiner and what it joins go one by one, as in a text field.
  equal([text, start, end], ["a👩\u200dé\n b", 6, 6]);
  equal(meanwhile.stop().text, text);
  equal(heard, ["Shift", "c", "Tab", "y", "z"]);
}

// Lessons: their slides

const LESSON = {
  slug: "f",
  title: "T",
  question: "Q?",
  takeaway: "So it is.",
  quiz: [{ kind: "choice", asks: "Which?", choices: ["a", "b"], right: 1, whys: ["", ""] }],
  steps: [
    { kind: "number", asks: "How many?", low: 1, high: 9, step: 1, value: 4, sources: [] },
    { kind: "say", asks: "Read.", sources: [] },
  ],
}; // as work_out.py draws it; its slides: a title, the quiz, two steps, the quiz again, the end

/** A lesson on the page, and the element that it is in. */
async function openLesson(data) {
  const root = add("div");
  root.innerHTML = await (await fetch("/assets/components/lesson/component.html")).text(); // ours
  const view = new Lesson(root.firstElementChild);
  view.receive({ revision: 1, ways: [], terms: {}, ...data });
  return { view, root };
}

// Streamlit may put the same lesson on the page a second time, and take one of them away.
export async function theNewestLessonOnThePageHearsTheKeys() {
  const lesson = { ...LESSON, quiz: [], steps: [], texts: [], notes: [] };
  const one = await openLesson({ lesson, teaching: true });
  const other = await openLesson({ lesson, teaching: true });
  const place = () => [one.view.visit.at, one.view.$(".slide").dataset.kind];
  press("PageDown");
  other.root.remove();
  other.view.destroy();
  equal(place(), [1, "end"]);
  // The switch that has just turned the teacher's view on keeps the focus, and hears the space bar.
  const toggle = add("input");
  toggle.type = "checkbox";
  press(" ", toggle);
  equal(place(), [1, "end"]);
  press("PageUp", toggle);
  equal(place(), [0, "title"]);
  toggle.remove();
  one.view.destroy();
  one.root.remove();
}

export function theRightAnswersOfAQuizAreCounted() {
  const choice = { ...LESSON.quiz[0], when: "lesson" };
  const guess = { ...LESSON.steps[0], when: "lesson" };
  equal(describeGuesses([choice, choice, choice], [1, 0, 1]), "Right answers: 2 of 3.");
  equal(describeGuesses([choice, guess], [1, 2]), "Your 2 guesses in the lesson: 75% on average.");
  equal(describeGuesses([guess], [4]), "Your guess in the lesson: 100%.");
  equal(describeGuesses([choice], [undefined]), "");
}

export async function theEndOfALessonHasItsSentenceAndTheScoreOfTheGuesses() {
  localStorage.clear();
  const data = { lesson: LESSON, teaching: false, number: 16, of: 16, terms: { so: "Thus" } };
  const { view, root } = await openLesson(data);
  const sentences = () => textsIn(root, ".slide > p");
  equal(sentences(), [
    "Lesson 16 of 16",
    "Guess first, then see what really happens, and why. Your answers stay in this browser.",
    "The 1 question before the lesson comes again after it, with the answer, so that you see what you " +
      "have learned.",
  ]);

  view.on();
  root.querySelector(".choice input").click();
  const dots = [...root.querySelectorAll(".dot")];
  equal(
    dots.map((dot) => dot.classList.contains("done")),
    [false, true, false, false, false, false],
  );
  const names = dots.map((dot) => dot.getAttribute("aria-label"));
  equal(names.slice(0, 2), ["Step 1 of 6", "Step 2 of 6, done"]);
  equal(sentences()[0], "Before the lesson: what do you think? The answer comes after it.");

  view.visit.answers[2] = 2;
  view.go(5);
  equal(root.querySelector(".slide h2").textContent, "You have finished lesson 16 of 16.");
  equal(sentences(), [
    "So it is.",
    "Right answers: 0 of 1 before the lesson, 0 of 1 after it.",
    "Your guess in the lesson: 50%.",
    "You skipped 1 question.",
    "It was the last one. Go on with a text of your own, in the playground or under Grow · Train.",
  ]);
  root.querySelector(".takeaway .term").click();
  equal(root.querySelector(".meaning").textContent, "Thus");
  view.destroy();
  root.remove();
}

export function termsAreFoundOnceInAnyForm() {
  const text = "Token ids of tokens, and tokens. A piece of text, a piece. A tokenizer";
  const meanings = { "token id": "its number", token: "a block", piece: "a part" };
  const spell = (part) => (part.title ? `[${part.textContent}: ${part.title}]` : part);
  equal(
    splitTerms(text, meanings, new Set()).map(spell).join(""),
    "[Token ids: its number] of [tokens: a block], and tokens. A piece of text, a [piece: a part]. " +
      "A tokenizer",
  );
}

// Lessons: where a text is cut

export function aTextFromRightToLeftStandsAndIsWalkedSo() {
  const walk = (clusters) => {
    const box = add("div");
    box.replaceChildren(...cuts.draw({ clusters, shows: [{ cuts: [], why: {} }] }, [], false, () => {}));
    const line = box.firstChild;
    const buttons = [...line.querySelectorAll("button")];
    buttons[0].focus();
    press("ArrowLeft", document.activeElement);
    const left = buttons.indexOf(document.activeElement);
    press("End", document.activeElement);
    const last = buttons.indexOf(document.activeElement);
    const [first, second] = buttons.map((button) => button.getBoundingClientRect().left);
    box.remove();
    return [line.dir, left, last, first > second];
  };
  equal(walk([..."abcd"]), ["ltr", 0, 2, false]);
  equal(walk([..."\u05d0\u05d1\u05d2\u05d3"]), ["rtl", 1, 2, true]);
}

export function aPlaceBetweenTwoGraphemesIsNamedForThoseWhoHearIt() {
  const slide = { clusters: ["a", " ", "\n", "e\u0301", "\u200b"], shows: [{ cuts: [1], why: {} }] };
  const [line] = cuts.draw(slide, [2], false, () => {});
  const names = [...line.querySelectorAll(".gap")].map((button) => button.getAttribute("aria-label"));
  equal(names, [
    "No cut between a and a space",
    "Cut between a space and a line’s end",
    "No cut between a line’s end and e\u0301",
    "No cut between e\u0301 and ⟨ZWSP⟩",
  ]);
}

export function aTextToCutSaysWhatStandsForASpace() {
  const draw = (text) => cuts.draw({ clusters: [...text] }, undefined, false, () => {});
  const notes = (text) => draw(text).map((part) => part.textContent);
  equal(notes("a b"), ["a·b", "“·” is a space.", "No cut anywhere"]);
  equal(notes("ab"), ["ab", "No cut anywhere"]);
}

export function aWrongCutHasOneSentenceItsMergesAndMore() {
  const shown = {
    cuts: [3, 5],
    why: { 1: "“How” is one token.", 3: "A new word begins here.", 5: "A new word begins here." },
    more: { 3: "Here, “How” ends.", 5: "Here, “·a” ends." },
    pieces: [
      { blocks: ["48", "6f", "77"], joins: [[2], [1]] }, // H, o and w become How
      { blocks: ["20", "61"], joins: [[1]] },
      { blocks: ["62"], joins: [] },
    ], // as pages/teaching/reasons.py has it
    near: { 1: [0], 3: [0, 1], 5: [1, 2] },
  };
  const describe = (item) => [
    item.textContent.split("begins here").length - 1,
    item.querySelectorAll(":scope > code").length,
    item.querySelectorAll(":scope > details li").length,
    textsIn(item, ".piece"),
  ];
  const explain = (answer) =>
    cuts.drawReasons({ clusters: [..."How ab"], shows: [shown] }, answer).map((part) => {
      const items = part.querySelectorAll(":scope .reasons > li, :scope.reasons > li");
      return [part.tagName, [...items].map(describe)];
    });
  const token = [0, 1, 0, ["How"]];
  const walls = [1, 2, 2, ["How", "·a", "b"]];
  equal(explain([1]), [
    ["P", []],
    ["UL", [token, walls]],
  ]);
  equal(explain([3]), [
    ["P", []],
    ["UL", [[1, 1, 1, ["·a", "b"]]]],
    ["DETAILS", [[1, 1, 1, []]]],
  ]);
  equal(explain(undefined), [["DETAILS", [[1, 2, 2, []]]]]);
}

export function aReasonOfManyPlacesShowsSome() {
  const places = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const why = Object.fromEntries(places.map((place) => [place, "None."]));
  const [, list] = cuts.drawReasons({ clusters: [..."aaaaaaaaaa"], shows: [{ cuts: places, why }] }, []);
  equal(list.querySelectorAll("code").length, 6);
  equal(list.textContent.split("and ")[1], "3 more places: None.");
}

export function cutsThatNobodyPlacedAreShownAsNeitherRightNorWrong() {
  const look = (answer) => {
    const slide = { clusters: [..."abc"], shows: [{ cuts: [1], why: {} }] };
    const [line, legend] = cuts.draw(slide, answer, true, () => {});
    return [[...line.querySelectorAll(".gap")].map((gap) => gap.className), legend.textContent];
  };
  equal(look(undefined), [["gap real", "gap"], "▏ a cut"]);
  equal(look([]), [["gap missed", "gap"], "! missed"]);
}

export function cutsThatNobodyMadeAreNamed() {
  const say = (counts) => {
    const slide = { clusters: [..."abcdefghij"], shows: [{ cuts: [2, 5, 7] }] };
    const [wall, ...lines] = cuts.drawPicture(slide, { n: counts.length, counts });
    return [...textsIn(wall, ".vote .bar small"), ...lines.map((line) => line.textContent)];
  };
  equal(say([0, 0, 0, 0, 0, 1, 0, 0]), ["13%", "Nobody cut here: ab | cdef… …defg | hij"]);
  equal(say([0, 0, 2, 0, 0, 1, 0, 1]), ["25%", "13%", "13%"]);
  equal(say([]), []);
}

// Lessons: merges

export async function mergesArePlayedAgainAndAgain() {
  const [box] = drawMerges([{ blocks: ["48", "6f", "77"], joins: [[2], [1]] }]); // H, o and w become How
  document.body.append(box);
  const chips = () => textsIn(box, ".chip").join(" ");
  const slider = box.querySelector("input");
  for (let round = 0; round < 2; round++) {
    box.querySelector("button").click();
    equal(chips(), "H o w");
    while (slider.value !== "2") await new Promise(requestAnimationFrame);
    equal(chips(), "How");
  }
  slider.value = "1";
  slider.dispatchEvent(new Event("input"));
  equal(chips(), "H ow");
  equal(slider.getAttribute("aria-valuetext"), "1 of 2 steps");
  equal(box.querySelectorAll(".merged").length, 1);
  box.remove();
}

export function mergesOfARightToLeftTextKeepLatinWordsInOrder() {
  const hebrew = { blocks: ["d7a9", "d79c"], joins: [[1]] };
  const latin = { blocks: ["48", "6f"], joins: [] };
  const [box] = drawMerges([hebrew, latin]);
  equal(
    [...box.querySelectorAll("[dir]")].map(({ dir }) => dir),
    ["rtl", "rtl", "ltr"],
  );
}

// Lessons: what else is drawn

export function guessesHaveValuesAsFarAsThereIsRoom() {
  const say = (guesses) => {
    const [svg, words] = number.drawPicture({ low: 0, high: 1000, value: 480 }, { guesses });
    const drawn = ["text", "title"].map((tag) => textsIn(svg, tag).join(" "));
    return [...drawn, words?.textContent ?? null];
  };
  const spread = "Lowest guess 200, median 300, highest 700";
  equal(say([200, 300, 700]), ["0 1,000 median 300 200 700 480", "200 300 700", spread]);
  const close = "Lowest guess 10, median 300, highest 320";
  equal(say([10, 300, 320]), ["0 1,000 median 300 480", "10 300 320", close]);
  equal(say([]), ["0 1,000 480", "", null]);
}

export function cardsStayInPlaceAsTextsComeAndSeveralShareARecord() {
  const type = (text, n) => ({ text, n_letters: 3, tokens: Array(n).fill({ id: 1, text }) });
  const texts = [type("Ada", 1), type("Zoe", 2), type("Eve", 1)];
  const [box] = typed.drawPicture({}, { typed: texts.slice(0, 2), numbers: [0, 1] }, () => {});
  const cards = () => [...box.querySelectorAll(".card")];
  const before = cards();
  const records = { most: [1], fewest: [0, 2], most_for_letters: [0, 1] };
  typed.refill(box, {}, { typed: texts, numbers: [0, 1, 2], ...records }, () => {});
  equal(cards().length, 3);
  equal(
    before.map((card) => cards().indexOf(card)),
    [0, 1],
  );
  equal(textsIn(box, ".records li"), [
    "The most tokens: Zoe (2)",
    "The fewest: 2 texts have 1 token",
    "The most for its letters: 2 texts have 0.33 tokens for each letter",
  ]);
}

export function tokensAreDrawnEvenIfEachIsAPartOfACharacter() {
  const look = (n, teaching) => {
    const ids = Array.from({ length: n }, (_, at) => 166 + (at % 3));
    const tokens = ids.map((id) => ({ id, text: "⟨0xec⟩", hex: "ec", part: true }));
    const [row] = drawFigures({ kind: "number", shows: [{ name: "GPT-2", tokens }] }, teaching);
    const chips = textsIn(row, ".chip span");
    return [row.querySelectorAll(".chip").length, chips[0], row.lastChild.textContent];
  };
  const said = "of them hold only a part of a character, and are shown as their bytes, such as ec.";
  equal(look(88, false), [88, "ec", `88 ${said}`]);
  equal(look(88, true), [40, "ec", `88 ${said}`]);
  equal(look(900, false), [400, "ec", `900 ${said}`]);
}

// The preview of a tokenizer

export async function thePreviewShowsWhyATextCannotBeEncoded() {
  const root = make("div");
  root.innerHTML = await (await fetch("/assets/components/preview/component.html")).text(); // ours
  const problem = "The text is too long for it.";
  new Preview(root).receive({ facts: [], problem, tokens: [], count: 0, places: 0, lost: [] });
  equal(root.querySelector(".sum").textContent, "");
  equal(root.querySelector(".back").textContent, problem);
}

// The editor, beside a server that answers when the test says so

const tick = (milliseconds = 0) => new Promise((done) => setTimeout(done, milliseconds));

/** An editor that has received nothing. Each of the requests that it ``asked`` waits for a ``reply``. */
async function openEditor({ answers }) {
  const realFetch = window.fetch;
  const html = await (await realFetch("/assets/components/editor/component.html")).text(); // ours
  const asked = [];
  const waiting = [];
  window.fetch = (url, { body }) =>
    new Promise((done, fail) => {
      asked.push(typeof body === "string" ? JSON.parse(body) : String(url));
      waiting.push({ done, fail });
    });
  // Not a Response, which takes the browser a while to read.
  const reply = async (at) => {
    const bytes = Uint8Array.from(atob(answers[at]), (char) => char.charCodeAt(0));
    const arrayBuffer = async () => bytes.buffer;
    waiting.shift().done({ ok: true, status: 200, headers: new Headers(), arrayBuffer });
    await tick(20);
  };
  const root = add("div");
  const put = () => {
    root.innerHTML = html;
    return new Editor(root.firstElementChild);
  };
  const editor = put();
  const events = [];
  editor.sendEvent = (event) => events.push(event);
  const type = (text) => {
    const before = editor.input.text;
    editor.input.set(text);
    editor.typed(before);
  };
  const close = (last = editor) => {
    last.destroy();
    root.remove();
    window.fetch = realFetch;
  };
  return { editor, root, asked, waiting, events, reply, put, type, close };
}

export async function oneRequestIsUnderWayAndTheNewestStateGoesNext(session) {
  const { editor, asked, events, reply, type, close } = await openEditor(session);
  editor.receive(session.data);
  await reply(0);
  type("a");
  type("ab");
  type("abc");
  await reply(1);
  await reply(2);
  await tick(600);
  close();
  equal(
    asked.map(({ text }) => text),
    ["welcome", "a", "abc"],
  );
  equal(events.length, 1);
}

export async function aFileOnItsWayIsSentByTheNextEditor(session) {
  const { editor, root, asked, waiting, reply, put, close } = await openEditor(session);
  const files = new DataTransfer();
  files.items.add(new File(["abc"], "a.txt"));
  editor.receive(session.data);
  await reply(0);
  const field = root.querySelector(".file");
  field.files = files.files;
  field.dispatchEvent(new Event("change"));
  await tick();
  waiting.shift().fail(new TypeError());
  editor.destroy();
  const next = put();
  next.receive(session.data);
  await tick(600);
  close(next);
  const [, first, second, ...more] = asked;
  equal([first, more], [second, []]);
  equal(first.includes("do=file"), true);
}

export async function noAnswerIsSaidAfterThreeSeconds(session) {
  const wait = window.setTimeout;
  window.setTimeout = (run, after, ...values) => wait(run, after / 4, ...values);
  const { editor, root, waiting, reply, type, close } = await openEditor(session);
  const look = () => [root.querySelector(".notes").textContent, editor.root.matches(".lost")];
  const nobody = "No answer from the computer that runs Token Grove.";
  editor.receive(session.data);
  await reply(0);
  type("abc");
  await tick(1500);
  waiting.shift().fail(new TypeError());
  await tick(900);
  equal(look(), ["", false]);
  await tick(1000);
  equal(look(), [`${nobody} These counts are of the text before.`, true]);
  await reply(2);
  equal(look(), ["", false]);
  editor.set("view", "ids");
  await tick(3200);
  equal(look(), [nobody, false]);
  window.setTimeout = wait;
  close();
}

// Its sentence cannot be read. The editor sends the state again, and later ones.
export async function aRefusalThatBreaksOffIsNoAnswer(session) {
  const { editor, root, asked, waiting, reply, type, close } = await openEditor(session);
  const fails = async () => {
    throw new TypeError("network error");
  };
  const headers = new Headers({ "Content-Type": "text/plain" });
  editor.receive(session.data);
  waiting.shift().done({ ok: false, status: 400, headers, text: fails, arrayBuffer: fails });
  await tick(1000);
  equal(asked.length, 2);
  await reply(0);
  type("abc");
  close();
  equal(asked.at(-1).text, "abc");
  equal(root.querySelector(".notes").textContent, "");
}

/** Parts of tests. */
export const parts = {
  async typeAndLeave(welcome) {
    const { editor, type, close } = await openEditor(welcome);
    editor.receive(welcome.data);
    type("typed last");
    dispatchEvent(new Event("pagehide"));
    editor.connection.data = null;
    close();
  },

  /** The texts that an editor sends which is left before the page has run. */
  async leaveAtOnce(welcome) {
    const { editor, asked, close } = await openEditor(welcome);
    dispatchEvent(new Event("pagehide"));
    editor.receive(welcome.data);
    close();
    return asked.map(({ text }) => text);
  },

  /** To be called where people want less motion. */
  mergesArePicturedWhereNothingMoves() {
    const draw = (blocks, joins) => drawMerges([{ blocks, joins }])[0].children;
    const rowsOf = (...merges) => [...draw(...merges)].map((row) => row.textContent);
    equal(rowsOf(["48", "6f", "77"], [[2], [1]]), ["How", "How", "How"]); // H, o and w become How
    const joins = Array.from({ length: 299 }, (_, i) => [i + 1]);
    equal(rowsOf(Array(300).fill("61"), joins).length, 11);
  },

  /** Type a word in a session of two panels, of which the second is slow. */
  async typeBesideASlowPanel(slow) {
    const { editor, root, asked, reply, type, close } = await openEditor(slow);
    const look = () => {
      const [quick, panel] = root.querySelectorAll(".panel");
      return {
        tokens: [quick, panel].map((each) => each.querySelectorAll(".t").length),
        isCounting: panel.classList.contains("counting"),
        saysSo: panel.querySelector(".figures").textContent.includes("counting…"),
        isBusy: root.querySelector(".inspector").getAttribute("aria-busy"),
        progress: panel.querySelector("progress")?.value ?? null,
      };
    };
    const rest = { isCounting: false, saysSo: false, isBusy: "false", progress: null };
    editor.receive(slow.data);
    await reply(0);
    equal(look(), { tokens: [2, 2], ...rest });
    type("one two three");
    await reply(1);
    const counting = { isCounting: true, saysSo: true, isBusy: "true", progress: 0.5 };
    equal(look(), { tokens: [3, 2], ...counting }); // the second has those of the text before
    root.querySelectorAll(".tokens")[1].click();
    await reply(2);
    equal(look(), { tokens: [3, 3], ...rest });
    close();
    equal(asked[2], { slow: true, holds: 2 });
  },
};
