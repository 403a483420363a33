"""The session's workspace: the text, the encodings and the switches of the playground, for all pages.

``editor_request.py`` applies a browser's request to it, ``panels.py`` encodes its text, and
``pages/explore/playground/answer.py`` describes the result for the browser.

Requests and page runs use it at the same time, in different threads. Methods that change it acquire its lock.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeGuard

import numpy.typing as npt

from pages.session.catalogue import read_samples
from pages.session.own_encodings import OwnEncoding, OwnEncodings
from pages.session.own_texts import OwnTexts
from pages.session.panels import LIVE_BYTES, Panels
from pages.session.tickets import issue_ticket
from pages.session.versions import Versions
from tokenizers.amounts import bytes_in_words
from tokenizers.encoding import Encoding
from tokenizers.measure import Comparison
from tokenizers.memory import give_back
from tokenizers.registry import FIRST_ENCODINGS
from tokenizers.text import MAX_TEXT_BYTES, Page, Spans, TextMap, check_size, decode_file, paginate
from tokenizers.utf8 import utf8_of

MAX_PANELS = 12

DEFAULT_ENCODINGS = list(FIRST_ENCODINGS[:3])
WELCOME = (
    "Tokens aren't words. Unbelievably, 1234567890 is several of them.\n"
    "def add(a, b):\n\treturn a + b  # a tab\n"
    "안녕하세요, Привет! 👩‍🚀 नमस्ते"
)


def first_encodings() -> list[str]:
    """The encodings of the first screen, the newest first: three of OpenAI's and a home-trained one."""
    return list(FIRST_ENCODINGS)


@dataclass(frozen=True)
class Pin:
    """The token that the inspector shows: its encoding, and the byte of the text at which it starts."""

    encoding: str
    start: int


class SetAside(NamedTuple):
    """A text that another one replaced: with the page that the editor showed, and its version."""

    text: str
    page: int
    version: int


class SentAnswer(NamedTuple):
    """An answer: its tag, the text that it is about, and the arrays to which the next one may refer."""

    tag: int = 0
    text: str = ""
    arrays: dict[tuple[str, str], npt.NDArray[Any]] = {}


@dataclass
class Switches:
    """The editor's switches, as they are at first. Each is a button in ``editor/component.html``, too.

    Attributes:
        figures: whether panels show bytes per token and the like.
        adds_frame: whether to count and draw the tokens that an encoding's publisher adds around a text.
    """

    figures: bool = False
    whitespace: bool = True
    walls: bool = False
    only_here: bool = False
    special_as_tokens: bool = False
    adds_frame: bool = False
    scrolls_together: bool = True


SWITCHES = [switch.name for switch in fields(Switches)]


