"""How a grown encoding does on the text that was held out from it, in the shares of the mix."""

from __future__ import annotations

from typing import Any

import numpy as np

from pages.session.grown import Grown
from pages.session.train_run import REFERENCES


def held_out_curve(grown: Grown, sizes: slice = slice(None)) -> tuple[float, list[float], dict[str, float]]:
    """What the held-out text has, each source as often as it is read.

    Args:
        grown: the encoding, and what is known of its growth.
        sizes: which of ``grown.sizes`` are asked for; by default all.

    Returns:
        its bytes, its tokens at each of these sizes, and its bytes per token in other encodings; bytes and
        tokens are 0 where nothing was held out.
    """
    n_bytes, tokens = 0.0, np.zeros(len(grown.sizes))[sizes]
    others = dict.fromkeys(REFERENCES, 0.0)
    for source in grown.report.get("sources", ()):
        times = source["times"]
        n_bytes += times * source["held_bytes"]
        tokens += times * np.array(source["held_tokens"][sizes], dtype=np.float64)
        for other, count in source["references"].items():
            others[other] += times * count
    return n_bytes, tokens.tolist(), {other: n_bytes / count for other, count in others.items() if count}


def held_out_ratio(grown: Grown) -> float | None:
    """Bytes per token on what was held out, at the full size; None: nothing was."""
    n_bytes, (tokens,), _ = held_out_curve(grown, slice(-1, None))
    return n_bytes / tokens if tokens else None


def unknown_share(grown: Grown) -> tuple[float, float]:
    """The shares of the held-out bytes that are unknown, and that do not come back; 0 to 1.

    What is unknown does not come back either.
    """
    n_bytes = held_out_sum(grown, "held_bytes") or 1.0
    return held_out_sum(grown, "unknown_bytes") / n_bytes, held_out_sum(grown, "lost_bytes") / n_bytes


def held_out_sum(grown: Grown, count: str) -> float:
    """One of the counts of the held-out text, each source as often as it is read."""
    sources: list[dict[str, Any]] = grown.report.get("sources", [])
    return sum(float(source["times"]) * float(source.get(count, 0)) for source in sources)
