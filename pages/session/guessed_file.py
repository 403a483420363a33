"""A text file with a guessed character set, which can be read again in another one."""

from __future__ import annotations

from dataclasses import dataclass

from tokenizers.text import DecodedFile, decode_file


@dataclass(frozen=True)
class GuessedFile:
    """A text file with a guessed character set. Its bytes stay in memory as long as its text.

    Attributes:
        name: the name of the file.
        data: its bytes.
        codec: its present character set, a key of ``CHARSETS``.
    """

    name: str
    data: bytes
    codec: str

    def read_as(self, codec: str) -> tuple[DecodedFile, GuessedFile]:
        """Read the file in another character set.

        Raises:
            ValueError: it is not in that character set; the message says so.
        """
        decoded = decode_file(self.data, self.name, codec)
        return decoded, GuessedFile(self.name, self.data, codec)


def read_file(data: bytes, name: str) -> tuple[DecodedFile, GuessedFile | None]:
    """Decode a text file; also returns a ``GuessedFile`` if its character set is a guess.

    Raises:
        ValueError: it is too large, or not a text; the message says which.
    """
    decoded = decode_file(data, name)
    return decoded, GuessedFile(name, data, decoded.codec) if decoded.is_guess else None
