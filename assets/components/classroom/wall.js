// The teacher's wall: the code, how many have answered, the class's picture, and then the truth.

import { copyText, make, percent, plural, relabel } from "../common/dom.js";
import { BROWSER, forget, read, write } from "../common/tab.js";
import { asks, kindOf } from "../lesson/kinds.js";
import { drawFigures, drawHeading, drawSubject } from "../lesson/parts.js";
import { turnOf } from "../lesson/slides.js";
import { Connection } from "./connection.js";

const $ = (selector) => document.querySelector(selector);
const path = location.pathname.replace(/\/wall\/?$/, "");
const code = decodeURIComponent(path.split("/").at(-1)).toUpperCase();
const HINTS = [
  "Allow Python in this computer’s firewall.",
  "Let the phones join the same Wi-Fi as this computer.",
  "A school’s Wi-Fi may keep devices apart (“client isolation”). Then let the phones join a hotspot of " +
    "this computer or of your phone.",
];
// The picture before it is shown.
const NO_ANSWERS = { n: 0, counts: [], guesses: [] };
// The key comes behind the #. The tab stores it, since a projector may show the address bar to the class; and
// the browser does until the class ends, since a tab is soon closed.
const KEY = `key ${code}`;
const key = location.hash.slice(1) || read(KEY) || read(KEY, BROWSER) || "";
write(KEY, key);
write(KEY, key, BROWSER);
if (location.hash) history.replaceState(null, "", location.pathname);
const connection = new Connection(`${path}/`, { "Grove-Teacher": key });

let view = null;
let qr = null; // one image, so that it does not blink as students join
let drawnAt = 0; // when the view came, by performance.now()

// A teacher on the server's machine may have it open under a loopback name: phones need its address in the
// network.
const isLoopback = /^(localhost|127\.|\[::1\])/.test(location.hostname);
const isReachable = () => !isLoopback || view.urls.length > 0;
const urlOfClass = () =>
  isLoopback && view.urls.length ? `${view.urls[0]}/class/${code}` : `${location.origin}${path}`;
