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
from ..text.spelling import name_token, quote, spell_change
from ..text.text_map import TextMap
from ..utf8 import utf8_length
from .trees import TreeStep, merging_of, parts_of, steps_of


class Join(NamedTuple):
    """Tokens side by side that a merge joins, or could have joined, and the rank of what they make."""

    parts: tuple[bytes, ...]
    rank: int

    @property
    def joined(self) -> bytes:
        """The token that they make."""
        return b"".join(self.parts)

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
    special = [index for index in beside if enc.is_special(spans.id_at(index))]
    if special:
        where = "Special tokens are on both sides"
        if len(special) == 1:
            where = f"{quote(spans.bytes_of(special[0]))} is a special token"
        return Explanation("special", f"{where}, and nothing merges with a special token.")
    try:
        walls = spans.wall_edges
    except ValueError:
        unsettled = (
            "Two tokens meet here. It is not known whether two pieces of the text meet here, too: it has "
            "characters that are too new for one of the two regular expression engines."
        )
        return Explanation("unsettled", unsettled)
    number = bisect.bisect_left(walls, byte_offset)
    if walls[number] != byte_offset:
        return _explain_meeting(spans, left)
    before = int(walls[number - 1])
    after = int(walls[number + 1])
    return Explanation("wall", _say_wall(spans, before, byte_offset, after))


def _explain_no_cut(spans: Spans, index: int, byte_offset: int) -> Explanation:
    """Why a token has no cut at a place within it."""
    token_id = spans.id_at(index)
    token = quote(spans.bytes_of(index))
    if spans.encoding.is_special(token_id):
        return Explanation("inside_special", f"No cut: {token} is a special token, which is taken whole.")
    join = _join_at(spans.encoding, token_id, byte_offset - int(spans.starts[index]))
    if len(join.parts) == 2:
        merged = f"No cut: {join} became {quote(join.joined)} here (rank {join.rank:,})."
        return Explanation("merged", merged, join)
    looked_up = (
        f"No cut: the whole piece {token} is a token, and is taken without any merge. Merges alone would "
        f"stop at {', '.join(map(quote, join.parts))}."
    )
    return Explanation("looked_up", looked_up, join)


