"""The merges behind the tokens: a binary tree for each, and every merge of a text, in order.

**Each token can be looked at alone.** No merge crosses a cut of the finished text, so what is between two
cuts merges as it would without its surroundings. The forest of a text is therefore the trees of its tokens
side by side, and the trace of a text is their merges, put into one order:

    step  rank     "the cat" in gpt2
       1   258     h|e      → he
       2   265     a|t      → at
       3   269     _|c      → _c       (_ stands for a space)
       4  1169     t|he     → the
       5  3797     _c|at    → _cat

The order is that of the merge rule applied to the whole text at once: at each step, of all merges that can
happen now, the one of lowest rank, and on ties the leftmost. Within a piece this is the order in which an
encoder merges. Over the whole text it is a good order for a replay: if the ranks come from a training, they
never fall. (That is so in every encoding that comes with the app, but for 179 tokens of GLM's and 28 of
Qwen 3.5's.)

**Pieces that are looked up.** tiktoken does not merge a piece that is a token: it takes the token from
its vocabulary. As a rule, merges would lead to the same token, and the tree shows them. If merges alone
would stop earlier (``unreached_by_merges``), the tree's root has three parts or more, the tokens at which
they stop, and the trace's last step for it is a *look-up*. Of the encodings that come with the app, GLM's
have 893 such tokens and Qwen 3.5's 201; an uploaded rank file may have some.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ..arrays import I64
from ..encoding import AllowedSpecial, Encoding, Ids
from ..placement import FewIds
from .merge_rule import Merging, last_middle
from .merging import no_garbage_collection
from .results import Merge, Node


def merging_of(enc: Encoding) -> Merging:
    """The encoding's merges.

    Raises:
        ValueError: it is of a family that has none.

    >>> from tokenizers import get_encoding
    >>> merging_of(get_encoding("bytes"))
    Traceback (most recent call last):
    ...
    ValueError: bytes has no merges of bytes by rank. Choose a byte pair encoding.
    """
    if enc.merging is None:
        raise ValueError(f"{enc.name} has no merges of bytes by rank. Choose a byte pair encoding.")
    return enc.merging


def _known_parts(_: Encoding) -> dict[int, FewIds]:
    """Where ``parts_of`` keeps what it has found out about an encoding."""
    return {}


def parts_of(enc: Encoding, token_id: int) -> FewIds:
    """The two tokens whose merge makes this one, its parents; () for a byte and a special token.

    Three or more: merges alone would not reach the token and stop at these.

    Raises:
        ValueError: an id that this encoding does not have.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> [gpt2.token_bytes(part) for part in parts_of(gpt2, 1169)]
    [b't', b'he']
    """
    known = enc.cached(_known_parts)
    parts = known.get(token_id)
    if parts is None:
        parts = known[token_id] = _find_parts(enc, token_id)
    return parts


def _find_parts(enc: Encoding, token_id: int) -> FewIds:
    if enc.joining is not None:
        return enc.joining.parts(token_id)
    data = enc.token_bytes(token_id)
    merging = merging_of(enc)
    if enc.is_special(token_id) or len(data) == 1:
        return ()
    if merging.pairs is not None:
        return merging.pairs[token_id - 256]
    ranks = merging.ranks
    middle = last_middle(data, ranks)
    if middle:
        return ranks[data[:middle]], ranks[data[middle:]]
    return tuple(merging.merge_alone(data))


def children_of(enc: Encoding, token_id: int, containing: Iterable[int]) -> FewIds:
    """The tokens whose last merge joins this token to another one, by id.

    Args:
        enc: any encoding with merges.
        token_id: the token.
        containing: the ids of all tokens that contain its bytes.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> children = children_of(gpt2, 42202, map(gpt2.token_id, [b" SolidGoldMagikarp", b"GoldMagikarp"]))
    >>> [gpt2.token_bytes(child) for child in children]
    [b' SolidGoldMagikarp']
    >>> children_of(gpt2, 400, [1169])  # "the" begins with "th", but is made of "t" and "he"
    ()
    """
    data = enc.token_bytes(token_id)
    ranks = None  # of the tokens; None: what is left beside this one is a token anyway
    if not enc.joining and merging_of(enc).pairs is None:
        ranks = merging_of(enc).ranks
    children = []
    for other in containing:
        token = enc.token_bytes(other)
        beside = []
        if token.startswith(data):
            beside.append(token[len(data) :])
        if token.endswith(data):
            beside.append(token[: -len(data)])
        if any(ranks is None or part in ranks for part in beside):
            parts = parts_of(enc, other)
            if len(parts) == 2 and token_id in parts:  # more parts are of a look-up
                children.append(other)
    return tuple(sorted(children))


def unreached_by_merges(enc: Encoding) -> dict[int, FewIds]:
    """The ordinary tokens that merges alone do not reach, with the ids at which the merges stop.

    tiktoken still uses such a token for a piece that is exactly its bytes, by look-up, and nowhere
    else. A home-trained encoding with such a token never uses it. Training never makes one, but a rank
    file or a list of merges that was made in another way can have some. Most encodings that come with the
    app have none:

    >>> from tokenizers import HomeEncoding, get_encoding
    >>> unreached_by_merges(get_encoding("gpt2"))
    {}
    >>> unreached_by_merges(HomeEncoding([(97, 98), (98, 99), (97, 257)]))  # "abc" is ab|c, not a|bc
    {258: (256, 99)}

    Raises:
        ValueError: an encoding without merges.
    """
    merging = merging_of(enc)
    ranks = merging.ranks
    if merging.pairs is not None:
        every_id = range(256 + len(merging.pairs))
        unreached = sorted(set(every_id).difference(ranks.values()))
    else:
        unreached = [i for data, i in ranks.items() if len(data) > 1 and not last_middle(data, ranks)]
        unreached.sort()
    return {i: tuple(merging.merge_alone(enc.token_bytes(i))) for i in unreached}


def post_order(enc: Encoding, token_id: int) -> Iterator[tuple[int, int, int, FewIds]]:
    """A token and everything it is made of: (id, start, end, parts), each after its parts."""
    stack = [(token_id, -1)]  # an id, and where it begins; -1: its parts are still to come
    at = 0  # bytes so far: every leaf is one
    while stack:
        current, start = stack.pop()
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
        ValueError: an id that this encoding does not have, or an encoding without merges.

    >>> from tokenizers import get_encoding
    >>> tree = merge_tree(get_encoding("gpt2"), 1169)
    >>> tree, tree.children
    (<Node 1169 b'the' [0, 3)>, (<Node 83 b't' [0, 1)>, <Node 258 b'he' [1, 3)>))
    >>> tree.rank, tree.height()
    (1169, 2)
    >>> merge_tree(get_encoding("gpt2"), 50256, 3)
    <Node 50256 b'<|endoftext|>' [3, 16)>
    """
    data = enc.token_bytes(token_id)
    if enc.is_special(token_id):
        return Node(token_id, None, data, start, start + len(data))
    if enc.joining is not None:
        return enc.joining.tree(token_id, start)
    first_id = merging_of(enc).first_id
    nodes: list[Node] = []
    for current, begin, end, parts in post_order(enc, token_id):
        first = len(nodes) - len(parts)
        node = Node(
            token_id=current,
            rank=current - first_id if parts else None,
            token_bytes=data[begin:end],
            start=start + begin,
            end=start + end,
            children=tuple(nodes[first:]),
        )
        nodes[first:] = [node]
    return nodes[0]


