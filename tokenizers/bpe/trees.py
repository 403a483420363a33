"""The merges behind the tokens: a trace for a text, a binary tree for a token.

An encoding says which tokens a text has; this module says how they came to be. tiktoken's files
hold no pairs, only a rank for each token, but the rank is enough: run the merge rule (of all
neighbours whose joined bytes are a token, those with the lowest rank are joined first, the leftmost on ties)
and write down what happens.

    step  rank     "the cat" in gpt2
       1   258     h|e      → he
       2   265     a|t      → at
       3   269     _|c      → _c       (_ stands for a space)
       4  1169     t|he     → the
       5  3797     _c|at    → _cat

**Each token can be looked at alone.** Between two cuts that stay, a stretch of text merges as it
would alone, because no merge reaches in from outside. So the forest of a text is the trees of its
tokens side by side, and the trace of a text is their merges, put into one order.

**The order of a trace** is that of the rule applied to the whole text at once: at each step, of all
merges that can happen now, the lowest rank, and on ties the leftmost. Within a piece this is the
order in which an encoder merges. Over the whole text it is the order for a replay: the ranks never
fall as long as the ranks are those of a training (true of every encoding that comes with the app; the tests
check all of their tokens).

**Pieces that are looked up.** tiktoken does not merge a piece that is a token: it takes the token from
its vocabulary. Where merges arrive at the same token, the difference cannot be seen, and the
tree shows the merges. Where merges alone would stop before (``unreached_by_merges``), the tree's
root has three parts or more, those at which the merges stop, and the trace's last step for it is a
*look-up*. No encoding that comes with the app has such a token; a rank file that someone brings may.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..checks import check_encoding, check_whole_number
from ..encoding import AllowedSpecial, Encoding, Ids
from .merging import no_garbage_collection

if TYPE_CHECKING:
    from .byte_pairs import BytePairEncoding

RawMerge = tuple[int, int, int, int]
"""One merge in some bytes: (rank, start, middle, end); it joins [start, middle) and [middle, end)."""


class Merge(NamedTuple):
    """One step of a trace: the parts that were joined, and what they became. Offsets in bytes.

    A named tuple, because it is quick to make and a megabyte of text has nearly a million of them.

    Attributes:
        step: 1 for the first.
        rank: the new token's rank.
        new_id: the new token's id.
        parts: the ids that were joined: two, or more if the token was looked up.
        edges: where the parts begin, and where the last one ends.
    """

    step: int
    rank: int
    new_id: int
    parts: tuple[int, ...]
    edges: tuple[int, ...]

    @property
    def start(self) -> int:
        """Where the new token begins."""
        return self.edges[0]

    @property
    def end(self) -> int:
        """Where the new token ends."""
        return self.edges[-1]

    @property
    def left(self) -> tuple[int, int]:
        """The span of the left part."""
        return self.edges[0], self.edges[1]

    @property
    def right(self) -> tuple[int, int]:
        """The span of the right part; of a look-up, the last part."""
        return self.edges[-2], self.edges[-1]

    @property
    def is_lookup(self) -> bool:
        """Whether no merge makes this token: it is a whole piece that tiktoken looks up."""
        return len(self.parts) > 2


@dataclass(frozen=True, slots=True, repr=False)
class Node:
    """A token and the two that merged into it, down to the bytes. Offsets in bytes.

    Attributes:
        token_id: its id.
        rank: its rank; None for a byte and for a special token, which no merge makes.
        token_bytes: what it stands for.
        start, end: where it stands in the text (of a tree of its own: from 0).
        left, right: what merged into it; None for a leaf.
        parts: only for a token that merges alone would not reach: the three or more at which they
            stop. ``left`` and ``right`` are None then.
    """

    token_id: int
    rank: int | None
    token_bytes: bytes
    start: int
    end: int
    left: Node | None = None
    right: Node | None = None
    parts: tuple[Node, ...] = ()

    def __repr__(self) -> str:
        return f"<Node {self.token_id} {self.token_bytes!r} [{self.start}, {self.end})>"

    @property
    def children(self) -> tuple[Node, ...]:
        """What it is made of, from left to right: two nodes, none for a leaf, more for a look-up."""
        if self.left is not None and self.right is not None:
            return self.left, self.right
        return self.parts

    def iter_nodes(self) -> Iterator[Node]:
        """This node and all below it: each before its parts, left before right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def leaves(self) -> list[Node]:
        """The bytes, from left to right (of a special token: itself).

        >>> from tokenizers import get_encoding
        >>> [leaf.token_bytes for leaf in merge_tree(get_encoding("gpt2"), 1169).leaves()]
        [b't', b'h', b'e']
        """
        return [node for node in self.iter_nodes() if not node.children]

    def height(self) -> int:
        """How many merges lie one above the other; 0 for a leaf."""
        heights: dict[tuple[int, int], int] = {}
        for node in reversed(list(self.iter_nodes())):
            below = [heights[child.start, child.end] + 1 for child in node.children]
            heights[node.start, node.end] = max(below, default=0)
        return heights[self.start, self.end]


