"""How many browser tabs may be open at a time: in all, and from one address.

A tab is one WebSocket connection. If there are too many, a tab gets a page that says so in place of the app,
and tries again by itself; its connection is refused. A place is free again as soon as a tab is closed.

So a stranger could open one tab after the other, each for a moment: a new session takes the server some
hundredths of a second, and its page a tenth. An address may therefore open so many at once, and then some
more each second.
"""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Callable, Iterable

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from pages.server.allowance import Allowances
from pages.server.open_files import visitors_for
from pages.server.refusals import Code
from pages.server.who_may_ask import as_address
from tokenizers import limits

MAX_TABS = limits.SESSIONS
_most_by_files = MAX_TABS  # as many as the open files of this process are enough for
MAX_TABS_OF_ADDRESS = 120
PROXIES = 0

OPENED_AT_ONCE, OPENED_A_SECOND = 2 * MAX_TABS_OF_ADDRESS, max(1.0, MAX_TABS_OF_ADDRESS / 30)
"""Tabs that an address may open at once, and how many more each second: a class opens the app, and loads it
again."""

SECONDS = 5
"""After so many seconds, a page that says that there is no room tries again."""

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="{seconds}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Token Grove is full</title>
<main style="font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.2rem">
<h1 style="font-size: 1.5rem">Token Grove is full at the moment</h1><p>{reason}</p>
<p>This page tries again by itself every {seconds} seconds.</p></main></html>
"""


def address_of(client: str | None, forwarded: str, proxies: int) -> str:
    """The address that a connection counts for; empty: nobody knows it, so it counts for none.

    Args:
        client: the other end of the connection. (Of a proxy on this machine, uvicorn puts what it added to
            X-Forwarded-For in its place.)
        forwarded: X-Forwarded-For. A visitor can write it, too; each proxy adds at its end whom it serves.
        proxies: how many of these additions are by proxies of one's own.

    >>> address_of("203.0.113.9", "", 0), address_of("203.0.113.9", "198.51.100.1", 0)
    ('203.0.113.9', '203.0.113.9')
    >>> address_of("10.0.0.2", "6.6.6.6, 198.51.100.7", 1), address_of("10.0.0.2", "", 1)
    ('198.51.100.7', '10.0.0.2')

    Whoever has one IPv6 address has a whole network of them:

    >>> address_of("2001:db8:1:2:3:4:5:6", "", 0), address_of("::ffff:203.0.113.9", "", 0)
    ('2001:db8:1:2::', '203.0.113.9')

    This machine's own address is that of a person who sits there, or of a proxy that says nothing:

    >>> address_of("127.0.0.1", "", 0), address_of(None, "", 0)
    ('', '')
    """
    addresses = [part.strip() for part in forwarded.split(",") if part.strip()]
    name = addresses[-proxies] if 0 < proxies <= len(addresses) else client or ""
    address = as_address(name.strip("[]"))
    if address is None or address.is_loopback:
        return ""
    if address.version == 6:
        return str(ipaddress.ip_network((address, 64), strict=False).network_address)
    return str(address)


def address_of_scope(scope: Scope) -> str:
    """The address that a request or a connection counts for, as ``address_of`` has it."""
    client = scope.get("client")
    return address_behind(client[0] if client else None, Headers(scope=scope).getlist("x-forwarded-for"))


def address_behind(client: str | None, forwarded: Iterable[str]) -> str:
    """The address that a connection counts for, as ``address_of`` has it, behind the proxies that there are.

    Args:
        client: who made the connection.
        forwarded: every line of X-Forwarded-For. A proxy may add its own below the visitor's (HAProxy does).
    """
    return address_of(client, ", ".join(forwarded), PROXIES)


def bound_by_files(files: int | None) -> None:
    """Let in no more tabs than the files suffice for that this process may hold open; None: nobody knows."""
    global _most_by_files
    _most_by_files = visitors_for(files) if files is not None else MAX_TABS


class LimitedVisitors:
    """Middleware around the app: no more tabs than the limits say.

    Args:
        app: the app.
        clock: seconds that only rise.
    """

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app = app
        self._openings = Allowances(OPENED_AT_ONCE, OPENED_A_SECOND, clock)
        self._tabs: Counter[str] = Counter()  # open, by address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what there is room for."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        if scope["type"] == "http":
            is_page = scope["method"] == "GET" and "text/html" in Headers(scope=scope).get("accept", "")
            reason = self.why_full(address_of_scope(scope)) if is_page else ""
            if reason:
                text = _PAGE.format(reason=reason, seconds=SECONDS)
                page = HTMLResponse(text, 503, {"Retry-After": str(SECONDS)})
                await page(scope, receive, send)
                return
            await self._app(scope, receive, send)
            return
        address = address_of_scope(scope)
        if self.why_full(address):
            await send({"type": "websocket.close", "code": Code.NO_ROOM})
            return
        self._tabs[address] += 1
        if address:
            self._openings.take(address)
        try:
            await self._app(scope, receive, send)
        finally:
            self._tabs[address] -= 1
            if not self._tabs[address]:
                del self._tabs[address]

    def why_full(self, address: str) -> str:
        """Why there is no room for one more tab from this address, as a sentence; empty: there is."""
        if address and self._tabs[address] >= MAX_TABS_OF_ADDRESS:
            return (
                f"{MAX_TABS_OF_ADDRESS} of its tabs are open at your network’s address, and it takes no more "
                "from one: close one that you do not need."
            )
        if address and self._openings.left(address) < 1:
            return "Very many of its tabs were opened at your network’s address within a minute."
        most = min(MAX_TABS, _most_by_files)
        if self._tabs.total() >= most:
            return f"{most} of its tabs are open, and this server takes no more at a time."
        return ""
