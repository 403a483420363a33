"""The state of the page Compression: the choices in its fields, and the selection in its charts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Self

from pages.session.page_state import Field, Link, LinkValues, PageState, follow_encodings, what_is_missing
from pages.session.workspace import first_encodings
from tokenizers.data import LANGUAGE
from tokenizers.measure import METRICS

DEFAULT_METRIC = "bytes_per_token"
DEFAULT_BASELINE = "gpt2"
DEFAULT = ["prose", "python", LANGUAGE + "hin"]
"""The keys of the texts on the first visit."""


class CompressionState(PageState):
    """What the user chose on the page.

    Attributes:
        encodings: the measured encodings.
        texts: the keys of the measured texts.
        metric: the key in ``METRICS`` of the metric in the bars.
        baseline: the baseline encoding of NSL.
        only_text, only_encoding: the selection in the charts; empty: all.
        own_names: the session's own encodings when the page was drawn last.
        note: a message to show once.
    """

    PAGE = "compression"
    SENDS_TEXTS = True

    encodings = Field(first_encodings())
    texts = Field(DEFAULT)
    metric = Field(DEFAULT_METRIC)
    baseline = Field(DEFAULT_BASELINE)
    only_text = Field("")
    only_encoding = Field("")
    own_names = Field[list[str]]([])
    note = Field("")

    @classmethod
    def from_link(
        cls, link: Link, available: Sequence[str], own_names: Sequence[str], texts: Collection[str]
    ) -> Self:
        """Read the state from a link.

        Args:
            link: the URL's parameters.
            available: the names of all encodings.
            own_names: the session's own encodings.
            texts: the keys of all texts.
        """
        names = link.texts("encoding")
        keys = link.texts("text")
        strange = [name for name in names if name not in available] + [k for k in keys if k not in texts]
        return cls(
            encodings=[name for name in names if name in available] or [*first_encodings(), *own_names],
            texts=[key for key in keys if key in texts] or list(DEFAULT),
            metric=link.choice("figure", METRICS, DEFAULT_METRIC),
            baseline=link.choice("baseline", available, DEFAULT_BASELINE),
            only_text=link.text("only"),
            only_encoding=link.text("in"),
            own_names=list(own_names),
            note=what_is_missing(strange),
        )

    def link_values(self) -> LinkValues:
        """The values of a link."""
        return {
            "encoding": self.encodings,
            "text": self.texts,
            "figure": self.metric,
            "baseline": self.baseline,
            "only": self.only_text,
            "in": self.only_encoding,
        }

    def prune(self, available: Sequence[str], own_names: Sequence[str], texts: Collection[str]) -> None:
        """Choose own encodings that are new, and drop choices and selections that no longer exist.

        Args:
            available: the names of all encodings.
            own_names: the session's own encodings.
            texts: the keys of all texts.
        """
        follow_encodings(self, own_names, available)
        self.let_go(CompressionState.texts, texts)
        if self.baseline not in available:
            self.baseline = DEFAULT_BASELINE
        if self.only_text not in self.texts:
            self.only_text = ""
        if self.only_encoding not in self.encodings:
            self.only_encoding = ""

    def measure(self, keys: Sequence[str]) -> None:
        """Measure these texts alone."""
        self.texts = list(keys)

    def choose_texts(self, keys: Sequence[str]) -> None:
        """Choose newly added texts."""
        self.texts = [*(key for key in keys if key not in self.texts), *self.texts]

    # Clicks in the charts

    def click_text(self, key: str) -> None:
        """Select the clicked text; a second click deselects it."""
        self.only_text = "" if self.only_text == key else key

    def click_encoding(self, name: str) -> None:
        """Select the clicked encoding; a second click deselects it."""
        self.only_encoding = "" if self.only_encoding == name else name

    def show_all(self) -> None:
        """Clear the selection."""
        self.only_text = self.only_encoding = ""
