"""One strong hue for each encoding, the same on every page and chart."""

from __future__ import annotations

_HUES = {
    "gpt2": 1,
    "cl100k_base": 2,
    "o200k_base": 3,
    "o200k_harmony": 4,
    "r50k_base": 5,
    "p50k_base": 6,
    "p50k_edit": 7,
    "cl100k_im": 8,
}


_OWN = (9, 10, 11, 12)


def hue_of(name: str, own: int | None = None) -> int:
    """The number of the encoding's hue: --e0 to --e12 in the components.

    Args:
        name: the encoding's.
        own: for one that the session grew: which of them it is, from 0.
    """
    return _HUES.get(name, 0) if own is None else _OWN[own % len(_OWN)]
