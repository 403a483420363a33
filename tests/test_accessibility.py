"""What axe finds on each page: nothing but what is listed here, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from typing import TYPE_CHECKING, Literal

import pytest

from tests.browser import PAGES, PHONE, expect, flip_switch, go_to, idle
from tokenizers.json_types import JsonObject

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NOT_OURS = (
    # A container that scrolls: Chromium and Firefox let the keyboard into it, Streamlit does not help others.
    ("scrollable-region-focusable", '[class*="st-key-box_of_"]'),
    # st.subheader writes an h3, also right below the page's title: good practice, and no rule of WCAG.
    ("heading-order", ".stHeading h3"),
    # Streamlit's menu of narrow windows: between the list and its items is an element for each section.
    ("list", '[data-testid="stSidebarNavItems"]'),
    ("listitem", '[data-testid="stSidebarNavItems"] li'),
    # axe takes it for no link that skips where the next link is inside a component.
    ("region", '[data-testid="stSkipToContent"]'),
)
"""What Streamlit does: rule, and a selector that the element matches."""

Scheme = Literal["light", "dark"]

HAS_GROUND = """(colour) =>
  getComputedStyle(document.querySelector(".stApp")).getPropertyValue("--paper").trim() === colour"""
"""Whether our colours have followed the theme."""

RUN = """async ([notOurs, only]) => {
  // Vega gives each group of marks the role of a symbol, and names the marks in it, not the group.
  const results = await axe.run({ exclude: [".role-mark"] }, {
    resultTypes: ["violations"],
    rules: { "label-content-name-mismatch": { enabled: true } },
    ...(only ? { runOnly: only } : {}),
  });
  // An element may be gone by now: the page had something to draw.
  const find = (target) => target.flat().reduce((root, selector) => {
    const element = root?.querySelector(selector);
    return element?.shadowRoot ?? element;
  }, document);
  const isOurs = (id, element) =>
    !notOurs.some(([rule, selector]) => rule === id && element.matches?.(selector));
  return results.violations.flatMap(({ id, nodes }) => nodes
    .filter(({ target }) => find(target) && isOurs(id, find(target)))
    .map(({ target, html, failureSummary }) => `${id}: ${target}\\n  ${html}\\n  ${failureSummary}`));
}"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    return (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")


