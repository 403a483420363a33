"""The recipes of the encodings that were trained here and come with the app.

Each encoding has two files in assets/models: NAME.json, the recipe, which people write, and NAME.model, what
``bundled.train_model`` makes of it, byte for byte. ``python -m tools.grow_models`` writes the second.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from ..encoding import ASSETS
from ..shipped import reading

MODELS_DIR = ASSETS / "models"

FIRST_MODEL = "grove-udhr-8k"
"""The model that pages open on, and whose corpus other vocabularies here learn from too."""


@dataclasses.dataclass(frozen=True, slots=True)
class ModelRecipe:
    """What a model is trained on.

    Attributes:
        name: the encoding's name, and the files'.
        title: a short name for people.
        description: a sentence or two for people.
        languages: codes of the declaration's languages, in the order of the corpus.
        pattern: the split pattern's name.
        vocab_size: tokens in all.
        special_tokens: those with ids after the merges.
        hue: the number of its colour on every page, from the list in ``pages/shared/colours.py``.
    """

    name: str
    title: str
    description: str
    languages: tuple[str, ...]
    pattern: str
    vocab_size: int
    special_tokens: tuple[str, ...]
    hue: int


def list_models(folder: Path = MODELS_DIR) -> list[str]:
    """The names of the models that come with the app.

    >>> list_models()
    ['grove-udhr-8k']
    """
    return sorted(path.stem for path in folder.glob("*.model"))


def read_recipe(name: str, folder: Path = MODELS_DIR) -> ModelRecipe:
    """The recipe of the model of that name.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.

    >>> recipe = read_recipe("grove-udhr-8k")
    >>> recipe.vocab_size, recipe.pattern, len(recipe.languages)
    (8192, 'gpt4o', 28)
    """
    path = folder / f"{name}.json"
    with reading(path, f"{name} cannot be loaded: its recipe"):
        fields = json.loads(path.read_text("utf-8"))
        fields["languages"] = tuple(fields["languages"])
        fields["special_tokens"] = tuple(fields["special_tokens"])
        return ModelRecipe(name=name, **fields)
