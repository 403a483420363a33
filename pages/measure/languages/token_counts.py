"""The tokens of all languages, counted in the background: once for each encoding, for all sessions together.

The work is done in a thread: the engine works outside Python's lock, so those who type elsewhere hardly
feel it. Two encodings are counted at a time, of each session one, and the places change hands every few
seconds: a slow pattern of one's own keeps nobody waiting.

Sessions that look at the same encoding share its counting. It goes on while one of them wants it: it ends
when all have pressed Stop, or have left.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Literal

from tokenizers.askers import Asker, NobodyWaitsError, Places, asked_by, current_asker
from tokenizers.data import ParallelText, list_parallel
from tokenizers.encoding import Encoding
from tokenizers.measure import fingerprint, iter_counts, shipped_counts
from tokenizers.split import BusyError

MAX_SECONDS = 60.0
"""Seconds that counting all languages in one encoding may take; then it stops, and the page asks whether to
go on. Only a person's own slow pattern needs longer."""

_KEPT = 64  # countings that are kept: those used last, and those that somebody waits for

_MOST_WANTED = 6  # countings that go on for one session: those that it asked for last

State = Literal["waiting", "counting", "done", "stopped", "failed"]

TURN = 2.0
"""Seconds after which a counting makes room for the next in line."""

_SOMEBODY = Asker("", lambda: True)  # who asks where there is no session

_places = Places(2)
_lock = threading.Lock()
_countings: OrderedDict[str, LanguageCount] = OrderedDict()


