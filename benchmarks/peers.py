"""Peers, each in a process of its own: run as a file, never imported, with JSON as its argument.

Run as a file from another folder, ``import tokenizers`` finds the Hugging Face package; only the
job of our own puts the root on the path. Each job prints one line of JSON.
"""

# mypy: ignore-errors
# "tokenizers" is another package here, and the peers need not be installed.

from __future__ import annotations

import functools
import gc
import hashlib
import json
import os
import resource
import sys
import tempfile
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import packages_distributions, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def read_texts(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def memory(key: str) -> float:
    """The memory that this process holds (VmRSS), or the most that it has held so far (VmHWM), in MB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition(f"{key}:")[2].split()[0]) / 1024


def processor_seconds() -> float:
    """Of this process, and of those that it started."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Stopwatch:
    """Seconds between ``with`` and its end; the garbage of what came before is collected first."""

    def __enter__(self) -> Stopwatch:
        gc.collect()
        self._start = time.perf_counter()
        return self

    def __exit__(self, *exception: object) -> None:
        self.seconds = time.perf_counter() - self._start


def import_grove(encodes: bool) -> Any:
    """Our package, its kernels loaded."""
    sys.path.insert(0, str(ROOT))
    import tokenizers.kernels

    (tokenizers.kernels.ready_to_encode if encodes else tokenizers.kernels.ready_to_train)()
    return tokenizers


def train_grove(texts: list[str], size: int, pattern: str, ties: str = "smallest") -> Any:
    tokenizers = import_grove(encodes=False)
    with Stopwatch() as watch:
        grove = tokenizers.train(texts, size, pattern, ties=ties)
    return watch.seconds, grove.merges


def train_rustbpe(texts: list[str], size: int, pattern: str, ties: str) -> Any:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    with Stopwatch() as watch:
        tokenizer.train_from_iterator(iter(texts), size, pattern=pattern)
    tokens = [bytes(token) for token, _ in sorted(tokenizer.get_mergeable_ranks(), key=lambda item: item[1])]
    return watch.seconds, tokens


def train_huggingface(texts: list[str], size: int, pattern: str, ties: str) -> Any:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), behavior="isolated"), byte_level]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    with Stopwatch() as watch:
        tokenizer.train_from_iterator(iter(texts), trainer)
    return watch.seconds, json.loads(tokenizer.to_str())["model"]["merges"]


def train_gigabpe(texts: list[str], size: int, pattern: str, ties: str) -> Any:
    """From a file, with the gpt2 pattern, the only one it has: line by line, as Hugging Face reads files."""
    import gigabpe

    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file:
        file.writelines(texts)
        file.flush()
        with Stopwatch() as watch:
            _, merges = gigabpe.train_bpe([file.name], vocab_size=size, pretokenizer="bytelevel")
    return watch.seconds, merges


def train_gigatoken(texts: list[str], size: int, pattern: str, ties: str) -> Any:
    """From bytes, with the gpt2 pattern, the only one it has."""
    import gigatoken.gigatoken_rs

    data = "\0".join(texts).encode()
    with Stopwatch() as watch:
        _, merges = gigatoken.gigatoken_rs.train_bpe(data, size, [], separator=b"\0")
    return watch.seconds, merges


def train_minbpe(texts: list[str], size: int, pattern: str, ties: str) -> Any:
    import minbpe

    tokenizer = minbpe.RegexTokenizer(pattern)
    with Stopwatch() as watch:
        tokenizer.train("".join(texts), size)
    return watch.seconds, list(tokenizer.merges)


def load_grove(job: dict[str, Any]) -> Any:
    """One piece is encoded, long enough for the table of tokens to be made, which peers make here."""
    grove, model = import_grove(encodes=True), Path(job["folder"]) / f"{job.get('model')}.model"
    encoding = grove.load(model) if "model" in job else grove.get_encoding(job["encoding"])
    encoding.encode_array("\n" * 1_000_000)
    return encoding.encode_array


def load_tiktoken(job: dict[str, Any]) -> Any:
    """A home-trained vocabulary with the snippet that we show."""
    if "model" in job:
        names: dict[str, Any] = {}
        exec((Path(job["folder"]) / f"{job['model']}.py").read_text(), names)
        return names["encoding"].encode_to_numpy
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(job["ranks"]).parent)
    import tiktoken

    return tiktoken.get_encoding(job["encoding"]).encode_to_numpy


