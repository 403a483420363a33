"""Issues tickets: random strings by which a browser's requests name objects of its session."""

from __future__ import annotations

import secrets
from typing import TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")

_objects: WeakValueDictionary[str, object] = WeakValueDictionary()


def issue_ticket(target: object) -> str:
    """Issue a ticket for an object. It is valid as long as the object lives, since the reference is weak.

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
    """The object of a class with this ticket; None: there is none, or its session has ended."""
    target = _objects.get(ticket)
    return target if isinstance(target, kind) else None
