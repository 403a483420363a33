"""One person's browser, as the server sees it: Streamlit's protocol over a websocket, and our editor's.

It types as the editor in assets/components/editor does: one message under way at a time, and what was typed
meanwhile goes with the next. Nothing is drawn.
"""

from __future__ import annotations

import asyncio
import json
import time
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
        sizes: bytes of each answer, with all that Streamlit sends around it.
        lost: keys that no answer covered.
    """

    seconds: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    lost: int = 0


class Person:
    """A visitor on the playground.

    Args:
        address: of the server, as http://host:port.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self.text = ""
        self._socket: ClientConnection | None = None
        self._seq = 0
        self._holds: int | None = None  # the number of the newest answer that is here
        self._editor = self._fragment = self._page = ""
        self._header: dict[str, Any] = {}

    async def open(self) -> float:
        """Open the playground; returns the seconds until its editor is there."""
        began = time.perf_counter()
        place = urlsplit(self.address)
        self._socket = await connect(
            f"ws://{place.netloc}{place.path}/_stcore/stream",
            subprotocols=["streamlit"],  # type: ignore[list-item]
            origin=self.address,  # type: ignore[arg-type]
            max_size=None,
            compression=None,
        )
        request = BackMsg()
        request.rerun_script.query_string = ""
        await self._socket.send(request.SerializeToString())
        await self._answer(0)
        return time.perf_counter() - began

    async def close(self) -> None:
        """Leave, as a browser does whose tab is closed."""
        if self._socket is not None:
            await self._socket.close()

    async def say(self, **fields: Any) -> int:
        """Send one message of the editor, and wait for its answer; returns the bytes that came.

        Args:
            fields: what has changed, as ``conversation.js`` says it: ``text``, ``encodings``, …
        """
        assert self._socket is not None
        self._seq += 1
        settings = self._header["settings"]
        message = {"seq": self._seq, "revision": self._header["revision"], "holds": self._holds, "page": 0}
        request = BackMsg()
        request.rerun_script.page_script_hash = self._page
        request.rerun_script.fragment_id = self._fragment
        widget = request.rerun_script.widget_states.widgets.add()
        widget.id = self._editor
        widget.json_value = json.dumps({"message": {**settings, **message, **fields, "action": None}})
        await self._socket.send(request.SerializeToString())
        return await self._answer(self._seq)

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
                typed.sizes.append(await self.say(text=self.text))
            except TimeoutError:
                typed.lost += len(waiting)
            else:
                now = time.perf_counter()
                typed.seconds += [now - begun for begun in waiting]
            waiting.clear()
        return typed

    async def _answer(self, seq: int) -> int:
        """Read what the server sends until the run that answers this message has ended; returns its bytes."""
        assert self._socket is not None
        n_bytes, is_there = 0, False
        async with asyncio.timeout(_PATIENCE):
            while True:
                data = await self._socket.recv(decode=False)
                n_bytes += len(data)
                sent = ForwardMsg.FromString(data)
                if sent.HasField("navigation"):
                    self._page = sent.navigation.page_script_hash
                elif sent.HasField("script_finished"):
                    if is_there:
                        return n_bytes
                elif sent.delta.new_element.bidi_component.component_name == EDITOR:
                    is_there |= self._read(sent, seq)

    def _read(self, sent: ForwardMsg, seq: int) -> bool:
        """Take over what the editor is sent; whether it answers this message."""
        self._fragment = sent.delta.fragment_id
        component = sent.delta.new_element.bidi_component
        self._editor = component.id
        end = 4 + int.from_bytes(component.bytes[:4], "little")
        header = json.loads(component.bytes[4:end])
        self._holds = header["number"]
        changes = header["change"]["~"]  # pages/shared/wire.py
        for key in ("seq", "revision"):
            if key in changes:
                self._header[key] = changes[key]["="]
        if "settings" in changes:
            settings = changes["settings"]
            self._header["settings"] = settings.get("=") or {
                **self._header["settings"],
                **{key: change["="] for key, change in settings["~"].items()},
            }
        answered: int = self._header["seq"]
        self._seq = max(self._seq, answered)
        return answered >= seq
