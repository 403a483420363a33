"""Encodes the editor's text for each panel: once, and after an edit only the part that changed.

Next for a key: ``reencode`` in ``tokenizers/bpe/incremental.py``.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
import weakref
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor

from pages.session.own_encodings import OwnEncodings
from tokenizers.bpe import reencode
from tokenizers.encoding import AllowedSpecial
from tokenizers.progress import heard_by
from tokenizers.registry import is_loaded
from tokenizers.split import BusyError
from tokenizers.text import Spans, TextMap, encode_spans

LIVE_BYTES = 128 * 1024
"""Texts up to this long are edited live; the editor shows longer ones page by page."""

SLOW_SECONDS = 0.1
"""An encoding that took longer last time counts as slow. The other panels do not wait for it."""

WALLS_BYTES = 1024 * 1024
"""The longest text whose walls are computed, since that splits the whole text again. In a longer one, every
encoding counts as slow."""

THREADS = 2
"""Slow encodings of a session that are computed at a time, mostly without Python's global lock."""

MAX_LONG_BYTES = 1024**3
"""Bytes of the tokens of long texts that all sessions keep together. Beyond it, the tokens that were
computed longest ago are dropped, and computed again when somebody asks for them."""

BYTES_PER_TOKEN = 12  # its id, its start and its end

LEFT_SECONDS = 10
"""The editor asks how far a long text is each second. If it has not for so long, the page was left."""


class Panels:
    """The results of encoding a text, one for each encoding.

    Args:
        text_map: the text.
        own_encodings: the session's own encodings.
        lock: the session lock.

    Attributes:
        text_map: the present text. All results are of it.
        shares: how much of it slow encodings have done, 0 to 1, by name.
    """

    def __init__(self, text_map: TextMap, own_encodings: OwnEncodings, lock: threading.RLock) -> None:
        self.text_map = text_map
        self.shares: dict[str, float] = {}
        self._own = own_encodings
        self._lock = lock
        self._results: dict[_Key, Spans | str] = {}  # a string is an error message
        self._before: dict[_Key, Spans] = {}  # the results for the text before the last edit
        self._seconds: dict[str, float] = {}  # how long each encoding took last
        self._asked = 0.0  # when the editor last asked for the tokens

    @property
    def is_long(self) -> bool:
        """Whether the text is shown page by page."""
        return self.text_map.n_bytes > LIVE_BYTES

    def set_text(self, text_map: TextMap) -> None:
        """Replace the text. The results of a short one speed up the encoding of the next one."""
        is_edit = not self.is_long  # a long text is replaced, not edited
        self.text_map = text_map
        self._drop_results(is_edit=is_edit)

    def _drop_results(self, *, is_edit: bool) -> None:
        with _long_lock:
            _long.pop(self, None)
        spans = {key: each for key, each in dict(self._results).items() if isinstance(each, Spans)}
        self._before = spans if is_edit else {}
        self._results = {}
        self.shares = {}

    def forget(self, name: str) -> None:
        """Drop the results of an encoding, since another one may get its name."""
        for special in (False, True):
            self._results.pop((name, special), None)
            self._before.pop((name, special), None)

    def spans(self, name: str, *, special: bool) -> Spans:
        """The tokens of the text in an encoding, computed unless they are known.

        Args:
            name: of the encoding.
            special: whether text that spells a special token becomes it.

        Raises:
            ValueError, OSError: the encoding cannot be loaded; says why.
        """
        key = (name, special)
        with self._lock:
            text_map = self.text_map
            own = self._own.get(name)
            result = self._results.get(key)
            before = self._before.get(key)
        if result is None:  # computed without the lock, since a slow encoding would hold it for long
            result = self._encode(name, text_map, before, special=special)
            with self._lock:
                if self.text_map is text_map and self._own.get(name) is own:
                    self._results[key] = result
            if self.is_long:
                self._make_room()
        if isinstance(result, str):
            raise ValueError(result)
        return result

    def _encode(self, name: str, text_map: TextMap, before: Spans | None, *, special: bool) -> Spans | str:
        allowed: AllowedSpecial = "all" if special else ()
        encoding = self._own.find_any(name)  # loads it at the first time, which may take seconds
        began = time.monotonic()
        try:
            if before is None:
                return encode_spans(encoding, text_map, allowed_special=allowed)
            return reencode(before, text_map, allowed_special=allowed)
        except BusyError:  # the next try may have another result
            raise
        except ValueError as problem:
            return str(problem)
        finally:
            self._seconds[name] = time.monotonic() - began

    def _make_room(self) -> None:
        """Drop the tokens of other sessions' long texts, the oldest first, until all are below the limit."""
        with _long_lock:
            _long.pop(self, None)
            n_tokens = sum(len(each) for each in list(self._results.values()) if isinstance(each, Spans))
            _long[self] = n_tokens * BYTES_PER_TOKEN
            for panels in list(_long)[:-1]:
                if sum(_long.values()) > MAX_LONG_BYTES:
                    panels._drop_results(is_edit=False)

    def encode(
        self, names: Sequence[str], *, special: bool, skips_slow: bool
    ) -> tuple[dict[str, Spans], dict[str, str]]:
        """Encode the text in these encodings; returns the tokens and the error messages, by name.

        Args:
            names: of the encodings.
            special: as of ``spans``.
            skips_slow: whether to leave out slow encodings that ``encode_slow`` has not computed yet.
        """
        self._asked = time.monotonic()
        spans: dict[str, Spans] = {}
        problems: dict[str, str] = {}
        for name in names:
            if skips_slow and self._is_slow(name, special=special):
                continue
            try:
                spans[name] = self.spans(name, special=special)
            except (ValueError, OSError) as problem:
                problems[name] = str(problem)
        return spans, problems

    def encode_slow(self, names: Sequence[str], *, special: bool, with_walls: Collection[str]) -> None:
        """Compute the results of slow encodings. Needs no lock.

        Args:
            names: of all encodings that are shown.
            special: as of ``spans``.
            with_walls: the names of those whose walls are shown.
        """

        def encode(name: str) -> None:
            listener = functools.partial(self._hear, name, self.text_map)
            with contextlib.suppress(ValueError, OSError), heard_by(listener):  # the panel shows the error
                spans = self.spans(name, special=special)
                if name in with_walls and spans.text_map.n_bytes <= WALLS_BYTES:
                    _ = spans.seen.wall_starts
                _ = spans.decodes_to_text

        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(encode, names))

    def _hear(self, name: str, text_map: TextMap, share: float) -> None:
        """Note how much of the text is done, for the panel. Stop if it changed, or the page was left."""
        was_left = self.is_long and time.monotonic() - self._asked > LEFT_SECONDS
        if self.text_map is not text_map or was_left:
            raise BusyError("Nobody waits for these tokens any more.")  # which is no result
        self.shares[name] = share

    def _is_slow(self, name: str, *, special: bool) -> bool:
        if (name, special) in self._results or name in self._own.awaited:
            return False
        if self.text_map.n_bytes > WALLS_BYTES:
            return True
        if name in self._own:  # its pattern may be slow
            return self._seconds.get(name, SLOW_SECONDS) >= SLOW_SECONDS
        return not is_loaded(name) or self._seconds.get(name, 0) >= SLOW_SECONDS


_Key = tuple[str, bool]  # the name of an encoding, and whether special tokens are read as such

_long: weakref.WeakKeyDictionary[Panels, int] = weakref.WeakKeyDictionary()
"""Bytes of the tokens of each session that has a long text, those that were computed last at its end."""

_long_lock = threading.RLock()  # dropping results takes it again
