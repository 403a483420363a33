// A lesson: one slide at a time, to predict, reveal and read. The page has all of it, so a click needs no
// server.

import { disable, make, plural, relabel } from "../common/dom.js";
import { readProgress, saveProgress } from "../common/progress.js";
import { quoteText } from "../common/spelling.js";
import { asks, kindOf } from "./kinds.js";
import { drawFigures, drawHeading, drawSubject } from "./parts.js";
import { Terms } from "./terms.js";
import { countRight, describeGuesses, makeSlides, sameSlide, turnOf } from "./slides.js";

// Pixels of the type in the teacher's view.
const LARGEST = 44;
const SMALLEST = 11;
const HEADER = 60; // pixels of the page's header, which covers what is there
const FOOT = 50; // pixels below the lesson
const linkTo = (href, words) => make("a", "", words, { href, target: "_blank", rel: "noopener noreferrer" });
// Where a link leads, and with which text.
const nameLink = ({ page, text }) => (text ? `${page}: ${quoteText(text)}` : page);

// Whether the text can be read from its tokens: there are some, and each holds whole characters.
const showsText = ({ shows = [] }) =>
  shows.length > 0 && shows.every(({ tokens }) => tokens.every(({ part }) => !part));

// Another key is another lesson, or its other view, or its words have changed.
const keyOf = ({ lesson, revision, teaching }) => `${lesson.slug} ${revision} ${teaching}`;

const visits = new Map(); // by lesson: where a person is, and the answers

const writeVisit = ({ at, answers, revealed }) => ({ at, answers, revealed: [...revealed] });
const readVisit = ({ at, answers, revealed }) => ({ at, answers, revealed: new Set(revealed) });

// Streamlit may mount a second view for a moment: the newest mounted one gets the keys.
const views = new Set();
const newestView = () => [...views].filter((view) => view.root.isConnected).at(-1);
document.addEventListener("keydown", (event) => newestView()?.press(event, event.composedPath()[0]));

// For the teacher; closed at first, since the class sees the screen, too.
const drawNotes = (notes) =>
  make("details", "soft", [make("summary", "", "Notes for the teacher"), make("p", "", notes)]);

export default class LessonView {
  /** @type {import("../common/mount.js").Tell} */
  sendEvent;
  /** @type {import("../common/mount.js").Tell} */
  sendMessage;

  constructor(root) {
    this.root = root;
    this.$ = (selector) => root.querySelector(selector);
    this.terms = new Terms(this.$(".meaning"));
    views.add(this);
    this.$("[data-go=back]").onclick = () => this.back();
    this.$("[data-go=on]").onclick = () => this.on();
    this.$("[data-go=full]").onclick = () =>
      document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
    this.fitter = () => this.fit();
    addEventListener("resize", this.fitter);
    // Elements above may still disappear, such as the list of lessons.
    this.above = new ResizeObserver(this.fitter);
    this.above.observe(document.querySelector("[data-testid=stMainBlockContainer]") ?? document.body);
  }

  destroy() {
    removeEventListener("resize", this.fitter);
    this.above.disconnect();
    views.delete(this);
    const view = newestView();
    // The same lesson, turned here.
    if (view?.lesson && view.visit === this.visit && view.drawnAt !== view.visit.at) view.draw();
  }

  // Without a lesson, the page shows the list of all, and is told how far each one is.
  receive(data) {
    this.root.hidden = !data.lesson;
    this.ways = data.ways;
    this.terms.meanings = data.terms;
    this.number = data.number;
    this.ofLessons = data.of;
    if (!data.lesson) this.tellProgress(data.progress);
    else if (this.key !== keyOf(data)) this.open(data);
  }

  tellProgress(known) {
    const progress = Object.fromEntries(
      Object.entries(readProgress()).map(([slug, { at, of, done }]) => [slug, [at, of, done]]),
    );
    if (JSON.stringify(progress) !== JSON.stringify(known)) this.sendMessage({ progress });
  }

  // Show another lesson, or this one in the other view or with other words.
  open(data) {
    this.key = keyOf(data);
    const isNew = this.lesson?.slug !== data.lesson.slug;
    const stoodAt = isNew ? null : this.slide;
    this.lesson = data.lesson;
    this.teaching = data.teaching;
    this.slides = makeSlides(data.lesson, data.teaching);
    this.revision = data.revision;
    const kept = readProgress()[data.lesson.slug];
    this.done = kept?.done ?? false;
    const last = visits.get(this.key) ?? this.visitBefore(kept);
    // A finished lesson starts over when opened again; an unfinished one resumes.
    if (!last || (isNew && last.at === this.slides.length - 1)) this.begin();
    else visits.set(this.key, (this.visit = last));
    if (stoodAt) this.visit.at = sameSlide(this.slides, stoodAt); // the teacher's view was switched
    this.root.classList.toggle("teaching", data.teaching);
    this.$(".keys").hidden = !data.teaching;
    this.$("[data-go=full]").hidden = !data.teaching || !document.fullscreenEnabled;
    // An opened lesson gets the focus, since the button that opened it is gone or leads to the next one.
    this.draw(isNew && navigator.userActivation?.hasBeenActive);
  }

