"""Explore · Merge trees: the forest behind a text, replayed merge by merge; any token's tree and life."""

from __future__ import annotations

import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.explore.merge_trees.charts import draw_lattice
from pages.explore.merge_trees.state import MAX_DRAWN_BYTES, MergeTreesState, find_token
from pages.server.run_limit import limited_run
from pages.session.one_text import MAX_TAKEN_BYTES
from pages.session.own_texts import digest_of
from pages.session.workspace import Workspace
from pages.shared.biography import clicked_token, draw_biography
from pages.shared.colours import css_hue_in, hue_in
from pages.shared.components import register
from pages.shared.frame import draw_question
from pages.shared.markdown import escape
from pages.shared.own_texts import draw_take_one
from pages.shared.page_files import choose_encoding, choose_encodings
from pages.shared.session import get_workspace
from pages.shared.tables import offer_table
from pages.shared.trees import describe_node
from pages.shared.widgets import open_state, say_note, show_errors, tied, write_link
from tokenizers.amounts import plural
from tokenizers.bpe import Merge, counts_after, forest, trace
from tokenizers.description import why_no_trees
from tokenizers.json_types import JsonObject
from tokenizers.registry import encoding_title, model_name, short_title
from tokenizers.steps import first_few
from tokenizers.text import isolate, quote, spell_token
from tokenizers.utf8 import first_bytes, well_formed

# Merges of a tree that lie one above the other. Without walls, a token can grow byte by byte.
MAX_HEIGHT = 300
WITH_A_SPACE = "strawberry strawberry"

_mount = register("forest", "event")


def _forest_of(workspace: Workspace, name: str, text: str) -> tuple[JsonObject, list[Merge]]:
    """One encoding's forest for the component, and its merges for the table."""
    sent: JsonObject = {"name": name, "title": encoding_title(name), "hue": css_hue_in(workspace, name)}
    try:
        encoding = workspace.find_encoding(name)
        if not encoding.has_merges:
            sent["is_family"] = True  # nothing is wrong
            raise ValueError(
                f"{why_no_trees(encoding, ', so there is no tree')} See below why it cuts where it does."
            )
        if encoding.joining is not None:
            joined = encoding.joining.grow(text)
            merges = joined.merges
            roots = joined.roots
            if joined.data != well_formed(text).encode():  # a space is put in front
                sent |= {"bytes": joined.data.hex(), "shift": 1}
        else:
            merges = trace(encoding, text)
            roots = forest(encoding, text)
        counts = counts_after(merges, len(roots))
        height = max((root.height() for root in roots), default=0)
        if height > MAX_HEIGHT:
            raise ValueError(
                f"The tree of this text is {height:,} merges high, and trees of up to {MAX_HEIGHT:,} are "
                "drawn. Type a shorter text."
            )
        if encoding.seen(text) != well_formed(text):
            sent["bytes"] = encoding.seen(text).encode().hex()
        steps = {(merge.start, merge.end): merge.step for merge in merges}
        return {**sent, "roots": [describe_node(root, steps) for root in roots], "counts": counts}, merges
    except (ValueError, OSError) as problem:
        return {**sent, "problem": str(problem)}, []


def _beginning_of(text: str) -> str:
    """The text, or its beginning if it has more than ``MAX_DRAWN_BYTES``."""
    n_bytes = len(well_formed(text).encode())
    if n_bytes <= MAX_DRAWN_BYTES:
        return text
    st.caption(f"This text has {n_bytes:,} bytes. Its first {MAX_DRAWN_BYTES:,} are drawn.")
    return first_bytes(well_formed(text), MAX_DRAWN_BYTES)


def _merges_table(workspace: Workspace, merges: dict[str, list[Merge]]) -> pd.DataFrame:
    """Every merge of every encoding, in order."""
    rows = []
    for name, steps in merges.items():
        encoding = workspace.find_encoding(name)
        for merge in steps:
            *parts, token = (spell_token(encoding.token_bytes(each)) for each in (*merge.parts, merge.new_id))
            what = ("look-up" if merge.is_lookup else "merge", merge.rank, " + ".join(parts), token)
            rows.append((short_title(name), merge.step, *what, merge.new_id, merge.start, merge.end))
    columns = ["tokenizer", "step", "kind", "rank", "parts", "token", "id", "start byte", "end byte"]
    return pd.DataFrame(rows, columns=columns)


