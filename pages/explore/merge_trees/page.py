"""Explore · Merge trees: the forest behind a text, replayed merge by merge; any token's tree and life."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.explore.merge_trees.any_token import draw_any_token
from pages.explore.merge_trees.lattice import draw_lattice
from pages.explore.merge_trees.state import MAX_BYTES, MergeTreesState
from pages.session.one_text import MAX_TAKEN_BYTES
from pages.session.workspace import Workspace
from pages.shared.bring_link import draw_bring_link
from pages.shared.colours import hue_in
from pages.shared.components import newest_message, register
from pages.shared.own_texts import draw_take_one
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.reply import describe_node
from pages.shared.session import get_workspace
from pages.shared.tables import csv_of, says_of_csv, show_table
from pages.shared.widgets import open_state, tied
from tokenizers.bpe import Merge, Replay, forest
from tokenizers.text import paginate, quote, spell_token

KEY = "forest"
# How many merges of a forest may lie one above the other. Without walls, a token can grow byte by byte.
MAX_HEIGHT = 300

WITH_A_SPACE = "strawberry strawberry"

_SHOWN_ROWS = 5_000

_mount = register("forest")


def _stand(workspace: Workspace, name: str, text: str) -> tuple[dict[str, Any], list[Merge]]:
    """One encoding's forest for the component, and its merges for the table."""
    stand: dict[str, Any] = {"name": name, "hue": hue_in(workspace, name)}
    try:
        encoding = workspace.encoding(name)
        if not encoding.has_merges:
            stand["is_family"] = True  # nothing is wrong
            raise ValueError(
                f"{encoding.without_trees(', so no tree grows here')} Below is why it cuts where it does."
            )
        if encoding.joining is not None:
            grown = encoding.joining.grow(text)
            merges, counts, roots = grown.merges, grown.counts, grown.roots
            if grown.data != tk.well_formed(text).encode():  # a space is put in front
                stand |= {"bytes": grown.data.hex(), "shift": 1}
        else:
            replay = Replay(encoding, text)
            merges, counts, roots = list(replay.merges), replay.counts, forest(encoding, text)
        steps = {(merge.start, merge.end): merge.step for merge in merges}
        height = max((root.height() for root in roots), default=0)
        if height > MAX_HEIGHT:
            raise ValueError(
                f"In {name}, {height:,} merges lie one above the other in this text, and a forest shows up "
                f"to {MAX_HEIGHT:,}. Type a shorter text."
            )
        if encoding.seen(text) != tk.well_formed(text):
            stand["bytes"] = encoding.seen(text).encode().hex()
        stand["roots"] = [describe_node(root, steps) for root in roots]
        stand["counts"] = counts
        return stand, merges
    except (ValueError, OSError) as problem:
        return {**stand, "problem": str(problem)}, []


def _part_of(text: str) -> str:
    """The text, or the part of it that was chosen: a forest of more than ``MAX_BYTES`` is too large to look
    at."""
    clean = tk.well_formed(text)
    n_bytes = len(clean.encode())
    if n_bytes <= MAX_BYTES:
        return text
    # So many characters at a time that none of the parts has too many bytes.
    size = MAX_BYTES
    pages = paginate(clean, size)
    while max(page.end_byte - page.start_byte for page in pages) > MAX_BYTES:
        size = size * 3 // 4
        pages = paginate(clean, size)
    number = st.number_input(
        f"This text has {n_bytes:,} bytes, and a forest shows up to {MAX_BYTES:,} of them. "
        f"Which of its {len(pages):,} parts?",
        1,
        len(pages),
        1,
        key=MergeTreesState.key("part"),
    )
    page = pages[int(number) - 1]
    return clean[page.start : page.end]


def _show_steps(workspace: Workspace, merges: dict[str, list[Merge]]) -> None:
    """The merges as a table, and as CSV."""
    with st.expander("The merges as a table"):
        name = st.selectbox("Encoding", list(merges), **tied(MergeTreesState.table_encoding))
        encoding = workspace.encoding(name)
        table = pd.DataFrame(
            [
                (
                    merge.step,
                    "look-up" if merge.is_lookup else "merge",
                    merge.rank,
                    " + ".join(spell_token(encoding.token_bytes(part)) for part in merge.parts),
                    spell_token(encoding.token_bytes(merge.new_id)),
                    merge.new_id,
                    merge.start,
                    merge.end,
                )
                for merge in merges[name]
            ],
            columns=["step", "what happens", "rank", "parts", "token", "id", "start byte", "end byte"],
        )
        show_table(table.head(_SHOWN_ROWS), height="content" if len(table) < 9 else 320)
        st.download_button(
            "Download (CSV)",
            # Made now: if a function made it later, its address would change with every rerun.
            csv_of(table),
            f"merges-{name}.csv",
            "text/csv",
            on_click="ignore",
        )
        if note := says_of_csv(table):
            st.caption(note)


