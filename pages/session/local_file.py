"""A file on the machine on which the app runs, by its path: as much of it as is needed."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from pages.session.incoming import FIRST_HEADER, FIRST_LOOK, Arrived, Kinds


def read_path(typed: str, kinds: Kinds) -> Arrived:
    """The file at a path; of one whose header holds everything, the header alone.

    Args:
        typed: the path, as a person wrote it; ``~`` is their home.
        kinds: of files.

    Raises:
        ValueError: there is no such file, it cannot be read, or it is too long; says so in a sentence.
    """
    path = Path(os.path.expanduser(typed.strip().strip("\"'")))
    if not path.is_absolute():
        raise ValueError(f"Write the whole path, from / or ~ on: {str(path)[:200]} does not tell the folder.")
    try:
        # O_NONBLOCK: to open a named pipe would wait for ever. It is no file then, as a device is none.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:
            facts = os.fstat(descriptor)
            data = _read(file, facts.st_size, kinds) if stat.S_ISREG(facts.st_mode) else None
    except (OSError, ValueError):  # ValueError: a path with a NUL in it
        data = None
    if data is None:
        raise ValueError(f"There is no file {str(path)[:200]} that can be read. Is its path complete?")
    if not data:
        raise ValueError(
            kinds.say_too_long(path.name, facts.st_size) if facts.st_size else f"{path.name} is empty."
        )
    return Arrived(path.name, data, facts.st_size)


def _read(file: BinaryIO, size: int, kinds: Kinds) -> bytes:
    """What is needed of a file; nothing, if that is too much."""
    data = file.read(FIRST_LOOK)
    if not kinds.has_header(data):
        return b"" if size > kinds.most else data + file.read(kinds.most - len(data))
    wanted = FIRST_HEADER
    data += file.read(wanted - len(data))
    while len(data) == wanted < kinds.most and not kinds.is_whole(data):
        wanted = min(2 * wanted, kinds.most)
        data += file.read(wanted - len(data))
    return data
