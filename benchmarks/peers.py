"""Peers, each in a process of its own: run as a file, with JSON as its argument (``processes.py``).

The argument names a function and what it is given; the last line that is printed is what it returned. Run as
a file from another folder, ``import tokenizers`` finds the Hugging Face package; only the job of our own puts
the root on the path.
"""

# mypy: ignore-errors
# "tokenizers" is another package here, and the peers need not be installed.

from __future__ import annotations

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


def import_grove() -> Any:
    """Our package."""
    sys.path.insert(0, str(ROOT))
    import tokenizers.files
    import tokenizers.kernels

    return tokenizers


# Training: each returns a function that trains.


def trainer_grove(texts: list[str], size: int, pattern: str) -> Any:
    grove = import_grove()
    grove.kernels.ready_to_train()
    return lambda: grove.train(texts, size, pattern)


def trainer_rustbpe(texts: list[str], size: int, pattern: str) -> Any:
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    return lambda: tokenizer.train_from_iterator(iter(texts), size, pattern=pattern)


def trainer_huggingface(texts: list[str], size: int, pattern: str) -> Any:
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), behavior="isolated"), byte_level]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    return lambda: tokenizer.train_from_iterator(iter(texts), trainer)


def trainer_gigabpe(texts: list[str], size: int, pattern: str) -> Any:
    """From a file, with the gpt2 pattern, the only one it has: line by line, as Hugging Face reads files."""
    import gigabpe

    file = tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt")
    file.writelines(texts)
    file.flush()
    return lambda: gigabpe.train_bpe([file.name], vocab_size=size, pretokenizer="bytelevel")


def trainer_gigatoken(texts: list[str], size: int, pattern: str) -> Any:
    """From bytes, with the gpt2 pattern, the only one it has."""
    import gigatoken.gigatoken_rs

    data = "\0".join(texts).encode()
    return lambda: gigatoken.gigatoken_rs.train_bpe(data, size, [], separator=b"\0")


def train(peer: str, corpus: str, size: int, pattern: str) -> dict[str, float]:
    """Seconds of a training, and the most memory in MB that the process held."""
    run = globals()[f"trainer_{peer}"](read_texts(corpus), size, pattern)
    gc.collect()
    start = time.perf_counter()
    run()
    return {"seconds": time.perf_counter() - start, "peak": memory("VmHWM")}


def train_tokens(peer: str, corpus: str, size: int, pattern: str) -> list[str]:
    """The bytes of each token that rustbpe learns, in hex."""
    import rustbpe

    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter(read_texts(corpus)), size, pattern=pattern)
    ranks = sorted(tokenizer.get_mergeable_ranks(), key=lambda item: item[1])
    return [bytes(token).hex() for token, _ in ranks]


# Encoding: each returns a function from a text to its ids, for an encoding of tiktoken's, whose ranks are in
# a file, or for a home-trained one, whose files are in a folder.


def load_grove(encoding: str, files: str) -> Any:
    """One piece is encoded, long enough for the table of tokens to be made, which peers make here."""
    grove = import_grove()
    model = Path(files) / "grove.model"
    loaded = grove.load(model) if model.is_file() else grove.get_encoding(encoding)
    loaded.encode_array("\n" * 1_000_000)
    return loaded.encode_array


def load_tiktoken(encoding: str, files: str) -> Any:
    """A home-trained vocabulary with the snippet that we show."""
    snippet = Path(files) / "grove.py"
    if snippet.is_file():
        names: dict[str, Any] = {}
        exec(snippet.read_text(), names)
        return names["encoding"].encode_to_numpy
    os.environ["TIKTOKEN_CACHE_DIR"] = str(Path(files).parent)
    import tiktoken

    return tiktoken.get_encoding(encoding).encode_to_numpy


def load_huggingface(encoding: str, files: str) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(files) / "grove.json"))
    return lambda text: tokenizer.encode(text).ids


def load_gigatoken(encoding: str, files: str) -> Any:
    import gigatoken

    return gigatoken.Tokenizer.from_tiktoken(files, encoding.removesuffix("_base")).encode


def load_toktok(encoding: str, files: str) -> Any:
    import toktok

    return toktok._encoding(encoding).encode_to_numpy


def load_quicktok(encoding: str, files: str) -> Any:
    import quicktok

    return quicktok.Tokenizer(encoding).encode_ordinary


def load_splintr(encoding: str, files: str) -> Any:
    import splintr

    return splintr.Tokenizer.from_pretrained(encoding).encode_ordinary


def encode(peer: str, corpus: str, encoding: str, files: str) -> list[list[int]]:
    """The ids of texts."""
    encode_text = globals()[f"load_{peer}"](encoding, files)
    return [list(map(int, encode_text(text))) for text in read_texts(corpus)]


def measure_speeds(peer: str, corpus: str, encoding: str, files: str, runs: int) -> dict[str, Any]:
    """MB/s of the texts the first time, later, half in each thread, 1 KB after 1 KB; of equal letters."""
    encode_text = globals()[f"load_{peer}"](encoding, files)
    texts = read_texts(corpus)
    short = [text[start : start + 1000] for text in texts for start in range(0, len(text), 1000)]
    speeds: dict[str, float] = {}

    def measure(how: str, apply: Any, parts: list[str]) -> list[Any]:
        gc.collect()
        start = time.perf_counter()
        ids = list(apply(encode_text, parts))
        speed = sum(len(part.encode()) for part in parts) / 1e6 / (time.perf_counter() - start)
        speeds[how] = max(speed, speeds.get(how, 0))
        return ids

    with ThreadPoolExecutor(2) as pool:

        def by_halves(encode_text: Any, texts: list[str]) -> Any:
            return pool.map(lambda half: list(map(encode_text, half)), (texts[::2], texts[1::2]))

        ids = measure("cold", map, texts)
        for _ in range(runs):
            measure("warm", map, texts)
            measure("two threads", by_halves, texts)
            measure("1 KB", map, short)
            measure("a million a", map, ["a" * 1_000_000])
    digest = hashlib.sha256(b"".join(array("I", each).tobytes() for each in ids))
    return {"speeds": speeds, "digest": digest.hexdigest()}


def encode_by_files(peer: str, corpus: str, files: list[str]) -> list[list[list[int]]]:
    """The ids of texts by each of some .gguf files, by llama.cpp; special tokens in them are plain text."""
    sys.path.append(str(ROOT))
    from tools.llama_cpp import LlamaCpp

    texts, library = read_texts(corpus), LlamaCpp()
    answers = []
    for file in files:
        with library.opened(Path(file).read_bytes()) as encode_text:
            answers.append(list(map(encode_text, texts)))
    return answers


if __name__ == "__main__":
    function, arguments = json.loads(sys.argv[1])
    print(json.dumps(globals()[function](**arguments)))
