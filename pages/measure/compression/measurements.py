"""The metrics of each encoding on the texts of the page Compression."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pandas as pd
import streamlit as st

from pages.session.own_texts import PLAYGROUND, is_own_key, unused_name
from pages.session.samples import Sample
from pages.session.workspace import Workspace
from tokenizers.data import LANGUAGE
from tokenizers.encoding import Encoding
from tokenizers.measure import METRICS, Compared, Metrics, fingerprint, measure, measure_together
from tokenizers.split import BusyError

THREADS = 2
"""Encodings that are measured at a time, mostly without Python's global lock."""

ENGLISH = LANGUAGE + "eng"
"""The declaration in English: what the other languages' premium is measured by."""

Measured = dict[tuple[str, str], Metrics]
"""What was measured, by encoding and the text's key."""


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
        measured = {}
        for number, sample in enumerate(by_length):
            try:
                encoding = workspace.find_encoding(name)
                kind = f"{fingerprint(encoding)} {encoding.n_vocab}"
                metrics = _metrics_or_problem(kind, sample.digest, encoding, sample)
                if isinstance(metrics, str):
                    raise ValueError(metrics)
                measured[name, sample.key] = metrics
            except (ValueError, OSError) as problem:
                left = f"{len(by_length) - number} of the {len(by_length)} texts"
                return measured, f"{name} has no values for {left}. {problem}"
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
    title = unused_name(f"My {len(own)} texts together", {sample.title for sample in samples})
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
            of_english = english.get((name, ENGLISH)) if sample.is_parallel else None
            against = Compared(measured.get((baseline, sample.key)), of_english)
            values = [metric.value(metrics, against) for metric in METRICS.values()]
            counted = (metrics.n_bytes, metrics.n_chars, metrics.n_words, metrics.n_used, metrics.vocab_size)
            rows.append((sample.title, name, *values, *counted))
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
