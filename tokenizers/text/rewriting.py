"""What some encodings make of a text before they cut it: normal forms of Unicode, small letters.

Such an encoding cuts another text than the one that was typed. ``Rewritten`` knows which characters of the
one became which of the other, so that a token can cover what it came from:

    typed    ½        e  ◌́          seen by claude-2: 1 ⁄ 2 é
             1 ⁄ 2    é
"""

from __future__ import annotations

import functools
import itertools
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import regex

from ..arrays import Flags
from ..encoding import Offsets
from ..utf8 import well_formed
from .text_map import TextMap, common_prefix

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

Edit = tuple[int, int, str]
"""Characters [start, end) of a text, and what comes in their place. Edits are in order and do not overlap."""


class Rewritten:
    """A text, and what an encoding sees instead of it.

    Args:
        text: as typed, well formed.
        seen: as the encoding sees it.
        starts, ends: of each character of ``seen``: the characters [start, end) of ``text`` it came
            from; start == end: it stands for nothing that was typed. Neither ever falls. None: ``seen`` has a
            character for each of ``text``.

    >>> half = rewrite("a½", [(1, 2, "1⁄2")])
    >>> half.seen, [edges.tolist() for edges in half.places(np.array([0, 1]), np.array([1, 2]))]
    ('a1⁄2', [[0, 1], [1, 3]])
    """

    def __init__(
        self, text: str, seen: str, starts: Offsets | None = None, ends: Offsets | None = None
    ) -> None:
        self.text = text
        self.seen = seen
        at = np.arange(len(seen) + 1, dtype=np.int32)
        self.starts: Offsets = at[:-1] if starts is None else starts
        self.ends: Offsets = at[1:] if ends is None else ends

    def places(self, starts: Offsets, ends: Offsets) -> tuple[Offsets, Offsets]:
        """Where stretches of ``seen`` are in the text as typed, in bytes.

        A stretch that begins or ends within a changed character is extended to all that it came from.

        Args:
            starts, ends: of stretches of at least one byte of ``seen``, both of shape (n,).
        """
        if self.text == self.seen or not len(starts):
            return starts, ends
        seen = TextMap(self.seen)
        typed_edges = TextMap(self.text).byte_of_char
        seen_edges = seen.byte_of_char
        is_kept = self._is_kept()
        first = seen.char_at[starts]
        last = seen.char_at[ends - 1]
        after_edge = np.where(is_kept[first], starts - seen_edges[first], 0)
        before_edge = np.where(is_kept[last], seen_edges[last + 1] - ends, 0)
        return (
            typed_edges[self.starts[first]] + after_edge,
            typed_edges[self.ends[last]] - before_edge,
        )

    def _is_kept(self) -> Flags:
        """Shape (characters of ``seen``,): whether it is the very character that was typed."""
        starts = self.starts
        kept: Flags = self.ends - starts == 1
        # Characters with no origin (start == end) cannot share one.
        with_origin = np.flatnonzero(starts < self.ends)
        left = with_origin[:-1]
        right = with_origin[1:]
        shares = starts[left] == starts[right]
        kept[left[shares]] = False
        kept[right[shares]] = False
        typed = np.frombuffer(self.text.encode("utf-32-le"), np.uint32)
        seen = np.frombuffer(self.seen.encode("utf-32-le"), np.uint32)
        kept[kept] = typed[starts[kept]] == seen[kept]
        return kept

    def then(self, following: Rewritten) -> Rewritten:
        """What becomes of the text if ``seen`` is rewritten further."""
        begins = following.starts
        stops = following.ends
        # A character that stands for nothing comes right after what the one before it came from.
        is_new = begins == stops
        before = np.append(self.ends, 0)[begins - 1]  # at the beginning: 0, the one appended
        first = np.minimum(begins, len(self.starts) - 1)
        new_starts = np.where(is_new, before, self.starts[first])
        new_ends = np.where(is_new, before, self.ends[stops - 1])
        return Rewritten(self.text, following.seen, new_starts, new_ends)

    @staticmethod
    def join(parts: Sequence[Rewritten]) -> Rewritten:
        """Stretches that follow one another, as one text."""
        starts: list[Any] = []
        ends: list[Any] = []
        n_chars = 0
        for part in parts:
            starts.append(part.starts + n_chars)
            ends.append(part.ends + n_chars)
            n_chars += len(part.text)
        return Rewritten(
            text="".join(part.text for part in parts),
            seen="".join(part.seen for part in parts),
            starts=np.concatenate(starts),
            ends=np.concatenate(ends),
        )


