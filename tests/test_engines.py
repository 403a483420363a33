"""Everything that people touch, in Firefox and WebKit: ``make browsers``.

The other tests in a browser run in Chromium.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from pages.session.links import unpack_state
from tests.browser import PAGES, serve
from tests.engines.drive import (
    ENTER,
    ESCAPE,
    LANDSCAPE,
    LARGE,
    NARROW,
    PROJECTOR,
    Browser,
    firefox,
    webkit,
    why_not,
)
from tests.engines.served import OLDER
from tests.examples import ALL, some

BIG_FINGERS = {
    "ui.primaryPointerCapabilities": 1,
    "ui.allPointerCapabilities": 1,
    "font.size.variable.x-western": 32,
}
"""Of Firefox: a finger in place of a mouse, and text of twice the size."""

ENGINES: dict[str, Callable[..., AbstractContextManager[Browser]]] = {"firefox": firefox, "webkit": webkit}
_BOX = """const box = (css) => {
  const { left, top, right, bottom } = test.all(css).find((each) => !each.hidden).getBoundingClientRect();
  return [left, top, right, bottom];
}"""
_FITS = "return document.documentElement.scrollWidth <= innerWidth"
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


@contextmanager
def opened(name: str, folder: Path, **options: Any) -> Iterator[Browser]:
    """A browser. Where there is none, its tests are not collected; in CI, they fail."""
    if reason := why_not(name):
        pytest.fail(reason)
    with ENGINES[name](folder, **options) as browser:
        yield browser


def _alone(kind: str) -> Any:
    """A kind of browser, whose tests one worker runs (``make browsers``)."""
    return pytest.param(kind, marks=[pytest.mark.xdist_group(kind), pytest.mark.engine(kind.split(",")[0])])


KINDS = ["webkit", "firefox", "webkit, older"]
EACH_KIND = [_alone(kind) for kind in KINDS]


@pytest.fixture(scope="module", params=EACH_KIND if ALL else EACH_KIND[:2])
def window(
    request: pytest.FixtureRequest, address: Callable[[bool], str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Browser]:
    """A browser of each kind."""
    name, _, older = request.param.partition(", ")
    with opened(name, tmp_path_factory.mktemp(name)) as browser:
        browser.address = address(bool(older))
        yield browser


@pytest.fixture
def engine(window: Browser) -> Iterator[Browser]:
    """A browser that has stored nothing, in which nothing may go wrong on the last page of a test."""
    window.resize(LARGE)
    window.forget()
    yield window
    assert window.run("return test.faults") == []


def open_playground(engine: Browser) -> None:
    engine.go("/")
    engine.find(".panel .t")


@pytest.mark.parametrize("secure", some([False, True], 2), ids="secure: {}".format)
def test_a_link_is_copied(engine: Browser, secure: bool) -> None:
    """In a classroom's network, without https, the page has no clipboard: it copies the old way."""
    open_playground(engine)
    if not secure:
        engine.run(_NO_CLIPBOARD)
    engine.click("[data-do=link]")
    engine.find("[data-do=link]", "Copied")


PAPERS = {"dark": "#121614", "light": "#fcfcf9"}


@pytest.mark.parametrize("theme", some([*PAPERS], 2))
def test_tokens_cuts_and_buttons_have_colours(engine: Browser, theme: str) -> None:
    """Those of the theme that Streamlit has, whatever the system's."""
    engine.go(f"/?embed_options={theme}_theme")
    engine.find(".panel .t")
    paper = "return getComputedStyle(document.body).getPropertyValue('--paper').trim() === args[0]"
    engine.wait(paper, PAPERS[theme])
    colours = engine.run(
        """const style = (css, part) => getComputedStyle(test.all(css)[0], part);
        return [style(".panel .t").backgroundColor, style(".panel .t").borderInlineStartColor,
          style(".lane", "::before").backgroundColor, style(".samples .main").backgroundColor,
          style(".field").backgroundColor, style(".field").borderTopColor, style(".panel").borderTopColor]"""
    )
    assert "rgba(0, 0, 0, 0)" not in colours and len(set(colours)) == len(colours)


@pytest.mark.parametrize("window", EACH_KIND, indirect=True)
def test_a_box_closes_by_its_button_by_escape_and_by_a_press_elsewhere(engine: Browser) -> None:
    engine.go("/")
    for button, box, words, close in (
        ("[data-do=add]", ".chooser", "gpt-oss", partial(engine.type, ESCAPE)),
        (".strip .question", ".explain", "graphemes", partial(engine.click, ".strip .question")),
        (".saved .open", ".card", "This browser saves", partial(engine.press, (300, 90))),
    ):
        engine.click(button)
        engine.find(box, words)
        close()
        engine.gone(box)


