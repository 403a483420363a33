"""Who may ask the server, under which name, and what every answer forbids the browser; no browser needed."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import streamlit
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import net_util
from streamlit.web.server.starlette.starlette_websocket import _is_origin_allowed

from pages.server.component_files import component_route
from pages.server.host_check import VARIABLE, HostCheck
from pages.server.security_headers import SecurityHeaders, security_headers
from tests.browser import ROOT
from tests.processes import run_python

NETWORK, LOOPBACK = "192.168.1.7", "127.0.0.1"


async def _socket(socket: WebSocket) -> None:
    """As Streamlit does: its own check, then it takes the connection."""
    if _is_origin_allowed(socket.headers.get("origin"), socket.headers.get("host")):
        await socket.accept()
    else:
        await socket.close(1008)


def _page(request: Request) -> Response:
    return PlainTextResponse("here", 404 if request.url.path == "/none" else 200)


APP = Starlette(
    routes=[
        component_route(),
        WebSocketRoute("/stream", _socket),
        Route("/{path:path}", _page, methods=["GET", "PUT", "OPTIONS"]),
    ],
    middleware=[Middleware(SecurityHeaders), Middleware(HostCheck)],
)


def client(server: str) -> TestClient:
    """Requests to the app as if it listened at this address."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await APP({**scope, "server": (server, 8501)}, receive, send)

    return TestClient(app)


def ask(headers: dict[str, str], *, method: str = "GET") -> Any:
    """The answer to one request."""
    return client(LOOPBACK).request(method, "/", headers=encoded(headers))


def encoded(headers: dict[str, str]) -> Any:
    """Headers as a browser may send them, beyond ASCII too."""
    return {name: value.encode() for name, value in headers.items()}


def connects(
    origin: str | None, host: str = "localhost:8501", *, server: str = LOOPBACK, **more: str
) -> bool:
    """Whether a handshake is taken."""
    headers = {"Host": host} | {name.replace("_", "-"): value for name, value in more.items()}
    if origin is not None:
        headers["Origin"] = origin
    try:
        with client(server).websocket_connect("/stream", headers=encoded(headers)):
            return True
    except WebSocketDisconnect:
        return False


@pytest.fixture(autouse=True)
def nobody_asks_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """An outside host is never asked for this machine's address."""

    def ask() -> None:
        raise AssertionError("Streamlit asks an outside host for this machine's address")

    monkeypatch.setattr(net_util, "get_external_ip", ask)
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://localhost:8501", "localhost:8501"),
        ("http://192.168.1.7:8501", "192.168.1.7:8501"),  # a class, by the address on the board
        ("http://[fd00::7]:8501", "[fd00::7]:8501"),
        ("http://laptop:8501", "laptop:8501"),
        ("http://laptop.local:8501", "laptop.local:8501"),
        ("http://LOCALHOST:8501", "localhost:8501"),
        ("http://localhost", "localhost"),  # a container with its port led to 80
        (None, "localhost:8501"),  # no browser
    ],
)
@pytest.mark.parametrize("server", [LOOPBACK, "::1", NETWORK])
def test_a_page_of_the_server_itself_connects(origin: str | None, host: str, server: str) -> None:
    assert connects(origin, host, server=server)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://localhost:8501.evil.example",
        "http://localhost:3000",  # what else runs on this machine
        "http://127.0.0.1:8501",
        "null",  # a page in a sandbox, or a file
        "",
        "file://",
        "http://a@localhost:8501",
        "http://localhost:8501/x",
        "http://localhost:99999",
        "chrome-extension://localhost:8501",
        "é",
    ],
)
def test_a_foreign_page_is_refused_and_nobody_is_asked(origin: str) -> None:
    assert not connects(origin)
    assert not connects(origin, server=NETWORK)
    assert ask({"Host": "localhost:8501", "Origin": origin}, method="PUT").status_code == 403


