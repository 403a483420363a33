"""What a browser may say to Streamlit, and how much of it: whatever else a stranger sends goes no further.

Streamlit takes some messages that no page of ours sends: one empties the caches of everybody, one looks into
the folder of the app, one installs files. And it takes any number of fields, names and file addresses in a
message, so a short one can hold the server up, or fill its memory: 4 MB of empty fields become 123 MB.

A message is therefore looked at before it is read. One of a kind that is not for visitors is dropped, since
Streamlit's own menu may send it. One that is too large, that cannot be read, or that holds more than a page
of ours ever sends ends its connection. And so many come through at a time: the server would handle a hundred
thousand short ones of one connection before it turns to anybody else's, and begin a run of the page for each.
None comes through while the browser has not read what it was sent: all answers would heap up on the server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest, BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import FileURLsRequest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.runtime_util import get_max_widget_state_size_bytes

from pages.server.allowance import Allowance, Allowances
from pages.server.refusals import LARGE, WORDS, Code, Refusal, log_reason
from pages.server.uploads import why_no_room_for_any
from pages.server.visitors import address_of_scope
from pages.session.server_room import check_room_of_all
from tokenizers.varint import read_varint

_KINDS = ("rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request")
_OPERATIONS = ("deferred_file", "dataframe_chunk")  # a file that is saved, the next rows of a long table

MAX_VALUES = 20_000
"""Fields of a message, those within fields and the elements of lists included."""

MAX_WIDGETS = 2_000
MAX_CACHED = 10_000
"""Hashes of messages that the browser still has."""

MAX_QUERY = 1 << 16
"""Characters of an address. The server reads no longer one from a browser's first request, either."""

AT_ONCE, A_SECOND = 40, 8
"""Messages that a connection may send at once, and how many more each second: more wait their turn. One of
many values counts as several. A browser of ours nearly always waits for an answer before it sends more."""

AT_ONCE_OF_ADDRESS, A_SECOND_OF_ADDRESS = 10 * AT_ONCE, 12 * A_SECOND
"""The same for all connections of an address together: a class may have one, and opens the app all at once. A
long message counts as several, and so does one of many values. Whoever only waits for the others of an
address is never cut off for it."""

MOST_WAITS = 200
"""Messages in a row that had to wait, until the connection ends: nobody keeps a key down for so long."""

UNREAD_SECONDS = 20.0
"""For so long a message waits, at most, until the browser has read what is just being sent to it."""

_VALUES_OF_ONE, _VALUES_OF_ONE_OF_ADDRESS = 1_000, 250
_BYTES_OF_ONE, _MOST_OF_ONE = 16_000, 20  # of an address: a text of some MB counts as twenty messages

_TAKES = 8  # times its size: what a large message takes while it is read, with what the session keeps of it

_BESIDE = 500_000  # bytes of a message that are left for what comes with a text or a file

# Characters of names. Streamlit's own are hashes and ids of 32 to 36.
_MOST_IN_PAGE, _MOST_IN_NAME, _MOST_IN_ADDRESS = 64, 200, MAX_QUERY + 2_000

_BYTES_OF_NUMBERS = {1: 8, 5: 4}  # by the wire type that a packed list's numbers would have alone


def count_values(data: bytes, most: int, kind: Descriptor = BackMsg.DESCRIPTOR) -> int:
    """How many values a message holds, without making an object of any.

    Args:
        data: the message as it was sent.
        most: after so many, counting stops.
        kind: of the message.

    Raises:
        ValueError, IndexError: it cannot be read.

    >>> count_values(BackMsg(stop_script=True).SerializeToString(), 9)
    1
    >>> count_values(b"\\x5a\\xff\\x01", 9)
    Traceback (most recent call last):
    ...
    ValueError: A field is longer than what holds it.
    """
    counted = 0
    parts = [(0, len(data), kind)]
    while parts:
        place, end, kind = parts.pop()
        fields = kind.fields_by_number
        while place < end:
            counted += 1
            if counted > most:
                return counted
            tag, place = read_varint(data, place)
            wire = tag & 7
            if wire == 0:
                _, place = read_varint(data, place)
            elif wire in _BYTES_OF_NUMBERS:
                place += _BYTES_OF_NUMBERS[wire]
            elif wire == 2:
                length, place = read_varint(data, place)
                field = fields.get(tag >> 3)
                if field is not None and field.message_type is not None:
                    parts.append((place, place + length, field.message_type))
                elif field is not None:
                    counted += _count_packed(field, length)
                place += length
            else:
                raise ValueError("There is no such field.")
            if place > end:
                raise ValueError("A field is longer than what holds it.")
    return counted


