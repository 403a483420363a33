"""tekken.json, the vocabulary of Mistral AI's newer models: tiktoken's algorithm, special tokens first.

    config              the split pattern, and how many of the tokens the models know
    vocab               the tokens in base64, in the order of their ranks
    special_tokens      their names; files up to version 7 leave them out. The rest, up to
                        default_num_special_tokens, are kept free: <SPECIAL_20> and so on

An ordinary token's id is its rank and the number of special tokens.

Source: Mistral AI's mistral-common 1.13.1, tokens/tokenizers/tekken.py.
"""

from __future__ import annotations

import binascii
import hashlib
import zlib
from binascii import a2b_base64
from collections.abc import Iterator
from typing import Any

from ..bpe.byte_pairs import BytePairEncoding, engine_from_ranks
from ..bpe.special_tokens import MAX_ALL_SPECIAL_BYTES
from ..split.dialects import find_difference
from ..split.patterns import (
    check_pattern,
    pattern_name,
    spell_for_engine,
    split,
    usual_spelling,
)
from .tokenizer_json import read_json

MAX_SPECIAL = 10_000
MAX_TOKENS = 1_000_000
MAX_TOKEN_BYTES = 2_000

_NAMED = (
    "<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] "
    "[TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] "
    "[/SYSTEM_PROMPT] [TOOL_CONTENT]"
).split()
_BEGIN = "<s>"


