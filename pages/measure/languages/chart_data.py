"""What every chart of the page Languages needs to know, and what all of them draw alike.

A click on a language anywhere sends its code. The selection's name holds the language that is looked at:
once another one is, it is a new selection, and the same dot can be clicked again.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt
import pandas as pd

from pages.measure.languages.table import shorten, times
from pages.shared.losses import lose

MARKS = ("diamond", "triangle-up", "square", "cross", "triangle-down", "circle")
"""The mark of each encoding that has no bar: colour is never alone."""


@dataclass(frozen=True)
class ChartData:
    """What every chart of the page needs to know.

    Attributes:
        table: of ``make_table``, with a column found: whether a search found the language.
        names: the encodings, in the order of the table's columns.
        colours: theirs.
        lead: the number of the encoding that the bars, the map and the scripts show.
        focus: the code of the language that is looked at.
        base: the name of the language that the declarations are compared with.
        own_base: the name of the text that a person's own are compared with; empty: there are none.
        lossy: the encodings that lose a part of some texts: what is lost costs no token.
        opened: how often the translations of a language were asked for.
    """

    table: pd.DataFrame
    names: Sequence[str]
    colours: Sequence[str]
    lead: int
    focus: str
    base: str
    own_base: str = ""
    lossy: Sequence[str] = ()
    opened: int = 0

    @property
    def focused(self) -> pd.Series:
        """The row of the language that is looked at."""
        return self.table[self.table["code"] == self.focus].iloc[0]

    @property
    def compared_with(self) -> str:
        """What the premiums are multiples of: a person's own texts have a base of their own.

        >>> ChartData(pd.DataFrame(), [], [], 0, "mya", "English", "mine").compared_with
        'English (yours: mine)'
        """
        return self.base + (f" (yours: {shorten(self.own_base)})" if self.own_base else "")

    def warning(self, *numbers: int) -> str:
        """Behind a title that says what these encodings cost: which of them lose text.

        >>> data = ChartData(pd.DataFrame(), ["gpt2", "words"], [], 0, "mya", "English", lossy=["words"])
        >>> data.warning(0), data.warning(0, 1)
        ('', ' (words loses text)')
        """
        return warning_of(list(dict.fromkeys(self.names[n] for n in numbers)), self.lossy)

    @property
    def pick(self) -> str:
        """The name of the selection of a click."""
        return pick_name(self.focus, self.opened)

    def faint(self, strong: float, weak: float = 0.13) -> alt.OpacityValue:
        """How strongly a language is drawn: weakly if a search did not find it."""
        return alt.OpacityValue(weak, condition={"test": "datum.found", "value": strong})

    def tooltips(self) -> list[alt.Tooltip]:
        """The exact figures of a language."""
        tips = [alt.Tooltip("name:N", title="language"), alt.Tooltip("script:N")]
        for number, name in enumerate(self.names):
            tips.append(
                alt.Tooltip(f"p{number}:Q", title=f"{name}, times {self.compared_with}", format=".3f")
            )
            tips.append(alt.Tooltip(f"t{number}:Q", title=f"{name}, tokens", format=",d"))
        return tips

    def described(self, table: pd.DataFrame, *numbers: int) -> pd.DataFrame:
        """The table with words for whoever hears a chart, in which each language is a mark of its own.

        Without them, Vega puts all that the tooltip has into words, for hundreds of marks at each drawing.

        Args:
            table: a row for each language.
            numbers: of the encodings that the chart is about.

        >>> table = pd.DataFrame({"name": ["Thai"], "p0": [8.906], "p1": [None]})
        >>> data = ChartData(table, ["gpt2", "words"], [], 0, "mya", "English")
        >>> data.described(table, 0, 1)["description"][0]
        'language: Thai; gpt2: 8.91×; words: –'
        """
        descriptions = "language: " + table["name"].astype(str)
        for number in numbers:
            premiums = ["–" if pd.isna(value) else times(value) for value in table[f"p{number}"]]
            descriptions += pd.Series([f"; {self.names[number]}: {each}" for each in premiums], table.index)
        return table.assign(description=descriptions)


def warning_of(names: Sequence[str], lossy: Sequence[str]) -> str:
    """Behind a headline about these encodings: which of them lose text, if any does."""
    losers = [name for name in names if name in lossy]
    return f" ({lose(losers)} text)" if losers else ""


def pick_name(focus: str, opened: int = 0) -> str:
    """The name of the selection of a click, while this language is looked at; see ``ChartData.opened``."""
    return f"pick_{zlib.crc32(focus.encode('utf-8', 'replace')):08x}" + (f"_{opened}" if opened else "")


def picked(data: ChartData) -> alt.Parameter:
    """The selection of a click."""
    return alt.selection_point(name=data.pick, fields=["code"], on="click", empty=False, clear=False)


def log_scale(values: pd.Series) -> alt.Scale:
    """A scale for premiums: twice as much is as far everywhere."""
    low, high = float(values.min()), float(values.max())
    return alt.Scale(type="log", base=2, domain=[low * 0.93, high * 1.07], nice=False)


def log_axis() -> alt.Axis:
    """Its axis."""
    ticks = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]
    return alt.Axis(values=ticks, labelExpr="datum.label + '×'", format="~g")
