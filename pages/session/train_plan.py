"""The recipe of a training: its texts, how often each is read, and the settings of the method."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pages.session.links import pack_state
from pages.session.own_texts import is_own_key
from pages.session.train_methods import METHODS, Method, MethodFacts
from tokenizers import data, limits
from tokenizers.amounts import bytes_in_words
from tokenizers.bpe import Ties, check_special_tokens, find_tie_rule
from tokenizers.families import LEAST_COVERAGE, NORMALISATIONS, Normalisation, check_piece_specials
from tokenizers.json_types import JsonObject
from tokenizers.split import find_pattern, split
from tokenizers.utf8 import well_formed

MAX_HELD_OUT = 0.3
"""The largest share of each text that can be held out."""

MAX_VOCAB = limits.VOCABULARY
MAX_UNWALLED_BYTES = 20 * limits.MB
PREVIEW_SECONDS = 0.5

_MAX_FIELD = 1e12  # the greatest number in an unfinished form
_VERSION = 2  # of records


@dataclass(frozen=True)
class Recipe:
    """The recipe of a training. It decides the result, apart from the content of own texts.

    Attributes:
        parts: (key, weight) of each source, in reading order. Bundled sources have the keys of
            ``tokenizers.data``, own texts those of ``OwnTexts``.
        vocab_size: the number of tokens.
        pattern: the split pattern's name, a regular expression, or None for no walls.
        special_tokens: they come after the merges; in other methods, before the learned tokens.
        skip_specials: whether they are left out of the texts; SentencePiece always does that.
        ties: see ``tokenizers.train``.
        held_out: the share of each source for measuring.
        name: the name of the result; empty: a name with its size.
        method: the method. Only the settings in ``METHODS[method].settings`` matter.
        coverage, byte_fallback, normalisation, split_digits: see ``tokenizers.families.learn_pieces``. In the
            method "characters", byte_fallback turns unknown characters into their bytes.
        small_letters: see ``tokenizers.families.learn_word_pieces``.
    """

    parts: tuple[tuple[str, float], ...] = ((data.STORIES, 1.0), (data.LANGUAGE + "eng", 1.0))
    vocab_size: int = 2048
    pattern: str | None = "gpt4o"
    special_tokens: tuple[str, ...] = ()
    skip_specials: bool = False
    ties: Ties = "smallest"
    held_out: float = 0.1
    name: str = ""
    method: Method = "byte-pairs"
    coverage: float = 0.9995
    byte_fallback: bool = True
    normalisation: Normalisation = "identity"
    split_digits: bool = True
    small_letters: bool = True

    @property
    def facts(self) -> MethodFacts:
        """The facts about its method."""
        return METHODS[self.method]

    @property
    def title(self) -> str:
        """The name of the result at its full size."""
        return self.title_at(self.vocab_size)

    def title_at(self, vocab_size: int) -> str:
        """The name of the result at a size, which is smaller if the training stopped early.

        >>> Recipe().title_at(4096), Recipe().title_at(41_178), Recipe(name="mine").title_at(300)
        ('my-4k', 'my-41178', 'mine')
        >>> Recipe(method="sp-unigram").title
        'my-unigram-2k'
        """
        thousands, rest = divmod(vocab_size, 1024)
        begin = f"my-{self.facts.short}-" if self.facts.short else "my-"
        return self.name.strip()[:40] or begin + (str(vocab_size) if rest else f"{thousands}k")

    @property
    def n_merges(self) -> int:
        """The number of merges, for byte pairs."""
        return self.vocab_size - 256 - len(self.special_tokens)

    @property
    def least_vocab(self) -> int:
        """A lower bound of the vocabulary size. The text's characters, which add to it, are not known yet.

        >>> Recipe().least_vocab, Recipe(method="sp-bpe").least_vocab, Recipe(method="words").least_vocab
        (257, 260, 2)
        """
        with_bytes, without_bytes = self.facts.n_given
        n_special = len(self.special_tokens) if "special_tokens" in self.facts.settings else 0
        return n_special + (with_bytes if self.byte_fallback else without_bytes) + 1

    @property
    def weighted_parts(self) -> tuple[tuple[str, float], ...]:
        """The parts with a weight above 0: (key, weight).

        >>> Recipe(parts=(("stories", 2.0), ("docs", 0.0))).weighted_parts
        (('stories', 2.0),)
        """
        return tuple((key, weight) for key, weight in self.parts if weight > 0)

    @property
    def is_bundled(self) -> bool:
        """Whether all its texts come with the app, so that a link can hold it."""
        return all(is_bundled(key) for key, _ in self.parts)

    @property
    def is_of_translations(self) -> bool:
        """Whether all its texts are translations that come with the app."""
        return all(key.startswith(data.LANGUAGE) for key, _ in self.weighted_parts)

    def n_bytes_of(self, lengths: Mapping[str, int]) -> int:
        """Bytes of the whole mix, given those of each source."""
        return sum(data.weighed_bytes(lengths[key], weight) for key, weight in self.parts)

    def check(self, lengths: Mapping[str, int]) -> None:
        """Refuse an invalid recipe, before any work starts.

        Args:
            lengths: the bytes of each source, by key.

        Raises:
            ValueError: with a sentence for the page.
        """
        self.check_numbers()
        total = self.n_bytes_of(lengths)
        if total == 0:
            raise ValueError(
                "There is no text to train on yet. Choose a language, or add a text of your own."
            )
        what = self.facts.label
        if len(self.weighted_parts) < self.facts.least_texts:
            raise ValueError(
                f"{what} divides its merges among languages: choose at least two, which are translations of "
                "one text."
            )
        most = self.facts.most_bytes
        if self.method == "byte-pairs" and find_pattern(self.pattern) is None:
            what = "Training without walls"
            most = MAX_UNWALLED_BYTES
        if total > most:
            raise ValueError(
                f"{what} takes up to {bytes_in_words(most)} of text here; this is {bytes_in_words(total)}. "
                "Read something less often, or leave it out."
            )

    def check_numbers(self) -> None:
        """Refuse numbers that are out of bounds. This is quick.

        Raises:
            ValueError: with a sentence for the page.
        """
        for _, weight in self.parts:
            data.check_weight(weight)
        specials = check_special_tokens(self.special_tokens)
        if self.facts.pieces is not None:
            check_piece_specials(specials)
        if not LEAST_COVERAGE <= self.coverage <= 1:
            raise ValueError(
                f"The tokens can cover from {LEAST_COVERAGE:.0%} to 100% of the characters of the text."
            )
        least = self.least_vocab
        if not least <= self.vocab_size <= MAX_VOCAB:
            wrong = "many" if self.vocab_size > MAX_VOCAB else "few"
            raise ValueError(
                f"Choose a vocabulary from {least:,} to {MAX_VOCAB:,} tokens: {self.vocab_size:,} is too "
                f"{wrong}."
            )
        if not 0 <= self.held_out <= MAX_HELD_OUT:
            raise ValueError(f"From 0 to {MAX_HELD_OUT:.0%} of the text can be held out.")

    # Links, and the browser's storage

    @property
    def packed(self) -> str | None:
        """The recipe as a link has it; None: it is too long, or needs an own text, which no link can hold."""
        return pack_state(self.to_record()) if self.is_bundled else None

    def to_record(self) -> JsonObject:
        """The recipe as JSON, with the keys of own texts."""
        fields = {name: getattr(self, name) for name in _fields_of(self.method)}
        return {"recipe": _VERSION, **fields, "method": self.method, "texts": self.texts_fingerprint}

    @property
    def texts_fingerprint(self) -> str:
        """A hash of its bundled texts, eight hex digits. The same texts give the same merges.

        >>> Recipe(parts=(("udhr:kor", 1.0),)).texts_fingerprint  # in links that people have
        'fab60e1a'
        """
        each = (bundled_fingerprint(key) for key, _ in self.parts if is_bundled(key))
        return hashlib.sha256(" ".join(each).encode()).hexdigest()[:8]

    @classmethod
    def from_state(cls, state: JsonObject) -> tuple[Recipe, str]:
        """Read the recipe in a link; also returns a note about it.

        Raises:
            ValueError: it is not a recipe, or its texts are not here.
        """
        recipe = cls.from_record(state)
        recipe.check({key: 10_000 for key, _ in recipe.parts})
        if not recipe.is_bundled:
            raise ValueError("This link needs a person’s own text, which no link holds.")
        note = (
            "But it was made with other texts, so the merges will differ. (Python’s documentation and "
            "library change with Python’s version.)"
        )
        return recipe, "" if state.get("texts") == recipe.texts_fingerprint else note

    @classmethod
    def from_record(cls, state: JsonObject) -> Recipe:
        """Read a result of ``to_record``. Its numbers may be out of bounds, as in an unfinished form.

        Raises:
            ValueError: it is not a recipe, or a value does not fit into the form.
        """
        if state.get("recipe") != _VERSION:
            raise ValueError("This link holds no recipe that this Token Grove knows. Ask for it again.")
        try:
            method: Method = state["method"]
            values: dict[str, Any] = {}
            for name in _fields_of(method):
                if name == "skip_specials" and name not in state:
                    continue  # an older record
                read = _READERS.get(name, type(getattr(cls, name)))
                values[name] = read(state[name])
            recipe = cls(method=method, **values)
            numbers = [*(weight for _, weight in recipe.parts), recipe.vocab_size, recipe.coverage]
            fits = all(abs(number) < _MAX_FIELD for number in numbers)
            if not (fits and 0 <= recipe.held_out <= MAX_HELD_OUT and recipe.normalisation in NORMALISATIONS):
                raise ValueError
            find_tie_rule(recipe.ties)
        except (KeyError, TypeError, ValueError, OverflowError):
            raise ValueError("This link is damaged, so it restored nothing. Ask for it again.") from None
        bundled = {*data.TITLES, *(data.LANGUAGE + code for code in data.language_titles())}
        for key, _ in recipe.parts:
            if key not in bundled and not is_own_key(key):
                raise ValueError(f"This link needs a text that is not here: {key[:40]!r}.")
        return recipe


_READERS: dict[str, Callable[[Any], Any]] = {
    "parts": lambda parts: tuple({str(key): float(weight) for key, weight in parts[:600]}.items()),
    "pattern": lambda pattern: None if pattern is None else str(pattern),
    "special_tokens": lambda specials: tuple(well_formed(str(special)) for special in specials),
    "name": lambda name: well_formed(str(name))[:40],
}
"""Reads a field of a record, if its type is not enough."""


def _fields_of(method: Method) -> list[str]:
    """The fields of a recipe in its record, besides the method."""
    return ["parts", "vocab_size", "held_out", "name", *METHODS[method].settings]


def is_bundled(key: str) -> bool:
    """Whether a source comes with the app."""
    return key in data.TITLES or key.startswith(data.LANGUAGE)


@functools.lru_cache(maxsize=1024)
def bundled_bytes(key: str) -> int:
    """The bytes of a bundled source.

    Raises:
        OSError, ValueError: its file is missing or damaged.
    """
    return data.count_bytes(data.read_bundled(key).texts)


@functools.lru_cache(maxsize=1024)
def bundled_fingerprint(key: str) -> str:
    """A hash of a bundled source's texts, eight hex digits; empty if its file is missing."""
    try:
        return data.fingerprint([data.read_bundled(key)])
    except OSError:
        return ""


def preview_pieces(pattern: str | None, text: str) -> list[str]:
    """The pieces of a short text; a slow or invalid pattern raises a ValueError with a sentence."""
    return split(text, find_pattern(pattern), timeout=PREVIEW_SECONDS)
