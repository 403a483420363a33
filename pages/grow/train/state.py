"""The state of the page Train: the fields of a recipe, and the choices below the form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Self

from pages.session.links import pack_state, unpack_state
from pages.session.page_state import Field, Link, LinkValues, PageState
from pages.session.train_methods import METHODS, Method
from pages.session.train_plan import Recipe
from tokenizers.bpe import Ties
from tokenizers.families import Normalisation
from tokenizers.split import PATTERNS

PARAMETER = "grow"
"""The query parameter that holds a recipe."""

_IN_TAB = "mine"

NO_WALLS = "none"
OWN_PATTERN = "your own"
DEFAULT_REGEX = r" ?\p{L}+| ?\p{N}|[^\s\p{L}\p{N}]+|\s+"
PREVIEW_TEXT = "Don't stop: 12345 bytes, naïve 東京!\n    return x"


class TrainState(PageState):
    """What the user chose on the page.

    Attributes:
        texts: the keys of the texts to train on, as in ``Recipe``.
        method, vocab, name, and the settings of the methods: as in ``Recipe``; the special tokens are lines.
        pattern: the name of a split pattern, ``NO_WALLS`` or ``OWN_PATTERN``.
        regex: a person's own split pattern.
        regex_text: what it is tried on.
        held: how much of each text is held out, in per cent.
        mix: the corpus to start from that was clicked just now.
        encoding: the name of the trained one that is looked at.
        sentence, rival, replayed: where its learning is replayed, the typed text, the name of the tokenizer
            beside it, and the vocabulary size.
        note, note_is_error: a message for the top of the page, to be drawn once.
    """

    PAGE = "train"

    texts = Field([key for key, _ in Recipe().parts])
    method = Field[Method]("byte-pairs")
    vocab = Field(2048)
    pattern = Field("gpt4o")
    regex = Field(DEFAULT_REGEX)
    regex_text = Field(PREVIEW_TEXT.replace("\n", " "))
    special_tokens = Field("")
    skip_specials = Field(False)
    ties = Field[Ties]("smallest")
    coverage = Field(0.9995)
    byte_fallback = Field(True)
    normalisation = Field[Normalisation]("identity")
    split_digits = Field(True)
    small_letters = Field(True)
    held = Field(10)
    name = Field("")
    mix = Field[str | None](None)
    encoding = Field[str | None](None)
    sentence = Field("")
    rival = Field("")
    replayed = Field(256)
    note = Field("")
    note_is_error = Field(False)

    @classmethod
    def weight_of(cls, source: str) -> Field[float]:
        """The field for how often a source is read."""
        return cls.field(f"times_{source}", 1.0)

    @classmethod
    def from_link(cls, link: Link) -> Self:
        """The recipe in a link, with a note about it."""
        state = cls()
        if _IN_TAB in link:
            with suppress(ValueError):
                state.fill(Recipe.from_record(unpack_state(link.text(_IN_TAB))))
        elif packed := link.text(PARAMETER):
            try:
                recipe, note = Recipe.from_state(unpack_state(packed))
            except ValueError as problem:
                state.say(str(problem), error=True)
            else:
                same = "Press Train, and the same tokens are learned here again."
                state.hand_over(recipe, f"This link holds a recipe. {note or same}")
        return state

    def to_link(self) -> LinkValues:
        """The recipe, unless it holds an own text or is too long for a link."""
        recipe = self.recipe()
        try:
            recipe.check_numbers()
        except ValueError:  # the page says what is wrong with them
            return {}
        packed = recipe.packed
        return {} if packed is None else {PARAMETER: packed}

    def to_tab(self) -> LinkValues:
        """The recipe, with own texts."""
        packed = pack_state(self.recipe().to_record())
        return {} if packed is None else {_IN_TAB: packed}

    def fill(self, recipe: Recipe) -> None:
        """Fill the fields with a recipe; the settings of other methods stay."""
        self.fill_texts(recipe.parts)
        self.method = recipe.method
        self.vocab = recipe.vocab_size
        self.name = recipe.name
        self.held = round(recipe.held_out * 100)
        in_form: dict[str, Any] = {
            name: getattr(recipe, name) for name in recipe.facts.settings if name != "pattern"
        }
        if "special_tokens" in in_form:
            in_form["special_tokens"] = "\n".join(recipe.special_tokens)
        for name, value in in_form.items():
            setattr(self, name, value)
        if "pattern" in recipe.facts.settings:
            is_own = recipe.pattern is not None and recipe.pattern not in PATTERNS
            self.pattern = OWN_PATTERN if is_own else recipe.pattern or NO_WALLS
            self.regex = recipe.pattern if is_own and recipe.pattern else DEFAULT_REGEX

    def fill_texts(self, parts: Iterable[tuple[str, float]]) -> None:
        """Choose these texts, each with its weight."""
        weights = dict(parts)
        self.texts = list(weights)
        for key, weight in weights.items():
            self.weight_of(key).__set__(self, float(weight))

    def recipe(self, *, every_setting: bool = False) -> Recipe:
        """The recipe in the fields.

        Args:
            every_setting: whether to include the settings of other methods, which otherwise have defaults.
        """
        methods = METHODS.values() if every_setting else [METHODS[self.method]]
        settings: dict[str, Any] = {name: getattr(self, name) for facts in methods for name in facts.settings}
        if "pattern" in settings:
            settings["pattern"] = {NO_WALLS: None, OWN_PATTERN: self.regex}.get(self.pattern, self.pattern)
        if "special_tokens" in settings:
            settings["special_tokens"] = tuple(filter(None, self.special_tokens.splitlines()))
        return Recipe(
            parts=tuple((key, float(self.weight_of(key).of(self))) for key in self.texts),
            vocab_size=int(self.vocab),
            held_out=self.held / 100,
            name=self.name,
            method=self.method,
            **settings,
        )

    def learn_from(self, keys: Sequence[str]) -> None:
        """Train on newly added texts, too."""
        self.texts = [*self.texts, *(key for key in keys if key not in self.texts)]

    def hand_over(self, recipe: Recipe, note: str) -> None:
        """Fill in a recipe, with a note about it."""
        self.fill(recipe)
        self.say(note)

    def say(self, note: str, *, error: bool = False) -> None:
        """Draw a message at the top of the page once."""
        self.note = note
        self.note_is_error = error
