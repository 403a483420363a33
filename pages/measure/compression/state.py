"""The state of the page Compression: the choices in its fields, and the selection in its charts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from pages.session.catalogue import key_in_link
from pages.session.own_texts import PLAYGROUND, is_own_key
from pages.session.page_state import Field, Link, LinkValues, PageState, added_since, what_is_missing
from pages.session.workspace import DEFAULT_ENCODINGS
from tokenizers.data import FIRST_MODEL, LANGUAGE
from tokenizers.measure import METRICS

DEFAULT_METRIC, DEFAULT_BASELINE = "bytes_per_token", "gpt2"
FIRST_ENCODINGS = [*DEFAULT_ENCODINGS, FIRST_MODEL]
UNITS = BYTES, CHARACTERS = ("bytes", "characters")
DEFAULT = ["prose", "python", "json", "numbers", "emoji", "indented"] + [
    LANGUAGE + code for code in ("deu_1996", "rus", "hin", "mya", "cmn_hans", "kor")
]
"""The keys of the texts on the first visit."""


@dataclass
class CompressionState(PageState):
    """What the user chose on the page.

    Attributes:
        encodings: the measured encodings.
        texts: the keys of the measured texts.
        metric: the key in ``METRICS`` of the metric in the bars.
        baseline: the baseline encoding of NSL.
        unit: the unit of token lengths, one of ``UNITS``.
        only_texts, only_encodings: the selection in the charts; empty: all.
        trained: the encodings that were trained here when the page was drawn last.
        note: a message to show once.
    """

    PAGE: ClassVar[str] = "compression"

    encodings: Field[list[str]] = Field(FIRST_ENCODINGS)
    texts: Field[list[str]] = Field(DEFAULT)
    metric: Field[str] = Field(DEFAULT_METRIC)
    baseline: Field[str] = Field(DEFAULT_BASELINE)
    unit: Field[str] = Field(BYTES)
    only_texts: Field[list[str]] = Field([])
    only_encodings: Field[list[str]] = Field([])
    trained: Field[list[str]] = Field([])
    note: Field[str] = Field("")

    @classmethod
    def from_link(
        cls, link: Link, available: Sequence[str], trained: Collection[str], texts: Collection[str]
    ) -> Self:
        """Read the state from a link.

        Args:
            link: the URL's parameters.
            available: the names of all encodings.
            trained: the encodings that this session trained.
            texts: the keys of all texts.
        """
        names, keys = link.texts("encoding"), _keys(link, "text")
        chosen = [name for name in names if name in available] or [*FIRST_ENCODINGS, *trained]
        chosen_texts = [key for key in keys if key in texts] or list(DEFAULT)
        strange = [name for name in names if name not in available] + [k for k in keys if k not in texts]
        return cls(
            encodings=chosen,
            texts=chosen_texts,
            metric=link.choice("figure", METRICS, DEFAULT_METRIC),
            baseline=link.choice("baseline", available, DEFAULT_BASELINE),
            only_texts=[key for key in _keys(link, "only") if key in chosen_texts],
            only_encodings=[name for name in link.texts("in") if name in chosen],
            trained=list(trained),
            note=what_is_missing(strange),
        )

    def link_values(self, *, own: bool) -> LinkValues:
        """The values of a link."""

        def choose(values: Sequence[str]) -> list[str]:
            return [each for each in values if own or each == PLAYGROUND or not is_own_key(each)]

        return {
            "encoding": self.encodings,
            "text": choose(self.texts),
            "figure": self.metric,
            "baseline": self.baseline,
            "only": choose(self.only_texts),
            "in": self.only_encodings,
        }

    def prune(self, available: Sequence[str], trained: Collection[str], texts: Collection[str]) -> None:
        """Choose newly trained encodings, and drop choices and selections that no longer exist.

        Args:
            available: the names of all encodings.
            trained: the encodings that this session trained.
            texts: the keys of all texts.
        """
        new = added_since(self.trained, trained, self.encodings)
        if new:
            self.encodings = [*self.encodings, *new]
        self.trained = list(trained)
        self.let_go(CompressionState.encodings, available)
        self.let_go(CompressionState.texts, texts)
        if self.baseline not in available:
            self.baseline = DEFAULT_BASELINE
        if self.metric not in METRICS:
            self.metric = DEFAULT_METRIC
        self.prune_picks()

    def prune_picks(self) -> None:
        """Drop selections of what is not chosen."""
        self.only_texts = [key for key in self.texts if key in self.only_texts]
        self.only_encodings = [name for name in self.encodings if name in self.only_encodings]

    def measure(self, keys: Sequence[str]) -> None:
        """Measure these texts alone."""
        self.texts = list(keys)
        self.prune_picks()

    def choose_texts(self, keys: Sequence[str]) -> None:
        """Choose texts that were just uploaded."""
        self.texts = [*(key for key in keys if key not in self.texts), *self.texts]

    # Clicks in the charts

    def click_text(self, key: str) -> None:
        """Select the clicked text; a second click deselects it."""
        self.only_texts = _toggled(self.only_texts, key)
        self.prune_picks()

    def click_encoding(self, name: str) -> None:
        """Select the clicked encoding; a second click deselects it."""
        self.only_encodings = _toggled(self.only_encodings, name)
        self.prune_picks()

    def see_alone(self, text_or_encoding: str) -> None:
        """Select one text or one encoding alone.

        Args:
            text_or_encoding: the key of a chosen text, or a chosen encoding's name.
        """
        self.show_all()
        if text_or_encoding in self.texts:
            self.only_texts = [text_or_encoding]
        elif text_or_encoding in self.encodings:
            self.only_encodings = [text_or_encoding]

    def show_all(self) -> None:
        """Clear the selection."""
        self.only_texts, self.only_encodings = [], []


def _toggled(values: Sequence[str], value: str) -> list[str]:
    return [each for each in values if each != value] + [value] * (value not in values)


def _keys(link: Link, parameter: str) -> list[str]:
    """The distinct keys of texts in a link, in their present spelling."""
    return list(dict.fromkeys(map(key_in_link, link.texts(parameter))))