def _show_cuts(workspace: Workspace, names: list[str], text: str) -> None:
    """Draw the reason for each cut."""
    with st.expander("Why is each cut there?"):
        name = choose_encoding(st, "Tokenizer", names, MergeTreesState.cuts_encoding)
        encoding = workspace.find_encoding(name)
        spans = tk.encode_spans(encoding, text)
        # A token that covers nothing, such as a space put in front, is shown by its own bytes.
        words = [
            spell_token(spans.bytes_of(number) or encoding.token_bytes(token_id))
            for number, token_id in enumerate(spans.ids[:300].tolist())
        ]
        rows = [
            (
                str(start),
                escape(isolate(f"{before} | {after}")),
                escape(spans.reason(start) or "This tokenizer gives none."),
            )
            for start, before, after in zip(spans.starts[1:].tolist(), words, words[1:], strict=False)
        ]
        if not rows:
            st.caption("No cuts.")
            return
        # A reason is longer than a cell of a data frame.
        st.table(
            pd.DataFrame(rows, columns=["byte", "cut", "why here"]).set_index("byte"), border="horizontal"
        )


def _explain_trees(workspace: Workspace, merges: dict[str, list[Merge]], text: str) -> None:
    """Draw notes on what the trees do not show: rewritten text, and tokens found by look-up."""
    for name, steps in merges.items():
        encoding = workspace.find_encoding(name)
        spans = tk.encode_spans(encoding, text)
        if changes := spans.changes if encoding.merging else spans.losses:
            rewrites = f"{model_name(name)} rewrites {plural(len(changes), 'place')} of this text"
            st.caption(escape(f"{rewrites} before it cuts. Its trees show the rewritten text."))
        looked_up = sorted({merge.new_id for merge in steps if merge.is_lookup})
        if looked_up:
            tokens = first_few([quote(encoding.token_bytes(token_id)) for token_id in looked_up])
            st.info(escape(f"In {model_name(name)}, no merge makes {tokens}: a whole piece is looked up."))


@st.fragment
@limited_run()
def _draw_forest(workspace: Workspace, state: MergeTreesState, text: str) -> None:
    sent = []
    merges = {}
    for name in state.encodings:
        drawn, steps = _forest_of(workspace, name, text)
        sent.append(drawn)
        if "problem" not in drawn:
            merges[name] = steps
    clean = well_formed(text)
    revision = digest_of(repr((clean, state.encodings)))
    data = {"revision": revision, "bytes": clean.encode().hex(), "stands": sent}
    _mount(data, FOREST)
    _explain_trees(workspace, merges, text)
    without_merges = [each["name"] for each in sent if each.get("is_family")]
    for name in without_merges:
        draw_lattice(workspace.find_encoding(name), text, hue_in(workspace, name))
    explained = [name for name in state.encodings if name in merges or name in without_merges]
    if explained:
        _show_cuts(workspace, explained, text)
    if merges:
        label = "The merges as a table"
        offer_table(label, lambda: _merges_table(workspace, merges), "merge_trees_merges", "merges")
    draw_any_token(workspace, state)


def merge_trees() -> None:
    """The page."""
    workspace = get_workspace()
    st.title("Merge trees")
    available = workspace.encoding_names()
    state = open_state(MergeTreesState, lambda link: MergeTreesState.from_link(link, available))
    draw_question(
        MergeTreesState,
        "How is each token built?",
        "A text starts as single bytes, at the bottom. Each merge joins two neighbours into one token. "
        "Merges that were learned earlier have lower ranks, and happen first. Click a node to read about its "
        "token below.",
        "a word with a space before it, and without",
        state.take_text,
        (WITH_A_SPACE,),
    )
    state.prune(available)
    state.share_text(workspace)
    left, right = st.columns([2, 1.4])
    with left:
        st.text_area("Your text", height=80, **tied(MergeTreesState.text))
        draw_take_one("merge_trees_own", MAX_TAKEN_BYTES, state.take_text)
    choose_encodings(right, "In these tokenizers", MergeTreesState.encodings)
    if state.encodings and state.text:
        _draw_forest(workspace, state, _beginning_of(state.text))
        return
    missing = "Choose a tokenizer above to see its trees."
    st.info(missing if not state.encodings else "Type a text above to see its trees.")
    draw_any_token(workspace, state)


_LIFE = "life"
FOREST = "forest"  # the key of the forest, a click in which chooses a token, too


def draw_any_token(workspace: Workspace, state: MergeTreesState) -> None:
    """Draw the chooser of a token, and the biography of the chosen one."""
    st.header("Any token")
    if clicked := clicked_token(workspace, _LIFE) or clicked_token(workspace, FOREST):
        state.token_encoding = clicked[0]
        state.token = str(clicked[1])
    say_note(state)
    left, right = st.columns([1, 2])
    choose_encoding(left, "Tokenizer", workspace.encoding_names(), MergeTreesState.token_encoding)
    right.text_input(
        "A token id, or a text that is one token",
        help="Or click a node above. A leading space counts.",
        **tied(MergeTreesState.token),
    )
    write_link(state)
    if not state.token:
        st.info("Type a token id or a text.")
        return
    with show_errors():
        encoding = workspace.find_encoding(state.token_encoding)
        arrives = state.arrives
        state.arrives = False
        draw_biography(workspace, encoding, find_token(encoding, state.token), _LIFE, arrives=arrives)


merge_trees()
