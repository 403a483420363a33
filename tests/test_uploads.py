"""Files that a browser uploads: how many a session may hold on the server, and for how long."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.routing import Router
from streamlit import config
from streamlit.elements.widgets import file_uploader
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Common_pb2 import FileUploaderState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_routes import create_upload_routes

from pages.server import messages, uploads
from pages.session.own_texts import OwnTexts
from pages.shared import own_texts
from tests.loops import run
from tokenizers import limits


class Sessions:
    """Which sessions the server knows: in place of its runtime."""

    def __init__(self) -> None:
        self.known = {"here"}
        self.uploaded_file_mgr = MemoryUploadedFileManager("")
        self._session_mgr = SimpleNamespace(get_session_info=lambda id_: id_ if id_ in self.known else None)

    def is_active_session(self, session: str) -> bool:
        return session in self.known


@pytest.fixture
def sessions(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sessions]:
    sessions = Sessions()
    before = config.get_option("server.maxUploadSize")
    monkeypatch.setattr(MemoryUploadedFileManager, "add_file", MemoryUploadedFileManager.add_file)
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    monkeypatch.setattr(uploads, "exists", lambda: True)
    monkeypatch.setattr(uploads, "get_instance", lambda: sessions)
    yield sessions
    config.set_option("server.maxUploadSize", before)


def put(
    manager: MemoryUploadedFileManager, sessions: Any, data: bytes, name: str = "1", *, leaves: bool = False
) -> int:
    """The status of an upload."""
    router = Router(create_upload_routes(sessions, manager, ""))
    body = (
        b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\n' + data + b"\r\n--x--\r\n"
    )
    sent: list[Any] = []

    async def receive() -> Any:
        if leaves:
            sessions.known.clear()
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", b"multipart/form-data; boundary=x"), (b"content-length", b"%d" % len(body))]
    token = generate_xsrf_token_string()
    headers += [(b"x-xsrftoken", token.encode()), (b"cookie", f"_streamlit_xsrf={token}".encode())]
    path = f"/_stcore/upload_file/here/{name}"
    scope = {"type": "http", "method": "PUT", "path": path, "headers": headers, "query_string": b""}
    run(_answer(router, scope, receive, send))
    return int(sent[0]["status"])


async def _answer(router: Router, scope: Any, receive: Any, send: Any) -> None:
    try:
        await router(scope, receive, send)
    except HTTPException as problem:  # which Starlette's own middleware turns into an answer
        await send({"status": problem.status_code})


def test_a_session_holds_a_bounded_number_of_files_and_bytes(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_SESSION_BYTES", 1_000)
    uploads.bound_uploads()
    manager = MemoryUploadedFileManager("")
    assert put(manager, sessions, b"a" * 900) == 204
    assert put(manager, sessions, b"a" * 200, "2") == 413
    assert put(manager, sessions, b"a" * 950) == 204  # the same file again
    manager.remove_session_files("here")
    for number in range(uploads.MAX_FILES):
        assert put(manager, sessions, b"", str(number)) == 204
    assert put(manager, sessions, b"", "one more") == 413
    assert len(manager.file_storage["here"]) == uploads.MAX_FILES


def test_what_a_session_is_just_sending_counts(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any of it is read: many files at once would all be in memory."""
    monkeypatch.setattr(uploads, "MAX_SESSION_BYTES", 10_000)
    sessions.uploaded_file_mgr = manager = MemoryUploadedFileManager("")
    manager.file_storage["here"]["old"] = UploadedFileRec("old", "old", "text/plain", b"a" * 5_000)
    reads: list[str] = []

    async def read_late(scope: Any, receive: Any, send: Any) -> None:
        reads.append(scope["path"])
        await asyncio.sleep(0)
        await PlainTextResponse("", 204)(scope, receive, send)

    async def ask(path: str, length: int) -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"content-length", b"%d" % length)]
        await app({"type": "http", "method": "PUT", "path": path, "headers": headers}, None, send)  # type: ignore[arg-type]
        return int(sent[0]["status"])

    async def ask_all(*lengths: int, session: str = "here") -> list[int]:
        path = f"/grove/_stcore/upload_file/{session}/"
        return await asyncio.gather(*(ask(f"{path}{number}", each) for number, each in enumerate(lengths)))

    app = uploads.BoundedUploads(read_late)
    assert run(ask_all(5_000, 5_000, 4_000)) == [204, 413, 413] and len(reads) == 1
    assert run(ask_all(5_000)) == [204]  # the others have come
    assert run(ask_all(*[0] * 250, session="another")).count(413) == 50
    assert run(ask("/_stcore/other", 10**9)) == 204
    assert not app._coming


