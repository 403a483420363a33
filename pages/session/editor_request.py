"""Applies a request of the editor to the session's workspace. Requests are client input, and not trusted.

Next for a key: ``build_answer`` in ``pages/shared/reply.py``.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from pages.session.workspace import MAX_PANELS, SWITCHES, Pin, Workspace

VIEWS = ("text", "ids", "bytes")


def state_of(workspace: Workspace) -> dict[str, Any]:
    """The part of a workspace that the browser and links hold: text, settings and pin."""
    pin = workspace.pin
    return {
        "text": workspace.text,
        "encodings": workspace.encodings,
        "view": workspace.view,
        **{key: getattr(workspace, key) for key in SWITCHES},
        "pin": None if pin is None else {"encoding": pin.encoding, "start": pin.start},
    }


def apply_request(workspace: Workspace, request: dict[str, Any]) -> None:
    """Set the workspace's text, settings and pin from a request. Ignores invalid values.

    A request without a text leaves the workspace's text as it is: only the server has a long text.
    """
    with workspace.lock:
        before = state_of(workspace)
        problem = ""
        text = request.get("text")
        if isinstance(text, str):
            try:
                workspace.set_text(text, by_typing=True)
            except ValueError as refusal:
                problem = str(refusal)
        apply_settings(workspace, request)
        if problem or state_of(workspace) != before:  # a note stays until the person changes something
            workspace.note, workspace.note_is_error = problem, bool(problem)


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


def replace_text(workspace: Workspace, action: str, value: str, body: bytes) -> None:
    """Replace the text by a file, a long paste, or a text that only the server has. An error becomes a note.

    Args:
        workspace: the session's workspace.
        action: "file", "paste", "clear", "back" or "edit_page"; any other one does nothing.
        value: the name of the file.
        body: the bytes of the file, or of the pasted text in UTF-8.
    """
    with workspace.lock:
        workspace.note, workspace.note_is_error = "", False
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
        except ValueError as problem:
            workspace.note, workspace.note_is_error = str(problem), True


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value is an integer, and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_pin(value: Any) -> Pin | None:
    """The pin in a request or a link; None: there is none, or it is invalid."""
    if isinstance(value, dict):
        name, start = value.get("encoding"), value.get("start")
        if isinstance(name, str) and is_whole(start) and start >= 0:
            return Pin(name, start)
    return None
