"""Grow the models that come with the app from their recipes.

    python -m tools.grow_models

writes assets/models/NAME.model for each NAME.json. A test compares the files with their recipes.
"""

from __future__ import annotations

from tokenizers import HomeEncoding, train
from tokenizers.data import MODELS_DIR, get_language, read_recipe
from tokenizers.data.models import ModelRecipe
from tokenizers.files import minbpe
from tools.options import read_options


def train_model(recipe: ModelRecipe) -> HomeEncoding:
    """The encoding that the recipe describes; a second or so."""
    texts = [get_language(code).text for code in recipe.languages]
    return train(
        texts, recipe.vocab_size, recipe.pattern, special_tokens=recipe.special_tokens, name=recipe.name
    )


def main() -> None:
    read_options(__doc__)
    for name in sorted(path.stem for path in MODELS_DIR.glob("*.json")):
        content = minbpe.to_bytes(train_model(read_recipe(name)))
        (MODELS_DIR / f"{name}.model").write_bytes(content)


if __name__ == "__main__":
    main()
