"""What a phone shows that joins a class after a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

SLIDE = {
    "kind": "cuts",
    "asks": "Where is it cut?",
    "text": "abc",
    "clusters": ["a", "b", "c"],
    "shows": [{"name": "gpt2", "tokens": [], "cuts": [1], "inside": 0, "why": {"1": "So."}}],
    "reveals": "So it is.",
}


def view(at: int, *, came_late: bool) -> dict[str, Any]:
    return {
        "came_late": came_late,
        "at": at,
        "slides": 3,
        "over": False,
        "pace": at,
        "revealed": True,
        "slide": SLIDE,
        "answer": None,
    }


@pytest.mark.browser
@pytest.mark.parametrize(
    ("joined_at", "words"), [(1, "You came after this question."), (0, "You did not answer")]
)
def test_a_latecomer_has_missed_nothing(browser: Browser, server: str, joined_at: int, words: str) -> None:
    """The room is imitated. It shows the truth of slide 1."""
    came_late = joined_at == 1
    answers = [{"token": "t", "view": view(joined_at, came_late=True)}, view(1, came_late=came_late)]

    def answer(route: Route) -> None:
        if answers:  # the next poll waits
            route.fulfill(json=answers.pop(0))

    with browser.new_context(base_url=server) as context, context.new_page() as phone:
        phone.route("**/class/ABCD/join", answer)
        phone.route("**/class/ABCD/state*", answer)
        phone.goto("/class/ABCD")
        expect(phone.locator(".score")).to_contain_text(words)
        expect(phone.locator(".gap.placed")).to_have_accessible_name("Cut between a and b")
        expect(phone.locator(".gap.missed")).to_have_count(0)
