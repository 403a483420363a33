"""How many small pieces a connection may send: to look at one takes the server as long as at a large one.

A frame of a WebSocket, or a chunk of a request's body, may have a byte or none. One connection that sent
250 KB of such a second kept the server from answering anybody else. A browser sends few: what is typed,
and signs of life.
"""

from __future__ import annotations

from collections.abc import Callable

from pages.server.allowance import Allowance

SMALL = 256
"""Bytes, below which a piece is small. Whatever passes a long message on does so in larger ones."""

AT_ONCE, A_SECOND = 5_000, 40
"""Small pieces that a connection may send at once, and how many more each second."""

AT_ONCE_OF_ADDRESS, A_SECOND_OF_ADDRESS = 4 * AT_ONCE, 12 * A_SECOND
"""The same for all connections of an address together. Beyond it, those that send many are ended."""

MANY = 100
"""Small pieces of late, from which on a connection sends many. Classmates of one address do not."""


class SmallPieces:
    """Those of a connection.

    Args:
        clock: seconds that only rise.

    >>> small = SmallPieces(lambda: 0.0)
    >>> small.takes(AT_ONCE), small.takes(1)
    (True, False)
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._allowance = Allowance(AT_ONCE, A_SECOND, clock)

    def takes(self, count: int) -> bool:
        """Whether so many more may come."""
        return self._allowance.take(count) >= 0

    @property
    def are_many(self) -> bool:
        """Whether more than ``MANY`` have come of late."""
        return self._allowance.left < AT_ONCE - MANY
