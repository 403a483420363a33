"""The state of the page Vocabulary size: encodings and texts, a size, a model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
    """What the user chose on the page.

    Attributes:
        encodings: the encodings with a curve.
        text: the key of the measured text.
        beside: the key of a second text, or ``NONE``.
        left, right: the encodings that cut the text.
        dragged_text: which of the texts they cut: ``TEXT`` or ``BESIDE``.
        at: the vocabulary size at which they cut it.
        model_encoding: the encoding of the model.
        width, layers, tied: the attributes of the ``Model``.
        preset: the key of the model in ``PRESETS``; None: it is not among them.
        trained: the encodings that this session had trained when the page was last drawn.
        note: a message to show once.
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
        """Read the state from a link.

        Args:
            link: the URL's parameters.
            available: the names of all encodings.
            trained: the encodings that this session trained.
            texts: the keys of all texts.
        """
        names = link.names("encodings") if "encodings" in link else [*first_encodings(), *list(trained)[-2:]]
        state = cls(
            encodings=names,
            left=link.text("left", _LEFT),
            right=link.text("right", _RIGHT),
            model_encoding=link.text("for", _OF_MODEL),
            text=key_in_link(link.text("text", DEFAULT_TEXT)),
            beside=key_in_link(link.text("beside", _BESIDE)),
            at=link.number("at", DEFAULT_SIZE, 256, _MOST_SIZE),
            width=link.number("width", _MODEL.d_model, 1, MAX_WIDTH),
            layers=link.number("layers", _MODEL.layers, 1, MAX_LAYERS),
            tied=link.text("tied", "yes") != "no",
            trained=list(trained),
        )
        named = [*names, state.left, state.right, state.model_encoding, state.text, state.beside]
        state.note = what_is_missing(each for each in named if each not in {"", NONE, *available, *texts})
        state.prune(available, trained, texts)
        return state

    def link_values(self, *, own: bool) -> LinkValues:
        """The values of a link."""
        values = {
            "encodings": ",".join(self.encodings),
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
        mine = () if own else [key for key in ("text", "beside") if self._is_own(values[key])]
        return {name: value for name, value in values.items() if name not in mine}

    def _is_own(self, text: str) -> bool:
        """Whether this is the key of a text that only this person has."""
        return text.partition(":")[2] in self.trained or (text != PLAYGROUND and is_own_key(text))

    def prune(self, available: Sequence[str], trained: Collection[str], texts: Collection[str]) -> None:
        """Choose newly trained encodings, and drop encodings and texts that no longer exist.

        Args:
            available: the names of all encodings.
            trained: the encodings that this session trained.
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
        """Measure a newly added text."""
        self.text = keys[0]

    def compare(self, text: str, beside: str) -> None:
        """Measure two texts, by their keys."""
        self.text, self.beside = text, beside

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
            self.width, self.layers, self.tied = model.d_model, model.layers, model.tied


def _one_of(name: str, available: Sequence[str], default: str) -> str:
    if name in available:
        return name
    return default if default in available else DEFAULT_ENCODINGS[0]
