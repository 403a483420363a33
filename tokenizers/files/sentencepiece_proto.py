"""What a SentencePiece .model file contains, read and checked before its library sees any of it.

The file is a message of protocol buffers (``protobuf.py`` has their format, and SentencePiece's own
``src/sentencepiece_model.proto`` the fields): the pieces, how they were trained, and how a text is
normalised. The library takes most of it as it comes, and a file that was made by hand can end its process.
So the fields that it needs are checked here first, the compiled table of the normaliser in ``charsmap.py``.
"""

from __future__ import annotations

import collections
import itertools
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .. import limits
from ..amounts import bytes_in_words
from .charsmap import check_charsmap
from .protobuf import Value, bytes_in, fields_of, next_field, number_in, text_in, write_field

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Kinds of pieces, as the file numbers them."""

UNIGRAM, BPE, WORD, CHAR = range(1, 5)
"""Kinds of models, as the file numbers them."""

MAX_BYTES = limits.FILE_MB * limits.MB
MAX_PIECES = 1_000_000
MAX_PIECE_BYTES = 1_000
"""The library itself takes pieces of under 8,000 bytes; the longest in use have a few hundred."""

MAX_BYTES_OF_PIECES = 16 << 20
"""Bytes of all pieces together. The largest models in use have 9 MB; the library takes 10 s for this much."""

MAX_SCORE = 1e9
MAX_SPECIAL_TOKENS = 50_000
_MAX_SPEC_BYTES = 16 << 20  # how it was trained, which can list every symbol again; the normaliser

Scores = npt.NDArray[np.float32]
Kinds = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
_NOWHERE, _NO_KIND = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.bool_)


@dataclass(frozen=True, slots=True)
class ModelFile:
    """The content of a .model file, checked.

    Attributes:
        raw: the pieces, as the file has them.
        pieces: by id, as the file has them: ▁ stands for a space.
        scores: of each piece, shape (number of pieces,).
        kinds: of each piece, as numbered above, shape (number of pieces,).
        kind: of the model, as numbered above.
        charsmap: the normaliser's compiled table; empty: none.
        rule: what the file calls the normaliser's rules, such as nmt_nfkc; it may be empty, or wrong.
        adds_space: whether a space is put beside a text.
        space_behind: whether that space is put behind it, and each word's space after it.
        removes_spaces: whether white space is trimmed, and several spaces become one.
        escapes_spaces: whether a space becomes ▁.
        byte_fallback: whether a character that is no piece becomes its bytes.
        unknown_surface: what the unknown piece is decoded to.
        reserved: ids of the pieces that begin and end a text, and fill it up: "bos", "eos", "pad".
    """

    raw: bytes
    pieces: list[str]
    scores: Scores
    kinds: Kinds
    kind: int
    charsmap: bytes
    rule: str
    adds_space: bool
    space_behind: bool
    removes_spaces: bool
    escapes_spaces: bool
    byte_fallback: bool
    unknown_surface: str
    reserved: Mapping[str, int]

    def ids_of(self, *kinds: int) -> list[int]:
        """The pieces of these kinds.

        >>> model = read_model(write_model(["<unk>", "a"], [0, -1], [UNKNOWN, NORMAL], kind=BPE))
        >>> model.ids_of(NORMAL, USER_DEFINED), model.pieces
        ([1], ['<unk>', 'a'])
        """
        ids: list[int] = np.flatnonzero(np.isin(self.kinds, kinds)).tolist()
        return ids


def read_model(data: bytes, *, is_published: bool = False) -> ModelFile:
    """What a .model file holds.

    Args:
        data: the file's content.
        is_published: whether its hash is that of a file that was checked before; then its pieces and its
            normaliser's table are not looked through again.

    Raises:
        ValueError: it is no SentencePiece model, it is damaged, or it is beyond the limits of this module.

    >>> read_model(b"\\x0a\\x03\\x0a\\x01")
    Traceback (most recent call last):
    ...
    ValueError: It is no complete SentencePiece model: the file was cut off, or is of another kind.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"The file is larger than {bytes_in_words(MAX_BYTES)}: no SentencePiece model is.")
    try:
        names, scores, kinds, messages, raw = _read_pieces(data)
    except (IndexError, struct.error):
        raise ValueError(
            "It is no complete SentencePiece model: the file was cut off, or is of another kind."
        ) from None
    if not names:
        raise ValueError("It is no SentencePiece model: it has no pieces.")
    trainer, normaliser, denormaliser = (b"".join(messages.get(field, ())) for field in (2, 3, 5))
    if max(len(trainer), len(normaliser)) > _MAX_SPEC_BYTES:
        raise ValueError("It is no SentencePiece model: its settings take more space than any has.")
    training, normalising = fields_of(trainer), fields_of(normaliser)
    if fields_of(denormaliser).get(2):
        raise ValueError(
            "It rewrites a text when it decodes, too (denormalizer_spec), which is not done here. Train or "
            "save it without denormalization_rule_tsv."
        )
    kind = number_in(training, 3, UNIGRAM)
    if kind not in (UNIGRAM, BPE, WORD, CHAR):
        raise ValueError(
            f"Its model type is {kind}, and SentencePiece knows only 1 to 4: the file is damaged."
        )
    charsmap = bytes_in(normalising, 2)
    if charsmap and not is_published:
        check_charsmap(charsmap)
    file = ModelFile(
        raw=raw,
        pieces=_decode(names),
        scores=scores,
        kinds=kinds,
        kind=kind,
        charsmap=charsmap,
        rule=text_in(normalising, 1, ""),
        adds_space=bool(number_in(normalising, 3, 1)),
        space_behind=bool(number_in(training, 24, 0)),
        removes_spaces=bool(number_in(normalising, 4, 1)),
        escapes_spaces=bool(number_in(normalising, 5, 1)),
        byte_fallback=bool(number_in(training, 35, 0)),
        unknown_surface=text_in(training, 44, " ⁇ "),
        reserved=_reserved(names, kinds, training),
    )
    if not is_published:
        _check_pieces(file, names)
    return file


