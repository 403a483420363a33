"""The merges behind the tokens: a binary tree for each.

An encoding says which tokens a text has; this module says how they came to be, by the merge rule.

**Each token can be looked at alone.** No merge crosses a cut of the finished text, so what is between two
cuts merges as it would without its surroundings. The forest of a text is therefore the trees of its tokens
side by side, and the trace of a text (``traces.py``) is their merges, put into one order.

**Pieces that are looked up.** tiktoken does not merge a piece that is a token: it takes the token from
its vocabulary. As a rule, merges would lead to the same token, and the tree shows them. If merges alone
would stop earlier (``unreached_by_merges``), the tree's root has three parts or more, the tokens at which
they stop, and the trace's last step for it is a *look-up*. No encoding that comes with the app has such a
token; a rank file that someone brings may.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..amounts import bytes_in_words
from ..checks import check_encoding, check_whole_number
from ..encoding import AllowedSpecial, Encoding, Ids
from .merge_rule import edges_after, find_middles, last_middle, merging_of, ranks_of, run_merges, stops_at
from .merging import no_garbage_collection


@dataclass(frozen=True, slots=True, repr=False)
class Node:
    """A token and the two that merged into it, down to the bytes. Offsets in bytes.

    Attributes:
        token_id: its id.
        rank: its rank; None for a byte and for a special token, which no merge makes.
        token_bytes: what it stands for.
        start, end: where it is in the text; if the tree is not that of a text, from 0.
        left, right: what merged into it; None for a leaf.
        parts: only for a token that merges alone would not reach: the three tokens or more at which they
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
        """The most merges one above the other; 0 for a leaf."""
        heights: dict[tuple[int, int], int] = {}
        for node in reversed(list(self.iter_nodes())):
            below = [heights[child.start, child.end] + 1 for child in node.children]
            heights[node.start, node.end] = max(below, default=0)
        return heights[self.start, self.end]


class _Memory:
    """What was worked out so far about an encoding's tokens."""

    def __init__(self, _: Encoding) -> None:
        self.parts: dict[int, tuple[int, ...]] = {}
        self.all_parts: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]] | None = None
        self.lock = threading.Lock()


MAX_TREE_BYTES = 1 << 24
"""The most bytes that all nodes of a tree may have together, and so also the most nodes."""


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
    edges = edges_after(len(data), merges)
    return tuple(ranks[data[start:end]] for start, end in itertools.pairwise(edges))


def all_parts(enc: Encoding) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The two parents of every token, each array of shape (n_vocab,), indexed by id.

    -1: a byte, a special token, an id without a token, or a token that merges do not reach. The first
    call takes a second or two for a large vocabulary that a person brought; later calls take no time.

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
                ranks, shipped = ranks_of(enc), merging_of(enc).middles
                middles = (find_middles(ranks) if shipped is None else shipped).tolist()
                parents = [
                    (token_id, ranks[data[:middle]], ranks[data[middle:]])
                    for data, token_id in ranks.items()
                    if (middle := middles[token_id])
                ]
                if parents:
                    ids, lefts, rights = np.array(parents, dtype=np.int32).T
                    left[ids], right[ids] = lefts, rights
            memory.all_parts = left, right
        return memory.all_parts


def children_of(enc: Encoding, token_id: int, containing: Iterable[bytes]) -> tuple[int, ...]:
    """The tokens whose last merge joins this token to another one, by id.

    Before ``all_parts`` was called, only the tokens that could be children are looked at: reading about one
    token should not take as long as working out the parents of all.

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


def unreached_by_merges(enc: Encoding) -> dict[int, tuple[int, ...]]:
    """The ordinary tokens that merges alone do not reach, with the ids at which the merges stop.

    tiktoken still uses such a token for a piece that is exactly its bytes, by look-up, and nowhere
    else. A home-trained encoding with such a token never uses it. Training never makes one, but a rank
    file or a list of merges that was made in another way can have some. The encodings that come with the
    app have none:

    >>> from tokenizers import HomeEncoding, get_encoding
    >>> unreached_by_merges(get_encoding("gpt2"))
    {}
    >>> unreached_by_merges(HomeEncoding([(97, 98), (98, 99), (97, 257)]))  # "abc" is ab|c, not a|bc
    {258: (256, 99)}

    Raises:
        ValueError: an encoding without merges.
    """
    pairs = merging_of(enc)
    ranks, merges = pairs.mergeable_ranks, pairs.known_merges
    if merges is not None:
        reached = set(ranks.values())
        missing = [token_id for token_id in range(256 + len(merges)) if token_id not in reached]
    else:
        left, _ = all_parts(enc)
        missing = [token_id for data, token_id in ranks.items() if len(data) > 1 and int(left[token_id]) < 0]
    return {token_id: stops_at(enc, enc.token_bytes(token_id)) for token_id in sorted(missing)}


def post_order(enc: Encoding, token_id: int) -> Iterator[tuple[int, int, int, tuple[int, ...]]]:
    """A token and everything it is made of: (id, start, end, parts), each after its parts."""
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

    A special token is not made by merges, so its tree is one leaf.

    Args:
        enc: any byte pair encoding, tiktoken's and SentencePiece's too.
        token_id: the token.
        start: where the token begins in its text, in bytes.

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
"""The nodes of a tree, each after its parts: (id, bytes, start, end, number of parts)."""


def _plan_of(enc: Encoding, token_id: int) -> _Plan:
    _check_tree(enc, token_id)
    data = enc.token_bytes(token_id)
    return [
        (current, data[start:end], start, end, len(parts))
        for current, start, end, parts in post_order(enc, token_id)
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
    """Refuse a tree that is too large, before it is made."""
    parts_of(enc, token_id)  # raises if there is no such id
    length = int(enc.byte_lengths[token_id])
    if length * (length + 1) // 2 + length <= MAX_TREE_BYTES:
        return  # even the deepest tree of so few bytes is small enough
    sizes: dict[int, int] = {}  # bytes of all nodes in the tree of each token that it is made of
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
            f"{bytes_in_words(sizes[token_id])} together: too much to draw. Choose a shorter token."
        )


def _leaf(token_id: int, data: bytes, start: int) -> Node:
    return Node(token_id, None, data, start, start + len(data))


def forest(enc: Encoding, text: str, *, allowed_special: AllowedSpecial = ()) -> list[Node]:
    """The tree of each token of a text, in place. The roots are ``enc.encode(text)``.

    >>> from tokenizers import get_encoding
    >>> forest(get_encoding("gpt2"), "the cat")
    [<Node 1169 b'the' [0, 3)>, <Node 3797 b' cat' [3, 7)>]
    """
    ids, edges, data = places_in(enc, text, allowed_special)
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


def places_in(
    enc: Encoding, text: str, allowed_special: AllowedSpecial
) -> tuple[Ids, npt.NDArray[np.int64], bytes]:
    """A text: its token ids, shape (n,); where they begin, and its end, shape (n + 1,); its bytes."""
    ranks_of(enc)
    data = enc.seen(text).encode("utf-8")
    ids = enc.encode_array(text, allowed_special=allowed_special)
    return ids, np.concatenate(([0], np.cumsum(enc.lengths_in(ids, data)))), data
