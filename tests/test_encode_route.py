"""The editor's requests: who is answered, what is refused, and the panels that take long."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.testclient import TestClient
from starlette.types import Message

import tokenizers as tk
from pages.explore.playground import encode_route
from pages.explore.playground.encode_route import MAX_REQUEST, ROUTES, respond
from pages.server.requests import TICKET, read_body
from pages.session import panels
from pages.session.own_encodings import OwnEncoding
from pages.session.panels import LIVE_BYTES
from pages.session.workspace import WELCOME, Pin, Workspace
from tests.loops import run
from tests.wire import Reply, read_reply
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.progress import report
from tokenizers.text import Spans, TextMap, encode_spans

APP = Starlette(routes=ROUTES)


def post(ticket: str, body: bytes, path: str = "/encode") -> tuple[int, bytes]:
    response = TestClient(APP).post(path, content=body, headers={TICKET: ticket})
    return response.status_code, response.content


def say(workspace: Workspace, request: JsonObject | bytes, path: str = "/encode") -> tuple[int, bytes]:
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    return post(workspace.ticket, body, path)


@pytest.fixture
def workspace(monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setattr(panels, "SLOW_SECONDS", 1.0)  # on a busy machine, gpt2 is not slow either
    for name in ("gpt2", "cl100k_base"):
        tk.encode_spans(tk.get_encoding(name), "the first time takes longer")
    return Workspace(encodings=["gpt2", "cl100k_base"])


NO_REQUESTS = [b"", b"no", b"[]", b"null", b"\xff\xfe{}", b"[" * 100_000, b'{"page": ' + b"9" * 5_000 + b"}"]


@pytest.mark.parametrize("body", NO_REQUESTS, ids=lambda body: body[:12].decode("latin-1"))
def test_what_is_no_request_is_refused_in_words(workspace: Workspace, body: bytes) -> None:
    status, data = say(workspace, body)
    assert status == 400 and b"no JSON object" in data and workspace.text == WELCOME


def test_too_much_is_refused_and_not_read_to_its_end(workspace: Workspace) -> None:
    assert say(workspace, b" " * (MAX_REQUEST + 1))[0] == 413
    parts = [bytes(10)] * 9

    async def receive() -> Message:
        return {"type": "http.request", "body": parts.pop(), "more_body": True}

    with pytest.raises(HTTPException):
        run(read_body(Request({"type": "http"}, receive), most=25))
    assert len(parts) == 6


def test_encode_reaches_a_session_by_its_own_ticket_alone() -> None:
    one, other = Workspace(), Workspace()
    say(other, {"text": "a secret"})
    assert b"secret" not in say(one, {})[1] and one.text == WELCOME
    ticket = other.ticket
    for wrong in ("", ticket[:-1], ticket.lower()):
        status, data = post(wrong, b'{"text": "mine now"}')
        assert status == 404 and b"secret" not in data and other.text == "a secret"
    del other
    gc.collect()
    assert post(ticket, b"{}")[0] == 404


def test_a_text_is_replaced_and_the_editor_hears_what_it_shows(workspace: Workspace) -> None:
    def replace(query: str, body: bytes = b"") -> Any:
        status, data = say(workspace, body, f"/text?{query}")
        assert status == 200
        return json.loads(data)["fields"]

    say(workspace, {"text": "a\ud800", "view": "ids"})
    state = replace("do=file&value=n%C3%A4.txt", "naïve".encode("latin-1"))
    assert state["text"] == "naïve" and state["view"] == "ids" and state["pin"] is None
    assert workspace.note.startswith("nä.txt: 5 bytes, read as Latin-1")
    state = replace("do=paste", b"long " * LIVE_BYTES)
    assert state["text"] is None  # the answer has a page of it
    assert replace("do=back")["text"] == "naïve"
    assert replace("do=clear")["text"] == "" and replace("do=back")["text"] == "naïve"
    odd_versions = ["version=-1", "version=" + "9" * 999]
    for odd in ("", "do=", "do=remove_all", *odd_versions, "do=file&value=" + "x" * 999):
        assert replace(odd, bytes(99))["text"] == "naïve"
    assert workspace.note_is_error and workspace.text == "naïve"


def test_text_that_comes_too_late_is_set_aside(workspace: Workspace) -> None:
    version = workspace.versions.next_of_browser()
    workspace.take("of a tool")
    for late, again in (("typed", "typed"), ("pasted", "pasted"), ("of an older key", "pasted")):
        if late == "pasted":
            say(workspace, late.encode(), f"/text?do=paste&version={version + 1}")
        else:
            say(workspace, {"text": late, "versions": {"text": version}})
        assert workspace.text == "of a tool"
        assert workspace.set_aside and workspace.set_aside.text == again
    for _ in range(2):  # it arrives twice
        say(workspace, b"", f"/text?do=back&version={workspace.versions['text'] | 1}")
        assert workspace.text == "pasted"


# Panels that take long


@pytest.fixture
def own(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> str:
    """An encoding of the session's own whose pattern may be slow; of a text with “fault” nothing comes."""
    encoding = tk.train("low lower lowest newer newest", 300, "gpt4o", name="own")

    def encode(encoding: Encoding, text: TextMap, **options: Any) -> Spans:
        if encoding.name == "own" and "fault" in text.text:
            raise ValueError("Nothing comes of it.")
        return encode_spans(encoding, text, **options)

    monkeypatch.setattr(panels, "encode_spans", encode)
    monkeypatch.setattr(panels, "reencode", lambda before, text, **options: encode(before.encoding, text))
    name = workspace.own_encodings.add(OwnEncoding(encoding))
    workspace.encodings = ["gpt2", name]
    return name


