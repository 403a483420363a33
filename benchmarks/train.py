"""Training speed and memory, beside the peers: a Markdown table.

    pip install -r benchmarks/requirements.txt      into this environment, or another: --python
    python -m benchmarks.train                      everything: half an hour
    python -m benchmarks.train --mb 1 10 --size 8192 --pattern gpt2 --peer grove gigabpe gigatoken --runs 1
    python -m benchmarks.train --streamed 100 300      the command, on files of so many MB

Each run is a process of its own: it reads the texts into a list, and then the clock runs over the
training alone. Medians of several runs; peers take turns, so that a busy minute hits all alike. Peak
memory is the whole process's, the texts included. Our kernels are compiled before, and loaded
before the clock runs: a fraction of a second once in a process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.machine import describe_machine, options_of
from benchmarks.processes import run
from benchmarks.texts import corpus_file, text_files
from tokenizers.split.patterns import PATTERNS

PEERS = ["grove", "rustbpe", "huggingface", "gigabpe", "gigatoken", "minbpe"]
ONLY_GPT2 = {"gigabpe", "gigatoken"}
NAMES = {"grove": "Token Grove", "huggingface": "Hugging Face"}


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--mb", type=float, nargs="+", default=[10, 100], help="sizes of the corpus")
    parser.add_argument("--size", type=int, nargs="+", default=[8192, 32768, 100_000], help="vocabularies")
    parser.add_argument("--pattern", nargs="+", default=["gpt4"], choices=list(PATTERNS))
    parser.add_argument("--peer", nargs="+", default=PEERS[:3], choices=PEERS)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--streamed", type=int, nargs="+", default=[], help="only the command, on files")
    options = parser.parse_args()

    for megabytes in options.streamed:
        seconds, peak = measure_command([str(path) for path in text_files(megabytes)])
        print(f"{megabytes:,} MB of files, gpt4, 32,768 tokens: {seconds:.1f} s, {peak:,.0f} MB at the peak")
    if options.streamed:
        return
    print(f"{describe_machine()}; medians of {options.runs}; seconds (times Token Grove), peak MB\n")
    print(
        "| MB | pattern | vocabulary | " + " | ".join(NAMES.get(peer, peer) for peer in options.peer) + " |"
    )
    print("|---:|---|---:|" + "---:|" * len(options.peer))
    for megabytes in options.mb:
        path = corpus_file(megabytes)
        for pattern in options.pattern:
            for size in options.size:
                cells = measure(options, str(path), pattern, size)
                print(f"| {megabytes:g} | {pattern} | {size:,} | " + " | ".join(cells) + " |", flush=True)


def measure_command(files: list[str]) -> tuple[float, float]:
    """Seconds and the peak of memory in MB of ``python -m tokenizers train``."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tokenizers", "train", "gpt4", *files, "--vocab=32768"]
        started = time.perf_counter()
        process = subprocess.Popen([*command, f"--out={folder}/my.model"], stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
    if status:
        raise OSError(f"The command failed with {status}.")
    return time.perf_counter() - started, used.ru_maxrss / 1024


def measure(options: argparse.Namespace, corpus: str, pattern: str, size: int) -> list[str]:
    """A cell for each peer."""
    results: dict[str, list[dict[str, float]]] = {peer: [] for peer in options.peer}
    errors: dict[str, str] = {}
    for _ in range(options.runs):
        for peer in options.peer:
            if peer in errors:
                continue
            if peer in ONLY_GPT2 and pattern != "gpt2":
                errors[peer] = "it has the gpt2 pattern only"
                continue
            job = {"peer": peer, "corpus": corpus, "size": size, "pattern": PATTERNS[pattern]}
            result = run(job, sys.executable if peer == "grove" else options.python)
            if "error" in result:
                errors[peer] = result["error"]
                print(f"{peer}: {result['error']}", file=sys.stderr)
            else:
                results[peer].append(result)

    def median(peer: str, what: str) -> float:
        return statistics.median(result[what] for result in results[peer])

    cells = []
    for peer in options.peer:
        if peer in errors:
            cells.append("–")
            continue
        seconds = median(peer, "seconds")
        ratio = ""
        if peer != "grove" and results.get("grove"):
            ratio = f" ({seconds / median('grove', 'seconds'):.1f}×)"
        cells.append(f"{seconds:.2f}{ratio}, {median(peer, 'peak'):.0f}")
    return cells


if __name__ == "__main__":
    main()