def test_a_name_that_was_led_to_this_machine_is_refused() -> None:
    """DNS rebinding: to the browser, the page and the server are of one origin."""
    evil = "http://evil.example:8501"
    assert not connects(evil, "evil.example:8501")
    answer = ask({"Host": "evil.example:8501"})
    assert answer.status_code == 403 and "TOKEN_GROVE_HOSTS=evil.example" in answer.text
    for odd in ("", "a b", "<script>", "localhost:8501@evil.example", "evil.example/localhost", "x:y"):
        assert ask({"Host": odd}).status_code == 403
    # With a list of names, no other one is taken over the network either; by default, no name is known there.
    assert connects(evil, "evil.example:8501", server=NETWORK)


def test_whoever_runs_it_allows_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "grove.school.example, *.lab.example")
    for server in (LOOPBACK, NETWORK):
        assert connects("https://grove.school.example", "grove.school.example", server=server)
        # A proxy changed Host.
        assert connects("https://grove.school.example", "127.0.0.1:8501", server=server)
        assert connects("https://a.lab.example", "a.lab.example", server=server)
        assert not connects("https://evil.example", "evil.example", server=server, x_forwarded_for="1.2.3.4")
        assert connects("http://10.0.0.3:8501", "10.0.0.3:8501", server=server)  # a health check's


def test_behind_a_proxy() -> None:
    public = "https://grove.example"
    # It hands on the Host, with the port or without; or it says it in another header.
    assert connects(public, "grove.example", x_forwarded_for="203.0.113.9")
    assert connects(public, "grove.example:443", x_forwarded_for="203.0.113.9")
    assert connects(public, "127.0.0.1:8501", x_forwarded_host="grove.example")
    assert connects(public, "127.0.0.1:8501", x_forwarded_host="grove.example, 10.0.0.1")
    assert connects("https://grove.example:8443", "app:8501", x_forwarded_host="grove.example:8443")
    # A page of another site goes through the same proxy.
    assert not connects("https://evil.example", "127.0.0.1:8501", x_forwarded_host="grove.example")
    assert not connects("https://evil.example", "grove.example", x_forwarded_for="203.0.113.9")


def test_reading_is_open_to_pages_that_cannot_see_the_answer() -> None:
    assert ask({"Host": "localhost:8501", "Origin": "https://evil.example"}).status_code == 200


def test_the_policy_lets_no_foreign_script_run() -> None:
    policy = dict(part.split(" ", 1) for part in security_headers({})["content-security-policy"].split("; "))
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_bytes()
    scripts = re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(each).digest()).decode()}'" for each in scripts]
    assert policy["script-src"] == " ".join(["'self'", "blob:", *hashes])
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["connect-src"] == "'self'" and policy["frame-ancestors"] == "'self'"


def test_a_school_that_shows_it_in_a_frame() -> None:
    headers = security_headers({"TOKEN_GROVE_EMBED": "https://moodle.school.example  javascript:alert(1) *"})
    assert headers["content-security-policy"].endswith("frame-ancestors 'self' https://moodle.school.example")
    assert "x-frame-options" not in headers  # it knows no list


@pytest.mark.slow
def test_at_the_start_no_outside_host_is_asked() -> None:
    """Where the server listens on all addresses, Streamlit would ask before our code is loaded."""
    program = """if True:
        import sys
        from streamlit import config, net_util
        from streamlit.web import bootstrap
        config._main_script_path = sys.argv[1]
        bootstrap.load_config_options({"server.address": "0.0.0.0", "server.headless": True})
        net_util.get_external_ip = lambda: print("ASKED")
        bootstrap._print_url(False)
    """
    answer = run_python("-c", program, ROOT / "app.py").stdout
    assert "URL: http://localhost:" in answer and "ASKED" not in answer


def test_the_server_has_them_all(server: str) -> None:
    """The app itself: on the page, a script, a component's file, what is not there; and to a foreign page."""
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=20)
    for path in ("/", "/train", "/_stcore/health", "/components/v/editor/index.js", "/media/none.svg"):
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        assert security_headers({}).items() <= headers.items(), path
    connection.request("POST", "/encode", headers={"Origin": "http://evil.example"})
    with contextlib.closing(connection), connection.getresponse() as answer:
        assert answer.status == 403
