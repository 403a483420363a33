"""What a person made stays in their browser, or in a folder of their machine: how a session keeps it there.

A session ends with a reload; the browser's own storage does not. So each encoding that was grown or
brought, each text that was brought, and the editor's text, if it is too long for a link, is a record
(``records.py``) there; or, if the app runs on the person's own machine and they choose so, in a folder.

Two tabs, or a reload and what was before it, see the same, for both go by what lies in the chosen place. What
this session does not know is asked for; what it has and the place has not is put there; what was there and is
gone was removed in another tab, and goes here too. What still lies in the place that is not chosen is moved:
it is asked for, put into the chosen place, and removed from the other one only then.
"""

from __future__ import annotations

import base64
import binascii
import errno
import functools
import operator
import re
import secrets
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from pages.session.data_folder import DataFolder, Listed
from pages.session.guessed_file import GuessedFile
from pages.session.own_texts import MAX_TEXT_BYTES
from pages.session.records import (
    VERSION,
    Record,
    file_in,
    name_in,
    read_encoding,
    record_of_editor,
    record_of_encoding,
    record_of_text,
)
from pages.session.workspace import Workspace
from pages.session.workspace_link import encoding_comes_back, link_holds_text, text_comes_back
from tokenizers import askers
from tokenizers.amounts import bytes_in_words
from tokenizers.formats import estimate_room, file_of, reading_place

MAX_ALL_BYTES = 50 << 20
"""All records in one place together, as they are stored: compressed."""

MAX_RECORD_BYTES = 16 << 20
"""One record, compressed; also the most that the browser sends in one message, before base64."""

MAX_UNPACKED = 4 * MAX_ALL_BYTES
"""What the records of one message have together once they are unpacked; the next one may add to it."""

MAX_RECORDS = 300
MAX_TITLE_SENT = 80  # characters of a title that are looked at

_ID = re.compile("[0-9a-f]{24}")

Slot = tuple[str, str]
"""What a record is of: its kind, and the name or key by which the session has it."""

_EDITOR: Slot = ("editor", "")


@dataclass(frozen=True)
class _Thing:
    """What is in a slot. If one of its objects is replaced, the thing has changed.

    Attributes:
        objects: an encoding and its growth, a text, or the editor's text.
        record: the id of its record.
        skipped: why it is not kept; empty: it is not kept, and nothing has to be said. None: it is kept.
    """

    objects: tuple[object, ...]
    record: str
    skipped: str | None = None


