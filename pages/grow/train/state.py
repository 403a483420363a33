"""The state of the page Train: the fields of a recipe, and the choices below the form."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

from pages.session.links import pack_state, unpack_state
from pages.session.own_texts import is_own_key
from pages.session.page_state import Field, Link, LinkValues, PageState
from pages.session.train_methods import METHODS, Method, Setting
from pages.session.train_plan import Recipe
from tokenizers.bpe import Ties
from tokenizers.data import DOCS, LANGUAGE, LIBRARY, STORIES, HoldOut
from tokenizers.families import Normalisation
from tokenizers.split import PATTERNS

PARAMETER = "grow"
"""The query parameter that holds a recipe."""

_IN_TAB = "mine"

NO_WALLS, OWN_PATTERN = "none", "your own"
DEFAULT_REGEX = r" ?\p{L}+| ?\p{N}|[^\s\p{L}\p{N}]+|\s+"
PREVIEW_TEXT = "Don't stop: 12345 bytes, naïve 東京!\n    return x"


@dataclass
class TrainState(PageState):
    """What the user chose on the page.

    Attributes:
        stories, docs, library: whether to train on the two stories, Python's documentation, its library.
        languages: the codes of the languages to train on.
        own: the keys of the own texts to train on.
        learns_added: whether to train on own texts that are added on this page, too.
        method, vocab, special, ties, name: as in ``Recipe``; the special tokens are lines.
        coverage: as in ``Recipe``, in per cent.
        byte_fallback, normalisation, split_digits, small_letters: as in ``Recipe``.
        pattern: the name of a split pattern, ``NO_WALLS`` or ``OWN_PATTERN``.
        regex: a person's own split pattern.
        regex_text: what it is tried on.
        held: how much of each text is held out, in per cent.
        held_from: where that is taken: see ``Recipe``.
        mix: the corpus to start from that was clicked just now.
        compared: how a comparison of the methods is drawn: at its size, or over sizes.
        encoding: the name of the trained one that is looked at.
        search: for a part of a token, in the merges of that encoding.
        note, note_is_error: a message for the top of the page, to be drawn once.
    """

    PAGE: ClassVar[str] = "train"

    stories: Field[bool] = Field(True)
    docs: Field[bool] = Field(False)
    library: Field[bool] = Field(False)
    languages: Field[list[str]] = Field(["eng"])
    own: Field[list[str]] = Field([])
    learns_added: Field[bool] = Field(True)
    method: Field[Method] = Field("byte-pairs")
    vocab: Field[int] = Field(2048)
    pattern: Field[str] = Field("gpt4o")
    regex: Field[str] = Field(DEFAULT_REGEX)
    regex_text: Field[str] = Field(PREVIEW_TEXT.replace("\n", " "))
    special: Field[str] = Field("")
    ties: Field[Ties] = Field("smallest")
    coverage: Field[float] = Field(99.95)
    byte_fallback: Field[bool] = Field(True)
    normalisation: Field[Normalisation] = Field("identity")
    split_digits: Field[bool] = Field(True)
    small_letters: Field[bool] = Field(True)
    held: Field[int] = Field(10)
    held_from: Field[HoldOut] = Field("blocks")
    name: Field[str] = Field("")
    mix: Field[str | None] = Field(None)
    compared: Field[Literal["bars", "sizes"]] = Field("bars")
    encoding: Field[str | None] = Field(None)
    search: Field[str] = Field("")
    note: Field[str] = Field("")
    note_is_error: Field[bool] = Field(False)

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
                recipe = Recipe.from_form(unpack_state(link.text(_IN_TAB)))
                state.fill(recipe)
                state.own = [key for key, _ in recipe.parts if is_own_key(key)]
        elif packed := link.text(PARAMETER):
            try:
                recipe, note = Recipe.from_state(unpack_state(packed))
            except ValueError as problem:
                state.say(str(problem), error=True)
            else:
                what = "merges are" if recipe.method == "byte-pairs" else "tokens are"
                same = f"Press Grow, and the same {what} learned here again."
                state.hand_over(recipe, f"This link holds a recipe. {note or same}")
        return state

    def to_link(self) -> LinkValues:
        """The recipe, unless it holds an own text or is too long for a link."""
        recipe = self.recipe()
        try:
            recipe.check_numbers()
        except ValueError:  # the page says what is wrong with them
            return {}
        state = recipe.to_state()
        packed = pack_state(state) if state is not None else None
        return {} if packed is None else {PARAMETER: packed}

    def to_tab(self) -> LinkValues:
        """The recipe, with own texts."""
        packed = pack_state(self.recipe().to_record())
        return {} if packed is None else {_IN_TAB: packed}

    def fill(self, recipe: Recipe) -> None:
        """Fill the fields with a recipe; own texts stay chosen."""
        keys = [key for key, _ in recipe.parts]
        self.stories, self.docs, self.library = STORIES in keys, DOCS in keys, LIBRARY in keys
        self.languages = [key.removeprefix(LANGUAGE) for key in keys if key.startswith(LANGUAGE)]
        for key, weight in recipe.parts:
            self.weight_of(key).__set__(self, float(weight))
        self.method = recipe.method
        self.vocab = recipe.vocab_size
        for setting in recipe.facts.settings:  # the fields of other methods stay as they are
            if setting == "pattern":
                named = recipe.pattern in PATTERNS
                self.pattern = (recipe.pattern if named else OWN_PATTERN) if recipe.pattern else NO_WALLS
                self.regex = DEFAULT_REGEX if named or not recipe.pattern else recipe.pattern
            elif setting == "special_tokens":
                self.special = "\n".join(recipe.special_tokens)
            elif setting == "coverage":
                self.coverage = round(100 * recipe.coverage, 6)
            else:
                setattr(self, setting, getattr(recipe, setting))
        self.held = round(recipe.held_out * 100)
        self.held_from = recipe.held_from
        self.name = recipe.name

    def recipe(self, *, every_setting: bool = False) -> Recipe:
        """The recipe in the fields.

        Args:
            every_setting: whether to include the settings of other methods, which otherwise have defaults.
        """
        keys = [STORIES] * self.stories + [DOCS] * self.docs + [LIBRARY] * self.library
        keys += [LANGUAGE + code for code in self.languages] + self.own
        patterns = {NO_WALLS: None, OWN_PATTERN: self.regex}
        settings: dict[Setting, object] = {
            "pattern": patterns.get(self.pattern, self.pattern),
            "ties": self.ties,
            "special_tokens": tuple(line for line in self.special.splitlines() if line),
            "coverage": round(self.coverage / 100, 8),
            "byte_fallback": self.byte_fallback,
            "normalisation": self.normalisation,
            "split_digits": self.split_digits,
            "small_letters": self.small_letters,
        }
        wanted = set(settings) if every_setting else set(METHODS[self.method].settings)
        return Recipe(
            parts=tuple((key, float(self.weight_of(key).of(self))) for key in keys),
            vocab_size=int(self.vocab),
            held_out=self.held / 100,
            held_from=self.held_from,
            name=self.name,
            method=self.method,
            **{setting: value for setting, value in settings.items() if setting in wanted},  # type: ignore[arg-type]
        )

    def learn_from(self, keys: Sequence[str]) -> None:
        """Train on newly added texts, too, unless they are to be kept apart."""
        if self.learns_added:
            self.own = [*self.own, *(key for key in keys if key not in self.own)]

    def hand_over(self, recipe: Recipe, note: str) -> None:
        """Fill in a recipe, with a note about it."""
        self.fill(recipe)
        self.say(note)

    def say(self, note: str, *, error: bool = False) -> None:
        """Draw a message at the top of the page once."""
        self.note, self.note_is_error = note, error
