"""Encodings that a tokenizer.json describes, whatever its pipeline, on Hugging Face's own engine.

The ids are the engine's. So are the places: the engine says for each token from which characters of the typed
text it came, even if the text was normalised first. If several tokens came from one character, it gives the
whole character to each; if they are exactly that character's bytes, each covers only its own here.

As in the library, special tokens in a text are plain text unless they are allowed, and other added tokens are
always found.

Source: https://github.com/huggingface/tokenizers.
"""

from __future__ import annotations

import codecs
import hashlib
import itertools
import json
import threading
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..checks import check_string, check_whole_number, check_whole_numbers
from ..contents.pipeline import Pipeline
from ..contents.pipeline_steps import MAX_GROWTH
from ..encoding import AllowedSpecial, Encoding, Ids
from ..lazily import once
from ..placement import Losses, Placement
from ..split import bounded, engine_tasks
from ..text.byte_characters import byte_characters
from ..text.rewriting import Rewritten
from ..text.spelling import quote
from ..text.text_map import TextMap
from ..utf8 import well_formed
from .engine import huggingface_engine
from .library_decoding import Decoding, NotPerTokenError, fallback_byte
from .sentencepieces import SPACE

if TYPE_CHECKING:
    from ..text.spans import Spans


def build_engine(content: Mapping[str, Any], *, is_new: bool = True) -> Any:
    """The library's tokenizer for a checked tokenizer.json.

    Args:
        content: what the file holds.
        is_new: whether to try it first in a process of its own, since a fault of the engine could end this
            one; not needed for a small change of something that was tried.

    Raises:
        OSError: the library is not installed. ValueError: it cannot read the file; says why.
    """
    library = huggingface_engine()
    described = json.dumps(content, ensure_ascii=False)
    if is_new:
        _try_apart(described)
    try:
        return library.Tokenizer.from_str(described)
    except MemoryError:
        raise
    except BaseException as problem:  # a panic in Rust is no subclass of Exception
        raise ValueError(f"Hugging Face's library cannot read it: {in_short(problem)}.") from None


TRIAL_SECONDS = 60.0
"""How long the engine may take to read a file, and to encode some short texts with it."""

_TRIAL_MEMORY = 1 << 30
_TRIAL_TEXTS = (
    "",
    "The naïve ½ don't 1234 <s>\r\n\t x  y",
    "안녕하세요 日本語、नमस्ते e\u0301\u0323 \U0001f469\u200d\U0001f680 \ufeff\x00\u2028\U0010ffff",
    "a" * 500 + " " * 500 + "\u0301" * 500 + "1!" * 500,
)
_tried: dict[bytes, str] = {}


def _try_apart(described: str) -> None:
    """Have the engine read a file in a process with limits, and encode some texts.

    Raises:
        ValueError: it breaks down, needs too much, or says what is wrong.
    """
    digest = hashlib.sha256(described.encode("utf-8", "surrogatepass")).digest()
    if digest not in _tried:
        try:
            bounded.run(
                Path(engine_tasks.__file__),
                "try_tokenizer",
                described,
                list(_TRIAL_TEXTS),
                seconds=TRIAL_SECONDS,
                memory=_TRIAL_MEMORY + 8 * len(described),
            )
            problem = ""
        except bounded.BusyError:  # nothing was found out about it
            raise
        except bounded.TooSlowError:
            problem = f"Hugging Face's library takes more than {TRIAL_SECONDS:.0f} seconds to read it."
        except bounded.TooMuchMemoryError:
            problem = "Hugging Face's library breaks down on it, or needs too much memory to read it."
        except ValueError as error:
            problem = f"Hugging Face's library cannot read it: {in_short(error)}."
        if len(_tried) > 200:
            _tried.clear()
        _tried[digest] = problem
    if _tried[digest]:
        raise ValueError(_tried[digest])


