"""What a person has on the playground, for as long as the session lasts.

The browser's component forgets everything when the page is left; this does not. ``editor_message.py`` applies
what the browser says to it, and ``panels.py`` works out the text in each encoding.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import tokenizers as tk
from pages.session.grown import Grown
from pages.session.guessed_file import GuessedFile, read_file
from pages.session.own_texts import OwnTexts
from pages.session.panels import Panels
from tokenizers import limits
from tokenizers.amounts import bytes_in_words
from tokenizers.data import FIRST_MODEL
from tokenizers.encoding import Encoding
from tokenizers.formats import estimate_room
from tokenizers.text import (
    MAX_BYTES,
    Page,
    Spans,
    TextMap,
    check_size,
    common_prefix,
    common_suffix,
    paginate,
)

LIVE_BYTES = 128 * 1024
"""Texts up to this long are drawn whole and edited live; longer ones are shown page by page."""

SPLIT_SECONDS = float(limits.PATTERN_SECONDS)
"""How long a person's own split pattern may take on a text here."""

MAX_PANELS = 12

MAX_OWN = 40
MAX_OWN_BYTES = 200 << 20
"""How many encodings of its own a session may have, and how many bytes their files together."""

MAX_OWN_MEMORY = limits.OWN_ENCODINGS_MEMORY_MB * limits.MB
"""Bytes of memory that they may take together, by an upper estimate: one of Gemma's size takes half."""

_MERGE_MEMORY = 1_000  # bytes for each merge that was trained here
_MERGE_BYTES = 14  # for each merge in a file: two ids of up to six digits, a blank, a line end

DEFAULT_ENCODINGS = ["gpt2", "cl100k_base", "o200k_base"]
WELCOME = (
    "Tokens aren’t words. Unbelievably, 1234567890 is four of them…\n"
    "안녕하세요, Привет! 👩‍🚀 नमस्ते\n"
    "def add(a, b):\n        return a + b  # tabs & spaces"
)


def first_encodings() -> list[str]:
    """What the first screen compares: an encoding that was grown here, beside tiktoken's."""
    return [FIRST_MODEL, *DEFAULT_ENCODINGS]


@dataclass(frozen=True)
class Pin:
    """The token that the inspector shows: its encoding, and the byte of the text at which it starts."""

    encoding: str
    start: int


WELCOME_PIN = Pin("cl100k_base", WELCOME.encode().index(b"belie"))


