"""Limits that a host may want to change, each by an environment variable that is read at the start.

``TOKEN_GROVE_TEXT_MB=2`` takes shorter texts only. Limits that no host would change are constants beside the
code that they protect.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

PREFIX = "TOKEN_GROVE_"
KB = 1 << 10
MB = 1 << 20
"""Bytes. Limits and messages (``amounts.py``) count in these, and so does Streamlit's ``maxUploadSize``."""


class Limit(NamedTuple):
    """One limit, as docs/limits.md lists it."""

    name: str
    default: int
    least: int
    most: int
    meaning: str
    default_in_words: str = ""


LIMITS: list[Limit] = []
PROBLEMS: list[str] = []
"""A sentence for each environment variable that could not be read: its default is used instead."""


def read_value(limit: Limit, environ: Mapping[str, str]) -> tuple[int, str]:
    """The value that the environment gives a limit, and what is wrong with it (empty: nothing).

    >>> panels = Limit("PANELS", 12, 1, 40, "panels")
    >>> read_value(panels, {"TOKEN_GROVE_PANELS": "8"})
    (8, '')
    >>> read_value(panels, {"TOKEN_GROVE_PANELS": "eight"})
    (12, "TOKEN_GROVE_PANELS is 'eight', and should be a whole number from 1 to 40: it stays at 12.")
    """
    variable = PREFIX + limit.name
    value = environ.get(variable, "").strip()
    if not value:
        return limit.default, ""
    if value.isascii() and value.isdigit() and len(value) < 16 and limit.least <= int(value) <= limit.most:
        return int(value), ""
    return limit.default, (
        f"{variable} is {value[:40]!r}, and should be a whole number from {limit.least} to {limit.most}: it "
        f"stays at {limit.default}."
    )


def _limit(
    name: str, default: int, between: tuple[int, int], meaning: str, default_in_words: str = ""
) -> int:
    limit = Limit(name, default, *between, meaning, default_in_words)
    LIMITS.append(limit)
    value, problem = read_value(limit, os.environ)
    if problem:
        PROBLEMS.append(problem)
    return value


def table() -> str:
    """All limits as a table in Markdown."""
    rows = [
        f"| `{PREFIX}{limit.name}` | {limit.default_in_words or f'{limit.default:,}'} | "
        f"{limit.least:,}–{limit.most:,} | {limit.meaning} |"
        for limit in LIMITS
    ]
    return "\n".join(["| variable | default | from–to | limits |", "|---|--:|---|---|", *rows])


TEXT_MB = _limit("TEXT_MB", 10, (1, 100), "MB of one text: typed, pasted, or uploaded")
OWN_TEXTS_MB = _limit("OWN_TEXTS_MB", 100, (1, 2_000), "MB of all texts of a session")
FILE_MB = _limit("FILE_MB", 64, (1, 512), "MB of one tokenizer file, or of a .gguf file’s header")
OWN_ENCODINGS_MEMORY_MB = _limit(
    "OWN_ENCODINGS_MEMORY_MB", 2_000, (100, 100_000), "MB of memory for a session’s own encodings, estimated"
)
VOCABULARY = _limit("VOCABULARY", 100_000, (512, 400_000), "token ids of an encoding that is trained")
TRAININGS = _limit(
    "TRAININGS",
    max(2, min(4, (os.cpu_count() or 1) // 2)),
    (1, 64),
    "trainings at a time on the server; the others wait in line",
    "half the cores, from 2 to 4",
)
TRAINING_MINUTES = _limit(
    "TRAINING_MINUTES", 15, (1, 1_440), "minutes of one training; then it keeps what it has learned"
)
PATTERN_SECONDS = _limit("PATTERN_SECONDS", 1, (1, 60), "seconds of a person’s own split pattern on one text")
SESSIONS = _limit("SESSIONS", 200, (1, 100_000), "open browser tabs; others see a page that says “full”")
