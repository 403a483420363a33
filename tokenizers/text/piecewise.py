"""Long texts decoded and counted a piece at a time.

One call of Python's on ten megabytes lets no other thread run until it ends, the server's among them. Between
two pieces, others have their turn.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import AnyStr

PIECE = 1 << 18
"""Bytes or characters that are worked on without a pause: some tenths of a millisecond."""


def decode_piecewise(data: bytes, codec: str) -> str:
    """As ``data.decode(codec)``.

    Args:
        data: of any length.
        codec: Python's name of a character set that is read from the front to the end.

    Raises:
        UnicodeDecodeError: not in that character set.

    >>> decode_piecewise("naïve".encode("cp1252"), "cp1252")
    'naïve'
    """
    if len(data) <= PIECE:
        return data.decode(codec)
    decoder = codecs.getincrementaldecoder(codec)()
    texts, n_given = [], 0
    try:
        for piece in _pieces(data):
            n_given += len(piece)
            texts.append(decoder.decode(piece))
        texts.append(decoder.decode(b"", final=True))
    except UnicodeDecodeError as problem:
        before = n_given - len(problem.object)  # its object: the piece, behind what was left of those before
        start, end = before + problem.start, before + problem.end
        raise UnicodeDecodeError(problem.encoding, data, start, end, problem.reason) from None
    except UnicodeError:  # by pieces, UTF-16 without a mark is refused
        return data.decode(codec)
    return "".join(texts)


def count_utf8(text: str, wanted: bytes) -> tuple[int, int]:
    """How many bytes ``text`` has in UTF-8, and how many of them are in ``wanted``.

    Args:
        text: of any length; half of a surrogate pair counts three bytes.
        wanted: ASCII alone.

    >>> count_utf8("naïve", b"ne")
    (6, 2)
    """
    n_bytes = n_wanted = 0
    for piece in _pieces(text):
        data = piece.encode("utf-8", "surrogatepass")
        n_bytes += len(data)
        n_wanted += count_bytes(data, wanted)
    return n_bytes, n_wanted


def count_bytes(data: bytes, wanted: bytes) -> int:
    """How many bytes of ``data`` are in ``wanted``.

    >>> count_bytes(b"naive", b"ne")
    2
    """
    return len(data) - sum(len(piece.translate(None, wanted)) for piece in _pieces(data))


def _pieces(whole: AnyStr) -> Iterator[AnyStr]:
    for start in range(0, len(whole), PIECE):
        yield whole[start : start + PIECE]
