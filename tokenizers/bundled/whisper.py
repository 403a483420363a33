"""Whisper's vocabulary: GPT-2's algorithm and pattern, learned anew from speech in many languages.

Source: OpenAI's openai-whisper 20250625, whisper/tokenizer.py and assets/multilingual.tiktoken.
"""

from __future__ import annotations

import base64
import binascii

from ..bpe.byte_pairs import BytePairEncoding, engine_from_ranks
from ..data.vocabulary_files import read_vocabulary
from ..split.patterns import GPT2

_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur "
    "hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si "
    "km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln "
    "ha ba jw su"
).split()
_TASKS = ("translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps")


def special_names() -> list[str]:
    """The special tokens in the order of their ids: of languages, of tasks, and of every 0.02 seconds.

    >>> names = special_names()
    >>> len(names), names[2], names[-1]
    (1608, '<|en|>', '<|30.00|>')
    """
    times = (f"{number * 0.02:.2f}" for number in range(1501))
    return [f"<|{name}|>" for name in ("endoftext", "startoftranscript", *_LANGUAGES, *_TASKS, *times)]


def ranks_in(data: bytes, name: str) -> dict[bytes, int]:
    """The tokens of a rank file, and their ranks. A token of no bytes, which no text has, is left out.

    Raises:
        ValueError: a line is no token in base64 and its rank; names it.

    >>> ranks_in(b"IQ== 0\\n= 1\\n", "x")
    {b'!': 0}
    """
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token)] = int(rank)
        except (ValueError, binascii.Error):
            raise ValueError(f"Line {number:,} of the vocabulary of {name} is none: {line[:80]!r}.") from None
    ranks.pop(b"", None)
    return ranks


def load_whisper() -> BytePairEncoding:
    """The vocabulary of Whisper's multilingual models.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    name = "whisper"
    ranks = ranks_in(read_vocabulary("whisper-multilingual.tiktoken", name), name)
    first_special = 1 + max(ranks.values()) + 1  # after the token of no bytes
    special = {special: first_special + number for number, special in enumerate(special_names())}
    engine = engine_from_ranks(name, ranks, special, GPT2)
    return BytePairEncoding(name, engine=engine, pattern=GPT2)
