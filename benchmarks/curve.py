"""How long the curve over all vocabulary sizes takes: ``python -m benchmarks.curve``.

A text of 1 MB, each encoding: the first time (every token of the text is taken apart) and later times.
And the scrubber's step: a text of 10 KB, cut again at another size, in two encodings.
"""

from __future__ import annotations

import argparse
import itertools
import pydoc_data.topics
import statistics
import time
from collections.abc import Callable

import tokenizers as tk
from benchmarks.machine import describe_machine
from tokenizers.bpe import curve
from tokenizers.data import udhr
from tokenizers.data.corpus import read_bundled

GOAL_CURVE, GOAL_STEP = 1.0, 0.1
MEGABYTE = 1_000_000


def texts() -> dict[str, str]:
    """A megabyte of each kind."""
    samples = {
        "English prose": "".join(pydoc_data.topics.topics.values()) * 3,
        "Python source": "".join(read_bundled("library").texts),
        "500 languages": "".join(language.text for language in udhr.list_languages()),
    }
    return {name: text.encode()[:MEGABYTE].decode(errors="ignore") for name, text in samples.items()}


def seconds(run: Callable[[], object]) -> float:
    begun = time.perf_counter()
    run()
    return time.perf_counter() - begun


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    print(describe_machine("tiktoken", "numpy"))
    samples = texts()
    print(f"\nThe curve of 1 MB, seconds; goal {GOAL_CURVE:g}")
    print(f"{'encoding':<16}{'text':<16}{'first':>8}{'later':>8}{'encode':>8}   changes")
    for name in ("gpt2", "cl100k_base", "o200k_base", "grove-udhr-8k"):
        encoding = tk.get_encoding(name)
        encoding.byte_lengths  # noqa: B018  (part of loading)
        for kind, text in samples.items():
            first = []
            for _ in range(3):
                curve.forget(encoding)
                first.append(seconds(lambda: tk.counts_by_size(encoding, text)))  # noqa: B023
            later = [seconds(lambda: tk.counts_by_size(encoding, text)) for _ in range(5)]  # noqa: B023
            encode = [seconds(lambda: encoding.encode_array(text)) for _ in range(5)]  # noqa: B023
            changes = len(tk.counts_by_size(encoding, text).sizes)
            times = "".join(f"{statistics.median(each):8.2f}" for each in (first, later, encode))
            verdict = "" if statistics.median(first) <= GOAL_CURVE else "  TOO SLOW"
            print(f"{name:<16}{kind:<16}{times}   {changes:,}{verdict}")

    print(f"\nA step of the scrubber: 10 KB, two encodings, milliseconds; goal {1000 * GOAL_STEP:g}")
    pair = [tk.get_encoding("cl100k_base"), tk.get_encoding("o200k_base")]
    sizes = itertools.cycle([300, 1000, 5000, 20_000, 90_000])
    for kind, text in samples.items():
        part = text.encode()[:10_000].decode(errors="ignore")

        def step(part: str = part) -> None:
            size = next(sizes)
            for encoding in pair:
                tk.cut_at_size(encoding, part, size)

        times_ms = [1000 * seconds(step) for _ in range(21)]
        print(f"{kind:<16}{statistics.median(times_ms):8.1f}   worst {max(times_ms):.1f}")


if __name__ == "__main__":
    main()
