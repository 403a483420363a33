"""The state of the page Vocabulary: an encoding, a search in it, and the token whose biography is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pages.session import page_state
from pages.session.page_state import Field, Link, LinkValues, PageState
from tokenizers.measure import Kept, SearchBy

DEFAULT_ENCODING = "o200k_base"
FIRST_QUERY = "token"

ANY_SCRIPT = "any script"
BY: dict[str, SearchBy] = {"text": "text", "regex": "regex", "bytes": "bytes", "id": "id"}
ONLY: dict[str, Kept] = {
    "leading space": "leading_space",
    "white space": "whitespace",
    "digits": "digits",
    "not valid UTF-8 alone": "not_utf8",
    "special": "special",
    "does not encode to itself": "unreachable",
}
"""The label of each pill, and what it keeps."""

BY_ID = "by id"
LONGEST_FIRST = "longest first"
ORDERS = (BY_ID, LONGEST_FIRST)
_MAX_LINK_QUERY = 500  # characters


class VocabularyState(PageState):
    """What the user chose on the page.

    Attributes:
        encoding: the encoding to search.
        by: a key of ``BY``.
        query: the search text.
        only: keys of ``ONLY``: the filters that are on.
        script: a script, or ``ANY_SCRIPT``. A link may name one that the vocabulary does not have.
        order: one of ``ORDERS``.
        ignore_case: whether the search ignores upper and lower case.
        token: the token of the biography, as (encoding, id); None: the page chooses one.
        beside, stretch: the encoding beside which its learned kinds are drawn, and the clicked part of the
            chart, as "side:stretch:kind"; empty: none.
        note: a message to show once.
    """

    PAGE = "vocabulary"

    encoding = Field(DEFAULT_ENCODING)
    by = Field("text")
    query = Field(FIRST_QUERY)
    only = Field[list[str]]([])
    script = Field(ANY_SCRIPT)
    order = Field(BY_ID)
    ignore_case = Field(False)
    token = Field[tuple[str, int] | None](None)
    beside = Field("")
    stretch = Field("")
    note = Field("")

    def open_stretch(self, cell: str) -> None:
        """Show the tokens of a part of the chart of learned kinds; after a second click, none."""
        self.stretch = "" if self.stretch == cell else cell

    @classmethod
    def from_link(cls, link: Link, available: Sequence[str]) -> Self:
        """Read the state from a link; ``available`` are the names of all encodings."""
        encoding = link.text("encoding", DEFAULT_ENCODING)
        state = cls(
            by=link.choice("by", BY, "text"),
            query=link.text("query", FIRST_QUERY),
            only=[word for word in link.names("only") if word in ONLY],
            script=link.text("script") or ANY_SCRIPT,
            order=link.choice("order", ORDERS, BY_ID),
            ignore_case=link.text("case") == "ignore",
        )
        if encoding in available:
            state.encoding = encoding
            state.token = _read_token(link.text("token"), encoding, available)
        else:
            state.note = page_state.what_is_missing([encoding])
        return state

    def link_values(self) -> LinkValues:
        """The values of a link."""
        name, token_id = self.token or (self.encoding, "")
        return {
            "encoding": self.encoding,
            "by": self.by,
            "query": self.query[:_MAX_LINK_QUERY],
            "script": "" if self.script == ANY_SCRIPT else self.script,
            "only": ",".join(self.only),
            "order": self.order,
            "case": "ignore" if self.ignore_case else "",
            "token": str(token_id) if name == self.encoding else f"{name}:{token_id}",
        }

    def prune(self, available: Sequence[str]) -> None:
        """Drop encodings that no longer exist; ``available`` are the names of all."""
        if self.encoding not in available:
            self.encoding = DEFAULT_ENCODING
        if self.token and self.token[0] not in available:
            self.token = None

    def ask(self, by: str, query: str, only: Sequence[str], order: str, encoding: str | None = None) -> None:
        """Start a search without any other filter or a chosen token; in another encoding, if one is given."""
        self.encoding = encoding or self.encoding
        self.by = by
        self.query = query
        self.only = list(only)
        self.order = order
        self.script = ANY_SCRIPT
        self.ignore_case = False
        self.token = None

    def replace_first_query(self) -> None:
        """Empty the search field if it still holds the page's own query, which would hide tokens."""
        if self.query == FIRST_QUERY:
            self.query = ""

    @property
    def kept(self) -> tuple[Kept, ...]:
        """What the pills that are on keep."""
        return tuple(ONLY[word] for word in self.only)

    @property
    def filters_in_words(self) -> list[str]:
        """The filters that are on; the order is among them."""
        words = [word for word in ONLY if word in self.only]
        words += [self.script] if self.script != ANY_SCRIPT else []
        words += [self.order] if self.order != BY_ID else []
        return words + (["upper and lower case ignored"] if self.ignore_case else [])


def _read_token(value: str, name: str, available: Sequence[str]) -> tuple[str, int] | None:
    """A link's token: an id, or an encoding and an id, such as gpt2:5."""
    if ":" in value:
        name, _, value = value.rpartition(":")
    if name in available and value.isascii() and value.isdigit() and len(value) < 12:
        return name, int(value)
    return None
