"""Keys that are answered without a run of the page: the route, what a message may be, and whose it is."""

from __future__ import annotations

import gc
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Message

import tokenizers as tk
from pages.explore.playground import keystroke
from pages.explore.playground.keystroke import MAX_BYTES, Talk, keystroke_route
from pages.server.host_check import HostCheck
from pages.server.requests import TICKET
from pages.session.workspace import LIVE_BYTES, WELCOME, Workspace
from tests.browser import expect, settled
from tests.loops import run
from tests.wire import read_reply

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

APP = Starlette(
    routes=[keystroke_route],
    middleware=[Middleware(HostCheck), Middleware(GZipMiddleware, minimum_size=1_000)],
)


async def post(
    ticket: str, body: bytes | dict[str, Any], path: str = "/keystroke", method: str = "POST", **headers: str
) -> Any:
    """The answer to a request of an editor: (status, body, parts of what was sent that were not read)."""
    body = json.dumps(body).encode() if isinstance(body, dict) else body
    given = {"host": "localhost:8501", TICKET.lower(): ticket, **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
    }
    parts = [body[at : at + 65_536] for at in range(0, len(body), 65_536)] or [b""]
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": parts.pop(0), "more_body": bool(parts)}

    async def send(message: Message) -> None:
        sent.append(message)

    await APP(scope, receive, send)
    return sent[0]["status"], sent[1]["body"], len(parts)


def say(talk: Talk, body: bytes | dict[str, Any], **options: str) -> tuple[int, bytes]:
    status, answer, _ = run(post(talk.ticket, body, **options))
    return status, answer


@pytest.fixture
def talk() -> Talk:
    return Talk(Workspace(encodings=["gpt2", "cl100k_base"]))


def test_a_key_is_answered_as_the_page_would(talk: Talk) -> None:
    text = "some 안녕 text"
    status, answer = say(talk, {"seq": 1, "text": text, "revision": 1, "page": 0, "action": None})
    reply = read_reply(answer)
    assert status == 200 and talk.workspace.text == text
    assert reply.header["seq"] == 1 and reply.header["ticket"] == talk.ticket and "text" not in reply.header
    for name in ("gpt2", "cl100k_base"):
        assert reply.ids(name) == tk.get_encoding(name).encode(text)
    later = {"seq": 2, "text": text + "s", "revision": 1, "holds": 1}
    status, changes = say(talk, later, path="/class/grove/keystroke")  # under a sub-path
    assert status == 200 and len(changes) < len(answer) / 3
    assert read_reply(changes, {1: reply}).ids("gpt2") == tk.get_encoding("gpt2").encode(text + "s")


def test_a_session_is_reached_by_its_own_ticket_from_its_own_site(talk: Talk) -> None:
    other = Talk(Workspace())
    say(other, {"seq": 1, "text": "a secret"})
    assert b"secret" not in say(talk, {"seq": 1, "revision": None})[1] and talk.workspace.text == WELCOME
    assert talk.ticket != other.ticket and len(talk.ticket) >= 32
    for ticket in ("", "a session", other.ticket[:-1], other.ticket.lower(), other.workspace.session):
        status, answer, _ = run(post(ticket, {"seq": 9, "text": "mine now"}))
        assert status == 404 and b"secret" not in answer
    assert say(other, {"seq": 9, "text": "mine now"}, origin="http://evil.example")[0] == 403
    assert other.workspace.text == "a secret"
    ticket = other.ticket
    del other
    gc.collect()
    assert run(post(ticket, {"seq": 9, "text": "b"}))[0] == 404, "its session has ended"


def test_what_is_no_number_of_an_answer_is_not_kept(talk: Talk) -> None:
    forged = {
        "seq": 1,
        "text": "a",
        "revision": ["a"] * 100,
        "holds": {"a": "b" * 100_000},
        "wants_link": [1],
    }
    assert say(talk, forged)[0] == 200
    assert talk._newest_message == {"seq": 1, "revision": None, "holds": None, "wants_link": True}
    assert say(talk, {"seq": 2, "text": "a", "revision": 1, "holds": True})[0] == 200
    assert talk._newest_message["holds"] is None and talk._newest_message["revision"] == 1


def test_a_message_that_comes_both_ways_or_late_counts_once(talk: Talk) -> None:
    first = {"seq": 1, "text": "one", "revision": 1, "holds": None}
    say(talk, first)
    say(talk, {"seq": 2, "text": "one two", "revision": 1, "holds": None})
    for late in (first, None):  # the component's state is older than what came the short way
        talk.hear(late)
        assert talk.workspace.text == "one two" and "text" not in read_reply(talk.answer()).header
    status, answer = say(talk, {"seq": 2, "text": "one two", "revision": 1, "holds": 1})  # again
    assert status == 200 and talk.workspace.text == "one two" and talk.workspace.text_changes == 2
    talk.begin_anew()  # the page is drawn as a whole, perhaps for an editor that has nothing yet
    talk.hear(None)
    assert read_reply(talk.answer()).header["text"] == "one two"


