"""Pages with an encoding whose longest token is a whole text."""

from __future__ import annotations

import functools

import pytest

import tokenizers as tk
from pages.session.own_encodings import OwnEncoding
from pages.session.train_plan import Recipe
from pages.session.workspace import Pin, Workspace
from tests.visit import Visit
from tests.wire import packed
from tokenizers.bpe.home import HomeEncoding
from tokenizers.data.corpus import read_bundled

pytestmark = pytest.mark.slow


@functools.cache
def text() -> str:
    return "".join(read_bundled("docs").texts)[:8_000]


@functools.cache
def trained() -> HomeEncoding:
    """Its last token is the whole text."""
    return tk.train(text(), 8192, None, ties="first", name="long")


def workspace() -> Workspace:
    made = Workspace(encodings=["long", "gpt2"])
    made.own_encodings.add(OwnEncoding(trained(), recipe=Recipe()))
    return made


def test_the_inspector_of_a_token_that_is_the_whole_text() -> None:
    made = workspace()
    made.set_text(text())
    made.pin = Pin("long", 0)
    inspector = packed(made).header["inspector"]
    data = text().encode()
    last = 255 + len(trained().merges)
    assert (inspector["start"], inspector["end"], inspector["rank"]) == (0, len(data), last)
    assert inspector["unlisted"] == len(data) - 1_000
    assert bytes.fromhex("".join(hexes for _, hexes in inspector["characters"])) == data[:1_000]
    assert inspector["token_bytes"] == data[:1_000].hex(" ") + " …" and inspector["tree"] is None


def test_the_train_page_shows_it_in_short() -> None:
    shown = {"train_encoding": "long", "train_parts": "Tokens"}
    page = Visit("grow/train/page.py", {}, workspace=workspace(), **shown)
    (tokens,) = (each.value for each in page.test.dataframe if "made of" in each.value)
    assert "…" in "".join(tokens["made of"]) and tokens["token"].str.len().max() <= 300
