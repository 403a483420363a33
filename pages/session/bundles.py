"""Bundles: a page's view, and the own encodings and texts in it, in one file, to save and to open.

A bundle is a zip of the encodings' files and of manifest.json, with the page and the texts. It is client
input: all pass the same checks as uploads, and all parts have a limit before they are unpacked.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping

from pages.session.linked_texts import add_texts
from pages.session.menu import MENU
from pages.session.own_encodings import MAX_OWN, OwnEncoding
from pages.session.page_state import read_tab
from pages.session.tokenizer_files import TokenizerFile
from pages.session.workspace import Workspace
from tokenizers.amounts import bytes_in_words
from tokenizers.files import MAX_FILE_BYTES, file_of, format_of, load
from tokenizers.json_types import JsonObject

MANIFEST = "manifest.json"
VERSION = 1

_ZIP = b"PK\3\4"  # at the beginning of a zip
_ENTRY = b"PK\1\2"  # at the beginning of each entry in its directory


def is_bundle(data: bytes) -> bool:
    r"""Whether a file is a zip with a manifest, as bundles are.

    >>> is_bundle(b"PK\3\4 manifest.json"), is_bundle(b"PK\3\4"), is_bundle(b"manifest.json")
    (True, False, False)
    """
    return data.startswith(_ZIP) and MANIFEST.encode() in data


def write_bundle(
    workspace: Workspace,
    page: str,
    view: JsonObject,
    names: list[str],
    texts: Mapping[str, list[str]],
) -> bytes:
    """Make a bundle.

    Args:
        workspace: the session's workspace.
        page: the page's folder.
        view: what the page's link holds; of the playground, the editor's state.
        names: of the encodings of the session's own in the view.
        texts: title and text of the session's own in the view, by key.

    Raises:
        ValueError: it is too large.
    """
    encodings = {}
    files = {}
    for number, name in enumerate(names, 1):
        data = file_of(workspace.own_encodings[name].encoding)
        form = format_of(data)
        clean = re.sub(r"[^\w.-]", "-", name)
        encodings[name] = f"{number}-{clean}{form.ending if form else ''}"
        files[encodings[name]] = data
    content = {
        "version": VERSION,
        "page": page,
        "view": view,
        "encodings": encodings,
        "texts": texts,
    }
    files[MANIFEST] = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
    size = sum(map(len, files.values()))
    if size > MAX_FILE_BYTES:
        raise ValueError(
            f"Together they have {bytes_in_words(size)}; a bundle holds up to "
            f"{bytes_in_words(MAX_FILE_BYTES)}. Send the link and the files instead."
        )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as bundle:
        for file, data in files.items():  # without the time: the same view is the same file, at one address
            bundle.writestr(zipfile.ZipInfo(file), data, zipfile.ZIP_DEFLATED, compresslevel=1)
    return buffer.getvalue()


def open_bundle(file: TokenizerFile, workspace: Workspace) -> tuple[str, JsonObject]:
    """Add the texts and encodings of a bundle to the session; returns its page and its view.

    If one of the encodings cannot be added, none is.

    Raises:
        ValueError: it is no bundle, or there is no room for it.
    """
    try:
        files = _unpack(file.data)
        manifest = json.loads(files[MANIFEST])
        page = manifest["page"]
        view = manifest["view"]
        encodings = {name: files[path] for name, path in manifest["encodings"].items()}
        texts = manifest.get("texts", {})
        are_dicts = isinstance(view, dict) and isinstance(texts, dict)
        is_ours = manifest["version"] == VERSION and page in MENU and are_dicts
    except Exception:  # a damaged zip raises one of many
        is_ours = False
    if not is_ours:
        raise ValueError(
            f"{file.name} is not a bundle of this version of Token Grove, or is damaged. Ask for it again."
        )
    if texts:
        view = add_texts(texts, read_tab({page: view})[page], workspace.own_texts)
    added: list[OwnEncoding] = []
    for name, data in encodings.items():
        try:
            own = OwnEncoding(load(data, name, is_trusted=False), file=file.name)
            workspace.own_encodings.check_room(sum(each.memory for each in [*added, own]), len(added))
        except ValueError as problem:
            raise ValueError(f"{name[:40]} in {file.name} cannot be loaded. {problem}") from None
        if name not in workspace.encoding_names() or name in workspace.own_encodings.awaited:
            added.append(own)
        elif workspace.own_encodings[name].digest != own.digest:
            raise ValueError(
                f"{file.name} has a different {name} than yours. Rename yours, then open it again."
            )
    with workspace.lock:
        workspace.own_encodings.stop_awaiting([own.encoding.name for own in added])
        for own in added:
            workspace.own_encodings.add(own)
    return page, view


def _unpack(data: bytes) -> dict[str, bytes]:
    """The files in a zip. All sizes are checked first: a hostile one could fill the memory."""
    with zipfile.ZipFile(io.BytesIO(data if data.count(_ENTRY) <= 2 * MAX_OWN else b"")) as bundle:
        entries = bundle.infolist()
        is_plain = all(entry.compress_type == zipfile.ZIP_DEFLATED for entry in entries)
        if not is_plain or sum(entry.file_size for entry in entries) > MAX_FILE_BYTES:
            raise ValueError
        return {entry.filename: bundle.read(entry) for entry in entries}
