"""What the editor says of how things stand in the browser, taken over into a workspace.

Anybody may send such a message, so nothing in it is trusted.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any, TypeGuard

from pages.session.workspace import MAX_PANELS, Pin, Workspace

VIEWS = ("text", "ids", "bytes")
SIZES = ("small", "normal", "large")


def apply_message(workspace: Workspace, message: dict[str, Any]) -> None:
    """Take over how things stand in the browser. Whatever is odd in the message is left out."""
    seq = message.get("seq")
    if not isinstance(seq, int) or seq <= workspace.seq:
        return
    workspace.seq = seq
    if message.get("asks_again") is not True:  # only to see whether its slow panels are counted
        workspace.note, workspace.note_is_error = "", False
    try:
        text = message.get("text")
        if isinstance(text, str):
            workspace.set_text(text, by_typing=True)
        apply_settings(workspace, message)
        action = message.get("action")
        if isinstance(action, dict):
            _act(workspace, action)
    except ValueError as problem:
        workspace.note, workspace.note_is_error = str(problem), True


def apply_settings(workspace: Workspace, message: dict[str, Any]) -> None:
    """The part of a message that a link holds too."""
    names = message.get("encodings")
    if isinstance(names, list):
        known = set(workspace.encoding_names())
        chosen = [name for name in dict.fromkeys(map(str, names)) if name in known]
        workspace.encodings = chosen[:MAX_PANELS]
    for key, choices in (("view", VIEWS), ("size", SIZES)):
        if message.get(key) in choices:
            setattr(workspace, key, message[key])
    for key in ("whitespace", "walls", "only_here", "special_as_tokens", "adds_frame"):
        if isinstance(message.get(key), bool):
            setattr(workspace, key, message[key])
    page = message.get("page")
    if is_whole(page):
        workspace.turn_to(page)
    if "pin" in message:
        workspace.pin = read_pin(message["pin"])


def _act(workspace: Workspace, action: dict[str, Any]) -> None:
    """Do a one-time action: open a file, replace, clear or leave a text, edit a page of a long one."""
    number, kind = action.get("number"), action.get("kind")
    if not isinstance(number, int) or number <= workspace.last_action:
        return
    workspace.last_action = number
    if kind == "file":
        _open_file(workspace, str(action.get("name", "The file")), str(action.get("data", "")))
    elif kind == "read_as":
        workspace.read_file_as(str(action.get("charset", "")))
    elif kind == "long_text":
        was_long = workspace.is_long
        workspace.open_text(_long_text(action))
        if was_long and not workspace.is_long:
            workspace.note = "The long text was replaced. “Back to the text before” brings it back."
    elif kind == "clear" and workspace.text:
        workspace.open_text("")
    elif kind == "go_back" and workspace.set_aside is not None:
        left_at = workspace.set_aside_page
        workspace.open_text(workspace.set_aside)
        workspace.turn_to(left_at)
    elif kind == "biography":
        name, token_id = action.get("encoding"), action.get("id")
        if name in workspace.encodings and workspace.is_token(token_id, str(name)):
            workspace.wants_biography = (str(name), token_id)
    elif kind == "bring":
        workspace.wants_to_bring = True
    elif kind == "edit_page" and workspace.is_long:
        page = workspace.pages[workspace.page]
        workspace.open_text(workspace.text_map.text[page.start : page.end])
        workspace.note = "This is the page alone, to edit; its tokens are those of the page by itself."


def _long_text(action: dict[str, Any]) -> str:
    """The text of an action; one that would be far longer as JSON comes as its bytes, in base64."""
    if "data" not in action:
        return str(action.get("text", ""))
    try:
        return base64.b64decode(str(action["data"]), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        raise ValueError("The text did not arrive whole. Paste it again.") from None


def _open_file(workspace: Workspace, name: str, data: str) -> None:
    """Take a file's text (``data`` in base64)."""
    name = name[:80]
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(f"{name} did not arrive whole. Try again.") from None
    workspace.open_file(name, raw)


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether that is a whole number; True and False are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def read_pin(value: Any) -> Pin | None:
    """The pin that a message or a link tells of; None: it tells of none."""
    if isinstance(value, dict):
        name, start = value.get("encoding"), value.get("start")
        if isinstance(name, str) and is_whole(start) and start >= 0:
            return Pin(name, start)
    return None
