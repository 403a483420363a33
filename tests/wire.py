"""Reads an answer to the editor, as its script does; pages/explore/playground/wire.py describes it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np

from pages.explore.playground.answer import GAP
from pages.explore.playground.encode_route import respond
from pages.session.workspace import Workspace
from tokenizers.json_types import JsonObject


@dataclass(frozen=True)
class Reply:
    """An answer.

    Attributes:
        header: its values; the arrays are lists in the panel that they belong to, and "clusters".
        arrays: by panel and name.
    """

    header: JsonObject
    arrays: dict[tuple[str, str], list[int]] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        """Tokens of each panel, as the header says; the panels with a problem are left out."""
        return {panel["name"]: panel["tokens"] for panel in self.header["panels"] if "problem" not in panel}

    def ids(self, name: str) -> list[int]:
        """The ids that a panel draws; stretches of no token are left out."""
        ids, flags = self.arrays[name, "ids"], self.arrays[name, "flags"]
        return [token_id for token_id, flag in zip(ids, flags, strict=True) if not flag & int(GAP)]


def read_reply(data: bytes, held: Reply | None = None) -> Reply:
    """Take an answer apart.

    Args:
        held: the answer to which it may refer.
    """
    at = 4 + int.from_bytes(data[:4], "little")
    assert at % 4 == 0, "arrays must lie where the browser can read them"
    header = json.loads(data[4:at])
    arrays: dict[tuple[str, str], list[int]] = {}
    for panel, name, size, before, after, count in header["arrays"]:
        between = np.frombuffer(data, f"<u{size}", count=count, offset=at).tolist()
        old = held.arrays.get((panel, name), []) if held else []
        assert max(before, after) <= len(old)
        arrays[panel, name] = [*old[:before], *between, *old[len(old) - after :]]
        at += -(-count * size // 4) * 4
    assert at == len(data)
    panels = {panel["name"]: panel for panel in header.get("panels", [])}
    for (panel, name), array in arrays.items():
        panels.get(panel, header)[name] = array
    return Reply(header, arrays)


def packed(workspace: Workspace) -> Reply:
    """What a browser gets of a workspace when it holds no answer; no panel is left out."""
    workspace.encode_slow()
    return read_reply(respond(workspace, {}))
