"""What is chosen on the page Merge trees: a text, its encodings, and a token to look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pages.session.one_text import share_text
from pages.session.page_state import Field, Link, LinkValues, PageState, leave_out
from pages.session.workspace import Workspace

MAX_BYTES = 2_000
"""The most bytes of the text in a link and in a forest."""

EXAMPLE = "tokenization"
FIRST_ENCODINGS = ("gpt2", "cl100k_base", "grove-udhr-8k")
TOKEN_ENCODING, TOKEN = "gpt2", " token"
_LONGEST_TOKEN = 200  # characters, of a token's text in a link


@dataclass
class MergeTreesState(PageState):
    """What the page shows.

    Attributes:
        text: to grow.
        encodings: in which it is grown.
        cuts_encoding: the one whose cuts are explained.
        table_encoding: the one whose merges are in the table.
        token_encoding: where to look for a token.
        token: an id, or a text that is one token.
        click: the last click in the forest that was followed: encoding, id and its number.
        note: to be said once.
        shared: the playground's text and the text here, as both were when they were last the same text.
        arrives: whether another page led here to a biography that has not been drawn yet.
    """

    PAGE: ClassVar[str] = "merge_trees"

    text: Field[str] = Field(EXAMPLE)
    encodings: Field[list[str]] = Field([])
    cuts_encoding: Field[str | None] = Field(None)
    table_encoding: Field[str | None] = Field(None)
    token_encoding: Field[str] = Field(TOKEN_ENCODING)
    token: Field[str] = Field(TOKEN)
    click: Field[tuple[str, int, Any] | None] = Field(None)
    note: Field[str] = Field("")
    shared: Field[tuple[str, str] | None] = Field(None)
    arrives: Field[bool] = Field(False)

    @classmethod
    def from_link(cls, link: Link, available: Sequence[str]) -> Self:
        """What a link asks for.

        Args:
            link: the address.
            available: the names of all encodings.
        """
        state = cls(
            text=link.text("text", EXAMPLE),
            encodings=[name for name in FIRST_ENCODINGS if name in available],
            token_encoding=link.text("encoding") or TOKEN_ENCODING,
            token=link.text("token") or TOKEN,
        )
        state.prune(available)
        return state

    def to_link(self) -> LinkValues:
        """The text, and the token with its encoding, as far as they are not those of the first visit."""
        values: LinkValues = {"text": self.text[:MAX_BYTES]}
        if (self.token_encoding, self.token) != (TOKEN_ENCODING, TOKEN):
            values |= {"encoding": self.token_encoding, "token": self.token[:_LONGEST_TOKEN]}
        return leave_out(values, {"text": EXAMPLE})

    def prune(self, available: Sequence[str]) -> None:
        """Drop encodings that are not there, or no longer."""
        self.let_go(MergeTreesState.encodings, available)
        if self.token_encoding not in available:
            self.note = (
                f"The encoding {self.token_encoding[:80]!r} is not here: the token is looked for in "
                f"{TOKEN_ENCODING} instead."
            )
            self.token_encoding = TOKEN_ENCODING

    def take_text(self, text: str) -> None:
        """Grow another text."""
        self.text = text

    def add_encoding(self, name: str) -> None:
        """How another page leads here: with an encoding that was just grown, beside the others."""
        self.encodings = [name, *(other for other in self.encodings or FIRST_ENCODINGS if other != name)]
        self.table_encoding = name

    def share_text(self, workspace: Workspace) -> None:
        """One text goes through the pages of Explore: take over the playground's if it changed there, or hand
        over this one if it changed here.

        If the text is too long for the field, its beginning is taken, which never replaces the whole text
        in the playground.
        """
        share_text(self, workspace, EXAMPLE)

    def show_token(self, encoding: str, token_id: int) -> None:
        """How another page leads here: with a token."""
        self.token_encoding, self.token = encoding, str(token_id)
        self.arrives = True
