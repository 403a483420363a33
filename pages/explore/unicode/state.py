"""The state of the page Unicode: a text, the encodings beside it, and the part of the text that is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pages.session import page_state
from pages.session.one_text import MAX_TAKEN_BYTES, share_text
from pages.session.page_state import Field, Link, LinkValues, PageState
from pages.session.workspace import Workspace
from tokenizers.json_types import JsonObject
from tokenizers.utf8 import first_bytes

EXAMPLE = "é e\u0301 👩\u200d🚀 안녕"  # its columns fit into a window of 1,280 px
UNICODE_ENCODINGS = ("o200k_base", "gpt2")
MAX_ENCODINGS = 6
MAX_LINK_BYTES = 2_000
"""Bytes of the text in a link. A longer text is cut."""


class UnicodeState(PageState):
    """What the user chose on the page.

    Attributes:
        text: the text in the field, or its beginning.
        encodings: the encodings whose tokens are drawn.
        part: which part of a long text is drawn, from 0.
        note: a message about the link, to show once.
        text_note: a message about the text.
        shared: the playground's text and this page's, as they were when they last corresponded.
        revision: rises when the page, and not the user's typing, changes the text.
    """

    PAGE = "unicode"

    text = Field(EXAMPLE)
    encodings = Field(list(UNICODE_ENCODINGS))
    part = Field(0)
    note = Field("")
    text_note = Field("")
    shared = Field[tuple[str, str] | None](None)
    revision = Field(1)

    @classmethod
    def from_link(cls, link: Link, available: Sequence[str]) -> Self:
        """Read the state from a link; ``available`` are the names of all encodings."""
        names = link.names("encodings") if "encodings" in link else UNICODE_ENCODINGS
        return cls(
            text=first_bytes(link.text("text", EXAMPLE), MAX_TAKEN_BYTES),
            encodings=[name for name in names if name in available][:MAX_ENCODINGS],
            part=link.number("part", 1, 1, MAX_TAKEN_BYTES) - 1,
            note=page_state.what_is_missing(name for name in names if name not in available),
        )

    def link_values(self) -> LinkValues:
        """The values of a link."""
        return {
            "text": first_bytes(self.text, MAX_LINK_BYTES),
            "encodings": ",".join(self.encodings),
            "part": str(self.part + 1),
        }

    def put_text(self, text: str, note: str = "") -> None:
        """Replace the text: by an example, one of the user's own, or a normal form.

        Args:
            note: what to look at in it.
        """
        self.text = first_bytes(text, MAX_TAKEN_BYTES)
        self.part = 0
        self.text_note = note
        self.revision += 1

    def share_text(self, workspace: Workspace, *, by_typing: bool = False) -> None:
        """Exchange the text with the playground: see ``pages.session.one_text``."""
        before = self.text
        share_text(self, workspace, EXAMPLE, by_typing=by_typing)
        if self.text != before:
            self.part = 0
            self.revision += 1
        n_bytes = workspace.text_map.n_bytes
        if n_bytes > MAX_TAKEN_BYTES and self.shared == (workspace.text, self.text):
            known = f"The playground’s text has {n_bytes:,} bytes."
            self.text_note = f"{known} This page shows the first {MAX_TAKEN_BYTES:,}."

    def apply(self, message: JsonObject) -> None:
        """Take the text and the part from the component, unless the page has changed the text since."""
        if message["revision"] != self.revision:
            return
        part = message["part"]
        self.text = first_bytes(message["text"], MAX_TAKEN_BYTES)
        self.part = part
        self.text_note = ""
        if len(self.text) < len(message["text"]):
            self.text_note = (
                f"This page shows the first {MAX_TAKEN_BYTES:,} bytes. The playground takes longer texts."
            )
