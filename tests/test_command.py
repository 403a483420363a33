"""The command token-grove: what it starts, and with which words."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from pages.server import start_check
from token_grove import command
from tokenizers.__main__ import make_parser
from tools.build_hook import pinned


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """What Streamlit is asked for."""
    lines: list[str] = []

    def run_module(name: str, **_: object) -> None:
        assert name == "streamlit" and Path("app.py").is_file()
        lines.append(shlex.join(sys.argv[1:]))

    for restored in ("argv", "path"):
        monkeypatch.setattr(sys, restored, list(getattr(sys, restored)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("runpy.run_module", run_module)
    return lines


OPENS = "--server.headless false --server.showEmailPrompt false"


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("", f"--server.address 127.0.0.1 {OPENS}"),
        ("--class", f"--server.address 0.0.0.0 {OPENS}"),
        ("--no-browser --server.port 8600", "--server.address 127.0.0.1 --server.port 8600"),
    ],
)
def test_token_grove_starts_the_app(started: list[str], words: str, line: str) -> None:
    assert command.main(words.split()) == 0
    assert started == [f"run app.py {line}"]


def test_token_grove_runs_a_command(started: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--json", "show", "gpt2", "hello world"]) == 0
    assert '"id": 31373' in capsys.readouterr().out and not started


def test_token_grove_knows_all_commands_of_the_library() -> None:
    listed = make_parser("x").format_help().partition("options:")[0]
    assert command.COMMANDS.keys() == set(re.findall(r"^ {4}(\w+) ", listed, re.MULTILINE))


def test_token_grove_says_which_commands_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["tokenise"])
    assert "there is no command tokenise. There are: count, show," in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["--help"])
    shown = capsys.readouterr().out
    assert "--class" in shown and all(f"  {name}" in shown for name in command.COMMANDS)


@pytest.mark.parametrize(
    ("assets", "system", "said"),
    [
        ("/env/token_grove/app/assets", "posix", f'"{sys.executable}" -m token_grove --class'),
        ("/home/me/grove/assets", "posix", "make run ARGS=--class"),
        ("/home/me/grove/assets", "nt", r".venv\Scripts\python -m token_grove --class"),
    ],
)
def test_class_command_is_that_of_this_system(
    monkeypatch: pytest.MonkeyPatch, assets: str, system: str, said: str
) -> None:
    path = Path(assets)
    monkeypatch.setattr(start_check, "ASSETS", path)
    monkeypatch.setattr(start_check, "os", SimpleNamespace(name=system))
    assert start_check.class_command() == said


def test_the_package_has_the_tested_versions() -> None:
    root = Path(__file__).parent.parent
    read = [(root / name).read_text("utf-8") for name in ("requirements.txt", "constraints.txt")]
    assert {"tiktoken", "streamlit", "jinja2"} <= {each.partition("==")[0] for each in pinned(*read)}
