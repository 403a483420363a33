"""The encodings that were grown here and come with the app: loaded from their files, or grown again."""

from __future__ import annotations

from pathlib import Path

from ..bpe.home import HomeEncoding
from ..bpe.training import train
from ..data import udhr
from ..data.models import MODELS_DIR, ModelRecipe
from ..files import minbpe
from ..shipped import damaged, missing


def load_model(name: str, folder: Path = MODELS_DIR) -> HomeEncoding:
    """The model of that name.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    path = folder / f"{name}.model"
    what = f"{name} cannot be loaded: its file"
    try:
        return minbpe.from_bytes(path.read_bytes(), name)
    except OSError as problem:
        raise missing(path, what, problem) from None
    except ValueError:
        raise damaged(path, what) from None


def grow(recipe: ModelRecipe) -> HomeEncoding:
    """The encoding that the recipe describes; a second or so."""
    texts = [udhr.get_language(code).text for code in recipe.languages]
    return train(
        texts, recipe.vocab_size, recipe.pattern, special_tokens=recipe.special_tokens, name=recipe.name
    )
