"""From a keystroke to painted tokens, in a real browser: python -m benchmarks.keystroke

The app runs as it always does, on this machine, with four encodings. Each key is typed into the
middle of a text of 1, 10 or 100 KB; the time runs from the key to the frame after the new counts
stand in the page. Browser, server and load share the machine's cores. The first token is timed from the
address, in a browser that has nothing yet, and once more when it has kept what it may keep.
"""

from __future__ import annotations

import time

from playwright.sync_api import Page

from benchmarks.machine import describe_machine, options_of, percentile
from benchmarks.page_visits import open_app
from pages.explore.playground.encode_route import respond
from pages.session.workspace import Workspace
from tests.browser import WINDOW
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
    workspace.encode_slow()
    times = []
    for k in range(keys):
        at = min(len(text) // 2, 400)
        start = time.perf_counter()
        respond(workspace, {"text": text[:at] + "q" * k + text[at:], "holds": workspace.sent.tag})
        times.append(1000 * (time.perf_counter() - start))
    return percentile(times, 0.5)


def first_token(page: Page) -> float:
    """Seconds from the address to the first token that is drawn."""
    start = time.perf_counter()
    page.goto("/", wait_until="commit")
    page.locator(".panel .t").first.wait_for(timeout=60_000)
    return time.perf_counter() - start


def main() -> None:
    """Print a Markdown table."""
    options = options_of(__doc__)
    options.add_argument("--keys", type=int, default=100)
    options.add_argument("--visits", type=int, default=5)
    asked = options.parse_args()
    print(f"{describe_machine('streamlit', 'tiktoken', 'numpy')}; {asked.keys} keys each, four encodings\n")
    with open_app() as page:
        browser, address = page.context.browser, page.url
        assert browser is not None
        fresh, again = [], []
        for _ in range(asked.visits):
            context = browser.new_context(viewport=WINDOW, base_url=address)
            visit = context.new_page()
            fresh.append(first_token(visit))
            again.append(first_token(visit))
            context.close()
        print(
            f"First token, median of {asked.visits}: {percentile(fresh, 0.5):.2f} s in a fresh browser, "
            f"{percentile(again, 0.5):.2f} s in one that was here before.\n"
        )
        print("| text | p50 ms | p95 ms | reach | of which Python, p50 |\n|---|---:|---:|---:|---:|")
        first_token(page)
        for size, (p50, p95) in REACH.items():
            text = sample_text(size * 1000)
            times: list[float] = page.evaluate(_TYPE, [text, asked.keys])
            print(
                f"| {size} KB | {percentile(times, 0.5):.0f} | {percentile(times, 0.95):.0f} "
                f"| {p50} / {p95} | {server_share(text):.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
