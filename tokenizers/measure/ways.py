"""In how many ways a text can be cut into the tokens of a byte pair encoding, and other ways than its own.

Decoding gives the same text for each of them, so who pays by the token cannot tell from the text which one
was billed (Artola Velasco and others 2025, "Is Your LLM Overcharging You?", arXiv 2505.21627). In training,
cuts may be drawn by chance, so that a model sees a word in several ways: BPE-dropout (Provilkov and others
2020, arXiv 1910.13267).
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ..encoding import Encoding
from ..text.text_map import common_prefix
from ..utf8 import text_of

MAX_WAYS_BYTES = 300
"""The longest text whose ways are counted: the numbers of ways grow by a digit for every few bytes."""

MAX_OPEN_BYTES = 60


def why_no_ways(encoding: Encoding) -> str:
    """Why the ways of an encoding are not counted here, as a sentence; empty: they are.

    >>> from tokenizers import get_encoding
    >>> why_no_ways(get_encoding("gpt2")), why_no_ways(get_encoding("bytes"))[:33]
    ('', 'bytes does not merge bytes, so it')
    """
    if encoding.merging is not None and encoding.joining is None:
        return ""
    return f"{encoding.name} does not merge bytes, so its ways are not counted: choose a byte pair encoding."


def count_ways(encoding: Encoding, text: str) -> dict[int, int]:
    """The number of ways to cut a text into tokens, by their number of tokens, which rises.

    A way may cut anywhere, also where the encoding has a wall. Special tokens are no part of any.

    Args:
        encoding: a byte pair encoding.
        text: up to ``MAX_WAYS_BYTES`` bytes.

    Raises:
        ValueError: another encoding, or a longer text.

    >>> from tokenizers import get_encoding
    >>> count_ways(get_encoding("gpt2"), "the")
    {1: 1, 2: 2, 3: 1}
    """
    data = _checked(encoding, text)
    ways: list[Counter[int]] = [Counter({0: 1})]
    longest = int(encoding.byte_lengths.max())
    for end in range(1, len(data) + 1):
        counts: Counter[int] = Counter()
        for start in range(max(0, end - longest), end):
            if data[start:end] in encoding.ordinary:
                for n_tokens, n_ways in ways[start].items():
                    counts[n_tokens + 1] += n_ways
        ways.append(counts)
    return dict(sorted(ways[-1].items()))


def fewest_tokens(encoding: Encoding, text: str) -> list[int]:
    """The ids of a way with the fewest tokens; of several, the one whose last tokens are longest.

    Args:
        encoding, text: as in ``count_ways``.

    Raises:
        ValueError: as ``count_ways``.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> for ids in (gpt2.encode("browsers"), fewest_tokens(gpt2, "browsers")):
    ...     print([gpt2.decode([token_id]) for token_id in ids])
    ['b', 'rows', 'ers']
    ['brow', 'sers']
    """
    data = _checked(encoding, text)
    longest = int(encoding.byte_lengths.max())
    best: list[tuple[int, int]] = [(0, 0)]  # for each place: how many tokens, and where the last begins
    for end in range(1, len(data) + 1):
        starts = range(max(0, end - longest), end)
        best.append(min((best[at][0] + 1, at) for at in starts if data[at:end] in encoding.ordinary))
    ids = []
    end = len(data)
    while end:
        start = best[end][1]
        ids.append(encoding.ordinary[data[start:end]])
        end = start
    return ids[::-1]


def drop_merges(encoding: Encoding, text: str, share: float, seed: int) -> list[int]:
    """The ids of a text if, before each merge, each merge that is possible is dropped with some probability.

    Args:
        encoding, text: as in ``count_ways``.
        share: the probability, 0 to 1. 0: the merges alone decide, and no token is looked up; 1: bytes.
        seed: the same one gives the same ids.

    Raises:
        ValueError: as ``count_ways``.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> [len(drop_merges(gpt2, "unbelievable", share, seed=1)) for share in (0, 0.5, 1)]
    [4, 5, 12]
    """
    _checked(encoding, text)
    assert encoding.merging is not None
    chance = random.Random(seed)
    ids: list[int] = []
    pieces = encoding.splitting.pieces(text) if encoding.splitting is not None else [text]
    for piece in pieces:
        tokens = [bytes([byte]) for byte in piece.encode()]
        while (at := _next_merge(tokens, encoding.merging.ranks, share, chance)) is not None:
            tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
        ids += [encoding.ordinary[token] for token in tokens]
    return ids


class OpenEnd(NamedTuple):
    """What one more token after a text would do to the text's own tokens.

    Attributes:
        n_settled: how many of the first tokens no such token changes.
        changing: the ids of the tokens that change at least one.
    """

    n_settled: int
    changing: list[int]


def open_end(encoding: Encoding, text: str) -> OpenEnd:
    """Which tokens of a text would be others if the text went on, with any one token of the vocabulary.

    A model that goes on from the tokens of an unfinished text rarely writes such a continuation, since it has
    seen it with the other tokens. Libraries step back by some tokens for that, which is called token healing
    (Lundberg 2023, "The Art of Prompt Design: Prompt Boundaries and Token Healing").

    Args:
        encoding: a byte pair encoding. Its tokens of broken characters are left out.
        text: up to ``MAX_OPEN_BYTES`` bytes, since it is encoded once for each token.

    Raises:
        ValueError: another encoding, or a longer text.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> found = open_end(gpt2, "See http")
    >>> found.n_settled, [gpt2.decode([token_id]) for token_id in found.changing[:3]]
    (1, ['e', 'h', 'l'])
    """
    data = _checked(encoding, text)
    if len(data) > MAX_OPEN_BYTES:
        raise ValueError(
            f"What may follow is tried for up to {MAX_OPEN_BYTES} bytes, and this has {len(data):,}: "
            "shorten it."
        )
    own = encoding.encode(text)
    n_settled = len(own)
    changing = []
    for token, token_id in encoding.ordinary.items():
        added = text_of(token)
        if added is None:
            continue
        ids = encoding.encode(text + added)
        if ids[: len(own)] != own:
            changing.append(token_id)
            n_settled = min(n_settled, common_prefix(ids, own))
    return OpenEnd(n_settled, sorted(changing))


def _next_merge(
    tokens: list[bytes], ranks: Mapping[bytes, int], share: float, chance: random.Random
) -> int | None:
    """The place of the merge with the lowest rank among those that are not dropped; None: there is none."""
    left = []
    for at, (first, second) in enumerate(itertools.pairwise(tokens)):
        rank = ranks.get(first + second)
        if rank is not None and chance.random() >= share:
            left.append((rank, at))
    return min(left)[1] if left else None


def _checked(encoding: Encoding, text: str) -> bytes:
    """The bytes of a text whose ways can be counted."""
    if problem := why_no_ways(encoding):
        raise ValueError(problem)
    data = text.encode()
    if len(data) > MAX_WAYS_BYTES:
        raise ValueError(
            f"Ways are counted for up to {MAX_WAYS_BYTES} bytes, and this has {len(data):,}: shorten it."
        )
    return data
