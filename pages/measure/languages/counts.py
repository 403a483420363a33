"""How many tokens languages take: the declarations, a person's own texts, and with smaller vocabularies."""

from __future__ import annotations

import functools
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd
import streamlit as st

from pages.session.own_texts import OwnTexts
from pages.shared.curves import curve_of
from tokenizers.amounts import bytes_in_words
from tokenizers.data import ParallelText, list_parallel, own_text
from tokenizers.encoding import Encoding
from tokenizers.measure import fingerprint, iter_counts, shipped_counts

MAX_SECONDS = 20.0
"""Counting all languages takes about half a second. With a slow split pattern of a person's own, the page
stops here and offers to continue."""

MAX_BYTES = 500 << 10
"""A longer text is not compared: its beginning alone would not say the same as the other texts."""

MAX_TEXTS = 20

EXAMPLE = {
    "English, mine": "The same words should cost the same in every language. They do not.",
    "Deutsch": "Dieselben Worte sollten in jeder Sprache dasselbe kosten. Das tun sie nicht.",
    "Ελληνικά": "Τα ίδια λόγια θα έπρεπε να κοστίζουν το ίδιο σε κάθε γλώσσα. Δεν κοστίζουν.",
    "हिन्दी": "एक ही बात की क़ीमत हर भाषा में एक जैसी होनी चाहिए। ऐसा है नहीं।",
}
"""The same two sentences in four languages, to begin with."""


# The declarations


@dataclass
class LanguageCounts:
    """Tokens of each declaration in one encoding, by code, of those that are counted."""

    counts: dict[str, int] = field(default_factory=dict)

    @property
    def is_complete(self) -> bool:
        """Whether all declarations are counted."""
        return len(self.counts) == len(list_parallel())

    @property
    def share(self) -> float:
        """The share that is counted, from 0 to 1."""
        return len(self.counts) / len(list_parallel())

    @property
    def progress(self) -> str:
        """How many are counted, in words."""
        return f"{len(self.counts):,} of {len(list_parallel()):,} translations"

    def count_on(self, encoding: Encoding) -> Iterator[float]:
        """Count the declarations that are not counted yet.

        Yields:
            The share that is counted, twenty times a second.

        Raises:
            ValueError: a split pattern of a person's own is too slow.
        """
        begun = shown = time.monotonic()
        for text in list_parallel():
            if text.code in self.counts:
                continue
            *_, counted = iter_counts(encoding, [text])
            self.counts.update(counted.counts)
            now = time.monotonic()
            if now - begun > MAX_SECONDS:
                raise ValueError(f"It has taken {MAX_SECONDS:.0f} seconds.")
            if now - shown > 0.05:
                shown = now
                yield self.share


def counts_of(encoding: Encoding) -> LanguageCounts:
    """The counts of an encoding that come with the app, or those made so far, for all sessions together."""
    shipped = shipped_counts(encoding)
    return LanguageCounts(dict(shipped)) if shipped is not None else _counts(fingerprint(encoding))


@functools.lru_cache(maxsize=64)
def _counts(_: str) -> LanguageCounts:
    return LanguageCounts()


# A person's own parallel texts


def comparable_texts(keys: Sequence[str], own: OwnTexts) -> tuple[dict[str, ParallelText], list[str]]:
    """The chosen texts that can be compared, by their keys, and why the others cannot.

    Args:
        keys: of the chosen texts; those that were removed are left out.
        own: a person's own texts.
    """
    texts: dict[str, ParallelText] = {}
    problems = []
    for key in (key for key in keys if key in own):
        text = own[key]
        if not text.text.strip():
            problems.append(f"{text.title} has nothing in it to compare. Choose another text.")
        elif text.n_bytes > MAX_BYTES:
            problems.append(
                f"{text.title} has {bytes_in_words(text.n_bytes)}, and a text of up to "
                f"{bytes_in_words(MAX_BYTES)} is compared here. Take a part, and the same part of the others."
            )
        elif len(texts) >= MAX_TEXTS:
            problems.append(f"{text.title} is one too many: up to {MAX_TEXTS} texts are compared at a time.")
        else:
            texts[key] = replace(_as_parallel(text.title, text.text), code=key)
    return texts, problems


_as_parallel = st.cache_data(show_spinner=False, max_size="16MB", ttl=3600)(own_text)


def count_own(encoding: Encoding, texts: Collection[ParallelText]) -> dict[str, int]:
    """Tokens of each of a person's own texts, by code.

    Raises:
        ValueError: a split pattern of a person's own is too slow.
    """
    return {text.code: _count_own(fingerprint(encoding), text.text, encoding) for text in texts}


@st.cache_data(show_spinner=False, max_entries=2000, ttl=3600)
def _count_own(fingerprint: str, text: str, _encoding: Encoding) -> int:
    return len(_encoding.encode_array(text))


# Smaller vocabularies


@dataclass(frozen=True)
class Smaller:
    """A language in one encoding, whole and with a smaller vocabulary.

    Attributes:
        full: ordinary tokens of the whole vocabulary.
        size: of the smaller one.
        tokens: of the language with all tokens.
        base_tokens: of the language that it is compared with.
        small_tokens: of the language with the smaller vocabulary.
        small_base_tokens: of the other with the smaller one.
    """

    full: int
    size: int
    tokens: int
    base_tokens: int
    small_tokens: int
    small_base_tokens: int

    @property
    def extra(self) -> float:
        """How much more the language costs with the smaller vocabulary: 0.1 is a tenth more."""
        return self.small_tokens / max(1, self.tokens) - 1

    @property
    def small_premium(self) -> float:
        """The premium with the smaller vocabulary."""
        return self.small_tokens / max(1, self.small_base_tokens)


def with_smaller_vocabulary(
    encoding: Encoding, text: ParallelText, base: ParallelText, size: float
) -> Smaller:
    """What a vocabulary of that size would make of a language, exactly.

    Args:
        encoding: any byte pair encoding.
        text: the language.
        base: what it is compared with.
        size: tokens, or below 1 a share of all.

    Raises:
        ValueError: an encoding without merges, or with a pattern that is too slow.
    """
    here, there = curve_of(encoding, text.text), curve_of(encoding, base.text)
    wanted = int(here.full * size) if size < 1 else int(size)
    wanted = min(max(wanted, here.smallest), here.full)
    return Smaller(
        here.full, wanted, here.at(here.full), there.at(here.full), here.at(wanted), there.at(wanted)
    )


def smaller_table(results: Mapping[str, Smaller], language: str, base: str) -> pd.DataFrame:
    """The exact values, one row for each encoding."""
    rows = [
        {
            "encoding": name,
            "vocabulary": smaller.full,
            f"tokens for {language}": smaller.tokens,
            f"times {base}": smaller.tokens / max(1, smaller.base_tokens),
            "smaller vocabulary": smaller.size,
            f"tokens for {language} then": smaller.small_tokens,
            f"times {base} then": smaller.small_premium,
            "extra cost": smaller.extra,
        }
        for name, smaller in results.items()
    ]
    return pd.DataFrame(rows)
