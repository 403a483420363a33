"""A person's own texts, in the same way on every page: bring them, look at them, rename and remove them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import DeletedFile

from pages.session.guessed_file import GuessedFile
from pages.session.own_texts import (
    LIMITS,
    MAX_TEXT_BYTES,
    MAX_TITLE,
    UNNAMED,
    OwnText,
    OwnTexts,
    clean_title,
    say_same,
)
from pages.session.page_state import Field, PageState
from pages.shared import page_files
from pages.shared.plain import draw_box, plain
from pages.shared.session import get_workspace
from pages.shared.widgets import get_state, messages, tied
from tokenizers.limits import MB
from tokenizers.text import CHARSETS
from tokenizers.utf8 import first_bytes

_USUAL = "read as UTF-8"  # the usual case, of which nothing is said
_ROWS = 10  # texts that are listed at a time
_MOST_SAID = 5  # sentences about files that were brought together
_CUT_OFF = (
    "The connection to the server was lost in between. Files that are listed for upload, and do not appear "
    "among your texts, have to be brought again."
)
_PREVIEW_CHARS, _PREVIEW_LINES = 600, 10

Choose = Callable[[Sequence[str]], object]
"""What a page does with texts that were just brought: it is called with their keys, and chooses them."""


@dataclass
class OwnTextsState(PageState):
    """What is in the fields for bringing texts, the same on every page.

    Attributes:
        paste, title: a text that is typed in, and its name.
        page: which part of the list of texts is drawn, from 1.
        files_seen: the ids of the uploader's files that were taken.
        problem, note: what became of the last thing that a person did; to be said once.
        was_opened: whether the box with these fields has been opened on any page.
    """

    PAGE: ClassVar[str] = "own_texts"

    paste: Field[str] = Field("")
    title: Field[str] = Field("")
    page: Field[int] = Field(1)
    files_seen: Field[frozenset[str]] = Field(frozenset())
    problem: Field[str] = Field("")
    note: Field[str] = Field("")
    was_opened: Field[bool] = Field(False)


_key = OwnTextsState.key
_FILES = _key("files")


def own_texts() -> OwnTexts:
    """This session's own texts."""
    return get_workspace().own_texts


def draw_own_texts(choose: Choose, note: str = "") -> None:
    """Messages, and an expander with everything about a person's own texts.

    Args:
        choose: is called before the page is drawn again.
        note: what this page can do with less than what can be brought; a sentence.
    """
    draw_messages()
    box = own_texts_box("Your own texts", ":material/edit_document:", _key("expander"))
    if box is not None:
        with box:
            draw_own_texts_inside(choose, note)


def own_texts_box(label: str, icon: str, key: str, *, expanded: bool = False) -> DeltaGenerator | None:
    """The expander that holds the fields for own texts; None: they need not be drawn.

    Closed, the fields would take the browser as long as open ones, and few people open them. Once they were
    opened they are drawn again and again, also on other pages: what is typed in them stays.

    Args:
        label: what is written on the expander. It stays the same: with another label, Streamlit makes the
            expander anew, and with it the fields in it.
        icon: before it.
        key: of the expander.
        expanded: whether it is open when it is drawn for the first time.
    """
    if expanded and key not in st.session_state:
        st.session_state[key] = True
    box = st.expander(label, icon=icon, key=key, on_change="rerun")
    state = get_state(OwnTextsState)
    state.was_opened = state.was_opened or bool(box.open)
    return box if state.was_opened else None


def say_problem(problem: str) -> None:
    """Something that went wrong with the texts, to be said when the page is drawn."""
    get_state(OwnTextsState).problem = problem


def draw_messages() -> None:
    """What became of the last thing that a person did with the texts; said once."""
    state = get_state(OwnTextsState)
    with messages():
        if state.problem:
            st.error(plain(state.problem), icon=":material/error:")
        if state.note:
            st.info(plain(state.note), icon=":material/info:")
    state.problem = state.note = ""