class TekkenEncoding(BytePairEncoding):
    """The encoding of a tekken.json.

    Args:
        name: what people call it.
        original: the file's content.
        ranks: the ordinary tokens, by their bytes: their ids.
        special: the special tokens.
        pattern: the split pattern.
        version: of the file.

    Raises:
        ValueError: the pattern is one that tiktoken might read in another way.
    """

    def __init__(
        self,
        name: str,
        original: bytes,
        ranks: dict[bytes, int],
        special: dict[str, int],
        pattern: str,
        version: str,
    ) -> None:
        pattern = usual_spelling(pattern)
        spelling = spell_for_engine(pattern)
        if spelling is None:
            _check_own(pattern)
        super().__init__(
            name,
            engine=engine_from_ranks(name, ranks, special, spelling or "."),
            pattern=pattern,
            engine_splits=spelling is not None,
            first_id=len(special),
        )
        self._compressed = zlib.compress(original, 1)
        self._digest = hashlib.sha256(original).digest()
        self._version = version
        if _BEGIN in special:
            self.frame = (special[_BEGIN],), ()

    @property
    def saved(self) -> bytes:
        """The file's content, which reads back to this encoding."""
        return zlib.decompress(self._compressed)

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What is done to a text, step by step: pairs of a step's name and what it does."""
        named = [name for name in self.special_tokens if not name.startswith("<SPECIAL_")]
        examples = ", ".join(named[:6])
        steps = [
            ("Normaliser", "none: the text stays as it is"),
            ("Pre-tokeniser", f"split by “{pattern_name(self.pattern) or self.pattern}”, then bytes"),
            ("Model", f"BPE by rank, as tiktoken's, {len(self.ordinary):,} tokens (tekken {self._version})"),
            (
                "Special tokens",
                f"{examples} and {len(self.special_tokens) - len(named[:6]):,} more, before all others. In a "
                "text they are plain text unless asked for",
            ),
        ]
        if self.frame[0]:
            steps.append(("Added on request", f"{_BEGIN} in front"))
        return steps

    def pieces(self, text: str) -> list[str]:
        """What the split pattern yields before any merge; ``"".join(pieces) == text``."""
        if self._engine_splits:
            return super().pieces(text)
        return split(text, self.pattern, timeout=self.split_timeout)

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the file."""
        yield b"tekken\n"
        yield self._digest


def _check_own(pattern: str) -> None:
    """Refuse a pattern that is unknown here and that tiktoken reads in another way."""
    check_pattern(pattern)
    if find_difference(pattern, "tiktoken") is not None:
        short = pattern if len(pattern) <= 300 else pattern[:299] + "…"
        raise ValueError(
            f"It splits by the pattern “{short}”, which is not known here, and which its own engine reads in "
            "another way than the one that can run it safely."
        )


def recognises(data: bytes) -> bool:
    """Whether this may be a tekken.json, by its first bytes.

    >>> recognises(b'{"config": {"pattern": "a"}, "vocab": []}'), recognises(b'{"version": "1.0"}')
    (True, False)
    """
    head = data[:8_000]
    return head.lstrip().startswith(b"{") and (
        b'"token_bytes"' in head or (b'"config"' in head and b'"pattern"' in head)
    )


def from_bytes(data: bytes, name: str) -> TekkenEncoding:
    """The encoding that a tekken.json describes.

    Raises:
        ValueError: it is damaged, or asks for something that is not known here.
    """
    content = read_json(data)
    try:
        return _read(content, data, name)
    except (KeyError, TypeError, AttributeError, IndexError):
        raise ValueError("It is no tekken.json as Mistral AI publishes them. Copy it again.") from None


def _read(content: Any, data: bytes, name: str) -> TekkenEncoding:
    config, listed = content["config"], content["vocab"]
    size, n_special, pattern = (
        config["default_vocab_size"],
        config["default_num_special_tokens"],
        config["pattern"],
    )
    if not (type(size) is int and type(n_special) is int and isinstance(pattern, str)):
        raise TypeError
    if not (isinstance(listed, list) and all(isinstance(each, dict) for each in listed)):
        raise TypeError
    if not 0 <= n_special <= MAX_SPECIAL or not 0 < size <= MAX_TOKENS:
        raise ValueError(
            f"It has {n_special:,} special tokens of {size:,} tokens, and at most {MAX_SPECIAL:,} of "
            f"{MAX_TOKENS:,} can be read."
        )
    n_ordinary = size - n_special
    if not 256 <= n_ordinary <= len(listed):
        raise ValueError(
            f"It lists {len(listed):,} tokens and says that there are {n_ordinary:,}: the file is damaged or "
            "was cut off."
        )
    special = _special(content, n_special)
    ranks: dict[bytes, int] = {}
    for rank, token in enumerate(listed[:n_ordinary]):
        try:
            token_bytes = a2b_base64(token["token_bytes"])
        except (binascii.Error, ValueError):
            raise ValueError(f"Token {rank:,} is not written in base64: the file is damaged.") from None
        if token["rank"] != rank or not 0 < len(token_bytes) <= MAX_TOKEN_BYTES or token_bytes in ranks:
            raise ValueError(
                f"Token {rank:,} is out of order, empty, too long, or there twice: the file is damaged."
            )
        if rank < 256 and token_bytes != bytes([rank]):
            raise ValueError("Its first 256 tokens are not the bytes in order, so it cannot be read.")
        ranks[token_bytes] = n_special + rank
    version = config.get("version")
    return TekkenEncoding(
        name, data, ranks, special, pattern, version[:20] if isinstance(version, str) else ""
    )


def _special(content: Any, n_special: int) -> dict[str, int]:
    """The special tokens: those with a name, and those kept free."""
    listed = content.get("special_tokens")
    if listed is None:
        named = {special: rank for rank, special in enumerate(_NAMED)}
    else:
        named = {}
        for rank, token in enumerate(listed):
            if (
                not isinstance(token["token_str"], str)
                or token["rank"] != rank
                or token["token_str"] in named
            ):
                raise ValueError("Its special tokens are out of order, or one is there twice.")
            named[token["token_str"]] = rank
    if len(named) > n_special:
        raise ValueError(f"It names {len(named):,} special tokens and says that there are {n_special:,}.")
    special = dict(named)
    for rank in range(len(named), n_special):
        special[f"<SPECIAL_{rank}>"] = rank
    if len(special) != n_special or "" in special:
        raise ValueError("Its special tokens are out of order, or one is there twice.")
    if sum(len(each.encode("utf-8", "replace")) for each in special) > MAX_ALL_SPECIAL_BYTES:
        raise ValueError(
            f"Its special tokens have more than {MAX_ALL_SPECIAL_BYTES:,} bytes together, the limit here."
        )
    return special
