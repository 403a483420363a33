"""Saved items: a session's encodings and texts, as records in the browser's IndexedDB.

When a session starts, the browser posts all its records. From then on it gets the ids of the session's items.
It requests the records that it lacks, and deletes those without an item (assets/components/saved). Records
are client input: the same checks and limits apply as to uploads.
"""

from __future__ import annotations

import json
import secrets
import threading
import zlib
from dataclasses import dataclass
from typing import Any

from pages.session.own_encodings import OwnEncoding
from pages.session.own_texts import OwnText
from pages.session.tickets import issue_ticket
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from pages.session.workspace_link import link_holds_text, restore_text
from tokenizers.bpe import home_trained
from tokenizers.encoding import Encoding
from tokenizers.files import MAX_FILE_BYTES, file_of, load
from tokenizers.json_types import JsonObject
from tokenizers.text import MAX_TEXT_BYTES

VERSION = 2
MAX_RECORD_BYTES = MAX_FILE_BYTES + (20 << 20)  # of a tokenizer’s file, and of facts about its training

_MOST_PROBLEMS = 20  # on the page


@dataclass(frozen=True)
class Record:
    """One item, as the browser stores it.

    Attributes:
        head: JSON: version, kind, title, and fields of its kind.
        payload: its text or file, compressed.
    """

    head: JsonObject
    payload: bytes

    @classmethod
    def make(cls, kind: str, title: str, data: bytes, **more: Any) -> Record:
        """Make a record of this version."""
        return cls({"version": VERSION, "kind": kind, "title": title, **more}, zlib.compress(data, 1))

    @classmethod
    def from_bytes(cls, data: bytes) -> Record:
        """Read a record from a request: its head in one line, then its payload.

        Raises:
            ValueError: the head is invalid.
        """
        line, _, payload = data.partition(b"\n")
        try:
            head = json.loads(line)
        except (ValueError, RecursionError):
            head = None
        if not isinstance(head, dict):
            raise ValueError("It is damaged")
        return cls(head, payload)

    def to_bytes(self) -> bytes:
        """Write the record for ``from_bytes``."""
        return json.dumps(self.head).encode() + b"\n" + self.payload

    @property
    def title(self) -> str:
        """The name of the item on the page."""
        return " ".join(str(self.head.get("title", ""))[:80].split()) or "A saved item"

    def read(self, limit: int) -> bytes:
        """Decompress the payload.

        Raises:
            ValueError: it is damaged, or longer than the limit.
        """
        unpacker = zlib.decompressobj()
        try:
            data = unpacker.decompress(self.payload, limit + 1)
        except zlib.error:
            raise ValueError("it is damaged") from None
        if len(data) > limit:
            raise ValueError("it is too long")
        if not unpacker.eof:
            raise ValueError("it is damaged")
        return data


Slot = tuple[str, str]
"""The place of an item in a session: its kind, and its name or key."""

_EDITOR: Slot = ("editor", "")


@dataclass(frozen=True)
class _Item:
    id: str
    value: Any  # what is in the slot; if it is replaced, the item has changed


