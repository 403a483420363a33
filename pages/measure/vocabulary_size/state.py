"""The state of the page Vocabulary size: encodings and texts, a size, a model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Self

from pages.measure.vocabulary_size.texts import DEFAULT_TEXT, HELD, MINE, NONE
from pages.session.catalogue import LEARNED
from pages.session.page_state import Field, Link, LinkValues, PageState, follow_encodings, what_is_missing
from tokenizers.measure import MAX_LAYERS, MAX_WIDTH, PRESETS, Model

DEFAULT_SIZE = 2000
_MODEL = next(iter(PRESETS.values()))
_NOW = "o200k_base"
_PAST = "gpt2"
_MOST_SIZE = 1 << 22


class VocabularySizeState(PageState):
    """What the user chose on the page.

    Attributes:
        encodings: the encodings with a curve.
        text: the key of the measured text.
        beside: the key of a second text, or ``NONE``.
        at: the vocabulary size at which the first two of them cut the text.
        model_encoding: the encoding of the model, one of those with a curve.
        width, layers, tied: the attributes of the ``Model``.
        preset: the key of the model in ``PRESETS``; None: it is not among them.
        own_names: the session's own encodings when the page was drawn last.
        note: a message to show once.
    """

    PAGE = "vocabulary_size"
    SENDS_TEXTS = True

    encodings = Field([_NOW, _PAST])
    text = Field(DEFAULT_TEXT)
    beside = Field(NONE)
    at = Field(DEFAULT_SIZE)
    model_encoding = Field(_NOW)
    width = Field(_MODEL.d_model)
    layers = Field(_MODEL.layers)
    tied = Field(True)
    preset = Field[str | None](None)
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
        names = link.names("encodings") if "encodings" in link else [_NOW, _PAST, *list(own_names)[-2:]]
        state = cls(
            encodings=names,
            model_encoding=link.text("for", "".join(names[:1])),
            text=link.text("text", DEFAULT_TEXT),
            beside=link.text("beside", NONE),
            at=link.number("at", DEFAULT_SIZE, 256, _MOST_SIZE),
            width=link.number("width", _MODEL.d_model, 1, MAX_WIDTH),
            layers=link.number("layers", _MODEL.layers, 1, MAX_LAYERS),
            tied=link.text("tied", "yes") != "no",
            own_names=list(own_names),
        )
        named = [*names, state.model_encoding, state.text, state.beside]
        state.note = what_is_missing(each for each in named if each not in {"", NONE, *available, *texts})
        state.prune(available, own_names, texts)
        return state

    def link_values(self) -> LinkValues:
        """The values of a link."""
        return {
            "encodings": ",".join(self.encodings),
            "text": self.text,
            "beside": self.beside,
            "at": str(self.at),
            "for": self.model_encoding if self.model_encoding in self.encodings[1:] else "",
            "width": str(self.width),
            "layers": str(self.layers),
            "tied": "yes" if self.tied else "no",
        }

    def prune(self, available: Sequence[str], own_names: Sequence[str], texts: Collection[str]) -> None:
        """Choose own encodings that are new, and drop encodings and texts that no longer exist.

        Args:
            available: the names of all encodings.
            own_names: the session's own encodings.
            texts: the keys of all texts.
        """
        follow_encodings(self, own_names, available)
        if self.model_encoding not in self.encodings:
            self.model_encoding = next(iter(self.encodings), _NOW)
        if self.text not in texts:
            self.text = DEFAULT_TEXT
        if self.beside not in texts:
            self.beside = NONE

    def choose_text(self, keys: Sequence[str]) -> None:
        """Measure a newly added text, or all added texts together."""
        self.text = keys[0] if len(keys) == 1 else MINE

    def compare(self, text: str, beside: str) -> None:
        """Measure two texts, by their keys."""
        self.text = text
        self.beside = beside

    def show_training(self, name: str) -> None:
        """Measure an encoding that was trained here on what it learned from, and on text held out from it."""
        self.encodings = [name, *(other for other in self.encodings if other != name)]
        self.text = LEARNED + name
        self.beside = HELD + name

    # The model

    @property
    def model(self) -> Model:
        """The model that the fields describe.

        Raises:
            ValueError: the values are impossible.
        """
        return Model(int(self.width), int(self.layers), bool(self.tied))

    def find_preset(self) -> None:
        """Select the preset that equals the fields, if any."""
        now = (self.width, self.layers, bool(self.tied))
        same = (name for name, each in PRESETS.items() if (each.d_model, each.layers, each.tied) == now)
        self.preset = next(same, None)

    def use_preset(self) -> None:
        """Fill the fields with the chosen preset."""
        if self.preset:
            model = PRESETS[self.preset]
            self.width = model.d_model
            self.layers = model.layers
            self.tied = model.tied
