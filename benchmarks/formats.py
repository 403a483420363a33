"""Proof that the files we write mean the same to those they are for.

    python -m benchmarks.formats --python PYTHON-WITH-THE-PEERS [--path FOLDER-WITH-MINBPE]

For each pattern, a grove is saved in all three formats, and each is read by the library that it is for, in
a process of its own. Ids have to be equal on real text, on the declaration in all its languages, and on
texts made to break patterns.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

import tokenizers as tk
from benchmarks.processes import run
from benchmarks.texts import FOLDER, corpus_file, read_texts, write_texts
from tests.texts import NASTY
from tokenizers.data import udhr
from tokenizers.formats import tiktoken_file
from tokenizers.utf8 import well_formed

PATTERN_CHOICES = ["gpt2", "gpt4", "gpt4o", r"\p{Ll}+|\s", None]
LETTERS = "aAbsStT'''    \n\n\r\t\x85\xa0½1234٣!/,.-éßſǅʰªあ中\u0301\u0903\u200d😀"


def main() -> int:
    parser = argparse.ArgumentParser(description="Do other libraries read our files as we do?")
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--path", nargs="*", default=[], help="folders with peers that are not installed")
    options = parser.parse_args()

    choose = random.Random(7)
    made = ["".join(choose.choices(LETTERS, k=30)) for _ in range(20_000)]
    texts = [language.text for language in udhr.list_languages()] + [well_formed(t) for t in NASTY.values()]
    texts += made + read_texts(corpus_file(1))
    corpus = write_texts(FOLDER / "formats.jsonl", [text for text in texts if "<|endoftext|>" not in text])
    texts = read_texts(corpus)

    failures = 0
    for pattern in PATTERN_CHOICES:
        grove = tk.train(texts, 4096, pattern, special_tokens=["<|endoftext|>"])
        ids = [grove.encode(text) for text in texts]
        for ending in ("model", "tiktoken", "json"):
            tk.save(grove, FOLDER / f"grove.{ending}")
        snippet = tiktoken_file.snippet(grove, str(FOLDER / "grove.tiktoken"))
        Path(FOLDER / "grove.py").write_text(snippet, encoding="utf-8")
        job = {"corpus": str(corpus), "folder": str(FOLDER), "model": "grove", "ids": True}
        for peer in ("tiktoken", "huggingface", "minbpe"):
            python = sys.executable if peer == "tiktoken" else options.python
            result = run({**job, "peer": peer, "path": options.path}, python)
            if "error" in result:
                print(f"{pattern}, {peer}: not compared ({result['error']})")
                continue
            if peer == "minbpe" and pattern is None:
                continue  # its other tokenizer
            unequal = [i for i, their_ids in enumerate(result["ids"]) if their_ids != ids[i]]
            print(f"{pattern}, {peer}: {len(texts) - len(unequal):,} of {len(texts):,} texts have equal ids")
            failures += len(unequal)
            for i in unequal[:3]:
                print(f"    not {texts[i][:60]!r}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
