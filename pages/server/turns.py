"""A session does one thing at a time: its script runs, or a key is answered beside it.

Both read and change what the session has, above all its workspace. A run of the script has its turn from its
first callback to its end. What is not the script's (pages/explore/playground/keystroke.py) takes a turn in
between.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from weakref import WeakValueDictionary

from streamlit.runtime.scriptrunner import RerunData, ScriptRunner


class Turn:
    """Whose turn it is in a session. Any thread may take it, and any may give it back.

    >>> turn = Turn()
    >>> turn.take(wait=False), turn.take(wait=False), turn.give_back(), turn.take(wait=False)
    (True, False, None, True)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.is_wanted = False  # somebody has asked for it in vain since it was taken

    def take(self, *, wait: bool) -> bool:
        """Take the turn; returns whether it was free, or became free in time."""
        if not self._lock.acquire(blocking=wait):
            self.is_wanted = True
            return False
        self.is_wanted = False
        return True

    def give_back(self) -> None:
        self._lock.release()


_turns: WeakValueDictionary[str, Turn] = WeakValueDictionary()
_adding = threading.Lock()


def turn_of(session: str) -> Turn:
    """The turn of a session. It is remembered for as long as somebody has it."""
    with _adding:
        return _turns.setdefault(session, Turn())


def run_scripts_in_turn() -> None:
    """From now on, each run of a script has its session's turn."""
    # mypy: methods are no place to assign to
    setattr(ScriptRunner, "_run_script", _in_turn(ScriptRunner._run_script))  # noqa: B010


def _in_turn(run: Callable[[ScriptRunner, RerunData], None]) -> Callable[[ScriptRunner, RerunData], None]:
    @functools.wraps(run)
    def run_in_turn(self: ScriptRunner, data: RerunData) -> None:
        turn = turn_of(self._session_id)
        turn.take(wait=True)
        try:
            run(self, data)
        finally:
            turn.give_back()

    return run_in_turn