@dataclass
class Kept:
    """What a session knows of the place where things are kept.

    Attributes:
        session: by which the browser sees that it talks to a new session.
        heard: the number of the newest message that was taken.
        wished: the number of the newest wish of the person that was followed.
        listed: whether the browser has said what it keeps.
        on: whether anything is kept: the person's choice.
        in_folder: whether it is kept in the folder, not in the browser's storage.
        stored: the bytes of each record that is in the chosen place, by id.
        came_back: whether something came or went that the page does not show yet.
    """

    session: str = field(default_factory=lambda: secrets.token_hex(6))
    heard: int = 0
    wished: int = 0
    listed: bool = False
    on: bool = True
    in_folder: bool = False
    stored: dict[str, int] = field(default_factory=dict)
    came_back: bool = False
    _in_browser: dict[str, int] = field(default_factory=dict)
    _of_folder: dict[str, int] = field(default_factory=dict)
    _read_at: float = 0  # when the browser read its newest list
    _storage: str = ""  # the id of the browser's storage: a new one after it was cleared
    _slots: dict[str, Slot | None] = field(default_factory=dict)  # what each known record is of, by its id
    _things: dict[Slot, _Thing] = field(default_factory=dict)
    _removed: set[str] = field(default_factory=set)  # records to be removed from every place
    _gone: set[str] = field(default_factory=set)  # records that disappeared: removed or renamed elsewhere
    _lost: dict[str, str] = field(default_factory=dict)  # why a record did not come back, by its id
    _browser_problem: str = ""
    _folder_problem: str = ""  # what went wrong in the last work on it
    _folder_notes: list[str] = field(default_factory=list)  # foreign files in it, or why it cannot be read
    _put: str = ""  # the record that was last sent to the browser
    _refused: set[str] = field(default_factory=set)  # records that the place had no room for
    _asked_to_remove: set[str] = field(
        default_factory=set
    )  # records that the browser was last asked to remove
    _stuck: set[str] = field(default_factory=set)  # records that it could not remove
    _unread: set[str] = field(default_factory=set)  # records that it could not read
    _emptied: bytes | None = None  # the folder's mark, which changes when all in it is forgotten
    _was_emptied: str = ""  # what is said once another browser has done that

    @property
    def wants(self) -> list[str]:
        """The records that lie in the browser or the folder, and are not in this session."""
        known = self._slots.keys() | self._lost.keys() | self._removed | self._unread
        return [each for each in self._everywhere if each not in known]

    @property
    def is_settled(self) -> bool:
        """Whether all that is kept is here."""
        return self.listed and not (self.on and self.wants)

    @property
    def problems(self) -> list[str]:
        """What is not kept or did not come back, in sentences."""
        skipped = [thing.skipped for thing in self._things.values() if thing.skipped]
        places = [self._browser_problem, self._folder_problem, self._was_emptied]
        of_places = [*filter(None, places), *self._folder_notes]
        return [*of_places, *skipped, *self._lost.values()]

    # What comes from the browser

    def hear(
        self, message: Mapping[str, Any], workspace: Workspace, folder: DataFolder | None = None
    ) -> None:
        """Take over what the browser says. Whatever is odd in it is left out."""
        number = message.get("seq")
        if not _is_number(number) or number <= self.heard:
            return
        self.heard = int(number)
        if isinstance(message.get("on"), bool):
            if message["on"] and not self.on:  # switched on again: what was refused is tried again
                self._refused.clear()
                self._folder_problem = self._was_emptied = ""
            self.on = message["on"]
        self._hear_list(message)
        records = message.get("records")
        self._take_all_sent(records if isinstance(records, list) else [], workspace)
        self._unread = set(self._in_browser) if message.get("unread") is True else set()
        problem = message.get("problem")
        self._hear_problem(problem[:300] if isinstance(problem, str) else "")
        self._follow_wish(message.get("wish"), workspace, folder)
        self._look(workspace, folder)

    def _hear_list(self, message: Mapping[str, Any]) -> None:
        """Take over what lies in the browser's storage, unless the list is older than one that was heard."""
        listed, read_at = message.get("list"), message.get("read_at", self._read_at)
        if not isinstance(listed, list) or not isinstance(read_at, (int, float)) or read_at < self._read_at:
            return
        self._read_at = read_at
        there: dict[str, int] = {}
        for entry in listed[:MAX_RECORDS]:
            if isinstance(entry, dict) and _is_id(entry.get("id")):
                n_bytes = entry.get("n_bytes")
                there[entry["id"]] = n_bytes if _is_number(n_bytes) and n_bytes >= 0 else 0
        which = message.get("storage")
        if isinstance(which, str) and which != self._storage:
            if not self.in_folder:
                self.stored = {}  # it was cleared by someone else than us: nothing was removed one by one
            self._storage = which[:40]
        self._in_browser, self.listed = there, True

    def _hear_problem(self, problem: str) -> None:
        if self._browser_problem and not problem:  # there is room again, perhaps for the others, too
            self._refused.clear()
            self._stuck.clear()
        self._browser_problem = problem
        if problem:  # once is enough: it would be said again and again
            self._stuck |= self._asked_to_remove & self._in_browser.keys()
            if self._put and self._put not in self._in_browser:
                self._refused.add(self._put)

    def _follow_wish(self, wish: Any, workspace: Workspace, folder: DataFolder | None) -> None:
        """Do what the person asks for in the list of what is kept. A wish is sent until it was heard.

        One of an earlier session was followed there: a browser repeats its last message to a new server.
        """
        if not isinstance(wish, dict) or wish.get("session") != self.session:
            return
        if not _is_number(wish.get("number")) or wish["number"] <= self.wished:
            return
        self.wished = int(wish["number"])
        if _is_id(wish.get("remove")):
            self._lost.pop(wish["remove"], None)
            self._removed.add(wish["remove"])
            self._forget(wish["remove"], workspace)
        if folder is None:
            return
        try:
            if wish.get("forget") is True:
                folder.forget()
                self._emptied = folder.emptied if folder.is_chosen else None
            if _is_id(wish.get("remove")):
                folder.remove([wish["remove"]])
            if isinstance(wish.get("folder"), bool):
                folder.choose(wish["folder"])
            self._folder_problem = ""
        except OSError as problem:
            self._folder_problem = _of_folder(folder, problem)

    def _look(self, workspace: Workspace, folder: DataFolder | None) -> None:
        """See what is in the chosen place, and what has gone from it."""
        in_folder = False
        if folder is not None:
            try:
                self._of_folder = {name: entry.n_bytes for name, entry in folder.listed().items()}
                self._folder_notes = list(folder.notes)
            except OSError as problem:
                self._folder_notes = [_of_folder(folder, problem)]  # nothing was changed there
            in_folder = folder.is_chosen
        here = self._of_folder if in_folder else self._in_browser
        if in_folder != self.in_folder:  # from now on, the other place is the chosen one
            self.in_folder = in_folder
            self._refused.clear()
            self._folder_problem = self._was_emptied = ""
            self._emptied = None
            for slot, thing in list(self._things.items()):
                if thing.skipped:
                    del self._things[slot]
        elif self.listed and self.on:
            if in_folder and folder is not None:
                self._see_whether_emptied(folder)
            self._gone |= self.stored.keys() - here.keys() - self._removed - self._refused
        if in_folder and folder is not None:
            self._emptied = folder.emptied
        self.stored = dict(here)
        self._gone -= here.keys()
        self._removed &= self._everywhere.keys()
        self._lost = {name: why for name, why in self._lost.items() if name in self._everywhere}
        self._forget_gone(workspace)

    def _see_whether_emptied(self, folder: DataFolder) -> None:
        """Notice when another browser emptied the folder; what is open here stays open.

        It is not kept again by itself: whoever pressed “Forget all” wants to see the folder empty.
        """
        if self._emptied in (None, folder.emptied):
            return
        theirs = self.stored.keys() - self._removed
        self._refused |= theirs
        if theirs:
            self._was_emptied = (
                "All that was kept in the folder was forgotten from another browser. What is open here stays "
                "until this page is closed, but is not kept any more: to keep it again, switch “Keep what I "
                "make” off and on."
            )

    @property
    def _everywhere(self) -> dict[str, int]:
        return self._of_folder | self._in_browser

    def _forget_gone(self, workspace: Workspace) -> None:
        if not self.wants:
            for gone in self._gone:
                self._forget(gone, workspace)
            self._gone.clear()

    def _forget(self, record: str, workspace: Workspace) -> None:
        """Take out of the session what was removed in another tab, or in the list of what is kept."""
        slot = self._slots.pop(record, None)
        if slot is None or slot in self._slots.values():
            return
        if slot == _EDITOR:  # another tab keeps its own text now: this one's stays on the screen
            if slot in self._things:
                self._things[slot] = replace(self._things[slot], skipped="")
            return
        self._things.pop(slot, None)
        kind, name = slot
        if kind == "encoding":
            workspace.remove_grown(name)
        else:
            workspace.own_texts.remove(name)
        self.came_back = True  # the page has to be drawn again, too

    def _take_all_sent(self, records: list[Any], workspace: Workspace) -> None:
        """Take the records that were asked for, as long as anybody waits for them.

        What is left is still wanted, so it is asked for again.
        """
        wanted = self._in_browser.keys() & set(self.wants)
        unpacked = 0
        for sent in records[:MAX_RECORDS]:
            if not isinstance(sent, dict) or not _is_id(sent.get("id")) or sent["id"] not in wanted:
                continue
            if unpacked >= MAX_UNPACKED or not askers.is_wanted():
                return
            wanted.remove(sent["id"])
            self._take_sent(sent, workspace)
            unpacked += _unpacked_bytes(sent.get("head"))

    def _take_sent(self, sent: dict[str, Any], workspace: Workspace) -> None:
        """Put what the browser sent into the session; or note why it cannot be."""
        head, payload = sent.get("head"), sent.get("payload")
        title = str(head.get("title", "")) if isinstance(head, dict) else ""

        def read() -> Record:
            if not isinstance(head, dict) or not isinstance(payload, str):
                raise ValueError("it is damaged")
            if len(payload) > MAX_RECORD_BYTES * 4 // 3 + 4:
                raise ValueError("it is too long")
            try:
                return Record(head, base64.b64decode(payload, validate=True))
            except (binascii.Error, ValueError):
                raise ValueError("it is damaged") from None

        self._take_back(sent["id"], title, read, workspace)

    def _take_back(self, name: str, title: str, read: Callable[[], Record], workspace: Workspace) -> None:
        """Put what a record holds into the session; or note why it cannot be."""
        if name in self._slots or name in self._removed:
            return
        title = " ".join(title[:60].split()) or "Something that was kept"
        try:
            record = read()
            if record.head.get("version") != VERSION:
                raise ValueError("another version of Token Grove kept it")
            slot = self._renamed(record, workspace) or _put_back(record, workspace)
        except (askers.NobodyWaitsError, askers.BusyError):
            return  # it is still wanted, so it is asked for again
        except (ValueError, OSError) as problem:
            self._lost[name] = f"{title} could not be brought back: {str(problem).rstrip('.')}."
            return
        self._slots[name] = slot
        if slot is not None:
            self._things.setdefault(slot, _Thing(_standing(workspace)[slot], name))
            self.came_back = True

    def _renamed(self, record: Record, workspace: Workspace) -> Slot | None:
        """Rename here what another tab renamed, and return its slot; None: it is something new."""
        if record.head.get("kind") not in ("encoding", "text"):
            return None
        for gone in self._gone:
            slot = self._slots.get(gone)
            if slot is None or slot[0] != record.head["kind"]:
                continue
            kind, name = slot
            if kind == "encoding":
                here = workspace.grown.get(name)
                if here is None or file_of(here) != file_in(record):
                    continue
                new = kind, workspace.rename_grown(name, name_in(record))
            else:
                own, (text, guessed, _) = workspace.own_texts.get(name), _read_text(record)
                if own is None or own.text != text or own.guessed != guessed:
                    continue
                workspace.own_texts.rename(name, str(record.head.get("title", ""))[:MAX_TITLE_SENT])
                new = slot
            del self._slots[gone]
            self._gone.remove(gone)
            self._things.pop(slot, None)
            return new
        return None

    # What the browser and the folder are told

    def next_step(self, workspace: Workspace, folder: DataFolder | None = None) -> dict[str, Any]:
        """What the browser gets to do: which records to send, to remove and to put; it puts one at a time.

        What has to be done in the folder is done.
        """
        if folder is not None:
            self._look(workspace, folder)
            if self.listed and self.on:
                self._work_in(folder, workspace)
        step: dict[str, Any] = {
            "session": self.session,
            "heard": self.heard,
            "wished": self.wished,
            "asks": not self.listed,
            "want": [],
            "remove": [],
            "put": None,
            "most": MAX_ALL_BYTES,
            "most_record": MAX_RECORD_BYTES,
            "folder": _describe(folder),
        }
        if self.listed and self.on:
            step["want"] = self.wants
            if not step["want"]:  # only once all is read: the same record may be among it
                step["remove"] = sorted(
                    self._to_remove(workspace, self._in_browser, self.in_folder) - self._stuck
                )
                record = None if self.in_folder else self._next_record(workspace)
                if record is not None:
                    self._put = record.id
                    payload = base64.b64encode(record.payload).decode("ascii")
                    n_bytes = len(record.payload)
                    step["put"] = {
                        "id": self._put,
                        "n_bytes": n_bytes,
                        "head": record.head,
                        "payload": payload,
                    }
        self._asked_to_remove = set(step["remove"])
        step["problems"] = self.problems[:20]
        return step

    def _work_in(self, folder: DataFolder, workspace: Workspace) -> None:
        """Take what lies in the folder, and put there what belongs there, or empty it."""
        listed = _list(folder)
        for name in [name for name in self.wants if name in listed]:
            self._take_back(name, listed[name].title, functools.partial(folder.read, name), workspace)
        if self.wants:  # the browser has yet to send records: the same may be among them
            return
        self._forget_gone(workspace)
        remove = self._to_remove(workspace, self._of_folder, not self.in_folder)
        # New records are written before old ones are removed: if writing fails, the old ones stay.
        if self.in_folder:
            self._put_into(folder, workspace, remove)
            if any(thing.record in self._refused for thing in self._things.values()):
                return  # it is not known which old one each was to replace
        try:
            folder.remove(remove)
            self._of_folder = {name: n for name, n in self._of_folder.items() if name not in remove}
        except OSError as problem:
            self._folder_problem = _of_folder(folder, problem)
        if self.in_folder:
            self.stored = dict(self._of_folder)

    def _put_into(self, folder: DataFolder, workspace: Workspace, replaced: Collection[str]) -> None:
        """Write what is not in the folder yet.

        Args:
            folder: the chosen place.
            workspace: of this session.
            replaced: records that are removed after this: their room counts as free.
        """
        self.stored = {name: n for name, n in self._of_folder.items() if name not in replaced}
        while (record := self._next_record(workspace)) is not None:
            try:
                folder.put(record)
            except OSError as problem:
                self._refused.add(record.id)
                self._folder_problem = _of_folder(folder, problem)
            else:
                self.stored[record.id] = self._of_folder[record.id] = len(record.payload)

    def _to_remove(self, workspace: Workspace, listed: Mapping[str, int], moves: bool) -> set[str]:
        """Records to delete from this place.

        Args:
            workspace: of this session.
            listed: what lies in the place.
            moves: whether this is not the chosen place: then what the chosen one has too is removed here.
        """
        standing = _standing(workspace)
        for slot, thing in list(self._things.items()):
            if not _same(standing.get(slot), thing.objects):
                del self._things[slot]
        for each, kept in list(self._slots.items()):
            if kept is not None and kept not in self._things:
                del self._slots[each]
                self._removed.add(each)
        self._removed &= self._everywhere.keys()
        moved = {name for name in listed if name in self.stored or self._stands_in(name)} if moves else set()
        return (self._removed | moved) & listed.keys()

    def _stands_in(self, name: str) -> bool:
        """Whether the chosen place already has a newer record of the same item."""
        slot = self._slots.get(name)
        thing = self._things.get(slot) if slot is not None else None
        return thing is not None and thing.record in self.stored

    def _next_record(self, workspace: Workspace) -> Record | None:
        """The first thing that is not in the chosen place and fits into it."""
        for slot, objects in _standing(workspace).items():
            thing = self._things.get(slot)
            if thing is not None and (
                thing.skipped is not None or thing.record in self.stored or thing.record in self._refused
            ):
                continue
            record = _make(slot, objects)
            name = record.id
            skipped = None if name in self.stored else self._no_room(record)
            self._things[slot] = _Thing(objects, name, skipped)
            self._slots[name] = slot
            if skipped is None and name not in self.stored and name not in self._refused:
                return record
        return None

    def _no_room(self, record: Record) -> str | None:
        """Why there is no room for a record."""
        n_bytes, others = len(record.payload), sum(self.stored.values())
        title = record.head["title"]
        place = "the folder" if self.in_folder else "this browser"
        if n_bytes > MAX_RECORD_BYTES:
            return (
                f"{title} is too large to be kept in {place}: it has {bytes_in_words(n_bytes)} compressed, "
                f"and {bytes_in_words(MAX_RECORD_BYTES)} is the limit. It is here until this page is closed: "
                "save it."
            )
        if others + n_bytes > MAX_ALL_BYTES or len(self.stored) >= MAX_RECORDS:
            return (
                f"{title} is not kept: {place} keeps up to {bytes_in_words(MAX_ALL_BYTES)} and {MAX_RECORDS} "
                "things, and that is taken. It is here until this page is closed: save it, or remove others "
                "and reload."
            )
        return None


