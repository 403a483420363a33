"""Where each token is in a text: in bytes, characters, UTF-16 units, and grapheme clusters.

A token may begin or end inside a character or a grapheme, two tokens may share bytes, and there may be text
between them that belongs to none.
"""

from __future__ import annotations

import bisect
from typing import Protocol, runtime_checkable

import numpy as np

from ..arrays import I64, Flags
from ..cached import cached_property
from ..encoding import AllowedSpecial, Encoding, Ids, Offsets
from ..placement import Loss, Placement, find_losses
from ..utf8 import utf8_length
from .html import draw_spans
from .text_map import TextMap


@runtime_checkable
class Rewrites(Protocol):
    """The capability of encodings that rewrite a text before they cut it."""

    def seen_spans(self, spans: Spans) -> Spans:
        """The same tokens, with their places in the text that the encoding cuts."""


@runtime_checkable
class Explains(Protocol):
    """The capability of encodings that say why they cut a text where they do."""

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence.

        Raises:
            ValueError: the text has no such place.
        """


class Spans:
    """The tokens of a text, with their places. Token i covers bytes [starts[i], ends[i]).

    Args:
        text_map: the text.
        encoding: what encoded it.
        ids: its token ids, shape (n,).
        places: where each token starts and where it ends, both of shape (n,) and never falling, as
            ``Encoding.place`` returns them; None: each token begins where the last one ends, and covers as
            many bytes as it has.

    Attributes:
        covers_own_bytes: whether each token covers the bytes that it stands for.

    Raises:
        ValueError: the ids are not those of this text.

    >>> from tokenizers import get_encoding
    >>> spans = encode_spans(get_encoding("gpt2"), "hello world")
    >>> spans.ids.tolist(), spans.starts.tolist(), spans.ends.tolist()
    ([31373, 995], [0, 5], [5, 11])
    """

    def __init__(
        self, text_map: TextMap, encoding: Encoding, ids: Ids, places: tuple[Offsets, Offsets] | None = None
    ) -> None:
        self.text_map = text_map
        self.encoding = encoding
        self.ids = ids
        self.covers_own_bytes = places is None
        if places is None:
            edges = np.zeros(len(ids) + 1, np.int32)  # of both, since they differ by one place only
            np.cumsum(encoding.lengths_in(ids, text_map.data), dtype=np.int32, out=edges[1:])
            if edges[-1] != text_map.n_bytes:
                raise ValueError(
                    f"These ids cover {edges[-1]} bytes and the text has {text_map.n_bytes}: "
                    "they are not its tokens."
                )
            self.starts = edges[:-1]
            self.ends = edges[1:]
            self.joins = True
            return
        self.starts, self.ends = (edges.astype(np.int32, copy=False) for edges in places)
        # Whether each token begins where the last one ends, from the text's beginning to its end.
        begins = np.append(self.starts, text_map.n_bytes)
        self.joins = np.array_equal(begins, np.append(0, self.ends))

    def __len__(self) -> int:
        return len(self.ids)

    def _repr_html_(self) -> str:
        """What a Jupyter notebook draws: the tokens in colour."""
        return draw_spans(self, self.encoding.name)

    def bytes_of(self, index: int) -> bytes:
        """The bytes of the text that a token covers; for most tokens, these are the token's own bytes.

        >>> from tokenizers import get_encoding
        >>> encode_spans(get_encoding("words"), "the zyzzyva").bytes_of(1)
        b'zyzzyva'
        """
        start = int(self.starts[index])
        end = int(self.ends[index])
        return self.text_map.data[start:end]

    def id_at(self, index: int) -> int:
        """The id of a token."""
        return int(self.ids[index])

    @cached_property
    def decodes_to_text(self) -> bool:
        """Whether decoding the ids gives the text again, byte for byte."""
        return self.encoding.is_lossless or self.encoding.decode_array(self.ids) == self.text_map.data

    @property
    def _placement(self) -> Placement:
        return Placement(self.ids, self.starts, self.ends)

    @cached_property
    def losses(self) -> list[Loss]:
        """The places of the text that decoding the ids does not give back."""
        return self.encoding.losses_in(self.text_map.text, self._placement)

    @cached_property
    def changes(self) -> list[Loss]:
        """The places of the text whose tokens have other bytes: what the encoding rewrites before it cuts."""
        own = [self.encoding.token_bytes(token_id) for token_id in self.ids.tolist()]
        return find_losses(self.text_map.text, self._placement, own)

    @cached_property
    def unknown(self) -> Flags:
        """Shape (n,): whether the token stands for something that is not in the vocabulary."""
        unknown_id = self.encoding.unknown_id
        return np.zeros(len(self), bool) if unknown_id is None else self.ids == unknown_id

    @cached_property
    def _covered_before(self) -> Offsets:
        """Shape (n,): the end of what the tokens before this one cover."""
        return np.concatenate(([0], self.ends))[:-1]

    @cached_property
    def shared(self) -> Offsets:
        """Shape (n,): how many bytes each token shares with those before it; three tokens may cover one ½."""
        shared: Offsets = np.maximum(self._covered_before - self.starts, 0)
        return shared

    @cached_property
    def stretches(self) -> tuple[I64, Offsets, Offsets]:
        """The text from beginning to end as stretches, each of one token, or of none.

        A token that shares bytes with those before it gets only the bytes that these do not cover, perhaps
        none.

        Returns:
            for each stretch: the index of its token, or -1; where it starts; where it ends. Each begins where
            the last one ended.

        >>> from tokenizers import get_encoding
        >>> owners, starts, ends = encode_spans(get_encoding("words"), "the  law").stretches
        >>> owners.tolist(), starts.tolist(), ends.tolist()
        ([0, -1, 1], [0, 3, 5], [3, 5, 8])
        """
        owners = np.arange(len(self), dtype=np.int64)
        if self.joins:
            return owners, self.starts, self.ends
        covered = self._covered_before
        befores = np.append(covered, max(self.ends, default=0))
        nexts = np.append(self.starts, self.text_map.n_bytes)
        gaps = np.flatnonzero(nexts > befores)  # by the index of the token after it
        return (
            np.insert(owners, gaps, -1),
            np.insert(np.maximum(self.starts, covered), gaps, befores[gaps]),
            np.insert(np.maximum(self.ends, covered), gaps, nexts[gaps]),
        )

    @cached_property
    def clean_starts(self) -> Flags:
        """Shape (n,): whether the token begins at a grapheme's edge, and shares no byte with earlier ones."""
        clean: Flags = self.text_map.is_grapheme_edge[self.starts]
        return clean & (self._covered_before <= self.starts)

    @cached_property
    def utf16_lengths(self) -> Offsets:
        """UTF-16 units that each of ``stretches`` adds; 0 if it ends inside the character it began in.

        A unit counts for the stretch in which its character ends, so the sum is the text's length. Where the
        tokens join, there is one stretch for each: shape (n,).
        """
        _, _, stops = self.stretches
        ends = self.text_map.utf16_at[stops]
        return np.diff(ends, prepend=ends.dtype.type(0))  # each begins where the last one ended

    @property
    def seen(self) -> Spans:
        """The same tokens in the text that the encoding cuts. These spans, if it does not rewrite a text."""
        rewritten = self._rewritten
        return self if rewritten is None else rewritten

    @cached_property
    def _rewritten(self) -> Spans | None:
        """As ``seen``; None: these spans, which would stay in memory for long if they held themselves."""
        if not isinstance(self.encoding, Rewrites):
            return None
        seen = self.encoding.seen_spans(self)
        return None if seen is self else seen

    def reason(self, byte_offset: int) -> str:
        """Why there is a cut at this place, or none, as a sentence; empty: this encoding cannot say.

        Raises:
            ValueError: the text has no such place.

        >>> from tokenizers import get_encoding
        >>> encode_spans(get_encoding("bytes"), "né").reason(1)
        'Every byte is a token of its own, so there is a cut here.'
        """
        return self.encoding.reason(self, byte_offset) if isinstance(self.encoding, Explains) else ""

    @cached_property
    def wall_starts(self) -> Flags:
        """Shape (n,): whether there is a wall of the split pattern right before the token.

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
        data = self.text_map.data
        special_starts, special_ends = (edges.tolist() for edges in self._special_edges)
        begins = [0, *special_ends]
        stops = [*special_starts, len(data)]
        walls = np.zeros(len(data) + 1, bool)
        walls[begins] = True
        walls[stops] = True
        for begin, stop in zip(begins, stops, strict=True):
            pieces = splitting.pieces(data[begin:stop].decode())
            lengths = list(map(utf8_length, pieces))
            walls[begin + np.cumsum(lengths, dtype=np.int64)] = True
        starts = walls[self.starts]
        every_wall_is_a_cut = int(starts.sum()) == int(walls[:-1].sum())
        if not every_wall_is_a_cut or not splitting.confirms_pieces(self.text_map.text, self.ids):
            raise ValueError(
                f"The walls of {self.encoding.name} cannot be shown for this text: it has characters that "
                "are too new for one of the two regular expression engines."
            )
        return starts

    @cached_property
    def wall_edges(self) -> Offsets:
        """Where the walls are, in bytes, the beginning and the end of the text included; increasing.

        Raises:
            ValueError: as ``wall_starts``.

        >>> from tokenizers import get_encoding
        >>> encode_spans(get_encoding("gpt2"), "the cat!").wall_edges.tolist()
        [0, 3, 7, 8]
        """
        return np.append(self.starts[self.wall_starts].astype(np.int64), self.text_map.n_bytes)

    @cached_property
    def _special_edges(self) -> tuple[Offsets, Offsets]:
        """Where the special tokens begin, and where they end."""
        return self.starts[self.special], self.ends[self.special]

    def check_place(self, byte_offset: int) -> None:
        """Refuse a place that is not in the text.

        Raises:
            ValueError: the text has no such place.
        """
        n_bytes = self.text_map.n_bytes
        if not 0 <= byte_offset <= n_bytes:
            raise ValueError(
                f"There is no place {byte_offset} in this text: choose from 0 (its beginning) to {n_bytes} "
                "(its end), in bytes."
            )

    def around(self, byte_offset: int) -> tuple[int, int] | str:
        """The tokens on either side of a place, by index; or, as a sentence, why there are not two.

        Inside a token, both are that token.

        Raises:
            ValueError: the text has no such place.

        >>> from tokenizers import get_encoding
        >>> spans = encode_spans(get_encoding("mistral-v1"), "hello world")
        >>> spans.around(5), spans.around(8), spans.around(0)
        ((1, 2), (2, 2), 'The text begins here.')
        """
        self.check_place(byte_offset)
        if not self.text_map.n_bytes:
            return "The text is empty."
        if byte_offset == 0:
            return "The text begins here."
        if byte_offset == self.text_map.n_bytes:
            return "The text ends here."
        before = self.covering(byte_offset - 1)
        after = self.covering(byte_offset)
        if before is None or after is None:
            return f"What stands here belongs to no token: {self.encoding.name} drops it."
        return before, after

    def stretch_of(self, start: int, end: int) -> tuple[str, int]:
        """The text between two special tokens in which a piece lies: what the split pattern sees.

        Args:
            start, end: the piece, in bytes.

        Returns:
            the stretch, and where the piece begins in it, in characters.

        >>> from tokenizers import get_encoding
        >>> spans = encode_spans(get_encoding("gpt2"), "a<|endoftext|>the cat", allowed_special="all")
        >>> spans.stretch_of(17, 21)
        ('the cat', 3)
        """
        special_starts, special_ends = self._special_edges
        n_before = bisect.bisect_right(special_ends, start)
        next_special = bisect.bisect_left(special_starts, end)
        begin = int(special_ends[n_before - 1]) if n_before else 0
        has_next = next_special < len(special_starts)
        stop = int(special_starts[next_special]) if has_next else self.text_map.n_bytes
        first, piece, last = map(self.text_map.char_index, (begin, start, stop))
        return self.text_map.text[first:last], piece - first

    @cached_property
    def special(self) -> Flags:
        """Shape (n,): whether the token is a special one."""
        return self.encoding.is_special_id[self.ids]

    def covering(self, offset: int) -> int | None:
        """The index of the first token that covers this byte; None: it belongs to no token.

        Raises:
            ValueError: no such byte.

        >>> from tokenizers import get_encoding
        >>> spans = encode_spans(get_encoding("words"), "the law")
        >>> spans.covering(2), spans.covering(3), spans.covering(4)
        (0, None, 1)
        """
        if not 0 <= offset < self.text_map.n_bytes:
            raise ValueError(f"There is no byte {offset}: the text has {self.text_map.n_bytes}.")
        # Not np.searchsorted: to look for a Python integer, it first copies the whole array as int64.
        index = bisect.bisect_right(self.ends, offset)
        return index if index < len(self) and int(self.starts[index]) <= offset else None

    def overlapping(self, start: int, end: int) -> tuple[int, int]:
        """The tokens that share bytes with [start, end): (first, one past the last)."""
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
        end = start + text_map.n_bytes
        first, after = self.overlapping(start, end)
        starts = np.maximum(self.starts[first:after], start) - start
        ends = np.minimum(self.ends[first:after], end) - start
        spans = Spans(text_map, self.encoding, ids=self.ids[first:after], places=(starts, ends))
        return spans, first


def encode_spans(encoding: Encoding, text: str | TextMap, *, allowed_special: AllowedSpecial = ()) -> Spans:
    """Encode a text and say where each token is.

    Raises:
        ValueError: the text is longer than the encoding takes, or exceeds another limit of it.
    """
    text_map = text if isinstance(text, TextMap) else TextMap(text)
    encoding.check_length(text_map.text)
    if encoding.merging and encoding.is_lossless:  # its tokens join
        ids = encoding.encode_array(text_map.text, allowed_special=allowed_special)
        return Spans(text_map, encoding, ids)
    placed = encoding.place(text_map.text, allowed_special=allowed_special)
    return Spans(text_map, encoding, placed.ids, (placed.starts, placed.ends))


def only_here(many: list[Spans]) -> list[Flags]:
    """For each encoding: whether the cut before each token is one that no other encoding makes.

    All must be of the same text. The start of the text is no cut.

    >>> from tokenizers import get_encoding
    >>> both = [encode_spans(get_encoding(n), "1234567") for n in ("gpt2", "cl100k_base")]
    >>> [(spans.starts.tolist(), flags.tolist()) for spans, flags in zip(both, only_here(both))]
    [([0, 3, 5], [False, False, True]), ([0, 3, 6], [False, False, True])]
    """
    if len(many) < 2:
        return [np.zeros(len(spans), bool) for spans in many]
    n_cuts = np.zeros(many[0].text_map.n_bytes + 1, np.uint16)  # by place
    for spans in many:
        n_cuts[spans.starts] += 1
    n_cuts[0] = 0
    return [n_cuts[spans.starts] == 1 for spans in many]
