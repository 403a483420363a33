// A student's phone: the step that the teacher is on. Nothing is stored but, in this tab, a random token and
// the answers that have not arrived yet.

import { make, number as inWords, relabel } from "../common/dom.js";
import { forget, read, write } from "../common/tab.js";
import { asks, kindOf } from "../lesson/kinds.js";
import { drawFigures, drawSubject } from "../lesson/parts.js";
import { Connection } from "./connection.js";

const $ = (selector) => document.querySelector(selector);
const folder = location.pathname.replace(/\/$/, "") + "/";
const code = decodeURIComponent(folder.split("/").at(-2)).toUpperCase();
const storage = `class ${code}`;
const UNSENT = `unsent ${code}`;

let view = null; // what the room sent last
let drawn = ""; // what of it is drawn
let draft; // the answer that is being made
// The answers that have not arrived, by the slide's number: {asks, value, wasLost}. wasLost: whether a try
// found no connection.
const unsent = read(UNSENT) ?? {};
// {words, of, during}: what became of an answer, the number of its slide, and the number of the slide that
// came next. With that one, it goes.
let note = null;
let connection;

function say(words, ...more) {
  $("main").replaceChildren(make("h2", "", words), ...more.map((line) => make("p", "", line)));
  drawFoot("", false);
}

// The words at the foot of the page, and whether the button that sends stands before them.
function drawFoot(words, canSend) {
  $(".sent").textContent = words;
  $(".send").hidden = !canSend;
  $("footer").hidden = !words && !canSend;
}

function askCode(...words) {
  const box = make("input", "mono", [], {
    size: 5,
    pattern: " *([A-Za-z] *){4}",
    title: "Four letters",
    required: true,
    autocomplete: "off",
    "aria-label": "The code of your class",
  });
  say(...words);
  $("main").append(
    make("form", "enter", [box, make("button", "button main", "Join")], {
      onsubmit: (event) => {
        event.preventDefault();
        location.href = box.value.replaceAll(" ", "");
      },
    }),
  );
  box.focus();
}

async function join() {
  let token = read(storage);
  if (!token) {
    connection = new Connection(folder);
    ({ token, view } = await connection.insist(async () => (await connection.ask("join", {})).json(), lost));
    write(storage, token);
    draw();
  }
  connection = new Connection(folder, { "Grove-Student": token });
  for (const number in unsent) sendAnswer(Number(number));
  await connection.follow("state", ({ pace }) => pace, {
    draw: (news) => {
      view = news;
      draw();
    },
    lost,
    after: view?.pace,
  });
}

function refused(error) {
  if (error.status === 403 && read(storage)) {
    // the room was opened anew under the same code
    forget(storage);
    forget(UNSENT);
    location.reload();
    return;
  }
  if (error.status === 404 && view) {
    view = null;
    askCode(
      "The class is over.",
      "If it is not, the server was restarted: ask your teacher for the new code.",
    );
  } else if (error.status === 404) askCode(`There is no class ${code}.`, error.message);
  else say("You cannot join.", error.message);
}

function lost(isLost) {
  document.body.classList.toggle("lost", isLost);
  const { step, steps } = view ?? {};
  let words = code;
  if (isLost) words = "No connection. Trying again …";
  else if (step && !kindOf(view.slide).hasVotes) words = `${code} · ${step} of ${steps}`;
  $(".place").textContent = words;
}

function draw() {
  lost(false);
  const { slide, number, revealed, over } = view;
  if (note && number !== note.of) note.during ??= number;
  if (note?.during !== undefined && number !== note.during) note = null;
  drawNote();
  const now = `${number} ${revealed} ${over}`;
  if (now !== drawn) drawView();
  else if (slide) drawSend();
  drawn = now;
  $(".explore")?.remove();
  if (view.links) $("main").append(drawLinks(view.links));
  document.body.dataset.kind = slide?.kind ?? "wait";
}

// All of it: what was chosen, but never sent, is lost.
function drawView() {
  const { slide } = view;
  if (view.over) say("The class is over.", "Thank you for taking part.");
  else if (view.end) drawEnd(view.end);
  else if (!slide) say("You are in.", `The class is “${view.title}”. Wait for your teacher to begin.`);
  else drawSlide(slide);
  $("main").focus({ preventScroll: true });
  scrollTo(0, 0);
}

function drawSlide(slide) {
  const { revealed, closed, number } = view;
  const kind = kindOf(slide);
  const answer = view.answer ?? undefined;
  draft = closed ? answer : (unsent[number]?.value ?? answer);
  const box = $("main");
  const change = (value) => {
    draft = value;
    if (isSending()) keepUnsent(number, { ...unsent[number], value });
    drawSend();
  };
  box.replaceChildren(
    make("h2", "", slide.asks),
    ...drawSubject(slide, revealed),
    ...kind.draw(slide, draft, revealed, change),
  );
  if (kind.asks && !closed) box.append(make("div", "own"), make("p", "soft how", kind.howTo.phone));
  if (closed) for (const control of box.querySelectorAll("input, button")) control.disabled = true;
  if (revealed) drawTruth(box, slide, answer);
  drawSend();
}

