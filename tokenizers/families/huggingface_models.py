"""What a tokenizer.json's encoding is, by its model: pairs, Unigram, WordPiece, whole words.

The ids of all of them are those of Hugging Face's engine (``huggingface.py``). Here is what each can show:
merge trees, the lattice, and why a text is cut where it is.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..bpe.last_merges import last_middles
from ..bpe.merge_rule import last_middle
from ..contents.pipeline import Pipeline
from ..lazily import once
from ..text.alignment import byte_edges
from ..text.spelling import quote
from ..utf8 import well_formed
from .huggingface import HuggingFaceEncoding, in_short
from .lattice import MAX_LATTICE_BYTES, UNKNOWN_PRICE, WINDOW, Lattice
from .library_decoding import fallback_byte
from .piece_merges import PieceForest, PieceMerges
from .sentencepieces import SPACE

if TYPE_CHECKING:
    from ..text.spans import Spans


class PairEncoding(HuggingFaceEncoding):
    """BPE over bytes or characters for which no merge tree can be drawn."""

    family = "byte pairs"

    def __init__(self, pipeline: Pipeline, original: bytes, *, name: str) -> None:
        super().__init__(pipeline, original, name=name)
        model = pipeline.model
        if model["end_of_word_suffix"] or model["continuing_subword_prefix"]:
            # Every token carries a prefix or suffix, so no plain text spells one.
            self.inside_words = frozenset(model["vocab"].values())

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What is done to a text, step by step."""
        more = [("Merge trees", f"not drawn: {self.not_drawn}")] if self.not_drawn else []
        return [*super().steps, *more]

    @property
    def merges(self) -> Iterator[tuple[str, str]]:
        """The pairs that merge, in order."""
        for merge in self.pipeline.model["merges"]:
            left, right = merge.split(" ") if isinstance(merge, str) else merge
            yield left, right

    @once
    def _merge_ranks(self) -> dict[tuple[str, str], int]:
        return {pair: rank for rank, pair in enumerate(self.merges)}

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        if before == after:
            return self._no_cut(spans, before)
        ids = int(spans.ids[before]), int(spans.ids[after])
        left, right = (self._tokens[token_id] for token_id in ids)
        names = f"{self._quoted(ids[0])} and {self._quoted(ids[1])}"
        if fallback_byte(left) is not None or fallback_byte(right) is not None:
            return "A character that is not in the vocabulary is here as its bytes, which are not joined."
        rank = self._merge_ranks.get((left, right))
        if rank is None:
            return f"{names} stay apart: no merge joins them."
        return (
            f"{names} could be joined (merge {rank + 1:,}), but merges before it happened first, so that "
            "these two ended up here."
        )


class NotDrawnError(Exception):
    """Why the merges of a file are not drawn, to follow "not drawn:"."""


_FRONT = {"type": "Prepend", "prepend": SPACE}
_SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}


class _PiecesBesideAdded(PieceMerges):
    """Merges of a model that also has added tokens, which are found before any merge.

    Attributes:
        always: added tokens that ``grow`` must refuse.
    """

    always: Sequence[str] = ()

    def grow(self, text: str) -> PieceForest:
        """As ``PieceMerges.grow``.

        Raises:
            ValueError: the text is too long, or contains an added token.
        """
        added = next((name for name in self.always if name in text), None)
        if added is not None:
            raise ValueError(
                f"{quote(added.encode('utf-8'))} is an added token here, which is found before pieces are "
                "joined, so no forest is drawn of a text with it. Take a part without it."
            )
        return super().grow(text)


class JoiningEncoding(PairEncoding):
    """Pairs of characters, without words, as SentencePiece joins them: Llama 2's and Mistral's files.

    The library merges by the place of a *pair* in its list; the trees here go by the place of the one pair
    that ever makes a piece. ``merging_pairs.py`` explains why that is the same; it is checked for each piece.

    Raises:
        NotDrawnError: the merges cannot be drawn as such.
    """

    family = "SentencePiece BPE"

    def __init__(self, pipeline: Pipeline, original: bytes, *, name: str) -> None:
        _check_joining(pipeline)
        super().__init__(pipeline, original, name=name)
        if self._decoding.token_bytes(SPACE) != b" ":
            raise NotDrawnError(f"its decoder does not write {SPACE} as a space")
        vocabulary = pipeline.model["vocab"]
        ranks: dict[int, int] = {}
        places: dict[tuple[int, int], int] = {}  # of each pair, by its token and its left part's length
        for number, (left, right) in enumerate(self.merges):
            made = vocabulary[left + right]
            ranks.setdefault(made, number)
            places.setdefault((made, len(self._bytes[vocabulary[left]])), number)
        is_piece = np.zeros(self._n_vocab, dtype=np.bool_)
        byte_ids: dict[int, int] = {}
        for token, token_id in vocabulary.items():
            byte = fallback_byte(token)
            if byte is not None:
                byte_ids[byte] = token_id
            elif token not in self._listed_specials and (token_id in ranks or len(token) == 1):
                is_piece[token_id] = True
        if len(byte_ids) < 256:
            raise NotDrawnError("not every byte is one of its tokens")
        pieces = [self._bytes.get(token_id, b"") for token_id in range(self._n_vocab)]
        made_special = set(ranks) & {self.token_ids[name] for name in self._listed_specials}
        if made_special:
            name = self._tokens[made_special.pop()][:40]
            raise NotDrawnError(f"a merge of it makes the special token {name}")
        ranks = _settle(ranks, places, pieces)
        scores = np.zeros(self._n_vocab)
        scores[list(ranks)] = [-float(rank) for rank in ranks.values()]
        self._joining = _PiecesBesideAdded(pieces, scores, is_piece, byte_ids, self.read)
        self._joining.always = [added.content for added in pipeline.added if not added.special]

    @property
    def joining(self) -> PieceMerges:
        """The merges of its pieces, by their place in the list."""
        return self._joining

    def rank(self, token_id: int) -> int | None:
        """The place of a piece's merge among all, 0 the first; None: no merge makes it."""
        self.token_bytes(token_id)  # raises if there is no such id
        return self._joining.rank(token_id)


