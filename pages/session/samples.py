"""The samples: short texts that come with the app."""

from __future__ import annotations

import json
from functools import cache

from tokenizers.encoding import ASSETS

_FIELDS = ("label", "hint", "text")


def read_samples() -> list[dict[str, str]]:
    """The label, hint and text of each sample, in the order of their buttons. All sessions share this list.

    It is empty if the file is missing or damaged; ``start_check.py`` reports that.
    """
    try:
        return _read()
    except (OSError, ValueError, TypeError, KeyError):
        return []


@cache
def _read() -> list[dict[str, str]]:
    rows = json.loads((ASSETS / "samples" / "samples.json").read_text("utf-8"))
    if not all(isinstance(row[field], str) for row in rows for field in _FIELDS):
        raise ValueError("A sample has no text.")
    return list(rows)
