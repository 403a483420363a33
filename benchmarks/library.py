"""How long the library's work behind the pages takes: python -m benchmarks.library [PART ...]

Times are those of the processor, so that other work on the machine hardly changes them: of the first run,
which makes what later runs share, and the median of the later ones, beside the goal where there is one.
"""

from __future__ import annotations

import functools
import itertools
import pydoc_data.topics
import random
import statistics
import time
from collections.abc import Callable

import tokenizers as tk
from benchmarks.machine import describe_machine, options_of
from tokenizers.bpe import cuts_by_size
from tokenizers.data import list_parallel, read_bundled, udhr
from tokenizers.measure import count_text, search_tokens
from tokenizers.text import find_words

ENCODINGS = ("gpt2", "cl100k_base", "o200k_base", "grove-udhr-8k")
MEGABYTE = 1_000_000


def report(
    what: str, run: Callable[..., object], *args: object, goal: float | None = None, repeats: int = 5
) -> None:
    """Print milliseconds of the first run, and the median of the others."""
    times = []
    for _ in range(repeats + 1):
        begun = time.process_time()
        run(*args)
        times.append((time.process_time() - begun) * 1000)
    median = statistics.median(times[1:])
    verdict = "" if goal is None else f"goal {goal:,.0f}{'' if median <= goal else ': TOO SLOW'}"
    print(f"{what:<66}{times[0]:10.1f}{median:10.1f}  {verdict}", flush=True)


def megabytes() -> dict[str, str]:
    """A megabyte of each kind of text."""
    samples = {
        "English prose": "".join(pydoc_data.topics.topics.values()) * 3,
        "Python source": "".join(read_bundled("library").texts),
        "500 languages": "".join(language.text for language in udhr.list_languages()),
    }
    return {name: text.encode()[:MEGABYTE].decode(errors="ignore") for name, text in samples.items()}


def metrics() -> None:
    """Measuring an encoding on a text, beside encoding alone."""
    for kind, text in megabytes().items():
        report(f"words of 1 MB, {kind}", find_words, text)
        measure = functools.partial(tk.measure, words=itertools.repeat(find_words(text)).__next__)
        for encoding in map(tk.get_encoding, ENCODINGS):
            report(f"  encode, {encoding.name}", encoding.encode_array, text)
            report("  measure", measure, encoding, text)


def curve() -> None:
    """Token counts at every vocabulary size, and one step of the scrubber."""
    pair = [tk.get_encoding(name) for name in ("cl100k_base", "o200k_base")]
    sizes = itertools.cycle([300, 1000, 5000, 20_000, 90_000])

    def cut(text: str) -> None:
        size = next(sizes)
        for encoding in pair:
            (cuts_by_size(encoding, text) > size).sum()

    for kind, text in megabytes().items():
        for encoding in map(tk.get_encoding, ENCODINGS):
            what = f"the curve of 1 MB, {encoding.name}, {kind}"
            report(what, tk.counts_by_size, encoding, text, goal=1000)
        report(f"10 KB cut at another size in two encodings, {kind}", cut, text[:10_000], goal=100)


def languages() -> None:
    """All languages in each encoding."""
    for encoding in map(tk.get_encoding, ENCODINGS):
        what = f"494 languages in {encoding.name}"
        report(what, lambda of: [count_text(of, text) for text in list_parallel()], encoding, goal=2500)


def trees() -> None:
    """Forests, biographies, searches."""
    cl100k, large = tk.get_encoding("cl100k_base"), tk.get_encoding("o200k_base")
    for code in ("eng", "hin"):
        text = udhr.get_language(code).text[:1000]
        report(f"forest, 1,000 characters, {code}", tk.forest, cl100k, text, goal=50)
    long_piece = "".join(random.Random(7).choices("etaoin", k=100_000))
    report("trace, one piece of 100,000 bytes", tk.trace, cl100k, long_piece, goal=1000)
    vocabulary = tk.vocabulary_of(large)
    others = [tk.get_encoding(name) for name in tk.list_encodings()]
    chosen = iter(random.Random(7).sample(vocabulary.ids.tolist(), 100))
    report(
        "biography, o200k_base",
        lambda: vocabulary.biography(next(chosen), others),
        goal=100,
        repeats=90,
    )
    report("biography of the space", vocabulary.biography, large.encode(" ")[0])
    for what, by in (("ing", "text"), ("e0 a4", "bytes"), (r"^ ?[A-Z][a-z]+$", "regex")):
        report(f"search {what}", search_tokens, vocabulary, what, by, goal=200)


PARTS = {part.__name__: part for part in (metrics, curve, languages, trees)}


def main() -> None:
    """Run the parts."""
    parser = options_of(__doc__)
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], help="by default, all of them")
    chosen = parser.parse_args().part or PARTS
    print(describe_machine("tiktoken", "numpy"))
    for name in chosen:
        print(f"\n{PARTS[name].__doc__}  (milliseconds: first, median of later ones)")
        PARTS[name]()


if __name__ == "__main__":
    main()
