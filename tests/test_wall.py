"""The wall of a class, alone: its room is imitated, and says what a test wants to see drawn."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image, ImageChops

from tests.browser import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

STEPS = 4  # of each lesson
AGENDA = [
    {"title": "One", "minutes": 5, "at": 0, "state": "held"},
    {"title": "Two", "minutes": 5, "at": STEPS, "state": "begun"},
    {"title": "Three", "minutes": 5, "at": 2 * STEPS, "state": ""},
]
VIEW = {
    "title": "A class",
    "slides": 3 * STEPS,
    "over": False,
    "version": 1,
    "joined": 2,
    "here": 2,
    "answered": 0,
    "explores": False,
    "agenda": AGENDA,
    "minutes": 15,
    "elapsed": 60,
    "revealed": True,
    "closed": False,
    "urls": [],
    "link": "../open/plan?parts=token",
    "how_to_reach": {"words": "", "command": ""},
}


def at_part(number: int, step: int = 1) -> dict[str, Any]:
    """The news that the class is at this step of a part."""
    at = STEPS * number + step - 1
    slide = {
        "kind": "say",
        "when": "lesson",
        "asks": f"{AGENDA[number]['title']}, step {step}",
        "reveals": "",
    }
    return {"at": at, "number": at, "part": number, "step": step, "steps": STEPS, "slide": slide}


class Wall:
    """A wall, and what it asks of its room.

    Attributes:
        page: its page.
        sent: what the teacher did.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.sent: list[Any] = []
        self._view: dict[str, Any] = dict(VIEW)
        self._has_news = False
        self._poll: Route | None = None
        page.route("**/class/ABCD/all*", self._wait)
        page.route("**/class/ABCD/pace", self._hear)
        page.goto("/class/ABCD/wall#secret")

    def show(self, **news: Any) -> None:
        """Let the room say what is new."""
        self._view |= {**news, "version": self._view["version"] + 1}
        self._has_news = True
        if self._poll is not None:
            self._wait(self._poll)

    def hear(self, press: Callable[[], None]) -> None:
        """Press something, and wait until the room has heard of it."""
        with self.page.expect_response("**/pace"):
            press()

    def _wait(self, route: Route) -> None:
        self._poll = route
        if self._has_news:
            self._has_news = False
            self._poll = None
            route.fulfill(json=self._view)

    def _hear(self, route: Route) -> None:
        self.sent.append(route.request.post_data_json)
        route.fulfill(status=204)


@pytest.fixture
def wall(browser: Browser, server: str) -> Iterator[Wall]:
    with browser.new_page(base_url=server, viewport={"width": 1280, "height": 720}) as page:
        yield Wall(page)


def press_agenda(wall: Wall) -> None:
    wall.page.get_by_role("button", name="Agenda", exact=True).click()
    expect(wall.page.get_by_role("dialog")).to_be_visible()


@pytest.mark.browser
def test_the_agenda_says_what_was_held_and_what_was_only_begun(wall: Wall) -> None:
    wall.show(**at_part(2))
    press_agenda(wall)
    parts = wall.page.get_by_role("dialog").locator(".agenda-part")
    expect(parts).to_have_text(["One5 min", "Twobegun · 5 min", "Three5 min"])
    expect(wall.page.get_by_role("dialog").locator(".done")).to_have_text("One5 min")


@pytest.mark.browser
@pytest.mark.parametrize("key", ["ArrowRight", "PageDown", " ", "ArrowLeft", "Enter"])
def test_a_key_that_turns_closes_the_agenda_and_turns_nothing(wall: Wall, key: str) -> None:
    wall.show(**at_part(1, step=3))
    press_agenda(wall)
    wall.page.keyboard.press(key)
    expect(wall.page.get_by_role("dialog")).to_be_hidden()
    wall.page.wait_for_function("document.activeElement === document.body")
    wall.hear(lambda: wall.page.keyboard.press(" "))
    assert wall.sent == [{"do": "go on", "number": 6}]


@pytest.mark.browser
def test_the_agenda_closes_by_its_button(wall: Wall) -> None:
    wall.show(**at_part(1))
    press_agenda(wall)
    wall.page.get_by_role("button", name="Close").click()
    expect(wall.page.get_by_role("dialog")).to_be_hidden()
    assert not wall.sent


@pytest.mark.browser
def test_the_agenda_leads_back_to_the_step_that_was_left(wall: Wall) -> None:
    wall.show(**at_part(1, step=3))
    press_agenda(wall)
    wall.hear(wall.page.get_by_role("dialog").get_by_role("button", name="Three").click)
    wall.show(**at_part(2))
    press_agenda(wall)
    left = wall.page.get_by_role("dialog").get_by_role("button", name="you were here, at step 3")
    expect(left).to_contain_text("Two")
    wall.hear(left.click)
    wall.show(**at_part(1, step=3))
    expect(wall.page.get_by_role("heading", name="Two, step 3")).to_be_visible()
    wall.hear(lambda: wall.page.keyboard.press("ArrowLeft"))
    assert [deed["at"] for deed in wall.sent] == [8, 6, 5], "the key leads to the step before in the plan"


@pytest.mark.browser
def test_the_key_of_a_class_that_is_gone_is_forgotten(browser: Browser, server: str) -> None:
    with browser.new_page(base_url=server) as page:
        page.goto("/class/ABCD/wall#secret")
        expect(page.get_by_text("This class has ended, or the server was restarted.")).to_be_visible()
        stored = "({...localStorage, ...sessionStorage})"
        assert "secret" not in str(page.evaluate(stored))


# What was typed


