"""The long comparison with other libraries: one that compares with nobody does not pass."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import fuzz
from benchmarks.processes import run

ROOT = Path(__file__).resolve().parent.parent


def options(python: str, path: list[str] | None = None) -> argparse.Namespace:
    return argparse.Namespace(python=python, path=path or [])


@pytest.mark.parametrize("python", ["/bin/false", "/no/such/python"])
def test_expected_peers_that_do_not_answer_are_a_failure(python: str) -> None:
    with pytest.raises(fuzz.NoAnswerError, match=f"rustbpe does not answer in {python}: .*Install "):
        fuzz.ask("rustbpe", {}, "merges", options(python))


@pytest.mark.slow
def test_a_run_without_the_expected_peers_fails() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fuzz", "--python", "/bin/false", "--minutes", "0", "--seed", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    assert "rustbpe does not answer in /bin/false" in done.stdout


def test_minbpe_has_to_answer_where_its_folder_is_given(tmp_path: Path) -> None:
    with pytest.raises(fuzz.NoAnswerError, match="minbpe does not answer"):
        fuzz.ask("minbpe", {}, "merges", options(sys.executable, [str(tmp_path)]))


def test_our_own_python_need_not_have_the_peers() -> None:
    assert fuzz.is_our_python(sys.executable) and not fuzz.is_our_python("/bin/false")
    assert fuzz.ask("rustbpe", {}, "merges", options(sys.executable)) is None


def test_a_relative_path_to_python_counts_from_here() -> None:
    relative = os.path.relpath(sys.executable)
    assert "cannot be run" not in run({"peer": "none"}, relative)["error"]


def test_every_file_of_property_tests_is_run() -> None:
    uses_hypothesis = {
        f"tests/{file.name}"
        for file in (ROOT / "tests").glob("test_*.py")
        if re.search("^from hypothesis import", file.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert uses_hypothesis == set(fuzz.PROPERTY_TESTS)
