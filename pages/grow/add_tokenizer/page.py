"""Add a tokenizer from a file. The page shows what it does before it is added."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.vocabulary.state import VocabularyState
from pages.grow.add_tokenizer.sources import (
    draw_kinds,
    draw_models,
    draw_other_sources,
    draw_upload,
    import_example,
)
from pages.grow.add_tokenizer.state import MAX_TEXT, AddTokenizerState, TokenizerImport
from pages.session.menu import SECTIONS
from pages.session.own_encodings import MAX_OWN, MAX_OWN_MEMORY
from pages.session.page_state import read_tab
from pages.session.pending_tokenizers import FORM_LABELS, MAX_NAME, PendingTokenizer, Question
from pages.session.workspace import Workspace
from pages.session.workspace_link import restore
from pages.shared import page_files
from pages.shared.bundles import PLAYGROUND
from pages.shared.components import register
from pages.shared.frame import draw_question
from pages.shared.markdown import escape
from pages.shared.session import get_workspace, session_object
from pages.shared.tables import file_name, offer_files
from pages.shared.widgets import (
    follow_link,
    get_state,
    messages,
    open_state,
    show_error,
    show_errors,
    show_info,
    side_by_side,
    tied,
    write_link,
)
from tokenizers.amounts import bytes_in_words
from tokenizers.description import steps_in_words
from tokenizers.encoding import Encoding
from tokenizers.files import file_of, format_of
from tokenizers.json_types import JsonObject
from tokenizers.text import TextMap, encode_spans, spell_change, spell_token


def draw() -> None:
    """Draw the page."""
    state = open_state(AddTokenizerState, AddTokenizerState.from_link)
    imports = session_object(TokenizerImport)
    st.title("Add a tokenizer")
    draw_question(
        AddTokenizerState,
        "How does another model’s tokenizer work?",
        "Choose its file to see each step. Then add it, and choose it on every page. If its exact token ids "
        "cannot be computed here, the page says why.",
        "the file of Mistral 7B, which comes with the app",
        import_example,
        (imports,),
    )
    draw_upload(imports)
    draw_other_sources(imports)
    if imports.view is not None:
        view = imports.view
        imports.view = None
        with show_errors():
            _show_view(*view)
    with messages():
        _draw_messages(imports)
    if imports.tokenizers.pending:
        st.text_input("Text to try", max_chars=MAX_TEXT, **tied(AddTokenizerState.text))
        for pending in imports.tokenizers.pending.values():
            draw_pending(imports, pending, state.text)
        st.caption("A reload discards what you have not added.")
    else:
        draw_kinds()
        draw_models(imports)
    _draw_own(imports, get_workspace())
    write_link(state)


def _show_view(page: str, view: JsonObject) -> None:
    """Go to the page of an opened bundle, and show its view there.

    Raises:
        ValueError: its text is too long.
    """
    workspace = get_workspace()
    if page == PLAYGROUND:
        workspace.take(str(view.get("text", workspace.text)))
        restore(workspace, view)
    else:
        follow_link(page, read_tab({page: view})[page])
    section = next(section for section, pages in SECTIONS.items() if page in pages)
    st.switch_page(f"{section.lower()}/{page}/page.py")


def _draw_messages(imports: TokenizerImport) -> None:
    for problem in imports.problems:
        show_error(problem)
    workspace = get_workspace()
    for name in workspace.own_encodings.awaited:
        show_info(workspace.own_encodings.say_awaited(name))
    if imports.added not in workspace.own_encodings:
        return
    with side_by_side(border=True, key="add_tokenizer_added"):
        added = f"**{escape(imports.added)}** was added. You can choose it on every page."
        st.markdown(added, width="stretch")
        if st.button(
            "Open in the playground",
            type="primary",
            icon=":material/arrow_forward:",
            key="add_tokenizer_see",
        ):
            if imports.added not in workspace.encodings:
                workspace.put_first(imports.added)
            st.switch_page(page_files.PLAYGROUND)


def _draw_own(imports: TokenizerImport, workspace: Workspace) -> None:
    """Draw the list of the session's own encodings, trained or imported."""
    st.subheader(f"Your tokenizers ({len(workspace.own_encodings)})")
    for name in list(workspace.own_encodings):
        _draw_row(imports, workspace, name)
    st.caption(
        "What you add here or train on Train is listed here, and you can choose it on every page. Up "
        f"to {MAX_OWN}, with about {bytes_in_words(MAX_OWN_MEMORY)} of memory together. They are saved in "
        "this browser until you remove them."
    )


def _draw_row(imports: TokenizerImport, workspace: Workspace, name: str) -> None:
    own = workspace.own_encodings[name]
    encoding = own.encoding
    where = "trained here" if own.recipe else own.file or "from a file"
    with side_by_side(key=f"add_tokenizer_own_{name}"):
        st.text(f"{name} · {encoding.family}, {encoding.n_tokens:,} tokens · {where}", width="stretch")
        with st.container(horizontal=True, width="content", wrap=False):  # on a phone, below the name
            offer_files(
                "Download",
                lambda: {f"{file_name(name)}{_ending_of(encoding)}": encoding.cached(file_of)},
                f"add_tokenizer_download_{name}",
                kind="tertiary",
            )
            with st.popover(
                "Rename",
                icon=":material/edit:",
                type="tertiary",
                key=f"add_tokenizer_renames_{name}",
            ):
                key = f"add_tokenizer_rename_{name}"
                st.session_state[key] = name
                rename = (imports, workspace, name)
                st.text_input("Name", key=key, max_chars=MAX_NAME, on_change=_rename, args=rename)
            st.button(
                "Remove",
                key=f"add_tokenizer_remove_{name}",
                icon=":material/close:",
                type="tertiary",
                on_click=_remove,
                args=(imports, workspace, name),
            )


