"""Fixes four bugs of Streamlit by replacing four private functions. The app works without the fixes, too.

``TOKEN_GROVE_FIXES=off`` disables them. An untested version of Streamlit runs without them.
tests/test_streamlit_fixes.py shows each bug, and CONTRIBUTING says how to test another version.
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

import streamlit as st
from streamlit.delta_generator_singletons import context_dg_stack, get_default_dg_stack_value
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, ScriptRunnerEvent
from streamlit.runtime.state import SafeSessionState, SessionState

# The fixes use setattr, since mypy allows no assignment to a method.
VARIABLE = "TOKEN_GROVE_FIXES"
TESTED = ("1.67.0",)
"""The tested versions of Streamlit.

To raise the upper bound in requirements.txt: install the new release, add its number here, and run
``make test``. A fix whose test passes without it is a fix to delete. Then walk through the pages with the
log in view, once with ``TOKEN_GROVE_FIXES=off``.
"""

_log = logging.getLogger(__name__)


def fix_streamlit() -> None:
    """Apply all fixes, unless they are disabled, or not tested with this version."""
    if os.environ.get(VARIABLE) == "off":
        return
    if st.__version__ not in TESTED:
        _log.warning("Streamlit %s is new here: it runs without the fixes of %s.", st.__version__, __name__)
        return
    send_all_of_finished_runs()
    begin_runs_where_they_belong()
    end_runs_only_where_they_draw()


# If a fragment run is requested after a run's thread has ended, Streamlit drops the run's messages that the
# event loop has not sent yet. The fragment draws only itself, so the rest of the page stays outdated.

_finished: WeakSet[ScriptRunner] = WeakSet()  # runs that ended by themselves, and that another one followed


def send_all_of_finished_runs() -> None:
    """Send every message of a run that ended by itself, whatever runs next."""
    create = AppSession._create_scriptrunner
    handle = AppSession._handle_scriptrunner_event_on_event_loop

    @functools.wraps(create)
    def create_after(self: AppSession, data: RerunData) -> None:
        before = self._scriptrunner  # None if it was stopped, or if all its messages were sent
        if before is not None and not before._execing:
            _finished.add(before)
        create(self, data)

    @functools.wraps(handle)
    def handle_finished(
        self: AppSession, sender: ScriptRunner | None, event: ScriptRunnerEvent, *a: Any, **more: Any
    ) -> None:
        if sender not in _finished or event is ScriptRunnerEvent.SHUTDOWN:
            handle(self, sender, event, *a, **more)
            return
        newest = self._scriptrunner  # it handles only events of the newest run
        self._scriptrunner = sender
        try:
            handle(self, sender, event, *a, **more)
        finally:
            self._scriptrunner = newest

    setattr(AppSession, "_create_scriptrunner", create_after)  # noqa: B010
    setattr(AppSession, "_handle_scriptrunner_event_on_event_loop", handle_finished)  # noqa: B010


# If a page run is requested while a fragment's thread is about to end, the page runs in that thread, and
# Streamlit draws it inside the fragment: at the next run, the page turns white. If a fragment run is
# requested while another page runs, the fragment is gone when its turn comes: Streamlit then opens the page
# that was left, draws nothing, and the page turns white.


def begin_runs_where_they_belong() -> None:
    """Start each run at the top of the page, and none for fragments that a run in between has removed.

    A fragment's run moves from the top to its own place.
    """
    run = ScriptRunner._run_script

    @functools.wraps(run)
    def run_from_the_top(self: ScriptRunner, data: RerunData) -> None:
        wanted = data.fragment_id_queue
        if not wanted or any(map(self._fragment_storage.contains, wanted)):
            context_dg_stack.set(get_default_dg_stack_value())
            run(self, data)

    setattr(ScriptRunner, "_run_script", run_from_the_top)  # noqa: B010


# If a newer run is requested, Streamlit stops the older one at its next access to ``st.session_state``, so
# between two changes that belong together. A text that a page just handed to another page then counts as
# typed there, and replaces the typed text.


def end_runs_only_where_they_draw() -> None:
    """Stop no run at an access to the session state."""
    begin = SafeSessionState.__init__

    @functools.wraps(begin)
    def begin_without_ends(
        self: SafeSessionState, state: SessionState, yield_callback: Callable[[], None]
    ) -> None:
        begin(self, state, lambda: None)  # yield_callback may stop the run

    setattr(SafeSessionState, "__init__", begin_without_ends)  # noqa: B010
