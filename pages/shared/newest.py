"""A file that holds what is in the fields when it is saved, not when its button was drawn.

A press of the button ends the typing in a field. A file that was made with the button does not know of that.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pages.server.askers import session_asker
from pages.server.turns import turn_of
from pages.shared.session import get_kept

T = TypeVar("T")

# Seconds in which what was typed last sets off a run. Where nothing was typed, a file comes that much later.
_PATIENCE = 0.6


@dataclass
class _Newest:
    """What a session's pages would save, by the name of the button; and the number of runs that said so."""

    values: dict[str, Any] = field(default_factory=dict)
    runs: int = 0


def newest(name: str, value: T) -> Callable[[], T]:
    """Remember a value; what is returned gives the newest one, once the run that a press set off has ended.

    Args:
        name: unique in the app.
        value: as of this run.
    """
    kept, asker = get_kept(_Newest), session_asker()
    kept.values[name] = value
    kept.runs += 1

    def wait_and_get() -> T:
        drawn, end = kept.runs, time.monotonic() + _PATIENCE
        while kept.runs == drawn and time.monotonic() < end:
            time.sleep(0.02)
        if asker is not None:
            turn = turn_of(asker.key)
            turn.take(wait=True)
            turn.give_back()
        result: T = kept.values[name]
        return result

    return wait_and_get
