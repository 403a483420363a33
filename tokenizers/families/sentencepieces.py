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
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from ..amounts import plural
from ..arrays import I64, Floats
from ..cached import cached_property
from ..encoding import AllowedSpecial, ChatTemplates, Ids
from ..placement import Frame, Placement
from ..shipped import require
from ..steps import MODEL, PRE_TOKENISER, Steps, first_few
from ..text.rewriting import Rewritten, rewrite
from ..text.spans import Spans
from ..text.spelling import quote
from ..utf8 import utf8_length, well_formed
from .lattice import UNKNOWN_PRICE, Lattice, explain_by_paths, lattice_maker
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
        self.pieces: list[str] = [piece.piece for piece in model.pieces]
        self.scores: Floats = np.array([piece.score for piece in model.pieces])
        self.kinds = np.array([piece.type for piece in model.pieces])
        self._unknown_surface = trainer.unk_surface.encode()
        self._unknown_piece = int(np.flatnonzero(self.kinds == UNKNOWN)[0])
        self._is_control = np.isin(self.kinds, (CONTROL, UNKNOWN))
        self._is_byte = self.kinds == BYTE
        self.is_silent = self.kinds == CONTROL
        has_space = np.array([self._writes_mark and " " in piece for piece in self.pieces])  # now ▁
        self._can_merge = ~(self._is_control | self._is_byte | has_space)
        self._can_arise = self._can_merge & (self.kinds != UNUSED)
        tokens = [self._spell(piece).encode() for piece in self.pieces]
        for token_id in np.flatnonzero(self._is_byte).tolist():
            tokens[token_id] = bytes([int(self.pieces[token_id][3:-1], 16)])
        is_special = self._is_control.copy()
        is_special[self._unknown_piece] = trainer.byte_fallback  # no text becomes it then
        specials = {self.pieces[token_id]: token_id for token_id in np.flatnonzero(is_special).tolist()}
        super().__init__(name, tokens, specials)
        if not trainer.byte_fallback:
            self.unknown_id = self._unknown_piece
            self.drops_text = True
        has_mark = SPACE in itertools.compress(self.pieces, self._can_arise)
        # Whether a space can become the bytes of ▁.
        self._cuts_mark = trainer.byte_fallback and (trainer.model_type == WORD or not has_mark)
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
        names = {}
        reserved = {}
        for what, piece in named.items():
            if piece in self.special_tokens:
                names[f"{what}_token"] = piece
                reserved[what] = self.special_tokens[piece]
        self.chat_templates = ChatTemplates(names=names)
        self.frame = _frame_of(trainer, reserved)

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

    def family_steps(self) -> Steps:
        """What it does to a text, step by step.

        >>> from tokenizers import get_encoding
        >>> for step in get_encoding("mistral-v1").family_steps():
        ...     print(*step, sep=": ")
        Normaliser: no character is changed; a space is put in front; spaces become ▁
        Pre-tokeniser: none; no piece reaches from one word into the next
        Model: SentencePiece BPE, 32,000 pieces, merged by score; what is unknown becomes its bytes
        Special tokens: <unk> 0, <s> 1, </s> 2
        """
        rest = "its bytes" if self.unknown_id is None else self.pieces[self.unknown_id]
        model = f"{self.model_in_words.format(f'{self.n_vocab:,} pieces')}; what is unknown becomes {rest}"
        if self._user_defined:
            model += f"; {plural(len(self._user_defined), 'user-defined symbol')}, taken whole first"
        steps = [
            ("Normaliser", self._normaliser_in_words),
            (PRE_TOKENISER, f"none; {self._reach}"),
            (MODEL, model),
        ]
        if self.special_tokens:
            in_order = sorted(self.special_tokens.items(), key=lambda item: item[1])
            names = [f"{name} {token_id}" for name, token_id in in_order]
            steps.append(("Special tokens", first_few(names)))
        return steps

    @property
    def _normaliser_in_words(self) -> str:
        spec = self._spec
        parts = ["no character is changed"]
        if spec.precompiled_charsmap:
            of_name = f" ({spec.name})" if spec.name else ""
            parts = [_RULES.get(spec.name, f"a table of its own{of_name}")]
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
        pieces = itertools.compress(self.pieces, self._can_arise.tolist())
        reach = "pieces can reach" if any(map(over.search, pieces)) else "no piece reaches"
        return f"{reach} from one word into the next"

    # Text to ids

    def _read(self, text: str, in_front: bool = True) -> str:
        """A text without special tokens as it is cut: normalised, with ▁ for a space.

        Args:
            text: a well-formed text.
            in_front: whether to put the space there that a text by itself gets; otherwise it is cut as a part
                of another text.
        """
        if not text:
            return ""
        normaliser = self._normaliser if in_front else self._inside
        normal: str = normaliser.normalize(text)
        return normal

    def _rewrite(self, text: str) -> Rewritten:
        """A text without special tokens, by itself, and what it is cut as."""
        if self._is_plain:
            place = len(text) if self._space_behind else 0
            space = [(place, place, " ")] if self._spec.add_dummy_prefix else []
            with_space = rewrite(text, space)
            normal = with_space.seen.replace(" ", SPACE) if self._writes_mark else with_space.seen
            return Rewritten(text, self._seen(normal), with_space.starts, with_space.ends)
        normal, starts, ends = self._normalise(text, self._normaliser)
        if self._spec.add_dummy_prefix and len(normal) > 1:
            # The space that is added goes beside what is left of the text, not beyond what is dropped.
            if self._space_behind:
                ends[-1] = starts[-1]
            else:
                starts[0] = ends[0] = starts[1]
        return Rewritten(text, normal, starts, ends)

    def _normalise(self, text: str, by: Any) -> tuple[str, I64, I64]:
        """A text as a processor normalises it.

        Returns:
            what it becomes; where the text from which each character of that came starts and ends, in
            characters, shape (characters,). Characters that come from the same text have the same places.
        """
        normal, origins = by.normalize(text, with_offsets=True)
        begins, numbers = np.unique(np.array(origins, np.int64), return_inverse=True)
        stops = np.append(begins[1:], len(text))
        for number in np.flatnonzero(stops - begins > 1).tolist():  # what is dropped is under no token
            begin = int(begins[number])
            stop = int(stops[number])
            while stop - begin > 1 and self._is_dropped(text[stop - 1]):
                stop -= 1
            stops[number] = stop
        of_chars = numbers[:-1]
        return self._seen(normal), begins[of_chars], stops[of_chars]

    def _is_dropped(self, character: str) -> bool:
        """Whether a character alone becomes nothing."""
        became: str = self._inside.normalize(character)
        if self._spec.remove_extra_whitespaces:
            became = became.strip(f"{SPACE} ")
        return not became

    def _encode(self, text: str, in_front: bool = True) -> list[int]:
        """The ids of a text without special tokens, by itself or as a part of another one."""
        ids: list[int] = self._processor.encode(self._read(text, in_front))
        return ids

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        ids: list[int] = []
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            ids += self._encode(stretch) if special_id is None else [special_id]
        return np.array(ids, np.uint32)

    def encode_inside(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """As ``encode_each``, for texts as parts of a longer one: without the space in front."""
        return (self._encode(well_formed(text), False) for text in texts)

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one is; a space in front covers nothing."""
        parts = []
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            if special_id is not None:
                lengths = np.array([utf8_length(stretch)])
                parts.append((int(lengths[0]), Placement.of_lengths([special_id], lengths)))
                continue
            for part in self.in_parts(stretch):
                parts.append((utf8_length(part), self._place(part)))
        return Placement.join(parts)

    def _place(self, text: str) -> Placement:
        """As ``place``, for a part of a text without special tokens."""
        if not text:
            return Placement.of_lengths([], np.zeros(0, np.int64))
        if not self._is_plain:
            self.check_rewritten(utf8_length(self._read(text)))
        ids = self._encode(text)
        lengths = self._lengths_in(ids, text)
        after = np.cumsum(lengths)
        starts, ends = self._rewrite(text).places(after - lengths, after)
        return Placement(np.array(ids, np.uint32), starts, ends)

    def _lengths_in(self, ids: list[int], text: str) -> I64:
        """Bytes of the normalised text in each of these tokens, which are its own."""
        if self.unknown_id not in ids and not self._cuts_mark:
            return self.byte_lengths[ids].astype(np.int64)
        pieces = map(self._seen, self._processor.encode(self._read(text), out_type=str))
        lengths = np.array(list(map(utf8_length, pieces)), np.int64)
        lengths[self._is_byte[ids]] = 1
        return lengths

    # Ids to text

    def given_back(self, ids: Sequence[int]) -> list[bytes]:
        """What each of these tokens is decoded to: the text, without the space that was put in front.

        A byte that is no part of a character becomes U+FFFD.

        >>> from tokenizers import get_encoding
        >>> get_encoding("mistral-v1").given_back([198, 375, 198])  # <0xC3>, "ab", <0xC3>
        [b'\\xef\\xbf\\xbd', b'ab', b'\\xef\\xbf\\xbd']
        """
        tokens = list(map(self.token_bytes, ids))
        if not self._writes_mark:
            tokens = [token.replace(SPACE.encode(), b" ") for token in tokens]
        for index in self._stripped(ids):
            tokens[index] = tokens[index][1:]
        numbers = np.array(ids, np.int64)
        for index in np.flatnonzero(numbers == self._unknown_piece).tolist():
            tokens[index] = self._unknown_surface
        for index in np.flatnonzero(self.is_silent[numbers]).tolist():
            tokens[index] = b""
        bytes_at = np.flatnonzero(self._is_byte[numbers])
        run_ends = np.flatnonzero(np.diff(bytes_at) > 1) + 1
        for run in np.split(bytes_at, run_ends):
            index = int(run[0]) if len(run) else 0
            data = b"".join(tokens[index : index + len(run)])
            for character in data.decode("utf-8", "surrogateescape"):
                if "\udc80" <= character <= "\udcff":  # a byte in no character
                    tokens[index] = "\ufffd".encode()
                    index += 1
                else:
                    index += utf8_length(character)
        return tokens

    def _stripped(self, ids: Sequence[int]) -> Iterator[int]:
        """The tokens, by index, that are given back without the space that they begin with.

        If a space is put in front of a text, or white space is trimmed, the library takes the space off the
        first token. If white space is trimmed, it does the same with the next tokens, up to the first that is
        more than a space.
        """
        trims = self._spec.remove_extra_whitespaces
        if not self._spec.add_dummy_prefix and not trims:
            return
        for index, token_id in enumerate(ids):
            piece = self.pieces[token_id]
            is_written = token_id == self._unknown_piece and bool(self._unknown_surface)
            if self._is_control[token_id] and not is_written:
                continue  # nothing is given back so far
            if self._is_byte[token_id] or not piece.startswith(SPACE):
                return
            yield index
            if not trims or piece != SPACE:
                return

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the family, the pieces, and the normaliser."""
        yield f"{self.family} {self.unknown_id} {self._space_behind}\n".encode()
        yield "\0".join(self.pieces).encode()
        yield self.scores.tobytes() + self.kinds.tobytes()
        yield self._spec.SerializeToString(deterministic=True)

    # Why here

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        ids = [spans.id_at(before), spans.id_at(after)]
        is_inside = before == after
        if self.unknown_id in ids:
            unknown = self.pieces[self._unknown_piece]
            if is_inside:
                return (
                    f"No cut: what is not in the vocabulary is one token, {unknown}, as long as it goes on."
                )
            return f"What is not in the vocabulary, {unknown}, is never joined with what is."
        if not is_inside and self._is_byte[ids].any():
            return "A character that is not in the vocabulary is here as its bytes, which are never joined."
        for token_id in ids:
            if token_id in self._user_defined:
                symbol = quote(self._tokens[token_id])
                start = "No cut: " if is_inside else ""
                return f"{start}{symbol} is a user-defined symbol, which is taken whole before anything else."
        return self._reason_of_model(spans, before, after, byte_offset)

    @abc.abstractmethod
    def _reason_of_model(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """As ``_reason_between``, of pieces that the model chose."""


def _frame_of(trainer: Any, reserved: Mapping[str, int]) -> Frame:
    """What a model of this kind puts around a text, where its publishers agree on that.

    Llama, Mistral and Gemma, of the kind BPE with bytes, put <s> or <bos> in front; T5, whose Unigrams have
    no such piece, and a <pad> of id 0, puts </s> behind. For others it is not known.
    """
    bos = reserved.get("bos")
    eos = reserved.get("eos")
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

    def family_steps(self) -> Steps:
        drawn = [("Merge trees", f"not drawn: {self.not_drawn}")] if self.not_drawn else []
        return super().family_steps() + drawn

    @property
    def joining(self) -> PieceMerges | None:
        """The merges of its pieces, by score; None: they are not drawn."""
        return None if self.not_drawn else self._merges

    @cached_property
    def _merges(self) -> PieceMerges:
        byte_ids = {self._tokens[i][0]: i for i in np.flatnonzero(self._is_byte).tolist()}
        is_letter = np.array([len(piece) == 1 for piece in self.pieces])
        is_unused_letter = is_letter & (self.kinds == UNUSED)
        return PieceMerges(
            self._tokens,
            self.scores,
            self._can_merge & ~is_unused_letter,
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
        left_id = spans.id_at(before)
        left = self._tokens[left_id]
        if before == after:
            return f"No cut: {quote(left)} is one piece, of score {self.scores[left_id]:zg}."
        right = self._tokens[spans.id_at(after)]
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
            return f"No cut: {quote(self._tokens[spans.id_at(before)])} is one {self.unit}."
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
        best = float(max(normal, default=0.0))
        worst = float(min(normal, default=0.0))
        scores: dict[bytes, float] = {}
        for data, token_id in self.ordinary.items():
            if token_id in self._user_defined:
                scores[data] = len(data) * best - 0.1  # so high that it is always taken
            elif not self._is_byte[token_id]:
                scores[data] = float(self.scores[token_id])
        return lattice_maker(scores, worst - UNKNOWN_PRICE)

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
