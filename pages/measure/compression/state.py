"""What is chosen on the page Compression, by its fields and by clicks in its charts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pages.measure.compression.charts import ENCODING_PICK, TEXT_PICK
from pages.measure.compression.texts import DEFAULT
from pages.session.catalogue import key_in_link
from pages.session.own_texts import PLAYGROUND, is_own_key
from pages.session.page_state import (
    Field,
    Link,
    LinkValues,
    PageState,
    grown_since,
    leave_out,
    what_is_missing,
)
from pages.session.workspace import first_encodings
from tokenizers.measure import METRICS

DEFAULT_METRIC, DEFAULT_BASELINE = "bytes_per_token", "gpt2"
UNITS = BYTES, CHARACTERS = ("bytes", "characters")


def default_encodings(available: Collection[str]) -> list[str]:
    """tiktoken's three and the one that was grown here, as far as they are there."""
    first = first_encodings()
    return [name for name in [*first[1:], *first[:1]] if name in available]


@dataclass
class CompressionState(PageState):
    """What the page shows.

    Attributes:
        encodings: that are measured.
        texts: on which, by their keys.
        metric: the key in ``METRICS`` of what the bars show.
        baseline: the encoding that NSL is against.
        unit: of the tokens' lengths, of ``UNITS``.
        only_texts, only_encodings: what was picked in the charts; empty: all.
        round: how often the picks were taken back.
        first: by the chart's name, what it depends on, and its picks when that last changed.
        available, grown: the names of all encodings, and of those that were grown here, when the page was
            drawn last: what is a person's own stays out of a link.
        note: to be said once.
    """

    PAGE: ClassVar[str] = "compression"

    encodings: Field[list[str]] = Field([])
    texts: Field[list[str]] = Field([])
    metric: Field[str] = Field(DEFAULT_METRIC)
    baseline: Field[str] = Field(DEFAULT_BASELINE)
    unit: Field[str] = Field(BYTES)
    only_texts: Field[list[str]] = Field([])
    only_encodings: Field[list[str]] = Field([])
    round: Field[int] = Field(0)
    first: Field[dict[str, tuple[object, list[str]]]] = Field({})
    available: Field[list[str]] = Field([])
    grown: Field[list[str]] = Field([])
    note: Field[str] = Field("")

    @classmethod
    def from_link(
        cls, link: Link, available: Sequence[str], grown: Collection[str], texts: Collection[str]
    ) -> Self:
        """What a link asks for.

        Args:
            link: the address.
            available: the names of all encodings.
            grown: those of them that were grown in this session.
            texts: the keys of all texts.
        """
        names, keys = link.texts("encoding"), _keys(link, "text")
        chosen = [name for name in names if name in available]
        chosen = chosen or [*default_encodings(available), *list(grown)[-2:]]
        chosen_texts = [key for key in keys if key in texts] or list(DEFAULT)
        strange = [name for name in names if name not in available] + [k for k in keys if k not in texts]
        return cls(
            encodings=chosen,
            texts=chosen_texts,
            metric=link.choice("figure", METRICS, DEFAULT_METRIC),
            baseline=link.choice("baseline", available, DEFAULT_BASELINE),
            only_texts=[key for key in _keys(link, "only") if key in chosen_texts],
            only_encodings=[name for name in link.texts("in") if name in chosen],
            available=list(available),
            grown=list(grown),
            note=what_is_missing(strange),
        )

    def to_link(self) -> LinkValues:
        """What is not as on the first visit; what is a person's own stays out of it."""

        def for_all(keys: Sequence[str]) -> list[str]:
            return [key for key in keys if key == PLAYGROUND or not is_own_key(key)]

        def not_own(names: Sequence[str]) -> list[str]:
            return [name for name in names if name not in self.grown]

        return self._link_values(not_own, for_all)

    def to_tab(self) -> LinkValues:
        """The same, and what is a person's own."""
        return self._link_values(list, list)

    def _link_values(
        self, names: Callable[[Sequence[str]], list[str]], keys: Callable[[Sequence[str]], list[str]]
    ) -> LinkValues:
        values: LinkValues = {
            "encoding": names(self.encodings),
            "text": keys(self.texts),
            "figure": self.metric,
            "baseline": self.baseline,
            "only": keys(self.only_texts),
            "in": names(self.only_encodings),
        }
        defaults: LinkValues = {
            "encoding": default_encodings(self.available),
            "text": DEFAULT,
            "figure": DEFAULT_METRIC,
            "baseline": DEFAULT_BASELINE,
        }
        return {name: value for name, value in leave_out(values, defaults).items() if value}

    def prune(self, available: Sequence[str], grown: Collection[str], texts: Collection[str]) -> None:
        """Choose what was grown since; drop what no longer exists, and picks of what is not chosen.

        Args:
            available: the names of all encodings.
            grown: those of them that were grown in this session.
            texts: the keys of all texts.
        """
        new = grown_since(self.grown, grown, self.encodings)
        if new:
            self.encodings = [*self.encodings, *new]
        self.available, self.grown = list(available), list(grown)
        self.let_go(CompressionState.encodings, available)
        self.let_go(CompressionState.texts, texts)
        if self.baseline not in available:
            self.baseline = DEFAULT_BASELINE
        if self.metric not in METRICS:
            self.metric = DEFAULT_METRIC
        self.prune_picks()

    def prune_picks(self) -> None:
        """Drop picks of what is not chosen."""
        self.only_texts = [key for key in self.only_texts if key in self.texts]
        self.only_encodings = [name for name in self.only_encodings if name in self.encodings]

    def measure(self, keys: Sequence[str]) -> None:
        """Measure these texts alone."""
        self.texts = list(keys)
        self.prune_picks()

    def choose_texts(self, keys: Sequence[str]) -> None:
        """Choose texts that were just brought."""
        self.texts = [*(key for key in keys if key not in self.texts), *self.texts]

    # What is picked in the charts

    def chart(self, kind: str) -> str:
        """A chart's name: a new one when the picks are taken back, so that it forgets its own."""
        return self.key(f"{kind}_{self.round}")

    def first_picks(self, kind: str, picks: Sequence[str], about: object) -> list[str]:
        """What is picked in a chart when the browser draws it.

        A click changes the picks in the browser, which keeps them. It must not change the chart that it is
        sent, or that would be drawn anew after each click. So these are the picks of the moment when what
        it shows last changed for another reason.

        Args:
            kind: of the chart.
            picks: now.
            about: all else that the chart depends on.
        """
        name = self.chart(kind)
        if name not in self.first or self.first[name][0] != about:
            self.first = {**self.first, name: (about, list(picks))}
        return self.first[name][1]

    def see_alone(self, text_or_encoding: str) -> None:
        """Pick one text or one encoding, as a click in a chart does, and nothing else.

        Args:
            text_or_encoding: the key of a chosen text, or a chosen encoding's name.
        """
        self.show_all()
        if text_or_encoding in self.texts:
            self.only_texts = [text_or_encoding]
        elif text_or_encoding in self.encodings:
            self.only_encodings = [text_or_encoding]

    def pick_texts(self, selection: Mapping[str, Any], titles: Mapping[str, str]) -> None:
        """Take over which texts are picked in the bars.

        Args:
            selection: what the browser says of the chart.
            titles: of the texts, by key.
        """
        picked = _picked(selection, TEXT_PICK, "text")
        self.only_texts = [key for key in self.texts if titles.get(key) in picked]

    def pick_encodings(self, selection: Mapping[str, Any]) -> None:
        """Take over which encodings are picked among the lengths."""
        picked = _picked(selection, ENCODING_PICK, "encoding")
        self.only_encodings = [name for name in self.encodings if name in picked]

    def show_all(self) -> None:
        """Take all picks back."""
        self.only_texts, self.only_encodings, self.first = [], [], {}
        self.round += 1


def _keys(link: Link, parameter: str) -> list[str]:
    """The keys of texts, each once, however the link spells them."""
    return list(dict.fromkeys(map(key_in_link, link.texts(parameter))))


def _picked(selection: Mapping[str, Any], parameter: str, field: str) -> list[str]:
    """What is picked in a chart. Whatever is odd in the browser's message is left out."""
    try:
        return [str(point[field]) for point in selection[parameter]]
    except (KeyError, TypeError):
        return []
