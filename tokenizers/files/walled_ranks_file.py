"""A rank file together with its split pattern, which a .tiktoken file does not hold: a format of our own.

The first line names the pattern; the lines of the .tiktoken file follow as they are.

    token grove ranks 1 gpt4
    IQ== 0
    Ig== 1

Its tokens merge by rank, as tiktoken merges them. So the bytes may have any order among the first 256 ranks,
as OpenAI's, Qwen's and Llama 3's have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..bpe.byte_pairs import BytePairEncoding, engine_from_ranks
from ..split.patterns import PATTERNS, known_pattern, spell_for_engine, split
from .ranks import tokens_by_rank

MAX_TOKEN_BYTES = 2_000
"""No token of a vocabulary in use is as long by far."""

_HEAD = re.compile(rb"token grove ranks 1 ([a-z0-9_-]{1,40})\n")


class RankEncoding(BytePairEncoding):
    """The encoding of a rank file and a split pattern, on tiktoken's engine.

    Args:
        name: what people call it.
        saved: the file's content, its first line included.
        ranks: the tokens' bytes, and their ids.
        pattern: the name of the split pattern.
    """

    def __init__(self, name: str, saved: bytes, ranks: dict[bytes, int], pattern: str) -> None:
        expression = PATTERNS[pattern]
        known = known_pattern(expression)
        splits = known is not None and known.in_engine
        spelling = spell_for_engine(expression) if splits else "."
        engine = engine_from_ranks(name, ranks, {}, spelling)
        super().__init__(name, engine=engine, pattern=expression, engine_splits=splits)
        self._saved = saved

    @property
    def saved(self) -> bytes:
        """The file's content, which reads back to this encoding."""
        return self._saved

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What it does to a text, step by step."""
        return [*super().steps, ("Special tokens", "none: a rank file does not list them")]

    def pieces(self, text: str) -> list[str]:
        """What the split pattern yields before any merge; ``"".join(pieces) == text``."""
        return super().pieces(text) if self._engine_splits else split(text, self.pattern)

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the ranks and the pattern."""
        yield self._saved


def recognises(data: bytes) -> bool:
    """Whether a file begins as these do.

    >>> recognises(b"token grove ranks 1 gpt4\\n"), recognises(b"IQ== 0\\n")
    (True, False)
    """
    return _HEAD.match(data) is not None


def add_walls(ranks: bytes, pattern: str) -> bytes:
    """The file of a .tiktoken file's content and the name of a split pattern.

    >>> add_walls(b"IQ== 0\\n", "gpt4")
    b'token grove ranks 1 gpt4\\nIQ== 0\\n'
    """
    return f"token grove ranks 1 {pattern}\n".encode("ascii") + ranks


def from_bytes(data: bytes, name: str) -> RankEncoding:
    """The encoding that a file's content describes.

    Raises:
        ValueError: it is damaged, its pattern is not known here, or a byte is no token.
    """
    head = _HEAD.match(data)
    if head is None:
        raise ValueError("It does not begin as a rank file with its split pattern does.")
    pattern = head[1].decode("ascii")
    if pattern not in PATTERNS:
        raise ValueError(f"It names the split pattern {pattern}, which is not known here.")
    tokens = tokens_by_rank(data[head.end() :])
    if sorted(tokens[:256]) != [bytes([byte]) for byte in range(256)]:
        raise ValueError(
            "Its first 256 tokens are not the 256 bytes, in whatever order, so it cannot spell every text. "
            "Copy the file again."
        )
    longest = max(map(len, tokens))
    if longest > MAX_TOKEN_BYTES:
        raise ValueError(f"One of its tokens has {longest:,} bytes, and {MAX_TOKEN_BYTES:,} is the limit.")
    return RankEncoding(name, data, {token: rank for rank, token in enumerate(tokens)}, pattern)
