"""The figures of the page Compression: which there are, and each measured once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.measure.compression.texts import ENGLISH, Sample, bundled
from pages.session.workspace import Workspace
from tokenizers.encoding import Encoding
from tokenizers.measure import Metrics, measure

Better = Literal["more", "less", "neither"]


@dataclass(frozen=True)
class Figure:
    """A figure that can be drawn.

    Attributes:
        label: its name, as the column of the table.
        unit: behind a number, in a sentence.
        percent: whether it is a share, 0 to 1.
        better: what a person would want of it.
        get: the figure of what was measured; None where there is none.
    """

    label: str
    unit: str
    better: Better
    get: Callable[[Metrics], float | None]
    percent: bool = False

    @property
    def d3(self) -> str:
        """How an axis writes it."""
        return "~%" if self.percent else ",~r"

    def write(self, value: float | None) -> str:
        """The figure, for people.

        >>> FIGURES["bytes_per_token"].write(3.14159), FIGURES["split_share"].write(0.00123)
        ('3.14', '0.12%')
        """
        if value is None or value != value:
            return "–"
        if self.percent:
            return f"{value:.1%}" if value >= 0.01 else f"{value:.2%}" if value else "0%"
        return f"{value:,.0f}" if self.label == "tokens" else f"{value:.2f}"


NSL, PREMIUM = "nsl", "premium"

FIGURES: dict[str, Figure] = {
    "bytes_per_token": Figure("bytes per token", "bytes per token", "more", lambda m: m.bytes_per_token),
    "chars_per_token": Figure(
        "characters per token", "characters per token", "more", lambda m: m.chars_per_token
    ),
    "fertility": Figure("fertility", "tokens per word", "less", lambda m: m.fertility),
    "words_kept_whole": Figure(
        "words kept whole", "of the words whole", "more", lambda m: m.words_kept_whole, percent=True
    ),
    NSL: Figure("NSL", "times the baseline’s tokens", "less", lambda m: None),
    PREMIUM: Figure("premium", "times English’s tokens", "less", lambda m: None),
    "renyi_efficiency": Figure("Rényi efficiency", "of 1", "more", lambda m: m.renyi_efficiency),
    "used_share": Figure(
        "vocabulary used", "of the vocabulary", "neither", lambda m: m.used_share, percent=True
    ),
    "split_share": Figure(
        "split characters", "of the characters split", "less", lambda m: m.split_share, percent=True
    ),
    "tokens": Figure("tokens", "tokens", "less", lambda m: float(m.n_tokens)),
}

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
            values = {key: figure.get(metrics) for key, figure in FIGURES.items()}
            other = baseline.get(sample.key)
            if other and other.n_tokens:
                values[NSL] = tk.nsl(metrics.n_tokens, other.n_tokens)
            if sample.is_parallel and name in english:
                values[PREMIUM] = tk.premium(metrics.n_tokens, english[name].n_tokens)
            row |= values
            row |= {"bytes": metrics.n_bytes, "characters": metrics.n_chars, "words": metrics.n_words}
            row |= {"different tokens": metrics.n_used, "vocabulary": metrics.vocab_size}
            rows.append(row)
    columns = ["text", "encoding", *FIGURES, "bytes", "characters", "words", "different tokens", "vocabulary"]
    table = pd.DataFrame(rows, columns=columns)
    numbers = [*FIGURES, "words"]
    table[numbers] = table[numbers].astype("float64")
    return table


def english_of(workspace: Workspace, kept: Measurements, names: Sequence[str]) -> dict[str, Metrics]:
    """What each encoding makes of the declaration in English; those that fail are left out."""
    measured, _ = kept.measure_all(workspace, names, [bundled(ENGLISH)])
    return {name: metrics for (name, _), metrics in measured.items()}