def in_short(problem: BaseException) -> str:
    if isinstance(problem, KeyboardInterrupt | SystemExit | GeneratorExit):
        raise problem
    lines = [line.strip() for line in str(problem).splitlines() if line.strip()]
    return (lines[0] if lines else type(problem).__name__)[:200].rstrip(".")


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(texts)
    while batch := list(itertools.islice(rest, 1_000)):
        yield batch


def _without_front(content: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """A tokenizer.json without what its steps prepend to a text.

    Returns:
        the content with all of that removed, and whether anything was removed.
    """
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


def steps_of(step: Mapping[str, Any] | None, inner: str) -> list[Mapping[str, Any]]:
    """The steps of a normaliser or a pre-tokeniser, one after the other, without the sequences around them.

    Args:
        step: of a tokenizer.json.
        inner: where a sequence has its steps: "normalizers" or "pretokenizers".
    """
    if step is None:
        return []
    if step["type"] == "Sequence":
        return [each for part in step[inner] for each in steps_of(part, inner)]
    return [step]


_REWRITES = frozenset({"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "Prepend"})
_CUTS = frozenset(
    {"ByteLevel", "Digits", "FixedLength", "Metaspace", "Punctuation", "Split", "UnicodeScripts"}
)


def _takes_all(pipeline: Pipeline) -> bool:
    """Whether no part of a text is dropped or unknown: every byte has a token."""
    content, model = pipeline.content, pipeline.model
    normalisers = steps_of(content["normalizer"], "normalizers")
    cutters = steps_of(content["pre_tokenizer"], "pretokenizers")
    if model["type"] not in ("BPE", "Unigram"):
        return False
    if model.get("byte_fallback"):
        letters = [f"<0x{byte:02X}>" for byte in range(256)]
    elif any(step["type"] == "ByteLevel" for step in cutters):
        letters = byte_characters()
    else:
        return False
    pieces = model["vocab"] if isinstance(model["vocab"], Mapping) else {piece for piece, _ in model["vocab"]}
    is_marked = model.get("end_of_word_suffix") or model.get("continuing_subword_prefix")
    return (
        not is_marked
        and all(letter in pieces for letter in letters)
        and all(step["type"] in _REWRITES or _replaces(step) for step in normalisers)
        and all(step["type"] in _CUTS and step.get("behavior") != "Removed" for step in cutters)
        and not any(added.lstrip or added.rstrip for added in pipeline.added if not added.special)
    )


def _replaces(step: Mapping[str, Any]) -> bool:
    """Whether a step only replaces text, and never by something shorter."""
    if step["type"] != "Replace":
        return False
    pattern: str | None = step["pattern"].get("String")
    return pattern is not None and len(step["content"]) >= len(pattern)


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
        if pipeline.model["type"] == "Unigram":  # a piece may be there twice, and then has two ids
            self._tokens = {number: piece for number, (piece, _) in enumerate(pipeline.model["vocab"])} | (
                self._tokens
            )
        self.token_ids: dict[str, int] = {}
        self.moved: list[tuple[str, int, int]] = []
        for added in pipeline.added:
            token_id = self._engine.token_to_id(added.content)
            if token_id is None:
                continue  # the library leaves out the empty one
            if token_id != added.token_id:
                self.moved.append((added.content, added.token_id, token_id))
            self.token_ids[added.content] = token_id
            self._tokens[token_id] = self._engine.id_to_token(token_id)  # as it decodes it: normalised
        self._check_added()
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
        self.chat_template, self.chat_names = pipeline.chat_template, pipeline.chat_names
        self._bytes: dict[int, bytes] = {}
        special_ids = {self.token_ids[name] for name in self._listed_specials}
        for token_id, token in self._tokens.items():
            as_it_is = token_id in special_ids or token_id == self.unknown_id
            self._bytes[token_id] = token.encode("utf-8") if as_it_is else self._decoding.token_bytes(token)
        self.drops_text = not _takes_all(pipeline)
        _, puts_in_front = _without_front(pipeline.content)
        self.puts_space_in_front = puts_in_front
        self._marks_words = puts_in_front and "Metaspace" in json.dumps(pipeline.content["pre_tokenizer"])
        self._other: tuple[frozenset[str], Any] | None = None  # an engine that finds special tokens
        self._other_lock = threading.Lock()
        self._words: tuple[str, list[int | None]] | None = None

    def _check_added(self) -> None:
        """Refuse added tokens that the library finds unreliably, and unknown ids around a text."""
        by_content: dict[str, str] = {}
        for added in self.pipeline.added:
            if added.normalized and added.content in self.token_ids:
                content = self._tokens[self.token_ids[added.content]]
                if not content or (content.isspace() and (added.lstrip or added.rstrip)):
                    raise ValueError(
                        f"Its normaliser makes {'white space' if content else 'nothing'} of the added token "
                        f"{added.content[:80]!r}, which the library would then find without end."
                    )
                other = by_content.setdefault(content, added.content)
                if other != added.content:
                    raise ValueError(
                        f"Its normaliser makes one text of the added tokens {other[:80]!r} and "
                        f"{added.content[:80]!r}, and the library finds either of them, by chance."
                    )
        for token_id in itertools.chain.from_iterable(self.pipeline.frame):
            if token_id not in self._tokens:
                raise ValueError(
                    f"Its post-processor adds the id {token_id:,}, which none of its tokens has. Save the "
                    "file again."
                )

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

    @once
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become: id by bytes. If a character and its byte both are tokens, the id
        is the character's."""
        apart = {self.unknown_id, *self.special_tokens.values()}
        listed = sorted(self._bytes.items(), key=lambda item: item[0])
        in_order = sorted(listed, key=lambda item: fallback_byte(self._tokens[item[0]]) is None)
        return {data: token_id for token_id, data in in_order if token_id not in apart}

    @once
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
                # For the engine, allowed tokens are not special, so it always finds them.
                added = [
                    {**token, "special": token["special"] and token["content"] not in names}
                    for token in self.pipeline.content["added_tokens"]
                ]
                engine = build_engine({**self.pipeline.content, "added_tokens": added}, is_new=False)
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
                f"{self.name} cannot encode this text: {in_short(problem)}. Take another text, or look at "
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
        """As ``encode_each``, for texts as parts of a longer one: nothing is put in front.

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
                raise ValueError(f"{self.name} cannot encode a text: {in_short(problem)}.") from None
            for each in encoded:
                yield each.ids

    @once
    def _inside_engine(self) -> Any:
        """The engine without what is put in front of a text."""
        content, _ = _without_front(self.pipeline.content)
        engine = build_engine(content, is_new=False)
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
        normaliser = self._engine.normalizer
        if normaliser is not None and text_map.n_bytes * MAX_GROWTH > 2 * self.longest_text:
            self.check_growth(len(normaliser.normalize_str(text_map.text).encode("utf-8")))
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
        """Where tokens are whose bytes join to the text, or to the text with a space in front."""
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
        """Give each token its own bytes where tokens share a character and are exactly its bytes."""
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
        except NotPerTokenError:
            return self._decode_whole(ids)

    def _decode_whole(self, ids: list[int]) -> bytes:
        try:
            text: str = self._engine.decode(ids, skip_special_tokens=False)
        except MemoryError:
            raise
        except BaseException as problem:
            raise ValueError(f"{self.name} cannot decode these ids: {in_short(problem)}.") from None
        return text.encode("utf-8")

    def losses_in(self, text: str, placed: Placement) -> Losses:
        """The places that do not come back, and what comes instead."""
        ids = placed.ids.tolist()
        data = text.encode("utf-8")
        try:
            parts = self._decoding.parts([self._tokens[token_id] for token_id in ids])
        except NotPerTokenError:
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
        """As ``losses_in``, from what each token gives back. A token that gives back as many letters as it
        covers is compared letter by letter, but the unknown token always as a whole.
        """
        char_at = TextMap(text).char_at
        begins, stops = (np.asarray(edges, dtype=np.int64) for edges in (placed.starts, placed.ends))
        firsts: list[int] = char_at[begins].tolist()
        lasts: list[int] = np.where(
            stops > begins, char_at[np.maximum(stops - 1, 0)] + 1, char_at[stops]
        ).tolist()
        seen: list[str] = []
        starts, ends = array("i"), array("i")  # of each letter that comes back
        before = 0  # where the last tokens ended
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        is_waiting = False  # for the rest of a character
        start = 0
        for number, part in enumerate(parts):
            if not is_waiting:
                start = firsts[number]
            letters = decoder.decode(part, number + 1 == len(parts))
            is_waiting = bool(decoder.getstate()[0])
            if is_waiting and not letters:
                continue
            end = max(start, lasts[number])
            seen.append(letters)
            extra = len(letters) - (end - start)
            is_same = extra >= 0 and letters.endswith(text[start:end])
            is_by_letter = extra == 0 and placed.ids[number] != self.unknown_id
            if start >= before and (is_same or is_by_letter):
                starts.extend([before] * extra)
                ends.extend([before] * extra)
                starts.extend(range(start, end))
                ends.extend(range(start + 1, end + 1))
            else:
                starts.extend([start] * len(letters))
                ends.extend([end] * len(letters))
            before = max(before, end)
            start = firsts[number]  # of what waits
        whole = "".join(seen)
        columns = [np.maximum.accumulate(np.array(column, dtype=np.int32)) for column in (starts, ends)]
        return Rewritten(text, whole, *columns).losses

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the file."""
        yield f"{self.family}\n".encode()
        yield self._digest

    # Why

    def _words_of(self, spans: Spans) -> list[int | None]:
        """The word that each token is in, as the pre-tokeniser cut the text."""
        text = spans.text_map.text
        if self._words is None or self._words[0] != text or len(self._words[1]) != len(spans):
            present = set(spans.ids.tolist())
            names = {name for name in self._listed_specials if self.token_ids[name] in present}
            words = self._run(text, names).word_ids
            # If word numbers do not fit these tokens (another choice of special tokens), treat each token as
            # a word.
            self._words = text, words if len(words) == len(spans) else list(range(len(spans)))
        return self._words[1]

    def reason(self, spans: Spans, byte_offset: int) -> str:
        """Why there is a cut at this place of a text, or none, as a sentence.

        Raises:
            ValueError: the text has no such place.
        """
        around = spans.around(byte_offset)
        if isinstance(around, str):
            return around
        before, after = around
        added = set(self.token_ids.values())
        ids = spans.ids
        if before != after and int(spans.ends[before]) == byte_offset:
            # Tokens that cover nothing are between these two.
            before = after - 1
        left, right = int(ids[before]), int(ids[after])
        if {left, right} & added:
            return "Here is a special or added token, which is taken whole."
        words = self._words_of(spans)
        if before != after and words[before] != words[after]:
            return (
                f"Two words meet here: {self._quoted(left)} ends one, and {self._quoted(right)} begins the "
                "next, as the pre-tokeniser cuts them."
            )
        if before == after and left == self.unknown_id:
            typed = quote(spans.bytes_of(before))
            return f"No cut: {typed} is {self._tokens[left]}, because it is not in the vocabulary."
        return self._reason_inside(spans, before, after, byte_offset)

    def _quoted(self, token_id: int) -> str:
        return quote(self._bytes[token_id])

    def _no_cut(self, spans: Spans, index: int) -> str:
        """Say that one token covers this place, and the typed text if it differs."""
        token = self._bytes[int(spans.ids[index])]
        typed = spans.bytes_of(index)
        came = f", of {quote(typed)}" if typed.strip() != token.strip() else ""
        return f"No cut: {quote(token)} is one token{came}."

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """As ``reason``, within a word."""
        if before == after:
            return self._no_cut(spans, before)
        left, right = (self._quoted(int(spans.ids[index])) for index in (before, after))
        return f"{left} and {right} are two tokens."
