"""A proxy between browser and server."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from tests.browser import HOST


class Proxy:
    """A TCP proxy to the server, which can refuse WebSockets.

    Args:
        port: of the server.
        prefix: what it takes away from the path of each request; one without it is not answered.
    """

    def __init__(self, port: int, prefix: bytes = b"") -> None:
        self.port, self.prefix, self.allows_websockets = port, prefix, True
        self._listener = socket.create_server((HOST, 0))
        self.address = f"http://{HOST}:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

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
            with suppress(OSError):  # one side is gone
                if self.prefix and not self._hand_on_request(client, server):
                    return
                while True:
                    for ready in select.select([client, server], [], [])[0]:
                        data = ready.recv(1 << 16)
                        is_websocket = ready is client and b"upgrade: websocket" in data[:4000].lower()
                        if not data or (is_websocket and not self.allows_websockets):
                            return
                        ends[ready].sendall(data)

    def _hand_on_request(self, client: socket.socket, server: socket.socket) -> bool:
        """Hand on the one request of a connection without the prefix; False: it has none."""
        method, path, rest = client.recv(1 << 16).split(b" ", 2)
        rest = rest.replace(b"Connection: keep-alive", b"Connection: close")
        server.sendall(b" ".join((method, path.removeprefix(self.prefix), rest)))
        return path.startswith(self.prefix + b"/")


@contextmanager
def proxy_to(server: str, prefix: bytes = b"") -> Iterator[Proxy]:
    proxy = Proxy(urlsplit(server).port or 80, prefix)
    try:
        yield proxy
    finally:
        proxy.close()
