"""Requests of a page that was left do not reach the server; all others do."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from pages.server.left_pages import WithoutLeftPages


def ask(page: str, part: str = "") -> dict[str, Any]:
    message = BackMsg()
    message.rerun_script.page_script_hash, message.rerun_script.fragment_id = page, part
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def show(page: str, *parts: str) -> dict[str, Any]:
    message = ForwardMsg()
    message.new_session.page_script_hash = page
    message.metadata.run.fragment_ids.extend(parts)
    return {"type": "websocket.send", "bytes": message.SerializeToString()}


def heard(*messages: dict[str, Any]) -> list[tuple[str, str]]:
    """What the server hears of these messages, in which what it says itself has its place."""
    gone = {"type": "websocket.disconnect"}
    coming = [*messages, gone]
    asked: list[tuple[str, str]] = []
    sent = []
    say: list[Any] = []

    async def receive() -> MutableMapping[str, Any]:
        while coming[0]["type"] == "websocket.send":  # the server says it before the next one comes
            await say[0](coming.pop(0))
        return coming.pop(0)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        say.append(send)
        while (message := await receive()) != gone:
            request = BackMsg.FromString(message["bytes"]).rerun_script
            asked.append((request.page_script_hash, request.fragment_id))

    # In a thread of its own: in this one, Playwright's loop may be running.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, WithoutLeftPages(app)({"type": "websocket"}, receive, send)).result()
    assert sent == [message for message in messages if message["type"] == "websocket.send"]
    return asked


def test_a_timer_of_the_page_that_was_left_is_not_heard() -> None:
    messages = [ask(""), show("train"), ask("train", "progress"), ask("words"), ask("train", "progress")]
    assert heard(*messages) == [("", ""), ("train", "progress"), ("words", "")]
    late = [*messages, show("words"), ask("train", "progress"), ask("words", "table")]
    assert heard(*late) == [("", ""), ("train", "progress"), ("words", ""), ("words", "table")]


def test_a_page_that_the_server_leads_back_to_is_heard() -> None:
    messages = [show("playground"), ask("train"), show("train"), ask("train"), show("playground")]
    assert heard(*messages, ask("playground", "editor"))[-1] == ("playground", "editor")
    # To another page by a part of this one, and back by a button there.
    messages = [show("playground"), ask("playground", "editor"), show("playground", "editor"), show("trees")]
    messages += [ask("trees"), show("trees"), show("playground"), ask("playground", "editor")]
    assert heard(*messages)[-1] == ("playground", "editor")


def test_what_is_no_request_goes_through() -> None:
    odd = {"type": "websocket.receive", "bytes": BackMsg(stop_script=True).SerializeToString()}
    assert len(heard(odd, show("a"), ask("b"), odd)) == 3
