"""A text and its four ways of counting: bytes, characters, UTF-16 units, and grapheme clusters.

An encoding counts bytes, Python counts characters (code points), a browser counts UTF-16
units, and people count grapheme clusters: what looks like one symbol. This module maps all four
onto each other, once for each text:

    text        n     a     ï        👩‍🚀
    bytes       0     1     2  3     4 . . . . . . . . . 14
    characters  0     1     2        3  (woman)  4 (joiner)  5 (rocket)
    UTF-16      0     1     2        3  4        5           6  7
    graphemes   0     1     2        3
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import regex

from ..arrays import Flags
from ..cached import cached_property
from ..encoding import Offsets
from ..utf8 import well_formed

LONGEST_GRAPHEME = 16
"""Characters. A longer cluster (someone stacked combining marks) is drawn character by character."""

_JOINERS = "".join(rf"\p{{GCB={kind}}}" for kind in "CR Extend ZWJ SpacingMark Prepend RI L V T".split())
_STRETCH = regex.compile(rf"[{_JOINERS}]+(?:.[{_JOINERS}]+)*+.?", regex.DOTALL)
"""After its first character: where graphemes of several characters can be (Unicode Annex 29)."""

_GRAPHEME = regex.compile(r"\X")
_FLAG_RUN = 64  # regional indicators; even, so that no flag is cut
_FLAGS = regex.compile(r"\p{RI}{65,}")


class TextMap:
    """A text and its four ways of counting, each looked up by byte offset.

    Lone surrogates are replaced first (``well_formed``), so ``text`` may differ from the argument. The number
    of UTF-16 units stays the same.

    >>> TextMap("na\\u00ef").n_bytes
    4
    """

    def __init__(self, text: str) -> None:
        self.text: str = well_formed(text)
        self.data = self.text.encode()
        self.n_bytes = len(self.data)
        self.n_chars = len(self.text)

    @cached_property
    def is_ascii(self) -> bool:
        """Whether bytes, characters and UTF-16 units are all the same."""
        return self.n_bytes == self.n_chars

    @cached_property
    def lead_bytes(self) -> Flags:
        """Shape (n_bytes + 1,): whether a character begins (or the text ends) at this byte."""
        lead = np.ones(self.n_bytes + 1, bool)
        np.not_equal(np.frombuffer(self.data, np.uint8) & 0xC0, 0x80, out=lead[:-1])
        return lead

    @cached_property
    def char_at(self) -> Offsets:
        """Shape (n_bytes + 1,): the index of the character that holds this byte.

        >>> TextMap("a\\u00efb").char_at.tolist()
        [0, 1, 1, 2, 3]
        """
        begun = np.cumsum(self.lead_bytes, dtype=np.int32)
        begun -= 1
        return begun

    def begun_before(self, places: Offsets) -> Offsets:
        """How many characters begin before each of these bytes.

        >>> TextMap("a\\u00efb").begun_before(np.arange(5)).tolist()
        [0, 1, 2, 2, 3]
        """
        return self.char_at[places] + ~self.lead_bytes[places]

    def char_index(self, offset: int) -> int:
        """The index of the character that holds this byte; at the end of the text, ``n_chars``."""
        return offset if self.is_ascii else int(self.char_at[offset])

    @cached_property
    def utf16_at(self) -> Offsets:
        """Shape (n_bytes + 1,): where the character that holds this byte begins, in UTF-16 units.

        >>> TextMap("\\U0001f680!").utf16_at.tolist()
        [0, 0, 0, 0, 2, 3]
        """
        return self.char_at if self.is_ascii else self._utf16_of_char[self.char_at]

    @cached_property
    def _utf16_of_char(self) -> Offsets:
        """Shape (n_chars + 1,): where each character begins, in UTF-16 units."""
        are_pairs = np.frombuffer(self.data, np.uint8)[self.byte_of_char[:-1]] >= 0xF0
        return np.append(0, np.cumsum(are_pairs + 1))

    @cached_property
    def byte_of_char(self) -> Offsets:
        """Shape (n_chars + 1,): where each character begins, in bytes."""
        return np.flatnonzero(self.lead_bytes)

    @cached_property
    def clusters(self) -> Offsets:
        """The grapheme clusters of several characters, in order: (start, end) in characters, shape (n, 2).

        Every other character is a grapheme of its own. Clusters of more than
        ``LONGEST_GRAPHEME`` characters count as single characters.

        >>> TextMap("e\\u0301a\\r\\n").clusters.tolist()
        [[0, 2], [3, 5]]
        """
        if self.is_ascii and "\r" not in self.text:
            return np.zeros((0, 2), np.int64)
        return _find_clusters(self.text)

    @property
    def cluster_lengths(self) -> Offsets:
        """Shape (2n,), in UTF-16 units: the gap since the last of ``clusters``, its length, and so on.

        >>> TextMap("e\\u0301 e\\u0301").cluster_lengths.tolist()
        [0, 2, 1, 2]
        """
        starts, ends = self.clusters_utf16.T
        ends_before = np.concatenate(([0], ends))[: len(starts)]
        return np.stack([starts - ends_before, ends - starts], axis=1).ravel()

    @cached_property
    def is_grapheme_edge(self) -> Flags:
        """Shape (n_bytes + 1,): whether a grapheme begins (or the text ends) at this byte."""
        edge = self.lead_bytes.copy()
        if len(self.clusters):
            starts, ends = self.clusters.T
            change = np.zeros(self.n_chars + 1, np.int8)
            change[starts + 1] = 1
            change[ends] -= 1  # two clusters may follow one another directly
            edge[self.byte_of_char[np.cumsum(change, dtype=np.int8) > 0]] = False
        return edge

    @cached_property
    def n_graphemes(self) -> int:
        """How many graphemes a reader sees; of clusters over ``LONGEST_GRAPHEME``, each character counts."""
        return self.n_chars + len(self.clusters) - int((self.clusters[:, 1] - self.clusters[:, 0]).sum())

    @cached_property
    def clusters_utf16(self) -> Offsets:
        """The clusters as UTF-16 offsets, shape (number of clusters, 2)."""
        return self.clusters if self.is_ascii else self._utf16_of_char[self.clusters]

    def cells(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The graphemes between two grapheme edges, as (start, end) in bytes.

        >>> list(TextMap("\\u00e9!").cells(0, 3))
        [(0, 2), (2, 3)]
        """
        edges = start + np.flatnonzero(self.is_grapheme_edge[start : end + 1])
        yield from itertools.pairwise(edges.tolist())


