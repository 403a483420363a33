"""Every page asks a question at its top, and offers one thing to try, whose effect is seen at once."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

import pytest

from pages.session.own_encodings import OwnEncoding
from pages.session.workspace import Workspace
from tests.visit import PAGES, TRAININGS, Visit, chart_titles, components
from tokenizers.bpe import HomeEncoding

PLAYGROUND = "explore/playground/page.py"


def seen(test: Any) -> str:
    """What a person reads on the page beside its fields, and what its components draw."""
    drawn = [proto.json or str(proto.bytes) for proto in components(test)]
    words = [each.value for kind in (test.markdown, test.info, test.warning) for each in kind]
    tables = [frame.value.to_csv() for frame in test.dataframe]
    return "\n".join([*words, *chart_titles(test), *tables, *drawn])


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page != PLAYGROUND])
def test_a_page_asks_a_question_and_what_it_offers_is_seen(page: str) -> None:
    visit = Visit(page, {})
    test, name = visit.test, page.split("/")[1]
    top = [each.value for each in test.markdown if each.value.startswith("**") and "?**" in each.value]
    assert top, "no question"
    button = test.button(key=f"try_of_{name}")
    assert button.label.startswith("Try: ")
    before = seen(test)
    button.click()
    visit.run()
    assert not test.error
    if name == "train":
        run = test.session_state[TRAININGS].run
        assert run is not None
        run.cancel()
    assert seen(test) != before


SLOW = """
measure/compression?encoding=gpt2&encoding=slow&text=prose&text=playground
measure/languages?encodings=gpt2,slow
explore/unicode?encodings=gpt2,slow
""".split()


@pytest.mark.slow
@pytest.mark.parametrize("url", SLOW)
def test_a_slow_pattern_is_a_sentence_and_the_page_goes_on(url: str) -> None:
    slow = HomeEncoding([(97, 97)], r"(?:\w|\w\w|\w)+?$(?<=\$)|\w", name="slow")
    workspace = Workspace(text="a" * 60 + "b")
    workspace.own_encodings.add(OwnEncoding(slow))
    slow.split_timeout = 0.01
    page, query = url.split("?")
    visit = Visit(f"{page}/page.py", parse_qs(query), workspace=workspace)
    shown = visit.messages + seen(visit.test)
    assert "Simplify it" in shown and "gpt2" in shown
    assert not [table for table in visit.test.dataframe if "slow" in table.value.to_csv()]
