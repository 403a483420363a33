"""How long large files take to bring, the memory they take, and how fast they encode, beside their libraries.

    python -m benchmarks.uploaded_files [KIND ...]

The files come from vocabularies of the app, so that nothing has to be fetched: a byte-level BPE of 128,000
tokens as tokenizer.json (of the size of DeepSeek's and Llama 3's), and a Unigram of 260,000 as .model. Each
is read in two processes of its own, by us and by its library alone; the numbers are ratios of the two, of
seconds of the processor.
"""

# mypy: ignore-errors
# "tokenizers" is another package in the libraries' processes.

from __future__ import annotations

import argparse
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


def write_bytes(path: Path, size: int = 128_000) -> None:
    """A tokenizer.json of the first tokens of o200k_base, with the pattern of Llama 3."""
    import tokenizers as tk
    from tokenizers.bpe.merge_rule import last_middle
    from tokenizers.files.tokenizer_json import (
        BYTE_LEVEL,
        describe_added,
        describe_pairs,
    )
    from tokenizers.split.patterns import LLAMA3
    from tokenizers.text.spelling import byte_characters

    letters = byte_characters()
    enc = tk.get_encoding("o200k_base")
    names, merges = {}, []
    for data, rank in sorted(enc.ordinary.items(), key=lambda item: item[1])[:size]:
        names["".join(map(letters.__getitem__, data))] = rank
        middle = last_middle(data, enc.ordinary)
        if middle:
            parts = data[:middle], data[middle:]
            merges.append(" ".join("".join(map(letters.__getitem__, part)) for part in parts))
    split = {"type": "Split", "pattern": {"Regex": LLAMA3}, "behavior": "Isolated", "invert": False}
    added = [describe_added(size + number, f"<|{number}|>") for number in range(256)]
    content = describe_pairs(names, merges, added, [split, BYTE_LEVEL])
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def write_model(path: Path) -> None:
    """The .model file of j2."""
    from tokenizers.data.models import read_vocabulary

    path.write_bytes(read_vocabulary("j2.model", "j2"))


KINDS = {
    "byte pairs": (write_bytes, "huggingface"),
    "Unigram, .model": (write_model, "sentencepiece"),
}


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
    tried = 0.0
    if who == "ours":  # as of a file that a person brings
        from tokenizers.files import load

        tried = load(Path(path).read_bytes(), "tried", is_trusted=False).memory / (1 << 20)
    return {"load": loaded, "stays": stays, "peak": peak, "tried": tried, "encode": min(times)}


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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kind", nargs="*", default=KINDS, help=f"which files, of {', '.join(KINDS)}")
    kinds = parser.parse_args().kind
    sys.path.insert(0, str(ROOT))
    from tokenizers.data import list_parallel
    from tokenizers.files import estimate_memory

    with tempfile.TemporaryDirectory() as folder:
        text_path = Path(folder) / "text.txt"
        text = "".join(each.text[:600] for each in list_parallel())
        text_path.write_text(text[:TEXT_BYTES], encoding="utf-8")
        print(
            "| file | MB | loading | stays, MB | peak | estimated | in its trial | its library | encoding |"
        )
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        for name in kinds:
            write, library = KINDS[name]
            path = Path(folder) / "file"
            write(path)
            ours, theirs = (
                json.loads(
                    subprocess.run(
                        [sys.executable, __file__, "--measure", who, str(path), str(text_path)],
                        check=True,
                        capture_output=True,
                        cwd=folder,
                    ).stdout
                )
                for who in ("ours", library)
            )
            print(
                f"| {name} | {path.stat().st_size / 1e6:.1f} | {ours['load'] / theirs['load']:.1f}× "
                f"| {ours['stays']:.0f} | {ours['peak']:.0f} "
                f"| {estimate_memory(path.read_bytes()) / (1 << 20):.0f} | {ours['tried']:.0f} "
                f"| {theirs['stays']:.0f} | {ours['encode'] / theirs['encode']:.1f}× |",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*sys.argv[2:])))
    else:
        main()
