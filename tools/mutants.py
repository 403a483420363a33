"""Plants faults in the code, one after the other, and says which of them no test notices.

    make mutants                                              50 faults in tokenizers/ and pages/
    make mutants ARGS="--count 400 --seed 7 tokenizers/bpe"   others
    make mutants ARGS="--again tokenizers/utf8.py:20:number"  one of them again

It works on a copy of the files that git knows, in ``build/mutants``. First, coverage.py notes which test runs
which line. A fault meets the quickest tests that run its line, then others of its file, until one fails.
Tests in a browser are left out. (mutmut does such things, but not in functions with a decorator.)
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import importlib
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import traceback
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tools.mutant_kinds import Fault, find_faults

ROOT = Path(__file__).resolve().parent.parent
COPY = ROOT / "build" / "mutants"
WHERE = ["tokenizers", "pages"]
LEFT_OUT = {"tokenizers/kernels"}
"""The kernels are compiled: a fault in them takes half a minute."""

QUICKEST = 30  # tests that a fault meets first
SECONDS = 60.0  # what the others may take together
PROCESSOR_SECONDS = 300  # a fault that makes a loop endless is noticed by this

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


class Place(NamedTuple):
    """A fault and the file that it is in."""

    path: str
    fault: Fault

    def __str__(self) -> str:
        return f"{self.path}:{self.fault.line}:{self.fault.kind}"


class Record:
    """Which test runs which line, and how long each takes."""

    def __init__(
        self, lines: Mapping[str, Mapping[str, Sequence[str]]], seconds: Mapping[str, float]
    ) -> None:
        self.lines = lines
        self.seconds = seconds

    def first(self, place: Place) -> list[str]:
        """The quickest tests that run the line of a fault."""
        return self._by_time(self.lines.get(place.path, {}).get(str(place.fault.line), ()))[:QUICKEST]

    def others(self, place: Place) -> list[str]:
        """Other tests that run the file of a fault or name its module, the quickest first, for ``SECONDS``.

        What a module does when it is imported, or keeps in a cache, happens in the first test that needs it.
        """
        of_file = {test for tests in self.lines.get(place.path, {}).values() for test in tests}
        of_name = {test for test in self.seconds if Path(place.path).stem in _words(test.split("::")[0])}
        left = SECONDS
        tests = []
        for test in self._by_time((of_file | of_name) - set(self.first(place))):
            left -= self.seconds[test]
            if left > 0:
                tests.append(test)
        return tests

    def _by_time(self, tests: Collection[str]) -> list[str]:
        return sorted(
            (test for test in tests if test in self.seconds), key=lambda test: (self.seconds[test], test)
        )


@functools.cache
def _words(path: str) -> set[str]:
    """The words in a file of the copy."""
    return set(re.findall(r"\w+", (COPY / path).read_text("utf-8")))


class Watch:
    """A plugin of pytest: tells coverage.py which test runs, and keeps how long each takes."""

    def __init__(self, coverage: Any) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self.coverage.switch_context(nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A part of a test has ended: what it needs, itself, or what follows it."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if report.failed:
            self.failed.add(report.nodeid)


def record(tests: Sequence[str]) -> Record:
    """Run the tests in the copy, each line's noted, or read what was noted for the same files."""
    file = COPY.with_suffix(".json")
    digest = _digest(tests)
    noted = json.loads(file.read_text("utf-8")) if file.exists() else {}
    if noted.get("digest") != digest:
        print("Each test is run once, to see which line it runs. This takes some minutes.", flush=True)
        if _in_child(lambda: _record(tests, file, digest), seconds=3600):
            sys.exit("The tests could not be run, as said above.")
        noted = json.loads(file.read_text("utf-8"))
    return Record(noted["lines"], noted["seconds"])


def _record(tests: Sequence[str], file: Path, digest: str) -> int:
    import coverage
    import pytest

    measured = coverage.Coverage(data_file=None, source=WHERE)
    watch = Watch(measured)
    measured.start()
    code = int(pytest.main([*_OPTIONS, *tests], plugins=[watch]))
    measured.stop()
    data = measured.get_data()
    lines = {
        Path(name).relative_to(COPY).as_posix(): data.contexts_by_lineno(name)
        for name in data.measured_files()
    }
    if code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        # Threads that begin at once may fail while coverage.py watches them. Such tests notice no fault here.
        seconds = {test: taken for test, taken in watch.seconds.items() if test not in watch.failed}
        file.write_text(json.dumps({"digest": digest, "lines": lines, "seconds": seconds}), "utf-8")
        code = 0
    return code


