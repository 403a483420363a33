"""Texts to token ids: a piece is merged when it comes up first, and looked up from then on.

Most pieces of a text are tokens, and most others have come up before. So a table holds all tokens, numbered
by their ids, and after them the pieces that were merged:

    slots      key and number of each, at its hash or in the next free slot
    pool       t h e | _ c a t | _ g r o v e s      their bytes, one after the other
    begins   0       3         7                    where each begins in the pool
    ids                          7128 1158          the ids of the merged ones, one after the other
    id_begins                  0                    where those of each begin

The table has a fixed size. When it is full, it forgets all pieces but the tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import kernel
from .scanning import scan

Bytes = npt.NDArray[np.uint8]
I32 = npt.NDArray[np.int32]
I64 = npt.NDArray[np.int64]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]

ROOM = 1 << 18
"""Pieces that a table has room for, besides the tokens. All declarations have as many. With the tokens of a
large vocabulary, a full table takes some 25 MB."""

LONGEST_KEPT = 256
"""Bytes of the longest piece that the table takes."""

BATCH = 1 << 16
"""Pieces that are scanned at a time."""

RECENT = 1 << 12
"""Pieces, one for each so many hashes, that are found in the processor's nearest cache."""

HINTS = 1 << 21
"""Bits of ``Table.hints``."""

NONE = -1
NEVER = (1 << 31) - 1  # more than any number of a token
MULTIPLIER = -0x61C8864680B583EB  # odd, and its bits are as good as random
HASHED = -(1 << 63)

# Where the running numbers are in the array ``at``.
TOKENS, PIECES, LONGEST = range(3)
"""The first number that is no token's; how many numbers are in use; bytes of the longest token."""


class Table(NamedTuple):
    """The arrays of the table.

    Attributes:
        slots, pool, begins, ids, id_begins: see above.
        pool_bytes: the pool once more, by bytes.
        single, pairs: the tokens of one and of two bytes, by their bytes.
        hints: bits, by hash: whether there is any such token. Most bytes that a merge asks for are no token,
            and these bits fit into a nearer cache than the slots.
        recent: key and number of the piece of up to seven bytes that was looked up last, for each of so many
            hashes; all this fits into the processor's nearest cache.
        at: the running numbers.
    """

    slots: I64
    pool: U64
    pool_bytes: Bytes
    begins: I32
    ids: U32
    id_begins: I32
    single: I32
    pairs: I32
    hints: Bytes
    recent: I64
    at: I64


