"""What a run of the page said last is heard, though a part of the page is asked for at once.

A run says what it draws from its own thread; the server's loop takes it from there, one message after the
other, when it comes to it. Streamlit lets go of a run when its thread is at its end. If a part of the page
(``st.fragment``) is asked for in that moment, a new run begins, and Streamlit drops whatever the loop has not
taken yet from the one before. That is right for a run that was stopped, since the new one draws everything
again. But a part draws only itself: the rest of the page would stay as it was, until something else is
clicked. On a busy machine, the loop is behind often enough for a chart to keep the language of before.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent

_finished: WeakSet[ScriptRunner] = WeakSet()
"""Runs that came to their end by themselves, and were followed by another before all was taken from them."""

_begin_run = AppSession._create_scriptrunner
_take = AppSession._handle_scriptrunner_event_on_event_loop


def hear_finished_runs() -> None:
    """Have the server hear each run that came to its end, to its last message."""
    # mypy: methods are no place to assign to
    setattr(AppSession, "_create_scriptrunner", _begin_run_after)  # noqa: B010
    setattr(AppSession, "_handle_scriptrunner_event_on_event_loop", _take_from_finished)  # noqa: B010


def _begin_run_after(self: AppSession, data: RerunData) -> None:
    """In place of ``_create_scriptrunner``."""
    before = self._scriptrunner  # None if it was stopped, or if all was taken from it
    if before is not None and not before._execing:
        _finished.add(before)
    _begin_run(self, data)


def _take_from_finished(
    self: AppSession, sender: ScriptRunner | None, event: ScriptRunnerEvent, *details: Any, **more: Any
) -> None:
    """In place of ``_handle_scriptrunner_event_on_event_loop``, which hears the newest run only."""
    # All but its shutdown was said before the newest run began, and so it is taken first.
    if sender not in _finished or event is ScriptRunnerEvent.SHUTDOWN:
        _take(self, sender, event, *details, **more)
        return
    newest, self._scriptrunner = self._scriptrunner, sender
    try:
        _take(self, sender, event, *details, **more)
    finally:
        self._scriptrunner = newest
