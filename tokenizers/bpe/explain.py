"""Why there is a cut here, or why there is none.

There is a cut between two bytes of a text for one of few reasons, and each can be checked:

- a wall of the split pattern: no merge reaches across;
- a special token on one side;
- no token joins what was on both sides, at any moment of the merging;
- something could have joined, but a merge with a lower rank took one of the two first.

``explain_cut`` finds the reason, and says it in a sentence or two.
"""

from __future__ import annotations

import bisect
import operator
from typing import NamedTuple

from ..amounts import shorten
from ..encoding import AllowedSpecial, Encoding
from ..split.patterns import find_alternative
from ..text.spans import Spans, encode_spans
from ..text.spelling import quote, spell_change
from ..text.text_map import TextMap
from ..utf8 import utf8_length
from .trees import merging_of, parts_of, steps_of


class Join(NamedTuple):
    """Tokens side by side that a merge joins, or could have joined, and the rank of what they make."""

    parts: tuple[bytes, ...]
    rank: int

    def __str__(self) -> str:
        return " and ".join(map(quote, self.parts))


class Chance(NamedTuple):
    """A merge across the cut that could have happened, and the one that took one of its two tokens first.

    The winner has a lower rank, or the same and is further left.
    """

    missed: Join
    winner: Join


class Explanation(NamedTuple):
    """Why there is a cut before a byte, or none.

    Attributes:
        kind: the reason. No cut: the text begins or ends here ("edge"), "inside_special", a merge joined
            what was here ("merged"), a whole piece was "looked_up", which merges alone would not make. A cut:
            "special" tokens, a "wall" of the split pattern, nothing that was ever here joins to a token
            ("not_in_vocabulary"), an earlier merge took one side ("taken"), as these two, but the sides
            together have the bytes of a token that never arises ("out_of_reach"), or "unsettled": the walls
            of this text are not known.
        sentence: the explanation in one or two short sentences, as plain text.
        join: of ``merged`` and ``looked_up``, what was joined here.
        chances: every merge across the cut that could have happened, in order; the last decides.
    """

    kind: str
    sentence: str
    join: Join | None = None
    chances: tuple[Chance, ...] = ()


def explain_cut(
    enc: Encoding, text: str, byte_offset: int, allowed_special: AllowedSpecial = ()
) -> Explanation:
    """Why there is a cut at this place of a text, or none.

    Args:
        enc: any byte pair encoding, tiktoken's too.
        text: the text.
        byte_offset: the place, in bytes of UTF-8: 0 is the text's beginning. (What is found is in the text
            as the encoding cuts it, if it rewrites a text first.)
        allowed_special: as in ``Encoding.encode``.

    Raises:
        ValueError: the text has no such place, or the encoding has no merges.

    >>> from tokenizers import get_encoding
    >>> gpt2, cl100k = get_encoding("gpt2"), get_encoding("cl100k_base")
    >>> print(explain_cut(cl100k, "x=12345", 5).sentence)
    A text is first split into pieces, and no token spans two of them. Here, “123” ends and “45” begins
    (both: up to three digits).
    >>> print(explain_cut(cl100k, "x=1", 1).sentence)
    A text is first split into pieces, and no token spans two of them. Here, “x” (letters, with at most one
    space or symbol before them) ends and “=” (symbols, with at most one space before them and the line
    ends after them) begins.
    >>> cut = explain_cut(gpt2, "tokenization", 5)
    >>> print(cut.sentence)
    “en” and “i” could have become “eni” (rank 43,850), but “i” and “z” became “iz” first (rank 528).
    In the end, “token” and “ization” meet here, and there is no token “tokenization”.
    >>> [(chance.missed.parts, chance.winner.parts) for chance in cut.chances]
    [((b'n', b'i'), (b'e', b'n')), ((b'en', b'i'), (b'i', b'z'))]
    """
    spans = encode_spans(enc, TextMap(text), allowed_special=allowed_special)
    spans.check_place(byte_offset)
    return explain_in(spans.seen, _place_seen(spans, byte_offset))


