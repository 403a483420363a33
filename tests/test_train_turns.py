"""Trainings take turns: a long one makes room, goes on where it was, and ends with the server."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pages.session import train_run
from pages.session.grown import Grown
from pages.session.own_texts import OwnText
from pages.session.train_methods import Method
from pages.session.train_plan import Recipe
from pages.session.train_run import Run
from tests.browser import ROOT
from tests.processes import ends
from tokenizers.bpe import SMALL

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="a training is paused on Linux alone"),
]

LETTERS = bytes(b"abcdefghijklmnopqrstuvwxyz"[byte % 26] for byte in range(256))


def random_letters(n: int) -> str:
    """A text of one word, in which there is much to learn."""
    return random.Random(7).randbytes(n).translate(LETTERS).decode()


def start_long() -> tuple[Run, list[Grown]]:
    """A training that is far from its end when its first turn is over, on a fast machine, too."""
    return start(100_000, f"{random_letters(20 * SMALL)} a secret")


def start(size: int, text: str) -> tuple[Run, list[Grown]]:
    grown: list[Grown] = []
    recipe = Recipe(parts=(("own-1", 1.0),), vocab_size=size, pattern=None, held_out=0.0)
    run = Run(recipe, {"own-1": OwnText("own-1", "My text", text)}, grown.append)
    run.start()
    return run, grown


def test_a_long_training_makes_room_and_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_run, "MAX_RUNNING", 1)
    monkeypatch.setattr(train_run, "TURN", 0.1)
    long, of_long = start_long()
    short, of_short = start(260, "aaaa bbbb " * 9)
    assert short.wait(120) and of_short, "it did not have to wait for the end of the long one"
    assert not long.is_over and long.paused_seconds >= 0
    while (long.is_paused or not long.merges) and not long.wait(0.05):
        pass
    long.cancel()
    assert long.wait(120) and of_long and len(of_long[0].merges) > 0
    assert long.paused_seconds > 0 and of_long[0].seconds >= 0
    assert not train_run._line, "all places are given back"


def test_a_training_for_which_there_is_no_thread_gives_its_place_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises(ValueError, match="No training can be started"):
            start(260, "aaaa bbbb " * 9)
    assert not train_run._line, "it would hold up all others"
    run, grown = start(260, "aaaa bbbb " * 9)
    assert run.wait(120) and grown


@pytest.mark.parametrize("method", ["byte-pairs", "characters"])
def test_a_training_that_no_thread_can_watch_says_so_and_is_not_left_at_work(
    monkeypatch: pytest.MonkeyPatch, method: Method
) -> None:
    """Nobody would pause it, end it after its minutes, or kill it once it does not stop."""
    start_thread, processes = threading.Thread.start, list[subprocess.Popen[bytes]]()

    def start_one(thread: threading.Thread) -> None:
        if thread.name != "training":
            raise RuntimeError("can't start new thread")
        start_thread(thread)

    def popen(*args: Any, **options: Any) -> subprocess.Popen[bytes]:
        processes.append(subprocess.Popen(*args, **options))
        return processes[-1]

    grown: list[Grown] = []
    recipe = Recipe(parts=(("own-1", 1.0),), vocab_size=300, method=method, held_out=0.0)
    run = Run(recipe, {"own-1": OwnText("own-1", "My text", "aaaa bbbb " * 9)}, grown.append)
    monkeypatch.setattr(train_run, "subprocess", SimpleNamespace(Popen=popen, PIPE=subprocess.PIPE))
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start_one)
        patch.setattr(threading, "excepthook", lambda *_: None)
        run.start()
        assert run.wait(120)
    assert run.problem == "No training can be started at the moment. Try again in a minute."
    assert not grown and not train_run._line and processes[0].poll() is not None


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="processes are watched as Linux lets one")
def test_a_paused_training_ends_with_the_server_and_leaves_no_file(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import sys
        from pages.session import train_run
        from tests.test_train_turns import start_long
        train_run.MAX_RUNNING, train_run.TURN = 1, 0.1
        long, _ = start_long()
        while not long.merges:
            assert not long.wait(0.01), "it ended before it had learned anything"
        start_long()
        while not long.is_paused:
            assert not long.wait(0.01), "it ended before it was paused"
        print(long.pid, flush=True)
        sys.stdin.read()
        """
    )
    environ = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ
    ) as process:
        assert process.stdout is not None
        with ends(int(process.stdout.readline())):
            process.send_signal(signal.SIGKILL)
    for path in tmp_path.rglob("*"):
        assert not path.is_file(), f"{path} stayed"
