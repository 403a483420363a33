"""Encodings that a tokenizer.json describes, whatever its pipeline, on Hugging Face's own engine.

The ids are the engine's. So are the places: it says for each token which characters of the text as typed it
came from, also where a text was normalised first. Where several tokens came from one character, it gives all
of it to each; if they are that character's very bytes, each stands over its own here.

Special tokens in a text are plain text unless they are allowed; other added tokens are found always: both as
the library does.

Source: https://github.com/huggingface/tokenizers.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import threading
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..bpe.trees import last_middle
from ..checks import check_string, check_whole_number, check_whole_numbers
from ..encoding import AllowedSpecial, Encoding, Ids, Losses, Placement, well_formed
from ..formats.pipeline import Pipeline
from ..split.engine_tasks import load_huggingface
from ..text.alignment import byte_edges
from ..text.rewriting import Rewritten
from ..text.spans import TextMap
from ..text.spelling import quote
from .lattice import MAX_LATTICE_BYTES, Lattice, where_they_differ
from .library_decoding import Decoding, NotToldError, fallback_byte
from .piece_merges import Grown, PieceMerges

if TYPE_CHECKING:
    from ..text.spans import Spans

SPACE = "▁"
_UNKNOWN_PENALTY = 10.0
"""How much worse than the worst piece of a Unigram an unknown character is: the library's rule."""


@functools.cache
def _library() -> Any:
    """Hugging Face's compiled module.

    Raises:
        OSError: it is not installed.
    """
    try:
        return load_huggingface()
    except ImportError as problem:
        raise OSError(
            f"Hugging Face's library cuts this encoding, and {problem}. Install it: pip install tokenizers"
        ) from None


def build_engine(content: Mapping[str, Any]) -> Any:
    """The library's tokenizer for a checked tokenizer.json.

    Raises:
        OSError: the library is not installed. ValueError: it cannot read the file; says why.
    """
    library = _library()
    try:
        return library.Tokenizer.from_str(json.dumps(content, ensure_ascii=False))
    except MemoryError:
        raise
    except BaseException as problem:  # a panic in Rust does not arrive as an Exception
        raise ValueError(f"Hugging Face's library cannot read it: {_in_short(problem)}.") from None


def _in_short(problem: BaseException) -> str:
    if isinstance(problem, KeyboardInterrupt | SystemExit | GeneratorExit):
        raise problem
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return (lines[0] if lines else type(problem).__name__)[:200].rstrip(".")


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(texts)
    while batch := list(itertools.islice(rest, 1_000)):
        yield batch


