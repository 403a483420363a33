"""A part of the page that runs again replaces what it said before, with the parts within it.

When a part (``st.fragment``) is asked for again, Streamlit drops what the part said before and was not sent
yet: it will say everything again. But what a part within it said, such as a table below what is typed, stays,
since that part has a name of its own. Its place was sent first then, before the places above it: "Bad delta
path index 16 (should be between [0, 14])", and the browser showed nothing more of the part. On a busy machine
this came of typing on Unicode as soon as its first rows were there.

What the parts within it said is dropped with the rest: they are drawn again, or no longer there. Which parts
those are is found as the run begins. When the event loop hears of it, the run may have ended, and the parts
that it no longer drew are forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.scriptrunner import ScriptRunner, ScriptRunnerEvent

_tell_loop = AppSession._on_scriptrunner_event


def drop_with_what_is_in_it() -> None:
    """Have a session drop what the parts within a part said, when that part runs again."""
    # mypy does not allow to assign to a method
    setattr(AppSession, "_on_scriptrunner_event", _tell_of_parts_within)  # noqa: B010


def _tell_of_parts_within(
    self: AppSession,
    sender: ScriptRunner | None,
    event: ScriptRunnerEvent,
    fragment_ids_this_run: list[str] | None = None,
    **more: Any,
) -> None:
    """In place of ``_on_scriptrunner_event``, which is called in the run's thread.

    The parts that run are given as a run begins, and used for nothing but to drop what they said.
    """
    parts = fragment_ids_this_run
    if parts:
        # A copy: another thread may be changing it.
        parents = dict(cast(MemoryFragmentStorage, self._fragment_storage)._parent_by_id)
        parts = with_parts_within(parts, parents)
    _tell_loop(self, sender, event, fragment_ids_this_run=parts, **more)


def with_parts_within(parts: list[str], parents: Mapping[str, str | None]) -> list[str]:
    """These parts, and all that are within them.

    Args:
        parts: their names.
        parents: of each part, the one that it is directly in; None: it is in none.

    >>> with_parts_within(["rows"], {"rows": None, "table": "rows", "file": "table", "other": None})
    ['rows', 'table', 'file']
    """
    within = dict.fromkeys(parts)
    n_before = 0
    while n_before < len(within):
        n_before = len(within)
        within |= {part: None for part, parent in parents.items() if parent in within}
    return list(within)
