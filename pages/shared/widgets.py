"""Ties a page's state to its widgets, reads it from the URL, and writes it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.session.linked_texts import add_linked, with_texts
from pages.session.own_texts import digest_of
from pages.session.page_state import Field, Link, LinkValues, PageState, read_tab
from pages.session.workspace_link import MADE_WITH, expect_encodings, marks_of
from pages.shared.markdown import escape
from pages.shared.session import get_workspace

State = TypeVar("State", bound=PageState)
_TAB = "tab_remembers"
_BEGUN = "pages_begun"
_PAGES = "pages_of_last_runs"
_ADDRESS = "_address"  # among a tab's values for a page: a digest of the page's URL


def get_state(page: type[State]) -> State:
    """The state of a page in this session. Other pages use it to pass something to the page."""
    return page.stored_in(st.session_state)


def open_state(page: type[State], read_link: Callable[[Link], State]) -> State:
    """The state of the open page. At its first visit in a session, it is read from a link.

    The link is the tab's values for the page, or else the URL. At the first page of a session, the URL wins
    if it differs from the one that the tab remembers, since a fragment may have changed it.

    Args:
        page: the class of its state.
        read_link: the page's ``from_link``, with the available choices bound.
    """
    begun = page.key("begun")
    if begun not in st.session_state:
        address = _address()
        remembered = dict(st.session_state.get(_TAB, {}).get(page.PAGE, {}))
        is_of_address = remembered.pop(_ADDRESS, None) == _mark_of(address)
        # At a session's first page, the URL can be newer than the tab's values.
        is_first = not st.session_state.get(_BEGUN)
        use_tab = remembered and (is_of_address or not is_first)
        try:
            linked = read_link(
                Link(add_linked(remembered if use_tab else address, get_workspace().own_texts))
            )
        except ValueError as problem:
            linked = read_link(Link({}))
            linked.store[page.key("note")] = str(problem)
        for key, value in linked.store.items():
            # A value that another page set before the first visit wins over the URL.
            st.session_state.setdefault(key, value)
        st.session_state[begun] = True
        st.session_state.setdefault(_BEGUN, {})[page.PAGE] = page
    return get_state(page)


def note_page(page: str) -> None:
    """Remember which page runs now, and which one ran before."""
    _, before = st.session_state.get(_PAGES, ("", ""))
    st.session_state[_PAGES] = (before, page)


def is_same_page() -> bool:
    """Whether the last run was of this page, too: then Back and Forward alone change its URL."""
    before, now = st.session_state.get(_PAGES, ("", "?"))
    return bool(before == now)


def recall_tab(sent: object) -> None:
    """Store the values that the tab remembers of its pages. Pages opened before keep their state."""
    st.session_state[_TAB] = read_tab(sent)
    for values in st.session_state[_TAB].values():
        expect_encodings(get_workspace(), Link(values))


def follow_link(page: str, values: LinkValues) -> None:
    """Have a page show what a link holds when it is opened next, instead of what it shows now."""
    for state in PageState.__subclasses__():
        if state.PAGE == page:
            fields = [field.key for field in state.fields().values()]
            for key in (state.key("begun"), *fields):
                st.session_state.pop(key, None)
    st.session_state.setdefault(_TAB, {})[page] = values


def opened_pages() -> dict[str, PageState]:
    """The states of the pages opened in this session, by their folders."""
    return {name: get_state(page) for name, page in st.session_state.get(_BEGUN, {}).items()}


def values_for_tab() -> dict[str, LinkValues]:
    """The values for the tab to remember: of the pages opened in this session, and before."""
    now = {
        name: {**_with_marks(state.to_tab()), _ADDRESS: _mark_of(link_of(state))}
        for name, state in opened_pages().items()
    }
    return {**st.session_state.get(_TAB, {}), **now}


def _address() -> LinkValues:
    """The query parameters of the URL."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _mark_of(values: Mapping[str, str | list[str]]) -> str:
    """A digest of a URL's query parameters."""
    return digest_of(urlencode(sorted(values.items()), doseq=True, errors="replace"))


def _with_marks(values: LinkValues) -> LinkValues:
    own = marks_of(get_workspace(), values)
    if not own:
        return values
    return {**values, MADE_WITH: [f"{mark}:{name}" for name, mark in own.items()]}


def link_of(state: PageState) -> LinkValues:
    """The query parameters of a page's URL: its state, the marks of the encodings in it, and own texts."""
    values = _with_marks(state.to_link())
    return with_texts(values, get_workspace().own_texts) if state.SENDS_TEXTS else values


def write_link(state: PageState) -> None:
    """Write the page's state into the URL."""
    wanted = {name: [value] if isinstance(value, str) else value for name, value in link_of(state).items()}
    if _address() != wanted:
        st.query_params.from_dict(wanted)


def tied(field: Field[Any]) -> dict[str, Any]:
    """The arguments that tie a widget to a field: ``st.text_input("Search", **tied(PageState.query))``.

    The widget shows the field's value and changes it, also while another page is open.
    """
    if field.default is not None and st.session_state.get(field.key) is None:
        st.session_state[field.key] = field.default
    return {"key": field.key, "persist_state": "session"}


def segments(
    place: Any, label: str, choices: Mapping[str, str] | Sequence[str], field: Field[Any], **options: Any
) -> None:
    """Draw a segmented control, one of whose choices is always chosen.

    Args:
        place: where it is drawn: ``st``, or a column.
        label: its label.
        choices: the values, or the labels by value; plain text.
        field: the field that it is tied to.
        options: more arguments of ``st.segmented_control``.
    """
    labels = choices if isinstance(choices, Mapping) else dict(zip(choices, choices, strict=True))
    options |= {"format_func": lambda value: escape(labels[value]), "required": True}
    place.segmented_control(label, list(labels), **options, **tied(field))


def side_by_side(**options: Any) -> DeltaGenerator:
    """A container whose elements stand beside each other; ``options``: more arguments of ``st.container``."""
    return st.container(horizontal=True, vertical_alignment="center", **options)


def messages() -> DeltaGenerator:
    """A container for messages above fields: ``with messages(): st.warning(…)``.

    It is always there. Otherwise a message would shift the elements below it, and a field would lose text
    that is being typed.
    """
    return st.container()


def show_info(text: object) -> None:
    """Show a note. Here and in the next two, the text is shown as it is, not as Markdown."""
    st.info(escape(str(text)), icon=":material/info:")


def show_warning(text: object) -> None:
    """Show a warning."""
    st.warning(escape(str(text)), icon=":material/warning:")


def show_error(text: object) -> None:
    """Show an error: a sentence, or an exception with one."""
    st.error(escape(str(text)), icon=":material/error:")


@contextmanager
def show_errors() -> Iterator[None]:
    """Show a ValueError or an OSError on the page: ``with show_errors(): …``."""
    try:
        yield
    except (ValueError, OSError) as problem:
        show_error(problem)


def say_note(state: Any) -> None:
    """Show a state's ``note`` once; mostly an error in a link."""
    with messages():
        if state.note:
            show_warning(state.note)
            state.note = ""
