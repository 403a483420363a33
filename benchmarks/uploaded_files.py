"""How long large files take to load, the memory they take, and how fast they encode, beside their libraries.

    python -m benchmarks.uploaded_files

The files are vocabularies of the app, so that nothing has to be fetched: claude-2's byte pairs, a
tokenizer.json, and j2's Unigram, a .model. Each is read in two processes of its own, by us and by its library
alone; times are ratios of the two, of seconds of the processor.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.processes import run
from benchmarks.texts import write_texts
from tokenizers.data import list_parallel
from tokenizers.data.models import read_vocabulary

TEXT_CHARS = 200_000
RUNS = 3
FILES = {"claude-2.tokenizer.json": "huggingface", "j2.model": "sentencepiece"}


def main() -> None:
    """Print the table."""
    text = "".join(each.text[:600] for each in list_parallel())[:TEXT_CHARS]
    print("| file | MB | loading | stays, MB | peak | its library | encoding |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        corpus = write_texts(Path(folder, "texts.jsonl"), [f"{text}{number}" for number in range(RUNS)])
        for name, library in FILES.items():
            path = Path(folder, name)
            path.write_bytes(read_vocabulary(name, name))
            job = {"file": str(path), "corpus": str(corpus)}
            ours, theirs = (run({**job, "peer": peer}) for peer in ("grove", library))
            print(
                f"| {name} | {path.stat().st_size / 1e6:.1f} | {ours['load'] / theirs['load']:.1f}× "
                f"| {ours['stays']:.0f} | {ours['peak']:.0f} | {theirs['stays']:.0f} "
                f"| {ours['encode'] / theirs['encode']:.1f}× |",
                flush=True,
            )


if __name__ == "__main__":
    main()