const withoutScheme = (url) => url.replace(/^https?:\/\//, "");

connection
  .follow("all", ({ version }) => version, {
    draw: (news) => {
      view = news;
      drawnAt = performance.now();
      draw();
    },
    lost: (isLost) => document.body.classList.toggle("lost", isLost),
  })
  .catch((error) => {
    if (error.status === 404) forgetKey();
    $("footer").hidden = true; // its buttons lead nothing
    const words = error.status === 404 ? "This class has ended, or the server was restarted." : error.message;
    $("main").replaceChildren(make("h2", "", words));
    const link = view?.link ?? read(`link ${code}`);
    if (link) $("main").append(make("p", "", [drawAgain(link)]));
  });

// A lesson or a plan opens by its link; a text or a lesson of the teacher's own, from its page.
const drawAgain = (href) =>
  make(
    "a",
    "button main",
    href.startsWith("../open/") ? "Open it again" : "Back to its page, to run it again",
    {
      href,
    },
  );

// What the next press does: to the first slide, show the class's picture, reveal the truth, to the next
// slide.
function nextDeed() {
  const { slide, at, slides, picture, revealed } = view;
  if (at >= slides) return null;
  const kind = slide && kindOf(slide);
  if (kind?.asks && !kind.isLive) {
    if (kind.hasVotes && !revealed) return ["reveal", "Show the votes"];
    if (!picture) return ["picture", "Show the class’s answers"];
    if (!revealed && slide.when !== "before") return ["reveal", "Show the truth"];
  }
  return ["go on", nameNext()];
}

function nameNext() {
  const { slide, at, slides } = view;
  if (at < 0) return "Begin ›";
  if (kindOf(slide).hasVotes) return "Next token ›";
  if (at + 1 === slides) return "To the end ›";
  return at + 1 === startOfNext() ? "Next lesson ›" : "Next ›";
}

// The place of the part after this one, or of the end.
const startOfNext = () => view.agenda[view.part + 1]?.at ?? view.slides;

const hasAgenda = () => view.agenda.length > 1;

// Where the class was before the teacher jumped: a part, and the step of it.
let cameFrom = null;

// The agenda: each part is a button that leads there, or back to the step that was left.
function drawAgenda() {
  const items = view.agenda.map(({ title, minutes, at, state }, number) => {
    const isPresent = number === view.part;
    const cameFromHere = number === cameFrom?.part && !isPresent;
    const words = [];
    if (cameFromHere) words.push(`you were here, at step ${cameFrom.step}`);
    else if (state === "begun" && !isPresent) words.push("begun");
    if (minutes) words.push(`${minutes} min`);
    const place = cameFromHere ? at + cameFrom.step - 1 : at;
    const button = make("button", "agenda-part", [], { onclick: () => jump(place) });
    button.append(make("span", "", title), make("small", "soft", words.join(" · ")));
    if (isPresent) button.setAttribute("aria-current", "step");
    button.classList.toggle("done", state === "held" && !isPresent);
    return make("li", "", [button]);
  });
  return make("ol", "agenda", items);
}

function jump(at) {
  if (view.slide) cameFrom = { part: view.part, step: view.step };
  $(".agenda-box").close();
  act("go", { at });
}

// The minutes that are left of the plan. They go on while nothing changes.
function drawTime() {
  if (!view) return;
  const { minutes, elapsed, over } = view;
  const left = Math.ceil(minutes - (elapsed + (performance.now() - drawnAt) / 1000) / 60);
  let words = "";
  if (minutes && !over) words = left >= 0 ? `${left} min left` : `${-left} min over`;
  $(".time").textContent = elapsed ? words : "";
}
setInterval(drawTime, 10000);

// The largest type with which all of it is on the screen.
function fit() {
  const box = $("main");
  const largest = Math.min(innerWidth / 40, innerHeight / 22);
  for (let size = largest; size >= 13; size--) {
    document.body.style.setProperty("--size", `${size}px`);
    if (box.scrollHeight <= box.clientHeight) return;
  }
}
addEventListener("resize", fit);
addEventListener("toggle", fit, true); // the hints were opened
addEventListener("beforeprint", () => {
  for (const more of document.querySelectorAll("details")) more.open = true;
});
// Space goes on, and does not press once more what was pressed last. First of all, since the press may open a
// dialog, which gives the focus back.
const leaveButton = ({ detail }) => {
  const { activeElement } = document;
  if (detail && activeElement instanceof HTMLElement) activeElement.blur();
};
addEventListener("click", leaveButton, true);

const NOT_SENT = "There is no connection: press again once there is one.";
const tellProblem = (error) => {
  $(".count").textContent = error.status ? error.message : NOT_SENT;
};

async function act(deed, more = {}) {
  try {
    await connection.ask("pace", { do: deed, number: view.number, ...more });
  } catch (error) {
    tellProblem(error);
  }
}

function on() {
  const deed = view && nextDeed();
  if (deed) act(deed[0]);
}

function draw() {
  write(`link ${code}`, view.link);
  const { at, slides, slide, over } = view;
  document.body.dataset.kind = slide?.kind ?? (at < 0 ? "join" : "end");
  if (!slide) delete $("main").dataset.number;
  $("header .code").textContent = code;
  $("header .url").textContent = at < 0 ? "" : withoutScheme(urlOfClass());
  $(".count").textContent = over ? "" : countPhones();
  drawTime();
  if (over) drawOver();
  else if (at < 0) drawJoin();
  else if (at >= slides) drawReport();
  else drawSlide(slide);
  drawButtons();
  fit();
}

function drawButtons() {
  const { at, slides, slide, over } = view;
  const deed = over ? null : nextDeed();
  $("[data-do=on]").hidden = !deed;
  if (deed) relabel($("[data-do=on]"), deed[1]);
  $("[data-do=back]").disabled = over || at < 0;
  for (const name of ["[data-do=end]", ".keys"]) $(name).hidden = over;
  $("[data-do=explore]").hidden = over || at >= slides;
  const isLast = at + 1 === startOfNext() && slide && !kindOf(slide).hasVotes;
  $("[data-do=agenda]").hidden = over || !hasAgenda();
  $("[data-do=skip]").hidden = over || !slide || !hasAgenda() || isLast;
  relabel($("[data-do=skip]"), startOfNext() < slides ? "Next lesson ›" : "To the end ›");
  $("[data-do=explore]").setAttribute("aria-pressed", view.explores);
  relabel($("[data-do=explore]"), view.explores ? "✓ Phones may explore" : "Let phones explore");
}

function forgetKey() {
  forget(KEY);
  forget(KEY, BROWSER);
}

function drawOver() {
  forgetKey();
  $("main").replaceChildren(
    make("h2", "", "The class is over."),
    make("p", "", "The phones say so, too. Nothing was stored."),
    make("p", "", [drawAgain(view.link), " ", make("a", "button", "All lessons", { href: "../../lessons" })]),
  );
}

function countPhones() {
  const { slide, here, answered } = view;
  if (slide && asks(slide)) return `${answered} of ${Math.max(here, answered)} have answered`;
  return `${plural(here, "phone")} here`;
}

function drawJoin() {
  const url = urlOfClass();
  const box = $("main");
  box.replaceChildren(make("h2", "", view.title));
  qr ??= make("img", "qr", [], {
    src: `${path}/qr.svg?url=${encodeURIComponent(url)}`,
    alt: `A QR code with the address ${url}`,
  });
  const words = make("div", "how-to-join", [
    make("p", "", "Scan the code with your phone’s camera, or open"),
    make("p", "address mono", withoutScheme(url)),
    make("p", "soft", "Nobody has to give a name. All answers are deleted when the class ends."),
    make("p", "joined", view.joined ? `${plural(view.joined, "phone")} joined` : "Nobody has joined yet."),
  ]);
  // Nobody scans a dead address.
  const agenda = hasAgenda() ? [drawAgenda()] : [];
  box.append(make("div", "join", [...(isReachable() ? [qr, words] : [words.lastChild]), ...agenda]));
  if (!view.joined) box.append(drawHints());
}

function drawHints() {
  const hints = HINTS.map((hint) => make("li", "", hint));
  if (isReachable()) {
    return make("details", "", [
      make("summary", "soft", "A phone cannot open the address?"),
      make("ul", "", hints),
    ]);
  }
  const { words, command } = view.how_to_reach;
  const parts = words.split("`").map((part, at) => (at % 2 ? make("code", "", part) : part));
  return make("div", "", [
    make("p", "", parts),
    ...(command ? [drawCommand(command)] : []),
    make("ul", "", hints),
    make("p", "soft", `To try it, open ${urlOfClass()} in another window here.`),
  ]);
}

// A command, and a button that copies it.
function drawCommand(command) {
  const copy = make("button", "button", "Copy", {
    onclick: async () =>
      relabel(copy, (await copyText(command)) ? "Copied" : "Your browser did not allow copying"),
  });
  return make("p", "", [make("code", "mono", command), " ", copy]);
}

function drawSlide(slide) {
  const { picture, revealed, number } = view;
  const kind = kindOf(slide);
  const box = $("main");
  // What is there already stays as it is, so that a button can be pressed while answers come.
  if (kind.refill && box.dataset.number === String(number)) {
    kind.refill(box, slide, picture, act);
    return;
  }
  box.dataset.number = number;
  box.replaceChildren(
    ...drawHeading(slide),
    ...drawSubject(slide, revealed, revealed && slide.shows?.length > 0),
    ...kind.drawPicture(slide, picture ?? NO_ANSWERS, act),
    ...(slide.kind === "part" ? [drawAgenda()] : []),
  );
  if (!revealed) return;
  box.append(...drawFigures(slide, true));
  if (picture?.wrong) box.append(make("p", "most-wrong", picture.wrong.says));
  if (slide.reveals) box.append(make("p", "reveals", slide.reveals));
}

function drawReport() {
  const { report } = view;
  const changes = report.filter(({ both }) => both);
  const steps = report.filter(({ when, answered }) => when === "lesson" && answered);
  const box = $("main");
  const title = hasAgenda() ? "What the class has learned" : `What the class has learned: ${view.title}`;
  box.replaceChildren(make("h2", "", title));
  if (!report.length) {
    box.append(make("p", "", "Nothing was asked that has a right answer."));
    return;
  }
  box.append(
    make("p", "no-print row", [
      make("span", "soft", `${plural(view.joined, "phone")} joined.`),
      make("button", "button", "Save as CSV", { onclick: saveReport }),
      make("button", "button", "Print", { onclick: () => print() }),
    ]),
  );
  if (changes.length) {
    const rows = changes.map((row) => [...nameLesson(row), row.question, tellChange(row)]);
    box.append(drawTable("report changes", ["Asked before and after", "Right answers"], rows));
  }
  if (steps.length) {
    const hardest = steps.toSorted((one, other) => one.score - other.score);
    const rows = hardest.map((row) => [
      ...nameLesson(row),
      row.question,
      String(row.answered),
      percent(row.score),
      row.wrong ?? "",
    ]);
    const columns = ["Step", "Answers", "Mean score", "The most frequent mistake"];
    const words = make("summary", "", "Each step, the hardest first");
    box.append(make("details", "", [words, drawTable("report", columns, rows)]));
  }
}

// In a class of several lessons, the first cell of a row says of which it is.
const nameLesson = ({ lesson }) => (hasAgenda() ? [lesson] : []);

// How a question was answered before the lesson and after it, by those who answered it both times.
function tellChange({ kind, both, before, later }) {
  if (kind === "choice") return `${before} of ${both} → ${later} of ${both}`;
  return `${percent(before / both)} → ${percent(later / both)}`;
}

function drawTable(className, columns, rows) {
  const names = hasAgenda() ? ["Lesson", ...columns] : columns;
  const head = names.map((name) => make("th", "", name));
  const body = rows.map((cells) =>
    make(
      "tr",
      "",
      cells.map((words) => make("td", "", [make("bdi", "", words)])),
    ),
  );
  return make("table", className, [make("thead", "", [make("tr", "", head)]), make("tbody", "", body)]);
}

async function saveReport() {
  let file;
  try {
    file = await (await connection.ask("report.csv")).blob();
  } catch (error) {
    tellProblem(error);
    return;
  }
  const url = URL.createObjectURL(file);
  make("a", "", "", { href: url, download: `class-${code}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const DEEDS = {
  on,
  back: () => act("go", { at: view.at - 1 }),
  skip: () => jump(startOfNext()),
  explore: () => act("let explore", { allowed: !view.explores }),
  agenda: () => {
    const box = $(".agenda-box");
    const close = make("button", "button", "Close", { onclick: () => box.close(), autofocus: true });
    box.replaceChildren(drawAgenda(), close);
    box.showModal();
  },
  full: () =>
    document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen(),
  end: () => {
    const words = "End the class? All answers are deleted: save the report first, if you want to keep it.";
    if (confirm(words)) act("end");
  },
};
for (const deed of Object.keys(DEEDS)) $(`[data-do=${deed}]`).onclick = () => DEEDS[deed]();
$("[data-do=full]").hidden = !document.fullscreenEnabled;

// Arrow keys and a presenter's clicker; Space and Enter press a focused button. They close the agenda first.
addEventListener("keydown", (event) => {
  if (!view || event.repeat) return;
  const target = /** @type {Element} */ (event.target);
  const turn = turnOf(event, target.closest?.("button, a, summary"));
  if (!turn) return;
  if ($(".agenda-box").open) $(".agenda-box").close();
  else DEEDS[turn]();
  event.preventDefault();
});