# The merge rule


def run_merges(data: bytes, ranks: Mapping[bytes, int], edges: Sequence[int] | None = None) -> list[RawMerge]:
    """Every merge that happens in one piece, in order, if it is not looked up whole.

    The rule itself: of all neighbours whose joined bytes have a rank, the lowest first, the leftmost on ties,
    until there are none.

    Args:
        data: the piece.
        ranks: of the tokens that merges make, by their bytes.
        edges: where the tokens to begin with begin, and where the last one ends; None: each byte is one.

    >>> run_merges(b"abab", {b"a": 0, b"b": 1, b"ab": 2, b"abab": 3})
    [(2, 0, 1, 2), (2, 2, 3, 4), (3, 0, 2, 4)]
    """
    size = len(data)
    if edges is None:
        edges = range(size + 1)
    end_of = [0] * (size + 1)  # by where a token begins; 0 once nothing begins there
    start_of = [-1] * (size + 1)  # by where a token ends
    for start, end in itertools.pairwise(edges):
        end_of[start] = end
        start_of[end] = start
    waiting = [
        (rank, edges[at], edges[at + 1], edges[at + 2])
        for at in range(len(edges) - 2)
        if (rank := ranks.get(data[edges[at] : edges[at + 2]])) is not None
    ]
    heapq.heapify(waiting)
    done: list[RawMerge] = []
    while waiting:
        merge = heapq.heappop(waiting)
        _, start, middle, end = merge
        if end_of[start] != middle or end_of[middle] != end:
            continue  # one of the two has become part of another token since
        done.append(merge)
        end_of[start] = end
        end_of[middle] = 0
        start_of[end] = start
        if start:
            before = start_of[start]
            rank = ranks.get(data[before:end])
            if rank is not None:
                heapq.heappush(waiting, (rank, before, start, end))
        if end < size:
            after = end_of[end]
            rank = ranks.get(data[start:after])
            if rank is not None:
                heapq.heappush(waiting, (rank, start, end, after))
    return done


def _edges_after(size: int, merges: Iterable[RawMerge]) -> list[int]:
    """Where tokens begin and end once the merges have happened, from 0 to ``size``."""
    joined = {middle for _, _, middle, _ in merges}
    return [at for at in range(size + 1) if at not in joined]


def stops_at(enc: Encoding, data: bytes) -> tuple[int, ...]:
    """The ids at which merges alone arrive, with ``data`` as one piece that is not looked up.

    >>> from tokenizers import get_encoding
    >>> stops_at(get_encoding("gpt2"), b"the"), stops_at(get_encoding("gpt2"), b"thez")
    ((1169,), (1169, 89))
    """
    pairs = merging_of(enc)
    ranks = pairs.mergeable_ranks
    if pairs.known_merges is not None:  # never looks up a piece that merges do not make
        return tuple(pairs.encode_piece(data))
    edges = _edges_after(len(data), run_merges(data, ranks))
    return tuple(ranks[data[start:end]] for start, end in itertools.pairwise(edges))


def merging_of(enc: Encoding, without: str = "there are no merge trees") -> BytePairEncoding:
    """The encoding's merges.

    Args:
        enc: any encoding.
        without: what cannot be had without merges, for the error's sentence.

    Raises:
        ValueError: it is of a family that has none.

    >>> from tokenizers import get_encoding
    >>> merging_of(get_encoding("bytes"))
    Traceback (most recent call last):
    ...
    ValueError: bytes has no merges, so there are no merge trees. Choose a byte pair encoding.
    """
    check_encoding(enc, "enc")
    if enc.joining is not None:
        raise ValueError(
            f"{enc.name} merges characters by score, not bytes by rank, so {without}. Choose a byte pair "
            "encoding."
        )
    if enc.merging is None:
        lack = "has merges that are not drawn here" if enc.not_drawn else "has no merges"
        raise ValueError(f"{enc.name} {lack}, so {without}. Choose a byte pair encoding.")
    return enc.merging


