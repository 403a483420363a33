"""Bundles: a page's view and the encodings of a person's own in it, in one file, to save and to open.

A bundle is a zip of the encodings' files and of manifest.json, which names the page. It is client input:
the encodings pass the same checks as uploaded files, and all parts have a limit before they are unpacked.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
import zlib
from typing import Any

from pages.session.menu import MENU
from pages.session.tokenizer_files import MAX_UPLOAD_BYTES, TokenizerFile
from pages.session.trained_encoding import TrainedEncoding
from pages.session.workspace import MAX_OWN, Workspace
from tokenizers.amounts import bytes_in_words
from tokenizers.files import MAX_BYTES, estimate_memory, file_of, format_of, load

MANIFEST, VERSION = "manifest.json", 1
MAX_MANIFEST = 4 << 20
"""Bytes of JSON, with the text in the editor."""

_ZIP, _ENTRY = b"PK\3\4", b"PK\1\2"  # at the beginning of a zip; of each entry in its directory


def is_bundle(data: bytes) -> bool:
    """Whether a file is a zip, as bundles are."""
    return data.startswith(_ZIP)


def write_bundle(workspace: Workspace, page: str, view: dict[str, Any], names: list[str]) -> bytes:
    """Make a bundle.

    Args:
        workspace: the session's workspace.
        page: the page's folder.
        view: what the page's link holds; of the playground, the editor's state.
        names: of the encodings of the session's own in the view.

    Raises:
        ValueError: it is too large.
    """
    encodings: dict[str, str] = {}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bundle:
        for number, name in enumerate(names, 1):
            data = file_of(workspace.trained[name].encoding)
            form = format_of(data)
            clean = re.sub(r"[^\w.-]", "-", name)
            encodings[name] = f"{number}-{clean}{form.ending if form else ''}"
            bundle.writestr(encodings[name], data)
        content = {"version": VERSION, "page": page, "view": view, "encodings": encodings}
        manifest = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
        bundle.writestr(MANIFEST, manifest)
    if len(manifest) > MAX_MANIFEST:
        raise ValueError(
            f"The text is too long for a bundle, which holds up to {bytes_in_words(MAX_MANIFEST)} of it: "
            "send it as a file."
        )
    if buffer.tell() > MAX_BYTES:
        raise ValueError(
            f"Together they have {bytes_in_words(buffer.tell())}, and a bundle up to "
            f"{bytes_in_words(MAX_BYTES)}: send the files of the encodings beside the link."
        )
    return buffer.getvalue()


def open_bundle(file: TokenizerFile, workspace: Workspace) -> tuple[str, dict[str, Any]]:
    """Add the encodings of a bundle to the session, all or none; returns its page and its view.

    Raises:
        ValueError: it is no bundle, or there is no room for it.
    """
    try:
        manifest, parts = _unpack(file.data)
        page, view, names = manifest["page"], manifest["view"], list(manifest["encodings"])
    except (
        AttributeError,
        TypeError,
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        LookupError,
        ValueError,
        RuntimeError,
    ):
        page, view, names, parts = "", None, [], []
    if page not in MENU or not isinstance(view, dict):
        raise ValueError(
            f"{file.name} is no bundle of this version of Token Grove, or it is damaged: ask for it again."
        )
    added: list[TrainedEncoding] = []
    for name, data in zip(names, parts, strict=True):
        try:
            workspace.check_room(estimate_memory(data) + sum(own.memory for own in added), len(added))
            own = TrainedEncoding(load(data, name, is_trusted=False), file=file.name)
        except ValueError as problem:
            raise ValueError(f"{name[:40]} in {file.name} cannot be loaded. {problem}") from None
        if name not in workspace.encoding_names() or name in workspace.awaited:
            added.append(own)
        elif workspace.digests([name]) != {name: own.digest}:
            raise ValueError(f"{file.name} has another {name} than yours: rename yours, then open it again.")
    for own in added:
        workspace.awaited.pop(own.encoding.name, None)
        workspace.add_encoding(own)
    return page, view


def _unpack(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The manifest of a bundle, and the files that it names. A damaged one raises one of many exceptions."""
    if data.count(_ENTRY) > 2 * MAX_OWN:  # the directory of a hostile zip could fill the memory
        raise ValueError
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:

        def read(name: str, most: int) -> bytes:
            entry = bundle.getinfo(name)
            if entry.file_size > most or entry.compress_type not in (
                zipfile.ZIP_STORED,
                zipfile.ZIP_DEFLATED,
            ):
                raise ValueError
            return bundle.read(entry)

        manifest = json.loads(read(MANIFEST, MAX_MANIFEST))
        if manifest["version"] != VERSION:
            raise ValueError
        parts: list[bytes] = []
        for name in manifest["encodings"].values():
            parts.append(read(name, min(MAX_BYTES, MAX_UPLOAD_BYTES - sum(map(len, parts)))))
    return manifest, parts
