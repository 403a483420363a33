"""Figures about encodings: how they do on a text, what a language costs, what a vocabulary holds.

metrics         bytes per token, fertility, NSL, Rényi efficiency …, with their sources; METRICS, their table
premiums        what each language costs, for every encoding
vocabulary      all tokens of an encoding: searched, filtered, compared
regex_search    a regular expression over all of them at once
cost            the vocabulary size that costs a model the least
"""

from __future__ import annotations

from .cost import MAX_LAYERS, MAX_WIDTH, PRESETS, TRAINING, Model, SweetSpot, cost_per_byte, sweet_spot
from .metrics import METRICS, Compared, Metric, Metrics, measure
from .premiums import COUNTS_FILE, fingerprint, iter_counts, shipped_counts, to_json
from .vocabulary import Biography, Filters, Overlap, SearchBy, TokenIds, Vocabulary, overlap, vocabulary_of

__all__ = [
    "Biography",
    "COUNTS_FILE",
    "Filters",
    "MAX_LAYERS",
    "MAX_WIDTH",
    "METRICS",
    "Metric",
    "Metrics",
    "Compared",
    "Model",
    "Overlap",
    "PRESETS",
    "SearchBy",
    "SweetSpot",
    "TRAINING",
    "TokenIds",
    "Vocabulary",
    "cost_per_byte",
    "fingerprint",
    "iter_counts",
    "measure",
    "overlap",
    "shipped_counts",
    "sweet_spot",
    "to_json",
    "vocabulary_of",
]
