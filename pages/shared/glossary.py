"""Reads the words (assets/words.toml): one meaning for each, with a page that shows it or a source."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from pages.session.links import pack_state
from pages.session.menu import MENU
from pages.shared.markdown import escape
from tokenizers.encoding import ASSETS
from tokenizers.json_types import JsonMapping


@dataclass(frozen=True, slots=True)
class Word:
    """A word and what it means.

    Attributes:
        name: the word.
        meaning: in a sentence or two.
        example: one; empty: none.
        address: of a page that shows it, with what it has to show; empty: none does.
        source: who says so, and where.
    """

    name: str
    meaning: str
    example: str = ""
    address: str = ""
    source: tuple[str, str] | None = None

    @property
    def page(self) -> str:
        """The page that shows it, one of ``MENU``."""
        return self.address.removeprefix("./").partition("?")[0] or "playground"

    def holds(self, wanted: str) -> bool:
        """Whether the word, its meaning or its example has this in it, in capitals or not."""
        return wanted.casefold() in f"{self.name}\n{self.meaning}\n{self.example}".casefold()

    def in_markdown(self) -> str:
        """The entry, as the page draws it.

        >>> print(Word("rank", "The order of merges.", "2 * 3", "./by_hand?text=a b").in_markdown())
        **rank**
        The order of merges.
        *2 \\* 3*
        :small[[Grow · By hand](./by_hand?text=a b)]
        """
        lines = [f"**{escape(self.name)}**", escape(self.meaning)]
        if self.example:
            lines.append(f"*{escape(self.example)}*")
        links = [f"[{MENU[self.page]}]({self.address})"] if self.address else []
        if self.source:
            links.append(f"[{escape(self.source[0])}]({self.source[1]})")
        if links:
            lines.append(f":small[{' · '.join(links)}]")
        return "  \n".join(lines)


@functools.cache
def read_words() -> tuple[Word, ...]:
    """All words, in the order of the file.

    >>> word = next(word for word in read_words() if word.name == "prompt")
    >>> word.meaning, word.address
    ('The text that you give to a language model.', './lessons?lesson=spaces')
    """
    table = tomllib.loads((ASSETS / "words.toml").read_text("utf-8"))
    return tuple(
        Word(
            row["name"],
            row["meaning"],
            row.get("example", ""),
            _address(row["page"], row.get("shows", {})) if "page" in row else "",
            tuple(row["source"]) if "source" in row else None,
        )
        for row in table["word"]
    )


def _address(page: str, shows: JsonMapping) -> str:
    if page == "playground":
        return f"./?s={pack_state(dict(shows))}"
    return f"./{page}" + (f"?{urlencode(shows)}" if shows else "")


def meanings_of(names: Sequence[str]) -> dict[str, str]:
    """The meanings of these words, in this order.

    Raises:
        KeyError: there is no such word.

    >>> meanings_of(["prompt"])
    {'prompt': 'The text that you give to a language model.'}
    """
    meanings = {word.name: word.meaning for word in read_words()}
    return {name: meanings[name] for name in names}