def ask(workspace: Workspace, text: str) -> Reply:
    workspace.panels._seconds["own"] = 1.0  # it was slow
    return read_reply(respond(workspace, {"text": text}))


def ask_slow(workspace: Workspace, reply: Reply) -> Reply:
    return read_reply(respond(workspace, {"slow": True, "holds": reply.header["tag"]}), reply)


def test_a_slow_panel_of_an_older_text_is_not_sent(workspace: Workspace, own: str) -> None:
    older, newer = ask(workspace, "lower and newest"), ask(workspace, "lower and newest lows")
    status, data = say(workspace, {"slow": True, "holds": older.header["tag"]})
    assert (status, data) == (204, b"") and workspace.text == "lower and newest lows"
    assert ask_slow(workspace, newer).ids("own") == workspace.own_encodings[own].encoding.encode(
        "lower and newest lows"
    )


def test_a_note_and_a_pin_stay_while_a_panel_is_counted(workspace: Workspace, own: str) -> None:
    say(workspace, b"lower and newest", "/text?do=file&value=new.txt")
    workspace.pin = Pin("own", 0)
    workspace.panels._seconds["own"] = 1.0
    reply = read_reply(respond(workspace, {}))
    note = {"text": "new.txt: 16 bytes, read as UTF-8.", "error": False}
    assert reply.header["inspector"] is None and reply.header["notes"] == [note]
    reply = ask_slow(workspace, reply)
    assert reply.header["inspector"]["encoding"] == "own" and reply.header["notes"] == [note]
    assert ask(workspace, "lower").header["notes"] == []


def test_what_is_wrong_with_a_slow_panel_is_said_on_it(workspace: Workspace, own: str) -> None:
    said = {"name": "own", "problem": "Nothing comes of it."}
    reply = ask(workspace, "a fault")
    assert ask_slow(workspace, reply).header["panels"][1] == said
    assert ask(workspace, "a fault").header["panels"][1] == said, "it is not tried again"


@pytest.mark.parametrize("is_page_left", [False, True])
def test_slow_panel_says_its_share_and_stops_if_nobody_waits(
    workspace: Workspace, own: str, monkeypatch: pytest.MonkeyPatch, is_page_left: bool
) -> None:
    workspace.set_text("lower and newest " * (LIVE_BYTES // 16))
    workspace.panels._seconds["own"] = 1.0  # it was slow
    reply = read_reply(respond(workspace, {}))
    shares: list[float] = []

    def encode(*_: Any, **options: Any) -> None:
        for share in (0.25, 0.5):
            report(share)
            shares.append(read_reply(respond(workspace, {})).header["panels"][1]["share"])
        if is_page_left:
            monkeypatch.setattr(panels, "LEFT_SECONDS", -1)
        else:
            workspace.set_text("lower", by_typing=True)
        report(0.75)
        shares.append(1)

    monkeypatch.setattr(panels, "reencode", encode)
    monkeypatch.setattr(panels, "encode_spans", encode)
    assert respond(workspace, {"slow": True, "holds": reply.header["tag"]}) == b""
    assert shares == [0.25, 0.5]


def test_a_long_text_is_slow_in_every_encoding(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panels, "WALLS_BYTES", 3)
    for text, counting in (("abc", None), ("abcd", True)):
        reply = read_reply(respond(workspace, {"text": text}))
        assert [panel.get("counting") for panel in reply.header["panels"]] == [counting] * 2


def test_an_encoding_that_is_not_loaded_yet_is_slow(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(panels, "is_loaded", lambda name: name != "cl100k_base")
    reply = read_reply(respond(workspace, {"text": "a"}))
    assert [panel.get("counting") for panel in reply.header["panels"]] == [None, True]
    assert ask_slow(workspace, reply).ids("cl100k_base") == [64]


def test_keys_do_not_wait_for_long_texts(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    may_end = threading.Event()
    monkeypatch.setattr(
        encode_route, "_LONG", asyncio.Semaphore(2)
    )  # one belongs to the loop that it is used in
    monkeypatch.setattr(encode_route, "replaced", lambda *_: may_end.wait(60))
    text = b"a" * (LIVE_BYTES + 1)
    with ThreadPoolExecutor(20) as threads, TestClient(APP) as client:  # one loop for all
        headers = {TICKET: workspace.ticket}
        long = [threads.submit(client.post, "/text", content=text, headers=headers) for _ in range(20)]
        assert client.post("/encode", content=b"{}", headers=headers).status_code == 200
        assert not any(each.done() for each in long)
        may_end.set()
        assert {each.result().status_code for each in long} == {200}
