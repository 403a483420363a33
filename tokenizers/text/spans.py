"""Where each token stands: in bytes, characters, UTF-16 units, and grapheme clusters.

An encoding counts bytes, Python counts characters (code points), a browser counts UTF-16
units, and people count grapheme clusters: what looks like one sign. A token may begin or end
inside any of the last three. This module maps all four onto each other, once for each text:

    text        n     a     ï        👩‍🚀
    bytes       0     1     2  3     4 . . . . . . . . . 14
    characters  0     1     2        3  (woman)  4 (joiner)  5 (rocket)
    UTF-16      0     1     2        3  4        5           6  7
    graphemes   0     1     2        3

To draw text truthfully it is cut into *blocks* at the places where a token's edge and a
grapheme's edge coincide. A block of one token is drawn as a chip. In a block of several tokens
some grapheme is split: each of its graphemes is drawn once, with its tokens as *lanes* under it.
A block of no token is a *gap*: text that the encoding drops, such as white space between words.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import regex

from ..checks import check_encoding, check_list, check_whole_number, wrong_type
from ..encoding import AllowedSpecial, Encoding, Ids, Losses, Offsets, Placement, well_formed
from .common_ends import common_prefix, common_suffix
from .lazily import lazily
from .walls import find_walls

LONGEST_GRAPHEME = 16
"""Characters. A longer cluster (someone stacked combining marks) is drawn character by character."""

# A grapheme of several characters holds at least one of these, or is \r\n (Unicode Annex 29).
_JOINERS = regex.compile(
    "["
    + "".join(rf"\p{{GCB={kind}}}" for kind in "Extend ZWJ SpacingMark Prepend RI L V T".split())
    + r"]+|\r\n"
)
_GRAPHEME = regex.compile(r"\X")
_FLAG_RUN = 64  # regional indicators; even, so that no flag is cut
_FLAGS = regex.compile(r"\p{RI}{65,}")
_NO_CLUSTERS: Offsets = np.zeros((0, 2), dtype=np.int64)


class TextMap:
    """A text and its four ways of counting, each looked up by byte offset.

    Lone surrogates are replaced first (``well_formed``), so ``text`` may differ from the argument
    there, by as many UTF-16 units.

    Args:
        before: the text before an edit. Of what is the same in both, the graphemes are taken over.

    >>> TextMap("na\\u00ef").n_bytes
    4
    """

    def __init__(self, text: str, *, before: TextMap | None = None) -> None:
        self.text: str = well_formed(text)
        self._known: tuple[str, Offsets] | None = None
        if before is not None:
            _check_text_map(before, "before")
            # Not the map itself: it would hold the one before it, and so on.
            if "clusters" in before.__dict__:
                self._known = before.text, before.clusters
        self.data = self.text.encode("utf-8")
        self.n_bytes = len(self.data)
        self.n_chars = len(self.text)

    @lazily
    def is_ascii(self) -> bool:
        """Whether bytes, characters and UTF-16 units are all the same."""
        return self.n_bytes == self.n_chars

    @lazily
    def _lead_bytes(self) -> npt.NDArray[np.bool_]:
        """Shape (n_bytes,): whether a character begins at this byte."""
        raw: npt.NDArray[np.uint8] = np.frombuffer(self.data, dtype=np.uint8)
        return np.asarray((raw & 0xC0) != 0x80)

    def begins_character(self, offset: int) -> bool:
        """Whether a character begins at this byte, or the text ends there."""
        return offset == self.n_bytes or (self.data[offset] & 0xC0) != 0x80

    @lazily
    def char_at(self) -> Offsets:
        """Shape (n_bytes + 1,): the index of the character that holds this byte.

        >>> TextMap("a\\u00efb").char_at.tolist()
        [0, 1, 1, 2, 3]
        """
        if self.is_ascii:
            return np.arange(self.n_bytes + 1)
        begun = np.append(np.cumsum(self._lead_bytes, dtype=np.int32), np.int32(self.n_chars + 1))
        return begun - 1

    def char_index(self, offset: int) -> int:
        """The index of the character that holds this byte; at the end of the text, ``n_chars``."""
        return offset if self.is_ascii else int(self.char_at[offset])

    @lazily
    def utf16_at(self) -> Offsets:
        """Shape (n_bytes + 1,): where the character that holds this byte begins, in UTF-16 units.

        >>> TextMap("\\U0001f680!").utf16_at.tolist()
        [0, 0, 0, 0, 2, 3]
        """
        return self.char_at if self._has_no_pairs else self._utf16_of_char[self.char_at]

    @lazily
    def _has_no_pairs(self) -> bool:
        """Whether each character is one UTF-16 unit."""
        return self.is_ascii or int(np.frombuffer(self.data, dtype=np.uint8).max()) < 0xF0

    @lazily
    def _utf16_of_char(self) -> Offsets:
        """Shape (n_chars + 1,): where each character begins, in UTF-16 units."""
        if self._has_no_pairs:
            return np.arange(self.n_chars + 1)
        raw = np.frombuffer(self.data, dtype=np.uint8)
        units = 1 + (raw[self._lead_bytes] >= 0xF0).astype(np.int64)
        return np.concatenate(([0], np.cumsum(units)))

    @lazily
    def byte_of_char(self) -> Offsets:
        """Shape (n_chars + 1,): where each character begins, in bytes."""
        return np.append(np.flatnonzero(self._lead_bytes), self.n_bytes)

    @lazily
    def clusters(self) -> Offsets:
        """The grapheme clusters of several characters, in order: (start, end) in characters, shape (n, 2).

        Every other character is a grapheme of its own. Clusters of more than
        ``LONGEST_GRAPHEME`` characters count as single characters.

        >>> TextMap("e\\u0301a\\r\\n").clusters.tolist()
        [[0, 2], [3, 5]]
        """
        if self.is_ascii and "\r" not in self.text:
            return _NO_CLUSTERS
        if self._known is None:
            return _find_clusters(self.text)
        (old, known), self._known = self._known, None
        head = common_prefix(old, self.text)
        tail = common_suffix(old, self.text, min(len(old), self.n_chars) - head)
        # A grapheme ends at each line feed, so that whole lines that are the same have the same ones.
        first = self.text.rfind("\n", 0, head) + 1
        last = self.text.find("\n", self.n_chars - tail) + 1 or self.n_chars
        grown = self.n_chars - len(old)
        return np.concatenate(
            [
                known[: np.searchsorted(known[:, 1], first, "right")],
                first + _find_clusters(self.text[first:last]),
                known[np.searchsorted(known[:, 0], last - grown) :] + grown,
            ]
        )

    @lazily
    def is_grapheme_edge(self) -> npt.NDArray[np.bool_]:
        """Shape (n_bytes + 1,): whether a grapheme begins (or the text ends) at this byte."""
        edge = np.append(self._lead_bytes, True)
        if len(self.clusters):
            starts, ends = self.clusters.T
            change = np.zeros(self.n_chars + 1, dtype=np.int8)
            change[starts + 1] = 1
            change[ends] -= 1  # clusters can follow each other
            edge[self.byte_of_char[np.cumsum(change, dtype=np.int8) > 0]] = False
        return edge

    @lazily
    def n_graphemes(self) -> int:
        """How many signs a reader sees (those stacked beyond ``LONGEST_GRAPHEME`` count singly)."""
        return self.n_chars + len(self.clusters) - int((self.clusters[:, 1] - self.clusters[:, 0]).sum())

    @lazily
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
    """The grapheme clusters of a text that has several characters in each, as ``TextMap.clusters``."""
    clusters: list[tuple[int, int]] = []
    for begin, stop in _stretches(text):
        # A slice, not a start position: the engine looks back over flags as far as it can.
        for cluster in _GRAPHEME.finditer(text[begin:stop]):
            start, end = cluster.span()
            if 1 < end - start <= LONGEST_GRAPHEME:
                clusters.append((begin + start, begin + end))
    return np.array(clusters, dtype=np.int64).reshape(-1, 2)


def _stretches(text: str) -> Iterator[tuple[int, int]]:
    """Stretches that hold all graphemes of several characters, and end at graphemes' edges.

    A flag is a pair of regional indicators, counted from the start of their run, which takes the
    engine quadratic time. A long run is cut into stretches of whole pairs.
    """
    for begin, stop in _joined_stretches(text):
        for run in _FLAGS.finditer(text, begin, stop):
            for edge in range(run.start() + _FLAG_RUN, run.end(), _FLAG_RUN):
                yield begin, edge
                begin = edge
        yield begin, stop


def _joined_stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where graphemes of several characters may be: joiners, with a character on either side."""
    begin = stop = -1
    for joiners in _JOINERS.finditer(text):
        start, end = joiners.span()
        if start - 1 > stop or stop < 0:
            if stop >= 0:
                yield begin, stop
            begin = max(0, start - 1)
        stop = min(end + 1, len(text))
    if stop >= 0:
        yield begin, stop


