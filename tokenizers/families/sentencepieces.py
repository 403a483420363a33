"""SentencePiece: pieces of text in which ▁ stands for a space, cut by Google's own library.

A text is normalised as the model says: characters become others, white space may be trimmed, a space may be
put in front, and spaces become ▁. Then it is cut, words and spaces alike: there are no walls. **BPE** starts
with single characters and joins, again and again, the two neighbours whose joined piece has the best score
(``piece_merges.py``). A **Unigram** takes the most probable of all ways. A character that is not in the
vocabulary becomes its bytes, such as <0xE2>, or is unknown, as the model says.

The library is given two models for each: a small one that only normalises, and one that cuts what is
normalised. So the normalised text is known.

Sources: Kudo and Richardson 2018, SentencePiece, arXiv:1808.06226; https://github.com/google/sentencepiece;
Kudo 2018, Subword Regularization, arXiv:1804.10959.
"""

from __future__ import annotations

import abc
import copy
import functools
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..amounts import plural
from ..arrays import I64, Floats
from ..cached import cached_property
from ..encoding import MODEL, PRE_TOKENISER, AllowedSpecial, Ids, Steps, first_few
from ..placement import Placement
from ..shipped import require
from ..text.rewriting import Rewritten, rewrite
from ..text.spans import Spans
from ..text.spelling import quote
from ..utf8 import utf8_length, well_formed
from .lattice import UNKNOWN_PRICE, Lattice, explain_by_paths
from .listed import ListedEncoding
from .piece_merges import PieceMerges

SPACE = "▁"
"""What stands for a space in a piece: U+2581, the lower one eighth block."""

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)
"""Kinds of pieces, as a model numbers them."""

UNIGRAM, BPE, WORD, CHAR = range(1, 5)
"""Kinds of models, as they number themselves."""

_RULES = {
    "nfkc": "NFKC (nfkc)",
    "nmt_nfkc": "NFKC and more (nmt_nfkc)",
    "nfkc_cf": "NFKC and small letters (nfkc_cf)",
    "nmt_nfkc_cf": "NFKC and more, and small letters (nmt_nfkc_cf)",
}


def load_processor(model: Any) -> Any:
    """SentencePiece's processor of a model.

    Raises:
        OSError: the library is not installed. ValueError: it does not take the model.
    """
    processor = require("sentencepiece").SentencePieceProcessor()
    try:
        processor.load_from_serialized_proto(model.SerializeToString())
    except RuntimeError as problem:
        message = str(problem).partition("\n")[0].removeprefix("INTERNAL: ")[:200].rstrip(".")
        raise ValueError(f"SentencePiece's library does not take it: {message}.") from None
    return processor


def _cutting_model(model: Any) -> Any:
    """A model that cuts what the normaliser of another one has made, and changes nothing before."""
    cutting = type(model)(pieces=model.pieces, trainer_spec=model.trainer_spec)
    cutting.normalizer_spec.add_dummy_prefix = cutting.normalizer_spec.remove_extra_whitespaces = False
    cutting.normalizer_spec.escape_whitespaces = model.normalizer_spec.escape_whitespaces
    return cutting


def _normalising_model(model: Any) -> Any:
    """A small model that only normalises, as another one does: user-defined symbols stay as they are."""
    pieces = [piece for piece in model.pieces if piece.type in (UNKNOWN, USER_DEFINED)]
    normalising = type(model)(pieces=pieces, normalizer_spec=model.normalizer_spec)
    normalising.trainer_spec.model_type = CHAR
    normalising.trainer_spec.treat_whitespace_as_suffix = model.trainer_spec.treat_whitespace_as_suffix
    return normalising


