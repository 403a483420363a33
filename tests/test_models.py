"""The models that come with the app: regrown byte for byte, and as their README says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokenizers.bundled import load_model
from tokenizers.data import models
from tokenizers.files import minbpe
from tools.grow_models import train_model


@pytest.mark.parametrize("name", models.list_models())
def test_the_recipe_makes_the_model(name: str) -> None:
    trained = train_model(models.read_recipe(name))
    assert minbpe.to_bytes(trained) == (models.MODELS_DIR / f"{name}.model").read_bytes()
    assert trained.stopped is None


def test_says_what_is_wrong(tmp_path: Path) -> None:
    assert models.list_models(tmp_path / "none") == []
    with pytest.raises(OSError, match="none.model is missing"):
        load_model("none", tmp_path)
    with pytest.raises(OSError, match="recipe .* is missing"):
        models.read_recipe("none", tmp_path)
    for content in ("", "[]", "{}", '{"languages": [], "special_tokens": [], "more": 1}'):
        (tmp_path / "bad.json").write_text(content)
        with pytest.raises(ValueError, match="is damaged"):
            models.read_recipe("bad", tmp_path)
