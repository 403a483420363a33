"""A folder of the machine on which the app runs: the other place where a person's records can lie.

A record is a file there: its head in a line of JSON, then its payload; its name is the record's id, which
follows from both, so a file that was changed is noticed. A marker says that this place was chosen. It is the
folder's, not a browser's: all browsers of the one person who uses the machine go by the same.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pages.session.records import Record
from tokenizers.amounts import bytes_in_words

VARIABLE = "TOKEN_GROVE_DATA"
"""The environment variable in which the owner of a server names the folder."""

_FILE = re.compile(r"([0-9a-f]{24})\.record")
_PART = re.compile(r"\.[0-9a-f]{32}\.part")  # a file that was not written to its end
_MARKER = ".chosen"
_MAX_HEAD_BYTES = 4096
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_FORWARDED = ("forwarded", "via", "x-real-ip", "cf-connecting-ip", "true-client-ip")  # and x-forwarded-…


def offered_path(
    environment: Mapping[str, str], server_address: str | None, headers: Mapping[str, str]
) -> Path | None:
    """The folder, if the owner names one, and whoever asks sits at this very machine.

    Args:
        environment: of the server's process.
        server_address: at which it listens; None: at all.
        headers: of the request, by their names in small letters.

    A server that others can reach offers none: neither one that listens to the network, nor one that is
    asked by another name or through a proxy that says so. One that says nothing, and asks as this machine
    does, looks like the owner: behind a proxy, name no folder.

    >>> offered_path({"TOKEN_GROVE_DATA": "/data"}, "127.0.0.1", {"host": "localhost:8501"})
    PosixPath('/data/kept')
    >>> offered_path({"TOKEN_GROVE_DATA": "/data"}, "127.0.0.1", {"host": "grove.example"})
    >>> offered_path({"TOKEN_GROVE_DATA": "/data"}, "0.0.0.0", {"host": "localhost:8501"})
    """
    named = environment.get(VARIABLE, "").strip()
    if not named or not asks_from_here(server_address, headers):
        return None
    return Path(os.path.abspath(os.path.expanduser(named))) / "kept"


def asks_from_here(server_address: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a request looks as one from this very machine does, as ``offered_path`` says.

    >>> asks_from_here("127.0.0.1", {"host": "localhost:8501"})
    True
    >>> asks_from_here("127.0.0.1", {"host": "localhost:8501", "x-forwarded-for": "203.0.113.9"})
    False
    """
    try:
        host = urlsplit("//" + headers.get("host", "")).hostname
    except ValueError:
        return False
    if server_address not in _LOOPBACK or host not in _LOOPBACK:
        return False
    return not any(name in _FORWARDED or name.startswith("x-forwarded") for name in headers)


@dataclass(frozen=True)
class Listed:
    """A record in the folder, without its payload.

    Attributes:
        title: what people call it.
        kind: of the record; empty: its head cannot be read.
        n_bytes: of its file.
    """

    title: str
    kind: str
    n_bytes: int


