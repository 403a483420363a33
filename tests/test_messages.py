"""What a browser says to Streamlit: all that ours say arrives, and nothing else does."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import MutableMapping
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from pages.server import messages, refusals
from pages.server.left_pages import PageFollower, Request
from pages.server.messages import (
    A_SECOND,
    A_SECOND_OF_ADDRESS,
    AT_ONCE,
    AT_ONCE_OF_ADDRESS,
    MAX_CACHED,
    MAX_QUERY,
    MAX_VALUES,
    MAX_WIDGETS,
    MOST_WAITS,
    CheckedMessages,
    Pace,
    count_values,
    read_message,
)
from pages.server.refusals import Refusal
from pages.server.uploads import MAX_FILES
from pages.session import server_room
from tests.examples import examples
from tests.limits import processor_seconds
from tests.loops import run

RERUN, WIDGET_STATES = b"\x5a", b"\x12"  # the tags of these fields


def nested(content: bytes, *tags: bytes) -> bytes:
    """Bytes as the innermost of fields."""
    for tag in reversed(tags):
        length, number = b"", len(content)
        while number > 127:
            length, number = length + bytes([number & 127 | 128]), number >> 7
        content = tag + length + bytes([number]) + content
    return content


def rerun(**fields: Any) -> BackMsg:
    message = BackMsg()
    message.rerun_script.query_string = ""
    for name, value in fields.items():
        setattr(message.rerun_script, name, value)
    return message


def many(n_widgets: int = 0, n_hashes: int = 0) -> BackMsg:
    message = rerun()
    for number in range(n_widgets):
        message.rerun_script.widget_states.widgets.add(id=f"$$ID-{number}", bool_value=True)
    message.rerun_script.cached_message_hashes.extend("0123456789abcdef" for _ in range(n_hashes))
    return message


def files(count: int) -> BackMsg:
    message = BackMsg()
    message.file_urls_request.request_id = "r"
    message.file_urls_request.file_names.extend("a.txt" for _ in range(count))
    return message


def simple(kind: str) -> bytes:
    """A message that says nothing but its kind."""
    message = BackMsg()
    setattr(message, kind, True)
    return bytes(message.SerializeToString())


def operation(kind: str, **fields: Any) -> BackMsg:
    message = BackMsg()
    message.backend_operation_request.request_id = "r"
    payload = getattr(message.backend_operation_request, kind)
    payload.SetInParent()
    for name, value in fields.items():
        setattr(payload, name, value)
    return message


def said(*messages: BackMsg | bytes | str) -> tuple[list[bytes], list[dict[str, Any]]]:
    """What reaches Streamlit of these messages, and what the browser is sent meanwhile."""
    coming: list[dict[str, Any]] = []
    for each in messages:
        if isinstance(each, str):
            coming.append({"type": "websocket.receive", "text": each})
        else:
            data = each if isinstance(each, bytes) else each.SerializeToString()
            coming.append({"type": "websocket.receive", "bytes": data})
    coming.append({"type": "websocket.disconnect", "code": 1001})
    heard: list[bytes] = []
    sent: list[dict[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return coming.pop(0)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(dict(message))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            heard.append(message["bytes"])
        await send({"type": "websocket.send", "bytes": b"late"})  # as Streamlit's own sender may

    run(CheckedMessages(app)({"type": "websocket", "headers": []}, receive, send))
    if all(each["type"] != "websocket.close" for each in sent):
        assert sent.pop()["bytes"] == b"late"
    return heard, sent


def refusal(message: BackMsg | bytes) -> int:
    """The code that closes the connection."""
    data = message if isinstance(message, bytes) else message.SerializeToString()
    with pytest.raises(Refusal) as refused:
        read_message(data)
    return refused.value.code


def test_what_our_pages_send_arrives() -> None:
    typed = many(n_widgets=300, n_hashes=500)
    typed.rerun_script.widget_states.widgets.add(id="editor").json_value = "é" * 5_000_000
    sent_by_ours = [
        typed,
        rerun(page_script_hash="0" * 32, fragment_id="f" * 32, query_string="s=" + "a" * 6_000),
        BackMsg(stop_script=True),
        BackMsg(app_heartbeat=True),
        files(MAX_FILES),
        operation("deferred_file", file_id="a" * 32),
        operation("dataframe_chunk", source_id="a", offset=9, limit=100),
    ]
    heard, sent = said(*sent_by_ours)
    assert heard == [each.SerializeToString() for each in sent_by_ours] and not sent


@pytest.mark.parametrize(
    "message",
    [
        BackMsg(clear_cache=True),
        BackMsg(load_git_info=True),
        BackMsg(set_run_on_save=True),
        BackMsg(debug_shutdown_runtime=True),
        BackMsg(debug_disconnect_websocket=True),
        BackMsg(),
        operation("install_skills"),
        operation("dismiss_skills_nudge"),
    ],
)
def test_what_is_not_for_visitors_is_dropped(message: BackMsg) -> None:
    after = BackMsg(app_heartbeat=True)
    assert said(message, after) == ([after.SerializeToString()], [])


@pytest.mark.parametrize(
    "message",
    [
        many(n_widgets=MAX_WIDGETS + 1),
        many(n_hashes=MAX_CACHED + 1),
        rerun(page_script_hash="a" * 65),
        rerun(fragment_id="a" * 201),
        rerun(page_name="a" * 100_000),
        rerun(query_string="a" * (MAX_QUERY + 1)),
        operation("deferred_file", file_id="a" * 201),
    ],
)
def test_more_than_a_page_ever_sends_ends_the_connection(message: BackMsg) -> None:
    heard, sent = said(message, BackMsg(app_heartbeat=True))
    assert not heard and sent == [{"type": "websocket.close", "code": 1008}]


def test_a_large_message_is_not_read_where_the_server_has_no_memory_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twenty connections with 24 MB each took 2 GB, whatever the server was allowed to take."""
    large = rerun(query_string="")
    large.rerun_script.widget_states.widgets.add(id="a", string_value="a" * (2 << 20))
    assert read_message(large.SerializeToString())[0] is not None
    monkeypatch.setattr(server_room, "MAX_TAKEN", 1)
    assert refusal(large.SerializeToString()) == 1013
    assert read_message(rerun(query_string="a").SerializeToString())[0] is not None, "a small one always is"


