"""Longest match: at each place, the longest token of the vocabulary that the text continues with.

Nothing is merged, and nothing is weighed: the first token is the longest one with which the text begins, the
next one begins where it ends, and so on. Every single byte is in the vocabulary, so every text can be cut,
and nothing is lost. A longer token is never given up for a better rest, as a Unigram would do.

RWKV's models read text so, with a vocabulary that was put together, not learned:
https://github.com/BlinkDL/ChatRWKV (rwkv_tokenizer.py), whose ids these are.
"""

from __future__ import annotations

import numpy as np

from ..encoding import AllowedSpecial
from ..placement import Placement
from ..text.spans import Spans
from ..text.spelling import quote
from ..utf8 import well_formed
from .listed import ListedEncoding

_PREFIX = 3  # bytes by which longer tokens are found
_SHORT = (2, 1)  # lengths of the others


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
        lengths: dict[bytes, set[int]] = {}
        for token in self.ordinary:
            lengths.setdefault(token[:_PREFIX], set(_SHORT)).add(len(token))
        # By the first bytes: how long the tokens are that begin so, the longest first, and shorter ones.
        self._lengths = {prefix: sorted(sizes, reverse=True) for prefix, sizes in lengths.items()}

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, which join to it, and where each one is."""
        self._allowed(allowed_special)  # raises if it is neither "all" nor a collection of names
        data = well_formed(text).encode("utf-8")
        id_of, lengths_of = self.ordinary.get, self._lengths.get
        ids: list[int] = []
        ends: list[int] = []
        start = 0
        while start < len(data):
            for length in lengths_of(data[start : start + _PREFIX], _SHORT):
                stretch = data[start : start + length]  # at the text's end, it may be shorter
                token_id = id_of(stretch)
                if token_id is not None:
                    break
            ids.append(token_id)  # type: ignore[arg-type]  # every single byte is a token
            start += len(stretch)
            ends.append(start)
        edges = np.array([0, *ends], dtype=np.int64)
        return Placement(np.array(ids, dtype=np.uint32), edges[:-1], edges[1:])

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two tokens, or none inside of one.

        >>> from tokenizers import encode_spans
        >>> enc = LongestMatchEncoding([*(bytes([byte]) for byte in range(256)), b"un", b"unable", b"able"])
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
