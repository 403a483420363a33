"""What encodings took that a session has removed goes back to the machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pages.session.workspace import Workspace
from tokenizers.formats import read_any

STATM = Path("/proc/self/statm")


def pages_in_memory() -> int:
    return int(STATM.read_text().split()[1])


def big_file(number: int) -> bytes:
    pieces = [["<unk>", 0.0], *([f"▁w{piece}of{number}", -1.0] for piece in range(20_000))]
    model = {"type": "Unigram", "unk_id": 0, "byte_fallback": False, "vocab": pieces}
    return json.dumps({"version": "1.0", "added_tokens": [], "model": model}).encode()


@pytest.mark.slow
@pytest.mark.skipif(not STATM.exists(), reason="the memory of a process is told by Linux alone")
def test_memory_of_removed_encodings_is_given_back() -> None:
    space = Workspace()
    space.add_grown(read_any(big_file(0), "first"))
    space.remove_grown("first")  # what is loaded once stays
    before = pages_in_memory()
    for number in range(4):
        space.add_grown(read_any(big_file(number), f"brought {number}"))
    held = pages_in_memory()
    for name in list(space.grown):
        space.remove_grown(name)
    assert held - before > 5_000 and pages_in_memory() - before < (held - before) / 3
