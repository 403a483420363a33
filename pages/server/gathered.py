"""An answer of the server that is changed as a whole on its way to the browser."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.types import Message, Send


def gather(
    send: Send, is_wanted: Callable[[Message], bool], finish: Callable[[Message, bytes], Awaitable[None]]
) -> Send:
    """What middleware hands on in place of ``send``: all answers are passed on but those that are wanted.

    Args:
        send: passes a message on.
        is_wanted: whether an answer is, by the message that it starts with.
        finish: is given that message, and the whole body once it is there; it sends what is to be sent.
    """
    start: Message | None = None
    parts: list[bytes] = []

    async def send_or_keep(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start" and is_wanted(message):
            start = message
        elif start is None or message["type"] != "http.response.body":
            await send(message)
        else:
            parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                await finish(start, b"".join(parts))

    return send_or_keep
