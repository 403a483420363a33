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

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..encoding import AllowedSpecial, Encoding, Ids
from .merging import no_garbage_collection
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
    ids, edges, _ = places_in(enc, text, allowed_special)
    return _trace(enc, ids, edges)


def _trace(enc: Encoding, ids: Ids, edges: npt.NDArray[np.int64]) -> list[Merge]:
    """The trace of tokens at these places; the steps of each distinct token are looked up once."""
    distinct, which = np.unique(ids, return_inverse=True)
    steps_of_each = [steps_of(enc, token_id) for token_id in distinct.tolist()]
    steps = list(itertools.chain.from_iterable(steps_of_each))
    if not steps:
        return []
    # A row for each merge of the text: the step, and where its token begins.
    n_steps = np.fromiter(map(len, steps_of_each), dtype=np.int64, count=len(steps_of_each))
    begins, times = (np.cumsum(n_steps) - n_steps)[which], n_steps[which]
    rows = np.arange(int(times.sum())) + np.repeat(begins - (np.cumsum(times) - times), times)
    starts = np.repeat(edges[:-1], times)

    def column(values: Iterable[int]) -> npt.NDArray[np.int64]:
        return np.fromiter(values, dtype=np.int64, count=len(steps))

    ranks, places = column(step.order[0] for step in steps), column(step.order[1] for step in steps)
    order = np.lexsort((places[rows] + starts, ranks[rows]))  # stable: on ties, parts stay first
    rows, starts = rows[order], starts[order]
    first, second, last = (
        (column(step.edges[i] for step in steps)[rows] + starts).tolist() for i in (0, 1, -1)
    )
    ids_made = list(map([step.new_id for step in steps].__getitem__, rows.tolist()))
    parts = map([step.parts for step in steps].__getitem__, rows.tolist())
    with no_garbage_collection():
        # Zipped from columns: a call of ``Merge`` for each row would take much longer.
        columns = zip(
            range(1, len(rows) + 1),
            map([step.rank for step in steps].__getitem__, rows.tolist()),
            ids_made,
            parts,
            zip(first, second, last, strict=True),
            strict=True,
        )
        merges: list[Merge] = list(map(functools.partial(tuple.__new__, Merge), columns))
    for i in np.flatnonzero(column(len(step.parts) > 2 for step in steps)[rows]).tolist():
        step, start = steps[rows[i]], int(starts[i])  # a look-up, which has more edges than three
        merges[i] = merges[i]._replace(edges=tuple(start + edge for edge in step.edges))
    return merges


class Replay:
    """A text at every moment of its trace: from bytes, merge by merge, to its tokens.

    Args:
        enc: the encoding.
        text: the text.
        allowed_special: as in ``Encoding.encode``.

    >>> from tokenizers import get_encoding
    >>> replay = Replay(get_encoding("gpt2"), "the cat")
    >>> len(replay.merges), replay.counts
    (5, [7, 6, 5, 4, 3, 2])
    >>> replay.ids_after(5) == get_encoding("gpt2").encode("the cat")
    True
    >>> replay.tokens_after(3)
    [(83, 0, 1), (258, 1, 3), (269, 3, 5), (265, 5, 7)]
    """

    def __init__(self, enc: Encoding, text: str, *, allowed_special: AllowedSpecial = ()) -> None:
        ids, edges, data = places_in(enc, text, allowed_special)
        self.merges: Sequence[Merge] = _trace(enc, ids, edges)
        self._first: list[tuple[int, int, int]] = []
        byte_ids = [merging_of(enc).ranks[bytes([byte])] for byte in range(256)]
        for token_id, (start, end) in zip(ids.tolist(), itertools.pairwise(edges.tolist()), strict=True):
            if enc.is_special(token_id):
                self._first.append((token_id, start, end))
            else:
                self._first.extend((byte_ids[data[at]], at, at + 1) for at in range(start, end))

    @functools.cached_property
    def counts(self) -> list[int]:
        """How many tokens there are after 0, 1, 2, … steps."""
        falls = (1 - len(merge.parts) for merge in self.merges)
        return list(itertools.accumulate(falls, initial=len(self._first)))

    def tokens_after(self, steps: int) -> list[tuple[int, int, int]]:
        """The tokens after this many steps: (id, start, end).

        Raises:
            ValueError: there are fewer steps.
        """
        if not 0 <= steps <= len(self.merges):
            raise ValueError(f"There is no step {steps}: choose from 0 to {len(self.merges)}.")
        tokens = {start: (token_id, start, end) for token_id, start, end in self._first}
        for merge in self.merges[:steps]:
            for edge in merge.edges[1:-1]:
                del tokens[edge]
            tokens[merge.start] = (merge.new_id, merge.start, merge.end)
        return list(tokens.values())

    def ids_after(self, steps: int) -> list[int]:
        """The ids after this many steps; after the last one, those of the text."""
        return [token_id for token_id, _, _ in self.tokens_after(steps)]
