"""Training from files of any size, and from counts: the same merges as from texts."""

from __future__ import annotations

import dataclasses
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from pages.grow.train.form import command_of
from pages.session.train_plan import Recipe
from tests.browser import ROOT
from tests.commands import Command
from tests.examples import examples
from tests.texts import any_text
from tokenizers import train_command
from tokenizers.__main__ import main
from tokenizers.bpe import HomeEncoding, counting
from tokenizers.kernels import piece_counts
from tokenizers.split.patterns import KNOWN, split

WORDS = ["The cat sat on the mat, the hat and the bat.\r\n", "naïve 東京、大阪。 12345\n", "'s the that\n\n"]


@examples(100)
@given(
    st.lists(st.one_of(any_text, st.text("ab \r\n's1、東", max_size=60)), min_size=1, max_size=3),
    st.integers(1, 30),
    st.sampled_from([pattern.regex for pattern in KNOWN if pattern.scanner is not None]),
)
def test_a_file_is_read_in_parts_that_are_split_as_the_whole(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], part: int, pattern: str
) -> None:
    data = [text.encode("utf-8", "replace") for text in texts]
    paths = [tmp_path_factory.mktemp("corpus") / "a.txt" for _ in data]
    for path, each in zip(paths, data, strict=True):
        path.write_bytes(each)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "PART", part)
        parts = list(tk.read_texts(paths, pattern))
    pieces = [piece for each in data for piece in split(each.decode(), pattern)]
    assert [piece for each in parts for piece in split(each, pattern)] == pieces


def read(path: Path) -> HomeEncoding:
    trained = tk.load(path)
    assert isinstance(trained, HomeEncoding)
    return trained


def test_counts_of_parts_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [line * times for times in (5, 3, 1) for line in WORDS]
    want = tk.train(texts, 400, "gpt2").merges
    rows = [row for text in texts for row in tk.count_pieces(text, "gpt2").items()]
    assert tk.train(counts=iter(rows), vocab_size=400, pattern="gpt2").merges == want
    pieces = list(tk.count_pieces(texts, "gpt2"))
    monkeypatch.setattr(counting, "BATCH", 4)  # by the kernels, some at a time
    monkeypatch.setattr(counting, "SMALL", 0)
    monkeypatch.setattr(piece_counts.iter_batches, "__defaults__", (3,))
    assert tk.train(counts=iter(rows), vocab_size=400, pattern="gpt2").merges == want
    assert list(tk.count_pieces(texts, "gpt2")) == pieces  # in the order of the corpus


@pytest.mark.slow
def test_the_job_in_the_docs_learns_what_train_learns(tmp_path: Path) -> None:
    """The script of docs/large-corpora.md, run as it is, with two workers."""
    guide = (ROOT / "docs" / "large-corpora.md").read_text("utf-8")
    script = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)[1]
    (tmp_path / "count_corpus.py").write_text(script, "utf-8")
    for number, word in enumerate(WORDS):
        (tmp_path / f"{number}.txt").write_bytes(word.encode() * 400)
    files = sorted(tmp_path.glob("*.txt"))
    done = subprocess.run(
        [sys.executable, "count_corpus.py", *files],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    want = tk.train(tk.read_texts(files, "gpt4o"), 32_000, "gpt4o")
    assert read(tmp_path / "my.model").merges == want.merges


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes("".join(WORDS).encode() * 30)
    return path


@pytest.mark.parametrize("is_skipped", [False, True])
def test_train_command_says_what_became_of_special_tokens(
    corpus: Path, is_skipped: bool, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "PART", 64)  # which could part a token that has a space in it
    special, words = "<end of it>", "one two three four"
    corpus.write_text(special.join([words] * 50), encoding="utf-8")
    out, more = corpus.with_suffix(".model"), ["--skip-special"] if is_skipped else []
    specials = (f"--special={special}", "--special=<x>")
    ran = command("train", "gpt4", corpus, "--vocab", 290, *specials, *more, "--out", out)
    texts = [words] * 50 if is_skipped else [special.join([words] * 50)]
    assert read(out).merges == tk.train(texts, 290, "gpt4", [special, "<x>"]).merges
    became = "left out." if is_skipped else "learned as text: --skip-special leaves it out."
    assert f"In the texts: <end of it> 49 times. That was {became}" in ran.errors


@pytest.mark.parametrize("when, n_merges", [("Reading", None), ("Learning merge 7 of 144", 7)])
def test_an_interrupt_keeps_what_is_there(
    corpus: Path,
    when: str,
    n_merges: int | None,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    presses = iter([signal.SIGINT])

    def interrupt(line: object, text: str) -> None:
        if text.startswith(when):
            for press in presses:
                signal.raise_signal(press)

    monkeypatch.setattr(train_command._ProgressLine, "write", interrupt)
    before = signal.getsignal(signal.SIGINT)  # a process in the background ignores it
    out = corpus.with_suffix(".model")
    exit_code, _, said = command("train", "gpt4", corpus, "--vocab", 400, "--out", out)
    assert exit_code == train_command.INTERRUPTED
    if n_merges is None:
        assert not out.exists() and "nothing was saved" in said
    else:
        assert len(read(out).merges) == n_merges
        assert said.startswith("Stopped by you after 7 of 144 merges. Saved 263 tokens in")
    assert signal.getsignal(signal.SIGINT) is before


def test_the_page_shows_the_command_of_its_recipe(corpus: Path) -> None:
    recipe = Recipe(vocab_size=280, pattern=r"\w+|'s", special_tokens=("<|a b|>",), ties="first", name="a b")
    recipe = dataclasses.replace(recipe, skip_specials=True)
    python, _, module, *words = shlex.split(command_of(recipe))
    assert (python, module) == ("python", "tokenizers")
    words = [str(corpus) if word == "my-texts.txt" else word for word in words]
    words[-1] = str(corpus.with_name(words[-1]))
    assert main(words) == 0
    trained = read(corpus.with_name("a-b.model"))
    want = tk.train(corpus.read_bytes().decode(), 280, recipe.pattern, recipe.special_tokens, "first")
    assert (trained.merges, trained.special_tokens) == (want.merges, want.special_tokens)