def _find_clusters(text: str) -> Offsets:
    """The grapheme clusters of several characters in a text, as ``TextMap.clusters`` returns them."""
    clusters: list[tuple[int, int]] = []
    for begin, stop in _stretches(text):
        # A slice instead of a start position, from which the engine would look back over all flags before it.
        for cluster in _GRAPHEME.finditer(text[begin:stop]):
            start, end = cluster.span()
            if 1 < end - start <= LONGEST_GRAPHEME:
                clusters.append((begin + start, begin + end))
    return np.array(clusters, np.int64).reshape(-1, 2)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of a text that contain all graphemes of several characters, and end where graphemes end.

    A flag is a pair of regional indicators, counted from the start of their run, which takes the
    engine quadratic time. A long run is cut into stretches of whole pairs.
    """
    for stretch in _STRETCH.finditer(text):
        begin = max(stretch.start() - 1, 0)
        stop = stretch.end()
        for run in _FLAGS.finditer(text, begin, stop):
            for edge in range(run.start() + _FLAG_RUN, run.end(), _FLAG_RUN):
                yield begin, edge
                begin = edge
        yield begin, stop


# What two texts have in common


def common_prefix(a: Sequence[object], b: Sequence[object]) -> int:
    """How many items at the start are the same, of two strings, byte strings or tuples.

    Slices are halved and compared, which is far faster than comparing items.

    >>> common_prefix("tokens", "tokenizer")
    5
    """
    low = 0
    high = min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(a: Sequence[object], b: Sequence[object], limit: int) -> int:
    """How many items at the end are the same, at most ``limit``.

    >>> common_suffix("merging", "training", 5)
    3
    """
    return common_prefix(a[len(a) - limit :][::-1], b[len(b) - limit :][::-1])
