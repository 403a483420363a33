"""Draws the session's own texts on every page: fields to add, preview, rename and remove them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile

from pages.session.own_texts import (
    LIMITS,
    MAX_TITLE,
    UNNAMED,
    OwnText,
    OwnTexts,
    clean_title,
    say_same,
)
from pages.session.page_state import Field, PageState
from pages.shared import page_files
from pages.shared.markdown import draw_box, escape
from pages.shared.session import get_workspace
from pages.shared.tables import offer_more
from pages.shared.widgets import get_state, messages, show_error, show_info, side_by_side, tied
from tokenizers.amounts import plural
from tokenizers.limits import MB
from tokenizers.text import CHARSETS, MAX_TEXT_BYTES, isolate
from tokenizers.utf8 import first_bytes

_USUAL = "read as UTF-8"  # the usual case, which the list does not mention
_MANY = 8  # a list of more texts scrolls
_LIST_HEIGHT = 460  # pixels of such a list
_MOST_SAID = 5  # sentences about the files of one upload
_PREVIEW_CHARS = 600
_PREVIEW_LINES = 10

Choose = Callable[[Sequence[str]], object]
"""A page's function that chooses newly added texts, given their keys."""


class OwnTextsState(PageState):
    """The state of the fields for own texts, the same on every page.

    Attributes:
        paste, title: a typed text, and its name.
        files_seen: the ids of uploaded files that have been added.
        problem, note: messages about the last action, to show once.
    """

    PAGE = "own_texts"

    paste = Field("")
    title = Field("")
    files_seen = Field[frozenset[str]](frozenset())
    problem = Field("")
    note = Field("")


_key = OwnTextsState.key
_FILES = _key("files")


def own_texts() -> OwnTexts:
    """This session's own texts."""
    return get_workspace().own_texts


def draw_own_texts(choose: Choose, note: str = "") -> None:
    """Draw messages, and an expander with all fields for own texts.

    Args:
        choose: chooses added texts, before the page is drawn again.
        note: a sentence about the page's own limits.
    """
    draw_messages()
    offer_more(
        "Your own texts",
        lambda: draw_own_texts_inside(choose, note),
        _key("box"),
        ":material/edit_document:",
    )


def say_problem(problem: str) -> None:
    """Store an error message about the texts, for the next drawing of the page."""
    get_state(OwnTextsState).problem = problem


def draw_messages() -> None:
    """Show the messages about the last action once."""
    state = get_state(OwnTextsState)
    with messages():
        if state.problem:
            show_error(state.problem)
        if state.note:
            show_info(state.note)
    state.problem = state.note = ""


def draw_own_texts_inside(choose: Choose, note: str = "") -> None:
    """Draw the fields for own texts. The page draws the expander and calls ``draw_messages``."""
    paste, files = st.columns(2, gap="medium")
    with paste:
        # No max_chars: with it, the field would refuse a longer text without a message.
        st.text_area("Paste a text", height=110, placeholder="Any text", **tied(OwnTextsState.paste))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Its name", placeholder=UNNAMED, max_chars=MAX_TITLE, **tied(OwnTextsState.title))
            st.button("Add it", key=_key("add"), on_click=_take_paste, args=(choose,), width="content")
    with files:
        st.file_uploader(
            "Or text files, several at once",
            accept_multiple_files=True,
            key=_FILES,
            on_change=_take_files,
            args=(choose,),
            help="Plain text, best in UTF-8. A file’s name becomes the text’s name.",
            max_upload_size=MAX_TEXT_BYTES // MB + 1,  # browsers count a megabyte as 1,000,000 bytes
        )
    st.caption(
        escape(f"{LIMITS} {note}".strip())
        + " You can choose them on every page. They stay until you remove them. The URL of a page on which "
        "you measure them holds them if they are short."
    )
    _draw_list()


def draw_take_one(key: str, max_bytes: int, take: Callable[[str], object]) -> None:
    """Draw a field that copies one of the texts, for a page with its own field for a short text.

    Args:
        key: the key of the field.
        max_bytes: the most bytes to copy; the field shows this limit.
        take: called with the text, before the page is drawn again.
    """
    own = own_texts()
    st.session_state[key] = None  # it is empty again once its choice is taken

    def hand_over() -> None:
        if (text := own.get(st.session_state[key])) is not None:
            take(first_bytes(text.text, max_bytes))

    st.selectbox(
        "Use one of your texts",
        list(own),
        index=None,
        format_func=lambda each: own[each].title if each in own else str(each),
        key=key,
        on_change=hand_over,
        label_visibility="collapsed",
        placeholder=f"Use one of your texts: its first {max_bytes:,} bytes",
    )


# Adding


