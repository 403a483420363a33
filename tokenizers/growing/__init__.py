"""Learning encodings of other families than byte pairs, by the libraries that people learn them with.

Each gives the content of a file, in the format of its family, which ``tokenizers.load`` reads.

pieces       SentencePiece's trainer: BPE and Unigram
word_pieces  Hugging Face's trainer of WordPiece
lines        a text in lines that a trainer takes whole
library_log  what a library writes of its work, line by line, while it works
"""

from __future__ import annotations

from .lines import LEFT_OUT, LONGEST_LINE, cut_lines
from .pieces import (
    LEAST_COVERAGE,
    NORMALISATIONS,
    Learning,
    Normalisation,
    check_piece_specials,
    learn_pieces,
)
from .word_pieces import learn_word_pieces

__all__ = [
    "LEAST_COVERAGE",
    "LEFT_OUT",
    "LONGEST_LINE",
    "NORMALISATIONS",
    "Learning",
    "Normalisation",
    "check_piece_specials",
    "cut_lines",
    "learn_pieces",
    "learn_word_pieces",
]
