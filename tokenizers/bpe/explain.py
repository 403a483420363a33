"""Why there is a cut here, or why there is none.

There is a cut between two bytes of a text for one of few reasons, and each can be checked:

- a wall of the split pattern: no merge reaches across;
- a special token on one side;
- no token joins what was on both sides, at any moment of the merging;
- something could have joined, but a merge with a lower rank took one of the two first.

``explain_cut`` finds the reason with all its facts; ``cut_in_words`` says it in a sentence or two.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import operator
from dataclasses import dataclass
from typing import Literal

from ..encoding import AllowedSpecial, Encoding
from ..split.patterns import find_alternative
from ..text.spans import Spans, encode_spans
from ..text.spelling import quote, spell_change
from ..text.text_map import TextMap
from .trees import merging_of, parts_of, steps_of

Kind = Literal[
    "begin",  # no cut: the text begins here
    "end",  # no cut: the text ends here
    "inside_special",  # no cut: within a special token
    "merged",  # no cut: a merge joined what was here
    "looked_up",  # no cut: a whole piece, looked up; merges alone would not make it
    "special",  # a special token on one side or on both
    "wall",  # a wall of the split pattern
    "not_in_vocabulary",  # nothing that was ever here joins to a token
    "taken",  # something could have joined, but an earlier merge took one side
    "out_of_reach",  # as above, and the two sides together are the bytes of a token that never arises
    "unsettled",  # the walls of this text are not known
]


Side = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Token:
    """A token in its place: the bytes [start, end)."""

    token_id: int
    token_bytes: bytes
    start: int
    end: int
    special: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the split pattern, and the alternative that matched it.

    ``alternative`` is None if nothing of a person's own pattern matched, or if its alternatives cannot be
    told apart; then ``meaning`` is None, too.
    """

    text: str
    start: int
    end: int
    alternative: str | None
    meaning: str | None


@dataclass(frozen=True, slots=True)
class Join:
    """Tokens side by side that a merge joins (or could have joined), and what they make."""

    parts: tuple[Token, ...]
    token_id: int
    rank: int

    @property
    def token_bytes(self) -> bytes:
        """What they make."""
        return b"".join(part.token_bytes for part in self.parts)


@dataclass(frozen=True, slots=True)
class Chance:
    """A merge across the cut that could have happened, and the one that came first.

    Attributes:
        missed: the merge across the cut.
        taken: which side was taken away.
        winner: the merge that took it: its rank is lower, or the same and it is further left.
    """

    missed: Join
    taken: Side
    winner: Join


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why there is a cut before a byte, or none. Which fields are set depends on ``kind``.

    Attributes:
        kind: the reason.
        encoding: the encoding's name.
        offset: the place, in bytes.
        left, right: the tokens that hold the byte before and the byte after; the same if no cut.
        left_piece, right_piece: of a wall, the pieces on both sides.
        join: of ``merged`` and ``looked_up``, what was joined here.
        joined: of two tokens in one piece, their bytes together, which nothing joins.
        joined_id: of ``out_of_reach``, the token that has these bytes.
        chances: every merge across the cut that could have happened, in order; the last decides.
    """

    kind: Kind
    encoding: str
    offset: int
    left: Token | None = None
    right: Token | None = None
    left_piece: Piece | None = None
    right_piece: Piece | None = None
    join: Join | None = None
    joined: bytes | None = None
    joined_id: int | None = None
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
    >>> gpt2 = get_encoding("gpt2")
    >>> explain_cut(gpt2, "hello world", 5).kind
    'wall'
    >>> cut = explain_cut(gpt2, "tokenization", 5)
    >>> cut.kind, cut.joined
    ('taken', b'tokenization')
    >>> [(chance.missed.token_bytes, chance.winner.token_bytes) for chance in cut.chances]
    [(b'ni', b'en'), (b'eni', b'iz')]
    """
    spans = encode_spans(enc, TextMap(text), allowed_special=allowed_special)
    spans.check_place(byte_offset)
    return explain_in(spans.seen, _place_seen(spans, byte_offset))


