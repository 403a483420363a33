"""Restores the state of a link in a workspace, and later the saved items that belong to it."""

from __future__ import annotations

from typing import Any

from pages.session.editor_request import apply_settings, is_whole, read_pin, state_of
from pages.session.links import LONGEST_STATE, pack_state
from pages.session.trained_encoding import TrainedEncoding
from pages.session.workspace import MAX_PANELS, WELCOME, Workspace


def link_holds_text(workspace: Workspace) -> bool:
    """Whether a link to the workspace restores its text. The browser makes it (``link.js``)."""
    text = workspace.text
    return text == WELCOME or (len(text) <= LONGEST_STATE and pack_state(state_of(workspace)) is not None)


def restore(workspace: Workspace, state: dict[str, Any]) -> None:
    """Restore the state of a link.

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


def restore_encoding(workspace: Workspace, own: TrainedEncoding) -> str:
    """Restore one of the user's own encodings; returns its name here.

    If the session began with a link to the encoding, and nothing else was chosen since, its panel appears.

    Raises:
        ValueError: there is no room for it.
    """
    workspace.check_room(own.memory)
    chosen = _linked_encodings(workspace)
    name = workspace.add_encoding(own)
    if chosen and chosen == workspace.encodings:
        workspace.encodings = _linked_encodings(workspace)
        workspace.revision += 1
    return name


def _linked_encodings(workspace: Workspace) -> list[str]:
    """The encodings in the session's first link that exist here."""
    names, known = workspace.linked.get("encodings"), set(workspace.encoding_names())
    names = names if isinstance(names, list) else []
    return [name for name in dict.fromkeys(map(str, names)) if name in known][:MAX_PANELS]


def restore_text(workspace: Workspace, text: str) -> bool:
    """Restore the text of an earlier session in the editor, unless a link or a person put one there.

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