def _without_front(content: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """A tokenizer.json without what its steps put in front of a text, and whether there was anything."""
    changed = False

    def strip(step: Any) -> Any:
        nonlocal changed
        if step is None:
            return None
        inner = next((key for key in ("normalizers", "pretokenizers") if key in step), None)
        if inner is not None:
            return {**step, inner: [each for part in step[inner] if (each := strip(part)) is not None]}
        kind = step["type"]
        if kind == "Prepend":
            changed = True
            return None
        if kind == "Metaspace":
            scheme = step.get("prepend_scheme") or (
                "always" if step.get("add_prefix_space", True) else "never"
            )
            changed = changed or scheme != "never"
            kept = {key: value for key, value in step.items() if key != "add_prefix_space"}
            return {**kept, "prepend_scheme": "never"}
        if kind == "ByteLevel" and step.get("add_prefix_space", True):
            changed = True
            return {**step, "add_prefix_space": False}
        return step

    steps = {key: strip(content[key]) for key in ("normalizer", "pre_tokenizer")}
    return {**content, **steps}, changed


class HuggingFaceEncoding(Encoding):
    """An encoding on Hugging Face's engine. ``from_pipeline`` takes the class for its model.

    Args:
        pipeline: a checked tokenizer.json.
        original: the file's content.
        name: what people call it.

    Raises:
        OSError: the library is not installed. ValueError: it cannot read the file.

    Attributes:
        pipeline: as given.
        token_ids: the id that the library gives each added token.
        added_names: the added tokens.
        moved: the added tokens to which the library gives another id than the file: token, file's, library's.
    """

    family = "pieces"
    is_lossless = False
    drops_text = True
    longest_text = 2 << 20  # about 150 times the text's memory, and 2 s a MB

    def __init__(self, pipeline: Pipeline, original: bytes, *, name: str) -> None:
        self.pipeline = pipeline
        self._compressed = zlib.compress(original, 1)
        self._digest = hashlib.sha256(original).digest()
        self._engine = build_engine(pipeline.content)
        self._engine.encode_special_tokens = True
        self._decoding = Decoding(pipeline.content["decoder"])
        self._tokens: dict[int, str] = {
            token_id: token for token, token_id in self._engine.get_vocab(with_added_tokens=True).items()
        }
        self.token_ids: dict[str, int] = {}
        self.moved: list[tuple[str, int, int]] = []
        for added in pipeline.added:
            token_id = self._engine.token_to_id(added.content)
            if token_id is None:
                continue  # the library leaves out the empty one
            if token_id != added.token_id:
                self.moved.append((added.content, added.token_id, token_id))
            self.token_ids[added.content] = token_id
            self._tokens[token_id] = added.content
        self.added_names = frozenset(self.token_ids)
        self._n_vocab = max(self._tokens) + 1
        self.unknown_id = self._find_unknown()
        special = {
            added.content: self.token_ids[added.content]
            for added in pipeline.added
            if added.special
            and added.content in self.token_ids
            and self.token_ids[added.content] != self.unknown_id
        }
        super().__init__(name, special)
        self._listed_specials = {
            added.content for added in pipeline.added if added.special
        } & self.token_ids.keys()
        self.frame = pipeline.frame
        self.chat_template = pipeline.chat_template
        self._bytes: dict[int, bytes] = {}
        special_ids = {self.token_ids[name] for name in self._listed_specials}
        for token_id, token in self._tokens.items():
            as_it_is = token_id in special_ids or token_id == self.unknown_id
            self._bytes[token_id] = token.encode("utf-8") if as_it_is else self._decoding.token_bytes(token)
        _, puts_in_front = _without_front(pipeline.content)
        self.puts_space_in_front = puts_in_front
        self._marks_words = puts_in_front and "Metaspace" in json.dumps(pipeline.content["pre_tokenizer"])
        self._other: tuple[frozenset[str], Any] | None = None  # an engine that finds special tokens
        self._other_lock = threading.Lock()
        self._words: tuple[str, list[int | None]] | None = None

    # What the file holds

    @property
    def saved(self) -> bytes:
        """The file's content, which reads back to this encoding."""
        return zlib.decompress(self._compressed)

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What is done to a text, step by step: pairs of a step's name and what it does."""
        steps = list(self.pipeline.steps)
        if self.moved:
            content, listed, given = self.moved[0]
            more = f", and of {len(self.moved) - 1:,} more" if len(self.moved) > 1 else ""
            steps.append(
                ("Ids", f"the file gives {content} the id {listed}, and the library the id {given}{more}")
            )
        return steps

    def _find_unknown(self) -> int | None:
        model = self.pipeline.model
        if model["type"] == "Unigram":
            unknown: int | None = model["unk_id"]
            return unknown
        token = model["unk_token"]
        return None if token is None else int(model["vocab"][token])

    # The vocabulary

    @property
    def n_vocab(self) -> int:
        """One more than the largest id."""
        return self._n_vocab

    @functools.cached_property
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become: their bytes, and their ids. Of a character and its byte, the
        character's."""
        apart = {self.unknown_id, *self.special_tokens.values()}
        listed = sorted(self._bytes.items(), key=lambda item: item[0])
        in_order = sorted(listed, key=lambda item: fallback_byte(self._tokens[item[0]]) is None)
        return {data: token_id for token_id, data in in_order if token_id not in apart}

    @functools.cached_property
    def byte_lengths(self) -> npt.NDArray[np.uint32]:
        """Bytes in each token, shape (n_vocab,), indexed by id; 0: no such token."""
        lengths = np.zeros(self._n_vocab, dtype=np.uint32)
        for token_id, data in self._bytes.items():
            lengths[token_id] = len(data)
        return lengths

    def token_bytes(self, token_id: int) -> bytes:
        """What one token stands for.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        data = self._bytes.get(check_whole_number(token_id, "token_id"))
        if data is None:
            raise self.no_such_token(token_id)
        return data

    # Text to ids

    def _allowed(self, allowed_special: AllowedSpecial) -> set[str]:
        """The special tokens to recognise; the unknown token can be one of them."""
        if allowed_special == "all":
            return set(self._listed_specials)
        if isinstance(allowed_special, str):
            return super()._allowed(allowed_special)
        return super()._allowed(allowed_special) | (self._listed_specials & set(allowed_special))

    def _engine_for(self, text: str, allowed: set[str]) -> Any:
        """The engine that finds these special tokens in a text, and no other ones."""
        normalized = {added.content for added in self.pipeline.added if added.normalized}
        names = frozenset(
            name
            for name in allowed
            if name in text or (name in normalized and self.pipeline.content["normalizer"] is not None)
        )
        if not names:
            return self._engine
        with self._other_lock:
            if self._other is None or self._other[0] != names:
                # For the engine, those that are allowed are no special ones: it finds them always.
                added = [
                    {**token, "special": token["special"] and token["content"] not in names}
                    for token in self.pipeline.content["added_tokens"]
                ]
                engine = build_engine({**self.pipeline.content, "added_tokens": added})
                engine.encode_special_tokens = True
                self._other = names, engine
            return self._other[1]

    def _run(self, text: str, allowed: set[str]) -> Any:
        """What the engine makes of a text.

        Raises:
            ValueError: it breaks down on it.
        """
        engine = self._engine_for(text, allowed)
        try:
            return engine.encode(text, add_special_tokens=False)
        except MemoryError:
            raise
        except BaseException as problem:
            raise ValueError(
                f"{self.name} cannot encode this text: {_in_short(problem)}. Take another text, or look at "
                "the file."
            ) from None

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        text = well_formed(check_string(text, "text"))
        return np.array(self._run(text, self._allowed(allowed_special)).ids, dtype=np.uint32)

    def encode_each(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """The ids of many short texts, one after the other; many at a time are quicker."""
        return self._encode_many(self._engine, texts)

    def encode_inside(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """As ``encode_each``, of texts as they would stand inside of a text: without what is put in front.

        Where the pre-tokeniser puts a mark in front of each word, a text that begins with a space has it.
        """
        if not self.puts_space_in_front:
            yield from self.encode_each(texts)
            return
        for batch in _batches(texts):
            usual = [self._marks_words and text.startswith(" ") for text in batch]
            sides = {
                is_usual: self._encode_many(
                    self._engine if is_usual else self._inside_engine,
                    [text for text, each in zip(batch, usual, strict=True) if each == is_usual],
                )
                for is_usual in (True, False)
            }
            for is_usual in usual:
                yield next(sides[is_usual])

    def _encode_many(self, engine: Any, texts: Iterable[str]) -> Iterator[list[int]]:
        for batch in _batches(map(well_formed, texts)):
            try:
                encoded = engine.encode_batch_fast(batch, add_special_tokens=False)
            except MemoryError:
                raise
            except BaseException as problem:
                raise ValueError(f"{self.name} cannot encode a text: {_in_short(problem)}.") from None
            for each in encoded:
                yield each.ids

    @functools.cached_property
    def _inside_engine(self) -> Any:
        """The engine without what is put in front of a text."""
        content, _ = _without_front(self.pipeline.content)
        engine = build_engine(content)
        engine.encode_special_tokens = True
        return engine

    def read(self, text: str) -> str:
        """A text as it is cut: normalised, with the spaces that are put in front."""
        engine = self._engine
        if engine.normalizer is not None:
            text = engine.normalizer.normalize_str(text)
        if engine.pre_tokenizer is not None:
            text = "".join(word for word, _ in engine.pre_tokenizer.pre_tokenize_str(text))
        return text.replace(SPACE, " ")

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, each over the characters or bytes that it came from."""
        text_map = TextMap(check_string(text, "text"))
        encoded = self._run(text_map.text, self._allowed(allowed_special))
        ids = np.array(encoded.ids, dtype=np.uint32)
        whole = self._join_exactly(ids, text_map.data)
        if whole is not None:
            return Placement(ids, *whole)
        places = np.array(encoded.offsets, dtype=np.int64).reshape(-1, 2)
        edges = text_map.byte_of_char
        starts = np.maximum.accumulate(edges[np.minimum(places[:, 0], text_map.n_chars)])
        ends = np.maximum.accumulate(edges[np.minimum(places[:, 1], text_map.n_chars)])
        ends = np.maximum(ends, starts)
        self._share_out(ids, starts, ends, text_map.data)
        return Placement(ids, starts, ends)

    def _join_exactly(
        self, ids: Ids, data: bytes
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None:
        """Where tokens stand whose bytes join to the text, or to the text with a space in front."""
        tokens = [self._bytes[token_id] for token_id in ids.tolist()]
        joined = b"".join(tokens)
        in_front = len(joined) - len(data)
        if in_front not in (0, 1) or joined != b" " * in_front + data:
            return None
        ends = np.cumsum(np.fromiter(map(len, tokens), np.int64, len(tokens)), dtype=np.int64) - in_front
        ends = np.maximum(ends, 0)
        return np.concatenate(([0], ends))[:-1], ends

    def _share_out(
        self, ids: Ids, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64], data: bytes
    ) -> None:
        """Where tokens that share characters are the very bytes of those, give each its own."""
        if not len(ids):
            return
        shares = np.flatnonzero(starts[1:] < ends[:-1])
        if not len(shares):
            return
        breaks = np.flatnonzero(np.diff(shares) > 1)
        firsts = shares[np.concatenate(([0], breaks + 1))]
        lasts = shares[np.concatenate((breaks, [len(shares) - 1]))] + 1
        for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
            tokens = [self._bytes[token_id] for token_id in ids[first : last + 1].tolist()]
            joined = b"".join(tokens)
            begin, stop = int(starts[first]), int(ends[last])
            in_front = len(joined) - (stop - begin)
            if in_front not in (0, 1) or joined != b" " * in_front + data[begin:stop]:
                continue
            edges = np.cumsum([0, *map(len, tokens)]) - in_front + begin
            edges = np.maximum(edges, begin)
            starts[first : last + 1], ends[first : last + 1] = edges[:-1], edges[1:]

    def pieces(self, text: str) -> list[str]:
        """The words into which the pre-tokeniser cuts a text that is normalised already."""
        cutter = self._engine.pre_tokenizer
        if cutter is None or not text:
            return [text] if text else []
        return [text[start:end] for _, (start, end) in cutter.pre_tokenize_str(text)]

    # Ids to text

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """What the library decodes, in UTF-8; where tokens are bytes, those bytes.

        Raises:
            ValueError: an id that this encoding does not have; names it.
        """
        checked = check_whole_numbers(ids, "ids")
        for token_id in checked:
            self.token_bytes(token_id)  # raises if there is no such id
        return self._decode(checked)

    def decode_array(self, ids: Ids) -> bytes:
        """As ``decode_bytes``, of ids that this encoding gave."""
        return self._decode(ids.tolist())

    def _decode(self, ids: list[int]) -> bytes:
        try:
            return b"".join(self._decoding.parts([self._tokens[token_id] for token_id in ids]))
        except NotToldError:
            return self._decode_whole(ids)

    def _decode_whole(self, ids: list[int]) -> bytes:
        try:
            text: str = self._engine.decode(ids, skip_special_tokens=False)
        except MemoryError:
            raise
        except BaseException as problem:
            raise ValueError(f"{self.name} cannot decode these ids: {_in_short(problem)}.") from None
        return text.encode("utf-8")

    def losses_in(self, text: str, placed: Placement) -> Losses:
        """The places that do not come back, and what comes instead."""
        ids = placed.ids.tolist()
        data = text.encode("utf-8")
        try:
            parts = self._decoding.parts([self._tokens[token_id] for token_id in ids])
        except NotToldError:
            whole = self._decode_whole(ids).decode("utf-8")
            if whole == text:
                return Losses()
            n_seen = len(whole)
            starts = np.zeros(n_seen, dtype=np.int64)
            return Rewritten(text, whole, starts, np.full(n_seen, len(text))).losses
        if b"".join(parts) == data:
            return Losses()
        return self._compare(text, placed, parts)

    def _compare(self, text: str, placed: Placement, parts: list[bytes]) -> Losses:
        """As ``losses_in``: letter by letter, where tokens give back as many letters as they stand over."""
        char_at = TextMap(text).char_at
        begins, stops = (np.asarray(edges, dtype=np.int64) for edges in (placed.starts, placed.ends))
        firsts: list[int] = char_at[begins].tolist()
        lasts: list[int] = np.where(
            stops > begins, char_at[np.maximum(stops - 1, 0)] + 1, char_at[stops]
        ).tolist()
        seen: list[str] = []
        starts, ends = array("i"), array("i")  # of each letter that comes back
        before = 0  # where the last tokens ended
        waiting = b""  # bytes that are no whole character yet
        start = 0
        for number, part in enumerate(parts):
            if not waiting:
                start = firsts[number]
            waiting += part
            try:
                letters = waiting.decode("utf-8")
            except UnicodeDecodeError as problem:
                is_cut = problem.end == len(waiting) and len(waiting) - problem.start < 4
                if is_cut and number + 1 < len(parts):
                    continue
                letters = waiting.decode("utf-8", "replace")
            waiting = b""
            end = max(start, lasts[number])
            seen.append(letters)
            extra = len(letters) - (end - start)
            if start >= before and (extra == 0 or (extra > 0 and letters.endswith(text[start:end]))):
                starts.extend([before] * extra)
                ends.extend([before] * extra)
                starts.extend(range(start, end))
                ends.extend(range(start + 1, end + 1))
            else:
                starts.extend([start] * len(letters))
                ends.extend([end] * len(letters))
            before = max(before, end)
        whole = "".join(seen)
        columns = [np.maximum.accumulate(np.array(column, dtype=np.int32)) for column in (starts, ends)]
        return Rewritten(text, whole, *columns).losses

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the file."""
        yield f"{self.family}\n".encode()
        yield self._digest

    # Why

    def _words_of(self, spans: Spans) -> list[int | None]:
        """The word that each token stands in, as the pre-tokeniser cut the text."""
        text = spans.text_map.text
        if self._words is None or self._words[0] != text or len(self._words[1]) != len(spans):
            present = set(spans.ids.tolist())
            names = {name for name, token_id in self.special_tokens.items() if token_id in present}
            self._words = text, self._run(text, names).word_ids
        return self._words[1]

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence.

        Raises:
            ValueError: the text has no such place.
        """
        edge = spans.edge_in_words(byte_offset)
        if edge:
            return edge
        before, after = spans.covering(byte_offset - 1), spans.covering(byte_offset)
        if before is None or after is None:
            return f"What stands here belongs to no token: {self.name} drops it."
        added = set(self.token_ids.values())
        ids = spans.ids
        if before != after and int(spans.ends[before]) == byte_offset:
            # Tokens that stand over nothing are between these two.
            before = after - 1
        left, right = int(ids[before]), int(ids[after])
        if {left, right} & added:
            return "A special or added token stands here, which is taken whole."
        words = self._words_of(spans)
        if before != after and (len(words) != len(ids) or words[before] != words[after]):
            return (
                f"Two words meet here: {self._said(left)} ends one, and {self._said(right)} begins the next, "
                "as the pre-tokeniser cuts them."
            )
        if before == after and left == self.unknown_id:
            typed = quote(spans.bytes_of(before))
            return f"No cut: {typed} is {self._tokens[left]}, because it is not in the vocabulary."
        return self._reason_inside(spans, before, after, byte_offset)

    def _said(self, token_id: int) -> str:
        return quote(self._bytes[token_id])

    def _no_cut(self, spans: Spans, index: int) -> str:
        """That one token stands here, and what it was, if that is something else."""
        token = self._bytes[int(spans.ids[index])]
        typed = spans.bytes_of(index)
        came = f", of {quote(typed)}" if typed.strip() != token.strip() else ""
        return f"No cut: {quote(token)} is one token{came}."

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """As ``reason``, within a word."""
        if before == after:
            return self._no_cut(spans, before)
        return f"{self._said(int(spans.ids[before]))} and {self._said(int(spans.ids[after]))} are two tokens."


class PairEncoding(HuggingFaceEncoding):
    """Byte pairs, or pairs of characters, whose merges cannot be drawn as byte pairs are."""

    family = "byte pairs"

    def __init__(self, pipeline: Pipeline, original: bytes, *, name: str) -> None:
        super().__init__(pipeline, original, name=name)
        model = pipeline.model
        if model["end_of_word_suffix"] or model["continuing_subword_prefix"]:
            self.inside_words = frozenset(model["vocab"].values())  # none is spelled as a text is

    not_drawn = ""
    """Why there are no merge trees, to follow "not drawn:"."""

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

    @functools.cached_property
    def _merge_ranks(self) -> dict[tuple[str, str], int]:
        return {pair: rank for rank, pair in enumerate(self.merges)}

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        if before == after:
            return self._no_cut(spans, before)
        ids = int(spans.ids[before]), int(spans.ids[after])
        left, right = (self._tokens[token_id] for token_id in ids)
        names = f"{self._said(ids[0])} and {self._said(ids[1])}"
        if fallback_byte(left) is not None or fallback_byte(right) is not None:
            return "A character that is not in the vocabulary stands here as its bytes, which are not joined."
        rank = self._merge_ranks.get((left, right))
        if rank is None:
            return f"{names} stay apart: no merge joins them."
        return (
            f"{names} could be joined (merge {rank + 1:,}), but merges before it happened first, so that "
            "these two came to stand here."
        )


class NotDrawnError(Exception):
    """Why the merges of a file are not drawn, to follow "not drawn:"."""


_FRONT = {"type": "Prepend", "prepend": SPACE}
_SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE}


