"""The trainer: the merges of ``plain.py``, learned fast.

Three steps: the corpus is cut into pieces, equal pieces are counted, and the unique ones are
merged. Each has two forms with the same result. ``piece_counts.py`` and ``merging.py`` are pure Python and
show how it goes. ``kernels/`` is compiled by Numba and ten times as fast; it takes over where the corpus
is large enough to be worth loading it.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

from .. import kernels
from ..amounts import bytes_in_words
from ..checks import check_callable, check_string, check_whole_number, wrong_type
from ..split.patterns import find_pattern, known_pattern
from . import merging
from .home import HomeEncoding
from .piece_counts import check_text, count_pieces
from .plain import Pair, Ties, check_ties
from .special_tokens import check_special_tokens
from .token_store import MAX_TOKEN_LENGTH, TokenStore

SMALL = 100_000
"""Characters up to which a corpus is learned in pure Python, in less time than Numba takes to load."""


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """One merge, as ``train`` reports it to ``on_progress``.

    Attributes:
        done: merges learned so far, this one included.
        total: merges asked for.
        pair: the left and the right id that were merged.
        new_id: the id of the new token.
        token: what the new token stands for. Spelled out when it is asked for: without walls, a token
            can be a whole text.
        count: how often the pair occurred in the corpus before the merge, overlaps included.
        n_tokens: tokens in the corpus after the merge.
        n_bytes: UTF-8 bytes in the corpus.
    """

    done: int
    total: int
    pair: Pair
    new_id: int
    count: int
    n_tokens: int
    n_bytes: int
    _store: TokenStore = dataclasses.field(repr=False, compare=False)

    @property
    def token(self) -> bytes:
        """What the new token stands for."""
        return self._store.bytes_of(self.new_id)


def train(
    text_or_texts: str | Iterable[str],
    vocab_size: int = 4096,
    pattern: str | None = "gpt4",
    special_tokens: Sequence[str] = (),
    ties: Ties = "smallest",
    on_progress: Callable[[Progress], object] | None = None,
    cancel: Callable[[], bool] | None = None,
    *,
    name: str = "grove",
) -> HomeEncoding:
    """Grow a byte-level BPE on a text or on several.

    Args:
        text_or_texts: the corpus; no token reaches over two texts. Lone surrogates count as U+FFFD.
        vocab_size: tokens in all: the 256 bytes, the merges and the special tokens.
        pattern: gpt2, gpt4, gpt4o, a regular expression of your own, or None for no walls.
        special_tokens: their ids come after the merges, in this order. In the corpus they are
            plain text.
        ties: which of several equally frequent pairs is merged first: "smallest" takes the
            smallest by (left id, right id), whatever the order of the texts; "first" takes the one
            whose first occurrence comes first.
        on_progress: called after each merge.
        cancel: asked while the corpus is counted, and before each merge; once it says True, what has been
            learned so far is kept. From a corpus that was counted in part, nothing is learned.
        name: what to call the result.

    Returns:
        The encoding. When it has fewer merges than asked for, its ``stopped`` says why.

    Raises:
        ValueError: a vocabulary that is too small, an empty corpus, a special token that equals
            another token, an unknown ``ties``, a pattern that is broken or slower than
            ``piece_counts.SPLIT_TIMEOUT``.

    >>> grove = train("aaabdaaabac", vocab_size=259, pattern=None)
    >>> grove.merges
    [(97, 97), (97, 98), (256, 257)]
    >>> grove.encode("aaabdaaabac")
    [258, 100, 258, 97, 99]
    """
    check_ties(ties)
    check_string(name, "name")
    check_whole_number(vocab_size, "vocab_size")
    if pattern is not None:
        check_string(pattern, "pattern")
    if not isinstance(text_or_texts, Iterable):
        raise wrong_type("text_or_texts", "a string or as several", text_or_texts)
    for argument, function in (("on_progress", on_progress), ("cancel", cancel)):
        check_callable(function, argument)
    split_pattern = find_pattern(pattern)
    specials = check_special_tokens(special_tokens)
    n_merges = vocab_size - 256 - len(specials)
    if n_merges < 0:
        also = f" and the {len(specials)} special tokens" if specials else ""
        raise ValueError(
            f"A vocabulary of {vocab_size:,} is too small: it has to hold the 256 bytes{also}. "
            f"Choose {256 + len(specials):,} or more."
        )
    texts = [text_or_texts] if isinstance(text_or_texts, str) else text_or_texts
    is_cancelled = once_true(cancel) if cancel else _never
    n_bytes, steps = _count_and_learn(texts, split_pattern, n_merges, ties, is_cancelled)
    if not n_bytes and not is_cancelled():
        raise ValueError("There is no text to learn from: the corpus is empty. Add some text.")

    forbidden = {special.encode("utf-8") for special in specials}
    forbidden_lengths = set(map(len, forbidden))
    n_tokens = n_bytes
    store = TokenStore()
    merges = store.merges
    stopped = None
    with merging.no_garbage_collection():
        while len(merges) < n_merges:
            if is_cancelled():
                stopped = f"Stopped by you after {len(merges):,} of {n_merges:,} merges."
                break
            step = next(steps, None)
            if step is None:
                stopped = (
                    f"Stopped after {len(merges):,} of {n_merges:,} merges: no pair is left, every piece "
                    "of the corpus is a single token."
                )
                break
            pair, count, merged = step
            length = store.length_of(pair)
            if length > MAX_TOKEN_LENGTH:
                stopped = (
                    f"Stopped after {len(merges):,} of {n_merges:,} merges: the next token would have more "
                    f"than {bytes_in_words(MAX_TOKEN_LENGTH)}. Choose a split pattern."
                )
                break
            new_id = store.append(pair)
            if length in forbidden_lengths and (token := store.bytes_of(new_id)) in forbidden:
                raise ValueError(
                    f"The special token {token.decode()!r} is also an ordinary token: the corpus holds it so "
                    f"often that merge {len(merges):,} makes it. Choose a special token that does not "
                    "occur in the corpus."
                )
            n_tokens -= merged
            if on_progress:
                done = len(merges)
                on_progress(Progress(done, n_merges, pair, new_id, count, n_tokens, n_bytes, store))
    del steps  # and with it the corpus, which the trainer holds: the peak of memory is behind us
    return HomeEncoding(merges, split_pattern, specials, name=name, stopped=stopped, learned=True)


def once_true(ask: Callable[[], bool]) -> Callable[[], bool]:
    """A function that asks until the answer is True, and from then on answers True without asking.

    A ``cancel`` that answers True while the corpus is counted, and False later, must not yield an encoding of
    a part of it.

    >>> answers = iter([False, True, False])
    >>> is_cancelled = once_true(lambda: next(answers))
    >>> is_cancelled(), is_cancelled(), is_cancelled()
    (False, True, True)
    """
    answer = False

    def is_true() -> bool:
        nonlocal answer
        answer = answer or bool(ask())
        return answer

    return is_true


def _never() -> bool:
    return False


def _count_and_learn(
    texts: Iterable[str],
    pattern: str | None,
    n_merges: int,
    ties: Ties,
    cancel: Callable[[], bool],
) -> tuple[int, Iterator[tuple[Pair, int, int]]]:
    """The bytes of the corpus, and then each merge: the pair, its count, how many tokens it takes away."""
    texts, is_small = _peek(map(check_text, texts))
    if is_small or not kernels.ready():
        weights = count_pieces(texts, pattern, cancel)
        n_bytes = sum(len(piece) * count for piece, count in weights.items())
        return n_bytes, merging.iter_learned(weights, ties)

    from ..kernels import corpus
    from ..kernels import merging as fast_merging
    from ..kernels.piece_counts import PieceCounts

    known = known_pattern(pattern)
    if known is not None and known.scanner is not None and known.is_local:
        pieces = corpus.count_pieces(texts, known.name, cancel)
        if ties == "first":
            pieces = pieces.in_order()
    else:
        pieces = PieceCounts.from_dict(count_pieces(texts, pattern, cancel))
    if not fast_merging.fits(pieces):
        return pieces.n_bytes, merging.iter_learned(pieces.as_dict(), ties)
    return pieces.n_bytes, fast_merging.iter_learned(pieces, n_merges, by_place=ties == "first")


def _peek(texts: Iterable[str]) -> tuple[Iterable[str], bool]:
    """The same texts, and whether they have at most ``SMALL`` characters together."""
    texts = iter(texts)
    head: list[str] = []
    seen = 0
    for text in texts:
        head.append(text)
        seen += len(text)
        if seen > SMALL:
            return itertools.chain(head, texts), False
    return head, True
