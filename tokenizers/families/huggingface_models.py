"""What a tokenizer.json's encoding is, by its model: pairs, Unigram, WordPiece, whole words.

The ids of all of them are those of Hugging Face's engine (``huggingface.py``). Here is what each can show:
merge trees, the lattice, and why a text is cut where it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..bpe.explain import explain_seen
from ..bpe.merge_rule import Merging
from ..cached import cached_property
from ..encoding import Ids, Splitting
from ..text.spans import Spans
from ..text.text_map import TextMap
from ..utf8 import well_formed
from .huggingface import HuggingFaceEncoding, Pipeline, fallback_byte
from .huggingface_merges import NotDrawnError, merges_of_bytes, merges_of_pieces, pairs_of
from .lattice import MAX_LATTICE_BYTES, UNKNOWN_PRICE, Lattice, explain_by_paths
from .piece_merges import PieceMerges
from .sentencepieces import SPACE
from .wordpiece import WordPieceEncoding


class PairEncoding(HuggingFaceEncoding):
    """BPE over bytes or characters. Its merges are a capability, if they can be drawn.

    Its split pattern is the pre-tokeniser, whose pieces are those of the text as it is normalised.

    Attributes:
        pattern, exact_pattern: the pattern that cuts as the pre-tokeniser does; None: none is known.
    """

    family = "byte pairs"
    pattern: str | None = None
    exact_pattern: str | None = None
    _merging: Merging | None = None
    _joining: PieceMerges | None = None
    _normaliser = ""

    def __init__(self, pipeline: Pipeline, *, name: str) -> None:
        super().__init__(pipeline, name=name)
        model = pipeline.content["model"]
        if model.get("end_of_word_suffix") or model.get("continuing_subword_prefix"):
            # Every token carries a prefix or suffix, so no plain text spells one.
            self.inside_words = frozenset(model["vocab"].values())
        try:
            if model.get("byte_fallback"):
                self._joining = merges_of_pieces(self, pipeline.content)
                self.family = "SentencePiece BPE"
                return
            self._merging, self.pattern, self._normaliser = merges_of_bytes(self, pipeline.content)
        except NotDrawnError as problem:
            self.not_drawn = str(problem)
            self._steps.append(("Merge trees", f"not drawn: {problem}"))
            return
        self.exact_pattern = self.pattern
        self.is_lossless = self.engine.normalizer is None
        self.unknown_id = None  # every byte has its token
        self.special_tokens = dict(self.token_ids)  # no merge reaches into an added token

    @property
    def merging(self) -> Merging | None:
        """The merges of its bytes by rank; None: they are not drawn."""
        return self._merging

    @property
    def joining(self) -> PieceMerges | None:
        """The merges of its pieces, by their place in the list; None: they are not drawn."""
        return self._joining

    def rank(self, token_id: int) -> int | None:
        """The order in which the token's merge was learned; None: no merge makes it."""
        data = self.token_bytes(token_id)  # raises if there is no such id
        if self._joining is not None:
            return self._joining.rank(token_id)
        if self._merging is None or self.is_special(token_id) or len(data) == 1:
            return None
        return token_id - self._merging.first_id

    # Of merges of bytes, whose tokens join to the text as it is normalised

    @property
    def splitting(self) -> Splitting | None:
        """The pre-tokeniser, as a split pattern; None: its merges are not drawn."""
        return None if self._merging is None else self

    def pieces(self, text: str) -> list[str]:
        """The words of the pre-tokeniser; ``"".join(pieces) == seen(text)``."""
        text, cutter = self.seen(text), self.engine.pre_tokenizer
        return [text[start:end] for _, (start, end) in cutter.pre_tokenize_str(text)]

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Whether ``pieces`` cuts this text where the engine did: it is the same engine."""
        return True

    def seen(self, text: str) -> str:
        """The text as it is normalised, if its merges are drawn."""
        text = well_formed(text)
        if self._merging is None or self.is_lossless:
            return text
        return self.decode_array(self.encode_array(text)).decode("utf-8")

    def seen_spans(self, spans: Spans) -> Spans:
        """The same tokens, at their places in the text as it is normalised."""
        if self._merging is None or self.is_lossless or spans.decodes_to_text:
            return spans
        return Spans(TextMap(self.decode_array(spans.ids).decode("utf-8")), self, spans.ids)

    def _decode(self, ids: Sequence[int]) -> bytes:
        """What the library decodes; where tokens are bytes, those bytes, of parts of characters too."""
        return super()._decode(ids) if self._merging is None else b"".join(map(self.token_bytes, ids))

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence or two."""
        if self._merging is None:
            return super().reason(spans, byte_offset)
        return explain_seen(spans, byte_offset, self._normaliser)

    @cached_property
    def _merge_ranks(self) -> dict[tuple[str, str], int]:
        return {pair: rank for rank, pair in enumerate(pairs_of(self.content["model"]))}

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        if before == after:
            return self._no_cut(spans, before)
        ids = int(spans.ids[before]), int(spans.ids[after])
        left, right = map(self.engine.id_to_token, ids)
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


class LibraryUnigram(HuggingFaceEncoding):
    """The most probable of all ways to cut each word into pieces."""

    family = "Unigram"

    @property
    def way(self) -> str:
        """How it cuts a text, to follow its name in a sentence."""
        return "takes the most probable of all ways to cut a word into its pieces"

    @cached_property
    def _scores(self) -> dict[bytes, float]:
        """The score of each piece, by its bytes, with spaces for ▁."""
        unknown = self.unknown_id
        return {
            piece.replace(SPACE, " ").encode("utf-8"): float(score)
            for number, (piece, score) in enumerate(self.content["model"]["vocab"])
            if number != unknown and fallback_byte(piece) is None
        }

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._scores), default=1)

    @cached_property
    def _unknown_score(self) -> float:
        return min(float(score) for _, score in self.content["model"]["vocab"]) - UNKNOWN_PRICE

    def lattice(self, text: str) -> Lattice:
        """All pieces that fit the first line of a text, as it is cut.

        Raises:
            ValueError: the text is too long.
        """
        line = next((line for line in well_formed(text).split("\n") if line.strip()), "")
        return self._lattice_of(self.read(line) if len(line.encode("utf-8")) <= MAX_LATTICE_BYTES else line)

    def _lattice_of(self, line: str) -> Lattice:
        return Lattice(line, self._scores.get, self._longest, self._unknown_score)

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        words, ids = self._words_of(spans), spans.ids.tolist()
        apart = {self.unknown_id, *self.token_ids.values()}
        return explain_by_paths(
            spans,
            before,
            after,
            byte_offset,
            tokens=[self.token_bytes(token_id) for token_id in ids],
            ends_part=lambda index: (
                words[index - 1] != words[index] or not apart.isdisjoint(ids[index - 1 : index + 1])
            ),
            make_lattice=self._lattice_of,
        )


class WholeWordsEncoding(HuggingFaceEncoding):
    """WordLevel: each word is a token, or unknown."""

    family = "words"


MODELS: dict[str, type[HuggingFaceEncoding]] = {
    "BPE": PairEncoding,
    "Unigram": LibraryUnigram,
    "WordPiece": WordPieceEncoding,
    "WordLevel": WholeWordsEncoding,
}
"""The encoding of each type of model."""
