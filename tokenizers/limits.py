"""Limits that a host may want to change, each by an environment variable that is read at the start.

``TOKEN_GROVE_TEXT_MB=2`` takes shorter texts only. docs/limits.md lists them. Limits that no host would
change are constants beside the code that they protect.
"""

from __future__ import annotations

import os

PREFIX = "TOKEN_GROVE_"
KB = 1 << 10
MB = 1 << 20
"""Bytes. Limits and messages (``amounts.py``) count in these, and so does Streamlit's ``maxUploadSize``."""

BOUNDS: dict[str, tuple[int, int, int]] = {}
"""The default of each limit, and the least and the most that its variable may say."""

PROBLEMS: list[str] = []
"""A sentence for each environment variable that could not be read: its default is used instead."""


def read_limit(name: str, default: int, least: int, most: int) -> int:
    """The value that the environment gives a limit; its default, if that is no number within the bounds.

    >>> os.environ["TOKEN_GROVE_PANELS"] = "eight"
    >>> read_limit("PANELS", 12, 1, 40), PROBLEMS.pop()
    (12, "TOKEN_GROVE_PANELS is 'eight', and should be a whole number from 1 to 40: it stays at 12.")
    >>> del os.environ["TOKEN_GROVE_PANELS"], BOUNDS["PANELS"]
    """
    BOUNDS[name] = default, least, most
    value = os.environ.get(PREFIX + name, "").strip()
    if value.isascii() and value.isdigit() and len(value) < 16 and least <= int(value) <= most:
        return int(value)
    if value:
        PROBLEMS.append(
            f"{PREFIX}{name} is {value[:40]!r}, and should be a whole number from {least} to {most}: it "
            f"stays at {default}."
        )
    return default


TEXT_MB = read_limit("TEXT_MB", 10, 1, 100)
"""MB of one text: typed, pasted, or uploaded."""

OWN_TEXTS_MB = read_limit("OWN_TEXTS_MB", 100, 1, 2_000)
"""MB of all texts of a session."""

FILE_MB = read_limit("FILE_MB", 64, 1, 512)
"""MB of one tokenizer file, or of a .gguf file's header."""

OWN_ENCODINGS_MEMORY_MB = read_limit("OWN_ENCODINGS_MEMORY_MB", 2_000, 100, 100_000)
"""MB of memory for a session's own encodings, estimated."""

VOCABULARY = read_limit("VOCABULARY", 100_000, 512, 400_000)
"""Token ids of an encoding that is trained."""

TRAININGS = read_limit("TRAININGS", max(2, min(4, (os.cpu_count() or 1) // 2)), 1, 64)
"""Trainings at a time on the server; the others wait in line."""

TRAINING_MINUTES = read_limit("TRAINING_MINUTES", 15, 1, 1_440)
"""Minutes of one training; then it keeps what it has learned."""

PATTERN_SECONDS = read_limit("PATTERN_SECONDS", 1, 1, 60)
"""Seconds of a person's own split pattern on one text."""

SESSIONS = read_limit("SESSIONS", 200, 1, 100_000)
"""Open browser tabs; others see a page that says "full"."""
