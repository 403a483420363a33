"""Checks the Host and the Origin of requests: allowed names of the server, and sites that may connect.

**Host.** Another site can let its own name point at this machine (DNS rebinding). Then a browser treats its
page as the same origin, and the page could read this machine's files. The Host header shows the site's
name. So on a loopback address the server accepts IP addresses (rebinding needs a name), names that nobody
can register (``localhost``, names without a dot, ``.local`` and the like), and the names in
``TOKEN_GROVE_HOSTS``. A request from a proxy may have any name. So may requests over the network, since a
container or a laptop in a class has many names. If ``TOKEN_GROVE_HOSTS`` is set, its names are the only
public ones.

**Origin.** A page may connect only to the server that served it. Streamlit's own check accepts every page on
localhost, and asks an outside host for this machine's address. So this check comes first, and gives
Streamlit an Origin that equals the Host. Pages of listed origins may use the JSON interface (``api.py``).
"""

from __future__ import annotations

import fnmatch
import ipaddress
import logging
import os
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

VARIABLE = "TOKEN_GROVE_HOSTS"
"""Public names of the app, separated by commas; ``*.school.example`` means all names below it."""

API_PATH = "/api/v1/"
"""Where the JSON interface is, below the app's own path."""

_log = logging.getLogger(__name__)

# Nobody can register such a name: RFC 6761, 6762, 8375, and .internal, which ICANN reserves for this.
_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".home.arpa", ".lan")
# Headers that proxies add, and that a page cannot add to a WebSocket handshake.
_PROXY_HEADERS = {"x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via"}
_ORIGIN = re.compile(r"https?://[a-z0-9.\[\]:-]+")
_PORTS = {"http": 80, "https": 443}


def refused_host(headers: Headers, *, over_loopback: bool) -> str:
    """Why the server refuses the name in the Host header; empty: it accepts the name.

    Args:
        headers: the request's headers.
        over_loopback: whether the request came to a loopback address.

    >>> def ask(host, over_loopback=True, **more):
    ...     return refused_host(Headers({"host": host, **more}), over_loopback=over_loopback)[:46]
    >>> ask("localhost:8501"), ask("192.168.1.7:8501"), ask("[::1]:8501"), ask("laptop.local")
    ('', '', '', '')
    >>> ask("evil.example:8501")
    'This server does not answer under the name “ev'
    >>> ask("grove.example", over_loopback=False), ask("grove.example", **{"x-forwarded-for": "203.0.113.9"})
    ('', '')
    """
    split = _split(headers.get("host", ""), "http")
    if split is None:
        return "The Host of this request is not a name."
    name = split[0]
    is_local = name == "localhost" or "." not in name or name.endswith(_LOCAL_ENDINGS)
    is_open = not os.environ.get(VARIABLE) and (not over_loopback or not _PROXY_HEADERS.isdisjoint(headers))
    if is_local or is_open or _address(name) or _is_public(name):
        return ""
    return (
        f"This server does not answer under the name “{name}”. The person who runs it can allow the name: "
        f"{VARIABLE}={name}"
    )


def refused_origin(headers: Headers) -> str:
    """Why a page of this origin may not connect; empty: it may, or the request has no origin.

    >>> def ask(origin, host="localhost:8501", **more):
    ...     return refused_origin(Headers({"origin": origin, "host": host, **more}))[:21]
    >>> ask("http://localhost:8501"), ask("https://grove.example", "grove.example:443")
    ('', '')
    >>> ask("http://evil.example"), ask("null"), ask("http://localhost:3000")
    ('Pages of another site', 'Pages of another site', 'Pages of another site')
    >>> ask("https://grove.example", "127.0.0.1:8501", **{"x-forwarded-host": "grove.example"})
    ''
    """
    scheme, _, rest = headers.get("origin", "").lower().partition("://")
    split = _split(rest, scheme) if scheme in _PORTS else None
    hosts = (headers.get("host", ""), headers.get("x-forwarded-host", "").partition(",")[0])
    is_ours = "origin" not in headers
    if split is not None:
        is_ours = split in [_split(host, scheme) for host in hosts] or _is_public(split[0])
    if is_ours:
        return ""
    return (
        "Pages of another site may not connect to this server. If it is behind a proxy, the person who runs "
        f"it can name the host that people open: {VARIABLE}=grove.school.example. Pages of listed sites can "
        "use the JSON interface: docs/api.md."
    )


def api_origins(variables: Mapping[str, str]) -> list[str] | None:
    """The origins of other sites whose pages may use the JSON interface; None: it is off.

    >>> listed = "https://A.example/, *, null, http://localhost:3000"
    >>> api_origins({"TOKEN_GROVE_API": "on", "TOKEN_GROVE_API_ORIGINS": listed})
    ['https://a.example', 'http://localhost:3000']
    """
    if variables.get("TOKEN_GROVE_API") != "on":
        return None
    listed = re.split(r"[\s,]+", variables.get("TOKEN_GROVE_API_ORIGINS", "").lower())
    return list(filter(_ORIGIN.fullmatch, (origin.rstrip("/") for origin in listed)))


def _is_public(name: str) -> bool:
    patterns = os.environ.get(VARIABLE, "").lower().split(",")
    return any(fnmatch.fnmatchcase(name, pattern.strip()) for pattern in patterns)


def _split(host: str, scheme: str) -> tuple[str, int] | None:
    """The name and the port of a host; None: it is not valid.

    >>> _split("LocalHost:8501", "http"), _split("[::1]", "https"), _split("a:99999", "http")
    (('localhost', 8501), ('::1', 443), None)
    """
    try:
        parts = urlsplit(f"//{host.strip()}")
        name = parts.hostname
        port = parts.port
    except ValueError:
        return None
    if not name or set(host) & set("@/?#<> "):
        return None
    return name.rstrip("."), port or _PORTS[scheme]


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name.split("%")[0])  # without the interface of an IPv6 address
    except ValueError:
        return None


class HostCheck:
    """Middleware: answers 403 to requests that ``refused_host`` or ``refused_origin`` refuses.

    It checks no Origin of reading requests, since a page of another site cannot read the answer.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        is_socket = scope["type"] == "websocket"
        address = _address((scope.get("server") or [""])[0])
        problem = refused_host(headers, over_loopback=address is not None and address.is_loopback)
        may_use_api = API_PATH in scope["path"] and headers.get("origin") in (api_origins(os.environ) or [])
        if is_socket or (scope["method"] not in ("GET", "HEAD", "OPTIONS") and not may_use_api):
            problem = problem or refused_origin(headers)
        if problem:
            _log.warning(problem)
            refusal = WebSocketClose(1008) if is_socket else PlainTextResponse(f"{problem}\n", 403)
            await refusal(scope, receive, send)
            return
        if is_socket and "origin" in headers:
            scope = {**scope, "headers": list(scope["headers"])}
            MutableHeaders(scope=scope)["origin"] = f"http://{headers['host']}"
        await self._app(scope, receive, send)
