"""The tiny language model of a lesson: which token follows which, counted in two stories.

A byte pair encoding of ``N_VOCAB`` tokens learns from the stories, and a table counts how often each token
follows each other one. A row of the table is all that this model knows of a token: a vector, and divided by
its sum, the probability of each next token. (Shannon drew such tables in 1948. A language model computes its
vector from all tokens before.)
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ..bpe.training import train
from ..data import STORIES, read_bundled
from ..encoding import Encoding
from ..json_types import JsonObject
from ..text import quote, spell_token, text_of

N_VOCAB = 1024
_SHOWN = 8  # followers in a figure
_MAX_CONTINUED = 50


@functools.cache
def _learn() -> tuple[Encoding, Mapping[int, Counter[int]]]:
    text = "\n".join(read_bundled(STORIES).texts)
    encoding = train(text, vocab_size=N_VOCAB)
    ids = encoding.encode(text)
    rows: dict[int, Counter[int]] = {token_id: Counter() for token_id in range(N_VOCAB)}
    for left, right in zip(ids, ids[1:], strict=False):
        rows[left][right] += 1
    return encoding, rows


def _last(text: str) -> int:
    ids = _learn()[0].encode(text)
    if not ids:
        raise ValueError("No token follows an empty text.")
    return ids[-1]


def _followers(token_id: int) -> list[tuple[int, int]]:
    """(token id, count) of what followed a token, the most frequent first, and on ties the smaller id."""
    return sorted(_learn()[1][token_id].items(), key=lambda item: (-item[1], item[0]))


def _at(text: str, place: float) -> tuple[int, int]:
    followers = _followers(_last(text))
    if not 1 <= place <= len(followers):
        raise ValueError(f"{quote(text.encode())} was followed by {len(followers)} different tokens.")
    return followers[int(place) - 1]


def follower(text: str, place: float) -> str:
    """The token that follows a text's last token most often, or at another place of that list; in quotes.

    >>> follower(" said", 1), followed(" said", 1), n_followed(" said")
    ('“·Thomas”', 12, 51)
    """
    return quote(_learn()[0].token_bytes(_at(text, place)[0]))


def followed(text: str, place: float) -> int:
    """How often it does."""
    return _at(text, place)[1]


def n_followed(text: str) -> int:
    """How often any token followed the text's last one."""
    return sum(count for _, count in _followers(_last(text)))


def continued(text: str, number: float) -> str:
    """The text with so many more tokens, each the most likely one after the last.

    >>> continued(" the", 5)
    ' the same, and the same'
    """
    encoding, ids = _learn()[0], [_last(text)]
    for _ in range(min(int(number), _MAX_CONTINUED)):
        ids += [token_id for token_id, _ in _followers(ids[-1])[:1]]
    return text + encoding.decode(ids[1:])


class NextPiece(NamedTuple):
    """A token that followed another one, as text, and its share of all that did, 0 to 1."""

    text: str
    share: float


def next_pieces(text: str, most: int) -> list[NextPiece]:
    """The tokens that followed a text's last token most often, but for those that are no whole characters.

    >>> [piece.text for piece in next_pieces(" said", 3)]
    [' Thomas', ' Margaret', ' Anna']
    """
    encoding = _learn()[0]
    total = n_followed(text)
    pieces: list[NextPiece] = []
    for token_id, count in _followers(_last(text)):
        piece = text_of(encoding.token_bytes(token_id))
        if piece is not None and len(pieces) < most:
            pieces.append(NextPiece(piece, count / total))
    return pieces


def is_sentence(text: str) -> bool:
    """Whether a text ends as a sentence does, or cannot go on.

    >>> is_sentence('"I see."'), is_sentence("The letter")
    (True, False)
    """
    return text.rstrip(' \n"”').endswith((".", "!", "?")) or not next_pieces(text, 1)


def finish_sentence(text: str, most: int) -> str:
    """The text with the most likely token after the last, until it is a sentence, or ``most`` times.

    >>> finish_sentence(" said", 10)
    ' said Thomas.'
    """
    for _ in range(most):
        if is_sentence(text):
            break
        text += next_pieces(text, 1)[0].text
    return text


def draw_row(text: str) -> JsonObject:
    """The figure of a text's last token: its id, and its row of the table.

    >>> row = draw_row(" said")
    >>> row["token"], row["id"], row["row"][0], row["n"], row["n_vocab"]
    ('·said', 319, ['·Thomas', 12], 51, 1024)
    """
    encoding, token_id = _learn()[0], _last(text)
    shown = [[spell_token(encoding.token_bytes(each)), count] for each, count in _followers(token_id)]
    return {
        "token": spell_token(encoding.token_bytes(token_id)),
        "id": token_id,
        "row": shown[:_SHOWN],
        "others": len(shown[_SHOWN:]),
        "n": n_followed(text),
        "n_vocab": encoding.n_vocab,
    }