def rewrite(text: str, edits: Iterable[Edit]) -> Rewritten:
    """A text with these edits.

    >>> rewrite("Ab", [(0, 1, "a"), (2, 2, " ")]).seen
    'ab '
    """
    pieces: list[str] = []  # what stays and what replaces something alternate
    begins = [0]  # of each piece's origin
    for start, end, new in edits:
        pieces += (text[begins[-1] : start], new)
        begins += (start, end)
    if not pieces:
        return Rewritten(text, text)
    pieces.append(text[begins[-1] :])
    ends = [*begins[1:], len(text)]
    lengths = np.array(list(map(len, pieces)))
    first = np.repeat(np.cumsum(lengths) - lengths, lengths)
    inside = np.arange(len(first)) - first
    stays = np.repeat(np.arange(len(pieces)) % 2 == 0, lengths)
    starts = np.repeat(begins, lengths) + np.where(stays, inside, 0)
    stops = np.where(stays, starts + 1, np.repeat(ends, lengths))
    return Rewritten(text, "".join(pieces), starts, stops)


_RUN = regex.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
_CLUSTER = regex.compile(r"\p{RI}\p{M}*+|\X")
"""A grapheme cluster, or half a flag: a run of flags would take quadratic time."""


def _changes(text: str, change: Callable[[str], str]) -> Iterator[tuple[int, str, str]]:
    """Each grapheme cluster that changes: where it begins, what it is, and what it becomes.

    ``change`` leaves ASCII alone.
    """
    if text.isascii() or change(text) == text:
        return
    for run in _RUN.finditer(text):
        whole = change(run[0])
        if whole != run[0]:
            yield from change_parts(run.start(), run[0], whole, change, _CLUSTER)


def change_parts(
    at: int, text: str, whole: str, change: Callable[[str], str], part: regex.Pattern[str]
) -> Iterator[tuple[int, str, str]]:
    """Each part of a text that changes: where it begins, what it is, and what it becomes.

    Args:
        at: where the text begins.
        text, whole: it, and what it becomes as a whole.
        change: gives that, and what a part becomes by itself.
        part: matches the parts, which are all of the text.
    """
    parts = part.findall(text)
    changed = list(map(change, parts))
    if "".join(changed) != whole:  # some change their neighbours
        parts = list(_join_neighbours(parts, change))
        changed = list(map(change, parts))
    if "".join(changed) != whole:  # or what is further away
        parts = [text]
        changed = [whole]
    for old, new in zip(parts, changed, strict=True):
        if old != new:
            yield at, old, new
        at += len(old)


def _join_neighbours(clusters: Sequence[str], change: Callable[[str], str]) -> Iterator[str]:
    """The clusters, and as one those that change each other, such as two jamo that become a syllable."""
    group = clusters[0]
    for before, after in itertools.pairwise(clusters):
        if change(before + after) == change(before) + change(after):
            yield group
            group = ""
        group += after
    yield group


# Normal forms

FORMS: dict[Form, str] = {
    "NFC": "Letters and marks are joined where Unicode has one character for them.",
    "NFD": "Such characters are taken apart: a letter, then its marks, in a fixed order.",
    "NFKC": "As NFC, and what is only another look of a character becomes that character: ﬁ becomes fi.",
    "NFKD": "As NFD, and what is only another look of a character becomes that character: ² becomes 2.",
}
"""The normal forms of Unicode (UAX #15), and what each does."""

# Python sorts the marks on a letter by insertion, which takes the square of their number. So many of them
# are sorted here before.
_MANY_MARKS = regex.compile(r"\P{ccc=0}{32,}")


