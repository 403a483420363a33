"""One strong hue for each encoding, the same on every page and chart."""

from __future__ import annotations

from pages.session.workspace import Workspace
from tokenizers.numbered import numbered
from tokenizers.registry import find_entry

_OWN = (9, 10, 11, 12)


def hue_of(name: str, own: int | None = None) -> int:
    """The number of the encoding's hue, in ``HEX``.

    Args:
        name: the encoding's name.
        own: the index among the session's own encodings; None: it is not one of them.
    """
    if own is not None:
        return _OWN[own % len(_OWN)]
    entry = find_entry(name)
    return entry.hue if entry else 0


def hue_in(workspace: Workspace, name: str) -> int:
    """The encoding's hue in this session."""
    return hue_of(name, numbered(workspace.own_encodings).get(name))


def css_hue(hue: int) -> str:
    """A hue as components take it: a colour of CSS, on light and on dark (theme.css)."""
    light, dark = HEX[hue]
    return f"var(--light, {light}) var(--dark, {dark})"


def css_hue_in(workspace: Workspace, name: str) -> str:
    """The encoding's hue in this session, as components take it."""
    return css_hue(hue_in(workspace, name))


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
    ("#1d6f2b", "#7fd08a"),
    ("#7a3fae", "#c9a0f0"),
    ("#9a7400", "#e3c14d"),
    ("#b0305f", "#f5a0b5"),
    ("#2b5fae", "#9ec0f5"),
    ("#5a5a2e", "#c4c49a"),
    ("#a8461d", "#f0a07a"),
    ("#00707a", "#6fd0d6"),
    ("#6b3f2a", "#d9b8a5"),
    ("#3c3c6c", "#cdd0fe"),
    ("#9a5d65", "#fbc4c9"),
    ("#16604a", "#77ac97"),
    ("#224b40", "#baddd2"),
    ("#79679a", "#a496c1"),
    ("#9a3187", "#fba1e6"),
    ("#276ed2", "#679ff2"),
    ("#990a39", "#e57888"),
)
"""Each hue on light and on dark. From 32 on they are free for encodings to come; a test says when none is
left.

The hues that are usually side by side (grove, gpt2, cl100k_base, o200k_base, the first of a session's own)
also differ in lightness, so that people who see fewer hues tell them apart: a test looks at them through
the eyes of three kinds of colour blindness.
"""