class Work(NamedTuple):
    """Scratch space for the piece that is merged: see ``merge``."""

    tokens: I32
    before: I32
    after: I32
    tree: I32


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
        self.ranks, self.scanner, self._classes = ranks, scanner, classes
        tokens = list(ranks)
        token_ids = np.fromiter(ranks.values(), dtype=np.int64, count=len(tokens))
        sizes = np.fromiter(map(len, tokens), dtype=np.int32, count=len(tokens))
        n_tokens = int(token_ids.max()) + 1
        lengths = np.zeros(n_tokens, dtype=np.int32)
        lengths[token_ids] = sizes
        in_order = map(tokens.__getitem__, np.argsort(token_ids).tolist())
        joined = np.frombuffer(b"".join(in_order), dtype=np.uint8)
        pool = np.empty(len(joined) // 8 + 2 * ROOM + 2, dtype=np.uint64)
        self._table = Table(
            slots=np.empty((n_tokens + ROOM) * 3 // 2 * 2, dtype=np.int64),
            pool=pool,
            pool_bytes=pool.view(np.uint8)[:-16],
            begins=np.zeros(n_tokens + ROOM + 1, dtype=np.int32),
            ids=np.empty(8 * ROOM, dtype=np.uint32),
            id_begins=np.zeros(ROOM + 1, dtype=np.int32),
            single=np.zeros(256, dtype=np.int32),
            pairs=np.full(1 << 16, NEVER, dtype=np.int32),
            hints=np.zeros(HINTS // 8, dtype=np.uint8),
            recent=np.empty(2 * RECENT, dtype=np.int64),
            at=np.array([n_tokens, 0, lengths.max()], dtype=np.int64),
        )
        self._table.pool_bytes[: len(joined)] = joined
        self._table.begins[1 : n_tokens + 1] = lengths.cumsum()
        for size, numbers in ((1, self._table.single), (2, self._table.pairs)):
            for i in np.flatnonzero(sizes == size).tolist():
                numbers[int.from_bytes(tokens[i], "little")] = token_ids[i]
        forget(self._table)
        self._ends, self._ids = np.empty(BATCH, dtype=np.int64), np.empty(2 * BATCH, dtype=np.uint32)

    def encode(self, text: str) -> U32:
        """The ids of a well-formed text, shape (number of tokens,)."""
        encoded = text.encode("utf-8")
        size, text_ends = len(encoded), np.array([len(encoded)])
        data = np.frombuffer(encoded + bytes(16 - size % 8), dtype=np.uint8)
        ids = self._ids if size <= len(self._ids) else np.empty(size, dtype=np.uint32)
        start = n_ids = 0
        while start < size:
            n_pieces = scan(data, text_ends, start, self.scanner, self._classes, self._ends)
            ends = self._ends[:n_pieces]
            longest = int(np.diff(ends, prepend=start).max())
            work = Work(*(np.empty(longest * width + 1, dtype=np.int32) for width in (1, 1, 1, 4)))
            n_ids = encode(data.view(np.uint64), start, ends, self._table, work, ids, n_ids)
            start = int(ends[-1])
        return ids[:n_ids].copy()


@kernel
def encode(words: U64, start: int, ends: I64, table: Table, work: Work, ids: U32, n_ids: int) -> int:
    """Write the ids of the pieces after the first ``n_ids``; returns how many there are then."""
    for i in range(len(ends)):
        stop = ends[i]
        key = key_of(words, start, stop)
        recent = (mixed(key) >> 40 & RECENT - 1) << 1
        if table.recent[recent] == key:
            number = table.recent[recent + 1]
        else:
            number = find(words, start, stop, key, table)
            if number != NONE and key > 0:
                table.recent[recent] = key
                table.recent[recent + 1] = number
        if number == NONE:
            n_new = merge(words, start, stop, table, work, ids, n_ids)
            if stop - start <= LONGEST_KEPT:
                keep(words, start, stop, key, table, ids, n_ids, n_new)
            n_ids += n_new
        elif number < table.at[TOKENS]:
            ids[n_ids] = number
            n_ids += 1
        else:
            number -= table.at[TOKENS]
            for j in range(table.id_begins[number], table.id_begins[number + 1]):
                ids[n_ids] = table.ids[j]
                n_ids += 1
        start = stop
    return n_ids


@kernel
def merge(words: U64, start: int, stop: int, table: Table, work: Work, ids: U32, n_ids: int) -> int:
    """Write the ids of a piece: the neighbours whose joined bytes have the lowest rank are merged first.

    A tree over the places of the piece finds them. Its leaves are the ranks of the token at each place joined
    with the next one; every other node is the lower of the two below it.

    Returns:
        How many ids there are.
    """
    tokens, before, after, tree = work.tokens, work.before, work.after, work.tree
    size = stop - start
    leaves = 1
    while leaves < size:
        leaves *= 2
    for i in range(size):
        pair = word_at(words, start + i) & 0xFFFF
        tokens[i] = table.single[pair & 0xFF]
        before[i] = i - 1
        after[i] = i + 1
        tree[leaves + i] = table.pairs[pair]
    for i in range(size - 1, leaves):
        tree[leaves + i] = NEVER
    for node in range(leaves - 1, 0, -1):
        tree[node] = min(tree[2 * node], tree[2 * node + 1])
    while tree[1] != NEVER:
        node = 1
        while node < leaves:
            node *= 2
            if tree[node] > tree[node + 1]:
                node += 1
        left = node - leaves
        tokens[left] = tree[node]
        middle, right = after[left], after[after[left]]
        after[left] = right
        put(tree, leaves + middle, NEVER)
        joined = NEVER
        if right < size:
            before[right] = left
            joined = token_of(words, start + left, start + after[right], table)
        put(tree, node, joined)
        if left > 0:
            put(tree, leaves + before[left], token_of(words, start + before[left], start + right, table))
    place = n_new = 0
    while place < size:
        ids[n_ids + n_new] = tokens[place]
        n_new += 1
        place = after[place]
    return n_new


@kernel
def put(tree: I32, node: int, rank: int) -> None:
    """Set a leaf of the tree, and the nodes above it."""
    tree[node] = rank
    while node > 1:
        node //= 2
        lower = min(tree[2 * node], tree[2 * node + 1])
        if tree[node] == lower:
            return
        tree[node] = lower


@kernel
def token_of(words: U64, start: int, stop: int, table: Table) -> int:
    """The id of a token, which are in the order of ranks; ``NEVER``: these bytes are none."""
    if stop - start > table.at[LONGEST]:
        return NEVER
    key = key_of(words, start, stop)
    hint = mixed(key) & HINTS - 1
    if not table.hints[hint >> 3] >> (hint & 7) & 1:
        return NEVER
    number = find(words, start, stop, key, table)
    return number if NONE < number < table.at[TOKENS] else NEVER


@kernel
def word_at(words: U64, place: int) -> Any:
    """The eight bytes from a place on, as a number."""
    shift = np.uint64(place % 8 * 8)
    lower, upper = words[place // 8], words[place // 8 + 1]
    return np.int64(lower >> shift | upper << np.uint64(1) << np.uint64(63) - shift)


@kernel
def key_of(words: U64, start: int, stop: int) -> Any:
    """What tells pieces apart: up to seven bytes, and how many they are; of longer ones, a hash below 0."""
    length: Any = np.int64(stop - start)
    if length < 8:
        return word_at(words, start) & (1 << 8 * length) - 1 | length << 56
    key = length
    while stop - start > 8:
        key = mixed(key ^ word_at(words, start))
        start += 8
    return mixed(key ^ word_at(words, stop - 8)) | HASHED


@kernel
def mixed(key: Any) -> Any:
    """Each bit of the result depends on many of the key's."""
    key *= MULTIPLIER
    return key ^ key >> 32


@kernel
def first_slot(key: int, table: Table) -> int:
    """Where the table looks for a key first."""
    return (mixed(key) & 0xFFFFFFFF) * (len(table.slots) // 2) >> 32 << 1


@kernel
def find(words: U64, start: int, stop: int, key: int, table: Table) -> int:
    """The number of a piece in the table, or ``NONE``."""
    slot = first_slot(key, table)
    while True:
        number = table.slots[slot + 1]
        if number == NONE:
            return NONE
        if table.slots[slot] == key and (key >= 0 or is_piece(words, start, stop, table, number)):
            return number
        slot += 2
        if slot == len(table.slots):
            slot = 0


@kernel
def is_piece(words: U64, start: int, stop: int, table: Table, number: int) -> bool:
    """Whether these bytes, more than seven, are the piece of that number."""
    begin = table.begins[number]
    if table.begins[number + 1] - begin != stop - start:
        return False
    last = stop - start - 8
    for i in range(0, last, 8):
        if word_at(table.pool, begin + i) != word_at(words, start + i):
            return False
    return word_at(table.pool, begin + last) == word_at(words, stop - 8)


@kernel
def keep(
    words: U64,
    start: int,
    stop: int,
    key: int,
    table: Table,
    ids: U32,
    first_id: int,
    n_ids: int,
) -> None:
    """Add a piece and its ids to the table."""
    number, merged = table.at[PIECES], table.at[PIECES] - table.at[TOKENS]
    if (
        number + 1 == len(table.begins)
        or table.begins[number] + stop - start > len(table.pool_bytes)
        or table.id_begins[merged] + n_ids > len(table.ids)
    ):
        forget(table)
        number, merged = table.at[TOKENS], 0
    begin, id_begin = table.begins[number], table.id_begins[merged]
    for i in range(stop - start):
        table.pool_bytes[begin + i] = word_at(words, start + i) & 0xFF
    for i in range(n_ids):
        table.ids[id_begin + i] = ids[first_id + i]
    table.begins[number + 1] = begin + stop - start
    table.id_begins[merged + 1] = id_begin + n_ids
    fill(key, number, table)
    table.at[PIECES] = number + 1


@kernel
def forget(table: Table) -> None:
    """Take all pieces but the tokens out of the table."""
    for recent in range(0, len(table.recent), 2):
        table.recent[recent] = 0  # no key
    for slot in range(1, len(table.slots), 2):
        table.slots[slot] = NONE
    for number in range(table.at[TOKENS]):
        begin, end = table.begins[number], table.begins[number + 1]
        if begin < end:  # not every id is a token's
            key = key_of(table.pool, begin, end)
            fill(key, number, table)
            hint = mixed(key) & HINTS - 1
            table.hints[hint >> 3] |= 1 << (hint & 7)
    table.at[PIECES] = table.at[TOKENS]


@kernel
def fill(key: int, number: int, table: Table) -> None:
    """Put a piece that is not in the table into its slot."""
    slot = first_slot(key, table)
    while table.slots[slot + 1] != NONE:
        slot += 2
        if slot == len(table.slots):
            slot = 0
    table.slots[slot] = key
    table.slots[slot + 1] = number
