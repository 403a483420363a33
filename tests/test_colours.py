"""The encodings' hues: seen on both grounds, told apart by colour-blind people, the same everywhere."""

from __future__ import annotations

import itertools
import re
import tomllib

import numpy as np
import numpy.typing as npt
import pytest

import tokenizers as tk
from pages.shared.colours import HEX, hue_of
from tests.browser import ROOT

Vector = npt.NDArray[np.float64]


def matrix(rows: str) -> Vector:
    return np.loadtxt(rows.splitlines())


# Machado, Oliveira and Fernandes 2009, "A Physiologically-based Model for Simulation of Color Vision
# Deficiency", table 1, severity 1.0; for linear RGB.
SEEN_BY = {
    "everyone": np.eye(3),
    "protanopia": matrix("""
         0.152286  1.052583 -0.204868
         0.114503  0.786281  0.099216
        -0.003882 -0.048116  1.051998"""),
    "deuteranopia": matrix("""
         0.367322  0.860646 -0.227968
         0.280085  0.672501  0.047413
        -0.011820  0.042940  0.968881"""),
    "tritanopia": matrix("""
         1.255528 -0.076749 -0.178779
        -0.078411  0.930809  0.147602
         0.004733  0.691367  0.303900"""),
}
# OKLab: Ottosson 2020, https://bottosson.github.io/posts/oklab
TO_CONES = matrix("""
    0.4122214708 0.5363325363 0.0514459929
    0.2119034982 0.6806995451 0.1073969566
    0.0883024619 0.2817188376 0.6299787005""")
TO_OKLAB = matrix("""
    0.2104542553  0.7936177850 -0.0040720468
    1.9779984951 -2.4285922050  0.4505937099
    0.0259040371  0.7827717662 -0.8086757660""")

TOGETHER = [
    *map(hue_of, ["grove-udhr-8k", "gpt2", "cl100k_base", "o200k_base"]),
    hue_of("my own", own=0),
]
OWN = [hue_of("my own", own=number) for number in range(4)]


def linear(colour: str) -> Vector:
    """Linear RGB of #rrggbb, each from 0 to 1."""
    values = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear: Vector = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return linear


def luminance(colour: str) -> float:
    return float(linear(colour) @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str) -> float:
    """WCAG 2.2's contrast ratio."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def difference(one: str, other: str, matrix: Vector) -> float:
    """Distance in OKLab, in hundredths, as someone sees it; 2 is about the least that anyone sees."""
    seen = [np.clip(matrix @ linear(colour), 0, 1) for colour in (one, other)]
    first, second = (TO_OKLAB @ np.cbrt(TO_CONES @ rgb) for rgb in seen)
    return 100 * float(np.linalg.norm(first - second))


def grounds(dark: bool) -> list[str]:
    theme = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    part = theme["dark" if dark else "light"]
    return [part["backgroundColor"], part["secondaryBackgroundColor"], "#181d1a" if dark else "#ffffff"]


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_hue_is_seen_on_its_ground(dark: bool) -> None:
    for hue, colours in enumerate(HEX):
        for ground in grounds(dark):
            assert contrast(colours[dark], ground) >= (4.5 if hue in TOGETHER else 3), (hue, ground)


@pytest.mark.parametrize("seen_by", SEEN_BY)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_hues_that_stand_together_are_told_apart(dark: bool, seen_by: str) -> None:
    matrix = SEEN_BY[seen_by]
    for one, other in itertools.combinations(TOGETHER, 2):
        assert difference(HEX[one][dark], HEX[other][dark], matrix) >= 9.5, (one, other)
    for one, other in itertools.combinations([*TOGETHER, *OWN[1:]], 2):
        assert difference(HEX[one][dark], HEX[other][dark], matrix) >= 5.5, (one, other)


def test_every_encoding_that_comes_with_the_app_has_a_hue_of_its_own() -> None:
    hues = [hue_of(name) for name in tk.list_encodings()]
    assert set(hues) <= set(range(len(HEX))) - set(OWN)
    assert len(set(hues)) == len(hues)
    assert len(HEX) > len({*hues, *OWN}), "no hue is left for the next one: add some to HEX"


THEME = {
    "primaryColor": "leaf",
    "linkColor": "leaf",
    "backgroundColor": "paper",
    "secondaryBackgroundColor": "wash",
    "textColor": "ink",
    "borderColor": "line",
}
"""Streamlit's names of colours, and ours."""


def test_streamlits_parts_and_ours_have_the_same_colours() -> None:
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    components = ROOT / "assets" / "components"
    style = (components / "common" / "theme.css").read_text("utf-8")
    found = re.findall(r"--(\w+): var\(--light, (\S+)\) var\(--dark, (\S+)\);", style)
    ours = {name: {"light": light, "dark": dark} for name, light, dark in found}
    for theirs, name in THEME.items():
        assert {side: config[side][theirs] for side in ("light", "dark")} == ours[name]
    note = (components / "connection_note.js").read_text("utf-8")  # outside the page's styles
    assert set(re.findall(r"#[0-9a-f]{6}", note)) == {ours[name]["light"] for name in ("ink", "wash", "leaf")}
