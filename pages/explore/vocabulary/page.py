"""Explore · Vocabulary: search the tokens of an encoding, and see its vocabulary as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import pandas as pd
import streamlit as st

from pages.explore.vocabulary import charts
from pages.explore.vocabulary.eaten import draw_eaten
from pages.explore.vocabulary.search import draw_results, draw_search, find_tokens
from pages.explore.vocabulary.state import LONGEST_FIRST, VocabularyState
from pages.server.run_limit import limited_run
from pages.session.workspace import Workspace
from pages.shared.biography import clicked_token, draw_biography, prepare_trees
from pages.shared.charts import show_chart
from pages.shared.colours import hue_in
from pages.shared.frame import draw_question
from pages.shared.markdown import escape
from pages.shared.page_files import choose_encoding, draw_add_tokenizer_link
from pages.shared.session import get_workspace
from pages.shared.spam import may_be_spam, offer_spam
from pages.shared.tables import show_table
from pages.shared.widgets import open_state, say_note, show_error, show_errors, write_link
from tokenizers.description import why_no_trees
from tokenizers.encoding import Encoding
from tokenizers.measure import Vocabulary, vocabulary_of
from tokenizers.registry import model_name
from tokenizers.text import spell_token

_LONGEST_WORDS = ("regex", "^ [a-z]+$", (), LONGEST_FIRST)
_MAX_ROWS = 500


@st.fragment
@limited_run()
def _draw_tokens(workspace: Workspace, state: VocabularyState, encoding: Encoding, name: str) -> None:
    """The search, its results, and the biography of the chosen token."""
    if state.encoding != name:  # an example chose another: the rest of the page changes, too
        st.rerun()
    vocabulary = vocabulary_of(encoding)
    state.token = clicked_token(workspace, "vocabulary_life") or state.token
    draw_search(state, vocabulary)
    left, right = st.columns([1.12, 1], gap="medium")
    ids = vocabulary.ids[:0]  # of a search with an error
    with left, show_errors():
        if "unreachable" in state.kept:
            prepare_trees(vocabulary)
        ids = find_tokens(state, vocabulary)
        if len(ids):
            draw_results(state, vocabulary, ids)
        elif "special" in state.kept and not encoding.knows_special_tokens:
            st.info(f"The special tokens of {escape(model_name(name))} are not known here.")
        else:
            st.info("No token matches. Search for less, or press “All tokens” to remove the filters.")
    if len(ids):
        # Without a choice, the biography of the first row: it looks like a result of the search.
        chosen, token_id = state.token or (name, int(ids[0]))
        with right, show_errors():
            draw_biography(workspace, workspace.find_encoding(chosen), token_id, "vocabulary_life")
    write_link(state)


def _draw_whole(workspace: Workspace, encoding: Encoding, name: str) -> None:
    """The vocabulary as a whole: three charts, and the tokens that are hard to reach."""
    vocabulary = vocabulary_of(encoding)
    hue = hue_in(workspace, name)
    st.subheader("As a whole")
    left, right = st.columns(2, gap="large")
    with left:
        scripts = charts.scripts_table(vocabulary)
        chart = charts.scripts_chart(scripts, model_name(name), hue)
        show_chart(
            chart, "vocabulary_scripts", scripts, column_config={"share": "percent"}, file=f"scripts-{name}"
        )
    with right:
        lengths = charts.lengths_table(vocabulary)
        chart = charts.lengths_chart(lengths, model_name(name), hue)
        show_chart(chart, "vocabulary_lengths", lengths, file=f"lengths-{name}")
    longest = charts.longest_table(vocabulary, 100)
    token = vocabulary.token_bytes[longest["id"][0]]
    chart = charts.longest_chart(longest.head(12), token, model_name(name), hue)
    show_chart(chart, "vocabulary_longest", longest, file=f"longest-{name}")
    if encoding.merging:
        with show_errors():
            draw_eaten(workspace, encoding)
    _draw_unreachable(vocabulary, escape(model_name(name)))
    _draw_looked_up(vocabulary, escape(model_name(name)))


def _draw_unreachable(vocabulary: Vocabulary, name: str) -> None:
    """The tokens that do not encode to themselves, and the tokens that they encode to instead."""
    st.subheader("Tokens that do not encode to themselves")
    prepare_trees(vocabulary)
    unreachable = vocabulary.unreachable
    if not unreachable:
        st.write(f"{name} has none: the text of every token encodes to that token.")
        return
    st.write(
        f"{len(unreachable):,} of the {len(vocabulary):,} tokens of {name}: if you encode such a token’s own "
        "text, you get other tokens. In longer text it can still appear. The last column has an example of "
        "each, if one was found."
    )
    if vocabulary.encoding.puts_space_in_front:
        st.write(
            f"{name} puts a space in front of a text. Here each token’s text is taken as it would "
            "be inside of one."
        )
    table = _parts_table(vocabulary, unreachable, "encodes to")
    examples = map(vocabulary.example, table["id"])
    table["appears in"] = ["none found" if each is None else spell_token(each.encode()) for each in examples]
    apart = may_be_spam(vocabulary, table["id"].to_numpy())
    show_table(table[~apart])
    chinese = table[apart]
    offer_spam(len(chinese), lambda: show_table(chinese), "vocabulary_spam")


def _draw_looked_up(vocabulary: Vocabulary, name: str) -> None:
    """The tokens that no merge makes."""
    encoding = vocabulary.encoding
    if not encoding.has_merges:
        st.caption(escape(why_no_trees(encoding, ": its tokens have no parents, no children and no trees")))
    elif vocabulary.unreached:
        st.subheader("Tokens that no merge makes")
        st.write(
            f"{len(vocabulary.unreached):,} of the tokens of {name} are looked up: each appears only where a "
            "piece is exactly its bytes. Merges alone would stop at the tokens beside it."
        )
        show_table(_parts_table(vocabulary, vocabulary.unreached, "merges alone stop at"))


def _parts_table(
    vocabulary: Vocabulary, parts_by_token: Mapping[int, Sequence[int]], title: str
) -> pd.DataFrame:
    """Tokens, and the tokens that stand for their bytes instead; ``title``: of the column of those."""
    rows = []
    for token_id, parts in islice(parts_by_token.items(), _MAX_ROWS):
        token = spell_token(vocabulary.token_bytes[token_id])
        spelled = " + ".join(spell_token(vocabulary.token_bytes[part]) for part in parts)
        rows.append((token_id, token, spelled, " ".join(map(str, parts))))
    return pd.DataFrame(rows, columns=["id", "token", title, "as ids"])


def vocabulary() -> None:
    """The page."""
    workspace = get_workspace()
    available = workspace.encoding_names()
    state = open_state(VocabularyState, lambda link: VocabularyState.from_link(link, available))
    state.prune(available)
    title, chooser = st.columns([3, 1.2], vertical_alignment="bottom")
    title.title("Vocabulary")
    name = choose_encoding(chooser, "Tokenizer", available, VocabularyState.encoding)
    draw_add_tokenizer_link(chooser)
    draw_question(
        VocabularyState,
        "Which tokens does a tokenizer have?",
        "Search all of them, and click one to read about it.",
        "the longest words",
        state.ask,
        _LONGEST_WORDS,
    )
    say_note(state)
    try:
        encoding = workspace.find_encoding(name)
    except (ValueError, OSError) as problem:
        show_error(problem)
        return
    _draw_tokens(workspace, state, encoding, name)
    _draw_whole(workspace, encoding, name)


vocabulary()
