"""What a person has on the playground, for as long as the session lasts.

The browser's component forgets everything when the page is left; this does not. A component
message says how things stand in the browser; ``Workspace.apply`` takes it over, and trusts
nothing in it.
"""

from __future__ import annotations

import base64
import binascii
import collections
import contextlib
import os
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

import tokenizers as tk
from pages.session.counting import SLOW, SlowPanels
from pages.session.free_memory import free_memory
from pages.session.guessed_file import GuessedFile, read_file
from pages.session.links import LONGEST_STATE, pack_state
from pages.session.own_texts import OwnTexts
from pages.session.server_room import check_room_of_address, check_room_of_all
from tokenizers import askers, limits
from tokenizers.bpe import reencode
from tokenizers.data import FIRST_MODEL
from tokenizers.encoding import AllowedSpecial, Encoding
from tokenizers.formats import estimate_room
from tokenizers.split import BusyError
from tokenizers.text import (
    MAX_BYTES,
    Page,
    Spans,
    TextMap,
    check_size,
    common_prefix,
    common_suffix,
    encode_spans,
    paginate,
)

if TYPE_CHECKING:
    from pages.session.train_run import Grown

HELPERS = max(1, min(3, (os.cpu_count() or 1) - 1))
"""Threads that help a session's own to encode a longer text; all sessions share them."""

_threads = ThreadPoolExecutor(max_workers=2 * HELPERS, thread_name_prefix="encode")

LIVE_BYTES = 128 * 1024
"""Texts up to this long are drawn whole and edited live; longer ones are shown page by page."""

LARGE = 1_000_000
"""Characters from which on the server is asked whether it has room for a text and its tokens."""

_MEMORY_OF_TEXT = 30  # bytes for each character, with its tokens in a few panels

WALLS_BYTES = 1024 * 1024
"""Walls are found for texts up to this long: they need the whole text to be split again."""

SPLIT_SECONDS = float(limits.PATTERN_SECONDS.value)
"""What a person's own split pattern may take on a text here."""

MAX_PANELS = limits.PANELS.value

MAX_OWN = limits.OWN_ENCODINGS.value
MAX_OWN_BYTES = limits.OWN_ENCODINGS_MB.value * limits.MB
"""Encodings of a session's own, and the bytes of their files together."""

MAX_OWN_MEMORY = limits.OWN_ENCODINGS_MEMORY_MB.value * 1_000_000
"""Bytes of memory that they may take together, by an estimate from above: one of Gemma's size takes half."""

_MERGE_MEMORY = 1_000  # of a merge that was trained here
_MERGE_BYTES = 14  # of a merge in a file: two ids of up to six digits, a blank, a line end

_PASSING = (askers.NobodyWaitsError, BusyError)  # problems that the next try may not have

VIEWS = ("text", "ids", "bytes")
SIZES = ("small", "normal", "large")
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
    """The token that the inspector shows: by encoding, and the byte at which it starts."""

    encoding: str
    start: int


WELCOME_PIN = Pin("cl100k_base", WELCOME.encode().index(b"belie"))