function drawTruth(box, slide, answer) {
  const kind = kindOf(slide);
  if (kind.asks && answer === undefined) box.append(make("p", "score", whyNone()));
  else if (kind.explain) box.append(make("p", "score", kind.explain(slide, answer)));
  if (slide.reveals) box.append(make("p", "reveals", slide.reveals));
  box.append(...drawFigures(slide, false));
  if (kind.drawReasons) box.append(...kind.drawReasons(slide, answer));
}

// Why there is no answer of this phone's.
function whyNone() {
  if (isSending() || note?.of === view.number) return "Your answer came too late.";
  return "You did not answer this one.";
}

function drawEnd({ both, before, later }) {
  say("You have reached the end.");
  if (!both) return;
  const inTenths = (score) => inWords(Math.round(10 * score) / 10);
  const first = `${inTenths(before)} of ${both} before the lesson`;
  $("main").append(make("p", "", `Right answers: ${first}, ${inTenths(later)} of ${both} after it.`));
}

// From the class to the app, in a tab of its own: the class goes on in this one.
function drawLinks(links) {
  const again = links.map(({ title, link }) => [
    links.length > 1 ? `Do “${title}” again ›` : "Do this lesson again ›",
    link,
  ]);
  const items = [["Try your own name ›", "../"], ...again].map(([words, link]) => {
    const href = new URL(link, location.origin + folder.slice(0, -1)).href;
    return make("li", "", [make("a", "", words, { href, target: "_blank" })]);
  });
  return make("ul", "explore", items);
}

const sameAnswer = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const isSending = () => view.number in unsent;

// answer: of unsent; undefined: it has arrived, or was refused.
function keepUnsent(number, answer) {
  if (answer?.value === undefined) delete unsent[number];
  else unsent[number] = answer;
  write(UNSENT, unsent);
}

function drawNote() {
  $(".note").hidden = !note;
  if (note) relabel($(".note"), note.words);
}

// What is said beside the button.
function describeSending(isOpen, isSent) {
  if (view.is_hidden) return "Your teacher took your text off the wall.";
  if (!asks(view.slide)) return "Look at the teacher’s screen.";
  if (!isOpen) return view.revealed ? "" : "This question is closed.";
  if (unsent[view.number]?.wasLost)
    return "Not sent yet: there is no connection. Your answer is sent as soon as there is one.";
  if (!isSent) return "";
  const goesOn = kindOf(view.slide).isLive || view.slide.when === "before"; // its answer comes much later
  const until = goesOn ? "the class goes on" : "the answer is shown";
  const sent = view.wasLost ? "You are connected again, and your answer was sent." : "Sent.";
  return `${sent} You can change it until ${until}.`;
}

function drawSend() {
  const { slide, answer, over } = view;
  if (over) return;
  const isOpen = asks(slide) && !view.closed && !view.is_hidden;
  const hasAnswer = answer !== null && answer !== undefined;
  const isSent = hasAnswer && sameAnswer(draft, answer);
  // Not disabled, since it would lose the focus.
  $(".send").setAttribute("aria-disabled", draft === undefined || isSent || isSending());
  const how = $(".how");
  if (how) how.hidden = isSent && !kindOf(slide).isLive;
  const own = $(".own");
  if (own && kindOf(slide).drawOwn)
    own.replaceChildren(...(isSent ? kindOf(slide).drawOwn(slide, answer) : []));
  relabel($(".send"), hasAnswer && !isSent ? "Send again" : "Send");
  drawFoot(describeSending(isOpen, isSent), isOpen);
}

// Send an answer of unsent, again and again, until it arrives or is refused; the class may go on meanwhile.
async function sendAnswer(number) {
  const { asks: question } = unsent[number];
  const isShown = () => view?.number === number;
  const tell = (words) => {
    note = { words, of: number };
  };
  const send = async () => {
    if (!unsent[number]) return; // it was withdrawn
    const { value, wasLost } = unsent[number];
    const { answer } = await (await connection.ask("answer", { number, value })).json();
    keepUnsent(number);
    if (!isShown()) {
      if (wasLost) tell(`You are connected again, and your answer to “${question}” was sent.`);
      return;
    }
    Object.assign(view, { answer, wasLost });
    if (sameAnswer(draft, value)) draft = answer;
  };
  const noteLost = (isLost) => {
    if (isLost && unsent[number]) keepUnsent(number, { ...unsent[number], wasLost: true });
    if (isShown()) drawSend();
  };
  try {
    await connection.insist(send, noteLost);
  } catch (error) {
    keepUnsent(number);
    const why = error.status === 404 ? "It came too late: the class is over." : error.message;
    tell(`Your answer to “${question}” was not taken. ${why}`);
  }
  if (view) draw();
  else drawNote();
}

$(".send").onclick = ({ currentTarget }) => {
  if (currentTarget.getAttribute("aria-disabled") === "true") return;
  note = null;
  keepUnsent(view.number, { asks: view.slide.asks, value: draft, wasLost: false });
  sendAnswer(view.number);
};
$("main").onkeydown = ({ key, target, isComposing }) => {
  if (key === "Enter" && !isComposing && target.matches("input:not(.enter input)")) $(".send").click();
};

// There is no code in the URL.
if (code === "CLASS") askCode("Join a class", "Type the four letters that your teacher shows.");
else join().catch(refused);