class SavedItems:
    """A session's saved items.

    Args:
        workspace: the session's workspace.

    Attributes:
        ticket: names this object in the browser's requests.
        is_loaded: whether the browser has posted all its records.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.ticket = issue_ticket(self)
        self.is_loaded = False
        self._lock = threading.Lock()
        self._items: dict[Slot, _Item] = {}
        self._problems: dict[str, str] = {}  # why a record could not be read, by its id

    def listing(self) -> JsonObject:
        """The ids of all items, and error messages. A changed item gets a new id."""
        with self._lock:
            items = {}
            for slot, value in _find_items(self.workspace).items():
                item = self._items.get(slot)
                if item is None or item.value is not value:
                    item = _Item(secrets.token_hex(12), value)
                items[slot] = item
            self._items = items
        problems = list(self._problems.values())[:_MOST_PROBLEMS]
        return {"items": [item.id for item in items.values()], "problems": problems}

    def record(self, item_id: str) -> Record | None:
        """The record of an item; None: the item does not exist any more."""
        for slot, item in list(self._items.items()):
            if item.id == item_id:
                return _make_record(slot, item.value)
        return None

    def restore(self, item_id: str, data: bytes) -> bool:
        """Restore a record in the session; False: that failed, and the record stays in the browser."""
        if any(item.id == item_id for item in list(self._items.values())):
            return True
        title = "A saved item"
        try:
            record = Record.from_bytes(data)
            title = record.title
            slot = _restore(record, self.workspace)
        except (ValueError, OSError) as problem:
            self._problems[item_id] = f"{title} could not be brought back: {str(problem).rstrip('.')}."
            return False
        if slot is None:
            return False
        with self._lock:
            value = _find_items(self.workspace).get(slot)  # None: a link holds the editor's text by now
            if value is not None:  # that text and a duplicate get no slot, so the browser deletes them
                self._items.setdefault(slot, _Item(item_id, value))
        return True

    def remove(self, item_id: str) -> None:
        """Remove an item from the session. The text in the editor stays."""
        self._problems.pop(item_id, None)
        for (kind, name), item in list(self._items.items()):
            if item.id == item_id and kind == "encoding":
                self.workspace.remove_encoding(name)
            elif item.id == item_id and kind == "text":
                self.workspace.own_texts.remove(name)


def _find_items(workspace: Workspace) -> dict[Slot, Any]:
    """What is worth saving in the session, by slot."""
    items: dict[Slot, Any] = {("encoding", name): own for name, own in list(workspace.own_encodings.items())}
    items |= {("text", own.key): own for own in workspace.own_texts.uploaded}
    if not link_holds_text(workspace):
        items[_EDITOR] = workspace.text
    return items


def _make_record(slot: Slot, value: Any) -> Record:
    if slot == _EDITOR:
        return Record.make("editor", "The text in the editor", value.encode("utf-8", "surrogatepass"))
    return record_of_text(value) if slot[0] == "text" else record_of_encoding(value)


def record_of_text(own: OwnText) -> Record:
    """The record of an own text. If its character set is a guess, the record has its file."""
    if own.data:
        return Record.make("text", own.title, own.data, key=own.key, codec=own.codec)
    return Record.make("text", own.title, own.text.encode("utf-8"), key=own.key, how=own.how)


def record_of_encoding(own: OwnEncoding) -> Record:
    """The record of an encoding: its file, and the facts about its training."""
    facts: JsonObject = {name: getattr(own, name) for name in _PLAIN_FACTS}
    facts |= {"recipe": own.recipe.to_record() if own.recipe else None, "stopped": own.stopped}
    return Record.make("encoding", own.encoding.name, file_of(own.encoding), facts=facts)


def _restore(record: Record, workspace: Workspace) -> Slot | None:
    """Restore a record in a session, and return its slot; None: the session has another text there.

    Raises:
        ValueError: the record is damaged, or there is no room for it.
    """
    head = record.head
    if head.get("version") != VERSION:
        raise ValueError("another version of Token Grove saved it")
    if head.get("kind") == "encoding":
        own = read_encoding(record, workspace)
        with workspace.lock:
            workspace.own_encodings.check_room(own.memory)
            return "encoding", workspace.own_encodings.add(own)
    data = record.read(MAX_TEXT_BYTES)
    if head.get("kind") == "editor":
        return _EDITOR if restore_text(workspace, data.decode("utf-8", "surrogatepass")) else None
    if head.get("kind") != "text":
        raise ValueError("another version of Token Grove saved it")
    key = str(head.get("key", ""))
    if "codec" in head:
        return "text", workspace.own_texts.add_file(record.title, data, str(head["codec"]), key)
    how = str(head.get("how", ""))[:200]
    return "text", workspace.own_texts.add(record.title, data.decode("utf-8"), how=how, key=key)


def read_encoding(record: Record, workspace: Workspace) -> OwnEncoding:
    """Read the encoding of a record, and the facts about its training, unless some are missing.

    Raises:
        ValueError: the encoding is invalid, or there is no room for one more.
    """
    model = record.read(MAX_FILE_BYTES)
    workspace.own_encodings.check_room()
    encoding = load(model, record.title[:60], is_trusted=False)
    try:
        return _read_training_facts(record.head["facts"], encoding)
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        return OwnEncoding(encoding)


_PLAIN_FACTS = ("counts", "n_bytes", "seconds", "report", "problem", "own_digests", "file")


def _read_training_facts(known: JsonObject, encoding: Encoding) -> OwnEncoding:
    """Read the facts about an encoding's training. Missing ones raise one of many exceptions.

    Their values are not checked: a browser that invents some misleads its own person alone.
    """
    trained = home_trained(encoding)
    if trained is not None:
        trained.stopped = known["stopped"]
    recipe = None if known["recipe"] is None else Recipe.from_record(known["recipe"])
    own = OwnEncoding(encoding, recipe=recipe, **{name: known[name] for name in _PLAIN_FACTS})
    _ = own.reference_ratios, own.lost_share  # what the page Train reads of each source
    return own