class SentencePieces(ListedEncoding):
    """What SentencePiece's kinds of models have in common.

    Two tokens may stand for the same bytes: a character and its byte, such as A and <0x41>. Encoding gives
    the character's; ``ordinary`` has that one, and ``token_bytes`` and the pages know both.

    Args:
        model: a checked ``sentencepiece_model_pb2.ModelProto``.
        name: what people call it.

    Raises:
        OSError: SentencePiece's library is not installed.
        ValueError: it does not take the model, or tokens could not be shown exactly.

    Attributes:
        pieces: by id, as the model has them: with ▁ for a space.
        scores: of each piece, shape (n_vocab,). The best one is the highest.
        kinds: of each piece, shape (n_vocab,).
        is_silent: of each piece, whether it is decoded to nothing, as control pieces are; shape (n_vocab,).
    """

    is_lossless = False  # a ▁ in the text comes back as a space
    model_in_words: ClassVar[str]
    """What the model is, with {} for the number of its pieces."""

    def __init__(self, model: Any, *, name: str) -> None:
        trainer = model.trainer_spec
        self._processor = load_processor(_cutting_model(model))
        self._load_normalisers(model)
        rows = [(piece.piece, piece.score, piece.type) for piece in model.pieces]
        self.pieces: list[str] = [piece for piece, _, _ in rows]
        self.scores: Floats = np.array([score for _, score, _ in rows])
        self.kinds = np.array([kind for _, _, kind in rows])
        self._unknown_surface = trainer.unk_surface.encode("utf-8")
        self._unknown_piece = int(np.flatnonzero(self.kinds == UNKNOWN)[0])
        self._is_control = np.isin(self.kinds, (CONTROL, UNKNOWN))
        self._is_byte = self.kinds == BYTE
        self.is_silent = self.kinds == CONTROL
        has_space = np.array([self._writes_mark and " " in piece for piece in self.pieces])  # now ▁
        self._can_merge = ~(self._is_control | self._is_byte | has_space)
        self._can_arise = self._can_merge & (self.kinds != UNUSED)
        tokens = [self._spell(piece).encode("utf-8") for piece in self.pieces]
        for token_id in np.flatnonzero(self._is_byte).tolist():
            tokens[token_id] = bytes([int(self.pieces[token_id][3:-1], 16)])
        is_special = self._is_control.copy()
        is_special[self._unknown_piece] = trainer.byte_fallback  # no text becomes it then
        specials = {self.pieces[token_id]: token_id for token_id in np.flatnonzero(is_special).tolist()}
        super().__init__(name, tokens, specials)
        if not trainer.byte_fallback:
            self.unknown_id = self._unknown_piece
            self.drops_text = True
        # Whether a space can become the bytes of ▁.
        self._cuts_mark = trainer.byte_fallback and (
            trainer.model_type == WORD or SPACE not in itertools.compress(self.pieces, self._can_arise)
        )
        self._space_behind: bool = trainer.treat_whitespace_as_suffix
        self.puts_space_in_front = self._spec.add_dummy_prefix and not self._space_behind
        self._name_specials(trainer)

    def _load_normalisers(self, model: Any) -> None:
        """Load what a text becomes before it is cut: at its ends, and within it."""
        normalising = _normalising_model(model)
        self._normaliser = load_processor(normalising)
        normalising.normalizer_spec.add_dummy_prefix = False
        normalising.normalizer_spec.remove_extra_whitespaces = False
        self._inside = load_processor(normalising)
        self._spec = copy.deepcopy(model.normalizer_spec)
        self._writes_mark: bool = self._spec.escape_whitespaces
        self._is_plain = not self._spec.precompiled_charsmap and not self._spec.remove_extra_whitespaces
        if not self._is_plain:
            self.longest_text = 2 << 20  # where each character came from is a list of the library's

    def _name_specials(self, trainer: Any) -> None:
        """Note which special tokens begin and end a text, and how chat templates call them."""
        named = {"bos": trainer.bos_piece, "eos": trainer.eos_piece, "pad": trainer.pad_piece}
        reserved = {what: piece for what, piece in named.items() if piece in self.special_tokens}
        self.chat_names = {f"{what}_token": piece for what, piece in reserved.items()}
        self.frame = _frame_of(
            trainer, {what: self.special_tokens[piece] for what, piece in reserved.items()}
        )

    def _spell(self, normal: str) -> str:
        """What a normalised text or a piece of it stands for: with spaces for ▁, where spaces become that."""
        return normal.replace(SPACE, " ") if self._writes_mark else normal

    def _seen(self, normal: str) -> str:
        """A normalised text whose bytes are those of its tokens."""
        return normal if self._cuts_mark else self._spell(normal)

    @cached_property
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become: id by bytes. If two tokens stand for the same bytes, the id is
        the one that encoding gives: a character's, not its byte's."""
        in_order = [*np.flatnonzero(self._is_byte).tolist(), *np.flatnonzero(self._can_arise).tolist()]
        return {self._tokens[token_id]: token_id for token_id in in_order}

    @cached_property
    def _user_defined(self) -> frozenset[int]:
        return frozenset(np.flatnonzero((self.kinds == USER_DEFINED) & self._can_arise).tolist())

    def _family_steps(self) -> Steps:
        """What it does to a text, step by step.

        >>> from tokenizers import get_encoding
        >>> for step in get_encoding("mistral-v1").steps:
        ...     print(*step, sep=": ")
        Normaliser: no character is changed; a space is put in front; spaces become ▁
        Pre-tokeniser: none; no piece reaches from one word into the next
        Model: SentencePiece BPE, 32,000 pieces, merged by score; what is unknown becomes its bytes
        Special tokens: <unk> 0, <s> 1, </s> 2
        Added on request: <s> in front
        """
        rest = "its bytes" if self.unknown_id is None else self.pieces[self.unknown_id]
        model = f"{self.model_in_words.format(f'{self.n_vocab:,} pieces')}; what is unknown becomes {rest}"
        if added := len(self._user_defined):
            model += f"; {plural(added, 'user-defined symbol')}, taken whole first"
        steps = [
            ("Normaliser", self._normaliser_in_words),
            (PRE_TOKENISER, f"none; {self._reach}"),
            (MODEL, model),
        ]
        if self.special_tokens:
            in_order = sorted(self.special_tokens.items(), key=lambda item: item[1])
            steps.append(("Special tokens", first_few([f"{name} {token_id}" for name, token_id in in_order])))
        return steps

    @property
    def _normaliser_in_words(self) -> str:
        spec = self._spec
        by_table = _RULES.get(spec.name, f"a table of its own{f' ({spec.name})' if spec.name else ''}")
        parts = [by_table if spec.precompiled_charsmap else "no character is changed"]
        if spec.remove_extra_whitespaces:
            parts.append("white space is trimmed, and several spaces become one")
        if spec.add_dummy_prefix:
            parts.append(f"a space is put {'behind' if self._space_behind else 'in front'}")
        if self._writes_mark:
            parts.append(f"spaces become {SPACE}")
        return "; ".join(parts)

    @cached_property
    def _reach(self) -> str:
        """How far its pieces reach."""
        over = re.compile(f"[^{SPACE}\n]{SPACE}+[^{SPACE}\n]")
        some = any(map(over.search, itertools.compress(self.pieces, self._can_arise.tolist())))
        return f"{'pieces can reach' if some else 'no piece reaches'} from one word into the next"

    # Text to ids

    def _read(self, text: str, in_front: bool = True) -> str:
        """A text without special tokens as it is cut: normalised, with ▁ for a space.

        Args:
            text: a well-formed text.
            in_front: whether to put the space there that a text by itself gets; otherwise it is cut as a part
                of another text.
        """
        normal: str = (self._normaliser if in_front else self._inside).normalize(text) if text else ""
        return normal

    def _rewrite(self, text: str) -> Rewritten:
        """A text without special tokens, by itself, and what it is cut as."""
        if self._is_plain:
            at = len(text) if self._space_behind else 0
            with_space = rewrite(text, [(at, at, " ")] * self._spec.add_dummy_prefix)
            normal = with_space.seen.replace(" ", SPACE) if self._writes_mark else with_space.seen
            return Rewritten(text, self._seen(normal), *with_space.alignment)
        normal, starts, ends = self._normalise(text, self._normaliser)
        if self._spec.add_dummy_prefix and len(normal) > 1:
            # The space that is added goes beside what is left of the text, not beyond what is dropped.
            added, beside = (-1, starts[-1]) if self._space_behind else (0, starts[1])
            starts[added] = ends[added] = beside
        return Rewritten(text, normal, starts, ends)

    def _normalise(self, text: str, by: Any) -> tuple[str, I64, I64]:
        """A text as a processor normalises it.

        Returns:
            what it becomes; where the text from which each character of that came starts and ends, in
            characters, shape (characters,). Characters that come from the same text have the same places.
        """
        normal, origins = by.normalize(text, with_offsets=True)
        begins, which = np.unique(np.array(origins, dtype=np.int64), return_inverse=True)
        stops = np.append(begins[1:], len(text))
        for number in np.flatnonzero(stops - begins > 1).tolist():  # what is dropped is under no token
            while stops[number] - begins[number] > 1 and self._is_dropped(text[stops[number] - 1]):
                stops[number] -= 1
        return self._seen(normal), begins[which[:-1]], stops[which[:-1]]

    def _is_dropped(self, character: str) -> bool:
        """Whether a character alone becomes nothing."""
        became = self._inside.normalize(character)
        return not (became.strip(f"{SPACE} ") if self._spec.remove_extra_whitespaces else became)

    def _encode(self, text: str, in_front: bool = True) -> list[int]:
        """The ids of a text without special tokens, by itself or as a part of another one."""
        ids: list[int] = self._processor.encode(self._read(text, in_front))
        return ids

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        ids: list[int] = []
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            ids += self._encode(stretch) if special_id is None else [special_id]
        return np.array(ids, dtype=np.uint32)

    def encode_inside(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """As ``encode_each``, for texts as parts of a longer one: without the space in front."""
        return (self._encode(well_formed(text), False) for text in texts)

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one is; a space in front covers nothing."""
        return Placement.join(
            (utf8_length(part), self._place(part, special_id))
            for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special)
            for part in self.in_parts(stretch)
        )

    def _place(self, text: str, special_id: int | None) -> Placement:
        """As ``place``, for a special token, or a part of a text without any."""
        if special_id is not None or not text:
            ids = [] if special_id is None else [special_id]
            ends = np.full(len(ids), utf8_length(text))
            return Placement(np.array(ids, np.uint32), np.zeros_like(ends), ends)
        if not self._is_plain:
            self.check_rewritten(utf8_length(self._read(text)))
        ids = self._encode(text)
        lengths = self._lengths_in(ids, text)
        after = np.cumsum(lengths)
        return Placement(np.array(ids, np.uint32), *self._rewrite(text).places(after - lengths, after))

    def _lengths_in(self, ids: list[int], text: str) -> I64:
        """Bytes of the normalised text in each of these tokens, which are its own."""
        if self.unknown_id not in ids and not self._cuts_mark:
            return self.byte_lengths[ids].astype(np.int64)
        pieces = self._processor.encode(self._read(text), out_type=str)
        lengths = np.array([utf8_length(self._seen(piece)) for piece in pieces], dtype=np.int64)
        lengths[self._is_byte[ids]] = 1
        return lengths

    # Ids to text

    def given_back(self, ids: Sequence[int]) -> list[bytes]:
        """What each of these tokens is decoded to: the text, without the space that was put in front.

        A byte that is no part of a character becomes U+FFFD.
        """
        tokens = list(map(self.token_bytes, ids))
        if not self._writes_mark:
            tokens = [token.replace(SPACE.encode("utf-8"), b" ") for token in tokens]
        for at in self._stripped(ids):
            tokens[at] = tokens[at][1:]
        numbers = np.array(ids, dtype=np.int64)
        for at in np.flatnonzero(numbers == self._unknown_piece).tolist():
            tokens[at] = self._unknown_surface
        for at in np.flatnonzero(self.is_silent[numbers]).tolist():
            tokens[at] = b""
        places = np.flatnonzero(self._is_byte[numbers])
        for run in np.split(places, np.flatnonzero(np.diff(places) > 1) + 1):
            at = int(run[0]) if len(run) else 0
            for character in b"".join(tokens[at : at + len(run)]).decode("utf-8", "surrogateescape"):
                data = character.encode("utf-8", "surrogateescape")
                if "\udc80" <= character <= "\udcff":  # a byte in no character
                    tokens[at] = "\ufffd".encode()
                at += len(data)
        return tokens

    def _stripped(self, ids: Sequence[int]) -> Iterator[int]:
        """The tokens, by index, that are given back without the space that they begin with.

        If a space is put in front of a text, or white space is trimmed, the library takes the space off the
        first token. If white space is trimmed, it does the same with the next tokens, up to the first that is
        more than a space.
        """
        trims = self._spec.remove_extra_whitespaces
        for at, token_id in enumerate(ids if self._spec.add_dummy_prefix or trims else ()):
            if self._is_control[token_id] and (token_id != self._unknown_piece or not self._unknown_surface):
                continue  # nothing is given back so far
            if self._is_byte[token_id] or not self.pieces[token_id].startswith(SPACE):
                return
            yield at
            if not trims or self.pieces[token_id] != SPACE:
                return

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the family, the pieces, and the normaliser."""
        yield f"{self.family} {self.unknown_id} {self._space_behind}\n".encode()
        yield "\0".join(self.pieces).encode("utf-8")
        yield self.scores.tobytes() + self.kinds.tobytes()
        yield self._spec.SerializeToString(deterministic=True)

    # Why here

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        ids = int(spans.ids[before]), int(spans.ids[after])
        is_inside = before == after
        if self.unknown_id in ids:
            unknown = self.pieces[self._unknown_piece]
            if is_inside:
                return (
                    f"No cut: what is not in the vocabulary is one token, {unknown}, as long as it goes on."
                )
            return f"What is not in the vocabulary, {unknown}, is never joined with what is."
        if not is_inside and self._is_byte[list(ids)].any():
            return "A character that is not in the vocabulary is here as its bytes, which are never joined."
        symbols = [quote(self._tokens[token_id]) for token_id in ids if token_id in self._user_defined]
        if symbols:
            start = "No cut: " * is_inside
            return f"{start}{symbols[0]} is a user-defined symbol, which is taken whole before anything else."
        return self._reason_of_model(spans, before, after, byte_offset)

    @abc.abstractmethod
    def _reason_of_model(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """As ``_reason_between``, of pieces that the model chose."""


def _frame_of(trainer: Any, reserved: Mapping[str, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What a model of this kind puts around a text, where its publishers agree on that.

    Llama, Mistral and Gemma, of the kind BPE with bytes, put <s> or <bos> in front; T5, whose Unigrams have
    no such piece, and a <pad> of id 0, puts </s> behind. For others it is not known.
    """
    bos, eos = reserved.get("bos"), reserved.get("eos")
    if trainer.model_type == BPE and trainer.byte_fallback and bos is not None:
        return (bos,), ()
    if trainer.model_type == UNIGRAM and bos is None and eos == 1 and reserved.get("pad") == 0:
        return (), (eos,)
    return (), ()


