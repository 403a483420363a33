"""A training on a short text, taken apart for the eye: every state, its pairs, and who wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..split.patterns import find_pattern
from ..utf8 import well_formed
from .plain import Pair, count_pairs, iter_merges, ranked_pairs, text_to_pieces
from .ties import Ties

MAX_BYTES = 2_000
MAX_STEPS = 200


@dataclass(frozen=True)
class State:
    """The text between two merges.

    Attributes:
        pieces: the token ids of each piece.
        pairs: the pairs in the order in which they would be merged, the winner first:
            ((left id, right id), count). All of them.
        tied: how many pairs share the winner's count, the winner included.
        winner: the pair that is merged next; None: no pair is left, or no more merges were asked for.
        new_id: the id that the next merge makes.
    """

    pieces: Sequence[Sequence[int]]
    pairs: Sequence[tuple[Pair, int]]
    tied: int
    winner: Pair | None
    new_id: int


@dataclass(frozen=True)
class Stepping:
    """All states of a training; state k is the text after k merges.

    ``tokens`` are the bytes of every id that occurs.
    """

    states: Sequence[State]
    tokens: dict[int, bytes]
    n_bytes: int


def step_through(
    text: str, n_merges: int = MAX_STEPS, ties: Ties = "smallest", pattern: str | None = None
) -> Stepping:
    """Train on ``text`` and keep every state.

    Args:
        text: up to ``MAX_BYTES`` bytes.
        n_merges: up to ``MAX_STEPS``.
        ties: which of equally frequent pairs is merged, as in ``iter_merges``.
        pattern: a pattern's name, a regex, or None for no walls.

    Raises:
        ValueError: the text is too long.

    >>> stepping = step_through("aaabdaaabac", 3)
    >>> [state.winner for state in stepping.states]
    [(97, 97), (97, 98), (256, 257), None]
    >>> stepping.states[0].pairs[:2], stepping.states[1].tied, stepping.tokens[258]
    ([((97, 97), 4), ((97, 98), 2)], 2, b'aaab')
    """
    text = well_formed(text)
    n_bytes = len(text.encode("utf-8"))
    if n_bytes > MAX_BYTES:
        raise ValueError(
            f"This text has {n_bytes:,} bytes, and step by step takes up to {MAX_BYTES:,}: shorten it, or "
            "grow a vocabulary on it under Grow · Train."
        )
    steps = list(iter_merges(text, min(n_merges, MAX_STEPS), ties, pattern))
    tokens = {byte: bytes([byte]) for byte in set(text.encode("utf-8"))}
    for step in steps:
        tokens[step.new_id] = tokens[step.pair[0]] + tokens[step.pair[1]]
    before = [text_to_pieces(text, find_pattern(pattern)), *(step.pieces for step in steps)]
    states = []
    for k, pieces in enumerate(before):
        counts = count_pairs(pieces)
        ranked = [(pair, counts[pair]) for pair in ranked_pairs(counts, ties)]
        tied = sum(count == ranked[0][1] for _, count in ranked) if ranked else 0
        winner = steps[k].pair if k < len(steps) else None
        states.append(State(pieces, ranked, tied, winner, 256 + k))
    return Stepping(states, tokens, n_bytes)
