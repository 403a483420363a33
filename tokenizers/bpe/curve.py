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

import itertools

import numpy as np

from ..arrays import Flags
from ..encoding import Encoding, Ids
from ..utf8 import utf8_length
from .results import SizeCurve, Sizes
from .trees import merging_of, steps_of

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
    if joining is not None:
        smallest, full = joining.smallest, joining.full
        keys = encoding.encode_array(text).astype(np.int64)
        inside = {token_id: joining.sizes_inside(token_id) for token_id in np.unique(keys).tolist()}
    else:
        smallest, full = size_range(encoding)
        keys, inside = _cuts_inside(encoding, text)
    times = np.bincount(keys)
    distinct = np.flatnonzero(times)
    sizes_of_each = [inside[key] for key in distinct.tolist()]
    lengths = np.array([len(sizes) for sizes in sizes_of_each], dtype=np.int64)
    gone = np.fromiter(itertools.chain.from_iterable(sizes_of_each), np.int64, int(lengths.sum()))
    weights = np.repeat(times[distinct], lengths)
    falls = np.bincount(gone, weights, minlength=smallest + 1).astype(np.int64)
    counts = int(times[distinct] @ (lengths + 1)) - np.cumsum(falls)
    changes = smallest + 1 + np.flatnonzero(falls[smallest + 1 :])
    sizes = np.concatenate(([smallest], changes))
    return SizeCurve(utf8_length(text), full, sizes, counts[sizes])


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
    stays = size_range(encoding)[1] + 1
    keys, inside = _cuts_inside(encoding, text)
    to_its_end = {key: (*sizes, stays) for key, sizes in inside.items()}
    each = itertools.chain.from_iterable(map(to_its_end.__getitem__, keys.tolist()))
    return np.fromiter(itertools.chain((stays,), each), np.int64)


def size_range(encoding: Encoding) -> tuple[int, int]:
    """The smallest vocabulary that an encoding can be cut to, its bytes, and its whole one, as counted here.

    Raises:
        ValueError: an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> size_range(get_encoding("gpt2")), size_range(get_encoding("o200k_base"))
    ((256, 50256), (256, 199998))
    """
    merging = merging_of(encoding)
    of_bytes = 1 + max(merging.ranks[bytes([byte])] for byte in range(256)) - merging.first_id
    if merging.pairs is not None:
        return 256, 256 + len(merging.pairs)
    full = 1 + max(merging.ranks.values()) - merging.first_id
    return max(of_bytes, merging.n_letters), full


def _cuts_inside(encoding: Encoding, text: str) -> tuple[Sizes, dict[int, tuple[int, ...]]]:
    """A text's tokens, and for each distinct one, the sizes from which the places inside it are no cuts.

    Returns:
        A key for each token, shape (n,): twice its id, and one more if it is a whole piece that tiktoken
        looks up before merges make it. And by key, a size for each place inside, one fewer than bytes.
    """
    ids = encoding.encode_array(text)
    known, first_id = encoding.cached(_known_cuts), merging_of(encoding).first_id
    present = np.flatnonzero(np.bincount(ids)).tolist()
    for token_id in present:
        if token_id not in known:
            known[token_id] = _cuts_in_token(encoding, token_id)
    own_sizes = {token_id: token_id - first_id + 1 for token_id in present}
    inside = {2 * token_id: known[token_id] for token_id in present}
    keys = ids.astype(np.int64) * 2
    early = [token_id for token_id in present if max(known[token_id], default=0) > own_sizes[token_id]]
    if early:
        keys += _are_whole_pieces(encoding, ids, text) & np.isin(ids, early)
        for token_id in early:
            own = own_sizes[token_id]
            inside[2 * token_id + 1] = tuple(min(size, own) for size in known[token_id])
    return keys, inside


def _known_cuts(_: Encoding) -> dict[int, tuple[int, ...]]:
    """Where ``_cuts_inside`` keeps what it has found out about an encoding's tokens."""
    return {}


def _cuts_in_token(encoding: Encoding, token_id: int) -> tuple[int, ...]:
    """For each place inside a token, the size from which merges alone remove the cut, shape (bytes - 1,)."""
    sizes = [0] * (len(encoding.token_bytes(token_id)) - 1)
    first_id = merging_of(encoding).first_id
    for step in steps_of(encoding, token_id):  # none of a special token, which is whole at every size
        last_id = step.order[0]  # its own, or that of a merge before it
        for edge in step.edges[1:-1]:
            sizes[edge - 1] = last_id - first_id + 1 if len(step.parts) == 2 else _NEVER
    return tuple(sizes)


def _are_whole_pieces(encoding: Encoding, ids: Ids, text: str) -> Flags:
    """For each token of a text, whether it is a whole piece."""
    pieces = encoding.splitting.pieces(text) if encoding.splitting else [text]
    ends = np.cumsum(encoding.byte_lengths[ids], dtype=np.int64)
    starts = ends - encoding.byte_lengths[ids]
    is_wall = np.zeros(int(ends[-1]) + 1, dtype=np.bool_)
    is_wall[np.cumsum([0, *map(utf8_length, pieces)])] = True
    inside = np.cumsum(is_wall)  # walls up to each place, to see whether one is within a token
    whole: Flags = is_wall[starts] & is_wall[ends] & (inside[ends] - inside[starts] == 1)
    return whole
