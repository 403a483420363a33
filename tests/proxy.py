"""A proxy between browser and server."""

from __future__ import annotations

import select
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from tests.browser import HOST


class Proxy(socketserver.ThreadingTCPServer):
    """A TCP proxy to the server, which can refuse WebSockets.

    Args:
        port: of the server.
        prefix: what it takes away from the path of each request; one without it is not answered.
    """

    daemon_threads = True

    def __init__(self, port: int, prefix: bytes = b"") -> None:
        super().__init__((HOST, 0), _Connection)
        self.port = port
        self.prefix = prefix
        self.allows_websockets = True
        self.address = f"http://{HOST}:{self.server_address[1]}"


class _Connection(socketserver.BaseRequestHandler):
    """A browser's connection, and one to the server."""

    request: socket.socket
    server: Proxy

    def handle(self) -> None:
        client = self.request
        with socket.create_connection((HOST, self.server.port)) as server:
            ends = {client: server, server: client}
            with suppress(OSError):  # one side is gone
                if self.server.prefix and not self._hand_on_request(server):
                    return
                while True:
                    for ready in select.select([client, server], [], [])[0]:
                        data = ready.recv(1 << 16)
                        is_websocket = ready is client and b"upgrade: websocket" in data[:4000].lower()
                        if not data or (is_websocket and not self.server.allows_websockets):
                            return
                        ends[ready].sendall(data)

    def _hand_on_request(self, server: socket.socket) -> bool:
        """Hand on the one request of a connection without the prefix; False: it has none."""
        prefix = self.server.prefix
        method, path, rest = self.request.recv(1 << 16).split(b" ", 2)
        rest = rest.replace(b"Connection: keep-alive", b"Connection: close")
        server.sendall(b" ".join((method, path.removeprefix(prefix), rest)))
        return path.startswith(prefix + b"/")


@contextmanager
def proxy_to(server: str, prefix: bytes = b"") -> Iterator[Proxy]:
    with Proxy(urlsplit(server).port or 80, prefix) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
