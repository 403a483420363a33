"""The texts that come with the app: one key and one title each, and what they are from."""

from __future__ import annotations

import pytest

from pages.session.catalogue import FEATURED, catalogue, find_text, own_titles
from pages.session.own_texts import OwnTexts
from tokenizers.data import LANGUAGE, get_language, language_titles
from tokenizers.registry import sources_learned


def test_every_text_has_titles_that_no_other_has() -> None:
    texts = catalogue()
    assert len(texts) > 540 and set(FEATURED) <= texts.keys()
    assert all(text.key == key for key, text in texts.items())
    assert [text.title for text in texts.values()][:4] == [
        "Two stories in English",
        "Python’s documentation",
        "Python’s library (source code)",
        "What Home-trained learned from",
    ]
    names: dict[str, str] = {}
    for key, text in texts.items():
        for name in {text.title, text.short}:
            assert names.setdefault(name, key) == key
    for code, title in language_titles().items():
        assert texts[LANGUAGE + code].title == title


@pytest.mark.slow
def test_every_text_is_read_and_says_what_it_is_from() -> None:
    for key, text in catalogue().items():
        assert text.read(), key
        assert text.in_sentence, key
    assert find_text("udhr:hin").read() == get_language("hin").text
    assert set(find_text("learned:grove-udhr-8k").sources) == sources_learned("grove-udhr-8k")
    assert find_text("prose").sources == ("prose",)


def test_ones_own_text_is_never_called_as_one_that_comes_with_the_app() -> None:
    own = OwnTexts(lambda: "")
    keys = [own.add(title, title) for title in ("German", "German (yours)", "of a model", "notes")]
    titles = own_titles(own, ["of a model"])
    named = ["German (yours) 2", "German (yours)", "of a model (yours)", "notes"]
    assert [titles[key] for key in keys] == named
