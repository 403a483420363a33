"""Reads lessons. Each is a file, which a teacher can write (assets/lessons/README.md).

A lesson names its texts, and has a formula for each number. If one of its claims is false, it is refused.
So an outdated lesson fails a test.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pages.teaching.formulas import MAX_NUMBER, check_formula
from pages.teaching.kinds import KINDS
from pages.teaching.lesson import (
    MAX_CHOICES,
    MAX_STEPS,
    MAX_TEXT,
    MAX_WORDS,
    Choice,
    Citation,
    Lesson,
    LessonStep,
)
from pages.teaching.sentences import check_words
from tokenizers import limits
from tokenizers.amounts import bytes_in_words
from tokenizers.encoding import ASSETS
from tokenizers.shipped import damaged, missing

FOLDER = ASSETS / "lessons"

MAX_LESSON_BYTES = 64 * limits.KB
_MOST = {
    "title": 80,
    "takeaway": 300,
    "notes": 400,
    "steps": MAX_STEPS,
    "encodings": 4,
    "counts": 4,
    "choices": MAX_CHOICES,
}
"""The most characters or entries of a field; of other fields, ``MAX_WORDS``."""
MAX_CALLS = 200
"""The most function calls in all formulas of a lesson, since each may encode a text."""

PAGES = ("playground", "merge_trees", "vocabulary", "unicode", "by_hand", "languages", "compression")
"""The pages that a step may link to, by their URLs."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(/[^\s\"'<>\\]*)?")

_NAME_IT = "name it in [figures], and write its name in braces."

T = TypeVar("T")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) and len(each) <= MAX_TEXT for each in value)


def _are_named_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_NAME.fullmatch, value)) and _are_texts(list(value.values()))


_FORMS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "str": (lambda value: isinstance(value, str), "in quotes"),
    "float": (lambda value: type(value) in (int, float) and abs(value) <= MAX_NUMBER, "a number"),
    "bool": (lambda value: isinstance(value, bool), "true or false"),
    "tuple[str, ...]": (_are_texts, "a list of texts in quotes"),
    "Mapping[str, str]": (
        _are_named_texts,
        f"a table, with a name of letters and up to {MAX_TEXT:,} characters in quotes on each line",
    ),
}
"""The check of a value, and a description of valid ones, by the type of its field; others are lists."""
_LIST = (lambda value: isinstance(value, list), "a list of tables")
_TABLES: Mapping[str, type[Any]] = {
    f"tuple[{kind.__name__}, ...]": kind for kind in (Citation, Choice, LessonStep)
}
"""The class of the tables in a list, by the type of its field."""


def _read_table(kind: type[T], table: Any, where: str, *, unfinished: bool = False) -> T:
    """Convert a TOML table to a class of lesson.py, whose fields say what it may contain.

    Args:
        kind: the class.
        table: the TOML table.
        where: its place in the lesson, for a message.
        unfinished: whether texts may be empty.

    Raises:
        ValueError: with a sentence for the lesson's author.
    """
    if not isinstance(table, dict):
        raise ValueError(f"{where} has to be a table, with a name and a value on each line.")
    known: dict[str, Any] = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if odd := table.keys() - known.keys():
        raise ValueError(f"{where} has {min(odd)[:40]!r}, which means nothing here.")
    values: dict[str, Any] = {}
    for name, field in known.items():
        if name in table or field.default is dataclasses.MISSING:
            values[name] = _read_value(field, table.get(name), where, unfinished=unfinished)
    return kind(**values)


def _read_value(field: dataclasses.Field[Any], value: Any, where: str, *, unfinished: bool) -> Any:
    """Convert a value of a TOML table for a field of a class."""
    name = field.name
    type_name = str(field.type)
    fits, description = _FORMS.get(type_name.removesuffix(" | None"), _LIST)
    is_blank = isinstance(value, str) and not value.strip()
    if not fits(value) or (is_blank and not unfinished):
        raise ValueError(f"{where} needs {name}, {description}.")
    most = _MOST.get(name, MAX_WORDS)
    if isinstance(value, (str, list)) and len(value) > most:
        raise ValueError(f"{where}: {name} has {len(value):,}, and up to {most:,} fit.")
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, list):
        return value
    kind = _TABLES.get(type_name)
    if kind is None:
        return tuple(value)
    entries = []
    for number, table in enumerate(value, 1):
        place = f"{where}, {name.removesuffix('s')} {number}"
        entries.append(_read_table(kind, table, place, unfinished=unfinished))
    return tuple(entries)


