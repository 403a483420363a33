"""A file that a person saves reaches the browser, whatever the others do meanwhile; and it is theirs.

A click on a button that saves a file asks the server to make it. The server answers with an address, and the
browser fetches the file from there. Streamlit loses it on this way, or mixes it up with another one:

- When a run of the page begins, it drops what waits to be sent, the answer with the address as well.
- At the end of each run of anybody's page, it throws away the files that no page shows. A file that was just
  made is shown by none: the second run after it, a few milliseconds later in a full room, takes it away. So
  does the end of the next run of this page with what makes the file, if the button was pressed just before.
- It names a file after its length and three parts of it, if it is longer than a megabyte. Two files that
  differ elsewhere have one name, and the second person gets the file of the first.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from weakref import WeakKeyDictionary

from streamlit.runtime import exists, get_instance, memory_media_file_storage
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_manager import MediaFileManager, MediaFileMetadata
from streamlit.runtime.media_file_storage import MediaFileKind

FETCHED_WITHIN = 20.0
"""Seconds for which a file waits for its browser."""

_MOST_WAITING = 64 << 20  # bytes of files that wait, of all sessions together
_MOST_MAKERS = 32  # of a session

_clear = AppSession._clear_queue
_shut_down = AppSession.shutdown
_find_unused = MediaFileManager._get_inactive_file_ids
_drop = MediaFileManager._drop_deferred_id


def keep_saved_files() -> None:
    """Have the server answer whoever saves a file, and keep the file until it is fetched."""
    # mypy: methods are no place to assign to
    setattr(AppSession, "_clear_queue", _clear_all_but_answers)  # noqa: B010
    setattr(AppSession, "shutdown", _shut_down_with_makers)  # noqa: B010
    setattr(MediaFileManager, "_get_inactive_file_ids", _find_fetched)  # noqa: B010
    setattr(MediaFileManager, "_remove_orphaned_deferred_callables", _remove_old_makers)  # noqa: B010
    setattr(memory_media_file_storage, "_calculate_file_id", name_file)  # noqa: B010


def name_file(data: bytes, mimetype: str, filename: str | None = None) -> str:
    """The name of a file on the server, which depends on all of its content.

    >>> one, other = bytes(2 << 20), bytearray(2 << 20)
    >>> other[700_000] = 1
    >>> name_file(one, "text/csv") == name_file(bytes(other), "text/csv")
    False
    >>> name_file(one, "text/csv", "a.csv") == name_file(one, "text/csv", "a.csv")
    True
    """
    parts = f"{len(data)}:{len(mimetype)}:{mimetype}{'' if filename is None else f':{filename}'}"
    name = hashlib.blake2b(parts.encode("utf-8", "surrogatepass") + b"\n", digest_size=16)
    name.update(data)
    return name.hexdigest()


def _clear_all_but_answers(self: AppSession, fragment_ids_this_run: list[str] | None = None) -> None:
    """In place of ``_clear_queue``."""
    queue = self._browser_queue
    answers = [message for message in queue._queue if message.HasField("backend_operation_response")]
    _clear(self, fragment_ids_this_run)
    for answer in answers:
        if answer not in queue._queue:
            queue.enqueue(answer)


def _shut_down_with_makers(self: AppSession) -> None:
    """In place of ``shutdown``: nobody asks any more for what the session's buttons would make."""
    if exists():
        manager = get_instance().media_file_mgr
        with manager._lock:
            for file_id in list(manager._deferred_ids_by_session.get(self.id, ())):
                _drop(manager, file_id)
    _shut_down(self)


class _Waiting:
    """What waits to be fetched, or to be asked for, though no page shows it any more."""

    def __init__(self) -> None:
        self._files: WeakKeyDictionary[MediaFileMetadata, float] = WeakKeyDictionary()  # since when
        self._makers: dict[str, float] = {}
        self._timer: threading.Timer | None = None

    def find_files(self, manager: MediaFileManager, unused: set[str]) -> set[str]:
        """The unused files to be kept for now, the latest ones first."""
        now = time.monotonic()
        since: dict[str, float] = {}
        for file_id, file in manager._file_metadata.items():
            if file_id not in unused:
                self._files.pop(file, None)
            elif file.kind is MediaFileKind.DOWNLOADABLE:
                since[file_id] = self._files.setdefault(file, now)
        left = _MOST_WAITING
        waiting = set()
        for file_id in sorted(since, key=since.__getitem__, reverse=True):
            left -= len(manager._storage.get_file(file_id).content)  # type: ignore[attr-defined]
            if left >= 0 and now - since[file_id] < FETCHED_WITHIN:
                waiting.add(file_id)
        self._come_back(manager, is_needed=bool(since))  # Streamlit only marks a file when it first finds it
        return waiting

    def find_old_makers(self, manager: MediaFileManager) -> set[str]:
        """The functions of buttons that no page has shown for a while, or of too many of a session."""
        now = time.monotonic()
        on_pages = {file for files in manager._files_by_session_and_coord.values() for file in files.values()}
        unused = [file_id for file_id in manager._deferred_callables if file_id not in on_pages]
        self._makers = {file_id: self._makers.get(file_id, now) for file_id in unused}
        old = set()
        n_of_session: Counter[str] = Counter()
        for file_id in reversed(unused):  # the latest ones first
            session = manager._deferred_callables[file_id]["session_id"]
            n_of_session[session] += 1
            if n_of_session[session] > _MOST_MAKERS or now - self._makers[file_id] >= FETCHED_WITHIN:
                old.add(file_id)
        self._come_back(manager, is_needed=len(old) < len(unused))
        return old

    def _come_back(self, manager: MediaFileManager, *, is_needed: bool) -> None:
        """Throw away what nobody has fetched, even if no page runs any more."""
        if not is_needed or self._timer is not None:
            return
        self._timer = threading.Timer(FETCHED_WITHIN + 1, self._look_again, [manager])
        self._timer.daemon = True
        self._timer.start()

    def _look_again(self, manager: MediaFileManager) -> None:
        with manager._lock:
            self._timer = None  # this one has gone off; the next is set if anything waits still
        manager.remove_orphaned_files()


_waiting: WeakKeyDictionary[MediaFileManager, _Waiting] = WeakKeyDictionary()


def _find_fetched(self: MediaFileManager) -> set[str]:
    """In place of ``_get_inactive_file_ids``. The manager's lock is held."""
    unused = _find_unused(self)
    return unused - _waiting.setdefault(self, _Waiting()).find_files(self, unused)


def _remove_old_makers(self: MediaFileManager) -> None:
    """In place of ``_remove_orphaned_deferred_callables``. The manager's lock is held."""
    for file_id in _waiting.setdefault(self, _Waiting()).find_old_makers(self):
        _drop(self, file_id)
