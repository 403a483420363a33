"""Files that come with the app, libraries that it needs, and the errors that say that one is missing.

The errors appear on pages that strangers see, so they name a file by its path in the repository, never by the
server's. Nothing is kept of a file that could not be read: once it is restored, it is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import lzma
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .encoding import ASSETS


class MissingFileError(OSError):
    """A file that comes with the app is not there, or must not be read."""


class DamagedFileError(ValueError):
    """A file that comes with the app holds something else than it should."""


SHIPPED_FILE_ERRORS = (MissingFileError, DamagedFileError)
"""The errors that a page has to expect, whichever file it needs."""


def _say(path: Path, what: str, state: str) -> str:
    """What is wrong with a file, without saying where the app is on this machine, and what brings it back."""
    root = ASSETS.parent
    name, folder = (
        each.relative_to(root).as_posix() if each.is_relative_to(root) else each.name
        for each in (path, path.parent)
    )
    return f"{what} {name} is {state}. Restore it from the repository: git checkout -- {folder}"


def missing(path: Path, what: str, problem: OSError) -> MissingFileError:
    """The error to raise for a file that cannot be read.

    Args:
        path: where it should be.
        what: what it is, and who needs it: the beginning of a sentence.
        problem: what the system said.

    >>> print(missing(ASSETS / "udhr" / "udhr.jsonl.xz", "The declaration's file", OSError(2, "No")))
    The declaration's file assets/udhr/udhr.jsonl.xz is missing or unreadable (No such file or directory). \
Restore it from the repository: git checkout -- assets/udhr
    """
    why = os.strerror(problem.errno) if problem.errno is not None else "it cannot be opened"
    return MissingFileError(_say(path, what, f"missing or unreadable ({why})"))


def damaged(path: Path, what: str, why: str = "") -> DamagedFileError:
    """The error to raise for a file that holds something else than it should. Arguments as for ``missing``.

    >>> print(damaged(ASSETS / "map" / "land-110m.json", "The map's file"))
    The map's file assets/map/land-110m.json is damaged. Restore it from the repository: \
git checkout -- assets/map
    """
    return DamagedFileError(_say(path, what, f"damaged ({why})" if why else "damaged"))


@contextlib.contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Around code that reads and parses a file of the app: turns its errors into the two above.

    >>> with reading(ASSETS / "map" / "land-110m.json", "The map's file"):
    ...     int("no number")
    Traceback (most recent call last):
    ...
    tokenizers.shipped.DamagedFileError: The map's file assets/map/land-110m.json is damaged. Restore ...
    """
    try:
        yield
    except OSError as problem:
        raise missing(path, what, problem) from None
    except (ValueError, KeyError, TypeError, OverflowError, EOFError, lzma.LZMAError):
        raise damaged(path, what) from None


def read_published(path: Path, sha256: str, what: str) -> bytes:
    """The content of a file that others published, uncompressed; it has to be what they published.

    Args:
        path: the file, or the file compressed (.xz).
        sha256: of the content.
        what: what it is, and who needs it: the beginning of a sentence.

    Raises:
        OSError: it is missing. ValueError: it is damaged.

    >>> read_published(ASSETS / "map" / "land-110m.json", "no such hash", "The map's file")
    Traceback (most recent call last):
    ...
    tokenizers.shipped.DamagedFileError: The map's file assets/map/land-110m.json is damaged (its ...
    """
    with reading(path, what):
        data = path.read_bytes()
        data = lzma.decompress(data) if path.suffix == ".xz" else data
    if hashlib.sha256(data).hexdigest() != sha256:
        raise damaged(path, what, "its SHA-256 is not the published one")
    return data


def require(library: str) -> Any:
    """A library that some installations lack, imported where it is first needed.

    Raises:
        OSError: it is not installed; says how to install it.

    >>> require("no_such_library")
    Traceback (most recent call last):
    ...
    OSError: This needs the library no_such_library, which is not installed: pip install no_such_library
    """
    try:
        return importlib.import_module(library)
    except ImportError:
        name = library.partition(".")[0]
        raise OSError(f"This needs the library {name}, which is not installed: pip install {name}") from None
