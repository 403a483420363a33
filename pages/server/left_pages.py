"""Requests of a page that was left do not lead back to it.

A part of a page that runs again by itself (``st.fragment(…, run_every=…)``) is asked for by a timer in the
browser. Streamlit's browser side stops the timers when another page is chosen, but an answer that is still
under way starts them again. Such a request, for the page that was left, then waits on the server until the
chosen page has run. Its answer begins with the left page's name: the browser clears what it shows, and stays
white, or breaks with "Bad delta path index". If it comes before the chosen page has begun, the two become one
request, and the choice is lost. Such a request is dropped.

A widget of the left page may speak up before the browser shows the chosen one: a component that has just
stored something, a field that waits for the next key. It asks for the whole left page, and the choice would
be lost. Its values reach the server as a request for the chosen page.

Messages of one browser come in order. So a request for a part of the page that was left was sent before the
browser showed the new one, and nobody waits for its answer any more. But what the server shows between a
choice and the chosen page is the answer to an earlier request, and says nothing of where the person is.
"""

from __future__ import annotations

from typing import NamedTuple

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

_MOST_LEFT, _LONGEST_NAME = 32, 64  # pages that were left; whoever forges their names can think of many
_LONGEST = 1 << 18  # bytes of a message that says which page is shown; longer ones hold what is on it


class Request(NamedTuple):
    """What a browser asks for: a page, or a part of one.

    Attributes:
        page: the name of the page; empty: the address says which.
        part: the part that is to run again; empty: the whole page.
        shown: the address of the page that the browser shows, without its query.
        widgets: those whose values are sent with it.
        query: the query of the address that it is for.
        is_history: it is a step back or forward in the browser's history.
    """

    page: str
    part: str = ""
    shown: str = ""
    widgets: frozenset[str] = frozenset()
    query: str = ""
    is_history: bool = False


class PageFollower:
    """Which page one browser is on, and which ones it left.

    >>> follower = PageFollower()
    >>> follower.show("train")
    >>> follower.ask(Request("words"))
    >>> follower.is_old(Request("train", "progress")), follower.is_old(Request("words", "table"))
    (True, False)
    >>> follower.show("train")  # the end of what was asked for before
    >>> follower.is_old(Request("train", "progress"))
    True
    >>> follower.show("words")
    >>> follower.ask(Request("train"))
    >>> follower.is_old(Request("train", "progress"))
    False
    """

    def __init__(self) -> None:
        self._page = ""
        self._left: dict[str, None] = {}  # the latest ones last
        self._choice: Request | None = None  # what led to this page, until the browser is known to show it
        self._is_awaited = False  # the server has not shown the chosen page yet

    def ask(self, request: Request) -> None:
        """The browser asks for a whole page."""
        if request.page and request.page != self._page:
            self._go_to(request.page)
            self._choice, self._is_awaited = request, True

    def show(self, page: str) -> None:
        """The server shows a page."""
        if page == self._page:
            self._is_awaited = False
        elif page and not self._is_awaited:  # else it was asked for before the choice
            self._go_to(page)
            self._choice = None

    def _go_to(self, page: str) -> None:
        if self._page and len(self._page) <= _LONGEST_NAME:
            self._left[self._page] = None
        self._left.pop(page, None)
        while len(self._left) > _MOST_LEFT:
            del self._left[next(iter(self._left))]
        self._page = page

    def show_another(self) -> None:
        """The server does not have the page that was asked for, and will show one that it has."""
        self._is_awaited = False

    def learn_from(self, request: Request) -> None:
        """Take from any request what it says of the page that the browser shows.

        A part of the chosen page is only asked for there. And once the address has changed, it is the chosen
        page's.
        """
        choice = self._choice
        if choice and request.page == self._page and (request.part or request.shown != choice.shown):
            self._choice = None

    def is_old(self, request: Request) -> bool:
        """Whether a request is one for a part of a page that was left."""
        return bool(request.part) and request.page in self._left

    def chosen_instead(self, request: Request) -> Request | None:
        """If a widget of a left page asks for that page, the pending page choice to run instead; else None.

        The browser still shows the page of the choice then. And a choice of a page is sent with the values of
        the widgets that every page has; what a widget asks for, with those of its page, too.

        >>> follower = PageFollower()
        >>> follower.show("train")
        >>> follower.ask(Request("words", shown="/train", widgets=frozenset(["header"])))
        >>> widget = Request("train", shown="/train", widgets=frozenset(["header", "width"]))
        >>> follower.chosen_instead(widget).page
        'words'
        >>> follower.chosen_instead(Request("train", shown="/train", widgets=frozenset(["header"])))
        >>> follower.learn_from(Request("words", "table", shown="/words"))  # the browser shows it now
        >>> follower.chosen_instead(widget)
        """
        choice = self._choice
        if choice is None or request.page not in self._left or request.shown != choice.shown:
            return None
        return None if request.is_history or request.widgets <= choice.widgets else choice


class WithoutLeftPages:
    """Middleware around the app: a browser's requests for the page that it left do not lead back to it."""

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
                if message["type"] != "websocket.receive" or not message.get("bytes"):
                    return message
                data = _without_left_page(message["bytes"], follower)
                if data is not None:
                    return {**message, "bytes": data}

        async def send_seen(message: Message) -> None:
            if message["type"] == "websocket.send":
                _see(message.get("bytes"), follower)
            await send(message)

        await self._app(scope, receive_new, send_seen)


def _without_left_page(data: bytes, follower: PageFollower) -> bytes | None:
    """A message of the browser as the server is to hear it; None: not at all."""
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return data  # Streamlit says what is wrong with it
    if message.WhichOneof("type") != "rerun_script":
        return data
    rerun = message.rerun_script
    request = Request(
        rerun.page_script_hash,
        rerun.fragment_id,
        rerun.context_info.url.partition("?")[0],
        frozenset(widget.id for widget in rerun.widget_states.widgets),
        rerun.query_string,
        rerun.is_history_navigation,
    )
    follower.learn_from(request)
    if follower.is_old(request):
        return None
    if request.part:
        return data
    choice = follower.chosen_instead(request)
    if choice is None:
        follower.ask(request)
        return data
    rerun.page_script_hash, rerun.query_string = choice.page, choice.query
    return bytes(message.SerializeToString())


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
        follower.show(message.navigation.page_script_hash)
    elif kind == "page_not_found":
        follower.show_another()
    elif kind == "new_session" and not message.metadata.run.fragment_ids:
        follower.show(message.new_session.page_script_hash)