def test_a_press_counts_while_its_button_is_drawn(engine: Browser) -> None:
    open_playground(engine)
    engine.run("setInterval(() => dispatchEvent(new CustomEvent('grove:made')), 5)")  # lists the saved items
    engine.click(".saved .open")
    engine.find(".card")


def link_with(engine: Browser, key: str, value: object) -> str:
    """The link of the playground, as soon as it holds this; it is written a moment after a change."""
    link: str = engine.wait("return location.search.startsWith('?s=') && location.search")
    while unpack_state(link.removeprefix("?s=")).get(key) != value:
        link = engine.wait("return location.search !== args[0] && location.search", link)
    return link


def test_the_playground(engine: Browser) -> None:
    open_playground(engine)
    engine.click("[data-do=scene-next]")
    engine.find(".scene-number", "2 of 6")
    engine.wait("return test.find('.scenes').scrollLeft === test.find('.scenes').clientWidth")
    engine.click("[data-do=fold]")
    engine.click("[data-do=clear]")
    engine.wait("return test.find('.input').value === ''")
    engine.type("Unbelievably so")
    engine.find(".counts", "15 bytes · 15 characters")
    engine.hover("[data-encoding=gpt2] .t", "iev")
    engine.find(".tip", "“iev”, id 11203, 3 bytes")
    assert engine.run("return test.all('.marks i').length") == 1
    engine.click("[data-encoding=gpt2] .t", "iev")
    engine.find(".inspector", "11203")
    engine.click(".inspector [data-step='1']")
    engine.find(".inspector", "1346")
    engine.type(ESCAPE)
    engine.gone(".inspector")
    engine.click("[data-set=view]", "ids")
    engine.find("[data-encoding=gpt2] .t", "11203")
    engine.click("[data-do=more]")
    engine.click("[data-set=figures]")
    engine.find("[data-encoding=gpt2] .detail", "✓ exact")
    engine.click("[data-do=add]")
    engine.type("davinci-003" + ENTER)
    engine.find("[data-encoding=p50k_base] .t", "11203")
    engine.hover("[data-encoding=p50k_base] .head")
    engine.click("[aria-label='Copy ids: p50k_base']")
    engine.find("[aria-label='Copy ids: p50k_base']", "✓")
    engine.click("[aria-label='Remove: p50k_base']")
    engine.gone("[data-encoding=p50k_base]")
    engine.go("/" + link_with(engine, "view", "ids"))
    engine.find("[data-encoding=gpt2] .t", "11203")
    assert engine.run("return test.find('.input').value") == "Unbelievably so"
    engine.click(".samples button", "emoji")
    engine.find(".lesson", "One symbol on the screen")


def test_a_long_text_is_there_again(engine: Browser) -> None:
    open_playground(engine)
    engine.run(
        """const field = test.find(".input"), line = "A line of a long text, number ";
        field.value = [...Array(9000).keys()].map((i) => line + i * i).join("\\n");
        field.dispatchEvent(new InputEvent("input", { bubbles: true }));"""
    )
    engine.find(".pager", "page")
    engine.find(".saved .open", "Saved here: 1")
    engine.go("/")
    engine.find(".notes", "Your saved text was restored")


_CHART = "[data-testid=stVegaLiteChart] svg"
MAIN_PARTS = {
    "playground": ".panel .t",
    "merge_trees": ".tree .node",
    "vocabulary": _CHART,
    "unicode": ".box.token",
    "train": "[data-testid=stNumberInput] input",
    "add_tokenizer": ".place",
    "by_hand": ".tok",
    "compression": _CHART,
    "vocabulary_size": ".plot .curve",
    "languages": _CHART,
    "compare": _CHART,
    "lessons": "[class*=lessons_card]",
    "words": "h1",
}
"""By page, what it is about."""


def see_pages(browser: Browser, kind: str) -> Iterator[str]:
    """The pages' names, each while it is open: it shows what it is about, and nothing went wrong.

    ``make browsers`` opens all of them in each kind of browser, and other runs each page in one.
    """
    names = [name for _, _, name in PAGES]
    for name in names if ALL else names[KINDS.index(kind) :: len(KINDS)]:
        browser.go(f"/{name}" if name != "playground" else "/")
        browser.find(MAIN_PARTS[name])
        browser.wait(_FITS)
        yield name
        assert browser.run("return test.faults") == [], name


