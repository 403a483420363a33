"""The trainer: the merges of ``plain.py``, learned fast.

Three steps: the corpus is cut into pieces, equal pieces are counted (``counting.py``), and the unique ones
are merged. Each has two forms with the same result. ``counting.py`` and ``merging.py`` are pure Python and
show how it goes. ``kernels/`` is compiled by Numba and ten times as fast; it takes over where the corpus
is large enough to be worth loading it.
"""

from __future__ import annotations

import dataclasses
import itertools
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .. import kernels
from ..split.patterns import find_pattern
from . import counting, merging
from .home import HomeEncoding, check_special_tokens, spell_tokens
from .plain import Pair, Ties, find_tie_rule

if TYPE_CHECKING:  # loads Numba
    from ..kernels.piece_counts import PieceCounts


STOPPED_BY_YOU = "Stopped by you"
"""How ``HomeEncoding.stopped`` begins if ``train`` was cancelled."""


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """One merge, as ``train`` reports it to ``on_progress``.

    Attributes:
        done: merges learned so far, this one included.
        total: merges asked for.
        pair: the left and the right id that were merged.
        new_id: the id of the new token.
        token: the bytes of the new token.
        count: how often the pair occurred in the corpus before the merge, overlaps included.
        n_tokens: tokens in the corpus after the merge.
        n_bytes: UTF-8 bytes in the corpus.
    """

    done: int
    total: int
    pair: Pair
    new_id: int
    token: bytes
    count: int
    n_tokens: int
    n_bytes: int


def train(
    text_or_texts: str | Iterable[str] = (),
    vocab_size: int = 4096,
    pattern: str | None = "gpt4",
    special_tokens: Sequence[str] = (),
    ties: Ties = "smallest",
    on_progress: Callable[[Progress], object] | None = None,
    cancel: Callable[[], bool] | None = None,
    *,
    skip_specials: bool = False,
    counts: Iterable[tuple[bytes, int]] | None = None,
    name: str = "grove",
) -> HomeEncoding:
    """Train a byte-level BPE on a text, on several, or on counted pieces.

    Ends early when no pair is left, or before a token of more than 64 KB or one that is also a special token;
    ``stopped`` says so.

    Args:
        text_or_texts: the corpus; no token reaches over two texts. Lone surrogates count as U+FFFD. It is
            read once, and need not fit into memory.
        vocab_size: tokens in all: the 256 bytes, the merges and the special tokens.
        pattern: gpt2, gpt4, gpt4o, a regular expression of your own, or None for no walls.
        special_tokens: their ids come after the merges, in this order. In the corpus they are
            plain text, unless ``skip_specials`` says otherwise.
        ties: which of several equally frequent pairs is merged first: "smallest" takes the
            smallest ids, as rustbpe does; "first" the pair that occurs first, as minbpe does.
        on_progress: called after each merge.
        cancel: asked before each merge; once it is True, it must stay True. The merges so far are the result.
        skip_specials: whether special tokens that stand in the texts are left out: what is before one and
            what is behind it are two texts.
        counts: the corpus as pieces with their counts, from ``count_pieces`` under the same pattern; a
            piece may come several times. In place of texts, and for ties "smallest".
        name: what people call the encoding.

    Raises:
        ValueError: a vocabulary that is too small, an empty corpus, special tokens that no encoding can have,
            an unknown ``ties`` or one that counts cannot have, a pattern that is broken or slower than
            ``SPLIT_TIMEOUT``.

    >>> grove = train("aaabdaaabac", vocab_size=259, pattern=None)
    >>> grove.merges
    [(97, 97), (97, 98), (256, 257)]
    >>> grove.encode("aaabdaaabac")
    [258, 100, 258, 97, 99]
    >>> train(counts=[(b"aaabdaaabac", 1)], vocab_size=259, pattern=None).merges
    [(97, 97), (97, 98), (256, 257)]
    """
    find_tie_rule(ties)  # raises if there is none
    if counts is not None and (text_or_texts or ties == "first" or skip_specials):
        raise ValueError(
            "Counts hold no text and no order. Train on texts or on counts, and with counts let the smallest "
            'pair win a tie: ties="smallest". Special tokens can be skipped in texts alone.'
        )
    split_pattern = find_pattern(pattern)
    specials = check_special_tokens(special_tokens)
    n_merges = _room_for_merges(vocab_size, len(specials))
    is_cancelled = cancel or (lambda: False)
    if counts is None:
        texts = [text_or_texts] if isinstance(text_or_texts, str) else text_or_texts
        if skip_specials:
            texts = counting.skip_specials(texts, specials)
        pieces = counting.count_texts(texts, split_pattern, is_cancelled)
    else:
        pieces = counting.add_counts(counts)
    n_bytes, steps = _learn(pieces, n_merges, ties)
    del pieces
    if not n_bytes and not is_cancelled():
        raise ValueError("There is no text to learn from: the corpus is empty. Add some text.")

    steps = itertools.islice(steps, n_merges)  # the plain trainer goes on until no pair is left
    if on_progress or cancel or specials:
        steps = _watch(steps, n_merges, n_bytes, specials, on_progress, is_cancelled)
    ids = array("q")  # of all pairs, one after the other: a tenth of the memory of Python's pairs
    why = ": no pair is left, since every piece of the text is one token"
    with merging.no_garbage_collection():
        try:
            for pairs, _, _ in steps:
                ids.extend(pairs)
        except merging.Stopped as problem:
            why = f": {problem}"
    del steps  # and with it the corpus, which the trainer holds: the peak of memory is behind us
    stopped = None
    if len(ids) < 2 * n_merges:
        done = f"after {len(ids) // 2:,} of {n_merges:,} merges"
        stopped = f"{STOPPED_BY_YOU} {done}." if is_cancelled() else f"Stopped {done}{why}."
    merges = merging.pairs_of(ids)
    return HomeEncoding(merges, split_pattern, specials, name=name, stopped=stopped)


