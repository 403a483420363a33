"""From a keystroke to painted tokens, in a real browser: python -m benchmarks.keystroke

The app runs as it always does, on this machine, with four encodings. Each key is typed into the
middle of a text of 1, 10 or 100 KB; the time runs from the key to the frame after the new counts
stand in the page. Browser, server and load share the machine's cores. The first token is timed from the
address, in a browser that has nothing yet, and once more when it has kept what it may keep.
"""

from __future__ import annotations

import time
from statistics import median

from playwright.sync_api import Page

from benchmarks.machine import describe_machine, print_head, print_row, spread_ms
from benchmarks.page_visits import open_app
from benchmarks.texts import sample_text
from pages.explore.playground.encode_route import respond
from pages.session.workspace import Workspace
from tests.browser import WINDOW
from tools.options import read_options

REACH = {1: "45 / 80", 10: "60 / 100", 100: "130 / 200"}  # by KB of text: ms, p50 / p95

_TYPE = """async ([text, keys]) => {
  const root = [...document.querySelectorAll("*")].map((e) => e.shadowRoot)
    .find((r) => r?.querySelector("textarea.input"));
  const editor = root.querySelector("textarea.input"), counts = root.querySelector(".counts");
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  editor.focus();
  editor.select();
  document.execCommand("insertText", false, text);
  await pause(3000);
  const at = Math.min(text.length >> 1, 400);
  editor.setSelectionRange(at, at);
  const times = [];
  for (let k = 0; k < keys; k++) {
    const start = performance.now();
    const painted = new Promise((done) => {
      const watcher = new MutationObserver(() => {
        watcher.disconnect();
        // The frame that paints it, and then the first task after that frame.
        requestAnimationFrame(() => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => done(performance.now());
          port2.postMessage(0);
        });
      });
      watcher.observe(counts, { childList: true, characterData: true, subtree: true });
    });
    document.execCommand("insertText", false, "token s"[k % 7]);
    times.push(((await painted) - start) / 1000);
    await pause(80 + (k % 5) * 17);
  }
  return times;
}"""


def server_share(text: str) -> float:
    """Milliseconds, p50, that Python spends on one key: encoding, offsets, flags, packing."""
    workspace = Workspace()
    workspace.encode_slow()
    times = []
    place = min(len(text) // 2, 400)
    for n_typed in range(40):
        typed = text[:place] + "q" * n_typed + text[place:]
        start = time.perf_counter()
        respond(workspace, {"text": typed, "holds": workspace.sent.tag})
        times.append(time.perf_counter() - start)
    return spread_ms(times)[0]


def first_token(page: Page) -> float:
    """Seconds from the address to the first token that is drawn."""
    start = time.perf_counter()
    page.goto("/", wait_until="commit")
    page.locator(".panel .t").first.wait_for(timeout=60_000)
    return time.perf_counter() - start


def main() -> None:
    """Print a Markdown table."""
    asked = read_options(__doc__, keys=100, visits=5)
    print(describe_machine(), end="\n\n")
    with open_app() as page:
        browser = page.context.browser
        assert browser is not None
        fresh, again = [], []
        for _ in range(asked.visits):
            with browser.new_page(viewport=WINDOW, base_url=page.url) as visit:
                fresh.append(first_token(visit))
                again.append(first_token(visit))
        print(f"First token: {median(fresh):.2f} s in a fresh browser, {median(again):.2f} s after that.\n")
        print_head("text", "p50 ms", "p95 ms", "worst", "reach", "of which Python, p50")
        first_token(page)
        for size, reach in REACH.items():
            text = sample_text(size * 1000)
            seconds = page.evaluate(_TYPE, [text, asked.keys])
            print_row(f"{size} KB", *spread_ms(seconds), reach, server_share(text))


if __name__ == "__main__":
    main()
