"""What it takes to open each page, in a real browser: python -m benchmarks.page_visits

Each page is visited twice by one person: once by its address, in a browser that has kept the app's scripts
(first paint: until the first screen and its charts are drawn and the browser has nothing more to do), and
once from another page by its link in the header (page change). Of a page change, the first figure is what a
person waits for: from the click on the page's name until nothing in the window changes any more, as the
browser tells it. The second runs until the browser has nothing more to do, and with the menu's opening.
Beside them stand the seconds of the processor that the server and the browser took, which other work on the
machine hardly changes.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from benchmarks.machine import describe_machine
from tests.browser import CHROMIUM_FLAGS, find_chromium, idle, serve

PAGES = {
    "playground": "Playground",
    "merge_trees": "Merge trees",
    "vocabulary": "Vocabulary",
    "unicode": "Unicode",
    "train": "Train",
    "bring": "Bring",
    "by_hand": "By hand",
    "compression": "Compression",
    "vocabulary_size": "Vocabulary size",
    "languages": "Languages",
    "lessons": "Lessons",
    "words": "Words and sources",
}
"""The address of each page, and its name in the header."""

HEADINGS = {"Train": "Grow an encoding", "Bring": "Bring your own"}  # where it is not the page's name

SECTIONS = {"Explore": 4, "Grow": 7, "Measure": 10, "Learn": 12}
"""The header's sections: up to which of ``PAGES`` each reaches."""

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

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Took:
    """Seconds: on the clock, of the server's processor, of the browser's."""

    seconds: float
    server: float
    browser: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f}, {self.server:.2f}, {self.browser:.2f}"


def _seconds_of(pid: int) -> float:
    """Processor seconds of a process so far, and of its ended children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS


def _children(pid: int) -> list[int]:
    """The processes that this one started, and theirs."""
    children = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            children += [child, *_children(child)]
    return children


def _is_server(pid: int) -> bool:
    return b"streamlit" in Path(f"/proc/{pid}/cmdline").read_bytes()


class Clock:
    """What server and browser take from ``start`` to ``stop``; both are processes that this one started."""

    def start(self) -> None:
        self._cpu, self._begun = self._processors(), time.perf_counter()

    def stop(self) -> Took:
        seconds = time.perf_counter() - self._begun
        server, browser = self._processors()
        return Took(seconds, server - self._cpu[0], browser - self._cpu[1])

    def _processors(self) -> tuple[float, float]:
        server = browser = 0.0
        for pid in _children(os.getpid()):
            if _is_server(pid):
                server += _seconds_of(pid)
            else:
                browser += _seconds_of(pid)
        return server, browser


def is_drawn(page: Page, name: str) -> None:
    """Wait until the first screen of the page of that name is drawn, its charts and components too, and the
    browser has nothing more to do. Charts further down are drawn later.
    """
    if name == PAGES["playground"]:
        page.locator(".panel .t").first.wait_for(timeout=60_000)
    else:
        page.get_by_role("heading", level=1, name=HEADINGS.get(name, name), exact=True).wait_for(
            timeout=60_000
        )
    idle(page)
    page.wait_for_function(_CHARTS_ARE_DRAWN, timeout=60_000)
    idle(page)


def place_in_menu(address: str) -> tuple[str, str]:
    """The header's section that has this page, and the page's name there."""
    place = list(PAGES).index(address)
    return next(name for name, end in SECTIONS.items() if place < end), PAGES[address]


def change_to(page: Page, address: str) -> None:
    """Click the page's name in the header."""
    section, name = place_in_menu(address)
    page.get_by_test_id("stHeader").get_by_text(section, exact=True).click()
    page.get_by_role("menuitem", name=name, exact=True).click()


def main() -> None:
    """Print a Markdown table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", nargs="*", default=list(PAGES), choices=list(PAGES))
    addresses = options.parse_args().pages
    chromium = find_chromium()
    clock = Clock()
    print(f"{describe_machine('streamlit', 'altair')}\n")
    print(
        "| page | by its address: s, server, browser | "
        "page change: s until the window is drawn; s until all is, server, browser |\n|---|---|---|"
    )
    with serve() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport={"width": 1360, "height": 840}, base_url=address)
        page.goto("/")
        is_drawn(page, PAGES["playground"])
        page.wait_for_timeout(20_000)  # what is prepared in the background after the start is ready
        for where in addresses:
            clock.start()
            page.goto(f"/{where}")
            is_drawn(page, PAGES[where])
            opened = clock.stop()
            other = "words" if where != "words" else "by_hand"
            change_to(page, other)
            is_drawn(page, PAGES[other])
            page.evaluate(_NOTE_CHANGES)
            clock.start()
            change_to(page, where)
            is_drawn(page, PAGES[where])
            changed = clock.stop()
            window = page.evaluate("() => window.lastChange")
            print(f"| {PAGES[where]} | {opened} | {window:.2f}; {changed} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
