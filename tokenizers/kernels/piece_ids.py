"""Texts to token ids: a piece is merged when it comes up first, and looked up from then on.

Most pieces of a text are tokens, and most others have come up before. So a table holds all tokens, and the
pieces that were merged, with their ids. A slot has the whole answer for a piece of up to fifteen bytes that
is up to three tokens: one look at memory. The rest is in the pool:

    slots    "_grove"    6   7128, 1158 | 2     the piece and its length, its ids, and how many they are
             (a hash)  -20         (place) | 5    a long piece: the pool has its bytes, then its ids
             "ⵜⴰⵎⴰⵣ"    15        (place) | 9    many tokens: the pool has the ids

A piece is at its hash or in the next free slot. The table has a fixed size. When it is full, it forgets all
pieces but the tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..arrays import I32, I64, U32, Bytes
from ..utf8 import utf8_of
from . import kernel
from .scanning import scan, word_at

ROOM = 1 << 18
"""Pieces that a table has room for, besides the tokens. All declarations have as many. With the tokens of a
large vocabulary, a full table takes some 30 MB."""

LONGEST_KEPT = 256
"""Bytes of the longest piece that the table takes."""

BATCH = 1 << 16
"""Pieces that are scanned at a time."""

HINTS = 1 << 21
"""Bits of ``Table.hints``."""

PAST = 16
"""Bytes that may be read after the last piece."""

SCRATCH = 1 << 19
"""Bytes of a text for which an encoder keeps its arrays: fresh ones cost page faults."""

FAN = 16
"""How many nodes of a tree have one above them."""

NONE = (1 << 31) - 1  # more than any rank
NEVER = NONE << 32  # more than any rank with its place
MULTIPLIER = -0x61C8864680B583EB  # odd, and its bits are as good as random
MASKS = np.array([0] * 8 + [(1 << 8 * n) - 1 for n in range(8)] + [-1] * 8, dtype=np.int64)
"""The bits of so many bytes of a word, from -8 to 15: of none, some or all."""

LOW, HIGH, IDS, REST = range(4)
"""Of a slot: the key; the first two ids, or the place in the pool; the third id, and above it how many there
are, which is 0 in a free slot."""

TOKEN, LOWEST = range(2)
"""Of two bytes, in ``Table.pairs``: the token that they are, and the lowest rank of all tokens that have them
side by side."""

PIECES, POOL, LONGEST = range(3)
"""Where the running numbers are in ``Table.at``: how many pieces there are, how much of the pool is full, and
the bytes of the longest token."""


class Table(NamedTuple):
    """The arrays of the table.

    Attributes:
        token_bytes, token_ends, token_ids: the tokens, one after the other.
        slots, pool: see above.
        single: the tokens of one byte.
        pairs: what there is to know of any two bytes, shape (65536, 2): ``TOKEN`` and ``LOWEST``.
        hints: bits, by hash: whether there is any such token. Most bytes that a merge asks for are no token,
            and these bits fit into a nearer cache than the slots.
        at: the running numbers.
    """

    token_bytes: Bytes
    token_ends: I64
    token_ids: U32
    slots: I64
    pool: I64
    single: I32
    pairs: I32
    hints: Bytes
    at: I64


class Work(NamedTuple):
    """Scratch space for the piece that is merged: see ``merge``. A place in it is never negative, which
    saves a test whenever one is used."""

    tokens: U32
    before: U32
    after: U32
    tree: I64


class PieceEncoder:
    """Encodes by ranks, as tiktoken does; for one thread at a time.

    Attributes:
        ranks, scanner: as given.

    Args:
        ranks: the tokens, single bytes among them, and their ids, which are in the order of ranks.
        scanner: the number of the split pattern's scanner.
        classes: of each character.

    >>> from .scanning import character_classes
    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"aa": 256, b"ab": 257, b"aaab": 258}
    >>> PieceEncoder(ranks, 0, character_classes()).encode("aaabdaaabac ab").tolist()
    [258, 100, 258, 97, 99, 32, 257]
    """

    def __init__(self, ranks: Mapping[bytes, int], scanner: int, classes: Bytes) -> None:
        self.ranks = ranks
        self.scanner = scanner
        self._classes = classes
        data = bytearray().join([*ranks, bytes(PAST)])
        self._table = Table(
            token_bytes=np.frombuffer(data, dtype=np.uint8),
            token_ends=np.fromiter(map(len, ranks), dtype=np.int64, count=len(ranks)).cumsum(),
            token_ids=np.fromiter(ranks.values(), dtype=np.uint32, count=len(ranks)),
            slots=np.empty((len(ranks) + ROOM) * 3 // 2 * 4, dtype=np.int64),  # a third of them stay free
            pool=np.empty(len(data) // 4 + 4 * ROOM + 2 * LONGEST_KEPT, dtype=np.int64),
            single=np.zeros(256, dtype=np.int32),
            pairs=np.full((1 << 16, 2), NONE, dtype=np.int32),
            hints=np.zeros(HINTS // 8, dtype=np.uint8),
            at=np.zeros(3, dtype=np.int64),
        )
        forget(self._table)
        self._ends = np.empty(BATCH, dtype=np.int64)
        self._scratch = scratch_for(SCRATCH)

    def encode(self, text: str) -> U32:
        """The ids of a text, shape (number of tokens,)."""
        encoded = utf8_of(text)
        size = len(encoded)
        text_ends = np.array([len(encoded)])
        data, ids, work = self._scratch if size <= SCRATCH else scratch_for(size)
        data[:size] = np.frombuffer(encoded, dtype=np.uint8)
        start = n_ids = 0
        while start < size:
            n_pieces = scan(data, text_ends, start, self.scanner, self._classes, self._ends)
            ends = self._ends[:n_pieces]
            n_ids = encode(data, start, ends, self._table, work, ids, n_ids)
            start = int(ends[-1])
        return ids[:n_ids].copy()


def scratch_for(size: int) -> tuple[Bytes, U32, Work]:
    """Arrays for the bytes of a text, its ids, and to merge its pieces. What is not used takes no memory."""
    tokens, before, after = np.empty((3, size), dtype=np.uint32)
    work = Work(tokens, before, after, np.empty(nodes_of(size), dtype=np.int64))
    return np.zeros(size + PAST, dtype=np.uint8), np.empty(size + 3, dtype=np.uint32), work


@kernel
def encode(data: Bytes, start: int, ends: I64, table: Table, work: Work, ids: U32, n_ids: int) -> int:
    """Write the ids of the pieces after the first ``n_ids``; returns how many there are then."""
    slots = table.slots
    for i in range(len(ends)):
        stop = ends[i]
        low, high = key_of(data, start, stop)
        slot = find(data, start, low, high, table)
        rest = slots[slot + REST]
        n_new = rest >> 32
        if n_new == 0:
            n_new = merge(data, start, stop, table, work, ids, n_ids)
            if stop - start <= LONGEST_KEPT:
                if 6 * table.at[PIECES] + 6 > len(slots) or table.at[POOL] + 2 * LONGEST_KEPT > len(
                    table.pool
                ):
                    forget(table)
                keep(data, start, low, high, table, ids, n_ids, n_new)
        elif n_new <= 3 and high >= 0:
            ids[n_ids] = slots[slot + IDS]
            ids[n_ids + 1] = slots[slot + IDS] >> 32
            ids[n_ids + 2] = rest
        else:
            place = slots[slot + IDS]
            for j in range(n_new):
                ids[n_ids + j] = table.pool[place + j]
        n_ids += n_new
        start = stop
    return n_ids


@kernel
def merge(data: Bytes, start: int, stop: int, table: Table, work: Work, ids: U32, n_ids: int) -> int:
    """Write the ids of a piece: the neighbours whose joined bytes have the lowest rank are merged first.

    First, two bytes become a token at once if that has a lower rank than all tokens that reach over one of
    its ends. Until they are merged, they are the neighbours to merge before any that would take one of them
    away. So it does not matter which other ones are merged before them. That is half of all merges.

    A tree over the places of the piece finds the others. Its leaves are the ranks of the token at each place
    joined with the next one, with that place; every other node is the lowest of those below it.

    Returns:
        How many ids there are.
    """
    tokens = work.tokens
    before = work.before
    after = work.after
    tree = work.tree
    pairs = table.pairs
    size = stop - start
    tree[: nodes_of(size)] = NEVER
    left = -1
    place = 0
    over_start = NONE
    while place < size:
        right, over_end = place + 1, NONE
        tokens[place] = table.single[data[start + place]]
        if right < size:
            pair = pair_at(data, start + place)
            next_over = pairs[pair_at(data, start + right), LOWEST] if right + 1 < size else NONE
            if pairs[pair, TOKEN] < min(over_start, next_over):
                tokens[place] = pairs[pair, TOKEN]
                right, over_end = right + 1, next_over
            else:
                over_end = pairs[pair, LOWEST]
        before[place] = max(left, 0)
        after[place] = right
        if right - left == 2 and left >= 0:
            tree[left] = np.int64(pairs[pair_at(data, start + left), TOKEN]) << 32 | left
        elif left >= 0:
            tree[left] = token_of(data, start + left, start + right, table) | left
        left = place
        place = right
        over_start = over_end
    best = settle(tree, 0, size - 1, size)
    while best < NEVER:
        left = best & 0xFFFFFFFF
        tokens[left] = best >> 32
        middle = after[left]
        right = after[middle]
        after[left] = right
        tree[middle] = NEVER
        tree[left] = NEVER
        first = left
        if right < size:
            before[right] = left
            tree[left] = token_of(data, start + left, start + after[right], table) | left
        if left > 0:
            first = before[left]
            tree[first] = token_of(data, start + first, start + right, table) | np.int64(first)
        best = settle(tree, first, middle, size)
    place = n_new = 0
    while place < size:
        ids[n_ids + n_new] = tokens[place]
        n_new += 1
        place = after[place]
    return n_new


@kernel
def pair_at(data: Bytes, i: int) -> Any:
    """The two bytes from ``i`` on as a number."""
    return np.uint64(data[i]) | np.uint64(data[i + 1]) << np.uint64(8)


@kernel
def nodes_of(size: int) -> int:
    """The nodes of a tree over so many places, or a few more."""
    return size * FAN // (FAN - 1) + 8 * FAN


@kernel
def settle(tree: I64, first: int, last: int, size: int) -> Any:
    """Put right what is above the leaves from ``first`` to ``last``; returns the lowest of all leaves.

    The leaves come first, then the nodes above them, and so on; each level is as long as a multiple of
    ``FAN``.
    """
    begin = np.uint64(0)
    while True:
        n_blocks = (size + FAN - 1) // FAN
        above = begin + np.uint64(n_blocks * FAN)
        first //= FAN
        last //= FAN
        for block in range(first, last + 1):
            at = begin + np.uint64(block * FAN)
            a = b = c = d = np.int64(NEVER)  # the processor finds four at once
            for i in range(0, FAN, 4):
                a = min(a, tree[at + np.uint64(i)])
                b = min(b, tree[at + np.uint64(i + 1)])
                c = min(c, tree[at + np.uint64(i + 2)])
                d = min(d, tree[at + np.uint64(i + 3)])
            tree[above + np.uint64(block)] = min(min(a, b), min(c, d))
        if n_blocks == 1:
            return tree[above]
        begin = above
        size = n_blocks


@kernel
def token_of(data: Bytes, start: int, stop: int, table: Table) -> int:
    """The id of a token, which are in the order of ranks; ``NEVER``: these bytes are none."""
    if stop - start > table.at[LONGEST]:
        return NEVER
    low, high = key_of(data, start, stop)
    hint = mixed(low, high) & HINTS - 1
    if not table.hints[hint >> 3] >> (hint & 7) & 1:
        return NEVER
    slot = find(data, start, low, high, table)
    if table.slots[slot + REST] >> 32 != 1:
        return NEVER
    token_id = table.slots[slot + IDS]
    return (token_id if high >= 0 else table.pool[token_id]) << 32


@kernel
def key_of(data: Bytes, start: int, stop: int) -> tuple[Any, Any]:
    """What tells pieces apart: up to fifteen bytes, and how many; of a longer one a hash, and less than 0."""
    length = np.int64(stop - start)
    if length < 16:
        return (
            word_at(data, start) & MASKS[np.uint64(length + 8)],
            word_at(data, start + 8) & MASKS[np.uint64(length)] | length << 56,
        )
    key = length
    while start < stop - 8:
        key = mixed(key, word_at(data, start))
        start += 8
    return mixed(key, word_at(data, stop - 8)), -length


@kernel
def mixed(low: Any, high: Any) -> Any:
    """Each bit of the result depends on many of the key's."""
    key = (low ^ high * MULTIPLIER) * MULTIPLIER
    return key ^ key >> 32


