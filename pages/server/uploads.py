"""Uploaded files stay in memory, never on the disk, and a session has room for so many at a time.

The server's parser would first write what is longer than 1 MB into a temporary file. With little room for
those, the upload ended in an error of the server; and nothing that a person brings is to lie there.

Streamlit bounds each file, but not how many a session has or is just sending, and keeps them all until it
ends. And it looks whether the session is there before it reads a file, not after: what came to its end later
stayed for good. Files of all sessions are bounded too, by the server's memory and by a share of each address,
before they are read: what is just coming counts as if it were here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config
from streamlit.runtime import exists, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileManager, UploadedFileRec

from pages.server.visitors import address_of_scope
from pages.session.server_room import MAX_OF_ADDRESS, check_room_of_all
from tokenizers import limits

MAX_FILES = 200
"""That a browser may send at a time, and that a session may have on the server until they are taken over."""

MAX_NAMES = 5_000
"""Of files that a session may have sent, those included that it has taken over."""

MAX_SESSION_BYTES = (limits.OWN_TEXTS_MB + limits.TEXT_MB) * limits.MB
"""Of these files together: as much as it may keep of texts, and one more."""

MOST_OF_ADDRESS = MAX_OF_ADDRESS // 4
"""Bytes of the files that the sessions of an address have sent or are sending, until they are taken over."""

_TAKEN_OVER = "taken over"  # in place of the type of a file
_AROUND = 1_000  # bytes that a browser sends around a file
_TOO_MANY = f"Up to {MAX_FILES:,} files are taken at a time. Choose fewer."
_NO_ROOM = "There is no room for this file beside the others. Remove some of them."
_NO_ROOM_OF_ADDRESS = (
    "There is no room for this file beside those from your network’s address. Try again when others are done."
)

_add = MemoryUploadedFileManager.add_file


def keep_uploads_in_memory() -> None:
    """Have the server's parser write no file.

    As much as one text may have is taken; whoever runs the server may have changed that.
    """
    most = limits.TEXT_MB + 1  # and what a browser sends around it
    MultiPartParser.spool_max_size = most * limits.MB
    config.set_option("server.maxUploadSize", most)


def bound_uploads() -> None:
    """Have the server refuse what a session has no room for, and what came after its end."""
    # mypy: methods are no place to assign to
    setattr(MemoryUploadedFileManager, "add_file", _add_if_there_is_room)  # noqa: B010


def empty_uploads(file_ids: Iterable[str]) -> None:
    """Drop the bytes of files that this session has taken over.

    Their names stay. If a file went altogether, the uploader would have another value, and with the next
    message the whole page would run again: what it had just said about the files would be gone.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        return
    manager = context.uploaded_file_mgr
    with manager._lock:
        files = manager.file_storage.get(context.session_id, {})
        for file_id in file_ids:
            if file_id in files:
                files[file_id] = files[file_id]._replace(type=_TAKEN_OVER, data=b"")


def why_no_room_for_any(session: str, n_files: int) -> str:
    """Why a session cannot send files, however short they are, as a sentence; empty: it can send some.

    Asked before the browser sends any of them, since the page shows this sentence beside each file. Of a file
    that is refused later, Streamlit's uploader shows the status code only.
    """
    if n_files > MAX_FILES:
        return _TOO_MANY
    if not exists():
        return ""
    return _why_no_room(get_instance().uploaded_file_mgr, session, [1] * n_files, n_files)


