"""The biography of a token: its family in the merge tree, its variants, and which other encodings have it.

``Vocabulary.biography`` and ``Vocabulary.example`` call it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..bpe.trees import children_of, parts_of
from ..encoding import Encoding
from ..text.facts import text_of, utf8_state
from ..text.scripts import script_of_token
from .token_search import find_containing

if TYPE_CHECKING:
    from .vocabulary import Vocabulary

# What to put around a token, so that the split pattern leaves it whole.
_BEFORE = ("", "a", " ", ".", "\u2603")
_AFTER = ("", "a", ".", "/", "\n", "VE", "RE", "LL", "M", "S", "T", "D")


@dataclass(frozen=True, slots=True)
class Variant:
    """The same word in another case, or with and without the leading space; its id, if it is a token."""

    text: str
    token_id: int | None


@dataclass(frozen=True, slots=True)
class Biography:
    """All that is known of a token, independent of any text.

    Attributes:
        encoding: the encoding's name.
        token_id, token_bytes, rank, special: as the encoding says.
        unknown: whether it is the unknown token.
        text: its characters; None if its bytes alone are not whole characters.
        utf8: in words, whether they are.
        script: that of most of its letters, as ``script_of_token`` says it.
        parents: the two tokens whose merge makes it; none for a byte and a special token; three or more if
            merges alone stop before they reach it.
        children: the tokens whose last merge uses it.
        containing: the other ordinary tokens whose bytes contain its bytes.
        variants: of a word that can stand alone, other cases, with and without a leading space.
        elsewhere: for other encodings, (name, the id of the token with the same bytes, or None).
        encodes_to: the ids that its text, inside of another, encodes to; () if it has none, or is a special
            token.
        encodes_to_itself: whether that is the token itself; None if its bytes alone are no text, if it occurs
            only within a word, and for a special token, which only arises where special tokens are allowed.
    """

    encoding: str
    token_id: int
    token_bytes: bytes
    text: str | None
    rank: int | None
    special: bool
    unknown: bool
    utf8: str
    script: str
    parents: tuple[int, ...]
    children: tuple[int, ...]
    containing: tuple[int, ...]
    variants: tuple[Variant, ...]
    elsewhere: tuple[tuple[str, int | None], ...]
    encodes_to: tuple[int, ...]
    encodes_to_itself: bool | None


def biography(vocabulary: Vocabulary, token_id: int, others: Sequence[Encoding]) -> Biography:
    """See ``Vocabulary.biography``."""
    enc = vocabulary.encoding
    data = enc.token_bytes(token_id)
    special, unknown = enc.is_special(token_id), token_id == enc.unknown_id
    is_own_text = not special and not unknown  # its bytes are a text that can become it
    is_alone = is_own_text and token_id not in enc.inside_words
    text = text_of(data)
    encodes_to: tuple[int, ...] = ()
    itself: bool | None = None
    if text is not None and is_alone:
        (inside,) = enc.encode_inside([text])
        encodes_to = tuple(inside)
        itself = encodes_to == (token_id,)
    elif is_own_text and enc.merging and enc.token_id(data) != token_id:
        encodes_to, itself = (
            tuple(enc.merging.merge_alone(data)),
            False,
        )  # a home-trained token that never arises
    containing: list[int] = find_containing(vocabulary, data).tolist() if is_own_text else []
    return Biography(
        encoding=enc.name,
        token_id=token_id,
        token_bytes=data,
        text=text,
        rank=enc.rank(token_id),
        special=special,
        unknown=unknown,
        utf8=utf8_state(data),
        script=script_of_token(data),
        parents=_parents(enc, token_id),
        children=_children(vocabulary, token_id, containing),
        containing=tuple(i for i in containing if i != token_id and not vocabulary.special[i]),
        variants=_variants(enc, text) if text is not None and is_alone else (),
        elsewhere=tuple((other.name, _same_token(enc, other, token_id)) for other in others),
        encodes_to=encodes_to,
        encodes_to_itself=itself,
    )


def _parents(enc: Encoding, token_id: int) -> tuple[int, ...]:
    if enc.joining:
        return enc.joining.parts(token_id)
    return parts_of(enc, token_id) if enc.merging else ()


def _children(vocabulary: Vocabulary, token_id: int, containing: list[int]) -> tuple[int, ...]:
    enc = vocabulary.encoding
    if enc.joining:
        return enc.joining.children(token_id, containing)
    if enc.merging:
        return children_of(enc, token_id, containing)
    return ()


def _variants(encoding: Encoding, text: str) -> tuple[Variant, ...]:
    word = text.removeprefix(" ")
    cases = [word, word.capitalize(), word.lower(), word.upper()]
    spaced = [space + case for case in cases for space in ("", " ")] if word else []
    return tuple(
        Variant(form, encoding.token_id(form.encode("utf-8")))
        for form in dict.fromkeys(spaced)
        if form != text
    )


def example(vocabulary: Vocabulary, token_id: int) -> str | None:
    """See ``Vocabulary.example``."""
    data = vocabulary.encoding.token_bytes(token_id)  # raises if there is no such id
    text = None if vocabulary.special[token_id] else text_of(data)
    if text:
        for before, after in itertools.product(_BEFORE, _AFTER):
            if token_id in vocabulary.encoding.encode(before + text + after):
                return before + text + after
    return None


def _same_token(enc: Encoding, other: Encoding, token_id: int) -> int | None:
    """The token of another encoding that is what this one is here; None: it has none."""
    if token_id == enc.unknown_id:
        return other.unknown_id
    data = enc.token_bytes(token_id)
    return (
        other.special_tokens.get(data.decode("utf-8")) if enc.is_special(token_id) else other.token_id(data)
    )