@dataclass
class Workspace:
    """The text, the encodings and the switches of one session."""

    text: str = WELCOME
    session: str = field(default_factory=lambda: secrets.token_hex(6))
    address: str = ""  # of the network that it comes from; empty: nobody knows, or it counts for none
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
    set_aside: str | None = None  # the text that was replaced last, to be brought back
    set_aside_page: int = 0  # the page of it that was drawn
    text_before: str | None = None  # the text that was there before show_token
    page_before: int = 0  # the page of it that was drawn
    grown: dict[str, Encoding] = field(default_factory=dict)  # the session's own: trained or brought
    growth: dict[str, Grown] = field(default_factory=dict)  # how each was trained, or where it came from
    own_texts: OwnTexts = field(init=False, repr=False)  # the playground's text is one of them
    seq: int = 0  # the number of the last message that was applied
    last_action: int = 0
    text_changes: int = 0
    _linked: dict[str, Any] = field(default_factory=dict)  # the link that the session began with
    _last_link: tuple[dict[str, Any], tuple[str | None, bool]] | None = None  # (made of what, the link)
    _token_text: str | None = None  # the text that show_token put into the editor
    _text_map: TextMap | None = None
    _map_before: TextMap | None = None  # of the text before the last edit, until the next one is made
    _spans: dict[tuple[str, bool], Spans] = field(default_factory=dict)
    _problems: dict[tuple[str, bool], str] = field(default_factory=dict)
    _spans_before: dict[tuple[str, bool], Spans] = field(
        default_factory=dict
    )  # of the text before the last edit
    _pages: list[Page] | None = None
    _seconds: dict[str, float] = field(default_factory=dict)  # what each encoding took last
    # Whether they are the session's own: such a one can be slow at each key, another one once.
    _slow: dict[bool, SlowPanels] = field(
        default_factory=lambda: {own: SlowPanels(own=own) for own in (False, True)}, repr=False
    )

    def __post_init__(self) -> None:
        self.own_texts = OwnTexts(lambda: self.text_map.text, self._check_server)

    @property
    def held_bytes(self) -> int:
        """Bytes of memory that its own texts and encodings take; the latter are estimated from above."""
        return sum(map(own_memory, list(self.grown.values()))) + self.own_texts.held_bytes

    def _check_server(self, n_bytes: int, what: str) -> None:
        """Refuse what the server, or this session's address, has no room for.

        Raises:
            ValueError: says so.
        """
        check_room_of_address(self, n_bytes, what)
        check_room_of_all(n_bytes, what)

    # The text and what follows from it

    def set_text(self, text: str, *, by_typing: bool = False) -> None:
        """Take a new text; everything that was computed of the old one goes.

        Raises:
            ValueError: it is too long. The old text stays.
        """
        if len(text) > MAX_BYTES // 4:  # only then can it be too long; counting costs time
            check_size(len(tk.well_formed(text).encode("utf-8")), "This text")
        if text == self.text:
            return
        if len(text) > LARGE:
            check_room_of_all(len(text) * _MEMORY_OF_TEXT, "a text of this length")
        before, was_long = self.text_map, self.is_long
        self.text = text
        self.text_changes += 1
        self.guessed_file = None
        # What was before serves the next key alone, and a long text is never typed into.
        self._text_map, self._map_before = None, None if was_long else before
        self._spans_before, self._spans = {} if was_long else self._spans, {}
        self._problems.clear()
        self._pages = None
        self.page = 0
        if not by_typing:
            self.revision += 1
        if self.pin is not None:
            self.pin = _follow(self.pin, before.data, self.text_map.data)
        if before.n_chars > LARGE:
            del before
            free_memory()  # thirty times the text's length, which the C library would keep

    def show_token(self, name: str, token_id: int, text: str, *, special: bool = False) -> None:
        """Take a text in which a token arises, and pin the token; the text before can be brought back."""
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
        """Take the text again that a token's took the place of."""
        if self.text_before is not None:
            try:
                self.set_text(self.text_before)
            except ValueError as problem:  # the server has no room at the moment; later it may have
                self.note, self.note_is_error = str(problem), True
                return
            self.text_before = None
            self._turn_to(self.page_before)

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

    def spans(self, name: str) -> Spans:
        """The text in an encoding, computed once.

        Raises:
            ValueError, OSError: the encoding cannot be loaded; says why.
        """
        key = (name, self.special_as_tokens)
        if key in self._problems:  # once is enough: it may have been a pattern that ran out of time
            raise ValueError(self._problems[key])
        spans = self._spans.get(key)
        if spans is None:
            spans = self._spans[key] = self._encoder(name)()
        return spans

    def _encoder(self, name: str) -> Callable[[], Spans]:
        """What encodes the text as it is now; it changes nothing here, and any thread may call it."""
        allowed: AllowedSpecial = "all" if self.special_as_tokens else ()
        text_map, before = self.text_map, self._spans_before.get((name, self.special_as_tokens))

        def encode() -> Spans:
            begun = time.monotonic()
            if before is None:
                spans = encode_spans(self.encoding(name), text_map, allowed_special=allowed)
            else:
                spans = reencode(before, text_map, allowed_special=allowed)
            self._seconds[name] = time.monotonic() - begun
            return spans

        return encode

    def encode_all(self, patience: float | None = None) -> tuple[dict[str, Spans], dict[str, str]]:
        """The text in every chosen encoding: (name: spans, name: what is wrong with it).

        The engine works outside Python's lock, so a longer text is encoded on several cores.

        Args:
            patience: seconds that encodings are waited for that may take long. Those that are not done by
                then are in neither answer, and go on: a later call has them. None: as long as it takes.
        """
        spans: dict[str, Spans] = {}
        problems: dict[str, str] = {}

        def note(name: str, problem: Exception) -> None:
            problems[name] = str(problem)
            if isinstance(problem, ValueError) and not isinstance(problem, _PASSING):
                self._problems[name, self.special_as_tokens] = str(problem)

        def encode(name: str) -> None:
            try:
                askers.check_wanted()
                spans[name] = self.spans(name)
            except (ValueError, OSError) as problem:
                note(name, problem)

        slow = [] if patience is None else [name for name in self.encodings if self._may_take_long(name)]
        quick = [name for name in self.encodings if name not in slow]
        done = self._count(slow, 0)  # the others are begun
        if self.text_map.n_bytes < 20_000:
            for name in quick:
                encode(name)
        else:
            self._encode_together(quick, encode)
        left = [name for name in slow if name not in done]
        if left:
            done |= self._count(left, patience or 0)
        for name, result in done.items():
            if isinstance(result, Spans):
                spans[name] = self._spans[name, self.special_as_tokens] = result
            elif isinstance(result, askers.NobodyWaitsError):
                continue  # its browser had gone; if it is back, it asks again
            elif isinstance(result, (ValueError, OSError)):
                note(name, result)
            else:
                raise result
        return {name: spans[name] for name in self.encodings if name in spans}, problems

    def _may_take_long(self, name: str) -> bool:
        """Whether other panels should not wait for this one: it is not loaded yet, one's own, or was slow."""
        key = (name, self.special_as_tokens)
        if key in self._spans or key in self._problems:
            return False
        return name in self.grown or not tk.is_loaded(name) or self._seconds.get(name, 0) > SLOW

    def _count(self, names: list[str], patience: float) -> dict[str, Spans | BaseException]:
        """Those of the encodings that are done within the patience, beside this thread."""
        until = time.monotonic() + patience
        done: dict[str, Spans | BaseException] = {}
        for own, panels in self._slow.items():
            names_of = {
                (name, self.special_as_tokens, id(self.grown.get(name))): name
                for name in names
                if (name in self.grown) == own
            }
            jobs = {key: self._with_walls(name, self._encoder(name)) for key, name in names_of.items()}
            results = panels.count(self.text_map, jobs, max(0.0, until - time.monotonic()))
            done |= {names_of[key]: result for key, result in results.items()}
        return done

    def _with_walls(self, name: str, encode: Callable[[], Spans]) -> Callable[[], Spans]:
        """What finds the walls too, if the answer shows them or the pinned token's piece.

        With a slow split pattern, that takes as long once more.
        """
        is_pinned = self.pin is not None and self.pin.encoding == name
        if not (self.walls or is_pinned) or self.text_map.n_bytes > WALLS_BYTES:
            return encode

        def encode_and_split() -> Spans:
            spans = encode()
            with contextlib.suppress(ValueError):  # it is said where they are drawn
                _ = spans.seen.wall_starts
            return spans

        return encode_and_split

    def _encode_together(self, names: list[str], encode: Callable[[str], None]) -> None:
        """Encode on several cores, without waiting for what other sessions have them do.

        The session's own thread works too, and alone if no helper is free. What is the session's own, such
        as an encoding with a slow pattern, is its own thread's work: it takes no helper, which all share.
        """
        asker = askers.current_asker()
        shared = collections.deque(name for name in names if name not in self.grown)

        def work() -> None:
            with askers.asked_by(asker), contextlib.suppress(IndexError):
                while True:
                    encode(shared.popleft())

        helpers = [_threads.submit(work) for _ in range(min(HELPERS, len(shared) - 1))]
        for name in names:
            if name in self.grown:
                encode(name)
        work()
        for helper in helpers:
            if not helper.cancel():
                helper.result()

    # Encodings

    def put_first(self, *names: str) -> None:
        """Show these encodings in the first panels; of the others as many as there is room for."""
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
        """Whether that is an id of a token of the encoding of that name, which is here and can be loaded."""
        if not isinstance(token_id, int) or isinstance(token_id, bool):
            return False
        try:
            self.encoding(name).token_bytes(token_id)
        except (ValueError, OSError):
            return False
        return True

    @property
    def own_bytes(self) -> int:
        """What the files of the session's own encodings have together; of those that were trained, about."""
        return sum(map(file_bytes, self.grown.values()))

    def check_room(self, n_bytes: int = 0, memory: int = 0) -> None:
        """Refuse one more encoding of the session's own, before any work starts.

        Args:
            n_bytes: of its file.
            memory: bytes of it that the encoding takes, estimated.

        Raises:
            ValueError: there are as many as a session takes; says what to do.
        """
        if len(self.grown) >= MAX_OWN:
            raise ValueError(
                f"There are {MAX_OWN} encodings of your own, and a session takes no more: remove one first."
            )
        if self.own_bytes + n_bytes > MAX_OWN_BYTES:
            raise ValueError(
                f"The files of your own encodings may have {MAX_OWN_BYTES >> 20} MB together, and this one "
                f"({n_bytes / (1 << 20):.1f} MB) is too much beside those that are here: remove one first."
            )

        taken = sum(map(own_memory, self.grown.values()))
        if taken + memory > MAX_OWN_MEMORY:
            raise ValueError(
                f"Your own encodings may take about {MAX_OWN_MEMORY // 1_000_000:,} MB of memory together. "
                f"Those that are here may take {taken // 1_000_000:,} MB, and this one "
                f"{memory // 1_000_000:,} MB: remove one first."
            )
        self._check_server(memory, "one more encoding of your own")

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
        """Put an encoding of the session's own into every chooser; returns the name it stands under.

        A name that is taken gets a number behind it. Characters that nobody sees are left out: one that
        turns the direction of writing would turn what stands around the name.
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
        """Put one of the session's own encodings under another name; returns the one it stands under now.

        Raises:
            ValueError: the name is empty.
        """
        if not wanted.strip():
            raise ValueError("A name needs at least one letter. The old one stays.")
        if wanted.strip() == name:
            return name
        new = self._free_name(wanted)
        # The order stays, and with it the colour that each has on every page.
        self.grown = {new if each == name else each: encoding for each, encoding in self.grown.items()}
        self.grown[new].name = new
        self.growth = {new if each == name else each: growth for each, growth in self.growth.items()}
        self.encodings = [new if each == name else each for each in self.encodings]
        if self.pin is not None and self.pin.encoding == name:
            self.pin = Pin(new, self.pin.start)
        self._forget_results(name)
        return new

    def remove_grown(self, name: str) -> None:
        """Take one of the session's own encodings out again."""
        self.grown.pop(name, None)
        self.growth.pop(name, None)
        self.encodings = [other for other in self.encodings if other != name]
        self._forget_results(name)
        free_memory()

    def _forget_results(self, name: str) -> None:
        """Drop what an encoding of this name made of the text: another one may get the name."""
        for results in (self._spans, self._spans_before, self._problems):
            for special in (False, True):
                results.pop((name, special), None)

    # What was kept

    def come_back(self, encoding: Encoding, growth: Grown | None) -> str:
        """Take an encoding that this or another session made; returns its name here.

        If the link that this session began with shows it, and nothing else was chosen since, so does this.

        Raises:
            ValueError: there is no room for it.
        """
        self.check_room(file_bytes(encoding), own_memory(encoding))
        chosen = self._linked_encodings()
        name = self.add_grown(encoding)
        if growth is not None:
            self.growth[name] = growth
        if chosen and chosen == self.encodings:
            self.encodings = self._linked_encodings()
        return name

    def _linked_encodings(self) -> list[str]:
        """The encodings in the link that the session began with, as far as they are here."""
        names, known = self._linked.get("encodings"), set(self.encoding_names())
        names = names if isinstance(names, list) else []
        return [name for name in dict.fromkeys(map(str, names)) if name in known][:MAX_PANELS]

    def text_comes_back(self, text: str) -> bool:
        """Put the text of an earlier session into the editor; not if a link or a person put one there.

        Raises:
            ValueError: it is too long.
        """
        if self.text != WELCOME or "text" in self._linked:
            return False
        self.note = ""
        self.open_text(text)
        page = self._linked.get("page")
        self._turn_to(page if _is_whole(page) else 0)
        self.pin = _read_pin(self._linked.get("pin"))
        self.note = "This text was kept here, and came back. " + self.note
        return True

    # What the browser says

    def apply(self, message: dict[str, Any]) -> None:
        """Take over how things stand in the browser. Whatever is odd in the message is left out."""
        seq = message.get("seq")
        if not isinstance(seq, int) or seq <= self.seq:
            return
        self.seq = seq
        if message.get("asks_again") is not True:  # only to see whether its slow panels are counted
            self.note, self.note_is_error = "", False
        try:
            text = message.get("text")
            if isinstance(text, str):
                self.set_text(text, by_typing=True)
            self._apply_settings(message)
            action = message.get("action")
            if isinstance(action, dict):
                self._act(action)
        except ValueError as problem:
            self.note, self.note_is_error = str(problem), True

    def _apply_settings(self, message: dict[str, Any]) -> None:
        """The part of a message that a link holds too."""
        names = message.get("encodings")
        if isinstance(names, list):
            known = set(self.encoding_names())
            chosen = [name for name in dict.fromkeys(map(str, names)) if name in known]
            self.encodings = chosen[:MAX_PANELS]
        for key, choices in (("view", VIEWS), ("size", SIZES)):
            if message.get(key) in choices:
                setattr(self, key, message[key])
        for key in ("whitespace", "walls", "only_here", "special_as_tokens", "adds_frame"):
            if isinstance(message.get(key), bool):
                setattr(self, key, message[key])
        page = message.get("page")
        if _is_whole(page):
            self._turn_to(page)
        if "pin" in message:
            self.pin = _read_pin(message["pin"])

    def _turn_to(self, page: int) -> None:
        """Show that page of a long text, or the nearest that it has."""
        self.page = max(0, min(page, len(self.pages) - 1)) if self.is_long else 0

    def _act(self, action: dict[str, Any]) -> None:
        """Do a one-time action: open a file, replace, clear or leave a text, edit a page of a long one."""
        number, kind = action.get("number"), action.get("kind")
        if not isinstance(number, int) or number <= self.last_action:
            return
        self.last_action = number
        if kind == "file":
            self.open_file(str(action.get("name", "The file")), str(action.get("data", "")))
        elif kind == "read_as":
            self.read_file_as(str(action.get("charset", "")))
        elif kind == "long_text":
            was_long = self.is_long
            self.open_text(str(action.get("text", "")))
            if was_long and not self.is_long:
                self.note = "The long text was replaced. “Back to the text before” brings it back."
        elif kind == "clear" and self.text:
            self.open_text("")
        elif kind == "go_back" and self.set_aside is not None:
            left_at = self.set_aside_page
            self.open_text(self.set_aside)
            self._turn_to(left_at)
        elif kind == "biography":
            name, token_id = action.get("encoding"), action.get("id")
            if name in self.encodings and self.is_token(token_id, str(name)):
                self.wants_biography = (str(name), token_id)
        elif kind == "bring":
            self.wants_to_bring = True
        elif kind == "edit_page" and self.is_long:
            page = self.pages[self.page]
            self.open_text(self.text_map.text[page.start : page.end])
            self.note = "This is the page alone, to edit; its tokens are those of the page by itself."

    def open_file(self, name: str, data: str) -> None:
        """Take a file's text (``data`` in base64).

        Raises:
            ValueError: too large or not a text. The old text stays.
        """
        name = name[:80]
        try:
            raw = base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError(f"{name} did not arrive whole. Try again.") from None
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
            self.note = f"This text is longer than {LIVE_BYTES // 1024} KB, so it is shown page by page."

    def open_own(self, key: str) -> None:
        """Put one of the session's own texts into the editor."""
        own = self.own_texts[key]
        self.take(own.text)
        self.guessed_file = own.guessed

    def take(self, text: str) -> None:
        """As ``open_text``, for a button: what is wrong becomes a note."""
        self.note, self.note_is_error = "", False
        try:
            self.open_text(text)
        except ValueError as problem:
            self.note, self.note_is_error = str(problem), True

    # Links

    def state(self) -> dict[str, Any]:
        """What a link holds."""
        return {
            "text": self.text,
            "encodings": self.encodings,
            "view": self.view,
            "size": self.size,
            "whitespace": self.whitespace,
            "walls": self.walls,
            "only_here": self.only_here,
            "special_as_tokens": self.special_as_tokens,
            "adds_frame": self.adds_frame,
            "pin": None if self.pin is None else {"encoding": self.pin.encoding, "start": self.pin.start},
        }

    def link(self) -> tuple[str | None, bool]:
        """The link to all this, and whether it holds the text too.

        If the text is too long for a link, the link only says how it is drawn. The text itself is kept in
        this browser.
        The answer and the keeper ask for it at each keystroke, so the last one is remembered.
        """
        state = {**self.state(), "encodings": list(self.encodings), "page": self.page}
        if self._last_link is None or self._last_link[0] != state:
            self._last_link = (state, _pack(state))
        return self._last_link[1]

    @property
    def last_link_held_text(self) -> bool:
        """Whether the link that was made last held the text, if this one could: nothing is packed for it."""
        if len(self.text) > LONGEST_STATE:
            return False
        return self.link()[1] if self._last_link is None else self._last_link[1][1]

    @property
    def link_holds_text(self) -> bool:
        """Whether a link to all this holds the text, too."""
        return self.text == WELCOME or self.link()[1]

    def restore(self, state: dict[str, Any]) -> None:
        """Take over what a link holds.

        Raises:
            ValueError: its text is too long.
        """
        self._linked = state
        text = state.get("text")
        if isinstance(text, str):
            self.set_text(text)
        else:
            state = {key: value for key, value in state.items() if key != "pin"}  # that is of another text
        self._apply_settings(state)