@dataclass(frozen=True)
class Lane:
    """The part of one token in one grapheme: the token's index, and bytes [start, end)."""

    token: int
    start: int
    end: int


@dataclass(frozen=True)
class Cell:
    """One grapheme of a split block: its text, and its tokens as lanes (at least one)."""

    text: str
    lanes: tuple[Lane, ...]


@dataclass(frozen=True)
class Block:
    """Tokens [first, last] that together cover whole graphemes; ``cells`` is empty for one token.

    In a gap, which no token covers, ``last`` is ``first - 1``.
    """

    text: str
    first: int
    last: int
    cells: tuple[Cell, ...]


class Spans:
    """The tokens of a text, with their places. Token i covers bytes [starts[i], ends[i]).

    Args:
        text_map: the text.
        encoding: what encoded it.
        ids: its token ids, shape (n,).
        places: where each token starts and where it ends, both of shape (n,), as ``Encoding.place`` says it;
            None: each token begins where the last one ends, and covers as many bytes as it stands for.

    Raises:
        ValueError: the ids, or the places, are not those of this text.

    >>> from tokenizers import get_encoding
    >>> spans = encode_spans(get_encoding("gpt2"), "hello world")
    >>> spans.ids.tolist(), spans.starts.tolist(), spans.ends.tolist()
    ([31373, 995], [0, 5], [5, 11])
    """

    def __init__(
        self,
        text_map: TextMap,
        encoding: Encoding,
        ids: Ids,
        places: tuple[Offsets, Offsets] | None = None,
    ) -> None:
        _check_text_map(text_map)
        check_encoding(encoding, "encoding")
        if not isinstance(ids, np.ndarray):
            raise wrong_type("ids", "an array, such as encode_array makes", ids)
        self.text_map = text_map
        self.encoding = encoding
        self.ids = ids
        if places is None:
            lengths = encoding.lengths_in(ids, text_map.data)
            self.ends: Offsets = np.cumsum(lengths, dtype=np.int32)
            self.starts: Offsets = self.ends - lengths.astype(np.int32)
            covered = int(self.ends[-1]) if len(ids) else 0
            if covered != text_map.n_bytes:
                raise ValueError(
                    f"These ids cover {covered} bytes and the text has {text_map.n_bytes}: "
                    "they are not its tokens."
                )
            self.joins = True
        else:
            if not (isinstance(places, tuple) and all(isinstance(edges, np.ndarray) for edges in places)):
                raise wrong_type("places", "two arrays, the starts and the ends", places)
            self.starts, self.ends = (edges.astype(np.int32, copy=False) for edges in places)
            _check_places(self.starts, self.ends, len(ids), text_map.n_bytes)
            # Whether each token begins where the last one ends, from the text's beginning to its end.
            edges = np.concatenate(([0], self.ends))
            self.joins = bool(np.array_equal(edges[:-1], self.starts)) and int(edges[-1]) == text_map.n_bytes

    def __len__(self) -> int:
        return len(self.ids)

    def bytes_of(self, index: int) -> bytes:
        """The bytes of the text that a token covers; for most tokens, those that it stands for.

        >>> from tokenizers import get_encoding
        >>> encode_spans(get_encoding("words"), "the zyzzyva").bytes_of(1)
        b'zyzzyva'
        """
        return self.text_map.data[int(self.starts[index]) : int(self.ends[index])]

    @lazily
    def decodes_to_text(self) -> bool:
        """Whether the ids, decoded, are the text again, byte for byte."""
        return self.encoding.decode_array(self.ids) == self.text_map.data

    @lazily
    def losses(self) -> Losses:
        """The places of the text that do not come back when the ids are decoded."""
        placed = Placement(self.ids, self.starts, self.ends)
        return self.encoding.losses_in(self.text_map.text, placed)

    @lazily
    def unknown(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the token stands for something that is not in the vocabulary."""
        unknown_id = self.encoding.unknown_id
        return np.zeros(len(self), dtype=np.bool_) if unknown_id is None else self.ids == unknown_id

    @lazily
    def _covered_before(self) -> Offsets:
        """Shape (n,): up to where the tokens before this one cover the text."""
        if self.joins:
            return self.starts
        return np.concatenate(([0], self.ends))[:-1]  # ends never fall: ``check_place``

    @lazily
    def shared(self) -> Offsets:
        """Shape (n,): how many bytes each token shares with those before it, as three tokens of ½ might."""
        shared: Offsets = np.maximum(self._covered_before - self.starts, 0)
        return shared

    @lazily
    def stretches(self) -> tuple[npt.NDArray[np.int64], Offsets, Offsets]:
        """The text from beginning to end as stretches, each of one token, or of none.

        A token that shares bytes with those before it has what they left of it, perhaps nothing.

        Returns:
            of each stretch: the index of its token, or -1; where it starts; where it ends. They join.

        >>> from tokenizers import get_encoding
        >>> owners, starts, ends = encode_spans(get_encoding("words"), "the  law").stretches
        >>> owners.tolist(), starts.tolist(), ends.tolist()
        ([0, -1, 1], [0, 3, 5], [3, 5, 8])
        """
        owners = np.arange(len(self), dtype=np.int64)
        if self.joins:
            return owners, self.starts, self.ends
        before = np.append(self._covered_before, max(self.ends, default=0))
        nexts = np.append(self.starts, self.text_map.n_bytes)
        gaps = np.flatnonzero(nexts > before)  # before which tokens there is one
        starts = np.insert(np.maximum(self.starts, before[:-1]), gaps, before[gaps])
        ends = np.insert(np.maximum(self.ends, before[:-1]), gaps, nexts[gaps])
        return np.insert(owners, gaps, -1), starts, ends

    @lazily
    def clean_starts(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the token begins at a grapheme's edge, and shares no byte with earlier ones."""
        clean = self.text_map.is_grapheme_edge[self.starts]
        return clean if self.joins else clean & (self._covered_before <= self.starts)

    @lazily
    def utf16_lengths(self) -> Offsets:
        """UTF-16 units that each of ``stretches`` adds; 0 if it ends inside the character it began in.

        A unit counts for the stretch in which its character ends, so the sum is the text's length. Where the
        tokens join, there is one stretch for each: shape (n,).
        """
        ends = self.text_map.utf16_at[self.stretches[2]]
        return np.diff(ends, prepend=ends.dtype.type(0))  # they join

    @property
    def seen(self) -> Spans:
        """The same tokens in the text that the encoding cuts: this one, unless it rewrites a text first."""
        rewritten = self._rewritten
        return self if rewritten is None else rewritten

    @lazily
    def _rewritten(self) -> Spans | None:
        """What is ``seen``; None: this one, which would stay in memory for long if it held itself."""
        seen = self.encoding.seen_spans(self)
        return None if seen is self else seen

    @lazily
    def wall_starts(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether a wall of the split pattern stands before the token.

        The pieces are found as the encoding finds them, between special tokens.

        Raises:
            ValueError: the encoding has no split pattern. Or the pieces do not give these ids: that can
                happen with characters so new that only one of ``regex`` and tiktoken's engine knows them.
        """
        splitting = self.encoding.splitting
        if splitting is None:
            raise ValueError(f"{self.encoding.name} has no split pattern, so there are no walls in its text.")
        if self.seen is not self:
            return self.seen.wall_starts
        text_map = self.text_map
        walls = find_walls(splitting, text_map.text, text_map.data, np.stack(self._special_edges, axis=1))
        starts = walls[self.starts]
        every_wall_is_a_cut = int(starts.sum()) == int(walls[:-1].sum())
        if not every_wall_is_a_cut or not splitting.confirms_pieces(self.text_map.text, self.ids):
            raise ValueError(
                f"The walls of {self.encoding.name} cannot be shown for this text: it has characters that "
                "are too new for one of the two regular expression engines."
            )
        return starts

    @lazily
    def wall_edges(self) -> Offsets:
        """Where the walls stand, in bytes, the beginning and the end of the text included; increasing.

        Raises:
            ValueError: as ``wall_starts``.

        >>> from tokenizers import get_encoding
        >>> encode_spans(get_encoding("gpt2"), "the cat!").wall_edges.tolist()
        [0, 3, 7, 8]
        """
        return np.append(self.starts[self.wall_starts].astype(np.int64), self.text_map.n_bytes)

    @lazily
    def _special_edges(self) -> tuple[Offsets, Offsets]:
        """Where the special tokens begin, and where they end."""
        return self.starts[self.special], self.ends[self.special]

    @lazily
    def _stretch_texts(self) -> dict[int, str]:
        """The stretches that ``stretch_of`` was asked for, by where they begin, in bytes."""
        return {}

    def check_place(self, byte_offset: int) -> None:
        """Refuse a place between two bytes that the text does not have.

        Raises:
            ValueError: there is no such place.
        """
        check_whole_number(byte_offset, "byte_offset")
        n_bytes = self.text_map.n_bytes
        if not 0 <= byte_offset <= n_bytes:
            raise ValueError(
                f"There is no place {byte_offset} in this text: choose from 0 (its beginning) to {n_bytes} "
                "(its end), in bytes."
            )

    def edge_in_words(self, byte_offset: int) -> str:
        """What stands at a place of the text's edge, as a sentence; empty: it has text on either side.

        Raises:
            ValueError: the text has no such place.

        >>> from tokenizers import get_encoding
        >>> spans = encode_spans(get_encoding("bytes"), "ab")
        >>> spans.edge_in_words(0), spans.edge_in_words(1), spans.edge_in_words(2)
        ('The text begins here.', '', 'The text ends here.')
        """
        self.check_place(byte_offset)
        n_bytes = self.text_map.n_bytes
        if not n_bytes:
            return "The text is empty."
        if byte_offset in (0, n_bytes):
            return f"The text {'ends' if byte_offset else 'begins'} here."
        return ""

    def around(self, byte_offset: int) -> tuple[int, int] | str:
        """The tokens on either side of a place, by index; or, as a sentence, why there are not two.

        Inside of a token, both are that one.

        Raises:
            ValueError: the text has no such place.

        >>> from tokenizers import get_encoding
        >>> spans = encode_spans(get_encoding("mistral-v1"), "hello world")
        >>> spans.around(5), spans.around(8), spans.around(0)
        ((1, 2), (2, 2), 'The text begins here.')
        """
        edge = self.edge_in_words(byte_offset)
        if edge:
            return edge
        before, after = self.covering(byte_offset - 1), self.covering(byte_offset)
        if before is None or after is None:
            return f"What stands here belongs to no token: {self.encoding.name} drops it."
        return before, after

    def stretch_of(self, start: int, end: int) -> tuple[str, int]:
        """The text between two special tokens in which a piece lies: what the split pattern sees.

        Args:
            start, end: the piece, in bytes.

        Returns:
            the stretch, and where the piece begins in it, in characters.

        Raises:
            ValueError: no such bytes.

        >>> from tokenizers import get_encoding
        >>> spans = encode_spans(get_encoding("gpt2"), "a<|endoftext|>the cat", allowed_special="all")
        >>> spans.stretch_of(17, 21)
        ('the cat', 3)
        """
        check_whole_number(start, "start")
        check_whole_number(end, "end")
        if not 0 <= start <= end <= self.text_map.n_bytes:
            raise ValueError(
                f"There is no piece from byte {start} to byte {end}: the text has {self.text_map.n_bytes}."
            )
        special_starts, special_ends = self._special_edges
        before, after = bisect.bisect_right(special_ends, start), bisect.bisect_left(special_starts, end)
        begin = int(special_ends[before - 1]) if before else 0
        stop = int(special_starts[after]) if after < len(special_starts) else self.text_map.n_bytes
        text_map = self.text_map
        text = self._stretch_texts.get(begin)
        if text is None:
            text = text_map.text
            if stop - begin < text_map.n_bytes:
                text = text[text_map.char_index(begin) : text_map.char_index(stop)]
            self._stretch_texts[begin] = text
        return text, text_map.char_index(start) - text_map.char_index(begin)

    @lazily
    def special(self) -> npt.NDArray[np.bool_]:
        """Shape (n,): whether the token is a special one."""
        return self.encoding.are_special(self.ids)

    def covering(self, offset: int) -> int | None:
        """The index of the first token that covers this byte; None: it belongs to no token.

        Raises:
            ValueError: no such byte.

        >>> from tokenizers import get_encoding
        >>> spans = encode_spans(get_encoding("words"), "the law")
        >>> spans.covering(2), spans.covering(3), spans.covering(4)
        (0, None, 1)
        """
        check_whole_number(offset, "offset")
        if not 0 <= offset < self.text_map.n_bytes:
            raise ValueError(f"There is no byte {offset}: the text has {self.text_map.n_bytes}.")
        # Not np.searchsorted: to look for a Python integer, it first copies the whole array as int64.
        index = bisect.bisect_right(self.ends, offset)
        return index if index < len(self) and int(self.starts[index]) <= offset else None

    def token_at(self, offset: int) -> int:
        """As ``covering``, where a token there must be.

        Raises:
            ValueError: no such byte, or it belongs to no token.
        """
        index = self.covering(offset)
        if index is None:
            raise ValueError(f"Byte {offset} belongs to no token of {self.encoding.name}.")
        return index

    def overlapping(self, start: int, end: int) -> tuple[int, int]:
        """The tokens that share bytes with [start, end): (first, one past the last)."""
        check_whole_number(start, "start")
        check_whole_number(end, "end")
        first = bisect.bisect_right(self.ends, start)
        return first, max(first, bisect.bisect_left(self.starts, end))

    def window(self, text_map: TextMap, start: int) -> tuple[Spans, int]:
        """The part of the tokens that lies in a window of the text.

        A token that reaches over the window's edge is clipped to it.

        Args:
            text_map: the text of the window.
            start: where the window begins in the whole text, in bytes.

        Returns:
            the spans of the window, and the index of its first token in the whole text.

        >>> from tokenizers import get_encoding
        >>> part, first = encode_spans(get_encoding("gpt2"), "hello world").window(TextMap("lo w"), 3)
        >>> part.starts.tolist(), part.ends.tolist(), first
        ([0, 2], [2, 4], 0)
        """
        _check_text_map(text_map)
        end = check_whole_number(start, "start") + text_map.n_bytes
        first, after = self.overlapping(start, end)
        starts = np.maximum(self.starts[first:after], start) - start
        ends = np.minimum(self.ends[first:after], end) - start
        return Spans(text_map, self.encoding, self.ids[first:after], (starts, ends)), first

    def blocks(self) -> Iterator[Block]:
        """The text as it is drawn; the blocks' texts join to the text.

        This is the specification: the component draws the same blocks from the tokens' flags, and the
        browser tests hold it to them.

        >>> from tokenizers import get_encoding
        >>> [block] = encode_spans(get_encoding("gpt2"), "\\u0939").blocks()
        >>> block.first, block.last, [len(cell.lanes) for cell in block.cells]
        (0, 1, [2])
        """
        owners, starts, ends = (column.tolist() for column in self.stretches)
        edge, clean = self.text_map.is_grapheme_edge, self.clean_starts
        begin = 0  # the first stretch of the block
        for at in range(1, len(owners) + 1):
            if at < len(owners):
                owner = owners[at]
                if not (clean[owner] if owner >= 0 else edge[starts[at]]):
                    continue
            yield self._block(owners[begin:at], starts[begin:at], ends[begin:at])
            begin = at

    def _block(self, owners: list[int], starts: list[int], ends: list[int]) -> Block:
        """The block of some stretches that follow one another."""
        text = self.text_map.data[starts[0] : ends[-1]].decode("utf-8")
        tokens = [owner for owner in owners if owner >= 0]
        if not tokens:  # a gap, before the token that comes next
            first = int(np.searchsorted(self.starts, ends[-1]))
            return Block(text, first, first - 1, ())
        cells = self._cells(tokens[0], tokens[-1] + 1, starts[0], ends[-1]) if len(tokens) > 1 else ()
        return Block(text, tokens[0], tokens[-1], cells)

    def _cells(self, first: int, after: int, begin: int, stop: int) -> tuple[Cell, ...]:
        """The graphemes of bytes [begin, stop), each with its lanes, of the tokens [first, after)."""
        edges = zip(self.starts[first:after].tolist(), self.ends[first:after].tolist(), strict=True)
        tokens = [(index, start, end) for index, (start, end) in enumerate(edges, start=first)]
        cells: list[Cell] = []
        passed = 0  # tokens that end before the cell begins
        for cell_start, cell_end in self.text_map.cells(begin, stop):
            while passed < len(tokens) and tokens[passed][2] <= cell_start:
                passed += 1
            lanes: list[Lane] = []
            for at in range(passed, len(tokens)):
                index, start, end = tokens[at]
                if start >= cell_end:
                    break
                lanes.append(Lane(index, max(cell_start, start), min(cell_end, end)))
            cells.append(Cell(self.text_map.data[cell_start:cell_end].decode("utf-8"), tuple(lanes)))
        return tuple(cells)


def _check_places(starts: Offsets, ends: Offsets, n_tokens: int, n_bytes: int) -> None:
    """Refuse places that cannot be those of this many tokens in this many bytes."""
    if starts.shape != (n_tokens,) or ends.shape != (n_tokens,):
        raise ValueError(f"{n_tokens:,} tokens need as many starts and ends.")
    if n_tokens and not (
        int(starts[0]) >= 0
        and int(ends[-1]) <= n_bytes
        and bool((starts <= ends).all())
        and bool((starts[1:] >= starts[:-1]).all())
        and bool((ends[1:] >= ends[:-1]).all())
    ):
        raise ValueError(
            "The places are out of order, or outside of the text: they are not those of its tokens."
        )


def _check_text_map(value: object, name: str = "text_map") -> None:
    if not isinstance(value, TextMap):
        raise wrong_type(name, "a TextMap", value)


def encode_spans(encoding: Encoding, text: str | TextMap, *, allowed_special: AllowedSpecial = ()) -> Spans:
    """Encode a text and say where each token stands.

    Raises:
        ValueError: the text is longer than the encoding takes, or has too many of something that it bounds.
    """
    check_encoding(encoding, "encoding")
    text_map = text if isinstance(text, TextMap) else TextMap(text)
    encoding.check_length(text_map.n_bytes)
    if encoding.merging and encoding.is_lossless:  # its tokens join
        return Spans(
            text_map, encoding, encoding.encode_array(text_map.text, allowed_special=allowed_special)
        )
    placed = encoding.place(text_map.text, allowed_special=allowed_special)
    return Spans(text_map, encoding, placed.ids, (placed.starts, placed.ends))


def only_here(many: list[Spans]) -> list[npt.NDArray[np.bool_]]:
    """For each encoding: whether the cut before each token is one that no other encoding makes.

    All must be of the same text. The start of the text is no cut.

    >>> from tokenizers import get_encoding
    >>> both = [encode_spans(get_encoding(n), "1234567") for n in ("gpt2", "cl100k_base")]
    >>> [(spans.starts.tolist(), flags.tolist()) for spans, flags in zip(both, only_here(both))]
    [([0, 3, 5], [False, False, True]), ([0, 3, 6], [False, False, True])]
    """
    check_list(many, "many", "a list of Spans")
    for spans in many:
        if not isinstance(spans, Spans):
            raise wrong_type("each of many", "Spans", spans)
    if len(many) < 2:
        return [np.zeros(len(spans), dtype=np.bool_) for spans in many]
    cuts_at = np.zeros(many[0].text_map.n_bytes + 1, dtype=np.uint16)
    for spans in many:
        cuts_at[spans.starts] += 1
    return [(cuts_at[spans.starts] == 1) & (spans.starts > 0) for spans in many]