@pytest.mark.parametrize(
    ("place", "most"),
    [
        ("rerun_script.page_script_hash", 64),
        ("rerun_script.fragment_id", 200),
        ("rerun_script.query_string", MAX_QUERY),
        ("rerun_script.page_name", MAX_QUERY + 2_000),
        ("rerun_script.context_info.timezone", 200),
        ("rerun_script.context_info.locale", 200),
        ("rerun_script.context_info.color_scheme", 200),
        ("rerun_script.context_info.url", MAX_QUERY + 2_000),
        ("file_urls_request.request_id", 200),
        ("file_urls_request.session_id", 200),
        ("backend_operation_request.request_id", 200),
        ("backend_operation_request.session_id", 200),
        ("backend_operation_request.deferred_file.file_id", 200),
        ("backend_operation_request.dataframe_chunk.source_id", 200),
        ("backend_operation_request.dataframe_chunk.sort.column", MAX_QUERY + 2_000),
    ],
)
def test_each_name_in_a_message_has_a_length(place: str, most: int) -> None:
    *fields, name = place.split(".")

    def message_with(value: str) -> bytes:
        message: Any = BackMsg()
        holder = functools.reduce(getattr, fields, message)
        setattr(holder, name, value)
        if fields[0] == "backend_operation_request" and len(fields) == 1:
            message.backend_operation_request.deferred_file.SetInParent()
        return bytes(message.SerializeToString())

    assert read_message(message_with("a" * most))[0] is not None
    assert refusal(message_with("a" * (most + 1))) == 1008


def test_a_flood_of_messages_ends_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "Pace", functools.partial(Pace, lambda: 0.0))  # time stands still, and
    monkeypatch.setattr(messages, "A_SECOND", 10**9)  # nobody waits in this test
    most = AT_ONCE + MOST_WAITS
    heard, sent = said(*[BackMsg(app_heartbeat=True)] * 1_000)
    assert len(heard) == most and sent == [{"type": "websocket.close", "code": 1008}]
    dropped = said(*[BackMsg(clear_cache=True)] * 1_000)
    assert dropped == ([], [{"type": "websocket.close", "code": 1008}])
    assert said(*[BackMsg(app_heartbeat=True)] * most)[1] == []