class SentencePieceEncoding(SentencePieces):
    """A SentencePiece model of the kind BPE.

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
    model_in_words = "SentencePiece BPE, {}, merged by score"
    comes_to_unused: bool
    """Whether there are pieces that merges make or that are single characters, and that no text becomes."""

    def __init__(self, model: Any, *, name: str) -> None:
        super().__init__(model, name=name)
        # Where merges make a piece that the file calls unused, the library takes it apart again, by what it
        # has seen elsewhere in the text.
        unused = np.flatnonzero(self.kinds == UNUSED).tolist()
        makes_unused = any(len(self._merges.parts(token_id)) == 2 for token_id in unused)
        self.comes_to_unused = makes_unused or any(len(self.pieces[token_id]) == 1 for token_id in unused)
        if self._cuts_mark:
            self.not_drawn = f"it has no piece {SPACE} for a space"
        elif makes_unused:
            self.not_drawn = "they make pieces that the file calls unused, which are taken apart again"

    def _family_steps(self) -> Steps:
        drawn = [("Merge trees", f"not drawn: {self.not_drawn}")] if self.not_drawn else []
        return super()._family_steps() + drawn

    @property
    def joining(self) -> PieceMerges | None:
        """The merges of its pieces, by score; None: they are not drawn."""
        return None if self.not_drawn else self._merges

    @cached_property
    def _merges(self) -> PieceMerges:
        byte_ids = {self._tokens[i][0]: i for i in np.flatnonzero(self._is_byte).tolist()}
        is_letter = np.array([len(piece) == 1 for piece in self.pieces])
        return PieceMerges(
            self._tokens,
            self.scores,
            self._can_merge & ~(is_letter & (self.kinds == UNUSED)),
            byte_ids,
            lambda text: self._spell(self._read(well_formed(text))),
            whole=self._user_defined,
            unknown=self._unknown_piece,
        )

    def _reason_of_model(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two pieces, or none inside of one.

        >>> from tokenizers import encode_spans, get_encoding
        >>> enc = get_encoding("mistral-v1")
        >>> print(enc.reason(encode_spans(enc, "hello world"), 5))
        “o” and “·world” stay apart: “o·world” is not in the vocabulary.
        >>> print(enc.reason(encode_spans(enc, "hello world"), 8))
        No cut: “·world” is one piece, of score -1267.
        """
        left, right = (self._tokens[int(spans.ids[index])] for index in (before, after))
        if before == after:
            return f"No cut: {quote(left)} is one piece, of score {self.scores[int(spans.ids[before])]:g}."
        joined = left + right
        names = f"{quote(left)} and {quote(right)}"
        token_id = self.ordinary.get(joined)
        if token_id is None:
            return f"{names} stay apart: {quote(joined)} is not in the vocabulary."
        return (
            f"{quote(joined)} is in the vocabulary, with score {self.scores[token_id]:g}, but pieces of "
            f"better scores were joined before, so that {names} ended up here."
        )


