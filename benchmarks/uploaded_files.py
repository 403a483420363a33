"""How long large files take to load, the memory they take, and how fast they encode, beside their libraries.

    python -m benchmarks.uploaded_files

The files are vocabularies of the app, so that nothing has to be fetched: claude-2's byte pairs, a
tokenizer.json, and j2's Unigram, a .model. Each is read in two processes of its own, by us and by its library
alone; times are ratios of the two, of seconds of the processor.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import sentencepiece

from benchmarks.machine import print_head, print_row
from benchmarks.peers import memory, processor_seconds
from tokenizers.data import list_parallel
from tokenizers.data.models import read_vocabulary
from tokenizers.files import load
from tokenizers.split.engines import load_huggingface

FILES = ("claude-2.tokenizer.json", "j2.model")


def opener(path: Path, by_library: bool) -> Callable[[str], Any]:
    """What opens such a file: its library, or we."""
    if not by_library:
        return lambda name: load(Path(name), "uploaded")
    if path.suffix == ".json":
        open_json: Callable[[str], Any] = load_huggingface().Tokenizer.from_file
        return open_json
    return sentencepiece.SentencePieceProcessor


def measure(path: Path, by_library: bool) -> tuple[float, float, float]:
    """Seconds to load a file, the megabytes that stay, and seconds to encode a text: the least of three."""
    text = "".join(each.text[:600] for each in list_parallel())[:200_000]
    open_file = opener(path, by_library)
    memory_before, begun = memory("VmRSS"), processor_seconds()
    encoding = open_file(str(path))
    loading = processor_seconds() - begun
    megabytes = memory("VmRSS") - memory_before
    times = []
    for number in range(3):
        begun = processor_seconds()
        encoding.encode(f"{text}{number}")
        times.append(processor_seconds() - begun)
    return loading, megabytes, min(times)


def main() -> None:
    """Print the table."""
    print_head("file", "loading, times as long", "MB that stay", "its library", "encoding, times as long")
    with tempfile.TemporaryDirectory() as folder:
        for name in FILES:
            path = Path(folder, name)
            path.write_bytes(read_vocabulary(name, name))
            with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as processes:
                ours, theirs = processes.map(measure, [path, path], [False, True])
            print_row(name, ours[0] / theirs[0], ours[1], theirs[1], ours[2] / theirs[2])


if __name__ == "__main__":
    main()
