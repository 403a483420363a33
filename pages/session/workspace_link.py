"""Restores the state of a link in a workspace, and later the saved text that belongs to it."""

from __future__ import annotations

import re

from pages.session.editor_request import apply_settings, is_whole, read_pin, state_of
from pages.session.links import LONGEST_STATE, pack_state, unpack_state
from pages.session.page_state import Link, LinkValues
from pages.session.workspace import WELCOME, Workspace
from tokenizers.json_types import JsonObject

MADE_WITH = "made_with"
"""The parameter of a page's URL with mark and name of each encoding that does not come with the app."""


def link_holds_text(workspace: Workspace) -> bool:
    """Whether a link to the workspace restores its text. The browser makes it (``link.js``)."""
    text = workspace.text
    state = {**state_of(workspace), "own": workspace.own_encodings.marks(workspace.encodings)}
    return text == WELCOME or (len(text) <= LONGEST_STATE and pack_state(state) is not None)


def restore(workspace: Workspace, state: JsonObject) -> None:
    """Restore the state of a link.

    Raises:
        ValueError: its text is too long.
    """
    workspace.linked = state
    own = state.get("own")
    for name, mark in own.items() if isinstance(own, dict) else ():
        workspace.own_encodings.expect(name, str(mark))
    text = state.get("text")
    if isinstance(text, str):
        workspace.set_text(text)
    else:
        state = {
            key: value for key, value in state.items() if key != "pin"
        }  # the pin belongs to another text
    apply_settings(workspace, state)


def expect_encodings(workspace: Workspace, link: Link) -> None:
    """Await the encodings that the link to a page was made with, and that are not here."""
    for each in link.texts(MADE_WITH):
        mark, _, name = each.partition(":")
        workspace.own_encodings.expect(name, mark)


def marks_of(workspace: Workspace, values: LinkValues) -> dict[str, str]:
    """What the link holds of the encodings in its values that do not come with the app, by name."""
    typed = {"text", "query"}  # a person's words, which may be the name of an encoding, too
    chosen = [value for name, value in values.items() if name not in typed]
    words = ",".join(each if isinstance(each, str) else ",".join(each) for each in chosen).split(",")
    # What stands before a token, or behind the kind of a text: names hold no comma, but maybe colons.
    words += [part for word in words for part in (word.rpartition(":")[0], word.partition(":")[2])]
    if isinstance(lesson := values.get("own"), str) and lesson:  # a person's own, which quotes the names
        words += re.findall("""["']([^"'\n]+)["']""", str(unpack_state(lesson).get("lesson")))
    return workspace.own_encodings.marks(words)


def restore_text(workspace: Workspace, text: str) -> bool:
    """Restore the text of an earlier session in the editor, unless a link or a person put one there.

    Raises:
        ValueError: it is too long.
    """
    with workspace.lock:
        if workspace.text != WELCOME or "text" in workspace.linked:
            return False
        workspace.note = ""
        workspace.open_text(text)
        page = workspace.linked.get("page")
        workspace.turn_to(page if is_whole(page) else 0)
        workspace.pin = read_pin(workspace.linked.get("pin"))
        workspace.note = "Your saved text was restored. " + workspace.note
        return True
