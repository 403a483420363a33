"""What a tokenizer.json's encoding is, by its model: pairs, Unigram, WordPiece, whole words.

The ids of all of them are those of Hugging Face's engine (``huggingface.py``). Here is what each can show:
merge trees, the lattice, and why a text is cut where it is.

**Whether merges can be drawn.** Hugging Face's engine merges by the place of a *pair* in the list of merges.
The trees here go by the rank of the *joined bytes*, as tiktoken does, or of the joined piece. The two are the
same if

- the pairs that make a token follow one another in the list, so that it has one rank, and
- the engine makes each token of its own characters (or both ways never make it).

Why: let tokens c and d be side by side whose joined text is the token T. Until then, no merge has reached
over the edges of T, so what happened within them is what happens in T alone: there, too, c and d are the last
two. If the engine goes on to T, that pair is in the list, and both ways merge it, at the same rank.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from ..arrays import I64
from ..bpe.explain import explain_seen
from ..bpe.merge_rule import Merging, last_middle
from ..cached import cached_property
from ..encoding import Ids, Splitting
from ..json_types import JsonMapping
from ..numbered import numbered
from ..split.patterns import GPT2, known_pattern, usual_spelling
from ..text.spans import Spans
from ..text.spelling import byte_characters
from ..text.text_map import TextMap
from ..utf8 import utf8_length, well_formed
from .huggingface import HuggingFaceEncoding
from .huggingface_engine import (
    BYTE_NAMES,
    SPACE_IN_FRONT,
    SPACES_TO_MARKS,
    Pipeline,
    PipelineStep,
    fallback_byte,
    find_bytes,
    spell_bytes,
    steps_of,
    token_speller,
)
from .huggingface_parts import Encoded, Piece, encode_in_parts
from .lattice import MAX_LATTICE_BYTES, UNKNOWN_PRICE, Lattice, explain_by_paths, lattice_maker
from .piece_merges import PieceMerges
from .sentencepieces import SPACE
from .wordpiece import WordPieceEncoding


class NotDrawnError(Exception):
    """Why the merges of a file are not drawn, to follow "not drawn:"."""


def pairs_of(model: JsonMapping) -> Iterator[tuple[str, str]]:
    """The pairs of tokens that merge, in order."""
    for merge in model["merges"]:
        left, right = merge.split(" ") if isinstance(merge, str) else merge
        yield left, right


# Merges of bytes


def _check_ids(encoding: HuggingFaceEncoding, vocabulary: Mapping[str, int]) -> None:
    """Refuse ids that an added token has, too: the library gives it the number of tokens, used or not."""
    added = encoding.token_ids
    ids = set(added.values())
    if any(i in ids and token not in added for token, i in vocabulary.items()):
        raise NotDrawnError("an added token of it has the id of another token")


def merges_of_bytes(
    encoding: HuggingFaceEncoding, content: JsonMapping, *, is_published: bool
) -> tuple[Merging, str | None, str]:
    """The merges of a byte-level BPE, the pattern that cuts as its pre-tokeniser does, if one is known, and
    what its normaliser is called.

    Raises:
        NotDrawnError: the merges cannot be drawn.
    """
    model, added = content["model"], encoding.token_ids.keys()
    _check_ids(encoding, model["vocab"])
    if model.get("continuing_subword_prefix") or model.get("end_of_word_suffix"):
        raise NotDrawnError("its tokens are marked at the ends of words, or are not made of bytes")
    ranks = {spell_bytes(token): i for token, i in model["vocab"].items() if token not in added}
    if len(ranks) < len(model["vocab"].keys() - added):
        raise NotDrawnError("two of its tokens stand for the same bytes")
    if any(bytes([byte]) not in ranks for byte in range(256)):
        raise NotDrawnError("not every byte is one of its tokens, or one is an added token, too")
    found_as = map(encoding.engine.id_to_token, encoding.token_ids.values())  # as they are normalised
    if any(spell_bytes(name) != name.encode() for name in found_as):
        raise NotDrawnError("an added token of it is spelled as bytes are")
    if any(token["lstrip"] or token["rstrip"] for token in content["added_tokens"]):
        raise NotDrawnError("an added token of it takes white space")
    forms = [step["type"] for step in steps_of(content["normalizer"])]
    if forms not in ([], ["NFC"], ["NFKC"]):
        raise NotDrawnError("its normaliser does more than NFC or NFKC")
    pattern = _check_cutting(steps_of(content["pre_tokenizer"]))
    if not is_published:  # it takes a third of the time that loading takes
        _check_merges(encoding, model, ranks, added)
    called = f"the normal form {forms[0]}" if forms else ""
    return Merging(ranks, first_id=min(ranks.values())), pattern, called


def _check_cutting(steps: list[PipelineStep]) -> str | None:
    """The one pattern by which a pre-tokeniser cuts, if it is known here."""
    kinds = [step["type"] for step in steps]
    if "ByteLevel" not in kinds:
        raise NotDrawnError("its tokens are not made of bytes")
    if kinds.index("ByteLevel") < len(kinds) - 1:
        raise NotDrawnError("it cuts a text again once its characters are bytes")
    for step in steps:
        kind = step["type"]
        if kind == "ByteLevel":
            if step.get("add_prefix_space", True):
                raise NotDrawnError("it puts a space in front of a text, which stands nowhere in it")
        elif kind not in ("Split", "Digits", "Punctuation") or step.get("behavior") == "Removed":
            raise NotDrawnError(f"its pre-tokeniser has a step, {kind}, that drops or changes characters")
    *splits, last = steps
    if last.get("use_regex", True):
        return None if splits else GPT2
    if len(splits) != 1 or splits[0].get("behavior") != "Isolated" or splits[0].get("invert"):
        return None
    regex = usual_spelling(splits[0].get("pattern", {}).get("Regex", ""))
    return regex if known_pattern(regex) else None


def _check_merges(
    encoding: HuggingFaceEncoding,
    model: JsonMapping,
    ranks: Mapping[bytes, int],
    added: Collection[str],
) -> None:
    """Refuse a list of merges that does not say the same as the ids of the tokens."""
    vocabulary = model["vocab"]
    last_id = -1
    for left, right in pairs_of(model):
        if left + right in added or left in added or right in added:
            raise NotDrawnError("a merge of it makes an added token")
        if vocabulary[left + right] < last_id:
            raise NotDrawnError("its merges are not in the order of the ids that they make")
        last_id = vocabulary[left + right]
    made = (token for token in vocabulary if token not in added)
    for token in _find_unmade(encoding, made):
        if not model.get("ignore_merges"):
            raise NotDrawnError("some of its tokens are out of its merges' reach")
        if last_middle(spell_bytes(token), ranks):
            raise NotDrawnError("its merges make a token of other parts than the ranks of its tokens would")


def _find_unmade(encoding: HuggingFaceEncoding, tokens: Iterable[str]) -> list[str]:
    """The tokens that the engine does not make of their own characters by merges."""
    model = encoding.engine.model
    settings = model.ignore_merges, model.unk_token
    model.ignore_merges, model.unk_token = False, None  # unknown letters are left out
    unmade = [token for token in tokens if [made.value for made in model.tokenize(token)] != [token]]
    model.ignore_merges, model.unk_token = settings
    return unmade


# Merges of pieces


def merges_of_pieces(encoding: HuggingFaceEncoding, content: JsonMapping) -> PieceMerges:
    """The merges of a BPE that joins characters, without words, as SentencePiece does: Llama 2's files.

    Raises:
        NotDrawnError: the merges cannot be drawn as such.
    """
    _check_joining(content)
    _check_ids(encoding, content["model"]["vocab"])
    if token_speller(content["decoder"])(SPACE) != b" ":
        raise NotDrawnError(f"its decoder does not write {SPACE} as a space")
    vocabulary, n_vocab = content["model"]["vocab"], encoding.n_vocab
    special = {token["content"] for token in content["added_tokens"] if token["special"]}
    special -= set(find_bytes(content))
    lengths = encoding.byte_lengths.tolist()
    pieces = [encoding.token_bytes(i) if length else b"" for i, length in enumerate(lengths)]
    ranks = _ranks_of_made(content["model"])
    is_piece = np.zeros(n_vocab, bool)
    byte_ids: dict[int, int] = {}
    for token, token_id in vocabulary.items():
        byte = fallback_byte(token)
        if byte is not None:
            byte_ids[byte] = token_id
        elif token not in special and (token in ranks or len(token) == 1):
            is_piece[token_id] = True
        elif token in special and token in ranks:
            raise NotDrawnError(f"a merge of it makes the special token {token[:40]}")
    if len(byte_ids) < 256:
        raise NotDrawnError("not every byte is one of its tokens")
    ranks_of_bytes = {pieces[vocabulary[token]]: rank for token, rank in ranks.items()}
    for token in _find_unmade(encoding, ranks):
        piece = pieces[vocabulary[token]]
        if last_middle(piece, ranks_of_bytes, TextMap(piece.decode()).byte_of_char.tolist()):
            raise NotDrawnError("its merges make a token of other parts than its ranks would")
    scores = np.zeros(n_vocab)
    scores[[vocabulary[token] for token in ranks]] = [-float(rank) for rank in ranks.values()]
    found = [token["content"] for token in content["added_tokens"] if token["content"] not in special]
    return PieceMerges(pieces, scores, is_piece, byte_ids, encoding.read, added=found)


def _ranks_of_made(model: JsonMapping) -> dict[str, int]:
    """The first merge that makes each token."""
    ranks: dict[str, int] = {}
    last = ""
    for number, (left, right) in enumerate(pairs_of(model)):
        if left + right != last and left + right in ranks:
            raise NotDrawnError("its merges are not in the order of the pieces that they make")
        last = left + right
        ranks.setdefault(last, number)
    return ranks


def _check_joining(content: JsonMapping) -> None:
    """Refuse a pipeline that does more than to put a space in front and to join pieces."""
    model = content["model"]
    if any(map(model.get, ("end_of_word_suffix", "continuing_subword_prefix", "ignore_merges"))):
        raise NotDrawnError("its tokens are marked at the ends of words, or taken whole")
    if SPACE not in model["vocab"]:
        raise NotDrawnError(f"it has no token {SPACE}")
    normalizer, cutter = content["normalizer"], content["pre_tokenizer"]
    steps = normalizer["normalizers"] if normalizer and normalizer["type"] == "Sequence" else [normalizer]
    no_spaces = {"type": "Split", "pattern": {"String": " "}}  # there are none left
    cuts_nothing = cutter is None or {key: cutter.get(key) for key in no_spaces} == no_spaces
    is_front = steps in ([SPACE_IN_FRONT, SPACES_TO_MARKS], [SPACES_TO_MARKS]) and cuts_nothing
    is_mark = bool(cutter) and cutter["type"] == "Metaspace" and cutter["replacement"] == SPACE
    if not is_front and not (normalizer is None and is_mark and not cutter.get("split", True)):
        raise NotDrawnError("it does more to a text than to write its spaces in another way")


class PairEncoding(HuggingFaceEncoding):
    """BPE over bytes or characters. Its merges are a capability, if there are some and they can be drawn.

    Its split pattern is the pre-tokeniser, whose pieces are those of the text as it is normalised.

    Attributes:
        pattern, exact_pattern: the pattern that cuts as the pre-tokeniser does; None: none is known.
        merging: the merges of its bytes, by rank; None: they are not drawn.
        joining: the merges of its pieces, by their place in the list; None: they are not drawn.
    """

    family = "byte pairs"
    pattern: str | None = None
    exact_pattern: str | None = None
    merging: Merging | None = None
    joining: PieceMerges | None = None
    _normaliser = ""
    _decodes_bytes = False

    def __init__(self, pipeline: Pipeline, *, name: str) -> None:
        model = pipeline.content["model"]
        bytes_in_it = BYTE_NAMES if model.get("byte_fallback") else byte_characters()
        self._leaves_out = (
            model["unk_token"] is None
            and not model["vocab"].keys() >= set(bytes_in_it)
            and {token["content"] for token in pipeline.content["added_tokens"]}.isdisjoint(BYTE_NAMES)
        )
        super().__init__(pipeline, name=name)
        if model.get("end_of_word_suffix") or model.get("continuing_subword_prefix"):
            # Every token carries a prefix or suffix, so no plain text spells one.
            self.inside_words = frozenset(model["vocab"].values())
        cutting = steps_of(pipeline.content["pre_tokenizer"])
        is_of_bytes = any(step["type"] == "ByteLevel" for step in cutting)
        if not model["merges"] and not is_of_bytes:
            self.family = "characters"
            return
        try:
            if model.get("byte_fallback") and not is_of_bytes:
                self.joining = merges_of_pieces(self, pipeline.content)
                self.family = "SentencePiece BPE"
                return
            self.merging, self.pattern, self._normaliser = merges_of_bytes(
                self, pipeline.content, is_published=pipeline.is_published
            )
        except NotDrawnError as problem:
            self.not_drawn = str(problem)
            self._steps.append(("Merge trees", f"not drawn: {problem}"))
            return
        self.exact_pattern = self.pattern
        decoding = [step["type"] for step in steps_of(pipeline.content["decoder"])]
        self._decodes_bytes = decoding == ["ByteLevel"]
        self.is_lossless = self._decodes_bytes and self.engine.normalizer is None
        self.unknown_id = None  # every byte has its token
        self.special_tokens = dict(self.token_ids)  # no merge reaches into an added token

    def rank(self, token_id: int) -> int | None:
        """The order in which the token's merge was learned; None: no merge makes it."""
        if self.merging is None:
            return super().rank(token_id)
        is_made = len(self.token_bytes(token_id)) > 1 and not self.is_special(token_id)
        return token_id - self.merging.first_id if is_made else None

    def _offsets(self, text: str, encoded: Encoded, allowed: set[str]) -> I64:
        """The places of tokens. They differ from the library's where letters without a token are left out.

        The library counts as if those letters were not in their word.
        """
        if self._leaves_out and self._charsmap is None:
            run = functools.partial(self._run_words, self._engine_for(allowed).engine)
            words = encode_in_parts(run, text, can_cut=self._can_cut)
            if words.ids == encoded.ids:
                return words.offsets
        return super()._offsets(text, encoded, allowed)

    def _cut_word(self, word: bytes) -> list[Piece]:
        """The tokens of a word, over the letters that they came from."""
        text, model = word.decode(), self.engine.model
        tokens = model.tokenize(text)
        n_bytes = tokens[-1].offsets[1] if tokens else 0
        kept = list(range(n_bytes))
        if n_bytes < len(word):
            spelled = [(model.continuing_subword_prefix or "") + letter for letter in text]
            spelled[0] = text[0]
            spelled[-1] += model.end_of_word_suffix or ""
            has_token = {letter: self._has_token(letter) for letter in set(spelled)}
            is_kept = np.repeat([has_token[letter] for letter in spelled], list(map(utf8_length, text)))
            kept = np.flatnonzero(is_kept).tolist()
        if len(kept) != n_bytes:
            return []
        return [Piece(token.id, kept[token.offsets[0]], kept[token.offsets[1] - 1] + 1) for token in tokens]

    def _has_token(self, letter: str) -> bool:
        """Whether a letter becomes a token, or its bytes do."""
        model = self.engine.model
        if model.token_to_id(letter) is not None:
            return True
        if not model.byte_fallback:
            return False
        return all(model.token_to_id(BYTE_NAMES[byte]) is not None for byte in letter.encode())

    # Of merges of bytes, whose tokens join to the text as it is normalised

    @property
    def splitting(self) -> Splitting | None:
        """The pre-tokeniser, as a split pattern; None: its merges are not drawn."""
        return None if self.merging is None else self

    def pieces(self, text: str) -> list[str]:
        """The words of the pre-tokeniser; ``"".join(pieces) == seen(text)``."""
        text = self.seen(text)
        self._plain.trial([text])
        words = self.engine.pre_tokenizer.pre_tokenize_str(text)
        return [text[start:end] for _, (start, end) in words]

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Whether ``pieces`` cuts this text where the engine did: it is the same engine."""
        return True

    def seen(self, text: str) -> str:
        """The text as it is normalised, if its merges are drawn."""
        text = well_formed(text)
        if self.merging is None or self.is_lossless:
            return text
        return self._join(self.encode(text)).decode()

    def seen_spans(self, spans: Spans) -> Spans:
        """The same tokens, at their places in the text as it is normalised."""
        if self.merging is None or self.is_lossless:
            return spans
        seen = self._join(spans.ids.tolist())
        return spans if seen == spans.text_map.data else Spans(TextMap(seen.decode()), self, spans.ids)

    def _join(self, ids: Iterable[int]) -> bytes:
        return b"".join(map(self.token_bytes, ids))

    def _decode(self, ids: Sequence[int]) -> bytes:
        """What the library decodes; if that joins bytes, those bytes, of parts of characters too."""
        return self._join(ids) if self.merging and self._decodes_bytes else super()._decode(ids)

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence or two."""
        if self.merging is None:
            return super().reason(spans, byte_offset)
        return explain_seen(spans, byte_offset, self._normaliser)

    @cached_property
    def _merge_ranks(self) -> dict[tuple[str, str], int]:
        return numbered(pairs_of(self.content["model"]))

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        if before == after:
            return self._no_cut(spans, before)
        left_id = spans.id_at(before)
        right_id = spans.id_at(after)
        left = self.engine.id_to_token(left_id)
        right = self.engine.id_to_token(right_id)
        names = f"{self._quoted(left_id)} and {self._quoted(right_id)}"
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
    way = "takes the most probable of all ways to cut a word into its pieces"

    @cached_property
    def _lattice_of(self) -> Callable[[str], Lattice]:
        """Makes the lattice of a line as it is cut, with spaces for ▁."""
        vocabulary: list[tuple[str, float]] = self.content["model"]["vocab"]
        # The library matches every piece, also one that spells the unknown token or a byte.
        scores = {piece.replace(SPACE, " ").encode(): float(score) for piece, score in vocabulary}
        worst = min(float(score) for _, score in vocabulary)
        return lattice_maker(scores, worst - UNKNOWN_PRICE)

    def lattice(self, text: str) -> Lattice:
        """All pieces that fit the first line of a text, as it is cut.

        Raises:
            ValueError: the text is too long.
        """
        line = next((line for line in well_formed(text).split("\n") if line.strip()), "")
        return self._lattice_of(self.read(line) if utf8_length(line) <= MAX_LATTICE_BYTES else line)

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        words, ids = self._words_of(spans), spans.ids.tolist()
        apart = {self.unknown_id, *self.token_ids.values()} - self.byte_ids

        def ends_part(index: int) -> bool:
            return words[index - 1] != words[index] or not apart.isdisjoint(ids[index - 1 : index + 1])

        return explain_by_paths(spans, before, after, byte_offset, ends_part, self._lattice_of)


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
