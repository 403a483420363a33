"""What axe finds on each page: nothing but what is listed here, and why."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from tests.browser import PAGES, expect, flip_switch, go_to, idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

NOT_OURS = (
    # A container that scrolls: Chromium and Firefox let the keyboard into it, Streamlit does not help others.
    ("scrollable-region-focusable", '[class*="st-key-box_of_"]'),
    # st.subheader writes an h3, also right below the page's title: good practice, and no rule of WCAG.
    ("heading-order", ".stHeading h3"),
    # Vega gives each group of marks the role of a symbol, and names the marks in it, not the group.
    ("svg-img-alt", ".role-mark"),
)
"""What Streamlit and Vega do: rule, and a selector that the element matches."""

Scheme = Literal["light", "dark"]

HAS_GROUND = """(colour) =>
  getComputedStyle(document.querySelector(".stApp")).getPropertyValue("--paper").trim() === colour"""
"""Whether our colours have followed the theme."""

RUN = """async ([notOurs, only]) => {
  const results = await axe.run(document, {
    resultTypes: ["violations"],
    rules: { "label-content-name-mismatch": { enabled: true } },
    ...(only ? { runOnly: only } : {}),
  });
  const find = (target) => target.flat().reduce((root, selector) => {
    const element = root.querySelector(selector);
    return element.shadowRoot ?? element;
  }, document);
  const isOurs = (id, element) =>
    !notOurs.some(([rule, selector]) => rule === id && element.matches?.(selector));
  return results.violations.flatMap(({ id, nodes }) => nodes
    .filter(({ target }) => isOurs(id, find(target)))
    .map(({ target, html, failureSummary }) => `${id}: ${target}\\n  ${html}\\n  ${failureSummary}`));
}"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core. Without it, the tests are skipped; in CI, they fail."""
    spec = importlib.util.find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        missing = "axe is not installed: pip install -r requirements-dev.txt -c constraints.txt"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    return (Path(spec.origin).parent / "axe.min.js").read_text("utf-8")


def violations(page: Page, rules: list[str] | None = None) -> list[str]:
    """What axe finds on the page as it is, but for what is not ours. Rules: None for all of them."""
    problems: list[str] = page.evaluate(RUN, [NOT_OURS, rules])
    return problems


@pytest.mark.slow
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


@pytest.mark.slow
def test_forced_colours_leave_what_is_chosen_and_measured_to_see(page: Page) -> None:
    """A browser that forces its colours drops other grounds, and all shadows and gradients."""
    page.emulate_media(forced_colors="active")
    page.goto("/")
    expect(page.locator(".lane").first).to_be_visible()
    flip_switch(page, "walls")
    chosen, other, on, off = (
        drawn(page, f"{group} [aria-checked={is_chosen}]", pseudo)
        for group, pseudo in ((".segments", None), (".switches", "::before"))
        for is_chosen in ("true", "false")
    )
    is_seen = {
        "the dot of a space": "gradient" in drawn(page, ".tokens .g.sp"),
        "a lane": drawn(page, ".lane", "::before") != drawn(page, ".lane", "::after"),
        "the chosen view": chosen != other,
        "a switch": on != off and "gradient" in on,
    }

    page.goto("/by_hand?text=ababc")
    expect(page.locator(".bar.wins")).to_be_visible()
    is_seen["a bar"] = drawn(page, ".bar.wins .fill") != drawn(page, ".bar.wins .n")
    is_seen["the next pair"] = drawn(page, ".tok.next > b") != drawn(page, ".tok:not(.next) > b")

    page.goto("/compression")
    is_seen["a chosen model"] = drawn(page, "[data-tag]") != drawn(page, "[data-tag] button")

    page.goto("/lessons?lesson=token")
    switch = ".stCheckbox label > div:first-of-type"
    off = drawn(page, switch)
    page.locator(switch).click()
    expect(page.locator(".stCheckbox[data-selected=true]")).to_be_visible()
    is_seen["the teacher’s view"] = drawn(page, switch) != off
    while not page.locator(".gap").count():
        page.locator("[data-go=on]").click()
    page.locator(".gap").nth(2).click()
    marks = {drawn(page, name, "::before") for name in (".gap:not(.placed)", ".gap.placed", ".slide")}
    is_seen["cuts, and where there is none"] = len(marks) == 3

    assert not [name for name, seen in is_seen.items() if not seen]
