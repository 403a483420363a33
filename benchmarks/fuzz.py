"""The differential tests, for as long as you like: make fuzz, or make fuzz MINUTES=60.

    python -m benchmarks.fuzz --python PYTHON-WITH-THE-PEERS [--minutes 10] [--seed 1] [--only pipelines]
        [--npm FOLDER]

Rounds of eight kinds, one after the other until the time is over. Each round prints what it compared; the
first difference is printed with what reproduces it, and the exit code is 1. A peer that does not answer ends
it, too: a comparison with nobody proves nothing.

- **trainings**: small random corpora, learned by our fast trainer, by the plain algorithm and by rustbpe.
- **encodings**: random texts in our model formats, encoded by tiktoken and by Hugging Face's tokenizers.
- **pipelines**: tokenizer.json of random steps, by Hugging Face's library: ids, what is put around them,
  decoded texts, the places of tokens, and what is said to come back (tests/test_random_pipelines.py).
- **walks**: the editor and its server against a model, over a network that delivers in any order
  (tests/editor_walk.py, which needs Chromium).
- **headers**: random .gguf files of every kind, by llama.cpp, unless their steps say that it counts
  otherwise.
- **pieces**: SentencePiece models of all kinds and settings, by its library
  (tests/test_sentencepiece_files.py).
- **encoders**: tiktoken's files for JavaScript, of shuffled bytes, gaps and any pattern, by tiktoken; with
  --npm, the folder of an ``npm install tiktoken``, also by npm's tiktoken in node.
- **properties**: the property tests of tests/, with new examples each time.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tiktoken

import tokenizers as tk
from benchmarks import any_gguf
from benchmarks.machine import options_of
from benchmarks.processes import run
from benchmarks.texts import FOLDER, write_texts
from tokenizers.bpe.plain import TIE_RULES, Ties
from tokenizers.description import steps_in_words
from tokenizers.files import npm_tiktoken, ranks
from tokenizers.split.patterns import PATTERNS

ROOT = Path(__file__).resolve().parent.parent
LETTERS = "aAbsStT'''    \n\n\r\t\x85\xa0½1234٣!/,.-éßſǅʰªあ中\u0301\u0903\u200d😀"
CORPORA, TEXTS, ENCODERS = 40, 3000, 20

PROPERTY_TESTS = sorted(
    path for path in (ROOT / "tests").glob("test_*.py") if "from hypothesis import" in path.read_text("utf-8")
)


class DifferenceError(Exception):
    """Two that have to agree do not; says which, and on what."""


def main() -> int:
    parser = options_of(__doc__)
    parser.add_argument("--python", default=sys.executable, help="the Python that has the peers")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--npm", type=Path, help="the folder in which npm installed tiktoken")
    rounds: dict[str, Callable[[random.Random, argparse.Namespace], str]] = {
        "trainings": compare_trainings,
        "encodings": compare_encodings,
        "pipelines": compare_pipelines,
        "walks": run_walks,
        "headers": compare_headers,
        "pieces": compare_pieces,
        "encoders": compare_encoders,
        "properties": run_properties,
    }
    parser.add_argument("--only", choices=rounds, help="rounds of this kind alone")
    options = parser.parse_args()
    chosen = [options.only] if options.only else list(rounds)

    end = time.monotonic() + 60 * options.minutes
    for seed, kind in zip(itertools.count(options.seed), itertools.cycle(chosen), strict=False):
        try:
            print(f"{seed} {rounds[kind](random.Random(seed), options)}", flush=True)
        except DifferenceError as difference:
            print(f"{seed} {kind}: {difference}")
            print(f"Again: python -m benchmarks.fuzz --seed {seed} --only {kind}")
            return 1
        if time.monotonic() > end and seed - options.seed >= len(chosen) - 1:
            return 0
    return 0


def compare_trainings(choose: random.Random, options: argparse.Namespace) -> str:
    """Random corpora in three trainers."""
    compared = {"plain": 0, "rustbpe": 0}
    for _ in range(CORPORA):
        corpus = [any_text(choose, choose.choice([8, 60, 400])) for _ in range(choose.randint(1, 4))]
        if not any(corpus):
            continue
        name = choose.choice(list(PATTERNS))
        ties: Ties = choose.choice(list(TIE_RULES))
        size = 256 + choose.randint(0, 60)
        grove = tk.train(corpus, size, name, ties=ties)
        plain = [step.pair for step in tk.iter_merges(corpus, size - 256, ties=ties, pattern=name)]
        expect(grove.merges, plain, f"training and the plain algorithm on {corpus!r}, {name}, {ties}, {size}")
        compared["plain"] += 1
    texts = [any_text(choose, 3000) for _ in range(20)]
    path = write_texts(FOLDER / "fuzz.jsonl", texts)
    for name, pattern in PATTERNS.items():
        grove = tk.train(texts, 700, name)
        job: dict[str, Any] = {"corpus": str(path), "size": 700, "pattern": pattern, "merges": True}
        tokens = [grove.token_bytes(token_id).hex() for token_id in range(grove.n_vocab)]
        expect(ask("rustbpe", job, "merges", options), tokens, f"rustbpe, {name}, {path}")
        compared["rustbpe"] += 1
    return "trainings: " + in_words(compared)


def compare_encodings(choose: random.Random, options: argparse.Namespace) -> str:
    """Random texts in every format, by the library that it is for."""
    texts = [any_text(choose, 40) for _ in range(TEXTS)]
    path = write_texts(FOLDER / "fuzz.jsonl", texts)
    grove = tk.train(texts, choose.choice([300, 1000, 2000]), choose.choice(list(PATTERNS)))
    ids = [grove.encode(text) for text in texts]
    for text, their_ids in zip(texts, ids, strict=True):
        expect(grove.decode(their_ids), text, f"decode and encode, {text!r}")
    for ending in ("model", "tiktoken", "json"):
        tk.save(grove, FOLDER / f"fuzz.{ending}")
    snippet = ranks.snippet(grove, str(FOLDER / "fuzz.tiktoken"))
    (FOLDER / "fuzz.py").write_text(snippet, encoding="utf-8")
    compared: dict[str, int] = {}
    for peer in ("tiktoken", "huggingface"):
        job = {"corpus": str(path), "folder": str(FOLDER), "model": "fuzz"}
        for text, ours, theirs in zip(texts, ids, ask(peer, job, "ids", options), strict=True):
            expect(theirs, ours, f"{peer} on {text!r}")
        compared[peer] = len(texts)
    return "encodings: " + in_words(compared)


def compare_pipelines(choose: random.Random, options: argparse.Namespace) -> str:
    """Random tokenizer.json, as we read them and as Hugging Face's library does."""
    return run_file(ROOT / "tests" / "test_random_pipelines.py", choose)