_AT_ONCE = 1 << 20  # bytes of a file that are looked through at a time for pieces in the usual spelling


def _usual_pieces(content: npt.NDArray[np.uint8], begin: int) -> tuple[Places, Places, Places]:
    """Where pieces in the usual spelling may be, of those that begin within the next ``_AT_ONCE`` bytes.

    Most pieces have a name, then a score, then perhaps a kind, each of them in so many bytes. The same bytes
    may also be inside another piece: only those are pieces that a walk from the file's beginning comes to.

    Args:
        content: the file, shape (bytes of it,).
        begin: where to look first.

    Returns:
        where each begins and ends, and where its score is, shape (n,) each.
    """
    size = len(content)
    part = content[begin : begin + _AT_ONCE + 4]
    # A piece (0x0A) of under 128 bytes, and in it a name (0x0A) of under 128 bytes.
    likely = (part[:-3] == 0x0A) & (part[2:-1] == 0x0A) & (part[1:-2] < 0x80) & (part[3:] < 0x80)
    starts = np.flatnonzero(likely[:_AT_ONCE]) + begin
    ends = starts + 2 + content[starts + 1]
    scores = starts + 4 + content[starts + 3]
    rest = ends - scores
    fits = (ends <= size) & ((rest == 5) | (rest == 7))
    starts, ends, scores, rest = starts[fits], ends[fits], scores[fits], rest[fits]
    # Its score (0x15), and its kind (0x18) or its end.
    fits = (content[scores] == 0x15) & ((rest == 5) | (content[np.minimum(scores + 5, size - 1)] == 0x18))
    return starts[fits], ends[fits], scores[fits] + 1


