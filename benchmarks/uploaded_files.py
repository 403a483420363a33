"""How long large files take to load, the memory they take, and how fast they encode, beside their libraries.

    python -m benchmarks.uploaded_files

The files are vocabularies of the app, so that nothing has to be fetched: claude-2's byte pairs, a
tokenizer.json, and j2's Unigram, a .model. Each is read in two processes of its own, by us and by its library
alone; times are ratios of the two, of seconds of the processor.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.machine import print_head, print_row
from benchmarks.processes import run
from benchmarks.texts import write_texts
from tokenizers.data import list_parallel
from tokenizers.data.models import read_vocabulary

FILES = {"claude-2.tokenizer.json": "huggingface", "j2.model": "sentencepiece"}


def main() -> None:
    """Print the table."""
    text = "".join(each.text[:600] for each in list_parallel())[:200_000]
    print_head("file", "loading, times as long", "MB that stay", "its library", "encoding, times as long")
    with tempfile.TemporaryDirectory() as folder:
        corpus = write_texts(Path(folder, "texts.jsonl"), [f"{text}{number}" for number in range(3)])
        for name, library in FILES.items():
            path = Path(folder, name)
            path.write_bytes(read_vocabulary(name, name))
            ours, theirs = (
                run(sys.executable, "measure_file", peer, corpus=str(corpus), file=str(path))
                for peer in ("grove", library)
            )
            print_row(
                name,
                ours["loading"] / theirs["loading"],
                ours["megabytes"],
                theirs["megabytes"],
                ours["encoding"] / theirs["encoding"],
            )


if __name__ == "__main__":
    main()
