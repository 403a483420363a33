"""Reads lessons, and computes their numbers. Each is a file, which a teacher can write (lessons/README.md).

A lesson names its texts, and has a formula for each number. If one of its claims is false, it is refused.
So an outdated lesson fails a test.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from errno import ENOENT
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlencode

from pages.session.formulas import MAX_NUMBER, Find, Value, check_formula, evaluate, in_words, learned, weigh
from pages.session.links import pack_state
from pages.session.menu import MENU
from tokenizers import limits
from tokenizers.amounts import bytes_in_words
from tokenizers.encoding import ASSETS, Encoding
from tokenizers.measure import draw_row
from tokenizers.registry import encoding_title
from tokenizers.shipped import damaged, missing
from tokenizers.text import Spans, TextMap, encode_spans, explain_plainly, spell_text, spell_token

FOLDER = ASSETS / "lessons"

MAX_LESSON_BYTES = 64 * limits.KB
MAX_STEPS = 30
MAX_TEXT = 2_000
MAX_WORDS = 1_200
"""The most characters of a sentence or paragraph."""
MAX_CUT_TEXT = 300
"""The most characters of a text to place cuts in: each place is a button, and each cut gets a reason."""
MAX_CHOICES = 6
MAX_ROWS = 12
"""The most rows of a lattice: more would be too small on a wall."""
_MOST = {"title": 80, "steps": MAX_STEPS, "encodings": 4, "counts": 4, "choices": MAX_CHOICES}
"""The most characters or entries of a field; of other fields, ``MAX_WORDS``."""
MAX_CALLS = 200
"""The most function calls in all formulas of a lesson, since each may encode a text."""

KINDS = ("cuts", "choice", "number", "say")
PAGES = ("playground", "merge_trees", "vocabulary", "unicode", "by_hand", "languages", "compression")
"""The pages that a step may link to, by their URLs."""
_TAKE_A_TEXT = ("merge_trees", "by_hand", "unicode")

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z_0-9]*)\}")
"""A formula's name in braces, in a sentence of a lesson."""
_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(/[^\s\"'<>\\]*)?")

T = TypeVar("T")


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
        kind: ``cuts``: place the cuts of a text; ``choice``: choose an answer; ``number``: guess a number on
            a slider; ``say``: read.
        asks: the question, or the words of ``say``.
        reveals: the words that appear with the answer.
        text: the name of the text that the step shows; None: none.
        encodings: the encodings that cut the text in the answer; the learner predicts the first one.
        special: whether the answer takes special tokens in the text as such.
        plain_reasons: whether the reasons for the cuts leave out merges and pieces, for a lesson before
            the one that explains them.
        row: whether the answer shows what followed the text's last token in the two stories (next_token.py).
        counts: the names of texts. The answer shows how many tokens each has in each encoding, as bars.
        lattice: whether the answer shows all tokens of the first encoding, a Unigram, that fit the text.
        merges: the text is shown after so many merges of a byte pair encoding that learns from it alone, and
            in the answer after one more; None: it is shown as it is.
        choices: the answers of a choice.
        figure: the formula for the right number.
        low, high: the ends of a number's slider.
        page: the page that shows the step live, one of ``PAGES``.
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
    slug: str = ""

    @property
    def named_steps(self) -> list[tuple[str, LessonStep]]:
        """All steps and questions, each after its name in a message."""
        steps = [(f"Step {n}", step) for n, step in enumerate(self.steps, 1)]
        questions = [(f"Question {n}", step) for n, step in enumerate(self.quiz, 1)]
        return steps + questions


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
    """Convert a TOML table to one of the classes above, whose fields say what it may contain.

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
    calls = sum(formula.count("(") for formula in formulas) + len(lesson.steps) * 4
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
    if step.kind == "cuts" and (step.text is None or not step.encodings):
        raise ValueError(f"{where} asks for cuts: it needs a text, and encodings.")
    if step.encodings and step.text is None:
        raise ValueError(f"{where} names encodings: it needs a text.")
    if step.kind == "cuts" and len(lesson.texts[step.text or ""]) > MAX_CUT_TEXT:
        raise ValueError(f"{where} has a text of more than {MAX_CUT_TEXT} characters: no cuts can be placed.")
    if step.kind == "choice" and len(step.choices) < 2:
        raise ValueError(f"{where} needs two answers at least.")
    if len({choice.says for choice in step.choices}) < len(step.choices):
        raise ValueError(f"{where} has the same answer twice.")
    if step.kind == "number" and (step.figure is None or step.high <= step.low):
        raise ValueError(f"{where} needs a figure, and a slider whose high is more than its low.")
    for text in step.sentences:
        check_words(text, lesson.figures, where, "name it in [figures], and write its name in braces.")


def check_words(text: str, names: Collection[str], where: str, advice: str) -> None:
    """Refuse a sentence with an unknown name in braces.

    >>> check_words("GPT-4 makes {parts} tokens of it", ["parts"], "Step 1", "")
    >>> check_words("It has {letters} letters", ["parts"], "Step 1", "take another.")
    Traceback (most recent call last):
    ValueError: Step 1: there is no figure {letters} here: take another.
    """
    for name in PLACEHOLDER.findall(text):
        if name not in names:
            raise ValueError(f"{where}: there is no figure {{{name[:40]}}} here: {advice}")


# Computing a lesson


def work_out(lesson: Lesson, find: Find) -> dict[str, Any]:
    """Compute the data that the page draws: each step with its numbers, the answers, and the tokens.

    Args:
        lesson: a result of ``read_lesson``.
        find: returns an encoding by its name.

    Raises:
        ValueError, OSError: an encoding cannot be loaded, or a claim is false; names the claim.
    """
    values: dict[str, Value] = dict(lesson.texts)
    for name, formula in lesson.figures.items():
        values[name] = evaluate(formula, values, find)
    for claim in lesson.claims:
        if evaluate(claim, values, find) is not True:
            raise ValueError(f"{lesson.title}: this no longer holds, so its words would be wrong: {claim}")
    return {
        "slug": lesson.slug,
        "title": lesson.title,
        "question": lesson.question,
        "steps": [_work_out_step(lesson, step, values, find) for step in lesson.steps],
        "quiz": [_work_out_step(lesson, step, values, find) for step in lesson.quiz],
    }


def _fill_in(text: str, values: Mapping[str, Value]) -> str:
    """A sentence with its figures."""
    return PLACEHOLDER.sub(lambda match: in_words(values[match[1]]), text)


def _work_out_step(
    lesson: Lesson, step: LessonStep, values: Mapping[str, Value], find: Find
) -> dict[str, Any]:
    where = f"{lesson.title}: of “{step.asks[:60]}”"
    drawn: dict[str, Any] = {
        "kind": step.kind,
        "asks": _fill_in(step.asks, values),
        "reveals": _fill_in(step.reveals, values),
        "link": _link_to(lesson, step),
        "page": MENU[step.page],
        "sources": [
            {"says": source.says, "address": source.address, "site": source.address.split("/")[2]}
            for source in step.sources
        ],
    }
    if step.text is not None:
        drawn |= _work_out_text(lesson.texts, step.text, step, find)
    if step.kind == "choice":
        drawn |= _work_out_choices(step, values, find, where)
    if step.figure is not None:
        drawn |= _slider(step, evaluate(step.figure, values, find), where)
    return drawn


def _work_out_text(texts: Mapping[str, str], name: str, step: LessonStep, find: Find) -> dict[str, Any]:
    """A step's text, and what the step draws of it: tokens, counts, a lattice, characters, merges."""
    text = texts[name]
    text_map = TextMap(text)
    cells = text_map.cells(0, text_map.n_bytes)
    drawn: dict[str, Any] = {
        "text": _spell_blanks(text),
        "clusters": [text_map.data[start:end].decode("utf-8") for start, end in cells],
        "shows": _encoded(step, text, find),
    }
    if step.counts:
        drawn["counts"] = [_count(find(each), step.counts, texts) for each in step.encodings]
    if step.lattice and step.encodings:
        bars = weigh(text, find(step.encodings[0])).bars()
        drawn["lattice"] = [bar for bar in bars if bar.row < MAX_ROWS]
        drawn["n_fit"] = len(bars)
    if step.row:
        drawn["row"] = draw_row(text)
    if step.merges is not None:
        drawn["stage"] = list(map(spell_token, learned(text, step.merges)))
        drawn["next_stage"] = list(map(spell_token, learned(text, step.merges + 1)))
    return drawn


def _encoded(step: LessonStep, text: str, find: Find) -> list[dict[str, Any]]:
    """The tokens of a step's text in each of its encodings; for cuts, the first ones with reasons."""
    if step.counts and step.kind != "cuts":
        return []
    shows = []
    for number, name in enumerate(step.encodings):
        explain = None
        if step.kind == "cuts" and number == 0:
            explain = explain_plainly if step.plain_reasons else Spans.reason
        spans = encode_spans(find(name), text, allowed_special="all" if step.special else ())
        shows.append(_tokens(spans, explain))
    return shows


def _work_out_choices(
    step: LessonStep, values: Mapping[str, Value], find: Find, where: str
) -> dict[str, Any]:
    """The answers that a step offers, and which of them is right."""
    right = [
        choice.right if choice.when is None else evaluate(choice.when, values, find) is True
        for choice in step.choices
    ]
    if sum(right) != 1:
        raise ValueError(f"{where}, {sum(right)} answers are right, and not one.")
    return {
        "choices": [_fill_in(choice.says, values) for choice in step.choices],
        "right": right.index(True),
        "whys": [_fill_in(choice.why, values) for choice in step.choices],
    }


def _slider(step: LessonStep, value: Value, where: str) -> dict[str, Any]:
    """The right number of a step, and the ends of its slider."""
    if isinstance(value, (bool, str)):
        raise ValueError(f"{where}, the answer is no number: {step.figure}.")
    if not step.low <= value <= step.high:
        raise ValueError(
            f"{where}, the right number is {value}, which is not on the slider: it goes from "
            f"{step.low:,.10g} to {step.high:,.10g}. Let it reach {value}."
        )
    is_whole = all(float(each).is_integer() for each in (value, step.low, step.high))
    return {"value": value, "low": step.low, "high": step.high, "step": 1 if is_whole else 0.1}


def _link_to(lesson: Lesson, step: LessonStep) -> str | None:
    """The URL of the page that shows a step live, with its text; None: the step has no text."""
    text = lesson.texts.get(step.text or "")
    if step.page != "playground":
        parameters = parse_qsl(step.link)
        if text is not None and step.page in _TAKE_A_TEXT:
            parameters.insert(0, ("text", text))
        return f"./{step.page}?{urlencode(parameters)}" if parameters else f"./{step.page}"
    if text is None:
        return None
    view: dict[str, Any] = {
        "text": text,
        "encodings": list(step.encodings) or ["gpt2", "o200k_base"],
    }
    if step.special:
        view["special_as_tokens"] = True
    packed = pack_state(view)
    return f"./?s={packed}" if packed else None


def _count(encoding: Encoding, names: Sequence[str], texts: Mapping[str, str]) -> dict[str, Any]:
    """The numbers of tokens of some texts, each after the text's name."""
    bars = []
    for name in names:
        n_tokens = len(encoding.encode(texts[name]))
        bars.append((name.capitalize(), n_tokens))
    return {"name": encoding_title(encoding.name), "bars": bars}


def _spell_blanks(text: str) -> str:
    """A text, with visible blanks if it begins or ends with blanks.

    >>> _spell_blanks("two words"), _spell_blanks("  x"), _spell_blanks("\\tx")
    ('two words', '··x', '→x')
    """
    if text.strip(" \t") == text:
        return text
    return "\n".join(map(spell_text, text.split("\n")))


def _tokens(spans: Spans, explain: Callable[[Spans, int], str] | None) -> dict[str, Any]:
    """The tokens of an encoded text, their cuts, and the reasons for the cuts.

    Returns:
        ``name``: the encoding, with the models that use it; ``tokens``: the
        id, text and bytes of each, and whether it splits a character; ``cuts``: the graphemes with a cut
        before them; ``inside``: the number of cuts within graphemes, where nobody can place one; ``why``: the
        reasons for each cut and for each place without one, by grapheme, if ``explain`` says them.
    """
    text_map = spans.text_map
    encoding = spans.encoding
    place_of = {start: place for place, (start, _) in enumerate(text_map.cells(0, text_map.n_bytes))}
    is_cut = (spans.ends > spans.starts) & (spans.starts > 0)
    starts = sorted(set(spans.starts[is_cut].tolist()))
    placed = [start for start in starts if start in place_of]
    tokens = []
    for index, token_id in enumerate(spans.ids.tolist()):
        token_bytes = encoding.token_bytes(token_id)
        says = spans.bytes_of(index) or token_bytes
        is_part = says.decode("utf-8", "ignore").encode() != says
        tokens.append(
            {
                "id": token_id,
                "text": spell_token(says),
                "hex": token_bytes.hex(" "),
                "part": is_part,
            }
        )
    why = {}
    if explain:
        why = {place: explain(spans, start) for start, place in place_of.items() if place}
    return {
        "name": encoding_title(encoding.name),
        "tokens": tokens,
        "cuts": [place_of[start] for start in placed],
        "inside": len(starts) - len(placed),
        "why": why,
    }


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
    if not lessons and not problems:
        problems.append(str(missing(folder, "The folder of lessons", FileNotFoundError(ENOENT, ""))))
    return tuple(lessons), tuple(problems)


def list_lessons(folder: Path = FOLDER) -> tuple[Lesson, ...]:
    """The readable lessons of a folder by file name."""
    return read_lessons(folder)[0]