def draw_own_texts_inside(choose: Choose, note: str = "", *, in_playground: bool = False) -> None:
    """As ``draw_own_texts``, for a page that has its own expander and calls ``draw_messages``."""
    paste, files = st.columns(2, gap="medium")
    with paste:
        # No max_chars: with it, the field would not take a longer text, and not say so.
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
            help="Plain text; UTF-8 is best. A file’s name becomes the text’s name.",
            max_upload_size=MAX_TEXT_BYTES // MB + 1,  # browsers count a megabyte as 1,000,000 bytes
        )
    st.caption(
        plain(f"{LIMITS} {note}".strip())
        + " You can choose them on every page, and they are kept until you remove them. A link does not "
        "contain them; only the playground’s link contains what is in its editor."
    )
    _draw_list(in_playground)


def draw_take_one(key: str, max_bytes: int, take: Callable[[str], object]) -> None:
    """A field to take one of the texts, for a page with a field of its own for a short text.

    Args:
        key: of the field.
        max_bytes: of a longer text the beginning is taken, and the field says so.
        take: is called with the text, before the page is drawn again.
    """
    own = own_texts()
    st.session_state[key] = None  # the field fills another one, and is empty again once that is done
    st.selectbox(
        "Take one of your texts",
        list(own),
        key=key,
        index=None,
        format_func=lambda each: own[each].title if each in own else str(each),
        placeholder=f"Take one of your texts, up to {max_bytes:,} bytes of it",
        label_visibility="collapsed",
        on_change=lambda: _take_first(st.session_state[key], max_bytes, take),
    )


def _take_first(key: str | None, max_bytes: int, take: Callable[[str], object]) -> None:
    own = own_texts()
    if key is not None and key in own:
        take(first_bytes(own[key].text, max_bytes))


# Bringing


def _take_paste(choose: Choose) -> None:
    """Take the pasted text; what is wrong with it is said, and it stays in its field."""
    state, own = get_state(OwnTextsState), own_texts()
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
    _use([key], choose)


def _take_files(choose: Choose) -> None:
    """Take the files that are new in the uploader.

    It goes on listing them: what the browser or the server would not take is said there, and nowhere else.
    """
    state = get_state(OwnTextsState)
    files = [file for file in st.session_state[_FILES] or [] if file.file_id not in state.files_seen]
    state.files_seen |= {file.file_id for file in files}
    new = [file for file in files if not isinstance(file, DeletedFile)]
    result = own_texts().add_files((file.name, file.getvalue) for file in new)
    if len(new) < len(files):  # they went to the session before the server was restarted
        result.notes.append(_CUT_OFF)
    if files:  # else the uploader speaks of files that were taken before
        state.problem, state.note = _joined(result.problems), _joined(result.notes)
    if result.keys:
        _use(result.keys, choose)


def _use(keys: Sequence[str], choose: Choose) -> None:
    """Choose what was just brought on the page, and list the part of the texts that it is in."""
    get_state(OwnTextsState).page = list(own_texts()).index(keys[-1]) // _ROWS + 1
    choose(keys)


def _joined(sentences: Sequence[str]) -> str:
    """Sentences about several files, of very many the first few.

    >>> _joined(["a.txt is empty."] * 7)[-35:]
    'a.txt is empty. (And 2 more files.)'
    """
    more = len(sentences) - _MOST_SAID
    counted = f" (And {more:,} more {'file' if more == 1 else 'files'}.)" if more > 0 else ""
    return " ".join(sentences[:_MOST_SAID]) + counted


# The list


