"""Proof that other trainers learn the same merges.

    python -m benchmarks.peers_equal --python PYTHON-WITH-THE-PEERS [--path FOLDER-WITH-MINBPE]

Under "smallest", rustbpe's merges have to be ours, to the last. The Hugging Face package breaks ties in
the same way, but over byte ids in another order (that of its characters for bytes). So it parts from us at
some tie, and in the end has nearly the same set of tokens: said with the figures. minbpe's merges have to
be ours under "first"; it is slow, so on a small corpus.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import tokenizers as tk
from benchmarks.processes import run
from benchmarks.texts import FOLDER, corpus_file, read_texts, write_texts
from tokenizers.data import udhr
from tokenizers.split.patterns import PATTERNS
from tokenizers.text.byte_characters import byte_characters


def main() -> int:
    parser = argparse.ArgumentParser(description="Do other trainers learn the same merges?")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--path", nargs="*", default=[], help="folders with peers that are not installed")
    parser.add_argument("--mb", type=float, nargs="+", default=[1, 10])
    parser.add_argument("--size", type=int, default=32768)
    options = parser.parse_args()

    languages = [language.text for language in udhr.list_languages()]
    corpora = {"the declaration": write_texts(FOLDER / "declaration.jsonl", languages)}
    corpora |= {f"{size:g} MB": corpus_file(size) for size in options.mb}
    failures = 0
    for label, corpus in corpora.items():
        texts = read_texts(corpus)
        for name, pattern in PATTERNS.items():
            tokens = [grove_token.hex() for grove_token in tokens_of(tk.train(texts, options.size, name))]
            job = {"corpus": str(corpus), "size": options.size, "pattern": pattern, "merges": True}
            result = run({**job, "peer": "rustbpe"}, options.python)
            where = f"{label}, {name}, {len(tokens) - 256:,} merges"
            failures += report(f"{where}: rustbpe", result, tokens)
            result = run({**job, "peer": "huggingface"}, options.python)
            if "error" not in result:
                result["merges"] = [*tokens[:256], *map(joined, result["merges"])]
                equal = equal_until(result["merges"], tokens)
                apart = len(set(result["merges"]) ^ set(tokens)) // 2
                print(f"{where}: Hugging Face equal for {equal - 256:,}; in the end {apart} tokens differ")
    small = [text[:3000] for text in languages[::20]]
    corpus = write_texts(FOLDER / "small.jsonl", small)
    grove = tk.train("".join(small), 256 + 300, "gpt4", ties="first")
    job = {"corpus": str(corpus), "size": 556, "pattern": PATTERNS["gpt4"], "merges": True, "peer": "minbpe"}
    result = run({**job, "path": options.path}, options.python)
    failures += report("300 merges, ties by place: minbpe", result, [list(pair) for pair in grove.merges])
    return 1 if failures else 0


def tokens_of(grove: tk.HomeEncoding) -> list[bytes]:
    """The bytes of each token, in order of ids."""
    return [grove.token_bytes(token_id) for token_id in range(grove.n_vocab)]


def joined(merge: list[str]) -> str:
    """What a merge of the Hugging Face package makes, in hexadecimal."""
    return bytes(map(byte_characters().index, "".join(merge))).hex()


def equal_until(some: list[Any], others: list[Any]) -> int:
    """Up to where two lists are equal."""
    pairs = zip(some, others, strict=False)
    return next((i for i, (one, other) in enumerate(pairs) if one != other), min(len(some), len(others)))


def report(label: str, result: dict[str, Any], ours: list[Any]) -> int:
    """Print whether merges are ours; 1 if they are not."""
    if "error" in result:
        print(f"{label}: not compared ({result['error']})")
        return 0
    equal = result["merges"] == ours
    place = equal_until(result["merges"], ours)
    print(f"{label} {'equal' if equal else f'parts at {place:,}'}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