def _of_folder(folder: DataFolder, problem: OSError) -> str:
    why = problem.strerror or str(problem)
    if problem.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            f"The disk with the folder {folder.path} is full, so what you made last is not kept. It is here "
            "until this page is closed: save it, or make room and switch “Keep what I make” off and on."
        )
    return f"The folder {folder.path} cannot be used ({why}): save what you want to have again, or mend it."


def _list(folder: DataFolder) -> dict[str, Listed]:
    """What is in the folder; nothing, if it cannot be read."""
    try:
        return folder.listed()
    except OSError:
        return {}


def _describe(folder: DataFolder | None) -> dict[str, Any] | None:
    """What the browser gets to know of the folder; None: there is none."""
    if folder is None:
        return None
    records = [
        {"id": name, "title": each.title, "kind": each.kind, "n_bytes": each.n_bytes}
        for name, each in _list(folder).items()
    ]
    return {"path": str(folder.path), "chosen": folder.is_chosen, "records": records}


def _standing(workspace: Workspace) -> dict[Slot, tuple[object, ...]]:
    """Everything in the session worth keeping, by slot."""
    things: dict[Slot, tuple[object, ...]] = {}
    for name, encoding in list(workspace.grown.items()):
        things["encoding", name] = (encoding, workspace.growth.get(name))
    for own in workspace.own_texts.brought:
        things["text", own.key] = (own,)
    if not link_holds_text(workspace):
        things[_EDITOR] = (workspace.text,)
    return things


