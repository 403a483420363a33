"""The state of the page Merge trees: a text, its encodings, and a token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pages.session import one_text
from pages.session.page_state import Field, Link, LinkValues, PageState
from pages.session.workspace import Workspace
from tokenizers.amounts import plural
from tokenizers.encoding import Encoding
from tokenizers.registry import encoding_title, model_name
from tokenizers.steps import first_few

MAX_DRAWN_BYTES = 2_000
"""The most bytes of the text in a link and in a forest."""

EXAMPLE = "tokenization"
FOREST_ENCODINGS = ("cl100k_base", "gpt2", "grove-udhr-8k")
TOKEN_ENCODING = "gpt2"
TOKEN = "token"
_LONGEST_TOKEN = 200  # characters, of a token's text in a link


class MergeTreesState(PageState):
    """What the page shows.

    Attributes:
        text: the text of the forest.
        encodings: the encodings of the forest.
        cuts_encoding: the encoding whose cuts the page explains.
        token_encoding: the encoding to find a token in.
        token: an id, or a text that is one token.
        note: to be said once.
        shared: the playground's text and the text here, as both were when they were last the same text.
        arrives: whether another page led here to a biography that has not been drawn yet.
    """

    PAGE = "merge_trees"

    text = Field(EXAMPLE)
    encodings = Field(list(FOREST_ENCODINGS))
    cuts_encoding = Field[str | None](None)
    token_encoding = Field(TOKEN_ENCODING)
    token = Field(TOKEN)
    note = Field("")
    shared = Field[tuple[str, str] | None](None)
    arrives = Field(False)

    @classmethod
    def from_link(cls, link: Link, available: Sequence[str]) -> Self:
        """Read the state from a link.

        Args:
            link: the parameters of the URL.
            available: the names of all encodings.
        """
        chosen = link.names("encodings") if "encodings" in link else FOREST_ENCODINGS
        state = cls(
            text=link.text("text", EXAMPLE),
            encodings=[name for name in chosen if name in available],
            token_encoding=link.text("encoding") or TOKEN_ENCODING,
            token=link.text("token") or TOKEN,
        )
        state.prune(available)
        return state

    def link_values(self) -> LinkValues:
        """The text, the encodings, and the token with its encoding."""
        return {
            "text": self.text[:MAX_DRAWN_BYTES],
            "encodings": ",".join(self.encodings),
            "encoding": self.token_encoding,
            "token": self.token[:_LONGEST_TOKEN],
        }

    def prune(self, available: Sequence[str]) -> None:
        """Drop encodings that do not exist any more."""
        self.let_go(MergeTreesState.encodings, available)
        if self.token_encoding not in available:
            self.note = (
                f"The tokenizer {self.token_encoding[:80]!r} is not here, so "
                f"{encoding_title(TOKEN_ENCODING)} is searched instead."
            )
            self.token_encoding = TOKEN_ENCODING

    def take_text(self, text: str) -> None:
        """Show another text."""
        self.text = text

    def add_encoding(self, name: str) -> None:
        """Show an encoding that was just trained beside the others."""
        self.encodings = [name, *(other for other in self.encodings or FOREST_ENCODINGS if other != name)]

    def share_text(self, workspace: Workspace) -> None:
        """Exchange the text with the playground: see ``pages.session.one_text``."""
        one_text.share_text(self, workspace, EXAMPLE)

    def show_token(self, workspace: Workspace, encoding: str, token_id: int) -> None:
        """Show a token that another page leads to, beside the playground's text."""
        self.token_encoding = encoding
        self.token = str(token_id)
        self.arrives = True
        self.share_text(workspace)  # now, so that the page does not change its URL again


def find_token(encoding: Encoding, query: str) -> int:
    """Find a token by its id, or by its text. With a leading space, digits are a text.

    Raises:
        ValueError: there is no such token; says what the text encodes to instead.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> find_token(gpt2, "262"), find_token(gpt2, "262 ")  # copied with what stood behind it
    (262, 262)
    >>> gpt2.token_bytes(find_token(gpt2, " 2"))
    b' 2'
    """
    digits = query.rstrip()
    if digits.isascii() and digits.isdecimal() and len(digits) < 12:
        token_id = int(digits)
        encoding.token_bytes(token_id)
        return token_id
    known_id = encoding.token_id(query.encode("utf-8", "replace"))
    if known_id is None:
        known_id = encoding.special_tokens.get(query)
    if known_id is not None:
        return known_id
    ids = encoding.encode(query)
    if ids == [encoding.unknown_id]:
        raise ValueError(
            f"This text is unknown to {model_name(encoding.name)}: it is [UNK], token {encoding.unknown_id}. "
            "Type another text, or a token id."
        )
    parts = first_few(list(map(str, ids)), 8)
    raise ValueError(
        f"{model_name(encoding.name)} has no single token for this text: it is "
        f"{plural(len(ids), 'token')}, {parts}. "
        "Type one of these ids, or another text. A leading space counts."
    )
