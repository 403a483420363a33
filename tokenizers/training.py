"""The trainer: the merges of ``bpe.py``, learned fast.

The plain form counts every pair of the whole text again for each merge. This one differs in
three ways, and learns the same merges:

- **Equal pieces are merged once.** A corpus is its unique pieces, each with a weight: how often
  it occurs.
- **Only what changes is touched.** Each pair knows the positions where it stands, and a merge
  changes the counts of its neighbours alone.
- **The best pair comes from a heap, lazily.** After the step that creates a pair, its count can
  only fall and its first position only rise. So a key in the heap is never too bad: when the
  best key is out of date, the pair goes back with its true key.

All unique pieces lie in one array, a byte's width for each byte and a wall between two pieces. A
token's id stands at its first and at its last position (boundary tags), so both neighbours are one
look away whatever their lengths, and a piece of a million characters costs no more than a
million characters in short pieces.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import heapq
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from .bpe import Pair, Ties, check_ties
from .encodings import well_formed
from .home import HomeEncoding, check_special_tokens
from .patterns import PATTERNS, find_pattern, split

SPLIT_TIMEOUT = 60.0
"""Seconds that a person's own split pattern may take on one text."""

WALL = -1  # stands between two pieces
INSIDE = -2  # stands where a token began that is now the right part of a longer one

Positions = Sequence[int]


@dataclasses.dataclass(frozen=True, slots=True)
class Progress:
    """One merge, as ``train`` reports it to ``on_progress``.

    Attributes:
        done: merges learned so far, this one included.
        total: merges asked for.
        pair: the left and the right id that were merged.
        new_id: the id of the new token.
        token: what the new token stands for.
        count: how often the pair stood in the corpus before the merge, overlaps included.
        num_tokens: tokens in the corpus after the merge.
        num_bytes: UTF-8 bytes in the corpus.
    """

    done: int
    total: int
    pair: Pair
    new_id: int
    token: bytes
    count: int
    num_tokens: int
    num_bytes: int


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
        cancel: asked before each merge; when it says True, what has been learned so far is kept.
        name: what to call the result.

    Returns:
        The encoding. When it has fewer merges than asked for, its ``stopped`` says why.

    Raises:
        ValueError: a vocabulary that is too small, an empty corpus, a special token that equals
            another token, an unknown ``ties``, a pattern that is broken or slower than
            ``SPLIT_TIMEOUT``.

    >>> grove = train("aaabdaaabac", vocab_size=259, pattern=None)
    >>> grove.merges
    [(97, 97), (97, 98), (256, 257)]
    >>> grove.encode("aaabdaaabac")
    [258, 100, 258, 97, 99]
    """
    check_ties(ties)
    split_pattern = find_pattern(pattern)
    specials = check_special_tokens(special_tokens)
    num_merges = vocab_size - 256 - len(specials)
    if num_merges < 0:
        also = f" and the {len(specials)} special tokens" if specials else ""
        raise ValueError(
            f"A vocabulary of {vocab_size:,} is too small: it has to hold the 256 bytes{also}. "
            f"Choose {256 + len(specials):,} or more."
        )
    weights = count_pieces(text_or_texts, split_pattern, cancel)
    if not weights and not (cancel and cancel()):
        raise ValueError("There is no text to learn from: the corpus is empty. Add some text.")

    forbidden = {special.encode("utf-8") for special in specials}
    num_tokens = num_bytes = sum(len(piece) * weight for piece, weight in weights.items())
    tokens = [bytes([byte]) for byte in range(256)]
    merges: list[Pair] = []
    stopped = None
    with _no_garbage_collection():
        steps = _iter_learned(weights, ties)
        while len(merges) < num_merges:
            if cancel and cancel():
                stopped = f"Stopped by you after {len(merges):,} of {num_merges:,} merges."
                break
            step = next(steps, None)
            if step is None:
                stopped = (
                    f"Stopped after {len(merges):,} of {num_merges:,} merges: no pair is left, every piece "
                    "of the corpus is a single token."
                )
                break
            pair, count, merged = step
            token = tokens[pair[0]] + tokens[pair[1]]
            if token in forbidden:
                raise ValueError(
                    f"The special token {token.decode()!r} is also an ordinary token: the corpus holds it so "
                    f"often that merge {len(merges) + 1:,} makes it. Choose a special token that does not "
                    "occur in the corpus."
                )
            tokens.append(token)
            merges.append(pair)
            num_tokens -= merged
            if on_progress:
                new_id = len(tokens) - 1
                on_progress(
                    Progress(len(merges), num_merges, pair, new_id, token, count, num_tokens, num_bytes)
                )
    return HomeEncoding(merges, split_pattern, specials, name=name, stopped=stopped)


def count_pieces(
    text_or_texts: str | Iterable[str], pattern: str | None, cancel: Callable[[], bool] | None = None
) -> dict[bytes, int]:
    """The unique pieces of a corpus, in order of first occurrence, each with how often it occurs.

    Raises:
        ValueError: something that is no text, or a pattern slower than ``SPLIT_TIMEOUT``.

    >>> count_pieces(["a b b", "a"], " ?[a-z]")
    {b'a': 2, b' b': 2}
    """
    texts = [text_or_texts] if isinstance(text_or_texts, str) else text_or_texts
    timeout = None if pattern in PATTERNS.values() else SPLIT_TIMEOUT
    counts: Counter[str] = Counter()
    for text in texts:
        if not isinstance(text, str):
            raise ValueError(
                f"The corpus holds {type(text).__name__} where text is needed: decode bytes first."
            )
        if cancel and cancel():
            break
        counts.update(split(well_formed(text), pattern, timeout=timeout))
    return {piece.encode("utf-8"): count for piece, count in counts.items()}


def _iter_learned(weights: dict[bytes, int], ties: Ties) -> Iterator[tuple[Pair, int, int]]:
    """Each merge in order: the pair, its count, and how many tokens the corpus lost by it."""
    ids, weight = _lay_out(weights)
    counts, positions = _index_pairs(ids, weight)
    lengths = [1] * 256  # of each token, in bytes
    seen: dict[Pair, int] = {}  # under "first": how many of a pair's positions are known to be gone

    def first_position(pair: Pair) -> int:
        """Where a pair stands first; what is gone stays gone, so each position is passed once."""
        left, right = pair
        where, i = positions[pair], seen.get(pair, 0)
        while ids[where[i]] != left or ids[where[i] + lengths[left]] != right:
            i += 1
        seen[pair] = i
        return where[i]

    # A key: (-count, where the pair stands first or always 0, pair).
    by_place = ties == "first"
    heap = [(-count, positions[pair][0] if by_place else 0, pair) for pair, count in counts.items()]
    heapq.heapify(heap)
    while heap:
        key = heapq.heappop(heap)
        pair = key[2]
        count = counts[pair]
        if count == 0:
            del counts[pair], positions[pair]
            seen.pop(pair, None)
            continue
        true_key = (-count, first_position(pair) if by_place else 0, pair)
        if true_key != key:
            heapq.heappush(heap, true_key)
            continue

        new_id = len(lengths)
        lengths.append(lengths[pair[0]] + lengths[pair[1]])
        new_pairs, merged = _merge(pair, new_id, ids, weight, lengths, counts, positions)
        for new_pair in new_pairs:
            place = positions[new_pair][0] if by_place else 0
            heapq.heappush(heap, (-counts[new_pair], place, new_pair))
        seen.pop(pair, None)
        yield pair, count, merged


def _lay_out(weights: dict[bytes, int]) -> tuple[array[int], array[int]]:
    """All pieces in one array of ids with a wall before, between and after; each position's weight."""
    ids = array("i", [WALL])
    weight = array("q", [0])
    for piece, count in weights.items():
        ids.extend(piece)
        ids.append(WALL)
        weight.extend([count] * (len(piece) + 1))
    return ids, weight