def _same(objects: tuple[object, ...] | None, others: tuple[object, ...]) -> bool:
    return objects is not None and all(map(operator.is_, objects, others))


def _make(slot: Slot, objects: tuple[Any, ...]) -> Record:
    if slot == _EDITOR:
        return record_of_editor(*objects)
    return record_of_text(*objects) if slot[0] == "text" else record_of_encoding(*objects)


def _unpacked_bytes(head: object) -> int:
    """How long a record says that it is; one that says nothing of use is not unpacked."""
    parts = head.get("parts") if isinstance(head, dict) else None
    return sum(n for n in parts if _is_number(n) and n > 0) if isinstance(parts, list) else 0


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _put_back(record: Record, workspace: Workspace) -> Slot | None:
    """Put what a record holds into a session; None: it is left out, since something else is there.

    Raises:
        ValueError: it cannot be read, or there is no room for it.
    """
    kind, head = record.head.get("kind"), record.head
    if kind == "encoding":
        workspace.check_room()  # before it is unpacked
        with reading_place():
            encoding, grown = read_encoding(
                record, lambda model: workspace.check_room(len(model), estimate_room(model))
            )
        return "encoding", encoding_comes_back(workspace, encoding, grown)
    if kind == "text":
        text, guessed, how = _read_text(record)
        title, key = str(head.get("title", ""))[:MAX_TITLE_SENT], str(head.get("key", ""))
        return "text", workspace.own_texts.add(title, text, how=how, guessed=guessed, key=key)
    if kind == "editor":
        (data,) = record.read_parts([MAX_TEXT_BYTES])
        return _EDITOR if text_comes_back(workspace, data.decode("utf-8", "surrogatepass")) else None
    raise ValueError("another version of Token Grove kept it")


def _read_text(record: Record) -> tuple[str, GuessedFile | None, str]:
    """The text of a record, its file if its character set is a guess, and how that was read."""
    head = record.head
    (data,) = record.read_parts([MAX_TEXT_BYTES])
    if "codec" not in head:
        return data.decode("utf-8"), None, str(head.get("how", ""))[:200]
    decoded, guessed = GuessedFile(str(head.get("file", ""))[:80], data, "").read_as(str(head["codec"]))
    return decoded.text, guessed, decoded.how


def _is_number(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53
