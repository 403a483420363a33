"""Lessons: predict, reveal, say. Each is a file that a teacher can read and write (assets/lessons/README.md).

No figure is typed into a lesson. It names its texts, and says how each figure comes of them; what it says in
words must hold for the figures, or it is refused. So a lesson cannot go stale without a test that fails.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from errno import ENOENT
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from pages.session.figures import Formulas, check_formula
from pages.session.links import pack_state
from tokenizers import limits
from tokenizers.amounts import bytes_in_words
from tokenizers.encoding import ASSETS, Encoding
from tokenizers.registry import find_entry
from tokenizers.shipped import damaged, missing
from tokenizers.text import TextMap, encode_spans, spell_text, spell_token

FOLDER = ASSETS / "lessons"

MAX_BYTES = 64 * limits.KB
MAX_STEPS = 30
MAX_TEXT = 2_000
MAX_CUT_TEXT = 300
"""Characters of a text whose cuts are placed: each place is a button, and each cut gets a reason."""
MAX_CHOICES = 6
MAX_SOURCES = 4
PAGES = {
    "playground": "Explore · Playground",
    "merge_trees": "Explore · Merge trees",
    "vocabulary": "Explore · Vocabulary",
    "unicode": "Explore · Unicode",
    "by_hand": "Grow · By hand",
    "languages": "Measure · Languages",
    "compression": "Measure · Compression",
}
"""The pages that a step may send a reader to, by address, with what the menu calls them."""
_TAKE_A_TEXT = ("merge_trees", "by_hand", "unicode")

MAX_CALLS = 200
"""Functions in all formulas of a lesson together: each may have to encode a text."""

_SHORT = 40  # characters of the note beside an encoding's name

MAX_WORDS = 1_200
"""Characters of anything that a lesson says at a time."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
PLACE = re.compile(r"\{([A-Za-z_][A-Za-z_0-9]*)\}")
"""In what a lesson says: the place of a figure, by its name."""

# The beginning of a number; not the digits of names such as GPT-4 and gpt2.
_DIGIT = re.compile(r"(?<!\w)(?<![^\W\d_]-)(?<!\d\.)\d")

Find = Callable[[str], Encoding]
"""Gives an encoding by its name; a ValueError says that there is none."""


_ADDRESS = re.compile(r"https://[A-Za-z0-9.-]+(/[^\s\"'<>\\]*)?")


