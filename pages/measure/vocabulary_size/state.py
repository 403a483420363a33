"""What is chosen on the page Vocabulary size: encodings and texts, a size, a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from pages.measure.vocabulary_size.texts import DEFAULT_TEXT, NONE
from pages.session.catalogue import LEARNED, key_in_link
from pages.session.own_texts import PLAYGROUND, is_own_key
from pages.session.page_state import Field, Link, LinkValues, PageState, added_since, what_is_missing
from pages.session.workspace import DEFAULT_ENCODINGS, first_encodings
from tokenizers.data import FIRST_MODEL
from tokenizers.measure import MAX_LAYERS, MAX_WIDTH, PRESETS, Model

DEFAULT_SIZE = 2000
_MODEL = next(iter(PRESETS.values()))
_LEFT, _RIGHT, _OF_MODEL = "cl100k_base", FIRST_MODEL, "o200k_base"
_BESIDE = LEARNED + FIRST_MODEL
_MOST_SIZE = 1 << 22
TEXT, BESIDE = "text", "beside"
"""Which of the two texts is cut."""


@dataclass
class VocabularySizeState(PageState):
    """What the page shows.

    Attributes:
        encodings: that have a curve.
        text: the key of the text that is measured.
        beside: of another one, or ``NONE``.
        left, right: the encodings that cut the text.
        dragged_text: which of the texts they cut: ``TEXT`` or ``BESIDE``.
        at: the vocabulary size at which they cut it.
        model_encoding: the one that the model has.
        width, layers, tied: of the model: see ``Model``.
        preset: the known model that it is, a key of ``PRESETS``; None: another.
        trained: the encodings that were trained here when the page was drawn last: they stay out of a link.
        note: to be said once.
    """

    PAGE: ClassVar[str] = "vocabulary_size"

    encodings: Field[list[str]] = Field(first_encodings())
    text: Field[str] = Field(DEFAULT_TEXT)
    beside: Field[str] = Field(_BESIDE)
    left: Field[str] = Field(_LEFT)
    right: Field[str] = Field(_RIGHT)
    dragged_text: Field[str] = Field(TEXT)
    at: Field[int] = Field(DEFAULT_SIZE)
    model_encoding: Field[str] = Field(_OF_MODEL)
    width: Field[int] = Field(_MODEL.d_model)
    layers: Field[int] = Field(_MODEL.layers)
    tied: Field[bool] = Field(True)
    preset: Field[str | None] = Field(None)
    trained: Field[list[str]] = Field([])
    note: Field[str] = Field("")

    @classmethod
    def from_link(
        cls, link: Link, available: Sequence[str], trained: Collection[str], texts: Collection[str]
    ) -> Self:
        """What a link asks for.

        Args:
            link: the address.
            available: the names of all encodings.
            trained: those of them that were trained in this session.
            texts: the keys of all texts.
        """
        names = link.names("encodings") if "encodings" in link else [*first_encodings(), *list(trained)[-2:]]
        missing = [name for name in names if name not in available]

        def choose(
            parameter: str, choices: Collection[str], default: str, read: Callable[[str], str] = str
        ) -> str:
            value = read(link.text(parameter, default))
            if value in choices:
                return value
            if value:
                missing.append(value)
            return default

        state = cls(
            encodings=[name for name in names if name in available],
            left=choose("left", available, _LEFT),
            right=choose("right", available, _RIGHT),
            model_encoding=choose("for", available, _OF_MODEL),
            text=choose("text", texts, DEFAULT_TEXT, key_in_link),
            beside=choose("beside", {NONE, *texts}, _BESIDE, key_in_link),
            at=link.number("at", DEFAULT_SIZE, 256, _MOST_SIZE),
            width=link.number("width", _MODEL.d_model, 1, MAX_WIDTH),
            layers=link.number("layers", _MODEL.layers, 1, MAX_LAYERS),
            tied=link.text("tied", "yes") != "no",
            trained=list(trained),
        )
        state.note = what_is_missing(missing)
        return state

    def link_values(self, *, own: bool) -> LinkValues:
        """The values of a link."""
        values = {
            "encodings": ",".join(name for name in self.encodings if own or name not in self.trained),
            "text": self.text,
            "beside": self.beside,
            "left": self.left,
            "right": self.right,
            "at": str(self.at),
            "for": self.model_encoding,
            "width": str(self.width),
            "layers": str(self.layers),
            "tied": "yes" if self.tied else "no",
        }
        return {name: value for name, value in values.items() if own or not self._is_own(value)}

    def _is_own(self, value: str) -> bool:
        """Whether a value in a link would name what only this person has."""
        if value in self.trained or value.partition(":")[2] in self.trained:
            return True
        return value != PLAYGROUND and is_own_key(value)

    def prune(self, available: Sequence[str], trained: Collection[str], texts: Collection[str]) -> None:
        """Choose what was trained since; drop encodings and texts that are no longer there.

        Args:
            available: the names of all encodings.
            trained: those of them that were trained in this session.
            texts: the keys of all texts.
        """
        new = added_since(self.trained, trained, self.encodings)
        if new:
            self.encodings, self.right = [*self.encodings, *new], new[-1]
        self.trained = list(trained)
        self.let_go(VocabularySizeState.encodings, available)
        self.left = _one_of(self.left, available, _LEFT)
        self.right = _one_of(self.right, available, _RIGHT)
        self.model_encoding = _one_of(self.model_encoding, available, _OF_MODEL)
        if self.text not in texts:
            self.text = DEFAULT_TEXT
        if self.beside != NONE and self.beside not in texts:
            self.beside = _BESIDE

    def choose_text(self, keys: Sequence[str]) -> None:
        """Measure a text that was just uploaded."""
        self.text = keys[0]

    def compare(self, text: str, beside: str) -> None:
        """Measure two texts, by their keys."""
        self.text, self.beside = text, beside

    # The model

    @property
    def model(self) -> Model:
        """The model that the fields describe.

        Raises:
            ValueError: there can be none like that.
        """
        return Model(int(self.width), int(self.layers), bool(self.tied))

    def find_preset(self) -> None:
        """Mark the known model that the fields describe, if it is one."""
        now = (self.width, self.layers, bool(self.tied))
        same = (name for name, each in PRESETS.items() if (each.d_model, each.layers, each.tied) == now)
        self.preset = next(same, None)

    def use_preset(self) -> None:
        """Fill the fields with the known model that was chosen."""
        if self.preset:
            model = PRESETS[self.preset]
            self.width, self.layers, self.tied = model.d_model, model.layers, model.tied


def _one_of(name: str, available: Sequence[str], default: str) -> str:
    if name in available:
        return name
    return default if default in available else DEFAULT_ENCODINGS[0]
