"""Where a keystroke goes: from a message of the editor to the bytes of its answer.

The answer to a key needs the session's workspace, and nothing of the page around the editor. So the editor
asks for it by a request of its own (``short_way.js``), which takes a fraction of what a run of the page does:

    POST …/keystroke, Grove-Ticket: the session's    the message, as JSON
    200                                              the answer, as wire.py packs it
    204                                              not now: the message has to go to the page
    400, 404, 413                                    no message, no such session, too much

What concerns the rest of the page (a file, a long text, a way to another page) goes to the page, as a message
of Streamlit's, and so does whatever this route does not answer. ``Talk`` hears both: a message that comes
both ways counts once, by its ``seq``. After a pause in typing the editor tells the page about it, so
that what is below the panels follows.

A ticket is known to one browser alone, and holds for as long as its session is there.

Small edits of short texts are answered in the event loop, all others in threads: ``Talk.lane`` says where.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import functools
import json
import secrets
import time
from typing import Any, TypeGuard
from weakref import WeakValueDictionary

import streamlit as st
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server.askers import session_asker
from pages.server.ended_sessions import after_a_cut
from pages.server.json_values import holds_too_many
from pages.server.keys_first import keys
from pages.server.lanes import Lane, LoopLane
from pages.server.taken import taken
from pages.server.turns import turn_of
from pages.session import slow_panels
from pages.session.editor_message import apply_message
from pages.session.panels import ALONE_BYTES
from pages.session.samples import read_samples
from pages.session.workspace import LIVE_BYTES, Workspace
from pages.shared.reply import build_reply
from pages.shared.session import get_workspace, key_of
from pages.shared.wire import Sent
from tokenizers.amounts import bytes_in_words
from tokenizers.askers import Asker, asked_by
from tokenizers.text import common_prefix, common_suffix

TICKET = "Grove-Ticket"
_PATH = "/keystroke"
MAX_BYTES = 8 * LIVE_BYTES
"""Of a message. A character of the text takes at most six bytes in JSON."""

MAX_VALUES = 300
"""Of a message: it names its settings, and each panel. It is read in the event loop, which a number of a
thousand digits keeps busy longer than a long text."""

MAX_SEQ = 2**53  # the whole numbers that a browser can count to

_TURN_SECONDS, _LOOK = 0.3, 0.01  # so long a key waits for the script of its own session, looking this often

# The event loop itself answers nearly every key: that takes less time than handing it to a thread. Python
# works for one at a time in any case, so there are few threads for the others. What has a session's own
# encodings may be slow, and waits for its like alone. So does a key that brings much new text, and those of a
# session whose keys have taken long: twelve people with another long text at each key kept everybody else
# waiting for nine seconds.
_at_once = LoopLane(taken)
_quick = Lane(2, "keystroke", taken)
_costly = Lane(2, "costly keystroke", taken)
_own = Lane(8, "own keystroke", taken)

COSTLY = 0.05
"""Seconds of a processor from which on a key is costly, and for some time its session's next ones with it."""

AT_ONCE = 0.01
"""Seconds of a processor that a key may take in the event loop, which serves nobody else meanwhile."""

LITTLE_NEW = 500
"""A key that brings more characters than this is not answered in the event loop."""

MUCH_NEW = 8_000
"""Characters that a costly key brings: a screen full, many times what a hand types."""

_FADES = 0.9  # what a key has taken, at each later one
_LONGEST_CHARACTER = 4  # bytes

# What can make an answer take longer. A message that changes any of it goes to a thread.
_DEAR_SETTINGS = ("encodings", "walls", "special_as_tokens", "adds_frame")

_talks: WeakValueDictionary[str, Talk] = WeakValueDictionary()


