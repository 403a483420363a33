"""What a smaller vocabulary would cost a language: each encoding, whole and cut to a part of its tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from pages.measure.languages.state import HALF, LanguagesState
from pages.session.last_used import LastUsed
from pages.shared.plain import plain
from pages.shared.tables import show_table
from pages.shared.widgets import tied
from tokenizers.amounts import share_in_words
from tokenizers.bpe import SizeCurve, counts_by_size
from tokenizers.data import ParallelText
from tokenizers.encoding import Encoding
from tokenizers.measure import fingerprint

SHARES: dict[str, float] = {HALF: 1 / 2, "a quarter": 1 / 4, "an eighth": 1 / 8}
SO_MANY, MANY = "a number of tokens", 8192

_curves = LastUsed[tuple[str, str], SizeCurve](
    400, lambda curve: curve.sizes.nbytes + curve.counts.nbytes, 32 << 20
)
"""Of all sessions together; a curve holds counts, and nothing of the text, which may be a person's own."""


@dataclass(frozen=True)
class Smaller:
    """A language in one encoding, whole and with a smaller vocabulary.

    Attributes:
        full: ordinary tokens of the whole vocabulary.
        size: of the smaller one.
        tokens: of the language with all tokens.
        base_tokens: of the language that it is compared with.
        small_tokens: of the language with the smaller vocabulary.
        small_base_tokens: of the other with the smaller one.
    """

    full: int
    size: int
    tokens: int
    base_tokens: int
    small_tokens: int
    small_base_tokens: int

    @property
    def extra(self) -> float:
        """How much more the language costs with the smaller vocabulary: 0.1 is a tenth more."""
        return self.small_tokens / max(1, self.tokens) - 1

    @property
    def small_premium(self) -> float:
        """The premium with the smaller vocabulary."""
        return self.small_tokens / max(1, self.small_base_tokens)


def with_smaller_vocabulary(
    encoding: Encoding, text: ParallelText, base: ParallelText, size: float
) -> Smaller:
    """What a vocabulary of that size would make of a language, exactly.

    Args:
        encoding: any byte pair encoding.
        text: the language.
        base: what it is compared with.
        size: tokens, or below 1 a share of all.

    Raises:
        ValueError: an encoding without merges, or with a pattern that is too slow.
    """
    here, there = _curve(encoding, text), _curve(encoding, base)
    wanted = int(here.full * size) if size < 1 else int(size)
    wanted = min(max(wanted, here.smallest), here.full)
    return Smaller(
        here.full, wanted, here.at(here.full), there.at(here.full), here.at(wanted), there.at(wanted)
    )


def _curve(encoding: Encoding, text: ParallelText) -> SizeCurve:
    key = (fingerprint(encoding), f"{text.code} {hash(text.text)}")
    curve = _curves.get(key)
    if curve is None:
        curve = counts_by_size(encoding, text.text)
        _curves.put(key, curve)
    return curve


def smaller_table(results: dict[str, Smaller], language: str, base: str) -> pd.DataFrame:
    """The exact figures, one row for each encoding."""
    rows = [
        {
            "encoding": name,
            "vocabulary": smaller.full,
            f"tokens for {language}": smaller.tokens,
            f"times {base}": smaller.tokens / max(1, smaller.base_tokens),
            "smaller vocabulary": smaller.size,
            f"tokens for {language} then": smaller.small_tokens,
            f"times {base} then": smaller.small_premium,
            "extra cost": smaller.extra,
        }
        for name, smaller in results.items()
    ]
    return pd.DataFrame(rows)


# On the page


def with_smaller_vocabularies(
    state: LanguagesState, encodings: Mapping[str, Encoding], text: ParallelText, base: ParallelText
) -> dict[str, Smaller]:
    """The language in each encoding with a part of its vocabulary, where that can be said."""
    size = SHARES.get(state.size) or float(state.tokens or MANY)
    results = {}
    for name, encoding in encodings.items():
        if not encoding.has_merges:
            continue  # it has no smaller vocabulary
        try:
            results[name] = with_smaller_vocabulary(encoding, text, base, size)
        except ValueError:
            continue  # a person's own pattern that is too slow on this text
    return results


def _more(extra: float) -> str:
    """How many more tokens, in words.

    >>> _more(0.21), _more(0.0004), _more(0)
    ('21% more tokens', 'less than 0.1% more tokens', 'as many tokens as now')
    """
    if not extra:
        return "as many tokens as now"
    return f"{share_in_words(extra)} more tokens"


def draw_sizes(
    state: LanguagesState, results: dict[str, Smaller], text: ParallelText, base: ParallelText
) -> None:
    """What a smaller vocabulary would cost."""
    if not results:
        return
    name = max(results, key=lambda name: results[name].extra)
    choice = state.size
    part = f"{choice} the vocabulary" if choice == HALF else f"{choice} of the vocabulary"
    if choice not in SHARES:
        part = "that many tokens"
    st.subheader(
        f"With {part}, {plain(text.name)} would cost {plain(name)} {_more(results[name].extra)}",
        anchor=False,
    )
    size, tokens, _ = st.columns([1.6, 1, 2.4], vertical_alignment="bottom")
    chosen = size.segmented_control(
        "A vocabulary of",
        [*SHARES, SO_MANY],
        required=True,
        **tied(LanguagesState.size),
    )
    if chosen == SO_MANY:
        tokens.number_input("Tokens", 256, 200_000, MANY, step=1024, **tied(LanguagesState.tokens))
    percent = st.column_config.NumberColumn(format="percent")
    premium = st.column_config.NumberColumn(format="%.2f×")
    table = smaller_table(results, text.name, base.name)
    columns = {
        column: percent if column == "extra cost" else premium
        for column in table.columns
        if column == "extra cost" or column.startswith("times")
    }
    show_table(table, state.key("sizes"), columns)
    st.caption(
        "Exact: a smaller vocabulary is the first tokens of the whole one, and the text is cut as it would "
        f"cut it. {plain(base.name)} then needs more tokens too, so a premium can even fall. Special tokens "
        "do not count."
    )
