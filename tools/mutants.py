"""Plants faults in the code, one after the other, and says which of them no test notices.

    make mutants                                                      50 faults in tokenizers/ and pages/
    make mutants ARGS="--count 400 --seed 7 --where tokenizers/bpe"   others
    make mutants ARGS="--again tokenizers/utf8.py:20:number"          one of them again

It works on a copy of the files, in ``build/mutants``. First, coverage.py notes which test runs which line. A
fault meets tests that run its line, then others of its file, until one fails. Tests in a browser are left
out. (mutmut does such things, but not in functions with a decorator.)
"""

from __future__ import annotations

import functools
import importlib
import itertools
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.mutant_kinds import Fault, find_faults
from tools.options import read_options

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build" / "mutants"
RECORD, OUTPUT = COPY.with_suffix(".json"), COPY.with_suffix(".txt")
WHERE = ["tokenizers", "pages"]
LEFT_OUT = COPY / "tokenizers" / "kernels"
"""The kernels are compiled: a fault in them takes half a minute."""

FIRST = 30  # tests that a fault meets first
SECONDS = 60.0  # what all that it meets may take together
PROCESSOR_SECONDS = 120  # a fault that makes a loop endless is noticed by this
WAITED_SECONDS = 180  # and one for which a test waits for ever, by this

HEAVY = (
    "altair",
    "hypothesis",
    "numba",
    "pandas",
    "sentencepiece",
    "streamlit.testing.v1",
    "streamlit.web.bootstrap",
    "tiktoken",
)
"""What takes long to import. It is done once, before the process forks for each fault."""

OPTIONS = "-W ignore::pytest.PytestAssertRewriteWarning -p no:cacheprovider --tb=line --no-header".split()
OPTIONS += ["-m", "not browser"]
"""pytest's options."""

Lines = Mapping[str, Mapping[str, Sequence[str]]]
"""The tests that run each line, by the file's path and the line's number."""