def explain_in(spans: Spans, byte_offset: int) -> Explanation:
    """As ``explain_cut``, for a text that is encoded already."""
    enc = spans.encoding
    merging_of(enc)  # raises if there are no merges
    beside = spans.around(byte_offset)
    if isinstance(beside, str):
        return Explanation("edge", beside)
    left, right = beside
    if left == right:
        return _explain_no_cut(spans, left, byte_offset)
    special = [index for index in beside if enc.is_special(int(spans.ids[index]))]
    if special:
        one = f"{quote(_bytes_at(spans, special[0]))} is a special token"
        where = "Special tokens are on both sides" if len(special) == 2 else one
        return Explanation("special", f"{where}, and nothing merges with a special token.")
    try:
        walls = spans.wall_edges
    except ValueError:
        unsettled = (
            "Two tokens meet here. It is not known whether two pieces of the text meet here, too: it has "
            "characters that are too new for one of the two regular expression engines."
        )
        return Explanation("unsettled", unsettled)
    at = bisect.bisect_left(walls, byte_offset)
    if walls[at] == byte_offset:
        return Explanation("wall", _say_wall(spans, int(walls[at - 1]), byte_offset, int(walls[at + 1])))
    return _explain_meeting(spans, left)


def _bytes_at(spans: Spans, index: int) -> bytes:
    """The bytes of a token."""
    return spans.text_map.data[spans.starts[index] : spans.ends[index]]


def _explain_no_cut(spans: Spans, index: int, byte_offset: int) -> Explanation:
    """Why a token has no cut at a place within it."""
    token_id = int(spans.ids[index])
    token = quote(_bytes_at(spans, index))
    if spans.encoding.is_special(token_id):
        return Explanation("inside_special", f"No cut: {token} is a special token, which is taken whole.")
    join = _join_at(spans.encoding, token_id, byte_offset - int(spans.starts[index]))
    if len(join.parts) == 2:
        made = f"{quote(b''.join(join.parts))} here (rank {join.rank:,})"
        return Explanation("merged", f"No cut: {join} became {made}.", join)
    looked_up = (
        f"No cut: the whole piece {token} is a token, and is taken without any merge. Merges alone would "
        f"stop at {', '.join(map(quote, join.parts))}."
    )
    return Explanation("looked_up", looked_up, join)


def _explain_meeting(spans: Spans, left: int) -> Explanation:
    """Why two tokens of one piece were not joined."""
    enc = spans.encoding
    tokens = (_bytes_at(spans, left), _bytes_at(spans, left + 1))
    both = " and ".join(map(quote, tokens))
    joined = b"".join(tokens)
    chances = _find_chances(enc, (int(spans.ids[left]), int(spans.ids[left + 1])))
    out_of_reach = _id_out_of_reach(enc, joined)
    if out_of_reach is not None:
        never = (
            f"{both} have the bytes of token {out_of_reach}, but no merge joins these two. Other merges "
            "always come first, so no text ever becomes that token."
        )
        return Explanation("out_of_reach", never, chances=chances)
    if not chances:
        before = " Nothing that met here before could be joined, either." if len(joined) > 2 else ""
        apart = f"There is no token {quote(joined)}, so {both} stay apart.{before}"
        return Explanation("not_in_vocabulary", apart)
    missed, winner = chances[-1]
    order = "the same rank, further left" if winner.rank == missed.rank else f"rank {winner.rank:,}"
    taken = (
        f"{missed} could have become {quote(b''.join(missed.parts))} (rank {missed.rank:,}), but {winner} "
        f"became {quote(b''.join(winner.parts))} first ({order}). In the end, {both} meet here, and there is "
        f"no token {quote(joined)}."
    )
    return Explanation("taken", taken, chances=chances)


def explain_seen(spans: Spans, byte_offset: int, by: str) -> str:
    """Why there is a cut at this place of a text, or none, and what the text became there before it was cut.

    Args:
        spans: the tokens of a text, perhaps of an encoding that cuts another text than the one that is typed.
        byte_offset: the place in the text as typed.
        by: what makes another text of it, to follow "by".

    Raises:
        ValueError: the text has no such place.

    >>> from tokenizers import get_encoding
    >>> print(explain_seen(encode_spans(get_encoding("claude-2"), "a½"), 1, "NFKC"))
    “½” becomes “1⟨U+2044⟩2” first, by NFKC. A text is first split into pieces, ... Here, “a” (letters, ...
    """
    spans.check_place(byte_offset)
    if spans.seen is spans:
        return explain_in(spans, byte_offset).sentence
    is_inside = 0 < byte_offset < spans.text_map.n_bytes
    if is_inside and None in (spans.covering(byte_offset - 1), spans.covering(byte_offset)):
        return "Here is white space. It ends a word, and belongs to no token."
    is_edge = bool((spans.starts == byte_offset).any() or (spans.ends == byte_offset).any())
    became = []
    for loss in spans.changes:
        if loss.start > byte_offset:
            break
        was = spans.text_map.data[loss.start : loss.end].decode("utf-8")
        if loss.end < byte_offset or "".join(was.split()) == "".join(loss.became.split()):
            continue  # elsewhere, or the end of a word, which is not typed
        before, after = spell_change(shorten(was.strip(), 20), shorten(loss.became.strip(), 20))
        sentence = f"{quote(before.encode())} becomes {quote(after.encode())} first, by {by}."
        if loss.start < byte_offset < loss.end and not is_edge:
            return f"No place of its own: {sentence}"
        became.append(sentence)
    return " ".join([*became, explain_in(spans.seen, _place_seen(spans, byte_offset)).sentence])