def _index_pairs(ids: array[int], weight: array[int]) -> tuple[dict[Pair, int], dict[Pair, array[int]]]:
    """Each pair's count, and its positions in ascending order."""
    counts: dict[Pair, int] = {}
    positions: dict[Pair, array[int]] = {}
    for position, pair in enumerate(zip(ids, ids[1:], strict=False)):
        if WALL in pair:
            continue
        if pair in counts:
            counts[pair] += weight[position]
            positions[pair].append(position)
        else:
            counts[pair] = weight[position]
            positions[pair] = array("q", [position])
    return counts, positions


def _merge(
    pair: Pair,
    new_id: int,
    ids: array[int],
    weight: array[int],
    lengths: list[int],
    counts: dict[Pair, int],
    positions: dict[Pair, array[int]],
) -> tuple[list[Pair], int]:
    """Merge a pair wherever it stands, from left to right, and put all counts right.

    Returns the pairs that were born, and how many tokens the corpus lost.
    """
    left, right = pair
    left_length, new_length = lengths[left], lengths[new_id]
    born: defaultdict[Pair, array[int]] = defaultdict(lambda: array("q"))
    merged = 0
    for start in positions[pair]:
        middle = start + left_length
        if ids[start] != left or ids[middle] != right:
            continue  # an earlier merge, or this one a moment ago, took one of the two
        end = start + new_length
        times = weight[start]
        merged += times

        before, after = ids[start - 1], ids[end]  # an id stands at its token's last position too
        if before != WALL:
            counts[before, left] -= times
            new_pair = (before, new_id)
            counts[new_pair] = counts.get(new_pair, 0) + times
            born[new_pair].append(start - lengths[before])
        if after != WALL:
            counts[right, after] -= times
            new_pair = (new_id, after)
            counts[new_pair] = counts.get(new_pair, 0) + times
            born[new_pair].append(start)

        ids[middle] = INSIDE  # the order matters: the middle may be the last position too
        ids[start] = ids[end - 1] = new_id
    del counts[pair], positions[pair]
    positions.update(born)
    return list(born), merged


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Millions of small tuples and no cycles: the collector finds nothing, and looks for long."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