def test_messages_wait_beyond_a_pace_and_those_of_many_values_longer() -> None:
    now = 0.0
    pace = Pace(lambda: now)
    for _ in range(2_000):
        now += 1 / A_SECOND
        assert pace.seconds_to_wait(900) == 0
    now += 3600
    assert [pace.seconds_to_wait(3_500) for _ in range(AT_ONCE // 4)] == [0.0] * (AT_ONCE // 4)
    assert pace.seconds_to_wait(3_500) == 4 / A_SECOND
    now += 4 / A_SECOND
    assert pace.seconds_to_wait(3) == 1 / A_SECOND


def test_the_connections_of_an_address_have_a_pace_together() -> None:
    """Sixty of one that each kept to its own pace made others wait for half a second at each key."""
    now = 0.0

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.receive", "bytes": BackMsg(app_heartbeat=True).SerializeToString()}

    async def send(message: MutableMapping[str, Any]) -> None:
        pass

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(AT_ONCE):
            await receive()

    async def visit() -> None:
        nonlocal now
        checked = CheckedMessages(app, lambda: now)

        async def waits(address: str) -> bool:
            scope = {"type": "websocket", "headers": [], "client": (address, 0)}
            visit = asyncio.create_task(checked(scope, receive, send))
            for _ in range(20 * AT_ONCE):
                await asyncio.sleep(0)
            waits = not visit.done()
            visit.cancel()
            return waits

        n_connections = AT_ONCE_OF_ADDRESS // AT_ONCE
        stranger = [await waits("203.0.113.7") for _ in range(n_connections + 1)]
        assert stranger == [False] * n_connections + [True]
        assert not await waits("198.51.100.1")
        for _ in range(n_connections + 1):  # nobody can tell who comes from this machine
            assert not await waits("127.0.0.1")
        now += AT_ONCE_OF_ADDRESS / A_SECOND_OF_ADDRESS
        assert not await waits("203.0.113.7")

    run(visit())


def test_a_message_of_many_values_counts_as_several_of_its_address() -> None:
    """Forty connections that named 1,990 fields in each message made others wait for half a minute."""
    many = BackMsg()
    for number in range(1_990):
        many.rerun_script.widget_states.widgets.add(id=f"w{number}", int_value=1)
    n_values = read_message(many.SerializeToString())[1]
    assert n_values > 4_000
    checked = CheckedMessages(PlainTextResponse(""), lambda: 0.0)
    waits = [checked._wait_for_others("203.0.113.7", 1_000, n_values) for _ in range(40)]
    assert waits[0] == 0 and waits[-1] > 3
    few = CheckedMessages(PlainTextResponse(""), lambda: 0.0)
    assert [few._wait_for_others("203.0.113.7", 1_000, 100) for _ in range(40)] == [0.0] * 40

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.receive", "bytes": many.SerializeToString()}

    async def send(message: MutableMapping[str, Any]) -> None:
        pass

    heard: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        heard.append(await receive())

    taken: list[tuple[Any, ...]] = []
    few = CheckedMessages(app, lambda: 0.0)

    def watched(*args: Any) -> float:
        taken.append(args)
        return 0.0

    setattr(few, "_wait_for_others", watched)  # noqa: B010  # mypy: methods are no place to assign to
    run(few({"type": "websocket", "headers": [], "client": ("203.0.113.7", 0)}, receive, send))
    assert heard and taken == [("203.0.113.7", len(many.SerializeToString()), n_values)]


def test_a_long_message_counts_as_several_of_its_address() -> None:
    def wait_for(n_bytes: int, number: int) -> float:
        checked = CheckedMessages(PlainTextResponse(""), lambda: 0.0)
        return [checked._wait_for_others("203.0.113.7", n_bytes) for _ in range(number)][-1]

    assert wait_for(1_000, AT_ONCE_OF_ADDRESS) == 0
    assert wait_for(1_000, AT_ONCE_OF_ADDRESS + 1) == 1 / A_SECOND_OF_ADDRESS
    assert wait_for(60_000, AT_ONCE_OF_ADDRESS // 4) == 0
    assert wait_for(60_000, AT_ONCE_OF_ADDRESS // 4 + 1) == 4 / A_SECOND_OF_ADDRESS
    assert wait_for(10**7, 10) == wait_for(10**6, 10) == 0  # ten of a class, with a long text each


def test_a_key_that_is_held_down_ends_no_connection() -> None:
    now = 0.0
    pace = Pace(lambda: now)
    for _ in range(
        5 * 30
    ):  # for five seconds, thirty times a second; each is read when the last one was passed on
        now += pace.seconds_to_wait(500)
    assert pace.seconds_to_wait(500) <= 1 / A_SECOND + 1e-9


def test_a_browser_that_is_gone_before_it_is_read_is_no_error() -> None:
    """Seen in the log: Streamlit closes a connection in which sending has failed, and Starlette minds."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        with contextlib.suppress(OSError):
            await send({"type": "websocket.send", "bytes": b"a"})
        raise RuntimeError('Cannot call "send" once a close message has been sent.')

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "websocket.disconnect", "code": 1006}

    async def fail(message: MutableMapping[str, Any]) -> None:
        raise OSError

    async def send(message: MutableMapping[str, Any]) -> None:
        pass

    run(CheckedMessages(app)({"type": "websocket", "headers": []}, receive, fail))
    with pytest.raises(RuntimeError):  # any other fault is told
        run(CheckedMessages(app)({"type": "websocket", "headers": []}, receive, send))


def test_others_have_their_turn_between_the_messages_of_one() -> None:
    turns: list[str] = []

    async def receive() -> MutableMapping[str, Any]:
        data = BackMsg(app_heartbeat=True).SerializeToString()
        return {"type": "websocket.receive", "bytes": data}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(20):
            await receive()
            turns.append(scope["name"])

    async def both() -> None:
        checked = CheckedMessages(app)
        scopes = [{"type": "websocket", "headers": [], "name": name} for name in "ab"]
        await asyncio.gather(*(checked(scope, receive, app) for scope in scopes))  # type: ignore[arg-type]

    run(both())
    assert "".join(turns) == "ab" * 20


@pytest.mark.parametrize("patience", [10_000.0, 0.01])
def test_nothing_is_asked_for_while_an_answer_is_unread(
    patience: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else all answers would heap up on the server; after some time, one more message comes through."""
    monkeypatch.setattr(messages, "UNREAD_SECONDS", patience)

    async def check() -> None:
        is_read, is_unread = asyncio.Event(), asyncio.Event()
        coming = [{"type": "websocket.receive", "bytes": rerun().SerializeToString()}] * 2
        order: list[str] = []

        async def receive() -> MutableMapping[str, Any]:
            if len(coming) == 1:
                await is_unread.wait()
            return coming.pop() if coming else {"type": "websocket.disconnect", "code": 1001}

        async def send(message: Any) -> None:
            is_unread.set()
            await is_read.wait()
            order.append("read")

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await receive()
            answer = asyncio.create_task(send({"type": "websocket.send", "bytes": b"long"}))
            if patience > 1:
                asyncio.get_running_loop().call_later(0.05, is_read.set)
            await receive()
            order.append("asked again")
            is_read.set()
            await answer

        await CheckedMessages(app)({"type": "websocket", "headers": []}, receive, send)
        assert order == (["read", "asked again"] if patience > 1 else ["asked again", "read"])

    run(asyncio.wait_for(check(), 30))


def test_what_is_too_large_or_unreadable_ends_the_connection(caplog: pytest.LogCaptureFixture) -> None:
    refusals._logged.clear()
    long = many()
    long.rerun_script.widget_states.widgets.add(id="a").string_value = "a" * 25_000_001
    assert refusal(long) == 1009
    for unreadable in (b"\xff", b"\x5a\x05a", b"\x07", b"\x80" * 12, nested(b"\x0a\x01\xff", RERUN)):
        assert refusal(unreadable) == 1002
    for _ in range(50):
        assert said(b"\xff")[1] == [{"type": "websocket.close", "code": 1002}]
        assert said("words")[1] == [{"type": "websocket.close", "code": 1003}]
    assert len(caplog.records) == 2 and "Traceback" not in caplog.text  # each reason once
    caplog.clear()


def test_empty_fields_are_counted_before_they_are_made() -> None:
    """Twelve million of them would take 700 MB."""
    data = nested(b"\x0a\x00" * 12_000_000, RERUN, WIDGET_STATES)
    with processor_seconds(2):
        assert refusal(data) == 1008
    numbers = nested(b"\x01" * 2_000_000, RERUN, WIDGET_STATES, b"\x0a", b"\x42", b"\x0a")
    message = BackMsg.FromString(nested(b"\x01" * 3, RERUN, WIDGET_STATES, b"\x0a", b"\x42", b"\x0a"))
    assert len(message.rerun_script.widget_states.widgets[0].int_array_value.data) == 3
    assert refusal(numbers) == 1008


def test_too_many_files_at_once_are_answered_with_a_sentence() -> None:
    heard, sent = said(files(MAX_FILES + 1))
    assert not heard
    answer = ForwardMsg.FromString(sent[0]["bytes"]).file_urls_response
    assert (
        answer.response_id == "r" and answer.error_msg == "Up to 200 files are taken at a time. Choose fewer."
    )
    assert said(files(50_000))[1] == [{"type": "websocket.close", "code": 1008}]


def test_forged_names_of_pages_are_not_remembered_for_ever() -> None:
    follower = PageFollower()
    follower.show("train")
    for number in range(1_000):
        follower.ask(Request(f"forged {number}"))
        follower.ask(Request("a" * 1_000 + str(number)))
    assert len(follower._left) <= 32 and all(len(name) <= 64 for name in follower._left)


names = st.text(max_size=80)
fields = st.fixed_dictionaries(
    {},
    optional={
        "page_script_hash": names,
        "fragment_id": names,
        "query_string": names,
        "page_name": names,
        "is_auto_rerun": st.booleans(),
        "is_history_navigation": st.booleans(),
    },
)
kinds = ["clear_cache", "set_run_on_save", "stop_script", "load_git_info", "app_heartbeat"]
kinds += ["debug_disconnect_websocket", "debug_shutdown_runtime"]
operations = ["deferred_file", "install_skills", "dismiss_skills_nudge", "dataframe_chunk"]
forged = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(kinds).map(simple),
    st.builds(lambda values: rerun(**values).SerializeToString(), fields),
    st.builds(lambda kind: operation(kind).SerializeToString(), st.sampled_from(operations)),
    st.builds(lambda count: files(count).SerializeToString(), st.integers(0, 300)),
    st.builds(lambda n, m: many(n, m).SerializeToString(), st.integers(0, 30), st.integers(0, 30)),
).flatmap(
    lambda data: st.one_of(
        st.just(data),
        st.integers(0, len(data)).map(lambda cut: data[:cut]),
        st.binary(max_size=5).map(lambda more: data + more),
    )
)


@examples(300)
@example(data=b"\x5a\x00")
@given(data=forged)
def test_any_bytes_are_a_message_or_refused(data: bytes) -> None:
    try:
        message, _ = read_message(data)
    except Refusal as refused:
        assert refused.code in (1002, 1008)
        return
    assert count_values(data, MAX_VALUES) <= MAX_VALUES
    assert message is None or message.SerializeToString() == BackMsg.FromString(data).SerializeToString()


def visit(server: str) -> ClientConnection:
    address = server.replace("http", "ws") + "/_stcore/stream"
    return connect(address, subprotocols=[Subprotocol("streamlit")], max_size=None, open_timeout=20)


@pytest.mark.slow
def test_a_running_server_meets_forged_messages(server: str) -> None:
    """Its log is looked at when it ends: there is no traceback in it."""
    harmless: list[BackMsg | bytes] = [
        BackMsg(clear_cache=True),
        BackMsg(load_git_info=True),
        BackMsg(),
        files(MAX_FILES + 100),
        operation("install_skills"),
        operation("dataframe_chunk", source_id="a", offset=2**31, limit=10**9),
        rerun(fragment_id="none"),
        rerun(page_script_hash="none"),
    ]
    ending: list[BackMsg | bytes | str] = [
        b"\xff",
        "words",
        many(n_widgets=MAX_WIDGETS + 1),
        files(50_000),
        nested(b"\x0a\x00" * 1_000_000, RERUN, WIDGET_STATES),
    ]
    for number, last in enumerate(ending):
        with visit(server) as browser:
            for each in (rerun(), *harmless) if number == 0 else ():
                browser.send(each if isinstance(each, bytes) else each.SerializeToString())
            browser.send(last if isinstance(last, (bytes, str)) else last.SerializeToString())
            kinds = []
            with pytest.raises(ConnectionClosed) as closed:
                while True:
                    kinds.append(ForwardMsg.FromString(browser.recv(timeout=30)).WhichOneof("type"))
            assert closed.value.rcvd is not None and closed.value.rcvd.code in (1002, 1003, 1008)
            assert "git_info_changed" not in kinds
    with visit(server) as browser:  # the server goes on
        browser.send(rerun().SerializeToString())
        while ForwardMsg.FromString(browser.recv(timeout=30)).WhichOneof("type") != "script_finished":
            pass
