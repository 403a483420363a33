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

from ..bpe.home import check_special_count
from ..json_types import JsonObject
from ..numbered import numbered
from ..split.dialects import check_as_tiktoken
from ..split.patterns import usual_spelling
from ..steps import DECLARES
from .ranks import RankEncoding, Ranks
from .tokenizer_json import read_json

_NAMED = (
    "<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] "
    "[TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] "
    "[/SYSTEM_PROMPT] [TOOL_CONTENT]"
).split()


def recognises(data: bytes) -> bool:
    """Whether this may be a tekken.json, by its first bytes.

    >>> recognises(b'{"config": {"pattern": "a"}, "vocab": []}'), recognises(b'{"version": "1.0"}')
    (True, False)
    """
    head = data[:8_000]
    return head.lstrip().startswith(b"{") and (
        b'"token_bytes"' in head or (b'"config"' in head and b'"pattern"' in head)
    )


def from_bytes(data: bytes, name: str) -> RankEncoding:
    """The encoding that a tekken.json describes.

    Raises:
        ValueError: it is damaged, or tiktoken reads its split pattern in another way than ``regex``.
    """
    content = read_json(data)
    try:
        config = content["config"]
        n_special, size = config["default_num_special_tokens"], config["default_vocab_size"]
        check_special_count(n_special)
        special = _special_tokens(content.get("special_tokens"), n_special)
        ranks = _ranks(content["vocab"], n_special, size - n_special)
        pattern = usual_spelling(config["pattern"])
    except (KeyError, TypeError, AttributeError, IndexError, binascii.Error):
        raise ValueError("It is not a tekken.json as Mistral AI publishes them. Copy it again.") from None
    check_as_tiktoken(pattern, pattern)
    encoding = RankEncoding(name, data, ranks, pattern, special)
    encoding.declared = [(DECLARES, f"version {config.get('version')} of tekken.json")]
    if "<s>" in special:
        encoding.frame = (special["<s>"],), ()
    return encoding


def _ranks(listed: list[JsonObject], n_special: int, n_ordinary: int) -> Ranks:
    """The ids of the ordinary tokens, which are listed in their order, the bytes first."""
    tokens = listed[:n_ordinary]
    ranks = {binascii.a2b_base64(token["token_bytes"]): n_special + token["rank"] for token in tokens}
    is_in_order = list(ranks.values()) == list(range(n_special, n_special + len(ranks)))
    has_bytes = list(ranks)[:256] == [bytes([byte]) for byte in range(256)]
    if not is_in_order or not has_bytes or b"" in ranks or len(ranks) != n_ordinary:
        raise ValueError(
            f"It does not list {n_ordinary:,} tokens, each once, in the order of their ranks, the 256 bytes "
            "first. Perhaps it was cut off: copy it again."
        )
    return ranks


def _special_tokens(listed: list[JsonObject] | None, n_special: int) -> dict[str, int]:
    """The special tokens with their ids: those with a name, and those kept free."""
    if listed is None:
        listed = [{"token_str": special, "rank": rank} for rank, special in enumerate(_NAMED)]
    names = [str(token["token_str"]) for token in listed]
    names += [f"<SPECIAL_{rank}>" for rank in range(len(names), n_special)]
    special = numbered(names)
    is_in_order = [token["rank"] for token in listed] == list(range(len(listed)))
    if not is_in_order or len(special) != n_special or "" in special:
        raise ValueError(
            f"Its {n_special:,} special tokens are out of order, or one is empty or listed twice, so their "
            "ids are ambiguous."
        )
    return special