class DataFolder:
    """The records in one folder. Every session of the server shares it, and other servers may.

    Args:
        path: the folder, which is made when it is chosen.
        most_records: more are not looked at.
        most_bytes: of all files together; what is beyond is not looked at.
    """

    def __init__(self, path: Path, most_records: int, most_bytes: int) -> None:
        self.path = path
        self._most_records, self._most_bytes = most_records, most_bytes
        self._heads: dict[tuple[str, int, int], tuple[str, str]] = {}  # by id, time of change and size
        self.notes: list[str] = []  # from the last listing: what else is there

    @property
    def is_chosen(self) -> bool:
        """Whether things are kept here; not if it cannot be read."""
        try:
            return (self.path / _MARKER).is_file()
        except OSError:
            return False

    def choose(self, chosen: bool) -> None:
        """Keep things here from now on, or no longer. What is here stays for now.

        Raises:
            OSError: the folder cannot be made or written.
        """
        marker = self.path / _MARKER
        if chosen:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.chmod(0o700)
            if not self.is_chosen:
                self._write(marker, b"")
        else:
            marker.unlink(missing_ok=True)

    @property
    def emptied(self) -> bytes:
        """Changes whenever all that is here is forgotten at once, whoever does it."""
        try:
            with (self.path / _MARKER).open("rb") as file:
                return file.read(64)
        except OSError:
            return b""

    def listed(self) -> dict[str, Listed]:
        """What is here, by id, the oldest first.

        Raises:
            OSError: the folder cannot be read.
        """
        files: list[tuple[int, str, int]] = []
        n_foreign = 0
        try:
            with os.scandir(self.path) as entries:
                for entry in entries:
                    match = _FILE.fullmatch(entry.name)
                    if match and entry.is_file(follow_symlinks=False):
                        facts = entry.stat(follow_symlinks=False)
                        files.append((facts.st_mtime_ns, match[1], facts.st_size))
                    elif not entry.name.startswith("."):
                        n_foreign += 1
        except FileNotFoundError:
            files = []
        there: dict[str, Listed] = {}
        heads, n_bytes = {}, 0
        for changed, name, size in sorted(files):
            if len(there) < self._most_records and n_bytes + size <= self._most_bytes:
                n_bytes += size
                key = (name, changed, size)
                heads[key] = self._heads.get(key) or self._read_title(name)
                there[name] = Listed(*heads[key], size)
        self._heads = heads
        self.notes = []
        if n_foreign:
            files_are = "a file that is" if n_foreign == 1 else f"{n_foreign:,} files that are"
            self.notes.append(f"In {self.path}, there is {files_are} not Token Grove’s: left alone.")
        if len(there) < len(files):
            self.notes.append(
                f"{self.path} holds more than is taken from it ({self._most_records} things, "
                f"{bytes_in_words(self._most_bytes)}): the newest {len(files) - len(there):,} are left alone."
            )
        return there

    def _read_title(self, name: str) -> tuple[str, str]:
        try:
            with self._file(name).open("rb") as file:
                head = json.loads(file.readline(_MAX_HEAD_BYTES))
            return str(head["title"])[:60], str(head["kind"])[:20]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return "A damaged file", ""

    def read(self, name: str) -> Record:
        """The record of that id.

        Raises:
            OSError: it cannot be read.
            ValueError: it is damaged.
        """
        with self._file(name).open("rb") as file:
            line, payload = file.readline(_MAX_HEAD_BYTES), file.read(self._most_bytes)
        try:
            head = json.loads(line)
        except (ValueError, RecursionError):
            head = None
        record = Record(head, payload) if isinstance(head, dict) else None
        if record is None or record.id != name:
            raise ValueError(f"its file {name}.record is damaged, and is left alone")
        return record

    def put(self, record: Record) -> None:
        """Write a record: all of it, or nothing.

        Raises:
            OSError: there is no room, or it must not be written.
        """
        head = json.dumps(record.head, sort_keys=True).encode()
        if len(head) >= _MAX_HEAD_BYTES:
            raise OSError("its description is too long")
        self._write(self._file(record.id), head + b"\n" + record.payload)

    def remove(self, names: Iterable[str]) -> None:
        """Remove the records of those ids.

        Raises:
            OSError: they must not be removed.
        """
        for name in names:
            self._file(name).unlink(missing_ok=True)

    def forget(self) -> None:
        """Remove all records, damaged ones too. Files that are not ours stay.

        Raises:
            OSError: they must not be removed.
        """
        if self.path.is_dir():
            if self.is_chosen:  # first, so that nobody takes a file that is gone for one that was removed
                self._write(self.path / _MARKER, secrets.token_hex(16).encode())
            for path in list(self.path.iterdir()):
                if _FILE.fullmatch(path.name) or _PART.fullmatch(path.name):
                    path.unlink(missing_ok=True)

    def _file(self, name: str) -> Path:
        path = self.path / f"{name}.record"
        if not _FILE.fullmatch(path.name):
            raise ValueError("no id of a record")
        return path

    def _write(self, path: Path, data: bytes) -> None:
        part = self.path / f".{secrets.token_hex(16)}.part"
        try:
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except OSError:
            part.unlink(missing_ok=True)
            raise
