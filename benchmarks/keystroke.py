"""From a keystroke to painted tokens, in a real browser: python -m benchmarks.keystroke

The app runs as it always does, on this machine, with four encodings. Each key is typed into the
middle of a text of 1, 10 or 100 KB; the time runs from the key to the frame after the new counts
stand in the page. Browser, server and load share the machine's cores. An answer is what the server
sends for one key. The first token is timed from the command that starts the app, then from the address in
a browser that has nothing yet, and once more when it has kept what it may keep.
"""

from __future__ import annotations

import argparse
import time
from contextlib import ExitStack

from playwright.sync_api import Page, Response, expect, sync_playwright

from benchmarks.machine import describe_machine, percentile
from pages.explore.playground.encode_route import answer
from pages.session.workspace import Workspace
from tests.browser import CHROMIUM_FLAGS, find_chromium, serve
from tokenizers.data import udhr

ENCODINGS = ["grove-udhr-8k", "gpt2", "cl100k_base", "o200k_base"]
REACH = {1: (45, 80), 10: (60, 100), 100: (130, 200)}  # KB: (p50, p95) in ms

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
    times.push((await painted) - start);
    await pause(80 + (k % 5) * 17);
  }
  return times;
}"""


def sample_text(n_bytes: int) -> str:
    """Prose of six languages in turn, that long; nothing is repeated."""
    texts = [udhr.get_language(code).text.split("\n") for code in ("eng", "rus", "kor", "spa", "hin", "fra")]
    lines = [line for group in zip(*texts, strict=False) for line in group]
    extra = [language.text for language in udhr.list_languages()]
    text = "\n".join(lines + extra)
    return text.encode()[:n_bytes].decode("utf-8", errors="ignore")


def server_share(text: str, keys: int = 40) -> float:
    """Milliseconds, p50, that Python spends on one key: encoding, offsets, flags, packing."""
    workspace = Workspace(encodings=list(ENCODINGS))
    workspace.panels.encode_slow()
    times = []
    for k in range(keys):
        at = min(len(text) // 2, 400)
        start = time.perf_counter()
        answer(workspace, {"text": text[:at] + "q" * k + text[at:], "holds": workspace.sent[0]})
        times.append(1000 * (time.perf_counter() - start))
    return percentile(times, 0.5)


class Answers:
    """Counts what a page gets over its websockets, and for the requests that its keys make."""

    def __init__(self, page: Page) -> None:
        self.n_bytes = 0
        page.on("websocket", lambda socket: socket.on("framereceived", self._count))
        page.on("response", self._count_response)

    def _count(self, payload: str | bytes) -> None:
        self.n_bytes += len(payload.encode() if isinstance(payload, str) else payload)

    def _count_response(self, response: Response) -> None:
        self.n_bytes += int(response.headers.get("content-length", 0))


def measure(page: Page, answers: Answers, text: str, keys: int) -> tuple[list[float], float]:
    """Milliseconds for each key, and the bytes of an answer to one, the median of a few more."""
    times: list[float] = page.evaluate(_TYPE, [text, keys])
    counts = page.locator(".counts")
    sizes = []
    for _ in range(5):
        page.wait_for_timeout(1000)  # nothing is under way any more
        answers.n_bytes = 0
        before = counts.text_content() or ""
        page.keyboard.press("x")
        expect(counts).not_to_have_text(before, timeout=20_000)
        sizes.append(float(answers.n_bytes))
    return times, percentile(sizes, 0.5)


def first_token(page: Page, address: str) -> float:
    """Seconds from the address to the first token that is drawn."""
    start = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator(".panel .t").first.wait_for(timeout=60_000)
    return time.perf_counter() - start


def main() -> None:
    """Print a Markdown table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--keys", type=int, default=100)
    options.add_argument("--visits", type=int, default=5)
    asked = options.parse_args()
    keys, visits = asked.keys, asked.visits
    chromium = find_chromium()
    print(f"{describe_machine('streamlit', 'tiktoken', 'numpy')}; {keys} keys each, four encodings\n")
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=chromium, args=CHROMIUM_FLAGS)
        page = browser.new_page(viewport={"width": 1360, "height": 840})
        started = time.perf_counter()
        address = stack.enter_context(serve())
        first_token(page, address)
        print(f"From the command to the first token: {time.perf_counter() - started:.2f} s.\n")
        time.sleep(20)  # the vocabularies that are prepared in the background are ready
        fresh, again = [], []
        for _ in range(visits):
            context = browser.new_context(viewport={"width": 1360, "height": 840})
            visit = context.new_page()
            fresh.append(first_token(visit, address))
            again.append(first_token(visit, address))
            context.close()
        print(
            f"First token, median of {visits}: {percentile(fresh, 0.5):.2f} s in a fresh browser, "
            f"{percentile(again, 0.5):.2f} s in one that was here before.\n"
        )
        print("| text | p50 ms | p95 ms | reach | of which Python, p50 | an answer |")
        print("|---|---|---|---|---|---|")
        answers = Answers(page)
        first_token(page, address)
        for size, (p50, p95) in REACH.items():
            text = sample_text(size * 1000)
            times, answer = measure(page, answers, text, keys)
            print(
                f"| {size} KB | {percentile(times, 0.5):.0f} | {percentile(times, 0.95):.0f} "
                f"| {p50} / {p95} | {server_share(text):.1f} | {answer / 1000:.1f} KB |",
                flush=True,
            )
        browser.close()


if __name__ == "__main__":
    main()
