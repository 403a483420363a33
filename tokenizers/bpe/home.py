"""An encoding from merges that were learned here, on the engine that it shares with tiktoken's.

``plain.encode`` merges by the rank of the *pair*; tiktoken's engine merges by the rank of the *joined
bytes*. For merges that a training learned the two agree. Merges from a file could be anything:
two pairs may make the same bytes, or a token may be out of reach because other merges always
come first. Such a token never arises, in any text, so it is left out of the engine's ranks, and
the two agree again (``reachable_merges.py`` says why, the tests try). It keeps its id and its bytes.

The engine needs every token's bytes. Without walls, tokens can grow so long that there is no room for
that (``token_store.py``). Then the engine gets the first ones, and the later merges happen on its ids
(``later_merges.py``).
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..amounts import bytes_in_words
from ..checks import (
    check_list,
    check_pairs,
    check_string,
    check_whole_number,
    check_whole_numbers,
    wrong_type,
)
from ..encoding import AllowedSpecial, Ids
from ..lazily import once
from ..limits import MB
from ..split.patterns import cut_safely, engines_agree, find_pattern, known_pattern, spell_for_engine, split
from ..utf8 import well_formed
from .byte_pairs import QUICK_LENGTH, BytePairEncoding, engine_from_ranks
from .later_merges import merge_later
from .merge_counts import counts_by_merges
from .plain import Pair
from .reachable_merges import find_reachable
from .special_tokens import check_special_tokens, shorten
from .token_store import MAX_TOKEN_BYTES, StoredRanks, TokenStore

MAX_IDS = 1 << 19
"""No home-trained encoding has more ids: five times what a training here learns, and twice the largest
vocabulary in use (262,144). Each token takes some 500 bytes of memory, mostly in the engine, so that this
many need about 300 MB; a file that asks for more is broken or hostile, and is refused before it is read."""

MAX_DECODED_BYTES = 100 * MB
"""Bytes that decoded ids may stand for together: without walls, a few ids can stand for gigabytes."""

USUAL_LENGTH = 16
"""If the bytes are no more than this for each id, they are always decoded: the ids themselves take as much
memory."""

_WORTH_LOOKING = 100
"""In a piece of more ids than this, it is quicker to look first whether any two of them are joined later."""

PART_LENGTH = 1 << 14
"""Characters that the engine gets at a time, where the text can be cut: fewer than ``QUICK_LENGTH``."""


class HomeEncoding(BytePairEncoding):
    """A byte-level BPE grown here, or read from a model file.

    Args:
        merges: the pairs in rank order; token 256 + i is merges[i]. Ids 0 to 255 are the bytes.
        pattern: gpt2, gpt4, gpt4o, a regular expression of your own, or None for no walls.
        special_tokens: their ids come after the merges, in this order; a mapping gives other ids.
        name: what people call it.
        stopped: why the training ended early, if it did.
        learned: whether a training learned the merges, so that each of them can happen; if not, this is
            worked out.

    Raises:
        ValueError: a merge of ids that are not there yet, special tokens that clash, a broken
            pattern, or sizes beyond reason.

    >>> grove = HomeEncoding([(104, 105), (256, 33)], pattern=None, special_tokens=["<|end|>"])
    >>> grove.encode("hi! hi<|end|>", allowed_special="all")
    [257, 32, 256, 258]
    >>> grove.token_bytes(257)
    b'hi!'
    """

    def __init__(
        self,
        merges: Iterable[Pair],
        pattern: str | None = None,
        special_tokens: Sequence[str] | Mapping[str, int] = (),
        *,
        name: str = "grove",
        stopped: str | None = None,
        learned: bool = False,
    ) -> None:
        check_string(name, "name")
        if pattern is not None:
            check_string(pattern, "pattern")
        merges = check_list(merges, "merges", "a list of pairs of ids")
        check_merge_count(len(merges))
        self._store = TokenStore(merges if learned else check_pairs(merges, "merges"))
        del merges  # the store has its own list
        self.merges: list[Pair] = self._store.merges
        self.stopped = stopped
        self._learned = learned
        n_tokens = len(self._store)
        if isinstance(special_tokens, Mapping):
            specials = {text: special_tokens[text] for text in check_special_tokens(list(special_tokens))}
        else:
            specials = {text: n_tokens + i for i, text in enumerate(check_special_tokens(special_tokens))}
        _check_special_ids(specials, n_tokens)
        self._special_bytes = {token_id: text.encode("utf-8") for text, token_id in specials.items()}

        pattern = find_pattern(pattern)
        known = known_pattern(pattern)
        engine_splits = known is not None and known.in_engine
        self._is_local = known is not None and known.is_local
        reachable = range(256, n_tokens) if learned else find_reachable(self.merges)
        kept = self._store.kept
        n_first = bisect.bisect_left(reachable, len(kept))
        first_ranks = {kept[token_id]: token_id for token_id in [*range(256), *reachable[:n_first]]}
        later = reachable[n_first:]
        self._later = {self.merges[token_id - 256]: token_id for token_id in later}
        self._ranks = StoredRanks(first_ranks, self._store, later) if later else first_ranks
        ranks = self._ranks
        clash = next((text for text, id in specials.items() if self._special_bytes[id] in ranks), None)
        if clash is not None:
            raise ValueError(
                f"The special token {shorten(clash)} is also ordinary token "
                f"{ranks[clash.encode('utf-8')]}. Choose another special token."
            )
        # A person's own pattern never reaches the engine; "." stands in for it and is never used.
        spelling = spell_for_engine(pattern) if pattern and engine_splits else "."
        engine = engine_from_ranks(name, first_ranks, specials, spelling)
        super().__init__(name, engine=engine, pattern=pattern, engine_splits=engine_splits)

    @property
    def training(self) -> HomeEncoding:
        """Every merge that was learned: this family's own."""
        return self

    @property
    def known_merges(self) -> list[Pair]:
        """The pairs that merge, in rank order: token 256 + i is known_merges[i]."""
        return self.merges

    @property
    def ranks(self) -> Mapping[bytes, int]:
        """The rank of each token that a text can have, by its bytes: what tiktoken's engine goes by."""
        return self._ranks

    @property
    def mergeable_ranks(self) -> Mapping[bytes, int]:
        """The ordinary tokens that can arise: their bytes, and their ranks, which are their ids."""
        return self._ranks

    @property
    def spells_out(self) -> bool:
        """Whether the bytes of all tokens are at hand, because they are not too many."""
        return self._store.keeps_all

    def check_spelled_out(self, remedy: str) -> None:
        """Raise a ValueError unless all tokens' bytes are at hand; ``remedy`` says what to do instead.

        >>> HomeEncoding([(97, 97), *((i, i) for i in range(256, 281))]).check_spelled_out("Add walls.")
        Traceback (most recent call last):
        ...
        ValueError: The tokens of grove stand for more than 32 MB together, because there are no walls ...
        """
        if not self.spells_out:
            raise ValueError(
                f"The tokens of {self.name} stand for more than {bytes_in_words(MAX_TOKEN_BYTES)} together, "
                f"because there are no walls or far between: too much to spell out each of them. {remedy}"
            )

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return max(len(self._store), *(token_id + 1 for token_id in self._special_bytes), 0)

    def encode(self, text: str, *, allowed_special: AllowedSpecial = ()) -> list[int]:
        """The ids of ``text``; special tokens in it are plain text unless allowed.

        If two special tokens fit, one of which begins with the other, the longer one is taken.

        >>> HomeEncoding([(104, 105)]).encode("hi!")
        [256, 33]
        """
        if allowed_special == () and isinstance(text, str) and self._is_quick(text):
            return self._with_later(text, self._engine.encode_ordinary(text))
        check_string(text, "text")
        allowed = self._allowed(allowed_special)
        if not allowed and self._is_quick(text):
            return self._with_later(text, self._engine.encode_ordinary(text))
        ids: list[int] = []
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed):
            if special_id is not None:
                ids.append(special_id)
                continue
            # Only the parts that need it are encoded the slow way.
            for part in cut_safely(stretch, PART_LENGTH) if self._is_local else (stretch,):
                quick = self._is_quick(part)
                first = self._engine.encode_ordinary(part) if quick else self._encode_slowly(part)
                ids += self._with_later(part, first)
        return ids

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        return np.array(self.encode(text, allowed_special=allowed_special), dtype=np.uint32)

    def _is_quick(self, text: str) -> bool:
        """Whether the engine's quickest function is right for this text.

        It breaks down on runs of hundreds of thousands of characters. And where it knows fewer letters than
        ``regex``, ``regex`` is right: the training split with it.
        """
        return self._engine_splits and len(text) <= QUICK_LENGTH and engines_agree(text)

    def _encode_slowly(self, text: str) -> list[int]:
        agree = self._engine_splits and engines_agree(text)
        ids: list[int] = (
            super().encode_array(text) if agree else self._encode_by_pieces(text, set())
        ).tolist()
        return ids

    def _with_later(self, text: str, ids: list[int]) -> list[int]:
        """The ids of a text without special tokens, from those that the engine gives for it."""
        if not self._later or not self._can_merge_on(ids):
            return ids
        by_pieces: list[int] = self._encode_by_pieces(text, set()).tolist()
        return by_pieces

    def _can_merge_on(self, ids: list[int]) -> bool:
        """Whether a later merge finds its pair in these ids; a wall may still be in between."""
        each, wanted = np.array(ids, dtype=np.int64), self._first_of_later
        if not len(wanted):
            return False
        pairs = each[:-1] << 32 | each[1:]
        places = np.minimum(np.searchsorted(wanted, pairs), len(wanted) - 1)
        return bool((wanted[places] == pairs).any())

    @once
    def _first_of_later(self) -> npt.NDArray[np.int64]:
        """The pairs of the engine's own tokens that a later merge joins, each as one number; sorted."""
        n_kept = len(self._store.kept)
        pairs = [left << 32 | right for left, right in self._later if max(left, right) < n_kept]
        return np.sort(np.array(pairs, dtype=np.int64))

    def encode_piece(self, piece: str | bytes) -> list[int]:
        """The ids of a stretch without walls."""
        ids = super().encode_piece(piece)
        if not self._later or (len(ids) > _WORTH_LOOKING and not self._can_merge_on(ids)):
            return ids
        return merge_later(ids, self._later)

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Always: ``pieces`` is the definition here."""
        return True

    def pieces(self, text: str) -> list[str]:
        """What the split pattern yields before any merge; ``"".join(pieces) == text``.

        Raises:
            ValueError: a pattern of your own that is slower than ``split_timeout`` on this text.
        """
        check_string(text, "text")
        return split(text, self.pattern, timeout=None if self._engine_splits else self.split_timeout)

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for: bytes, not always whole characters.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        try:
            if 0 <= token_id < len(self._store):
                return self._store.bytes_of(token_id)
            if token_id in self._special_bytes:
                return self._special_bytes[token_id]
        except TypeError:
            raise wrong_type("token_id", "a whole number", token_id) from None
        return super().token_bytes(token_id)  # raises, and says why

    def _length_of(self, token_id: int) -> int:
        """Bytes in one token, or a ValueError that names an id that does not exist."""
        if 0 <= token_id < len(self._store):
            return self._store.lengths[token_id]
        return len(self.token_bytes(token_id))  # a special token; this raises if there is no such id

    def rank(self, token_id: int) -> int | None:
        """The order in which the token's merge was learned; None for bytes and special tokens."""
        self._length_of(check_whole_number(token_id, "token_id"))  # raises if there is no such id
        return token_id if 256 <= token_id < len(self._store) else None

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes that ``ids`` stand for, joined.

        Raises:
            ValueError: an id that this encoding does not have; names it. Or ids that stand for more
                bytes than ``MAX_DECODED_BYTES`` and than ``USUAL_LENGTH`` each.
        """
        ids = ids if type(ids) is list else check_list(ids, "ids", "a list of token ids")
        if self.spells_out and len(ids) * self._longest <= MAX_DECODED_BYTES:
            return super().decode_bytes(ids)
        ids = check_whole_numbers(ids, "ids")
        counts = Counter(ids)
        n_bytes = sum(self._length_of(token_id) * count for token_id, count in counts.items())
        if n_bytes > max(MAX_DECODED_BYTES, USUAL_LENGTH * len(ids)):
            raise ValueError(
                f"These {len(ids):,} ids stand for {bytes_in_words(n_bytes)} of text, and up to "
                f"{bytes_in_words(MAX_DECODED_BYTES)} are decoded at a time. Decode fewer ids."
            )
        return self._join(ids, counts)

    def decode_array(self, ids: Ids) -> bytes:
        """As ``decode_bytes``, quicker and without checks: for ids that this encoding gave."""
        return self._join(ids.tolist(), np.flatnonzero(np.bincount(ids)).tolist())

    def _join(self, ids: list[int], distinct: Iterable[int]) -> bytes:
        """The bytes of ids; each of the distinct ones among them is looked up once."""
        tokens = {token_id: self.token_bytes(token_id) for token_id in distinct}
        return b"".join(map(tokens.__getitem__, ids))

    def token_ends(self, size: int) -> tuple[list[bytes], list[bytes]]:
        """The first and the last ``size`` bytes of every ordinary token, by id, however long it is."""
        return self._store.ends_of(size)

    def tokens_containing(self, needle: bytes) -> list[int]:
        """The ids of the ordinary tokens whose bytes contain ``needle``, however long they are.

        >>> HomeEncoding([(104, 105), (256, 33)]).tokens_containing(b"hi")
        [256, 257]
        """
        return self._store.containing(needle)

    @once
    def _longest(self) -> int:
        """Bytes in the longest token."""
        return int(self.byte_lengths.max())

    @once
    def byte_lengths(self) -> npt.NDArray[np.uint32]:
        """Bytes in each token, shape (n_vocab,), indexed by id; 0: no such token."""
        lengths = np.zeros(self.n_vocab, dtype=np.uint32)
        lengths[: len(self._store)] = self._store.lengths
        for token_id, special in self._special_bytes.items():
            lengths[token_id] = len(special)
        return lengths

    def truncated(self, vocab_size: int) -> HomeEncoding:
        """The same encoding grown less far: a prefix of its merges, and its special tokens after them.

        Args:
            vocab_size: tokens in all: the 256 bytes, the merges and the special tokens.

        Raises:
            ValueError: more tokens than there are, or fewer than bytes and special tokens need.

        >>> grove = HomeEncoding([(97, 97), (97, 98), (256, 257)])
        >>> grove.truncated(258).encode("aaabdaaabac")
        [256, 257, 100, 256, 257, 97, 99]
        """
        check_whole_number(vocab_size, "vocab_size")
        least, most = 256 + len(self.special_tokens), len(self._store) + len(self.special_tokens)
        if not least <= vocab_size <= most:
            raise ValueError(
                f"{self.name} cannot be cut to {vocab_size:,} tokens: choose from {least:,} to {most:,}."
            )
        if vocab_size == most:
            return self
        return HomeEncoding(
            self.merges[: vocab_size - least],
            self.pattern,
            list(self.special_tokens),
            name=self.name,
            learned=self._learned,
        )

    def counts_by_size(self, text: str) -> npt.NDArray[np.int64]:
        """How many tokens ``text`` has when only the first k merges are known, for every k at once.

        One encode is enough, because an encoding with fewer merges does the same merges up to its
        last: so count how often each merge happens, and take away as many tokens from the bytes.

        Returns:
            Tokens, shape (number of merges + 1,): [0] counts bytes, [-1] is len(encode(text)).

        >>> HomeEncoding([(97, 97), (97, 98), (256, 257)]).counts_by_size("aaabdaaabac").tolist()
        [11, 9, 7, 5]
        """
        return counts_by_merges(self, self.merges, text)


def check_merge_count(number: int) -> None:
    """Refuse more merges than there are ids for: before they are read from a file, too.

    Raises:
        ValueError: with the 256 bytes, more than ``MAX_IDS``.
    """
    if 256 + number > MAX_IDS:
        raise ValueError(
            f"{number:,} merges are too many: a home-trained encoding has up to {MAX_IDS:,} ids."
        )


def _check_special_ids(specials: Mapping[str, int], first_free: int) -> None:
    taken: set[int] = set()
    for text, token_id in specials.items():
        check_whole_number(token_id, "each id of special_tokens")
        if not first_free <= token_id < MAX_IDS or token_id in taken:
            raise ValueError(
                f"The special token {shorten(text)} cannot have the id {token_id}: special tokens need ids "
                f"of their own, from {first_free} (after the merges) to {MAX_IDS - 1}."
            )
        taken.add(token_id)
