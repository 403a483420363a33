"""A lesson as the fields of a form have it, written as a lesson's file and read from one.

A form has fewer fields than a file has lines. What a teacher says about figures is written in it as
``{tokens}``, ``{characters}`` and ``{bytes}``, of the text of the same step; the file names each of them in
``[figures]``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pages.session.lessons import MAX_CHOICES, MAX_CUT_TEXT, PLACE, Lesson, Step, find_typed_number

KINDS = {
    "cuts": "Place the cuts of a text",
    "number": "Guess how many tokens",
    "choice": "Choose an answer",
    "say": "Read",
}
"""What people do in a step, and what the form calls it."""

FIGURES: Mapping[str, Callable[[str, str], str]] = {
    "tokens": lambda text, encoding: f"tokens({text}, {encoding!r})",
    "characters": lambda text, encoding: f"characters({text})",
    "bytes": lambda text, encoding: f"bytes({text})",
}
"""What may be in braces, and how its formula is written from the names of a text and an encoding."""

MOST_TOKENS = 4_000
"""To which the slider of a guess can go."""
MAX_ANSWER = 180
"""Characters of an answer: a file has room for the names of figures, too."""
USUAL_TOKENS = 20
"""To which it goes at first."""


@dataclass(frozen=True, slots=True)
class StepDraft:
    """A step in the form.

    Attributes:
        kind: one of ``KINDS``.
        asks: the question, or what is said.
        note: what is said once the answer is there; of ``say``: nothing.
        text: that is shown; empty: none.
        encodings: in which it is shown; the first one is predicted.
        choices: the answers of a choice.
        right: which of them is right, from 0.
        high: of a number: where its slider ends.
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
        """All that is said in it, by what the form calls it."""
        answers = {f"answer {number}": choice for number, choice in enumerate(self.choices, 1)}
        return {"question": self.asks, "note": self.note, **answers}


@dataclass(frozen=True, slots=True)
class LessonDraft:
    """A lesson in the form: its title, the question that it answers, how long it takes, and its steps."""

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
    """Look at what ``read_lesson`` would find too, but would say in the terms of a file.

    Raises:
        ValueError: a step has no question, or says a number or a figure that it has not; says which step.

    >>> check_draft(EXAMPLE)
    >>> check_draft(LessonDraft("A", "B?", 1, (StepDraft("say", "It has {letters} letters."),)))
    Traceback (most recent call last):
    ValueError: Step 1, question: there is no figure {letters}. There are {tokens}, {characters} and {bytes}.
    """
    if not draft.title:
        raise ValueError("The lesson needs a title.")
    if not draft.question:
        raise ValueError("The lesson needs the question that it answers.")
    for number, step in enumerate(draft.steps, 1):
        if not step.asks:
            raise ValueError(f"Step {number} has nothing to ask or to say.")
        if step.kind in ("cuts", "number") and not (step.text and step.encodings):
            raise ValueError(f"Step {number} needs a text, and an encoding that cuts it.")
        if step.kind == "cuts" and len(step.text) > MAX_CUT_TEXT:
            raise ValueError(
                f"Step {number} has a text of {len(step.text):,} characters: to place its cuts, up to "
                f"{MAX_CUT_TEXT} fit."
            )
        if step.encodings and not step.text:
            raise ValueError(f"Step {number} has encodings: it needs a text for them, or none of them.")
        if step.kind == "choice" and len(step.choices) < 2:
            raise ValueError(f"Step {number} needs two answers at least, each in a line of its own.")
        if step.kind == "choice" and step.right >= len(step.choices):
            raise ValueError(f"Step {number} has {len(step.choices)} answers: choose the right one of them.")
        if len(step.choices) > MAX_CHOICES:
            raise ValueError(f"Step {number} has {len(step.choices)} answers, and up to {MAX_CHOICES} fit.")
        if len(set(step.choices)) < len(step.choices):
            raise ValueError(f"Step {number} has the same answer twice.")
        for name, sentence in step.sentences.items():
            if name.startswith("answer") and len(sentence) > MAX_ANSWER:
                raise ValueError(
                    f"Step {number}, {name} has {len(sentence)} characters, and {MAX_ANSWER} fit."
                )
            _check_sentence(sentence, step, f"Step {number}, {name}")


