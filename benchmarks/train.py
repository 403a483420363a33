"""Training speed and memory, beside the peers: a Markdown table.

    pip install -r benchmarks/requirements.txt        into this environment, or another: --python
    python -m benchmarks.train                        everything: half an hour
    python -m benchmarks.train --pattern gpt2         with the peers that have only this pattern
    python -m benchmarks.train --mb 10 --sizes 8192 --runs 1

Each run is a process of its own: it reads the texts into a list, and then the clock runs over the
training alone. Medians of several runs; peers take turns, so that a busy minute hits all alike. Peak
memory is the whole process's, the texts included. Our kernels are compiled before, and loaded
before the clock runs: a fraction of a second once in a process.
"""

from __future__ import annotations

import sys
from statistics import median

from benchmarks.machine import describe_machine, print_head, print_row
from benchmarks.processes import run
from benchmarks.texts import corpus_file
from tokenizers.split.patterns import PATTERNS
from tools.options import read_options

PEERS = {"gpt4": ("grove", "rustbpe", "huggingface"), "gpt2": ("grove", "gigabpe", "gigatoken")}
"""By pattern."""


def main() -> None:
    """Print the table."""
    asked = read_options(
        __doc__,
        mb=[10.0, 100.0],
        sizes=[8192, 32768, 100_000],
        pattern="gpt4",
        runs=3,
        python=sys.executable,
    )
    print(f"{describe_machine()}; seconds (times Token Grove), peak MB\n")
    peers = PEERS[asked.pattern]
    print_head("MB", "vocabulary", *peers)
    for megabytes in asked.mb:
        for size in asked.sizes:
            job = {"corpus": str(corpus_file(megabytes)), "size": size, "pattern": PATTERNS[asked.pattern]}
            turns = [[run(asked.python, "train", peer, **job) for peer in peers] for _ in range(asked.runs)]
            seconds = [median(each["seconds"] for each in runs) for runs in zip(*turns, strict=True)]
            peaks = [median(each["peak"] for each in runs) for runs in zip(*turns, strict=True)]
            cells = [
                f"{time:.2f} ({time / seconds[0]:.1f}×), {peak:.0f}"
                for time, peak in zip(seconds, peaks, strict=True)
            ]
            print_row(f"{megabytes:g}", f"{size:,}", *cells)


if __name__ == "__main__":
    main()