def run_walks(choose: random.Random, options: argparse.Namespace) -> str:
    """Random walks of the editor that nobody has gone."""
    walks = {"WALK": str(choose.randrange(1 << 32)), "WALKS": "300"}
    return run_file(ROOT / "tests" / "test_editor_walk.py", choose, **walks)


def compare_headers(choose: random.Random, options: argparse.Namespace) -> str:
    """Random .gguf files, as we read them and as llama.cpp does."""
    texts = [any_gguf.any_text(choose) for _ in range(50)]
    files = [any_gguf.any_gguf(choose) for _ in range(60)]
    paths = [FOLDER / f"fuzz-{number}.gguf" for number in range(len(files))]
    job = {"corpus": str(write_texts(FOLDER / "fuzz.jsonl", texts)), "files": list(map(str, paths))}
    for path, data in zip(paths, files, strict=True):
        path.write_bytes(data)
    compared = {"texts of llama.cpp": 0, "files whose steps say where it differs": 0}
    for path, theirs in zip(paths, ask("llama_cpp", job, "ids", options), strict=True):
        encoding = tk.load(path)
        if "In llama.cpp" in dict(steps_in_words(encoding)):
            compared["files whose steps say where it differs"] += 1
            continue
        for text, ids in zip(texts, theirs, strict=True):
            expect(encoding.encode(text), ids, f"llama.cpp on {text!r}, {path}")
        compared["texts of llama.cpp"] += len(texts)
    return "headers: " + in_words(compared)


def compare_pieces(choose: random.Random, options: argparse.Namespace) -> str:
    """Random .model files, as we read them and as SentencePiece does."""
    return run_file(ROOT / "tests" / "test_sentencepiece_files.py", choose)


