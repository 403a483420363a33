"""Corpora: texts from several sources, mixed by weight, to train an encoding on.

A **weight** says how often a source is read. 1 reads it once and 3 three times; 0.25 reads the first
quarter of its bytes, and 2.5 reads it twice and then its first half. A part ends between two characters.
Nothing is random: the same sources and weights always give the same corpus.

What is **held out** is blocks of whole lines, spread over each source by a fixed seed. The training never
sees them, so an encoding can be measured on text of the same kinds that is new to it. (The end of a source
is no fair sample of it: its last files or chapters may be unlike all others.)
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import random
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..encoding import ASSETS
from ..shipped import MissingFileError, reading
from ..utf8 import first_bytes, utf8_length, utf8_of, well_formed
from .udhr import get_language, language_titles

MAX_WEIGHT = 100.0
_MAX_LIBRARY_BYTES = 20_000_000

STORIES = "stories"
DOCS = "docs"
LIBRARY = "library"
LANGUAGE = "udhr:"
"""The keys of bundled sources: two stories in English, Python's documentation, its library, "udhr:" and a
language's code."""

TITLES = {STORIES: "Two stories in English", DOCS: "Python’s documentation", LIBRARY: "Python’s library"}
"""What people call the bundled sources; those of languages have the languages' names."""

_NOT_LIBRARY = {"__pycache__", "idle_test", "lib2to3", "pydoc_data", "site-packages", "test", "tests"}


@dataclass(frozen=True, slots=True)
class Source:
    """Texts of one kind, and how often they are read.

    Attributes:
        title: what people call it.
        texts: no token goes over from one to the next.
        weight: see the module's docstring.
    """

    title: str
    texts: tuple[str, ...]
    weight: float = 1.0


def read_bundled(key: str, weight: float = 1.0) -> Source:
    """The bundled source of that key.

    Raises:
        ValueError: no such source. OSError: its files are not there.

    >>> source = read_bundled("udhr:eng", 2)
    >>> source.title, source.weight, source.texts[0][:36]
    ('English', 2, 'Universal Declaration of Human Right')
    """
    if key in TITLES:
        read = {STORIES: _read_stories, DOCS: _read_docs, LIBRARY: _read_library}[key]
        return Source(TITLES[key], read(), weight)
    if key.startswith(LANGUAGE):
        language = get_language(key.removeprefix(LANGUAGE))
        return Source(language_titles()[language.code], (language.text,), weight)
    raise ValueError(
        f"There is no bundled text {key[:40]!r}. There are: {STORIES}, {DOCS}, {LIBRARY}, {LANGUAGE}eng, …"
    )


@functools.cache
def _read_stories() -> tuple[str, ...]:
    """The stories of assets/stories, the longest first."""
    texts = []
    for path in (ASSETS / "stories").glob("*.txt"):
        with reading(path, "A story in"):
            texts.append(path.read_text("utf-8"))
    if not texts:
        raise MissingFileError(
            "The stories in assets/stories are missing. Leave them out, or restore them from the repository: "
            "git checkout -- assets/stories"
        )
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))


@functools.cache
def _read_docs() -> tuple[str, ...]:
    """The prose behind Python's help(): its language reference, one text for each topic."""
    try:
        from pydoc_data.topics import topics
    except ImportError:
        raise OSError(
            "This Python came without its documentation topics (pydoc_data). Leave them out."
        ) from None
    return tuple(topics[name] for name in sorted(topics))


@functools.cache
def _read_library() -> tuple[str, ...]:
    """The source files of Python's standard library without its tests, by path, up to 20 million bytes."""
    folder = Path(sysconfig.get_path("stdlib"))
    texts: list[str] = []
    total = 0
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).parts):
        if _NOT_LIBRARY.isdisjoint(path.relative_to(folder).parts):
            with contextlib.suppress(OSError):
                data = path.read_bytes()
                total += len(data)
                if total > _MAX_LIBRARY_BYTES:
                    break
                texts.append(data.decode("utf-8", "replace"))
    if not texts:
        raise OSError("This Python came without the source of its library. Leave it out.")
    return tuple(texts)


def count_bytes(texts: Iterable[str]) -> int:
    """Bytes of UTF-8 in all."""
    return sum(map(utf8_length, texts))


def weighed_bytes(length: int, weight: float) -> int:
    """How many bytes ``weigh`` makes of this many, give or take a part of a character.

    >>> weighed_bytes(1000, 2.5)
    2500
    """
    return round(length * weight)


def check_weight(weight: float) -> None:
    """Refuse a weight that is not a number from 0 to ``MAX_WEIGHT``."""
    if not 0 <= weight <= MAX_WEIGHT:
        raise ValueError(
            f"A text can be read 0 to {MAX_WEIGHT:g} times, not {weight:g} times. Choose a number between."
        )


def weigh(texts: Sequence[str], weight: float) -> Iterator[str]:
    """The texts, read ``weight`` times.

    >>> list(weigh(["one", "two!"], 1.5))
    ['one', 'two!', 'one']
    >>> list(weigh(["one", "two!"], 0.75))
    ['one', 'tw']
    """
    for _ in range(int(weight)):
        yield from texts
    part = round(count_bytes(texts) * weight) - count_bytes(texts) * int(weight)
    for text in map(well_formed, texts):
        if part <= 0:
            return
        head = first_bytes(text, part)
        part -= utf8_length(text)
        if head:
            yield head


