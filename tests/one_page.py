"""A server of one page in this process: what its runs send to a browser, without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime, RuntimeConfig
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager

from tests.loops import run

_PATIENCE = 120.0  # seconds; a run that fails in an unforeseen way never settles


class Browser:
    """What reaches a browser."""

    client_context = None

    def __init__(self) -> None:
        self.messages: list[ForwardMsg] = []

    def write_forward_msg(self, message: ForwardMsg) -> None:
        self.messages.append(message)

    def lines(self) -> list[str]:
        return [m.delta.new_element.text.body for m in self.messages if m.delta.new_element.HasField("text")]

    def ends(self) -> list[int]:
        return [m.script_finished for m in self.messages if m.HasField("script_finished")]

    def part(self) -> str:
        """The name of the page's fragment."""
        return next(m.delta.fragment_id for m in self.messages if m.delta.fragment_id)


def ask(part: str = "") -> BackMsg:
    message = BackMsg()
    message.rerun_script.fragment_id = part
    return message


@asynccontextmanager
async def open_page(page: Path, browser: Browser) -> AsyncIterator[tuple[Runtime, str, AppSession]]:
    """A server of this page alone, the name of the browser's session there, and the session."""
    config = RuntimeConfig(str(page), MemoryMediaFileStorage("/media"), MemoryUploadedFileManager("/upload"))
    runtime = Runtime(config)
    try:
        await runtime.start()
        name = runtime.connect_session(browser, {})
        session = runtime.get_app_session(name)
        assert session is not None
        session.track_settling()
        yield runtime, name, session
        runtime.stop()
        await runtime.stopped
    finally:
        Runtime._instance = None


def ask_for_part_as_run_ends(page: Path, browser: Browser) -> list[ForwardMsg]:
    """Run the page twice; as the second run ends, and before anything of it is heard, ask for its first part.

    Returns what the first run said; the browser has what came after it.
    """

    async def visit() -> list[ForwardMsg]:
        async with asyncio.timeout(_PATIENCE), open_page(page, browser) as (runtime, name, session):
            runtime.handle_backmsg(name, ask())
            await session.wait_until_settled()
            first, part = browser.messages, browser.part()
            browser.messages = []
            for asked in (ask(), ask(part)):
                runtime.handle_backmsg(name, asked)
                assert session._scriptrunner is not None and session._scriptrunner._script_thread is not None
                session._scriptrunner._script_thread.join()  # this loop, which would hear it, stands still
            await session.wait_until_settled()
            return first

    return run(visit())
