"""Who may ask this server: the name in the address (Host), and the page that opens a connection (Origin).

Both are looked at before Streamlit sees a request. Streamlit's own check of a foreign Origin asks an outside
host for this machine's address, and nobody is served meanwhile.

**Origin.** A page may open a connection to the server that it came from, and to no other one. Behind a proxy
that changes the Host, the name that the browser asked for is in ``X-Forwarded-Host``. It may be believed: no
page of another site can set a header of a WebSocket handshake, nor this one of another request without being
asked first, which this server does not allow.

**Host.** A page of another site can let its own name point at this machine (DNS rebinding). Then it is the
same origin to a browser, and could use what only this machine offers. Its name in Host shows it. So a
connection to the loopback address is taken for an IP address (rebinding needs a name), for a name that no
stranger can register (``localhost``, names without a dot, ``.local`` and the like), and for names that
whoever runs the server allows. A public name is taken there if a proxy says that it passed the request on,
which a page cannot say in a handshake. Connections that come over the network are taken under any name:
nobody knows under which a container, a Space or a laptop in a class is reached, and they offer no more than
to anyone. With ``TOKEN_GROVE_HOSTS`` set, its names are the only public ones, whatever the connection.
"""

from __future__ import annotations

import fnmatch
import functools
import ipaddress
import logging
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config

from pages.server.refusals import Code

VARIABLE = "TOKEN_GROVE_HOSTS"
"""Names under which the server is reached, with commas between; ``*.school.example`` is all below it."""

_log = logging.getLogger(__name__)
_MOST_LOGGED = 20  # refusals: whoever is refused must not be able to fill the log

