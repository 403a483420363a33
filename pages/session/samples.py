"""The samples: short texts, each a lesson in itself, that come with the app."""

from __future__ import annotations

import functools
import json

from tokenizers.encoding import ASSETS


@functools.cache
def read_samples() -> list[dict[str, str]]:
    """Label, hint and text of each, in the order of their buttons. All sessions share this list."""
    rows: list[dict[str, str]] = json.loads((ASSETS / "samples" / "samples.json").read_text("utf-8"))
    return rows
