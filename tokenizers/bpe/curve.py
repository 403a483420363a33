"""One text at every vocabulary size: how many tokens it has, and where its cuts are.

Take away all tokens but the first V, and what is left is again an encoding, with a vocabulary of V.
One encode of a text with all tokens is enough to know what each of those smaller encodings makes of it:

    V from    gpt2
       256    t|h|e|_|c|a|t
       259    t|he|_|c|a|t       h|e is merge 258    (_ stands for a space)
       266    t|he|_|c|at        a|t is merge 265
       270    t|he|_c|at
     1,170    the|_c|at
     3,798    the|_cat

**Why that is exact.** An encoder joins, as long as it can, the two neighbours of the lowest rank. With
fewer tokens it does the same merges in the same order, until the first one of rank V or above, and there
it stops: nothing lower was left to do. So a cut is gone once V is above the ranks of its merge and of all
merges that had to come before it. And because nothing merges across a
cut that stays, every token can be looked at alone, once, however often a text has it.

**The exception.** tiktoken looks up a piece that is a token, and merges only the others. If the
merges behind a token have higher ranks than itself, or never arrive there, then a piece with its
bytes is one token from an earlier size on than the same bytes inside a longer piece. Even so, cuts only ever
disappear as V grows. GLM's and Qwen 3.5's vocabularies have such tokens; a training makes none.

**A size** V, here and in ``measure/cost.py``, counts ordinary tokens: those with ids below V. Special tokens
are left out, and in the text they are plain text. ``vocab_size``, everywhere else, counts them too.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from ..arrays import Flags
from ..encoding import Encoding, Ids
from ..utf8 import utf8_length
from .results import SizeCurve, Sizes
from .trees import merging_of, steps_of

SizesInside = tuple[int, ...]
"""For each place inside a token, the size from which on it is not a cut."""

_NEVER = 1 << 40  # more than any vocabulary size


def counts_by_size(encoding: Encoding, text: str) -> SizeCurve:
    """How many tokens ``text`` has when only the first V tokens are there, for every V, exactly.

    It takes one encode of the text, and each distinct token in it is taken apart once.

    Args:
        encoding: any byte pair encoding, tiktoken's and SentencePiece's too.
        text: any text; special tokens in it are plain text.

    Raises:
        ValueError: an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> curve = counts_by_size(get_encoding("gpt2"), "the cat")
    >>> curve.sizes.tolist(), curve.counts.tolist()
    ([256, 259, 266, 270, 1170, 3798], [7, 6, 5, 4, 3, 2])
    """
    joining = encoding.joining
    if joining is None:
        smallest, full = size_range(encoding)
        keys, inside = _cuts_inside(encoding, text)
    else:
        smallest = joining.smallest
        full = joining.full
        keys = encoding.encode_array(text).astype(np.int64)
        inside = {token_id: joining.sizes_inside(token_id) for token_id in np.unique(keys).tolist()}
    times = np.bincount(keys)
    n_places = 0  # tokens if there were a cut at every place
    cuts_gone = Counter({smallest: 0})  # by the size from which on they are no cuts
    for key in np.flatnonzero(times).tolist():
        n_times = int(times[key])
        n_places += n_times * (len(inside[key]) + 1)
        for size in inside[key]:
            cuts_gone[max(size, smallest)] += n_times
    sizes = sorted(cuts_gone)
    gone_so_far = np.cumsum([cuts_gone[size] for size in sizes], dtype=np.int64)
    return SizeCurve(
        n_bytes=utf8_length(text),
        full=full,
        sizes=np.array(sizes, np.int64),
        counts=n_places - gone_so_far,
    )


def cuts_by_size(encoding: Encoding, text: str) -> Sizes:
    """For each place in a text, the size from which on it is not a cut, shape (bytes + 1,).

    With a vocabulary of size V there is a cut at byte i if ``cuts_by_size(...)[i] > V``. Where the
    full vocabulary still has a cut (and at both ends of the text) that is its size + 1. Places are those
    in the text that the encoding cuts (``Encoding.seen``).

    Raises:
        ValueError: an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> cuts_by_size(get_encoding("gpt2"), "the cat").tolist()
    [50257, 1170, 259, 50257, 270, 3798, 266, 50257]
    """
    _, full = size_range(encoding)
    keys, inside = _cuts_inside(encoding, text)
    sizes = [full + 1]
    for key in keys.tolist():
        sizes += inside[key]
        sizes.append(full + 1)
    return np.array(sizes, np.int64)


def size_range(encoding: Encoding) -> tuple[int, int]:
    """The smallest vocabulary that an encoding can be cut to, its bytes, and its whole one, as counted here.

    Raises:
        ValueError: an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> size_range(get_encoding("gpt2")), size_range(get_encoding("o200k_base"))
    ((256, 50256), (256, 199998))
    """
    merging = merging_of(encoding)
    if merging.pairs is not None:
        return 256, 256 + len(merging.pairs)
    last_byte = max(merging.ranks[bytes([byte])] for byte in range(256))
    last_id = max(merging.ranks.values())
    size_of_bytes = 1 + last_byte - merging.first_id
    return max(size_of_bytes, merging.n_letters), 1 + last_id - merging.first_id


def _cuts_inside(encoding: Encoding, text: str) -> tuple[Sizes, dict[int, SizesInside]]:
    """A text's tokens, and for each distinct one, the sizes from which the places inside it are no cuts.

    Returns:
        A key for each token, shape (n,): twice its id, and one more if it is a whole piece that tiktoken
        looks up before merges make it. And by key, a size for each place inside, one fewer than bytes.
    """
    ids = encoding.encode_array(text)
    first_id = merging_of(encoding).first_id
    known = encoding.cached(_known_cuts)
    inside: dict[int, SizesInside] = {}
    looked_up: list[int] = []
    for token_id in np.flatnonzero(np.bincount(ids)).tolist():
        if token_id not in known:
            known[token_id] = _cuts_in_token(encoding, token_id)
        by_merges = known[token_id]
        own_size = token_id - first_id + 1
        as_whole = tuple(min(size, own_size) for size in by_merges)
        if _NEVER in by_merges:  # so it was looked up, wherever the walls are
            inside[2 * token_id] = as_whole
            continue
        inside[2 * token_id] = by_merges
        if as_whole != by_merges:
            looked_up.append(token_id)
            inside[2 * token_id + 1] = as_whole
    keys = ids.astype(np.int64) * 2
    if looked_up:
        keys += _are_whole_pieces(encoding, ids, text) & np.isin(ids, looked_up)
    return keys, inside


def _known_cuts(_: Encoding) -> dict[int, SizesInside]:
    """Where ``_cuts_inside`` keeps what it has found out about an encoding's tokens."""
    return {}


