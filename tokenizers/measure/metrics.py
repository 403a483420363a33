"""What is measured of an encoding on a text, all of it from one encode.

Every value is exact: a count, a ratio of two counts, or (Rényi efficiency) a formula over counts. A value
that would mean nothing, as for an empty text, is None.

``METRICS``, at the end, defines them: name, unit, formula, meaning, source. In short, for a text of B bytes
of UTF-8, C characters (code points) and W words, which becomes N tokens, U of them different, of a vocabulary
of V:

    bytes per token        B / N
    characters per token   C / N
    fertility              N / W
    words kept whole       words that one token holds, alone / W
    split characters       characters with a cut inside / C
    vocabulary used        U / V
    Rényi efficiency       H(p) / log V, with the Rényi entropy H of power 2.5
    NSL                    N / the tokens of a baseline encoding on the same text
    premium                N / the tokens of the same encoding on the same text in English

Special tokens in the text are plain text. A lone surrogate counts as U+FFFD, three bytes, as in tiktoken.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..arrays import I64
from ..encoding import Encoding
from ..text.spans import Spans, encode_spans
from ..text.text_map import TextMap
from ..text.words import Words, find_words
from .vocabulary import vocabulary_of

RENYI_POWER = 2.5
"""The power whose efficiency went best with translation quality in the paper (Zouhar et al. 2023)."""

Counts = I64


@dataclass(frozen=True)
class Metrics:
    """What one encoding makes of one text.

    Attributes:
        encoding: its name.
        n_bytes: of the text, in UTF-8.
        n_chars: characters of the text: code points.
        n_tokens: what it became.
        n_words: words of the text; None: its script does not show them (see ``words.py``).
        whole_words: words that one token holds, alone.
        split_chars: characters whose bytes lie in more than one token.
        used, counts: the tokens that occur, and how often each does; both of shape (different tokens,).
        n_losses: places of the text that do not come back from the tokens: what is lost costs no token, so
            the figures do not compare with those of an encoding that keeps it.
        vocab_size: tokens that the encoding has, special ones included; unused ids are not counted.
        tokens_by_bytes: shape (longest token + 1,): how many tokens have each length in bytes.
    """

    encoding: str
    n_bytes: int
    n_chars: int
    n_tokens: int
    n_words: int | None
    whole_words: int
    split_chars: int
    used: Counts
    counts: Counts
    n_losses: int
    vocab_size: int
    tokens_by_bytes: Counts

    @property
    def n_used(self) -> int:
        """Different tokens that occur."""
        return len(self.used)

    def __getitem__(self, key: str) -> float | None:
        """A metric of ``METRICS`` by its key; None: it has no value here.

        >>> from tokenizers import get_encoding
        >>> metrics = measure(get_encoding("gpt2"), "xylophone music")  # x, yl, ophone, ·music
        >>> metrics["fertility"], metrics["words_kept_whole"]
        (2.0, 0.5)
        """
        return METRICS[key].value(self, Compared())


def measure(encoding: Encoding, text: str | TextMap, *, words: Callable[[], Words] | None = None) -> Metrics:
    """Everything that is measured of an encoding on a text, from one encode.

    Args:
        encoding: any.
        text: any; special tokens in it are plain text.
        words: gives the result of ``find_words(text)``, which is the same for every encoding. It is called
            after the encode.

    Raises:
        ValueError: the text cannot be encoded, or its tokens do not cover it.

    >>> from tokenizers import get_encoding
    >>> metrics = measure(get_encoding("gpt2"), "the naïve xylophone")
    >>> metrics.n_tokens, metrics.n_bytes, metrics.n_chars, metrics.n_words, metrics.whole_words
    (5, 20, 19, 3, 2)
    >>> metrics.tokens_by_bytes.tolist()  # the, ·naïve, ·x, yl, ophone
    [0, 0, 2, 1, 0, 0, 1, 1]
    """
    spans = encode_spans(encoding, text)
    text_map, n_tokens = spans.text_map, len(spans)
    found = words() if words else find_words(text_map)
    counts = np.bincount(spans.ids)
    used = np.flatnonzero(counts)
    if spans.covers_own_bytes:  # a token has the same length wherever it occurs
        byte_lengths, times = vocabulary_of(spans.encoding).byte_lengths[used], counts[used]
    else:
        byte_lengths, times = spans.ends - spans.starts, None
    return Metrics(
        encoding=spans.encoding.name,
        n_bytes=text_map.n_bytes,
        n_chars=text_map.n_chars,
        n_tokens=n_tokens,
        n_words=len(found) if found.are_shown else None,
        whole_words=_count_whole(spans, found),
        split_chars=_count_split(spans),
        used=used,
        counts=counts[used],
        n_losses=len(spans.losses),
        vocab_size=spans.encoding.n_tokens,
        tokens_by_bytes=np.bincount(byte_lengths, times).astype(np.int64),
    )


def measure_together(parts: Sequence[Metrics]) -> Metrics:
    """What an encoding makes of several texts as one, each of which was encoded by itself.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> both = measure_together([measure(gpt2, text) for text in ("the naïve", "the xylophone")])
    >>> both.n_tokens, both.n_words, both.n_used, both.tokens_by_bytes.tolist()  # the twice
    (6, 4, 5, [0, 0, 2, 2, 0, 0, 1, 1])
    """
    words = [part.n_words for part in parts]
    used, places = np.unique(np.concatenate([part.used for part in parts]), return_inverse=True)
    return Metrics(
        encoding=parts[0].encoding,
        n_words=None if None in words else sum(filter(None, words)),
        used=used,
        counts=np.bincount(places, np.concatenate([part.counts for part in parts])).astype(np.int64),
        vocab_size=parts[0].vocab_size,
        tokens_by_bytes=_add_up([part.tokens_by_bytes for part in parts]),
        **{name: sum(getattr(part, name) for part in parts) for name in _SUMS},
    )


_SUMS = ("n_bytes", "n_chars", "n_tokens", "whole_words", "split_chars", "n_losses")


def _add_up(columns: Sequence[Counts]) -> Counts:
    return np.array([sum(row) for row in itertools.zip_longest(*columns, fillvalue=0)], np.int64)


def _ratio(above: int, below: int | None) -> float | None:
    return above / below if below else None


def _count_whole(spans: Spans, words: Words) -> int:
    """Words that are in one token which holds nothing of another word, and in no other token."""
    shared = np.append(spans.shared, 0)
    before = words.edges_before[spans.starts + shared[:-1]]
    after = words.edges_before[spans.ends - shared[1:]]
    return int(np.count_nonzero((after - before == 2) & (before & 1 == 0)))


def _count_split(spans: Spans) -> int:
    """Characters in which a token begins behind their first byte."""
    is_lead = spans.text_map.lead_bytes
    places = spans.starts[~is_lead[spans.starts]]
    for _ in range(3):  # back to the first byte, which is one of the three before
        places = places - ~is_lead[places]
    return len(np.unique(places))


# What the app shows of them


@dataclass(frozen=True)
class Compared:
    """What a relative metric compares with, on the same text; None: there is nothing.

    Attributes:
        baseline: of a baseline encoding.
        english: of the same encoding, on the same text in English.
    """

    baseline: Metrics | None = None
    english: Metrics | None = None


@dataclass(frozen=True)
class Metric:
    """A metric as the app shows it: in choosers, tables and charts, and in the list of what they mean.

    Attributes:
        label: its name, as the column of a table.
        unit: behind a number, in a sentence.
        better: what a person would want of it.
        value: of what was measured, and what that is compared with; None where there is none.
        formula: how it is made.
        meaning: what it says, and when not to trust it.
        written_as: a ratio has decimals, a share (0 to 1) is written as percent, a count is whole.
        full_name: where it is explained; empty: the label.
        source: who defined it, in Markdown.
    """

    label: str
    unit: str
    better: Literal["more", "less", "neither"]
    value: Callable[[Metrics, Compared], float | None]
    formula: str
    meaning: str
    written_as: Literal["ratio", "share", "count"] = "ratio"
    full_name: str = ""
    source: str = "Token Grove’s own count"

    @property
    def title(self) -> str:
        """Its name where it is explained.

        >>> METRICS["bytes_per_token"].title
        'Bytes per token'
        """
        return self.full_name or self.label[:1].upper() + self.label[1:]

    @property
    def short(self) -> str:
        """Its formula and which way is better, where there is room for no more.

        >>> METRICS["fertility"].short
        'Tokens ÷ words. Less is better.'
        """
        better = "" if self.better == "neither" else f" {self.better.capitalize()} is better."
        return f"{self.formula[:1].upper()}{self.formula[1:]}.{better}"

    def write(self, value: float | None) -> str:
        """The value, for people; None and NaN: there is none.

        >>> METRICS["bytes_per_token"].write(3.14159), METRICS["split_share"].write(0.00123)
        ('3.14', '0.12%')
        """
        if value is None or math.isnan(value):
            return "–"
        if self.written_as == "share":
            if value == 0:
                return "0%"
            return f"{value:.1%}" if value >= 0.01 else f"{value:.2%}"
        return f"{value:,.0f}" if self.written_as == "count" else f"{value:.2f}"


def _renyi_efficiency(metrics: Metrics) -> float | None:
    """How evenly the text uses the vocabulary: 1, if it uses all of it alike, and 0, if only one token.

    The Rényi entropy of the tokens' frequencies p, divided by the most that it could be:
    ``log(sum(p ** 2.5)) / (1 - 2.5) / log(vocab_size)``. Powers above 1 punish frequent tokens harder.
    None: no tokens, or a vocabulary of a single one.

    Source: Zouhar et al. 2023, Tokenization and the Noiseless Channel, arXiv:2306.16842. There V is the
    whole vocabulary; the paper's package, tokenization-scorer, by default takes only the tokens that
    occur, which makes its figures higher. Cognetta et al. 2024, arXiv:2402.14614, show encodings whose
    efficiency is higher and which do worse in use.

    >>> from tokenizers import get_encoding
    >>> _renyi_efficiency(measure(get_encoding("bytes"), "ab" * 9))  # one bit of eight
    0.125
    """
    if not metrics.n_tokens or metrics.vocab_size < 2:
        return None
    shares = metrics.counts / metrics.n_tokens
    entropy = math.log(float(np.sum(shares**RENYI_POWER))) / (1 - RENYI_POWER)
    return min(1.0, max(0.0, entropy / math.log(metrics.vocab_size)))  # rounding stays in the range


def _times(metrics: Metrics, others: Metrics | None) -> float | None:
    return _ratio(metrics.n_tokens, others.n_tokens) if others else None


METRICS: dict[str, Metric] = {
    "bytes_per_token": Metric(
        "bytes per token",
        unit="bytes per token",
        better="more",
        value=lambda m, to: _ratio(m.n_bytes, m.n_tokens),
        formula="bytes of UTF-8 ÷ tokens",
        meaning=(
            "The compression ratio. More is better: the same file takes fewer tokens. A letter has one byte "
            "in English, two in Russian, three in Hindi or Chinese. So compare tokenizers on one text, not "
            "one text with another."
        ),
        source="Gao et al. 2020, *The Pile*, section 3.1, arXiv:2101.00027",
    ),
    "chars_per_token": Metric(
        "characters per token",
        unit="characters per token",
        better="more",
        value=lambda m, to: _ratio(m.n_chars, m.n_tokens),
        formula="characters (Unicode code points) ÷ tokens",
        meaning="More is better. A Chinese character says more than a Latin letter: compare within a script.",
        source=(
            "Limisiewicz et al. 2023, *Tokenization Impacts Multilingual Language Modeling*, arXiv:2305.17179"
        ),
    ),
    "fertility": Metric(
        "fertility",
        unit="tokens per word",
        better="less",
        value=lambda m, to: _ratio(m.n_tokens, m.n_words),
        formula="tokens ÷ words",
        meaning=(
            "Less is better. All tokens count, also those of punctuation and spaces, so code and JSON score "
            "high. A word is a run of letters, marks, digits and underscores, with the apostrophes "
            "inside it: “don’t” is one word, “3.14” is two. Thai, Lao, Khmer, Burmese, Chinese, Japanese, "
            "Tibetan and a few more put no space between words, and dictionaries disagree where words end. "
            "So a text with more than 1% of its letters in such a script has no fertility. In Korean, spaces "
            "separate words."
        ),
        source=(
            "Ács 2019, *Exploring BERT’s vocabulary*; Rust et al. 2021, *How good is your tokenizer?*, "
            "arXiv:2012.15613"
        ),
    ),
    "words_kept_whole": Metric(
        "words kept whole",
        unit="of the words whole",
        better="more",
        value=lambda m, to: _ratio(m.whole_words, m.n_words),
        written_as="share",
        formula="words that one token holds, alone ÷ words",
        meaning=(
            "More is better. The token may also hold a space or punctuation, but no part of another word. "
            "Every word of the text counts each time it occurs. The paper’s STRR (single token retention "
            "rate) encodes the words of a list one by one, so its values differ. A text without fertility "
            "has no value here either."
        ),
        source="Nayeem et al. 2025, *Beyond Fertility: Analyzing STRR*, arXiv:2510.09947",
    ),
    "nsl": Metric(
        "NSL",
        unit="times the baseline’s tokens",
        better="less",
        value=lambda m, to: _times(m, to.baseline),
        full_name="NSL, normalized sequence length",
        formula="tokens ÷ tokens of the baseline tokenizer, on the same text",
        meaning=(
            "Less is better; the baseline itself has 1. Choose the baseline beside the chart. "
            "The paper’s was Llama’s tokenizer."
        ),
        source="Dagan, Synnaeve and Rozière 2024, *Getting the most out of your tokenizer*, arXiv:2402.01035",
    ),
    "premium": Metric(
        "premium",
        unit="times English’s tokens",
        better="less",
        value=lambda m, to: _times(m, to.english),
        formula="tokens ÷ tokens of the same text in English, by the same tokenizer",
        meaning=(
            "English has 1. At 2, a language costs twice as much. Only the languages here have it: they are "
            "one text, the Universal Declaration of Human Rights."
        ),
        source=(
            "Petrov et al. 2023, *Language Model Tokenizers Introduce Unfairness Between Languages*, "
            "arXiv:2305.15425"
        ),
    ),
    "renyi_efficiency": Metric(
        "Rényi efficiency",
        unit="of 1",
        better="more",
        value=lambda m, to: _renyi_efficiency(m),
        formula="log(Σ pᵢ^2.5) ÷ (1 − 2.5) ÷ log(vocabulary), pᵢ the share of the tokens that are token i",
        meaning=(
            "How evenly a text uses a vocabulary: 1 if it uses all tokens equally often. In the paper, it "
            "correlates with translation quality. A text of N tokens cannot have more than log N ÷ "
            "log(vocabulary), so compare on one text, and a long one. By default, the paper’s package "
            "divides by the tokens that occur, which gives more. Some tokenizers score higher and do worse "
            "in use."
        ),
        source=(
            "Zouhar et al. 2023, *Tokenization and the Noiseless Channel*, arXiv:2306.16842; Cognetta et al. "
            "2024, *Two Counterexamples*, arXiv:2402.14614"
        ),
    ),
    "used_share": Metric(
        "vocabulary used",
        unit="of the vocabulary",
        better="neither",
        value=lambda m, to: _ratio(m.n_used, m.vocab_size) if m.n_tokens else None,
        written_as="share",
        formula="different tokens that occur ÷ tokens in the vocabulary",
        meaning=(
            "Neither good nor bad: a short text cannot use much of a large vocabulary. The vocabulary "
            "includes special tokens, but not ids without a token."
        ),
    ),
    "split_share": Metric(
        "split characters",
        unit="of the characters split",
        better="less",
        value=lambda m, to: _ratio(m.split_chars, m.n_chars),
        written_as="share",
        formula="characters whose bytes lie in more than one token ÷ characters",
        meaning=(
            "Less is better: a model has to put such a character together from its parts. An emoji such as a "
            "flag or a family is several characters, so a cut between them splits none."
        ),
    ),
    "tokens": Metric(
        "tokens",
        unit="tokens",
        better="less",
        value=lambda m, to: float(m.n_tokens),
        written_as="count",
        formula="tokens of the whole text",
        meaning="Fewer is cheaper, if nothing is lost. Compare on the same text only.",
    ),
}
"""Every metric that the app shows, by its key in links and tables.

A new one is an entry here, and in ``tests/test_metrics.py`` what it is of a text counted by hand. A count
that is not there yet is a field of ``Metrics``, a line in ``measure``, and its place in
``measure_together``.
"""