NO_MESSAGES = [
    b"",
    b"no",
    b"[]",
    b"null",
    b"{}",
    b'{"seq": true}',
    b'{"seq": -1}',
    b'{"seq": 1e3}',
    b"\xff\xfe{}",
]
NO_MESSAGES += [b"[" * 100_000, b'{"seq": ' + b"9" * 5_000 + b"}", b'{"seq": 9007199254740993}']


@pytest.mark.parametrize("body", NO_MESSAGES, ids=lambda body: body[:12].decode("latin-1"))
def test_what_is_no_message_is_refused_in_words(talk: Talk, body: bytes) -> None:
    status, answer = say(talk, body)
    assert status == 400 and b"no message" in answer and talk.workspace.text == WELCOME


ODD: list[dict[str, Any]] = [
    {"text": 7, "encodings": [[], {}, None, "no such"], "page": "x", "pin": {"encoding": [], "start": -1}},
    {"text": "a", "encodings": "gpt2", "view": [], "walls": "yes", "pin": [], "revision": [], "holds": {}},
    {"text": "\ud800 \0", "page": 10**300, "pin": {"encoding": "gpt2", "start": 10**300}, "holds": 10**300},
    {"text": "", "encodings": [], "wants_link": "yes", "again": {}},
]


@pytest.mark.parametrize("odd", ODD)
def test_what_is_odd_in_a_message_is_left_out(talk: Talk, odd: dict[str, Any]) -> None:
    status, answer = say(talk, {"seq": 1, **odd})
    assert status == 200 and read_reply(answer).header["seq"] == 1
    assert say(talk, {"seq": 2, "text": "and on"})[0] == 200


def test_too_much_is_not_read_to_its_end(talk: Talk) -> None:
    status, _, left = run(post(talk.ticket, b" " * (4 * MAX_BYTES)))
    assert status == 413 and left > 0
    status, _, left = run(post("no ticket", b" " * (4 * MAX_BYTES)))
    assert status == 404 and left == 4 * MAX_BYTES // 65_536  # nothing was


def test_a_long_answer_is_compressed_for_a_browser_that_takes_it(talk: Talk) -> None:
    message = {"seq": 1, "text": "in a word " * 300}
    _, answer = say(talk, message)
    talk.begin_anew()
    status, compressed = say(talk, message, **{"accept-encoding": "gzip, deflate"})
    assert status == 200 and len(compressed) < len(answer) / 2
    assert read_reply(gzip.decompress(compressed)).header["text"] == read_reply(answer).header["text"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS"])
def test_a_key_comes_with_post_alone(talk: Talk, method: str) -> None:
    assert say(talk, {"seq": 1, "text": "a"}, method=method)[0] == 405 and talk.workspace.text == WELCOME


def test_what_needs_the_page_goes_there(talk: Talk) -> None:
    for needs in ({"action": {"number": 1, "kind": "clear"}}, {"text": "a" * (LIVE_BYTES + 1)}):
        assert say(talk, {"seq": 1, **needs}) == (204, b"")
    assert talk.workspace.text == WELCOME and talk.workspace.seq == 0
    talk.workspace.set_text("a" * (LIVE_BYTES + 1))
    assert say(talk, {"seq": 1, "page": 1}) == (204, b"")
    assert say(talk, {"seq": 1, "text": "short"})[0] == 200


def test_a_fault_is_the_pages_to_tell(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keystroke, "build_reply", lambda *_, **__: 1 / 0)
    assert say(talk, {"seq": 1, "text": "a"}) == (204, b"")
    monkeypatch.undo()
    assert say(talk, {"seq": 2, "text": "b"})[0] == 200


# In a browser


def test_the_page_takes_over_where_the_short_way_is_closed(page: Page) -> None:
    asked: list[str] = []
    closed = [False]

    def pass_on(route: Route) -> None:
        asked.append("no" if closed[0] else "yes")
        if closed[0]:
            route.fulfill(status=200, content_type="text/html", body="<p>a proxy’s own page</p>")
        else:
            route.continue_()

    page.route("**/keystroke", pass_on)
    page.goto("/")
    expect(page.locator(".panel .t").first).to_be_visible()
    settled(page)
    field = page.locator("textarea.input")
    field.fill("a")
    field.press("End")
    page.keyboard.type("bcdef")
    expect(page.locator(".counts")).to_contain_text("6 bytes")
    assert "yes" in asked
    closed[0] = True
    page.keyboard.type("ghijkl")
    expect(page.locator(".counts")).to_contain_text("12 bytes")
    expect(field).to_have_value("abcdefghijkl")
    assert asked.count("no") == 1  # then it is left alone for a while
    # What stands below the panels follows what was typed.
    page.get_by_text("Chunks", exact=True).click()
    page.evaluate("() => { performance.now = () => 1e9; }")  # the while is over
    closed[0] = False
    field.press("End")
    before = asked.count("yes")
    page.keyboard.type(" and more words" * 6)
    expect(page.locator(".counts")).to_contain_text("102 bytes")
    expect(page.get_by_text("chunks of up to 20 tokens")).to_be_visible()
    assert asked.count("yes") > before
    expect(field).to_have_value("abcdefghijkl" + " and more words" * 6)