def violations(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds on the page as it is, but for what is not ours. Rules: None for all of them."""
    problems: list[str] = page.evaluate(RUN, [NOT_OURS, rules])
    return problems


@pytest.mark.parametrize(
    ("scheme", "ground", "visited"),
    [("light", "#fcfcf9", PAGES[::2]), ("dark", "#121614", [PAGES[0], *PAGES[1::2]])],
    ids=["light", "dark"],
)
def test_axe_finds_nothing_on_any_page(
    page: Page, axe: str, scheme: Scheme, ground: str, visited: list[tuple[str, str, str]]
) -> None:
    """Each page in one of the themes, the playground in both; from one page to the next as people go."""
    page.emulate_media(color_scheme=scheme)
    problems: dict[str, list[str]] = {}
    for number, (section, title, address) in enumerate(visited):
        if number == 0:
            page.goto("/" if address == "playground" else f"/{address}")
            expect(page.get_by_test_id("stTopNav")).to_be_visible()
            page.evaluate(f"() => {{ {axe} }}")
        else:
            go_to(page, section, title)
            expect(page).to_have_url(re.compile(rf"/{address}(\?|$)"))
            expect(page.get_by_role("menuitem")).to_have_count(0)
        page.wait_for_function(HAS_GROUND, arg=ground)
        idle(page)
        problems[title] = violations(page)
    assert not {title: found for title, found in problems.items() if found}
    # It sees into the components: otherwise it would find nothing in them, whatever is there.
    page.evaluate(
        """() => {
             const host = document.querySelector("main, .stMain").appendChild(document.createElement("div"));
             const button = host.attachShadow({ mode: "open" }).appendChild(document.createElement("button"));
             button.append(document.createElement("i"));
           }"""
    )
    (problem,) = violations(page, ["button-name"])
    assert problem.startswith("button-name")


DRAWN = """(element, pseudo) => {
  const { backgroundColor, backgroundImage, borderBottom, outline } = getComputedStyle(element, pseudo);
  const ground = backgroundColor.replace("rgba(255, 255, 255, 0)", "rgb(255, 255, 255)"); // the page's
  const parts = [ground, backgroundImage, borderBottom, outline];
  return parts.filter((part) => !/ none |^none$/.test(part)).join();
}"""


def drawn(page: Page, selector: str, pseudo: str | None = None) -> str:
    """What is drawn behind the words of the first such element and around it, or by its pseudo-element."""
    style: str = page.locator(selector).first.evaluate(DRAWN, pseudo)
    return style


def check(page: Page, axe: str) -> None:
    """Load axe into a page, which finds nothing there."""
    page.evaluate(f"() => {{ {axe} }}")
    assert not violations(page)


def test_forced_colours_leave_what_is_chosen_to_see_and_axe_finds_nothing(page: Page, axe: str) -> None:
    """A browser that forces its colours drops other grounds, and all shadows and gradients."""
    page.emulate_media(forced_colors="active")
    look_at_the_playground(page, axe)
    look_at_bars_and_chosen_models(page)
    look_at_a_lesson(page, axe)
    page.goto("/class")
    expect(page.get_by_label("The code of your class")).to_be_visible()
    check(page, axe)


def look_at_the_playground(page: Page, axe: str) -> None:
    page.goto("/")
    expect(page.locator(".lane").first).to_be_visible()
    page.locator(".panel .t").first.click()
    expect(page.get_by_role("region", name="Pinned token")).to_be_visible()
    check(page, axe)
    flip_switch(page, "walls")
    chosen, other, on, off = (
        drawn(page, f"{group} [aria-checked={is_chosen}]", pseudo)
        for group, pseudo in ((".segments", None), (".switches", "::before"))
        for is_chosen in ("true", "false")
    )
    assert "gradient" in drawn(page, ".tokens .g.sp"), "the dot of a space"
    assert drawn(page, ".lane", "::before") != drawn(page, ".lane", "::after")
    assert chosen != other, "the chosen view"
    assert on != off and "gradient" in on, "a switch"


def look_at_bars_and_chosen_models(page: Page) -> None:
    page.goto("/by_hand?text=ababc")
    expect(page.locator(".bar.wins")).to_be_visible()
    assert drawn(page, ".bar.wins .fill") != drawn(page, ".bar.wins .n")
    assert drawn(page, ".tok.next > b") != drawn(page, ".tok:not(.next) > b")
    page.goto("/compression")
    assert drawn(page, "[data-tag]") != drawn(page, "[data-tag] button"), "a chosen model"


def look_at_a_lesson(page: Page, axe: str) -> None:
    page.goto("/lessons?lesson=token")
    on = page.locator("[data-go=on]")
    while not page.locator(".gap").count():
        on.click()
    page.locator(".gap").nth(2).click()
    marks = {drawn(page, name, "::before") for name in (".gap:not(.placed)", ".gap.placed", ".slide")}
    assert len(marks) == 3, "cuts, and where there is none"
    check(page, axe)
    on.click()
    expect(page.locator(".score")).to_be_visible()
    check(page, axe)
    switch = ".stCheckbox label > div:first-of-type"
    off = drawn(page, switch)
    page.locator(switch).click()
    expect(page.locator(".stCheckbox[data-selected=true]")).to_be_visible()
    assert drawn(page, switch) != off, "the teacher’s view"


FOCUSED = """() => {
  let element = document.activeElement;
  while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  const { outlineStyle, boxShadow } = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  return {
    name: element.getAttribute("aria-label") ?? (element.textContent.trim() || element.localName),
    within: box.right > 0 && box.left < innerWidth,
    ring: outlineStyle !== "none" || boxShadow !== "none",
    part: element.closest("section")?.className ?? element.localName,
  };
}"""


def tab(page: Page) -> JsonObject:
    """What has the focus after a Tab: its name, its section, whether it is in the window, and has a ring."""
    page.keyboard.press("Tab")
    focused: JsonObject = page.evaluate(FOCUSED)
    return focused


def test_the_menu_of_a_narrow_window_is_in_reach_only_while_it_is_open(page: Page, axe: str) -> None:
    page.set_viewport_size({"width": 680, "height": 425})  # twice the size, on a small laptop
    page.goto("/words")
    menu = page.get_by_role("button", name="Menu", exact=True)
    expect(menu).to_be_visible()
    stops = [tab(page) for _ in range(5)]
    assert all(stop["within"] and stop["ring"] for stop in stops), stops
    assert [stop["name"] for stop in stops][1:3] == ["Navigate to home page", "Menu"]
    assert stops[3]["part"] == "main"

    menu.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Collapse sidebar")).to_be_focused()
    expect(page.get_by_role("link", name=re.compile("^Playground: "))).to_be_in_viewport(ratio=1)
    entry = tab(page)
    assert entry["name"] == "Playground: text as tokens" and entry["within"] and entry["ring"]
    check(page, axe)
    by_hand = page.get_by_role("link", name=re.compile("^By hand: "))
    by_hand.press("Enter")
    expect(page).to_have_url(re.compile("/by_hand"))
    expect(menu).to_be_focused()
    expect(by_hand).to_have_count(0)
    menu.click()
    expect(by_hand).to_be_visible()
    page.mouse.click(660, 212)  # beside it
    expect(by_hand).to_have_count(0)


REACHES = """(element) => {
  element.scrollIntoView({ block: "center", inline: "center" });
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const hit = ([dx, dy]) => element.contains(element.getRootNode().elementFromPoint(x + dx, y + dy));
  return [[0, -11], [0, 11], [-11, 0], [11, 0]].every(hit);
}"""
SMALL = {
    "/": (".link:visible", ".question:visible"),
    "/compression": ("[data-tag] button", ".stTooltipIcon button"),
    "/merge_trees": (".save button",),
    "/lessons?lesson=token": (".dots .dot:enabled", ".stTooltipIcon button"),
}
"""Small things to press, by page."""


@pytest.fixture
def phone(browser: Browser, server: str) -> Iterator[Page]:
    """A page on a phone, which is touched."""
    with browser.new_page(base_url=server, viewport=PHONE, has_touch=True) as page:
        yield page


def test_everything_small_is_pressed_within_24_pixels(phone: Page) -> None:
    missed = []
    for address, selectors in SMALL.items():
        phone.goto(address)
        for selector in selectors:
            expect(phone.locator(selector).first).to_be_visible()
            idle(phone)
            reached = [each.evaluate(REACHES) for each in phone.locator(selector).all()]
            missed += [(address, selector)] * reached.count(False)
    while not phone.locator(".gap").count():
        phone.locator("[data-go=on]").click()
    width = phone.locator(".gap").first.evaluate("(gap) => gap.offsetWidth")
    assert not missed and width >= 24
