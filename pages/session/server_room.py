"""How much of the server's memory is taken: by all sessions together, and by those of one address.

What one session may hold has limits of its own, which a server could not give to all two hundred at once. So
whatever adds much asks here first. What is refused can be had later, and what is there stays.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol
from weakref import WeakValueDictionary

from pages.session.free_memory import free_memory
from tokenizers.amounts import bytes_in_words
from tokenizers.memory import taken_memory

MAX_TAKEN = 10_000_000 << 20
"""Bytes of memory that this process may take before it refuses what would add much."""

MAX_OF_ADDRESS = 10_000_000 << 20
"""Bytes that the sessions of one address may hold together, as they are counted."""

_FREE_EVERY = 10.0
"""Seconds between two attempts to give back what is not in use: each stops the server for a moment."""


class Holder(Protocol):
    """A session that holds things of a person's own."""

    session: str
    address: str

    @property
    def held_bytes(self) -> int:
        """Bytes of memory that they take; of encodings, estimated."""


_holders: WeakValueDictionary[str, Holder] = WeakValueDictionary()
_freeing = threading.Lock()
_freed_at = -_FREE_EVERY


def check_room_of_all(n_bytes: int, what: str) -> None:
    """Refuse what would take more memory than the server has for all. Where nobody can tell, all is taken.

    Args:
        n_bytes: that it would take.
        what: it is, to follow “there is no memory for”.

    Raises:
        ValueError: there is no room for it; says what to do.
    """
    if _has_room(n_bytes):
        return
    _free()
    if not _has_room(n_bytes):
        raise ValueError(
            f"The server is full at the moment: there is no memory for {what}. What is here stays. Try again "
            "later, or remove texts and encodings that you do not need any more."
        )


def _has_room(n_bytes: int) -> bool:
    taken = taken_memory()
    return taken is None or taken + n_bytes <= MAX_TAKEN


def _free() -> None:
    """Give back what is not in use any more, if that was not tried a moment ago."""
    global _freed_at
    with _freeing:
        if time.monotonic() - _freed_at >= _FREE_EVERY:
            free_memory()
            _freed_at = time.monotonic()


def check_room_of_address(holder: Holder, n_bytes: int, what: str) -> None:
    """Refuse what would be too much beside all that the sessions of this one's address hold.

    Args:
        holder: who wants to hold it; where its address is empty, it counts for none.
        n_bytes: that it takes.
        what: it is, to follow “there is no room for”.

    Raises:
        ValueError: there is no room for it; says what to do.
    """
    if not holder.address:
        return
    _holders[holder.session] = holder  # until its session has ended
    held = sum(each.held_bytes for each in list(_holders.values()) if each.address == holder.address)
    if held + n_bytes > MAX_OF_ADDRESS:
        raise ValueError(
            f"There is no room for {what}: texts and encodings from your network’s address may take "
            f"{bytes_in_words(MAX_OF_ADDRESS)} together, and they take {bytes_in_words(held)} already. "
            "Remove some of yours, or try again when others have left."
        )
