"""The network between browser and server: cut while somebody types, and one without WebSockets."""

from __future__ import annotations

import re
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.browser import HOST, expect, visitor, watched_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


class Proxy:
    """A TCP proxy to the server, whose connections can be cut, or which can refuse WebSockets."""

    def __init__(self, port: int) -> None:
        self.port, self.is_cut, self.allows_websockets = port, False, True
        self._sockets: set[socket.socket] = set()
        self._listener = socket.create_server((HOST, 0))
        self.address = f"http://{HOST}:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def cut(self) -> None:
        """End all connections, and take no new one until ``mend``."""
        self.is_cut = True
        for each in list(self._sockets):
            with suppress(OSError):  # it was closed meanwhile
                each.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self.is_cut = False

    def close(self) -> None:
        self._listener.close()

    def _listen(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._carry, args=[client], daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, socket.create_connection((HOST, self.port)) as server:
            ends = {client: server, server: client}
            self._sockets |= ends.keys()
            try:
                while not self.is_cut:
                    for ready in select.select([client, server], [], [], 0.2)[0]:
                        data = ready.recv(1 << 16)
                        is_websocket = ready is client and b"upgrade: websocket" in data[:4000].lower()
                        if not data or (is_websocket and not self.allows_websockets):
                            return
                        ends[ready].sendall(data)
            except OSError:
                pass  # one side is gone
            finally:
                self._sockets -= ends.keys()


@contextmanager
def proxy_to(server: str) -> Iterator[Proxy]:
    proxy = Proxy(urlsplit(server).port or 80)
    try:
        yield proxy
    finally:
        proxy.close()


def test_what_is_typed_while_the_connection_is_cut_is_counted_afterwards(
    browser: Browser, server: str
) -> None:
    with (
        proxy_to(server) as proxy,
        visitor(browser, proxy.address) as context,
        watched_page(context, expected="net::ERR_") as page,
    ):
        page.goto("/")
        field, counts = page.locator("textarea.input"), page.locator("output.counts")
        field.fill("before ")
        expect(counts).to_contain_text("7 bytes")
        proxy.cut()
        field.press("End")
        field.press_sequentially("during ")
        note = page.locator("#grove-lost")
        expect(note).to_contain_text("The connection to Token Grove’s server is lost")
        proxy.mend()
        field.press_sequentially("after")
        expect(field).to_have_value("before during after")
        expect(counts).to_contain_text("19 bytes")
        expect(note).to_have_count(0)
        page.wait_for_url(re.compile(r"\?s="))
        page.reload()
        expect(field).to_have_value("before during after")


def test_a_network_without_websockets_is_named(browser: Browser, server: str) -> None:
    with (
        proxy_to(server) as proxy,
        visitor(browser, proxy.address) as context,
        watched_page(context, expected="WebSocket") as page,
    ):
        proxy.allows_websockets = False
        page.goto("/")
        note = page.locator("#grove-waiting")
        expect(note).to_contain_text("your network does not let WebSockets through")
        proxy.allows_websockets = True
        expect(page.locator("textarea.input")).to_be_visible()
        expect(note).to_have_count(0)
