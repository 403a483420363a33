"""Every page asks a question at its top, and offers one thing to try, whose effect is seen at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.visit import PAGES, TRAININGS, Visit, chart_titles, components

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