def load_huggingface(job: dict[str, Any]) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(job["folder"]) / f"{job['model']}.json"))
    return lambda text: tokenizer.encode(text).ids


def load_gigatoken(job: dict[str, Any]) -> Any:
    import gigatoken

    return gigatoken.Tokenizer.from_tiktoken(job["ranks"], job["encoding"].removesuffix("_base")).encode


def load_toktok(job: dict[str, Any]) -> Any:
    import toktok

    return toktok._encoding(job["encoding"]).encode_to_numpy


def load_quicktok(job: dict[str, Any]) -> Any:
    import quicktok

    return quicktok.Tokenizer(job["encoding"]).encode_ordinary


def load_splintr(job: dict[str, Any]) -> Any:
    import splintr

    return splintr.Tokenizer.from_pretrained(job["encoding"]).encode_ordinary


def open_grove() -> Any:
    sys.path.insert(0, str(ROOT))
    from tokenizers.files import load

    return lambda path: load(Path(path), "uploaded")


def open_huggingface() -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file


def open_sentencepiece() -> Any:
    from sentencepiece import SentencePieceProcessor

    return lambda path: SentencePieceProcessor(model_file=path)


def encode_by_llama_cpp(path: str, texts: list[str]) -> list[list[int]]:
    """The ids of texts by a .gguf file; special tokens in them are plain text."""
    with llama_cpp().opened(Path(path).read_bytes()) as vocabulary:
        return list(map(vocabulary.encode, texts))


@functools.cache
def llama_cpp() -> Any:
    sys.path.append(str(ROOT))
    from tools.llama_cpp import LlamaCpp

    return LlamaCpp()


def measure_file(peer: str, path: str, texts: list[str]) -> dict[str, float]:
    """Seconds of the processor to load a file and to encode, and the megabytes that stay, and at the peak."""
    open_file = globals()[f"open_{peer}"]()
    before, begun = memory("VmRSS"), processor_seconds()
    encode = open_file(path).encode
    result = {"load": processor_seconds() - begun, "stays": memory("VmRSS") - before}
    result["peak"] = memory("VmHWM") - before
    times = []
    for text in texts:
        begun = processor_seconds()
        encode(text)
        times.append(processor_seconds() - begun)
    return {**result, "encode": min(times)}


def speeds_of(encode: Any, texts: list[str], runs: int) -> dict[str, Any]:
    """MB/s of the texts the first time, later, half in each thread, 1 KB after 1 KB; of equal letters."""
    short = [text[start : start + 1000] for text in texts for start in range(0, len(text), 1000)]
    speeds: dict[str, float] = {}
    with ThreadPoolExecutor(2) as pool:

        def by_halves(encode: Any, texts: list[str]) -> Any:
            return pool.map(lambda half: list(map(encode, half)), (texts[::2], texts[1::2]))

        ways = (("warm", map, texts), ("two threads", by_halves, texts), ("1 KB", map, short))
        ways += (("a million a", map, ["a" * 1_000_000]),)
        for how, apply, parts in (("cold", map, texts), *ways * runs):
            with Stopwatch() as watch:
                ids = list(apply(encode, parts))
            speed = sum(len(part.encode()) for part in parts) / 1e6 / watch.seconds
            speeds[how] = max(speed, speeds.get(how, 0))
            if how == "cold":
                digest = hashlib.sha256(b"".join(array("I", each).tobytes() for each in ids)).hexdigest()
    return {"speeds": speeds, "digest": digest}


def main() -> None:
    job = json.loads(sys.argv[1])
    texts = read_texts(job["corpus"])
    if "files" in job:
        result = {"ids": list(map(encode_by_llama_cpp, job["files"], [texts] * len(job["files"])))}
    elif "file" in job:
        result = measure_file(job["peer"], job["file"], texts)
    elif "size" not in job:
        encode = globals()[f"load_{job['peer']}"](job)
        if "runs" in job:
            result = speeds_of(encode, texts, job["runs"])
            names = packages_distributions().get(job["peer"], ())
            result["version"] = f"{job['peer']} {version(names[0])}" if names else None
        else:
            result = {"ids": [list(map(int, encode(text))) for text in texts]}
    else:
        train = globals()[f"train_{job['peer']}"]
        seconds, merges = train(texts, job["size"], job["pattern"], job.get("ties", "smallest"))
        result = {"seconds": seconds, "peak": memory("VmHWM"), "n_merges": len(merges)}
        if job.get("merges"):
            result["merges"] = [item.hex() if isinstance(item, bytes) else item for item in merges]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
