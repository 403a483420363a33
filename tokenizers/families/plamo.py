"""PLaMo's tokenizer: a Unigram whose scores are whole numbers, read from the end of a text.

Of all ways to cut a text into tokens, the one of the highest sum of scores is taken; of equal ones, the one
whose first token is the longest. A score counts in ten-thousandths. A character that is not in the vocabulary
becomes its bytes, at the price of a score of -1,000. Nothing is normalised, but a byte order mark at the
start is dropped. Special tokens have scores, too, so a text that spells one becomes it.

PLaMo 3 cuts a text first: before and after <|plamo:…|>, a character that stands there four times or more,
and two spaces or more. U+EE00 is a cut as well, and is dropped. A byte order mark stays.

Source: the kinds plamo2 and plamo3 of llama.cpp, src/llama-vocab.cpp, which follows the publisher's
tokenization_plamo.py.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..cached import cached_property
from ..encoding import AllowedSpecial
from ..placement import Placement
from ..steps import MODEL, PRE_TOKENISER, Steps, first_few
from ..text.spans import Spans
from ..utf8 import utf8_length, well_formed
from .lattice import Lattice, explain_by_paths, lattice_maker
from .listed import ListedEncoding

_UNKNOWN = 10_000_000
"""The price of a character that is not in the vocabulary."""

_NEVER = 20_000_000
"""From this price on, a token is never taken."""

_FENCE = re.compile(r"<\|plamo:[^|\s]{0,64}\|>")
_RUN = re.compile(r"([^\n])\1{3,}| {2,}")
_DROPPED = "\uee00"
_MARK = "\ufeff"


class PlamoToken(NamedTuple):
    """A token of the vocabulary.

    Attributes:
        text: what it is written as.
        score: the higher, the more it is preferred.
        byte: the value, if it stands for a byte; None: it stands for its text.
        is_special: whether it is a special token.
        is_used: whether a text can become it.
    """

    text: str
    score: float
    byte: int | None = None
    is_special: bool = False
    is_used: bool = True


class PlamoEncoding(ListedEncoding):
    """A vocabulary of PLaMo 2 or 3.

    Args:
        tokens: by id; each byte is among them. Of several with the same text, the last one counts.
        cuts_first: whether a text is cut before tokens are looked for, as PLaMo 3 does.
        name: what people call it.

    Raises:
        ValueError: a byte has no token, or a token has a score that ends the publisher's lists.

    >>> tokens = [PlamoToken(f"<0x{byte:02X}>", 0, byte) for byte in range(256)]
    >>> tokens += [PlamoToken("a", -3.0), PlamoToken("aa", -5.0), PlamoToken(" ", -2.0)]
    >>> PlamoEncoding(tokens).encode("aaaaa é"), PlamoEncoding(tokens, cuts_first=True).encode("aa  a")
    ([257, 257, 256, 258, 195, 169], [257, 258, 258, 256])
    """

    family = "Unigram"
    way = "takes the way of the highest score to cut a text into its tokens"
    is_lossless = False
    longest_text = 2 << 20

    def __init__(
        self, tokens: Sequence[PlamoToken], *, cuts_first: bool = False, name: str = "plamo"
    ) -> None:
        listed = [token.text.encode() if token.byte is None else bytes([token.byte]) for token in tokens]
        special = {token.text: token_id for token_id, token in enumerate(tokens) if token.is_special}
        super().__init__(name, listed, special)
        self._cuts_first = cuts_first
        self._byte_ids = {
            token.byte: token_id for token_id, token in enumerate(tokens) if token.byte is not None
        }
        missing = next((byte for byte in range(256) if byte not in self._byte_ids), None)
        if missing is not None:
            raise ValueError(f"It has no token for the byte {missing}: every single byte is needed.")
        # A tree of characters; under "", the price and the id of the token that ends there.
        self._tree: dict[str, Any] = {}
        self._scores: dict[bytes, float] = {}
        for token_id, token in enumerate(tokens):
            price = _price_of(token)
            if token.byte is None and token.is_used and token.text and price < _NEVER:
                if price == _UNKNOWN:
                    raise ValueError(
                        f"Its token {token.text[:40]!r} has the score -1,000, which ends a list of tokens in "
                        "its publisher's code. Add the model's own tokenizer instead."
                    )
                node = self._tree
                for character in token.text:
                    node = node.setdefault(character, {})
                node[""] = price, token_id
                self._scores[listed[token_id]] = token.score

    def family_steps(self) -> Steps:
        first = "cut around <|plamo:…|>, runs of a character, and two spaces or more; U+EE00 is dropped"
        mark = "none; a byte order mark at the start is dropped"
        steps = [
            (PRE_TOKENISER, first if self._cuts_first else mark),
            (
                MODEL,
                f"Unigram, {self.n_tokens:,} tokens, of which the way of the highest score is taken; an "
                "unknown character becomes bytes",
            ),
        ]
        return [*steps, ("Special tokens", first_few(list(self.special_tokens)) or "none")]

    # Text to ids

    def place(self, text: str, *, allowed_special: AllowedSpecial = ()) -> Placement:
        """The tokens of ``text``, and where each one is."""
        placed = []
        for stretch, special_id in self.cut_at_specials(well_formed(text), allowed_special):
            parts = self._encode(stretch) if special_id is None else [(stretch, [special_id])]
            for part, ids in parts:
                placement = Placement.of_lengths(ids, self.byte_lengths[ids])
                placed.append((utf8_length(part), placement))
        return Placement.join(placed)

    def _encode(self, text: str) -> Iterable[tuple[str, list[int]]]:
        """The parts of a text in which no special token is looked for first, and their ids."""
        if self._cuts_first:
            return ((part, [] if part == _DROPPED else self._encode_part(part)) for part in _cut_first(text))
        rest = text.removeprefix(_MARK)
        return [(text[: len(text) - len(rest)], []), (rest, self._encode_part(rest))]

    def _encode_part(self, text: str) -> list[int]:
        """The ids of a part of a text that nothing else reaches into."""
        prices = [0] * (len(text) + 1)  # of the best way from each place to the end
        ends = [0] * len(text)
        chosen = [-1] * len(text)  # the token there; -1: bytes
        for start in range(len(text) - 1, -1, -1):
            price = prices[start + 1] + _UNKNOWN
            end = start + 1
            token = -1
            node = self._tree
            for at in range(start, len(text)):
                node = node.get(text[at], {})
                if not node:
                    break
                if "" in node:
                    own, token_id = node[""]
                    if own + prices[at + 1] <= price:  # of equal ones, the longest
                        price = own + prices[at + 1]
                        end = at + 1
                        token = token_id
            prices[start] = price
            ends[start] = end
            chosen[start] = token
        ids: list[int] = []
        at = 0
        while at < len(text):
            if chosen[at] < 0:
                ids += map(self._byte_ids.__getitem__, text[at].encode())
            else:
                ids.append(chosen[at])
            at = ends[at]
        return ids

    # Why here

    def lattice(self, text: str) -> Lattice:
        """All tokens that fit the first line of a text.

        Raises:
            ValueError: the text is too long.
        """
        return self._lattice_of(well_formed(text).partition("\n")[0])

    @cached_property
    def _lattice_of(self) -> Callable[[str], Lattice]:
        return lattice_maker(self._scores, -_UNKNOWN / 1e4)

    def _reason_between(self, spans: Spans, before: int, after: int, byte_offset: int) -> str:
        """Why there is a cut between two tokens, or none inside of one.

        >>> from tokenizers import encode_spans
        >>> tokens = [PlamoToken(f"<0x{byte:02X}>", 0, byte) for byte in range(256)]
        >>> enc = PlamoEncoding([*tokens, PlamoToken("a", -3.0), PlamoToken("aa", -5.0)])
        >>> print(enc.reason(encode_spans(enc, "aaa"), 2))
        “aa” and “a” are pieces of the best path.
        >>> print(enc.reason(encode_spans(enc, "aé"), 2))
        A character that is not in the vocabulary is here as its bytes, which are never joined.
        """
        ids = spans.ids.tolist()
        if before != after and {ids[before], ids[after]} & set(self._byte_ids.values()):
            return "A character that is not in the vocabulary is here as its bytes, which are never joined."

        edges: set[int] = set()
        if self._cuts_first:
            parts = _cut_first(spans.text_map.text)
            edges.update(itertools.accumulate(map(utf8_length, parts)))
        if before != after and byte_offset in edges:
            return "A text is cut here before tokens are looked for."

        def ends_part(index: int) -> bool:
            return int(spans.starts[index]) in edges

        return explain_by_paths(spans, before, after, byte_offset, ends_part, self._lattice_of)


def _price_of(token: PlamoToken) -> int:
    """What a token costs in a sum, in whole numbers; of .5, away from zero."""
    price = abs(token.score) * 1e4
    if not math.isfinite(price):
        return _NEVER
    rounded = math.floor(price + 0.5)
    return rounded if token.score < 0 else -rounded


def _cut_first(text: str) -> list[str]:
    """The parts into which PLaMo 3 cuts a text first.

    >>> _cut_first("a<|plamo:x|>  b....\uee00c")
    ['a', '<|plamo:x|>', '  ', 'b', '....', '\\uee00', 'c']
    """
    parts = [text]
    for pattern in (_FENCE, _RUN, re.compile(_DROPPED)):
        parts = [part for whole in parts for part in _split(pattern, whole) if part]
    return parts


def _split(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """What a pattern matches, and what lies between."""
    end = 0
    for match in pattern.finditer(text):
        yield text[end : match.start()]
        yield match[0]
        end = match.end()
    yield text[end:]