def typed(text: str, *tokens: str) -> dict[str, Any]:
    """An answer to the question for a name."""
    drawn = [{"text": token, "id": number, "hex": "", "part": False} for number, token in enumerate(tokens)]
    return {"text": text, "tokens": drawn, "n_letters": len(text)}


def at_typed(*answers: dict[str, Any], **records: list[int]) -> dict[str, Any]:
    """The news that the class types texts, and has typed these."""
    picture = {"n": len(answers), "typed": answers, "numbers": list(range(len(answers))), "n_hidden": 0}
    slide = {"kind": "typed", "when": "lesson", "asks": "Type your name", "model": "GPT-4o", "most": 60}
    news = {**at_part(0), "slide": slide, "revealed": False}
    return {**news, "picture": {**picture, "is_closed": False, **records}}


@pytest.mark.browser
def test_cards_stay_in_place_as_texts_come(wall: Wall) -> None:
    wall.show(**at_typed(typed("Ada", "Ada"), typed("Zoe", "Z", "oe")))
    cards = wall.page.locator(".card")
    expect(cards).to_have_count(2)
    wall.page.get_by_role("button", name="Take “Zoe” off the wall").focus()
    before = [cards.nth(at).element_handle() for at in range(2)]
    places = [card.bounding_box() for card in before]
    wall.show(**at_typed(typed("Ada", "Ada"), typed("Zoe", "Z", "oe"), typed("Omar", "Omar")))
    expect(cards).to_have_count(3)
    assert [card.bounding_box() for card in before] == places
    expect(wall.page.get_by_role("button", name="Take “Zoe” off the wall")).to_be_focused()


@pytest.mark.browser
def test_piled_up_marks_cover_no_other_card(wall: Wall) -> None:
    names = [typed(f"Name {n}", f"Name {n}") for n in range(40)]
    others = []
    for last in ("Z", "Z" + "\u030d\u0329\u0353\u0310" * 10):
        wall.show(**at_typed(*names, typed(last, last)))
        card = wall.page.locator(".card", has_text=last)
        expect(card).to_have_count(1)
        expect(wall.page.locator(".card")).to_have_count(41)
        above = int(card.evaluate("card => card.getBoundingClientRect().top"))
        drawn = wall.page.screenshot(clip={"x": 0, "y": 0, "width": 1280, "height": above - 1})
        others.append(Image.open(io.BytesIO(drawn)).convert("RGB"))
    differences: Any = ImageChops.difference(*others).getextrema()
    assert all(most < 20 for _, most in differences), differences


@pytest.mark.browser
def test_records_say_how_many_share_them(wall: Wall) -> None:
    answers = (typed("Ada", "Ada"), typed("Zoe", "Z", "oe"), typed("Eve", "Eve"), typed("Ann", "A", "nn"))
    wall.show(**at_typed(*answers, most=[1], fewest=[0, 2], most_for_letters=[1, 3]))
    expect(wall.page.locator(".records li")).to_have_text(
        [
            "The most tokens: Zoe (2)",
            "The fewest: 2 texts have 1 token",
            "The most for its letters: 2 texts have 0.67 for each",
        ]
    )


# Questions of a lesson


def at_question(picture: dict[str, Any], **slide: Any) -> dict[str, Any]:
    """The news that the truth of a question is shown, with what the class answered."""
    return {**at_part(0), "slide": {"when": "lesson", "asks": "What is it?", **slide}, "picture": picture}


@pytest.mark.browser
def test_cuts_that_nobody_made_are_named(wall: Wall) -> None:
    shown = {"name": "gpt2", "tokens": [], "cuts": [2, 5, 7], "inside": 0, "why": {}}
    cuts = {"kind": "cuts", "clusters": list("abcdefghij"), "shows": [shown]}
    wall.show(**at_question({"n": 2, "counts": [0, 0, 0, 0, 0, 1, 0, 0, 0, 0]}, **cuts))
    expect(wall.page.locator(".unmade")).to_have_text("Nobody cut here: ab | cdef defg | hij")
    wall.show(**at_question({"n": 2, "counts": [0, 0, 1, 0, 0, 1, 0, 2, 0, 0]}, **cuts))
    expect(wall.page.locator(".vote .bar small")).to_have_count(3)
    expect(wall.page.locator(".unmade")).to_have_count(0)


@pytest.mark.browser
def test_guesses_have_values_as_far_as_there_is_room(wall: Wall) -> None:
    number = {"kind": "number", "low": 0, "high": 1000, "step": 1, "value": 480}
    wall.show(**at_question({"n": 3, "guesses": [200, 300, 700]}, **number))
    line = wall.page.locator(".dots-line")
    expect(line.locator("text")).to_have_text(["0", "1,000", "median 300", "200", "700", "480"])
    expect(line.locator("circle").nth(1).locator("title")).to_have_text("300")
    wall.show(**at_question({"n": 3, "guesses": [10, 300, 320]}, **number))
    expect(line.locator("text")).to_have_text(["0", "1,000", "median 300", "480"])


@pytest.mark.browser
def test_a_long_text_leaves_room_for_the_guesses(wall: Wall) -> None:
    text = "\n".join(f'    "name_{n}": "Ada",' for n in range(17))
    number = {"kind": "number", "low": 0, "high": 100, "step": 1, "value": 48, "text": text}
    wall.show(**at_question({"n": 1, "guesses": [30]}, **number, reveals="It is 48, and a bit more. " * 5))
    expect(wall.page.locator(".dots-line")).to_be_visible()
    assert wall.page.locator("main").evaluate("main => main.scrollHeight <= main.clientHeight")