MAX_BLOCK = 4096
"""Characters of a block that is held out, unless one line is longer."""

_BLOCKS_AT_LEAST = 20  # blocks that are held out of a short source, if it has as many lines
_HOLD_OUT_SEED = 20_250_101


def hold_out(texts: Sequence[str], share: float) -> tuple[list[str], list[str]]:
    """Divide texts into those to learn from and those to measure on; together they have all of the bytes.

    Whole lines from all parts of the texts are held out, the same ones each time: one block of each stretch
    of 1 ÷ ``share`` blocks, chosen by a fixed seed.

    Args:
        texts: of one source. Where a block is taken from the middle of a text, the rest becomes several
            texts, so that no learned token goes over the gap.
        share: of their bytes to hold out, 0 to 0.5. Less is held out where lines are long, never more.

    >>> hold_out(["one\\ntwo\\nsix\\nten\\n"], 0.25)
    (['one\\ntwo\\n', 'ten\\n'], ['six\\n'])
    """
    texts = [well_formed(text) for text in texts]
    room = int(count_bytes(texts) * share)
    size = min(MAX_BLOCK, max(1, int(sum(map(len, texts)) * share) // _BLOCKS_AT_LEAST))
    blocks = [(number, *block) for number, text in enumerate(texts) for block in _blocks(text, size)]
    n_stretches = max(1, round(len(blocks) * share)) if share and len(blocks) > 1 else 0
    chosen: list[list[tuple[int, int]]] = [[] for _ in texts]
    chance = random.Random(_HOLD_OUT_SEED)
    for stretch in range(n_stretches):
        first, after = (end * len(blocks) // n_stretches for end in (stretch, stretch + 1))
        # Of all that ``Random`` has, only the floats of random() are sure to stay the same in every Python.
        skip = int(chance.random() * (after - first))
        for number, start, end in blocks[first + skip : after] + blocks[first : first + skip]:
            length = utf8_length(texts[number][start:end])
            if length <= room:
                chosen[number].append((start, end))
                room -= length
                break
    kept: list[str] = []
    held: list[str] = []
    for text, stretches in zip(texts, chosen, strict=True):
        done = 0
        for start, end in stretches:
            kept += [text[done:start]] if start > done else []
            held.append(text[start:end])
            done = end
        kept += [text[done:]] if done < len(text) or not text else []
    return kept, held


def _blocks(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Where a text's blocks of whole lines begin and end: up to ``size`` characters, or one longer line."""
    start = 0
    while start < len(text):
        end = text.rfind("\n", start, start + size) + 1 if start + size < len(text) else len(text)
        if end <= start:
            end = text.find("\n", start) + 1 or len(text)
        yield start, end
        start = end


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A source, divided into what is learned from and what is held out.

    Attributes:
        read: the texts to learn from.
        times: how often those are read.
        held: the texts to measure on, none of which is read.
    """

    read: list[str]
    times: float
    held: list[str]

    @property
    def n_bytes(self) -> int:
        """Bytes that are read, give or take a part of a character."""
        return weighed_bytes(count_bytes(self.read), self.times)

    def texts(self) -> Iterator[str]:
        """What is read."""
        return weigh(self.read, self.times)


def part_sources(sources: Sequence[Source], share: float) -> list[SourcePart]:
    """Divide every source of a mix into what is learned from and what is held out.

    If a source is read less than once, only the part that is read is divided. A block is not held out if all
    of its lines also occur in the texts to learn from, of any source: it would measure what is known.
    """
    parts: list[SourcePart] = []
    for source in sources:
        texts, times = source.texts, source.weight
        if times < 1:
            texts, times = tuple(weigh(texts, times)), 1.0
        read, held = hold_out(texts, share)
        parts.append(SourcePart(read, times, held))
    suspects = {line for part in parts for text in part.held for line in text.split("\n")}
    known = {line for part in parts for text in part.read for line in text.split("\n") if line in suspects}
    known.add("")  # what ``split`` returns after the last line feed
    return [_without_known(part, known) for part in parts]


def _without_known(part: SourcePart, known: set[str]) -> SourcePart:
    """The part with every block that has only known lines moved from ``held`` to ``read``."""
    copies = [text for text in part.held if known.issuperset(text.split("\n"))]
    held = [text for text in part.held if text not in copies] if copies else part.held
    return SourcePart([*part.read, *copies], part.times, held)


def fingerprint(sources: Iterable[Source]) -> str:
    """Eight hex digits of the texts and weights: equal corpora have equal ones.

    >>> fingerprint([Source("any", ("text",))]) == fingerprint([Source("other", ("text",), 1)])
    True
    """
    digest = hashlib.sha256()
    for source in sources:
        digest.update(f"{len(source.texts)} {source.weight:.6g}\n".encode())
        for text in source.texts:
            data = utf8_of(text)
            digest.update(f"{len(data)}\n".encode() + data)
    return digest.hexdigest()[:8]
