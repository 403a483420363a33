"""SentencePiece: pieces of text in which ▁ stands for a space, read by Google's own library.

A text is normalised as the model's file says: characters become others, white space may be trimmed, a space
may be put in front, and spaces become ▁. Then it is cut, words and spaces alike: there are no walls. **BPE**
starts with single characters and joins, again and again, the two neighbours whose joined piece has the best
score. A **Unigram** (``unigram.py``) takes the most probable of all ways. A character that is not in the
vocabulary becomes its bytes, such as <0xE2>, or is unknown, as the file says.

Any .model file is read (``formats/sentencepiece_file.py``). The library is given two models for each: a small
one that only normalises, and one that cuts what is normalised. So the normalised text is known.

Source: Kudo and Richardson 2018, SentencePiece, arXiv:1808.06226; https://github.com/google/sentencepiece.
"""

from __future__ import annotations

import abc
import dataclasses
import functools
import hashlib
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..checks import check_whole_number
from ..data.vocabulary_files import read_vocabulary
from ..encoding import AllowedSpecial, Encoding, Ids
from ..entry import Entry
from ..files.charsmap import count_rules
from ..files.sentencepiece_proto import (
    BPE,
    BYTE,
    CONTROL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    WORD,
    ModelFile,
    engine_model,
    normaliser_model,
    read_model,
)
from ..lazily import once
from ..placement import Placement
from ..text.alignment import Normalised, align
from ..text.spelling import quote
from ..utf8 import well_formed
from .piece_merges import PieceMerges

if TYPE_CHECKING:
    from ..text.spans import Spans

SPACE = "▁"
"""What stands for a space in a piece: U+2581, the lower one eighth block."""

_RULES = {
    "nfkc": "NFKC (nfkc)",
    "nmt_nfkc": "NFKC and more (nmt_nfkc)",
    "nfkc_cf": "NFKC and small letters (nfkc_cf)",
    "nmt_nfkc_cf": "NFKC and more, and small letters (nmt_nfkc_cf)",
}
_MOST_UNUSED_BYTES = 4 << 20  # of all unused pieces: merges are tried for each
_MOST_LISTED = 12  # special tokens named in ``steps``


def _library(name: str) -> Any:
    """SentencePiece's library.

    Raises:
        OSError: it is not installed.
    """
    try:
        import sentencepiece  # takes a tenth of a second, and few need it
    except ImportError:
        raise OSError(
            f"{name} needs the library sentencepiece, which is not installed: pip install sentencepiece"
        ) from None
    return sentencepiece


def load_processor(model: bytes, name: str) -> Any:
    """SentencePiece's processor of a model that was checked.

    Raises:
        OSError: the library is not installed. ValueError: it does not take the model.
    """
    processor = _library(name).SentencePieceProcessor()
    try:
        processor.load_from_serialized_proto(model)
    except RuntimeError as problem:
        message = str(problem).partition("\n")[0].removeprefix("INTERNAL: ")[:200].rstrip(".")
        raise ValueError(f"SentencePiece's library does not take it: {message}.") from None
    return processor


