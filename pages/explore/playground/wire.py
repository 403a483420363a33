"""Packs an answer into bytes. Next for a key: ``assets/components/editor/wire.js`` unpacks them.

    4 bytes   length of the header, little endian
    header    JSON: the values of the answer, its "tag", and its "arrays"
    arrays    u8, u16 or u32, little endian, one after the other, each padded to 4 bytes

A key changes little of an array, so an array may refer to the one of the same name in the previous answer,
which the browser has. ``header["arrays"]`` has an entry for each, in order:

    [panel, name, bytes of a count, counts from the previous array's start, from its end, sent between them]
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from tokenizers.json_types import JsonObject

Array = npt.NDArray[Any]
Arrays = dict[tuple[str, str], Array]
"""Arrays of counts (see ``counts``), by the names of the panel and of the array."""

_NOTHING = np.zeros(0, dtype=np.uint8)


def counts(values: Array) -> Array:
    """Convert an array to the smallest type that holds its counts.

    >>> [counts(np.array([1, most])).dtype.name for most in (255, 256, 65_535, 65_536)]
    ['uint8', 'uint16', 'uint16', 'uint32']
    """
    most = int(values.max(initial=0))
    if most < 1 << 8:
        return values.astype("<u1", copy=False)
    return values.astype("<u2" if most < 1 << 16 else "<u4", copy=False)


def pack(tag: int, values: JsonObject, arrays: Arrays, previous: Arrays) -> bytes:
    """Pack an answer into bytes.

    Args:
        tag: names the answer, so that the next one can refer to its arrays. It orders nothing.
        values: the values for JSON.
        arrays: the arrays of counts.
        previous: the arrays of the answer that the browser has; empty: it has none.

    >>> previous = {("gpt2", "ids"): counts(np.array([5, 6, 7, 8]))}
    >>> pack(2, {}, {("gpt2", "ids"): counts(np.array([5, 9, 7, 8]))}, previous)[-4:]
    b'\\t\\x00\\x00\\x00'
    """
    table = []
    chunks = []
    for key, array in arrays.items():
        before, after = _same_ends(previous.get(key, _NOTHING), array)
        between = array[before : len(array) - after]
        table.append([*key, between.itemsize, before, after, len(between)])
        chunks.append(between.tobytes() + bytes(-between.nbytes % 4))
    header = json.dumps({**values, "tag": tag, "arrays": table}, separators=(",", ":")).encode("ascii")
    header += b" " * (-len(header) % 4)
    return b"".join([len(header).to_bytes(4, "little"), header, *chunks])


def _same_ends(old: Array, new: Array) -> tuple[int, int]:
    """How many counts are equal at the start, and how many of the rest at the end.

    >>> _same_ends(np.array([7, 7]), np.array([7, 7, 7]))
    (2, 0)
    """
    most = min(len(old), len(new))
    before = _first_difference(old[:most], new[:most])
    most -= before
    return before, _first_difference(old[::-1][:most], new[::-1][:most])


def _first_difference(one: Array, other: Array) -> int:
    differ = np.flatnonzero(one != other)
    return int(differ[0]) if len(differ) else len(one)
