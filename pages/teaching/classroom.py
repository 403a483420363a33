"""All classes of a server: their rooms, by the codes under which phones find them."""

from __future__ import annotations

import secrets
import time

from pages.teaching.room import SECONDS_AWAY, ClassPlan, Room, RoomError

MAX_ROOMS = 10
HOURS = 3
"""After which a room ends."""
MINUTES_ALONE = 30
"""Minutes after which a room ends that its teacher's browser has left. If rooms are short, it ends sooner."""

LETTERS = "BCDFGHJKMNPRSTWXZ"
"""The letters of codes: none looks or sounds like a digit or another letter, and no word can come out."""
CODE_LENGTH = 4


class Classroom:
    """All rooms of a server."""

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}

    def open(self, plan: ClassPlan) -> Room:
        """Open a room.

        Raises:
            RoomError: as ``make_way``.

        >>> rooms = Classroom()
        >>> room = rooms.open(ClassPlan("A lesson", [], "./lessons?lesson=token"))
        >>> len(room.code), rooms.find(room.code.lower()) is room
        (4, True)
        """
        self.make_way()
        code = ""
        while not code or code in self._rooms:
            code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        room = self._rooms[code] = Room(code, secrets.token_urlsafe(16), plan)
        return room

    def make_way(self) -> None:
        """Make way for one more room.

        Raises:
            RoomError: there are too many.
        """
        self.forget_old()
        if len(self._rooms) >= MAX_ROOMS:
            # A teacher may have opened several, and so may anybody's script: a room without a wall makes way.
            oldest = min(self._rooms.values(), key=lambda room: room.teacher_seen)
            if time.monotonic() - oldest.teacher_seen <= SECONDS_AWAY:
                raise RoomError(
                    f"{MAX_ROOMS} classes are open on this server, and no more fit. Try again when one ends."
                )
            oldest.end()
            self.forget_old()

    def find(self, code: str) -> Room | None:
        """The room with this code; None: there is none any more, or the server was started anew."""
        self.forget_old()
        return self._rooms.get(code.upper())

    def forget_old(self) -> None:
        """Forget the rooms that are over, and end those that are too old or have no teacher any more."""
        now = time.monotonic()
        for code, room in list(self._rooms.items()):
            is_alone = now - room.teacher_seen > 60 * MINUTES_ALONE
            if room.is_over or is_alone or now - room.opened > 3600 * HOURS:
                room.end()
                self._rooms.pop(code, None)


CLASSROOM = Classroom()
"""The rooms of this server."""
