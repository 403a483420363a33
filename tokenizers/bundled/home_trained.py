"""The home-trained encodings that come with the app: loaded from their files, or trained again."""

from __future__ import annotations

from pathlib import Path

from ..bpe.home import HomeEncoding
from ..bpe.training import train
from ..data import udhr
from ..data.models import MODELS_DIR, ModelRecipe
from ..files import minbpe
from ..shipped import reading


def load_model(name: str, folder: Path = MODELS_DIR) -> HomeEncoding:
    """The model of that name.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    path = folder / f"{name}.model"
    with reading(path, f"{name} cannot be loaded: its file"):
        return minbpe.from_bytes(path.read_bytes(), name)


def train_model(recipe: ModelRecipe) -> HomeEncoding:
    """The encoding that the recipe describes; a second or so."""
    texts = [udhr.get_language(code).text for code in recipe.languages]
    return train(
        texts, recipe.vocab_size, recipe.pattern, special_tokens=recipe.special_tokens, name=recipe.name
    )
