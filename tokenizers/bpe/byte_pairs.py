"""Byte-level byte pair encodings: ranks of bytes, on tiktoken's engine.

The engine splits a text by a pattern and merges, in each piece, by the rank of the joined bytes. What
differs is where the ranks come from: tiktoken's own files (``bundled/published.py``) or merges that were
learned here (``home.py``).
"""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import tiktoken

from .. import kernels
from ..cached import cached_property
from ..encoding import AllowedSpecial, Encoding, Ids, Splitting
from ..placement import Placement
from ..split.patterns import CL100K, GPT4, cut_safely, engines_agree, scanner_of, split, split_all
from ..utf8 import utf8_of, well_formed
from .explain import explain_in
from .merge_rule import Merging

if TYPE_CHECKING:
    from ..kernels.piece_ids import PieceEncoder
    from ..text.spans import Spans

QUICK_LENGTH = 50_000
"""Characters up to which no text can overflow the engine's regular expressions."""

WORTH_A_TABLE = 2
"""Characters for each token. The engine encodes about as many while the compiled kernels make their table of
tokens. After so many, the kernels encode, where they are loaded: short texts wait for no table."""

SHORT_TEXT = 400
"""Characters of the shortest text that the compiled kernels encode."""

PART_LENGTH = 1 << 15
"""Characters that are encoded at a time, where a long text can be cut: fewer than ``QUICK_LENGTH``."""

_idle: deque[PieceEncoder] = deque(maxlen=8)
"""The compiled encoders that no thread uses now; each takes up to 50 MB, a fourth of it for long pieces."""

_idle_lock = threading.Lock()


class Engine:
    """tiktoken's engine over some ranks, built when it is first used: that can take a quarter of a second.

    Args:
        name: of the encoding.
        ranks: the tokens' bytes, and their ids in the order of ranks.
        special_tokens: text: id.
        pattern: the split pattern; one of ours, never a user's.
    """

    def __init__(
        self, name: str, ranks: Mapping[bytes, int], special_tokens: dict[str, int], pattern: str
    ) -> None:
        self.name = name
        self.ranks = ranks
        self.special_tokens = special_tokens
        self.pattern = pattern

    @classmethod
    def of_tiktoken(cls, name: str) -> Engine:
        """The one that tiktoken has built already."""
        built = tiktoken.get_encoding(name)
        engine = cls(name, built._mergeable_ranks, built._special_tokens, built._pat_str)
        engine.built = built
        return engine

    @cached_property
    def built(self) -> tiktoken.Encoding:
        """The engine itself."""
        arguments: dict[str, Any] = {"mergeable_ranks": self.ranks, "special_tokens": self.special_tokens}
        return tiktoken.Encoding(self.name, pat_str=self.pattern, **arguments)


