"""GPT-2's table of characters for bytes, in which the files of byte-level encodings write their tokens.

The 188 bytes that are visible characters stay as they are; the others become U+0100 and following. So a blank
is a Ġ.
"""

from __future__ import annotations


def byte_characters() -> list[str]:
    """The character that stands for each byte.

    >>> "".join(byte_characters()[byte] for byte in "hi é".encode())
    'hiĠÃ©'
    """
    visible = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return [chr(byte if byte in visible else next(others)) for byte in range(256)]
