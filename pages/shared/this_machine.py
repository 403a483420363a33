"""Finds out whether the visitor's browser runs on the server's machine, whose files are then theirs, too.

And which URL other machines can open: a link to 127.0.0.1 leads each of them to itself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from urllib.parse import urlencode, urlsplit

import streamlit as st

from pages.server.start_check import class_urls, how_others_reach_it
from pages.session.page_state import PageState
from pages.shared.widgets import link_of

VARIABLE = "TOKEN_GROVE_FILES"
"""The environment variable that disables reading the machine's files with ``off``."""


_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_FORWARDED = ("forwarded", "via", "x-real-ip", "cf-connecting-ip", "true-client-ip")  # and x-forwarded-…


def is_local_visitor() -> bool:
    """Whether this visitor may read the files of this machine.

    Behind a proxy without proxy headers, every visitor looks local. There, the variable has to be set.
    """
    if os.environ.get(VARIABLE, "").strip().lower() in ("off", "0", "no"):
        return False
    headers = {name.lower(): value for name, value in st.context.headers.items()}
    return st.context.ip_address is None and is_local_request(st.get_option("server.address"), headers)


def is_local_request(server_address: str | None, headers: Mapping[str, str]) -> bool:
    """Whether a request comes from this machine: by a loopback name, and without proxy headers.

    Args:
        server_address: the address of the server; None: it listens on all addresses.
        headers: the request's headers, by their names in small letters.

    >>> is_local_request("127.0.0.1", {"host": "localhost:8501"})
    True
    >>> is_local_request("127.0.0.1", {"host": "localhost:8501", "x-forwarded-for": "203.0.113.9"})
    False
    >>> is_local_request("127.0.0.1", {"host": "[::1"})  # no address
    False
    """
    try:
        host = urlsplit("//" + headers.get("host", "")).hostname
    except ValueError:
        return False
    if server_address not in _LOOPBACK or host not in _LOOPBACK:
        return False
    return not any(name in _FORWARDED or name.startswith("x-forwarded") for name in headers)


def url_for_others() -> str:
    """The app's URL as other machines can open it, without a slash at its end; empty: none can."""
    here = urlsplit(st.context.url or "")  # of this page, as the browser has it
    if not here.hostname or here.hostname in _LOOPBACK:
        return next(iter(class_urls()), "")
    path = st.get_option("server.baseUrlPath").strip("/")
    return f"{here.scheme}://{here.netloc}{f'/{path}' if path else ''}"


def offer_link(state: PageState) -> None:
    """Draw a button that shows the link to a page as it is, to copy."""
    with st.popover("Link", icon=":material/link:", type="tertiary", key=state.key("link")):
        if url := url_for_others():
            st.code(f"{url}/{state.PAGE}?{urlencode(link_of(state), doseq=True)}", language=None)
        else:
            tell_how_others_reach_it()


def tell_how_others_reach_it() -> None:
    """Draw what lets other devices open the app, with a button that copies the command."""
    words, command = how_others_reach_it()
    st.markdown(words)
    if command:
        st.code(command, language=None)