@dataclass(frozen=True, slots=True)
class Source:
    """Where a claim is from that no encoding can show: who says it, and where, an https address."""

    says: str
    address: str


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer to choose: what it says, and when it is right (a formula, or None: as ``right`` says)."""

    says: str
    when: str | None
    right: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    Attributes:
        kind: ``cuts``: place the cuts of a text; ``choice``: choose an answer; ``number``: guess a number on
            a slider; ``say``: two sentences alone.
        asks: the question, or what is said.
        reveals: what is said once the answer is there.
        text: the name of the text that is shown; None: none is.
        encodings: in which it is shown when it is revealed; the first one is predicted.
        page: the live page that shows it, one of ``PAGES``.
        sources: of what is revealed.
        choices: of a choice.
        formula: of a number: it gives the right one. In a file: ``figure``.
        low, high: of a number: the ends of the slider.
    """

    kind: str
    asks: str
    reveals: str = ""
    text: str | None = None
    encodings: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    formula: str | None = None
    low: float = 0
    high: float = 0
    page: str = "playground"
    sources: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson, checked but not worked out: no encoding was loaded for it.

    Attributes:
        slug: its name in an address.
        title: what people call it.
        question: what it answers, in plain words.
        minutes: how long it takes.
        texts: by name.
        formulas: by name, of the figures that its sentences name in braces. In a file: ``[figures]``.
        claims: formulas that must hold, or its words would be wrong.
        steps: in order.
        quiz: the questions that are asked before and after.
    """

    slug: str
    title: str
    question: str
    minutes: int
    texts: Mapping[str, str]
    formulas: Mapping[str, str]
    claims: tuple[str, ...]
    steps: tuple[Step, ...]
    quiz: tuple[Step, ...] = field(default=())


class _Reader:
    """Reads a table of TOML, and says what is wrong with it in the teacher's terms."""

    def __init__(self, table: Any, where: str, *, unfinished: bool = False) -> None:
        if not isinstance(table, dict):
            raise ValueError(f"{where} has to be a table, with a name and a value on each line.")
        self.table, self.where, self.known = table, where, set[str]()
        self.unfinished = unfinished  # whether texts may be empty

    def text(self, name: str, default: str | None = None, most: int = MAX_WORDS) -> str:
        self.known.add(name)
        value = self.table.get(name, default)
        if not isinstance(value, str) or (default is None and not value.strip() and not self.unfinished):
            raise ValueError(f"{self.where} needs {name}, in quotes.")
        if len(value) > most:
            raise ValueError(f"{self.where}: {name} has {len(value):,} characters, and {most:,} fit.")
        return value.strip() if name != "text" else value

    def optional(self, name: str) -> str | None:
        return self.text(name) if name in self.table else None

    def number(self, name: str, low: float, high: float) -> float:
        self.known.add(name)
        value = self.table.get(name)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not low <= value <= high:
            raise ValueError(f"{self.where} needs {name}, a number from {low:,.10g} to {high:,.10g}.")
        return value

    def names(self, name: str, most: int = 4) -> tuple[str, ...]:
        self.known.add(name)
        values = self.table.get(name, [])
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise ValueError(f"{self.where}: {name} has to be a list of names in quotes.")
        if len(values) > most:
            raise ValueError(f"{self.where}: {name} has {len(values)} names, and {most} fit.")
        return tuple(values)

    def tables(self, name: str, most: int) -> list[Any]:
        self.known.add(name)
        values = self.table.get(name, [])
        if not isinstance(values, list) or len(values) > most:
            raise ValueError(f"{self.where}: {name} has to be a list of up to {most} tables.")
        return values

    def mapping(self, name: str, most: int = 60) -> dict[str, str]:
        self.known.add(name)
        table = self.table.get(name, {})
        if not isinstance(table, dict) or len(table) > most:
            raise ValueError(f"{self.where}: [{name}] has to be a table of up to {most} lines.")
        for key, value in table.items():
            if not _NAME.fullmatch(key) or not isinstance(value, str) or len(value) > MAX_TEXT:
                raise ValueError(
                    f"[{name}] {key[:40]}: a name of letters, and up to {MAX_TEXT:,} characters in quotes."
                )
        return dict(table)

    def done(self) -> None:
        odd = [name for name in self.table if name not in self.known]
        if odd:
            raise ValueError(f"{self.where} has {odd[0][:40]!r}, which means nothing here.")


