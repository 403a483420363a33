"""A session's own texts: added once, and available on every page. (``saved_items.py`` saves them.)

A text is pasted, uploaded, or copied from the playground. The playground's present text is one of them, too.
All limits on added texts are here. A page with a smaller limit defines it in its own folder, and shows it. A
file whose character set is a guess can be read again in another one.
"""

from __future__ import annotations

import functools
import hashlib
import re
import threading
from collections.abc import Callable, Collection, ItemsView, Iterable, Iterator, Mapping, ValuesView
from dataclasses import dataclass, field, replace

from tokenizers import kernels, limits
from tokenizers.amounts import bytes_in_words
from tokenizers.data import utf8_length
from tokenizers.text import MAX_TEXT_BYTES, check_size, decode_file
from tokenizers.utf8 import utf8_of, well_formed

MAX_TEXTS = 100
MAX_ALL_BYTES = limits.OWN_TEXTS_MB * limits.MB
"""All texts of a session together: as much as an encoding can be trained on."""

MAX_TITLE = 60  # characters, without the number that makes a title unique

LIMITS = (
    f"Up to {MAX_TEXTS} texts, {bytes_in_words(MAX_TEXT_BYTES)} each and {bytes_in_words(MAX_ALL_BYTES)} "
    "together."
)
"""The limits in words."""

PLAYGROUND = "playground"
"""The key of the playground's text, also in links."""

PLAYGROUND_TITLE = "Playground text"
UNNAMED = "My text"
_OWN = "own-"
_KEY = re.compile(f"{_OWN}([1-9][0-9]{{0,5}})")
_JOINERS = "\u200c\u200d"  # not printable, but parts of words and of emoji


def digest_of(text: str) -> str:
    """A hash of a text, sixteen hex digits."""
    return hashlib.sha256(utf8_of(text)).hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class OwnText:
    """An added text. It is immutable: a new title or character set makes a new object with the same key.

    Attributes:
        key: identifies the text.
        title: its name, unique in the session.
        text: well-formed, and not empty unless it is the playground's.
        how: how its file was read; empty: it has no file.
        data, codec: the bytes of its file and their character set, if that is a guess.
    """

    key: str
    title: str
    text: str
    how: str = ""
    data: bytes = b""
    codec: str = ""

    @functools.cached_property
    def n_bytes(self) -> int:
        """Its length in bytes of UTF-8."""
        return utf8_length(self.text)

    @functools.cached_property
    def digest(self) -> str:
        """A hash of the text, sixteen hex digits."""
        return digest_of(self.text)