def compare_encoders(choose: random.Random, options: argparse.Namespace) -> str:
    """Random encoder files for JavaScript, by tiktoken; and those that we write."""
    compared = {"tiktoken": 0, "npm": 0}
    for _ in range(ENCODERS):
        texts = [any_text(choose, 40) for _ in range(100)]
        data = any_encoder(choose, texts)
        content, enc = json.loads(data), tk.load(data)
        texts += ["".join(choose.choices([*texts, *content["special_tokens"]], k=3)) for _ in range(20)]
        ids = [[enc.encode(text), enc.encode(text, allowed_special="all")] for text in texts]
        theirs = tiktoken.Encoding(
            "theirs",
            pat_str=content["pat_str"],
            mergeable_ranks=ranks_of(content["bpe_ranks"]),
            special_tokens=content["special_tokens"],
        )
        for text, ours in zip(texts, ids, strict=True):
            found = [theirs.encode_ordinary(text), theirs.encode(text, allowed_special="all")]
            expect(ours, found, f"tiktoken on {text!r} with {data.decode()}")
        compared["tiktoken"] += len(texts)
        if options.npm:
            job = json.dumps({**content, "texts": texts})
            asked = subprocess.run(
                ["node", "-e", NODE],
                input=job,
                cwd=options.npm,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            expect(ids, json.loads(asked.stdout), f"npm's tiktoken with {data.decode()}")
            compared["npm"] += len(texts)
    return "encoders: " + in_words(compared)


NODE = """
const {Tiktoken} = require("tiktoken/lite"), job = JSON.parse(require("fs").readFileSync(0));
const encoder = new Tiktoken(job.bpe_ranks, job.special_tokens, job.pat_str);
const encode = text => [Array.from(encoder.encode(text, [], [])), Array.from(encoder.encode(text, "all"))];
console.log(JSON.stringify(job.texts.map(encode)));
"""


def any_encoder(choose: random.Random, texts: list[str]) -> bytes:
    """An encoder file for JavaScript: of a training, or of tokens with any ranks."""
    pattern = choose.choice([*PATTERNS.values(), None, r"\p{L}+|\P{L}", r"[a-z]+|\s"])
    special = choose.sample(["<|end|>", "<a>", "<|endoftext|>", "<b> ", "<é>"], choose.randint(0, 4))
    first = 700 + choose.randint(0, 300)
    ids = dict(zip(special, choose.sample(range(first, first + 20), len(special)), strict=True))
    grove = tk.train(texts, 256 + choose.randint(1, 200), pattern)
    written: dict[str, Any] = json.loads(npm_tiktoken.to_bytes(tk.HomeEncoding(grove.merges, pattern, ids)))
    if choose.random() < 0.7:  # in another order, with gaps, and with tokens that nothing makes
        tokens = list(ranks_of(written["bpe_ranks"]))
        tokens += {text.encode() for text in choose.sample(texts, 5) if len(text.encode()) > 1} - set(tokens)
        bytes_first = sorted(tokens[:256], key=lambda _: choose.random()) + tokens[256:]
        places = sorted(choose.sample(range(690), min(690, len(tokens))))
        lines = zip(bytes_first, places, strict=False)
        written["bpe_ranks"] = "\n".join(f"! {at} {base64.b64encode(each).decode()}" for each, at in lines)
    return json.dumps(written).encode()


def ranks_of(listed: str) -> dict[bytes, int]:
    """The ranks of an encoder file for JavaScript, by the tokens."""
    rows = (line.split(" ") for line in listed.split("\n"))
    return {
        base64.b64decode(token): rank
        for _, first, *tokens in rows
        for rank, token in enumerate(tokens, start=int(first))
    }


def ask(peer: str, job: dict[str, Any], wanted: str, options: argparse.Namespace) -> Any:
    """What a peer answers to a job: tiktoken in this Python, the others in that of --python.

    Raises:
        DifferenceError: it does not answer.
    """
    python = sys.executable if peer == "tiktoken" else options.python
    result = run({**job, "peer": peer}, python)
    if wanted not in result:
        why = result.get("error", f"no {wanted}")
        raise DifferenceError(
            f"{peer} does not answer in {python}: {why}. Install benchmarks/requirements.txt"
        )
    answer: Any = result[wanted]
    return answer


def run_properties(choose: random.Random, options: argparse.Namespace) -> str:
    """One of the files of property tests."""
    return run_file(choose.choice(PROPERTY_TESTS), choose)


def run_file(file: Path, choose: random.Random, **environment: str) -> str:
    """A file of property tests, with examples that nobody has seen."""
    seed = choose.randrange(1 << 32)
    options = f"--hypothesis-seed={seed} -p no:cacheprovider --show-capture=no"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", str(file), *options.split()],
        cwd=ROOT,
        env={**os.environ, "GROVE_EXAMPLES": "all", **environment},  # tests/examples.py
        capture_output=True,
        text=True,
        check=False,
    )
    last = (done.stdout.strip().splitlines() or [""])[-1]
    if done.returncode:
        raise DifferenceError(f"{file} --hypothesis-seed={seed}\n{done.stdout[-6000:]}")
    return f"{file.name}: {last}"


def any_text(choose: random.Random, length: int) -> str:
    """A random text of few or many different characters."""
    letters = choose.choice(["ab", "ab c\n", LETTERS, LETTERS])
    return "".join(choose.choices(letters, k=choose.randint(0, length)))


def expect(one: Any, other: Any, what: str) -> None:
    """Raise unless the two are equal."""
    if one != other:
        raise DifferenceError(f"{what}:\n  {one!r:.2000}\n  {other!r:.2000}")


def in_words(compared: dict[str, int]) -> str:
    """How much was compared with whom."""
    return ", ".join(f"{count:,} {name}" for name, count in compared.items())


if __name__ == "__main__":
    sys.exit(main())