def _check_sentence(sentence: str, step: StepDraft, where: str) -> None:
    for figure in PLACE.findall(sentence):
        if figure not in FIGURES:
            raise ValueError(
                f"{where}: there is no figure {{{figure[:40]}}}. There are {{tokens}}, {{characters}} and "
                "{bytes}."
            )
        if not step.text or (figure == "tokens" and not step.encodings):
            raise ValueError(f"{where}: for {{{figure}}}, the step needs a text, and an encoding.")
    around = find_typed_number(sentence)
    if around is not None:
        raise ValueError(
            f"{where}: a number is typed in, at {around!r}. Write {{tokens}}, {{characters}} or {{bytes}} "
            "for those of the text, and any other in letters."
        )


def write_draft(draft: LessonDraft) -> str:
    """The draft as a lesson's file, which ``read_lesson`` reads if ``check_draft`` finds nothing.

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
    texts, formulas, steps = [], [], []
    for number, step in enumerate(draft.steps, 1):
        used = {name for sentence in step.sentences.values() for name in PLACE.findall(sentence)}
        if step.kind == "number":
            used.add("tokens")
        text, encoding = f"text_{number}", (step.encodings or ("",))[0]
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

        return _quote(PLACE.sub(name, sentence))

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
    """A text as TOML has it in quotes: as in JSON, except for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_draft(lesson: Lesson) -> LessonDraft:
    """A lesson's file as the form has it: what ``write_draft`` wrote, or the like.

    Args:
        lesson: of ``read_lesson``; it may be unfinished.

    Raises:
        ValueError: it has what the form has no field for; says what.

    >>> from pages.session.lessons import read_lesson
    >>> read_draft(read_lesson(write_draft(EXAMPLE).encode(), "own")) == EXAMPLE
    True
    """
    for name, there in {
        "questions before and after it": lesson.quiz,
        "claims": lesson.claims,
    }.items():
        if there:
            raise ValueError(f"It has {name}, for which there are no fields.")
    reader = _DraftReader(lesson)
    steps = tuple(reader.step(step, number) for number, step in enumerate(lesson.steps, 1))
    unused = {*lesson.texts, *lesson.formulas} - reader.used
    if unused:
        raise ValueError(f"It names {min(unused)[:40]}, which no step says or shows: no field has it.")
    return LessonDraft(lesson.title, lesson.question, lesson.minutes, steps)


class _DraftReader:
    """Reads steps, and remembers which names they used."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.used = set[str]()

    def step(self, step: Step, number: int) -> StepDraft:
        where = f"Step {number}"
        for name, there in {
            "sources": step.sources,
            "a page that it leads to": step.page != "playground",
            "words that come after what it says": step.kind == "say" and step.reveals,
            "an answer of several lines": any("\n" in choice.says for choice in step.choices),
            "an answer that is right by a formula": any(choice.when is not None for choice in step.choices),
        }.items():
            if there:
                raise ValueError(f"{where} has {name}, for which there is no field.")
        right = [place for place, choice in enumerate(step.choices) if choice.right]
        if len(right) > 1:
            raise ValueError(f"{where} has {len(right)} right answers, and a field for one.")
        if step.kind == "number" and not (
            (step.text is None if step.formula is None else self._figure(step, step.formula) == "tokens")
            and step.low == 1
            and step.high in range(2, MOST_TOKENS + 1)
        ):
            raise ValueError(f"{where} asks for a number that is not how many tokens its text has.")
        if step.text is not None:
            self.used.add(step.text)

        def say(sentence: str) -> str:
            return PLACE.sub(lambda match: f"{{{self._named(step, match[1], where)}}}", sentence)

        return StepDraft(
            step.kind,
            say(step.asks),
            say(step.reveals),
            self.lesson.texts[step.text] if step.text is not None else "",
            step.encodings,
            tuple(say(choice.says) for choice in step.choices),
            right[0] if right else 0,
            int(step.high) if step.kind == "number" else USUAL_TOKENS,
        )

    def _named(self, step: Step, name: str, where: str) -> str:
        if name not in self.lesson.formulas:
            return name  # still to be written, or a slip
        figure = self._figure(step, name)
        if figure is None:
            raise ValueError(f"{where} says {{{name[:40]}}}, for which there is no field.")
        return figure

    def _figure(self, step: Step, name: str) -> str | None:
        """Which of ``FIGURES`` this formula of a step's text is; None: it is another one."""
        written = re.sub(r"\s+", "", self.lesson.formulas.get(name, "")).replace('"', "'")
        for figure, formula in FIGURES.items():
            wanted = formula(step.text or "", (step.encodings or ("",))[0])
            if written == re.sub(r"\s+", "", wanted).replace('"', "'"):
                self.used.add(name)
                return figure
        return None
