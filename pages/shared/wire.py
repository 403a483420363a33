"""An answer to the browser as bytes: whole, or as what is to change in an answer that the browser holds.

An answer is a tree of JSON values and of arrays of counts. A key changes little of it:

    4 bytes      length of the header, little endian
    header       JSON {number, base, change, arrays}
    arrays       u8, u16 or u32, little endian, one after the other, each aligned to 4 bytes;
                 header["arrays"][k] = [type, length] of array k

The answer has a number; the base is that of the answer which the browser holds, or null: an empty object.
A change is one of these:

    {"=": value}                         this value, in place of what was there
    {"@": k}                             array k
    {"[": [change, …]}                   a new list, each item made from nothing
    {"{": {key: change, …}}              a new object, each value made from nothing
    {"~": {key: change, …}, "-": [key]}  the object that was there: these keys changed, those taken away
    {"*": {index: change, …}}            the list that was there, with these items changed
    {"+": [before, after, change]}       of the list or array that was there, so many items of its beginning
                                         and of its end; between them, the items that the change makes
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Answer = dict[str, Any]
"""Keys of ours; the values are those of JSON, or arrays of counts, or lists and objects of these."""

_U8, _U16, _U32 = np.dtype("<u1"), np.dtype("<u2"), np.dtype("<u4")
_KINDS: dict[np.dtype[Any], str] = {_U8: "u8", _U16: "u16", _U32: "u32"}
_SHORT = 8
"""Items of a list that is sent whole if any of them changed."""
_NOTHING = object()


@dataclass
class Sent:
    """The answers that a browser may hold: the one that its newest message named, and the newest one."""

    number: int = 0
    answers: dict[int, Answer] = field(default_factory=dict)

    def forget(self) -> None:
        """Send the next answer whole."""
        self.answers.clear()

    def pack(self, answer: Answer, holds: object = None) -> bytes:
        """An answer as bytes.

        Args:
            answer: all of it. It must not be changed afterwards.
            holds: the number of the answer that the browser holds, as the browser says.

        >>> sent = Sent()
        >>> whole = sent.pack({"text": "the cat sat on the mat", "tokens": 6})
        >>> less = sent.pack({"text": "the cat sat on the mat", "tokens": 7}, holds=1)
        >>> b"cat" in whole, b"cat" in less
        (True, False)
        """
        base = holds if isinstance(holds, int) and holds in self.answers else None
        self.number += 1
        packed = pack(answer, self.number, base, self.answers[base] if base is not None else {})
        # The same message can ask again, when something else on the page has changed.
        self.answers = {key: old for key, old in self.answers.items() if key == base}
        self.answers[self.number] = answer
        return packed


def pack(answer: Answer, number: int, base: int | None, held: Answer) -> bytes:
    """The bytes of an answer, as changes to the one that is held."""
    arrays = _Arrays()
    change = _change(held, answer, arrays) or {"~": {}}
    header = {"number": number, "base": base, "change": change, "arrays": arrays.table}
    head = json.dumps(header, separators=(",", ":")).encode("ascii")
    head += b" " * (-(len(head) + 4) % 4)
    return len(head).to_bytes(4, "little") + head + b"".join(arrays.chunks)


class _Arrays:
    """Collects arrays for the wire."""

    def __init__(self) -> None:
        self.table: list[tuple[str, int]] = []
        self.chunks: list[bytes] = []

    def add(self, values: npt.NDArray[Any]) -> int:
        """Put an array of counts on the wire; returns its number."""
        values = counts(values)
        raw = values.tobytes()
        self.table.append((_KINDS[values.dtype], len(values)))
        self.chunks.append(raw + b"\0" * (-len(raw) % 4))
        return len(self.table) - 1


def counts(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array in the smallest type that holds its counts: the last answer stays in memory.

    >>> counts(np.array([1, 300])).dtype
    dtype('uint16')
    """
    top = int(values.max()) if len(values) else 0
    return values.astype(_U8 if top < 1 << 8 else _U16 if top < 1 << 16 else _U32, copy=False)


def _change(old: Any, new: Any, arrays: _Arrays) -> dict[str, Any] | None:
    """The change that makes the new value from the old one; None: they are the same."""
    if new is old:
        return None
    if isinstance(new, np.ndarray):
        if not isinstance(old, np.ndarray):
            return {"@": arrays.add(new)}
        before, after = _same_ends(old, new)
        if before == len(old) == len(new):
            return None
        return {"+": [before, after, {"@": arrays.add(new[before : len(new) - after])}]}
    if isinstance(new, dict):
        return _object_change(old if isinstance(old, dict) else None, new, arrays)
    if isinstance(new, (list, tuple)):
        return _list_change(old if isinstance(old, (list, tuple)) else None, new, arrays)
    return None if _is_same(old, new) else {"=": new}


def _is_same(old: Any, new: Any) -> bool:
    """Whether the browser would see the same in both. In Python, True == 1; in JSON, they differ."""
    if isinstance(new, (np.ndarray, dict, list, tuple)):
        return _change(old, new, _Arrays()) is None
    return type(new) is type(old) and bool(new == old)


def _object_change(old: dict[str, Any] | None, new: dict[str, Any], arrays: _Arrays) -> dict[str, Any] | None:
    if old is None:
        made = {key: _change(_NOTHING, value, arrays) or {} for key, value in new.items()}
        return {"=": new} if all("=" in change for change in made.values()) else {"{": made}
    changes = {key: _change(old.get(key, _NOTHING), value, arrays) for key, value in new.items()}
    changes = {key: change for key, change in changes.items() if change is not None}
    gone = [key for key in old if key not in new]
    if not changes and not gone:
        return None
    return {"~": changes, "-": gone} if gone else {"~": changes}


def _list_change(old: Sequence[Any] | None, new: Sequence[Any], arrays: _Arrays) -> dict[str, Any] | None:
    if old is not None and len(old) == len(new) and all(isinstance(item, dict) for item in (*old, *new)):
        changes = {at: _change(old[at], item, arrays) for at, item in enumerate(new)}
        changes = {at: change for at, change in changes.items() if change is not None}
        return {"*": changes} if changes else None
    made = [_change(_NOTHING, item, arrays) or {} for item in new]
    if not all("=" in change for change in made):
        return {"[": made}
    if old is None or len(new) <= _SHORT:
        is_same = old is not None and len(old) == len(new) and all(map(_is_same, old, new))
        return None if is_same else {"=": new}
    before, after = _same_ends(old, new)
    if before == len(old) == len(new):
        return None
    return {"+": [before, after, {"=": new[before : len(new) - after]}]}


def _same_ends(
    old: Sequence[Any] | npt.NDArray[Any], new: Sequence[Any] | npt.NDArray[Any]
) -> tuple[int, int]:
    """How many items are the same at the beginning, and of the others at the end.

    >>> _same_ends([1, 2, 3, 4], [1, 2, 2, 4]), _same_ends(np.array([7, 7]), np.array([7, 7, 7]))
    ((2, 1), (2, 0))
    """
    most = min(len(old), len(new))
    before = _first_difference(old[:most], new[:most])
    most -= before
    after = _first_difference(old[::-1][:most], new[::-1][:most])
    return before, after


def _first_difference(one: Any, other: Any) -> int:
    """The first place at which two arrays of one length differ; their length: they are equal."""
    if isinstance(one, np.ndarray):
        if not len(one):
            return 0
        differ = one != other
        place = int(differ.argmax())  # stops at the first one
        return place if differ[place] else len(one)
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=True)) if not _is_same(a, b)), len(one)
    )
