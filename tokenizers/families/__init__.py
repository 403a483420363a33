"""Encodings that are not plain byte pairs, one module each.

listed          what most have in common, tokens in a list; and the simplest of them: every byte is a token
counted         the most frequent characters or words are tokens; the rest are bytes, or unknown
longest_match   the longest token that fits, at each place
plamo           a Unigram of whole numbers, read from the end of a text
hybrid_dna      byte pairs, and DNA by six letters a token
sentencepieces  pieces joined by their scores, or the most probable way to cut a text into pieces (Unigram)
jurassic        a Unigram with AI21's steps around it
piece_merges    the merges behind the pieces of a SentencePiece BPE
lattice         the ways through all pieces of a Unigram that fit a text
rewriting       byte pairs of a text that is rewritten first: normal forms, small letters
huggingface     whatever a tokenizer.json describes, on Hugging Face's engine
huggingface_models  of those, what each kind of model can show: merges that can be drawn, lattices, reasons
huggingface_engine  the engine, the steps of its files, and what a token stands for
huggingface_places  where tokens are in a text that a normaliser changes
huggingface_parts  of those, long texts, in parts that agree where they meet
wordpiece       of those, words that are each cut by longest match from the left
learning        trainers: SentencePiece's of BPE and Unigram, Hugging Face's of WordPiece
fair            a trainer of byte pairs for which all languages count the same, Hugging Face's

A new family is a module with a subclass of ``ListedEncoding`` or of ``Encoding``, and an entry in
``BUNDLED``; ``ByteEncoding`` in ``listed`` is the shortest. What it does not have (merges, a split pattern)
is None, and the pages say so. ``given_back`` says what a token is decoded to, and from that all losses are
found. If it rewrites a text before it cuts it, ``Rewritten`` of ``text/rewriting.py`` finds where the
tokens are in the text.
"""

from __future__ import annotations

from .counted import UNKNOWN, learn_characters, learn_words
from .fair import learn_fair
from .lattice import Lattice, Path, lattice_of
from .learning import (
    LEAST_COVERAGE,
    LEFT_OUT,
    LONGEST_LINE,
    NORMALISATIONS,
    Normalisation,
    check_piece_specials,
    learn_pieces,
    learn_word_pieces,
)
from .sentencepieces import SentencePieces