def read_lesson(data: bytes, slug: str, *, unfinished: bool = False) -> Lesson:
    """Read and check a lesson's file.

    Args:
        data: the file's bytes.
        slug: the lesson's name in a URL.
        unfinished: whether questions and answers may be missing. ``work_out`` does not accept such a lesson.

    Raises:
        ValueError: it is not a valid lesson; says where and why.

    >>> lesson = read_lesson(b'''
    ... title = "A word"
    ... question = "Is a word one token?"
    ... minutes = 1
    ... claims = ["whole == 1"]
    ... [texts]
    ... word = "hello"
    ... [figures]
    ... whole = "tokens(word, 'gpt2')"
    ... [[step]]
    ... kind = "cuts"
    ... asks = "Where does gpt2 cut it?"
    ... text = "word"
    ... encodings = ["gpt2"]
    ... reveals = "Nowhere: it is {whole} token."
    ... ''', "word")
    >>> lesson.title, [step.kind for step in lesson.steps]
    ('A word', ['cuts'])
    """
    content = {"texts": {}, "figures": {}, **_read_toml(data)}
    content["steps"] = content.pop("step", [])
    if not content["steps"]:
        raise ValueError("The lesson has no [[step]].")
    lesson = _read_table(Lesson, content, "The lesson", unfinished=unfinished)
    lesson = dataclasses.replace(lesson, slug=slug, minutes=max(1, int(lesson.minutes)))
    _check_formulas(lesson)
    for where, step in lesson.named_steps:
        _check_step(lesson, step, where, unfinished)
    check_words(lesson.takeaway, lesson.figures, "takeaway", _NAME_IT)
    if any(question.kind != "choice" for question in lesson.quiz):
        raise ValueError("A [[quiz]] has to be a choice.")
    return lesson


def _read_toml(data: bytes) -> dict[str, Any]:
    if len(data) > MAX_LESSON_BYTES:
        raise ValueError(
            f"A lesson has up to {bytes_in_words(MAX_LESSON_BYTES)}; this has {bytes_in_words(len(data))}."
        )
    try:
        return tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError("A lesson is a text in UTF-8, and this is none.") from None
    except (ValueError, RecursionError) as problem:  # a number may be too long, or brackets too deep
        raise ValueError(f"The lesson cannot be read. {problem}.") from None


def _check_formulas(lesson: Lesson) -> None:
    names = list(lesson.texts)
    for name, formula in lesson.figures.items():
        if name in names:
            raise ValueError("A text and a figure have the same name: give one of them another.")
        check_formula(formula, names, f"[figures] {name}")
        names.append(name)
    used = [("claims", claim) for claim in lesson.claims]
    for where, step in lesson.named_steps:
        used += [(where, formula) for formula in step.formulas]
    for where, formula in used:
        check_formula(formula, names, where)
    formulas = [*lesson.figures.values(), *(formula for _, formula in used)]
    calls = sum(formula.count("(") for formula in formulas)
    if calls > MAX_CALLS:
        raise ValueError(f"The lesson’s formulas have {calls} functions together, and {MAX_CALLS} fit.")


def _check_step(lesson: Lesson, step: LessonStep, where: str, unfinished: bool) -> None:
    """Refuse a step that names what does not exist, or is not finished."""
    if step.kind not in KINDS:
        raise ValueError(f"{where}: its kind is one of {', '.join(KINDS)}, and not {step.kind[:40]!r}.")
    if step.page not in PAGES:
        raise ValueError(f"{where}: its page is one of {', '.join(PAGES)}, and not {step.page[:40]!r}.")
    if not all(_ADDRESS.fullmatch(source.address) for source in step.sources):
        raise ValueError(f"{where}, a source: its address begins with https:// and a site’s name.")
    for name in (step.text, *step.counts):
        if name is not None and name not in lesson.texts:
            raise ValueError(f"{where} shows the text {name[:40]!r}, which is not in [texts].")
    if unfinished:
        return
    KINDS[step.kind].check(lesson, step, where)
    if step.encodings and step.text is None:
        raise ValueError(f"{where} names encodings: it needs a text.")
    if len({choice.says for choice in step.choices}) < len(step.choices):
        raise ValueError(f"{where} has the same answer twice.")
    for text in step.sentences:
        check_words(text, lesson.figures, where, _NAME_IT)


# The lessons that come with the app


@functools.cache  # errors are not cached
def _read_file(path: Path) -> Lesson:
    return read_lesson(path.read_bytes(), path.stem.partition("-")[2] or path.stem)


def read_lessons(folder: Path = FOLDER) -> tuple[tuple[Lesson, ...], tuple[str, ...]]:
    """The lessons of a folder by file name, and a sentence for each damaged file.

    >>> lessons, problems = read_lessons()
    >>> lessons[0].slug, problems
    ('token', ())
    """
    lessons = []
    problems = []
    for path in sorted(folder.glob("*.toml")):
        try:
            lessons.append(_read_file(path))
        except OSError as problem:
            problems.append(str(missing(path, "The lesson’s file", problem)))
        except ValueError as problem:
            problems.append(str(damaged(path, "The lesson’s file", str(problem))))
    return tuple(lessons), tuple(problems)


def list_lessons(folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """The readable lessons of a folder by file name."""
    return read_lessons(folder)[0]