class BoundedUploads:
    """Middleware around the app: a file that its session has no room for is refused before it is read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming: dict[str, list[int]] = {}  # bytes of the files that each session is just sending
        self._addresses: dict[str, str] = {}  # of the sessions that have sent files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what there is room for."""
        session = _uploading_session(scope) if scope["type"] == "http" and scope["method"] == "PUT" else ""
        if not session or not exists():
            await self._app(scope, receive, send)
            return
        manager = get_instance().uploaded_file_mgr
        for other in [each for each in self._addresses if not self._has_files(each, manager)]:
            del self._addresses[other]
        self._addresses[session] = address_of_scope(scope)
        coming = self._coming.setdefault(session, [])
        n_bytes = _announced(Headers(scope=scope))
        coming.append(n_bytes)
        try:
            problem = self._why_no_room(manager, session)
            if problem:
                await PlainTextResponse(problem + "\n", 413)(scope, receive, send)
            else:
                await self._app(scope, receive, send)
        finally:
            coming.remove(n_bytes)
            if not coming:
                del self._coming[session]

    def _has_files(self, session: str, manager: UploadedFileManager) -> bool:
        return session in self._coming or bool(_bytes_of(_files(manager, session)))

    def _why_no_room(self, manager: UploadedFileManager, session: str) -> str:
        """Why a session cannot send what is just coming of it, as a sentence; empty: it can."""
        of_all = sum(map(sum, self._coming.values()))
        problem = _why_no_room(manager, session, self._coming[session], of_all)
        if problem:
            return problem
        address = self._addresses[session]
        of_address = [each for each in self._addresses if self._addresses[each] == address]
        n_bytes = sum(
            sum(_bytes_of(_files(manager, each))) + sum(self._coming.get(each, ())) for each in of_address
        )
        return _NO_ROOM_OF_ADDRESS if address and n_bytes > MOST_OF_ADDRESS else ""


def _uploading_session(scope: Scope) -> str:
    """The session that a file is for; empty: the request is for something else."""
    _, name, rest = scope["path"].partition("/_stcore/upload_file/")
    return rest.partition("/")[0] if name else ""


def _announced(headers: Headers) -> int:
    """How long a file is, as its request says; one that does not say it may be as long as any."""
    length = headers.get("content-length", "")
    if length.isdecimal() and len(length) < 16:
        return max(0, int(length) - _AROUND)
    return int(config.get_option("server.maxUploadSize")) << 20


def _why_no_room(manager: UploadedFileManager, session: str, coming: Sequence[int], of_all: int) -> str:
    """Why a session, or the server, has no room for some files more, as a sentence; empty: they have.

    Args:
        manager: of the server.
        session: that the files are for.
        coming: bytes of each of them.
        of_all: bytes of the files that are just coming, of every session.
    """
    if not _has_room(manager, session, coming):
        return _NO_ROOM
    try:
        check_room_of_all(of_all, "this file")
    except ValueError as problem:
        return str(problem)
    return ""


def _has_room(manager: UploadedFileManager, session: str, coming: Sequence[int], besides: str = "") -> bool:
    """Whether a session may have some files more; the one named ``besides`` does not count."""
    files = _files(manager, session, besides)
    held = _bytes_of(files)
    if len(held) + len(coming) > MAX_FILES or len(files) + len(coming) > MAX_NAMES:
        return False
    return sum(held) + sum(coming) <= MAX_SESSION_BYTES


def _bytes_of(files: Iterable[UploadedFileRec]) -> list[int]:
    """Bytes of each of these files that was not taken over."""
    return [len(each.data) for each in files if each.data or each.type != _TAKEN_OVER]


def _files(manager: UploadedFileManager, session: str, besides: str = "") -> list[UploadedFileRec]:
    """A session's files, but for the one named ``besides``."""
    if not isinstance(manager, MemoryUploadedFileManager):
        return []
    with manager._lock:
        return [each for each in manager.file_storage.get(session, {}).values() if each.file_id != besides]


def _add_if_there_is_room(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
    """In place of ``add_file``.

    Raises:
        HTTPException: the answer to the browser, if the file is not taken.
    """
    # A session whose connection was cut may come back; what it has goes when it ends.
    if not exists() or get_instance()._session_mgr.get_session_info(session_id) is None:
        raise HTTPException(400, "The page that this file is for was closed.")
    if not _has_room(self, session_id, [len(file.data)], besides=file.file_id):
        raise HTTPException(413, _NO_ROOM)
    _add(self, session_id, file)
