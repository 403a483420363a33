"""Grow the model that comes with the app from its recipe.

    python -m tools.grow_model

writes assets/models/grove-udhr-8k.model. A test compares it with the recipe.
"""

from __future__ import annotations

from tokenizers import HomeEncoding, train
from tokenizers.data import FIRST_MODEL, MODELS_DIR, get_language, read_recipe
from tokenizers.files import minbpe
from tools.options import read_options


def train_model() -> HomeEncoding:
    """The encoding that the recipe describes; a second or so."""
    recipe = read_recipe()
    texts = [get_language(code).text for code in recipe.languages]
    return train(
        texts, recipe.vocab_size, recipe.pattern, special_tokens=recipe.special_tokens, name=FIRST_MODEL
    )


def main() -> None:
    read_options(__doc__)
    (MODELS_DIR / f"{FIRST_MODEL}.model").write_bytes(minbpe.to_bytes(train_model()))


if __name__ == "__main__":
    main()
