"""Encodings that a tokenizer.json describes, whatever its pipeline, on Hugging Face's own engine.

A pipeline is a normaliser (what is done to a text first), a pre-tokeniser (how it is cut into words), a model
(how a word becomes tokens), added tokens (found before all else), a post-processor (what is put around the
tokens) and a decoder. Ids, decoded text, and what is put around a text are the engine's. So are the places:
it says for each token from which characters of the typed text it came.

As in the library, special tokens in a text are plain text unless they are allowed, and other added tokens are
always found. ``huggingface_models.py`` has what differs by the model, ``huggingface_engine.py`` how the
engine is asked, ``huggingface_parts.py`` how it reads a long text, and ``huggingface_places.py`` which places
it does not tell.

Source: https://github.com/huggingface/tokenizers.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import itertools
import json
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..amounts import shorten
from ..arrays import I64
from ..cached import cached_property
from ..encoding import AllowedSpecial, Ids
from ..json_types import JsonMapping, JsonObject
from ..limits import MB, TEXT_MB
from ..placement import FewIds, Placement
from ..split.patterns import stays_in_runs
from ..steps import Steps
from ..text.spelling import quote, spell_change
from ..text.text_map import TextMap
from ..utf8 import utf8_length, well_formed
from . import huggingface_engine as hf
from .huggingface_parts import OVERLAP, PART, Encoded, Piece, cut_words, encode_in_parts
from .huggingface_places import cover_sources, join_exactly, join_with_spaces
from .listed import ListedEncoding
from .sentencepieces import SPACE

if TYPE_CHECKING:
    from ..text.spans import Spans

_IN_FRONT = (
    (r'"prepend_scheme": "\w+"', '"prepend_scheme": "never"'),
    (r'"add_prefix_space": true', '"add_prefix_space": false'),
    (r'"prepend": "[^"]*"', '"prepend": ""'),
)
"""What puts something in front of a text, and the same without it, in the JSON of a step."""

_UNUSUAL = "A \t e\u0301é  \x00\u200d½ 日本 한 \u0939\u093f \U0001f680\ue000\r\n "
"""A text of characters that encodings drop, or do not know."""

_LETTERS = "abz1日"
"""Letters of which one tells what is put in front of a text."""

_MOST_SETS = 8
"""Sets of special tokens for which an engine is kept: it is small, but for the model, which is shared."""

_LONGEST_WAIT = 16
"""Tokens for which the rest of a character is waited for."""


def _drop_first(normalizer: JsonMapping, dropped: Iterable[str]) -> JsonObject:
    """A normaliser with a step before its charsmap that drops these characters at the start of a text."""
    some = "".join(f"\\x{{{ord(char):x}}}" for char in sorted(dropped))
    steps = hf.steps_of(normalizer)
    kinds = [step["type"] for step in steps]
    drop = {"type": "Replace", "pattern": {"Regex": rf"\A[{some}]+"}, "content": ""}
    steps.insert(kinds.index("Precompiled"), drop)
    return {"type": "Sequence", "normalizers": steps}


def _find_unknown(model: JsonMapping) -> int | None:
    """The id of the unknown token of a model; None: it has none."""
    unknown: int | None = None
    if model["type"] == "Unigram":
        unknown = model["unk_id"]
    elif model["unk_token"] is not None:
        unknown = model["vocab"].get(model["unk_token"])
    return unknown


def _given_by_last(n_tokens: int, data: bytes) -> list[bytes]:
    """What each of some tokens gives back if the last one gives all."""
    return [b""] * (n_tokens - 1) + [data] if n_tokens else []


class _TriedEngine(NamedTuple):
    """An engine, and what tries a text on its patterns first."""

    engine: Any
    trial: hf.Trial


class HuggingFaceEncoding(ListedEncoding):
    """An encoding on Hugging Face's engine. ``MODELS`` has the class for each type of model.

    Args:
        pipeline: what the file holds.
        name: what people call it.

    Raises:
        OSError: the library is not installed. ValueError: it cannot read the file, or its ids would depend on
            chance.

    Attributes:
        engine: the library's tokenizer, for which special tokens are plain text.
        token_ids: the id that the library gives each added token.
        byte_ids: those of them that a text becomes by itself, since they are bytes.
    """

    is_lossless = False
    longest_text = TEXT_MB * MB

    def __init__(self, pipeline: hf.Pipeline, *, name: str) -> None:
        content = pipeline.content
        self._added = content["added_tokens"]
        self._steps = list(pipeline.steps)
        self._digest = hashlib.sha256(pipeline.original).digest()
        self._cutting = {key: content[key] for key in ("normalizer", "pre_tokenizer")}
        self._apart = pipeline.apart
        self._try_decoder = hf.Trial({"decoder": content["decoder"]})
        self.engine = hf.build_engine(content)
        self._plain = _TriedEngine(self.engine, hf.Trial({**self._cutting, "added_tokens": self._added}))
        self._note_slow_patterns()
        self._find_ids_of_added()
        self._build_changes(content["normalizer"])
        self.unknown_id = _find_unknown(content["model"])
        self.byte_ids = frozenset(self.token_ids[name] for name in hf.find_bytes(content))
        names_of_special = {token["content"] for token in self._added if token["special"]}
        self._listed_specials = names_of_special.intersection(self.token_ids)
        special = {name: i for name, i in self.token_ids.items() if name in names_of_special}
        tokens = self._spell_tokens(content, special.values())
        ordinary = {self.unknown_id, *self.byte_ids}
        specials = {each: i for each, i in special.items() if i not in ordinary}
        super().__init__(name, tokens, specials)
        self.keep_file(pipeline.original)
        self._find_frame()
        self._can_cut = all(map(stays_in_runs, hf.patterns_of(content)))
        self._can_cut_words = content["model"]["type"] == "BPE" and max(map(len, tokens)) < OVERLAP // 2
        self.puts_space_in_front = self._puts_space_in_front()
        kinds = [step["type"] for step in hf.steps_of(content["pre_tokenizer"])]
        self._marks_words = self.puts_space_in_front and "Metaspace" in kinds
        # By the special tokens that it finds, and the characters that it drops.
        self._finding: dict[tuple[frozenset[str], frozenset[str]], _TriedEngine] = {}
        self._words: WeakKeyDictionary[Spans, list[int]] = WeakKeyDictionary()
        self.drops_text = self._drops_text()

    def _find_ids_of_added(self) -> None:
        """Find the id that the library gives each added token. Refuse those that it cannot tell apart."""
        self.token_ids: dict[str, int] = {}
        for token in self._added:
            token_id = self.engine.token_to_id(token["content"])
            if token_id is not None:
                self.token_ids[token["content"]] = token_id
        self._note_moved()
        self._check_added()

    def _note_slow_patterns(self) -> None:
        """Note a pattern that is tried on each text first, if there is one."""
        slow = [*self._plain.trial.patterns, *self._try_decoder.patterns]
        if slow:
            tried = f"“{shorten(slow[0], 60)}” may take long on some texts, so it is tried on each text first"
            self._steps.append(("Limits", f"{tried}, in a process with limits on time and memory"))

    def _build_changes(self, normalizer: JsonMapping) -> None:
        """Build the normaliser's steps that change a part of a text, as they do without the rest of it."""
        self._changes: list[Callable[[str], str]] = []
        self._joins_ascii = False
        self._charsmap: Any = None
        for step in hf.steps_of(normalizer):
            kind = step["type"]
            if kind in ("Prepend", "Strip"):
                continue  # what is put in front of a text or taken off its ends is no change of a part of it
            normaliser = hf.build_normaliser(step)
            self._changes.append(normaliser.normalize_str)
            if kind in ("Replace", "Precompiled"):
                self._joins_ascii = True
            if kind == "Precompiled" and self._charsmap is None:
                self._charsmap = normaliser

    def _spell_tokens(self, content: JsonMapping, special: Iterable[int]) -> list[bytes]:
        """The bytes of each token, by its id."""
        vocabulary = content["model"]["vocab"]
        if content["model"]["type"] == "Unigram":
            listed = range(len(vocabulary))
        else:
            listed = vocabulary.values() - self._apart.keys()
        last_id = max(*listed, *self.token_ids.values(), 0)
        spell = hf.spell_bytes if hf.is_of_bytes(content) else hf.token_speller(content["decoder"])
        as_they_are = {*special, self.unknown_id} - self.byte_ids
        names = {i: name for name, i in self.token_ids.items()}  # a normaliser may make nothing of one
        tokens: list[bytes] = []
        for token_id in range(last_id + 1):
            token = self.engine.id_to_token(token_id) or names.get(token_id, "")
            data = b"" if token_id in as_they_are else spell(token)
            tokens.append(data or token.encode())  # a decoder may make nothing of a token
        if self.unknown_id is not None and not tokens[self.unknown_id]:
            raise ValueError("Its unknown token is an empty text. Add the file as its publisher wrote it.")
        return tokens

    def _drops_text(self) -> bool:
        """Whether some characters become nothing, or the unknown token."""
        with contextlib.suppress(ValueError):
            placed = self.place(_UNUSUAL)
            losses = self.losses_in(_UNUSUAL, placed)
            return self.unknown_id in placed.ids or not all(loss.became for loss in losses)
        return True

    def _puts_space_in_front(self) -> bool:
        """Whether a text gets a space in front, by a letter on which the library does not break down."""
        for letter in _LETTERS:
            with contextlib.suppress(ValueError):
                return self.read(letter)[:1] in (" ", "Ġ")
        return False

    def _note_moved(self) -> None:
        """Note the added tokens to which the library gives another id than the file."""
        moved = []
        for token in self._added:
            if self.token_ids.get(token["content"], token["id"]) != token["id"]:
                moved.append(token)
        if not moved:
            return
        first = moved[0]
        name = first["content"]
        ids = f"the id {first['id']}, and the library the id {self.token_ids[name]}"
        if len(moved) > 1:
            ids += f", and of {len(moved) - 1:,} more"
        self._steps.append(("Ids", f"the file gives {name} {ids}"))

    def _check_added(self) -> None:
        """Refuse added tokens that become the same text, of which the library finds one, by chance; and one
        that becomes nothing beside others: the library never ends if a text ends as another one begins."""
        by_content: dict[str, str] = {}
        for token in self._added:
            name = token["content"]
            if token["normalized"] and name in self.token_ids:
                other = by_content.setdefault(self.engine.id_to_token(self.token_ids[name]), name)
                if other != name:
                    raise ValueError(
                        f"Its normaliser makes one text of the added tokens {other[:80]!r} and "
                        f"{name[:80]!r}, and the library finds either of them, by chance."
                    )
        if "" in by_content and len(by_content) > 1:
            raise ValueError(
                f"Its normaliser makes nothing of the added token {by_content['']!r}, and with that, the "
                "library goes on for ever on some texts."
            )

    def _find_frame(self) -> None:
        """Find the ids that the post-processor puts around a text. Then drop it: it changes places."""
        library = hf.huggingface_engine()
        sample = library.Tokenizer(library.models.WordLevel({"a": 0}, unk_token="a")).encode("a")
        with hf.engine_errors("Hugging Face's library cannot put anything around a text"):
            whole = self.engine.post_process(sample)
        self.engine.post_processor = None
        ids = whole.ids
        is_added = whole.special_tokens_mask
        own = list(itertools.compress(ids, map(operator.not_, is_added)))
        if own != sample.ids:
            raise ValueError("Its post-processor does not hold the text exactly once.")
        tokens = {i: self.engine.id_to_token(i) for i in itertools.compress(ids, is_added)}
        none = " and ".join(f"{i:,}" for i, token in tokens.items() if token is None)
        if none:
            what = f"the id {none}, which its post-processor adds and none of its tokens has"
            self._steps.append(("Left out", what))

        def with_tokens(ids: list[int]) -> FewIds:
            return tuple(i for i in ids if tokens[i] is not None)

        at = is_added.index(0)
        self.frame = with_tokens(ids[:at]), with_tokens(ids[at + 1 :])

    # What the file holds

    def family_steps(self) -> Steps:
        return self._steps

    @property
    def content(self) -> JsonObject:
        """The tokenizer.json that the engine would write; a large one takes a second and much memory."""
        content: JsonObject = json.loads(self.engine.to_str())
        return content

    @cached_property
    def ordinary(self) -> Mapping[bytes, int]:
        """The tokens that a text can become: id by bytes. If a character and its byte both are tokens, the id
        is the character's."""
        ids = dict(super().ordinary)
        if len(ids) == len(self._tokens):
            return ids
        for token_id in sorted(set(self.engine.get_vocab().values()) - self._apart.keys()):
            data = self._tokens[token_id]
            if len(data) == 1 and data in ids and hf.fallback_byte(self.engine.id_to_token(token_id)) is None:
                ids[data] = token_id
        return ids

    # Text to ids

    def _allowed(self, allowed_special: AllowedSpecial) -> set[str]:
        """The special tokens to recognise; the unknown token can be one of them."""
        if allowed_special == "all":
            return set(self._listed_specials)
        if isinstance(allowed_special, str):
            return super()._allowed(allowed_special)  # raises
        return self._listed_specials.intersection(allowed_special)

    def _engine_for(self, allowed: Collection[str], dropped: Collection[str] = ()) -> _TriedEngine:
        """An engine that recognises exactly these special tokens, and the trial of its texts.

        Args:
            allowed: the special tokens.
            dropped: characters for ``_drop_first``; its texts were tried without before.
        """
        if not allowed and not dropped:
            return self._plain
        key = frozenset(allowed), frozenset(dropped)
        variant = self._finding.get(key)
        if variant is None:
            if dropped:
                normalizer = _drop_first(self._cutting["normalizer"], dropped)
                variant = self._build_variant({**self._cutting, "normalizer": normalizer}, allowed)
                variant = _TriedEngine(variant.engine, hf.Trial({}))
            else:
                variant = self._build_variant(self._cutting, allowed)
            if len(self._finding) >= _MOST_SETS:
                self._finding.clear()
            self._finding[key] = variant
        return variant  # not what is there now: another thread may have cleared it

    def _build_variant(self, cutting: JsonMapping, found: Collection[str] = ()) -> _TriedEngine:
        """An engine with other steps, or that finds special tokens. Its model is that of ours, which is in
        memory once; and it gives added tokens the same ids, since they are added in the same order.

        Args:
            cutting: the steps before the model.
            found: special tokens that it finds: for it, they are not special.
        """
        library = hf.huggingface_engine()
        engine = library.Tokenizer(self.engine.model)
        steps = hf.build_engine({"model": hf.NO_MODEL, **cutting})
        for part in cutting:
            if getattr(steps, part) is not None:
                setattr(engine, part, getattr(steps, part))
        added = []
        settings = []
        for token in self._added:
            is_special = token["special"] and token["content"] not in found
            variant = {**token, "special": is_special}
            added.append(variant)
            settings.append({key: value for key, value in variant.items() if key != "id"})
        engine.add_tokens([library.AddedToken(**each) for each in settings])
        engine.encode_special_tokens = True
        return _TriedEngine(engine, hf.Trial({**cutting, "added_tokens": added}))

    def _run(self, text: str, allowed: set[str], dropped: Collection[str] = ()) -> Encoded:
        """What the engine makes of a text. ``_engine_for`` has its arguments.

        Raises:
            ValueError: it breaks down on it.
        """
        tried = self._engine_for(allowed, dropped)

        def run(part: str) -> Encoded:
            tried.trial([part])
            return self._run_part(tried.engine, part)

        encoded = encode_in_parts(run, text, can_cut=self._can_cut, can_cut_words=self._can_cut_words)
        return encoded.taken_apart(self._apart) if self._apart else encoded

    def _run_part(self, engine: Any, part: str) -> Encoded:
        """What an engine makes of a part of a text, or of a short text."""
        with hf.engine_errors(f"{self.name} cannot encode this text"):
            # As ``encode``, but other threads of Python run meanwhile.
            [encoding] = engine.encode_batch([part], add_special_tokens=False)
        return Encoded.of(encoding)

    def _run_words(self, engine: Any, part: str) -> Encoded:
        """What an engine makes of a part of a text, word by word, with ``_cut_word``.

        Raises:
            ValueError: an added token of it is spelled as a byte, such as <0x41>.
        """
        if not self.token_ids.keys().isdisjoint(hf.BYTE_NAMES):
            raise ValueError(
                f"{self.name} cannot encode so long a text, because an added token of it is spelled as bytes "
                "are here, such as <0x41>. Take a shorter text."
            )
        of_bytes = hf.build_byte_engine(engine)
        added = {of_bytes.token_to_id(name): token_id for name, token_id in self.token_ids.items()}
        words = HuggingFaceEncoding._run_part(self, of_bytes, part)
        return cut_words(words, added, self._cut_word)

    def _cut_word(self, word: bytes) -> Sequence[Piece]:
        """The tokens of a word, each over the bytes that became it: see ``_run_words``."""
        raise NotImplementedError

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        text = well_formed(text)
        allowed = self._allowed(allowed_special)
        if len(text) > PART:
            ids = self._run(text, allowed).ids
        else:
            [ids] = self._encode_many(self._engine_for(allowed), [text])  # without places, in half the time
        return np.array(ids, np.uint32)

    def encode_each(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """The ids of many short texts, one after the other; many at a time are quicker."""
        return self._encode_many(self._plain, texts)

    def encode_inside(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """As ``encode_each``, for texts as parts of a longer one: nothing is put in front.

        Where the pre-tokeniser puts a mark in front of each word, a text that begins with a space gets it.
        """
        if not self.puts_space_in_front:
            return self.encode_each(texts)
        texts = list(texts)
        with_mark = self._encode_many(self._plain, filter(self._gets_mark, texts))
        without = self._encode_many(self._inside, itertools.filterfalse(self._gets_mark, texts))
        return (next(with_mark if self._gets_mark(text) else without) for text in texts)

    def _gets_mark(self, text: str) -> bool:
        """Whether a text begins a word, so that the mark in front of it is its own space."""
        return self._marks_words and text.startswith(" ")

    def _encode_many(self, tried: _TriedEngine, texts: Iterable[str]) -> Iterator[list[int]]:
        rest = map(well_formed, texts)
        while batch := list(itertools.islice(rest, 1_000)):
            tried.trial(batch)
            if not self._apart:
                yield from self._encode_batch(tried.engine, batch)
                continue
            for text in batch:
                yield self._run_part(tried.engine, text).taken_apart(self._apart).ids

    def _encode_batch(self, engine: Any, texts: list[str]) -> Iterable[list[int]]:
        """The ids that an engine gives short texts."""
        with hf.engine_errors(f"{self.name} cannot encode this text"):
            encoded = engine.encode_batch_fast(texts, add_special_tokens=False)
        return (each.ids for each in encoded)

    @cached_property
    def _inside(self) -> _TriedEngine:
        """The engine that puts nothing in front of a text; and its trial."""
        steps = json.dumps(self._cutting)
        for found, instead in _IN_FRONT:
            steps = re.sub(found, instead, steps)
        return self._build_variant(json.loads(steps))

    def read(self, text: str) -> str:
        """A text as it is cut: normalised, with the spaces that are put in front."""
        self._plain.trial([text])
        with hf.engine_errors(f"{self.name} cannot read this text"):
            if self.engine.normalizer is not None:
                text = self.engine.normalizer.normalize_str(text)
            if self.engine.pre_tokenizer is not None:
                words = self.engine.pre_tokenizer.pre_tokenize_str(text)
                text = "".join(word for word, _ in words)
        return text.replace(SPACE, " ")

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, each over the characters or bytes that it came from."""
        text_map = TextMap(text)
        self._check_normalised(text_map)
        allowed = self._allowed(allowed_special)
        encoded = self._run(text_map.text, allowed)
        ids = np.array(encoded.ids, np.uint32)
        tokens = [self._tokens[token_id] for token_id in encoded.ids]
        edges = join_exactly(tokens, text_map.data)
        if edges is not None:
            return Placement(ids, edges[:-1], edges[1:])
        offsets = self._offsets(text_map.text, encoded, allowed)
        places = text_map.byte_of_char[np.minimum(offsets, text_map.n_chars)].astype(np.int64)
        starts = np.maximum.accumulate(places[:, 0])
        ends = np.maximum(np.maximum.accumulate(places[:, 1]), starts)
        if self._changes:
            cover_sources(text_map, starts, ends, self._changes, joins_ascii=self._joins_ascii)
        self._share_out(tokens, starts, ends, text_map.data)
        return Placement(ids, starts, ends)

    def _check_normalised(self, text_map: TextMap) -> None:
        """Refuse a text that its normaliser makes too long; it is not asked about short ones."""
        if self.engine.normalizer is None or text_map.n_bytes <= self.longest_text // 16:
            return
        parts = [text_map.text[start : start + PART] for start in range(0, text_map.n_chars, PART)]
        self._plain.trial(parts)
        normal = map(self.engine.normalizer.normalize_str, parts)
        self.check_rewritten(sum(map(utf8_length, normal)))

    def _offsets(self, text: str, encoded: Encoded, allowed: set[str]) -> I64:
        """Where the tokens of a text are in it, in characters; shape (n, 2).

        If a text, or what follows an added token, begins with what a charsmap drops, the library's places are
        as if that were not there. They are right where another step has dropped it before.
        """
        dropped: set[str] = set()
        if self._charsmap is not None:
            dropped = {char for char in set(text) if not self._charsmap.normalize_str(char)}
        if not dropped:
            return encoded.offsets
        rest = text.lstrip("".join(dropped))  # of the text itself, so that its first word stays the first
        again = self._run(rest, allowed, dropped)
        if again.ids != encoded.ids:
            return encoded.offsets
        return again.offsets + len(text) - len(rest)

    def _share_out(self, tokens: list[bytes], starts: I64, ends: I64, data: bytes) -> None:
        """Give each token its own bytes where tokens share a character and are exactly its bytes."""
        shares = np.flatnonzero(starts[1:] < ends[:-1])
        if not len(shares):
            return
        run_ends = np.flatnonzero(np.diff(shares) > 1) + 1
        for run in np.split(shares, run_ends):
            first = int(run[0])
            after = int(run[-1]) + 2
            begin = int(starts[first])
            stop = int(ends[after - 1])
            edges = join_with_spaces(tokens[first:after], data[begin:stop])
            if edges is not None:
                starts[first:after] = begin + edges[:-1]
                ends[first:after] = begin + edges[1:]

    # Ids to text

    def decode_array(self, ids: Ids) -> bytes:
        """What the library decodes. If it breaks down on these ids, nothing comes back."""
        with contextlib.suppress(ValueError):
            return self._decode(ids.tolist())
        return b""

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """What the library decodes.

        Raises:
            ValueError: an id that this encoding does not have; names it. Or the library breaks down on them.
        """
        numbers = list(ids)
        for token_id in numbers:
            self.token_bytes(token_id)
        return self._decode(numbers)

    def _decode(self, ids: Sequence[int]) -> bytes:
        with hf.engine_errors(f"{self.name} cannot decode these ids"):
            if self._try_decoder.patterns:
                self._try_decoder(list(map(self.engine.id_to_token, ids)), decodes=True)
            text: str = self.engine.decode(ids, skip_special_tokens=False)
        return text.encode()

    def given_back(self, ids: Sequence[int]) -> list[bytes]:
        """What each token adds to what the library decodes.

        Where several tokens are a character together, the last one gives it back, unless each is its own
        bytes. If the decoder changes what it gave before, the last token gives back all.
        """
        tokens = list(map(self.token_bytes, ids))
        whole = self.decode_array(np.array(ids, np.uint32))
        joined = b"".join(tokens)
        if joined == whole:
            return tokens
        if joined == b" " + whole:  # many decoders strip the space in front of the first token
            return [tokens[0].removeprefix(b" "), *tokens[1:]]
        try:
            given = self._stream(ids, tokens)
        except ValueError:
            given = [b""] * len(ids)
        return given if b"".join(given) == whole else _given_by_last(len(ids), whole)

    def _stream(self, ids: Sequence[int], tokens: list[bytes]) -> list[bytes]:
        """What each token adds, as the library's decoder gives it, one by one.

        Raises:
            ValueError: the library breaks down on them.
        """
        decoders = hf.huggingface_engine().decoders
        new_stream = functools.partial(decoders.DecodeStream, skip_special_tokens=False)
        stream = new_stream()
        given: list[bytes] = []
        for number, token_id in enumerate(ids, start=1):
            with hf.engine_errors("The library"):
                text = stream.step(self.engine, token_id)
            n_given = len(given)
            if text is not None:
                data = text.encode()
            elif number - n_given < _LONGEST_WAIT and number < len(ids):
                continue  # for the rest of a character
            else:  # broken characters, or U+FFFD itself, again and again
                stream = new_stream()
                data = self._decode(ids[n_given:number])
            own = tokens[n_given:number]
            given += own if b"".join(own) == data else _given_by_last(len(own), data)
        return given

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the file."""
        yield f"{self.family}\n".encode()
        yield self._digest

    # Why

    def _words_of(self, spans: Spans) -> list[int]:
        """The word that each token is in, as the pre-tokeniser cut the text."""
        words = self._words.get(spans)
        if words is None:
            present = set(spans.ids.tolist())
            names = {name for name in self._listed_specials if self.token_ids[name] in present}
            words = []
            with contextlib.suppress(ValueError):  # with other special tokens, the library can break down
                words = self._run(spans.text_map.text, names).begins.cumsum().tolist()
            if len(words) != len(spans):  # with another choice of special tokens: each token is a word
                words = list(range(len(spans)))
            self._words[spans] = words
        return words

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """As ``reason``, between these two tokens, by index, or inside of one, if both are the same."""
        ids = spans.ids
        if before != after and int(spans.ends[before]) == byte_offset:
            # Tokens that cover nothing are between these two.
            before = after - 1
        left, right = int(ids[before]), int(ids[after])
        if self._is_taken_whole(spans, before) or self._is_taken_whole(spans, after):
            return "Here is a special or added token, which is taken whole."
        words = self._words_of(spans)
        if before != after and words[before] != words[after]:
            return (
                f"Two words meet here: {self._quoted(left)} ends one, and {self._quoted(right)} begins the "
                "next, as the pre-tokeniser cuts them."
            )
        if before == after and left == self.unknown_id:
            return self._why_unknown(spans.bytes_of(before).decode("utf-8", "replace"))
        return self._reason_inside(spans, before, after, byte_offset)

    def _is_taken_whole(self, spans: Spans, index: int) -> bool:
        """Whether a token is an added token that was found in the text."""
        token_id = spans.id_at(index)
        typed = spans.bytes_of(index).decode("utf-8", "replace")
        if token_id in self.byte_ids:
            return self.token_ids.get(typed) == token_id
        if token_id == self.unknown_id:  # a text can be unknown, or spell the name of the token
            return self.engine.id_to_token(token_id) in (typed.strip(), self.read(typed).strip())
        return token_id in self.token_ids.values()

    def _why_unknown(self, typed: str) -> str:
        """Why this part of a text is unknown."""
        unknown = self.engine.id_to_token(self.unknown_id)
        return f"No cut: {quote(typed.encode())} is {unknown}, because it is not in the vocabulary."

    def _quoted(self, token_id: int) -> str:
        return quote(self.token_bytes(token_id))

    def _no_cut(self, spans: Spans, index: int) -> str:
        """Say that one token covers this place, and the typed text if it differs."""
        token = self.token_bytes(spans.id_at(index))
        typed = spans.bytes_of(index)
        if typed.strip() == token.strip():
            return f"No cut: {quote(token)} is one token."
        was, became = spell_change(
            typed.decode("utf-8", "surrogateescape"),
            token.decode("utf-8", "surrogateescape"),
        )
        token = became.encode("utf-8", "surrogateescape")
        typed = was.encode("utf-8", "surrogateescape")
        return f"No cut: {quote(token)} is one token, of {quote(typed)}."

    def _reason_inside(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """As ``reason``, within a word."""
        if before == after:
            return self._no_cut(spans, before)
        left = self._quoted(spans.id_at(before))
        right = self._quoted(spans.id_at(after))
        return f"{left} and {right} are two tokens."
