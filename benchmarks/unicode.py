"""A keystroke on Explore · Unicode beside one in the playground, on the server: python -m benchmarks.unicode

Each key is the browser's message to a session without a browser, and its cost the processor time of the
run that answers: Streamlit's share, the page's, all that stands below the field. (In a browser, only the
part that follows from the text runs again; here the whole page does, on both sides.) The two take turns
in one process, with the same text and the same two encodings, so that the ratio says more than the times.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from benchmarks.keystroke import sample_text
from benchmarks.machine import describe_machine, percentile
from pages.explore.unicode.state import FIRST_ENCODINGS, UnicodeState
from tests.visit import Visit

SIZES = {"a line": 60, "two lines": 160, "1 KB": 1_000, "10 KB": 10_000}


class Typist:
    """Types into one of the two pages."""

    def __init__(self, page: str, key: str, **fields: object) -> None:
        self.visit, self.key, self.fields, self.seq = Visit(page, {}), key, fields, 0

    @property
    def state(self) -> UnicodeState:
        """Of the page Unicode."""
        store: Any = self.visit.test.session_state
        return UnicodeState.kept_in(store)

    def type(self, text: str) -> float:
        """Milliseconds of processor time until the page has answered the message."""
        self.seq += 1
        message = {"seq": self.seq, "text": text, **self.fields}
        if self.key == "unicode":
            message["revision"] = self.state.revision
        self.visit.test.session_state[self.key] = {"message": message}
        start = time.process_time()
        self.visit.run()
        return 1000 * (time.process_time() - start)


def main() -> None:
    """Print a Markdown table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--keys", type=int, default=30)
    n_keys = options.parse_args().keys
    print(f"{describe_machine('streamlit', 'tiktoken')}; {n_keys} keys each, two encodings\n")
    unicode = Typist("explore/unicode/page.py", "unicode")
    playground = Typist("explore/playground/page.py", "editor", encodings=list(FIRST_ENCODINGS))
    print("| text | Unicode p50 | p95 | playground p50 | p95 | ratio of p50 |")
    print("|---|---|---|---|---|---|")
    for label, n_bytes in SIZES.items():
        text = sample_text(n_bytes)
        times: dict[str, list[float]] = {"unicode": [], "editor": []}
        for n_typed in range(n_keys + 3):
            now = text[:20] + "q" * n_typed + text[20:]
            for typist in (unicode, playground):
                took = typist.type(now)
                if n_typed >= 3:  # the first ones load what is loaded once
                    times[typist.key].append(took)
        assert unicode.state.text == now
        assert playground.visit.test.session_state["workspace"].text == now
        mine, other = (sorted(times[key]) for key in ("unicode", "editor"))
        row = [percentile(each, share) for each in (mine, other) for share in (0.5, 0.95)]
        print(f"| {label} | {' | '.join(f'{each:.0f} ms' for each in row)} | {row[0] / row[2]:.2f} |")


if __name__ == "__main__":
    main()
