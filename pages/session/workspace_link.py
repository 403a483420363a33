"""The link to what a workspace shows, and the link that a session began with."""

from __future__ import annotations

from typing import Any

from pages.session.editor_message import apply_settings, is_whole, read_pin
from pages.session.grown import Grown
from pages.session.links import LONGEST_STATE, pack_state
from pages.session.workspace import MAX_PANELS, WELCOME, Workspace, file_bytes, own_memory
from tokenizers.encoding import Encoding


def state_of(workspace: Workspace) -> dict[str, Any]:
    """What a link holds."""
    return {
        "text": workspace.text,
        "encodings": workspace.encodings,
        "view": workspace.view,
        "size": workspace.size,
        "whitespace": workspace.whitespace,
        "walls": workspace.walls,
        "only_here": workspace.only_here,
        "special_as_tokens": workspace.special_as_tokens,
        "adds_frame": workspace.adds_frame,
        "pin": None
        if workspace.pin is None
        else {"encoding": workspace.pin.encoding, "start": workspace.pin.start},
    }


def link_to(workspace: Workspace) -> tuple[str | None, bool]:
    """The link to what the workspace shows, and whether it holds the text too.

    If the text is too long for a link, the link only says how it is drawn, and the text itself is kept in the
    browser. The answer and the keeper ask for the link at each keystroke, so the last one is remembered.
    """
    state = {**state_of(workspace), "encodings": list(workspace.encodings), "page": workspace.page}
    if workspace.last_link is None or workspace.last_link[0] != state:
        workspace.last_link = (state, _pack(state))
    return workspace.last_link[1]


def last_link_held_text(workspace: Workspace) -> bool:
    """Whether the link that was made last holds the text; quick, since no new one is packed.

    A text that is too long for any link is in none.
    """
    if len(workspace.text) > LONGEST_STATE:
        return False
    return link_to(workspace)[1] if workspace.last_link is None else workspace.last_link[1][1]


def link_holds_text(workspace: Workspace) -> bool:
    """Whether a link to what the workspace shows brings back the text; the welcome text needs no link."""
    return workspace.text == WELCOME or link_to(workspace)[1]


def restore(workspace: Workspace, state: dict[str, Any]) -> None:
    """Take over what a link holds.

    Raises:
        ValueError: its text is too long.
    """
    workspace.linked = state
    text = state.get("text")
    if isinstance(text, str):
        workspace.set_text(text)
    else:
        state = {
            key: value for key, value in state.items() if key != "pin"
        }  # the pin belongs to another text
    apply_settings(workspace, state)


def encoding_comes_back(workspace: Workspace, encoding: Encoding, growth: Grown | None) -> str:
    """Take an encoding that this or another session made; returns its name here.

    If the session began with a link that shows the encoding, and nothing else was chosen since, it is shown.

    Raises:
        ValueError: there is no room for it.
    """
    workspace.check_room(file_bytes(encoding), own_memory(encoding))
    chosen = _linked_encodings(workspace)
    name = workspace.add_grown(encoding)
    if growth is not None:
        workspace.growth[name] = growth
    if chosen and chosen == workspace.encodings:
        workspace.encodings = _linked_encodings(workspace)
    return name


def _linked_encodings(workspace: Workspace) -> list[str]:
    """Those encodings in the link that the session began with that are here."""
    names, known = workspace.linked.get("encodings"), set(workspace.encoding_names())
    names = names if isinstance(names, list) else []
    return [name for name in dict.fromkeys(map(str, names)) if name in known][:MAX_PANELS]


def text_comes_back(workspace: Workspace, text: str) -> bool:
    """Put the text of an earlier session into the editor, unless a link or a person put one there.

    Raises:
        ValueError: it is too long.
    """
    if workspace.text != WELCOME or "text" in workspace.linked:
        return False
    workspace.note = ""
    workspace.open_text(text)
    page = workspace.linked.get("page")
    workspace.turn_to(page if is_whole(page) else 0)
    workspace.pin = read_pin(workspace.linked.get("pin"))
    workspace.note = "This text was kept here, and came back. " + workspace.note
    return True


def _pack(state: dict[str, Any]) -> tuple[str | None, bool]:
    """A link to this, and whether it holds the text. One without the text has the page's number instead."""
    view = dict(state)
    text, page = view.pop("text"), view.pop("page")
    packed = pack_state({"text": text, **view}) if len(text) <= LONGEST_STATE else None
    return (packed, True) if packed is not None else (pack_state({**view, "page": page}), False)
