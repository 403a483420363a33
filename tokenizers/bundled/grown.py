"""The encodings that were grown here and come with the app: loaded from their files, or grown again."""

from __future__ import annotations

from pathlib import Path

from ..bpe.home import HomeEncoding
from ..bpe.training import train
from ..data import udhr
from ..data.models import MODELS_DIR, ModelRecipe
from ..formats import storage


def load_model(name: str, folder: Path = MODELS_DIR) -> HomeEncoding:
    """The model of that name.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    return storage.load(folder / f"{name}.model")


def grow(recipe: ModelRecipe) -> HomeEncoding:
    """The encoding that the recipe describes; a second or so."""
    texts = [udhr.get_language(code).text for code in recipe.languages]
    return train(
        texts, recipe.vocab_size, recipe.pattern, special_tokens=recipe.special_tokens, name=recipe.name
    )
