"""A file whose character set was guessed: it can be read again in another one."""

from __future__ import annotations

from dataclasses import dataclass

from tokenizers.text import DecodedFile, decode_file


@dataclass(frozen=True)
class GuessedFile:
    """A file to be read again in another character set. Its bytes are kept as long as its text is.

    Attributes:
        name: what people call it.
        data: its bytes.
        codec: the character set that it is read in, a key of ``CHARSETS``.
    """

    name: str
    data: bytes
    codec: str

    def read_as(self, codec: str) -> tuple[DecodedFile, GuessedFile]:
        """The file in another character set.

        Raises:
            ValueError: it is not in that one; says so.
        """
        decoded = decode_file(self.data, self.name, codec)
        return decoded, GuessedFile(self.name, self.data, codec)


def read_file(data: bytes, name: str) -> tuple[DecodedFile, GuessedFile | None]:
    """The text of a file, and what reads it again if its character set is only a guess.

    Raises:
        ValueError: too large, or not a text; says so.
    """
    decoded = decode_file(data, name)
    return decoded, GuessedFile(name, data, decoded.codec) if decoded.is_guess else None
