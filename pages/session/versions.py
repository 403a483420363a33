"""Versions of the fields of the editor's state: what is older never replaces what is newer.

Browser and server both change the state, and each tells the other. Messages may arrive in any order, twice,
or never. So each field (text, page, pin, …) has a version, a number that only rises, and a message holds the
versions of what it says. Of two values of a field, the one with the larger version stays, on both sides. The
versions of a new session begin anew.

The browser's next version is its largest one plus 1. The server's is the next multiple of ``STEP``. So no two
changes have the same version, and a change by the server replaces all that a person did before the browser
knew of it. (These are Lamport's clocks: "Time, clocks, and the ordering of events in a distributed system",
1978. Each field is a last-writer-wins register.)

The browser's side is ``assets/components/editor/shared_state.js``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

STEP = 1 << 32
"""More versions than a browser gives in its life."""

MAX_VERSION = 1 << 53
"""JavaScript's numbers are exact up to here."""


class Versions:
    """The version of each field of a state.

    Args:
        state: the values of the fields, at first.

    >>> versions = Versions({"text": "a", "view": "ids"})
    >>> versions.accept("text", STEP + 1, "ab")  # a browser typed
    >>> versions.note({"text": "ab", "view": "text"})  # and a page changed the view
    >>> versions["text"] - STEP, versions["view"] // STEP
    (1, 2)
    >>> versions.next_of_browser() == 2 * STEP + 1
    True
    >>> versions.note({"text": "of a page", "view": "text"})
    >>> versions["text"] // STEP
    3
    """

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._values = dict(state)
        self._versions = dict.fromkeys(state, STEP)

    def __getitem__(self, field: str) -> int:
        return self._versions[field]

    def to_dict(self) -> dict[str, int]:
        """The version of each field."""
        return dict(self._versions)

    def note(self, state: Mapping[str, Any]) -> None:
        """Give a new version to each field that the server has changed since the last call."""
        changed = [field for field, value in state.items() if value != self._values[field]]
        if changed:
            newest = max(self._versions.values())
            next_version = (newest // STEP + 1) * STEP
            self._versions |= dict.fromkeys(changed, next_version)
            self._values = dict(state)

    def next_of_browser(self) -> int:
        """The version of a browser's next change."""
        return max(self._versions.values()) + 1

    def accept(self, field: str, version: int, value: Any) -> None:
        """Note a browser's change, and the value that it led to."""
        self._versions[field] = version
        self._values[field] = value

    def refine(self, field: str, value: Any) -> None:
        """Note a value that follows from the browser's own, and so keeps its version."""
        self._values[field] = value

    def is_servers(self, field: str) -> bool:
        """Whether the server changed the field last."""
        return self._versions[field] % STEP == 0
