"""The long comparison with other libraries: one that compares with nobody does not pass."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.processes import PeerError, run

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


def test_a_relative_path_to_python_counts_from_here() -> None:
    relative = os.path.relpath(sys.executable)
    with pytest.raises(PeerError, match="KeyError"):  # of Python, which was found
        run(relative, "no_function", "none")
