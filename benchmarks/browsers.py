"""Five real browsers in a room: three type, one trains, one walks through Measure.

Each is a window of its own in one Chromium, with a process of its own to draw it.
"""

from __future__ import annotations

import asyncio
import shlex
import tempfile
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Error, Page, async_playwright

from benchmarks.page_visits import PAGES, place_in_menu
from benchmarks.texts import corpus_file, read_texts
from tests.browser import CHROMIUM_FLAGS, find_chromium

TYPISTS = 3
VOCABULARY, CORPUS_BYTES = 32_768, 10_000_000
_MEASURE = ("compression", "vocabulary_size", "languages")
_LOOKS = 2.0  # seconds for which a person looks at what has come
_GIVES_WAY = 10  # as nice counts
_PATIENCE_MS = 120_000  # with thirty people on two cores, a page takes its time
_FLAGS = [flag for flag in CHROMIUM_FLAGS if not flag.startswith("--renderer-process-limit")]

_EDITOR = """
  const root = [...document.querySelectorAll("*")].map((e) => e.shadowRoot)
    .find((r) => r?.querySelector("textarea.input"));
  const editor = root.querySelector("textarea.input"), counts = root.querySelector(".counts");
  const bytes = () => Number(counts.textContent.match(/^[\\d,]+/)[0].replaceAll(",", ""));
"""

_OPEN_TEXT = f"""(text) => {{ {_EDITOR}
  editor.focus();
  editor.select();
  document.execCommand("insertText", false, text);
}}"""

_COUNTS = f"() => {{ {_EDITOR} return bytes(); }}"

# A key is due at an even pace, whatever the page does meanwhile: what it waits for a busy page is part of its
# time. Each is one byte, so the number of bytes that the page shows tells which keys its answer covers.
_TYPE = f"""async ([keys, everyMs, startsIn]) => {{ {_EDITOR}
  const start = performance.now() + startsIn, before = bytes(), due = (k) => start + k * everyMs;
  const at = Math.min(editor.value.length >> 1, 400), times = [];
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const isPainted = () => new Promise((done) => requestAnimationFrame(() => {{
    const {{ port1, port2 }} = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  }}));
  const watcher = new MutationObserver(async () => {{
    const covered = bytes() - before;
    await isPainted();
    const now = performance.now();
    while (times.length < Math.min(covered, keys.length)) times.push(now - due(times.length));
  }});
  watcher.observe(counts, {{ childList: true, characterData: true, subtree: true }});
  editor.focus();
  editor.setSelectionRange(at, at);
  for (let k = 0; k < keys.length; k++) {{
    await pause(Math.max(0, due(k) - performance.now()));
    document.execCommand("insertText", false, keys[k]);
  }}
  for (let waited = 0; times.length < keys.length && waited < 60000; waited += 100) await pause(100);
  watcher.disconnect();
  return times;
}}"""


@dataclass
class Browsers:
    """The five, once they are open.

    Attributes:
        typists: the pages of those who type.
        trained: encodings of ``VOCABULARY`` tokens that were grown.
        walked: pages of Measure that were opened.
        problems: what ended the trainer or the walker before their time; empty: nothing.
    """

    typists: list[Page]
    trained: int = 0
    walked: int = 0
    problems: list[str] = field(default_factory=list)

    async def type_all(self, keys: str, per_second: float, starts_in: float) -> list[tuple[list[float], int]]:
        """All type into their texts.

        Args:
            keys: one after the other, ASCII.
            per_second: of them.
            starts_in: seconds until the first one.

        Returns:
            Of each: the milliseconds from each key until the tokens that cover it are painted, and the number
            of keys that nothing covered within a minute.
        """
        every_ms = 1000 / per_second
        found = await asyncio.gather(
            *(
                page.evaluate(_TYPE, [keys, every_ms, 1000 * starts_in + every_ms * number / TYPISTS])
                for number, page in enumerate(self.typists)
            )
        )
        return [(times, len(keys) - len(times)) for times in found]

    async def open_text(self, text: str) -> None:
        """All get this text, each with a number of its own before it, and wait until it is counted."""
        for number, page in enumerate(self.typists):
            own = f"{number + 100} {text}"
            await page.evaluate(_OPEN_TEXT, own)
            while await page.evaluate(_COUNTS) != len(own.encode()):
                await asyncio.sleep(0.1)


