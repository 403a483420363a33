// The slides of a lesson, in order, and the keys that turn them. Draws nothing.

import { hasModifier, percent } from "../common/dom.js";
import { kindOf } from "./kinds.js";

// The keys of a presenter's clicker are among them.
const TURNS = { ArrowRight: "on", PageDown: "on", ArrowLeft: "back", PageUp: "back" };

// Whether a key goes "on" or "back"; undefined: neither. pressesButton: whether a button is about to hear
// Space and Enter.
export function turnOf(event, pressesButton) {
  if (hasModifier(event)) return undefined;
  if (event.key === " " || event.key === "Enter") return pressesButton ? undefined : "on";
  return TURNS[event.key];
}

// Every step is a slide; the quiz comes before the first one, without the right answers, and after the last.
// A teacher's lesson has no quiz.
export function makeSlides(lesson, teaching) {
  const quiz = teaching ? [] : lesson.quiz;
  return [
    { kind: "title" },
    ...quiz.map((step, place) => ({ ...step, when: "before", place })),
    ...lesson.steps.map((step, place) => ({ ...step, when: "lesson", place })),
    ...quiz.map((step, place) => ({ ...step, when: "after", place })),
    { kind: "end" },
  ];
}

// The place of a slide of the other view, which has a quiz or has none.
export function sameSlide(slides, { kind, when, place }) {
  const at = slides.findIndex((slide) => slide.kind === kind && slide.when === when && slide.place === place);
  if (at >= 0) return at;
  return when === "after" ? slides.length - 1 : 0;
}

const isRight = ([slide, answer]) => answer !== undefined && kindOf(slide).score(slide, answer) === 1;

// How good the guesses in the lesson were, in a sentence; empty: there were none.
export function describeGuesses(slides, answers) {
  const guesses = slides
    .map((slide, at) => [slide, answers[at]])
    .filter(([slide, answer]) => slide.when === "lesson" && kindOf(slide).asks && answer !== undefined);
  if (!guesses.length) return "";
  if (guesses.every(([slide]) => slide.kind === "choice")) {
    const right = guesses.filter(isRight).length;
    return `Right answers: ${right} of ${guesses.length}.`;
  }
  const scores = guesses.map(([slide, answer]) => kindOf(slide).score(slide, answer));
  const mean = percent(scores.reduce((sum, score) => sum + score, 0) / scores.length);
  if (scores.length === 1) return `Your guess in the lesson: ${mean}.`;
  return `Your ${scores.length} guesses in the lesson: ${mean} on average.`;
}

// How many questions of the quiz were answered right, before or after.
export function countRight(slides, answers, when) {
  const asked = slides.map((slide, at) => [slide, answers[at]]).filter(([slide]) => slide.when === when);
  return {
    right: asked.filter(isRight).length,
    asked: asked.length,
  };
}
