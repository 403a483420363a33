"""Encoding speed beside the peers: identical ids, and a table.

    python -m benchmarks.encode --python PYTHON-WITH-THE-PEERS

With tiktoken's own vocabularies and home-trained ones (home-gpt2, home-gpt4, home-gpt4o: 32k, from 10 MB), on
prose, source code and the declaration in all languages, in texts of 100 KB; and on a million equal letters.
Each peer has a process of its own, in which it encodes everything several times; "cold" is its first time.
The peers take turns, and the best run of each counts: others on the machine only ever slow it down. Each
hands out ids as it does so fastest.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import tokenizers as tk
from benchmarks.machine import describe_machine, print_head, print_row
from benchmarks.processes import run
from benchmarks.texts import FOLDER, corpus_file, read_kinds, read_texts, save_for_peers, write_texts
from tokenizers.bundled.published import ENCODINGS_DIR, TIKTOKEN_ENCODINGS, name_in_cache
from tools.options import read_options

PEERS = ("grove", "tiktoken", "gigatoken", "toktok", "quicktok", "splintr")
HOME = "home-"


def main() -> int:
    """Print the table."""
    asked = read_options(
        __doc__,
        python=sys.executable,
        encodings=["cl100k_base", "o200k_base", "home-gpt4"],
        mb=5,  # of prose and of code
        runs=3,
        turns=2,
    )
    print(f"{describe_machine()}; MB/s (times tiktoken's)\n")
    print_head("encoding", "text", "how", *PEERS)
    n_failures = 0
    for name, (kind, text) in itertools.product(asked.encodings, read_kinds(asked.mb).items()):
        parts = [text[start : start + 100_000] for start in range(0, len(text), 100_000)]
        corpus = write_texts(FOLDER / "encoded.jsonl", parts)
        job = {"corpus": str(corpus), "encoding": name, "files": str(files_of(name)), "runs": asked.runs}
        peers = PEERS[:2] if name.startswith(HOME) else PEERS
        speeds: dict[str, dict[str, float]] = {}  # by how, by peer
        digests = set()
        for _, peer in itertools.product(range(asked.turns), peers):
            result = run(asked.python, "measure_speeds", peer, **job)
            for how, speed in result["speeds"].items():
                by_peer = speeds.setdefault(how, {})
                by_peer[peer] = max(speed, by_peer.get(peer, 0))
            digests.add(result["digest"])
        n_failures += len(digests) > 1
        for how, by_peer in speeds.items():
            cells = [f"{speed:.1f} ({speed / by_peer['tiktoken']:.1f}×)" for speed in by_peer.values()]
            print_row(name, kind, how, *cells)
    print(f"\nDifferent ids: {n_failures}.")
    return 1 if n_failures else 0


def files_of(name: str) -> Path:
    """The file of the ranks; of a home-trained vocabulary, which is trained now, the folder of its files."""
    if not name.startswith(HOME):
        return ENCODINGS_DIR / name_in_cache(TIKTOKEN_ENCODINGS[name][1][0])
    return save_for_peers(tk.train(read_texts(corpus_file(10)), 32768, name.removeprefix(HOME)))


if __name__ == "__main__":
    sys.exit(main())
