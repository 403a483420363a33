"""One person's browser, as the server sees it: Streamlit's protocol over a websocket, and our editor's.

It types as the editor in assets/components/editor does: one request under way at a time, over a connection
that is kept, and the newest text goes with the next. Nothing is drawn.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import httpx2
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

EDITOR = "token_grove.editor"
KEYS = "the quick brown fox jumps over the lazy dog "
_PATIENCE = 60.0  # seconds until the server has to answer


class Person:
    """A visitor on the playground.

    Args:
        address: of the server, as http://host:port, or with the path that it is below.
        source: the address of this machine that it connects from.
    """

    def __init__(self, address: str, *, source: str = "127.0.0.1") -> None:
        place = urlsplit(address)
        self.text = ""
        self._origin = f"{place.scheme}://{place.netloc}"
        self._socket_url = f"ws://{place.netloc}{place.path}/_stcore/stream"
        self._source = source
        self._socket: Any = None  # websockets' connection, once there is one
        self._requests = httpx2.AsyncClient(
            base_url=address,
            headers={"Origin": self._origin},
            # Without TLS's certificates, whose reading takes longer than to open a page.
            transport=httpx2.AsyncHTTPTransport(local_address=source, verify=False),
            timeout=_PATIENCE,
        )
        self._answer_tag: int | None = None  # the number of the newest answer that is here
        self._data: dict[str, Any] = {}  # what the page gave to the editor

    async def open(self) -> None:
        """Open the playground, until its tokens are there."""
        self._socket = await connect(
            self._socket_url,
            subprotocols=["streamlit"],  # type: ignore[list-item]
            origin=self._origin,  # type: ignore[arg-type]
            max_size=None,
            compression=None,
            local_addr=(self._source, 0),
        )
        await self.ask_for("", "")
        await self._wait_for_editor()
        await self.say()

    async def close(self) -> None:
        """Be gone without a word, as where a network fails."""
        await self._requests.aclose()
        if self._socket is not None:
            self._socket.transport.abort()

    async def ask_for(self, page: str, query: str) -> None:
        """Ask for a page; its answer is not waited for.

        Args:
            page: as the address names it.
            query: what follows the question mark of the address.
        """
        request = BackMsg()
        request.rerun_script.page_name = page
        request.rerun_script.query_string = query
        await self._socket.send(request.SerializeToString())

    async def listen(self, seconds: float) -> None:
        """Read what comes, for so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    await self._socket.recv(decode=False)

    async def say(self, **fields: Any) -> None:
        """Send a request of the editor, and wait for its answer.

        Args:
            fields: what differs from the settings that the page gave: ``text``, ``encodings``, …
        """
        state = self._data["state"]
        version = max(state["versions"].values()) + 1
        state["fields"] |= fields
        state["versions"] |= dict.fromkeys(fields, version)
        await self._encode({**state["fields"], "versions": state["versions"]})

    async def open_text(self, text: str) -> None:
        """Put a text in place of the one that is there, as the editor does with one that is long."""
        await self._post("text?do=paste", text.encode())
        for slow in (False, True):
            await self._encode({"slow": slow})

    async def type_keys(self, n_keys: int, per_second: float, starts_at: float) -> list[float]:
        """Type into the middle of the text, at an even pace, whatever the server does.

        Args:
            n_keys: how many.
            per_second: of them.
            starts_at: the seconds of ``time.perf_counter`` at which the first one is typed.

        Returns:
            The seconds of each key, until an answer came that covers it.
        """
        letters = itertools.cycle(KEYS)
        place = min(len(self.text) // 2, 400)
        due = [starts_at + number / per_second for number in range(n_keys)]
        seconds: list[float] = []
        while len(seconds) < n_keys:
            await asyncio.sleep(due[len(seconds)] - time.perf_counter())
            now = time.perf_counter()
            typed = [at for at in due[len(seconds) :] if at <= now]
            new = "".join(itertools.islice(letters, len(typed)))
            self.text = self.text[:place] + new + self.text[place:]
            place += len(new)
            await self.say(text=self.text)
            seconds += [time.perf_counter() - at for at in typed]
        return seconds

    async def _encode(self, request: dict[str, Any]) -> None:
        """Send a request, and keep what its answer says of the state."""
        answer = await self._post("encode", json.dumps({**request, "holds": self._answer_tag}).encode())
        if answer.headers["content-type"] == "application/octet-stream":
            end = 4 + int.from_bytes(answer.content[:4], "little")
            header = json.loads(answer.content[4:end])
            self._answer_tag = header["tag"]
            self._data["state"]["versions"] |= header["state"]["versions"]

    async def _post(self, path: str, body: bytes) -> httpx2.Response:
        headers = {"Grove-Ticket": self._data["ticket"], "Content-Type": "application/json"}
        answer = await self._requests.post(path, content=body, headers=headers)
        return answer.raise_for_status()

    async def _wait_for_editor(self) -> None:
        """Read what the server sends until the page has given something to the editor."""
        async with asyncio.timeout(_PATIENCE):
            while not self._data:
                sent = ForwardMsg.FromString(await self._socket.recv(decode=False))
                component = sent.delta.new_element.bidi_component
                if component.component_name == EDITOR:
                    self._data = json.loads(component.json)
