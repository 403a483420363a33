"""Any token's biography: its tree, its parents and children, its twins elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
import streamlit as st

from pages.shared.words import word_of
from pages.shared.workspace import Workspace
from tokenizers.encodings import Encoding
from tokenizers.trees import Node, merge_tree
from tokenizers.vocabulary import vocabulary_of

_ITSELF = {True: "yes", False: "no", None: "no text of its own"}
_MANY = 200  # rows of a list that may be thousands long


def _tokens_table(encoding: Encoding, token_ids: Iterable[int]) -> pd.DataFrame:
    ids = list(token_ids)
    return pd.DataFrame({"id": ids, "token": [word_of(encoding.token_bytes(token_id)) for token_id in ids]})


def _find(encoding: Encoding, query: str) -> int:
    """The token that a person means: an id, or a text that is one token.

    Raises:
        ValueError: there is no such token; says what the text encodes to instead.
    """
    if query.isascii() and query.strip().isdigit() and len(query.strip()) < 12:
        token_id = int(query)
        encoding.token_bytes(token_id)
        return token_id
    found = encoding.token_id(query.encode("utf-8", "replace"))
    if found is None:
        found = encoding.special_tokens.get(query)
    if found is None:
        ids = encoding.encode(query)
        parts = ", ".join(f"{token_id}" for token_id in ids[:8]) + (", …" if len(ids) > 8 else "")
        raise ValueError(
            f"{encoding.name} has no single token for this text: it is {len(ids):,} tokens, {parts}. "
            "Type one of these ids, or another text; a leading space counts."
        )
    return found


def draw_biography(workspace: Workspace, clicked: tuple[str, int, Any] | None) -> None:
    """The chooser of a token and what there is to say of it. A click in the forest chooses one."""
    st.subheader("Any token")
    if clicked and st.session_state.get("biography_click") != clicked:
        st.session_state["biography_click"] = clicked
        st.session_state["biography_encoding"], st.session_state["biography_query"] = (
            clicked[0],
            str(clicked[1]),
        )
    available = workspace.encoding_names()
    if st.session_state.get("biography_encoding") not in available:
        kept = st.session_state.get(
            "biography_kept", (st.query_params.get("encoding"), st.query_params.get("token"))
        )
        st.session_state["biography_encoding"] = kept[0] if kept[0] in available else "gpt2"
        st.session_state["biography_query"] = kept[1] or " token"
    left, right = st.columns([1, 2])
    with left:
        name = st.selectbox("Encoding", available, key="biography_encoding")
    with right:
        query = st.text_input(
            "An id, or a text that is one token",
            key="biography_query",
            help="Click a node above to choose it.",
        )
    st.session_state["biography_kept"] = (name, query)
    if not query:
        st.info("Type a token's id or its text.")
        return
    try:
        encoding = workspace.encoding(name)
        token_id = _find(encoding, query)
        _draw(workspace, encoding, token_id)
    except (ValueError, OSError) as problem:
        st.error(str(problem), icon=":material/error:")


def _draw(workspace: Workspace, encoding: Encoding, token_id: int) -> None:
    others = [workspace.encoding(name) for name in workspace.encodings if name != encoding.name]
    life = vocabulary_of(encoding).biography(token_id, others)
    facts = {
        "id": str(token_id),
        "rank": "none: a special token"
        if life.special
        else "none: a byte"
        if life.rank is None
        else str(life.rank),
        "bytes": life.token_bytes.hex(" "),
        "UTF-8": life.utf8,
        "script": life.script,
        "re-encodes to itself": {True: "yes", False: "no", None: "no text of its own"}[
            life.encodes_to_itself
        ],
    }
    if life.encodes_to_itself is False:
        facts["its text becomes"] = ", ".join(map(str, life.encodes_to))
    for name, found in life.elsewhere:
        facts[f"in {name}"] = "no single token" if found is None else str(found)
    first, second, third = st.columns([1.1, 1, 1])
    with first:
        st.dataframe(
            pd.DataFrame({"": list(facts), "value": list(facts.values())}), hide_index=True, height="content"
        )
        st.caption("Its tree, from the bytes up")
        st.code(_outline(encoding, token_id, life.special), language=None)
    with second:
        st.caption("Made of")
        st.dataframe(_tokens_table(encoding, life.parents), hide_index=True, height="content")
        st.caption("Case and space variants")
        st.dataframe(
            pd.DataFrame(
                {
                    "text": [variant.text for variant in life.variants],
                    "id": [
                        "no single token" if variant.token_id is None else str(variant.token_id)
                        for variant in life.variants
                    ],
                }
            ),
            hide_index=True,
            height="content",
        )
    with third:
        for title, ids in (("Its next merges", life.children), ("Tokens it is part of", life.containing)):
            st.caption(f"{title}: {len(ids):,}" + (f", the first {_MANY} shown" if len(ids) > _MANY else ""))
            st.dataframe(
                _tokens_table(encoding, ids[:_MANY]),
                hide_index=True,
                height="content" if len(ids) < 6 else 200,
            )


def _outline(encoding: Encoding, token_id: int, special: bool) -> str:
    """The merge tree as an indented list: each token above its parts."""
    if special:
        return "A special token: no merge makes it."
    lines: list[str] = []

    def add(node: Node, before: str, branch: str, below: str) -> None:
        rank = "" if node.rank is None else f"  rank {node.rank}"
        lines.append(f"{before}{branch}{word_of(node.token_bytes)!r}{rank}")
        for number, child in enumerate(node.children):
            last = number == len(node.children) - 1
            add(child, before + below, "└ " if last else "├ ", "  " if last else "│ ")

    add(merge_tree(encoding, token_id), "", "", "")
    return "\n".join(lines[:400])
