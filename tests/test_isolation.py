"""Nobody sees another's text, encodings or files: two sessions with the same names and other contents."""

from __future__ import annotations

import random
import tomllib
from typing import Any

import pytest
from streamlit.testing.v1.element_tree import Block, Element

import tokenizers as tk
from pages.learn.lessons.state import OWN
from pages.session.links import pack_state
from pages.session.own_encodings import OwnEncoding
from pages.session.workspace import Workspace
from tests.visit import PAGES, Parameters, Visit


def session(secret: str, seed: int) -> Workspace:
    """A person's workspace: what is in it spells the secret, under names that others have, too."""
    letters = random.Random(seed).choices("abcdefgh ", k=600)
    text = f"{secret} {''.join(letters)} {secret}"
    workspace = Workspace(encodings=["gpt2", "mine"])
    name = workspace.import_encoding(OwnEncoding(tk.train(text, 300, name="mine"), file="mine.model"))
    assert name == "mine"
    workspace.own_texts.add("notes", text)
    workspace.set_text(text)
    workspace.encodings = ["gpt2", "mine"]
    return workspace


LESSON = """title = "Ours"
question = "How?"
minutes = 1
claims = ["parts > 0"]
[texts]
it = "hedge badge feed"
[figures]
parts = "tokens(it, 'mine')"
[[step]]
kind = "cuts"
asks = "Where?"
text = "it"
encodings = ["mine"]
reveals = "{parts} tokens."
"""


LINKS: dict[str, Parameters] = {
    **tomllib.loads("""
        "explore/playground/page.py" = {}
        "explore/merge_trees/page.py" = {encoding = "mine"}
        "explore/vocabulary/page.py" = {encoding = "mine", query = "", order = "longest first"}
        "explore/unicode/page.py" = {}
        "grow/train/page.py" = {}
        "grow/add_tokenizer/page.py" = {}
        "measure/compare/page.py" = {a = "gpt2", b = "mine", text = "own-1"}
        "measure/compression/page.py" = {text = ["own-1", "playground"], encoding = ["gpt2", "mine"]}
        "measure/vocabulary_size/page.py" = {text = "own-1", encodings = "gpt2,mine"}
        "measure/languages/page.py" = {encodings = "gpt2"}  # its counts of "mine" are numbers
        "learn/words/page.py" = {find = "mine"}
        "grow/by_hand/page.py" = {}"""),
    "learn/lessons/page.py": {"lesson": OWN, "own": pack_state({"lesson": LESSON}) or ""},
}
OPENED = {
    "measure/compare/page.py": {
        "compare_draw_round_trips_files": True,
        "compare_draw_hard_texts_files": True,
    },
    "measure/vocabulary_size/page.py": {"vocabulary-size_files": True, "sweet-spot_files": True},
}
"""What a click opens, besides what is open in every visit."""

SHOW_NOTHING_OF_A_SESSION = ("grow/by_hand/page.py", "learn/words/page.py")


def sent(node: Any) -> bytes:
    """All that a page sends to the browser."""
    if isinstance(node, Block):
        return b"".join(map(sent, node.children.values()))
    assert isinstance(node, Element) or hasattr(node, "proto")
    return bytes(node.proto.SerializeToString()) if getattr(node, "proto", None) is not None else b""


@pytest.mark.slow
@pytest.mark.parametrize("page", LINKS)
def test_a_page_holds_what_is_its_own_sessions(page: str) -> None:
    assert LINKS.keys() == set(PAGES)
    secrets = ("Zanzibarquokka", "Wyomingaxolotl")
    pages = [
        sent(Visit(page, LINKS[page], workspace=session(secret, seed), **OPENED.get(page, {})).test._tree)
        for seed, secret in enumerate(secrets)
    ]
    for mine, other, content in ((0, 1, pages[0]), (1, 0, pages[1])):
        assert secrets[other].encode() not in content, page
        assert page in SHOW_NOTHING_OF_A_SESSION or b"mine" in content or secrets[mine].encode() in content, (
            f"{page} shows nothing of its own"
        )
    if page == "learn/lessons/page.py":  # the same lesson, but each with its own encoding of that name
        assert all(b"no longer holds" not in content for content in pages) and pages[0] != pages[1]