class _PiecesBesideAdded(PieceMerges):
    """Merges beside added tokens that are found in every text, which are no merges' work."""

    always: Sequence[str] = ()

    def grow(self, text: str) -> Grown:
        """As ``PieceMerges.grow``.

        Raises:
            ValueError: the text is too long, or an added token stands in it.
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

    The library merges by the place of a *pair* in its list; the trees here go by the place of the first pair
    that makes a piece. Why that is the same is told in ``merging_pairs.py``, and checked for each piece.

    Raises:
        NotDrawnError: the merges cannot be drawn as such.
    """

    family = "SentencePiece BPE"

    def __init__(self, pipeline: Pipeline, original: bytes, *, name: str) -> None:
        _check_joining(pipeline)
        super().__init__(pipeline, original, name=name)
        vocabulary = pipeline.model["vocab"]
        ranks: dict[int, int] = {}
        pairs: set[tuple[int, int]] = set()
        last = -1
        for number, (left, right) in enumerate(self.merges):
            made = vocabulary[left + right]
            if made != last and made in ranks:
                raise NotDrawnError("its merges that make one token stand apart in their list")
            last = made
            ranks.setdefault(made, number)
            pairs.add((made, len(self._bytes[vocabulary[left]])))
        scores = np.zeros(self._n_vocab)
        scores[list(ranks)] = [-float(rank) for rank in ranks.values()]
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
        by_bytes = {pieces[token_id]: rank for token_id, rank in ranks.items()}
        for token_id in ranks:
            data = pieces[token_id]
            edges = range(len(data) + 1) if data.isascii() else byte_edges(data.decode("utf-8")).tolist()
            middle = last_middle(data, by_bytes, edges=edges)
            if middle and (token_id, middle) not in pairs:
                raise NotDrawnError("its merges make a token of other parts than its ranks would")
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


