"""Requests of a page that was left are dropped before they reach Streamlit.

A part of a page that runs again by itself (``st.fragment(…, run_every=…)``) is asked for by a timer in the
browser. Streamlit's browser side stops the timers when another page is chosen, but an answer that is still
under way starts them again. Such a request, for the page that was left, then waits on the server until the
chosen page has run. Its answer begins with the left page's name: the browser clears what it shows, and stays
white, or breaks with "Bad delta path index". If it comes before the chosen page has begun, the two become one
request, and the choice is lost.

Messages of one browser come in order. So a request for a part of the page that was left was sent before the
browser showed the new one, and nobody waits for its answer any more.
"""

from __future__ import annotations

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_LONGEST = 1 << 18  # bytes of a message that says which page is shown; longer ones hold what is on it


class PageFollower:
    """Which page one browser is on, and which one it left last.

    >>> follower = PageFollower()
    >>> follower.turn_to("train")
    >>> follower.turn_to("words")
    >>> follower.is_old("train", "progress"), follower.is_old("words", "table"), follower.is_old("train", "")
    (True, False, False)
    >>> follower.turn_to("train")
    >>> follower.is_old("train", "progress")
    False
    """

    def __init__(self) -> None:
        self._page = ""
        self._left = ""

    def turn_to(self, page: str) -> None:
        """The person chose a page, or the server shows it."""
        if page and page != self._page:
            self._left, self._page = self._page, page

    def is_old(self, page: str, part: str) -> bool:
        """Whether a request is one for a part of the page that was left.

        Args:
            page: the page that it names; empty: the address says which.
            part: the part that is to run again; empty: the whole page.
        """
        return bool(part and page) and page == self._left


class WithoutLeftPages:
    """Middleware around the app: a browser's requests for a part of the page that it left are dropped."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on but those requests."""
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        follower = PageFollower()

        async def receive_new() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive" or not _is_old(message.get("bytes"), follower):
                    return message

        async def send_seen(message: Message) -> None:
            if message["type"] == "websocket.send":
                _see(message.get("bytes"), follower)
            await send(message)

        await self._app(scope, receive_new, send_seen)


def _is_old(data: bytes | None, follower: PageFollower) -> bool:
    message = BackMsg()
    try:
        message.ParseFromString(data or b"")
    except DecodeError:
        return False  # Streamlit says what is wrong with it
    if message.WhichOneof("type") != "rerun_script":
        return False
    page, part = message.rerun_script.page_script_hash, message.rerun_script.fragment_id
    if not part:
        follower.turn_to(page)
    return follower.is_old(page, part)


def _see(data: bytes | None, follower: PageFollower) -> None:
    if not data or len(data) > _LONGEST:
        return
    message = ForwardMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return
    kind = message.WhichOneof("type")
    if kind == "navigation":
        follower.turn_to(message.navigation.page_script_hash)
    elif kind == "new_session" and not message.metadata.run.fragment_ids:
        follower.turn_to(message.new_session.page_script_hash)
