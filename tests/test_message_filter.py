"""Messages for developers go no further; all others arrive."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from pages.server.message_filter import MessageFilter
from tests.loops import run


def operation(kind: str) -> BackMsg:
    message = BackMsg()
    getattr(message.backend_operation_request, kind).SetInParent()
    return message


def arriving(*messages: bytes) -> list[bytes]:
    """What of these messages reaches Streamlit."""
    coming: list[dict[str, Any]] = [{"type": "websocket.connect"}]
    coming += [{"type": "websocket.receive", "bytes": data} for data in messages]
    coming += [{"type": "websocket.receive", "text": "words"}, {"type": "websocket.disconnect"}]
    arrived: list[bytes] = []

    async def receive() -> Any:
        return coming.pop(0)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            arrived.extend([message["bytes"]] if "bytes" in message else [])

    run(MessageFilter(app)({"type": "websocket"}, receive, None))  # type: ignore[arg-type]
    return arrived


@pytest.mark.parametrize(
    ("message", "arrives"),
    [
        (BackMsg(clear_cache=True), False),
        (BackMsg(load_git_info=True), False),
        (operation("install_skills"), False),
        (BackMsg(stop_script=True), True),
        (BackMsg(app_heartbeat=True), True),
        (operation("deferred_file"), True),
        (operation("dataframe_chunk"), True),
    ],
)
def test_only_messages_of_visitors_arrive(message: BackMsg, arrives: bool) -> None:
    data = bytes(message.SerializeToString())
    assert arriving(data, b"\xff") == ([data] if arrives else []) + [b"\xff"]
