"""Corpora: texts from several sources, mixed by weight, to grow an encoding from.

A **weight** says how often a source is read. 1 reads it once and 3 three times; 0.25 reads the first
quarter of its bytes, and 2.5 reads it twice and then its first half. A part ends between two characters.
Nothing is random: the same sources and weights always give the same corpus.

What is **held out** is the end of each source, which the training never sees, so that an encoding can
be measured on text of the same kinds that is new to it.
"""

from __future__ import annotations

import functools
import hashlib
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..encoding import well_formed
from ..text.scripts import COMMON, SCRIPTS, find_scripts
from .udhr import get_language

MAX_CORPUS_BYTES = 100_000_000
"""The largest mix, in bytes of UTF-8."""

MAX_WEIGHT = 100.0
_MAX_LIBRARY_BYTES = 20_000_000

DOCS, LIBRARY, LANGUAGE = "docs", "library", "udhr:"
"""The keys of bundled sources: Python's documentation, its library, "udhr:" and a language's code."""

_NOT_LIBRARY = {"__pycache__", "idle_test", "lib2to3", "pydoc_data", "site-packages", "test", "tests"}


@dataclass(frozen=True, slots=True)
class Source:
    """Texts of one kind, and how often they are read.

    Attributes:
        title: what people call it.
        texts: no token reaches over two of them.
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
    if key == DOCS:
        return Source("Python’s documentation", _read_docs(), weight)
    if key == LIBRARY:
        return Source("Python’s library", _read_library(), weight)
    if key.startswith(LANGUAGE):
        language = get_language(key.removeprefix(LANGUAGE))
        return Source(language.name, (language.text,), weight)
    raise ValueError(f"There is no bundled text {key[:40]!r}. There are: {DOCS}, {LIBRARY}, {LANGUAGE}eng, …")


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
    """The source files of Python's standard library without its tests, by path, up to 20 MB."""
    folder = Path(sysconfig.get_path("stdlib"))
    texts: list[str] = []
    total = 0
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).parts):
        if _NOT_LIBRARY.isdisjoint(path.relative_to(folder).parts):
            try:
                data = path.read_bytes()
            except OSError:
                continue
            total += len(data)
            if total > _MAX_LIBRARY_BYTES:
                break
            texts.append(data.decode("utf-8", "replace"))
    if not texts:
        raise OSError("This Python came without the source of its library. Leave it out.")
    return tuple(texts)


def utf8_length(text: str) -> int:
    """Bytes of UTF-8; a lone surrogate counts as U+FFFD."""
    return len(text) if text.isascii() else len(well_formed(text).encode("utf-8"))


def count_bytes(texts: Iterable[str]) -> int:
    """Bytes of UTF-8 in all."""
    return sum(map(utf8_length, texts))


def weighed_bytes(length: int, weight: float) -> int:
    """How many bytes ``weigh`` makes of this many, give or take a part of a character.

    >>> weighed_bytes(1000, 2.5)
    2500
    """
    check_weight(weight)
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
    check_weight(weight)
    for _ in range(int(weight)):
        yield from texts
    part = round(count_bytes(texts) * weight) - count_bytes(texts) * int(weight)
    for text in map(well_formed, texts):
        if part <= 0:
            return
        length = utf8_length(text)
        head = text if length <= part else text[: _characters(text, part)]
        part -= length
        if head:
            yield head


def hold_out(texts: Sequence[str], share: float) -> tuple[list[str], list[str]]:
    """The texts without their end, and the end: up to ``share`` of their bytes, from the start of a line.

    >>> hold_out(["first\\n", "second\\nthird\\n"], 0.4)
    (['first\\n', 'second\\n'], ['third\\n'])
    """
    if not 0 <= share <= 0.5:
        raise ValueError(f"From 0 to 50 % of the text can be held out, not {share:.0%}.")
    keep = count_bytes(texts) - int(count_bytes(texts) * share)
    kept: list[str] = []
    held: list[str] = []
    for text in map(well_formed, texts):
        length = utf8_length(text)
        if keep >= length:
            kept.append(text)
        elif keep <= 0:
            held.append(text)
        else:
            at = _characters(text, keep)
            at = text.find("\n", max(at - 1, 0)) + 1 or at
            kept.append(text[:at])
            if text[at:]:
                held.append(text[at:])
        keep -= length
    return kept, held


