"""What is asked for on the page Vocabulary: an encoding, a search in it, and a token to look at."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from pages.session.page_state import Field, Link, LinkValues, PageState, grown_since, leave_out
from tokenizers.measure import Filters, SearchBy

DEFAULT_ENCODING = "o200k_base"
DEFAULT_OTHERS = ("gpt2", "cl100k_base", "o200k_base", "grove-udhr-8k")
"""With which shared tokens are counted at first. Each encoding that is named has to be loaded."""

ANY_SCRIPT = "any script"
BY: dict[str, SearchBy] = {"text": "text", "regex": "regex", "bytes": "bytes", "id": "id"}
# What a pill says, and the filter behind it.
ONLY = {
    "leading space": "leading_space",
    "white space": "whitespace",
    "digits": "digits",
    "not valid UTF-8 alone": "not_utf8",
    "special": "special",
    "does not encode to itself": "unreachable",
}
BY_ID, LONGEST_FIRST, SHORTEST_FIRST = ORDERS = ("by id", "longest first", "shortest first")
MAX_LENGTH = 100_000
"""The greatest length of a token that can be asked for, in bytes or characters."""

# In a link: an order's first word, "ignore" for both cases, and lengths such as 3-7, 3- or -7.
_LINKED_ORDERS = {"longest": LONGEST_FIRST, "shortest": SHORTEST_FIRST}
_DEFAULTS: LinkValues = {
    "encoding": DEFAULT_ENCODING,
    "by": "text",
    "query": "token",
    "script": "",
    "only": "",
    "order": "",
    "case": "",
    "bytes": "",
    "chars": "",
    "others": ",".join(DEFAULT_OTHERS),
}
_LONGEST_QUERY = 500  # characters, in a link


@dataclass
class VocabularyState(PageState):
    """What the page shows.

    Attributes:
        encoding: in which is searched.
        by: a key of ``BY``.
        query: what is searched for.
        only: keys of ``ONLY``: what a token has to be.
        script: its script, or ``ANY_SCRIPT``. That of a link may not be in the vocabulary.
        order: of ``ORDERS``.
        ignore_case: whether upper and lower case are alike.
        min_bytes, max_bytes, min_chars, max_chars: bounds of its length; None: any.
        token: whose biography is shown: its encoding and id; None: one to begin with.
        others: with which the encoding shares tokens.
        grown: the encodings that were grown in this session when the page was drawn last.
        note: to be said once.
    """

    PAGE: ClassVar[str] = "vocabulary"

    encoding: Field[str] = Field(DEFAULT_ENCODING)
    by: Field[str] = Field("text")
    query: Field[str] = Field("token")
    only: Field[list[str]] = Field([])
    script: Field[str] = Field(ANY_SCRIPT)
    order: Field[str] = Field(BY_ID)
    ignore_case: Field[bool] = Field(False)
    min_bytes: Field[int | None] = Field(None)
    max_bytes: Field[int | None] = Field(None)
    min_chars: Field[int | None] = Field(None)
    max_chars: Field[int | None] = Field(None)
    token: Field[tuple[str, int] | None] = Field(None)
    others: Field[list[str]] = Field(list(DEFAULT_OTHERS))
    grown: Field[list[str]] = Field([])
    note: Field[str] = Field("")

    @classmethod
    def from_link(cls, link: Link, available: Sequence[str]) -> Self:
        """What a link asks for.

        Args:
            link: the address.
            available: the names of all encodings.
        """
        encoding = link.text("encoding", DEFAULT_ENCODING)
        is_here = encoding in available
        state = cls(
            encoding=encoding if is_here else DEFAULT_ENCODING,
            by=link.choice("by", BY, "text"),
            query=link.text("query", "" if "token" in link else "token"),
            only=[word for word in link.names("only") if word in ONLY],
            script=link.text("script") or ANY_SCRIPT,
            order=_LINKED_ORDERS.get(link.text("order"), BY_ID),
            ignore_case=link.text("case") == "ignore",
            others=[
                name
                for name in (link.names("others") if "others" in link else DEFAULT_OTHERS)
                if name in available
            ],
        )
        state.min_bytes, state.max_bytes = read_lengths(link.text("bytes"))
        state.min_chars, state.max_chars = read_lengths(link.text("chars"))
        if is_here:  # otherwise the token is that of an encoding that is not
            state.token = _read_token(link.text("token"), encoding, available)
        else:
            state.note = (
                f"This link names an encoding that is not here, {encoding!r}: {state.encoding} is shown "
                "instead."
            )
        return state

    def to_link(self) -> LinkValues:
        """What is not as on the first visit."""
        now: LinkValues = {
            "encoding": self.encoding,
            "by": self.by,
            "query": self.query[:_LONGEST_QUERY],
            "script": "" if self.script == ANY_SCRIPT else self.script,
            "only": ",".join(self.only),
            "order": "" if self.order == BY_ID else self.order.split()[0],
            "case": "ignore" if self.ignore_case else "",
            "bytes": write_lengths(self.min_bytes, self.max_bytes),
            "chars": write_lengths(self.min_chars, self.max_chars),
            # One's own do not travel in a link.
            "others": ",".join(name for name in self.others if name not in self.grown) or "none",
        }
        values = leave_out(now, _DEFAULTS)
        if self.token:
            name, token_id = self.token
            values["token"] = str(token_id) if name == self.encoding else f"{name}:{token_id}"
            values["query"] = now["query"]  # without it, a link with a token asks for all of them
        return values

    def to_tab(self) -> LinkValues:
        """The link, and one's own encodings among those that are compared with."""
        return {**self.to_link(), "others": ",".join(self.others) or "none"}

    def look_into(self, encoding: str) -> None:
        """How another page leads here: with an encoding that was just grown."""
        self.encoding = encoding

    def prune(self, available: Sequence[str], grown: Collection[str]) -> None:
        """Choose what was grown since; drop what is no longer there.

        Args:
            available: the names of all encodings.
            grown: those of them that were grown in this session.
        """
        new = grown_since(self.grown, grown, self.others)
        if new:
            self.others = [*self.others, *new]
        self.grown = list(grown)
        self.let_go(VocabularyState.others, available)
        if self.encoding not in available:
            self.encoding = DEFAULT_ENCODING
        if self.token and self.token[0] not in available:
            self.token = None

    def ask(self, by: str, query: str, only: Sequence[str], order: str, encoding: str | None = None) -> None:
        """Search for this, without any other filter; in another encoding, if it is about one."""
        self.encoding = encoding or self.encoding
        self.by, self.query, self.only, self.order = by, query, list(only), order
        self.script, self.ignore_case = ANY_SCRIPT, False
        self.min_bytes = self.max_bytes = self.min_chars = self.max_chars = None

    @property
    def filters(self) -> Filters:
        """The filters that are on."""
        flags: dict[str, Any] = {ONLY[word]: True for word in self.only}
        script = None if self.script == ANY_SCRIPT else self.script
        return Filters(script, self.min_bytes, self.max_bytes, self.min_chars, self.max_chars, **flags)

    @property
    def n_set(self) -> int:
        """How many filters are on; the order counts, too."""
        bounds = (self.min_bytes, self.max_bytes, self.min_chars, self.max_chars)
        n_others = sum([self.script != ANY_SCRIPT, self.order != BY_ID, self.ignore_case])
        return len(self.only) + sum(bound is not None for bound in bounds) + n_others

    @property
    def filters_in_words(self) -> str:
        """The filters that are on, in words: their fields may be folded away."""
        on = [word for word in ONLY if word in self.only]
        on += [self.script] if self.script != ANY_SCRIPT else []
        for unit, least, most in (
            ("bytes", self.min_bytes, self.max_bytes),
            ("characters", self.min_chars, self.max_chars),
        ):
            if least is not None or most is not None:
                on.append(f"{least or 0:,} {'or more' if most is None else f'to {most:,}'} {unit}")
        on += [self.order] if self.order != BY_ID else []
        on += ["upper and lower case ignored"] if self.ignore_case else []
        return ", ".join(on)


def _read_token(value: str, name: str, available: Sequence[str]) -> tuple[str, int] | None:
    """A link's token: its id, with the encoding before it if that is another one."""
    if ":" in value:
        name, _, value = value.rpartition(":")
    if name in available and value.isascii() and value.isdigit() and len(value) < 12:
        return name, int(value)
    return None


def read_lengths(value: str) -> tuple[int | None, int | None]:
    """A link's lengths; impossible ones are None.

    >>> read_lengths("3-7"), read_lengths("-7"), read_lengths("9999999-x")
    ((3, 7), (None, 7), (None, None))
    """
    match = re.fullmatch(r"([0-9]{0,6})-([0-9]{0,6})", value)
    least, most = (int(number) if number else None for number in match.groups()) if match else (None, None)
    return (least, most) if max(least or 0, most or 0) <= MAX_LENGTH else (None, None)


def write_lengths(least: int | None, most: int | None) -> str:
    """Lengths for a link.

    >>> write_lengths(3, 7), write_lengths(None, 7), write_lengths(None, None)
    ('3-7', '-7', '')
    """
    if least is None and most is None:
        return ""
    return f"{'' if least is None else least}-{'' if most is None else most}"
