"""The lower part of the page Vocabulary: an encoding's tokens as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import pandas as pd
import streamlit as st

from pages.explore.vocabulary import charts
from pages.explore.vocabulary.state import VocabularyState
from pages.session.workspace import Workspace
from pages.shared.biography import prepare_trees
from pages.shared.charts import show_chart
from pages.shared.colours import hue_in
from pages.shared.plain import plain
from pages.shared.tables import show_table
from pages.shared.widgets import tied
from tokenizers.encoding import Encoding
from tokenizers.measure import Overlap, Vocabulary, overlap, vocabulary_of
from tokenizers.text import spell_token

_MOST_ROWS = 500
_SHARE = {
    column: st.column_config.NumberColumn(format="percent")
    for column in ("share", "share of this", "share of that")
}


def draw_whole(workspace: Workspace, encoding: Encoding, name: str) -> None:
    """The vocabulary as a whole."""
    vocabulary = vocabulary_of(encoding)
    hue = hue_in(workspace, name)
    st.subheader("As a whole")
    scripts, lengths = charts.scripts_table(vocabulary), charts.lengths_table(vocabulary)
    longest = charts.longest_table(vocabulary, 12)
    first, second, third, fourth = [*st.columns(2, gap="large"), *st.columns(2, gap="large")]
    with first:
        show_chart(
            charts.scripts_chart(scripts, name, hue),
            VocabularyState.key("scripts"),
            scripts,
            alt_text="Tokens of each script, as bars",
            column_config=_SHARE,
            file=f"scripts-{name}",
        )
    with second:
        show_chart(
            charts.lengths_chart(lengths, name, hue),
            VocabularyState.key("lengths"),
            lengths,
            alt_text="Tokens of each length, as bars",
            file=f"lengths-{name}",
        )
    with third:
        show_chart(
            charts.longest_chart(longest, vocabulary.token_bytes[int(longest["id"].iloc[0])], name, hue),
            VocabularyState.key("longest"),
            lambda: charts.longest_table(vocabulary, 100),
            alt_text="The longest tokens, as bars",
            file=f"longest-{name}",
        )
    with fourth:
        _show_overlaps(workspace, encoding, name)
    _show_unreachable(vocabulary, name)
    _show_looked_up(vocabulary, name)


def _known_overlaps(encoding: Encoding) -> WeakKeyDictionary[Encoding, Overlap]:
    """For ``Encoding.kept``: what it shares with others, as far as somebody asked."""
    return WeakKeyDictionary()


def _show_overlaps(workspace: Workspace, encoding: Encoding, name: str) -> None:
    """The tokens that an encoding shares with the others that are chosen: only those are loaded."""
    chosen = st.multiselect("Tokens shared with", workspace.encoding_names(), **tied(VocabularyState.others))
    known = encoding.kept(_known_overlaps)
    overlaps, left_out = [], []
    for other_name in chosen:
        if other_name == name:
            continue
        try:
            other = workspace.encoding(other_name)
            if other not in known:
                known[other] = overlap(encoding, other)
            overlaps.append(known[other])
        except (ValueError, OSError):
            left_out.append(other_name)
    if overlaps:
        shared = charts.overlap_table(encoding, overlaps)
        show_chart(
            charts.overlap_chart(
                shared, name, {each.right: hue_in(workspace, each.right) for each in overlaps}
            ),
            VocabularyState.key("overlap"),
            shared,
            alt_text="Tokens shared with other encodings, as bars",
            column_config=_SHARE,
            file=f"overlap-{name}",
        )
        st.caption(
            "Shared means: both have a token of just these bytes, whatever its id. Special tokens aside."
        )
    if left_out:
        st.caption(
            plain(
                "Left out, because they could not be loaded or their tokens are too long to spell out all of "
                f"them: {', '.join(left_out)}."
            )
        )


def _show_unreachable(vocabulary: Vocabulary, name: str) -> None:
    """The tokens that do not encode to themselves, and what they encode to instead."""
    st.subheader("Tokens that do not encode to themselves")
    prepare_trees(vocabulary)
    unreachable = vocabulary.unreachable
    if not unreachable:
        st.write(f"{plain(name)} has none: every token of it that is text, alone, encodes to itself.")
        return
    st.write(
        f"{len(unreachable):,} of the {len(vocabulary):,} tokens of {plain(name)}: encode such a token’s own "
        "text, and other tokens come out. In longer text they can arise all the same; the last column has an "
        "example of each where one was found."
    )
    twins = sum(
        len(ids) == 1 and vocabulary.token_bytes[ids[0]] == vocabulary.token_bytes[token_id]
        for token_id, ids in unreachable.items()
    )
    if twins:
        st.write(
            f"Of {twins:,} of them another token has the same bytes, and is taken instead: a character’s "
            "token goes before the token of its byte. A search finds both."
        )
    if vocabulary.encoding.puts_space_in_front:
        st.write(
            f"{plain(name)} puts a space in front of a text. Here each token’s text is taken as it would "
            "be inside of one."
        )
    table = _table_of(vocabulary, unreachable, "encodes to")
    examples = [vocabulary.example(token_id) for token_id in table["id"].tolist()]
    table["arises in"] = ["none found" if each is None else spell_token(each.encode()) for each in examples]
    show_table(table, height="content" if len(table) < 14 else 460)


def _show_looked_up(vocabulary: Vocabulary, name: str) -> None:
    """The tokens that tiktoken reaches as a whole piece, by look-up, and merges alone would not."""
    encoding = vocabulary.encoding
    if not encoding.has_merges:
        st.caption(plain(encoding.without_trees(": its tokens have no parents, no children and no trees")))
        return
    if encoding.merging is None or encoding.merging.known_merges is not None:
        return  # it looks nothing up
    st.subheader("Tokens that only a look-up reaches")
    rule = "tiktoken looks up a whole piece in the vocabulary before it merges anything."
    if not vocabulary.unreached:
        st.write(
            f"{rule} In {plain(name)} that changes nothing: merges alone reach every token, so its trees "
            "show how each one grows."
        )
        return
    st.write(
        f"{rule} Merges alone would not reach {len(vocabulary.unreached):,} of the tokens of {plain(name)}: "
        "each arises only where a piece is exactly its bytes, and its tree shows where the merges would stop."
    )
    table = _table_of(vocabulary, vocabulary.unreached, "merges alone stop at")
    show_table(table, height="content" if len(table) < 14 else 460)


def _table_of(vocabulary: Vocabulary, parts: Mapping[int, tuple[int, ...]], heading: str) -> pd.DataFrame:
    """The first tokens of a list, and the tokens that each becomes or is made of."""

    def spelled(token_id: int) -> str:
        return spell_token(vocabulary.token_bytes[token_id])

    rows = [
        (token_id, spelled(token_id), " + ".join(map(spelled, ids)), " ".join(map(str, ids)))
        for token_id, ids in list(parts.items())[:_MOST_ROWS]
    ]
    return pd.DataFrame(rows, columns=["id", "token", heading, "as ids"])