class LanguageCount:
    """The counting of all languages in one encoding.

    Attributes:
        counts: tokens by code, so far.
        total: texts in all.
        problem: why it failed, or was stopped by itself, for people.
    """

    def __init__(self, encoding: Encoding, texts: Sequence[ParallelText]) -> None:
        self.counts: Mapping[str, int] = {}
        self.total = len(texts)
        self.problem = ""
        self._state: State = "waiting"
        self._texts = texts
        self._over = threading.Event()
        self._change = threading.Lock()
        self._askers: dict[str, Asker] = {}  # who wants it
        self._stopped_by: set[str] = set()  # who pressed Stop
        self._begun_by = ""
        shipped = shipped_counts(encoding)
        if shipped is not None and texts is list_parallel():
            self.counts, self._state = shipped, "done"
            self._over.set()
        else:
            self.go_on(encoding)

    @property
    def state(self) -> State:
        """The state that the asking session sees: a session that stopped it sees it stopped."""
        state = self._state
        is_going = state in ("waiting", "counting")
        return "stopped" if is_going and _asker().key in self._stopped_by else state

    @property
    def is_over(self) -> bool:
        """Whether nothing more will come, unless it goes on."""
        return self._over.is_set() or self.state == "stopped"

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return len(self.counts) / max(1, self.total)

    def go_on(self, encoding: Encoding) -> None:
        """Start, or take up again where it was stopped."""
        asker = _asker()
        with self._change:
            self._stopped_by.discard(asker.key)
            self._askers[asker.key] = asker
            if self._state in ("waiting", "counting") and self._begun_by:
                return  # others want it, so it never stopped
            self._begin(encoding, asker)

    def _begin(self, encoding: Encoding, asker: Asker) -> None:
        self._over.clear()
        self._begun_by = asker.key or "somebody"
        self._state, self.problem = "waiting", ""
        try:
            threading.Thread(
                target=self._count, args=(encoding, asker.key), name="count languages", daemon=True
            ).start()
        except RuntimeError:  # this machine has no thread left
            self._state, self.problem = "stopped", "the server is very busy: go on in a minute"
            self._over.set()

    def join(self, encoding: Encoding) -> bool:
        """Join those who want it, unless this session stopped it; False: it failed for another encoding.

        A counting that ended because nobody wanted it any more goes on.
        """
        asker = _asker()
        with self._change:
            if self._state == "failed":
                return (asker.key or "somebody") == self._begun_by
            if self._state == "done" or asker.key in self._stopped_by:
                return True
            self._askers[asker.key] = asker
            if self._state == "stopped" and not self.problem:
                self._begin(encoding, asker)
        return True

    def stop(self) -> None:
        """Leave those who want it; what is counted stays. It ends soon if nobody is left."""
        asker = _asker()
        with self._change:
            self._askers.pop(asker.key, None)
            self._stopped_by.add(asker.key)

    def is_wanted_by(self, asker: Asker) -> bool:
        """Whether it goes on, and this one waits for it."""
        return not self._over.is_set() and asker.key in self._askers

    def leave(self, asker: Asker) -> None:
        """This one does not look at it any more. It ends soon if nobody is left."""
        with self._change:
            self._askers.pop(asker.key, None)

    @property
    def can_be_dropped(self) -> bool:
        """Whether nobody waits for it: it is over, or those who wanted it have gone."""
        return self._over.is_set() or not self._is_wanted()

    def let_go(self) -> None:
        """End it soon, even if others want it."""
        with self._change:
            self._askers.clear()

    def _is_wanted(self) -> bool:
        with self._change:
            askers = list(self._askers.values())
        return any(asker.is_here() for asker in askers)

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so many seconds; whether it has ended."""
        return self._over.wait(seconds)

    def _count(self, encoding: Encoding, key: str) -> None:
        wanting = Asker(key, self._is_wanted) if key else None
        state: State = "stopped"
        try:
            with asked_by(wanting):
                self._count_by_turns(encoding, wanting)
            state = "done" if len(self.counts) == self.total else "stopped"
        except NobodyWaitsError:
            pass
        except BusyError as problem:
            self.problem = str(problem).rstrip(".")
        except (ValueError, OSError) as problem:
            if self._is_wanted():  # if not, its pattern was ended
                self.problem, state = str(problem), "failed"
        except Exception as problem:  # an encoding from a file may fail in a way that nobody foresaw
            self.problem = f"{encoding.name} could not be counted ({type(problem).__name__}). Choose another."
            state = "failed"
        with self._change:
            self._state = state
            self._over.set()

    def _count_by_turns(self, encoding: Encoding, asker: Asker | None) -> None:
        """Count for a while, make room for the next in line, and go on."""
        steps = iter_counts(encoding, self._texts, dict(self.counts))
        worked = 0.0
        while self._is_wanted():
            _places.acquire(asker, timeout=threading.TIMEOUT_MAX)
            began = time.monotonic()
            try:
                self._state = "counting"
                while True:
                    progress = next(steps, None)
                    if progress is None:
                        return
                    if progress.done > len(self.counts):  # no less than before it was stopped
                        self.counts = dict(progress.counts)
                    if not self._is_wanted():
                        return
                    if worked + time.monotonic() - began > MAX_SECONDS:
                        self.problem = f"it has taken {MAX_SECONDS:.0f} seconds"
                        return
                    if time.monotonic() - began >= TURN:
                        break
            finally:
                worked += time.monotonic() - began
                _places.release(asker)


def _asker() -> Asker:
    return current_asker() or _SOMEBODY


def counting_of(encoding: Encoding) -> LanguageCount:
    """The counting of this encoding, begun at the first call; later calls, of any session, share it.

    Raises:
        ValueError: so many are being counted that there is no room for one more.
    """
    key, texts = fingerprint(encoding), list_parallel()
    with _lock:
        counting = _countings.get(key)
        if counting is None or not counting.join(encoding):
            if counting is None:
                _make_room()
            counting = _countings[key] = LanguageCount(encoding, texts)
        _countings.move_to_end(key)
        wanted = [each for each in _countings.values() if each.is_wanted_by(_asker())]
        for each in wanted[:-_MOST_WANTED]:
            each.leave(_asker())
        return counting


def _make_room() -> None:
    """Drop the countings that were used longest ago, but none that somebody waits for."""
    droppable = [key for key, counting in _countings.items() if counting.can_be_dropped]
    for key in droppable[: max(0, len(_countings) - _KEPT + 1)]:
        _countings.pop(key).let_go()
    if len(_countings) >= _KEPT:
        raise ValueError("Very many encodings are being counted here right now. Try again in a minute.")


def forget(encoding: Encoding) -> None:
    """Forget a counting, so that the next call begins it anew."""
    with _lock:
        counting = _countings.pop(fingerprint(encoding), None)
    if counting is not None:
        counting.let_go()
