"""What a text of 10 MB takes, in a real browser: python -m benchmarks.long_texts

The text is pasted into the playground with four encodings, and added as a file on Compression. Python's
library, 11 MB, is trained on. Then Languages shows the new encoding, in which no language is counted yet.
A time runs from what the person does until that result is in the page, by the page's own clock. Each run has
another text.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from statistics import median

from playwright.sync_api import Page

from benchmarks.machine import describe_machine, print_head, print_row
from benchmarks.page_visits import is_drawn, open_app, page_change
from benchmarks.texts import corpus_file, read_texts
from pages.grow.train.state import PARAMETER
from pages.session.links import pack_state
from pages.session.train_plan import Recipe
from pages.session.workspace import first_encodings
from tokenizers.data.corpus import LIBRARY
from tools.options import read_options

SIZE = 10_000_000
VOCABULARY = 32_768

_PASTE = """(input) => {
  const clipboardData = new DataTransfer(), options = { bubbles: true, cancelable: true, composed: true };
  clipboardData.setData("text/plain", window.text);
  input.focus();
  input.select();
  input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, ...options }));
}"""


_START_CLOCK = "(event) => addEventListener(event, () => { begun = performance.now(); }, { once: true })"

_IS_SEEN = """([selector, text, count]) => {
  const roots = [document, ...[...document.querySelectorAll("*")].flatMap((e) => e.shadowRoot ?? [])];
  const seen = roots.flatMap((root) => [...root.querySelectorAll(selector)])
    .filter((e) => e.textContent.replace(/\\s+/g, " ").includes(text));
  return seen.length >= count && (performance.now() - begun) / 1000;
}"""
"""The seconds since the event, or false. It is asked at each frame; a locator looks twice a second."""


@functools.cache
def read_text(run: int) -> str:
    """Code and prose, and some of each language."""
    text = "\n".join(read_texts(corpus_file(SIZE // 1_000_000 + 1))).replace("\r", "")
    return text[run:].encode()[:SIZE].decode("utf-8", "ignore")


def seconds_until(page: Page, selector: str, text: str, count: int = 1) -> float:
    """Until so many elements have that text, since the event for which the clock was set."""
    seen = page.wait_for_function(_IS_SEEN, arg=[selector, text, count], timeout=60_000)
    return float(seen.json_value())


def paste(page: Page, run: int) -> float:
    """Until each panel has its count, and has checked that decoding gives the text again."""
    page.goto(f"/?s={pack_state({'text': 'Short.', 'encodings': first_encodings()})}")
    is_drawn(page, "Playground")
    page.evaluate("(text) => { window.text = text; }", read_text(run))
    page.evaluate(_START_CLOCK, "paste")
    page.locator("textarea.input").evaluate(_PASTE)
    seconds_until(page, ".counts", f"{len(read_text(run).encode()):,} bytes")
    return seconds_until(page, ".panel .detail", "✓ exact", len(first_encodings()))


def add_file(page: Page, run: int) -> float:
    """Until the chart has the bars of the file."""
    page.goto("/compression")
    is_drawn(page, "Compression")
    page.locator("summary", has_text="Your own texts").press("Enter")
    page.evaluate(_START_CLOCK, "change")
    name = f"run-{run}.txt"
    data = read_text(run).encode()
    page.set_input_files("input[type=file]", {"name": name, "mimeType": "text/plain", "buffer": data})
    return seconds_until(page, "svg.marks text", name)


def train(page: Page, run: int) -> float:
    """Until what was learned is shown."""
    recipe = Recipe(parts=((LIBRARY, 1.0),), vocab_size=VOCABULARY - run)
    page.goto(f"/train?{PARAMETER}={recipe.packed}")
    is_drawn(page, "Train")
    page.evaluate(_START_CLOCK, "click")
    page.locator(".st-key-train_grow button").click()
    return seconds_until(page, "p", f"learned {recipe.n_merges:,} tokens")


MEASURES: dict[str, tuple[Callable[[Page, int], float], float]] = {
    "10 MB pasted, four encodings": (paste, 1.5),
    "a file of 10 MB on Compression": (add_file, 1.5),
    f"{VOCABULARY:,} tokens from 11 MB on Train": (train, 2.0),
    "all languages in these tokens": (lambda page, _: page_change(page, "languages"), 1.0),
}
"""How each is measured, and the seconds that it should take, in the order of one run."""


def main() -> None:
    """Print a Markdown table."""
    n_runs = read_options(__doc__, runs=3).runs
    print(describe_machine(), end="\n\n")
    print_head("", "first, s", "median", "reach")
    with open_app() as page:
        seconds = [[measure(page, run) for measure, _ in MEASURES.values()] for run in range(n_runs)]
    for (name, (_, reach)), times in zip(MEASURES.items(), zip(*seconds, strict=True), strict=True):
        print_row(name, times[0], median(times), reach)


if __name__ == "__main__":
    main()