def _room_for_merges(vocab_size: int, n_specials: int) -> int:
    """How many merges a vocabulary has room for.

    Raises:
        ValueError: it has no room for the bytes and the special tokens.
    """
    n_given = 256 + n_specials
    if vocab_size < n_given:
        also = f" and the {n_specials} special tokens" if n_specials else ""
        raise ValueError(
            f"A vocabulary of {vocab_size:,} is too small: it has to hold the 256 bytes{also}. "
            f"Choose {n_given:,} or more."
        )
    return vocab_size - n_given


def _watch(
    steps: Iterator[merging.Learned],
    n_merges: int,
    n_bytes: int,
    specials: Sequence[str],
    on_progress: Callable[[Progress], object] | None,
    is_cancelled: Callable[[], bool],
) -> Iterator[merging.Learned]:
    """The same merges one by one, until it is cancelled; each of them is reported.

    Raises:
        merging.Stopped: a token is also a special token.
    """
    tokens = spell_tokens([])
    n_tokens = n_bytes
    forbidden = {special.encode() for special in specials}
    each = (merge for ids, *others in steps for merge in zip(merging.pairs_of(ids), *others, strict=True))
    # The first step lays out the corpus, which takes seconds if it is large.
    while not is_cancelled() and (merge := next(each, None)):
        pair, count, merged = merge
        token = tokens[pair[0]] + tokens[pair[1]]
        if token in forbidden:
            raise merging.Stopped(
                f"the special token {token.decode()!r} is next. Choose one that is not in the text"
            )
        tokens.append(token)
        n_tokens -= int(merged)
        if on_progress:
            new_id = len(tokens) - 1
            progress = Progress(
                done=new_id - 255,
                total=n_merges,
                pair=pair,
                new_id=new_id,
                token=token,
                count=int(count),
                n_tokens=n_tokens,
                n_bytes=n_bytes,
            )
            on_progress(progress)
        yield pair, [count], [merged]


def _learn(
    pieces: dict[bytes, int] | PieceCounts, n_merges: int, ties: Ties
) -> tuple[int, Iterator[merging.Learned]]:
    """The bytes of the corpus, and its merges."""
    if isinstance(pieces, dict):
        n_bytes = sum(len(piece) * count for piece, count in pieces.items())
        # A character has up to four bytes.
        if n_bytes <= 4 * counting.SMALL or not kernels.ready_to_train():
            return n_bytes, merging.iter_learned(pieces, ties)

    from ..kernels import merging as fast_merging
    from ..kernels.piece_counts import PieceCounts

    if isinstance(pieces, dict):
        pieces = PieceCounts.from_pairs(pieces.items())
    elif ties == "first":
        pieces = pieces.in_order()
    if not fast_merging.fits(pieces):
        return pieces.n_bytes, merging.iter_learned(pieces.as_dict(), ties)
    return pieces.n_bytes, fast_merging.iter_learned(pieces, n_merges, find_tie_rule(ties).number)
