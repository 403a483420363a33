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
    "bytes": 13,
    "characters": 14,
    "characters-unknown": 15,
    "words": 16,
}


_OWN = (9, 10, 11, 12)


def hue_of(name: str, own: int | None = None) -> int:
    """The number of the encoding's hue: --e0 to --e16 in the components.

    Args:
        name: the encoding's.
        own: for one that the session grew: which of them it is, from 0.
    """
    return _HUES.get(name, 0) if own is None else _OWN[own % len(_OWN)]


HEX = (
    ("#0d7e61", "#31a380"),
    ("#b64d00", "#d76e35"),
    ("#003ea8", "#86b2fd"),
    ("#9558a9", "#b170c7"),
    ("#6a55c4", "#a898f0"),
    ("#b0402e", "#ef8b78"),
    ("#4c6b00", "#a9c653"),
    ("#3f6477", "#93b9cd"),
    ("#8a5a2b", "#cfa276"),
    ("#3d4100", "#c9d360"),
    ("#834530", "#f1ab94"),
    ("#5f2a46", "#d98cb1"),
    ("#734975", "#fbbdfe"),
    ("#4a4f55", "#a7adb5"),
    ("#0f6f8c", "#5cc3e0"),
    ("#55708a", "#8fb0d0"),
    ("#8a1f5c", "#f07fb4"),
)
"""Each hue for charts, on light and on dark: --e0 to --e16 in the components.

The hues that usually stand together (grove, gpt2, cl100k_base, o200k_base, the first of a session's own)
also differ in lightness, so that people who see fewer hues tell them apart: a test looks at them through
the eyes of three kinds of colour blindness.
"""


def hex_of(hue: int, *, dark: bool) -> str:
    """The colour of a hue, for a chart on that ground."""
    return HEX[hue][dark]
