"""Sets apart those tokens of GPT-4o among which are advertisements, and says why they are in the list."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import streamlit as st

from pages.shared.tables import offer_more
from tokenizers.amounts import plural
from tokenizers.measure import Vocabulary

_LEARNED_SPAM = ("o200k_base", "o200k_harmony")


def may_be_spam(vocabulary: Vocabulary, token_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Which of these tokens to set apart: long Chinese ones, in a vocabulary that has learned spam.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.measure import vocabulary_of
    >>> words = vocabulary_of(get_encoding("o200k_base"))
    >>> may_be_spam(words, np.array([262, 154809])).tolist()
    [False, True]
    """
    if vocabulary.encoding.name not in _LEARNED_SPAM:
        return np.zeros(len(token_ids), np.bool_)
    return vocabulary.long_chinese[token_ids]


def offer_spam(count: int, draw: Callable[[], None], name: str) -> None:
    """Draw an expander with the tokens that were set apart, if there are any, and why they are.

    Args:
        count: how many they are.
        draw: draws them.
        name: the prefix of its key, unique on the page.
    """

    def draw_with_note() -> None:
        st.write(
            "GPT-4o’s list was learned from web pages, spam included. That is why some of its Chinese tokens "
            "are advertisements. These are set apart by a rule, and not by what they say: three characters "
            "or more, mostly Chinese."
        )
        draw()

    if count:
        label = f"{plural(count, 'long Chinese token')}, advertisements among them"
        offer_more(label, draw_with_note, name)
