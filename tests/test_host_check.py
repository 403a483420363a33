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


def encoded(headers: dict[str, str]) -> Any:
    """Headers as a browser may send them, beyond ASCII too."""
    return {name: value.encode() for name, value in headers.items()}


def connects(headers: dict[str, str], server: str) -> bool:
    """Whether a handshake is taken."""
    try:
        with client(server).websocket_connect("/stream", headers=encoded(headers)):
            return True
    except WebSocketDisconnect:
        return False


def who_is_let_in(asked: Any) -> str:
    """The addresses at which a server takes a WebSocket with these headers, and what it answers to requests.

    Before the headers is what they are of, and behind them are the names that are allowed.
    """
    _, headers, names = asked
    with pytest.MonkeyPatch.context() as patch:
        forbid_asking_outside(patch)
        patch.setenv(VARIABLE, names)
        taken = [server for server in (LOOPBACK, "::1", NETWORK) if connects(headers, server)]
        lines = [f"WebSocket: {', '.join(taken) or 'none'}"]
        for method in ("GET", "PUT"):
            reply = client(LOOPBACK).request(method, "/", headers=encoded(headers))
            lines.append(f"{method}: {reply.status_code} {reply.text.strip()}")
    return "\n".join(lines)


def forbid_asking_outside(patch: pytest.MonkeyPatch) -> None:
    """An outside host is never asked for this machine's address."""

    def ask() -> None:
        raise AssertionError("Streamlit asks an outside host for this machine's address")

    patch.setattr(net_util, "get_external_ip", ask)


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
