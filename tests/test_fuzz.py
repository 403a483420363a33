"""The long comparison with other libraries: one that compares with nobody does not pass."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import pipelines
from benchmarks.processes import run
from tests.examples import scaled

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.slow
def test_a_peer_that_does_not_answer_is_a_failure() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fuzz", "--python", "/bin/false", "--minutes", "0", "--seed", "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    assert "rustbpe does not answer in /bin/false" in done.stdout


@pytest.mark.slow
def test_some_random_pipelines_are_read_as_the_library_reads_them() -> None:
    choose = random.Random(40)
    for _ in range(scaled(100)):
        texts = [pipelines.any_text(choose, 12) for _ in range(60)]
        content = pipelines.any_pipeline(choose, texts)
        try:
            pipelines.check_pipeline(content, texts[:10], choose)
        except ValueError as refused:
            assert any(each in str(refused) for each in pipelines.EXPECTED), json.dumps(content)


def test_a_relative_path_to_python_counts_from_here() -> None:
    relative = os.path.relpath(sys.executable)
    assert "cannot be run" not in run({"peer": "none"}, relative)["error"]
