"""The objects of a session: its workspace, and one object of any class."""

from __future__ import annotations

from typing import TypeVar

import streamlit as st

from pages.session.links import PARAMETER, unpack_state
from pages.session.page_state import Link
from pages.session.workspace import Workspace, first_encodings
from pages.session.workspace_link import MADE_WITH, expect_encodings, restore

_KEY = "workspace"
T = TypeVar("T")


def get_workspace() -> Workspace:
    """This session's workspace, made on first use. A link in the URL fills it."""
    if _KEY not in st.session_state:
        workspace = Workspace(encodings=first_encodings())
        link = st.query_params.get(PARAMETER)
        if link:
            try:
                restore(workspace, unpack_state(link))
            except ValueError as problem:
                workspace.note = str(problem)
                workspace.note_is_error = True
        expect_encodings(workspace, Link({MADE_WITH: st.query_params.get_all(MADE_WITH)}))
        st.session_state[_KEY] = workspace
    workspace = st.session_state[_KEY]
    assert isinstance(workspace, Workspace)
    return workspace


def key_of(kind: type) -> str:
    """The key under which a session has its object of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def session_object(kind: type[T], *arguments: object) -> T:
    """This session's only object of a class, made on first use with these arguments."""
    key = key_of(kind)
    if key not in st.session_state:
        st.session_state[key] = kind(*arguments)
    instance: T = st.session_state[key]
    return instance