@dataclass
class AddedFiles:
    """The result of adding several files.

    Attributes:
        keys: the keys of their texts, also of texts that existed before.
        notes: sentences about the texts.
        problems: a sentence for each refused file.
    """

    keys: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class OwnTexts(Mapping[str, OwnText]):
    """A session's texts by key, in the order of their addition; the playground's is last.

    Requests and page runs use it at the same time. A change holds the lock and makes a new dict, so readers
    need no lock.

    Args:
        playground: returns the playground's present text, well-formed.

    >>> own = OwnTexts(lambda: "what is in the editor")
    >>> own.add("notes", "a text"), own.add("notes", "another"), own.add("copy", "a text")
    ('own-1', 'own-2', 'own-1')
    >>> [text.title for text in own.values()]
    ['notes', 'notes 2', 'Playground text']
    """

    def __init__(self, playground: Callable[[], str]) -> None:
        self._texts: dict[str, OwnText] = {}
        self._next_number = 1
        self._playground = playground
        self._live: OwnText | None = None
        self._lock = threading.Lock()

    def __getitem__(self, key: str) -> OwnText:
        if key != PLAYGROUND:
            return self._texts[key]
        text = self._playground()
        live = self._live
        if live is None or live.text is not text:
            live = self._live = OwnText(PLAYGROUND, PLAYGROUND_TITLE, text)
        return live

    def __iter__(self) -> Iterator[str]:
        yield from self._texts
        yield PLAYGROUND

    def __len__(self) -> int:
        return len(self._texts) + 1

    # Those of Mapping look each key up again, and it may be removed by then.

    def items(self) -> ItemsView[str, OwnText]:
        """The present texts by key."""
        return self._present().items()

    def values(self) -> ValuesView[OwnText]:
        """The present texts."""
        return self._present().values()

    def _present(self) -> dict[str, OwnText]:
        return {**self._texts, PLAYGROUND: self[PLAYGROUND]}

    @property
    def uploaded(self) -> list[OwnText]:
        """All but the playground's."""
        return list(self._texts.values())

    def add(
        self, title: str, text: str, *, how: str = "", data: bytes = b"", codec: str = "", key: str = ""
    ) -> str:
        """Add a text, and return its key. A text that exists already keeps its first key and title.

        Args:
            title: its title; a number makes it unique.
            text: the text. Lone surrogates in it are replaced.
            how: how its file was read.
            data, codec: see ``OwnText``.
            key: its key in an earlier session, which it gets again if that is free.

        Raises:
            ValueError: it is empty or too long, or there is no room for it; the message is one sentence.
        """
        title = clean_title(title) or UNNAMED
        if not text:
            raise ValueError(f"{title} is empty: there is no text in it.")
        check_size(len(text), title)  # a lower bound in bytes, which is quick to find
        kernels.expect(len(text))
        text = well_formed(text)
        with self._lock:
            if _KEY.fullmatch(key) is None or key in self._texts:
                key = f"{_OWN}{self._next_number}"
            new = OwnText(key, unused_name(title, self._titles()), text, how, data, codec)
            check_size(new.n_bytes, title)
            for own in self._texts.values():
                if own.n_bytes == new.n_bytes and own.text == new.text:
                    return own.key
            if len(self._texts) >= MAX_TEXTS:
                raise ValueError(f"{title} is one too many: remove one of your {MAX_TEXTS} texts first.")
            self._check_room(new, title)
            self._next_number = max(self._next_number, int(key.removeprefix(_OWN)) + 1)
            self._texts = {**self._texts, key: new}
        return key

    def add_file(self, name: str, data: bytes, codec: str | None = None, key: str = "") -> str:
        """Add the text of a file, as ``add`` does. If its character set is a guess, it can be read again.

        Args:
            name: its name.
            data: its bytes.
            codec: a key of ``CHARSETS`` that a person chose; None: it is guessed, unless the file says it.
            key: as in ``add``.

        Raises:
            ValueError: it is not a text, or not in that character set; or as ``add`` says.
        """
        decoded = decode_file(data, name, codec)
        kept = data if decoded.is_guess or codec else b""
        return self.add(name, decoded.text, how=decoded.how, data=kept, codec=decoded.codec, key=key)

    def add_files(self, files: Iterable[tuple[str, Callable[[], bytes]]]) -> AddedFiles:
        """Add several files, each given by its name and a function that reads its bytes."""
        result = AddedFiles()
        for name, read in files:
            name = clean_title(name) or "The file"
            try:
                if len(self._texts) >= MAX_TEXTS:  # before it is read: there may be very many
                    raise ValueError(f"{name} is one too many: remove one of your {MAX_TEXTS} texts first.")
                known = set(self._texts)
                key = self.add_file(name, read())
            except ValueError as problem:
                result.problems.append(str(problem))
                continue
            if key not in result.keys:
                result.keys.append(key)
            if key in known:
                result.notes.append(say_same(name, self._texts[key].title))
        return result

    def unchanged(self, digests: Mapping[str, str]) -> dict[str, OwnText]:
        """The texts with these keys that still have these digests, by key."""
        return {key: text for key, text in self.items() if digests.get(key) == text.digest}

    def rename(self, key: str, title: str) -> None:
        """Rename a text; a number makes the title unique.

        Raises:
            ValueError: the title is empty.
        """
        title = clean_title(title)
        if not title:
            raise ValueError("A text needs a name. It keeps its old one.")
        with self._lock:
            old = self._texts[key]
            new = replace(old, title=unused_name(title, self._titles() - {old.title}))
            self._texts = {**self._texts, key: new}

    def read_again(self, key: str, codec: str) -> None:
        """Read a text's file again in another character set.

        Raises:
            ValueError: the file is not in that character set, or the new text is too long. The text stays.
        """
        old = self._texts[key]
        if not old.data:
            return
        decoded = decode_file(old.data, old.title, codec)
        new = replace(old, text=well_formed(decoded.text), how=decoded.how, codec=codec)
        with self._lock:
            self._check_room(new, old.title)
            self._texts = {**self._texts, key: new}

    def remove(self, key: str) -> None:
        """Remove a text, unless it is the playground's."""
        with self._lock:
            self._texts = {each: own for each, own in self._texts.items() if each != key}

    def _titles(self) -> set[str]:
        return {PLAYGROUND_TITLE, *(own.title for own in self._texts.values())}

    def _check_room(self, new: OwnText, title: str) -> None:
        others = sum(own.n_bytes for own in self._texts.values() if own.key != new.key)
        if others + new.n_bytes > MAX_ALL_BYTES:
            raise ValueError(
                f"{title} is too much: your texts may have {bytes_in_words(MAX_ALL_BYTES)} together. Remove "
                "one of the others first."
            )


def is_own_key(key: str) -> bool:
    """Whether a key is the key of an own text, which may have been removed.

    >>> is_own_key("own-3"), is_own_key("playground"), is_own_key("udhr:eng")
    (True, True, False)
    """
    return key == PLAYGROUND or key.startswith(_OWN)


def clean_title(title: str) -> str:
    """A title in one line of up to ``MAX_TITLE`` visible characters; … replaces the rest of a longer one.

    It has no direction marks, which would also turn the text around the title.

    >>> clean_title("  my\\n notes\\u202e.txt ")
    'my notes .txt'
    """
    visible = "".join(char if char.isprintable() or char in _JOINERS else " " for char in title[:1000])
    line = " ".join(visible.split())
    return line if len(line) <= MAX_TITLE else f"{line[: MAX_TITLE - 1].strip()}…"


def say_same(name: str, title: str) -> str:
    """A sentence about a text that was added again.

    >>> say_same("copy.txt", "notes.txt"), say_same("notes.txt", "notes.txt")
    ('copy.txt is the same text as notes.txt, so it is not listed again.', 'notes.txt is here already.')
    """
    if name == title:
        return f"{title} is here already."
    return f"{name} is the same text as {title}, so it is not listed again."


def unused_name(name: str, used: Collection[str], joint: str = " ") -> str:
    """The name, with a number at its end if it is in use; ``joint`` comes before the number.

    >>> unused_name("notes", {"notes", "notes 2"}), unused_name("notes", {"other"})
    ('notes 3', 'notes')
    >>> unused_name("mine", {"mine"}, joint="-")
    'mine-2'
    """
    free = name
    number = 2
    while free in used:
        free = f"{name}{joint}{number}"
        number += 1
    return free