class Talk:
    """What a session's editor and the server tell each other.

    Args:
        workspace: the session's.
        asker: the session; None: none that a request could come from, as in a test.
    """

    def __init__(self, workspace: Workspace, asker: Asker | None = None) -> None:
        self.workspace = workspace
        self.asker = asker
        self.ticket = secrets.token_urlsafe(24)
        self.key = asker.key if asker is not None else self.ticket
        self.turn = turn_of(self.key)
        self.is_asked = False  # whether a request for it is being answered
        self._taken = 0.0  # seconds of a processor that its keys took, as COSTLY has them
        self._is_small_edit = False  # whether the message that is being answered is one
        # Processor seconds that the latest small edits took, fading; None: not known. And in what they did.
        self._small_edit_seconds: float | None = None
        self._measured_in: tuple[Any, ...] = ()
        self._sent = Sent()
        self._newest_message: dict[str, Any] = {}  # the newest message, without its text
        if asker is not None:
            _talks[self.ticket] = self

    def hear(self, message: dict[str, Any] | None) -> None:
        """Take a message over, unless it is older than one that came before.

        Args:
            message: of the editor; None: it has said nothing since it is on the page.
        """
        seq = message.get("seq") if message is not None else None
        if message is None or not _is_seq(seq) or seq < self._newest_message.get("seq", 0):
            return
        self._newest_message = {key: _as_number(message.get(key)) for key in ("seq", "revision", "holds")}
        self._newest_message["wants_link"] = bool(message.get("wants_link"))
        apply_message(self.workspace, message)

    def answer(self, *, in_passing: bool = False, may_wait: bool = True) -> bytes:
        """The answer to the newest message, for the browser that sent it.

        Args:
            in_passing: as ``build_reply`` has it.
            may_wait: whether to wait up to ``slow_panels.PATIENCE`` seconds for slow panels.
        """
        answer = build_reply(
            self.workspace,
            knows_revision=self._newest_message.get("revision"),
            samples=read_samples(),
            with_link=self._newest_message.get("wants_link", False),
            in_passing=in_passing,
            patience=slow_panels.PATIENCE if may_wait else 0.0,
        )
        answer["ticket"] = self.ticket
        return self._sent.pack(answer, self._newest_message.get("holds"))

    def begin_anew(self) -> None:
        """The whole page is drawn, perhaps in a browser that holds nothing yet: the next answer is whole."""
        self._sent.forget()
        self._newest_message = {}

    def takes(self, message: dict[str, Any]) -> bool:
        """Whether a message can be answered without the page; so it is with what is typed and looked at."""
        text = message.get("text")
        is_long = len(text) > LIVE_BYTES if isinstance(text, str) else self.workspace.is_long
        return not is_long and message.get("action") is None

    def rest(self) -> bool:
        """As ``Workspace.rest``, if nothing else is done for the session just now."""
        if not self.turn.take(wait=False):
            return False
        try:
            self._sent.forget()
            return self.workspace.rest()
        finally:
            self.turn.give_back()

    def lane(self, message: dict[str, Any]) -> Lane | LoopLane:
        """Where a message is answered. Only in this session's turn."""
        workspace = self.workspace
        self._is_small_edit = False
        if any(name in workspace.grown for name in workspace.encodings):
            return _own
        n_new = self._n_new(message)
        # A click on a token explains it, which takes longer than a key, and differs from token to token.
        self._is_small_edit = (
            n_new <= LITTLE_NEW and message.get("pin") is None and self._keeps_settings(message)
        )
        if self._is_small_edit and self._is_quick(n_new):
            return _at_once
        return _costly if self._taken > COSTLY or n_new > MUCH_NEW else _quick

    def _is_quick(self, n_new: int) -> bool:
        """Whether a small edit takes no more than ``AT_ONCE``, because those just before it did not.

        What the first one takes is not known: the text, its encodings and the settings decide it.
        """
        workspace = self.workspace
        return (
            self._small_edit_seconds is not None
            and self._small_edit_seconds <= AT_ONCE
            and self._measured_in == self._circumstances()
            and len(workspace.text) < ALONE_BYTES  # else, even to count its bytes takes long
            and workspace.text_map.n_bytes + _LONGEST_CHARACTER * n_new < ALONE_BYTES
            and workspace.panels.are_ready()
        )

    def _circumstances(self) -> tuple[Any, ...]:
        """What decides how long a small edit takes; the page, too, can change it."""
        workspace = self.workspace
        settings = [copy.copy(getattr(workspace, name)) for name in _DEAR_SETTINGS]
        return workspace.text_changes, settings, workspace.pin is None

    def _note_taken(self, seconds: float, *, is_text_changed: bool) -> None:
        """Note what an answer took."""
        self._taken = max(seconds, _FADES * self._taken)
        if not self._is_small_edit:
            self._small_edit_seconds = None
        elif is_text_changed:
            self._small_edit_seconds = max(seconds, _FADES * (self._small_edit_seconds or 0.0))
        elif self._small_edit_seconds is not None:  # what changes nothing says nothing of edits
            self._small_edit_seconds = max(seconds, self._small_edit_seconds)
        self._measured_in = self._circumstances()

    def _n_new(self, message: dict[str, Any]) -> int:
        """How many characters of the message's text are not where they were at its beginning or its end."""
        text, before = message.get("text"), self.workspace.text
        if not isinstance(text, str):
            return 0
        same = common_prefix(before, text)
        return len(text) - same - common_suffix(before, text, min(len(before), len(text)) - same)

    def _keeps_settings(self, message: dict[str, Any]) -> bool:
        """Whether a message leaves every setting as it is that can make answers slower."""
        return all(message.get(key) in (None, getattr(self.workspace, key)) for key in _DEAR_SETTINGS)

    def reply(self, message: dict[str, Any], *, may_wait: bool = True) -> bytes | None:
        """Hear a message and answer it, in this session's turn, which ends here; None: the page has to.

        Args:
            message: of the editor.
            may_wait: as ``answer`` has it.
        """
        began, text_changes = time.thread_time(), self.workspace.text_changes
        try:
            with asked_by(self.asker):
                if not self.takes(message):
                    return None
                self.hear(message)
                return self.answer(in_passing=True, may_wait=may_wait)
        except Exception:  # the page meets it too, and shows it where people look
            return None
        finally:
            is_text_changed = self.workspace.text_changes != text_changes
            self._note_taken(time.thread_time() - began, is_text_changed=is_text_changed)
            self.turn.give_back()


