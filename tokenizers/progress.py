"""How much of a long text is encoded already, for whoever waits for it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar

_listener: ContextVar[Callable[[float], None] | None] = ContextVar("listener", default=None)


@contextlib.contextmanager
def heard_by(listener: Callable[[float], None]) -> Iterator[None]:
    """Within it, the encodings that take a long text in parts report the share that is done.

    Args:
        listener: gets the share after each part. What it raises ends the work.

    >>> with heard_by(print):
    ...     report(0.25)
    0.25
    """
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def report(share: float) -> None:
    """Tell the listener, if there is one, which share of a text is done."""
    listener = _listener.get()
    if listener is not None:
        listener(share)