def _count_packed(field: FieldDescriptor, length: int) -> int:
    """The most numbers that a list of so many bytes can hold; 0: the field is a text."""
    if field.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES):
        return 0
    return length // 8 if field.type == FieldDescriptor.TYPE_DOUBLE else length


class Pace:
    """How fast a connection may send messages.

    Args:
        clock: seconds that only rise.

    >>> pace = Pace(lambda: 0.0)
    >>> [pace.seconds_to_wait(n_values=3) for _ in range(AT_ONCE + 2)][-3:]
    [0.0, 0.125, 0.25]
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._allowance = Allowance(AT_ONCE, A_SECOND, clock)
        self._n_waits = 0

    def seconds_to_wait(self, n_values: int) -> float:
        """How long one more message has to wait, of so many values.

        Raises:
            Refusal: too many in a row had to wait.
        """
        left = self._allowance.take(1 + n_values // _VALUES_OF_ONE)
        if left >= 0:
            self._n_waits = 0
            return 0.0
        self._n_waits += 1
        if self._n_waits > MOST_WAITS:
            raise Refusal(Code.REFUSED, f"A browser kept on sending more than {A_SECOND} messages a second.")
        return -left / A_SECOND


def read_message(data: bytes) -> tuple[BackMsg | None, int]:
    """A browser's message, and how many values it holds; None: no visitor may send it, so it is dropped.

    Raises:
        Refusal: it is none that a page of ours would send, or the server has no memory for it.
    """
    if len(data) > get_max_widget_state_size_bytes():
        raise Refusal(Code.TOO_LARGE, "A browser’s message was too large.")
    if len(data) > LARGE:
        try:
            check_room_of_all(_TAKES * len(data), "a browser’s message")
        except ValueError:
            raise Refusal(Code.NO_ROOM, "There was no memory for a browser’s message.") from None
    message = BackMsg()
    try:
        n_values = count_values(data, MAX_VALUES)
        if n_values > MAX_VALUES:
            raise Refusal(Code.REFUSED, f"A browser’s message held more than {MAX_VALUES:,} values.")
        message.ParseFromString(data)
    except (ValueError, IndexError, DecodeError):
        raise Refusal(Code.UNREADABLE, "A browser’s message could not be read.") from None
    kind = message.WhichOneof("type")
    if kind not in _KINDS:
        return None, n_values
    if kind == "rerun_script":
        _check_rerun(message.rerun_script)
    elif kind == "file_urls_request":
        _check_names(message.file_urls_request, "request_id", "session_id")
    elif kind == "backend_operation_request":
        return message if _is_known_operation(message.backend_operation_request) else None, n_values
    return message, n_values


def _check_rerun(rerun: ClientState) -> None:
    if len(rerun.widget_states.widgets) > MAX_WIDGETS:
        raise Refusal(Code.REFUSED, f"A browser named more than {MAX_WIDGETS:,} fields.")
    if len(rerun.cached_message_hashes) > MAX_CACHED:
        raise Refusal(Code.REFUSED, f"A browser named more than {MAX_CACHED:,} messages that it still has.")
    _check_names(rerun, "page_script_hash", most=_MOST_IN_PAGE)
    _check_names(rerun, "fragment_id")
    _check_names(rerun, "query_string", most=MAX_QUERY)
    _check_names(rerun, "page_name", most=_MOST_IN_ADDRESS)
    _check_names(rerun.context_info, "timezone", "locale", "color_scheme")
    _check_names(rerun.context_info, "url", most=_MOST_IN_ADDRESS)


def _is_known_operation(request: BackendOperationRequest) -> bool:
    _check_names(request, "request_id", "session_id")
    _check_names(request.deferred_file, "file_id")
    _check_names(request.dataframe_chunk, "source_id")
    _check_names(request.dataframe_chunk.sort, "column", most=_MOST_IN_ADDRESS)
    return request.WhichOneof("payload") in _OPERATIONS


def _check_names(holder: Any, *fields: str, most: int = _MOST_IN_NAME) -> None:
    for field in fields:
        if len(getattr(holder, field)) > most:
            raise Refusal(Code.REFUSED, f"A browser’s {field} was longer than {most:,} characters.")


def most_in_message() -> int:
    """Bytes of a text or a file that a browser can send in a message, in base64."""
    return (get_max_widget_state_size_bytes() - _BESIDE) // 4 * 3


def refuse_files(request: FileURLsRequest, reason: str) -> bytes:
    """The answer to a browser that wants to send files: it shows the reason, a sentence, at each of them."""
    answer = ForwardMsg()
    answer.file_urls_response.response_id = request.request_id
    answer.file_urls_response.error_msg = reason
    return bytes(answer.SerializeToString())


class CheckedMessages:
    """Middleware around the app: of what a browser says, only what a page of ours may say reaches it.

    Args:
        app: the app.
        clock: seconds that only rise.
    """

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._of_addresses = Allowances(AT_ONCE_OF_ADDRESS, A_SECOND_OF_ADDRESS, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may be said; end the connection at what may not.

        Once a message could not be sent, because the browser has gone, Streamlit still tries to close the
        connection: the error that comes of it is none.
        """
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        is_closed = has_gone = False
        address = address_of_scope(scope)
        pace = Pace()
        is_read = asyncio.Event()
        is_read.set()

        async def receive_checked() -> Message:
            nonlocal is_closed
            while True:
                message = await receive()
                if message["type"] != "websocket.receive":
                    return message
                try:
                    answer, wait, n_values = self._check(message, pace)
                except Refusal as refusal:
                    is_closed = True
                    log_reason(refusal.reason)
                    await send({"type": "websocket.close", "code": refusal.code})
                    return {"type": "websocket.disconnect", "code": refusal.code}
                wait = max(wait, self._wait_for_others(address, len(message["bytes"]), n_values))
                # Those that are here already would be read without a pause, and all others would wait.
                await asyncio.sleep(wait)
                with suppress(TimeoutError):
                    await asyncio.wait_for(is_read.wait(), UNREAD_SECONDS)
                if answer is None:
                    return message
                if answer:
                    await send({"type": "websocket.send", "bytes": answer})

        async def send_while_open(message: Message) -> None:
            nonlocal has_gone
            if is_closed:
                return
            is_read.clear()
            try:
                await send(message)  # it waits while much of what was sent before is unread
            except Exception:
                has_gone = True
                raise
            finally:
                is_read.set()

        try:
            await self._app(scope, receive_checked, send_while_open)
        except RuntimeError:
            if not has_gone:
                raise

    def _wait_for_others(self, address: str, n_bytes: int, n_values: int = 0) -> float:
        """How long a message has to wait for those of its address; it is counted with them."""
        if not address:
            return 0.0
        count = 1 + min(_MOST_OF_ONE, n_bytes // _BYTES_OF_ONE) + n_values // _VALUES_OF_ONE_OF_ADDRESS
        left = self._of_addresses.take(address, count)
        return max(0.0, -left / A_SECOND_OF_ADDRESS)

    def _check(self, message: Message, pace: Pace) -> tuple[bytes | None, float, int]:
        """What to do with a message: (answer, seconds that it has to wait, how many values it holds).

        None as the answer: it goes on; else it does not, and the answer is sent, if it is not empty.

        Raises:
            Refusal: the connection ends.
        """
        data = message.get("bytes")
        if data is None:
            raise Refusal(Code.UNKNOWN, WORDS)
        read, n_values = read_message(data)
        wait = pace.seconds_to_wait(n_values)
        if read is None:
            return b"", wait, n_values
        if read.WhichOneof("type") == "file_urls_request":
            request = read.file_urls_request
            reason = why_no_room_for_any(request.session_id, len(request.file_names))
            return refuse_files(request, reason) if reason else None, wait, n_values
        return None, wait, n_values