class SentencePieceCharacters(SentencePieces):
    """A SentencePiece model of the kind char: each character is a piece, or a user-defined symbol is."""

    family = "SentencePiece characters"
    model_in_words = "characters, {}"
    unit = "character"

    def _reason_of_model(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        if before == after:
            return f"No cut: {quote(self._tokens[int(spans.ids[before])])} is one {self.unit}."
        return f"Each {self.unit} is a token of its own."


class SentencePieceWords(SentencePieceCharacters):
    """A SentencePiece model of the kind word: each word with its space is a piece, or unknown."""

    family = "SentencePiece words"
    model_in_words = "words, each with the space before it, {}"
    unit = "word"


class UnigramEncoding(SentencePieces):
    """A SentencePiece model of the kind Unigram: nothing is merged.

    Each piece has a probability of its own, and a cutting has the product of those of its pieces; in
    logarithms, the sum of their scores. The best path through all pieces that fit (``lattice.py``) is found
    by Viterbi's algorithm, from the beginning of the text to its end. Other paths, of lower sums, spell the
    same text; a model can be trained on them, too (subword regularisation).
    """

    family = "Unigram"
    way = "takes the most probable of all ways to cut a text into its pieces"
    model_in_words = "Unigram, {}, of which the most probable path is taken"
    longest_text = 2 << 20  # about 120 times the text's memory, and 1 s a MB

    def lattice(self, text: str) -> Lattice:
        """All pieces that fit a text, as it is cut: normalised, with the space that is put there.

        Raises:
            ValueError: the text is too long.
        """
        return self._lattice_of(self._spell(self._read(well_formed(text))))

    @cached_property
    def _lattice_of(self) -> Callable[[str], Lattice]:
        """Makes the lattice of a text as it is cut, with spaces for ▁."""
        normal = self.scores[self.kinds == NORMAL]
        best, worst = (normal.max(), normal.min()) if len(normal) else (0.0, 0.0)
        scores = {  # a user-defined symbol has so high a score that it is always taken
            data: len(data) * best - 0.1 if token_id in self._user_defined else float(self.scores[token_id])
            for data, token_id in self.ordinary.items()
            if not self._is_byte[token_id]
        }
        longest = max(map(len, scores), default=1)
        unknown = float(worst) - UNKNOWN_PRICE
        return functools.partial(Lattice, score=scores.get, longest=longest, unknown=unknown)

    def _reason_of_model(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two pieces, or none inside of one.

        >>> from tokenizers import encode_spans, get_encoding
        >>> enc = get_encoding("j2")
        >>> spans = encode_spans(enc, "hello zyzzyva 12345")
        >>> print(enc.reason(spans, 8))
        “zy” + “zzy”, of log-probability -25.60. Without a cut here, the best would be “z” + “yz” + “zy”, of \
log-probability -33.66.
        >>> print(enc.reason(spans, 16))
        No cut: “12345”, of log-probability -13.90. With a cut here, the best would be “12” + “345”, of \
log-probability -22.12.
        >>> print(enc.reason(spans, 5))
        No piece of j2 reaches over this place, between “·hello” and “·”.
        """
        ids = spans.ids.tolist()

        def ends_part(index: int) -> bool:
            return self._ends_part(ids[index - 1], ids[index])

        return explain_by_paths(spans, before, after, byte_offset, ends_part, self._lattice_of)

    def _ends_part(self, left: int, right: int) -> bool:
        """Whether a part that is cut by itself ends between these two tokens."""
        return bool(self._is_control[[left, right]].any())
