"""A workspace's text in its encodings: each is worked out once, and none waits for a slow one."""

from __future__ import annotations

import collections
import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import tokenizers as tk
from pages.session.slow_panels import SLOW, SlowPanels
from tokenizers import askers
from tokenizers.bpe import reencode
from tokenizers.encoding import AllowedSpecial
from tokenizers.split import BusyError
from tokenizers.text import Spans, encode_spans

if TYPE_CHECKING:
    from pages.session.workspace import Workspace

HELPERS = max(1, min(3, (os.cpu_count() or 1) - 1))
"""Threads that help a session's own to encode a longer text; all sessions share them."""

_threads = ThreadPoolExecutor(max_workers=2 * HELPERS, thread_name_prefix="encode")

ALONE_BYTES = 20_000
"""Texts shorter than this are encoded without helper threads."""

WALLS_BYTES = 1024 * 1024
"""Walls are found for texts up to this long: they need the whole text to be split again."""

_PASSING = (askers.NobodyWaitsError, BusyError)  # problems that the next try may not have


class Panels:
    """What a workspace's text is in its encodings.

    Args:
        workspace: whose text and encodings they are.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._spans: dict[tuple[str, bool], Spans] = {}
        self._problems: dict[tuple[str, bool], str] = {}
        self._spans_before: dict[tuple[str, bool], Spans] = {}  # of the text before the last edit
        self._seconds: dict[str, float] = {}  # what each encoding took last
        # Keyed by whether the encodings are the session's own. Those can be slow at every key; shipped ones
        # only the first time.
        self._slow = {own: SlowPanels(own=own) for own in (False, True)}

    def take_new_text(self, *, is_typed_into: bool) -> None:
        """Begin anew with another text.

        Args:
            is_typed_into: whether the old text was. Then its spans stay for one edit, and only what that
                changed is encoded; those of a long text go at once.
        """
        self._spans_before, self._spans = self._spans if is_typed_into else {}, {}
        self._problems.clear()

    def forget(self, name: str) -> None:
        """Drop what an encoding of this name made of the text: another one may get the name."""
        for results in (self._spans, self._spans_before, self._problems):
            for special in (False, True):
                results.pop((name, special), None)

    def _key(self, name: str) -> tuple[str, bool]:
        return name, self._workspace.special_as_tokens

    def spans(self, name: str) -> Spans:
        """The text in an encoding, computed once.

        Raises:
            ValueError, OSError: the encoding cannot be loaded; says why.
        """
        key = self._key(name)
        if key in self._problems:  # once is enough: it may have been a pattern that ran out of time
            raise ValueError(self._problems[key])
        spans = self._spans.get(key)
        if spans is None:
            spans = self._spans[key] = self._encoder(name)()
        return spans

    def _encoder(self, name: str) -> Callable[[], Spans]:
        """What encodes the text as it is now; it changes nothing here, and any thread may call it."""
        workspace = self._workspace
        allowed: AllowedSpecial = "all" if workspace.special_as_tokens else ()
        text_map, before = workspace.text_map, self._spans_before.get(self._key(name))

        def encode() -> Spans:
            begun = time.monotonic()
            if before is None:
                spans = encode_spans(workspace.encoding(name), text_map, allowed_special=allowed)
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
        workspace = self._workspace
        spans: dict[str, Spans] = {}
        problems: dict[str, str] = {}

        def note(name: str, problem: Exception) -> None:
            problems[name] = str(problem)
            if isinstance(problem, ValueError) and not isinstance(problem, _PASSING):
                self._problems[self._key(name)] = str(problem)

        def encode(name: str) -> None:
            try:
                askers.check_wanted()
                spans[name] = self.spans(name)
            except (ValueError, OSError) as problem:
                note(name, problem)

        slow = [] if patience is None else [name for name in workspace.encodings if self._may_take_long(name)]
        quick = [name for name in workspace.encodings if name not in slow]
        done = self._count(slow, 0)  # the others are begun
        if workspace.text_map.n_bytes < ALONE_BYTES:
            for name in quick:
                encode(name)
        else:
            self._encode_together(quick, encode)
        left = [name for name in slow if name not in done]
        if left:
            done |= self._count(left, patience or 0)
        for name, result in done.items():
            if isinstance(result, Spans):
                spans[name] = self._spans[self._key(name)] = result
            elif isinstance(result, askers.NobodyWaitsError):
                continue  # its browser had gone; if it is back, it asks again
            elif isinstance(result, (ValueError, OSError)):
                note(name, result)
            else:
                raise result
        return {name: spans[name] for name in workspace.encodings if name in spans}, problems

    def are_ready(self) -> bool:
        """Whether the text is there in every chosen encoding, and the next text will not be slow in any."""
        names = self._workspace.encodings
        return all(self._key(name) in self._spans and not self._is_slow(name) for name in names)

    def _may_take_long(self, name: str) -> bool:
        """Whether other panels should not wait for this one: it is not loaded yet, one's own, or was slow."""
        key = self._key(name)
        return key not in self._spans and key not in self._problems and self._is_slow(name)

    def _is_slow(self, name: str) -> bool:
        """Whether another text would take long in this encoding."""
        return name in self._workspace.grown or not tk.is_loaded(name) or self._seconds.get(name, 0) > SLOW

    def _count(self, names: list[str], patience: float) -> dict[str, Spans | BaseException]:
        """Those of the encodings that are done within the patience, beside this thread."""
        workspace = self._workspace
        until = time.monotonic() + patience
        done: dict[str, Spans | BaseException] = {}
        for own, panels in self._slow.items():
            names_of = {
                (name, workspace.special_as_tokens, id(workspace.grown.get(name))): name
                for name in names
                if (name in workspace.grown) == own
            }
            jobs = {key: self._with_walls(name, self._encoder(name)) for key, name in names_of.items()}
            results = panels.count(workspace.text_map, jobs, max(0.0, until - time.monotonic()))
            done |= {names_of[key]: result for key, result in results.items()}
        return done

    def _with_walls(self, name: str, encode: Callable[[], Spans]) -> Callable[[], Spans]:
        """A job that also finds the walls, if the answer shows them or the pinned token's piece.

        With a slow split pattern, finding them takes as long as encoding.
        """
        workspace = self._workspace
        is_pinned = workspace.pin is not None and workspace.pin.encoding == name
        if not (workspace.walls or is_pinned) or workspace.text_map.n_bytes > WALLS_BYTES:
            return encode

        def encode_and_split() -> Spans:
            spans = encode()
            with contextlib.suppress(ValueError):  # it is said where they are drawn
                _ = spans.seen.wall_starts
            return spans

        return encode_and_split

    def _encode_together(self, names: list[str], encode: Callable[[str], None]) -> None:
        """Encode on several cores, without waiting for what other sessions have them do.

        The session's own thread works too, and alone if no helper is free. The session's own encodings,
        whose patterns may be slow, are left to that thread, because all sessions share the helpers.
        """
        workspace = self._workspace
        asker = askers.current_asker()
        shared = collections.deque(name for name in names if name not in workspace.grown)

        def work() -> None:
            with askers.asked_by(asker), contextlib.suppress(IndexError):
                while True:
                    encode(shared.popleft())

        helpers = [_threads.submit(work) for _ in range(min(HELPERS, len(shared) - 1))]
        for name in names:
            if name in workspace.grown:
                encode(name)
        work()
        for helper in helpers:
            if not helper.cancel():
                helper.result()
