"""The texts that the page Compression offers, and the metrics of each encoding on them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from pages.session.catalogue import FEATURED, catalogue, find_text, own_titles
from pages.session.own_texts import PLAYGROUND, OwnTexts, digest_of, is_own_key, numbered
from pages.session.workspace import Workspace
from tokenizers.amounts import bytes_in_words
from tokenizers.data import LANGUAGE, LIBRARY, list_parallel, utf8_length
from tokenizers.encoding import Encoding
from tokenizers.measure import METRICS, Compared, Metrics, fingerprint, measure, measure_together
from tokenizers.split import BusyError
from tokenizers.text import TextMap, Words, find_words, isolate

THREADS = 2
"""Encodings that are measured at a time, mostly without Python's global lock."""

_finding_words = ThreadPoolExecutor(THREADS)

MAX_TEXTS = 100
"""The most texts that are measured at a time."""
MAX_MEASURED_BYTES = 20 << 20
"""The most bytes of these texts together."""

ENGLISH = LANGUAGE + "eng"
"""The declaration in English: what the other languages' premium is measured by."""

Measured = dict[tuple[str, str], Metrics]
"""What was measured, by encoding and the text's key."""


# Texts


@dataclass(frozen=True, eq=False)
class Sample:
    """A text to measure.

    Attributes:
        key: in links.
        title: its name, unique on the page.
        text: the text.
        digest: equal for equal texts.
        sources: the keys of its sources, as in a ``Recipe``.
    """

    key: str
    title: str
    text: str
    digest: str
    sources: tuple[str, ...] = ()

    @functools.cached_property
    def text_map(self) -> TextMap:
        """The text with its byte offsets, computed once for all encodings."""
        return TextMap(self.text)

    @functools.cached_property
    def words(self) -> Future[Words]:
        """Its words, found while encodings encode it in other threads."""
        return _finding_words.submit(find_words, self.text_map)

    @property
    def is_parallel(self) -> bool:
        """Whether it is a complete declaration, so that languages can be compared."""
        return self.key.startswith(LANGUAGE) and self.key in _complete()


@functools.cache
def _complete() -> frozenset[str]:
    """The keys of the languages in which the declaration is complete."""
    return frozenset(LANGUAGE + text.code for text in list_parallel())


@functools.lru_cache(maxsize=64)
def bundled(key: str) -> Sample:
    """One of the texts that come with Token Grove; shared by all sessions.

    Raises:
        OSError: its file is missing. ValueError: it is damaged, or there is none of that key.

    >>> bundled("prose").title, bundled("udhr:kor").text[:4]
    ('English prose', '세 계 ')
    """
    text = find_text(key)
    content = text.read()
    return Sample(key, text.short, content, digest_of(content), text.sources)


def titles_of(own: OwnTexts) -> dict[str, str]:
    """Every text that can be chosen, by key, with its short title; no two titles are the same.

    The session's own come first, then the featured ones. Python's library is not among them: its 11 MB would
    take hundreds of MB of memory.

    >>> own = OwnTexts(lambda: "")
    >>> own.add("Python", "x = 1")
    'own-1'
    >>> list(titles_of(own).values())[:3]
    ['Python (yours)', 'Playground text', 'English prose']
    """
    texts = {key: text.short for key, text in catalogue().items() if key != LIBRARY}
    return own_titles(own) | {key: texts[key] for key in FEATURED} | texts


def choose(keys: Sequence[str], own: OwnTexts) -> tuple[list[Sample], list[str]]:
    """The chosen texts, in order, and sentences about those that are not measured.

    Args:
        keys: of the texts.
        own: the session's own texts.
    """
    titles = titles_of(own)
    samples: list[Sample] = []
    problems: list[str] = []
    left_out = []
    room = MAX_MEASURED_BYTES
    for key in keys:
        try:
            text = own.get(key)
            sample = Sample(key, titles[key], text.text, text.digest, (key,)) if text else bundled(key)
        except (OSError, ValueError) as problem:
            problems.append(f"{isolate(titles[key])} is left out. {problem}")
            continue
        n_bytes = text.n_bytes if text else utf8_length(sample.text)
        if n_bytes > room or len(samples) == MAX_TEXTS:
            left_out.append(isolate(sample.title))
        else:
            samples.append(sample)
            room -= n_bytes
    if left_out:
        most = bytes_in_words(MAX_MEASURED_BYTES)
        limit = f"Up to {MAX_TEXTS} texts of {most} together are measured at a time."
        more = f" and {len(left_out) - 3} more" if len(left_out) > 3 else ""
        problems.append(f"{limit} Left out: {', '.join(left_out[:3])}{more}.")
    return samples, problems


