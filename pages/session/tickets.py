"""Tickets: a request names an object of its session by one, which only the session's own browser knows."""

from __future__ import annotations

import secrets
from typing import TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

_objects: WeakValueDictionary[str, object] = WeakValueDictionary()


def issue_ticket(target: object) -> str:
    """A new ticket for an object. It holds as long as the object is alive: here it is only weakly referenced.

    >>> class Run: ...
    >>> run = Run()
    >>> ticket = issue_ticket(run)
    >>> find_by_ticket(ticket, Run) is run, find_by_ticket("guessed", Run), find_by_ticket(ticket, str)
    (True, None, None)
    """
    ticket = secrets.token_urlsafe(24)
    _objects[ticket] = target
    return ticket


def find_by_ticket(ticket: str, kind: type[T]) -> T | None:
    """The object of that class with this ticket; None: there is none, or its session has ended."""
    target = _objects.get(ticket)
    return target if isinstance(target, kind) else None