def _take_paste(choose: Choose) -> None:
    """Add the pasted text. After an error, it stays in its field."""
    state = get_state(OwnTextsState)
    own = own_texts()
    known = set(own)
    try:
        name = clean_title(state.title) or UNNAMED
        key = own.add(name, state.paste)
    except ValueError as problem:
        say_problem(str(problem))
        return
    state.paste = state.title = ""
    if key in known:
        state.note = say_same(name, own[key].title)
    choose([key])


def _take_files(choose: Choose) -> None:
    """Add the new files of the uploader.

    The uploader goes on listing them, since only it shows errors of the browser and the server.
    """
    state = get_state(OwnTextsState)
    files = [file for file in st.session_state[_FILES] or [] if file.file_id not in state.files_seen]
    state.files_seen |= {file.file_id for file in files}
    new = [file for file in files if not isinstance(file, DeletedFile)]
    result = own_texts().add_files((file.name, file.getvalue) for file in new)
    if files:  # else all files were added before
        state.problem = _joined(result.problems)
        state.note = _joined(result.notes)
    if result.keys:
        choose(result.keys)


def _joined(sentences: Sequence[str]) -> str:
    """Join sentences about several files; of many, the first few.

    >>> _joined(["a.txt is empty."] * 7)[-35:]
    'a.txt is empty. (And 2 more files.)'
    """
    more = len(sentences) - _MOST_SAID
    counted = f" (And {plural(more, 'more file')}.)" if more > 0 else ""
    return " ".join(sentences[:_MOST_SAID]) + counted


# The list


def _draw_list() -> None:
    """Draw the list of added texts, with the actions for each."""
    texts = own_texts().uploaded
    with st.container(height=_LIST_HEIGHT if len(texts) > _MANY else "content"):
        for text in texts:
            _draw_row(text)


def _draw_row(text: OwnText) -> None:
    with side_by_side(key=_key(f"row_{text.key}")):
        st.text(describe(text), width="stretch")
        with st.container(horizontal=True, width="content", wrap=False):  # on a phone, both below the name
            with st.popover(
                "Look",
                icon=":material/visibility:",
                help="Preview it, rename it, or open it in the playground.",
                key=_key(f"look_{text.key}"),
            ):
                _draw_look(text)
            st.button(
                "Remove",
                key=_key(f"remove_{text.key}"),
                icon=":material/close:",
                type="tertiary",
                on_click=own_texts().remove,
                args=(text.key,),
            )
    if text.data:
        _draw_charset_choice(text)


def _draw_charset_choice(text: OwnText) -> None:
    """Draw a chooser with the guessed character set of a text's file."""
    key = _key(f"charset_{text.key}")
    st.session_state[key] = text.codec  # a choice may have been refused, or the file replaced
    st.selectbox(
        "Character set (a guess)",
        list(CHARSETS),
        format_func=CHARSETS.__getitem__,
        key=key,
        on_change=_change,
        args=(own_texts().read_again, text.key, key),
        help="The file does not name its character set. If letters look wrong, choose another one.",
    )


def _draw_look(text: OwnText) -> None:
    """Draw a text's beginning, a field for its name, and a button that opens it in the playground."""
    key = _key(f"rename_{text.key}")
    st.session_state[key] = text.title  # it may have got a number at its end
    change = (own_texts().rename, text.key, key)
    st.text_input("Name", key=key, max_chars=MAX_TITLE + 10, on_change=_change, args=change)
    draw_box(_beginning(text.text), _key(f"beginning_{text.key}"))
    if st.button(
        "Open it in the playground",
        icon=":material/arrow_forward:",
        key=_key(f"show_{text.key}"),
        on_click=get_workspace().open_own,
        args=(text.key,),
    ):
        st.switch_page(page_files.PLAYGROUND)


def _change(change: Callable[[str, str], object], text_key: str, field: str) -> None:
    """Change a text by what its field has, or show why that fails."""
    try:
        change(text_key, st.session_state[field])
    except ValueError as problem:
        say_problem(str(problem))


def describe(text: OwnText) -> str:
    """Describe a text in one line: its title, its length, how its file was read.

    >>> describe(OwnText("own-1", "notes", "a text"))
    'notes · 6 bytes'
    """
    about = f"{isolate(text.title)} · {plural(text.n_bytes, 'byte')}"
    return about if text.how in ("", _USUAL) else f"{about}, {text.how}"


def _beginning(text: str) -> str:
    """The first lines of a text.

    >>> _beginning("a\\nb"), _beginning("a" * 700) == "a" * 600 + "…"
    ('a\\nb', True)
    """
    head = "\n".join(text[:_PREVIEW_CHARS].split("\n")[:_PREVIEW_LINES])
    return head + ("…" if len(text) > len(head) else "")
