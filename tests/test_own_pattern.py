"""Whatever pattern a person types, it never takes the machine, and its pieces join to the text."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest
import regex

import tokenizers as tk
from tests.browser import ROOT
from tests.examples import some
from tests.processes import ends, run_python
from tests.refusals import refused
from tests.test_dialects import ALIKE, TEXT, UNLIKE
from tokenizers.measure.vocabulary import vocabulary_of
from tokenizers.split import bounded
from tokenizers.split.patterns import find_pattern, split

BOMBS = [
    "a{99999999}",
    "(a{5000}){5000}",
    "(?:a|b){50000000}c",
    "((a{300}){300}){300}",
    r"\p{L}{9999999}",
    "(?:" * 150 + "a" + "){2}" * 150,
    "(?i:strasse){9999999}",
    "(?x: a # {1}\n){9999999}".replace("\n", " )("),
    "a{99999}{99999}",
    "(?>" * 80 + "a" + "){9}" * 80,
]
DEEP = ["(" * 490 + "a" + ")" * 490, "(?:" * 300 + "a" + ")?" * 300, "(?=" * 240 + "a" + ")" * 240]
HUNGRY = [
    "(?R)?a",
    "(?R)",
    "(?:(.)|a)*",
    "((((((((((.))))))))))*",
    "(?:a?b?)*c",
    "(?s)(?:.(?!c))*",
    r"\X+",
    "(?1)(a?(?1))",
]


# Each is little alone; kept one beside the other they would be much.
_CLASS = "[" + "".join(chr(0x4E00 + 2 * i) for i in range(900)) + "]"
SERIES = [f"{_CLASS[:-2]}{i}]{{20}}" for i in range(14)]
SERIES += [f"(?x)a{{{200_000 + i}}}" for i in range(8)]

# Some of each kind in every run, all of them in make fuzz: within the same bound.
TRIED = [pattern for kind in (BOMBS, DEEP, HUNGRY, SERIES) for pattern in some(kind, 5)]


@pytest.mark.parametrize("pattern", some(BOMBS, 5))
def test_a_bomb_is_refused_in_words(pattern: str) -> None:
    with refused(r"too large|not a valid|too deeply"):
        find_pattern(pattern)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc: on Linux")
@pytest.mark.slow
def test_patterns_of_any_kind_stay_within_their_memory() -> None:
    """The process and its children, over patterns of each kind that took the server; several at a time."""
    script = textwrap.dedent(
        f"""
        import threading
        from concurrent.futures import ThreadPoolExecutor
        from contextlib import suppress
        from pathlib import Path
        import tokenizers as tk
        from benchmarks.peers import memory
        from tokenizers.measure import search_tokens
        from tokenizers.split import bounded
        from tokenizers.split.patterns import split

        workers, peaks = [], []  # the processes that patterns run in, and what each has taken so far
        start = bounded._start
        is_over = threading.Event()

        def start_and_note():
            workers.append(start())
            return workers[-1]

        def watch():
            while not is_over.wait(0.01):
                for worker in list(workers):
                    with suppress(OSError, IndexError):  # it is gone, or on its way
                        status = Path(f"/proc/{{worker.pid}}/status").read_text()
                        peaks.append(int(status.partition("VmHWM:")[2].split()[0]) / 1024)

        bounded._start = start_and_note
        threading.Thread(target=watch, daemon=True).start()
        words = tk.vocabulary_of(tk.get_encoding("gpt2"))
        search_tokens(words, "^x$", "regex")
        before = memory("VmHWM")
        jobs = []
        for pattern in {TRIED!r}:
            for work in (
                lambda pattern=pattern: split("ab" * 300_000 + "c", pattern, timeout=0.2),
                lambda pattern=pattern: search_tokens(words, pattern, "regex", timeout=0.2),
            ):
                jobs.append(work)

        def answer(work):
            try:
                work()
            except ValueError as problem:
                assert str(problem)[0].isupper() and str(problem).endswith("."), problem
            return 1

        with ThreadPoolExecutor(4) as pool:
            answers = sum(pool.map(answer, jobs))
        is_over.set()
        print(answers, int(memory("VmHWM") - before), int(max(peaks)))
        """
    )
    answers, ours, theirs = map(int, run_python("-c", script).stdout.split())
    assert answers == 2 * len(TRIED)
    assert ours + 2 * theirs <= 330 and theirs > 10, (ours, theirs)  # MB: two processes at a time


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of what newer engines read as sets
@pytest.mark.parametrize("pattern", [*ALIKE, *UNLIKE, r"(?:a\Kb?)+", "(?<=^a)b", "(a+|)*b"])
def test_split_gives_what_the_regex_library_finds(pattern: str) -> None:
    pieces = split(TEXT, pattern, timeout=1.0)
    assert "".join(pieces) == TEXT
    if r"\K" not in pattern:
        edges = {edge for match in regex.finditer(pattern, TEXT) for edge in match.span()}
        assert pieces == [TEXT[a:b] for a, b in itertools.pairwise(sorted({0, *edges, len(TEXT)}))]


@pytest.mark.parametrize("pattern", ["(?r)a", "(?r)", "(?ri)[ab]+"])
def test_a_pattern_that_runs_backwards_is_refused(pattern: str) -> None:
    with refused("backwards"):
        find_pattern(pattern)


def test_a_pattern_of_a_process_cuts_like_one_of_ours() -> None:
    pattern = r"(?:[a-z]+(?:-[a-z]+)*)|\s+"
    text = "well-being and so-called four-in-hand 12 " * 800
    assert split(text, pattern) == split(text, r"[a-z][a-z-]*|\s+")
    grove = tk.train(text, 300, pattern)
    assert grove.decode(grove.encode(text)) == text


def test_a_process_that_is_gone_is_replaced() -> None:
    split("ab", "(?:ab)*")  # one is there, and idle
    for process in bounded._idle:
        process.kill()
    assert split("abab", "(?:ab)*") == ["abab"]


@pytest.mark.slow
def test_what_a_task_takes_too_much_of_is_told_apart() -> None:
    with refused("took longer than 0.2 seconds"):
        split("ab" * 40, "(?:a|b|ab)*(?:a|b|ab)*d|(?:(?:a|b|ab)*)*e", timeout=0.2)
    with refused("too much memory"):
        split("ab" * 2_000_000, "(?:(.)(.))*", timeout=60.0)


def test_neither_the_start_of_a_process_nor_waiting_counts(tmp_path: Path) -> None:
    module = tmp_path / "slow_start.py"
    task = "def task():\n    os.write(1, b'what a library prints')\n    return 1\n"
    module.write_text(f"import os, time\n\ntime.sleep(0.5)\n\n\n{task}")
    assert bounded.run(module, "task", seconds=0.3) == 1


def test_who_finds_no_place_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "_slots", SimpleNamespace(acquire=lambda timeout: False))
    for work in (lambda: find_pattern("(?x)q"), lambda: split("ab", r"(a)\1")):
        with refused(r"^Others have all the places .* Try again in a moment\.$"):
            work()


@pytest.mark.slow
def test_a_process_that_has_grown_is_not_kept() -> None:
    bounded.close_idle()
    split("ab", r"(a)\1|b")
    assert len(bounded._idle) == 1
    with refused("valid|large"):
        find_pattern("(?x)a{400000}(")
    find_pattern("(?x)a{400000}")
    assert bounded._idle[0].wait(timeout=10) == 0


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="processes are watched as Linux lets one")
def test_no_worker_outlives_the_one_that_it_works_for() -> None:
    """Not even in the middle of a task, for longer than its limit of time."""
    script = textwrap.dedent(
        """
        from tokenizers.split import bounded, split
        start = bounded._start

        def start_and_say():
            worker = start()
            print(worker.pid, flush=True)
            return worker

        bounded._start = start_and_say
        split("a" * 5000, "(?:a|aa)*(?:a|aa)*(?:a|aa)*(?:a|aa)*c|d(?R)?", timeout=5)
        """
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        with ends(int(process.stdout.readline())):
            process.kill()


def test_unreachable_of_an_own_pattern_is_what_encode_says() -> None:
    grove = tk.train("the cat sat on the mat " * 20, 280, r"(q)\1|\w+(?=\s|$)|\s|.")
    unreachable = vocabulary_of(grove).unreachable
    for token_id in range(256, grove.n_vocab):
        ids = tuple(grove.encode(grove.token_bytes(token_id).decode()))
        assert unreachable.get(token_id, (token_id,)) == ids
