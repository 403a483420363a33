"""Everything that people touch, in Firefox and WebKit: ``make browsers``.

The other tests in a browser run in Chromium.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache, partial

import pytest

from tests.browser import serve
from tests.engines.drive import ESCAPE, LARGE, PROJECTOR, Browser, firefox, webkit, why_not
from tests.engines.served import OLDER

pytestmark = pytest.mark.slow

ENGINES = {"firefox": firefox, "webkit": webkit}
_BOX = """const box = (css) => {
  const { left, top, right, bottom } = test.all(css).find((each) => !each.hidden).getBoundingClientRect();
  return [left, top, right, bottom];
}"""
_NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });"


@pytest.fixture(scope="module")
def address() -> Iterator[Callable[[bool], str]]:
    """The address of a server whose pages are as they are, or as in an older browser."""
    with ExitStack() as stack:

        @cache
        def start(older: bool) -> str:
            variables = {OLDER: "1"} if older else {}
            return stack.enter_context(serve(module="tests.engines.served", variables=variables))

        yield start


@pytest.fixture(scope="module", params=["firefox", "webkit", "webkit, older"])
def window(
    request: pytest.FixtureRequest, address: Callable[[bool], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser of each kind. Where it is missing, its tests are skipped; in CI, they fail."""
    name, _, older = request.param.partition(", ")
    if reason := why_not(name):
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    with ENGINES[name](tmp_path_factory.mktemp(name)) as browser:
        browser.address = address(bool(older))
        yield browser


@pytest.fixture
def engine(window: Browser) -> Iterator[Browser]:
    """A browser in which nothing may go wrong on the last page that a test opens."""
    window.resize(LARGE)
    yield window
    assert window.run("return test.faults") == []


@pytest.mark.parametrize("secure", [True, False], ids=["secure", "plain http"])
def test_a_link_is_copied(engine: Browser, secure: bool) -> None:
    """In a classroom's network, without https, the page has no clipboard: it copies the old way."""
    engine.go("/")
    engine.find(".panel .t")
    if not secure:
        engine.run(_NO_CLIPBOARD)
    engine.click("[data-do=link]")
    engine.find("[data-do=link]", "Copied")


def test_tokens_cuts_and_buttons_have_colours(engine: Browser) -> None:
    engine.go("/")
    engine.find(".panel .t")
    colours = engine.run(
        """const style = (css, part) => getComputedStyle(test.all(css)[0], part);
        return [style(".panel .t").backgroundColor, style(".panel .t").borderInlineStartColor,
          style(".lane", "::before").backgroundColor, style(".samples .main").backgroundColor,
          style(".field").backgroundColor, style(".field").borderTopColor, style(".panel").borderTopColor]"""
    )
    assert "rgba(0, 0, 0, 0)" not in colours and len(set(colours)) == len(colours)


def test_a_box_closes_by_its_button_by_escape_and_by_a_press_elsewhere(engine: Browser) -> None:
    engine.go("/")
    for button, box, words in (
        ("[data-do=add]", ".chooser", "gpt-oss"),
        (".strip .question", ".explain", "graphemes"),
        (".saved .open", ".card", "This browser saves"),
    ):
        elsewhere = (300, 90)
        for close in (
            partial(engine.click, button),
            partial(engine.type, ESCAPE),
            partial(engine.press, elsewhere),
        ):
            engine.click(button)
            engine.find(box, words)
            close()
            engine.gone(box)


def test_places_are_right_on_a_projector(engine: Browser) -> None:
    """Where all is a quarter larger."""
    engine.resize(PROJECTOR)
    engine.go("/")
    x, y = engine.hover(".panel:nth-child(3) .t", "word")
    left, top = engine.wait(f"{_BOX}; return box('.tip')")[:2]
    assert 0 < left - x < 40
    assert 0 < top - y < 40
    engine.click("[data-do=add]")
    left, top, right, bottom = engine.wait(f"{_BOX}; return box('.chooser')")
    assert right <= PROJECTOR[0] and bottom <= engine.run("return innerHeight")
    assert right - left == pytest.approx(25 * 20, abs=1)
    engine.go("/vocabulary_size")
    start, end = (engine.point(".plot", dx=share) for share in (0.5, 0.4))
    engine.press(start, end)
    assert engine.wait(f"{_BOX}; return box('.plot .at')")[0] == pytest.approx(end[0], abs=4)
