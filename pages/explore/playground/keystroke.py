"""The editor's route: from a message of the editor to the bytes of its answer, without a run of the page.

    POST …/keystroke, Grove-Ticket: the session's    the message, as JSON
    200                                              the answer, as wire.py packs it
    204                                              not now: the message has to go to the page
    400, 404, 413                                    no message, no such session, too much

Messages that need the rest of the page (a file, a long text, another page) go to the page, as a message
of Streamlit's, and so does whatever this route does not answer. ``Talk`` hears both: a message that comes
both ways counts once, by its ``seq``. After a pause in typing the editor tells the page about it, so
that what is below the panels follows.

A ticket is known to one browser alone, and is valid for as long as its session exists.
"""

from __future__ import annotations

import json
import secrets
import threading
from typing import Any, TypeGuard
from weakref import WeakValueDictionary

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.server.requests import TICKET, read_body
from pages.session import slow_panels
from pages.session.editor_message import apply_message
from pages.session.samples import read_samples
from pages.session.workspace import LIVE_BYTES, Workspace
from pages.shared.reply import build_reply
from pages.shared.session import get_workspace, key_of
from pages.shared.wire import Sent

MAX_BYTES = 8 * LIVE_BYTES
"""Of a message. A character of the text takes at most six bytes in JSON."""

MAX_SEQ = 2**53  # the whole numbers that a browser can count to

_talks: WeakValueDictionary[str, Talk] = WeakValueDictionary()


class Talk:
    """What a session's editor and the server tell each other, one message at a time.

    Args:
        workspace: the session's.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.ticket = secrets.token_urlsafe(24)
        self._lock = threading.RLock()
        self._sent = Sent()
        self._newest_message: dict[str, Any] = {}  # the newest message, without its text
        _talks[self.ticket] = self

    def hear(self, message: dict[str, Any] | None) -> None:
        """Take a message over, unless it is older than one that came before.

        Args:
            message: of the editor; None: it has said nothing since it is on the page.
        """
        with self._lock:
            seq = message.get("seq") if message is not None else None
            if message is None or not _is_seq(seq) or seq < self._newest_message.get("seq", 0):
                return
            self._newest_message = {key: _as_number(message.get(key)) for key in ("seq", "revision", "holds")}
            self._newest_message["wants_link"] = bool(message.get("wants_link"))
            apply_message(self.workspace, message)

    def answer(self, *, in_passing: bool = False) -> bytes:
        """The answer to the newest message, for the browser that sent it.

        Args:
            in_passing: as ``build_reply`` has it.
        """
        with self._lock:
            answer = build_reply(
                self.workspace,
                knows_revision=self._newest_message.get("revision"),
                samples=read_samples(),
                with_link=self._newest_message.get("wants_link", False),
                in_passing=in_passing,
                patience=slow_panels.PATIENCE,
            )
            answer["ticket"] = self.ticket
            return self._sent.pack(answer, self._newest_message.get("holds"))

    def begin_anew(self) -> None:
        """The whole page is drawn, perhaps in a browser that holds nothing yet: the next answer is whole."""
        with self._lock:
            self._sent.forget()
            self._newest_message = {}

    def takes(self, message: dict[str, Any]) -> bool:
        """Whether a message can be answered without the page; so it is with what is typed and looked at."""
        text = message.get("text")
        is_long = len(text) > LIVE_BYTES if isinstance(text, str) else self.workspace.is_long
        return not is_long and message.get("action") is None

    def reply(self, message: dict[str, Any]) -> bytes | None:
        """Hear a message and answer it; None: the page has to."""
        with self._lock:
            if not self.takes(message):
                return None
            try:
                self.hear(message)
                return self.answer(in_passing=True)
            except Exception:  # the page meets it too, and shows it where people look
                return None


def get_talk() -> Talk:
    """This session's talk, made on first use."""
    key, workspace = key_of(Talk), get_workspace()
    talk = st.session_state.get(key)
    if not isinstance(talk, Talk) or talk.workspace is not workspace:
        talk = st.session_state[key] = Talk(workspace)
    return talk


def read_message(body: bytes) -> dict[str, Any] | None:
    """The message in the body of a request; None: there is none.

    >>> read_message(b'{"seq": 1, "text": "a"}'), read_message(b'{"seq": true}'), read_message(b"[[[")
    ({'seq': 1, 'text': 'a'}, None, None)
    """
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) and _is_seq(message.get("seq")) else None


def _as_number(value: Any) -> int | None:
    """A whole number of a message; None: it is none, and not kept, however long it is."""
    return value if _is_seq(value) else None


def _is_seq(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MAX_SEQ


async def answer_keystroke(request: Request) -> Response:
    """Answer a request of an editor. Nothing of it is read before its ticket is known."""
    talk = _talks.get(request.headers.get(TICKET, ""))
    if talk is None:
        raise HTTPException(404, "This server does not know this page any more. Reload it.")
    message = read_message(await read_body(request, MAX_BYTES))
    if message is None:
        raise HTTPException(400, "This is no message of the playground’s editor.")
    answer = await run_in_threadpool(talk.reply, message)
    if answer is None:
        return Response(status_code=204)  # the page has to; that is no fault, and no browser logs it as one
    return Response(answer, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


keystroke_route = Route("/{prefix:path}keystroke", answer_keystroke, methods=["POST"])
