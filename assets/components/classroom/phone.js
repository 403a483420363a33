// A student's phone: the step that the teacher is on. Nothing is stored but a random token in this tab.

import { make, relabel } from "../common/dom.js";
import { forget, read, write } from "../common/tab.js";
import { asks, kindOf } from "../lesson/kinds.js";
import { drawFigures, drawSubject } from "../lesson/parts.js";
import { Connection } from "./connection.js";

const $ = (selector) => document.querySelector(selector);
const folder = location.pathname.replace(/\/$/, "") + "/";
const code = decodeURIComponent(folder.split("/").at(-2)).toUpperCase();
const storage = `class ${code}`;
const FIRST = `${storage} first`; // the tab remembers the first slide that this phone could answer

let view = null; // what the room sent last
let draft; // the answer that is being made
// {at, wasLost}: the slide whose answer is being sent, and whether a try found no connection.
let sending = null;
let missed = -1; // the slide to which an answer could not be sent in time
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
    maxLength: 4,
    size: 5,
    pattern: "[A-Za-z]{4}",
    required: true,
    autocomplete: "off",
    "aria-label": "The code of your class",
  });
  say(...words);
  $("main").append(
    make("form", "enter", [box, make("button", "button main", "Join")], {
      onsubmit: (event) => {
        event.preventDefault();
        location.href = box.value;
      },
    }),
  );
  box.focus();
}

async function join() {
  const lost = (isLost) => {
    document.body.classList.toggle("lost", isLost);
    drawPlace(isLost);
  };
  let token = read(storage);
  if (!token) {
    connection = new Connection(folder);
    ({ token, view } = await connection.insist(async () => (await connection.ask("join", {})).json(), lost));
    write(storage, token);
    write(FIRST, view.revealed ? view.at + 1 : view.at);
    draw();
  }
  connection = new Connection(folder, { "Grove-Student": token });
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
    location.reload();
    return;
  }
  if (error.status === 404 && view)
    askCode(
      "The class is over.",
      "If it is not, the server was restarted: ask your teacher for the new code.",
    );
  else if (error.status === 404) askCode(`There is no class ${code}.`, error.message);
  else say("You cannot join.", error.message);
}

function drawPlace(isLost) {
  const { at, slides } = view ?? {};
  let words = code;
  if (isLost) words = "No connection. Trying again …";
  else if (at >= 0 && at < slides) words = `${code} · ${at + 1} of ${slides}`;
  $(".place").textContent = words;
}

function draw() {
  drawPlace(false);
  const { slide } = view;
  if (view.over) say("The class is over.", "Thank you for taking part.");
  else if (view.end) drawEnd(view.end);
  else if (!slide) say("You are in.", `The class is “${view.title}”. Wait for your teacher to begin.`);
  else drawSlide(slide);
  document.body.dataset.kind = slide?.kind ?? "wait";
  $("main").focus({ preventScroll: true });
  scrollTo(0, 0);
}

function drawSlide(slide) {
  const { revealed, answer } = view;
  const kind = kindOf(slide);
  draft = answer ?? undefined;
  const box = $("main");
  const change = (value) => {
    draft = value;
    drawSend();
  };
  box.replaceChildren(
    make("h2", "", slide.asks),
    ...drawSubject(slide, revealed),
    ...kind.draw(slide, draft, revealed, change),
  );
  if (kind.asks && !revealed) box.append(make("p", "soft how", kind.howTo.phone));
  if (revealed) drawTruth(box, slide, answer ?? undefined);
  drawSend();
}

function drawTruth(box, slide, answer) {
  let none = "You did not answer this one.";
  if (missed === view.at) none = "Your answer did not arrive in time: there was no connection.";
  else if (view.at < read(FIRST)) none = "You came after this question.";
  const kind = kindOf(slide);
  if (kind.asks) box.append(make("p", "score", answer === undefined ? none : kind.explain(slide, answer)));
  if (slide.reveals) box.append(make("p", "reveals", slide.reveals));
  box.append(...drawFigures(slide, false));
  if (kind.drawReasons) box.append(...kind.drawReasons(slide, answer));
}

function drawEnd({ before, after }) {
  say("You have reached the end.");
  const lines = [];
  if (before.answered && after.answered) {
    lines.push(
      `Right answers: ${before.sum} of ${before.answered} before the lesson, ${after.sum} of ` +
        `${after.answered} after it.`,
    );
  }
  $("main").append(...lines.map((line) => make("p", "", line)));
}

const sameAnswer = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const isSending = () => sending?.at === view.at;
const CAN_CHANGE = "You can change it until the answer is shown.";

// What is said beside the button.
function describeSending(isOpen, isSent) {
  if (!isOpen) return asks(view.slide) ? "" : "Look at the teacher’s screen.";
  if (isSending() && sending.wasLost)
    return "Not sent yet: there is no connection. Your answer is sent as soon as there is one.";
  if (!isSent) return "";
  return view.wasLost
    ? `You are connected again, and your answer was sent. ${CAN_CHANGE}`
    : `Sent. ${CAN_CHANGE}`;
}

function drawSend() {
  const { slide, answer, revealed } = view;
  const isOpen = asks(slide) && !revealed;
  const hasAnswer = answer !== null && answer !== undefined;
  const isSent = hasAnswer && sameAnswer(draft, answer);
  $(".send").disabled = draft === undefined || isSent || isSending();
  relabel($(".send"), hasAnswer && !isSent ? "Send again" : "Send");
  drawFoot(describeSending(isOpen, isSent), isOpen);
}

// Send the answer, again and again until it has arrived or the class has gone on.
async function sendAnswer() {
  const { at } = view;
  const attempt = { at, wasLost: false };
  const isOver = () => view.at !== at || view.revealed;
  const send = async () => {
    if (isOver() || draft === undefined) {
      missed = at;
      return;
    }
    const value = draft;
    await connection.ask("answer", { at, value });
    if (!isOver()) Object.assign(view, { answer: value, wasLost: attempt.wasLost });
  };
  const lost = (isLost) => {
    attempt.wasLost ||= isLost;
    if (view.at === at) drawSend();
  };
  sending = attempt;
  let problem = "";
  try {
    await connection.insist(send, lost);
  } catch (error) {
    problem = error.message;
  }
  if (problem && attempt.wasLost) missed = at;
  if (sending === attempt) sending = null; // else an answer to another slide is being sent
  if (view.at !== at) return;
  drawSend();
  if (problem) drawFoot(problem, !$(".send").hidden);
}

$(".send").onclick = sendAnswer;

// There is no code in the URL.
if (code === "CLASS") askCode("Join a class", "Type the four letters that your teacher shows.");
else join().catch(refused);
