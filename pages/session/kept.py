"""What a person made stays in their browser: its records, and how a session and the browser agree on them.

A session ends with a reload; the browser's own storage does not. So each encoding that was grown or
brought, each text that was brought, and the editor's text, if it is too long for a link, is a record there.
A record is a head, which is JSON, and a payload of bytes. What comes back is read as an upload is read, by
the same readers and within the same limits: whoever holds the browser can write anything into its storage.

Two tabs, or a reload and what was before it, see the same, for both go by what is in the storage. What this
session does not know is asked for; what it has and the storage has not is put there; what was there and is
gone was removed in another tab, and goes here too.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import operator
import re
import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pages.session.guessed_file import GuessedFile
from pages.session.own_texts import MAX_TEXT_BYTES, MAX_TEXTS, OwnText
from pages.session.train_plan import Recipe
from pages.session.train_run import REFERENCES, Grown
from pages.session.workspace import Workspace
from tokenizers.bpe import HomeEncoding
from tokenizers.data import MAX_WEIGHT
from tokenizers.formats import storage

MAX_ALL_BYTES = 50 << 20
"""All records of a browser together, as they are stored: compressed."""

MAX_RECORD_BYTES = 16 << 20
"""One record, compressed; also the most that the browser sends in one message, before base64."""

MAX_RECORDS = 300
MAX_TITLE_SENT = 80  # characters of a title that are looked at
MAX_GROWTH_BYTES = 20 << 20  # of JSON; what is beyond is left out, and the encoding is kept without it
VERSION = 1

_ID = re.compile("[0-9a-f]{24}")
_PART_LENGTHS = (storage.MAX_BYTES, MAX_GROWTH_BYTES)


@dataclass(frozen=True)
class Record:
    """One thing, as the browser keeps it.

    Attributes:
        head: JSON that says what it is: version, kind, title, and what its kind needs.
        payload: compressed; its parts stand one behind the other, and the head says how long each is.
    """

    head: dict[str, Any]
    payload: bytes

    @classmethod
    def make(cls, kind: str, title: str, parts: Sequence[bytes], **more: Any) -> Record:
        """A record of this version."""
        head = {"version": VERSION, "kind": kind, "title": title, "parts": list(map(len, parts)), **more}
        return cls(head, zlib.compress(b"".join(parts), 1))

    @property
    def id(self) -> str:
        """Of all that it holds: the same thing has the same id in every tab."""
        head = json.dumps(self.head, sort_keys=True).encode()
        return hashlib.sha256(head + b"\0" + self.payload).hexdigest()[:24]

    def read_parts(self, limits: Sequence[int]) -> list[bytes]:
        """The parts of the payload.

        Args:
            limits: the most bytes of each.

        Raises:
            ValueError: they are not as the head says, or too long.
        """
        lengths = self.head.get("parts")
        if (
            not isinstance(lengths, list)
            or len(lengths) != len(limits)
            or not all(_is_count(n) and n <= most for n, most in zip(lengths, limits, strict=True))
        ):
            raise ValueError("its parts are not as they were kept")
        unpacker = zlib.decompressobj()
        try:
            data = unpacker.decompress(self.payload, sum(lengths) + 1)
        except zlib.error:
            raise ValueError("it is damaged") from None
        if len(data) != sum(lengths) or not unpacker.eof:
            raise ValueError("it is damaged")
        parts, start = [], 0
        for length in lengths:
            parts.append(data[start : start + length])
            start += length
        return parts


# Making records


def record_of_encoding(encoding: HomeEncoding, grown: Grown | None) -> Record:
    """An encoding: its own saved file, and what is known of its growth."""
    growth = b""
    if grown is not None:
        known: dict[str, Any] = {
            "counts": grown.counts,
            "n_tokens": grown.n_tokens,
            "n_bytes": grown.n_bytes,
            "recipe": grown.recipe.to_record() if grown.recipe else None,
            "seconds": grown.seconds,
            "report": grown.report,
            "problem": grown.problem,
            "stopped": encoding.stopped,
            "own_digests": grown.own_digests,
            "file": grown.file,
            "walls_told": grown.walls_told,
        }
        growth = json.dumps(known, separators=(",", ":")).encode()
        if len(growth) > MAX_GROWTH_BYTES:  # the curve on each source's held-out text is most of it
            growth = json.dumps({**known, "report": {}}, separators=(",", ":")).encode()
        if len(growth) > MAX_GROWTH_BYTES:
            growth = b""
    return Record.make("encoding", encoding.name, [storage.to_bytes(encoding), growth])


def record_of_text(own: OwnText) -> Record:
    """A text that was brought; of one whose character set is a guess, its file."""
    if own.guessed is not None:
        return Record.make(
            "text", own.title, [own.guessed.data], key=own.key, file=own.guessed.name, codec=own.guessed.codec
        )
    return Record.make("text", own.title, [own.text.encode("utf-8")], key=own.key, how=own.how)


def record_of_editor(text: str) -> Record:
    """The text in the editor."""
    return Record.make("editor", "The text in the editor", [text.encode("utf-8", "surrogatepass")])


# Reading them again


def read_encoding(record: Record) -> tuple[HomeEncoding, Grown | None]:
    """The encoding of a record; and what is known of its growth, unless that makes no sense.

    Raises:
        ValueError: it is no encoding.
    """
    model, growth = record.read_parts(_PART_LENGTHS)
    name = str(record.head.get("title", ""))[:60] or "grove"
    encoding = storage.from_bytes(model, name, None)
    if not growth:
        return encoding, None
    try:
        return encoding, _read_growth(json.loads(growth), encoding)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError, OverflowError):
        return encoding, None


def _read_growth(known: dict[str, Any], encoding: HomeEncoding) -> Grown:
    """Raises KeyError, TypeError or ValueError if a part of it is not what the pages draw."""
    n_merges = len(encoding.merges)
    recipe = Recipe.from_record(known["recipe"]) if known["recipe"] is not None else None
    stopped = known["stopped"]
    encoding.stopped = None if stopped is None else _sentence(stopped)
    report = known["report"]
    if report:
        sources = [_read_source(source, n_merges) for source in _listed(report["sources"])]
        if len(sources) != (len(recipe.weighted_parts) if recipe else 0):
            raise ValueError
        report = {
            "sources": sources,
            "script_bytes": _read_scripts(report["script_bytes"]),
            "script_tokens": _read_scripts(report["script_tokens"]),
        }
    else:
        report = {}
    return Grown(
        encoding,
        _counts(known["counts"], n_merges),
        _counts(known["n_tokens"], n_merges),
        _count(known["n_bytes"]),
        recipe,
        float(min(max(0.0, float(known["seconds"])), 1e6)),
        report,
        _sentence(known["problem"]),
        {_sentence(key): _sentence(digest) for key, digest in list(known["own_digests"].items())[:MAX_TEXTS]},
        _sentence(known["file"]),
        known["walls_told"] is True,
    )


def _read_source(source: dict[str, Any], n_merges: int) -> dict[str, Any]:
    held = _counts(source["held_tokens"], n_merges + 1)
    if not held:
        raise ValueError
    return {
        "title": _sentence(source["title"]),
        "bytes": _count(source["bytes"]),
        "times": float(min(max(0.0, float(source["times"])), MAX_WEIGHT)),
        "held_texts": _count(source["held_texts"]),
        "known_bytes": _count(source["known_bytes"]),
        "held_bytes": _count(source["held_bytes"]),
        "held_tokens": held,
        "references": {name: _count(source["references"][name]) for name in REFERENCES},
    }


def _read_scripts(scripts: dict[str, Any]) -> dict[str, int]:
    return {_sentence(name): _count(amount) for name, amount in list(scripts.items())[:500]}


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > 600:
        raise ValueError
    return value


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53


def _count(value: Any) -> int:
    if not _is_count(value):
        raise ValueError
    return int(value)


def _counts(values: Any, length: int) -> list[int]:
    """As many counts as there are merges; none is fine, too: not known."""
    if not isinstance(values, list) or len(values) not in (0, length) or not all(map(_is_count, values)):
        raise ValueError
    return values


def _sentence(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value[:1000]


# A session and the browser


Slot = tuple[str, str]
"""What a record is of: its kind, and the name or key by which the session has it."""

_EDITOR: Slot = ("editor", "")


@dataclass(frozen=True)
class _Thing:
    """What stands in a slot. It is another one as soon as one of its objects is.

    Attributes:
        objects: an encoding and its growth, a text, or the editor's text.
        record: the id of its record.
        skipped: why it is not kept; empty: nothing has to be said of it. None: it is kept.
    """

    objects: tuple[object, ...]
    record: str
    skipped: str | None = None


@dataclass
class Kept:
    """What a session knows of the browser's storage.

    Attributes:
        session: by which the browser sees that it talks to a new session.
        heard: the number of the newest message that was taken.
        listed: whether the browser has said what it keeps.
        on: whether it keeps anything: the person's choice.
        stored: the bytes of each record that is there, by id.
        came_back: whether something came or went that the page does not show yet.
    """

    session: str = field(default_factory=lambda: secrets.token_hex(6))
    heard: int = 0
    listed: bool = False
    on: bool = True
    stored: dict[str, int] = field(default_factory=dict)
    came_back: bool = False
    _slots: dict[str, Slot | None] = field(default_factory=dict)  # of each record that is known, by id
    _things: dict[Slot, _Thing] = field(default_factory=dict)
    _removed: set[str] = field(default_factory=set)  # what the browser was told to remove
    _lost: dict[str, str] = field(default_factory=dict)  # why a record did not come back, by its id
    _browser_problem: str = ""
    _put: str = ""  # the record that the browser was given last
    _refused: set[str] = field(default_factory=set)  # records that it could not keep

    @property
    def wants(self) -> list[str]:
        """The records that the browser has and this session has not."""
        known = self._slots.keys() | self._lost.keys() | self._removed
        return [each for each in self.stored if each not in known]

    @property
    def is_settled(self) -> bool:
        """Whether all that the browser keeps is here."""
        return self.listed and not (self.on and self.wants)

    @property
    def problems(self) -> list[str]:
        """What is not kept or did not come back, in sentences."""
        skipped = [thing.skipped for thing in self._things.values() if thing.skipped]
        return [*filter(None, [self._browser_problem]), *skipped, *self._lost.values()]

    def hear(self, message: Mapping[str, Any], workspace: Workspace) -> None:
        """Take over what the browser says. Whatever is odd in it is left out."""
        number = message.get("seq")
        if not isinstance(number, int) or isinstance(number, bool) or number <= self.heard:
            return
        self.heard = number
        problem = message.get("problem")
        problem = problem[:300] if isinstance(problem, str) else ""
        if self._browser_problem and not problem:  # there is room again, perhaps for the others, too
            self._refused.clear()
        self._browser_problem = problem
        if isinstance(message.get("on"), bool):
            self.on = message["on"]
        records = message.get("records")
        for sent in records[:MAX_RECORDS] if isinstance(records, list) else []:
            self._take_back(sent, workspace)
        if isinstance(message.get("list"), list):
            self._compare(message["list"], workspace)
        if problem and self._put and self._put not in self.stored:
            self._refused.add(self._put)  # once is enough: it would be sent again and again

    def _compare(self, listed: list[Any], workspace: Workspace) -> None:
        stored: dict[str, int] = {}
        for entry in listed[:MAX_RECORDS]:
            if isinstance(entry, dict) and _is_id(entry.get("id")):
                n_bytes = entry.get("n_bytes")
                stored[entry["id"]] = n_bytes if isinstance(n_bytes, int) and _is_count(n_bytes) else 0
        if self.listed and self.on:
            for gone in set(self.stored) - set(stored):
                if gone not in self._removed:  # removed or replaced in another tab
                    self._forget(gone, workspace)
        self.stored, self.listed = stored, True
        self._removed &= set(stored)

    def _forget(self, record: str, workspace: Workspace) -> None:
        slot = self._slots.pop(record, None)
        if slot is None or slot in self._slots.values():
            return
        if slot == _EDITOR:  # another tab's editor took its place: this one keeps its text on the screen
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

    def _take_back(self, sent: Any, workspace: Workspace) -> None:
        """Put what a record holds into the session; or note why it cannot be."""
        if not isinstance(sent, dict) or not _is_id(sent.get("id")) or sent["id"] in self._slots:
            return
        head, payload = sent.get("head"), sent.get("payload")
        title = "Something that was kept"
        try:
            if not isinstance(head, dict) or not isinstance(payload, str):
                raise ValueError("it is damaged")
            title = " ".join(str(head.get("title", ""))[:60].split()) or title
            if head.get("version") != VERSION:
                raise ValueError("another version of Token Grove kept it")
            if len(payload) > MAX_RECORD_BYTES * 4 // 3 + 4:
                raise ValueError("it is too long")
            try:
                record = Record(head, base64.b64decode(payload, validate=True))
            except (binascii.Error, ValueError):
                raise ValueError("it is damaged") from None
            slot = _put_back(record, workspace)
        except (ValueError, OSError) as problem:
            self._lost[sent["id"]] = f"{title} could not be brought back: {str(problem).rstrip('.')}."
            return
        self._slots[sent["id"]] = slot
        if slot is not None:
            self._things.setdefault(slot, _Thing(_standing(workspace)[slot], sent["id"]))
            self.came_back = True

    def next_step(self, workspace: Workspace) -> dict[str, Any]:
        """What the browser is told: which records to send, to remove and to put; one at a time is put."""
        step: dict[str, Any] = {
            "session": self.session,
            "heard": self.heard,
            "asks": not self.listed,
            "want": [],
            "remove": [],
            "put": None,
            "most": MAX_ALL_BYTES,
        }
        if self.listed and self.on:
            step["want"] = self.wants
            if not step["want"]:  # first what is there: it may be the same
                step["remove"] = self._let_go(workspace)
                step["put"] = self._next_record(workspace)
        step["problems"] = self.problems[:20]
        return step

    def _let_go(self, workspace: Workspace) -> list[str]:
        """The records of what is no longer as it was."""
        standing = _standing(workspace)
        for slot, thing in list(self._things.items()):
            if not _same(standing.get(slot), thing.objects):
                del self._things[slot]
        for each, kept in list(self._slots.items()):
            if kept is not None and kept not in self._things:
                del self._slots[each]
                self._removed.add(each)
        self._removed &= set(self.stored)
        return sorted(self._removed)

    def _next_record(self, workspace: Workspace) -> dict[str, Any] | None:
        """The first thing that is not in the browser's storage and fits into it."""
        for slot, objects in _standing(workspace).items():
            thing = self._things.get(slot)
            if thing is not None and (
                thing.skipped is not None or thing.record in self.stored or thing.record in self._refused
            ):
                continue
            record = _make(slot, objects)
            n_bytes, name = len(record.payload), record.id
            skipped = None if name in self.stored else self._no_room(record)
            self._things[slot] = _Thing(objects, name, skipped)
            self._slots[name] = slot
            if skipped is None and name not in self.stored:
                payload = base64.b64encode(record.payload).decode("ascii")
                self._put = name
                return {"id": name, "n_bytes": n_bytes, "head": record.head, "payload": payload}
        return None

    def _no_room(self, record: Record) -> str | None:
        """Why there is no room for a record."""
        n_bytes, others = len(record.payload), sum(self.stored.values())
        title, most = record.head["title"], MAX_ALL_BYTES >> 20
        if n_bytes > MAX_RECORD_BYTES:
            return (
                f"{title} is too large to be kept in this browser: it has {n_bytes >> 20} MB compressed, and "
                f"{MAX_RECORD_BYTES >> 20} MB is the limit. It is here until this page is closed: save it."
            )
        if others + n_bytes > MAX_ALL_BYTES or len(self.stored) >= MAX_RECORDS:
            return (
                f"{title} is not kept: this browser keeps up to {most} MB and {MAX_RECORDS} things, and that "
                "is taken. It is here until this page is closed: save it, or remove others and reload."
            )
        return None