def explain_in(spans: Spans, byte_offset: int) -> Explanation:
    """As ``explain_cut``, for a text that is encoded already."""
    enc, data = spans.encoding, spans.text_map.data
    merging_of(enc)  # raises if there are no merges
    spans.check_place(byte_offset)
    left = _token(spans, spans.token_at(byte_offset - 1)) if byte_offset > 0 else None
    right = _token(spans, spans.token_at(byte_offset)) if byte_offset < len(data) else None
    because = functools.partial(Explanation, encoding=enc.name, offset=byte_offset, left=left, right=right)
    if left is None or right is None:
        return because("end" if left else "begin")
    if left == right:
        if left.special:
            return because("inside_special")
        join = _join_at(enc, left, byte_offset - left.start)
        return because("looked_up" if len(join.parts) > 2 else "merged", join=join)
    if left.special or right.special:
        return because("special")
    try:
        walls = spans.wall_edges
    except ValueError:
        return because("unsettled")
    at = bisect.bisect_left(walls, byte_offset)
    if walls[at] == byte_offset:
        before, after = int(walls[at - 1]), int(walls[at + 1])
        one, other = _piece(spans, before, byte_offset), _piece(spans, byte_offset, after)
        return because("wall", left_piece=one, right_piece=other)
    joined, chances = left.token_bytes + right.token_bytes, _find_chances(enc, left, right)
    joined_id = _id_out_of_reach(enc, joined)
    kind: Kind = "taken" if chances else "not_in_vocabulary"
    return because(
        kind if joined_id is None else "out_of_reach", joined=joined, joined_id=joined_id, chances=chances
    )


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
        return cut_in_words(explain_in(spans, byte_offset))
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
        before, after = spell_change(_short(was.strip()), _short(loss.became.strip()))
        sentence = f"{quote(before.encode())} becomes {quote(after.encode())} first, by {by}."
        if loss.start < byte_offset < loss.end and not is_edge:
            return f"No place of its own: {sentence}"
        became.append(sentence)
    return " ".join([*became, cut_in_words(explain_in(spans.seen, _place_seen(spans, byte_offset)))])


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
            size, inside = len(loss.became.encode("utf-8")), min(loss.end, byte_offset) - loss.start
            at += (size if loss.end <= byte_offset else min(inside, max(size - 1, 0))) - inside
    return at


def _short(text: str) -> str:
    return text if len(text) <= 20 else text[:19] + "…"


def _token(spans: Spans, index: int) -> Token:
    token_id, start, end = int(spans.ids[index]), int(spans.starts[index]), int(spans.ends[index])
    data = spans.text_map.data[start:end]
    return Token(token_id, data, start, end, spans.encoding.is_special(token_id))


def _piece(spans: Spans, start: int, end: int) -> Piece:
    seen, at = spans.stretch_of(start, end)
    splitting = spans.encoding.splitting
    text = spans.text_map.data[start:end].decode("utf-8")
    alternative = find_alternative(seen, at, splitting.exact_pattern if splitting else None)
    regex, meaning = (alternative.regex or None, alternative.meaning) if alternative else (None, None)
    return Piece(text, start, end, regex, meaning)


def _join_at(enc: Encoding, token: Token, place: int) -> Join:
    """What was joined at a place inside a token, by a merge or by look-up."""
    current, start = token.token_id, 0
    while True:  # down the tree, to where two parts meet at this place
        parts = parts_of(enc, current)
        lengths = (int(enc.byte_lengths[part]) for part in parts)
        edges = tuple(itertools.accumulate(lengths, initial=start))
        middle = edges[1]
        if len(parts) > 2 or middle == place:
            return Join(_parts(token, parts, edges), current, current - merging_of(enc).first_id)
        current, start = (parts[1], middle) if middle < place else (parts[0], start)


def _parts(token: Token, ids: tuple[int, ...], edges: tuple[int, ...]) -> tuple[Token, ...]:
    """Tokens inside a token: their ids, and where they are in it."""
    return tuple(
        Token(part, token.token_bytes[start:end], token.start + start, token.start + end)
        for part, start, end in zip(ids, edges, edges[1:], strict=False)
    )


def _find_chances(enc: Encoding, left: Token, right: Token) -> tuple[Chance, ...]:
    """Go through what was at the cut of a piece, from two bytes to the two tokens."""
    merging = merging_of(enc)
    chances: list[Chance] = []
    before, after = left.token_bytes[-1:], right.token_bytes[:1]
    now_left = Token(merging.ranks[before], before, left.end - 1, left.end)
    now_right = Token(merging.ranks[after], after, right.start, right.start + 1)
    for side, winner in _growth_at_cut(enc, left, right):
        missed = merging.ranks.get(now_left.token_bytes + now_right.token_bytes)
        if missed is not None:
            join = Join((now_left, now_right), missed, missed - merging.first_id)
            chances.append(Chance(join, side, winner))
        first, last = winner.parts[0], winner.parts[-1]
        grown = Token(winner.token_id, winner.token_bytes, first.start, last.end)
        if side == "left":
            now_left = grown
        else:
            now_right = grown
    return tuple(chances)


