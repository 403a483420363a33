"""RWKV's vocabulary, rwkv_vocab_v20230424.txt: a token on each line; a text is cut by longest match.

    305 ' F' 2              an id, a Python literal of text or of bytes, and how many bytes the token has
    307 b'\\x83\\xbd' 2

Source: BlinkDL's ChatRWKV, rwkv_tokenizer.py.
"""

from __future__ import annotations

import ast
import re

from ..bpe.home import MAX_IDS
from ..families.longest_match import LongestMatchEncoding

_LINE = re.compile(rb"[0-9]{1,7} b?('.*'|\".*\") [0-9]{1,5}")


def recognises(data: bytes) -> bool:
    """Whether the first line of a file is an id, a literal and its length.

    >>> recognises(b"1 '\\\\x00' 1\\r\\n"), recognises(b"the 295\\n")
    (True, False)
    """
    return _LINE.fullmatch(data[:2_000].partition(b"\n")[0].rstrip(b"\r")) is not None


def from_bytes(data: bytes, name: str) -> LongestMatchEncoding:
    """The encoding of a file of RWKV's.

    Raises:
        ValueError: a line is no token, a token is there twice, or a byte is missing.
    """
    tokens: dict[int, bytes] = {}
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), start=1):  # tokens hold U+2028
        try:
            token_id, token, length = _read_line(line)
            if token_id in tokens or token_id >= MAX_IDS or not token or len(token) != length:
                raise ValueError
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise ValueError(
                f"Line {number:,} must be a new id below {MAX_IDS:,}, a token as Python writes it, and its "
                f"length in bytes, not {line[:80].decode(errors='replace')!r}. Copy the file again."
            ) from None
        tokens[token_id] = token
    listed = [tokens.get(token_id, b"") for token_id in range(max(tokens) + 1)]
    encoding = LongestMatchEncoding(listed, name=name)
    encoding.keep_file(data)
    return encoding


def _read_line(line: bytes) -> tuple[int, bytes, int]:
    """The id, the token and its length."""
    token_id, rest = line.decode().rstrip("\r").split(" ", 1)
    literal, length = rest.rsplit(" ", 1)
    # Most have no escape sequence, which is ten times as fast.
    is_plain = literal[0] in "'\"" and literal[-1] == literal[0] and "\\" not in literal
    token = literal[1:-1] if is_plain else ast.literal_eval(literal)
    if isinstance(token, str):
        token = token.encode()
    if not isinstance(token, bytes):
        raise ValueError(literal)
    return int(token_id), token, int(length)