  // The visit that this browser keeps; null: there is none, or it is to an earlier form of the lesson.
  visitBefore(kept) {
    if (this.teaching || kept?.revision !== this.revision) return null;
    return readVisit(kept);
  }

  begin() {
    visits.set(this.key, (this.visit = { at: 0, answers: {}, revealed: new Set() }));
  }

  get slide() {
    return this.slides[this.visit.at];
  }
  get isRevealed() {
    return this.visit.revealed.has(this.visit.at);
  }
  get answer() {
    return this.visit.answers[this.visit.at];
  }

  // Whether the next press reveals, and does not leave the slide.
  get waits() {
    return asks(this.slide) && this.slide.when !== "before" && !this.isRevealed;
  }

  back() {
    this.go(this.visit.at - 1);
  }

  on() {
    if (this.waits) {
      this.visit.revealed.add(this.visit.at);
      this.draw();
    } else this.go(this.visit.at + 1);
  }

  go(at) {
    if (at < 0 || at >= this.slides.length) return;
    this.visit.at = at;
    this.draw();
  }

  // Arrow keys and a presenter's clicker, unless a field or a button is about to hear them.
  press(event, target) {
    if (!this.lesson) return;
    const isInside = this.root.contains(target);
    if (!this.teaching && !isInside) return; // elsewhere on the page, keys scroll
    const field = target.closest?.("input, textarea, select, [role=radiogroup], [contenteditable]");
    // Such as the one of the teacher's view: it hears the space bar alone.
    const isSwitch = field?.type === "checkbox";
    if (field && !isSwitch) return;
    const isButton = isSwitch || (isInside && target.closest("button, a, summary"));
    const turn = turnOf(event, isButton || !this.teaching);
    if (!turn) return;
    event.preventDefault();
    if (turn === "on") this.on();
    else this.back();
  }

  draw(focus = true) {
    const { slide } = this;
    this.drawnAt = this.visit.at;
    const box = this.$(".slide");
    box.replaceChildren();
    box.dataset.kind = slide.kind;
    if (slide.kind === "title") this.drawTitle(box);
    else if (slide.kind === "end") this.drawEnd(box);
    else this.drawStep(box, slide);
    this.terms.mark(box.querySelectorAll(".reveals, .score, .takeaway"));
    this.changed();
    this.fit();
    if (!focus) return;
    box.focus({ preventScroll: true });
    if (box.getBoundingClientRect().top < HEADER) this.root.scrollIntoView(); // the slide before was longer
  }

  // Another slide or another answer: the button says what it does now, and the browser keeps it.
  changed() {
    const { slide, visit, slides } = this;
    const on = this.$("[data-go=on]");
    const skips = asks(slide) && this.answer === undefined && !this.isRevealed && !this.teaching;
    let words = "Next ›";
    if (visit.at === 0) words = "Begin ›";
    else if (this.waits) words = "Show the answer";
    else if (skips) words = "Skip ›";
    relabel(on, words);
    on.classList.toggle("main", !skips);
    on.hidden = slide.kind === "end";
    disable(this.$("[data-go=back]"), visit.at === 0, on);
    this.drawDots();
    this.done ||= slide.kind === "end";
    if (!this.teaching && (visit.at || this.done)) {
      saveProgress(this.lesson.slug, {
        revision: this.revision,
        of: slides.length,
        done: this.done,
        ...writeVisit(visit),
      });
    }
  }

  // The teacher's view is as large as fits on the screen without scrolling.
  fit() {
    if (!this.lesson) return;
    if (!this.teaching) {
      this.root.style.removeProperty("--size");
      return;
    }
    for (let size = LARGEST; size >= SMALLEST; size--) {
      this.root.style.setProperty("--size", `${size}px`);
      if (this.$(".slide").getBoundingClientRect().bottom + scrollY < innerHeight - FOOT) return;
    }
  }

  drawDots() {
    const dots = this.slides.map((slide, at) => {
      const isQuiz = slide.when === "before" || slide.when === "after";
      // A question before the lesson has no answer to show.
      const isAnswered = slide.when === "before" && this.visit.answers[at] !== undefined;
      const isDone = isAnswered || this.visit.revealed.has(at);
      const name = `Step ${at + 1} of ${this.slides.length}`;
      const dot = make("button", "dot", "", {
        "aria-label": isDone ? `${name}, done` : name,
        title: slide.asks ?? "",
        onclick: () => this.go(at),
        disabled: at > this.visit.at + 1 && !this.teaching && !isDone,
      });
      dot.classList.toggle("quiz", isQuiz);
      dot.classList.toggle("done", isDone);
      if (at === this.visit.at) dot.setAttribute("aria-current", "step");
      return dot;
    });
    this.$(".dots").replaceChildren(...dots);
    this.$(".at").textContent = `Step ${this.visit.at + 1} of ${this.slides.length}`;
  }

