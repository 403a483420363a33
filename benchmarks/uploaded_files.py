"""How long large files take to load, the memory they take, and how fast they encode, beside their libraries.

    python -m benchmarks.uploaded_files

The files are vocabularies of the app, so that nothing has to be fetched: claude-2's byte pairs, a
tokenizer.json, and j2's Unigram, a .model. Each is read in two processes of its own, by us and by its library
alone; times are ratios of the two, of seconds of the processor.
"""

# mypy: ignore-errors
# "tokenizers" is another package in the libraries' processes.

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT_BYTES = 200_000
RUNS = 3


FILES = {"claude-2.tokenizer.json": "huggingface", "j2.model": "sentencepiece"}


def ours():
    sys.path.insert(0, str(ROOT))
    from tokenizers.files import load

    return lambda path: load(Path(path), "uploaded")


def huggingface():
    from tokenizers import Tokenizer

    return Tokenizer.from_file


def sentencepiece():
    from sentencepiece import SentencePieceProcessor

    return lambda path: SentencePieceProcessor(model_file=path)


LOADERS = {loader.__name__: loader for loader in (ours, huggingface, sentencepiece)}


def measure(who: str, path: str, text_path: str) -> dict[str, float]:
    """Seconds to load, megabytes that stay and at the peak, and seconds to encode."""
    text = Path(text_path).read_text(encoding="utf-8")
    load_file = LOADERS[who]()
    before = _memory("VmRSS")
    begun = _seconds()
    encode = load_file(path).encode
    loaded = _seconds() - begun
    stays, peak = _memory("VmRSS") - before, _memory("VmHWM") - before
    times = []
    for run in range(RUNS):
        again = f"{text}{run}"
        begun = _seconds()
        encode(again)
        times.append(_seconds() - begun)
    return {"load": loaded, "stays": stays, "peak": peak, "encode": min(times)}


def _seconds() -> float:
    """Of the processor, those of processes that were started included."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _memory(key: str) -> float:
    """In MB, as Linux counts it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{key}:")[2].split()[0]) / 1024


def main() -> None:
    """Print the table."""
    sys.path.insert(0, str(ROOT))
    from tokenizers.data import list_parallel
    from tokenizers.data.models import read_vocabulary

    with tempfile.TemporaryDirectory() as folder:
        text_path = Path(folder) / "text.txt"
        text = "".join(each.text[:600] for each in list_parallel())
        text_path.write_text(text[:TEXT_BYTES], encoding="utf-8")
        print("| file | MB | loading | stays, MB | peak | its library | encoding |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for name, library in FILES.items():
            path = Path(folder) / name
            path.write_bytes(read_vocabulary(name, name))

            def run(who: str, *paths: str) -> dict[str, float]:
                command = [sys.executable, __file__, "--measure", who, *paths]
                return json.loads(subprocess.run(command, check=True, capture_output=True, cwd=folder).stdout)

            ours, theirs = (run(who, str(path), str(text_path)) for who in ("ours", library))
            print(
                f"| {name} | {path.stat().st_size / 1e6:.1f} | {ours['load'] / theirs['load']:.1f}× "
                f"| {ours['stays']:.0f} | {ours['peak']:.0f} | {theirs['stays']:.0f} "
                f"| {ours['encode'] / theirs['encode']:.1f}× |",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*sys.argv[2:])))
    else:
        main()
