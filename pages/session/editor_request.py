"""Applies a request of the editor to the session's workspace. Anybody may send one: nothing in it is trusted.

Next: ``pages/shared/reply.py`` describes the result.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from pages.session.workspace import MAX_PANELS, Pin, Workspace

VIEWS = ("text", "ids", "bytes")
SIZES = ("small", "normal", "large")
SWITCHES = ("whitespace", "walls", "only_here", "special_as_tokens", "adds_frame")


def state_of(workspace: Workspace) -> dict[str, Any]:
    """What a browser and a link know of a workspace: its text, its settings and its pin."""
    pin = workspace.pin
    return {
        "text": workspace.text,
        "encodings": workspace.encodings,
        "view": workspace.view,
        "size": workspace.size,
        **{key: getattr(workspace, key) for key in SWITCHES},
        "pin": None if pin is None else {"encoding": pin.encoding, "start": pin.start},
    }


def apply_request(workspace: Workspace, request: dict[str, Any]) -> None:
    """Take over the text, the settings and the pin of a browser. Ignores odd values.

    A request without a text is about the one that the workspace has, which may be long.
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
        if problem or state_of(workspace) != before:  # a note is shown until the person changes something
            workspace.note, workspace.note_is_error = problem, bool(problem)


def apply_settings(workspace: Workspace, request: dict[str, Any]) -> None:
    """Take over the settings, the page and the pin of a request or a link."""
    names = request.get("encodings")
    if isinstance(names, list):
        known = set(workspace.encoding_names())
        chosen = [name for name in dict.fromkeys(n for n in names if isinstance(n, str)) if name in known]
        workspace.encodings = chosen[:MAX_PANELS]
    for key, choices in (("view", VIEWS), ("size", SIZES)):
        if request.get(key) in choices:
            setattr(workspace, key, request[key])
    for key in SWITCHES:
        if isinstance(request.get(key), bool):
            setattr(workspace, key, request[key])
    page = request.get("page")
    if is_whole(page):
        workspace.turn_to(page)
    if "pin" in request:
        workspace.pin = read_pin(request["pin"])


def replace_text(workspace: Workspace, action: str, value: str, body: bytes) -> None:
    """Replace the text by one that the browser does not have, or sends as bytes. A refusal becomes a note.

    Args:
        workspace: of the session.
        action: "file", "paste", "read_as", "clear", "back" or "edit_page"; any other one does nothing.
        value: the name of the file, or the character set in which it is read again.
        body: of a file, or of a pasted text in UTF-8.
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
                    workspace.note = "The long text was replaced. “Back to the text before” brings it back."
            elif action == "read_as":
                workspace.read_file_as(value)
            elif action == "clear" and workspace.text:
                workspace.open_text("")
            elif action == "back":
                workspace.go_back()
            elif action == "edit_page":
                workspace.edit_page()
        except ValueError as problem:
            workspace.note, workspace.note_is_error = str(problem), True


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether that is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_pin(value: Any) -> Pin | None:
    """The pin of a request or a link, if it has one."""
    if isinstance(value, dict):
        name, start = value.get("encoding"), value.get("start")
        if isinstance(name, str) and is_whole(start) and start >= 0:
            return Pin(name, start)
    return None
