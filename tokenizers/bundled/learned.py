"""Encodings that learned from texts that come with the app: home-trained ones, characters and words."""

from __future__ import annotations

from ..bpe.home import HomeEncoding
from ..data import udhr
from ..data.corpus import LANGUAGE
from ..data.models import MODELS_DIR, read_recipe
from ..encoding import Encoding
from ..families.counted import Rest, learn_characters, learn_words
from ..files import minbpe, tokenizer_json
from ..shipped import reading


def load_model(name: str) -> HomeEncoding:
    """The model that was trained here.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    path = MODELS_DIR / f"{name}.model"
    with reading(path, f"{name} cannot be loaded: its file"):
        return minbpe.from_bytes(path.read_bytes(), name)


def all_languages() -> list[str]:
    """The keys of the declaration of human rights in every language: nearly every character in use."""
    return [LANGUAGE + language.code for language in udhr.list_languages()]


def model_languages() -> list[str]:
    """The keys of the declaration in the languages that grove-udhr-8k learned from."""
    return [LANGUAGE + code for code in read_recipe().languages]


def load_characters(name: str, rest: Rest = "bytes") -> Encoding:
    """The characters of the declaration of human rights in every language."""
    texts = [language.text for language in udhr.list_languages()]
    return tokenizer_json.from_bytes(learn_characters(texts, None, rest), name)


def load_words(name: str) -> Encoding:
    """The words of the texts that grove-udhr-8k learned from, as many as it has tokens."""
    recipe = read_recipe()
    texts = [udhr.get_language(code).text for code in recipe.languages]
    return tokenizer_json.from_bytes(learn_words(texts, recipe.vocab_size), name)