def test_files_of_all_sessions_are_bounded_before_they_are_read(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By memory, and by a share of each address: both count what is just coming as if it were here."""
    sessions.uploaded_file_mgr = manager = MemoryUploadedFileManager("")
    room = SimpleNamespace(n_bytes=100_000)

    def check_room(n_bytes: int, what: str) -> None:
        if n_bytes > room.n_bytes:
            raise ValueError("The server is full.")

    async def read_late(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0)
        session, name = scope["path"].split("/")[-2:]
        n_bytes = int(dict(scope["headers"])[b"content-length"]) - 1_000
        manager.file_storage[session][name] = UploadedFileRec(name, name, "text/plain", b"a" * n_bytes)
        await PlainTextResponse("", 204)(scope, receive, send)

    async def ask(session: str, client: str, length: int) -> int:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "PUT",
            "path": f"/_stcore/upload_file/{session}/1",
            "headers": [(b"content-length", b"%d" % (length + 1_000))],
            "client": (client, 1),
        }
        await app(scope, None, send)  # type: ignore[arg-type]
        return int(sent[0]["status"])

    async def ask_all(*files: tuple[str, str, int]) -> list[int]:
        return await asyncio.gather(*(ask(*each) for each in files))

    one, other, this_machine = "203.0.113.9", "198.51.100.1", "127.0.0.1"
    monkeypatch.setattr(uploads, "check_room_of_all", check_room)
    monkeypatch.setattr(uploads, "MOST_OF_ADDRESS", 50_000)
    app = uploads.BoundedUploads(read_late)
    coming = [("a", one, 30_000), ("b", one, 30_000), ("c", other, 30_000), ("d", other, 20_000)]
    assert run(ask_all(*coming)) == [204, 413, 204, 204]
    assert run(ask_all(("e", one, 30_000), ("f", one, 20_000))) == [413, 204]
    manager.remove_session_files("a")
    assert run(ask_all(("e", one, 30_000))) == [204]
    assert set(app._addresses) == {"c", "d", "e", "f"}
    assert run(ask_all(*[(str(each), this_machine, 40_000) for each in range(3)])) == [204, 204, 413]
    assert run(ask_all(*[(str(each), this_machine, 40_000) for each in range(2)])) == [204, 204]
    room.n_bytes = 0
    assert run(ask_all(("g", "192.0.2.1", 1))) == [413]


def test_where_nothing_fits_the_page_says_so_before_a_file_is_sent(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file that is refused once it is sent, the uploader says “status code 413” and no more."""

    def why(session: str = "here", n_files: int = 2) -> str:
        message = BackMsg()
        message.file_urls_request.request_id = "r"
        message.file_urls_request.session_id = session
        message.file_urls_request.file_names.extend("a.txt" for _ in range(n_files))
        coming = {"type": "websocket.receive", "bytes": message.SerializeToString()}
        answer, *_ = messages.CheckedMessages(PlainTextResponse(""))._check(coming, messages.Pace())
        if not answer:
            return ""
        response = ForwardMsg.FromString(answer).file_urls_response
        assert response.response_id == "r" and not response.file_urls
        return str(response.error_msg)

    def check_room(n_bytes: int, what: str) -> None:
        raise ValueError(f"No memory for {what}.")

    sessions.uploaded_file_mgr = manager = MemoryUploadedFileManager("")
    assert why() == ""
    for number in range(uploads.MAX_FILES - 1):
        manager.file_storage["here"][str(number)] = UploadedFileRec(str(number), "a", "text/plain", b"a")
    assert why(n_files=1) == "" and why("another") == ""
    assert why() == uploads._NO_ROOM
    monkeypatch.setattr(uploads, "MAX_SESSION_BYTES", uploads.MAX_FILES - 1)
    assert why(n_files=1) == uploads._NO_ROOM
    monkeypatch.setattr(uploads, "check_room_of_all", check_room)
    assert why("another") == "No memory for this file."


def test_a_session_sends_no_end_of_files_even_if_it_takes_each_over(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their names stay; beside them, as many may come at a time as in a fresh session."""
    uploads.bound_uploads()
    manager = MemoryUploadedFileManager("")
    context = SimpleNamespace(session_id="here", uploaded_file_mgr=manager)
    monkeypatch.setattr(uploads, "get_script_run_ctx", lambda **_: context)
    monkeypatch.setattr(uploads, "MAX_FILES", 3)
    monkeypatch.setattr(uploads, "MAX_NAMES", 8)
    for number in range(8):
        assert put(manager, sessions, b"a", str(number)) == 204
        uploads.empty_uploads([str(number)])
    assert put(manager, sessions, b"a", "one more") == 413
    assert put(manager, sessions, b"a", "7") == 204, "a name that is there already"


def test_a_file_that_does_not_say_its_length_counts_as_the_longest() -> None:
    longest = int(config.get_option("server.maxUploadSize")) << 20
    unsaid: list[dict[str, str]] = [
        {},
        {"content-length": "-5"},
        {"content-length": "9" * 16},
        {"content-length": "²"},
    ]
    for said in unsaid:
        assert uploads._announced(Headers(said)) == longest
    assert uploads._announced(Headers({"content-length": "5000"})) == 5_000 - uploads._AROUND


def test_a_file_whose_session_has_gone_meanwhile_is_dropped(sessions: Sessions) -> None:
    uploads.bound_uploads()
    manager = MemoryUploadedFileManager("")
    assert put(manager, sessions, b"a" * 100, leaves=True) == 400
    assert not manager.file_storage


def test_where_texts_may_be_shorter_the_longest_is_still_taken(
    sessions: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "TEXT_MB", 2)
    uploads.keep_uploads_in_memory()
    manager = MemoryUploadedFileManager("")
    assert put(manager, sessions, b"a" * (2 << 20)) == 204
    assert put(manager, sessions, b"a" * (4 << 20), "2") == 413


def test_what_was_taken_over_is_not_kept_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a browser that goes on listing the files does no harm."""
    manager, texts = MemoryUploadedFileManager(""), OwnTexts(lambda: "")
    states: dict[type, Any] = {}
    listed = FileUploaderState()
    page = SimpleNamespace(session_state={})
    context = SimpleNamespace(session_id="here", uploaded_file_mgr=manager)
    for module in (uploads, file_uploader):
        monkeypatch.setattr(module, "get_script_run_ctx", lambda **_: context)
    monkeypatch.setattr(own_texts, "st", page)
    monkeypatch.setattr(own_texts, "get_state", lambda kind: states.setdefault(kind, kind()))
    monkeypatch.setattr(own_texts, "own_texts", lambda: texts)
    chosen: list[str] = []

    def bring(name: str, data: bytes) -> None:
        manager.add_file("here", UploadedFileRec(name, name, "text/plain", data))
        listed.uploaded_file_info.add(file_id=name, name=name, size=len(data))
        speak_up()

    def speak_up() -> None:
        value = file_uploader.FileUploaderSerde(True).deserialize(listed)
        page.session_state[own_texts._FILES] = value
        own_texts._take_files(chosen.extend)

    def n_bytes_held() -> int:
        return sum(len(file.data) for file in manager.file_storage["here"].values())

    bring("one.txt", b"a text")
    assert not n_bytes_held()
    # The uploader's value stays the same: with another one, the whole page would run, and wipe its words.
    value = file_uploader.FileUploaderSerde(True).deserialize(listed)
    assert value == page.session_state[own_texts._FILES]
    state = states[own_texts.OwnTextsState]
    state.problem = "said by something else"
    speak_up()  # with the file that was taken
    assert state.problem == "said by something else" and not state.was_cut_off
    bring("two.txt", b"another text")
    bring("empty.txt", b"")
    assert [text.title for text in texts.brought] == ["one.txt", "two.txt"] and len(chosen) == 2
    assert "empty.txt" in state.problem and not state.was_cut_off
    assert not n_bytes_held()