def _settle(
    ranks: Mapping[int, int], places: Mapping[tuple[int, int], int], pieces: Sequence[bytes]
) -> dict[int, int]:
    """Assign each token the rank of the one pair that really produces it.

    That pair is the last one to be joined when the token's text is merged by itself, and its place in the
    list of pairs is the token's rank. Which pair that is depends on the ranks, so repeat until they stop
    changing.

    Args:
        ranks: for each token, the place of the first pair that makes it.
        places: the place of each pair, by the token it makes and the number of bytes of its left part.
        pieces: the bytes of each token.

    Raises:
        NotDrawnError: a token is made by a pair that is not in the list, or the ranks do not settle.
    """
    listed: dict[bytes, list[int]] = {}
    for made, middle in places:
        listed.setdefault(pieces[made], []).append(middle)
    letters = frozenset(
        piece for piece in pieces if len(piece) <= 4 and len(piece.decode("utf-8", "replace")) == 1
    )
    for _ in range(4):
        by_bytes = {pieces[token_id]: rank for token_id, rank in ranks.items()}
        lasts = last_middles(by_bytes, listed, letters, functools.partial(_run, ranks=by_bytes))
        settled: dict[int, int] = {}
        for token_id, rank in ranks.items():
            middle = lasts[pieces[token_id]]
            place = places.get((token_id, middle)) if middle else rank  # out of reach: it never arises
            if place is None:
                raise NotDrawnError("its merges make a token of other parts than its ranks would")
            settled[token_id] = place
        if settled == ranks:
            return settled
        ranks = settled
    raise NotDrawnError("which merge makes a token depends on others in a circle")


def _run(piece: bytes, *, ranks: Mapping[bytes, int]) -> int:
    edges = None if piece.isascii() else byte_edges(piece.decode("utf-8")).tolist()
    return last_middle(piece, ranks, edges=edges)


def _check_joining(pipeline: Pipeline) -> None:
    """Refuse a pipeline that does more than to put a space in front and to join pieces."""
    model, content = pipeline.model, pipeline.content
    if model["end_of_word_suffix"] or model["continuing_subword_prefix"] or model["ignore_merges"]:
        raise NotDrawnError("its tokens are marked at the ends of words, or taken whole")
    if SPACE not in model["vocab"]:
        raise NotDrawnError(f"it has no token {SPACE}")
    if not model["byte_fallback"]:
        raise NotDrawnError("it cuts words whose tokens are not made of bytes")
    normalizer, cutter = content["normalizer"], content["pre_tokenizer"]
    steps = normalizer["normalizers"] if normalizer and normalizer["type"] == "Sequence" else [normalizer]
    no_spaces = {"type": "Split", "pattern": {"String": " "}}  # there are none left
    cuts_nothing = cutter is None or {key: cutter.get(key) for key in no_spaces} == no_spaces
    is_front = steps in ([_FRONT, _SPACES], [_SPACES]) and cuts_nothing
    is_metaspace = normalizer is None and bool(cutter) and cutter["type"] == "Metaspace"
    if not is_front and not (
        is_metaspace and not cutter.get("split", True) and cutter["replacement"] == SPACE
    ):
        raise NotDrawnError("it does more to a text than to write its spaces in another way")


