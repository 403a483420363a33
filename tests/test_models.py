"""The model that comes with the app: regrown byte for byte."""

from __future__ import annotations

from tokenizers.data import FIRST_MODEL, MODELS_DIR
from tokenizers.files import minbpe
from tools.grow_model import train_model


def test_the_recipe_makes_the_model() -> None:
    trained = train_model()
    assert minbpe.to_bytes(trained) == (MODELS_DIR / f"{FIRST_MODEL}.model").read_bytes()
    assert trained.stopped is None