@asynccontextmanager
async def open_browsers(address: str, *, give_way: bool) -> AsyncIterator[Browsers]:
    """The five browsers, for as long as the block lasts; the trainer and the walker are at it.

    Args:
        address: of the server, as http://host:port.
        give_way: whether they run at a lower priority than the server.
    """
    with tempfile.TemporaryDirectory() as folder:
        chromium = find_chromium() or ""
        if give_way:
            chromium = _giving_way(chromium, Path(folder))
        corpus = Path(folder, "corpus.txt")
        texts = "\n".join(read_texts(corpus_file(11))).encode()[:CORPUS_BYTES]
        corpus.write_text(texts.decode("utf-8", "ignore"), encoding="utf-8")
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=_FLAGS)
            five = Browsers([await _open(browser, address) for _ in range(TYPISTS)])
            walker, trainer = await _open(browser, address), await _open(browser, f"{address}/train", "h1")
            await _set_recipe(trainer, corpus)
            work = (_train(five, trainer), _walk(five, walker))
            tasks = [asyncio.create_task(_note_problem(five, each)) for each in work]
            try:
                yield five
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await browser.close()


async def _open(browser: Browser, address: str, waits_for: str = ".panel .t") -> Page:
    page = await (await browser.new_context()).new_page()
    page.set_default_timeout(_PATIENCE_MS)
    await page.goto(address)
    await page.locator(waits_for).first.wait_for()
    return page


async def _note_problem(five: Browsers, work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Error as problem:
        five.problems.append(str(problem).splitlines()[0])


async def _set_recipe(page: Page, corpus: Path) -> None:
    """On Train: the corpus and the size."""
    await page.get_by_text("Your own texts", exact=True).click()
    await page.locator("input[type=file]").first.set_input_files(corpus)
    own = page.get_by_test_id("stMultiSelect").filter(has_text="Of your own")
    await own.get_by_text(corpus.name, exact=True).wait_for()
    size = page.get_by_role("spinbutton", name="Vocabulary, in tokens")
    await size.fill(str(VOCABULARY))
    await size.press("Enter")
    await page.get_by_placeholder("my-32k").wait_for()  # the name that it would get: the page knows the size


async def _train(five: Browsers, page: Page) -> None:
    """Grow the encoding, look at it, remove it, and again."""
    while True:
        main = page.get_by_test_id("stMain")
        await main.get_by_role("button", name="Grow", exact=True).click()
        await main.get_by_text(f"with {VOCABULARY:,} tokens").first.wait_for()
        five.trained += 1
        await asyncio.sleep(_LOOKS)
        await main.get_by_role("button", name="Remove", exact=True).first.click()
        await main.get_by_text(f"with {VOCABULARY:,} tokens").first.wait_for(state="detached")


async def _walk(five: Browsers, page: Page) -> None:
    """Open the pages of Measure, one after the other, and again."""
    while True:
        for address in _MEASURE:
            section, name = place_in_menu(address)
            await page.get_by_test_id("stHeader").get_by_text(section, exact=True).click()
            await page.get_by_role("menuitem", name=name, exact=True).click()
            await page.get_by_role("heading", level=1, name=PAGES[address], exact=True).wait_for()
            five.walked += 1
            await asyncio.sleep(_LOOKS)


def _giving_way(program: str, folder: Path) -> str:
    """A program that runs this one at a lower priority.

    Where Linux shares the processor between sessions first (autogroups), the priority of the session counts:
    Playwright starts a browser in one of its own.
    """
    script = folder / "browser"
    script.write_text(
        "#!/bin/sh\n"
        'if [ "$(ps -o sid= -p $$ | tr -d " ")" = $$ ] && [ -w /proc/$$/autogroup ]; then\n'
        f"  echo {_GIVES_WAY} > /proc/$$/autogroup\n"
        "fi\n"
        f'exec nice -n {_GIVES_WAY} {shlex.quote(program)} "$@"\n'
    )
    script.chmod(0o700)
    return str(script)