# Measuring


def measure_all(
    workspace: Workspace, names: Sequence[str], samples: Sequence[Sample]
) -> tuple[Measured, list[str]]:
    """Measure every encoding on every text, each once for all sessions.

    Returns:
        the metrics, and a sentence for each encoding that failed.
    """
    # Short texts first: after an encoding is too slow, longer texts are skipped.
    by_length = sorted(samples, key=lambda sample: len(sample.text))

    def measure_one(name: str) -> tuple[Measured, str]:
        measured: Measured = {}
        for number, sample in enumerate(by_length):
            try:
                encoding = workspace.find_encoding(name)
                kind = f"{fingerprint(encoding)} {encoding.n_vocab}"
                metrics = _metrics_or_problem(kind, sample.digest, encoding, sample)
                if isinstance(metrics, str):
                    raise ValueError(metrics)
                measured[name, sample.key] = metrics
            except (ValueError, OSError) as problem:
                left = len(by_length) - number
                where = isolate(sample.title) if left == 1 else f"{left} of the {len(by_length)} texts"
                return measured, f"{name} has no values for {where}. {problem}"
        return measured, ""

    with ThreadPoolExecutor(THREADS) as threads:
        results = list(threads.map(measure_one, names))
    measured = {key: metrics for of_one, _ in results for key, metrics in of_one.items()}
    return measured, [problem for _, problem in results if problem]


def together(
    measured: Measured, names: Sequence[str], samples: Sequence[Sample]
) -> tuple[Measured, list[Sample]]:
    """A person's own texts as one, before all texts; the same as given if they are fewer than two."""
    own = [sample for sample in samples if is_own_key(sample.key) and sample.key != PLAYGROUND]
    if len(own) < 2:
        return measured, list(samples)
    title = numbered(f"My {len(own)} texts together", {sample.title for sample in samples})
    whole = Sample(title, title, "", "")
    parts = {
        name: [measured[name, each.key] for each in own if (name, each.key) in measured] for name in names
    }
    sums = {(name, title): measure_together(each) for name, each in parts.items() if len(each) == len(own)}
    return measured | sums, [whole, *samples]


@st.cache_data(show_spinner=False, max_size="64MB")
def _metrics_or_problem(kind: str, digest: str, _encoding: Encoding, _sample: Sample) -> Metrics | str:
    try:
        return measure(_encoding, _sample.text_map, words=_sample.words.result)
    except BusyError:
        raise
    except ValueError as problem:  # once is enough: a split pattern may have run out of time
        return str(problem)


def table_of(
    measured: Measured, english: Measured, names: Sequence[str], samples: Sequence[Sample], baseline: str
) -> pd.DataFrame:
    """A row for each text and encoding that was measured, with every metric; NaN where there is none.

    Args:
        measured: of ``measure_all``.
        english: the same of the declaration in English.
        names: the encodings, in order.
        samples: the texts, in order.
        baseline: the baseline encoding of NSL.
    """
    rows = []
    for sample in samples:
        for name in names:
            metrics = measured.get((name, sample.key))
            if metrics is None:
                continue
            row: dict[str, object] = {"text": sample.title, "tokenizer": name}
            of_english = english.get((name, ENGLISH)) if sample.is_parallel else None
            against = Compared(measured.get((baseline, sample.key)), of_english)
            row |= {key: metric.value(metrics, against) for key, metric in METRICS.items()}
            row |= {"bytes": metrics.n_bytes, "characters": metrics.n_chars, "words": metrics.n_words}
            row |= {"different tokens": metrics.n_used, "vocabulary": metrics.vocab_size}
            rows.append(row)
    columns = [
        "text",
        "tokenizer",
        *METRICS,
        "bytes",
        "characters",
        "words",
        "different tokens",
        "vocabulary",
    ]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys([*METRICS, "words"], "float64"))