  drawTitle(box) {
    box.append(make("h2", "", this.lesson.question));
    if (this.teaching) {
      if (this.lesson.notes) box.append(drawNotes(this.lesson.notes));
      return;
    }
    if (this.number) box.append(make("p", "soft", `Lesson ${this.number} of ${this.ofLessons}`));
    box.append(
      make("p", "", "Guess first, then see what really happens, and why. Your answers stay in this browser."),
    );
    const n = this.lesson.quiz.length;
    if (n) {
      const words =
        `The ${plural(n, "question")} before the lesson ${n === 1 ? "comes" : "come"} again ` +
        "after it, with the answer, so that you see what you have learned.";
      box.append(make("p", "soft", words));
    }
  }

  drawEnd(box) {
    const { slides, visit } = this;
    const before = countRight(slides, visit.answers, "before");
    const after = countRight(slides, visit.answers, "after");
    const which = this.number ? `lesson ${this.number} of ${this.ofLessons}` : `“${this.lesson.title}”`;
    box.append(make("h2", "", `You have finished ${which}.`));
    if (this.lesson.takeaway) box.append(make("p", "takeaway", this.lesson.takeaway));
    const asked = slides.map((slide, at) => [slide, visit.answers[at]]).filter(([slide]) => asks(slide));
    const skipped = asked.filter(([, answer]) => answer === undefined).length;
    if (before.asked) {
      const words =
        `Right answers: ${before.right} of ${before.asked} before the lesson, ` +
        `${after.right} of ${after.asked} after it.`;
      box.append(make("p", "scores", words));
    }
    const guesses = describeGuesses(slides, visit.answers);
    if (guesses && !this.teaching) box.append(make("p", "guesses", guesses));
    if (skipped && !this.teaching) box.append(make("p", "", `You skipped ${plural(skipped, "question")}.`));
    if (this.number && this.number === this.ofLessons) {
      const words =
        "It was the last one. Go on with a text of your own, in the playground or under Grow · Train.";
      box.append(make("p", "", words));
    }
    const again = make("button", "button", "Begin again", {
      onclick: () => {
        this.begin();
        this.draw();
      },
    });
    const ways = this.ways.map(({ slug, label, title }, at) =>
      make("button", at ? "button" : "button main", label, {
        title,
        onclick: () => this.sendEvent({ open: slug }),
      }),
    );
    box.append(make("div", "ways", [...ways, again]));
    const links = slides.filter(
      (slide, at) =>
        slide.link && slides.findIndex((other) => other.link && nameLink(other) === nameLink(slide)) === at,
    );
    if (links.length) {
      const items = links.map((slide) => make("li", "", [linkTo(slide.link, nameLink(slide))]));
      box.append(make("p", "soft", "Try it yourself:"), make("ul", "links", items));
    }
  }

  drawStep(box, slide) {
    const kind = kindOf(slide);
    const isShown = this.isRevealed || !kind.asks;
    const keep = (answer) => {
      this.visit.answers[this.visit.at] = answer;
      this.changed();
    };
    box.append(
      ...drawHeading(slide),
      ...drawSubject(slide, this.isRevealed, isShown && showsText(slide)),
      ...kind.draw(slide, this.answer, this.isRevealed, keep),
    );
    if (isShown) this.drawReveal(box, slide);
    else if (kind.howTo.lesson && !this.teaching) {
      const { lesson, byKeyboard } = kind.howTo;
      box.append(make("p", "soft how", [lesson, make("span", "keyboard", byKeyboard)]));
    }
  }

  drawReveal(box, slide) {
    const kind = kindOf(slide);
    if (this.answer !== undefined && !this.teaching)
      box.append(make("p", "score", kind.explain(slide, this.answer)));
    // Before the tokens, which may be many.
    if (slide.reveals) box.append(make("p", "reveals", slide.reveals));
    box.append(...drawFigures(slide, this.teaching));
    if (this.teaching) return; // a class hears the reasons from its teacher
    if (kind.drawReasons) box.append(...kind.drawReasons(slide, this.answer));
    for (const { says, address, site } of slide.sources)
      box.append(make("p", "soft", ["Source: ", linkTo(address, `${says} (${site}) ↗`)]));
    if (slide.link) box.append(linkTo(slide.link, `See it live: ${slide.page} ↗`));
  }
}
