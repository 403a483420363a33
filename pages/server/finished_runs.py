"""The last messages of a run reach the browser, even if a part of the page runs right after it.

A run sends what it draws from its own thread, and the server's event loop passes it on, message by message.
When the thread ends, Streamlit lets go of the run. If a part of the page (``st.fragment``) is asked for at
that moment, a new run begins, and Streamlit drops whatever the loop has not passed on yet. That is right
after a run that was stopped, since the new one draws everything again. But a fragment draws only itself: the
rest of the page would stay as it was until the next click. On a busy machine, the loop falls behind often
enough for a chart to keep the language that was chosen before.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent

_finished: WeakSet[ScriptRunner] = WeakSet()
"""Runs that ended by themselves, and were followed by another before all their messages were passed on."""

_begin_run = AppSession._create_scriptrunner
_take = AppSession._handle_scriptrunner_event_on_event_loop


def hear_finished_runs() -> None:
    """Have the server pass on every message of a run that ended by itself."""
    # mypy: methods are no place to assign to
    setattr(AppSession, "_create_scriptrunner", _begin_run_after)  # noqa: B010
    setattr(AppSession, "_handle_scriptrunner_event_on_event_loop", _take_from_finished)  # noqa: B010


def _begin_run_after(self: AppSession, data: RerunData) -> None:
    """In place of ``_create_scriptrunner``."""
    before = self._scriptrunner  # None if it was stopped, or if all its messages were passed on
    if before is not None and not before._execing:
        _finished.add(before)
    _begin_run(self, data)


def _take_from_finished(
    self: AppSession, sender: ScriptRunner | None, event: ScriptRunnerEvent, *details: Any, **more: Any
) -> None:
    """In place of ``_handle_scriptrunner_event_on_event_loop``, which listens to the newest run only."""
    # All its messages but the shutdown were sent before the newest run began, so they go first.
    if sender not in _finished or event is ScriptRunnerEvent.SHUTDOWN:
        _take(self, sender, event, *details, **more)
        return
    newest, self._scriptrunner = self._scriptrunner, sender
    try:
        _take(self, sender, event, *details, **more)
    finally:
        self._scriptrunner = newest