class BytePairEncoding(Encoding):
    """A byte pair encoding on tiktoken's engine.

    Args:
        name: what people call it.
        engine: its ranks and special tokens.
        pattern: the split pattern; None: no walls.
        engine_splits: whether the engine may split the text itself. A pattern that a person
            typed must never reach it: tiktoken drops what a pattern does not match, and an
            empty pattern crashes it.
        first_id: the id of the token of rank 0, where special tokens come first; the engine is given ids as
            ranks, which merge in the same order.
        n_letters: tokens before the first merge that was learned: of the smallest vocabulary.

    Attributes:
        pattern: the split pattern as its authors published it, which ``train`` takes too.
        exact_pattern: the pattern that ``pieces`` uses. The same, except for cl100k_base in newer versions
            of tiktoken, which never cut the white space at the end of a text.
    """

    family = "byte pairs"
    _by_engine = 0  # characters, since a compiled encoder was last used

    def __init__(
        self,
        name: str,
        *,
        engine: Engine,
        pattern: str | None,
        engine_splits: bool = True,
        first_id: int = 0,
        n_letters: int = 256,
    ) -> None:
        super().__init__(name, engine.special_tokens)
        self._first_id = first_id
        self._n_letters = n_letters
        self.pattern = pattern
        self.exact_pattern = CL100K if pattern == GPT4 and r"|\s++$|" in engine.pattern else pattern
        self._engine = engine
        self._engine_splits = engine_splits
        self._scanner = scanner_of(pattern) if engine_splits else None

    @cached_property
    def merging(self) -> Merging:
        """Its merges and their ranks."""
        return Merging(self.ordinary, None, self._first_id, self._n_letters)

    @property
    def splitting(self) -> Splitting:
        """The split pattern and its pieces; where the pattern is None, a text is one piece."""
        return self

    @cached_property
    def n_vocab(self) -> int:
        """One more than the largest id. Some ids below it may be unused, as in cl100k_base."""
        return 1 + max(itertools.chain(self.ordinary.values(), self.special_tokens.values()))

    @property
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become: their bytes, and their ids, which are in the order of ranks."""
        return self._engine.ranks

    @property
    def engine_pattern(self) -> str:
        """The split pattern in the engine's own spelling."""
        return self._engine.pattern

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence or two.

        Raises:
            ValueError: the text has no such place.
        """
        return explain_in(spans, byte_offset).sentence

    # Text to ids

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, which join to it, and where each one is."""
        ids = self.encode_array(text, allowed_special=allowed_special)
        return Placement.of_lengths(ids, self.lengths_in(ids, utf8_of(text)))

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        allowed = self._allowed(allowed_special)
        if self._scanner is None or len(text) < SHORT_TEXT:
            return self._encode_with_engine(well_formed(text), allowed)
        parts: list[Ids] = []
        # A special token's name may have a U+FFFD, as a lone surrogate becomes one.
        for stretch, special_id in self.cut_at_specials(well_formed(text) if allowed else text, allowed):
            if special_id is not None:
                parts.append(np.array([special_id], np.uint32))
            elif len(stretch) >= SHORT_TEXT and self._is_for_kernels(len(stretch)):
                parts.append(self._encode_compiled(stretch, self._scanner))
            else:
                well = well_formed(stretch)
                parts += (self._encode_with_engine(part, set()) for part in cut_safely(well, PART_LENGTH))
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def _is_for_kernels(self, size: int) -> bool:
        """Whether the compiled kernels encode a text of this size: an encoder is idle, or worth making."""
        # To clear the free slots of a table takes as long as to enter ten thousand tokens.
        is_worth = self._by_engine + size >= WORTH_A_TABLE * (len(self.ordinary) + 10_000)
        is_ready = any(map(self._is_fitting, tuple(_idle))) or (is_worth and kernels.ready_by_now(size))
        self._by_engine = 0 if is_ready else self._by_engine + size
        return is_ready

    def _encode_compiled(self, text: str, scanner: int) -> Ids:
        """The ids of a text without special tokens, by the compiled kernels."""
        from ..kernels.piece_ids import PieceEncoder
        from ..kernels.scanning import character_classes, engine_classes

        with _idle_lock:
            # The one that was used last: its table is in the processor's caches.
            encoder = next(filter(self._is_fitting, reversed(_idle)), None)
            if encoder is not None:
                _idle.remove(encoder)
        # The classes of characters by which the text is split: the engine's; or those of the training.
        classes = engine_classes if self.merging.pairs is None else character_classes
        encoder = encoder or PieceEncoder(self.ordinary, scanner, classes())
        ids = encoder.encode(text)
        with _idle_lock:
            _idle.append(encoder)  # and the one that was idle for the longest time goes
        return ids

    def _is_fitting(self, encoder: PieceEncoder) -> bool:
        return encoder.ranks is self.ordinary and encoder.scanner == self._scanner

    def _encode_with_engine(self, text: str, allowed: set[str]) -> Ids:
        """The ids of a well-formed text, by tiktoken's engine."""
        if self._engine_splits:
            try:
                return self._engine.built.encode_to_numpy(
                    text, allowed_special=allowed, disallowed_special=()
                )
            except BaseException as problem:
                # The engine's regular expressions give up on very long runs of white space
                # (o200k_base: somewhat under a million), some with a panic of Rust. Ours do not.
                if not isinstance(problem, ValueError) and type(problem).__name__ != "PanicException":
                    raise
        return np.array(self._encode_by_pieces(text, allowed), np.uint32)

    def encode_each(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """The ids of many short texts; a person's own pattern, which may run in another process, runs once.

        Raises:
            ValueError: a person's own pattern takes longer than ``timeout`` on them.
        """
        if self._engine_splits:
            # The engine's own function gives the same ids as ``encode``, five times faster. On a long run of
            # white space it panics, and a panic is not caught as an Exception: it would end the thread that
            # draws the page.
            quick = self._engine.built.encode_ordinary if self.merging.pairs is None else self.encode
            for text in texts:
                yield quick(text) if len(text) <= QUICK_LENGTH else self.encode(text)
            return
        for pieces in split_all(list(texts), self.pattern, timeout=timeout):
            yield [token_id for piece in pieces for token_id in self.encode_piece(piece)]

    def _encode_by_pieces(self, text: str, allowed: set[str]) -> list[int]:
        """The same ids, split by ``regex`` here instead of inside the engine."""
        ids: list[int] = []
        seen: dict[str, list[int]] = {}
        for stretch, special_id in self.cut_at_specials(text, allowed):
            if special_id is not None:
                ids.append(special_id)
                continue
            for piece in self.pieces(stretch):
                piece_ids = seen.get(piece)
                if piece_ids is None:
                    piece_ids = seen[piece] = self.encode_piece(piece)
                ids.extend(piece_ids)
        return ids

    def encode_piece(self, piece: str | bytes) -> list[int]:
        """The ids of a stretch without walls, a piece of the split pattern.

        >>> from tokenizers import get_encoding
        >>> get_encoding("gpt2").encode_piece(" world")
        [995]
        """
        ids: list[int] = self._engine.built._encode_single_piece(
            well_formed(piece) if isinstance(piece, str) else piece
        )
        return ids

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Whether ``pieces`` cuts this text where the engine did when it gave these ids."""
        if not self._engine_splits or engines_agree(text):
            return True
        special = {name for name, token_id in self.special_tokens.items() if token_id in ids}
        ours: list[int] = ids.tolist()
        return self._encode_by_pieces(text, special) == ours

    def pieces(self, text: str) -> list[str]:
        """What the split pattern yields before any merge; ``"".join(pieces) == text``.

        >>> from tokenizers import get_encoding
        >>> get_encoding("cl100k_base").pieces("it's 12345")
        ['it', "'s", ' ', '123', '45']

        Raises:
            ValueError: a pattern of your own that is slower than ``split_timeout`` on this text.
        """
        return split(text, self.exact_pattern, timeout=self.split_timeout)

    # Ids to text

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes that ``ids`` stand for, joined.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        ids = list(ids)
        try:
            return self._engine.built.decode_bytes(ids)
        except (KeyError, OverflowError):
            return b"".join(map(self.token_bytes, ids))  # names the id that is at fault

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for: bytes, not always whole characters.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        try:
            if 0 <= token_id < self.n_vocab:
                return self._engine.built.decode_single_token_bytes(token_id)
        except KeyError:
            pass
        raise self.no_such_token(token_id)

    def rank(self, token_id: int) -> int | None:
        """The order in which the token's merge was learned; None for bytes and special tokens.

        Ranks are numbered as in a .tiktoken file, the 256 bytes first. A rank equals its id, unless special
        tokens come first.
        """
        if self.is_special(token_id) or len(self.token_bytes(token_id)) == 1:
            return None
        return token_id - self._first_id

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the ranks, and how the text is split."""
        splits = "engine" if self.merging.pairs is None else "regex"  # they may know other letters
        yield f"{splits} {self.pattern!r} {len(self.ordinary)}\n".encode("utf-8", "replace")
        yield from self._table_data()