def file_bytes(encoding: Encoding) -> int:
    """Bytes of the file that an encoding came from; of one that was trained, at most those of its file.

    >>> file_bytes(tk.train("the cat and the hat", 258))
    28
    """
    if encoding.saved is not None:
        return len(encoding.saved)
    return 0 if encoding.training is None else _MERGE_BYTES * len(encoding.training.merges)


def own_memory(encoding: Encoding) -> int:
    """Bytes of memory that an encoding of the session's own takes, estimated from above by its file."""
    return encoding.kept(_estimate_memory)


def _estimate_memory(encoding: Encoding) -> int:
    if encoding.saved is not None:
        return estimate_room(encoding.saved)
    return 0 if encoding.training is None else _MERGE_MEMORY * len(encoding.training.merges)


def _pack(state: dict[str, Any]) -> tuple[str | None, bool]:
    """A link to this, and whether it holds the text. One without the text has the page's number instead."""
    view = dict(state)
    text, page = view.pop("text"), view.pop("page")
    packed = pack_state({"text": text, **view}) if len(text) <= LONGEST_STATE else None
    return (packed, True) if packed is not None else (pack_state({**view, "page": page}), False)


def _is_whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _read_pin(value: Any) -> Pin | None:
    if isinstance(value, dict):
        name, start = value.get("encoding"), value.get("start")
        if isinstance(name, str) and isinstance(start, int) and not isinstance(start, bool) and start >= 0:
            return Pin(name, start)
    return None


def _follow(pin: Pin, before: bytes, after: bytes) -> Pin | None:
    """Where the pinned byte is after an edit; None if it lies in the part that was changed."""
    same_start = common_prefix(before, after)
    if pin.start < same_start:
        return pin
    same_end = common_suffix(before, after, min(len(before), len(after)) - same_start)
    if pin.start >= len(before) - same_end:
        return Pin(pin.encoding, pin.start + len(after) - len(before))
    return None
