"""What some encodings make of a text before they cut it: normal forms, small letters.

Such an encoding cuts another text than the one that was typed. ``Rewritten`` knows which characters of the
one became which of the other, so that a token can cover what it came from, and so that each place
that changed is known:

    typed    ½        e  ◌́          seen by claude-2: 1 ⁄ 2 é
             1 ⁄ 2    é
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt
import regex

from ..encoding import Offsets
from ..placement import Losses
from .text_map import LONGEST_GRAPHEME, TextMap

Form = Literal["NFC", "NFKC"]

Edit = tuple[int, int, str]
"""Characters [start, end) of a text, and what comes in their place. Edits are in order and do not overlap."""

Characters = npt.NDArray[np.int64] | npt.NDArray[np.int32]


class Rewritten:
    """A text, and what an encoding sees instead of it.

    Args:
        text: as typed, well formed.
        seen: as the encoding sees it.
        starts, ends: of each character of ``seen``: the characters [start, end) of ``text`` it came
            from; start == end: it stands for nothing that was typed. Neither ever falls. None: ``seen`` is
            the text.

    >>> rewritten = rewrite("a½", [(1, 2, "1⁄2")])
    >>> rewritten.seen, rewritten.is_changed, list(rewritten.losses)
    ('a1⁄2', True, [Loss(start=1, end=3, became='1⁄2')])
    """

    def __init__(
        self, text: str, seen: str, starts: Characters | None = None, ends: Characters | None = None
    ) -> None:
        self.text, self.seen = text, seen
        self._starts, self._ends = starts, ends

    @property
    def is_changed(self) -> bool:
        """Whether the encoding sees another text."""
        return self._starts is not None and self.text != self.seen

    @property
    def alignment(self) -> tuple[Characters, Characters]:
        """``starts`` and ``ends``, both of shape (characters of ``seen``,)."""
        if self._starts is None or self._ends is None:
            self._starts = np.arange(len(self.text), dtype=np.int32)
            self._ends = self._starts + 1
        return self._starts, self._ends

    @functools.cached_property
    def typed_map(self) -> TextMap:
        """The text as typed."""
        return TextMap(self.text)

    @functools.cached_property
    def seen_map(self) -> TextMap:
        """The text as the encoding sees it."""
        return TextMap(self.seen)

    @functools.cached_property
    def _is_kept(self) -> npt.NDArray[np.bool_]:
        """Shape (characters of ``seen``,): whether it is the very character that was typed."""
        starts, ends = self.alignment
        typed, seen = _points(self.text), _points(self.seen)
        kept: npt.NDArray[np.bool_] = ends - starts == 1
        some = np.flatnonzero(starts < ends)  # characters with no origin (start == end) cannot share one
        shares = starts[some[1:]] == starts[some[:-1]]
        kept[some[1:][shares]] = kept[some[:-1][shares]] = False
        kept[kept] = typed[starts[kept]] == seen[kept]
        return kept

    @functools.cached_property
    def changes(self) -> tuple[Characters, Characters, Characters, Characters]:
        """What changed: of each place, its start and end in the text, then in ``seen``, all of shape (n,).

        All are in characters.

        Between two of them is at least one character that was kept.
        """
        starts, ends = self.alignment
        kept = np.flatnonzero(self._is_kept)
        text, seen = self.text, self.seen
        if len(kept):
            # Kept characters that something else follows, in one of the two texts.
            firsts, lasts = starts[kept], ends[kept]
            after_which = np.flatnonzero((firsts[1:] != lasts[:-1]) | (kept[1:] != kept[:-1] + 1))
            columns = [
                [0, *lasts[after_which].tolist(), int(lasts[-1])],
                [int(firsts[0]), *firsts[after_which + 1].tolist(), len(text)],
                [0, *(kept[after_which] + 1).tolist(), int(kept[-1]) + 1],
                [int(kept[0]), *kept[after_which + 1].tolist(), len(seen)],
            ]
        else:
            columns = [[0], [len(text)], [0], [len(seen)]]
        places: list[tuple[int, int, int, int]] = []
        for first, after, begin, stop in zip(*columns, strict=True):
            if text[first:after] == seen[begin:stop]:
                continue  # dropped, and put back
            while after > first and stop > begin and text[after - 1] == seen[stop - 1]:
                after, stop = after - 1, stop - 1
            while after > first and stop > begin and text[first] == seen[begin]:
                first, begin = first + 1, begin + 1
            places.append((first, after, begin, stop))
        of_each = np.array(places, dtype=np.int64).reshape(-1, 4)
        return of_each[:, 0], of_each[:, 1], of_each[:, 2], of_each[:, 3]

    @functools.cached_property
    def losses(self) -> Losses:
        """The places that do not come back, because the encoding sees something else there."""
        if not self.is_changed:
            return Losses()
        numbers: dict[str, int] = {}
        starts: list[int] = []
        ends: list[int] = []
        kinds: list[int] = []
        for start, end, begin, stop in self._changes_by_origin():
            starts.append(start)
            ends.append(end)
            kinds.append(numbers.setdefault(self.seen[begin:stop], len(numbers)))
        edges = self.typed_map.byte_of_char
        return Losses(edges[starts], edges[ends], kinds, tuple(numbers))

    def _changes_by_origin(self) -> Iterator[tuple[int, int, int, int]]:
        """As ``changes``, cut between neighbouring characters that each changed by itself.

        >>> list(rewrite("½½", [(0, 1, "1⁄2"), (1, 2, "1⁄2")]).losses)
        [Loss(start=0, end=2, became='1⁄2'), Loss(start=2, end=4, became='1⁄2')]
        """
        firsts, lasts = self.alignment
        typed = firsts < lasts  # it stands for something that was typed
        meets = typed[1:] & typed[:-1] & (firsts[1:] == lasts[:-1])
        cuts = np.flatnonzero(meets) + 1
        starts, ends, begins, stops = self.changes
        low, high = np.searchsorted(cuts, begins, side="right"), np.searchsorted(cuts, stops)
        for place, (start, end, begin, stop) in enumerate(
            zip(starts.tolist(), ends.tolist(), begins.tolist(), stops.tolist(), strict=True)
        ):
            for cut in cuts[int(low[place]) : int(high[place])].tolist():
                at = int(firsts[cut])
                if start < at < end:
                    if self.text[start:at] != self.seen[begin:cut]:
                        yield start, at, begin, cut
                    start, begin = at, cut
            if self.text[start:end] != self.seen[begin:stop]:
                yield start, end, begin, stop

    def places(self, starts: Offsets, ends: Offsets) -> tuple[Offsets, Offsets]:
        """Where stretches of ``seen`` are in the text as typed, in bytes.

        A stretch that begins or ends within a changed place is extended to that whole place.

        Args:
            starts, ends: of stretches of at least one byte of ``seen``, both of shape (n,).
        """
        if not self.is_changed or not len(starts):
            return starts, ends
        typed_edges, seen_edges = self.typed_map.byte_of_char, self.seen_map.byte_of_char
        typed_starts, typed_ends = self.alignment
        char_at, kept = self.seen_map.char_at, self._is_kept
        first, last = char_at[starts], char_at[ends - 1]
        inside = np.where(kept[first], starts - seen_edges[first], 0)
        short = np.where(kept[last], seen_edges[last + 1] - ends, 0)
        return typed_edges[typed_starts[first]] + inside, typed_edges[typed_ends[last]] - short

    def seen_offset(self, offset: int) -> int:
        """Where a place of the text as typed is in ``seen``, both in bytes; it is not within a change."""
        if not self.is_changed:
            return offset
        char = self.typed_map.char_index(offset)
        inside = offset - int(self.typed_map.byte_of_char[char])
        at = int(np.searchsorted(self.alignment[0], char))
        return int(self.seen_map.byte_of_char[at]) + inside

    def changes_at(self, offset: int) -> Iterator[tuple[int, int, str, str]]:
        """The changes that touch a place: (start, end) in bytes, what was typed, and what it became."""
        if not self.is_changed:
            return
        starts, ends, begins, stops = self.changes
        edges = self.typed_map.byte_of_char
        first = int(np.searchsorted(edges[ends], offset))
        for at in range(first, len(starts)):
            start, end = int(edges[starts[at]]), int(edges[ends[at]])
            if start > offset:
                return
            yield start, end, self.text[starts[at] : ends[at]], self.seen[begins[at] : stops[at]]

    def then(self, edits: Sequence[Edit]) -> Rewritten:
        """Apply further edits to the rewritten text."""
        if not edits:
            return self
        following = rewrite(self.seen, edits)
        if not self.is_changed:
            return (
                following
                if self._starts is None
                else Rewritten(self.text, following.seen, *following.alignment)
            )
        starts, ends = self.alignment
        begins, stops = following.alignment
        # A character that stands for nothing comes right after what the one before it came from.
        is_new = begins == stops
        before = np.append(ends, 0)[begins - 1]  # at the beginning: 0, the one appended
        new_starts = np.where(is_new, before, starts[np.minimum(begins, len(starts) - 1)])
        new_ends = np.where(is_new, before, ends[stops - 1])
        return Rewritten(self.text, following.seen, new_starts, new_ends)

    @staticmethod
    def join(parts: Sequence[Rewritten]) -> Rewritten:
        """Stretches that follow one another, as one text."""
        shifts = np.cumsum([0, *(len(part.text) for part in parts)]).tolist()
        columns = [
            np.concatenate([part.alignment[i] + shift for part, shift in zip(parts, shifts, strict=False)])
            for i in (0, 1)
        ]
        return Rewritten(
            "".join(part.text for part in parts), "".join(part.seen for part in parts), columns[0], columns[1]
        )


def _points(text: str) -> npt.NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


def rewrite(text: str, edits: Sequence[Edit]) -> Rewritten:
    """A text with these edits.

    >>> rewrite("Ab", [(0, 1, "a"), (2, 2, " ")]).seen
    'ab '
    """
    if not edits:
        return Rewritten(text, text)
    first = np.array([start for start, _, _ in edits], dtype=np.int64)
    after = np.array([end for _, end, _ in edits], dtype=np.int64)
    sizes = np.array([len(new) for _, _, new in edits], dtype=np.int64)
    # Stretches by turns: what stays, and what comes instead of an edit's characters.
    begins = np.zeros(2 * len(edits) + 1, dtype=np.int64)
    begins[1::2], begins[2::2] = first, after
    ends = np.append(begins[1:], len(text))
    lengths = ends - begins
    lengths[1::2] = sizes
    stays = np.zeros(len(begins), dtype=np.int64)
    stays[::2] = 1
    before = (np.cumsum(lengths) - lengths).astype(np.int32)
    inside = np.arange(int(lengths.sum()), dtype=np.int32) - np.repeat(before, lengths)
    is_kept = np.repeat(stays.astype(np.int32), lengths)
    starts = np.repeat(begins.astype(np.int32), lengths) + inside * is_kept
    stops = np.where(is_kept == 1, starts + 1, np.repeat(ends.astype(np.int32), lengths))
    pieces: list[str] = []
    at = 0
    for start, end, new in edits:
        pieces += (text[at:start], new)
        at = end
    return Rewritten(text, "".join(pieces) + text[at:], starts, stops)


PART = 1 << 16
"""Characters of a long text that are rewritten at a time."""

_SPACE = re.compile(r"[ \n\r\t]")


def cut_at_spaces(text: str) -> Iterator[tuple[int, str]]:
    """A text in parts that end at white space, so that words are whole: (where it begins, part).

    >>> [at for at, _ in cut_at_spaces("word " * 20_000)]
    [0, 65540]
    """
    at = 0
    while at < len(text):
        space = _SPACE.search(text, at + PART)
        end = space.end() if space else len(text)
        yield at, text[at:end]
        at = end


def rewrite_in_parts(text: str, rewriting: Callable[[str], Rewritten]) -> Rewritten:
    """Rewrite a long text part by part, cut at spaces, to save memory.

    Args:
        text: any text.
        rewriting: rewrites a part. It must treat each word by itself.
    """
    if len(text) <= PART:
        return rewriting(text)
    parts = [rewriting(part) for _, part in cut_at_spaces(text)]
    if not any(part.is_changed for part in parts):
        return Rewritten(text, text)
    return Rewritten.join(parts)


# Normal forms

_NEWER_THAN_9 = regex.compile(
    "["
    "\u07fd\u0897-\u089f\u08ca-\u08d3\u09fe\u0c3c\u0d3b-\u0d3c\u0eba\u1715\u1abf-\u1aff\u1df6-\u1dfa"
    "\u32ff\ua7f1-\ua7f4\ua82c\uab69\U000105c0-\U000105ff\U00010781-\U00010785\U00010787-\U000107b0"
    "\U000107b2-\U000107ba\U00010d24-\U00010d27\U00010d40-\U00010d8f\U00010eab-\U00010eac"
    "\U00010ec0-\U00010eff\U00010f46-\U00010f50\U00010f82-\U00010f85\U00011070\U0001133b"
    "\U00011380-\U000113ff\U0001145e\U00011839-\U0001183a\U00011938\U0001193d-\U0001193e\U00011943"
    "\U000119e0\U00011a34\U00011a47\U00011a99\U00011d42\U00011d44-\U00011d45\U00011d97"
    "\U00011f00-\U00011f5f\U00016100-\U0001613f\U00016d40-\U00016d7f\U00016ff0-\U00016ff1"
    "\U0001ccd6-\U0001ccf9\U0001e030-\U0001e06d\U0001e08f\U0001e130-\U0001e136\U0001e2ae"
    "\U0001e2ec-\U0001e2ef\U0001e4d0-\U0001e4ff\U0001e5d0-\U0001e5ff\U0001f16c\U0001fbf0-\U0001fbf9"
    "]"
)
"""Characters that later versions of Unicode gave a place in normal forms."""

# The blocks with characters that a normal form can change; the rest are Chinese, Tangut and other letters.
_BLOCKS = ((0, 0x3400), (0xA000, 0xAC00), (0xF900, 0x17000), (0x1B000, 0x20000), (0x2F800, 0x2FA20))
_HANGUL_PARTS = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))

_ALONE, _JOINS = 1, 2


@functools.cache
def _kinds(form: Form) -> npt.NDArray[np.uint8]:
    """What a normal form does to each character, by code point.

    ``_ALONE``: it changes by itself. ``_JOINS``: it can combine or change places with the character before
    it, as combining marks and the second parts of composed characters do.
    """
    kinds = np.zeros(0x110000, dtype=np.uint8)
    wide: Literal["NFKD", "NFD"] = "NFKD" if form == "NFKC" else "NFD"
    decomposed: dict[int, str] = {}
    joining = set(_HANGUL_PARTS)
    for point in itertools.chain.from_iterable(itertools.starmap(range, _BLOCKS)):
        char = chr(point)
        if unicodedata.decomposition(char):
            decomposed[point] = unicodedata.normalize(wide, char)
            joining.update(map(ord, unicodedata.normalize("NFD", char)[1:]))
            if unicodedata.normalize(form, char) != char:
                kinds[point] = _ALONE
        if unicodedata.combining(char):
            joining.add(point)
    kinds[list(joining)] |= _JOINS
    kinds[[point for point, parts in decomposed.items() if ord(parts[0]) in joining]] |= _JOINS
    return kinds


def _stretches(text: str, form: Form) -> Iterator[tuple[int, int]]:
    """The stretches that a normal form may change, each independently of the text around it.

    A stretch is a character and all following ones that can combine with it.
    """
    kinds = _kinds(form)[_points(text)]
    joins = (kinds & _JOINS) > 0
    begins = kinds > 0
    begins[:-1] |= joins[1:]
    begins[1:] &= ~joins[1:]
    firsts = np.flatnonzero(begins)
    others = np.append(np.flatnonzero(~joins), len(text))
    afters = others[np.searchsorted(others, firsts, side="right")]
    return zip(firsts.tolist(), afters.tolist(), strict=True)


def _narrow(text: str, start: int, end: int, new: str) -> Iterator[Edit]:
    """One edit without the ends that it leaves as they were, split if it is long.

    Long edits, such as a letter with thousands of marks, are split because every token of an edit covers all
    of it.
    """
    old = text[start:end]
    same = len(os.path.commonprefix([old[::-1], new[::-1]]))
    same = min(same, len(old) - 1, len(new) - 1)
    old, new = old[: len(old) - same], new[: len(new) - same]
    before = min(len(os.path.commonprefix([old, new])), len(old) - 1, len(new) - 1)
    start, old, new = start + before, old[before:], new[before:]
    n_parts = -(-len(old) // LONGEST_GRAPHEME)
    for part in range(n_parts):
        first, after = part * len(old) // n_parts, (part + 1) * len(old) // n_parts
        begin, stop = part * len(new) // n_parts, (part + 1) * len(new) // n_parts
        yield start + first, start + after, new[begin:stop]


# Python sorts the marks on a letter by insertion, which takes the square of their number. So many of them
# are sorted here before.
_MANY_MARKS = regex.compile(r"\P{ccc=0}{32,}")


def _normal_form(text: str, form: Form) -> str:
    """As ``unicodedata.normalize``, in a time that grows no faster than the text.

    >>> _normal_form("a" + "\u0301\u0323" * 50_000, "NFC")[:2]
    'ạ\u0323'
    """
    wide: Literal["NFKD", "NFD"] = "NFKD" if form == "NFKC" else "NFD"

    def in_order(marks: regex.Match[str]) -> str:
        parts = "".join(unicodedata.normalize(wide, mark) for mark in marks[0])
        # Marks change places only between two characters that are none.
        runs = itertools.groupby(parts, key=lambda char: unicodedata.combining(char) > 0)
        return "".join(
            "".join(sorted(run, key=unicodedata.combining)) if are_marks else "".join(run)
            for are_marks, run in runs
        )

    return unicodedata.normalize(form, _MANY_MARKS.sub(in_order, text))


def normalise(text: str, form: Form) -> Rewritten:
    """A text in a normal form of Unicode, as this Python's tables have it.

    >>> normalise("e\\u0301½", "NFC").seen == "é½", normalise("e\\u0301½", "NFKC").seen == "é1⁄2"
    (True, True)
    """
    if not _MANY_MARKS.search(text) and unicodedata.is_normalized(form, text):
        return Rewritten(text, text)
    edits: list[Edit] = []
    for start, end in _stretches(text, form):
        new = _normal_form(text[start:end], form)
        if new != text[start:end]:
            edits += _narrow(text, start, end, new)
    return rewrite(text, edits)


_PLACE_HOLDER = "一"


def normalise_as_of_unicode_9(text: str, form: Form = "NFKC") -> Rewritten:
    """A text in a normal form as Unicode 9.0 had it, which Hugging Face's library still uses.

    Characters that came later stay as they are, such as the symbol of the Japanese era since 2019.

    >>> normalise_as_of_unicode_9("㋾㋿").seen
    'ヲ㋿'
    """
    newer = [match.start() for match in _NEWER_THAN_9.finditer(text)]
    if not newer:
        return normalise(text, form)
    # Another character holds the place of each: one that no normal form changes or joins with others.
    held = list(text)
    for at in newer:
        held[at] = _PLACE_HOLDER
    rewritten = normalise("".join(held), form)
    if not rewritten.is_changed:
        return Rewritten(text, text)
    starts, ends = rewritten.alignment
    seen = list(rewritten.seen)
    for at, place in zip(newer, np.searchsorted(starts, newer).tolist(), strict=True):
        seen[place] = text[at]
    return Rewritten(text, "".join(seen), starts, ends)


# Small letters, and the ends of words


def small_letters(text: str) -> list[Edit]:
    """What changes when a text is written in small letters.

    >>> small_letters("ΑΣ İ")
    [(0, 1, 'α'), (1, 2, 'ς'), (3, 4, 'i̇')]
    """
    small = text.lower()
    if len(small) == len(text):
        changed = np.flatnonzero(_points(text) != _points(small)).tolist()
        return [(at, at + 1, small[at]) for at in changed]
    edits = []
    begin = 0
    for at, char in enumerate(
        text
    ):  # as a whole, a Σ at the end of a word becomes another letter than elsewhere
        end = begin + len(char.lower())
        if small[begin:end] != char:
            edits.append((at, at + 1, small[begin:end]))
        begin = end
    return edits


def end_words(text: str, word: regex.Pattern[str]) -> list[Edit]:
    """What changes when a space is put after each word, and nothing else between words.

    >>> end_words("a  b!", regex.compile(r"\\w|!"))
    [(1, 1, ' '), (1, 3, ''), (4, 4, ' '), (5, 5, ' ')]
    """
    edits: list[Edit] = []
    at = 0
    for match in word.finditer(text):
        if match.start() > at:
            edits.append((at, match.start(), ""))
        at = match.end()
        edits.append((at, at, " "))
    if at < len(text):
        edits.append((at, len(text), ""))
    return edits
