"""Byte-level BPE of a tokenizer.json whose merges can be drawn: trees, ranks, walls and reasons.

The ids are those of Hugging Face's engine. It merges by the place of a *pair* in the list of merges; the
trees here go by the rank of the *joined bytes*, as tiktoken does. The two are the same if

- the merges are in the order of the ids of what they make, and
- each token, merged alone by the ranks of joined bytes, is made at last by a pair that is in the list.

Why: let tokens c and d be side by side whose joined bytes are the token T. Until then, no merge has
reached over the edges of T's bytes, so what happened within them is what happens in T alone, and c and d are
the last pair there. If that pair is in the list, both merge it, at the same rank; and if no token is out of
reach, both know the same pairs. This is checked for every token when a file is read.

Words are cut by the engine's own pre-tokeniser, so walls are where it has them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..bpe.byte_pairs import engine_from_ranks
from ..bpe.last_merges import last_middles
from ..bpe.merge_rule import last_middle
from ..bpe.rewriting_byte_pairs import RewritingEncoding
from ..checks import check_string
from ..encoding import AllowedSpecial, Ids
from ..split.patterns import GPT2, known_pattern, spell_for_engine, usual_spelling
from ..text.rewriting import Rewritten, normalise_as_of_unicode_9
from ..utf8 import well_formed
from .huggingface import steps_of
from .huggingface_models import NotDrawnError, PairEncoding
from .library_decoding import spell_bytes

Rewriting = Callable[[str], Rewritten]


class MergingEncoding(RewritingEncoding):
    """A byte-level BPE of a tokenizer.json, with its merges.

    Args:
        inner: the same on Hugging Face's engine, which gives the ids.

    Raises:
        NotDrawnError: the merges cannot be drawn.
    """

    def __init__(self, inner: PairEncoding) -> None:
        ranks = _ranks(inner)
        if any(spell_bytes(name) != name.encode("utf-8") for name in inner.added_names):
            raise NotDrawnError("an added token of it is spelled as bytes are")
        special = {name: inner.token_ids[name] for name in inner.token_ids if name in inner.added_names}
        rewriting, called = _rewriting(inner.pipeline.content["normalizer"])
        specials_first = _specials_first(inner)
        pattern, exact = _pattern(inner.pipeline.content["pre_tokenizer"])
        middles = _check_merges(inner, ranks)
        known = known_pattern(exact)
        splits = known is not None and known.in_engine
        spelling = spell_for_engine(known.regex) if known is not None and splits else "."
        super().__init__(
            inner.name,
            engine=engine_from_ranks(inner.name, ranks, special, spelling),
            pattern=pattern,
            rewriting=rewriting or _unchanged,
            called=called,
            specials_first=specials_first,
            middles=middles,
            first_id=min((token_id for data, token_id in ranks.items()), default=0),
            n_letters=256,
        )
        self.exact_pattern = exact
        self._plain.exact_pattern = exact
        self.is_lossless = rewriting is None
        self._inner = inner
        self.frame = inner.frame
        self.chat_template, self.chat_names = inner.chat_template, inner.chat_names
        self._always = frozenset(added.content for added in inner.pipeline.added if not added.special)

    @property
    def name(self) -> str:
        """What people call it; they may call it something else later."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name
        for other in ("_plain", "_inner"):  # their sentences name the encoding
            if other in self.__dict__:
                self.__dict__[other].name = name

    # What the file holds

    @property
    def saved(self) -> bytes:
        """The file's content, which reads back to this encoding."""
        return self._inner.saved

    @property
    def steps(self) -> list[tuple[str, str]]:
        """What is done to a text, step by step: pairs of a step's name and what it does."""
        return self._inner.steps

    # Text to ids

    def _allowed(self, allowed_special: AllowedSpecial) -> set[str]:
        """The special tokens to recognise, and the added ones that are always found."""
        return super()._allowed(allowed_special) | self._always

    def encode_array(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Ids:
        """As ``encode``, as an array of shape (number of tokens,)."""
        text = well_formed(check_string(text, "text"))
        return self._inner.encode_array(text, allowed_special=sorted(self._allowed(allowed_special)))

    def encode_each(self, texts: Iterable[str], *, timeout: float | None = None) -> Iterator[list[int]]:
        """The ids of many short texts, one after the other."""
        return self._inner.encode_each(texts)

    def pieces(self, text: str) -> list[str]:
        """The words of the pre-tokeniser; ``"".join(pieces) == seen(text)``."""
        return self._inner.pieces(self.seen(text))

    def confirms_pieces(self, text: str, ids: Ids) -> bool:
        """Whether ``pieces`` cuts this text where the engine did: it is the same engine."""
        return True

    def fingerprint_data(self) -> Iterator[bytes]:
        """What decides how many tokens a text has: the file."""
        return self._inner.fingerprint_data()


def _unchanged(text: str) -> Rewritten:
    return Rewritten(text, text)


def _rewriting(normalizer: Mapping[str, Any] | None) -> tuple[Rewriting | None, str]:
    """What is done to a text first, and what it is called."""
    steps = steps_of(normalizer, "normalizers")
    if not steps:
        return None, "nothing"
    kind = steps[0]["type"]
    if len(steps) > 1 or kind not in ("NFC", "NFKC"):
        raise NotDrawnError("its normaliser does more than NFC or NFKC")
    return functools.partial(normalise_as_of_unicode_9, form=kind), f"the normal form {kind}"


def _specials_first(inner: PairEncoding) -> bool:
    """Whether added tokens are found in the text as typed, before it is normalised."""
    if any(added.single_word or added.lstrip or added.rstrip for added in inner.pipeline.added):
        raise NotDrawnError("an added token of it takes white space, or stands between words alone")
    if not steps_of(inner.pipeline.content["normalizer"], "normalizers"):
        return True
    where = {added.normalized for added in inner.pipeline.added}
    if len(where) > 1:
        raise NotDrawnError("some of its added tokens are found before the text is normalised, some after")
    return True not in where


def _pattern(cutting: Mapping[str, Any] | None) -> tuple[str | None, str | None]:
    """The split pattern to show, and the one with which a piece can be explained."""
    steps = steps_of(cutting, "pretokenizers")
    if not any(step["type"] == "ByteLevel" for step in steps):
        raise NotDrawnError("its tokens are not made of bytes")
    if steps[-1]["type"] != "ByteLevel":
        raise NotDrawnError("it cuts a text again once its characters are bytes")
    patterns: list[str] = []
    for step in steps:
        kind = step["type"]
        if kind == "ByteLevel":
            if step.get("add_prefix_space", True):
                raise NotDrawnError("it puts a space in front of a text, which stands nowhere in it")
            if step.get("use_regex", True):
                patterns.append(GPT2)
        elif kind == "Split" and step["behavior"] != "Removed":
            pattern = step["pattern"]
            text = pattern.get("Regex")
            text = usual_spelling(text if text is not None else _escape(pattern["String"]))
            is_plain = step["behavior"] == "Isolated" and not step.get("invert")
            patterns.append(text if is_plain else f"(?:{text})")
        elif kind == "Digits":
            patterns.append(r"\p{N}" if step.get("individual_digits") else r"\p{N}+")
        elif kind == "Punctuation" and step.get("behavior", "Isolated") != "Removed":
            patterns.append(r"\p{P}")
        else:
            raise NotDrawnError(f"its pre-tokeniser has a step, {kind}, that drops or changes characters")
    if not patterns:
        return None, None
    # Another engine's dialect is explained only where it is known to be ours.
    is_known = len(patterns) == 1 and known_pattern(patterns[0]) is not None
    return "|".join(patterns), patterns[0] if is_known else None


def _escape(text: str) -> str:
    return "".join(f"\\{char}" if char in r"\.^$*+?{}[]|()" else char for char in text)


def _ranks(inner: PairEncoding) -> dict[bytes, int]:
    """The ordinary tokens, by their bytes."""
    model = inner.pipeline.model
    for option in ("continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"):
        if model[option]:
            raise NotDrawnError("its tokens are marked at the ends of words, or are not made of bytes")
    ranks = {
        spell_bytes(token): token_id
        for token, token_id in model["vocab"].items()
        if token not in inner.added_names
    }
    if len(ranks) < len(model["vocab"].keys() - inner.added_names):
        raise NotDrawnError("two of its tokens stand for the same bytes")
    if any(bytes([byte]) not in ranks for byte in range(256)):
        raise NotDrawnError("not every byte is one of its tokens")
    return ranks


def _check_merges(inner: PairEncoding, ranks: Mapping[bytes, int]) -> Any:
    """Where the last merge of each token joins its parents, if the list of merges says the same."""
    vocabulary, added = inner.pipeline.model["vocab"], inner.added_names
    last_id = -1
    by_id = {token_id: data for data, token_id in ranks.items()}
    listed: dict[bytes, list[int]] = {}  # the lengths of its left parts, by what merges make
    for left, right in inner.merges:
        joined = left + right
        if joined in added or left in added or right in added:
            raise NotDrawnError("a merge of it makes an added token")
        made = vocabulary[joined]
        if made < last_id:
            raise NotDrawnError("its merges are not in the order of the ids that they make")
        last_id = made
        listed.setdefault(by_id[made], []).append(len(by_id[vocabulary[left]]))
    made_ranks = {data: token_id for data, token_id in ranks.items() if len(data) > 1}
    letters = frozenset(bytes([byte]) for byte in range(256))
    lasts = last_middles(made_ranks, listed, letters, lambda token: last_middle(token, ranks))
    takes_whole = inner.pipeline.model["ignore_merges"]
    middles = np.zeros(max(ranks.values(), default=-1) + 1, dtype=np.int32)
    for data, middle in lasts.items():
        if not middle:
            if takes_whole:
                continue
            raise NotDrawnError("some of its tokens are out of its merges' reach")
        if middle not in listed.get(data, ()):
            raise NotDrawnError("its merges make a token of other parts than the ranks of its tokens would")
        middles[ranks[data]] = middle
    return middles
