"""A lesson: its texts, its formulas and its steps, without any numbers yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tokenizers.encoding import AllowedSpecial

MAX_STEPS = 30
MAX_TEXT = 2_000
MAX_WORDS = 1_200
"""The most characters of a sentence or paragraph."""
MAX_CHOICES = 6


@dataclass(frozen=True, slots=True)
class Citation:
    """The source of a fact that no encoding can show: who says it, and an https URL."""

    says: str
    address: str


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to choose. It is right if the formula ``when`` is true, or without one, if ``right`` is.

    ``why`` tells those who chose it what is wrong with it.
    """

    says: str
    when: str | None = None
    right: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One step.

    Attributes:
        kind: a key of ``kinds.KINDS``: cuts, choice, number or say.
        asks: the question, or the words of ``say``.
        reveals: the words that appear with the answer.
        text: the name of the text that the step shows; None: none.
        encodings: the encodings that cut the text in the answer; the learner predicts the first one.
        special: whether the answer takes special tokens in the text as such.
        plain_reasons: whether the reasons for the cuts are the plain ones alone, for a lesson before the one
            that explains merges and pieces.
        row: whether the answer shows what followed the text's last token in the two stories (next_token.py).
        counts: the names of texts. The answer shows how many tokens each has in each encoding, as bars.
        lattice: whether the answer shows all tokens of the first encoding, a Unigram, that fit the text.
        merges: the text is shown after so many merges of a byte pair encoding that learns from it alone, and
            in the answer after one more; None: it is shown as it is.
        choices: the answers of a choice.
        figure: the formula for the right number.
        low, high: the ends of a number's slider.
        page: the page that shows the step live, one of ``PAGES`` in lesson_files.py.
        link: what that page shows, as in its URL: ``focus=kor``.
        sources: the sources of ``reveals``.
    """

    kind: str
    asks: str
    reveals: str = ""
    text: str | None = None
    encodings: tuple[str, ...] = ()
    special: bool = False
    plain_reasons: bool = False
    row: bool = False
    counts: tuple[str, ...] = ()
    lattice: bool = False
    merges: float | None = None
    choices: tuple[Choice, ...] = ()
    figure: str | None = None
    low: float = 0
    high: float = 0
    page: str = "playground"
    link: str = ""
    sources: tuple[Citation, ...] = ()

    @property
    def allowed_special(self) -> AllowedSpecial:
        """The special tokens that are tokens in the step's text."""
        return "all" if self.special else ()

    @property
    def formulas(self) -> list[str]:
        """All formulas in it."""
        formulas = [self.figure, *(choice.when for choice in self.choices)]
        return [formula for formula in formulas if formula is not None]

    @property
    def sentences(self) -> list[str]:
        """All sentences in it."""
        sentences = [self.asks, self.reveals]
        for choice in self.choices:
            sentences += [choice.says, choice.why]
        return sentences


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson that was read and checked, without loading any encoding.

    Attributes:
        title: its name in the list.
        question: the question that it answers.
        minutes: how long it takes.
        steps: its steps in order; in the file, ``[[step]]``.
        texts: its texts by name.
        figures: its formulas by name.
        claims: formulas that must be true.
        quiz: questions before and after the lesson.
        takeaway: what to remember of it, in a sentence; empty: nothing is said.
        notes: what a teacher who holds it should know; empty: nothing is said.
        slug: its name in a URL.
    """

    title: str
    question: str
    minutes: float
    steps: tuple[LessonStep, ...]
    texts: Mapping[str, str]
    figures: Mapping[str, str]
    claims: tuple[str, ...] = ()
    quiz: tuple[LessonStep, ...] = ()
    takeaway: str = ""
    notes: str = ""
    slug: str = ""

    @property
    def named_steps(self) -> list[tuple[str, LessonStep]]:
        """All steps and questions, each after its name in a message."""
        steps = [(f"Step {n}", step) for n, step in enumerate(self.steps, 1)]
        questions = [(f"Question {n}", step) for n, step in enumerate(self.quiz, 1)]
        return steps + questions