def _place_seen(spans: Spans, byte_offset: int) -> int:
    """Where a place of a text is in the text that its encoding cuts."""
    seen = spans.seen
    if seen is spans or byte_offset == 0:
        return byte_offset
    if byte_offset == spans.text_map.n_bytes:
        return seen.text_map.n_bytes
    ended = bisect.bisect_right(spans.ends, byte_offset)
    if (spans.starts == byte_offset).any() or (spans.ends == byte_offset).any():
        return int(seen.ends[ended - 1]) if ended else 0
    at = byte_offset
    for loss in spans.changes:
        if loss.start < byte_offset:
            size = utf8_length(loss.became)
            inside = min(loss.end, byte_offset) - loss.start
            at += (size if loss.end <= byte_offset else min(inside, max(size - 1, 0))) - inside
    return at


def _say_wall(spans: Spans, before: int, wall: int, after: int) -> str:
    """A wall of the split pattern: the pieces on both sides, and the alternatives that matched them."""
    splitting = spans.encoding.splitting
    pieces = []
    meanings = []
    for start, end in ((before, wall), (wall, after)):
        seen, at = spans.stretch_of(start, end)
        alternative = find_alternative(seen, at, splitting.exact_pattern if splitting else None)
        pieces.append(quote(spans.text_map.data[start:end]))
        meanings.append(alternative.meaning if alternative else "")
    if meanings[0] and meanings[0] == meanings[1]:
        meet = f"{pieces[0]} ends and {pieces[1]} begins (both: {meanings[0]})"
    else:
        sides = zip(pieces, meanings, strict=True)
        one, other = (f"{piece} ({meaning})" if meaning else piece for piece, meaning in sides)
        meet = f"{one} ends and {other} begins"
    return f"A text is first split into pieces, and no token spans two of them. Here, {meet}."


def _join_at(enc: Encoding, token_id: int, place: int) -> Join:
    """What was joined at a place inside a token, by a merge or by look-up."""
    start = 0
    while True:  # down the tree, to where two parts meet at this place
        ids = parts_of(enc, token_id)
        middle = start + len(enc.token_bytes(ids[0]))
        if len(ids) > 2 or middle == place:
            return Join(tuple(map(enc.token_bytes, ids)), token_id - merging_of(enc).first_id)
        token_id, start = (ids[1], middle) if middle < place else (ids[0], start)


def _find_chances(enc: Encoding, ids: tuple[int, int]) -> tuple[Chance, ...]:
    """Go through what was at the cut between two tokens of a piece, from two bytes to the two tokens."""
    merging, tokens = merging_of(enc), list(map(enc.token_bytes, ids))
    growth = []  # the merges of each token that reach the cut
    for side, (token_id, start) in enumerate(zip(ids, (0, len(tokens[0])), strict=True)):
        for step in steps_of(enc, token_id):
            if step.edges[0] == 0 if side else step.edges[-1] == len(tokens[0]):
                join = Join(tuple(map(enc.token_bytes, step.parts)), step.rank)
                growth.append(((step.order[0], step.order[1] + start), side, join))
    now = [tokens[0][-1:], tokens[1][:1]]  # the tokens on both sides of the cut
    chances = []
    for _, side, winner in sorted(growth, key=operator.itemgetter(0)):  # in the order in which they happen
        missed = merging.ranks.get(now[0] + now[1])
        if missed is not None:
            chances.append(Chance(Join((now[0], now[1]), missed - merging.first_id), winner))
        now[side] = b"".join(winner.parts)
    return tuple(chances)


def _id_out_of_reach(enc: Encoding, data: bytes) -> int | None:
    """The token that has these bytes although no text ever becomes it, if there is one."""
    merging = merging_of(enc)
    if merging.pairs is None or len(merging.ranks) == 256 + len(merging.pairs):
        return None
    return next((i for i in range(256, 256 + len(merging.pairs)) if enc.token_bytes(i) == data), None)
