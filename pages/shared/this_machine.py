"""Whether a visitor sits at the machine on which the app runs: then its files are theirs, too."""

from __future__ import annotations

import os

import streamlit as st

from pages.session.data_folder import asks_from_here

VARIABLE = "TOKEN_GROVE_FILES"
"""The environment variable with which the owner of a server says ``off``: no file of it is offered."""


def sits_here() -> bool:
    """Whether the files of this machine are offered to this visitor.

    Behind a proxy that does not say that it is one, nobody can be told from the owner: there, the variable
    has to be set.
    """
    if st.context.ip_address is not None:  # it is None for whoever sits at this machine
        return False
    if os.environ.get(VARIABLE, "").strip().lower() in ("off", "0", "no"):
        return False
    headers = {name.lower(): value for name, value in st.context.headers.items()}
    return asks_from_here(st.get_option("server.address"), headers)
