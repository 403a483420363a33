"""The encodings of a person's own: those that were brought or trained in this session, or came back."""

from __future__ import annotations

import functools

import streamlit as st

from pages.grow.bring.state import Bringing, BringState
from pages.session.waiting import MAX_NAME
from pages.session.workspace import MAX_OWN, MAX_OWN_BYTES, MAX_OWN_MEMORY, Workspace
from pages.shared.session import get_kept, get_workspace
from pages.shared.widgets import get_state
from tokenizers.amounts import bytes_in_words
from tokenizers.encoding import Encoding
from tokenizers.formats import file_of, reader_of_saved

LIMITS = (
    f"Up to {MAX_OWN} of them, with files of {bytes_in_words(MAX_OWN_BYTES)} and about "
    f"{bytes_in_words(MAX_OWN_MEMORY)} of memory together."
)


def draw_own(bringing: Bringing, workspace: Workspace) -> None:
    """Each with what can be done with it."""
    st.subheader(f"Your encodings ({len(workspace.grown)})" if workspace.grown else "Your encodings")
    if not workspace.grown:
        st.caption(
            f"None yet. What you take here, or grow on Train, is listed here and can be chosen on every "
            f"page. {LIMITS} They are kept over a reload until you remove them."
        )
        return
    for name in list(workspace.grown):
        _draw_row(workspace, name)
    st.caption(
        f"{LIMITS} They can be chosen on every page, and are kept over a reload until you remove them."
    )


def _draw_row(workspace: Workspace, name: str) -> None:
    encoding, grown = workspace.grown[name], workspace.growth.get(name)
    where = (
        "grown here" if grown is not None and grown.recipe else (grown.file if grown else "") or "from a file"
    )
    with st.container(horizontal=True, vertical_alignment="center", key=BringState.key(f"own_{name}")):
        st.text(f"{name} · {encoding.family}, {encoding.n_vocab:,} ids · {where}", width="stretch")
        with st.container(horizontal=True, width="content", wrap=False):  # on a phone, below the name
            st.download_button(
                "Download",
                functools.partial(file_of, encoding),
                f"{_file_name(name)}{encoding.kept(_ending)}",
                "application/octet-stream",
                icon=":material/download:",
                type="tertiary",
                on_click="ignore",
                key=BringState.key(f"download_{name}"),
            )
            with st.popover(
                "Rename", icon=":material/edit:", type="tertiary", key=BringState.key(f"renames_{name}")
            ):
                key = BringState.key(f"rename_{name}")
                st.session_state[key] = name
                st.text_input("Name", key=key, max_chars=MAX_NAME, on_change=_rename, args=(name,))
            st.button(
                "Remove",
                key=BringState.key(f"remove_{name}"),
                icon=":material/close:",
                type="tertiary",
                on_click=_remove,
                args=(name,),
            )


def _rename(name: str) -> None:
    bringing = get_kept(Bringing)
    bringing.problems, bringing.taken = [], ""
    try:
        get_workspace().rename_grown(name, get_state(BringState).store[BringState.key(f"rename_{name}")])
    except ValueError as problem:
        bringing.problems = [str(problem)]


def _remove(name: str) -> None:
    bringing = get_kept(Bringing)
    bringing.problems, bringing.taken = [], ""
    get_workspace().remove_grown(name)


def _ending(encoding: Encoding) -> str:
    return reader_of_saved(encoding).ending


def _file_name(name: str) -> str:
    return "".join(char if char.isalnum() or char in "-_." else "-" for char in name).strip(".") or "grove"