def _read_pieces(
    data: bytes,
) -> tuple[list[bytes], Scores, Kinds, dict[int, list[bytes]], bytes]:
    """The pieces' names, scores and kinds, the other messages by their field's number, and the pieces' bytes.

    Raises:
        ValueError, IndexError, struct.error: the file is damaged.
    """
    content = np.frombuffer(data, np.uint8)
    names: list[bytes] = []
    # Where the score of each piece is, and whether its kind follows. Of a piece in another spelling, its
    # score and kind are kept by its id instead.
    places: list[Places] = []
    with_kind: list[npt.NDArray[np.bool_]] = []
    spelt_out: dict[int, tuple[bytes, int]] = {}
    messages: dict[int, list[bytes]] = {}
    raw: list[bytes] = []
    begin = 0  # of a row of pieces
    at, size = 0, len(data)
    looked_up_to = 0
    while at < size:
        if at >= looked_up_to:
            starts, ends, scores_at = _usual_pieces(content, at)
            looked_up_to = at + _AT_ONCE
            # Where the next one of these does not begin at the end of the one before.
            row_ends = np.append(np.flatnonzero(starts[1:] != ends[:-1]), len(starts) - 1)
        first = int(np.searchsorted(starts, at))
        if first < len(starts) and starts[first] == at:
            last = int(row_ends[np.searchsorted(row_ends, first)]) + 1
            where = scores_at[first:last]
            names += [
                data[name:stop]
                for name, stop in zip((starts[first:last] + 4).tolist(), (where - 1).tolist(), strict=True)
            ]
            places.append(where)
            with_kind.append(ends[first:last] - where == 6)
            at = int(ends[last - 1])
        else:
            start = at
            field, value, at = next_field(data, at)
            if field != 1:
                raw.append(data[begin:start])
                begin = at
                if isinstance(value, bytes):
                    messages.setdefault(field, []).append(value)
                continue
            if not isinstance(value, bytes):
                raise IndexError
            piece = fields_of(value)
            kind = number_in(piece, 3, NORMAL)
            spelt_out[len(names)] = (bytes_in(piece, 2) or b"\0\0\0\0")[:4], kind if kind < 256 else 0
            names.append(bytes_in(piece, 1))
            places.append(_NOWHERE)
            with_kind.append(_NO_KIND)
        if len(names) > MAX_PIECES:
            raise ValueError(f"It has more than {MAX_PIECES:,} pieces, which is the limit here.")
    raw.append(data[begin:])
    scores = np.zeros(len(names), dtype="<f4")
    kinds = np.full(len(names), NORMAL, dtype=np.uint8)
    if names:
        where = np.concatenate(places)
        in_bytes = content[np.minimum(where[:, None] + np.arange(4), size - 1)]
        scores = np.ascontiguousarray(in_bytes).view("<f4")[:, 0].copy()
        has_kind = np.concatenate(with_kind)
        kinds[has_kind] = content[where[has_kind] + 5]
    for token_id, (score, kind) in spelt_out.items():
        scores[token_id] = struct.unpack("<f", score)[0]
        kinds[token_id] = kind
    return names, scores, kinds, messages, b"".join(raw)


def check_special_count(kinds: Kinds) -> None:
    """Refuse a file whose special tokens would take minutes to make a pattern of.

    Args:
        kinds: of each piece; a .gguf file numbers them alike.

    Raises:
        ValueError: more control pieces, or more user-defined symbols, than ``MAX_SPECIAL_TOKENS``.
    """
    for kind, name in ((CONTROL, "control pieces"), (USER_DEFINED, "user-defined symbols")):
        n_special = int((kinds == kind).sum())
        if n_special > MAX_SPECIAL_TOKENS:
            raise ValueError(f"It has {n_special:,} {name}, and {MAX_SPECIAL_TOKENS:,} are the limit here.")


