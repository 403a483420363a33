"""Grow · Bring: import a tokenizer from a file. The page shows what it does before it is added."""

from __future__ import annotations

import streamlit as st

from pages.grow.bring.pending import draw_pending
from pages.grow.bring.sources import draw_other_sources, draw_upload, import_example, kinds_in_words
from pages.grow.bring.state import MAX_TEXT, BringState, TokenizerImport
from pages.session.pending_tokenizers import MAX_NAME
from pages.session.workspace import MAX_OWN, MAX_OWN_MEMORY, Workspace
from pages.shared import page_files
from pages.shared.markdown import escape
from pages.shared.question import draw_question
from pages.shared.session import get_kept, get_workspace
from pages.shared.widgets import get_state, messages, open_state, show_error, tied, write_link
from tokenizers.amounts import bytes_in_words
from tokenizers.formats import file_of, reader_of_saved

_MOST_PROBLEMS = 6  # sentences about the files of one import
_LIMITS = f"Up to {MAX_OWN} of them, with about {bytes_in_words(MAX_OWN_MEMORY)} of memory together."


def draw() -> None:
    """Draw the page."""
    state, imports = open_state(BringState, BringState.from_link), get_kept(TokenizerImport)
    st.title("Bring your own")
    draw_question(
        BringState,
        "What does the tokenizer in a file do?",
        "You see that step by step before you take it; then you can choose it on every page, beside the "
        "others. A file whose ids would not be exact here is refused, with the reason.",
        "the file of Mistral 7B, which is here",
        import_example,
        (imports,),
    )
    draw_upload(imports)
    draw_other_sources(imports)
    with messages():
        _draw_messages(imports)
    if imports.tokenizers.pending:
        st.text_input("Try what waits on this text", max_chars=MAX_TEXT, **tied(BringState.text))
        for pending in imports.tokenizers.pending.values():
            draw_pending(imports, pending, state.text)
        st.caption("After a reload, what you have not taken is gone; what you take is kept.")
    else:
        st.markdown("What can be brought:\n" + "\n".join(f"- {kind}" for kind in kinds_in_words()))
    _draw_own(imports, get_workspace())
    write_link(state)


def _draw_messages(imports: TokenizerImport) -> None:
    for problem in imports.problems[:_MOST_PROBLEMS]:
        show_error(problem)
    if len(imports.problems) > _MOST_PROBLEMS:
        st.error(f"And {len(imports.problems) - _MOST_PROBLEMS:,} more could not be read.")
    if imports.added not in get_workspace().trained:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=BringState.key("taken")):
        st.markdown(f"**{escape(imports.added)}** can be chosen on every page now.", width="stretch")
        if st.button(
            "See it in the playground",
            type="primary",
            icon=":material/arrow_forward:",
            key=BringState.key("see"),
        ):
            get_workspace().put_first(imports.added)
            st.switch_page(page_files.PLAYGROUND)


def _draw_own(imports: TokenizerImport, workspace: Workspace) -> None:
    """The session's own encodings, trained or imported."""
    st.subheader(f"Your encodings ({len(workspace.trained)})" if workspace.trained else "Your encodings")
    if not workspace.trained:
        st.caption(
            f"None yet. What you take here, or grow on Train, is listed here and can be chosen on every "
            f"page. {_LIMITS} They are kept over a reload until you remove them."
        )
        return
    for name in list(workspace.trained):
        _draw_row(imports, workspace, name)
    st.caption(
        f"{_LIMITS} They can be chosen on every page, and are kept over a reload until you remove them."
    )


def _draw_row(imports: TokenizerImport, workspace: Workspace, name: str) -> None:
    encoding, trained = workspace.trained[name], workspace.training_facts[name]
    where = "grown here" if trained.recipe else trained.file or "from a file"
    with st.container(horizontal=True, vertical_alignment="center", key=BringState.key(f"own_{name}")):
        st.text(f"{name} · {encoding.family}, {encoding.n_vocab:,} ids · {where}", width="stretch")
        with st.container(horizontal=True, width="content", wrap=False):  # on a phone, below the name
            st.download_button(
                "Download",
                encoding.kept(file_of),
                f"{_file_name(name)}{encoding.kept(reader_of_saved).ending}",
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
                rename = (imports, workspace, name)
                st.text_input("Name", key=key, max_chars=MAX_NAME, on_change=_rename, args=rename)
            st.button(
                "Remove",
                key=BringState.key(f"remove_{name}"),
                icon=":material/close:",
                type="tertiary",
                on_click=_remove,
                args=(imports, workspace, name),
            )


def _file_name(name: str) -> str:
    return "".join(char if char.isalnum() or char in "-_." else "-" for char in name).strip(".") or "grove"


def _rename(imports: TokenizerImport, workspace: Workspace, name: str) -> None:
    imports.problems, imports.added = [], ""
    try:
        workspace.rename_encoding(name, get_state(BringState).store[BringState.key(f"rename_{name}")])
    except ValueError as problem:
        imports.problems = [str(problem)]


def _remove(imports: TokenizerImport, workspace: Workspace, name: str) -> None:
    imports.problems, imports.added = [], ""
    workspace.remove_encoding(name)


draw()
