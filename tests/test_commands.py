"""The commands count, show and chat, and the JSON of all commands."""

from __future__ import annotations

import io
import json
import shlex
import sys
from pathlib import Path

import pytest

import tokenizers as tk
import tokenizers.__main__ as commands
from tests.commands import Command
from tests.test_chat_requests import TURNS
from tokenizers import kernels
from tokenizers.data import get_language
from tokenizers.files import load
from tokenizers.json_types import JsonObject


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A tokenizer.json with its chat template and the names of its special tokens beside it."""
    file = tmp_path / "tokenizer.json"
    tk.save(tk.train("hello hello", 258, "gpt4o", ["<|turn|>", "<s>"]), file)
    (tmp_path / "chat_template.jinja").write_text("{{ bos_token }}" + TURNS, "utf-8")
    (tmp_path / "additional_chat_templates").mkdir()
    (tmp_path / "additional_chat_templates" / "tool_use.jinja").write_text(
        "{% set t = messages %}{{ tools }}"
    )
    (tmp_path / "tokenizer_config.json").write_text('{"bos_token": "<s>"}', "utf-8")
    return file


def written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_count_takes_several_files_and_encodings(own: Path, tmp_path: Path, command: Command) -> None:
    one, two = written(tmp_path / "one.txt", "the cat"), written(tmp_path / "two.txt", "")
    named = ("count", one, two, "--in", "gpt2", own)
    head, titles, *rows = command(*named).out.splitlines()
    assert head.split() == ["gpt2", f"..{str(own)[-22:]}"]
    assert titles.split() == ["tokens", "bytes/token"] * 2 + ["bytes", "file"]
    assert [row.split() for row in rows] == [
        ["2", "3.500", "7", "1.000", "7", str(one)],
        ["0", "-", "0", "-", "0", str(two)],
        ["2", "3.500", "7", "1.000", "7", "together"],
    ]
    said = json.loads(command(*named, "--json").out)
    assert said["files"][1]["bytes_per_token"] == {"gpt2": None, str(own): None}
    assert said["together"]["tokens"] == {"gpt2": 2, str(own): 7}


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


def test_a_guessed_character_set_is_said(tmp_path: Path, command: Command) -> None:
    file = tmp_path / "latin.txt"
    file.write_bytes("Zoë naïvely asks Noël, why?".encode("latin-1"))
    exit_code, out, errors = command("count", file, "--in", "gpt2")
    assert (exit_code, errors) == (0, f"{file}: read as Latin-1, which is a guess\n")
    assert out.splitlines()[-1].split() == ["12", "2.500", "30", str(file)]


def test_a_hyphen_is_the_standard_input(monkeypatch: pytest.MonkeyPatch, command: Command) -> None:
    for arguments in (("count", "-", "--in", "gpt2"), ("show", "gpt2", "-")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"the cat")))
        exit_code, out, _ = command(*arguments)
        assert exit_code == 0 and out.split()[-1] in ("-", "3797")


def test_chat_takes_the_template_beside_a_file(own: Path, tmp_path: Path, command: Command) -> None:
    request: JsonObject = {"messages": [{"role": "user", "content": "hi"}], "model": "m"}
    request["chat_template_kwargs"] = {"enable_thinking": False}
    chat = written(tmp_path / "request.json", json.dumps(request))
    exit_code, out, errors = command("chat", chat, "--in", own, "--prompt")
    assert exit_code == 0 and errors == f"{chat}: Not part of the prompt: model. ({own})\n"
    _, row, prompt = out.split("\n", 2)
    assert prompt == "<s><|turn|>user\nhi<|end|><|turn|>assistant\n<think></think>\n"
    assert row.split() == ["42", "40", "8", "8", f"{own},", str(chat)]
    (of_json,) = json.loads(command("chat", chat, "--in", own, "--json").out)["chats"]
    assert of_json["text"] == prompt[:-1] and len(of_json["ids"]) == 42 == of_json["tokens"]
    assert of_json["published"] == {"GPT-4, GPT-3.5": 8, "GPT-4o": 8} and len(of_json["notes"]) == 1


def test_chat_takes_the_template_for_tools_beside_a_file(own: Path, tmp_path: Path, command: Command) -> None:
    chat = written(tmp_path / "request.json", '{"messages": [], "tools": [{"name": "f"}]}')
    (of_json,) = json.loads(command("chat", chat, "--in", own, "--json").out)["chats"]
    assert of_json["text"] == "[{'name': 'f'}]"


@pytest.mark.slow
def test_chat_is_counted_in_all_templates_of_the_app(tmp_path: Path, command: Command) -> None:
    hi = [{"role": "user", "content": "hi"}]
    tools = written(tmp_path / "tools.json", json.dumps({"messages": hi, "tools": [{"name": "f"}]}))
    exit_code, out, errors = command("chat", written(tmp_path / "plain.json", json.dumps(hi)), tools)
    assert exit_code == 0 and [line.split()[-2] for line in out.splitlines()[1:]] == [
        "o200k_harmony,",
        "cl100k_im,",
        "qwen3,",
        "mistral-v1,",
        "tekken,",
        "o200k_harmony,",
    ]
    assert errors.count("\n") == 1 and errors.endswith("(cl100k_im, qwen3, mistral-v1, tekken)\n")
    rows = json.loads(command("chat", tools, "--json").out)["chats"]
    assert ["refused" in row for row in rows] == [False, True, True, True, True]
    nobody_takes = '[{"role": "user", "content": "", "name": "x", "prefix": true}]'
    assert command("chat", written(tools, nobody_takes)).code == 2


@pytest.mark.parametrize(
    ("line", "sentence"),
    {
        "": "required: COMMAND",
        "compare gpt2": "required: OTHER-ENCODING\n",
        "compare gpt2 gtp2": "There is no file 'gtp2' here. There is no tokenizer 'gtp2'.",
        "compare gpt2 gpt2 --fail-on costs": "'costs' is none of moved",
        "count 'no such file' --in gpt2": "no such file: No such file or directory.",
        "train gpt4 a.txt --out ./a.txt": "would be overwritten",
        "compare a.json gpt2 --report ./a.json": "would be overwritten",
        "compare gpt2 b.json a.txt --report ./b.json": "would be overwritten",
        "count a.txt --in gpt2 --frequencies .": ". cannot be written: it is a folder",
        "train gpt4 a.txt --out none/my.model": "none/my.model cannot be written",
        "train gpt4 README.md": "the following arguments are required: --out",
        "train gtp4 README.md --out a.json": "There is no split pattern named 'gtp4'",
        "count --in gpt2 README.md": "count FILE … --in ENCODING …",
        "count gpt2 README.md": "the following arguments are required: --in",
        "count README.md --in gpt2 bytes --frequencies out.csv": "of one tokenizer",
        "count README.md --in a.json --frequencies ./a.json": "would be overwritten",
        "chat --in qwen3 a.json": "chat FILE … [--in ENCODING …]",
        "chat README.md": "README.md: This is no valid JSON",
        "chat {chat} --in gpt2": "gpt2 has no chat template. These have one: o200k_harmony",
    }.items(),
)
def test_a_misused_command_ends_with_2(line: str, sentence: str, tmp_path: Path, command: Command) -> None:
    chat = written(tmp_path / "chat.json", '[{"role": "user", "content": "hi"}]')
    exit_code, _, errors = command(*shlex.split(line.format(chat=chat)))
    assert exit_code == 2 and sentence in errors


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


def test_json_of_compare_and_train(tmp_path: Path, command: Command) -> None:
    text = written(tmp_path / "a.txt", "2008 hello hello")
    exit_code, out, _ = command("compare", "gpt2", "bytes", text, "--json", "--fail-on", "cost:5%")
    compared = json.loads(out)
    assert exit_code == 1 and compared["files"] == [
        {"file": str(text), "bytes": 16, "a": 3, "b": 16, "percent": pytest.approx(1300 / 3)}
    ]
    assert (compared["a"], compared["b"], len(compared["fails"])) == ("gpt2", "bytes", 1)
    model = tmp_path / "my.model"
    out = command("train", "gpt4", text, "--vocab", 258, "--out", model, "--json").out
    assert json.loads(out) == {"file": str(model), "tokens": 258, "merges": 2, "stopped": None}