def _check_pieces(file: ModelFile, names: Sequence[bytes]) -> None:
    """Refuse pieces that the library would not take, or would take in a way of its own."""
    kinds = file.kinds
    if not ((kinds >= NORMAL) & (kinds <= BYTE)).all():
        raise ValueError("A piece is of a kind that SentencePiece does not know: the file is damaged.")
    lengths = np.fromiter(map(len, names), np.int64, len(names))
    if not lengths.all():
        raise ValueError(f"Piece {int(lengths.argmin())} is empty: the file is damaged.")
    if lengths.max() > MAX_PIECE_BYTES:
        raise ValueError(
            f"Piece {int(lengths.argmax())} has {int(lengths.max()):,} bytes, and the limit here is "
            f"{MAX_PIECE_BYTES:,}."
        )
    if lengths.sum() > MAX_BYTES_OF_PIECES:
        raise ValueError(
            f"Its pieces have {bytes_in_words(int(lengths.sum()))} together, and the limit here is "
            f"{bytes_in_words(MAX_BYTES_OF_PIECES)}."
        )
    if not np.isfinite(file.scores).all() or np.abs(file.scores).max() > MAX_SCORE:
        raise ValueError("A piece has a score that is no number within reason: the file is damaged.")
    is_reserved = np.isin(kinds, (UNKNOWN, CONTROL, BYTE))
    some_come_twice = len(set(names)) < len(names)
    if some_come_twice:
        for is_other in (is_reserved, ~is_reserved):
            counts = collections.Counter(names[token_id] for token_id in np.flatnonzero(is_other).tolist())
            piece, times = counts.most_common(1)[0] if counts else (b"", 0)
            if times > 1:
                raise ValueError(f"It has the piece {piece.decode()!r:.80} twice: the file is damaged.")
    n_unknown = int((kinds == UNKNOWN).sum())
    if n_unknown != 1:
        raise ValueError(
            f"It has {n_unknown or 'no'} unknown piece{'s' * (n_unknown > 1)}, and a SentencePiece model has "
            "exactly one: the file is damaged."
        )
    check_special_count(kinds)
    byte_names = {names[token_id] for token_id in file.ids_of(BYTE)}
    if byte_names != ({b"<0x%02X>" % byte for byte in range(256)} if file.byte_fallback else set()):
        raise ValueError(
            "A model that falls back to bytes has a piece for each of the 256, named <0x00> to <0xFF>; this "
            "one has not: the file is damaged."
            if file.byte_fallback
            else "It has pieces of single bytes, but does not fall back to them: the file is damaged."
        )
    if not (~is_reserved).any():
        raise ValueError("It has no pieces that a text could hold.")
    # The library looks a piece up among the reserved ones first, in all kinds of models but Unigram.
    ordinary = set(itertools.compress(names, (~is_reserved).tolist())) if some_come_twice else set()
    for token_id in np.flatnonzero(is_reserved).tolist():
        if names[token_id] in ordinary or (len(file.pieces[token_id]) == 1 and file.kind != UNIGRAM):
            raise ValueError(
                f"Its piece {file.pieces[token_id]!r:.80} is a control piece, but a text can spell it too, "
                "so that it would be read in two ways. Such a file cannot be shown exactly."
            )


def _decode(names: Sequence[bytes]) -> list[str]:
    """The pieces as texts."""
    joined = b"\0".join(names)
    try:
        pieces = joined.decode("utf-8").split("\0")
    except UnicodeDecodeError:
        raise ValueError("A piece is no text in UTF-8: the file is damaged.") from None
    if len(pieces) != len(names):
        raise ValueError("A piece holds a NUL, which no piece can: the file is damaged.")
    return pieces


def _reserved(names: Sequence[bytes], kinds: Kinds, training: Mapping[int, Value]) -> dict[str, int]:
    """The ids of the control pieces that begin, end and fill a text: those that are there."""
    ids: dict[str, int] = {}
    for role, field, default in (("bos", 46, b"<s>"), ("eos", 47, b"</s>"), ("pad", 48, b"<pad>")):
        name = bytes_in(training, field) or default
        at = next((i for i in np.flatnonzero(kinds == CONTROL).tolist() if names[i] == name), None)
        if at is not None:
            ids[role] = at
    return ids


# Writing: what the engine is given, and models from elsewhere


def write_pieces(names: Iterable[str], scores: Iterable[float], kinds: Iterable[int]) -> Iterator[bytes]:
    """The pieces of a model, each as a field of it."""
    for name, score, kind in zip(names, scores, kinds, strict=True):
        parts = write_field(1, name.encode("utf-8")), write_field(2, float(score)), write_field(3, int(kind))
        yield write_field(1, b"".join(parts))


def write_model(
    names: Iterable[str],
    scores: Iterable[float],
    kinds: Iterable[int],
    *,
    kind: int,
    byte_fallback: bool = False,
    charsmap: bytes = b"",
    rule: str = "identity",
    adds_space: bool = True,
    removes_spaces: bool = False,
    trainer: bytes = b"",
) -> bytes:
    """The content of a .model file.

    Args:
        names, scores, kinds: of each piece, by id.
        kind: of the model.
        trainer: more of that message; it comes after what is written here, and so overrides it.
        byte_fallback, charsmap, rule, adds_space, removes_spaces: as of ``ModelFile``.
    """
    training = write_field(3, kind) + write_field(35, byte_fallback) + trainer
    normalising = b"".join(
        (
            write_field(1, rule.encode("utf-8")),
            write_field(2, charsmap),
            write_field(3, adds_space),
            write_field(4, removes_spaces),
        )
    )
    return b"".join(
        itertools.chain(
            write_pieces(names, scores, kinds), (write_field(2, training), write_field(3, normalising))
        )
    )
