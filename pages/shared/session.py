"""The workspace of this session, made on first use; a link in the address fills it."""

from __future__ import annotations

import streamlit as st

from pages.session.links import PARAMETER, unpack_state
from pages.session.workspace import WELCOME_PIN, Workspace, first_encodings

_KEY = "workspace"


def get_workspace() -> Workspace:
    """This session's workspace."""
    if _KEY not in st.session_state:
        workspace = Workspace(encodings=first_encodings(), pin=WELCOME_PIN)
        link = st.query_params.get(PARAMETER)
        if link:
            try:
                workspace.pin = None
                workspace.restore(unpack_state(link))
            except ValueError as problem:
                workspace.note, workspace.note_is_error = str(problem), True
        st.session_state[_KEY] = workspace
    workspace = st.session_state[_KEY]
    assert isinstance(workspace, Workspace)
    return workspace
