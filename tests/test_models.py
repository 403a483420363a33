"""The models that come with the app: regrown byte for byte, and as their README says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tokenizers as tk
from tokenizers.bundled import load_model
from tokenizers.data import models, udhr
from tokenizers.files import minbpe
from tools.grow_models import train_model


@pytest.mark.parametrize("name", models.list_models())
def test_the_recipe_makes_the_model(name: str) -> None:
    trained = train_model(models.read_recipe(name))
    assert minbpe.to_bytes(trained) == (models.MODELS_DIR / f"{name}.model").read_bytes()
    assert trained.stopped is None


def test_the_readme_counts_right() -> None:
    readme = (models.MODELS_DIR / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| (.+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", readme, re.MULTILINE)
    assert len(rows) == 16
    for text, *counts in rows:
        code = re.search(r"`(\w+)`", text)
        text = udhr.get_language(code[1]).text if code else text
        names = ("gpt2", "cl100k_base", "o200k_base", "grove-udhr-8k")
        assert [f"{len(tk.get_encoding(name).encode(text)):,}" for name in names] == counts


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