def read_lesson(data: bytes, slug: str, *, unfinished: bool = False) -> Lesson:
    """A lesson from its file.

    Args:
        data: the file.
        slug: the lesson's name in an address.
        unfinished: whether it is still being written: questions and answers may be missing, and what is
            said is not looked at. Such a lesson cannot be worked out.

    Raises:
        ValueError: it is no lesson; says where and why.

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
    if len(data) > MAX_BYTES:
        raise ValueError(
            f"A lesson has up to {bytes_in_words(MAX_BYTES)}; this has {bytes_in_words(len(data))}."
        )
    try:
        content = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise ValueError("A lesson is a text in UTF-8, and this is none.") from None
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(_say_where(str(problem), data.decode())) from None
    except (ValueError, RecursionError):
        raise ValueError(
            "The lesson cannot be read: a number in it is too long, or its brackets are too deep."
        ) from None
    reader = _Reader(content, "The lesson", unfinished=unfinished)
    texts, formulas = reader.mapping("texts"), reader.mapping("figures")
    known = {*texts, *formulas}
    if len(known) < len(texts) + len(formulas):
        raise ValueError("A text and a figure have the same name: give one of them another.")
    for number, (name, formula) in enumerate(formulas.items()):
        check_formula(formula, texts, list(formulas)[:number], f"[figures] {name}")
    claims = reader.names("claims", 40)
    for claim in claims:
        check_formula(claim, texts, formulas, "claims")
    steps = [
        _read_step(table, f"Step {n}", texts, formulas, unfinished=unfinished)
        for n, table in enumerate(reader.tables("step", MAX_STEPS), 1)
    ]
    quiz = [
        _read_step(table, f"Question {n}", texts, formulas)
        for n, table in enumerate(reader.tables("quiz", 5), 1)
    ]
    if not steps:
        raise ValueError("The lesson has no [[step]].")
    if any(question.kind != "choice" for question in quiz):
        raise ValueError("A [[quiz]] has to be a choice.")
    lesson = Lesson(
        slug,
        reader.text("title", most=80),
        reader.text("question", most=200),
        int(reader.number("minutes", 1, 60)),
        texts,
        formulas,
        claims,
        tuple(steps),
        tuple(quiz),
    )
    reader.done()
    all_formulas = [*formulas.values(), *claims]
    all_formulas += [choice.when or "" for step in (*steps, *quiz) for choice in step.choices]
    all_formulas += [step.formula or "" for step in steps]
    calls = sum(formula.count("(") for formula in all_formulas) + len(steps) * 4
    if calls > MAX_CALLS:
        raise ValueError(f"The lesson’s formulas have {calls} functions together, and {MAX_CALLS} fit.")
    return lesson


def _say_where(problem: str, text: str) -> str:
    """What tomllib found wrong in a lesson, in words for somebody who writes one."""
    place = re.search(r"\(at line (\d+),", problem)
    if place is None:
        return "The lesson is not whole at its end: a value is missing, or a quote or bracket is not closed."
    line = text.split("\n")[int(place[1]) - 1].strip()
    line = line[:80] + "…" * (len(line) > 80)
    if any(word in problem for word in ("overwrite", "twice", "Duplicate")):
        return f"Line {place[1]} gives the same name a second time: “{line}”. Take one of the two away."
    return f'Line {place[1]} cannot be read: “{line}”. Text is written in quotes, as in title = "My lesson".'


def _read_step(
    table: Any,
    where: str,
    texts: Mapping[str, str],
    formulas: Mapping[str, str],
    *,
    unfinished: bool = False,
) -> Step:
    reader = _Reader(table, where, unfinished=unfinished)
    kind = reader.text("kind")
    if kind not in ("cuts", "choice", "number", "say"):
        raise ValueError(f"{where}: its kind is cuts, choice, number or say, and not {kind[:40]!r}.")
    text = reader.optional("text")
    if text is not None and text not in texts:
        raise ValueError(f"{where} shows the text {text[:40]!r}, which is not in [texts].")
    encodings = reader.names("encodings")
    if kind == "cuts" and (text is None or not encodings) and not unfinished:
        raise ValueError(f"{where} asks for cuts: it needs a text, and encodings.")
    if kind == "cuts" and text is not None and len(texts[text]) > MAX_CUT_TEXT and not unfinished:
        raise ValueError(
            f"{where} asks for the cuts of {len(texts[text]):,} characters, and of up to {MAX_CUT_TEXT} they "
            "can be placed."
        )
    if encodings and text is None and not unfinished:
        raise ValueError(f"{where} names encodings: it needs a text.")
    asks, reveals = reader.text("asks"), reader.text("reveals", "")
    for sentences in () if unfinished else (asks, reveals):
        _check_text(sentences, formulas, where)
    page = reader.text("page", "playground")
    if page not in PAGES:
        raise ValueError(f"{where}: its page is one of {', '.join(PAGES)}, and not {page[:40]!r}.")
    choices, formula, low, high = [], None, 0.0, 0.0
    if kind == "choice":
        for each in reader.tables("choices", MAX_CHOICES):
            choice = _Reader(each, f"{where}, a choice")
            says, when = choice.text("says", most=200), choice.optional("when")
            if not unfinished:
                _check_text(says, formulas, f"{where}, a choice")
            if when is not None:
                check_formula(when, texts, formulas, where)
            right = each.get("right", False)
            choice.known.add("right")
            if not isinstance(right, bool):
                raise ValueError(f"{where}: right is true or false.")
            choice.done()
            choices.append(Choice(says, when, right))
        if len(choices) < 2 and not unfinished:
            raise ValueError(f"{where} needs two choices at least.")
    if kind == "number":
        if "figure" in table or not unfinished:
            formula = reader.text("figure")
            check_formula(formula, texts, formulas, where)
        low, high = reader.number("low", -1e9, 1e9), reader.number("high", -1e9, 1e9)
        if high <= low:
            raise ValueError(f"{where}: high has to be more than low.")
    sources = tuple(_read_source(each, where) for each in reader.tables("sources", MAX_SOURCES))
    reader.done()
    return Step(kind, asks, reveals, text, encodings, tuple(choices), formula, low, high, page, sources)


def _read_source(table: Any, where: str) -> Source:
    reader = _Reader(table, f"{where}, a source")
    source = Source(reader.text("says", most=200), reader.text("address", most=300))
    reader.done()
    if not _ADDRESS.fullmatch(source.address):
        raise ValueError(f"{where}, a source: its address begins with https:// and a site’s name.")
    return source


def find_typed_number(text: str) -> str | None:
    """The text around the first number that is typed in, outside of braces; None: there is none.

    >>> find_typed_number("GPT-4 makes {parts} tokens of it"), find_typed_number("It has 3 tokens")
    (None, 'It has 3 tokens')
    """
    bare = PLACE.sub(" ", text)
    digit = _DIGIT.search(bare)
    return bare[max(0, digit.start() - 20) : digit.end() + 20] if digit else None


def _check_text(text: str, formulas: Mapping[str, str], where: str) -> None:
    for name in PLACE.findall(text):
        if name not in formulas:
            raise ValueError(f"{where} names {{{name[:40]}}}, which is not in [figures].")
    around = find_typed_number(text)
    if around is not None:
        raise ValueError(
            f"{where} holds a number that is typed in, at {around!r}: name it in [figures], and write "
            "its name in braces."
        )


# Working it out


def work_out(lesson: Lesson, find: Find) -> dict[str, Any]:
    """All that the page draws: each step with its figures in place, the answers, and the tokens.

    Args:
        lesson: of ``read_lesson``.
        find: gives an encoding by its name.

    Raises:
        ValueError, OSError: an encoding is not here; or what the lesson says is not so: names the claim.
    """
    formulas = Formulas(lesson.texts, lesson.formulas, find)
    for claim in lesson.claims:
        if formulas.value(claim) is not True:
            raise ValueError(f"{lesson.title}: this no longer holds, so its words would be wrong: {claim}")
    return {
        "slug": lesson.slug,
        "title": lesson.title,
        "question": lesson.question,
        "steps": [_work_out_step(lesson, step, formulas, find) for step in lesson.steps],
        "quiz": [_work_out_step(lesson, step, formulas, find) for step in lesson.quiz],
    }


def _work_out_step(lesson: Lesson, step: Step, formulas: Formulas, find: Find) -> dict[str, Any]:
    def say(text: str) -> str:
        return PLACE.sub(lambda match: formulas.figure(match[1]), text)

    drawn: dict[str, Any] = {"kind": step.kind, "asks": say(step.asks), "reveals": say(step.reveals)}
    if step.text is not None:
        text = lesson.texts[step.text]
        drawn["text"] = _spell_blanks(text)
        drawn["clusters"] = _graphemes(text)
        drawn["shows"] = [
            _tokens(find(name), text, explained=step.kind == "cuts" and number == 0)
            for number, name in enumerate(step.encodings)
        ]
    drawn["link"] = _link_to(lesson, step)
    drawn["page"] = PAGES[step.page]
    drawn["sources"] = [
        {"says": source.says, "address": source.address, "site": source.address.split("/")[2]}
        for source in step.sources
    ]
    if step.kind == "choice":
        right = [
            choice.right if choice.when is None else formulas.value(choice.when) is True
            for choice in step.choices
        ]
        if sum(right) != 1:
            raise ValueError(
                f"{lesson.title}: of “{step.asks[:60]}”, {sum(right)} answers are right, and not one."
            )
        drawn["choices"] = [say(choice.says) for choice in step.choices]
        drawn["right"] = right.index(True)
    if step.formula is not None:
        value = formulas.value(step.formula)
        where = f"{lesson.title}: of “{step.asks[:60]}”"
        if isinstance(value, (bool, str)):
            raise ValueError(f"{where}, the answer is no number: {step.formula}.")
        if not step.low <= value <= step.high:
            raise ValueError(
                f"{where}, the right number is {value}, which is not on the slider: it goes from "
                f"{step.low:,.10g} to {step.high:,.10g}. Let it reach {value}."
            )
        drawn |= {"value": value, "low": step.low, "high": step.high}
        drawn["step"] = 1 if all(float(each).is_integer() for each in (value, step.low, step.high)) else 0.1
    return drawn


def _link_to(lesson: Lesson, step: Step) -> str | None:
    """The address of the live page that shows a step, with its text; None: the step has none to show."""
    text = lesson.texts.get(step.text or "")
    if step.page != "playground":
        takes = {"text": text} if text is not None and step.page in _TAKE_A_TEXT else {}
        return f"./{step.page}" + (f"?{urlencode(takes)}" if takes else "")
    if text is None:
        return None
    packed = pack_state({"text": text, "encodings": list(step.encodings) or ["gpt2", "o200k_base"]})
    return f"./?s={packed}" if packed else None


def _spell_blanks(text: str) -> str:
    """A text as people read it: as it is, but with visible blanks if it begins or ends with them.

    >>> _spell_blanks("two words"), _spell_blanks("  x"), _spell_blanks("\\tx")
    ('two words', '··x', '→x')
    """
    if text.strip(" \t") == text:
        return text
    return "\n".join(map(spell_text, text.split("\n")))


def _graphemes(text: str) -> list[str]:
    """The graphemes of the text, between which cuts are placed."""
    text_map = TextMap(text)
    return [text_map.data[start:end].decode("utf-8") for start, end in text_map.cells(0, text_map.n_bytes)]


def _tokens(encoding: Encoding, text: str, *, explained: bool) -> dict[str, Any]:
    """The tokens of a text: where they are cut, what each says, and why it is cut there.

    Returns:
        name; ``about``: which models use it, if that is known and short; ``tokens``: see ``_token``;
        ``cuts``: the graphemes before which there is a cut; ``inside``: how many cuts are inside a grapheme,
        where nobody can place one; ``why``: of each cut, by the grapheme, if it is to be explained.
    """
    entry = find_entry(encoding.name)
    spans = encode_spans(encoding, text)
    text_map = spans.text_map
    edges = [start for start, _ in text_map.cells(0, text_map.n_bytes)]
    place_of = {edge: place for place, edge in enumerate(edges)}
    starts = sorted(
        {int(start) for start, end in zip(spans.starts, spans.ends, strict=True) if end > start} - {0}
    )
    placed = [start for start in starts if start in place_of]
    return {
        "name": encoding.name,
        "about": entry.about if entry and len(entry.about) <= _SHORT else "",
        "tokens": [
            _token(
                int(token_id),
                spans.bytes_of(index) or encoding.token_bytes(int(token_id)),
                encoding.token_bytes(int(token_id)),
            )
            for index, token_id in enumerate(spans.ids.tolist())
        ],
        "cuts": [place_of[start] for start in placed],
        "inside": len(starts) - len(placed),
        "why": {place_of[start]: encoding.reason(spans, start) or "" for start in placed if explained},
    }


def _token(token_id: int, says: bytes, token_bytes: bytes) -> dict[str, Any]:
    """A token, by its id, what it says here, and its own bytes. ``part``: it holds a part of a character."""
    try:
        says.decode("utf-8")
        part = False
    except UnicodeDecodeError:
        part = True
    return {"id": token_id, "text": spell_token(says), "hex": token_bytes.hex(" "), "part": part}


# Those that come with the app


@functools.cache  # of a file that cannot be read, nothing is kept: once it is restored, it is there again
def _read_file(path: Path) -> Lesson:
    return read_lesson(path.read_bytes(), path.stem.partition("-")[2] or path.stem)


def read_lessons(folder: Path = FOLDER) -> tuple[tuple[Lesson, ...], tuple[str, ...]]:
    """The lessons of a folder, in the order of their files' names; and a sentence for each that is damaged.

    >>> lessons, problems = read_lessons()
    >>> lessons[0].slug, problems
    ('token', ())
    """
    lessons, problems = [], []
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
    """The lessons of a folder that can be read, in the order of their files' names."""
    return read_lessons(folder)[0]
