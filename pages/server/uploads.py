"""Uploaded files stay in memory, never on the disk, and a session has room for so many at a time.

The server's parser would first write what is longer than 1 MB into a temporary file. With little room for
those, the upload ended in an error of the server; and nothing that a person brings is to lie there.

Streamlit bounds each file, but not how many a session has, and keeps them all until it ends. And it looks
whether the session is there before it reads a file, not after: what came to its end later stayed for good.
"""

from __future__ import annotations

from collections.abc import Iterable

from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartParser
from streamlit import config
from streamlit.runtime import exists, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from tokenizers import limits

MAX_FILES = 200
"""That a browser may send at a time, and that a session may have on the server until they are taken over."""

MAX_SESSION_BYTES = (limits.OWN_TEXTS_MB.value + limits.TEXT_MB.value) * limits.MB
"""Of these files together: as much as it may keep of texts, and one more."""

_add = MemoryUploadedFileManager.add_file


def keep_uploads_in_memory() -> None:
    """Have the server's parser write no file.

    As much as one text may have is taken; whoever runs the server may have changed that.
    """
    most = limits.TEXT_MB.value + 1  # and what a browser sends around it
    MultiPartParser.spool_max_size = most * limits.MB
    if limits.TEXT_MB.value != limits.TEXT_MB.default:
        config.set_option("server.maxUploadSize", most)


def bound_uploads() -> None:
    """Have the server refuse what a session has no room for, and what came after its end."""
    # mypy: methods are no place to assign to
    setattr(MemoryUploadedFileManager, "add_file", _add_if_there_is_room)  # noqa: B010


def forget_uploads(file_ids: Iterable[str]) -> None:
    """Drop files that this session has taken over. Its uploader may go on listing them."""
    context = get_script_run_ctx(suppress_warning=True)
    if context is None or not isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        return
    for file_id in file_ids:
        context.uploaded_file_mgr.remove_file(context.session_id, file_id)


def _add_if_there_is_room(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
    """In place of ``add_file``.

    Raises:
        HTTPException: the answer to the browser, if the file is not taken.
    """
    # A session whose connection was cut may come back; what it has goes when it ends.
    if not exists() or get_instance()._session_mgr.get_session_info(session_id) is None:
        raise HTTPException(400, "The page that this file is for was closed.")
    with self._lock:
        others = [
            each for each in self.file_storage.get(session_id, {}).values() if each.file_id != file.file_id
        ]
    n_bytes = sum(len(each.data) for each in others) + len(file.data)
    if len(others) >= MAX_FILES or n_bytes > MAX_SESSION_BYTES:
        raise HTTPException(413, "There is no room for this file beside the others. Remove some of them.")
    _add(self, session_id, file)
