"""tekken, the vocabulary of Mistral AI's newer models: tiktoken's algorithm with a pattern of its own.

The first thousand ids are special, so the id of a token is its rank and 1,000.

Source: Mistral AI's mistral-common 1.13.1, tokens/tokenizers/tekken.py and data/tekken_240911.json.
"""

from __future__ import annotations

import re
from binascii import a2b_base64

from ..bpe.byte_pairs import BytePairEncoding, engine_from_ranks
from ..data.vocabulary_files import read_vocabulary
from ..split.patterns import TEKKEN

N_SPECIAL = 1_000
N_ORDINARY = 130_072  # of the 150,000 in the file: those that the models know

_NAMED = (
    "<unk> <s> </s> [INST] [/INST] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] "
    "[TOOL_CALLS] [IMG] <pad> [IMG_BREAK] [IMG_END] [PREFIX] [MIDDLE] [SUFFIX] [SYSTEM_PROMPT] "
    "[/SYSTEM_PROMPT] [TOOL_CONTENT]"
).split()
_TOKEN = re.compile(rb'"token_bytes": "([^"]*)"')


def special_names() -> list[str]:
    """The special tokens in the order of their ids: those with a meaning, and those kept free.

    >>> names = special_names()
    >>> len(names), names[3], names[-1]
    (1000, '[INST]', '<SPECIAL_999>')
    """
    return [*_NAMED, *(f"<SPECIAL_{number}>" for number in range(len(_NAMED), N_SPECIAL))]


def load_tekken() -> BytePairEncoding:
    """The vocabulary of Mistral AI's newer models.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    name = "tekken"
    # In the order of their ranks. As JSON, these 19 MB would take 140 MB for a moment.
    tokens = _TOKEN.findall(read_vocabulary("tekken-240911.json", name))[:N_ORDINARY]
    ids = {a2b_base64(token): N_SPECIAL + rank for rank, token in enumerate(tokens)}
    special = {special: number for number, special in enumerate(special_names())}
    engine = engine_from_ranks(name, ids, special, TEKKEN)
    encoding = BytePairEncoding(name, engine=engine, pattern=TEKKEN, first_id=N_SPECIAL)
    encoding.frame = (special["<s>"],), ()
    return encoding
