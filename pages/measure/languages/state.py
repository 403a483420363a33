"""The state of the page Languages: the choices in its fields, and the selections in its charts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Self

from pages.session.own_texts import is_own_key
from pages.session.page_state import Field, Link, LinkValues, PageState, follow_encodings, what_is_missing
from pages.session.workspace import first_encodings
from tokenizers.data import ParallelText

MAX_ENCODINGS = 6
FOCUS = "mya"
BASE = "eng"
AROUND = "around"
PAST = "gpt2"

MAX_QUERY = 200
"""Characters of a search."""


class LanguagesState(PageState):
    """What the user chose on the page.

    Attributes:
        focus: the code of the selected language.
        base: the code of the one that it is compared with.
        encodings: up to ``MAX_ENCODINGS``.
        lead: the one of them that the charts are of.
        against: another one of them, which the scatter plot compares it with.
        query: the search.
        view: which languages have bars: "around" the selected one, "highest" or "lowest" first.
        walls: the split pattern that the lead's vocabulary is tried behind; empty: its own.
        own_names: the session's own encodings when the page was drawn last.
        own_chosen: the keys of the session's own texts that are compared with the first of them.
        note: a message to show once.
    """

    PAGE = "languages"
    SENDS_TEXTS = True

    focus = Field(FOCUS)
    base = Field(BASE)
    encodings = Field(first_encodings())
    lead = Field("")
    against = Field(PAST)
    query = Field("")
    view = Field(AROUND)
    walls = Field("")
    own_names = Field[list[str]]([])
    own_chosen = Field[list[str]]([])
    note = Field("")

    @classmethod
    def from_link(
        cls,
        link: Link,
        texts: Sequence[ParallelText],
        available: Sequence[str],
        own_names: Sequence[str],
        first: str = FOCUS,
    ) -> Self:
        """Read the state from a link.

        Args:
            link: the URL's parameters.
            texts: the languages that are compared.
            available: the names of all encodings.
            own_names: the session's own encodings.
            first: the code of the language that is selected where the link has none.
        """
        codes = {text.code for text in texts}
        compared = link.texts("compared")
        mine = list(filter(is_own_key, compared))
        names = link.names("encodings")
        if first not in codes:
            first = FOCUS
        focus = link.text("focus", first)
        base = link.text("base", BASE)
        note = what_is_missing(
            [code for code in (focus, base, *compared) if code not in {*codes, *mine}]
            + [name for name in names if name not in available]
        )
        names = [name for name in names if name in available][:MAX_ENCODINGS]
        chosen = names or [*first_encodings(), *own_names[-2:]]
        return cls(
            focus=focus if focus in {*codes, *mine} else FOCUS,
            base=base if base in codes else BASE,
            encodings=chosen,
            lead=link.choice("lead", chosen, chosen[0]),
            query=link.text("query")[:MAX_QUERY],
            own_names=list(own_names),
            own_chosen=mine,
            note=note,
        )

    def link_values(self) -> LinkValues:
        """The values of a link."""
        return {
            "focus": self.focus,
            "base": self.base,
            "compared": self.own_chosen,
            "encodings": ",".join(self.encodings),
            "lead": "" if self.lead in self.encodings[:1] else self.lead,
            "query": self.query[:MAX_QUERY],
        }

    def prune(self, codes: Collection[str], available: Sequence[str], own_names: Sequence[str]) -> None:
        """Choose own encodings that are new, and drop what is gone.

        Args:
            codes: of all texts, a person's own included.
            available: the names of all encodings.
            own_names: the session's own encodings.
        """
        follow_encodings(self, own_names, available, MAX_ENCODINGS)
        chosen = self.encodings
        if self.focus not in codes:
            self.focus = FOCUS
        if self.base not in codes:
            self.base = BASE
        if chosen and self.lead not in chosen:
            self.lead = chosen[0]
        others = [name for name in chosen if name != self.lead]
        if others and self.against not in others:
            self.against = PAST if PAST in others else others[-1]

    def look_at(self, code: str) -> None:
        """Select a language."""
        self.focus = code

    def choose_own(self, keys: Sequence[str]) -> None:
        """Compare newly added texts, too."""
        self.own_chosen = [*self.own_chosen, *(key for key in keys if key not in self.own_chosen)]