def _draw_list(in_playground: bool) -> None:
    """The texts that are here, page by page, each with what can be done with it."""
    own = own_texts()
    texts = list(own.values())
    n_pages = -(-len(texts) // _ROWS)
    first = 0
    if n_pages > 1:
        state = get_state(OwnTextsState)
        state.page = min(max(1, state.page), n_pages)
        st.number_input(
            f"Your texts, {_ROWS} at a time: part, of {n_pages:,}",
            1,
            n_pages,
            width=340,
            **tied(OwnTextsState.page),
        )
        first = (int(state.page) - 1) * _ROWS
    for text in texts[first : first + _ROWS]:
        _draw_row(own, text, in_playground)


def _draw_row(own: OwnTexts, text: OwnText, in_playground: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=_key(f"row_{text.key}")):
        st.text(describe(text), width="stretch")
        with st.container(horizontal=True, width="content", wrap=False):  # on a phone, both below the name
            with st.popover(
                "Look",
                icon=":material/visibility:",
                help="Preview, rename, open in the playground.",
                key=_key(f"look_{text.key}"),
            ):
                _draw_look(text, in_playground)
            if not text.is_live:
                st.button(
                    "Remove",
                    key=_key(f"remove_{text.key}"),
                    icon=":material/close:",
                    type="tertiary",
                    on_click=own.remove,
                    args=(text.key,),
                )
    if text.guessed:
        _draw_charset_choice(text.key, text.guessed)


def _draw_charset_choice(text_key: str, guessed: GuessedFile) -> None:
    """A field that shows the guessed character set of a text's file, and takes another."""
    key = _key(f"charset_{text_key}")
    st.session_state[key] = guessed.codec  # it may have been refused, or be another file of the same name
    st.selectbox(
        "Read as: a guess until you choose",
        list(CHARSETS),
        format_func=CHARSETS.__getitem__,
        key=key,
        on_change=_read_again,
        args=(text_key,),
        help="The file does not say in which character set it was written. If letters look wrong, choose "
        "another.",
    )


def _draw_look(text: OwnText, in_playground: bool) -> None:
    """How a text begins, its name to be changed, and the way to the playground with it."""
    if not text.is_live:
        key = _key(f"rename_{text.key}")
        st.session_state[key] = text.title  # it may have got a number behind it
        st.text_input("Name", key=key, max_chars=MAX_TITLE + 10, on_change=_rename, args=(text.key,))
    draw_box(_beginning(text.text), _key(f"beginning_{text.key}"))
    if text.is_live:
        return
    label = "Put it into the editor" if in_playground else "Show it in the playground"
    icon = ":material/arrow_upward:" if in_playground else ":material/arrow_forward:"
    key, show = _key(f"show_{text.key}"), get_workspace().open_own
    is_pressed = st.button(label, icon=icon, key=key, on_click=show, args=(text.key,))
    if is_pressed and not in_playground:
        st.switch_page(page_files.PLAYGROUND)


def _rename(key: str) -> None:
    try:
        own_texts().rename(key, st.session_state[_key(f"rename_{key}")])
    except ValueError as problem:
        say_problem(str(problem))


def _read_again(key: str) -> None:
    try:
        own_texts().read_again(key, st.session_state[_key(f"charset_{key}")])
    except ValueError as problem:
        say_problem(str(problem))


def describe(text: OwnText) -> str:
    """A text in one line: its title, its length, how its file was read.

    >>> describe(OwnText("own-1", "notes", "a text"))
    'notes · 6 bytes'
    """
    about = [_isolated(text.title), f"{text.n_bytes:,} {'byte' if text.n_bytes == 1 else 'bytes'}"]
    how = text.how if text.how != _USUAL else ""
    return (
        " · ".join(about)
        + (", as it is in the editor now" if text.is_live else "")
        + (f", {how}" if how else "")
    )


def _isolated(title: str) -> str:
    """The title; one that is written from right to left, in marks that keep its direction from
    the words behind it."""
    right_to_left = any(unicodedata.bidirectional(char) in ("R", "AL", "AN") for char in title)
    return f"\u2066{title}\u2069" if right_to_left else title


def _beginning(text: str) -> str:
    """A few lines of a text.

    >>> _beginning("a\\nb"), _beginning("a" * 700) == "a" * 600 + "…"
    ('a\\nb', True)
    """
    head = "\n".join(text[:_PREVIEW_CHARS].split("\n")[:_PREVIEW_LINES])
    return head + ("…" if len(text) > len(head) else "")