def _growth_at_cut(enc: Encoding, left: Token, right: Token) -> list[tuple[Side, Join]]:
    """The merges of the tokens' sides at the cut, in the order in which they happen."""
    events: list[tuple[tuple[int, int], Side, Join]] = []
    sides: tuple[tuple[Side, Token], ...] = (("left", left), ("right", right))
    for side, token in sides:
        for step in steps_of(enc, token.token_id):
            if step.edges[-1] == len(token.token_bytes) if side == "left" else step.edges[0] == 0:
                join = Join(_parts(token, step.parts, step.edges), step.new_id, step.rank)
                events.append(((step.order[0], step.order[1] + token.start), side, join))
    return [(side, join) for _, side, join in sorted(events, key=operator.itemgetter(0))]


def _id_out_of_reach(enc: Encoding, data: bytes) -> int | None:
    """The token that has these bytes although no text ever becomes it, if there is one."""
    merging = merging_of(enc)
    if merging.pairs is None or len(merging.ranks) == 256 + len(merging.pairs):
        return None
    return next((i for i in range(256, 256 + len(merging.pairs)) if enc.token_bytes(i) == data), None)


# In words


def cut_in_words(why: Explanation) -> str:
    """The explanation in one or two short sentences, as plain text.

    >>> from tokenizers import get_encoding
    >>> print(cut_in_words(explain_cut(get_encoding("cl100k_base"), "x=12345", 5)))
    A text is first split into pieces, and no token spans two of them. Here, “123” ends and “45” begins
    (both: up to three digits).
    >>> print(cut_in_words(explain_cut(get_encoding("cl100k_base"), "x=1", 1)))
    A text is first split into pieces, and no token spans two of them. Here, “x” (letters, with at most one
    space or symbol before them) ends and “=” (symbols, with at most one space before them and the line
    ends after them) begins.
    >>> print(cut_in_words(explain_cut(get_encoding("gpt2"), "tokenization", 5)))
    “en” and “i” could have become “eni” (rank 43,850), but “i” and “z” became “iz” first (rank 528).
    In the end, “token” and “ization” meet here, and there is no token “tokenization”.
    """
    left, right, join = why.left, why.right, why.join
    if left is None or right is None:
        if left is right:
            return "The text is empty."
        return "The text begins here." if left is None else "The text ends here."
    if why.kind == "inside_special":
        return f"No cut: {quote(left.token_bytes)} is a special token, which is taken whole."
    if why.kind == "special":
        if left.special and right.special:
            return "Special tokens are on both sides, and nothing merges with a special token."
        special = left if left.special else right
        return f"{quote(special.token_bytes)} is a special token, and nothing merges with a special token."
    if why.kind == "unsettled":
        return (
            "Two tokens meet here. It is not known whether two pieces of the text meet here, too: it has "
            "characters that are too new for one of the two regular expression engines."
        )
    if why.kind == "wall" and why.left_piece and why.right_piece:
        one, other = why.left_piece, why.right_piece
        first, second = quote(one.text.encode("utf-8")), quote(other.text.encode("utf-8"))
        if one.meaning and one.meaning == other.meaning:
            meet = f"{first} ends and {second} begins (both: {one.meaning})"
        else:
            first += f" ({one.meaning})" if one.meaning else ""
            second += f" ({other.meaning})" if other.meaning else ""
            meet = f"{first} ends and {second} begins"
        return f"A text is first split into pieces, and no token spans two of them. Here, {meet}."
    if join is not None and why.kind == "looked_up":
        stops = ", ".join(quote(part.token_bytes) for part in join.parts)
        return (
            f"No cut: the whole piece {quote(left.token_bytes)} is a token, and is taken without any merge. "
            f"Merges alone would stop at {stops}."
        )
    if join is not None:
        return f"No cut: {_say_parts(join)} became {quote(join.token_bytes)} here (rank {join.rank:,})."
    both, joined = f"{quote(left.token_bytes)} and {quote(right.token_bytes)}", quote(why.joined or b"")
    if why.kind == "out_of_reach":
        return (
            f"{both} have the bytes of token {why.joined_id}, but no merge joins these two. Other merges "
            "always come first, so no text ever becomes that token."
        )
    if not why.chances:
        before = (
            "" if len(why.joined or b"") == 2 else " Nothing that met here before could be joined, either."
        )
        return f"There is no token {joined}, so {both} stay apart.{before}"
    chance = why.chances[-1]
    missed, winner = chance.missed, chance.winner
    order = "the same rank, further left" if winner.rank == missed.rank else f"rank {winner.rank:,}"
    reason = (
        f"{_say_parts(missed)} could have become {quote(missed.token_bytes)} (rank {missed.rank:,}), but "
        f"{_say_parts(winner)} became {quote(winner.token_bytes)} first ({order})."
    )
    return f"{reason} In the end, {both} meet here, and there is no token {joined}."


def _say_parts(join: Join) -> str:
    return " and ".join(quote(part.token_bytes) for part in join.parts)
