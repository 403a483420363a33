"""What is asked for on the page Languages: by the address, by its fields, by clicks in its charts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pages.measure.languages.chart_data import pick_name
from pages.measure.languages.table import GROUP
from pages.session.own_texts import is_own_key
from pages.session.page_state import Field, Link, LinkValues, PageState, grown_since
from pages.session.workspace import DEFAULT_ENCODINGS, first_encodings
from tokenizers.data import ParallelText

MAX_ENCODINGS = 6
FOCUS, BASE = "mya", "eng"
ANY_SCRIPT = "any script"
AROUND, HALF = "around", "half"
CHARTS = BARS, MAP, SCRIPTS, SCATTER = (
    "languages_bars",
    "languages_map",
    "languages_scripts",
    "languages_scatter",
)
"""The keys of the charts in which a click chooses a language."""

MAX_QUERY = 200
"""Characters of a search."""

Area = dict[str, list[float]]
"""An area that was drawn in the scatter: two bounds for each of its columns."""


def default_encodings() -> list[str]:
    """gpt2, cl100k_base, o200k_base, and one that was grown here."""
    return DEFAULT_ENCODINGS + [name for name in first_encodings() if name not in DEFAULT_ENCODINGS]


@dataclass
class LanguagesState(PageState):
    """What the page shows.

    Attributes:
        focus: the code of the language that is looked at.
        base: the code of the one that it is compared with.
        encodings: up to ``MAX_ENCODINGS``.
        lead: the one of them that the charts are of.
        query, script: the search.
        view: which languages have bars: "around" the one that is looked at, "highest" or "lowest" first.
        size: the smaller vocabulary: a key of ``sizes.SHARES``, or the word for a number of tokens.
        tokens: that number; None: not chosen yet.
        across, up: the encodings of the scatter's axes.
        axes: their numbers among the encodings, in the chart as it was drawn last.
        area: an area that was drawn in the scatter, with the axes at that time.
        newest_area: the area that the browser sent last.
        areas: how often an area was given up.
        opened: how often the translations of a language were asked for by a click on its bar.
        grown: the encodings that were grown here when the page was drawn last.
        own_chosen: the keys of a person's own texts that are compared with each other.
        own_base: the one of them that the others are compared with; None: there are none.
        note: to be said once.
    """

    PAGE: ClassVar[str] = "languages"

    focus: Field[str] = Field(FOCUS)
    base: Field[str] = Field(BASE)
    encodings: Field[list[str]] = Field([])
    lead: Field[str] = Field("")
    query: Field[str] = Field("")
    script: Field[str] = Field(ANY_SCRIPT)
    view: Field[str] = Field(AROUND)
    size: Field[str] = Field(HALF)
    tokens: Field[int | None] = Field(None)
    across: Field[str | None] = Field(None)
    up: Field[str | None] = Field(None)
    axes: Field[tuple[int, int] | None] = Field(None)
    area: Field[tuple[tuple[int, int] | None, Area] | None] = Field(None)
    newest_area: Field[Area | None] = Field(None)
    areas: Field[int] = Field(0)
    opened: Field[int] = Field(0)
    grown: Field[list[str]] = Field([])
    own_chosen: Field[list[str]] = Field([])
    own_base: Field[str | None] = Field(None)
    note: Field[str] = Field("")

    @classmethod
    def from_link(
        cls, link: Link, texts: Sequence[ParallelText], available: Sequence[str], grown: Sequence[str]
    ) -> Self:
        """What a link asks for.

        Args:
            link: the address.
            texts: the languages that are compared.
            available: the names of all encodings.
            grown: those of them that were grown in this session.
        """
        codes = {text.code for text in texts}
        notes = []
        languages = {}
        for parameter, default in (("focus", FOCUS), ("base", BASE)):
            wanted = link.text(parameter, default)
            if wanted not in codes:
                notes.append(f"This link asks for a language that is not compared here, {wanted[:40]!r}.")
                wanted = default
            languages[parameter] = wanted
        names = link.names("encodings")
        missing = [name for name in names if name not in available]
        if missing:
            notes.append(f"This link names an encoding that is not here: {', '.join(missing)[:100]}.")
        names = [name for name in names if name not in missing][:MAX_ENCODINGS]
        return cls(
            focus=languages["focus"],
            base=languages["base"],
            encodings=names or [*default_encodings(), *grown[-2:]],
            lead=link.text("lead"),
            query=link.text("query")[:MAX_QUERY],
            script=link.choice("script", {text.script for text in texts}, ANY_SCRIPT),
            grown=list(grown),
            note=" ".join(notes),
        )

    def to_link(self) -> LinkValues:
        """What is not as on the first visit; a person's own texts are left out."""
        names = self.encodings
        values: LinkValues = {
            "focus": "" if self.focus == FOCUS or is_own_key(self.focus) else self.focus,
            "base": self.base if self.base != BASE else "",
            "encodings": ",".join(names) if names != default_encodings() else "",
            "lead": self.lead if names and self.lead != names[0] else "",
            "query": self.query[:MAX_QUERY],
            "script": self.script if self.script != ANY_SCRIPT else "",
        }
        return {name: value for name, value in values.items() if value}

    def prune(self, codes: Collection[str], available: Sequence[str], grown: Sequence[str]) -> None:
        """Take what was grown since into the choice, and let go of what is gone.

        Args:
            codes: of all texts, a person's own included.
            available: the names of all encodings.
            grown: those of them that were grown in this session.
        """
        chosen = [name for name in self.encodings if name in available]
        for name in grown_since(self.grown, grown, chosen):
            chosen = [*chosen[: MAX_ENCODINGS - 1], name]
        self.grown, self.encodings = list(grown), chosen
        if self.focus not in codes:
            self.focus = FOCUS
        if self.base not in codes:
            self.base = BASE
        self.script = self.script or ANY_SCRIPT  # Streamlit empties the field when its script is gone

    def look_at(self, code: str) -> None:
        """Look at a language."""
        self.focus = code

    def prune_own(self, keys: Collection[str]) -> None:
        """Drop own texts that were removed."""
        self.let_go(LanguagesState.own_chosen, keys)

    def prune_own_base(self, keys: Sequence[str]) -> None:
        """Compare with one of the own texts that can be compared."""
        if self.own_base not in keys:
            self.own_base = keys[0] if keys else None

    def choose_own(self, keys: Sequence[str]) -> None:
        """Compare texts that were just brought, too."""
        self.own_chosen = [*self.own_chosen, *(key for key in keys if key not in self.own_chosen)]

    def prune_counted(self, names: Sequence[str]) -> None:
        """Choose the encoding of the charts among those that are counted; there is one at least."""
        if self.lead not in names:
            self.lead = names[0]

    def prune_axes(self, names: Sequence[str]) -> None:
        """Choose the encodings of the scatter among those that are counted."""
        if self.across not in names:
            self.across = self.lead
        if self.up not in names or self.up == self.across:  # dots on one line would say nothing
            wished = names[-2 if len(names) > 2 else -1]
            self.up = next((name for name in (wished, *names) if name != self.across), wished)

    # Clicks in the charts

    @property
    def brush(self) -> str:
        """The name of the scatter's area; a new one once the area was given up."""
        return f"area_{self.areas}"

    def take_clicks(self, codes: Collection[str], selections: Mapping[str, Mapping[str, Any]]) -> None:
        """Look at the language that was clicked, or search for the translations that share the bar that was;
        and keep the area that was drawn in the scatter.

        Args:
            codes: of all texts.
            selections: what the browser says of each of ``CHARTS``.
        """
        for chart in CHARTS:
            picks = selections.get(chart, {}).get(pick_name(self.focus, self.opened))
            if isinstance(picks, list) and picks and isinstance(picks[-1], dict):
                code = picks[-1].get("code")
                if isinstance(code, str) and code.startswith(GROUP):
                    self.query = code.removeprefix(GROUP)[:MAX_QUERY]
                    self.opened += 1  # the next click is a new one, on the same bar too
                    return
                if isinstance(code, str) and code in codes and code != self.focus:
                    self.focus = code
                    return
        area, before = selections.get(SCATTER, {}).get(self.brush), self.newest_area
        if area != before:
            self.newest_area = area
            if area or before:
                self.area = (self.axes, area) if area else None

    def area_drawn(self) -> tuple[tuple[int, int], Area] | None:
        """The axes and the bounds of the area that was drawn in the scatter, if it is of these axes."""
        axes, area = self.area or (None, {})
        if axes is None or axes != self.axes:
            return None
        is_sound = isinstance(area, dict) and all(
            isinstance(bounds, list) and len(bounds) == 2 and all(isinstance(b, int | float) for b in bounds)
            for bounds in area.values()
        )
        return (axes, area) if is_sound else None

    def give_up_area(self) -> None:
        """Forget the area."""
        self.area = self.newest_area = None
        self.areas += 1
