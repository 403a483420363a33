"""Counts a text's tokens, in all and at every vocabulary size, with a cache for all sessions."""

from __future__ import annotations

import functools
import operator

import streamlit as st

from pages.session.own_texts import digest_of
from tokenizers.bpe import SizeCurve, counts_by_size
from tokenizers.encoding import Encoding
from tokenizers.measure import fingerprint
from tokenizers.split import BusyError


def n_tokens_of(encoding: Encoding, text: str) -> int:
    """The number of a text's tokens.

    Raises:
        ValueError: its split pattern is too slow.
    """
    return _count(fingerprint(encoding), digest_of(text), encoding, text)


@st.cache_data(max_size="8MB", show_spinner=False)
def _count(fingerprint: str, digest: str, _encoding: Encoding, _text: str) -> int:
    return len(_encoding.encode_array(_text))


def curve_of(encoding: Encoding, *texts: str) -> SizeCurve:
    """The number of tokens of texts at each vocabulary size: of all of them together, each encoded by itself.

    Raises:
        ValueError: the encoding has no merges, or its split pattern is too slow.
    """
    curves = []
    for text in texts:
        curve = _curve_or_problem(fingerprint(encoding), text, encoding)
        if isinstance(curve, str):
            raise ValueError(curve)
        curves.append(curve)
    return functools.reduce(operator.add, curves)


@st.cache_data(max_size="32MB", show_spinner=False)
def _curve_or_problem(fingerprint: str, text: str, _encoding: Encoding) -> SizeCurve | str:
    try:
        return counts_by_size(_encoding, text)
    except BusyError:
        raise
    except ValueError as problem:  # cached, too: a split pattern may have run out of time
        return str(problem)