class Watch:
    """A plugin of pytest: tells coverage.py which test runs, and keeps how long each takes."""

    def __init__(self, coverage: Any) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = defaultdict(float)
        self.failed: set[str] = set()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A part of a test has ended: what it needs, itself, or what follows it."""
        self.seconds[report.nodeid] += report.duration
        if report.failed:
            self.failed.add(report.nodeid)


def record(tests: Sequence[str]) -> None:
    """Run the tests in the copy, and write down which line each runs, and how long it takes."""
    import coverage
    import pytest

    measured = coverage.Coverage(data_file=None, source=WHERE)
    watch = Watch(measured)
    measured.start()
    code = pytest.main([*OPTIONS, *tests], plugins=[watch])
    measured.stop()
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.exit("The tests could not be run, as said above.")
    data = measured.get_data()
    lines = {
        Path(name).relative_to(COPY).as_posix(): data.contexts_by_lineno(name)
        for name in data.measured_files()
    }
    # Threads that begin at once may fail while coverage.py watches them. Such tests notice no fault here.
    seconds = {test: time for test, time in watch.seconds.items() if test not in watch.failed}
    RECORD.write_text(json.dumps([lines, seconds]), "utf-8")


def choose_tests(fault: Fault, lines: Lines, seconds: Mapping[str, float]) -> list[str]:
    """The tests that run the line of a fault, then those that run its file or name its module.

    Of each, those that name the module come first, and of these the quickest: a line that every page runs has
    hundreds of tests, and few are about it. What a module does when it is imported, or keeps in a cache,
    happens in the first test that needs it.
    """
    of_file = lines.get(fault.path, {})
    of_line = set(of_file.get(str(fault.line), ()))
    naming = {test for test in seconds if Path(fault.path).stem in _words(test.split("::")[0])}
    tests = naming.union(*of_file.values()) & seconds.keys()
    ranked = sorted(tests, key=lambda test: (test not in of_line, test not in naming, seconds[test], test))
    sums = itertools.accumulate(seconds[test] for test in ranked)
    return [test for test, total in zip(ranked, sums, strict=True) if total < SECONDS]


@functools.cache
def _words(path: str) -> set[str]:
    """The words in a file of the copy."""
    return set(re.findall(r"\w+", (COPY / path).read_text("utf-8")))


def run_tests(tests: Sequence[str]) -> None:
    """Run tests until one fails, in a process of their own, which ends with pytest's code."""
    import pytest

    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS))
    signal.alarm(WAITED_SECONDS)
    with OUTPUT.open("w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    code = pytest.main([*OPTIONS, "-x", *tests])
    sys.stdout.flush()
    os._exit(code)  # whatever the tests have left running


def passes(run: Callable[[Sequence[str]], None], tests: Sequence[str]) -> bool:
    """Run a function in a fork of this process, which has loaded what takes long; whether all went well."""
    process = multiprocessing.get_context("fork").Process(target=run, args=[tests])
    process.start()
    process.join()
    return process.exitcode == 0


def who_notices(fault: Fault, tests: Sequence[str]) -> str:
    """Plant a fault, and run tests until one fails: what did not pass; empty if nobody noticed."""
    file = COPY / fault.path
    source = file.read_text("utf-8")
    try:
        file.write_text(fault.plant(source), "utf-8")
        for some in (tests[:FIRST], tests[FIRST:]):
            if some and not passes(run_tests, some):
                lines = OUTPUT.read_text("utf-8").splitlines()
                return next((line for line in lines if ".py:" in line), "ended")
        return ""
    finally:
        file.write_text(source, "utf-8")


def list_faults(where: Sequence[str]) -> list[Fault]:
    """All faults that fit the Python files in these folders, or these files."""
    faults: list[Fault] = []
    for start in (COPY / each for each in where):
        for file in sorted(start.rglob("*.py")) or [start]:
            if LEFT_OUT not in file.parents:
                faults += find_faults(file.relative_to(COPY).as_posix(), file.read_text("utf-8"))
    return faults


def sample(faults: Sequence[Fault], count: int, seed: int) -> list[Fault]:
    """So many faults at random, as many of each kind as there are."""
    by_kind: dict[str, list[Fault]] = defaultdict(list)
    for fault in random.Random(seed).sample(faults, len(faults)):
        by_kind[fault.kind].append(fault)
    one_of_each = itertools.zip_longest(*by_kind.values())
    return [fault for some in one_of_each for fault in some if fault][:count]


def main() -> None:
    """Plant faults, and print one line for each, and at the end how many were noticed."""
    asked = read_options(__doc__, where=WHERE, count=50, seed=0, tests=[], again=[])
    shutil.rmtree(COPY, ignore_errors=True)
    left = shutil.ignore_patterns(".git", ".venv*", ".*_cache", ".hypothesis", "build", "__pycache__")
    shutil.copytree(ROOT, COPY, ignore=left)
    os.environ["CI"] = "true"  # the same examples in each run
    os.chdir(COPY)
    sys.path[0] = str(COPY)
    sys.dont_write_bytecode = True  # a file that is changed twice in a second is compiled twice
    for module in HEAVY:
        importlib.import_module(module)
    print("Each test is run once, to see which line it runs. This takes some minutes.", flush=True)
    if not passes(record, asked.tests):
        sys.exit(1)
    lines, seconds = json.loads(RECORD.read_text("utf-8"))
    faults = sample(list_faults(asked.where), asked.count, asked.seed)
    if asked.again:
        files = {each.split(":")[0] for each in asked.again}
        faults = [fault for fault in list_faults(sorted(files)) if str(fault) in asked.again]
    n_noticed = 0
    for fault in faults:
        change = f"{fault}  {fault.before!r} -> {fault.after!r}"
        failure = who_notices(fault, choose_tests(fault, lines, seconds))
        n_noticed += bool(failure)
        print(f"noticed   {change}  {failure}" if failure else f"SURVIVED  {change}", flush=True)
    print(f"{n_noticed} of {len(faults)} faults were noticed.")


if __name__ == "__main__":
    main()
