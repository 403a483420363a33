"""Reads what the playground's component is sent, as its script does; reply.py says how the bytes lie."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

_GAP = 128  # as in reply.py
_TYPES = {"u8": "<u1", "u16": "<u2", "u32": "<u4"}


@dataclass(frozen=True)
class Reply:
    """A reply of Python to the browser."""

    header: dict[str, Any]
    arrays: list[list[int]]

    def counts(self) -> dict[str, int]:
        """Tokens of each panel, as the header says; the panels with a problem are left out."""
        return {panel["name"]: panel["tokens"] for panel in self.header["panels"] if "problem" not in panel}

    def ids(self, name: str) -> list[int]:
        """The ids that a panel draws; stretches of no token are left out."""
        panel = next(panel for panel in self.header["panels"] if panel["name"] == name)
        ids, flags = self.arrays[panel["ids"]], self.arrays[panel["flags"]]
        return [token_id for token_id, flag in zip(ids, flags, strict=True) if not flag & _GAP]


def read_reply(data: bytes) -> Reply:
    """Take a reply apart."""
    end = 4 + int.from_bytes(data[:4], "little")
    assert end % 4 == 0, "arrays must lie where the browser can read them"
    header = json.loads(data[4:end])
    arrays = [
        np.frombuffer(data, _TYPES[kind], count=length, offset=end + offset).tolist()
        for kind, offset, length in header["arrays"]
    ]
    return Reply(header, arrays)
