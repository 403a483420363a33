"""The commands: what they refuse, and what depends on the terminal, on other files or on what is written."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

import tokenizers as tk
import tokenizers.__main__ as commands
from tests.commands import Command
from tokenizers import kernels
from tokenizers.data import get_language
from tokenizers.files import load


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_train_saves_elsewhere_what_a_format_cannot_hold(tmp_path: Path, command: Command) -> None:
    text, out = written(tmp_path / "one.txt", "aaa"), tmp_path / "a.sentencepiece.model"
    exit_code, _, errors = command("train", "gpt4", text, "--vocab", "257", "--out", out)
    instead = out.with_suffix(".minbpe")
    assert exit_code == 2 and errors.endswith(f"of this one. It is kept as minbpe’s .model, in {instead}.\n")
    assert tk.load(instead).encode("aaa") == [256, 97]


@pytest.mark.parametrize(("n_bytes", "says"), [(100_000, False), (100_001, True)])
def test_train_says_before_it_compiles(
    n_bytes: int,
    says: bool,
    tmp_path: Path,
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kernels, "ready_to_train", lambda: False)
    text = written(tmp_path / "one.txt", "a" * n_bytes)
    errors = command("train", "gpt4", text, "--vocab", "257", "--out", tmp_path / "a.model").errors
    assert ("Preparing the trainer: at the first training, ten seconds" in errors) is says


@pytest.mark.parametrize(
    ("no_color", "shown"),
    [("", "\x1b[30;46mthe\x1b[0m\x1b[30;43m·cat\x1b[0m\n2 tokens"), ("1", "the|·cat\n2 tokens")],
)
def test_show_colours_tokens_in_a_terminal(
    no_color: str, shown: str, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert command("show", "gpt2", "the cat").out.startswith(shown)


def test_a_hyphen_is_the_standard_input(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    for arguments in (("count", "-", "--in", "gpt2"), ("show", "gpt2", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the cat")))
        exit_code, out, _ = command(*arguments)
        assert exit_code == 0 and out.split()[-1] in ("-", "3797")


def test_ctrl_c_ends_a_command_without_a_traceback(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    def interrupt(file: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "read_text", interrupt)
    assert command("count", "README.md", "--in", "gpt2") == (130, "", "")


def test_train_is_fair_to_files(tmp_path: Path, command: Command) -> None:
    files = [written(tmp_path / code, get_language(code).text) for code in ("eng", "mya")]
    out = tmp_path / "fair.model"
    exit_code, _, _ = command("train", "gpt4o", *files, "--vocab", 1024, "--fair", "--out", out)
    assert exit_code == 0
    fair = load(out)
    assert [len(fair.encode(file.read_text("utf-8"))) for file in files] == [4610, 4616]
    exit_code, _, errors = command("train", "gpt4o", files[0], "--fair", "--out", out)
    assert exit_code and "choose at least two" in errors


def test_json_of_train(tmp_path: Path, command: Command) -> None:
    text = written(tmp_path / "a.txt", "2008 hello hello")
    model = tmp_path / "my.model"
    _, out, errors = command("train", "gpt4", text, "--vocab", 258, "--out", model, "--json")
    assert errors.startswith("Reading: 0 bytes of 16 bytes\n")
    assert json.loads(out) == {"file": str(model), "tokens": 258, "merges": 2, "stopped": None}
