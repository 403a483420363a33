"""The figures of the page Compression, each measured once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.measure.compression.texts import ENGLISH, Sample, bundled
from pages.session.workspace import Workspace
from tokenizers.askers import check_wanted
from tokenizers.encoding import Encoding
from tokenizers.measure import METRICS, Compared, Metrics, measure

Measured = dict[tuple[str, str], Metrics]
"""What was measured, by encoding and the text's key."""


@st.cache_resource(max_entries=4000, show_spinner=False)
def _measure_bundled(name: str, key: str) -> Metrics:
    """A bundled encoding on a bundled text: the same for every session."""
    sample = bundled(key)
    return measure(tk.get_encoding(name), sample.text_map, words=sample.words)


class Measurements:
    """What one session has measured of its own texts and encodings; nothing is measured twice."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[Encoding, str, Metrics | ValueError]] = {}

    def measure_all(
        self, workspace: Workspace, names: Sequence[str], samples: Sequence[Sample]
    ) -> tuple[Measured, dict[str, str]]:
        """Every encoding on every text.

        Returns:
            what was measured, and for each encoding that failed somewhere, what to say of it.
        """
        measured: Measured = {}
        problems: dict[str, str] = {}
        # The short ones first: what is too slow for one text is not tried on a longer one.
        by_length = sorted(samples, key=lambda sample: sample.text_map.n_bytes)
        for name in names:
            for number, sample in enumerate(by_length):
                try:
                    check_wanted()
                    measured[name, sample.key] = self._measure(workspace, name, sample)
                except (ValueError, OSError) as problem:
                    left = len(by_length) - number
                    where = sample.title if left == 1 else f"{left} of the {len(by_length)} texts"
                    problems[name] = f"{name} has no figures for {where}. {problem}"
                    break
        return measured, problems

    def _measure(self, workspace: Workspace, name: str, sample: Sample) -> Metrics:
        if sample.is_bundled and name not in workspace.grown:
            return _measure_bundled(name, sample.key)
        encoding = workspace.encoding(name)
        kept = self._kept.get((name, sample.key))
        if kept is None or kept[0] is not encoding or kept[1] != sample.text_map.text:
            result: Metrics | ValueError
            try:
                result = measure(encoding, sample.text_map, words=sample.words)
            except ValueError as problem:  # once is enough: it may have been a pattern that ran out of time
                result = problem
            kept = self._kept[name, sample.key] = (encoding, sample.text_map.text, result)
        if isinstance(kept[2], ValueError):
            raise kept[2].with_traceback(None)
        return kept[2]

    def forget(self, workspace: Workspace, keys: Collection[str]) -> None:
        """Drop encodings that are gone, and of all texts but those of these keys."""
        names = set(workspace.encoding_names())
        self._kept = {at: kept for at, kept in self._kept.items() if at[0] in names and at[1] in keys}


def table_of(
    measured: Measured,
    names: Sequence[str],
    samples: Sequence[Sample],
    baseline: Mapping[str, Metrics],
    english: Mapping[str, Metrics],
) -> pd.DataFrame:
    """A row for each text and encoding that was measured, with every figure; NaN where there is none.

    Args:
        measured: of ``Measurements.measure_all``.
        names: the encodings, in order.
        samples: the texts, in order.
        baseline: what the baseline of NSL makes of each text, by its key.
        english: what each encoding makes of the declaration in English.
    """
    rows = []
    for sample in samples:
        for name in names:
            metrics = measured.get((name, sample.key))
            if metrics is None:
                continue
            row: dict[str, object] = {"text": sample.title, "encoding": name}
            against = Compared(baseline.get(sample.key), english.get(name) if sample.is_parallel else None)
            row |= {key: metric.value(metrics, against) for key, metric in METRICS.items()}
            row |= {"bytes": metrics.n_bytes, "characters": metrics.n_chars, "words": metrics.n_words}
            row |= {"different tokens": metrics.n_used, "vocabulary": metrics.vocab_size}
            rows.append(row)
    columns = ["text", "encoding", *METRICS, "bytes", "characters", "words", "different tokens", "vocabulary"]
    table = pd.DataFrame(rows, columns=columns)
    numbers = [*METRICS, "words"]
    table[numbers] = table[numbers].astype("float64")
    return table


def english_of(workspace: Workspace, kept: Measurements, names: Sequence[str]) -> dict[str, Metrics]:
    """What each encoding makes of the declaration in English; those that fail are left out."""
    measured, _ = kept.measure_all(workspace, names, [bundled(ENGLISH)])
    return {name: metrics for (name, _), metrics in measured.items()}
