"""How long measuring takes, next to encoding alone: ``python -m benchmarks.metrics``.

Prints medians in milliseconds, for prose of six languages. The words of a text are found once for all
encodings, so they are timed apart.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import tokenizers as tk
from tokenizers.data import udhr

ENCODINGS = ("gpt2", "cl100k_base", "o200k_base", "grove-udhr-8k")
LANGUAGES = ("eng", "rus", "hin", "cmn_hans", "kor", "arb")
SIZES = ((10_000, 31), (1_000_000, 7), (10_000_000, 3))


def milliseconds(run: Callable[[], object], repeats: int) -> float:
    """The median of so many runs."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        run()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times)


def text_of(n_bytes: int) -> str:
    """Prose of six languages, a paragraph of each in turn, of about so many bytes."""
    paragraphs = zip(*(udhr.get_language(code).text.split("\n") for code in LANGUAGES), strict=False)
    prose = "\n".join(paragraph for together in paragraphs for paragraph in together)
    data = prose.encode() * (n_bytes // len(prose.encode()) + 1)
    return data[:n_bytes].decode("utf-8", "ignore")


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    tk.find_words("")  # the first use makes the table of characters
    print(f"{'':>12} {'encoding':<14} {'encode':>9} {'words':>9} {'measure':>9}  times encode")
    for n_bytes, repeats in SIZES:
        text = text_of(n_bytes)
        words = tk.find_words(text)
        words_ms = milliseconds(lambda text=text: tk.find_words(text), repeats)  # type: ignore[misc]
        for name in ENCODINGS:
            encoding = tk.get_encoding(name)
            tk.measure(encoding, "warm")
            plain = milliseconds(lambda e=encoding, t=text: e.encode_array(t), repeats)  # type: ignore[misc]
            whole = milliseconds(lambda e=encoding, t=text, w=words: tk.measure(e, t, words=w), repeats)  # type: ignore[misc]
            times = (words_ms + whole) / plain
            print(f"{n_bytes:>12,} {name:<14} {plain:9.1f} {words_ms:9.1f} {whole:9.1f}  {times:5.2f}")


if __name__ == "__main__":
    main()
