"""Encoding speed with a home-trained vocabulary of 32k, beside the peers: identical ids, and a table.

    python -m benchmarks.encode --python PYTHON-WITH-THE-PEERS

The vocabulary is grown on 10 MB; all encode 10 other MB or so, a text at a time, on one thread; each in a
process of its own, which encodes everything several times; the median counts. Ids to a Python list.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import tokenizers as tk
from benchmarks.processes import machine, run
from benchmarks.texts import FOLDER, corpus_file, read_texts, write_texts
from tokenizers import tiktoken_file

PEERS = {"grove": "Token Grove", "tiktoken": "tiktoken", "huggingface": "Hugging Face"}


def main() -> int:
    parser = argparse.ArgumentParser(description="Encoding speed with a home-trained vocabulary.")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--pattern", nargs="+", default=["gpt2", "gpt4", "gpt4o"])
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()

    seen = read_texts(corpus_file(10))
    unseen = [text for text in read_texts(corpus_file(20))[len(seen) :] if "<|" not in text]
    corpus = write_texts(FOLDER / "unseen.jsonl", unseen)
    megabytes = sum(len(text.encode()) for text in unseen) / 1e6
    print(f"{machine()}; {megabytes:.1f} MB in {len(unseen):,} texts; MB/s\n")
    print("| pattern | " + " | ".join(PEERS.values()) + " | ids |")
    print("|---|" + "---:|" * len(PEERS) + "---|")
    failures = 0
    for pattern in options.pattern:
        grove = tk.train(seen, 32768, pattern)
        for ending in ("model", "tiktoken", "json"):
            grove.save(FOLDER / f"grove.{ending}")
        snippet = tiktoken_file.snippet(grove, str(FOLDER / "grove.tiktoken"))
        Path(FOLDER / "grove.py").write_text(snippet, encoding="utf-8")
        job = {"corpus": str(corpus), "folder": str(FOLDER), "model": "grove", "runs": options.runs}
        results = {
            peer: run({**job, "peer": peer}, options.python if peer == "huggingface" else sys.executable)
            for peer in PEERS
        }
        cells = [result.get("error") or f"{megabytes / result['seconds']:.1f}" for result in results.values()]
        same = len({result["digest"] for result in results.values() if "digest" in result}) == 1
        failures += not same
        print(f"| {pattern} | " + " | ".join(cells) + f" | {'identical' if same else 'differ'} |", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
