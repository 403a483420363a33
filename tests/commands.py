"""The library's commands, run in this process: the fixture ``command``."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tokenizers.__main__ import main


class Ran(NamedTuple):
    """What a command left: its exit code, and what it wrote."""

    code: int
    out: str
    errors: str


Command = Callable[..., Ran]
"""Runs a command, given its words."""


def exit_code(*words: object) -> int:
    """Run a command."""
    try:
        return main([str(word) for word in words])
    except SystemExit as ended:
        return int(ended.code or 0)
