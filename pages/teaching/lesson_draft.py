"""A lesson in the fields of a form: writes it as a lesson's file, and reads it from one.

A form can express less than a file. In its sentences, ``{tokens}``, ``{characters}`` and ``{bytes}`` are
the numbers of the step's text. The file defines each of them in ``[figures]``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pages.teaching.lesson import MAX_CHOICES, Lesson, LessonStep
from pages.teaching.lesson_files import read_lesson
from pages.teaching.sentences import PLACEHOLDER, check_words

LABELS = {
    "cuts": "Place the cuts of a text",
    "number": "Guess how many tokens",
    "choice": "Choose an answer",
    "say": "Read",
}
"""The kinds of steps, and their labels in the form."""

FIGURES: Mapping[str, Callable[[str, str], str]] = {
    "tokens": lambda text, encoding: f"tokens({text}, {encoding!r})",
    "characters": lambda text, encoding: f"characters({text})",
    "bytes": lambda text, encoding: f"bytes({text})",
}
"""The names in braces; each makes its formula from the names of a text and an encoding."""

_ADVICE = "write {tokens}, {characters} or {bytes} for those of the step’s text and its first tokenizer."

MOST_TOKENS = 4_000
"""The greatest end of a guess's slider."""
USUAL_TOKENS = 20
"""The default end of a guess's slider."""


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A step in the form.

    Attributes:
        kind: one of ``LABELS``.
        asks: the question, or the words of ``say``.
        note: the words after the answer; empty for ``say``.
        text: the text that the step shows; empty: none.
        encodings: the encodings that cut the text; the learner predicts the first one.
        choices: the answers of a choice.
        right: the index of the right answer.
        high: the end of a number's slider.
    """

    kind: str
    asks: str
    note: str = ""
    text: str = ""
    encodings: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    right: int = 0
    high: int = USUAL_TOKENS

    @property
    def sentences(self) -> dict[str, str]:
        """All sentences of the step, by their labels in the form."""
        answers = {f"answer {number}": choice for number, choice in enumerate(self.choices, 1)}
        return {"question": self.asks, "note": self.note, **answers}


@dataclass(frozen=True, slots=True)
class LessonDraft:
    """A lesson in the form: title, question, minutes and steps."""

    title: str
    question: str
    minutes: int
    steps: tuple[StepDraft, ...]


EXAMPLE = LessonDraft(
    "My lesson",
    "How is my name cut?",
    2,
    (
        StepDraft(
            "cuts",
            "Where does GPT-4 cut my name?",
            "It takes {tokens} tokens.",
            "Wilhelmina",
            ("cl100k_base", "gpt2"),
        ),
    ),
)


def check_draft(draft: LessonDraft) -> None:
    """Refuse an invalid draft in the form's own terms, before ``read_lesson`` does in the file's.

    Raises:
        ValueError: a field is empty, or has an unknown name in braces; names the field.

    >>> check_draft(EXAMPLE)
    >>> check_draft(LessonDraft("A", "B?", 1, (StepDraft("say", "It has {letters} letters."),)))
    Traceback (most recent call last):
    ValueError: Step 1, question: there is no figure {letters} here: write {tokens}, ...
    """
    if not draft.title or not draft.question:
        raise ValueError("The lesson needs a title, and the question that it answers.")
    for number, step in enumerate(draft.steps, 1):
        if not step.asks:
            raise ValueError(f"Step {number} has nothing to ask or to say.")
        if step.kind in ("cuts", "number") and not (step.text and step.encodings):
            raise ValueError(f"Step {number} needs a text, and a tokenizer that cuts it.")
        there = [name for name in FIGURES if step.text and (name != "tokens" or step.encodings)]
        for name, sentence in step.sentences.items():
            check_words(sentence, there, f"Step {number}, {name}", _ADVICE)


def write_draft(draft: LessonDraft) -> str:
    """Write a draft as a lesson's file. ``read_lesson`` accepts it if ``check_draft`` does.

    >>> print(write_draft(LessonDraft("A word", "Is it one token?", 1, (EXAMPLE.steps[0],))))
    title = "A word"
    question = "Is it one token?"
    minutes = 1
    <BLANKLINE>
    [texts]
    text_1 = "Wilhelmina"
    <BLANKLINE>
    [figures]
    tokens_1 = "tokens(text_1, 'cl100k_base')"
    <BLANKLINE>
    [[step]]
    kind = "cuts"
    asks = "Where does GPT-4 cut my name?"
    text = "text_1"
    encodings = ["cl100k_base", "gpt2"]
    reveals = "It takes {tokens_1} tokens."
    <BLANKLINE>
    """
    texts = []
    formulas = []
    steps = []
    for number, step in enumerate(draft.steps, 1):
        used = {name for sentence in step.sentences.values() for name in PLACEHOLDER.findall(sentence)}
        if step.kind == "number":
            used.add("tokens")
        text = f"text_{number}"
        encoding = (step.encodings or ("",))[0]
        if step.text:
            texts.append(f"{text} = {_quote(step.text)}")
            formulas += [
                f"{name}_{number} = {_quote(formula(text, encoding))}"
                for name, formula in FIGURES.items()
                if name in used
            ]
        steps += ["", "[[step]]", *_write_step(step, number, text)]
    head = [f"title = {_quote(draft.title)}", f"question = {_quote(draft.question)}"]
    head.append(f"minutes = {draft.minutes}")
    tables = [["", f"[{name}]", *lines] for name, lines in (("texts", texts), ("figures", formulas)) if lines]
    return "\n".join([*head, *(line for table in tables for line in table), *steps]) + "\n"


def _write_step(step: StepDraft, number: int, text: str) -> list[str]:
    def say(sentence: str) -> str:
        def name(place: re.Match[str]) -> str:
            return f"{{{place[1]}_{number}}}" if place[1] in FIGURES and step.text else place[0]

        return _quote(PLACEHOLDER.sub(name, sentence))

    lines = [f'kind = "{step.kind}"', f"asks = {say(step.asks)}"]
    if step.text:
        lines.append(f'text = "{text}"')
    if step.encodings:
        lines.append(f"encodings = [{', '.join(_quote(name) for name in step.encodings)}]")
    if step.choices:
        lines.append("choices = [")
        for place, choice in enumerate(step.choices):
            lines.append(f"  {{ says = {say(choice)}{', right = true' if place == step.right else ''} }},")
        lines.append("]")
    if step.kind == "number":
        lines += [f'figure = "tokens_{number}"'] if step.text else []
        lines += ["low = 1", f"high = {step.high}"]
    if step.note:
        lines.append(f"reveals = {say(step.note)}")
    return lines


def _quote(text: str) -> str:
    """A text in quotes for TOML: as in JSON, except for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_draft(lesson: Lesson) -> LessonDraft:
    """Convert a lesson into a draft, if its texts and formulas have the names that ``write_draft`` gives.

    Args:
        lesson: a result of ``read_lesson``; it may be unfinished.

    Raises:
        ValueError: it contains more than the form can express.

    >>> read_draft(read_lesson(write_draft(EXAMPLE).encode(), "own")) == EXAMPLE
    True
    """
    steps = tuple(_read_step(lesson, step, number) for number, step in enumerate(lesson.steps, 1))
    draft = LessonDraft(lesson.title, lesson.question, int(lesson.minutes), steps)
    if read_lesson(write_draft(draft).encode(), lesson.slug, unfinished=True) != lesson:
        raise ValueError(
            "It has more than the fields can hold, such as claims, sources, other pages or other formulas."
        )
    return draft


def _read_step(lesson: Lesson, step: LessonStep, number: int) -> StepDraft:
    def say(sentence: str) -> str:
        return PLACEHOLDER.sub(lambda place: f"{{{place[1].removesuffix(f'_{number}')}}}", sentence)

    right = [choice.right for choice in step.choices]
    return StepDraft(
        step.kind,
        say(step.asks),
        say(step.reveals) if step.kind != "say" else "",
        lesson.texts[step.text] if step.text is not None else "",
        step.encodings,
        tuple(say(choice.says.replace("\n", " ")) for choice in step.choices),
        right.index(True) if True in right else len(right) % MAX_CHOICES,
        min(max(int(step.high), 2), MOST_TOKENS) if step.kind == "number" else USUAL_TOKENS,
    )
