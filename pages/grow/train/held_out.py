"""How a grown encoding does on the text that was held out from it, in the shares of the mix."""

from __future__ import annotations

import numpy as np

from pages.session.train_run import REFERENCES, Grown


def held_out_curve(grown: Grown, sizes: slice = slice(None)) -> tuple[float, list[float], dict[str, float]]:
    """What the held-out text has, each source as often as it is read.

    Args:
        grown: the encoding, and what is known of its growth.
        sizes: which vocabulary sizes are asked for: size i is that of i merges; by default all. Without
            merges there is one size alone.

    Returns:
        its bytes, its tokens at each of these sizes, and its bytes per token in other encodings; bytes and
        tokens are 0 where nothing was held out.
    """
    n_bytes, tokens = 0.0, np.zeros(len(grown.merges) + 1)[sizes]
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
