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


def hue_of(name: str) -> int:
    """The number of the encoding's hue: --e0 to --e8 in the components; home-trained ones have 0."""
    return _HUES.get(name, 0)
