"""A session ends some time after its browser has gone; until then the browser can come back to it."""

from __future__ import annotations

import weakref
from pathlib import Path

import pytest
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.server import ended_sessions
from pages.teaching.classroom import CLASSROOM
from pages.teaching.room import ClassPlan
from tests.loops import run
from tests.one_page import Browser, ask, open_page

PAGE = """
import threading
import streamlit as st
from pages.server.ended_sessions import follow_session
follow_session(st.session_state.setdefault("ended", threading.Event()).set)
"""


def is_there(runtime: Runtime, name: str) -> bool:
    return runtime._session_mgr.get_session_info(name) is not None


async def visit(page: Path, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether a session is there: after a cut, after its browser came back, and after it stayed away."""
    there: list[bool] = []
    async with open_page(page, Browser()) as (runtime, name, session):
        uploads = runtime.uploaded_file_mgr
        assert isinstance(uploads, MemoryUploadedFileManager)
        runtime.handle_backmsg(name, ask())
        await session.wait_until_settled()
        uploads.add_file(name, UploadedFileRec("1", "a.txt", "text/plain", b"a"))
        runtime.disconnect_session(name)
        room = CLASSROOM.open(ClassPlan("A class that nobody asks for any more", [], ""))
        room.end()
        left = weakref.ref(room)
        del room
        ended_sessions.end_old_sessions()
        assert left() is None
        there.append(is_there(runtime, name))
        assert runtime.connect_session(Browser(), {}, name) == name
        monkeypatch.setattr(ended_sessions, "LOOK", 1e9)  # so long before Streamlit forgets it
        ended_sessions.end_old_sessions()
        there.append(is_there(runtime, name))
        assert not session.session_state["ended"].is_set()
        runtime.disconnect_session(name)
        ended_sessions.end_old_sessions()
        there.append(is_there(runtime, name))
        assert not uploads.file_storage.get(name), "its uploads are gone"
        assert session.session_state["ended"].is_set(), "Streamlit refers to its last session for long"
    return there


def test_a_session_ends_when_its_browser_stays_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.py"
    page.write_text(PAGE, "utf-8")
    monkeypatch.setattr(ended_sessions, "_seen_at", {})
    assert run(visit(page, monkeypatch)) == [True, True, False]
    assert not ended_sessions._seen_at