def _explain_meeting(spans: Spans, left: int) -> Explanation:
    """Why two tokens of one piece were not joined."""
    enc = spans.encoding
    tokens = (spans.bytes_of(left), spans.bytes_of(left + 1))
    both = " and ".join(map(quote, tokens))
    joined = b"".join(tokens)
    left_id, right_id = spans.ids[left : left + 2].tolist()
    chances = _find_chances(enc, left_id, right_id)
    out_of_reach = _id_out_of_reach(enc, joined)
    if out_of_reach is not None:
        never = (
            f"{both} have the bytes of token {out_of_reach}, but no merge joins these two. Other merges "
            "always come first, so no text ever becomes that token."
        )
        return Explanation("out_of_reach", never, chances=chances)
    if not chances:
        before = " Nothing that met here before could be joined, either." if len(joined) > 2 else ""
        apart = f"There is no {name_token(joined)}, so {both} stay apart.{before}"
        return Explanation("not_in_vocabulary", apart)
    missed, winner = chances[-1]
    order = "the same rank, further left" if winner.rank == missed.rank else f"rank {winner.rank:,}"
    taken = (
        f"{missed} could have become {quote(missed.joined)} (rank {missed.rank:,}), but {winner} "
        f"became {quote(winner.joined)} first ({order}). In the end, {both} meet here, and there is "
        f"no {name_token(joined)}."
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
    >>> print(explain_seen(encode_spans(get_encoding("claude-2"), "½a½"), 2, "NFKC"))
    “½” becomes “1⟨U+2044⟩2” first, by NFKC. A text is first split into pieces, ... Here, “2” (digits, ...
    """
    spans.check_place(byte_offset)
    if spans.seen is spans:
        return explain_in(spans, byte_offset).sentence
    is_inside = 0 < byte_offset < spans.text_map.n_bytes
    if is_inside and None in (spans.covering(byte_offset - 1), spans.covering(byte_offset)):
        return "Here is white space. It ends a word, and belongs to no token."
    is_edge = _is_edge(spans, byte_offset)
    sentences = []
    for loss in spans.changes:
        if loss.start > byte_offset:
            break
        was = spans.text_map.data[loss.start : loss.end].decode()
        adds_only_spaces = "".join(was.split()) == "".join(loss.became.split())
        if loss.end < byte_offset or adds_only_spaces:
            continue  # elsewhere, or the end of a word, which is not typed
        before, after = spell_change(shorten(was.strip(), 20), shorten(loss.became.strip(), 20))
        sentence = f"{quote(before)} becomes {quote(after)} first, by {by}."
        if loss.start < byte_offset < loss.end and not is_edge:
            return f"No place of its own: {sentence}"
        sentences.append(sentence)
    explained = explain_in(spans.seen, _place_seen(spans, byte_offset))
    return " ".join([*sentences, explained.sentence])


def _is_edge(spans: Spans, byte_offset: int) -> bool:
    """Whether a token begins or ends at a place."""
    return byte_offset in spans.starts or byte_offset in spans.ends


def _place_seen(spans: Spans, byte_offset: int) -> int:
    """Where a place of a text is in the text that its encoding cuts."""
    seen = spans.seen
    if seen is spans:
        return byte_offset
    if _is_edge(spans, byte_offset):
        n_ended = bisect.bisect_right(spans.ends, byte_offset)
        return int(seen.ends[n_ended - 1]) if n_ended else 0
    place = byte_offset
    for loss in spans.changes:
        if loss.start < byte_offset:
            n_before = min(loss.end, byte_offset) - loss.start
            n_became = utf8_length(loss.became)
            if byte_offset < loss.end:
                n_became = min(n_before, max(n_became - 1, 0))
            place += n_became - n_before
    return place


def _say_wall(spans: Spans, before: int, wall: int, after: int) -> str:
    """A wall of the split pattern: the pieces on both sides, and the alternatives that matched them."""
    left, meaning_left = _piece_in_words(spans, before, wall)
    right, meaning_right = _piece_in_words(spans, wall, after)
    if meaning_left and meaning_left == meaning_right:
        meet = f"{left} ends and {right} begins (both: {meaning_left})"
    else:
        if meaning_left:
            left += f" ({meaning_left})"
        if meaning_right:
            right += f" ({meaning_right})"
        meet = f"{left} ends and {right} begins"
    return f"A text is first split into pieces, and no token spans two of them. Here, {meet}."


def _piece_in_words(spans: Spans, start: int, end: int) -> tuple[str, str]:
    """A piece, and what the alternative of the split pattern that matched it stands for; empty: not known."""
    splitting = spans.encoding.splitting
    stretch, place = spans.stretch_of(start, end)
    alternative = find_alternative(stretch, place, splitting.exact_pattern if splitting else None)
    return quote(spans.text_map.data[start:end]), alternative.meaning if alternative else ""


def _join_at(enc: Encoding, token_id: int, place: int) -> Join:
    """What was joined at a place inside a token, by a merge or by look-up."""
    start = 0
    while True:  # down the tree, to where two parts meet at this place
        ids = parts_of(enc, token_id)
        middle = start + len(enc.token_bytes(ids[0]))
        if len(ids) > 2 or middle == place:
            return Join(tuple(map(enc.token_bytes, ids)), token_id - merging_of(enc).first_id)
        if middle < place:
            token_id = ids[1]
            start = middle
        else:
            token_id = ids[0]


def _find_chances(enc: Encoding, left_id: int, right_id: int) -> tuple[Chance, ...]:
    """Go through what was at the cut between two tokens of a piece, from two bytes to the two tokens."""
    merging = merging_of(enc)
    left = enc.token_bytes(left_id)
    right = enc.token_bytes(right_id)
    reaching = []  # the merges of both tokens that reach the cut: their order, the side, what they join
    for step in steps_of(enc, left_id):
        if step.edges[-1] == len(left):
            reaching.append((step.order, 0, _join_of(enc, step)))
    for step in steps_of(enc, right_id):
        if step.edges[0] == 0:
            last_id, begin = step.order
            reaching.append(((last_id, begin + len(left)), 1, _join_of(enc, step)))
    reaching.sort(key=operator.itemgetter(0))
    beside = [left[-1:], right[:1]]  # the tokens on both sides of the cut
    chances = []
    for _, side, winner in reaching:
        rank = merging.ranks.get(b"".join(beside))
        if rank is not None:
            missed = Join(tuple(beside), rank - merging.first_id)
            chances.append(Chance(missed, winner))
        beside[side] = winner.joined
    return tuple(chances)


def _join_of(enc: Encoding, step: TreeStep) -> Join:
    return Join(tuple(map(enc.token_bytes, step.parts)), step.rank)


def _id_out_of_reach(enc: Encoding, data: bytes) -> int | None:
    """The token that has these bytes although no text ever becomes it, if there is one."""
    merging = merging_of(enc)
    if merging.pairs is None:
        return None
    n_tokens = 256 + len(merging.pairs)
    if len(merging.ranks) == n_tokens:
        return None
    return next((i for i in range(256, n_tokens) if enc.token_bytes(i) == data), None)