# No stranger's page can have such a name: RFC 6761, 6762, 8375, and .internal, which ICANN keeps for this.
_LOCAL_ENDINGS = (".localhost", ".local", ".internal", ".home.arpa", ".lan")
# What proxies add, and a page cannot add to a WebSocket handshake.
_OF_PROXIES = ("x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "forwarded", "via")
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_READS = ("GET", "HEAD", "OPTIONS")
# A route that takes any prefix looks at each place of a path, and at a line end in it, from each place anew.
_LONGEST_PATH = 2_000
_LONGEST_NAME = 300  # of a host with its port; DNS has 253
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_NAME = re.compile(r"[a-z0-9._-]{1,253}")


@dataclass(frozen=True)
class Allowed:
    """What the host of a server allows, all names in small letters.

    Attributes:
        hosts: names under which it is reached, besides those that are always taken.
        origins: names of other sites whose pages may open a connection.
        hosts_alone: whether no other public name is taken.
        any_origin: whether pages of every site may.
    """

    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    hosts_alone: bool = False
    any_origin: bool = False


def read_allowed(variables: Mapping[str, str]) -> Allowed:
    """What the environment and Streamlit's configuration allow now.

    >>> read_allowed({"TOKEN_GROVE_HOSTS": "Grove.School.example, *.lab.example"}).hosts[:2]
    ('grove.school.example', '*.lab.example')
    """
    return _read_allowed(
        variables.get(VARIABLE, ""),
        tuple(config.get_option("server.allowedHosts") or ()),
        config.get_option("browser.serverAddress") or "",
        tuple(config.get_option("server.corsAllowedOrigins") or ()),
        not config.get_option("server.enableCORS"),
    )


@functools.lru_cache(16)
def _read_allowed(
    variable: str, allowed_hosts: tuple[str, ...], address: str, origins: tuple[str, ...], any_origin: bool
) -> Allowed:
    named, configured = _as_names(variable.split(",")), _as_names(allowed_hosts)
    return Allowed(
        # "localhost" is in our own config.toml. It always names this server, but not on other ports.
        hosts=(*named, *configured, *_as_names([address] if address != "localhost" else [])),
        origins=_as_names(origins),
        hosts_alone=bool(named or configured),
        any_origin=any_origin,
    )


def _as_names(written: Iterable[str]) -> tuple[str, ...]:
    """Names without scheme, port and path, however they were written.

    >>> _as_names(["https://a.example:8443/x", "B.example.", " ", "*.c.example:80"])
    ('a.example', 'b.example', '*.c.example')
    """
    bare = (re.sub(r"^\w+://", "", each.strip().lower()) for each in written)
    names = (re.sub(r":\d*$", "", re.split(r"[/?#]", each)[0]).rstrip(".") for each in bare)
    return tuple(filter(None, names))


def _split_host(host: str) -> tuple[str, int | None] | None:
    """Name and port of a Host header; None: it is none.

    >>> _split_host("LocalHost:8501"), _split_host("[::1]"), _split_host("a@b"), _split_host("a:99999")
    (('localhost', 8501), ('::1', None), None, None)
    """
    return _split_name(host) if len(host) <= _LONGEST_NAME else None


@functools.lru_cache(1_000)  # a browser has the same one in each request
def _split_name(host: str) -> tuple[str, int | None] | None:
    try:
        parts = urlsplit(f"//{host.strip()}")
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or set(host) & set("@/?#"):
        return None
    name = name.lower().rstrip(".")
    return (name, port) if _NAME.fullmatch(name) or as_address(name) else None


def as_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An IP address; None: the name is none. IPv4 addresses that are written as IPv6 are IPv4.

    >>> as_address("::ffff:203.0.113.9"), as_address("grove.example")
    (IPv4Address('203.0.113.9'), None)
    """
    return _as_address(name) if len(name) <= _LONGEST_NAME else None


@functools.lru_cache(1_000)
def _as_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_one_of(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def refused_host(headers: Headers, allowed: Allowed, *, over_loopback: bool) -> str:
    """Why a request under this name is not answered; empty: it is.

    Args:
        headers: of the request.
        allowed: by the host of the server.
        over_loopback: whether it came to an address that only this machine reaches.

    >>> def ask(host, allowed=Allowed(), over_loopback=True, **more):
    ...     return refused_host(Headers({"host": host, **more}), allowed, over_loopback=over_loopback)[:46]
    >>> ask("localhost:8501"), ask("192.168.1.7:8501"), ask("[::1]:8501"), ask("laptop.local")
    ('', '', '', '')
    >>> ask("evil.example:8501")
    'This server does not answer under the name “ev'
    >>> ask("grove.example", over_loopback=False), ask("grove.example", **{"x-forwarded-for": "203.0.113.9"})
    ('', '')
    >>> ask("evil.example", Allowed(("grove.example",), hosts_alone=True), over_loopback=False)
    'This server does not answer under the name “ev'
    """
    host = headers.get("host")
    if host is None:
        return ""  # no browser leaves it out
    split = _split_host(host)
    if split is None:
        return "The name in this request is none that a server can have."
    name = split[0]
    if as_address(name) or name == "localhost" or "." not in name or name.endswith(_LOCAL_ENDINGS):
        return ""
    if _is_one_of(name, allowed.hosts):
        return ""
    if not allowed.hosts_alone and not (over_loopback and not _is_passed_on(headers)):
        return ""
    return (
        f"This server does not answer under the name “{name}”. Whoever runs it can allow the name: "
        f"{VARIABLE}={name}"
    )


def refused_origin(headers: Headers, allowed: Allowed) -> str:
    """Why a page of this origin may not open a connection; empty: it may, or there is no page.

    >>> def ask(origin, host="localhost:8501", allowed=Allowed(), **more):
    ...     return refused_origin(Headers({"origin": origin, "host": host, **more}), allowed)[:21]
    >>> ask("http://localhost:8501"), ask("https://grove.example", "grove.example:443")
    ('', '')
    >>> ask("http://evil.example"), ask("null"), ask("http://localhost:3000")
    ('Pages of another site', 'Pages of another site', 'Pages of another site')
    >>> ask("https://grove.example", "127.0.0.1:8501", **{"x-forwarded-host": "grove.example"})
    ''
    >>> ask("https://grove.example", "127.0.0.1:8501", Allowed(("grove.example",)))
    ''
    """
    origin = headers.get("origin")
    if origin is None or allowed.any_origin:
        return ""
    scheme, _, rest = origin.strip().lower().partition("://")
    split = _split_host(rest) if scheme in _PORTS else None
    if split is not None:
        name, port = split[0], split[1] or _PORTS[scheme]
        asked = [headers.get("host", ""), *headers.get("x-forwarded-host", "").split(",")[:1]]
        for each in filter(None, map(_split_host, filter(None, asked))):
            if each[0] == name and (each[1] or _PORTS[scheme]) == port:
                return ""
        if _is_one_of(name, (*allowed.hosts, *allowed.origins)):
            return ""
    return (
        "Pages of another site may not connect to this server. If it stands behind a proxy, whoever runs it "
        f"can name the address that people open: {VARIABLE}=grove.school.example"
    )


class OnlyWhoMayAsk:
    """Middleware around the app: answers 403 to what ``refused_host`` and ``refused_origin`` refuse.

    A path that none of its addresses has is answered before any route is looked for. What Streamlit measures
    of all sessions is told on this machine alone.

    A request that only reads is not refused for its Origin: no page of another site can read the answer.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._logged: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what may ask."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        wrong = _wrong_path(scope["path"])
        if wrong is not None:
            await _refuse(wrong, "The server has no such address.", scope, receive, send)
            return
        headers, allowed = Headers(scope=scope), read_allowed(os.environ)
        if _asks_for_measurements(scope["path"]) and not _is_from_here(scope, headers):
            await _refuse(404, "The server has no such address.", scope, receive, send)
            return
        refused = refused_host(headers, allowed, over_loopback=_is_over_loopback(scope))
        if not refused and (scope["type"] == "websocket" or scope["method"] not in _READS):
            refused = refused_origin(headers, allowed)
        if not refused:
            await self._app(scope if allowed.any_origin else _without_doubt(scope, headers), receive, send)
            return
        self._log(refused)
        await _refuse(403, refused, scope, receive, send)

    def _log(self, refused: str) -> None:
        if refused not in self._logged and len(self._logged) < _MOST_LOGGED:
            self._logged.add(refused)
            _log.warning(refused)


async def _refuse(status: int, sentence: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": Code.REFUSED})  # before it is accepted: 403
    else:
        await PlainTextResponse(sentence + "\n", status)(scope, receive, send)


def _wrong_path(path: str) -> int | None:
    """The status for a path that no address of ours has; None: it may be one.

    >>> _wrong_path("/train"), _wrong_path("/" * 2_001), _wrong_path("/train\\n")
    (None, 414, 400)
    """
    if len(path) > _LONGEST_PATH:
        return 414
    return 400 if _CONTROL.search(path) else None


def _asks_for_measurements(path: str) -> bool:
    """Whether a path is that of Streamlit's own measurements, which weigh all that the sessions keep.

    >>> _asks_for_measurements("/grove/_stcore/metrics"), _asks_for_measurements("/_stcore/health")
    (True, False)
    """
    return path.rstrip("/").endswith("/_stcore/metrics")


def _is_from_here(scope: Scope, headers: Headers) -> bool:
    """Whether whoever runs the server asks, on its own machine."""
    return _is_over_loopback(scope) and not _is_passed_on(headers)


def _is_passed_on(headers: Headers) -> bool:
    """Whether a proxy says that it passed the request on."""
    return any(each in headers for each in _OF_PROXIES)


def _is_over_loopback(scope: Scope) -> bool:
    """Whether the connection came to an address that only this machine reaches."""
    server = scope.get("server")
    address = as_address(str(server[0]).split("%")[0]) if server else None
    return address is not None and address.is_loopback


def _without_doubt(scope: Scope, headers: Headers) -> Scope:
    """The request as Streamlit is to see it: where its own check would ask outside, with its own Origin."""
    origin, host = headers.get("origin"), headers.get("host")
    if scope["type"] != "websocket" or origin is None or urlsplit(origin).netloc == host:
        return scope
    own = f"{urlsplit(origin).scheme}://{host}".encode("latin-1")
    return {
        **scope,
        "headers": [(name, own if name.lower() == b"origin" else value) for name, value in scope["headers"]],
    }