def forest(enc: Encoding, text: str, *, allowed_special: AllowedSpecial = ()) -> list[Node]:
    """The tree of each token of a text, in place. The roots are ``enc.encode(text)``.

    >>> from tokenizers import get_encoding
    >>> forest(get_encoding("gpt2"), "the cat")
    [<Node 1169 b'the' [0, 3)>, <Node 3797 b' cat' [3, 7)>]
    """
    ids, edges, data = places_in(enc, text, allowed_special)
    roots = []
    with no_garbage_collection():
        for token_id, (start, end) in zip(ids.tolist(), itertools.pairwise(edges.tolist()), strict=True):
            if enc.is_special(token_id):  # its length in the text may differ
                roots.append(Node(token_id, None, data[start:end], start, end))
            else:
                roots.append(merge_tree(enc, token_id, start))
    return roots


def places_in(enc: Encoding, text: str, allowed_special: AllowedSpecial) -> tuple[Ids, I64, bytes]:
    """A text: its token ids, shape (n,); where they begin, and its end, shape (n + 1,); its bytes.

    Raises:
        ValueError: an encoding without merges.
    """
    merging_of(enc)
    data = enc.seen(text).encode()
    ids = enc.encode_array(text, allowed_special=allowed_special)
    ends = np.cumsum(enc.lengths_in(ids, data))
    return ids, np.concatenate(([0], ends)), data


class TreeStep(NamedTuple):
    """A merge inside a token, before it has a place in a text."""

    order: tuple[int, int]  # sort key: its own (id, start), or that of a later merge that it has to wait for
    rank: int
    new_id: int
    parts: FewIds
    edges: tuple[int, ...]


def steps_of(enc: Encoding, token_id: int) -> list[TreeStep]:
    """The merges inside a token, in the order in which they happen. In a special token there are none."""
    steps: list[TreeStep] = []
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
        step = TreeStep(
            order=max((current, start), *orders[first:]),
            rank=current - first_id,
            new_id=current,
            parts=parts,
            edges=(*edges[first:], end),
        )
        steps.append(step)
        orders[first:] = [step.order]
        edges[first:] = [start]
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
    ids, starts, _ = places_in(enc, text, allowed_special)
    steps_of_each = {token_id: steps_of(enc, token_id) for token_id in set(ids.tolist())}
    rows = []  # each step, its order in the text, and where its token begins
    for token_id, start in zip(ids.tolist(), starts.tolist(), strict=False):
        for step in steps_of_each[token_id]:
            last_id, begin = step.order
            rows.append(((last_id, begin + start), step, start))
    rows.sort(key=operator.itemgetter(0))  # stable: on ties, parts stay first
    merges = []
    for number, (_, step, start) in enumerate(rows, start=1):
        edges = tuple(start + edge for edge in step.edges)
        merges.append(Merge(number, step.rank, step.new_id, step.parts, edges))
    return merges


def counts_after(merges: list[Merge], n_tokens: int) -> list[int]:
    """How many tokens there are after 0, 1, 2, … merges of a trace that ends with ``n_tokens``.

    >>> from tokenizers import get_encoding
    >>> counts_after(trace(get_encoding("gpt2"), "the cat"), 2)
    [7, 6, 5, 4, 3, 2]
    """
    falls = [len(merge.parts) - 1 for merge in merges]
    return list(itertools.accumulate(falls, operator.sub, initial=n_tokens + sum(falls)))
