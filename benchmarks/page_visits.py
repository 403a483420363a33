"""What it takes to open each page, in a real browser: python -m benchmarks.page_visits

Each page is opened by its address, in a browser that has cached the app's scripts, until its first screen and
its charts are drawn. Then it is opened several times from another page by its link in the header: from the
click on its name until nothing in the window changes any more. That is the page change.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from playwright.sync_api import Page, sync_playwright

from benchmarks.machine import describe_machine, print_head, print_row
from tests.browser import CHROMIUM_FLAGS, PAGES, WINDOW, find_chromium, go_to, idle, serve
from tools.options import read_options

PLACES = {address: (section, title) for section, title, address in PAGES}
HEADINGS = {"Train": "Train a tokenizer"}  # where it is not the page's name

_CHARTS_ARE_DRAWN = """() => [...document.querySelectorAll(".stVegaLiteChart")].every((chart) => {
  const { top, bottom } = chart.getBoundingClientRect();
  return top >= innerHeight || bottom <= 0 || chart.querySelector("svg.marks, canvas.marks");
})"""

_NOTE_CHANGES = """() => {
  let clicked = 0;
  window.lastChange = 0;
  addEventListener("click", (event) => {
    if (event.target.closest("[role=menuitem]")) clicked = performance.now();
  }, { capture: true });
  const isSeen = ({ target }) => {
    const element = target.nodeType === Node.ELEMENT_NODE ? target : target.parentElement;
    const { top, bottom, width } = element?.getBoundingClientRect() ?? { width: 0 };
    return width > 0 && top < innerHeight && bottom > 0;
  };
  new MutationObserver((changes) => {
    if (changes.some(isSeen)) window.lastChange = (performance.now() - clicked) / 1000;
  }).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""
"""Notes when something in the window last changed: seconds after the click on a page's name."""


def is_drawn(page: Page, name: str) -> None:
    """Wait until the first screen of the page of that name is drawn, its charts and components too, and the
    browser has nothing more to do. Charts further down are drawn later.
    """
    if name == "Playground":
        page.locator(".panel .t").first.wait_for(timeout=60_000)
    else:
        page.get_by_role("heading", level=1, name=HEADINGS.get(name, name), exact=True).wait_for(
            timeout=60_000
        )
    idle(page)
    page.wait_for_function(_CHARTS_ARE_DRAWN, timeout=60_000)
    idle(page)


@contextmanager
def open_app() -> Iterator[Page]:
    """The playground of a new server in a browser, once all that is prepared in the background is ready."""
    with serve() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport=WINDOW, base_url=address)
        page.goto("/")
        is_drawn(page, "Playground")
        page.wait_for_timeout(20_000)
        yield page
        browser.close()


def page_change(page: Page, where: str) -> float:
    """Go to a page by its link in the header; returns the seconds until nothing in the window changes."""
    page.evaluate(_NOTE_CHANGES)
    go_to(page, *PLACES[where])
    is_drawn(page, PLACES[where][1])
    seconds: float = page.evaluate("() => window.lastChange")
    return seconds


def main() -> None:
    """Print a Markdown table."""
    asked = read_options(__doc__, pages=list(PLACES), visits=5)
    print(describe_machine(), end="\n\n")
    print_head("page", "by its address, s", "page change, s, median")
    with open_app() as page:
        for where in asked.pages:
            begun = time.perf_counter()
            page.goto("/" if where == "playground" else f"/{where}")
            is_drawn(page, PLACES[where][1])
            opened = time.perf_counter() - begun
            other = "words" if where != "words" else "by_hand"
            changes = []
            for _ in range(asked.visits):
                page_change(page, other)
                changes.append(page_change(page, where))
            print_row(PLACES[where][1], opened, median(changes))


if __name__ == "__main__":
    main()
