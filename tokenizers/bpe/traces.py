"""Every merge of a text, in order: its trace, and the text at every moment of it.

    step  rank     "the cat" in gpt2
       1   258     h|e      → he
       2   265     a|t      → at
       3   269     _|c      → _c       (_ stands for a space)
       4  1169     t|he     → the
       5  3797     _c|at    → _cat

The order is that of the merge rule applied to the whole text at once: at each step, of all
merges that can happen now, the one of lowest rank, and on ties the leftmost. Within a piece this is the
order in which an encoder merges. Over the whole text it is a good order for a replay: if the ranks come from
a training, they never fall. (That is so in every encoding that comes with the app: the tests check all of
their tokens.)
"""

from __future__ import annotations

import itertools
import operator
from dataclasses import dataclass

from ..encoding import AllowedSpecial, Encoding
from .results import Merge
from .trees import merging_of, places_in, post_order


@dataclass(frozen=True, slots=True)
class Step:
    """A merge inside a token, before it has a place in a text."""

    order: tuple[int, int]  # sort key: its own (id, start), or that of a later merge that it has to wait for
    rank: int
    new_id: int
    parts: tuple[int, ...]
    edges: tuple[int, ...]


def steps_of(enc: Encoding, token_id: int) -> list[Step]:
    """The merges inside a token, in the order in which they happen."""
    if enc.is_special(token_id):
        return []
    steps: list[Step] = []
    orders: list[tuple[int, int]] = []
    first_id = merging_of(enc).first_id
    edges: list[int] = []  # where the nodes in ``orders`` begin
    for current, start, end, parts in post_order(enc, token_id):
        if not parts:
            orders.append((-1, start))
            edges.append(start)
            continue
        # A merge waits for its parts. If one of them has a higher rank than the merge itself, the merge
        # happens right after that part, because then it has the lowest rank of all that can happen.
        first = len(orders) - len(parts)
        order = max((current, start), *orders[first:])
        steps.append(Step(order, current - first_id, current, parts, (*edges[first:], end)))
        orders[first:], edges[first:] = [order], [start]
    steps.sort(key=lambda step: step.order)  # stable: each stays after its parts
    return steps


def trace(enc: Encoding, text: str, *, allowed_special: AllowedSpecial = ()) -> list[Merge]:
    """Every merge that happens in a text, in order: the lowest rank first, the leftmost on ties.

    Places are those in the text that the encoding cuts (``Encoding.seen``), here as in ``forest``.

    Args:
        enc: any byte pair encoding, tiktoken's too.
        text: any text.
        allowed_special: as in ``Encoding.encode``; no merge happens in a special token.

    Raises:
        ValueError: an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> for merge in trace(gpt2, "the cat"):
    ...     print(merge.step, merge.rank, *(gpt2.token_bytes(part) for part in merge.parts))
    1 258 b'h' b'e'
    2 265 b'a' b't'
    3 269 b' ' b'c'
    4 1169 b't' b'he'
    5 3797 b' c' b'at'
    """
    ids, token_edges, _ = places_in(enc, text, allowed_special)
    steps_of_each = {token_id: steps_of(enc, token_id) for token_id in set(ids.tolist())}
    rows = [  # the order of each step, and where its token begins
        ((step.order[0], step.order[1] + start), step, start)
        for token_id, start in zip(ids.tolist(), token_edges.tolist(), strict=False)
        for step in steps_of_each[token_id]
    ]
    rows.sort(key=operator.itemgetter(0))  # stable: on ties, parts stay first
    return [
        Merge(number, step.rank, step.new_id, step.parts, tuple(start + edge for edge in step.edges))
        for number, (_, step, start) in enumerate(rows, start=1)
    ]


def counts_after(merges: list[Merge], n_tokens: int) -> list[int]:
    """How many tokens there are after 0, 1, 2, … merges of a trace that ends with ``n_tokens``.

    >>> from tokenizers import get_encoding
    >>> counts_after(trace(get_encoding("gpt2"), "the cat"), 2)
    [7, 6, 5, 4, 3, 2]
    """
    falls = [len(merge.parts) - 1 for merge in merges]
    return list(itertools.accumulate(falls, operator.sub, initial=n_tokens + sum(falls)))
