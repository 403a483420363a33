"""One person's browser, as the server sees it: Streamlit's protocol over a websocket, and our editor's.

It types as the editor in assets/components/editor does: one request under way at a time, over a connection
that is kept, and the newest text goes with the next. After the last key the page is told. Nothing is drawn.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

EDITOR = "token_grove.editor"
_PATIENCE = 60.0  # seconds until the server has to answer


@dataclass
class Typed:
    """What came of some keys.

    Attributes:
        seconds: of each key, until an answer came that covers it.
        sizes: bytes of each answer, with all that is sent around it.
        lost: keys that no answer covered.
    """

    seconds: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    lost: int = 0


class Person:
    """A visitor on the playground.

    Args:
        address: of the server, as http://host:port, or with the path that it is below.
        source: the address of this machine that it connects from.
    """

    def __init__(self, address: str, *, source: str = "127.0.0.1") -> None:
        self.address = address
        self._source = (source, 0)
        self.text = ""
        self._socket: ClientConnection | None = None
        self._requests: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._holds: int | None = None  # the number of the newest answer that is here
        self._editor = self._fragment = self._page = ""
        self._data: dict[str, Any] = {}  # what the page gave to the editor

    async def open(self) -> float:
        """Open the playground; returns the seconds until its tokens are there."""
        began = time.perf_counter()
        place = urlsplit(self.address)
        self._socket = await connect(
            f"ws://{place.netloc}{place.path}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            origin=_origin(self.address),  # type: ignore[arg-type]
            max_size=None,
            compression=None,
            local_addr=self._source,
        )
        request = BackMsg()
        request.rerun_script.query_string = ""
        await self._socket.send(request.SerializeToString())
        await self._run_ends()
        await self.say()
        return time.perf_counter() - began

    async def close(self) -> None:
        """Leave, as a browser does whose tab is closed."""
        if self._requests is not None:
            self._requests[1].close()
        if self._socket is not None:
            await self._socket.close(code=1001)

    def cut(self) -> None:
        """Be gone without a word, as where a network fails."""
        if self._requests is not None:
            self._requests[1].close()
        if self._socket is not None:
            self._socket.transport.abort()

    async def ask_for(self, page: str, query: str) -> None:
        """Ask for a page; its answer is not waited for.

        Args:
            page: as the address names it.
            query: what follows the question mark of the address.
        """
        assert self._socket is not None
        request = BackMsg()
        request.rerun_script.page_name = page
        request.rerun_script.query_string = query
        await self._socket.send(request.SerializeToString())

    async def find_link(self, page: str, query: str) -> str:
        """Ask for a page, and return where its first link button leads."""
        await self.ask_for(page, query)
        assert self._socket is not None
        async with asyncio.timeout(_PATIENCE):
            while True:
                sent = ForwardMsg.FromString(await self._socket.recv(decode=False))
                if url := sent.delta.new_element.link_button.url:
                    return str(url)

    async def listen(self, seconds: float) -> None:
        """Read what comes, for so long."""
        assert self._socket is not None
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    await self._socket.recv(decode=False)

    async def say(self, **fields: Any) -> int:
        """Send a request of the editor, and wait for its answer; returns the bytes that came.

        Args:
            fields: what differs from the settings that the page gave: ``text``, ``encodings``, …
        """
        state = self._data["state"]
        version = max(state["versions"].values()) + 1
        state["fields"] |= fields
        state["versions"] |= dict.fromkeys(fields, version)
        request = {**state["fields"], "versions": state["versions"], "holds": self._holds}
        return await self._post("encode", json.dumps(request).encode())

    async def tell_page(self) -> None:
        """Tell the page, as the editor does when nobody has typed for a moment."""
        assert self._socket is not None
        request = BackMsg()
        request.rerun_script.page_script_hash = self._page
        request.rerun_script.fragment_id = self._fragment
        widget = request.rerun_script.widget_states.widgets.add()
        widget.id = f"$$STREAMLIT_INTERNAL_KEY_{self._editor}__events"
        widget.json_trigger_value = json.dumps([{"event": "event", "value": {"told": self._holds}}])
        await self._socket.send(request.SerializeToString())
        await self._run_ends()

    async def open_text(self, text: str) -> None:
        """Put a text in place of the one that is there, as the editor does with one that is long."""
        await self._post("text?do=paste", text.encode())
        for slow in (False, True):
            await self._post("encode", json.dumps({"slow": slow, "holds": self._holds}).encode())

    async def _post(self, path: str, body: bytes) -> int:
        """Send a request over the connection that is kept; returns the bytes that came."""
        place = urlsplit(self.address)
        for _ in range(2):  # the server ends a connection that was not used for some seconds
            if self._requests is None:
                self._requests = await asyncio.open_connection(
                    place.hostname, place.port, local_addr=self._source
                )
            reader, writer = self._requests
            try:
                writer.write(self._head(path, len(body)) + body)
                async with asyncio.timeout(_PATIENCE):
                    return await self._read_answer(reader)
            except (asyncio.IncompleteReadError, ConnectionError):
                writer.close()
                self._requests = None
        raise ConnectionError("The server answers no request.")

    def _head(self, path: str, n_bytes: int) -> bytes:
        """The head of a request of the editor with so many bytes."""
        place = urlsplit(self.address)
        return (
            f"POST {place.path}/{path} HTTP/1.1\r\nHost: {place.netloc}\r\n"
            f"Origin: {_origin(self.address)}\r\nContent-Length: {n_bytes}\r\n"
            f"Content-Type: application/json\r\nAccept: */*\r\n"
            f"Accept-Encoding: gzip, deflate\r\nGrove-Ticket: {self._data.get('ticket', '')}\r\n" + "\r\n"
        ).encode()

    async def _read_answer(self, reader: asyncio.StreamReader) -> int:
        head = await reader.readuntil(b"\r\n\r\n")
        status, *lines = head.decode("latin-1").lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines if line)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if " 200 " not in f"{status} ":
            raise ConnectionError(f"The server answers {status}.")
        body_in_full = gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
        if headers["content-type"] == "application/octet-stream":
            end = 4 + int.from_bytes(body_in_full[:4], "little")
            header = json.loads(body_in_full[4:end])
            self._holds = header["tag"]
            self._data["state"]["versions"] |= header["state"]["versions"]
        return len(head) + len(body)

    async def type_keys(self, keys: str, per_second: float, *, starts_at: float = 0.0) -> Typed:
        """Type into the middle of the text, at an even pace, whatever the server does.

        Args:
            keys: one after the other.
            per_second: of them.
            starts_at: the seconds of ``time.perf_counter`` at which the first one is typed.
        """
        typed, waiting = Typed(), []
        place = min(len(self.text) // 2, 400)
        times = [starts_at + number / per_second for number in range(len(keys))]
        done = 0
        while done < len(keys):
            await asyncio.sleep(max(0.0, times[done] - time.perf_counter()))
            while done < len(keys) and times[done] <= time.perf_counter():
                self.text = self.text[:place] + keys[done] + self.text[place:]
                waiting.append(times[done])
                place, done = place + 1, done + 1
            try:
                n_bytes = await self.say(text=self.text)
            except TimeoutError:
                typed.lost += len(waiting)
            else:
                now = time.perf_counter()
                typed.seconds += [now - begun for begun in waiting]
                typed.sizes.append(n_bytes)
            waiting.clear()
        await self.tell_page()
        return typed

    async def _run_ends(self) -> None:
        """Read what the server sends until the run that draws the editor has ended."""
        assert self._socket is not None
        is_there = False
        async with asyncio.timeout(_PATIENCE):
            while True:
                sent = ForwardMsg.FromString(await self._socket.recv(decode=False))
                component = sent.delta.new_element.bidi_component
                if sent.HasField("navigation"):
                    self._page = sent.navigation.page_script_hash
                elif sent.HasField("script_finished") and is_there:
                    return
                elif component.component_name == EDITOR:
                    is_there = True
                    self._editor, self._fragment = component.id, sent.delta.fragment_id
                    self._data = json.loads(component.json)


def _origin(address: str) -> str:
    return "{0.scheme}://{0.netloc}".format(urlsplit(address))
