"""A person's own parallel texts: chosen among all that they brought, and counted beside the languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from pages.measure.languages.state import LanguagesState
from pages.session.own_texts import OwnText, OwnTexts
from pages.shared.own_texts import (
    draw_messages,
    draw_own_texts_inside,
    own_texts,
    own_texts_box,
    say_problem,
)
from pages.shared.plain import plain
from pages.shared.session import get_kept
from pages.shared.widgets import messages, tied
from tokenizers.amounts import bytes_in_words
from tokenizers.data import ParallelText, own_text
from tokenizers.encoding import Encoding
from tokenizers.measure import iter_counts

MAX_BYTES = 500 << 10
"""A longer text is not compared: its beginning alone would not say the same as the other texts."""

MAX_TEXTS = 20
EXAMPLE = {
    "English, mine": "The same words should cost the same in every language. They do not.",
    "Deutsch": "Dieselben Worte sollten in jeder Sprache dasselbe kosten. Das tun sie nicht.",
    "Ελληνικά": "Τα ίδια λόγια θα έπρεπε να κοστίζουν το ίδιο σε κάθε γλώσσα. Δεν κοστίζουν.",
    "हिन्दी": "एक ही बात की क़ीमत हर भाषा में एक जैसी होनी चाहिए। ऐसा है नहीं।",
}
"""The same two sentences, to begin with."""


@dataclass
class ParallelTexts:
    """Those of a session's own texts that are compared with each other.

    Attributes:
        texts: by the key of the own text, which is the code of no language.
        problems: why some of the chosen ones cannot be compared.
    """

    texts: dict[str, ParallelText] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    _sources: dict[str, OwnText] = field(default_factory=dict)
    _counts: dict[tuple[int, str], tuple[Encoding, int]] = field(default_factory=dict)

    def choose(self, keys: Sequence[str], own: OwnTexts) -> None:
        """Take these texts, as far as they are still there and can be compared."""
        texts: dict[str, ParallelText] = {}
        sources: dict[str, OwnText] = {}
        self.problems = []
        for key in keys:
            if key not in own:
                continue
            try:
                check_comparable(own[key], len(texts))
            except ValueError as problem:
                self.problems.append(str(problem))
                continue
            sources[key] = own[key]
            is_known = self._sources.get(key) is own[key]
            texts[key] = self.texts[key] if is_known else as_parallel(own[key])
        self.texts, self._sources = texts, sources

    def count(self, encoding: Encoding) -> Mapping[str, int]:
        """Tokens of each text, by code; counted once.

        Raises:
            ValueError: a split pattern of a person's own that is too slow.
        """
        counts: dict[str, int] = {}
        for code, text in self.texts.items():
            key = (id(encoding), text.text)
            if key not in self._counts:
                *_, last = iter_counts(encoding, [text])
                # The encoding is held as well: another object cannot get its id() then.
                self._counts[key] = encoding, last.counts[code]
            counts[code] = self._counts[key][1]
        if len(self._counts) > 500:
            self._counts.clear()
        return counts


def check_comparable(own: OwnText, others: int) -> None:
    """Refuse a text that cannot be compared.

    Args:
        own: the text.
        others: how many are compared already.

    Raises:
        ValueError: it has nothing to read, is too long, or is one text too many.
    """
    if not own.text.strip():
        raise ValueError(f"{own.title} has nothing in it to compare. Choose another text.")
    if own.n_bytes > MAX_BYTES:
        raise ValueError(
            f"{own.title} has {bytes_in_words(own.n_bytes)}, and a text of up to {bytes_in_words(MAX_BYTES)} "
            "is compared here. Take a part, and the same part of the others."
        )
    if others >= MAX_TEXTS:
        raise ValueError(f"{own.title} is one too many: up to {MAX_TEXTS} texts are compared at a time.")


def as_parallel(own: OwnText) -> ParallelText:
    """An own text as one of the languages; its code is its key."""
    return replace(own_text(own.title, own.text), code=own.key)


def get_own(state: LanguagesState) -> ParallelTexts:
    """Those of this session's own texts that are compared, as they are now."""
    own, parallel = own_texts(), get_kept(ParallelTexts)
    state.prune_own(own)
    parallel.choose(state.own_chosen, own)
    state.prune_own_base(list(parallel.texts))
    return parallel


def draw_own(state: LanguagesState, parallel: ParallelTexts) -> None:
    """Where a person's texts are chosen, brought, and removed again."""
    own = own_texts()
    draw_messages()
    with messages():
        for problem in parallel.problems:
            st.warning(plain(problem), icon=":material/warning:")
    box = own_texts_box(
        "Your own parallel texts",
        ":material/translate:",
        state.key("own_expander"),
        expanded=bool(parallel.texts),
    )
    if box is None:
        return
    with box:
        st.caption(
            "The same text in two languages or more: yours are compared with each other, and appear among "
            "the declarations in the charts."
        )
        left, right = st.columns(2, gap="large", vertical_alignment="bottom")
        left.multiselect(
            "Your texts to compare",
            list(own),
            format_func=lambda key: own[key].title if key in own else str(key),
            placeholder="Choose among your texts, or bring some below",
            **tied(LanguagesState.own_chosen),
        )
        with right:
            _draw_base(state, parallel)
        draw_own_texts_inside(
            state.choose_own,
            f"This page compares up to {MAX_TEXTS} of them, each of up to {bytes_in_words(MAX_BYTES)}.",
        )


def _draw_base(state: LanguagesState, parallel: ParallelTexts) -> None:
    if not parallel.texts:
        st.button(
            "Try an example",
            key=state.key("own_example"),
            type="tertiary",
            on_click=_add_example,
            args=(state,),
        )
        return
    st.selectbox(
        "Compare yours with",
        list(parallel.texts),
        format_func=lambda code: parallel.texts[code].name,
        **tied(LanguagesState.own_base),
    )
    if len(parallel.texts) == 1:
        st.caption("Add its translation, and both are drawn.")


def _add_example(state: LanguagesState) -> None:
    try:
        state.choose_own([own_texts().add(title, text) for title, text in EXAMPLE.items()])
    except ValueError as problem:
        say_problem(str(problem))
