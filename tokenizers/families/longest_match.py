"""Longest match: at each place, the longest token of the vocabulary that the text continues with.

Nothing is merged, and nothing is weighed: the first token is the longest one with which the text begins, the
next one begins where it ends, and so on. Every single byte is in the vocabulary, so every text can be cut,
and nothing is lost. A longer token is never given up for a better rest, as a Unigram would do.

RWKV's models read text so, with a vocabulary that was put together, not learned:
https://github.com/BlinkDL/ChatRWKV (rwkv_tokenizer.py), whose ids these are.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..encoding import AllowedSpecial
from ..placement import Placement
from ..text.spans import Spans
from ..text.spelling import quote
from ..utf8 import well_formed
from .listed import ListedEncoding


class LongestMatch:
    """Finds the longest token with which a text goes on.

    A text that begins as a token, and goes on otherwise, takes as many steps as the logarithm of that token's
    length: the beginnings of all tokens are here, so that the longest that fits is found by halving.

    Args:
        tokens: id by bytes.

    >>> LongestMatch({b"a": 0, b"abcd": 1}).find(b"xabc", 1)
    (1, 0)
    """

    def __init__(self, tokens: Mapping[bytes, int]) -> None:
        self._longest: dict[bytes, tuple[int, int]] = {}  # how long a beginning's longest token is; its id
        for token in tokens:
            longest = (0, -1)
            for length in range(1, len(token) + 1):
                beginning = token[:length]
                if beginning in tokens:
                    longest = (length, tokens[beginning])
                self._longest[beginning] = longest

    def find(self, data: bytes, start: int) -> tuple[int, int]:
        """The length and the id of the longest token at ``start``; (0, -1): there is none."""
        longest = self._longest
        fits, over = 0, 1
        while over <= len(data) - start and data[start : start + over] in longest:
            fits, over = over, 2 * over
        while over - fits > 1:
            middle = (fits + over) // 2
            if data[start : start + middle] in longest:
                fits = middle
            else:
                over = middle
        return longest.get(data[start : start + fits], (0, -1))


class LongestMatchEncoding(ListedEncoding):
    """A vocabulary that is cut by longest match.

    Args:
        tokens: the bytes of each token, by id; empty: no such id. All single bytes are among them.
        name: what people call it.

    Raises:
        ValueError: a single byte is missing, or a token is there twice.

    >>> enc = LongestMatchEncoding([*(bytes([byte]) for byte in range(256)), b"un", b"unable", b"able"])
    >>> enc.encode("unable unab")
    [257, 32, 256, 97, 98]
    """

    family = "longest match"
    way = "cuts a text by longest match"

    def __init__(self, tokens: list[bytes], *, name: str = "longest match") -> None:
        super().__init__(name, tokens)
        if len(self.ordinary) < sum(map(bool, tokens)):
            raise ValueError(f"The vocabulary of {name} holds a token twice. Give each token once.")
        for byte in range(256):
            if bytes([byte]) not in self.ordinary:
                raise ValueError(
                    f"The vocabulary of {name} lacks the byte {byte}: every single byte is needed."
                )
        self._match = LongestMatch(self.ordinary)

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, which join to it, and where each one is."""
        self._allowed(allowed_special)  # raises if it is neither "all" nor a collection of names
        data = well_formed(text).encode()
        ids: list[int] = []
        start = 0
        while start < len(data):
            length, token_id = self._match.find(data, start)  # every single byte is a token
            ids.append(token_id)
            start += length
        return Placement.of_lengths(ids, self.byte_lengths[ids])

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two tokens, or none inside of one.

        >>> from tokenizers import encode_spans
        >>> tokens = [b"un", b"unable", b"unabled", b"able"]
        >>> enc = LongestMatchEncoding([*(bytes([byte]) for byte in range(256)), *tokens])
        >>> print(enc.reason(encode_spans(enc, "unab"), 2))
        “un” is the longest token that fits at byte 0: “unable” begins so too, but the text does not.
        >>> print(enc.reason(encode_spans(enc, "unable"), 2))
        No cut: “unable” is the longest token that fits at byte 0. To cut here would be to take “un”.
        >>> print(enc.reason(encode_spans(enc, "able!"), 4))
        “able” is the longest token that fits at byte 0: no longer one begins so.
        """
        start, end = int(spans.starts[before]), int(spans.ends[before])
        token = spans.bytes_of(before)
        longest = f"{quote(token)} is the longest token that fits at byte {start:,}"
        if end != byte_offset:
            part = token[: byte_offset - start]
            if part in self.ordinary:
                return f"No cut: {longest}. To cut here would be to take {quote(part)}."
            return f"No cut: {longest}. {quote(part)} is no token."
        longer = min((each for each in self.ordinary if each[: len(token)] == token != each), default=None)
        if longer is None:
            return f"{longest}: no longer one begins so."
        return f"{longest}: {quote(longer)} begins so too, but the text does not."