class SentencePieces(Encoding):
    """What SentencePiece's kinds of models have in common.

    Two tokens may stand for the same bytes: a character and its byte, such as A and <0x41>. Encoding gives
    the character's; ``ordinary`` has that one, and ``token_bytes`` and the pages know both.

    Args:
        model: the content of a .model file.
        name: what people call it.
        newline: a control piece that stands for a line's end; None: there is none.
        file: what ``model`` holds, if it has been read already.
        saved: the content of the file that it came from; None: it comes with the app.

    Raises:
        OSError: SentencePiece's library is not installed. ValueError: the model is damaged.

    Attributes:
        scores: of each piece, as its file has it, shape (n_vocab,). The best one is the highest.
    """

    is_lossless = False  # a ▁ in the text comes back as a space

    def __init__(
        self,
        model: bytes,
        *,
        name: str,
        newline: str | None = None,
        file: ModelFile | None = None,
        saved: bytes | None = None,
    ) -> None:
        _library(name)
        if file is None:
            try:
                file = read_model(model)
            except ValueError as problem:
                raise ValueError(f"{name} is no SentencePiece model. {problem}") from None
        self._saved = saved
        self._digest = hashlib.sha256(model).digest()
        self._processor = load_processor(engine_model(file), name)
        self._normaliser = load_processor(normaliser_model(file), name)
        self._inside = load_processor(normaliser_model(file, inside=True), name)
        self._n_vocab = len(file.pieces)
        self._pieces = file.pieces
        self._kinds = file.kinds
        self._is_byte = file.kinds == BYTE
        self._is_control = np.isin(file.kinds, (CONTROL, UNKNOWN))
        self.scores: npt.NDArray[np.float64] = file.scores.astype(np.float64)
        # The character that stands for ▁ in the joined tokens.
        self._space = " " if _has_space(file) else SPACE
        self._bytes = "\0".join(file.pieces).replace(SPACE, " ").encode("utf-8").split(b"\0")
        self._read_bytes = self._bytes
        if self._space == SPACE:
            self._read_bytes = [piece.encode("utf-8") for piece in file.pieces]
        for token_id in np.flatnonzero(self._is_byte).tolist():
            self._bytes[token_id] = self._read_bytes[token_id] = bytes([int(file.pieces[token_id][3:-1], 16)])
        if newline is not None:
            if newline not in file.pieces:
                raise ValueError(f"The model of {name} has no piece {newline}.")
            token_id = file.pieces.index(newline)
            self._bytes[token_id] = b"\n"
            self._is_control[token_id] = False
        [unknown] = file.ids_of(UNKNOWN)
        self._unknown_piece = unknown
        special = {  # with byte fallback, no text becomes the unknown piece
            self._pieces[token_id]: token_id
            for token_id in np.flatnonzero(self._is_control).tolist()
            if token_id != unknown or file.byte_fallback
        }
        super().__init__(name, special)
        if not file.byte_fallback:
            self.unknown_id, self.drops_text = unknown, True
        self._unknown_surface = file.unknown_surface.encode("utf-8")
        self._lengths = np.fromiter(map(len, self._bytes), np.int64, self._n_vocab)
        self._read_lengths = self._lengths
        if self._read_bytes is not self._bytes:
            self._read_lengths = np.fromiter(map(len, self._read_bytes), np.int64, self._n_vocab)
        self._adds_space, self._space_behind = file.adds_space, file.space_behind
        self._removes_spaces, self._escapes_spaces = file.removes_spaces, file.escapes_spaces
        self.puts_space_in_front = file.adds_space and not file.space_behind
        self._is_plain = not file.charsmap and not file.removes_spaces
        if not self._is_plain:
            self.longest_text = 2 << 20  # where each character came from is a list of the library's
        self._normaliser_in_words = functools.partial(
            _normaliser_in_words, dataclasses.replace(file, raw=b"")
        )
        self.frame = _frame_of(file)
        self.chat_names = {f"{what}_token": file.pieces[at] for what, at in file.reserved.items()}
        self._check(file)

    def _check(self, file: ModelFile) -> None:
        """Raise a ValueError for a file that this kind of model cannot show exactly."""

    def _cut(self, normal: str) -> list[int]:
        """The ids of a text that is normalised."""
        ids: list[int] = self._processor.encode(normal)
        return ids

    def _read(self, text: str, in_front: bool = True) -> str:
        """A text without special tokens as it is cut: normalised, with ▁ for a space.

        Args:
            text: a well-formed text.
            in_front: whether to put the space in front that a text by itself gets; otherwise it is cut as a
                part of another text.
        """
        if not text:
            return ""
        if not self._is_plain:
            normal: str = (self._normaliser if in_front else self._inside).normalize(text)
            return normal
        if self._adds_space and in_front:
            text = text + " " if self._space_behind else " " + text
        return text.replace(" ", SPACE) if self._escapes_spaces else text

    def _seen(self, text: str) -> str:
        """A text as it is cut, with spaces, so that its pieces' bytes join to it."""
        return self._read(well_formed(text)).replace(SPACE, self._space)

    def _encode(self, text: str, in_front: bool) -> list[int]:
        """The ids of a text without special tokens, by itself or as inside of another one."""
        normal = self._read(text, in_front)
        return self._cut(normal) if normal else []

    def _normalise(self, text: str) -> Normalised:
        """A text without special tokens, as it is read by itself, and where that came from."""
        if self._is_plain:
            if not self._adds_space:
                return Normalised(text, [], self._seen(text))
            if self._space_behind:
                return Normalised(text + " ", [len(text)], self._seen(text))
            return Normalised(" " + text, [0], self._seen(text))
        normal, places = self._normaliser.normalize(text, with_offsets=True)
        normal = normal.replace(SPACE, self._space)
        origins = np.array(places, dtype=np.int64)
        if not normal:
            return Normalised(text, [], "", np.zeros(1, dtype=np.int64))
        if not self._adds_space:
            return Normalised(text, [], normal, None if normal == text else origins)
        # The space that is added goes beside what is left of the text, not beyond what is dropped.
        if self._space_behind:
            beside = int(origins[-2])
            origins[-1] = beside + 1
        else:
            beside = int(origins[1]) if len(normal) > 1 else 0
            origins += 1
            origins[0] = beside
        source = f"{text[:beside]} {text[beside:]}"
        return Normalised(source, [beside], normal, None if normal == source else origins)

    def _lengths_in(self, ids: Ids, text: str) -> npt.NDArray[np.int64]:
        """Bytes of the normalised text in each of these tokens, which are its own."""
        lengths = self._read_lengths[ids]
        if self.unknown_id is not None and (ids == self.unknown_id).any():
            pieces = self._processor.encode(self._read(text), out_type=str)
            unknown = np.flatnonzero(ids == self.unknown_id).tolist()
            lengths[unknown] = [len(pieces[at].replace(SPACE, self._space).encode("utf-8")) for at in unknown]
        return lengths

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self._n_vocab

    @once
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become: id by bytes. If two tokens stand for the same bytes, the id is
        the one that encoding gives: a character's, not its byte's."""
        arises = ~self._is_control & ~self._is_unused & ~self._never_read
        in_order = [
            *np.flatnonzero(self._is_byte).tolist(),
            *np.flatnonzero(arises & ~self._is_byte).tolist(),
        ]
        return {self._bytes[token_id]: token_id for token_id in in_order}

    @once
    def _ids_read(self) -> dict[bytes, int]:
        """The pieces that a normalised text can be cut into: their bytes there, and their ids."""
        return {
            self._read_bytes[token_id]: token_id
            for token_id in self.ordinary.values()
            if not self._is_byte[token_id]
        }

    @once
    def _never_read(self) -> npt.NDArray[np.bool_]:
        """Which pieces contain a space, and so never arise, since spaces become ▁ first; shape (n_vocab,)."""
        if not self._escapes_spaces or " " not in self._joined_pieces:
            return np.zeros(self._n_vocab, dtype=np.bool_)
        return np.array([" " in piece for piece in self._pieces])

    @once
    def _is_unused(self) -> npt.NDArray[np.bool_]:
        """Which pieces the file says no text becomes, shape (n_vocab,)."""
        unused: npt.NDArray[np.bool_] = self._kinds == UNUSED
        return unused

    @once
    def _user_defined(self) -> frozenset[int]:
        return frozenset(np.flatnonzero((self._kinds == USER_DEFINED) & ~self._never_read).tolist())

    @once
    def byte_lengths(self) -> npt.NDArray[np.uint32]:
        """Bytes in each token, shape (n_vocab,), indexed by id: of every token, even one that no text
        becomes."""
        return self._lengths.astype(np.uint32)

    @property
    def saved(self) -> bytes | None:
        """The content of the file that it was read from; None: it comes with the app."""
        return self._saved

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What it does to a text, step by step: what the step is called, and what happens in it.

        >>> from tokenizers import get_encoding
        >>> for step in get_encoding("mistral-v1").steps:
        ...     print(*step, sep=": ")
        Normaliser: no character is changed; a space is put in front; spaces become ▁
        Pre-tokeniser: none; no piece reaches from one word into the next
        Model: SentencePiece BPE, 32,000 pieces, merged by score; what is unknown becomes its bytes
        Special tokens: <unk> 0, <s> 1, </s> 2
        Added on request: <s> in front
        """
        number = f"{self._n_vocab:,} pieces"
        rest = (
            f"what is unknown becomes {self._pieces[self.unknown_id]}"
            if self.unknown_id is not None
            else "what is unknown becomes its bytes"
        )
        added = len(self._user_defined)
        symbols = f"; {_count(added, 'user-defined symbol')}, taken whole first" if added else ""
        steps = [
            ("Normaliser", self._normaliser_in_words()),
            ("Pre-tokeniser", f"none; {self._reach}"),
            ("Model", f"{self._model_in_words.format(number)}; {rest}{symbols}"),
        ]
        if self.special_tokens:
            in_order = sorted(self.special_tokens.items(), key=lambda item: item[1])
            listed = ", ".join(f"{name} {token_id}" for name, token_id in in_order[:_MOST_LISTED])
            more = len(in_order) - _MOST_LISTED
            steps.append(("Special tokens", f"{listed}{f' and {more:,} more' if more > 0 else ''}"))
        front, behind = (" ".join(self._pieces[token_id] for token_id in ids) for ids in self.frame)
        parts = [f"{front} in front"] * bool(front) + [f"{behind} behind"] * bool(behind)
        steps.append(("Added on request", ", ".join(parts) or "nothing"))
        return steps

    @property
    @abc.abstractmethod
    def _model_in_words(self) -> str:
        """What the model is, with {} for the number of its pieces."""

    @once
    def _reach(self) -> str:
        """How far its pieces reach."""
        return (
            "pieces can reach from one word into the next"
            if self._joined_pieces_match(f"[^{SPACE}\n]{SPACE}+[^{SPACE}\n]")
            else "no piece reaches from one word into the next"
        )

    def _joined_pieces_match(self, pattern: str) -> bool:
        """Whether a pattern without line ends occurs in any piece that is neither control nor byte."""
        return re.search(pattern, self._joined_pieces) is not None

    @once
    def _joined_pieces(self) -> str:
        """All pieces that a text can hold, with line ends between them."""
        plain = (~self._is_control & ~self._is_byte).tolist()
        return "\n".join(itertools.compress(self._pieces, plain))

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for, with a space for ▁.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        if 0 <= check_whole_number(token_id, "token_id") < self._n_vocab:
            return self._bytes[token_id]
        raise self.no_such_token(token_id)

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one is; a space in front covers nothing."""
        ids: list[Ids] = []
        starts: list[npt.NDArray[np.int64]] = []
        ends: list[npt.NDArray[np.int64]] = []
        begin = 0
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            size = len(stretch.encode("utf-8"))
            if special_id is not None:
                ids.append(np.array([special_id], dtype=np.uint32))
                starts.append(np.array([begin]))
                ends.append(np.array([begin + size]))
            elif stretch:
                if not self._is_plain:
                    self.check_growth(len(self._read(stretch).encode("utf-8")))
                those = np.array(self._encode(stretch, True), dtype=np.uint32)
                places = align(self._normalise(stretch), self._lengths_in(those, stretch), self._is_dropped)
                ids.append(those)
                starts.append(begin + places[0])
                ends.append(begin + places[1])
            begin += size
        if not ids:
            none = np.zeros(0, dtype=np.int64)
            return Placement(np.zeros(0, dtype=np.uint32), none, none)
        return Placement(np.concatenate(ids), np.concatenate(starts), np.concatenate(ends))

    def _is_dropped(self, character: str) -> bool:
        """Whether a character alone becomes nothing."""
        became = self._inside.normalize(character)
        return not (became.strip(SPACE + " ") if self._removes_spaces else became)

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        return np.array(self.encode(text, allowed_special=allowed_special), dtype=np.uint32)

    def encode(self, text: str, *, allowed_special: AllowedSpecial = ()) -> list[int]:
        """The ids of ``text``; special tokens in it are plain text unless allowed."""
        ids: list[int] = []
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            ids += self._encode(stretch, True) if special_id is None else [special_id]
        return ids

    def encode_inside(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """As ``encode_each``, for texts as parts of a longer one: without the space in front."""
        return (self._encode(well_formed(text), False) for text in texts)

    def _strips(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Which of these tokens are given back without the space that they begin with, shape (n,).

        If a space is put in front of a text, or white space is trimmed, the library takes the space off the
        first token. If white space is trimmed, it does the same with the next tokens, up to the first that is
        more than a space.
        """
        strips = np.zeros(len(ids), dtype=np.bool_)
        if not self._adds_space and not self._removes_spaces:
            return strips
        for at, token_id in enumerate(ids.tolist()):
            if self._is_control[token_id] and (token_id != self.unknown_id or not self._unknown_surface):
                continue  # nothing is given back so far
            if self._is_byte[token_id] or not self._pieces[token_id].startswith(SPACE):
                break
            strips[at] = True
            if not self._removes_spaces or self._pieces[token_id] != SPACE:
                break
        return strips

    def given_back(self, ids: Sequence[int]) -> list[bytes]:
        """What each of these tokens is decoded to: the text, without the space that was put in front."""
        tokens = list(map(self.token_bytes, ids))
        for at in np.flatnonzero(self._strips(np.array(ids, dtype=np.int64))).tolist():
            tokens[at] = tokens[at][1:]
        if self.unknown_id is None:
            return tokens
        return [
            self._unknown_surface if token_id == self.unknown_id else token
            for token_id, token in zip(ids, tokens, strict=True)
        ]

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the family, and the model."""
        yield f"{self.family}\n".encode()
        yield self._digest

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence.

        Raises:
            ValueError: the text has no such place.
        """
        around = spans.around(byte_offset)
        if isinstance(around, str):
            return around
        before, after = around
        ids = int(spans.ids[before]), int(spans.ids[after])
        if any(map(self.is_special, ids)):
            return "A special token is never joined with its neighbours."
        if self.unknown_id in ids:
            unknown = f"{self._pieces[ids[0] if ids[0] == self.unknown_id else ids[1]]}"
            if before == after:
                return (
                    f"No cut: what is not in the vocabulary is one token, {unknown}, as long as it goes on."
                )
            return f"What is not in the vocabulary, {unknown}, is never joined with what is."
        if before != after and self._is_byte[list(ids)].any():
            return "A character that is not in the vocabulary is here as its bytes, which are never joined."
        symbols = [token_id for token_id in ids if token_id in self._user_defined]
        if symbols:
            symbol = quote(self._bytes[symbols[0]])
            start = "No cut: " if before == after else ""
            return f"{start}{symbol} is a user-defined symbol, which is taken whole before anything else."
        return self._reason_inside(spans, before, after, byte_offset)

    @abc.abstractmethod
    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """As ``reason``, between two tokens that are neither special nor bytes, or inside of one."""


