"""Files on their way from the browser: piece by piece, and of each as much as is needed.

The browser's side (``assets/components/files``) says which files a person chose, and sends the pieces that it
is asked for. So of a file of gigabytes whose header holds everything, only the header comes; and of one that
is no file of a tokenizer, no more than its beginning.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeGuard

from tokenizers.amounts import bytes_in_words

PIECE = 4 << 20
"""Bytes of one piece."""

FIRST_LOOK = 1 << 16
"""Bytes of a file of more than one piece that come first, to see which kind it is."""

FIRST_HEADER = 8 << 20
"""Bytes in which a header may end; if it does not, twice as many are asked for, and so on."""

MAX_FILES = 20
MAX_BATCH_BYTES = 200 << 20
"""Files that are taken at a time, and what comes of them together."""


@dataclass(frozen=True)
class Kinds:
    """What has to be known of files to fetch no more of them than is needed.

    Attributes:
        most: bytes of the longest file, or of the longest header.
        has_header: whether a file's header alone holds everything, by its first bytes.
        is_whole: whether the header ends in these bytes.
    """

    most: int
    has_header: Callable[[bytes], bool]
    is_whole: Callable[[bytes], bool]

    def say_too_long(self, name: str, size: int) -> str:
        """What to say of a file of ``size`` bytes, if that is too many."""
        return (
            f"{name} has {bytes_in_words(size)}, and no tokenizer here takes more than "
            f"{bytes_in_words(self.most)}. Choose the file that holds the tokenizer, not the model’s weights."
        )


@dataclass(frozen=True)
class Arrived:
    """A file that has come.

    Attributes:
        name: as the browser says it, shortened.
        data: its content, or its header and some of what follows.
        size: of the whole file, in bytes.
    """

    name: str
    data: bytes
    size: int


@dataclass
class _File:
    number: int
    name: str
    size: int
    wanted: int
    data: bytearray = field(default_factory=bytearray)


@dataclass
class Incoming:
    """What a session has of the files that are coming.

    Args:
        kinds: of files.

    Attributes:
        session: by which the browser sees that it talks to a new session.
        heard: the number of the newest message that was taken.
        problems: a sentence for each file that could not come.
    """

    kinds: Kinds
    session: str = field(default_factory=lambda: secrets.token_hex(6))
    heard: int = 0
    problems: list[str] = field(default_factory=list)
    _coming: list[_File] = field(default_factory=list)
    _there: list[Arrived] = field(default_factory=list)
    _asked: int = 0  # the number of the piece that was asked for last
    _is_asking: bool = False

    @property
    def is_busy(self) -> bool:
        """Whether a file is still coming."""
        return bool(self._coming)

    def hear(self, message: Mapping[str, Any]) -> None:
        """Take over what the browser says. Whatever is odd in it is left out."""
        number = message.get("seq")
        if not _is_count(number) or number <= self.heard:
            return
        self.heard = number
        if message.get("session") != self.session:  # of an earlier one, whose files are not known here
            return
        if message.get("stop") is True:
            self._coming.clear()
            self._is_asking = False
        files = message.get("files")
        if isinstance(files, list) and not self._coming:
            self._begin(files)
        piece = message.get("piece")
        if isinstance(piece, dict) and self._is_asking and piece.get("number") == self._asked:
            self._is_asking = False
            self._take(piece.get("data"))

    def _begin(self, files: list[Any]) -> None:
        """Note the files that are to come, and refuse what is too much before any of it comes."""
        for about in files[:MAX_FILES]:
            if (
                not isinstance(about, dict)
                or not _is_count(about.get("number"))
                or not _is_count(about.get("size"))
            ):
                continue
            name = " ".join(str(about.get("name", ""))[-80:].split()) or "The file"
            size = about["size"]
            first = size if size <= PIECE else FIRST_LOOK
            if size:
                self._coming.append(_File(about["number"], name, size, first))
            else:
                self.problems.append(f"{name} is empty.")
        if len(files) > MAX_FILES:
            self.problems.append(
                f"Up to {MAX_FILES} files are taken at a time: the last {len(files) - MAX_FILES:,} were left."
            )

    def _take(self, sent: Any) -> None:
        """Add a piece to its file; one that is not as it was asked for ends that file."""
        file = self._coming[0]
        _, start, length = self._next_piece()
        try:
            data = base64.b64decode(sent, validate=True) if isinstance(sent, str) else b""
        except (binascii.Error, ValueError):
            data = b""
        if len(data) != length:
            self._coming.pop(0)
            self.problems.append(
                f"{file.name} did not arrive whole. Is it a folder, or did it move? Choose it again."
            )
            return
        file.data += data
        if len(file.data) == file.wanted and not self._want_more(file):
            self._coming.pop(0)
            self._there.append(Arrived(file.name, bytes(file.data), file.size))

    def _want_more(self, file: _File) -> bool:
        """Ask for more of a file whose wanted bytes are there, if more is needed."""
        if file.wanted == file.size:
            return False
        others = sum(len(there.data) for there in self._there)
        most = min(file.size, self.kinds.most)
        if self.kinds.has_header(bytes(file.data[:FIRST_LOOK])):
            if file.wanted == most or self.kinds.is_whole(bytes(file.data)):
                return False
            wanted = min(most, max(FIRST_HEADER, 2 * file.wanted))
        elif file.size > self.kinds.most:
            return self._refuse(self.kinds.say_too_long(file.name, file.size))
        else:
            wanted = file.size
        if others + wanted > MAX_BATCH_BYTES:
            return self._refuse(
                f"{file.name} is too much beside the others: up to {bytes_in_words(MAX_BATCH_BYTES)} are "
                "taken at a time. Bring it by itself."
            )
        file.wanted = wanted
        return True

    def _refuse(self, problem: str) -> bool:
        """Let go of the file that is coming. True: it is not among those that have come."""
        self._coming.pop(0)
        self.problems.append(problem)
        return True

    def _next_piece(self) -> tuple[int, int, int]:
        """The piece that comes next: number of its file, its first byte, its length."""
        file = self._coming[0]
        start = len(file.data)
        return file.number, start, min(PIECE, file.wanted - start)

    def take_arrived(self) -> list[Arrived]:
        """The files that have come, once nothing more is coming; until then, none."""
        if self._coming:
            return []
        there, self._there = self._there, []
        return there

    def next_step(self) -> dict[str, Any]:
        """What the browser gets: which part to send, and how far it is."""
        step: dict[str, Any] = {"session": self.session, "heard": self.heard, "ask": None, "doing": None}
        if self._coming:
            if not self._is_asking:
                self._asked += 1
                self._is_asking = True
            number, start, length = self._next_piece()
            file = self._coming[0]
            step["ask"] = {"number": self._asked, "file": number, "start": start, "length": length}
            step["doing"] = {
                "name": file.name,
                "got": start,
                "wanted": file.wanted if file.wanted > FIRST_LOOK or file.wanted == file.size else 0,
                "size": file.size,
                "header": self.kinds.has_header(bytes(file.data[:FIRST_LOOK])),
                "more": len(self._coming) - 1,
            }
        return step


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