def _check_joining(pipeline: Pipeline) -> None:
    """Refuse a pipeline that does more than to put a space in front and to join pieces."""
    model, content = pipeline.model, pipeline.content
    if model["end_of_word_suffix"] or model["continuing_subword_prefix"] or model["ignore_merges"]:
        raise NotDrawnError("its tokens are marked at the ends of words, or taken whole")
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


class UnigramEncoding(HuggingFaceEncoding):
    """The most probable of all ways to cut each word into pieces."""

    family = "Unigram"

    @property
    def way(self) -> str:
        """How it cuts a text, to follow its name in a sentence."""
        return "takes the most probable of all ways to cut a word into its pieces"

    @functools.cached_property
    def _scores(self) -> dict[bytes, float]:
        """The score of each piece, by its bytes, with spaces for ▁."""
        unknown = self.unknown_id
        return {
            piece.replace(SPACE, " ").encode("utf-8"): float(score)
            for number, (piece, score) in enumerate(self.pipeline.model["vocab"])
            if number != unknown and fallback_byte(piece) is None
        }

    @functools.cached_property
    def _longest(self) -> int:
        return max(map(len, self._scores), default=1)

    @functools.cached_property
    def _unknown_score(self) -> float:
        return min(float(score) for _, score in self.pipeline.model["vocab"]) - _UNKNOWN_PENALTY

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
                raise ValueError(f"{self.name} cannot read this text: {_in_short(problem)}.") from None
        return self._lattice_of(line)

    def _lattice_of(self, line: str) -> Lattice:
        return Lattice(line, self._scores.get, self._longest, self._unknown_score)

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        ids = spans.ids
        words = self._words_of(spans)
        left, right = int(ids[before]), int(ids[after])
        apart = {self.unknown_id, *self.token_ids.values()}
        first, last = before, after + 1
        while first and words[first - 1] == words[before] and before - first < 12:
            first -= 1
        while last < len(ids) and words[last] == words[after] and last - after < 12:
            last += 1
        those = ids[first:last].tolist()
        data = b"".join(self._bytes[token_id] for token_id in those)
        names = f"{self._said(left)} and {self._said(right)}"
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
        [best] = lattice.best()
        other = lattice.with_cut(place) if before == after else lattice.without_cut(place)
        if other is None:
            return (
                plain
                if before == after
                else f"No piece of {self.name} reaches over this place, between {names}."
            )
        if other.score >= best.score:
            return plain
        ours, theirs = where_they_differ(best, other)
        said = [
            f"{' + '.join(map(quote, lattice.texts(way)))}, of log-probability "
            f"{sum(piece.score for piece in way):.2f}"
            for way in (ours, theirs)
        ]
        if before == after:
            return f"No cut: {said[0]}. With a cut here, the best would be {said[1]}."
        return f"{said[0]}. Without a cut here, the best would be {said[1]}."


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
        "Unigram": UnigramEncoding,
        "WordPiece": PiecesOfWordsEncoding,
        "WordLevel": WholeWordsEncoding,
    }
    return kinds[pipeline.model["type"]](pipeline, original, name=name)
