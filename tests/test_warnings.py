"""An encoding that is measured on what it learned from says so, on every page that measures."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from pages.session.own_encodings import OwnEncoding
from pages.session.own_texts import PLAYGROUND, digest_of
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from tests.visit import Visit
from tokenizers.bpe import HomeEncoding

NAME = "my *own*"
LINKS = """
compression?encoding=gpt2&text=udhr:kor&text=prose
languages?encodings=gpt2&focus=kor
vocabulary_size?encodings=gpt2&text=udhr:kor&beside=none
""".split()


def trained_from(workspace: Workspace, *keys: str, **own: str) -> None:
    """A session's own encoding that learned from these texts; ``own``: from a person's own, by key."""
    encoding = HomeEncoding([(104, 105)], "gpt4", name=NAME)
    recipe = Recipe(parts=tuple((key, 1.0) for key in (*keys, *own)))
    digests = {key: digest_of(text) for key, text in own.items()}
    workspace.own_encodings.add(OwnEncoding(encoding, recipe=recipe, own_digests=digests))


@pytest.mark.slow
@pytest.mark.parametrize("url", LINKS)
def test_every_page_that_measures_says_so(url: str) -> None:
    workspace = Workspace()
    trained_from(workspace, "udhr:kor")
    page, query = url.split("?")
    visit = Visit(f"measure/{page}/page.py", parse_qs(query), workspace=workspace)
    visit.set(f"{page}_encodings", ["gpt2", NAME])
    (told,) = [each.value for each in visit.test.caption if "learned from" in each.value]
    assert told.startswith(r"my \*own\* learned from this very text")


@pytest.mark.slow
def test_the_playground_says_so_of_a_text_of_ones_own() -> None:
    workspace = Workspace()
    workspace.set_text("a text of my own")
    trained_from(workspace, **{PLAYGROUND: workspace.text})
    workspace.encodings = ["gpt2", NAME]
    visit = Visit("explore/playground/page.py", {}, workspace=workspace)
    assert "learned from this very text" in visit.said
    workspace.set_text("another text")
    visit.run()
    assert "learned from" not in visit.said
