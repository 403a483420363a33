"""Applies a request of the editor to the session's workspace. Requests are client input, and not trusted.

Next for a key: ``build_answer`` in ``pages/explore/playground/answer.py``.
"""

from __future__ import annotations

import contextlib
from typing import Any, TypeGuard

from pages.session.versions import MAX_VERSION
from pages.session.workspace import MAX_PANELS, SWITCHES, Pin, Workspace
from tokenizers.text import decode_file

VIEWS = ("text", "ids", "bytes")


def state_of(workspace: Workspace) -> dict[str, Any]:
    """The part of a workspace that links hold: text, settings and pin."""
    return {name: value for name, value in workspace.state.items() if name != "page"}


def apply_request(workspace: Workspace, request: dict[str, Any]) -> None:
    """Set the fields of the workspace's state that are newer in a request. Ignores invalid values.

    Without "versions", as from a script, all fields of the request are newer.

    A request without a text leaves the workspace's text as it is: only the server has a long text.
    """
    with workspace.lock:
        workspace.versions.note(workspace.state)
        before = workspace.state
        sent = _read_versions(workspace, request)
        newer = {name: version for name, version in sent.items() if version > workspace.versions[name]}
        text = request.get("text")
        problem = ""
        if isinstance(text, str) and "text" in newer:
            try:
                workspace.set_text(text, by_typing=True)
            except ValueError as refusal:
                problem = str(refusal)
                del newer["text"]
        elif isinstance(text, str) and workspace.versions.is_servers("text") and "text" in sent:
            workspace.keep_overtaken(text, sent["text"])
        apply_settings(workspace, {name: request[name] for name in newer})
        state = workspace.state
        if problem or state != before:  # a note stays until the person changes something
            workspace.note = problem
            workspace.note_is_error = bool(problem)
        for name, version in newer.items():
            workspace.versions.accept(name, version, state[name])


def _read_versions(workspace: Workspace, request: dict[str, Any]) -> dict[str, int]:
    """The versions of the fields in a request."""
    versions = request.get("versions")
    names = [name for name in workspace.state if name in request]
    if not isinstance(request.get("text"), str):
        names = [name for name in names if name != "text"]
    if not isinstance(versions, dict):
        return dict.fromkeys(names, workspace.versions.next_of_browser())
    return {name: versions[name] for name in names if is_version(versions.get(name))}


def is_version(value: Any) -> TypeGuard[int]:
    """Whether a browser can have given this version."""
    return is_whole(value) and 0 <= value < MAX_VERSION


def apply_settings(workspace: Workspace, request: dict[str, Any]) -> None:
    """Set the workspace's settings, page and pin from a request or a link."""
    names = request.get("encodings")
    if isinstance(names, list):
        known = set(workspace.encoding_names())
        chosen = [name for name in dict.fromkeys(n for n in names if isinstance(n, str)) if name in known]
        workspace.encodings = chosen[:MAX_PANELS]
    if request.get("view") in VIEWS:
        workspace.view = request["view"]
    for key in SWITCHES:
        if isinstance(request.get(key), bool):
            setattr(workspace, key, request[key])
    page = request.get("page")
    if is_whole(page):
        workspace.turn_to(page)
    if "pin" in request:
        workspace.pin = read_pin(request["pin"])


def replace_text(
    workspace: Workspace, action: str, value: str, body: bytes, version: int | None = None
) -> None:
    """Replace the text by a file, a long paste, or a text that only the server has. An error becomes a note.

    Args:
        workspace: the session's workspace.
        action: "file", "paste", "clear", "back", "edit_page"; of a projector, "present" or "end_presenting";
            any other one keeps the text.
        value: the name of the file.
        body: the bytes of the file, or of the pasted text in UTF-8.
        version: of the text, once it is replaced. None: newer than all others. If the text is newer already,
            it stays, and the one that arrived too late is set aside.
    """
    with workspace.lock:
        workspace.versions.note(workspace.state)
        present = workspace.versions["text"]
        if version is not None and version <= present:
            if version < present and action in ("file", "paste"):
                with contextlib.suppress(ValueError):  # it is no text
                    is_file = action == "file"
                    text = decode_file(body, value).text if is_file else body.decode("utf-8", "replace")
                    workspace.keep_overtaken(text, version)
            return
        workspace.note = ""
        workspace.note_is_error = False
        was_long = workspace.is_long
        try:
            if action == "file":
                workspace.open_file(value[:80] or "The file", body)
            elif action == "paste":
                workspace.open_text(body.decode("utf-8", "replace"))
                if was_long and not workspace.is_long:
                    workspace.note = "The long text was replaced. “Restore the previous text” brings it back."
            elif action == "clear" and workspace.text:
                workspace.open_text("")
            elif action == "back":
                workspace.go_back()
            elif action == "edit_page":
                workspace.edit_page()
            elif action == "present":
                workspace.present(body.decode("utf-8", "replace"))
            elif action == "end_presenting":
                workspace.end_presenting()
        except ValueError as problem:
            workspace.note = str(problem)
            workspace.note_is_error = True
        if version is None:
            version = workspace.versions.next_of_browser()
        workspace.versions.accept("text", version, workspace.text)


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value is an integer, and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_pin(value: Any) -> Pin | None:
    """The pin in a request or a link; None: there is none, or it is invalid."""
    if isinstance(value, dict):
        name = value.get("encoding")
        start = value.get("start")
        if isinstance(name, str) and is_whole(start) and start >= 0:
            return Pin(name, start)
    return None
