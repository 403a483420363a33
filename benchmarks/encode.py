"""Encoding speed with a home-trained vocabulary of 32k, beside the peers: identical ids, and a table.

    python -m benchmarks.encode --python PYTHON-WITH-THE-PEERS

The vocabulary is trained on 10 MB; all encode 10 other MB or so, cut into texts of so many KB, on one
thread, each in a process of its own, which encodes everything several times. The peers take turns, and the
best run of each counts: others on the machine only ever slow it down. Ids to a Python list.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import tokenizers as tk
from benchmarks.machine import describe_machine
from benchmarks.processes import run
from benchmarks.texts import FOLDER, corpus_file, read_texts, write_texts
from tokenizers.files import ranks

PEERS = {"grove": "Token Grove", "tiktoken": "tiktoken", "huggingface": "Hugging Face"}


def main() -> int:
    parser = argparse.ArgumentParser(description="Encoding speed with a home-trained vocabulary.")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--pattern", nargs="+", default=["gpt2", "gpt4", "gpt4o"])
    parser.add_argument("--kb", nargs="+", type=int, default=[1, 50, 1000], help="lengths of a text")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()

    seen = read_texts(corpus_file(10))
    unseen = [text for text in read_texts(corpus_file(20))[len(seen) :] if "<|" not in text]
    everything = "\n".join(unseen)
    megabytes = len(everything.encode()) / 1e6
    print(f"{describe_machine('tiktoken')}; {megabytes:.1f} MB; MB/s\n")
    print("| pattern | KB each | " + " | ".join(PEERS.values()) + " | ids |")
    print("|---|---:|" + "---:|" * len(PEERS) + "---|")
    failures = 0
    for pattern in options.pattern:
        grove = tk.train(seen, 32768, pattern)
        for ending in ("model", "tiktoken", "json"):
            tk.save(grove, FOLDER / f"grove.{ending}")
        snippet = ranks.snippet(grove, str(FOLDER / "grove.tiktoken"))
        Path(FOLDER / "grove.py").write_text(snippet, encoding="utf-8")
        for kb in options.kb:
            length = kb * 1000
            texts = [everything[start : start + length] for start in range(0, len(everything), length)]
            corpus = write_texts(FOLDER / "unseen.jsonl", texts)
            job = {"corpus": str(corpus), "folder": str(FOLDER), "model": "grove", "runs": options.runs}
            results = [measure(job, options.python) for _ in range(options.turns)]
            cells = []
            for peer in PEERS:
                errors = [result[peer]["error"] for result in results if "error" in result[peer]]
                best = min((result[peer].get("seconds", 1e9) for result in results), default=1e9)
                cells.append(errors[0] if errors else f"{megabytes / best:.1f}")
            digests = {r["digest"] for result in results for r in result.values() if "digest" in r}
            failures += len(digests) != 1
            cells.append("identical" if len(digests) == 1 else "differ")
            print(f"| {pattern} | {kb:,} | " + " | ".join(cells) + " |", flush=True)
    return 1 if failures else 0


def measure(job: dict[str, Any], python: str) -> dict[str, dict[str, Any]]:
    """What each peer takes, one after the other."""
    return {
        peer: run({**job, "peer": peer}, python if peer == "huggingface" else sys.executable)
        for peer in PEERS
    }


if __name__ == "__main__":
    sys.exit(main())
