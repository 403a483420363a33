"""Running peers in processes of their own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PEERS = Path(__file__).resolve().parent / "peers.py"


def run(job: dict[str, Any], python: str = sys.executable, timeout: float = 1200) -> dict[str, Any]:
    """What ``peers.py`` prints for a job; {"error": why} if it fails.

    The process works in an empty folder, so that our ``tokenizers/`` does not hide the package. A path to
    Python counts from the folder that we work in.
    """
    python = os.path.abspath(shutil.which(python) or python)
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                [python, str(PEERS), json.dumps(job)],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=timeout,
            )
        except subprocess.TimeoutExpired:
            return {"error": f"longer than {timeout:g} s"}
        except OSError as problem:
            return {"error": f"{python} cannot be run ({problem.strerror})"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["no reason given"])[-1]}
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