def ranks_of(enc: Encoding) -> Mapping[bytes, int]:
    """The tokens that can arise, by their bytes, with their ids, which are in the order of their ranks."""
    return merging_of(enc).mergeable_ranks


# One token


@dataclass(frozen=True, slots=True)
class _Step:
    """A merge inside a token, before it has a place in a text."""

    order: tuple[int, int]  # (new id, start) of the last merge that it had to wait for; perhaps itself
    rank: int
    new_id: int
    parts: tuple[int, ...]
    edges: tuple[int, ...]


class _Memory:
    """What is known so far about an encoding's tokens."""

    def __init__(self, _: Encoding) -> None:
        self.parts: dict[int, tuple[int, ...]] = {}
        self.steps: dict[int, list[_Step]] = {}
        self.all_parts: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None = None
        self.lock = threading.Lock()


MAX_TREE_BYTES = 1 << 24
"""Bytes of all nodes of a tree together, and so the most nodes that a tree may have."""

_REMEMBERED = 50_000
"""Tokens whose steps are remembered, for each encoding."""


def _memory(enc: Encoding) -> _Memory:
    return enc.kept(_Memory)


def parts_of(enc: Encoding, token_id: int) -> tuple[int, ...]:
    """The two tokens whose merge makes this one, its parents; () for a byte and a special token.

    Three or more: merges alone would not reach the token and stop at these.

    Raises:
        ValueError: an id that this encoding does not have.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> [gpt2.token_bytes(part) for part in parts_of(gpt2, 1169)]
    [b't', b'he']
    """
    memory = _memory(enc)
    parts = memory.parts.get(token_id)
    if parts is None:
        parts = memory.parts[token_id] = _find_parts(enc, token_id)
    return parts


def _find_parts(enc: Encoding, token_id: int) -> tuple[int, ...]:
    known = merging_of(enc).known_merges
    if known is not None:
        return () if enc.rank(token_id) is None else known[token_id - 256]
    data = enc.token_bytes(token_id)
    if enc.is_special(token_id) or len(data) == 1:
        return ()
    ranks = ranks_of(enc)
    merges = run_merges(data, ranks)
    if merges:
        _, start, middle, end = merges[-1]
        if start == 0 and end == len(data):
            return ranks[data[:middle]], ranks[data[middle:]]
    edges = _edges_after(len(data), merges)
    return tuple(ranks[data[start:end]] for start, end in itertools.pairwise(edges))


