"""How long trees, explanations and vocabularies take: ``python -m benchmarks.trees``.

Prints medians beside the goals. The first use of a vocabulary works out some of its arrays, once; it is
timed apart.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable

import tokenizers as tk
from tokenizers.bpe.trees import all_parts
from tokenizers.data import udhr

LARGE = "o200k_base"


def measure(run: Callable[[], object], repeats: int = 21) -> tuple[float, float]:
    """Milliseconds: the median and the worst."""
    times = []
    for _ in range(repeats):
        begun = time.perf_counter()
        run()
        times.append((time.perf_counter() - begun) * 1000)
    return statistics.median(times), max(times)


def report(what: str, goal: float | None, median: float, worst: float) -> None:
    verdict = "" if goal is None else f"goal {goal:5.0f} ms  {'ok' if median <= goal else 'TOO SLOW'}"
    print(f"{what:<58}{median:9.2f} ms  worst {worst:8.2f} ms  {verdict}")


def main() -> None:
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    cl100k, large = tk.get_encoding("cl100k_base"), tk.get_encoding(LARGE)

    text = udhr.get_language("eng").text[:1000]
    begun = time.perf_counter()
    tk.forest(cl100k, text)
    cold = (time.perf_counter() - begun) * 1000
    report("forest, 1,000 characters, cl100k_base, first time", 50, cold, cold)
    report("forest, 1,000 characters, cl100k_base", 50, *measure(lambda: tk.forest(cl100k, text)))
    report("trace, 1,000 characters, cl100k_base", None, *measure(lambda: tk.trace(cl100k, text)))
    hindi = udhr.get_language("hin").text[:1000]
    report("forest, 1,000 characters of Hindi", None, *measure(lambda: tk.forest(cl100k, hindi)))
    middle = len(text.encode()) // 2
    report("why here, 1,000 characters", None, *measure(lambda: tk.explain_cut(cl100k, text, middle)))
    long_piece = "".join(random.Random(7).choices("etaoin", k=100_000))
    report("trace, one piece of 100,000 bytes", 1000, *measure(lambda: tk.trace(cl100k, long_piece), 3))

    vocabulary = tk.vocabulary_of(large)
    others = [tk.get_encoding(name) for name in tk.list_encodings()]
    begun = time.perf_counter()
    vocabulary.biography(1000, others)
    first = (time.perf_counter() - begun) * 1000
    report(f"biography, {LARGE}, first use of the vocabulary", 100, first, first)
    chosen = iter(random.Random(7).sample(vocabulary.ids.tolist(), 100))
    report(f"biography, {LARGE}", 100, *measure(lambda: vocabulary.biography(next(chosen), others), 100))
    space = large.encode(" ")[0]
    what = "biography of the space, the token in most others"
    report(what + ", at once", None, *measure(lambda: vocabulary.biography(space), 3))
    begun = time.perf_counter()
    all_parts(large)  # the app does it in the background when it starts
    all_known = (time.perf_counter() - begun) * 1000
    report("the parents of all tokens, in the background", None, all_known, all_known)
    report(what, 100, *measure(lambda: vocabulary.biography(space)))

    vocabulary.search("a", filters=tk.Filters(script="Latin", digits=False, whitespace=False))
    for what, run in {
        "text": lambda: vocabulary.search("ing"),
        "text, ignoring case": lambda: vocabulary.search("ING", ignore_case=True),
        "one letter": lambda: vocabulary.search("e"),
        "bytes": lambda: vocabulary.search("e0 a4", "bytes"),
        "regex": lambda: vocabulary.search(r"^ ?[A-Z][a-z]+$", "regex"),
        "regex that repeats a group": lambda: vocabulary.search(r"^(?:ab|[cd])+$", "regex"),
        "regex that nearly all tokens match": lambda: vocabulary.search("^[^a]+$", "regex"),
        "regex with back references": lambda: vocabulary.search(r"^(.)(.).?\2\1$", "regex"),
        "filters alone": lambda: vocabulary.search("", filters=tk.Filters(script="Han", min_chars=3)),
    }.items():
        report(f"search, {LARGE}: {what}", 200, *measure(run))
    begun = time.perf_counter()
    n_unreachable = len(vocabulary.unreachable)
    first = (time.perf_counter() - begun) * 1000
    report(f"the {n_unreachable} unreachable tokens of {LARGE}, first time", None, first, first)


if __name__ == "__main__":
    main()
