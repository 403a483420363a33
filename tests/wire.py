"""Reads what the playground's component is sent, as its script does; pages/shared/wire.py describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pages.session.workspace import Workspace
from pages.shared.reply import build_reply
from pages.shared.wire import Sent

_GAP = 128  # as in reply.py
_TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4"}


@dataclass(frozen=True)
class Reply:
    """A reply of Python to the browser; arrays are lists."""

    header: dict[str, Any]

    def counts(self) -> dict[str, int]:
        """Tokens of each panel, as the header says; the panels with a problem are left out."""
        return {panel["name"]: panel["tokens"] for panel in self.header["panels"] if "problem" not in panel}

    def ids(self, name: str) -> list[int]:
        """The ids that a panel draws; stretches of no token are left out."""
        panel = next(panel for panel in self.header["panels"] if panel["name"] == name)
        return [
            token_id for token_id, flag in zip(panel["ids"], panel["flags"], strict=True) if not flag & _GAP
        ]


def read_reply(data: bytes, held: Mapping[int, Reply] | None = None) -> Reply:
    """Take a reply apart.

    Args:
        held: earlier ones, by their number.
    """
    end = 4 + int.from_bytes(data[:4], "little")
    assert end % 4 == 0, "arrays must lie where the browser can read them"
    header = json.loads(data[4:end])
    arrays = []
    for kind, length in header["arrays"]:
        arrays.append(np.frombuffer(data, _TYPES[kind], count=length, offset=end).tolist())
        end += -(-length * np.dtype(_TYPES[kind]).itemsize // 4) * 4
    assert end == len(data)
    base = {} if header["base"] is None else (held or {})[header["base"]].header
    return Reply(_make(header["change"], base, arrays))


def packed(workspace: Workspace) -> Reply:
    """What the browser gets of a workspace that it holds nothing of."""
    return read_reply(Sent().pack(build_reply(workspace, knows_revision=None, samples=[])))


def number_of(data: bytes) -> int:
    """The number of a reply."""
    number: int = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])["number"]
    return number


def _make(change: dict[str, Any], old: Any, arrays: list[list[int]]) -> Any:
    match change:
        case {"=": value}:
            return value
        case {"@": number}:
            return arrays[number]
        case {"[": items}:
            return [_make(item, None, arrays) for item in items]
        case {"{": items}:
            return {key: _make(item, None, arrays) for key, item in items.items()}
        case {"+": [before, after, between]}:
            return [*old[:before], *_make(between, None, arrays), *old[len(old) - after :]]
        case {"*": items}:
            return [
                _make(items[str(at)], item, arrays) if str(at) in items else item
                for at, item in enumerate(old)
            ]
        case {"~": changed, **rest}:
            made = {**old}
            made.update({key: _make(item, made.get(key), arrays) for key, item in changed.items()})
            return {key: value for key, value in made.items() if key not in rest.get("-", [])}
    raise AssertionError(f"no change: {change}")
