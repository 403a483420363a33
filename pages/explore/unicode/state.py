"""What is chosen on the page Unicode: a text, the encodings beside it, and which part of it is drawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self, TypeGuard

from pages.session.one_text import MAX_TAKEN_BYTES, share_text
from pages.session.page_state import (
    Field,
    Link,
    LinkValues,
    PageState,
    grown_since,
    leave_out,
    what_is_missing,
)
from pages.session.workspace import Workspace
from tokenizers.utf8 import first_bytes

EXAMPLE = "é or e\u0301? 👩\u200d🚀 안녕"
FIRST_ENCODINGS = ("gpt2", "o200k_base")
MAX_ENCODINGS = 6
MAX_LINK_BYTES = 2_000
"""Bytes of the text in a link, which has only the beginning of a longer one."""
_MOST_PARTS = 100_000


@dataclass
class UnicodeState(PageState):
    """What the page shows.

    Attributes:
        text: what is taken apart.
        encodings: whose tokens are below it.
        grown: those that were grown in this session, when the page was drawn last.
        part: which part of a long text is drawn, from 0.
        note: to be said once, about the link.
        text_note: about the text that was typed last.
        shared: the playground's text and the text here, as both were when they were last the same text.
        revision: rises when anything but a person's typing changes the text.
        seq: the last message of the browser that was taken over.
    """

    PAGE: ClassVar[str] = "unicode"

    text: Field[str] = Field(EXAMPLE)
    encodings: Field[list[str]] = Field([])
    grown: Field[list[str]] = Field([])
    part: Field[int] = Field(0)
    note: Field[str] = Field("")
    text_note: Field[str] = Field("")
    shared: Field[tuple[str, str] | None] = Field(None)
    revision: Field[int] = Field(1)
    seq: Field[int] = Field(0)

    @classmethod
    def from_link(cls, link: Link, available: Sequence[str], grown: Sequence[str] = ()) -> Self:
        """What a link asks for.

        Args:
            link: the address.
            available: the names of all encodings.
            grown: those of them that were grown in this session; a link that names none has the newest.
        """
        names = link.names("encodings") if "encodings" in link else [*grown[-1:], *FIRST_ENCODINGS]
        return cls(
            text=first_bytes(link.text("text", EXAMPLE), MAX_TAKEN_BYTES),
            encodings=[name for name in names if name in available][:MAX_ENCODINGS],
            part=link.number("part", 1, 1, _MOST_PARTS) - 1,
            note=what_is_missing(name for name in names if name not in available),
            grown=list(grown),
        )

    def to_link(self) -> LinkValues:
        """The text, the encodings and the part, as far as they are not those of the first visit."""
        values: LinkValues = {
            "text": first_bytes(self.text, MAX_LINK_BYTES),
            "encodings": ",".join(self.encodings),
            "part": str(self.part + 1),
        }
        return leave_out(values, {"text": EXAMPLE, "encodings": ",".join(FIRST_ENCODINGS), "part": "1"})

    def prune(self, available: Sequence[str], grown: Collection[str]) -> None:
        """Choose what was grown since, as far as there is room; drop encodings that are no longer there.

        Args:
            available: the names of all encodings.
            grown: those of them that were grown in this session.
        """
        new = grown_since(self.grown, grown, self.encodings)
        if new:
            self.encodings = [*new, *self.encodings][:MAX_ENCODINGS]
        self.grown = list(grown)
        self.let_go(UnicodeState.encodings, available)

    def put_text(self, text: str) -> None:
        """Show another text: an example, one of a person's own, a normal form."""
        self.text_note = ""
        self.text = first_bytes(text, MAX_TAKEN_BYTES)
        self.part = 0
        self.revision += 1

    def share_text(self, workspace: Workspace, *, by_typing: bool = False) -> None:
        """One text goes through the pages of Explore: see ``pages.session.one_text``."""
        before = self.text
        share_text(self, workspace, EXAMPLE, by_typing=by_typing)
        if self.text != before:
            self.part = 0
            self.revision += 1
        n_bytes = workspace.text_map.n_bytes
        if n_bytes > MAX_TAKEN_BYTES and self.shared == (workspace.text, self.text):
            known = f"The playground’s text has {n_bytes:,} bytes."
            self.text_note = f"{known} Here is its beginning, up to {MAX_TAKEN_BYTES:,}."

    def apply(self, message: dict[str, Any]) -> None:
        """Take over a message of the browser: a text that was typed, or the part to be drawn.

        A message about a text that is not here any more is left out.
        """
        seq, revision = message.get("seq"), message.get("revision")
        if not _is_whole(seq) or seq <= self.seq or revision != self.revision:
            return
        self.seq = seq
        text, part = message.get("text"), message.get("part")
        if isinstance(text, str):
            self.text, self.part = first_bytes(text, MAX_TAKEN_BYTES), 0
            too_long = len(text.encode("utf-8", "replace")) > MAX_TAKEN_BYTES
            self.text_note = (
                f"This page takes up to {MAX_TAKEN_BYTES:,} bytes: what is shown is the text’s beginning. "
                "The playground takes longer texts."
                if too_long
                else ""
            )
        if _is_whole(part):
            self.part = max(0, min(part, _MOST_PARTS - 1))


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
