"""Finds missing files and packages at the start; app.py prints a line for each.

The app starts all the same, and each page shows its own problems.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import sys
from collections.abc import Iterator
from pathlib import Path

from tokenizers import limits
from tokenizers.bundled import RANK_FILES
from tokenizers.data import HASHES
from tokenizers.encoding import ASSETS
from tokenizers.shipped import damaged, how_to_restore, missing

PACKAGES = {
    "numba": "training is ten times slower",
    "sentencepiece": "SentencePiece’s encodings and methods are missing",
    "tokenizers": "bert-uncased and most tokenizer.json files fail",
    "vl-convert-python": "charts cannot be saved as pictures",
}
"""The packages, and what the app lacks without each."""

FILES_PER_SESSION = 8
"""Open files for a session: four, and some for its browser's requests."""

_FILES = [
    *(f"encodings/{name}" for name in RANK_FILES),
    *(f"vocabularies/{name}.xz" for name in HASHES),
    "udhr/udhr.jsonl.xz",
    "udhr/own_names.json",
    "samples/samples.json",
    "premiums/counts.json",
    "map/land-110m.json",
    "models/grove-udhr-8k.json",
    "models/grove-udhr-8k.model",
    "unicode/looks_like_ascii.txt",
    "components/loader.js",
    "components/page.css",
    "components/editor/index.js",
]
_FOLDERS = ("lessons", "stories")


def check(assets: Path = ASSETS, max_files: int | None = None) -> list[str]:
    """Sentences about missing files, missing packages, and too few open files.

    Args:
        assets: the folder of the app's files.
        max_files: how many files the process may open; None: not known.
    """
    needed = FILES_PER_SESSION * limits.SESSIONS
    few = [] if max_files is None or max_files >= needed else [_say_few_files(max_files, needed)]
    return [*_check_assets(assets), *_check_packages(), *few]


def _say_few_files(max_files: int, needed: int) -> str:
    return (
        f"This process may hold {max_files:,} files open, and {limits.SESSIONS:,} browser tabs need "
        f"{needed:,}: raise the limit (ulimit -n), or set "
        f"TOKEN_GROVE_SESSIONS={max_files // FILES_PER_SESSION}."
    )


def _check_assets(assets: Path) -> Iterator[str]:
    for folder in _FOLDERS:
        if not any((assets / folder).glob("*")):
            yield f"assets/{folder} is missing. {how_to_restore(ASSETS / folder)}"
    for name in _FILES:
        try:
            data = (assets / name).read_bytes()
        except OSError as problem:
            yield str(missing(ASSETS / name, "The file", problem))
            continue
        sha256 = RANK_FILES.get(name.removeprefix("encodings/"))
        if not data or (sha256 and hashlib.sha256(data).hexdigest() != sha256):
            yield str(damaged(ASSETS / name, "The file"))


def _check_packages() -> Iterator[str]:
    for name, lost in PACKAGES.items():
        try:
            importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            if name != "numba" or sys.version_info < (3, 16):
                yield f"The package {name} is not installed: {lost}."


def raise_open_files() -> int | None:
    """Raise the limit of open files as far as possible; returns the limit, or None if it is not known."""
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 65_536 if hard == resource.RLIM_INFINITY else hard
    if soft == resource.RLIM_INFINITY or soft >= most:
        return None if soft == resource.RLIM_INFINITY else soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    except (OSError, ValueError):
        return soft
    return most