@dataclass(eq=False)
class Workspace(Switches):
    """The text, the encodings and the switches of one session.

    Attributes:
        lock: the session lock. Every change of the workspace holds it.
        ticket: names the workspace in the browser's requests.
        versions: of the fields that browser and server share.
        page: the page of a long text that the editor shows.
        note: a sentence about the last file, link or refusal.
        set_aside: the text that was replaced last.
        presented_over: the long text before which a projector shows others.
        own_encodings: the session's own, trained or from files.
        own_texts: the session's own; the editor's text is one of them.
        panels: the text's tokens in each encoding.
        comparison: of the two encodings that were compared last.
        linked: the state in the link that opened the session.
        sent: the newest answer.
    """

    text: str = WELCOME
    encodings: list[str] = field(default_factory=lambda: list(DEFAULT_ENCODINGS))
    view: str = "text"
    page: int = 0
    pin: Pin | None = None
    note: str = ""
    note_is_error: bool = False
    set_aside: SetAside | None = None
    presented_over: SetAside | None = None
    comparison: Comparison | None = None
    linked: dict[str, Any] = field(default_factory=dict)
    sent: SentAnswer = field(default_factory=SentAnswer)
    _token_text: str | None = None  # the text that show_token put into the editor
    _pages: list[Page] | None = None

    def __post_init__(self) -> None:
        self.lock = threading.RLock()
        self.ticket = issue_ticket(self)
        self.own_encodings = OwnEncodings(self.lock)
        self.own_texts = OwnTexts(lambda: self.text_map.text)
        self.panels = Panels(TextMap(self.text), self.own_encodings, self.lock)
        self.versions = Versions(self.state)

    @property
    def state(self) -> dict[str, Any]:
        """The fields of the editor's state, which browser and server share."""
        pin = self.pin
        return {
            "text": self.text,
            "page": self.page,
            "pin": None if pin is None else {"encoding": pin.encoding, "start": pin.start},
            "encodings": self.encodings,
            "view": self.view,
            **{switch: getattr(self, switch) for switch in SWITCHES},
        }

    # The text

    @property
    def text_map(self) -> TextMap:
        """The text with the places of its characters."""
        return self.panels.text_map

    def set_text(self, text: str, *, by_typing: bool = False) -> None:
        """Replace the text, and drop the results for the old one.

        Args:
            text: the new text.
            by_typing: whether the browser shows it already.

        Raises:
            ValueError: it is too long. The old text stays.
        """
        if len(text) > MAX_TEXT_BYTES // 4:  # a shorter one has at most MAX_TEXT_BYTES; counting takes time
            check_size(len(utf8_of(text)), "This text")
        with self.lock:
            if text == self.text:
                return
            if by_typing and self.is_long:
                self.set_aside = self._present_text()
            self.text = text
            self.panels.set_text(TextMap(text))
            self._pages = None
            self.page = 0
            if not by_typing:
                self.pin = None

    def show_token(self, name: str, token_id: int, text: str, *, special: bool = False) -> None:
        """Show a text that has this token, and pin the token. ``go_back`` restores the old text."""
        with self.lock:
            if self.text not in (text, self._token_text):
                self.set_aside = self._present_text()
            self.set_text(text)
            self._token_text = text
            if name not in self.encodings:
                self.encodings = [*self.encodings[: MAX_PANELS - 1], name]
            if special:
                self.special_as_tokens = True
            spans = self.spans(name)
            places = spans.starts[spans.ids == token_id]
            self.pin = Pin(name, int(places[0])) if len(places) else None

    @property
    def is_long(self) -> bool:
        """Whether the text is shown page by page."""
        return self.panels.is_long

    @property
    def pages(self) -> list[Page]:
        """The pages of a long text."""
        if self._pages is None:
            self._pages = paginate(self.text_map.text)
        return self._pages

    def turn_to(self, page: int) -> None:
        """Show a page of a long text, or the nearest one that exists."""
        self.page = max(0, min(page, len(self.pages) - 1)) if self.is_long else 0

    def spans(self, name: str) -> Spans:
        """The tokens of the text in an encoding, computed once.

        Raises:
            ValueError, OSError: the encoding cannot be loaded; says why.
        """
        return self.panels.spans(name, special=self.special_as_tokens)

    def encode_slow(self) -> None:
        """Compute what the panels and the inspector show now of slow encodings. Needs no lock."""
        pinned = [] if self.pin is None else [self.pin.encoding]
        self.panels.encode_slow(
            self.encodings,
            special=self.special_as_tokens,
            with_walls=self.encodings if self.walls else pinned,
        )

    # Encodings

    def find_encoding(self, name: str) -> Encoding:
        """The encoding of that name, a bundled one or the session's own.

        Raises:
            ValueError, OSError: it cannot be loaded; says why.
        """
        return self.own_encodings.find_any(name)

    def encoding_names(self) -> list[str]:
        """All that choosers offer: bundled encodings, the session's own, and those that a link awaits."""
        return self.own_encodings.all_names()

    def put_first(self, *names: str) -> None:
        """Show these encodings in the first panels, and then as many of the others as fit."""
        with self.lock:
            others = (name for name in self.encodings if name not in names)
            self.encodings = [*names, *others][:MAX_PANELS]

    def is_token(self, token_id: object, name: str) -> TypeGuard[int]:
        """Whether this is the id of a token in the encoding of that name, and the encoding can be loaded."""
        if not isinstance(token_id, int) or isinstance(token_id, bool):
            return False
        try:
            self.find_encoding(name).token_bytes(token_id)
        except (ValueError, OSError):
            return False
        return True

    def import_encoding(self, own: OwnEncoding) -> str:
        """Add an encoding from a file to every chooser, and show it in the first panel; returns its name.

        Raises:
            ValueError: there is no room for it.
        """
        with self.lock:
            self.own_encodings.check_room(own.memory)
            name = self.own_encodings.add(own)
            if name not in self.encodings:
                self.put_first(name)
        return name

    def rename_encoding(self, name: str, wanted: str) -> str:
        """Rename one of the session's own encodings; returns its new name.

        Raises:
            ValueError: the name is empty.
        """
        with self.lock:
            new = self.own_encodings.rename(name, wanted)
            if new == name:
                return name
            self.encodings = [new if each == name else each for each in self.encodings]
            if self.pin is not None and self.pin.encoding == name:
                self.pin = Pin(new, self.pin.start)
            self.panels.forget(name)
        return new

    def remove_encoding(self, name: str) -> None:
        """Remove one of the session's own encodings."""
        with self.lock:
            self.comparison = None  # it may hold this encoding
            self.encodings = [other for other in self.encodings if other != name]
            self.panels.forget(name)
            self.own_encodings.remove(name)
        give_back()

    # Another text in the editor

    def open_file(self, name: str, raw: bytes) -> None:
        """Put a file's text into the editor, and add it to the session's own texts.

        Raises:
            ValueError: too large or not a text. The old text stays.
        """
        decoded = decode_file(raw, name)
        if not decoded.text:
            raise ValueError(f"{name} is empty, so your text stays as it is.")
        with self.lock:
            self.open_text(decoded.text)
            self.note = f"{name}: {len(raw):,} bytes, {decoded.how}."
            if decoded.is_guess:
                self.note += " If letters look wrong, choose another character set under Your texts."
            try:
                self.own_texts.add_file(name, raw)
            except ValueError as problem:
                self.note += f" It is in the editor, but not among your texts: {problem}"

    def open_text(self, text: str) -> None:
        """Replace the text. ``go_back`` restores the old one, unless it is empty or a sample.

        Raises:
            ValueError: it is too long. The old text stays.
        """
        with self.lock:
            before = self._present_text()
            self.set_text(text)
            is_missed = before.text and before.text not in [sample["text"] for sample in read_samples()]
            if before.text != text and is_missed:
                self.set_aside = before
            if self.is_long:
                self.note = (
                    f"This text is longer than {bytes_in_words(LIVE_BYTES)}, so it is shown page by page."
                )

    def _present_text(self) -> SetAside:
        self.versions.note(self.state)
        return SetAside(self.text, self.page, self.versions["text"])

    def keep_overtaken(self, text: str, version: int) -> None:
        """Set aside a text that a person wrote before they knew of the one in the editor."""
        is_newest = self.set_aside is None or version > self.set_aside.version
        if is_newest and text not in ("", self.text):
            self.set_aside = SetAside(text, 0, version)

    def go_back(self) -> None:
        """Restore the text that was replaced last, at its page."""
        with self.lock:
            self._bring_back(self.set_aside)

    def present(self, text: str) -> None:
        """Show a text on a projector. ``end_presenting`` restores the old one, whatever replaced this one."""
        with self.lock:
            before = self._present_text()
            self.set_text(text)
            self.presented_over = before

    def end_presenting(self) -> None:
        """Restore the text that was there before ``present``."""
        with self.lock:
            self._bring_back(self.presented_over)
            self.presented_over = None

    def _bring_back(self, before: SetAside | None) -> None:
        if before is not None:
            self.open_text(before.text)
            self.turn_to(before.page)

    def edit_page(self) -> None:
        """Replace a long text by the page that the editor shows."""
        with self.lock:
            if self.is_long:
                page = self.pages[self.page]
                self.open_text(self.text_map.text[page.start : page.end])
                self.note = "This is the page alone, to edit; its tokens are those of the page by itself."

    def open_own(self, key: str) -> None:
        """Put one of the session's own texts into the editor."""
        self.take(self.own_texts[key].text)

    def take(self, text: str) -> None:
        """Replace the text as ``open_text`` does; an error becomes a note. For buttons."""
        with self.lock:
            self.note = ""
            self.note_is_error = False
            try:
                self.open_text(text)
            except ValueError as problem:
                self.note = str(problem)
                self.note_is_error = True
