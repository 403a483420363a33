"""Peers, each in a process of its own: run as a file, never imported, with JSON as its argument.

Run as a file from another folder, ``import tokenizers`` finds the Hugging Face package; only the
job of our own puts the root on the path. Each job prints one line of JSON.
"""

# mypy: ignore-errors
# "tokenizers" is another package here, and the peers need not be installed.

from __future__ import annotations

import argparse
import hashlib
import io
import json
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def read_texts(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def peak_memory() -> float:
    """The most memory that this process has held so far, in MB."""
    try:  # getrusage would count in the process that started this one
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
            1 << 20 if sys.platform == "darwin" else 1 << 10
        )


class Stopwatch:
    """Seconds between ``with`` and its end."""

    def __enter__(self) -> Stopwatch:
        self._start = time.perf_counter()
        return self

    def __exit__(self, *exception: object) -> None:
        self.seconds = time.perf_counter() - self._start


def train_grove(texts: list[str], size: int, pattern: str, ties: str = "smallest") -> Any:
    sys.path.insert(0, str(ROOT))
    import tokenizers
    from tokenizers import kernels

    kernels.ready()
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


def train_sentencepiece(texts: list[str], size: int, pattern: str, ties: str) -> Any:
    import sentencepiece

    lines = [line for text in texts for line in text.splitlines() if line]
    with Stopwatch() as watch:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=io.BytesIO(),
            vocab_size=size,
            model_type="bpe",
            character_coverage=0.999,
            byte_fallback=True,
            hard_vocab_limit=False,
            minloglevel=3,
        )
    return watch.seconds, []


def train_minbpe(texts: list[str], size: int, pattern: str, ties: str) -> Any:
    import minbpe

    tokenizer = minbpe.RegexTokenizer(pattern)
    with Stopwatch() as watch:
        tokenizer.train("".join(texts), size)
    return watch.seconds, list(tokenizer.merges)


def encode_tiktoken(folder: str, name: str, texts: list[str]) -> Any:
    """With the snippet that we show."""
    code = (Path(folder) / f"{name}.py").read_text()
    names: dict[str, Any] = {}
    exec(code, names)
    with Stopwatch() as watch:
        ids = [names["encoding"].encode_ordinary(text) for text in texts]
    return watch.seconds, ids


def encode_huggingface(folder: str, name: str, texts: list[str]) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(folder) / f"{name}.json"))
    with Stopwatch() as watch:
        ids = [tokenizer.encode(text).ids for text in texts]
    for text, token_ids in zip(texts[:100], ids, strict=False):
        assert tokenizer.decode(token_ids) == text
    return watch.seconds, ids


def encode_grove(folder: str, name: str, texts: list[str]) -> Any:
    sys.path.insert(0, str(ROOT))
    import tokenizers

    grove = tokenizers.load(Path(folder) / f"{name}.model")
    with Stopwatch() as watch:
        ids = [grove.encode(text) for text in texts]
    return watch.seconds, ids


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("job", type=json.loads, help="what to do, as JSON")
    job = parser.parse_args().job
    for folder in job.get("path", ()):
        sys.path.append(folder)
    texts = read_texts(job["corpus"])
    if "model" in job:
        encode = globals()[f"encode_{job['peer']}"]
        runs = [encode(job["folder"], job["model"], texts) for _ in range(job.get("runs", 1))]
        result = {"seconds": min(seconds for seconds, _ in runs)}
        if job.get("ids"):
            result["ids"] = runs[0][1]
        result["digest"] = hashlib.sha256(repr(runs[0][1]).encode()).hexdigest()
    else:
        train = globals()[f"train_{job['peer']}"]
        seconds, merges = train(texts, job["size"], job["pattern"], job.get("ties", "smallest"))
        result = {"seconds": seconds, "peak": peak_memory(), "n_merges": len(merges)}
        if job.get("merges"):
            result["merges"] = [item.hex() if isinstance(item, bytes) else item for item in merges]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