def all_parts(enc: Encoding) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The two parents of every token, each array of shape (n_vocab,), indexed by id.

    -1: a byte, a special token, an id without a token, or a token that merges do not reach. The first
    call takes a second or two for a large vocabulary of one's own, later ones none.

    >>> from tokenizers import get_encoding
    >>> left, right = all_parts(get_encoding("gpt2"))
    >>> int(left[1169]), int(right[1169]), int(left[0])
    (83, 258, -1)
    """
    memory = _memory(enc)
    with memory.lock:
        if memory.all_parts is None:
            left: npt.NDArray[np.int32] = np.full(enc.n_vocab, -1, dtype=np.int32)
            right = left.copy()
            merges = merging_of(enc).known_merges
            if merges:
                pairs = np.array(merges, dtype=np.int32)
                left[256 : 256 + len(pairs)], right[256 : 256 + len(pairs)] = pairs.T
            elif merges is None:
                ranks, middles = ranks_of(enc), merging_of(enc).middles
                cuts = (find_middles(ranks) if middles is None else middles).tolist()
                parents = [
                    (token_id, ranks[data[:cut]], ranks[data[cut:]])
                    for data, token_id in ranks.items()
                    if (cut := cuts[token_id])
                ]
                if parents:
                    ids, lefts, rights = np.array(parents, dtype=np.int32).T
                    left[ids], right[ids] = lefts, rights
            memory.all_parts = left, right
        return memory.all_parts


def find_middles(ranks: Mapping[bytes, int]) -> npt.NDArray[np.int32]:
    """Where the last merge of every token joins its two parents, shape (largest rank + 1,), indexed by id.

    As the length of the left parent in bytes; 0 for a byte, and for a token that merges do not reach.

    >>> find_middles({b"a": 0, b"b": 1, b"ab": 2, b"aab": 3}).tolist()
    [0, 0, 1, 1]
    """
    middles = np.zeros(max(ranks.values(), default=-1) + 1, dtype=np.int32)
    for data, token_id in ranks.items():
        if len(data) > 1:
            middles[token_id] = last_middle(data, ranks)
    return middles


def children_of(enc: Encoding, token_id: int, containing: Iterable[bytes]) -> tuple[int, ...]:
    """The tokens whose last merge joins this token to another one, by id.

    Until the parents of all tokens are known, only tokens that could be children are looked at, so that
    nobody has to wait for ``all_parts`` to read about one token.

    Args:
        enc: any byte pair encoding.
        token_id: the token.
        containing: the bytes of every ordinary token that contains its bytes.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> children = children_of(gpt2, 42202, [b" Solid", b" SolidGoldMagikarp", b"GoldMagikarp"])
    >>> [gpt2.token_bytes(child) for child in children]
    [b' SolidGoldMagikarp']
    """
    are_known = merging_of(enc).known_merges is not None or _memory(enc).all_parts is not None
    if not are_known and not enc.is_special(token_id):
        data, ranks = enc.token_bytes(token_id), ranks_of(enc)
        size = len(data)
        children = []
        for token in containing:
            first = token.startswith(data) and token[size:] in ranks
            last = token.endswith(data) and token[:-size] in ranks
            if (first or last) and token in ranks:
                middle = last_middle(token, ranks)
                if middle and ((first and middle == size) or (last and len(token) - middle == size)):
                    children.append(ranks[token])
        return tuple(sorted(children))
    left, right = all_parts(enc)
    return tuple(np.flatnonzero((left == token_id) | (right == token_id)).tolist())


_NEVER = 1 << 62
"""More than any rank."""


def last_middle(
    data: bytes, ranks: Mapping[bytes, int], never: int = _NEVER, edges: Sequence[int] | None = None
) -> int:
    """Where the last merge of a token joins its two parts; 0 if merges do not reach it.

    As ``run_merges``, but quicker for the few bytes that most tokens have.

    Args:
        data: the token.
        ranks: of what merges make, by its bytes.
        never: more than any rank.
        edges: where what is merged begins and ends, such as characters; None: bytes are merged.
    """
    size = len(data)
    if size > 64:
        _, start, middle, end = (run_merges(data, ranks, edges) or [(0, 0, 0, 0)])[-1]
        return middle if end - start == size else 0
    get = ranks.get
    edges = list(range(size + 1) if edges is None else edges)
    waiting = [  # by what stands left of the cut
        get(data[start:end], never) for start, end in zip(edges, edges[2:], strict=False)
    ]
    if not waiting:
        return 0
    while len(waiting) > 1:
        lowest = min(waiting)
        if lowest == never:
            return 0
        at = waiting.index(lowest)
        del edges[at + 1], waiting[at]
        if at < len(waiting):
            waiting[at] = get(data[edges[at] : edges[at + 2]], never)
        if at:
            waiting[at - 1] = get(data[edges[at - 1] : edges[at + 1]], never)
    return edges[1] if waiting[0] != never else 0


def unreached_by_merges(enc: Encoding) -> dict[int, tuple[int, ...]]:
    """The ordinary tokens that merges alone do not reach, with the ids at which the merges stop.

    tiktoken still uses such a token for a piece that is exactly its bytes, by look-up, and nowhere
    else. A home-trained encoding with such a token never uses it. Training never makes one; a rank
    file or a list of merges made otherwise can hold some. The encodings that come with the app
    have none:

    >>> from tokenizers import HomeEncoding, get_encoding
    >>> unreached_by_merges(get_encoding("gpt2"))
    {}
    >>> unreached_by_merges(HomeEncoding([(97, 98), (98, 99), (97, 257)]))  # "abc" is ab|c, not a|bc
    {258: (256, 99)}

    Raises:
        ValueError: an encoding without merges, or one whose tokens are too long to look at each of them.
    """
    pairs = merging_of(enc)
    ranks, merges = pairs.mergeable_ranks, pairs.known_merges
    if merges is not None:
        enc.check_spelled_out("Grow it with a split pattern to look at all of its tokens.")
        reached = set(ranks.values())
        missing = [token_id for token_id in range(256 + len(merges)) if token_id not in reached]
    else:
        left, _ = all_parts(enc)
        missing = [token_id for data, token_id in ranks.items() if len(data) > 1 and int(left[token_id]) < 0]
    return {token_id: stops_at(enc, enc.token_bytes(token_id)) for token_id in sorted(missing)}


def _post_order(enc: Encoding, token_id: int) -> Iterator[tuple[int, int, int, tuple[int, ...]]]:
    """A token and all that it is made of: (id, start, end, parts), parts before what they make."""
    parts_known = _memory(enc).parts
    stack = [(token_id, -1)]  # an id, and where it begins; -1: its parts are still to come
    at = 0  # bytes so far: every leaf is one
    while stack:
        current, start = stack.pop()
        parts = parts_known.get(current)
        if parts is None:
            parts = parts_of(enc, current)
        if not parts:
            yield current, at, at + 1, parts
            at += 1
        elif start >= 0:
            yield current, start, at, parts
        else:
            stack.append((current, at))
            stack.extend((part, -1) for part in reversed(parts))


def merge_tree(enc: Encoding, token_id: int, start: int = 0) -> Node:
    """The tree of merges that makes a token, down to its bytes.

    A special token is no product of merges: its tree is one leaf.

    Args:
        enc: any byte pair encoding, tiktoken's and SentencePiece's too.
        token_id: the token.
        start: where it stands, in bytes.

    Raises:
        ValueError: an id that this encoding does not have, an encoding without merges, or a tree
            whose nodes have more than ``MAX_TREE_BYTES`` together.

    >>> from tokenizers import get_encoding
    >>> tree = merge_tree(get_encoding("gpt2"), 1169)
    >>> tree, tree.left, tree.right
    (<Node 1169 b'the' [0, 3)>, <Node 83 b't' [0, 1)>, <Node 258 b'he' [1, 3)>)
    >>> tree.rank, tree.height()
    (1169, 2)
    """
    check_encoding(enc, "enc")
    token_id = check_whole_number(token_id, "token_id")
    start = check_whole_number(start, "start")
    if enc.is_special(token_id):
        return _leaf(token_id, enc.token_bytes(token_id), start)
    if enc.joining is not None:
        enc.token_bytes(token_id)  # raises if there is no such id
        return enc.joining.tree(token_id, start)
    return _grow(_plan_of(enc, token_id), start, merging_of(enc).first_id)


_Plan = list[tuple[int, bytes, int, int, int]]
"""The nodes of a tree, parts before what they make: (id, bytes, start, end, number of parts)."""


def _plan_of(enc: Encoding, token_id: int) -> _Plan:
    _check_tree(enc, token_id)
    data = enc.token_bytes(token_id)
    return [
        (current, data[start:end], start, end, len(parts))
        for current, start, end, parts in _post_order(enc, token_id)
    ]


def _grow(plan: _Plan, start: int, first_id: int) -> Node:
    """The tree of a plan, at a place in a text; ``first_id``: the id of rank 0."""
    grown: list[Node] = []
    for token_id, data, at, end, n_parts in plan:
        if not n_parts:
            grown.append(Node(token_id, None, data, start + at, start + end))
        elif n_parts == 2:
            right, left = grown.pop(), grown.pop()
            grown.append(Node(token_id, token_id - first_id, data, start + at, start + end, left, right))
        else:
            parts = tuple(grown[-n_parts:])
            del grown[-n_parts:]
            rank = token_id - first_id
            grown.append(Node(token_id, rank, data, start + at, start + end, parts=parts))
    return grown[0]


def _check_tree(enc: Encoding, token_id: int) -> None:
    """Refuse a tree that is too large, before it grows."""
    parts_of(enc, token_id)  # raises if there is no such id
    length = int(enc.byte_lengths[token_id])
    if length * (length + 1) // 2 + length <= MAX_TREE_BYTES:
        return  # however deep it is
    sizes: dict[int, int] = {}  # of the trees of all that the token is made of
    stack = [token_id]
    while stack:
        parts = parts_of(enc, stack[-1])
        missing = [part for part in parts if part not in sizes]
        if missing:
            stack += missing
        else:
            current = stack.pop()
            sizes[current] = int(enc.byte_lengths[current]) + sum(sizes[part] for part in parts)
    if sizes[token_id] > MAX_TREE_BYTES:
        raise ValueError(
            f"Token {token_id} of {enc.name} has {length:,} bytes, and all nodes of its tree "
            f"{sizes[token_id] / 1e6:,.0f} MB together: too much to draw. Choose a shorter token."
        )


def _leaf(token_id: int, data: bytes, start: int) -> Node:
    return Node(token_id, None, data, start, start + len(data))


def steps_of(enc: Encoding, token_id: int) -> list[_Step]:
    """The merges inside a token, in the order in which they happen."""
    memory = _memory(enc)
    steps = memory.steps.get(token_id)
    if steps is None:
        steps = _find_steps(enc, token_id)
        if len(memory.steps) < _REMEMBERED and len(steps) < 200:
            memory.steps[token_id] = steps
    return steps


def _find_steps(enc: Encoding, token_id: int) -> list[_Step]:
    if enc.is_special(token_id):
        return []
    steps: list[_Step] = []
    orders: list[tuple[int, int]] = []
    first_id = merging_of(enc).first_id
    edges: list[int] = []  # where the nodes in ``orders`` begin
    for current, start, end, parts in _post_order(enc, token_id):
        if not parts:
            orders.append((-1, start))
            edges.append(start)
            continue
        # A merge waits for its parts. If one of them has a higher rank than the merge itself, the
        # merge happens right after it, as the lowest of all that can happen then.
        first = len(orders) - len(parts)
        order = max((current, start), *orders[first:])
        steps.append(_Step(order, current - first_id, current, parts, (*edges[first:], end)))
        orders[first:], edges[first:] = [order], [start]
    steps.sort(key=lambda step: step.order)  # stable: parts stay before what they make
    return steps


# A text


def forest(enc: Encoding, text: str, *, allowed_special: AllowedSpecial = ()) -> list[Node]:
    """The tree of each token of a text, in place. The roots are ``enc.encode(text)``.

    >>> from tokenizers import get_encoding
    >>> forest(get_encoding("gpt2"), "the cat")
    [<Node 1169 b'the' [0, 3)>, <Node 3797 b' cat' [3, 7)>]
    """
    ids, edges, data = _places(enc, text, allowed_special)
    plans = {
        token_id: _plan_of(enc, token_id)
        for token_id in np.unique(ids).tolist()
        if not enc.is_special(token_id)
    }
    first_id = merging_of(enc).first_id
    with no_garbage_collection():
        return [
            _grow(plans[token_id], start, first_id)
            if token_id in plans
            else _leaf(token_id, data[start:end], start)
            for token_id, (start, end) in zip(ids.tolist(), itertools.pairwise(edges.tolist()), strict=True)
        ]


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
    ids, edges, _ = _places(enc, text, allowed_special)
    return _trace(enc, ids, edges)


def _trace(enc: Encoding, ids: Ids, edges: npt.NDArray[np.int64]) -> list[Merge]:
    """The trace of tokens in their places; each distinct token is taken apart once."""
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
        # As rows of columns, the merges are made without a call for each.
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


def _places(
    enc: Encoding, text: str, allowed_special: AllowedSpecial
) -> tuple[Ids, npt.NDArray[np.int64], bytes]:
    """A text: its token ids, shape (n,); where they begin, and its end, shape (n + 1,); its bytes."""
    ranks_of(enc)
    data = enc.seen(text).encode("utf-8")
    ids = enc.encode_array(text, allowed_special=allowed_special)
    return ids, np.concatenate(([0], np.cumsum(enc.lengths_in(ids, data)))), data


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
        ids, edges, data = _places(enc, text, allowed_special)
        self.merges: Sequence[Merge] = _trace(enc, ids, edges)
        self._first: list[tuple[int, int, int]] = []
        byte_ids = [ranks_of(enc)[bytes([byte])] for byte in range(256)]
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
            ValueError: there are not as many steps.
        """
        check_whole_number(steps, "steps")
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