@pytest.mark.parametrize("window", [_alone("webkit"), _alone("webkit, older")], indirect=True)
def test_each_page_is_drawn(engine: Browser, request: pytest.FixtureRequest) -> None:
    engine.resize(NARROW)
    kind = request.node.callspec.params["window"]  # Firefox opens them in the last test
    assert list(see_pages(engine, kind))


def test_merges_are_replayed_and_saved_as_a_picture(engine: Browser) -> None:
    engine.go("/merge_trees")
    engine.click("[data-go=first]")
    engine.find(".at", "0 of 10")
    engine.click("[data-go=play]")
    engine.find(".at", "2 of 10")
    engine.click(".save button", "SVG")
    while not any(engine.folder.rglob("forest-cl100k_base.svg")):
        engine.wait("return true")


CUTS = 2
"""The step of the lesson “What a token is” in which cuts are placed: after two questions."""

LEAF = "rgb(34, 112, 74)"


class Teacher:
    """Leads a class about that lesson, as its wall does."""

    def __init__(self, address: str) -> None:
        with urllib.request.urlopen(f"{address}/class/open/token") as wall:
            self.room, self._key = wall.url.split("/wall#")
        self.code = self.room[-4:]

    def act(self, do: str, **fields: int) -> None:
        body = json.dumps({"do": do, **fields}).encode()
        request = urllib.request.Request(f"{self.room}/pace", body, {"Grove-Teacher": self._key})
        urllib.request.urlopen(request).close()


@pytest.mark.parametrize("size", some([NARROW, LANDSCAPE], 2), ids="{0[0]} wide".format)
def test_a_phone_takes_part_in_a_class(engine: Browser, size: tuple[int, int]) -> None:
    teacher = Teacher(engine.address)
    engine.resize(size)
    engine.go("/class")
    engine.click("main input")
    engine.type(teacher.code.lower() + ENTER)
    engine.find("main", "You are in.")
    teacher.act("go", at=CUTS)
    engine.click(".gap[data-place='2']")
    engine.find(".gap.placed")
    engine.click(".send")
    engine.find(".sent", "Sent.")
    assert engine.run("return getComputedStyle(test.find('.gap.placed'), '::before').backgroundColor") == LEAF
    engine.send("Navigate", url="about:blank")  # and back: perhaps to the page as it was left
    engine.send("Back")
    engine.find(".gap.placed")
    teacher.act("reveal", number=CUTS)
    engine.find(".gap.right")
    engine.wait(_FITS)


def test_what_a_browser_may_not_store_is_said(engine: Browser) -> None:
    engine.run("window.name = 'no storage'")
    engine.go("/")
    engine.find(".saved .open", "not all")
    engine.click(".saved .open")
    engine.find(".card", "This browser cannot save anything here")
    engine.go(f"/class/{Teacher(engine.address).code}")
    engine.find("main", "You are in.")
    engine.run("window.name = ''")


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


@pytest.mark.engine("firefox")
def test_a_finger_and_letters_of_twice_the_size_have_room(
    address: Callable[[bool], str], tmp_path: Path
) -> None:
    """No field makes an iPhone zoom in, and the header's parts stand beside one another."""
    with opened("firefox", tmp_path, preferences=BIG_FINGERS) as phone:
        phone.address = address(False)
        phone.resize(NARROW)
        for name in see_pages(phone, "firefox"):
            sizes = phone.run(
                """return test.all("input:not([type=range], [type=radio], [type=checkbox]), textarea, select")
                    .map((field) => parseFloat(getComputedStyle(field).fontSize))"""
            )
            assert all(size >= 16 for size in sizes), (name, sizes)
        phone.go("/")
        parts = ("[data-testid=stHeaderLogo]", "[data-testid=stExpandSidebarButton]", ".saved .open")
        logo, menu, saved = (phone.wait(f"{_BOX}; return box(...args)", css) for css in parts)
        assert logo[2] <= menu[0] and menu[2] <= saved[0]
        first_line = (
            "const style = getComputedStyle(test.find('.input')); return parseFloat(style.paddingTop)"
        )
        _, top, _, bottom = phone.wait(f"{_BOX}; return box('.strip')")
        assert phone.run(first_line) >= bottom - top
