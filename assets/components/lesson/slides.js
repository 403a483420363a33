// The slides of a lesson, in order, and the scores of answers. Draws nothing.

import { percent } from "../common/dom.js";

// Every step is a slide; the quiz comes before the first one and after the last. A teacher's lesson has no
// quiz.
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

// Whether a slide is a question. The quiz before the lesson shows no right answers.
export const asks = (slide) => ["cuts", "choice", "number"].includes(slide.kind);

// The cuts that were placed against those of the encoding: right, missed and needless ones.
export function judgeCuts(placed, real) {
  const mine = new Set(placed);
  const theirs = new Set(real);
  return {
    right: real.filter((cut) => mine.has(cut)),
    missed: real.filter((cut) => !mine.has(cut)),
    needless: placed.filter((cut) => !theirs.has(cut)),
  };
}

// The score, 0 to 1, by the rule in explainScore.
function scoreOf(slide, answer) {
  if (answer === undefined) return 0;
  if (slide.kind === "choice") return answer === slide.right ? 1 : 0;
  if (slide.kind === "number") {
    const [less, more] = [Math.min(answer, slide.value), Math.max(answer, slide.value)];
    if (less === more) return 1;
    return less > 0 ? less / more : 0;
  }
  const { right, missed, needless } = judgeCuts(answer, slide.shows[0].cuts);
  const all = right.length + missed.length + needless.length;
  return all ? right.length / all : 1;
}

// The answer to a question about a number.
export const writeValue = ({ value }) => value.toLocaleString("en-US", { maximumFractionDigits: 1 });

// The score, and the rule that gives it.
export function explainScore(slide, answer) {
  if (answer === undefined) return "";
  if (slide.kind === "choice") {
    return answer === slide.right ? "Right." : `No. ${slide.whys[answer] || "The right answer is marked."}`;
  }
  const score = percent(scoreOf(slide, answer));
  if (slide.kind === "number") {
    return (
      `You guessed ${answer.toLocaleString("en-US")}, and it is ${writeValue(slide)}. ` +
      `Score ${score}: the smaller number ÷ the larger.`
    );
  }
  const { right, missed, needless } = judgeCuts(answer, slide.shows[0].cuts);
  return (
    `${right.length} found, ${missed.length} missed, ${needless.length} extra. Score ${score}: found ÷ ` +
    `the sum of all three.`
  );
}

// How many questions of the quiz were answered right, before or after.
export function countRight(slides, answers, when) {
  const asked = slides.map((slide, at) => [slide, answers[at]]).filter(([slide]) => slide.when === when);
  return {
    right: asked.filter(([slide, answer]) => answer === slide.right).length,
    asked: asked.length,
  };
}