def _characters(text: str, length: int) -> int:
    """How many characters from the start of ``text`` fit into this many bytes."""
    if text.isascii():
        return length
    head = well_formed(text[:length]).encode("utf-8")[:length]
    return len(head.decode("utf-8", "ignore"))


def check_corpus_size(length: int) -> None:
    """Refuse a mix that is too large, before any work starts.

    >>> check_corpus_size(250_000_000)
    Traceback (most recent call last):
    ...
    ValueError: This mix has 250.0 MB, and an encoding is grown on up to 100 MB. Read ...
    """
    if length > MAX_CORPUS_BYTES:
        raise ValueError(
            f"This mix has {length / 1e6:,.1f} MB, and an encoding is grown on up to "
            f"{MAX_CORPUS_BYTES // 1_000_000} MB. Read something less often, or leave it out."
        )


def fingerprint(sources: Iterable[Source]) -> str:
    """Eight hex digits of the texts and weights: equal corpora have equal ones.

    >>> fingerprint([Source("any", ("text",))]) == fingerprint([Source("other", ("text",), 1)])
    True
    """
    digest = hashlib.sha256()
    for source in sources:
        digest.update(f"{len(source.texts)} {source.weight:.6g}\n".encode())
        for text in source.texts:
            data = well_formed(text).encode("utf-8")
            digest.update(f"{len(data)}\n".encode() + data)
    return digest.hexdigest()[:8]


# Scripts: what a share of the bytes buys


def script_bytes(texts: Iterable[str]) -> dict[str, int]:
    """Bytes of UTF-8 in the characters of each script, most first.

    >>> script_bytes(["hi, мир"])
    {'Cyrillic': 6, 'Common': 2, 'Latin': 2}
    """
    counts = np.zeros(0x110000, dtype=np.int64)
    for text in texts:
        points = np.frombuffer(well_formed(text).encode("utf-32-le"), dtype="<u4")
        for start in range(0, len(points), 1 << 20):
            more = np.bincount(points[start : start + (1 << 20)])
            counts[: len(more)] += more
    (present,) = counts.nonzero()
    widths = 1 + (present >= 0x80).astype(np.int64) + (present >= 0x800) + (present >= 0x10000)
    scripts = find_scripts("".join(map(chr, present.tolist())))
    return _by_script(scripts, counts[present] * widths)


def script_tokens(tokens: Iterable[bytes]) -> dict[str, int]:
    """How many of the tokens belong to each script, most first.

    A token counts for the script of most of its characters; on ties, for the first. A token
    that holds no whole character of a script, but parts of characters, counts as "part of a character".

    >>> script_tokens([b" hi", b"h", " мир".encode(), b"12"])
    {'Latin': 2, 'Cyrillic': 1, 'Common': 1}
    """
    counts: dict[str, int] = {}
    for token in tokens:
        script = script_of_token(token)
        counts[script] = counts.get(script, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


PART = "part of a character"

SCRIPT_BYTES = 200
"""Bytes of a long token that decide its script."""


def script_of_token(token: bytes) -> str:
    """The script of most characters of a token; of a long one, of its first 200 bytes.

    >>> script_of_token(" мир".encode()), script_of_token(b"12"), script_of_token("м".encode()[:1])
    ('Cyrillic', 'Common', 'part of a character')
    """
    if len(token) > SCRIPT_BYTES:  # without walls, a token can be a whole text
        token = token[:SCRIPT_BYTES].decode("utf-8", "ignore").encode("utf-8")
    text = token.decode("utf-8", "ignore")
    scripts = [script for script in map(_script_of, text) if script != COMMON]
    if scripts:
        return max(scripts, key=scripts.count)
    return COMMON if len(text.encode("utf-8")) == len(token) else PART


@functools.lru_cache(maxsize=1 << 14)
def _script_of(character: str) -> str:
    return SCRIPTS[int(find_scripts(character)[0])]


def _by_script(scripts: npt.NDArray[np.uint8], amounts: npt.NDArray[np.int64]) -> dict[str, int]:
    totals = np.zeros(len(SCRIPTS), dtype=np.int64)
    np.add.at(totals, scripts, amounts)
    order = np.argsort(-totals, kind="stable")
    return {SCRIPTS[index]: int(totals[index]) for index in order.tolist() if totals[index]}
