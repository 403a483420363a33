"""Learn · Words and sources: each word leads to a page that shows it, and its example is so."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

import tokenizers as tk
from pages.session.menu import MENU
from pages.session.workspace import WELCOME
from pages.shared.glossary import read_words
from tests.visit import Visit
from tokenizers.encoding import ASSETS
from tokenizers.measure.metrics import measure
from tokenizers.measure.premiums import shipped_counts

PAGE = "learn/words/page.py"
BY_NAME = {word.name: word for word in read_words()}


def test_a_word_is_looked_for_in_any_case_and_nothing_found_is_said() -> None:
    visit = Visit(PAGE, {"find": "PRE-TOKEN"})
    entries = [each.value for each in visit.test.markdown if "  \n" in each.value]
    assert [entry.partition("  \n")[0] for entry in entries] == ["**piece**", "**wall**", "**split pattern**"]
    assert all("](./" in entry for entry in entries)
    visit.set("words_find", "*nothing*")
    assert "\\*nothing\\*" in visit.messages


def test_the_licences_of_what_is_shipped_stand_below_the_words() -> None:
    assert "Rank files of r50k_base" in Visit(PAGE, {}).said


def test_a_word_stands_once_and_leads_to_a_page_of_the_menu() -> None:
    assert len(BY_NAME) == len(read_words())
    for word in read_words():
        assert word.page in MENU, word.name
        assert word.source is None or word.source[1].startswith("https://")


@pytest.mark.slow
@pytest.mark.parametrize("address", sorted({word.address for word in read_words() if "?" in word.address}))
def test_the_page_shows_what_the_word_asks_for(address: str) -> None:
    page, _, query = address.partition("?")
    folder = {"./": "explore/playground", "./lessons": "learn/lessons"}.get(page, f"explore/{page[2:]}")
    link = {name: values[-1] for name, values in parse_qs(query).items()}
    test = Visit(f"{folder}/page.py", link).test
    assert not test.warning and not test.error
    if page == "./lessons":
        assert test.title[0].value != "Lessons"


def test_the_examples_are_so() -> None:
    gpt2, gpt4o = tk.get_encoding("gpt2"), tk.get_encoding("o200k_base")
    ratio = measure(gpt4o, WELCOME)["bytes_per_token"]
    prose = measure(gpt2, (ASSETS / "samples" / "groups" / "prose.txt").read_text("utf-8"))
    counts = shipped_counts(gpt2)
    assert counts is not None
    for word, so in {
        "vocabulary size": f"{gpt2.n_vocab:,}",
        "token id": str(gpt2.token_id(b" world")),
        "token bytes": gpt2.token_bytes(995).hex(" "),
        "bytes per token": f"{ratio:.2f} for the playground’s first text",
        "premium": f"{counts['kor'] / counts['eng']:.1f}",
        "fertility": f"{prose['fertility']:.2f}",
    }.items():
        assert so in BY_NAME[word].example, word
    one_token = (" world", " t", " weather", " SolidGoldMagikarp")
    assert [len(gpt2.encode(text)) for text in one_token] == [1] * 4
    assert gpt2.encode(" t") < gpt2.encode(" weather")
