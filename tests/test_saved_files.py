"""A file that a person saves reaches the browser, whatever runs meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import memory_media_file_storage
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from pages.server import saved_files

PATCHED = [
    (AppSession, "_clear_queue"),
    (AppSession, "shutdown"),
    (MediaFileManager, "_get_inactive_file_ids"),
    (MediaFileManager, "_remove_orphaned_deferred_callables"),
    (memory_media_file_storage, "_calculate_file_id"),
]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Iterator[MediaFileManager]:
    """A server's files; what is patched for them is put back after the test."""
    for owner, name in PATCHED:
        monkeypatch.setattr(owner, name, getattr(owner, name))
    saved_files.keep_saved_files()
    manager = MediaFileManager(MemoryMediaFileStorage("/media"))
    yield manager
    waiting = saved_files._waiting.pop(manager, None)
    if waiting is not None and waiting._timer is not None:
        waiting._timer.cancel()


def offer(files: MediaFileManager, data: bytes, place: str = "1.0") -> str:
    """A run draws a button that saves these bytes."""
    return files.add_deferred(lambda: data, "text/csv", place, "a.csv")


def fetch(files: MediaFileManager, address: str) -> bytes:
    storage = files._storage
    assert isinstance(storage, MemoryMediaFileStorage)
    return storage.get_file(address.removeprefix("/media/")).content


def end_runs(files: MediaFileManager, times: int = 3) -> None:
    """Runs of others end."""
    for _ in range(times):
        files.remove_orphaned_files()


def test_a_file_waits_for_its_browser_while_others_run(files: MediaFileManager) -> None:
    address = files.execute_deferred(offer(files, b"mine"))
    end_runs(files)
    assert fetch(files, address) == b"mine"


def test_what_was_not_fetched_goes(files: MediaFileManager, monkeypatch: pytest.MonkeyPatch) -> None:
    button = offer(files, b"mine")
    address = files.execute_deferred(button)
    files.clear_session_refs("dontcare")
    end_runs(files)
    monkeypatch.setattr(saved_files, "FETCHED_WITHIN", 0.0)
    end_runs(files)
    with pytest.raises(MediaFileStorageError):
        fetch(files, address)
    assert not files._deferred_callables and not files._file_metadata


def test_what_was_not_fetched_goes_though_no_page_runs_any_more(
    files: MediaFileManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_files, "FETCHED_WITHIN", -1.0)  # the timer goes off at once
    files.execute_deferred(offer(files, b"mine"))
    files.clear_session_refs("dontcare")
    files.remove_orphaned_files()  # the last run's
    for _ in range(2):
        timer = saved_files._waiting[files]._timer
        if timer is not None:
            timer.join()
    assert not files._deferred_callables and not files._file_metadata


def test_what_makes_files_goes_with_its_session(
    files: MediaFileManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_files, "exists", lambda: True)
    monkeypatch.setattr(saved_files, "get_instance", lambda: SimpleNamespace(media_file_mgr=files))
    monkeypatch.setattr(saved_files, "_shut_down", lambda session: None)
    offer(files, b"mine")
    ended: Any = SimpleNamespace(id="somebody else's")
    AppSession.shutdown(ended)
    assert files._deferred_callables
    ended.id = "dontcare"  # the session of a run outside a server
    AppSession.shutdown(ended)
    assert not files._deferred_callables


def test_a_button_that_was_drawn_anew_as_it_was_pressed_saves_its_file(files: MediaFileManager) -> None:
    before = offer(files, b"before")
    offer(files, b"after")  # in the same place
    end_runs(files)
    assert fetch(files, files.execute_deferred(before)) == b"before"


def test_what_waits_is_bounded(files: MediaFileManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_files, "_MOST_WAITING", 25)
    monkeypatch.setattr(saved_files, "_MOST_MAKERS", 2)
    addresses = []
    for number in range(4):
        addresses.append(files.execute_deferred(offer(files, b"%010d" % number)))
        end_runs(files)
    assert len(files._deferred_callables) == 3  # the one on the page, and two
    kept = [
        address
        for address in addresses
        if address.removeprefix("/media/").split(".")[0] in files._file_metadata
    ]
    assert kept == addresses[-2:]


def test_two_long_files_that_differ_somewhere_are_two(files: MediaFileManager) -> None:
    """Streamlit compares their length, beginnings, middles and ends."""
    one = bytes(2 << 20)
    other = one[:700_000] + b"x" + one[700_001:]
    addresses = [
        files.execute_deferred(offer(files, data, place)) for data, place in ((one, "1"), (other, "2"))
    ]
    assert [fetch(files, address) for address in addresses] == [one, other]


def test_the_answer_to_who_saves_a_file_outlasts_the_start_of_a_run(files: MediaFileManager) -> None:
    queue = ForwardMsgQueue()
    session: Any = SimpleNamespace(_browser_queue=queue)
    answer, drawn = ForwardMsg(), ForwardMsg()
    answer.backend_operation_response.request_id = "mine"
    drawn.delta.new_element.text.body = "old"
    for message in (drawn, answer):
        queue.enqueue(message)
    for parts in (["part"], None, None):
        AppSession._clear_queue(session, parts)
        assert sum(message == answer for message in queue._queue) == 1
    assert queue.flush() == [answer]
