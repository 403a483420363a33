"""Tokenizer files: uploaded by the browser, or read from a path on this machine.

The tokenizer of a .gguf file is in the header at its beginning. So the first ``MAX_FILE_BYTES`` of such a
file are enough. A longer file of another kind is refused.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pages.session.own_texts import clean_title
from pages.session.tickets import issue_ticket
from tokenizers.amounts import bytes_in_words
from tokenizers.files import MAX_FILE_BYTES, is_gguf

MAX_UPLOADS = 20
MAX_UPLOAD_BYTES = 200 << 20
"""The most files of an upload, and the most bytes of all of them."""


@dataclass
class TokenizerFile:
    """A file that may hold a tokenizer.

    Attributes:
        name: its name in one line of visible characters.
        data: its content, or the first ``MAX_FILE_BYTES`` of it.
        size: the size of the whole file in bytes.
    """

    name: str
    data: bytes
    size: int

    def __post_init__(self) -> None:
        self.name = clean_title(self.name) or "The file"

    def check_size(self) -> None:
        """Refuse an empty file, and a file that is longer than any tokenizer.

        Raises:
            ValueError: says what is wrong, and what to do.
        """
        if not self.size:
            raise ValueError(f"{self.name} is empty.")
        if self.size > MAX_FILE_BYTES and not is_gguf(self.data):
            raise ValueError(
                f"{self.name} has {bytes_in_words(self.size)}, and a tokenizer’s file may have up to "
                f"{bytes_in_words(MAX_FILE_BYTES)}. Choose the tokenizer’s file, not the model’s weights."
            )


class Uploads:
    """A session's uploaded files, until a run of the page reads them.

    Attributes:
        ticket: names this object in the browser's requests.
    """

    def __init__(self) -> None:
        self.ticket = issue_ticket(self)
        self._files: list[TokenizerFile] = []
        self._problems: list[str] = []

    def add(self, file: TokenizerFile) -> None:
        """Store a file, or a sentence that says why it is refused."""
        try:
            file.check_size()
            if len(self._files) >= MAX_UPLOADS:
                raise ValueError(
                    f"{file.name} is one too many: up to {MAX_UPLOADS} files can be uploaded at a time."
                )
            if sum(len(each.data) for each in self._files) + len(file.data) > MAX_UPLOAD_BYTES:
                raise ValueError(
                    f"{file.name} is too large to upload with the others: the limit is "
                    f"{bytes_in_words(MAX_UPLOAD_BYTES)} at a time. Upload it by itself."
                )
        except ValueError as problem:
            self._problems.append(str(problem))
        else:
            self._files.append(file)

    def take(self) -> tuple[list[TokenizerFile], list[str]]:
        """Remove and return the files, and the sentences about refused ones."""
        files = self._files
        problems = self._problems
        self._files = []
        self._problems = []
        return files, problems


def read_path(typed: str) -> TokenizerFile:
    """Read a file of this machine.

    Args:
        typed: the typed path; ``~`` is the user's home.

    Raises:
        ValueError: the file does not exist, cannot be read, or has the wrong size; says which.
    """
    path = Path(os.path.expanduser(typed.strip().strip("\"'")))
    if not path.is_absolute():
        raise ValueError(
            f"Write the whole path, starting with / or ~. {str(path)[:200]} does not say the folder."
        )
    try:
        if not path.is_file():  # opening a named pipe would block
            raise FileNotFoundError
        with path.open("rb") as opened:
            file = TokenizerFile(path.name, opened.read(MAX_FILE_BYTES), path.stat().st_size)
    except (OSError, ValueError):  # ValueError: the path has a NUL in it
        raise ValueError(f"There is no readable file {str(path)[:200]}. Check the path.") from None
    file.check_size()
    return file