_OPTIONS = (
    "-W",
    "ignore::pytest.PytestAssertRewriteWarning",
    "-m",
    "not browser",
    "-p",
    "no:cacheprovider",
    "--tb=line",
    "--no-header",
)


def _digest(tests: Sequence[str]) -> str:
    """What tells one state of all files from another."""
    digest = hashlib.sha256(repr(tests).encode())
    for path in sorted(COPY.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _in_child(run: Any, seconds: int, output: Path | None = None) -> int:
    """Run a function in a fork of this process, which has loaded what takes long: 0 if it returns 0."""
    child = os.fork()
    if not child:
        code = 1
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            if output:
                to = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(to, 1)
                os.dup2(to, 2)
            code = run()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def who_notices(place: Place, seen: Record) -> str:
    """Plant a fault, and run tests until one fails: what did not pass; empty if nobody noticed."""
    import pytest

    file = COPY / place.path
    source = file.read_text("utf-8")
    try:
        file.write_text(place.fault.plant(source), "utf-8")
        for tests in (seen.first(place), seen.others(place)):
            output = COPY.with_suffix(".txt")
            run = [*_OPTIONS, "-x", *tests]
            if tests and _in_child(lambda run=run: int(pytest.main(run)), PROCESSOR_SECONDS, output):
                return next(
                    (line for line in output.read_text("utf-8").splitlines() if ".py:" in line), "ended"
                )
        return ""
    finally:
        file.write_text(source, "utf-8")


def sample(paths: Sequence[str], count: int, seed: int) -> Iterator[Place]:
    """Faults at random: a file by how many it could have, then a kind, then one of that kind."""
    drawn = random.Random(seed)
    faults = {path: find_faults((COPY / path).read_text("utf-8")) for path in paths}
    chosen: set[Place] = set()
    while len(chosen) < count:
        path = drawn.choices(list(faults), [len(each) for each in faults.values()])[0]
        kind = drawn.choice(sorted({fault.kind for fault in faults[path]}))
        place = Place(path, drawn.choice([fault for fault in faults[path] if fault.kind == kind]))
        if place not in chosen:
            chosen.add(place)
            yield place


def _files(where: Sequence[str]) -> list[str]:
    """The Python files in these folders, or files, in which faults are planted."""
    found = []
    for each in where:
        start = COPY / each
        for path in sorted(start.rglob("*.py")) if start.is_dir() else [start]:
            name = path.relative_to(COPY).as_posix()
            if not any(name.startswith(folder) for folder in LEFT_OUT):
                found.append(name)
    return found


def _copy() -> None:
    """Copy what git knows, as it is now."""
    shutil.rmtree(COPY, ignore_errors=True)
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in names.split("\0"):
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)


def main() -> None:
    """Plant faults, and print one line for each, and at the end how many were noticed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "where", nargs="*", default=WHERE, help="folders or files in which faults are planted"
    )
    parser.add_argument("--count", type=int, default=50, help="how many faults (50)")
    parser.add_argument("--seed", type=int, default=0, help="another number, other faults (0)")
    parser.add_argument(
        "--tests", nargs="*", default=[], help="only these tests (all but those in a browser)"
    )
    parser.add_argument("--again", nargs="*", default=[], metavar="PATH:LINE:KIND", help="only these faults")
    asked = parser.parse_args()
    _copy()
    os.environ["CI"] = "true"  # the same examples in each run
    os.chdir(COPY)
    sys.path[0] = str(COPY)
    sys.dont_write_bytecode = True  # a file that is changed twice in a second is compiled twice
    for module in HEAVY:
        importlib.import_module(module)
    seen = record(asked.tests)
    paths = sorted({each.split(":")[0] for each in asked.again}) or _files(asked.where)
    if asked.again:
        every = [
            Place(path, fault) for path in paths for fault in find_faults((COPY / path).read_text("utf-8"))
        ]
        places = [place for place in every if str(place) in asked.again]
    else:
        places = list(sample(paths, asked.count, asked.seed))
    n_noticed = 0
    for place in places:
        noticed = who_notices(place, seen)
        n_noticed += bool(noticed)
        change = f"{place}  {place.fault.before!r} -> {place.fault.after!r}"
        print(f"noticed   {change}  {noticed}" if noticed else f"SURVIVED  {change}", flush=True)
    print(f"{n_noticed} of {len(places)} faults were noticed.")


if __name__ == "__main__":
    main()
