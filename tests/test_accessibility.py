"""What axe finds on each page, in both themes: nothing but what is listed here, and why."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser import ROOT, expect, idle

if TYPE_CHECKING:
    from playwright.sync_api import Page

ADDRESSES = re.findall(r'url_path="([^"]+)"', (ROOT / "pages" / "main.py").read_text("utf-8"))

NOT_OURS = (
    # st.code: its box scrolls sideways, and Streamlit does not put it into the tab order.
    ("scrollable-region-focusable", "pre"),
    # st.subheader writes an h3, also right below the page's title: good practice, and no rule of WCAG.
    ("heading-order", ".stHeading h3"),
    # Vega gives each group of marks the role of a symbol, and names the marks in it, not the group.
    ("svg-img-alt", ".role-mark"),
)
"""What Streamlit and Vega do: rule, and a selector that the element matches."""

RUN = """async ([notOurs]) => {
  const results = await axe.run(document, {
    resultTypes: ["violations"],
    rules: { "label-content-name-mismatch": { enabled: true } },
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


def violations(page: Page) -> list[str]:
    """What axe finds on the page as it is, but for what is not ours."""
    faults: list[str] = page.evaluate(RUN, [NOT_OURS])
    return faults


@pytest.mark.slow
@pytest.mark.parametrize("address", ADDRESSES)
def test_axe_finds_nothing_on_a_page_in_either_theme(page: Page, axe: str, address: str) -> None:
    page.goto(f"/{address}" if address != "playground" else "/")
    expect(page.get_by_test_id("stTopNav")).to_be_visible()
    idle(page)
    page.evaluate(f"() => {{ {axe} }}")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        idle(page)
        assert not violations(page), theme


def test_axe_sees_into_the_components(page: Page, axe: str) -> None:
    """Otherwise it would find nothing in them, whatever is there."""
    page.goto("/words")
    idle(page)
    page.evaluate(f"() => {{ {axe} }}")
    page.evaluate(
        """() => {
             const host = document.querySelector("main, .stMain").appendChild(document.createElement("div"));
             const button = host.attachShadow({ mode: "open" }).appendChild(document.createElement("button"));
             button.append(document.createElement("i"));
           }"""
    )
    faults: list[Any] = violations(page)
    assert len(faults) == 1 and faults[0].startswith("button-name")