def _standing(workspace: Workspace) -> dict[Slot, tuple[object, ...]]:
    """All in a session that is worth keeping, by its slot."""
    things: dict[Slot, tuple[object, ...]] = {}
    for name, encoding in list(workspace.grown.items()):
        things["encoding", name] = (encoding, workspace.growth.get(name))
    for own in workspace.own_texts.brought:
        things["text", own.key] = (own,)
    if not workspace.link_holds_text:
        things[_EDITOR] = (workspace.text,)
    return things


def _same(objects: tuple[object, ...] | None, others: tuple[object, ...]) -> bool:
    return objects is not None and all(map(operator.is_, objects, others))


def _make(slot: Slot, objects: tuple[Any, ...]) -> Record:
    if slot == _EDITOR:
        return record_of_editor(*objects)
    return record_of_text(*objects) if slot[0] == "text" else record_of_encoding(*objects)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _put_back(record: Record, workspace: Workspace) -> Slot | None:
    """Put what a record holds into a session; None: it is left out, since something else stands there.

    Raises:
        ValueError: it cannot be read, or there is no room for it.
    """
    kind, head = record.head.get("kind"), record.head
    if kind == "encoding":
        encoding, grown = read_encoding(record)
        return "encoding", workspace.come_back(encoding, grown)
    if kind == "text":
        (data,) = record.read_parts([MAX_TEXT_BYTES])
        how, guessed = str(head.get("how", ""))[:200], None
        if "codec" in head:
            file = GuessedFile(str(head.get("file", ""))[:80], data, "")
            decoded, guessed = file.read_as(str(head["codec"]))
            text, how = decoded.text, decoded.how
        else:
            text = data.decode("utf-8")
        title, key = str(head.get("title", ""))[:MAX_TITLE_SENT], str(head.get("key", ""))
        return "text", workspace.own_texts.add(title, text, how=how, guessed=guessed, key=key)
    if kind == "editor":
        (data,) = record.read_parts([MAX_TEXT_BYTES])
        return _EDITOR if workspace.text_comes_back(data.decode("utf-8", "surrogatepass")) else None
    raise ValueError("another version of Token Grove kept it")
