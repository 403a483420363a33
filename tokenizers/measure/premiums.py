"""What each language costs in an encoding: tokens for the same text, and how many times English's.

The premium of a language is tokens(language) ÷ tokens(base) on the same parallel text (the tokenization
premium of Petrov et al. 2023, "Language Model Tokenizers Introduce Unfairness Between Languages",
https://arxiv.org/abs/2305.15425). Ahia et al. 2023 ("Do All Languages Cost the Same?",
https://arxiv.org/abs/2305.13707) show what it costs where tokens are paid for. The same ratio of bytes and of
characters shows how much of it comes from the script alone: an encoding whose tokens are bytes has exactly
the premium of the bytes.

Counting is a generator, so that the caller can show its progress, and stop it. Counts for the encodings
that come with the app come with it too (assets/premiums, made by ``python -m tools.count_languages``),
kept under fingerprints of the encoding and of the texts, so that they can never be another's.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..checks import check_encoding, check_list, check_string, wrong_type
from ..data.parallel import ParallelText, fingerprint_of_texts, list_parallel
from ..encoding import ASSETS, Encoding
from ..split import BusyError
from .metrics import premium

COUNTS_FILE = ASSETS / "premiums" / "counts.json"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a count has come.

    Attributes:
        counts: tokens by code, of the texts that are counted so far.
        total: texts in all.
    """

    counts: Mapping[str, int]
    total: int

    @property
    def done(self) -> int:
        """Texts that are counted so far."""
        return len(self.counts)


def iter_counts(
    encoding: Encoding, texts: Sequence[ParallelText], known: Mapping[str, int] | None = None
) -> Iterator[Progress]:
    """Count the tokens of each text, one more at each step; special tokens in it are plain text.

    Args:
        encoding: any.
        texts: what to count.
        known: counts by code that are known already, such as those of a run that was stopped.

    Yields:
        After each text: all counts so far, which the next step adds to.

    Raises:
        ValueError: a split pattern of a person's own that is too slow; names the text.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.data.parallel import own_text
    >>> texts = [own_text("English", "peace"), own_text("Burmese", "ငြိမ်းချမ်းရေး")]
    >>> for progress in iter_counts(get_encoding("gpt2"), texts):
    ...     print(progress.done, progress.total, dict(progress.counts))
    1 2 {'English': 1}
    2 2 {'English': 1, 'Burmese': 42}
    """
    check_encoding(encoding, "encoding")
    if known is not None and not isinstance(known, Mapping):
        raise wrong_type("known", "a mapping from codes to counts", known)
    for text in check_list(texts, "texts", "a list of ParallelText"):
        if not isinstance(text, ParallelText):
            raise wrong_type("each of texts", "a ParallelText", text)
    counts: dict[str, int] = {}
    for text in texts:
        count = known.get(text.code) if known else None
        if count is None:
            try:
                count = len(encoding.encode_array(text.text))
            except BusyError:
                raise
            except ValueError as problem:
                raise ValueError(
                    f"{encoding.name} cannot encode the text in {text.name}: {problem}"
                ) from None
        counts[text.code] = count
        yield Progress(counts, len(texts))


def count_all(encoding: Encoding, texts: Sequence[ParallelText] | None = None) -> dict[str, int]:
    """Tokens of each text, by code: those that come with the app if they are there, or else counted now.

    Args:
        encoding: any.
        texts: what to count; None: every complete declaration.

    >>> from tokenizers import get_encoding
    >>> counts = count_all(get_encoding("gpt2"))
    >>> counts["eng"], counts["mya"]
    (2035, 41801)
    """
    check_encoding(encoding, "encoding")
    if texts is None:
        shipped = shipped_counts(encoding)
        if shipped is not None:
            return dict(shipped)
        texts = list_parallel()
    counts: Mapping[str, int] = {}
    for progress in iter_counts(encoding, texts):
        counts = progress.counts
    return dict(counts)


def premium_of(counts: Mapping[str, int], code: str, base: str = "eng") -> float:
    """How many times the base's tokens a language needs for the same text.

    Args:
        counts: tokens (or bytes, or characters) by code.
        code: of the language.
        base: of the language to compare with.

    Raises:
        ValueError: one of the two is not counted, or the base has nothing to compare with.

    >>> premium_of({"eng": 20, "mya": 340}, "mya")
    17.0
    >>> premium_of({"eng": 20, "mya": 340}, "eng", base="mya") == 1 / 17
    True
    """
    if not isinstance(counts, Mapping):
        raise wrong_type("counts", "a mapping from codes to counts", counts)
    check_string(code, "code")
    check_string(base, "base")
    missing = [wanted for wanted in (code, base) if wanted not in counts]
    if missing:
        raise ValueError(f"There is no count for {' and '.join(missing)}. Choose another language.")
    return premium(counts[code], counts[base], base)


# Counts that come with the app


def fingerprint(encoding: Encoding) -> str:
    """Sixteen hex digits of what decides an encoding's counts: its ranks, and how it splits.

    The name and the special tokens decide nothing: in a text they are plain text.

    >>> from tokenizers import get_encoding
    >>> fingerprint(get_encoding("cl100k_im")) == fingerprint(get_encoding("cl100k_base"))
    True
    >>> fingerprint(get_encoding("gpt2")) == fingerprint(get_encoding("cl100k_base"))
    False
    """
    return encoding.kept(_fingerprint)


def _fingerprint(encoding: Encoding) -> str:
    digest = hashlib.sha256()
    for data in encoding.fingerprint_data():
        digest.update(data)
    return digest.hexdigest()[:16]


def shipped_counts(encoding: Encoding) -> Mapping[str, int] | None:
    """The counts that come with the app for exactly this encoding and these texts, or None.

    A file that is missing or damaged costs only time: the counts are made again.

    >>> from tokenizers import get_encoding
    >>> sorted(shipped_counts(get_encoding("o200k_base")).values())[0]
    2017
    """
    return _read(COUNTS_FILE).get(fingerprint(encoding))


@functools.cache
def _read(path: Path) -> dict[str, dict[str, int]]:
    """Counts by code, by the encoding's fingerprint; empty if the texts are others than these."""
    texts = list_parallel()
    try:
        content = json.loads(path.read_text("utf-8"))
        if content["texts"] != fingerprint_of_texts(texts):
            return {}
        codes = content["codes"]
        read = {
            entry["fingerprint"]: dict(zip(codes, map(int, entry["tokens"]), strict=True))
            for entry in content["encodings"].values()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return read if codes == [text.code for text in texts] else {}


def to_json(counted: Mapping[str, tuple[Encoding, Mapping[str, int]]]) -> str:
    """The content of the file of counts, byte for byte the same for the same counts.

    Args:
        counted: name: (the encoding, its tokens by code).
    """
    texts = list_parallel()
    codes = [text.code for text in texts]
    lines = [
        f'{{"texts": "{fingerprint_of_texts(texts)}",',
        f'"codes": {json.dumps(codes)},',
        '"encodings": {',
    ]
    entries = []
    for name, (encoding, counts) in counted.items():
        entry = {"fingerprint": fingerprint(encoding), "tokens": [counts[code] for code in codes]}
        entries.append(f"{json.dumps(name)}: {json.dumps(entry)}")
    return "\n".join([*lines, ",\n".join(entries), "}}"]) + "\n"
