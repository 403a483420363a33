"""Python in another process, and processes that a test watches, though it did not start them."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.browser import ROOT

PATIENCE = 60
"""Seconds after which a test no longer waits for an end that does not come."""


def run_python(*words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run Python at the project's root, with these words and further variables of the environment.

    Raises:
        AssertionError: it fails.
    """
    env = os.environ | variables
    done = subprocess.run([sys.executable, *words], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


@contextlib.contextmanager
def ends(pid: int) -> Iterator[None]:
    """What is done in the block ends this process, which is running before.

    Raises:
        ProcessLookupError: it is not running at the start.
        AssertionError: it goes on.
    """
    process = os.pidfd_open(pid)
    try:
        yield
        ended, _, _ = select.select([process], [], [], PATIENCE)
        assert ended, f"process {pid} still runs"
    finally:
        os.close(process)
