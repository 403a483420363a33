// A student's phone: the step that the teacher is on. Nothing is stored but a random token in this tab.

import { make, number as inWords, relabel } from "../common/dom.js";
import { forget, read, write } from "../common/tab.js";
import { asks, kindOf } from "../lesson/kinds.js";
import { drawFigures, drawSubject } from "../lesson/parts.js";
import { Connection } from "./connection.js";

const $ = (selector) => document.querySelector(selector);
const folder = location.pathname.replace(/\/$/, "") + "/";
const code = decodeURIComponent(folder.split("/").at(-2)).toUpperCase();
const storage = `class ${code}`;

let view = null; // what the room sent last
let drawn = ""; // what of it is drawn
let draft; // the answer that is being made
// {number, wasLost}: the slide whose answer is being sent, and whether a try found no connection.
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
  const lost = (isLost) => {
    document.body.classList.toggle("lost", isLost);
    drawPlace(isLost);
  };
  let token = read(storage);
  if (!token) {
    connection = new Connection(folder);
    ({ token, view } = await connection.insist(async () => (await connection.ask("join", {})).json(), lost));
    write(storage, token);
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
  const { step, steps } = view ?? {};
  let words = code;
  if (isLost) words = "No connection. Trying again …";
  else if (step && !kindOf(view.slide).hasVotes) words = `${code} · ${step} of ${steps}`;
  $(".place").textContent = words;
}

function draw() {
  drawPlace(false);
  const { slide, number, revealed, over } = view;
  const now = `${number} ${revealed} ${over}`;
  if (now !== drawn) drawView();
  else if (slide) drawSend();
  drawn = now;
  $(".explore")?.remove();
  if (view.links) $("main").append(drawLinks(view.links));
  document.body.dataset.kind = slide?.kind ?? "wait";
}

// All of it: what was not sent is lost.
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
  if (kind.asks && !revealed) box.append(make("div", "own"), make("p", "soft how", kind.howTo.phone));
  if (revealed) drawTruth(box, slide, answer ?? undefined);
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
  if (missed === view.number || isSending())
    return "Your answer did not arrive in time: there was no connection.";
  return view.came_late ? "You came after this question." : "You did not answer this one.";
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

const isSending = () => sending !== null && sending.number === view.number;

// What is said beside the button.
function describeSending(isOpen, isSent) {
  if (view.is_hidden) return "Your teacher took your text off the wall.";
  if (!isOpen) return asks(view.slide) ? "" : "Look at the teacher’s screen.";
  if (isSending() && sending.wasLost)
    return "Not sent yet: there is no connection. Your answer is sent as soon as there is one.";
  if (!isSent) return "";
  const until = kindOf(view.slide).isLive ? "the class goes on" : "the answer is shown";
  const sent = view.wasLost ? "You are connected again, and your answer was sent." : "Sent.";
  return `${sent} You can change it until ${until}.`;
}

function drawSend() {
  const { slide, answer, revealed } = view;
  const isOpen = asks(slide) && !revealed && !view.closed && !view.is_hidden;
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

// Send the answer, again and again until it has arrived or the class has gone on.
async function sendAnswer() {
  const { number } = view;
  const attempt = { number, wasLost: false };
  const isOver = () => view.number !== number || view.revealed;
  const send = async () => {
    if (isOver() || draft === undefined) {
      missed = number;
      return;
    }
    const value = draft;
    const { answer } = await (await connection.ask("answer", { number, value })).json();
    if (isOver()) return;
    Object.assign(view, { answer, wasLost: attempt.wasLost });
    if (sameAnswer(draft, value)) draft = answer;
  };
  const lost = (isLost) => {
    attempt.wasLost ||= isLost;
    if (view.number === number) drawSend();
  };
  sending = attempt;
  let problem = "";
  try {
    await connection.insist(send, lost);
  } catch (error) {
    problem = error.message;
  }
  if (problem && attempt.wasLost) missed = number;
  if (sending === attempt) sending = null; // else an answer to another slide is being sent
  if (view.number !== number) return;
  drawSend();
  if (problem) drawFoot(problem, !$(".send").hidden);
}

$(".send").onclick = ({ currentTarget }) => {
  if (currentTarget.getAttribute("aria-disabled") !== "true") sendAnswer();
};
$("main").onkeydown = ({ key, target, isComposing }) => {
  if (key === "Enter" && !isComposing && target.matches("input:not(.enter input)")) $(".send").click();
};

// There is no code in the URL.
if (code === "CLASS") askCode("Join a class", "Type the four letters that your teacher shows.");
else join().catch(refused);
