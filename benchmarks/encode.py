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

import tokenizers as tk
from benchmarks.machine import describe_machine, options_of
from benchmarks.processes import run
from benchmarks.texts import FOLDER, corpus_file, read_kinds, read_texts, write_texts
from tokenizers.bundled.published import ENCODINGS_DIR, TIKTOKEN_ENCODINGS, name_in_cache
from tokenizers.files import ranks

PEERS = ("grove", "tiktoken", "huggingface", "gigatoken", "toktok", "quicktok", "splintr")
HOME = "home-"


def main() -> int:
    parser = options_of(__doc__)
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--encoding", nargs="+", default=["cl100k_base", "o200k_base", "home-gpt4"])
    parser.add_argument("--mb", type=int, default=5, help="of prose and of code")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--turns", type=int, default=2)
    options = parser.parse_args()

    print(f"{describe_machine('tiktoken')}; MB/s (times tiktoken's)\n")
    print("| encoding | text | how | " + " | ".join(PEERS) + " |\n|---|---|---|" + "---:|" * len(PEERS))
    failures, versions = 0, {None}
    for name, (kind, text) in itertools.product(options.encoding, read_kinds(options.mb).items()):
        parts = [text[start : start + 100_000] for start in range(0, len(text), 100_000)]
        corpus = write_texts(FOLDER / "encoded.jsonl", parts)
        job = {"corpus": str(corpus), "folder": str(FOLDER), "runs": options.runs, **vocabulary(name)}
        speeds: dict[str, dict[str, float]] = {}  # by how, by peer
        digests = set()
        for _, peer in itertools.product(range(options.turns), PEERS):
            result = run({**job, "peer": peer}, sys.executable if peer == "grove" else options.python)
            versions.add(result.get("version"))
            for how, speed in result.get("speeds", {}).items():
                speeds.setdefault(how, {})[peer] = max(speed, speeds.get(how, {}).get(peer, 0))
            digests.add(result.get("digest"))
        failures += len(digests - {None}) != 1
        for how, by_peer in speeds.items():
            times = {peer: speed / by_peer["tiktoken"] for peer, speed in by_peer.items()}
            cells = (f"{by_peer[peer]:.1f} ({times[peer]:.1f}×)" if peer in times else "–" for peer in PEERS)
            print(f"| {name} | {kind} | {how} | " + " | ".join(cells) + " |", flush=True)
    print(f"\nDifferent ids: {failures}. {', '.join(sorted(filter(None, versions)))}")
    return 1 if failures else 0


def vocabulary(name: str) -> dict[str, str]:
    """What a job says of a vocabulary; a home-trained one is trained and written first."""
    if not name.startswith(HOME):
        return {"encoding": name, "ranks": str(ENCODINGS_DIR / name_in_cache(TIKTOKEN_ENCODINGS[name][1][0]))}
    grove = tk.train(read_texts(corpus_file(10)), 32768, name.removeprefix(HOME))
    for ending in ("model", "tiktoken", "json"):
        tk.save(grove, FOLDER / f"grove.{ending}")
    (FOLDER / "grove.py").write_text(ranks.snippet(grove, str(FOLDER / "grove.tiktoken")), encoding="utf-8")
    return {"model": "grove"}


if __name__ == "__main__":
    sys.exit(main())
