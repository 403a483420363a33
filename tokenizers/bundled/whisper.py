"""Whisper's vocabulary: GPT-2's algorithm and pattern, learned anew from speech in many languages.

Source: OpenAI's openai-whisper 20250625, whisper/tokenizer.py and assets/multilingual.tiktoken.
"""

from __future__ import annotations

from ..bpe.byte_pairs import BytePairEncoding, engine_from_ranks
from ..data.vocabulary_files import read_vocabulary
from ..files.ranks import read_ranks
from ..split.patterns import GPT2

_LANGUAGES = (
    "en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur "
    "hr bg lt la mi ml cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si "
    "km sn yo so af oc ka be tg sd gu am yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln "
    "ha ba jw su"
).split()
_TASKS = ("translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps")

_NO_BYTES = b"= 50256\n"
"""The last line of its file: a token of no bytes, which no text has."""


def special_names() -> list[str]:
    """The special tokens in the order of their ids: of languages, of tasks, and of every 0.02 seconds.

    >>> names = special_names()
    >>> len(names), names[2], names[-1]
    (1608, '<|en|>', '<|30.00|>')
    """
    times = (f"{number * 0.02:.2f}" for number in range(1501))
    return [f"<|{name}|>" for name in ("endoftext", "startoftranscript", *_LANGUAGES, *_TASKS, *times)]


def load_whisper() -> BytePairEncoding:
    """The vocabulary of Whisper's multilingual models.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.
    """
    name = "whisper"
    data = read_vocabulary("whisper-multilingual.tiktoken", name).removesuffix(_NO_BYTES)
    ranks = read_ranks(data)
    first_special = len(ranks) + 1  # after the token of no bytes
    special = {special: first_special + number for number, special in enumerate(special_names())}
    engine = engine_from_ranks(name, ranks, special, GPT2)
    return BytePairEncoding(name, engine=engine, pattern=GPT2)