def normaliser(form: Form, text: str) -> Callable[[str], str]:
    """A function that brings parts of a text to a normal form, in linear time."""
    if not _MANY_MARKS.search(text):
        return functools.partial(unicodedata.normalize, form)
    wide: Form = "NFKD" if "K" in form else "NFD"

    def sort(marks: regex.Match[str]) -> str:
        parts = "".join(unicodedata.normalize(wide, mark) for mark in marks[0])
        # Marks change places only between two characters that are none.
        runs = itertools.groupby(parts, key=lambda char: unicodedata.combining(char) > 0)
        return "".join("".join(sorted(run, key=unicodedata.combining)) for _, run in runs)

    return lambda part: unicodedata.normalize(form, _MANY_MARKS.sub(sort, part))


def normalise(text: str, form: Form) -> Rewritten:
    """A text in a normal form of Unicode, as this Python's tables have it.

    >>> normalise("e\u0301½", "NFC").seen == "é½", normalise("e\u0301½", "NFKC").seen == "é1⁄2"
    (True, True)
    """
    edits: list[Edit] = []
    for at, old, new in _changes(text, normaliser(form, text)):
        same = common_prefix(old, new)  # such as the first of two leading consonants
        edits.append((at + same, at + len(old), new[same:]))
    return rewrite(text, edits)


@dataclass(frozen=True)
class Change:
    """A stretch of text that a form writes in another way, at all of its places.

    Attributes:
        old, new: the stretch, and what it becomes.
        count: at how many places.
        first: the first place, in characters of the text as it was.
    """

    old: str
    new: str
    count: int
    first: int


@dataclass(frozen=True)
class NormalForm:
    """A text in a normal form.

    Attributes:
        form: which one.
        text: the text in it.
        changes: what differs, the first place first; each stretch once.
    """

    form: Form
    text: str
    changes: tuple[Change, ...]


def normal_form(text: str, form: Form) -> NormalForm:
    """A text in a normal form, with what that changes.

    >>> ligature = normal_form("ﬁne, ﬁne cafe\u0301", "NFKC")
    >>> ligature.text, [(ascii(change.old), change.new, change.count) for change in ligature.changes]
    ('fine, fine caf\u00e9', [("'\\\\ufb01'", 'fi', 2), ("'e\\\\u0301'", '\u00e9', 1)])
    """
    text = well_formed(text)
    change = normaliser(form, text)
    places: dict[tuple[str, str], list[int]] = {}
    for place, old, new in _changes(text, change):
        places.setdefault((old, new), []).append(place)
    changes = []
    for (old, new), starts in places.items():
        changes.append(Change(old, new, count=len(starts), first=starts[0]))
    return NormalForm(form, change(text), tuple(changes))


# Other rules


def small_letters(text: str) -> Rewritten:
    """A text in small letters.

    >>> small_letters("ΑΣ İ").seen
    'ας i̇'
    """
    small = text.lower()  # as a whole: a Σ at the end of a word becomes another letter than elsewhere
    if len(small) == len(text):
        return Rewritten(text, small)
    sizes = np.fromiter((len(char.lower()) for char in text), np.int64, len(text))
    starts = np.repeat(np.arange(len(text)), sizes)
    return Rewritten(text, small, starts, starts + 1)


def end_words(text: str, word: regex.Pattern[str]) -> Rewritten:
    """The words of a text, each with a space behind it, and nothing else.

    >>> end_words("a  b!", regex.compile(r"\\w|!")).seen
    'a b ! '
    """
    starts = array("i")
    ends = array("i")
    words: list[str] = []
    for match in word.finditer(text):
        first, after = match.span()
        words.append(f"{match[0]} ")
        starts.extend(range(first, after + 1))
        ends.extend(range(first + 1, after + 1))
        ends.append(after)
    return Rewritten(
        text=text,
        seen="".join(words),
        starts=np.array(starts, np.int32),
        ends=np.array(ends, np.int32),
    )