def _show_cuts(workspace: Workspace, names: list[str], text: str) -> None:
    """Why each cut is where it is."""
    with st.expander("Why is each cut where it is?"):
        name = st.selectbox("Encoding", names, **tied(MergeTreesState.cuts_encoding))
        encoding = workspace.encoding(name)
        spans = tk.encode_spans(encoding, text)
        rows = []
        for i in range(1, min(len(spans), 300)):
            at = int(spans.starts[i])
            # A token that covers nothing, such as a space put in front, is shown by its own bytes.
            both = (spans.bytes_of(k) or encoding.token_bytes(int(spans.ids[k])) for k in (i - 1, i))
            before, after = map(spell_token, both)
            rows.append(
                (at, f"{before} | {after}", encoding.reason(spans, at) or "This encoding gives no reason.")
            )
        if not rows:
            st.caption("One token, no cut." if len(spans) else "No text, no cuts.")
            return
        st.dataframe(
            pd.DataFrame(rows, columns=["byte", "cut", "why here"]),
            hide_index=True,
            height="content" if len(rows) < 9 else 360,
            column_config={"why here": st.column_config.TextColumn(width="large")},
        )


def _say_readings(workspace: Workspace, names: Iterable[str], text: str) -> None:
    """Which encodings read another text than the one that was typed."""
    for name in names:
        changes = workspace.encoding(name).loses(text)
        if changes:
            places = "one place" if len(changes) == 1 else f"{len(changes):,} places"
            st.caption(
                plain(
                    f"{name} rewrites {places} of this text before it cuts. Its trees show the rewritten "
                    f"text."
                )
            )


def _say_look_ups(workspace: Workspace, merges: dict[str, list[Merge]]) -> None:
    """What a tree means for a token that tiktoken takes whole, by look-up."""
    for name, steps in merges.items():
        encoding = workspace.encoding(name)
        looked_up = {merge.new_id: merge.parts for merge in steps if merge.is_lookup}
        if looked_up:
            examples = "; ".join(
                f"{quote(encoding.token_bytes(token_id))}, where merges alone would stop at "
                + ", ".join(quote(encoding.token_bytes(part)) for part in parts[:8])
                + (", …" if len(parts) > 8 else "")
                for token_id, parts in list(looked_up.items())[:5]
            )
            more = f", and {len(looked_up) - 5:,} more" if len(looked_up) > 5 else ""
            rule = "no merge makes these tokens; each is a whole piece that is looked up"
            st.info(plain(f"In {name}, {rule}: {examples}{more}."))
    if any(_looks_up(workspace.encoding(name)) for name in merges):
        st.caption(
            "If a whole piece is a token, tiktoken looks it up and merges nothing. Where merging would "
            "arrive at the same token, its tree shows the merges. Where it would not, the root has three "
            "parts or more: there merging would stop. Vocabulary lists such tokens; the encodings that "
            "come with Token Grove have none."
        )


def _has_no_merges(workspace: Workspace, name: str) -> bool:
    try:
        return not workspace.encoding(name).has_merges
    except (ValueError, OSError):
        return False


def _looks_up(encoding: tk.Encoding) -> bool:
    """Whether the encoding looks a piece up as a whole before it merges, as tiktoken's do."""
    return encoding.merging is not None and encoding.merging.known_merges is None


@st.fragment
def _forest(workspace: Workspace, state: MergeTreesState, text: str) -> None:
    stands, merges = [], {}
    names = state.encodings
    for name in names:
        stand, steps = _stand(workspace, name, text)
        stands.append(stand)
        if "problem" not in stand:
            merges[name] = steps
    clean = tk.well_formed(text)
    revision = hashlib.sha256(repr((clean, names)).encode()).hexdigest()[:16]
    data = {"revision": revision, "bytes": clean.encode().hex(), "stands": stands}
    _mount(data=data, key=KEY, on_message_change=lambda: None)
    message = newest_message(KEY)
    clicked = None
    if message and message.get("encoding") in merges and isinstance(message.get("id"), int):
        clicked = (str(message["encoding"]), int(message["id"]), message.get("click"))
    _say_readings(workspace, merges, text)
    _say_look_ups(workspace, merges)
    for name in names:
        if _has_no_merges(workspace, name):
            draw_lattice(workspace.encoding(name), text, hue_in(workspace, name))
    # Other families have no trees, but a reason for each cut.
    cut_names = [name for name in names if name in merges or _has_no_merges(workspace, name)]
    if cut_names:
        _show_cuts(workspace, cut_names, text)
    if merges:
        _show_steps(workspace, merges)
    draw_any_token(workspace, state, clicked)


def merge_trees() -> None:
    """The page."""
    workspace = get_workspace()
    st.title("Merge trees")
    available = workspace.encoding_names()
    state = open_state(MergeTreesState, lambda link: MergeTreesState.from_link(link, available))
    draw_question(
        MergeTreesState,
        "How does each token of a text come about?",
        "A text begins as single bytes, at the bottom. Each merge joins two neighbours into one token, and "
        "the merge that was learned earliest goes first: its rank is the lowest. Press Play to watch; "
        "choose a node to read its biography below.",
        "a word with a space before it, and without",
        state.take_text,
        (WITH_A_SPACE,),
    )
    state.prune(available)
    state.share_text(workspace)
    left, right = st.columns([2, 1.4])
    with left:
        st.text_area("A text to grow", height=80, **tied(MergeTreesState.text))
        draw_take_one(state.key("own"), MAX_TAKEN_BYTES, state.take_text)
    with right:
        st.multiselect("In these encodings", available, **tied(MergeTreesState.encodings))
        draw_bring_link()
    if not state.encodings or not state.text:
        missing = "Choose an encoding above, and its forest grows here."
        st.info(missing if not state.encodings else "Type a text above, and watch it grow.")
        draw_any_token(workspace, state, None)
        return
    _forest(workspace, state, _part_of(state.text))


merge_trees()