def _has_space(file: ModelFile) -> bool:
    """Whether a ▁ always stands for a space, and never becomes its three bytes."""
    if not file.escapes_spaces:
        return False
    if not file.byte_fallback:
        return True
    if file.kind == WORD:  # words fall back to bytes, with the spaces in them
        return False
    return any(piece == SPACE and kind != UNUSED for piece, kind in zip(file.pieces, file.kinds, strict=True))


def _count(number: int, what: str) -> str:
    """A number with its noun.

    >>> _count(1, "user-defined symbol"), _count(1200, "rule")
    ('1 user-defined symbol', '1,200 rules')
    """
    return f"{number:,} {what}{'s' * (number != 1)}"


def _normaliser_in_words(file: ModelFile) -> str:
    """What the normaliser of a model does."""
    if not file.charsmap:
        parts = ["no character is changed"]
    else:
        rule = _RULES.get(file.rule, f"a table of its own{f' ({file.rule})' if file.rule else ''}")
        parts = [f"{rule}, {_count(count_rules(file.charsmap), 'rule')}"]
    if file.removes_spaces:
        parts.append("white space is trimmed, and several spaces become one")
    if file.adds_space:
        parts.append(f"a space is put {'behind' if file.space_behind else 'in front'}")
    if file.escapes_spaces:
        parts.append("spaces become ▁")
    return "; ".join(parts)