def _cuts_in_token(encoding: Encoding, token_id: int) -> SizesInside:
    """For each place inside a token, the size from which merges alone remove the cut, shape (bytes - 1,)."""
    sizes = [0] * (len(encoding.token_bytes(token_id)) - 1)
    first_id = merging_of(encoding).first_id
    for step in steps_of(encoding, token_id):  # none of a special token, which is whole at every size
        last_id, _ = step.order  # its own, or that of a merge before it
        is_merge = len(step.parts) == 2
        size = last_id - first_id + 1 if is_merge else _NEVER
        for edge in step.edges[1:-1]:
            sizes[edge - 1] = size
    return tuple(sizes)


def _are_whole_pieces(encoding: Encoding, ids: Ids, text: str) -> Flags:
    """For each token of a text, whether it is a whole piece."""
    pieces = encoding.splitting.pieces(text) if encoding.splitting else [text]
    lengths = encoding.byte_lengths[ids]
    ends = np.cumsum(lengths, dtype=np.int64)
    starts = ends - lengths
    is_wall = np.zeros(int(ends[-1]) + 1, bool)
    is_wall[np.cumsum([0, *map(utf8_length, pieces)])] = True
    walls_before = np.cumsum(is_wall)  # to see whether one is within a token
    has_no_wall_inside = walls_before[ends] - walls_before[starts] == 1
    whole: Flags = is_wall[starts] & is_wall[ends] & has_no_wall_inside
    return whole
