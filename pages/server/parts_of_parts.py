"""A part of the page that runs again replaces what it said before, with the parts within it.

When a part (``st.fragment``) is asked for again, Streamlit drops what the part said before and was not sent
yet: it will say everything again. But what a part within it said, such as a table below what is typed, stays,
since that part has a name of its own. Its place was sent first then, before the places above it: "Bad delta
path index 16 (should be between [0, 14])", and the browser showed nothing more of the part. On a busy machine
this came of typing on Unicode as soon as its first rows were there.

The parts within it run again as well, so what they said is dropped with the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.fragment import MemoryFragmentStorage

_clear = AppSession._clear_queue


def drop_with_what_is_in_it() -> None:
    """Have a session drop what the parts within a part said, when that part runs again."""
    # mypy: methods are no place to assign to
    setattr(AppSession, "_clear_queue", _clear_with_parts_within)  # noqa: B010


def _clear_with_parts_within(self: AppSession, fragment_ids_this_run: list[str] | None = None) -> None:
    """In place of ``_clear_queue``; None: the whole page runs."""
    parts = fragment_ids_this_run
    if parts:
        # A copy: the run's thread may be adding to it.
        parts = with_parts_within(
            parts, dict(cast(MemoryFragmentStorage, self._fragment_storage)._parent_by_id)
        )
    _clear(self, parts)


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
