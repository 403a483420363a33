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


class PeerError(Exception):
    """A peer that does not answer; says why, and what to do."""


def run(python: str, function: str, peer: str, **arguments: Any) -> Any:
    """What a function of ``peers.py`` returns for a peer.

    The process works in an empty folder, so that our ``tokenizers/`` does not hide the package. A path to
    Python counts from the folder that we work in.

    Args:
        python: the Python that has the peers. Token Grove runs in this one.
        function: the name of the function.
        peer: the name of the peer.
        arguments: what else the function is given.

    Raises:
        PeerError: it does not answer.
    """
    python = sys.executable if peer == "grove" else os.path.abspath(shutil.which(python) or python)
    job = json.dumps([function, {"peer": peer, **arguments}])
    try:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(
                [python, PEERS, job], cwd=folder, capture_output=True, text=True, timeout=1200, check=True
            )
    except (OSError, subprocess.SubprocessError) as problem:
        why = getattr(problem, "stderr", None) or str(problem)
        raise PeerError(
            f"{peer} does not answer in {python}: {why.strip().splitlines()[-1]}. "
            "Install benchmarks/requirements.txt there."
        ) from None
    return json.loads(done.stdout.splitlines()[-1])