@kernel
def find(data: Bytes, start: int, low: Any, high: Any, table: Table) -> int:
    """The slot of a piece, or the free one where it belongs."""
    slots = table.slots
    n_slots = len(slots) // 4
    slot = ((mixed(low, high) & 0xFFFFFFFF) * n_slots >> 32 & 0xFFFFFFF) << 2  # 2**28 of them at most
    while slots[slot + REST] != 0:
        if (
            slots[slot] == low
            and slots[slot + HIGH] == high
            and (high >= 0 or is_piece(data, start, -high, table, slot))
        ):
            return slot
        slot += 4
        if slot == len(slots):
            slot = 0
    return slot


@kernel
def is_piece(data: Bytes, start: int, length: int, table: Table, slot: int) -> bool:
    """Whether these bytes, more than fifteen, are the long piece of that slot: its words end at its ids."""
    place = table.slots[slot + IDS]
    for i in range(0, length - 8, 8):
        place -= 1
        if table.pool[place] != word_at(data, start + i):
            return False
    return table.pool[place - 1] == word_at(data, start + length - 8)


@kernel
def keep(
    data: Bytes, start: int, low: Any, high: Any, table: Table, ids: U32, first: int, n_ids: int
) -> None:
    """Add a piece and its ids to the table."""
    table.at[PIECES] += 1
    place = table.at[POOL]
    slot = find(data, start, low, high, table)
    table.slots[slot + LOW] = low
    table.slots[slot + HIGH] = high
    table.slots[slot + REST] = n_ids << 32
    if high >= 0 and n_ids <= 3:
        table.slots[slot + IDS] = ids[first]
        if n_ids > 1:
            table.slots[slot + IDS] |= np.int64(ids[first + 1]) << 32
        if n_ids > 2:
            table.slots[slot + REST] |= ids[first + 2]
        return
    if high < 0:
        last = start - high - 8
        place += (7 - high) // 8
        for word in range(table.at[POOL], place):
            table.pool[place - 1 - word + table.at[POOL]] = word_at(data, min(start, last))
            start += 8
    table.slots[slot + IDS] = place
    for i in range(n_ids):
        table.pool[place + i] = ids[first + i]
    table.at[POOL] = place + n_ids


@kernel
def forget(table: Table) -> None:
    """Take all pieces but the tokens out of the table."""
    for slot in range(REST, len(table.slots), 4):
        table.slots[slot] = 0
    table.at[PIECES] = table.at[POOL] = start = 0
    for i in range(len(table.token_ids)):
        stop = table.token_ends[i]
        low, high = key_of(table.token_bytes, start, stop)
        keep(table.token_bytes, start, low, high, table, table.token_ids, i, 1)
        hint = mixed(low, high) & HINTS - 1
        table.hints[hint >> 3] |= 1 << (hint & 7)
        if stop - start == 1:
            table.single[table.token_bytes[start]] = table.token_ids[i]
        elif stop - start == 2:
            table.pairs[pair_at(table.token_bytes, start), TOKEN] = table.token_ids[i]
        rank = np.int32(table.token_ids[i])
        for first in range(start, stop - 1):
            pair = pair_at(table.token_bytes, first)
            table.pairs[pair, LOWEST] = min(table.pairs[pair, LOWEST], rank)  # always written: no branches
        table.at[LONGEST] = max(table.at[LONGEST], stop - start)
        start = stop