class LibraryUnigram(HuggingFaceEncoding):
    """The most probable of all ways to cut each word into pieces."""

    family = "Unigram"

    @property
    def way(self) -> str:
        """How it cuts a text, to follow its name in a sentence."""
        return "takes the most probable of all ways to cut a word into its pieces"

    @once
    def _scores(self) -> dict[bytes, float]:
        """The score of each piece, by its bytes, with spaces for ▁."""
        unknown = self.unknown_id
        return {
            piece.replace(SPACE, " ").encode("utf-8"): float(score)
            for number, (piece, score) in enumerate(self.pipeline.model["vocab"])
            if number != unknown and fallback_byte(piece) is None
        }

    @once
    def _longest(self) -> int:
        return max(map(len, self._scores), default=1)

    @once
    def _unknown_score(self) -> float:
        return min(float(score) for _, score in self.pipeline.model["vocab"]) - UNKNOWN_PRICE

    def lattice(self, text: str) -> Lattice:
        """All pieces that fit the first line of a text, as it is cut.

        Raises:
            ValueError: the text is too long.
        """
        line = next((line for line in well_formed(text).split("\n") if line.strip()), "")
        if len(line.encode("utf-8")) <= MAX_LATTICE_BYTES:
            try:
                line = self.read(line)
            except MemoryError:
                raise
            except BaseException as problem:
                raise ValueError(f"{self.name} cannot read this text: {in_short(problem)}.") from None
        return self._lattice_of(line)

    def _lattice_of(self, line: str) -> Lattice:
        return Lattice(line, self._scores.get, self._longest, self._unknown_score)

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        ids = spans.ids
        words = self._words_of(spans)
        left, right = int(ids[before]), int(ids[after])
        apart = {self.unknown_id, *self.token_ids.values()}
        first, last = before, after + 1
        while first and words[first - 1] == words[before] and before - first < WINDOW:
            first -= 1
        while last < len(ids) and words[last] == words[after] and last - after < WINDOW:
            last += 1
        those = ids[first:last].tolist()
        data = b"".join(self._bytes[token_id] for token_id in those)
        names = f"{self._quoted(left)} and {self._quoted(right)}"
        plain = self._no_cut(spans, before) if before == after else f"{names} are pieces of the best path."
        is_plain = not (apart & set(those)) and all(
            fallback_byte(self._tokens[token_id]) is None for token_id in those
        )
        if not is_plain or len(data) > MAX_LATTICE_BYTES:
            return plain
        place = sum(len(self._bytes[token_id]) for token_id in ids[first : before + 1].tolist())
        if before == after:
            own = self._bytes[left]
            shift = len(own) - int(spans.ends[before] - spans.starts[before])
            if shift not in (0, 1) or own[shift:] != spans.bytes_of(before):
                return plain
            place += byte_offset - int(spans.ends[before])
        lattice = self._lattice_of(data.decode("utf-8", "replace"))
        other = lattice.with_cut(place) if before == after else lattice.without_cut(place)
        if other is None:
            return (
                plain
                if before == after
                else f"No piece of {self.name} reaches over this place, between {names}."
            )
        return lattice.compare(other, is_cut=before != after) or plain


class PiecesOfWordsEncoding(HuggingFaceEncoding):
    """WordPiece: each word is cut by longest match, from the left."""

    family = "word pieces"

    def __init__(self, pipeline: Pipeline, original: bytes, *, name: str) -> None:
        super().__init__(pipeline, original, name=name)
        self._goes_on: str = pipeline.model["continuing_subword_prefix"]
        if self._goes_on:
            self.inside_words = frozenset(
                token_id
                for token, token_id in pipeline.model["vocab"].items()
                if token.startswith(self._goes_on) and len(token) > len(self._goes_on)
            )

    def _piece(self, token_id: int) -> str:
        token = self._tokens[token_id]
        return token[len(self._goes_on) :] if token_id in self.inside_words else token

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """The longest match, and what was tried before it."""
        words = self._words_of(spans)
        ids = spans.ids.tolist()
        index = before
        stop = index
        while stop < len(ids) and words[stop] == words[index]:
            stop += 1
        is_inside = index > 0 and words[index - 1] == words[index]
        piece = self._piece(ids[index])
        rest = "".join(self._piece(token_id) for token_id in ids[index:stop])
        what = "with which a word goes on" if is_inside else "in the vocabulary"
        no_cut = "No cut: " if before == after else ""
        quoted = [quote(text.encode("utf-8")) for text in (piece, rest, rest[: len(piece) + 1])]
        if piece == rest:
            end = "the end of the word" if is_inside else "a whole word"
            return f"{no_cut}{quoted[0]} is {end}, and in the vocabulary."
        tried = f"of {quoted[2]} to {quoted[1]}, none is" if quoted[2] != quoted[1] else f"{quoted[1]} is not"
        return f"{no_cut}{quoted[0]} is the longest beginning of {quoted[1]} {what}: {tried} in it."


class WholeWordsEncoding(HuggingFaceEncoding):
    """WordLevel: each word is a token, or unknown."""

    family = "words"


def from_pipeline(pipeline: Pipeline, original: bytes, name: str) -> HuggingFaceEncoding:
    """The encoding of a checked tokenizer.json.

    Raises:
        OSError: the library is not installed. ValueError: it cannot read the file.
    """
    if pipeline.model["type"] == "BPE":
        try:
            return JoiningEncoding(pipeline, original, name=name)
        except NotDrawnError as problem:
            encoding = PairEncoding(pipeline, original, name=name)
            encoding.not_drawn = str(problem)
            return encoding
    kinds: dict[str, type[HuggingFaceEncoding]] = {
        "Unigram": LibraryUnigram,
        "WordPiece": PiecesOfWordsEncoding,
        "WordLevel": WholeWordsEncoding,
    }
    return kinds[pipeline.model["type"]](pipeline, original, name=name)