@dataclass
class Workspace:
    """The text, the encodings and the switches of one session."""

    text: str = WELCOME
    session: str = field(default_factory=lambda: secrets.token_hex(6))
    revision: int = 1  # rises when the server changes the text in the editor, not when a person types
    encodings: list[str] = field(default_factory=lambda: list(DEFAULT_ENCODINGS))
    view: str = "text"
    size: str = "normal"
    whitespace: bool = True
    walls: bool = False
    only_here: bool = True
    special_as_tokens: bool = False
    adds_frame: bool = False  # also count and draw the tokens that an encoding's publisher adds around a text
    page: int = 0
    pin: Pin | None = None
    note: str = ""  # a sentence about the last file, link or refusal
    note_is_error: bool = False
    wants_biography: tuple[str, int] | None = None  # (encoding, id): go to its page
    wants_to_bring: bool = False  # go to the page that takes an encoding from a file
    guessed_file: GuessedFile | None = None  # the text's file, if its character set is a guess
    set_aside: str | None = None  # the text that was replaced last, which can be brought back
    set_aside_page: int = 0  # the page of it that was drawn
    text_before: str | None = None  # the text that was there before show_token
    page_before: int = 0  # the page of it that was drawn
    grown: dict[str, Encoding] = field(default_factory=dict)  # the session's own: trained or brought
    growth: dict[str, Grown] = field(default_factory=dict)  # how each was trained, or where it came from
    own_texts: OwnTexts = field(init=False, repr=False)  # the playground's text is one of them
    panels: Panels = field(init=False, repr=False)  # the text in each encoding
    seq: int = 0  # the number of the last message that was applied
    last_action: int = 0
    text_changes: int = 0
    linked: dict[str, Any] = field(default_factory=dict)  # the link that the session began with
    last_link: tuple[dict[str, Any], tuple[str | None, bool]] | None = None  # (its state, the link)
    _token_text: str | None = None  # the text that show_token put into the editor
    _text_map: TextMap | None = None
    _map_before: TextMap | None = None  # of the text before the last edit, until the next one is made
    _pages: list[Page] | None = None

    def __post_init__(self) -> None:
        self.own_texts = OwnTexts(lambda: self.text_map.text)
        self.panels = Panels(self)

    # The text and what follows from it

    def set_text(self, text: str, *, by_typing: bool = False) -> None:
        """Take a new text, and drop everything that was computed from the old one.

        Raises:
            ValueError: it is too long. The old text stays.
        """
        if len(text) > MAX_BYTES // 4:  # a shorter one has at most MAX_BYTES; counting takes time
            check_size(len(tk.well_formed(text).encode("utf-8")), "This text")
        if text == self.text:
            return
        before, was_long = self.text_map, self.is_long
        self.text = text
        self.text_changes += 1
        self.guessed_file = None
        # The old map only speeds up the next key, and a long text is never typed into.
        self._text_map, self._map_before = None, None if was_long else before
        self.panels.take_new_text(is_typed_into=not was_long)
        self._pages = None
        self.page = 0
        if not by_typing:
            self.revision += 1
        if self.pin is not None:
            self.pin = _follow(self.pin, before.data, self.text_map.data)

    def show_token(self, name: str, token_id: int, text: str, *, special: bool = False) -> None:
        """Show a text that has this token, and pin the token; the text before can be brought back."""
        if self.text not in (text, self._token_text):
            self.text_before, self.page_before = self.text, self.page
        self.set_text(text)
        self._token_text = text
        if name not in self.encodings:
            self.encodings = [*self.encodings[: MAX_PANELS - 1], name]
        if special:
            self.special_as_tokens = True
        spans = self.spans(name)
        places = spans.starts[spans.ids == token_id]
        self.pin = Pin(name, int(places[0])) if len(places) else None

    def bring_back(self) -> None:
        """Show the text again that ``show_token`` replaced."""
        if self.text_before is not None:
            try:
                self.set_text(self.text_before)
            except ValueError as problem:  # the server has no memory for it at the moment, but may later
                self.note, self.note_is_error = str(problem), True
                return
            self.text_before = None
            self.turn_to(self.page_before)

    @property
    def text_map(self) -> TextMap:
        """The text, with its ways of counting."""
        if self._text_map is None:
            self._text_map = TextMap(self.text, before=self._map_before)
            self._map_before = None
        return self._text_map

    @property
    def is_long(self) -> bool:
        """Whether the text is shown page by page."""
        return self.text_map.n_bytes > LIVE_BYTES

    @property
    def pages(self) -> list[Page]:
        """The pages of a long text."""
        if self._pages is None:
            self._pages = paginate(self.text_map.text)
        return self._pages

    def turn_to(self, page: int) -> None:
        """Show that page of a long text, or the nearest that it has."""
        self.page = max(0, min(page, len(self.pages) - 1)) if self.is_long else 0

    def spans(self, name: str) -> Spans:
        """The text in an encoding, computed once.

        Raises:
            ValueError, OSError: the encoding cannot be loaded; says why.
        """
        return self.panels.spans(name)

    # Encodings

    def put_first(self, *names: str) -> None:
        """Show these encodings in the first panels, and then as many of the others as there is room for."""
        others = (name for name in self.encodings if name not in names)
        self.encodings = [*names, *others][:MAX_PANELS]

    def encoding_names(self) -> list[str]:
        """Every encoding that this session can choose: tiktoken's, the bundled ones, its own."""
        return [*tk.list_encodings(), *self.grown]

    def encoding(self, name: str) -> Encoding:
        """The encoding of that name.

        Raises:
            ValueError, OSError: it cannot be loaded; says why.
        """
        return self.grown[name] if name in self.grown else tk.get_encoding(name)

    def is_token(self, token_id: object, name: str) -> TypeGuard[int]:
        """Whether this is the id of a token in the encoding of that name, and the encoding can be loaded."""
        if not isinstance(token_id, int) or isinstance(token_id, bool):
            return False
        try:
            self.encoding(name).token_bytes(token_id)
        except (ValueError, OSError):
            return False
        return True

    @property
    def own_bytes(self) -> int:
        """Bytes of the files of the session's own encodings together; of trained ones, an upper bound."""
        return sum(map(file_bytes, self.grown.values()))

    def check_room(self, n_bytes: int = 0, memory: int = 0) -> None:
        """Refuse one more encoding of the session's own, before any work starts.

        Args:
            n_bytes: of its file.
            memory: bytes of memory that the encoding takes, estimated.

        Raises:
            ValueError: there is no room for it; says what to do.
        """
        if len(self.grown) >= MAX_OWN:
            raise ValueError(
                f"There are {MAX_OWN} encodings of your own, and a session takes no more: remove one first."
            )
        if self.own_bytes + n_bytes > MAX_OWN_BYTES:
            raise ValueError(
                f"The files of your own encodings may have {bytes_in_words(MAX_OWN_BYTES)} together, and "
                f"this one ({bytes_in_words(n_bytes)}) is too much beside those that are here: remove one "
                "first."
            )

        taken = sum(map(own_memory, self.grown.values()))
        if taken + memory > MAX_OWN_MEMORY:
            raise ValueError(
                f"Your own encodings may take about {bytes_in_words(MAX_OWN_MEMORY)} of memory together. "
                f"Those that are here may take {bytes_in_words(taken)}, and this one "
                f"{bytes_in_words(memory)}: remove one first."
            )

    def bring(self, encoding: Encoding, growth: Grown) -> str:
        """Put an encoding from a file into every chooser, and into the first panel; returns its name.

        Raises:
            ValueError: there is no room for it.
        """
        self.check_room(file_bytes(encoding), own_memory(encoding))
        name = self.add_grown(encoding)
        self.growth[name] = growth
        self.put_first(name)
        return name

    def add_grown(self, encoding: Encoding) -> str:
        """Put an encoding of the session's own into every chooser; returns the name that it gets there.

        A name that is taken gets a number at its end. Invisible characters are left out: one that changes the
        direction of writing would also change that of the text around the name.
        """
        name = self._free_name(encoding.name)
        encoding.name = name
        encoding.split_timeout = SPLIT_SECONDS
        self.grown[name] = encoding
        return name

    def _free_name(self, wanted: str) -> str:
        seen = "".join(char if char.isprintable() else " " for char in wanted)
        base = " ".join(seen.split())[:40].strip() or "grove"
        name, number = base, 2
        while name in self.encoding_names():
            name, number = f"{base}-{number}", number + 1
        return name

    def rename_grown(self, name: str, wanted: str) -> str:
        """Give one of the session's own encodings another name; returns the name that it gets.

        Raises:
            ValueError: the name is empty.
        """
        if not wanted.strip():
            raise ValueError("A name needs at least one letter. The old one stays.")
        if wanted.strip() == name:
            return name
        new = self._free_name(wanted)
        # The order is kept, because the colour of each on every page goes by it.
        self.grown = {new if each == name else each: encoding for each, encoding in self.grown.items()}
        self.grown[new].name = new
        self.growth = {new if each == name else each: growth for each, growth in self.growth.items()}
        self.encodings = [new if each == name else each for each in self.encodings]
        if self.pin is not None and self.pin.encoding == name:
            self.pin = Pin(new, self.pin.start)
        self.panels.forget(name)
        return new

    def remove_grown(self, name: str) -> None:
        """Remove one of the session's own encodings."""
        self.grown.pop(name, None)
        self.growth.pop(name, None)
        self.encodings = [other for other in self.encodings if other != name]
        self.panels.forget(name)

    # Another text in the editor

    def open_file(self, name: str, raw: bytes) -> None:
        """Put a file's text into the editor.

        Raises:
            ValueError: too large or not a text. The old text stays.
        """
        decoded, guessed = read_file(raw, name)
        if not decoded.text:
            raise ValueError(f"{name} is empty, so your text stays as it is.")
        self.open_text(decoded.text)
        self.guessed_file = guessed
        self.note = f"{name}: {len(raw):,} bytes, {decoded.how}."
        try:
            self.own_texts.add(name, decoded.text, how=decoded.how, guessed=guessed)
        except ValueError as problem:
            self.note += f" It is in the editor, but not among your texts: {problem}"

    def read_file_as(self, codec: str) -> None:
        """Read the file that the text comes from in another character set.

        Raises:
            ValueError: it is not in that one. The text stays.
        """
        if self.guessed_file is None:
            raise ValueError("The text is no longer as it was in the file. Open the file again.")
        decoded, guessed = self.guessed_file.read_as(codec)
        for own in self.own_texts.brought:
            if own.guessed == self.guessed_file:
                self.own_texts.read_again(own.key, codec)
        self.set_text(decoded.text)
        self.guessed_file = guessed
        self.note = f"{guessed.name}: {len(guessed.data):,} bytes, {decoded.how}."

    def open_text(self, text: str) -> None:
        """Replace the text; the one that was there is set aside, and can be brought back.

        Raises:
            ValueError: it is too long. The old text stays.
        """
        before, page = self.text, self.page
        self.set_text(text)
        if before != text:
            self.set_aside, self.set_aside_page = before, page
        if self.is_long:
            self.note = f"This text is longer than {bytes_in_words(LIVE_BYTES)}, so it is shown page by page."

    def open_own(self, key: str) -> None:
        """Put one of the session's own texts into the editor."""
        own = self.own_texts[key]
        self.take(own.text)
        self.guessed_file = own.guessed

    def take(self, text: str) -> None:
        """As ``open_text``, for a button: an error becomes a note."""
        self.note, self.note_is_error = "", False
        try:
            self.open_text(text)
        except ValueError as problem:
            self.note, self.note_is_error = str(problem), True


def file_bytes(encoding: Encoding) -> int:
    """Bytes of the file that an encoding came from; of a trained one, an upper bound of its file's.

    >>> file_bytes(tk.train("the cat and the hat", 258))
    28
    """
    if encoding.saved is not None:
        return len(encoding.saved)
    return 0 if encoding.training is None else _MERGE_BYTES * len(encoding.training.merges)


def own_memory(encoding: Encoding) -> int:
    """Bytes of memory that an encoding of the session's own takes: an upper estimate, by its file."""
    return encoding.kept(_estimate_memory)


def _estimate_memory(encoding: Encoding) -> int:
    if encoding.saved is not None:
        return estimate_room(encoding.saved)
    return 0 if encoding.training is None else _MERGE_MEMORY * len(encoding.training.merges)


def _follow(pin: Pin, before: bytes, after: bytes) -> Pin | None:
    """Where the pinned byte is after an edit; None if it lies in the part that was changed."""
    same_start = common_prefix(before, after)
    if pin.start < same_start:
        return pin
    same_end = common_suffix(before, after, min(len(before), len(after)) - same_start)
    if pin.start >= len(before) - same_end:
        return Pin(pin.encoding, pin.start + len(after) - len(before))
    return None
