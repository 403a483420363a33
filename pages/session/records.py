"""What a person made, as records: each holds one thing, in bytes that can be kept anywhere.

A record is a head, which is JSON, and a payload of bytes. What comes back is read as an upload is read, by
the same readers and within the same limits: whoever holds the place where it lay can have changed it.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pages.session.grown import REFERENCES, Grown
from pages.session.own_texts import MAX_TEXTS, OwnText
from pages.session.train_plan import Recipe
from tokenizers.data import MAX_WEIGHT
from tokenizers.encoding import Encoding
from tokenizers.formats import MAX_BYTES, file_of, read_any

MAX_GROWTH_BYTES = 20 << 20  # of JSON; what is beyond is left out, and the encoding is kept without it
VERSION = 1

_PATTERN_CHOSEN = "walls_told"
"""The key of ``Grown.pattern_chosen`` in a record. Browsers already keep records with this older name."""

_PART_LENGTHS = (MAX_BYTES, MAX_GROWTH_BYTES)


@dataclass(frozen=True)
class Record:
    """One thing, as it is kept.

    Attributes:
        head: JSON that says what it is: version, kind, title, and what its kind needs.
        payload: compressed; its parts follow one another, and the head says how long each is.
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
        """A digest of all that it holds: the same thing has the same id in every tab."""
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


def record_of_encoding(encoding: Encoding, grown: Grown | None) -> Record:
    """An encoding: the file that it is read back from, and what is known of its growth."""
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
            "stopped": grown.stopped,
            "own_digests": grown.own_digests,
            "file": grown.file,
            _PATTERN_CHOSEN: grown.pattern_chosen,
        }
        growth = json.dumps(known, separators=(",", ":")).encode()
        if len(growth) > MAX_GROWTH_BYTES:  # the curve on each source's held-out text is most of it
            growth = json.dumps({**known, "report": {}}, separators=(",", ":")).encode()
        if len(growth) > MAX_GROWTH_BYTES:
            growth = b""
    return Record.make("encoding", encoding.name, [file_of(encoding), growth])


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


def read_encoding(
    record: Record, check: Callable[[bytes], object] = lambda model: None
) -> tuple[Encoding, Grown | None]:
    """The encoding of a record; and what is known of its growth, unless that makes no sense.

    Args:
        record: of an encoding.
        check: gets its file before that is read, which takes much memory; an error of its ends this.

    Raises:
        ValueError: it is no encoding.
    """
    model, growth = record.read_parts(_PART_LENGTHS)
    check(model)
    encoding = read_any(model, name_in(record))
    if not growth:
        return encoding, None
    try:
        return encoding, _read_growth(json.loads(growth), encoding)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError, OverflowError):
        return encoding, None


def file_in(record: Record) -> bytes:
    """The file that is in an encoding's record, as ``save`` gave it.

    Raises:
        ValueError: it is damaged.
    """
    return record.read_parts(_PART_LENGTHS)[0]


def name_in(record: Record) -> str:
    """What an encoding's record calls it."""
    return str(record.head.get("title", ""))[:60] or "grove"


def _read_growth(known: dict[str, Any], encoding: Encoding) -> Grown:
    """Raises KeyError, TypeError or ValueError if a part of it is not what the pages draw."""
    n_merges = 0 if encoding.training is None else len(encoding.training.merges)
    recipe = Recipe.from_record(known["recipe"]) if known["recipe"] is not None else None
    stopped = known["stopped"]
    if encoding.training is not None:
        encoding.training.stopped = None if stopped is None else _sentence(stopped)
    report = known["report"]
    if report:
        n_sizes = n_merges + 1 if encoding.training is not None else len(_read_sizes(report["sizes"]))
        sources = [_read_source(source, n_sizes) for source in _listed(report["sources"])]
        if len(sources) != (len(recipe.weighted_parts) if recipe else 0):
            raise ValueError
        report = {
            "sources": sources,
            "script_bytes": _read_scripts(report["script_bytes"]),
            "script_tokens": _read_scripts(report["script_tokens"]),
            "sizes": [] if encoding.training is not None else _read_sizes(report["sizes"]),
            "stopped": None if stopped is None else _sentence(stopped),
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
        known[_PATTERN_CHOSEN] is True,
    )


_COUNTED_SINCE_METHODS = ("held_words", "unknown_tokens", "unknown_bytes", "lost_bytes")


def _read_sizes(sizes: Any) -> list[int]:
    """Vocabulary sizes at which a text was counted, rising."""
    if not _listed(sizes) or not all(map(_is_count, sizes)) or sorted(set(sizes)) != sizes:
        raise ValueError
    return list(sizes)


def _read_source(source: dict[str, Any], n_sizes: int) -> dict[str, Any]:
    held = _counts(source["held_tokens"], n_sizes)
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
        **{count: _count(source.get(count, 0)) for count in _COUNTED_SINCE_METHODS},
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
