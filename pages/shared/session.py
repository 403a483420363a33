"""The workspace of this session, made on first use; a link in the address fills it."""

from __future__ import annotations

import streamlit as st

import tokenizers as tk
from tokenizers.registry import is_home_trained

from .links import PARAMETER, unpack_state
from .workspace import DEFAULT_ENCODINGS, WELCOME_PIN, Workspace

_KEY = "workspace"


def get_workspace() -> Workspace:
    """This session's workspace."""
    if _KEY not in st.session_state:
        home = [name for name in tk.list_encodings() if is_home_trained(name)]
        workspace = Workspace(encodings=home[:1] + DEFAULT_ENCODINGS, pin=WELCOME_PIN)
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
