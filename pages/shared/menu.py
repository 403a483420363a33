"""The pages of the menu, each looked up on the disk once."""

from __future__ import annotations

import copy
import functools

import streamlit as st
from streamlit.navigation.page import StreamlitPage


def page_at(file: str, *, title: str, url_path: str, default: bool = False) -> StreamlitPage:
    """``st.Page``, which is in the menu of every page, and so is made anew at every visit of any.

    Making one asks the disk for the page's file and for each folder that it is in. Twelve of them are a
    hundred questions, and at each of them the thread may lose its turn of Python to another one.

    Args:
        file: of the page, below the folder ``pages``.
        title: that stands in the menu.
        url_path: its address.
        default: whether it is what the app's own address shows.

    Raises:
        StreamlitPageNotFoundError: its file is not there.
    """
    # A copy for each visit: Streamlit notes there whether it may run.
    return copy.copy(_page_at(file, title, url_path, default))


@functools.cache
def _page_at(file: str, title: str, url_path: str, default: bool) -> StreamlitPage:
    return st.Page(file, title=title, url_path=url_path, default=default)
