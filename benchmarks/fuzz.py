"""The differential tests, for as long as you like: make fuzz, or make fuzz MINUTES=60.

    python -m benchmarks.fuzz --python PYTHON-WITH-THE-PEERS [--minutes 10] [--seed 1] [--kinds headers]

Rounds of four kinds, one after the other until the time is over. Each round prints what it compared; the
first difference is printed with what reproduces it, and the exit code is 1. A peer that does not answer ends
it, too: a comparison with nobody proves nothing.

- **trainings**: random texts, learned by our trainer and by rustbpe.
- **encodings**: random texts in our model formats, encoded by tiktoken and by Hugging Face's tokenizers.
- **headers**: random .gguf files of every kind, by llama.cpp, unless their steps say that it counts
  otherwise.
- **properties**: a file of property tests of tests/, with new examples: among them are tokenizer.json of
  random steps, by Hugging Face's library; SentencePiece models, by its library; and walks of the editor and
  its server over a network that delivers in any order, which need Chromium.
"""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import tokenizers as tk
from benchmarks.any_gguf import any_gguf
from benchmarks.any_gguf import any_text as any_text_of_gguf
from benchmarks.processes import PeerError, run
from benchmarks.texts import FOLDER, ROOT, save_for_peers, write_texts
from tokenizers.description import steps_in_words
from tokenizers.files import npm_tiktoken
from tokenizers.split.patterns import PATTERNS
from tools.options import read_options

LETTERS = "aAbsStT'''    \n\n\r\t\x85\xa0½1234٣!/,.-éßſǅʰªあ中\u0301\u0903\u200d😀"
TEXTS = FOLDER / "fuzz.jsonl"
PROPERTY_TESTS = [
    path.name
    for path in sorted((ROOT / "tests").glob("test_*.py"))
    if "from hypothesis import" in path.read_text("utf-8") or path.name == "test_editor_walk.py"
]


class DifferenceError(Exception):
    """Two that have to agree do not; says which, and on what."""


def compare_trainings(choose: random.Random, python: str) -> str:
    """Random texts in two trainers, with each pattern."""
    texts = [any_text(choose, 3000) for _ in range(20)]
    corpus = str(write_texts(TEXTS, texts))
    for name, pattern in PATTERNS.items():
        grove = tk.train(texts, 700, name)
        tokens = [grove.token_bytes(token_id).hex() for token_id in range(grove.n_vocab)]
        theirs = run(python, "train_tokens", "rustbpe", corpus=corpus, size=700, pattern=pattern)
        expect(theirs, tokens, f"rustbpe, {name}, {corpus}")
    return f"{len(PATTERNS)} with rustbpe"


def compare_encodings(choose: random.Random, python: str) -> str:
    """Random texts in every format, by the library that it is for."""
    texts = [any_text(choose, 40) for _ in range(3000)]
    corpus = str(write_texts(TEXTS, texts))
    grove = tk.train(texts, choose.choice([300, 1000, 2000]), choose.choice(list(PATTERNS)))
    for_javascript = tk.load(npm_tiktoken.to_bytes(grove))
    ids = [grove.encode(text) for text in texts]
    for text, our_ids in zip(texts, ids, strict=True):
        expect(grove.decode(our_ids), text, f"decode and encode, {text!r}")
        expect(for_javascript.encode(text), our_ids, f"the file for JavaScript, {text!r}")
    folder = str(save_for_peers(grove))
    for peer in ("tiktoken", "huggingface"):
        answers = run(python, "encode", peer, corpus=corpus, encoding="", files=folder)
        for text, our_ids, theirs in zip(texts, ids, answers, strict=True):
            expect(theirs, our_ids, f"{peer} on {text!r}")
    return f"{len(texts):,} texts with tiktoken and Hugging Face"


def compare_headers(choose: random.Random, python: str) -> str:
    """Random .gguf files, as we read them and as llama.cpp does."""
    texts = [any_text_of_gguf(choose) for _ in range(50)]
    paths = [FOLDER / f"fuzz-{number}.gguf" for number in range(60)]
    corpus = str(write_texts(TEXTS, texts))
    for path in paths:
        path.write_bytes(any_gguf(choose))
    answers = run(python, "encode_by_files", "llama_cpp", corpus=corpus, files=list(map(str, paths)))
    n_compared = 0
    for path, answer in zip(paths, answers, strict=True):
        encoding = tk.load(path)
        if "In llama.cpp" in dict(steps_in_words(encoding)):
            continue
        n_compared += 1
        for text, ids in zip(texts, answer, strict=True):
            expect(encoding.encode(text), ids, f"llama.cpp on {text!r}, {path}")
    return f"{n_compared} files with llama.cpp; the steps of {len(paths) - n_compared} say where it differs"


def run_properties(choose: random.Random, python: str) -> str:
    """A file of property tests, with examples that nobody has seen."""
    file, seed = choose.choice(PROPERTY_TESTS), choose.randrange(1 << 32)
    command = f"-m pytest tests/{file} --hypothesis-seed={seed} -p no:cacheprovider --show-capture=no"
    unseen = {"GROVE_EXAMPLES": "all", "WALK": str(seed), "WALKS": "300"}
    done = subprocess.run(
        [sys.executable, *command.split()],
        cwd=ROOT,
        env=os.environ | unseen,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise DifferenceError(done.stdout[-6000:])
    return f"{file}: {done.stdout.splitlines()[-1]}"


ROUNDS: dict[str, Callable[[random.Random, str], str]] = {
    "trainings": compare_trainings,
    "encodings": compare_encodings,
    "headers": compare_headers,
    "properties": run_properties,
}


def any_text(choose: random.Random, length: int) -> str:
    """A random text of few or many different characters."""
    letters = choose.choice(["ab", "ab c\n", LETTERS, LETTERS])
    return "".join(choose.choices(letters, k=choose.randint(0, length)))


def expect(one: Any, other: Any, what: str) -> None:
    """Raise unless the two are equal."""
    if one != other:
        raise DifferenceError(f"{what}:\n  {one!r:.2000}\n  {other!r:.2000}")


def main() -> int:
    """Run rounds until the time is over, each kind once at least."""
    asked = read_options(
        __doc__, python=sys.executable, minutes=10.0, seed=int(time.time()), kinds=list(ROUNDS)
    )
    end = time.monotonic() + 60 * asked.minutes
    for turn in itertools.count():
        seed = asked.seed + turn
        kind = asked.kinds[turn % len(asked.kinds)]
        try:
            print(f"{seed} {kind}: {ROUNDS[kind](random.Random(seed), asked.python)}", flush=True)
        except (DifferenceError, PeerError) as problem:
            print(f"{seed} {kind}: {problem}\nAgain: python -m benchmarks.fuzz --seed {seed} --kinds {kind}")
            return 1
        if turn >= len(asked.kinds) - 1 and time.monotonic() > end:
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
