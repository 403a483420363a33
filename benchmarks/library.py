"""How long the library's work behind the pages takes, for 1 MB: python -m benchmarks.library

Times are milliseconds of the processor, so that other work on the machine hardly changes them: of the curve's
first run, which makes what later runs share, and otherwise the median of later ones.
"""

from __future__ import annotations

import pydoc_data.topics
import time
from collections.abc import Callable
from statistics import median

import tokenizers as tk
from benchmarks.machine import describe_machine, print_head, print_row
from tokenizers.data import read_bundled, udhr
from tokenizers.text import find_words

ENCODINGS = ("gpt2", "cl100k_base", "o200k_base", "grove-udhr-8k")
MEGABYTE = 1_000_000


def times_of(run: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of the first run, and the median of five others."""
    times = []
    for _ in range(6):
        begun = time.process_time()
        run()
        times.append((time.process_time() - begun) * 1000)
    return times[0], median(times[1:])


def megabytes() -> dict[str, str]:
    """A megabyte of each kind of text."""
    samples = {
        "English prose": "".join(pydoc_data.topics.topics.values()) * 3,
        "Python source": "".join(read_bundled("library").texts),
        "500 languages": "".join(language.text for language in udhr.list_languages()),
    }
    return {name: text.encode()[:MEGABYTE].decode(errors="ignore") for name, text in samples.items()}


def print_times(encoding: tk.Encoding, kind: str, text: str) -> None:
    """Print a row: token counts at every size, encoding alone, and with every metric of Compression."""
    words = find_words(text)
    first, again = times_of(lambda: tk.counts_by_size(encoding, text))
    _, alone = times_of(lambda: encoding.encode_array(text))
    _, measured = times_of(lambda: tk.measure(encoding, text, words=lambda: words))
    print_row(encoding.name, kind, first, again, alone, measured)


def main() -> None:
    """Print the table."""
    print(describe_machine(), end="\n\n")
    print_head("encoding", "text", "the curve, first", "again", "encoding alone", "measuring")
    for kind, text in megabytes().items():
        for name in ENCODINGS:
            print_times(tk.get_encoding(name), kind, text)


if __name__ == "__main__":
    main()