def _frame_of(file: ModelFile) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What a model of this kind puts around a text, where its publishers agree on that.

    Llama, Mistral and Gemma, of the kind BPE with bytes, put <s> or <bos> in front; T5, whose Unigrams have
    no such piece, and a <pad> of id 0, puts </s> behind. For others it is not known.
    """
    bos, eos = file.reserved.get("bos"), file.reserved.get("eos")
    if file.kind == BPE and file.byte_fallback and bos is not None:
        return (bos,), ()
    if file.kind == UNIGRAM and bos is None and eos == 1 and file.reserved.get("pad") == 0:
        return (), (eos,)
    return (), ()


class SentencePieceEncoding(SentencePieces):
    """A SentencePiece model of the kind BPE.

    Args:
        model: the content of a .model file.
        name: what people call it.

    Raises:
        OSError: SentencePiece's library is not installed. ValueError: the model is damaged.

    A space that is put in front belongs to a token, but covers nothing of the text:

    >>> from tokenizers import get_encoding
    >>> enc = get_encoding("mistral-v1")
    >>> placed = enc.place("hello world")
    >>> [enc.token_bytes(token_id) for token_id in placed.ids], placed.ends.tolist()
    ([b' hell', b'o', b' world'], [4, 5, 11])
    >>> enc.decode(placed.ids.tolist())
    'hello world'
    """

    family = "SentencePiece BPE"

    def _check(self, file: ModelFile) -> None:
        # A piece that the file calls unused is taken apart again where merges make it; and of single
        # characters, versions of the library differ. No published model contains one.
        unused = np.flatnonzero(self._is_unused)
        if int(self._lengths[unused].sum()) > _MOST_UNUSED_BYTES:
            raise ValueError("It has more unused pieces than can be looked through here.")
        for token_id in unused.tolist():
            if len(self._pieces[token_id]) == 1 or len(self.joining.parts(token_id)) == 2:
                raise ValueError(
                    f"It can come to {self._pieces[token_id]!r:.80}, which it calls unused. Such a "
                    "file cannot be shown exactly."
                )

    @property
    def _model_in_words(self) -> str:
        return "SentencePiece BPE, {}, merged by score"

    @once
    def _words(self) -> re.Pattern[str] | None:
        """Stretches whose ends no piece crosses, so that each is cut as if alone; None: there are none.

        A model that was learned within words has no piece with a space after anything else, and none with a
        line's end. The engine takes a word in an instant, but a megabyte at once takes a second.
        """
        if self._joined_pieces_match(f"[^{SPACE}\n]{SPACE}") or "\n" + SPACE in self._multi_line:
            return None
        if self._multi_line:
            return re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
        return re.compile(f"\n|{SPACE}*[^{SPACE}\n]+|{SPACE}+")

    @once
    def _multi_line(self) -> str:
        """The pieces with line ends in them, joined."""
        n_pieces = int((~self._is_control & ~self._is_byte).sum())
        if self._joined_pieces.count("\n") == n_pieces - 1:
            return ""
        return "".join(piece for piece in self._pieces if "\n" in piece)

    def _cut(self, normal: str) -> list[int]:
        engine = self._processor.encode
        if self._words is None:
            whole: list[int] = engine(normal)
            return whole
        ids: list[int] = []
        known: dict[str, list[int]] = {}
        for word in self._words.findall(normal):
            if word not in known:
                known[word] = engine(word)
            ids += known[word]
        return self._one_unknown(ids)

    def _one_unknown(self, ids: list[int]) -> list[int]:
        """The same ids, with one unknown piece for those that follow one another."""
        if self.unknown_id is None or self.unknown_id not in ids:
            return ids
        return [
            token_id
            for before, token_id in itertools.pairwise((-1, *ids))
            if token_id != self.unknown_id or before != self.unknown_id
        ]

    @once
    def joining(self) -> PieceMerges:
        """The merges of its pieces, by score."""
        byte_ids = {self._bytes[token_id][0]: token_id for token_id in np.flatnonzero(self._is_byte).tolist()}
        is_piece = ~self._is_byte & ~self._is_control & ~self._never_read
        return PieceMerges(
            self._read_bytes,
            self.scores,
            is_piece,
            byte_ids,
            self._seen,
            whole=self._user_defined,
            unknown=self._unknown_piece,
        )

    def rank(self, token_id: int) -> int | None:
        """The place of a piece's score among all, 0 the best; None: no merge makes it."""
        self.token_bytes(token_id)  # raises if there is no such id
        return self.joining.rank(token_id)

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two tokens, or none inside of one.

        >>> from tokenizers import encode_spans, get_encoding
        >>> enc = get_encoding("mistral-v1")
        >>> print(enc.reason(encode_spans(enc, "hello world"), 5))
        “o” and “·world” stay apart: “o·world” is not in the vocabulary.
        >>> print(enc.reason(encode_spans(enc, "hello world"), 8))
        No cut: “·world” is one piece, of score -1267.
        """
        left, right = int(spans.ids[before]), int(spans.ids[after])
        if before == after:
            return f"No cut: {quote(self._bytes[left])} is one piece, of score {self.scores[left]:g}."
        joined = self._bytes[left] + self._bytes[right]
        names = f"{quote(self._bytes[left])} and {quote(self._bytes[right])}"
        token_id = self.ordinary.get(joined)
        if token_id is None:
            return f"{names} stay apart: {quote(joined)} is not in the vocabulary."
        return (
            f"{quote(joined)} is in the vocabulary, with score {self.scores[token_id]:g}, but pieces of "
            f"better scores were joined before, so that {names} ended up here."
        )


class SentencePieceCharacters(SentencePieces):
    """A SentencePiece model of the kind char: each character is a piece, or a user-defined symbol is.

    Args:
        model: the content of a .model file.
        name: what people call it.

    Raises:
        OSError: SentencePiece's library is not installed. ValueError: the model is damaged.
    """

    family = "SentencePiece characters"

    @once
    def _is_unused(self) -> npt.NDArray[np.bool_]:
        return np.zeros(self._n_vocab, dtype=np.bool_)  # the library takes no notice

    @property
    def _model_in_words(self) -> str:
        return "characters, {}"

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        if before == after:
            return f"No cut: {quote(self._bytes[int(spans.ids[before])])} is one character."
        return "Each character is a token of its own."


class SentencePieceWords(SentencePieceCharacters):
    """A SentencePiece model of the kind word: each word with the space before it is a piece, or is unknown.

    Args:
        model: the content of a .model file.
        name: what people call it.

    Raises:
        OSError: SentencePiece's library is not installed. ValueError: the model is damaged.
    """

    family = "SentencePiece words"

    @property
    def _model_in_words(self) -> str:
        return "words, each with the space before it, {}"

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        if before == after:
            return f"No cut: {quote(self._bytes[int(spans.ids[before])])} is one word."
        return "A space begins another word, and each word is a token of its own."


def _mistral() -> SentencePieceEncoding:
    name = "mistral-v1"
    model = read_vocabulary("mistral-v1.model", name)
    return SentencePieceEncoding(model, name=name, file=read_model(model, is_published=True))


BUNDLED = {
    "mistral-v1": Entry(
        _mistral,
        "Mistral 7B and Mixtral, of 2023; Llama 1 and 2 cut the same way. SentencePiece BPE, 32,000 pieces, "
        "of which 125 never arise: bytes whose characters are pieces too.",
        hue=19,
        group="SentencePiece",
    )
}
"""The encodings of this family that come with the app."""
