"""Figures about encodings: how they do on a text, what a language costs, what a vocabulary holds.

metrics         bytes per token, fertility, NSL, Rényi efficiency …, with their sources; METRICS, their table
premiums        what each language costs, for every encoding
vocabulary      all tokens of an encoding: what pages ask of them
token_arrays    their bytes, lengths, scripts and kinds, as arrays by id
token_search    a search over them, and its filters; regex_search: by a regular expression
biography       all that is known of one token
character_use   how often each character occurs in texts
shared_tokens   which tokens two vocabularies have in common
cost            the vocabulary size that costs a model the least
"""

from __future__ import annotations

from .biography import Biography
from .character_use import CharacterUse, characters_of_the_declaration, count_characters
from .cost import MAX_LAYERS, MAX_WIDTH, PRESETS, TRAINING, Model, SweetSpot, cost_per_byte, sweet_spot
from .metrics import METRICS, Compared, Metric, Metrics, measure
from .premiums import COUNTS_FILE, fingerprint, iter_counts, shipped_counts, to_json
from .shared_tokens import Overlap, overlap
from .token_arrays import TokenIds
from .token_search import Filters, SearchBy
from .vocabulary import Row, Vocabulary, count_tokens, vocabulary_of

__all__ = [
    "Biography",
    "COUNTS_FILE",
    "CharacterUse",
    "Compared",
    "Filters",
    "MAX_LAYERS",
    "MAX_WIDTH",
    "METRICS",
    "Metric",
    "Metrics",
    "Model",
    "Overlap",
    "PRESETS",
    "Row",
    "SearchBy",
    "SweetSpot",
    "TRAINING",
    "TokenIds",
    "Vocabulary",
    "characters_of_the_declaration",
    "cost_per_byte",
    "count_characters",
    "count_tokens",
    "fingerprint",
    "iter_counts",
    "measure",
    "overlap",
    "shipped_counts",
    "sweet_spot",
    "to_json",
    "vocabulary_of",
]