def _ending_of(encoding: Encoding) -> str:
    form = format_of(encoding.cached(file_of))
    return form.ending if form else ""


def _rename(imports: TokenizerImport, workspace: Workspace, name: str) -> None:
    imports.problems = []
    imports.added = ""
    try:
        workspace.rename_encoding(name, get_state(AddTokenizerState).store[f"add_tokenizer_rename_{name}"])
    except ValueError as problem:
        imports.problems = [str(problem)]


def _remove(imports: TokenizerImport, workspace: Workspace, name: str) -> None:
    imports.problems = []
    imports.added = ""
    workspace.remove_encoding(name)


_MOST_TOKENS = 300
_MOST_LOSSES = 12
_MOST_CHARS = 700

_mount = register("preview")


def draw_pending(imports: TokenizerImport, pending: PendingTokenizer, text: str) -> None:
    """Draw a pending tokenizer in a box."""
    key = pending.key
    answer = ""
    form = None
    with st.container(border=True, key=f"add_tokenizer_waiting_{key}"):
        st.subheader(escape(pending.file), anchor=False)
        if pending.question is not None:
            answer, form = _ask(pending, pending.question)
        is_answered = pending.is_answered(answer, form)
        try:
            data = _describe(pending.encoding(answer, form), pending, text) if is_answered else None
        except (ValueError, OSError) as problem:
            show_error(problem)
        else:
            if data is not None:
                _mount(data, f"add_tokenizer_preview_{key}")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = AddTokenizerState.name_of(key, pending.name)
            st.text_input("Name", max_chars=MAX_NAME, width=320, **tied(name))
            st.button(
                "Add",
                type="primary",
                icon=":material/check:",
                key=f"add_tokenizer_add_{key}",
                disabled=not is_answered,
                on_click=_add,
                args=(imports, pending),
            )
            st.button(
                "Discard",
                key=f"add_tokenizer_discard_{key}",
                on_click=imports.tokenizers.discard,
                args=(key,),
            )


def _ask(pending: PendingTokenizer, question: Question) -> tuple[str, str | None]:
    """Ask what the file does not say.

    Returns:
        The answer, and the normal form.
    """
    st.write(escape(f"{pending.file} {question.why}"))
    columns = st.columns(2 if question.form is not None else 1)
    answer: str | None = columns[0].selectbox(
        question.title,
        list(question.choices),
        format_func=question.choices.__getitem__,
        **tied(AddTokenizerState.answer_of(pending.key, question.default)),
    )
    answer = answer or question.default
    form = None
    if question.form is not None:
        form = columns[1].selectbox(
            "Unicode normal form, before the text is split",
            list(FORM_LABELS),
            format_func=FORM_LABELS.__getitem__,
            help="NFC for Qwen’s models, NFKC for Claude 2, none for most others.",
            **tied(AddTokenizerState.form_of(pending.key, question.form)),
        )
    return answer, form


def _describe(encoding: Encoding, pending: PendingTokenizer, text: str) -> JsonObject:
    """The data of the component ``preview``."""
    facts = [("File", f"{pending.kind}, {pending.n_bytes:,} bytes"), *steps_in_words(encoding)]
    if template := encoding.chat_templates.default:
        facts.append(("Chat template", f"{len(template):,} characters"))
    shortened = [
        (step, what if len(what) <= _MOST_CHARS else f"{what[:_MOST_CHARS]}…") for step, what in facts
    ]
    data = {"facts": shortened, "problem": "", "tokens": [], "count": 0, "places": 0, "lost": []}
    try:
        spans = encode_spans(encoding, TextMap(text))
    except ValueError as problem:
        return {**data, "problem": str(problem)}
    lost = []
    for loss in spans.losses[:_MOST_LOSSES]:
        was = spans.text_map.data[loss.start : loss.end].decode("utf-8", "replace")
        was, became = (spell_token(each.encode("utf-8")) for each in spell_change(was, loss.became[:80]))
        lost.append({"was": was, "became": became})
    tokens = []
    for i, token_id in enumerate(spans.ids[:_MOST_TOKENS].tolist()):
        kind = "special" if spans.special[i] else ""
        if spans.unknown[i]:
            kind = "unknown"
        tokens.append((token_id, encoding.token_bytes(token_id).hex(), kind))
    return {
        **data,
        "tokens": tokens,
        "count": len(spans),
        "n_bytes": spans.text_map.n_bytes,
        "places": len(spans.losses),
        "lost": lost,
    }


def _add(imports: TokenizerImport, pending: PendingTokenizer) -> None:
    """Add a pending tokenizer to every chooser, and open it on the pages of Explore.

    Its answers are those of now: one may have changed after the button was drawn.
    """
    state = get_state(AddTokenizerState)
    question = pending.question
    workspace = get_workspace()
    told: dict[str, Any] = {}
    if question is not None:
        told["answer"] = AddTokenizerState.answer_of(pending.key, question.default).of(state)
        if question.form is not None:
            told["form"] = AddTokenizerState.form_of(pending.key, question.form).of(state)
    name = AddTokenizerState.name_of(pending.key, pending.name).of(state)
    imports.problems = []
    imports.added = ""
    awaited = set(workspace.own_encodings.awaited)
    try:
        imports.added = imports.tokenizers.add(pending.key, workspace, name=name, **told)
    except (ValueError, OSError) as problem:
        imports.problems = [str(problem)]
        return
    if imports.added not in awaited:  # a link says where it is shown
        get_state(VocabularyState).encoding = imports.added
    if workspace.find_encoding(imports.added).has_merges:
        get_state(MergeTreesState).add_encoding(imports.added)


draw()