@after_a_cut
def rest(session: str) -> bool:
    """Have a session whose connection was cut keep its text alone; returns whether there was much more."""
    talks = [talk for talk in list(_talks.values()) if talk.key == session]
    return any([talk.rest() for talk in talks])


def get_talk() -> Talk:
    """This session's talk, made on first use."""
    key, workspace = key_of(Talk), get_workspace()
    talk = st.session_state.get(key)
    if not isinstance(talk, Talk) or talk.workspace is not workspace:
        talk = st.session_state[key] = Talk(workspace, session_asker())
    return talk


def read_message(body: bytes) -> dict[str, Any] | None:
    """The message in the body of a request; None: there is none.

    >>> read_message(b'{"seq": 1, "text": "a"}'), read_message(b'{"seq": true}'), read_message(b"[[[")
    ({'seq': 1, 'text': 'a'}, None, None)
    """
    try:
        text = body.decode("utf-8")
        if holds_too_many(text, MAX_VALUES):
            return None
        message = json.loads(text)
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
        return _refuse(404, "This server does not know this page any more. Reload it.")
    if talk.is_asked:
        return _not_now()  # one thing at a time, as the editor has it too
    talk.is_asked = True
    try:
        return await _answer(talk, request)
    finally:
        talk.is_asked = False


async def _answer(talk: Talk, request: Request) -> Response:
    body = await _read_body(request)
    if body is None:
        return _refuse(413, f"A message may have {bytes_in_words(MAX_BYTES)}.")
    message = read_message(body)
    if message is None:
        return _refuse(400, "This is no message of the playground’s editor.")
    if talk.asker is None or not talk.asker.is_here() or not await _take_turn(talk):
        return _not_now()
    # The pages that are being drawn wait for those alone that are answered in no time.
    with contextlib.ExitStack() as stack:
        try:
            lane = talk.lane(message)
            if lane in (_at_once, _quick):
                stack.enter_context(keys.waiting())
            work = functools.partial(talk.reply, message, may_wait=lane is not _at_once)
            reply = lane.submit(work, talk.key, talk.workspace.address)
        except BaseException as problem:
            talk.turn.give_back()
            if isinstance(problem, RuntimeError):  # the machine has no thread left
                return _not_now()
            raise
        # Shielded: whoever has the turn gives it back, even if the request is given up.
        answer = await asyncio.shield(asyncio.wrap_future(reply))
    if answer is None:
        return _not_now()
    return Response(answer, media_type="application/octet-stream", headers={"Cache-Control": "no-store"})


async def _take_turn(talk: Talk) -> bool:
    """Wait a moment, without a thread, for the session's script to end; returns whether it did."""
    for _ in range(round(_TURN_SECONDS / _LOOK)):
        if talk.turn.take(wait=False):
            return True
        await asyncio.sleep(_LOOK)
    return False


async def _read_body(request: Request) -> bytes | None:
    """The body; None: it is longer than a message may be, and is not read to its end."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BYTES:
            return None
    return bytes(body)


def _refuse(status: int, sentence: str) -> Response:
    return PlainTextResponse(sentence + "\n", status)


def _not_now() -> Response:
    """The message has to go to the page. That is no fault, and no browser logs it as one."""
    return Response(status_code=204)


class KeysAtOnce:
    """Middleware around the app: answers editors, before what stands around Streamlit’s pages.

    Cookies, routes and the like take longer than a key does, and it needs none of them.
    As the address of the components' files, this one takes any path before its name.

    Args:
        app: what answers everything else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._compressed = GZipMiddleware(_answer_request, minimum_size=1_000, compresslevel=6)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of an editor, and pass everything else on."""
        is_ours = scope["type"] == "http" and scope["path"].endswith(_PATH)
        await (self._compressed if is_ours else self._app)(scope, receive, send)


async def _answer_request(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["method"] == "POST":
        response = await answer_keystroke(Request(scope, receive, send))
    else:
        response = PlainTextResponse("A key is sent with POST.\n", 405, {"Allow": "POST"})
    await response(scope, receive, send)
