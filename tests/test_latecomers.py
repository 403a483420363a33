"""What a phone shows that joins a class after a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SLIDE = {
    "kind": "cuts",
    "asks": "Where is it cut?",
    "text": "abc",
    "clusters": ["a", "b", "c"],
    "shows": [{"name": "gpt2", "tokens": [], "cuts": [1], "inside": 0, "why": {"1": "So."}}],
    "reveals": "So it is.",
}
VIEW = {
    "at": 1,
    "number": 1,
    "step": 2,
    "steps": 3,
    "slides": 3,
    "over": False,
    "pace": 1,
    "revealed": True,
    "closed": True,
    "came_late": True,
    "answer": None,
}


@pytest.mark.browser
def test_a_latecomer_has_missed_nothing(browser: Browser, server: str) -> None:
    """The room is imitated: it shows the truth of a slide."""
    joined: dict[str, Any] = {"token": "t", "view": {**VIEW, "slide": SLIDE}}
    with browser.new_context(base_url=server) as context, context.new_page() as phone:
        phone.route("**/class/ABCD/join", lambda route: route.fulfill(json=joined))
        phone.route("**/class/ABCD/state*", lambda _: None)  # there is no news
        phone.goto("/class/ABCD")
        expect(phone.locator(".score")).to_have_text("You came after this question.")
        expect(phone.get_by_role("button", name="Cut between a and b", exact=True)).to_be_visible()
        expect(phone.locator(".gap.missed")).to_have_count(0)
