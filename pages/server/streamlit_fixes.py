"""Three faults of Streamlit, mended by replacing private names of it. The app works without the fixes, too.

``TOKEN_GROVE_FIXES=off`` switches them off. A version of Streamlit with which they were not tried runs
without them: tests/test_streamlit_fixes.py shows each fault, and CONTRIBUTING says how to try another
version.
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

# They are replaced by setattr, since mypy takes no assignment to a method.
VARIABLE = "TOKEN_GROVE_FIXES"
TESTED = ("1.67.0",)
"""Versions of Streamlit with which the fixes were tried."""

_log = logging.getLogger(__name__)


def fix_streamlit() -> None:
    """Put all fixes in place, unless they are switched off or were not tried with this version."""
    if os.environ.get(VARIABLE) == "off":
        return
    if st.__version__ not in TESTED:
        _log.warning("Streamlit %s is new here: it runs without the fixes of %s.", st.__version__, __name__)
        return
    send_all_of_finished_runs()
    draw_pages_from_the_top()
    end_runs_only_where_they_draw()


# When a run's thread has ended and a fragment is asked for before the event loop has passed on all
# messages of the run, Streamlit drops them. The fragment draws only itself, so the rest of the page stays
# as it was before.

_finished: WeakSet[ScriptRunner] = WeakSet()  # ended by themselves, and followed by another run since


def send_all_of_finished_runs() -> None:
    """Pass on every message of a run that ended by itself, whatever runs next."""
    create = AppSession._create_scriptrunner
    handle = AppSession._handle_scriptrunner_event_on_event_loop

    @functools.wraps(create)
    def create_after(self: AppSession, data: RerunData) -> None:
        before = self._scriptrunner  # None if it was stopped, or if all its messages were passed on
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
        newest, self._scriptrunner = self._scriptrunner, sender  # it listens to the newest run only
        try:
            handle(self, sender, event, *a, **more)
        finally:
            self._scriptrunner = newest

    setattr(AppSession, "_create_scriptrunner", create_after)  # noqa: B010
    setattr(AppSession, "_handle_scriptrunner_event_on_event_loop", handle_finished)  # noqa: B010


# When the whole page is asked for while a fragment's thread is about to end, the page runs in that
# thread, and Streamlit draws all of it inside the fragment. At the next run the browser finds other
# things there, and the page turns white.


def draw_pages_from_the_top() -> None:
    """Begin each run at the top of the page; a fragment's run goes to its own place from there."""
    run = ScriptRunner._run_script

    @functools.wraps(run)
    def run_from_the_top(self: ScriptRunner, data: RerunData) -> None:
        context_dg_stack.set(get_default_dg_stack_value())
        run(self, data)

    setattr(ScriptRunner, "_run_script", run_from_the_top)  # noqa: B010


# When a newer run is asked for, Streamlit ends the older one at its next look into ``st.session_state``,
# so between two changes that belong together. A text that was just handed to another page then counts as
# typed there, and replaces what a person typed.


def end_runs_only_where_they_draw() -> None:
    """End no run at a look into the session state."""
    begin = SafeSessionState.__init__

    @functools.wraps(begin)
    def begin_without_ends(
        self: SafeSessionState, state: SessionState, yield_callback: Callable[[], None]
    ) -> None:
        begin(self, state, lambda: None)  # yield_callback may end the run

    setattr(SafeSessionState, "__init__", begin_without_ends)  # noqa: B010
