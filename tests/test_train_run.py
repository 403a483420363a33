"""Training in a process of its own: its protocol, stopping it, its death, and the queue."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import tokenizers as tk
from pages.session import train_run
from pages.session.own_encodings import OwnEncoding
from pages.session.own_texts import OwnText
from pages.session.train_plan import Recipe
from pages.session.train_run import Run, SessionTrainings
from tests.browser import ROOT
from tests.processes import ends
from tokenizers.bpe import SMALL, home_trained
from tokenizers.data.corpus import DOCS, LIBRARY, read_bundled, weigh
from tokenizers.json_types import JsonObject

pytestmark = pytest.mark.slow

ENGLISH = read_bundled("udhr:eng").texts[0]
PASTE, FILE = "own-1", "own-2"
TINY = Recipe(parts=((PASTE, 1.0),), vocab_size=258)
SLOW = replace(TINY, vocab_size=100_000, pattern=None, held_out=0.0)
# Short enough for the trainer that is there at once. To learn all of it takes that many times what a
# message takes.
SLOW_TEXT = "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyz", k=SMALL))


def pasted(text: str) -> OwnText:
    return OwnText(PASTE, "My text", text)


def job(source: JsonObject, vocab_size: int) -> bytes:
    """What the worker reads: a text, and a recipe to learn from it."""
    recipe = dataclasses.asdict(Recipe(vocab_size=vocab_size, pattern="gpt4"))
    return json.dumps({"sources": [source], "recipes": [recipe]}, ensure_ascii=False).encode() + b"\n"


def test_the_worker_ends_when_nobody_waits_for_it() -> None:
    command = [sys.executable, "-m", "pages.session.train_worker"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdin.write(job({"key": LIBRARY, "weight": 1}, 100_000))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["kind"] == "stage"
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="this system has no such bounds")
def test_the_worker_gives_way_and_says_when_it_has_no_memory_left() -> None:
    """The bound is lowered for it: the texts alone are larger."""
    command = (
        "import os, resource, sys\n"
        "from pages.session import train_worker\n"
        "train_worker.MAX_MEMORY = 600 << 20\n"
        "code = train_worker.main()\n"
        "bound = lambda: resource.getrlimit(resource.RLIMIT_DATA)[0] >> 20\n"
        "print(os.nice(0), bound(), flush=True)\n"
        "os._exit(code)\n"
    )
    source = {"title": "x", "text": "".join(map(chr, range(0x4E00, 0x9FFF))) * 3000, "weight": 1}
    run = subprocess.run(
        [sys.executable, "-c", command],
        cwd=ROOT,
        input=job(source, 400),
        capture_output=True,
        check=False,
    )
    *_, message, bounds = run.stdout.decode().splitlines()
    assert "too little memory" in json.loads(message)["message"] and run.returncode == 1
    assert bounds.split() == [str(min(19, os.nice(0) + 15)), "600"]


# The run, as the page sees it


class Interrupted(Run):
    """A run to which something is done once, at a message of its worker, before the next one is read.

    A worker that is far ahead waits for its messages to be read: it does not end meanwhile.
    """

    def __init__(
        self,
        recipe: Recipe,
        text: str,
        on_trained: Callable[[OwnEncoding], object],
        when: Callable[[Run], bool],
        interrupt: Callable[[Run], object],
    ) -> None:
        super().__init__(recipe, {PASTE: pasted(text)}, on_trained)
        self._when, self._interrupt = when, interrupt
        self.is_interrupted = False

    def _handle(self, message: JsonObject) -> None:
        super()._handle(message)
        if not self.is_interrupted and self._when(self):
            self.is_interrupted = True
            self._interrupt(self)


def begin(recipe: Recipe, own: dict[str, OwnText]) -> tuple[Run, list[OwnEncoding]]:
    trained: list[OwnEncoding] = []
    run = Run(recipe, own, trained.append)
    run.start()
    return run, trained


def grow(recipe: Recipe, own: dict[str, OwnText] | None = None) -> tuple[Run, list[OwnEncoding]]:
    """A run at its end, and what it gave."""
    run, trained = begin(recipe, own or {})
    assert run.wait(120)
    return run, trained


def grow_interrupted(
    when: Callable[[Run], bool],
    interrupt: Callable[[Run], object],
    recipe: Recipe = SLOW,
    text: str = SLOW_TEXT,
) -> tuple[Run, list[OwnEncoding]]:
    """A run that was interrupted, at its end."""
    trained: list[OwnEncoding] = []
    run = Interrupted(recipe, text, trained.append, when, interrupt)
    run.start()
    assert run.wait(60) and run.is_interrupted
    return run, trained


def has_merges(run: Run) -> bool:
    return bool(run.merges)


def kill(run: Run) -> None:
    assert run.process
    run.process.kill()


def test_a_run_grows_what_its_recipe_says() -> None:
    recipe = Recipe(
        parts=((FILE, 2.0), ("udhr:kor", 0.5), (PASTE, 0.0)),
        vocab_size=300,
        pattern=r"\w+|\W",
        special_tokens=("<|x|>",),
        ties="first",
        held_out=0.0,
        name="mine",
    )
    text = "a lone \ud800 surrogate,\r\na line's end; 안녕 " * 30
    run, trained = grow(recipe, {FILE: OwnText(FILE, "a.txt", text), PASTE: pasted("left out")})
    assert not run.problem
    korean = read_bundled("udhr:kor").texts
    expected = tk.train(
        [*weigh([text], 2), *weigh(korean, 0.5)], 300, r"\w+|\W", ["<|x|>"], "first", name="mine"
    )
    (result,) = trained
    assert result.merges == expected.merges == run.merges
    assert result.encoding.name == "mine" and result.encoding.special_tokens == expected.special_tokens
    home = home_trained(result.encoding)
    assert home is not None and home.pattern == r"\w+|\W"
    assert len(result.counts) == 43
    assert [source["title"] for source in result.report["sources"]] == ["a.txt", "Korean"]


def test_tokens_that_the_page_shows_are_shortened() -> None:
    text = "ab" * 512  # without walls, its tokens double
    run, _ = begin(replace(TINY, vocab_size=266, pattern=None, held_out=0.0), {PASTE: pasted(text)})
    assert run.wait(60)
    shown = run.short_tokens[256:]
    assert shown[:6] == [b"ab" * 2**doublings for doublings in range(6)]
    assert shown[6] == b"ab" * 15 + "…".encode() + b"ab" * 15 and max(map(len, shown)) == 64


def test_stopping_keeps_the_prefix() -> None:
    run, (result,) = grow_interrupted(has_merges, Run.cancel)
    kept = len(result.merges)
    assert 0 < kept == len(run.merges) < run.recipe.n_merges
    assert result.stopped == f"Stopped by you after {kept:,} of {run.recipe.n_merges:,} merges."
    assert result.merges[:20] == tk.train(SLOW_TEXT, 276, None).merges[:kept]
    # It is named after the size that it has, not after the one that was asked for.
    assert result.encoding.name == result.recipe.title_at(256 + kept) != run.recipe.title  # type: ignore[union-attr]


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_death_is_one_sentence_and_keeps_the_prefix(is_kept: bool) -> None:
    when = has_merges if is_kept else lambda run: run.state == "reading"
    run, trained = grow_interrupted(when, kill)
    assert "ended unexpectedly (exit code -9)" in run.problem
    assert bool(trained) == bool(run.merges) == is_kept
    assert all(each.merges == run.merges for each in trained)


def test_a_slow_pattern_can_be_stopped() -> None:
    recipe = Recipe(parts=((PASTE, 1.0),), vocab_size=300, pattern=r"(a+)+$", held_out=0.0)
    text = "a" * 50_000 + "b"
    run, trained = grow_interrupted(lambda run: run.state == "splitting", Run.cancel, recipe, text)
    assert not run.problem and not trained  # it is what the person asked for, and no error
    assert run.no_result.startswith("Stopped before the first merge, so nothing was learned.")


def test_what_takes_too_long_is_stopped_and_kept() -> None:
    run, (result,) = grow_interrupted(has_merges, Run._time_out)
    assert run.problem == result.problem and run.problem.startswith("It took longer than 15 minutes")
    assert result.problem.endswith("what was learned until then.")


def test_a_session_that_ends_takes_its_run_with_it() -> None:
    hold = threading.Event()
    run = Interrupted(SLOW, SLOW_TEXT, lambda trained: None, has_merges, lambda run: hold.set())
    trainings = SessionTrainings(run)
    run.start()
    assert hold.wait(60) and run.process
    with ends(run.process.pid):
        trainings.end()
    assert run.wait(60)


def test_others_wait_in_the_queue_and_can_leave_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_run, "MAX_RUNNING", 1)
    held, hold = threading.Event(), threading.Event()

    def wait(run: Run) -> None:
        held.set()
        hold.wait(60)

    first = Interrupted(TINY, "aaaa bbbb", lambda trained: None, lambda run: True, wait)
    first.start()
    second, trained = begin(TINY, {PASTE: pasted("aaaa bbbb")})
    third, left = begin(TINY, {PASTE: pasted("aaaa bbbb")})
    assert (first.n_ahead, second.n_ahead, third.n_ahead) == (0, 1, 2)
    third.cancel()
    assert third.wait(60) and not left and "nothing was learned" in third.no_result
    assert held.wait(60) and second.process is None
    first.cancel()
    hold.set()
    assert second.wait(60) and len(trained) == 1
    assert first.wait(60) and not train_run._queue


def test_texts_of_a_persons_own_leave_no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    grow(replace(TINY, held_out=0.0), {PASTE: pasted("secret " * 9)})
    assert not list(tmp_path.iterdir())


# The recipe


def test_a_link_says_when_its_texts_are_other_ones_here() -> None:
    state = Recipe(parts=((DOCS, 1.0), ("udhr:jpn", 2.5))).to_record()
    assert Recipe.from_state(state)[1] == ""
    for changes in ({"texts": "00000000"}, {"texts": ["?"]}):
        assert "made with other texts" in Recipe.from_state({**state, **changes})[1]
    # The name and the weights are no part of it; the texts are.
    assert Recipe(parts=((DOCS, 2.0), ("udhr:jpn", 1.0)), name="other").texts_fingerprint == state["texts"]
    assert Recipe(parts=((DOCS, 1.0), ("udhr:kor", 1.0))).texts_fingerprint != state["texts"]
    assert Recipe(parts=((DOCS, 1.0), (PASTE, 1.0))).packed is None, "no link holds a text of one's own"
