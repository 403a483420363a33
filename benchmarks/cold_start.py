"""From the command to the first coloured token: python -m benchmarks.cold_start

Everything is installed; nothing runs. The app is started as `make run` starts it, and a browser that
is already open asks for the page as soon as the server answers.
"""

from __future__ import annotations

import argparse
import time

from playwright.sync_api import sync_playwright

from benchmarks.machine import describe_machine, percentile
from tests.browser import CHROMIUM_FLAGS, find_chromium, serve


def main() -> None:
    """Print the seconds, of several runs."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=5)
    runs = options.parse_args().runs
    chromium = find_chromium()
    healthy: list[float] = []
    coloured: list[float] = []
    with sync_playwright() as playwright:
        for _ in range(runs):
            browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
            page = browser.new_page(viewport={"width": 1360, "height": 840})
            start = time.perf_counter()
            with serve() as address:
                healthy.append(time.perf_counter() - start)
                page.goto(address)
                page.locator(".panel:nth-child(4) .t").first.wait_for()
                coloured.append(time.perf_counter() - start)
            browser.close()
    print(describe_machine("streamlit", "tiktoken"))
    for what, times in (("server answers", healthy), ("four encodings coloured", coloured)):
        print(f"{what}: median {percentile(times, 0.5):.2f} s, worst {max(times):.2f} s of {runs} runs")


if __name__ == "__main__":
    main()
