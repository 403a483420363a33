"""A byte-level BPE that was trained here or read from a list of merges, on tiktoken's engine.

``plain.encode`` merges by the rank of the *pair*; tiktoken's engine merges by the rank of the *joined
bytes*. For merges that a training learned the two agree. Merges from a file could be anything:
two pairs may make the same bytes, or a token may be out of reach because other merges always
come first. No text becomes such a token, so it is left out of the engine's ranks, and
the two agree again (``find_reachable`` says why). It keeps its id and its bytes.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Mapping, Sequence

import numpy as np

from ..amounts import shorten
from ..arrays import U32
from ..cached import cached_property
from ..encoding import Encoding, Ids
from ..split.patterns import engines_agree, find_pattern, spell_for_engine
from .byte_pairs import QUICK_LENGTH, BytePairEncoding, Engine
from .merge_rule import Merging
from .plain import Pair, why_too_long

MAX_IDS = 1 << 19
"""The most ids of a home-trained encoding: twice the largest vocabulary in use (262,144). Each token takes
some 500 bytes of memory, mostly in the engine, so this many take about 300 MB."""


class HomeEncoding(BytePairEncoding):
    """A byte-level BPE that was trained here, or read from a model file.

    Args:
        merges: the pairs in rank order; token 256 + i is merges[i]. Ids 0 to 255 are the bytes.
        pattern: gpt2, gpt4, gpt4o, a regular expression of your own, or None for no walls.
        special_tokens: their ids come after the merges, in this order; a mapping gives other ids.
        name: what people call it.
        stopped: why the training ended early, if it did.

    Attributes:
        merges, stopped: as given.
        tokens: the bytes of every ordinary token, by id.

    Raises:
        ValueError: a merge of ids that are not there yet, a token of more than 64 KB, special tokens that
            clash, a broken pattern, or too many ids.

    >>> grove = HomeEncoding([(104, 105), (256, 33)], pattern=None, special_tokens=["<|end|>"])
    >>> grove.encode("hi! hi<|end|>", allowed_special="all")
    [257, 32, 256, 258]
    >>> grove.token_bytes(257)
    b'hi!'

    If two special tokens fit, one of which begins with the other, the longer one is taken.
    """

    def __init__(
        self,
        merges: Iterable[Pair],
        pattern: str | None = None,
        special_tokens: Sequence[str] | Mapping[str, int] = (),
        *,
        name: str = "grove",
        stopped: str | None = None,
    ) -> None:
        self.stopped = stopped
        self.merges = list(merges)
        n_tokens = 256 + len(self.merges)
        if n_tokens > MAX_IDS:
            raise ValueError(f"{n_tokens - 256:,} merges are too many: up to {MAX_IDS:,} ids are taken.")
        names, free_ids = check_special_tokens(special_tokens), itertools.count(n_tokens)
        special_ids = special_tokens.values() if isinstance(special_tokens, Mapping) else free_ids
        specials = dict(zip(names, special_ids, strict=False))
        pattern = find_pattern(pattern)
        self.tokens = spell_tokens(self.merges)
        reachable = [*range(256), *find_reachable(self.merges)]
        ranks = {self.tokens[token_id]: token_id for token_id in reachable}
        # A person's own pattern never reaches the engine; "." stands in for it and is never used.
        spelling = spell_for_engine(pattern)
        engine = Engine(name, ranks, specials, spelling or ".")
        super().__init__(name, engine=engine, pattern=pattern, engine_splits=spelling is not None)
        check_special_ids(specials, self.ordinary, range(n_tokens))

    @cached_property
    def _bytes(self) -> dict[int, bytes]:
        specials = {token_id: text.encode() for text, token_id in self.special_tokens.items()}
        return dict(enumerate(self.tokens)) | specials

    @cached_property
    def merging(self) -> Merging:
        """Its merges and their ranks."""
        return Merging(self.ordinary, self.merges)

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return max(self._bytes) + 1

    # Text to ids

    def _encode_with_engine(self, text: str, allowed: set[str]) -> Ids:
        # The engine's quickest function breaks down on runs of hundreds of thousands of characters. And where
        # the engine knows fewer letters than ``regex``, ``regex`` is right: the training split with it.
        is_safe = self._engine_splits and len(text) <= QUICK_LENGTH and engines_agree(text)
        if is_safe and not allowed:
            return np.array(self._engine.built.encode_ordinary(text), np.uint32)
        return np.array(self._encode_by_pieces(text, allowed), np.uint32)

    # Ids to text

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for: bytes, not always whole characters.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        try:
            return self._bytes[token_id]
        except KeyError:
            raise self.no_such_token(token_id) from None

    @cached_property
    def byte_lengths(self) -> U32:
        """Bytes in each token, shape (n_vocab,), indexed by id; 0: no such token."""
        lengths = np.zeros(self.n_vocab, np.uint32)
        lengths[list(self._bytes)] = list(map(len, self._bytes.values()))
        return lengths

    # Smaller vocabularies

    def truncated(self, vocab_size: int) -> HomeEncoding:
        """The same encoding trained less far: a prefix of its merges, and its special tokens after them.

        Args:
            vocab_size: tokens in all: the 256 bytes, the merges and the special tokens.

        Raises:
            ValueError: more tokens than there are, or fewer than bytes and special tokens need.

        >>> grove = HomeEncoding([(97, 97), (97, 98), (256, 257)])
        >>> grove.truncated(258).encode("aaabdaaabac")
        [256, 257, 100, 256, 257, 97, 99]
        """
        least = 256 + len(self.special_tokens)
        most = least + len(self.merges)
        if not least <= vocab_size <= most:
            raise ValueError(
                f"{self.name} cannot be cut to {vocab_size:,} tokens: choose from {least:,} to {most:,}."
            )
        merges, specials = self.merges[: vocab_size - least], list(self.special_tokens)
        return HomeEncoding(merges, self.pattern, specials, name=self.name)


def spell_tokens(merges: Iterable[Pair]) -> list[bytes]:
    """The bytes of every token, by id: the 256 bytes, then one token for each merge.

    Raises:
        ValueError: a merge of ids that are not there yet, or tokens that are too long.

    >>> spell_tokens([(104, 105), (256, 33)])[256:]
    [b'hi', b'hi!']
    >>> spell_tokens([(0, 0)])[256] == bytes(2)
    True
    """
    tokens = [bytes([byte]) for byte in range(256)]
    total = 0
    for left, right in merges:
        if not (0 <= left < len(tokens) and 0 <= right < len(tokens)):
            raise ValueError(
                f"Merge {len(tokens) - 255:,} joins the tokens {left} and {right}, but only 0 to "
                f"{len(tokens) - 1} exist by then. The merges are damaged or out of order."
            )
        tokens.append(tokens[left] + tokens[right])
        total += len(tokens[-1])
        too_long = why_too_long(len(tokens[-1]), total)
        if too_long:
            raise ValueError(
                f"With merge {len(tokens) - 256:,}, {too_long}: that is no vocabulary that text could have "
                "grown."
            )
    return tokens


def check_special_ids(
    specials: Mapping[str, int], ordinary: Mapping[bytes, int], taken: Container[int]
) -> None:
    """Refuse special tokens that clash with the ordinary tokens, or whose ids are not their own.

    Raises:
        ValueError: names the special token.

    >>> check_special_ids({"<|x|>": 256}, {b"hi": 257}, range(256))
    """
    seen: set[int] = set()
    for text, token_id in specials.items():
        if text.encode() in ordinary:
            raise ValueError(
                f"The special token {shorten(text, 81)!r} is also ordinary token {ordinary[text.encode()]}. "
                "Choose another special token."
            )
        if token_id in taken or token_id in seen or not 0 <= token_id < MAX_IDS:
            raise ValueError(
                f"The special token {shorten(text, 81)!r} cannot have the id {token_id}: another token has "
                f"it, or it is not from 0 to {MAX_IDS - 1:,}."
            )
        seen.add(token_id)


def home_trained(encoding: Encoding) -> HomeEncoding | None:
    """The encoding, if its merges are known from single bytes on, as training gives them; None: they are not.

    >>> from tokenizers import get_encoding
    >>> home_trained(get_encoding("grove-udhr-8k")).merges[0], home_trained(get_encoding("gpt2"))
    ((225, 131), None)
    """
    return encoding if isinstance(encoding, HomeEncoding) else None


def find_reachable(merges: Sequence[Pair]) -> list[int]:
    """The ids of the merges that can happen: those whose bytes, encoded alone, become the token.

    No merge crosses a cut of the finished text, so what is between two cuts merges as it would alone. A token
    that its own bytes, alone, do not become therefore arises nowhere. For the same reason, two tokens that do
    arise have different bytes, and when it is a token's turn, the only two neighbours with its bytes are its
    own parts. So ranks of joined bytes and ranks of pairs mean the same for the tokens returned here.

    >>> find_reachable([(97, 98), (98, 99), (97, 257)])  # "abc" is ab|c, never a|bc
    [256, 257]
    """
    new_ids: dict[Pair, int] = {}
    unreached: set[int] = set()
    for new_id, pair in enumerate(merges, start=256):
        if unreached.isdisjoint(pair) and cut_stays(pair, new_id, merges, new_ids):
            new_ids[pair] = new_id
        else:
            unreached.add(new_id)
    return list(new_ids.values())


def cut_stays(pair: Pair, now: int, merges: Sequence[Pair], new_ids: Mapping[Pair, int]) -> bool:
    """Whether the cut between two tokens side by side is still there when merge ``now`` has its turn.

    Goes back in time, undoing whichever of the two tokens at the cut is younger, down to the bytes.
    At each moment the cut falls if the two tokens there merge before either one grows into the token
    that it is known to become.
    """
    left, right = pair
    left_grows = right_grows = now
    while True:
        merge = new_ids.get((left, right))
        # If the right one grows by the very same merge, this one is further left and goes first.
        if merge is not None and merge < left_grows and merge <= right_grows:
            return False
        if max(left, right) < 256:
            return True
        if left > right:
            left, left_grows = merges[left - 256][1], left
        else:
            right, right_grows = merges[right - 256][0], right


MAX_SPECIAL_TOKENS = 10_000
"""Special tokens of one encoding."""

MAX_SPECIAL_BYTES = 1_000
"""Bytes of one special token, in UTF-8."""

MAX_ALL_SPECIAL_BYTES = 120_000
"""Bytes of all special tokens together. tiktoken's engine makes one regular expression of them, and at about
160,000 that is more than it can hold."""


def check_special_tokens(special_tokens: Iterable[str]) -> list[str]:
    """The special tokens as a list.

    The bounds are within what tiktoken's engine can take, and far above the 1,000 or so special tokens
    of some ten bytes that the files of large models hold.

    Raises:
        ValueError: too many, too long, empty, twice the same, or one string instead of a list; says which.

    >>> check_special_tokens(("<|user|>", "<|end|>"))
    ['<|user|>', '<|end|>']
    """
    if isinstance(special_tokens, str):
        raise ValueError(f"Give special tokens as a list: [{shorten(special_tokens, 81)!r}].")
    special_tokens = list(special_tokens)
    check_special_count(len(special_tokens))
    seen: set[str] = set()
    total = 0
    for special in special_tokens:
        n_bytes = len(special.encode("utf-8", "surrogatepass"))
        is_long = n_bytes > MAX_SPECIAL_BYTES
        has_line_end = "\n" in special or "\r" in special
        is_broken = len(special.encode("utf-8", "ignore")) < n_bytes
        problems = {
            "is empty. Give it a text such as <|endoftext|>.": not special,
            "is a single byte, which is already a token. Make it longer.": n_bytes == 1,
            f"is too long: up to {MAX_SPECIAL_BYTES:,} bytes are taken. Give it a shorter text.": is_long,
            "holds a line break, which a model file cannot keep. Take it out.": has_line_end,
            "holds half a character (a lone surrogate). Type it again.": is_broken,
            "is given twice. Give each one once.": special in seen,
        }
        for problem, is_there in problems.items():
            if is_there:
                raise ValueError(f"The special token {shorten(special, 81)!r} {problem}")
        seen.add(special)
        total += n_bytes
    if total > MAX_ALL_SPECIAL_BYTES:
        raise ValueError(
            f"The special tokens have {total:,} bytes together, and up to {MAX_ALL_SPECIAL_BYTES:,} are "
            "taken. Give fewer, or shorter ones."
        )
    return special_tokens


def check_special_count(number: int) -> None:
    """Refuse more special tokens than are taken, also before they are read from a file.

    Raises:
        ValueError: more than ``MAX_SPECIAL_TOKENS``.
    """
    if number > MAX_SPECIAL_TOKENS:
        raise ValueError(
            f"{number:,} special tokens are too many: up to {MAX_SPECIAL_TOKENS:,} are taken. Leave some out."
        )


def find_nested_specials(special_tokens: Iterable[str]) -> tuple[str, str] | None:
    """Two special tokens, the second of which begins with the first; None: there are none.

    In a text that spells the longer one, both fit. The longer one counts here and in Hugging Face's
    tokenizers; in minbpe the one that comes first in its file; in tiktoken the one that comes first in
    a hash table, which can be either.

    >>> find_nested_specials(["<|x|>", "<|end|>", "<|x"]), find_nested_specials(["<|x|>", "<|end|>"])
    (('<|x', '<|x|>'), None)
    """
    pairs = itertools.pairwise(sorted(special_tokens))  # sorted, what begins with a text follows it at once
    return next(((short, long) for short, long in pairs if long.startswith(short)), None)
