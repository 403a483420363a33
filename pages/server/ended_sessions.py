"""A session ends when its tab is closed, and gives all back within a minute.

Streamlit keeps every session whose connection has ended for two minutes, since the connection may have been
cut: its browser then comes back. After that it forgets the session only when another one is left, and never
its uploads. So a server that everybody has left keeps all of it.

A browser that closes a tab says so (1001, going away), and its session is of no use to anybody: it is ended
at once. One whose connection was cut is ended when its two minutes are over; before that, it lets go of what
can be worked out again. Then what all sessions share is let go of if no session uses it any more, and what
the process does not use goes back to the machine.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import exists, get_instance

from pages.session.free_memory import free_memory

Forgetting = Callable[[Callable[[str], bool]], None]
Resting = Callable[[str], bool]

FREE_AFTER = 20.0
"""Seconds after the end of a session: those of a whole class that leaves are freed together."""

REST_AFTER = 15.0
"""Seconds after a connection was cut: a browser that comes back has done so by then, mostly."""

_LEFT = (1000, 1001)  # the codes of a browser that closes the connection because it leaves
_BEFORE = 5.0  # seconds before Streamlit would forget the session, which only then can be ended

_log = logging.getLogger(__name__)
_forgetting: list[Forgetting] = []
_resting: list[Resting] = []


def after_sessions_end(forget: Forgetting) -> Forgetting:
    """Have this called some seconds after sessions have ended, with what tells whether a session is there.

    It forgets what only sessions used that are gone: what they share may hold a person's words.
    """
    _forgetting.append(forget)
    return forget


def after_a_cut(rest: Resting) -> Resting:
    """Have this called some seconds after a session's connection was cut, with the session.

    It lets go of what can be worked out again, and returns whether that was much.
    """
    _resting.append(rest)
    return rest


def _rest_and_free(session: str) -> None:
    try:
        if any([rest(session) for rest in _resting]):
            free_memory()
    except Exception:  # it is ended later, all the same
        _log.exception("What a session had could not be let go of.")


def _is_there(session: str) -> bool:
    """Whether a session is there; one whose connection was cut still is."""
    return exists() and get_instance()._session_mgr.get_session_info(session) is not None


def _forget_and_free() -> None:
    for forget in _forgetting:
        try:
            forget(_is_there)
        except Exception:  # the others forget, and memory is freed, all the same
            _log.exception("What sessions that have ended had could not be forgotten.")
    free_memory()


def session_in(data: bytes | None) -> str:
    """The session that a message of Streamlit's to a browser names; empty: it names none."""
    message = ForwardMsg()
    try:
        message.ParseFromString(data or b"")
    except DecodeError:
        return ""
    name: str = message.new_session.initialize.session_id
    return name


class EndedSessions:
    """Middleware around the app: sessions that were left are ended.

    Args:
        app: the app.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._ends: dict[str, asyncio.TimerHandle] = {}  # of sessions whose connection was cut
        self._rests: dict[str, asyncio.TimerHandle] = {}  # of these, too
        self._freeing: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, and look which session a connection is, and how it ends."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        session, code = "", 0

        async def receive_seen() -> Message:
            nonlocal code
            message = await receive()
            if message["type"] == "websocket.disconnect":
                code = message.get("code", 0)
            return message

        async def send_seen(message: Message) -> None:
            nonlocal session
            if not session and message["type"] == "websocket.send":
                session = session_in(message.get("bytes"))
                self._comes_back(session)
            await send(message)

        try:
            await self._app(scope, receive_seen, send_seen)
        finally:
            if session:
                self._is_left(session, has_gone=code in _LEFT)

    def _comes_back(self, session: str) -> None:
        for timers in (self._ends, self._rests):
            timer = timers.pop(session, None)
            if timer is not None:
                timer.cancel()

    def _is_left(self, session: str, *, has_gone: bool) -> None:
        self._comes_back(session)
        later = asyncio.get_running_loop().call_later
        seconds = 0.0 if has_gone else max(0.0, config.get_option("server.disconnectedSessionTTL") - _BEFORE)
        self._ends[session] = later(seconds, self._end, session)
        if not has_gone:
            self._rests[session] = later(min(REST_AFTER, seconds), self._rest, session)

    def _rest(self, session: str) -> None:
        """Have a session that nobody came back to let go of what can be worked out again."""
        self._rests.pop(session, None)
        if exists() and not get_instance().is_active_session(session):
            asyncio.get_running_loop().run_in_executor(None, _rest_and_free, session)

    def _end(self, session: str) -> None:
        """End a session that nobody came back to."""
        self._ends.pop(session, None)
        if not exists() or get_instance().is_active_session(session):
            return
        get_instance().close_session(session)
        if self._freeing is None:
            self._freeing = asyncio.get_running_loop().call_later(FREE_AFTER, self._free)

    def _free(self) -> None:
        self._freeing = None
        asyncio.get_running_loop().run_in_executor(None, _forget_and_free)
