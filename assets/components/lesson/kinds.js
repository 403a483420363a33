// The kinds of steps, by the name that a slide has as its kind (CLASS_KINDS in pages/teaching/kinds/).
// Lessons, phones and the wall look them up here.
// To add one: a module in kinds/, an entry in KINDS, and a line in assets/classroom/page.html, so that phones
// fetch it at once.

import { choice } from "./kinds/choice.js";
import { cuts } from "./kinds/cuts.js";
import { next } from "./kinds/next.js";
import { number } from "./kinds/number.js";
import { part } from "./kinds/part.js";
import { say } from "./kinds/say.js";
import { typed } from "./kinds/typed.js";

/**
 * A person's answer: the places of cuts in order, the place of a choice, a number, or a typed text, which
 * comes back from the server with its tokens.
 * @typedef {number[] | number | string | Typed} Answer
 */

/**
 * @typedef {object} Typed
 * @property {string} text
 * @property {{id: number, text: string, hex: string, part: boolean}[]} tokens
 * @property {number} n_letters
 */

/**
 * A step as Python's lessons work it out; on a phone and the wall, without the right answer until it is
 * revealed. Which other fields it has depends on its kind and on what it shows.
 * @typedef {object} Slide
 * @property {string} kind a key of KINDS; in a lesson also "title" and "end"
 * @property {"before" | "lesson" | "after"} when whether it is of the quiz before or after the lesson
 * @property {string} asks
 * @property {string} reveals what is said with the answer
 * @property {string} text what it speaks of
 * @property {string[]} clusters the text's graphemes
 * @property {[Shown, ...Shown[]]} shows the text's tokens in some encodings
 * @property {string[]} stage the tokens that merges have made of the text so far
 * @property {string[]} next_stage the same after one merge more
 * @property {string[]} choices
 * @property {number} right the place of the right choice
 * @property {string[]} whys what is wrong with each choice
 * @property {number} low the slider's ends and step
 * @property {number} high
 * @property {number} step
 * @property {number} value the right number
 * @property {string} question of a part of a class: what it answers
 * @property {number} most the most characters of a typed text
 * @property {string} model whose tokens they are
 * @property {number[]} shares how likely each choice is, 0 to 1, for the model that guesses the next token
 */

/**
 * @typedef {object} Shown
 * @property {string} name the encoding
 * @property {{id: number, text: string, hex: string, part: boolean}[]} tokens
 * @property {number[]} cuts the graphemes with a cut before them
 * @property {number} inside how many cuts are within graphemes
 * @property {Record<number, string>} [why] the reasons for cuts in plain words, by grapheme
 * @property {Record<number, string>} [more] the exact ones, where they are others
 * @property {import("./merges.js").Piece[]} [pieces] what merges made of the text
 * @property {Record<number, number[]>} [near] the pieces at each place, by grapheme
 */

/**
 * What a class answered, from a kind's picture in pages/teaching/kinds/.
 * @typedef {object} Picture
 * @property {number} n how many have answered
 * @property {number[]} counts how often each place was chosen
 * @property {number[]} guesses in order
 * @property {{place: number, says: string}} wrong the most frequent wrong place, and what to say of it
 * @property {Typed[]} typed the texts that were typed
 * @property {number[]} [most] the places of the texts with the most tokens; so are fewest, most_for_letters
 * @property {number[]} numbers by which the teacher can hide them
 * @property {number} n_hidden
 * @property {boolean} is_closed whether no more texts are taken
 * @property {number} winner the place of the token with the most votes
 */

/**
 * What to do, in words.
 * @typedef {object} HowTo
 * @property {string} phone
 * @property {string} [lesson]
 * @property {string} [byKeyboard] in a lesson, with a keyboard, which phones do not have
 */

/**
 * What a kind does with its slides. A kind that asks nothing has no howTo, score and explain.
 * @typedef {object} Kind
 * @property {boolean} asks whether it is a question
 * @property {boolean} [isLive] whether the wall shows the answers as they come
 * @property {boolean} [hasVotes] whether the answers are votes, which are shown together with the truth
 * @property {boolean} [holdsText] whether draw and drawPicture show the slide's text themselves
 * @property {HowTo} [howTo]
 * @property {(slide: Slide, answer: Answer | undefined, isRevealed: boolean,
 *   change: (answer: Answer | undefined) => void) => HTMLElement[]} draw what the answer is made with; once
 *   revealed, what was right. change hears each change; undefined: there is no answer any more
 * @property {(slide: Slide, answer: Answer) => number} [score] 0 to 1, as its kind in Python has it
 * @property {(slide: Slide, answer: Answer) => string} [explain] the score, and the rule that gives it
 * @property {(slide: Slide, answer: Answer | undefined) => HTMLElement[]} [drawReasons] why it is so
 * @property {(slide: Slide) => string} [remarkOnTokens] what is to say about the first encoding's tokens; ""
 * @property {(slide: Slide, answer: Typed) => HTMLElement[]} [drawOwn] what a phone draws of an
 *   answer that was sent
 * @property {(slide: Slide, picture: Picture, act: (deed: string, more?: object) => void) => Element[]}
 *   drawPicture what the class answered. act: what the teacher can do with it
 * @property {(box: HTMLElement, slide: Slide, picture: Picture,
 *   act: (deed: string, more?: object) => void) => void} [refill] draws a picture that has changed
 */

/** @type {Record<string, Kind>} */
const KINDS = { cuts, choice, next, number, part, say, typed };

/**
 * Undefined for a lesson's first and last slide, which are no steps.
 * @param {Slide} slide
 */
export const kindOf = (slide) => KINDS[slide.kind];

// Whether a slide is a question.
export const asks = (slide) => kindOf(slide)?.asks ?? false;
