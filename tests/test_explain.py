"""Every explanation is true: the plain rule, the ranks and the split patterns are asked.

That of any place of any text: ``check_explained``, which test_trees.py calls.
"""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.judge import byte_pairs
from tests.texts import any_text
from tests.trained import from_ranks
from tokenizers.bpe.byte_pairs import BytePairEncoding
from tokenizers.bpe.explain import Explanation, cut_in_words, explain_cut, explain_in
from tokenizers.encoding import AllowedSpecial
from tokenizers.split.engines import compile_regex
from tokenizers.split.patterns import PATTERNS, find_alternative, known_pattern
from tokenizers.text import quote, spell_text
from tokenizers.utf8 import well_formed


def plain_chances(enc: BytePairEncoding, piece: bytes, cut: int) -> list[tuple[bytes, bytes, str]]:
    """The chances at a cut, from running the plain rule: (missed, winner, which side it took)."""
    ranks, edges = enc.ordinary, list(range(len(piece) + 1))
    misses: list[tuple[bytes, bytes, str]] = []
    while True:
        can = [
            (ranks[piece[start:end]], start, middle, end)
            for start, middle, end in zip(edges, edges[1:], edges[2:], strict=False)
            if piece[start:end] in ranks
        ]
        if not can:
            return misses
        _, start, middle, end = min(can)
        if cut in (start, end):
            at = edges.index(cut)
            missed = piece[edges[at - 1] : edges[at + 1]]
            if missed in ranks:
                misses.append((missed, piece[start:end], "left" if cut == end else "right"))
        edges.remove(middle)


def is_cut(why: Explanation) -> bool:
    return why.left is not None and why.right is not None and why.left != why.right


def check_explained(enc: BytePairEncoding, text: str, allowed_special: AllowedSpecial = ()) -> None:
    """Every place of a text has a true reason. The texts: test_trees.py."""
    text = well_formed(text)
    spans = tk.encode_spans(enc, text, allowed_special=allowed_special)
    data, starts, ranks = spans.text_map.data, set(spans.starts.tolist()) - {0}, enc.ordinary
    for offset in range(len(data) + 1):
        why = explain_in(spans, offset)
        check_words(why)
        assert is_cut(why) == (offset in starts)
        assert why.offset == offset
        for token in (why.left, why.right):
            if token is not None:
                assert data[token.start : token.end] == token.token_bytes
                assert spans.ids[spans.token_at(token.start)] == token.token_id
        if not is_cut(why):
            check_no_cut(enc, why, data)
            continue
        left, right = why.left, why.right
        assert left is not None and right is not None and left.end == right.start == offset
        assert (why.kind == "special") == (left.special or right.special)
        if why.kind == "special":
            continue
        if why.kind == "unsettled":
            assert not enc.confirms_pieces(text, spans.ids)
        elif why.kind == "wall":
            check_wall(enc, why, data, spans)
        else:
            check_inside(enc, why, spans)
            assert left.token_bytes + right.token_bytes == why.joined
            assert why.joined not in ranks


def check_no_cut(enc: BytePairEncoding, why: Explanation, data: bytes) -> None:
    if why.left is None or why.right is None:
        assert why.kind == ("begin" if why.offset == 0 else "end")
        assert why.offset in (0, len(data))
        return
    assert why.left.start < why.offset < why.left.end
    if why.kind == "inside_special":
        assert why.left.special
        return
    assert why.join is not None and not why.left.special
    assert why.offset in [part.start for part in why.join.parts[1:]] or why.kind == "looked_up"
    assert len(why.join.parts) == 2 or why.kind == "looked_up"
    assert enc.token_bytes(why.join.token_id) == why.join.token_bytes
    assert enc.ordinary[why.join.token_bytes] == why.join.rank + enc.merging.first_id
    for part in why.join.parts:
        assert data[part.start : part.end] == part.token_bytes == enc.token_bytes(part.token_id)
    node = next(
        n for n in tk.merge_tree(enc, why.left.token_id).iter_nodes() if n.token_id == why.join.token_id
    )
    assert tuple(child.token_id for child in node.children) == tuple(p.token_id for p in why.join.parts)


def plain_stretches(spans: tk.Spans) -> list[tuple[int, int]]:
    """The stretches between special tokens, as (start, end) in bytes."""
    edges = [0]
    for i in spans.special.nonzero()[0].tolist():
        edges += [int(spans.starts[i]), int(spans.ends[i])]
    edges.append(spans.text_map.n_bytes)
    return list(zip(edges[::2], edges[1::2], strict=True))


def check_wall(enc: BytePairEncoding, why: Explanation, data: bytes, spans: tk.Spans) -> None:
    one, other = why.left_piece, why.right_piece
    assert one is not None and other is not None
    assert (
        data[one.start : one.end].decode() == one.text
        and data[other.start : other.end].decode() == other.text
    )
    assert one.end == why.offset == other.start
    # The stretch between special tokens, split again, has just these pieces here.
    begin, end = next((b, e) for b, e in plain_stretches(spans) if b <= one.start and other.end <= e)
    pieces = enc.pieces(data[begin:end].decode())
    edges = [0, *itertools.accumulate(len(piece.encode()) for piece in pieces)]
    at = edges.index(why.offset - begin)
    assert pieces[at - 1 : at + 1] == [one.text, other.text]
    for piece in (one, other):
        assert enc.pattern is not None and (piece.meaning or known_pattern(enc.pattern) is None)
        seen, at = data[begin:end].decode(), len(data[begin : piece.start].decode())
        if piece.alternative is not None:
            match = compile_regex(piece.alternative).match(seen, at)
            assert match is not None and match.group() == piece.text
        elif piece.meaning:
            nothing = compile_regex(enc.pattern).match(seen, at)
            assert nothing is None or not nothing.group()


def check_inside(enc: BytePairEncoding, why: Explanation, spans: tk.Spans) -> None:
    walls = [*spans.starts[spans.wall_starts].tolist(), spans.text_map.n_bytes]
    begin, end = max(w for w in walls if w <= why.offset), min(w for w in walls if w > why.offset)
    assert begin < why.offset
    piece = spans.text_map.data[begin:end]
    assert [
        (chance.missed.token_bytes, chance.winner.token_bytes, chance.taken) for chance in why.chances
    ] == plain_chances(enc, piece, why.offset - begin)
    for chance in why.chances:
        missed, winner = chance.missed, chance.winner
        assert missed.parts[0].end == missed.parts[1].start == why.offset
        assert (
            winner.parts[-1].end == why.offset
            if chance.taken == "left"
            else winner.parts[0].start == why.offset
        )
        assert (winner.rank, winner.parts[0].start) < (missed.rank, missed.parts[0].start)
        for join in (missed, winner):
            assert enc.ordinary[join.token_bytes] == join.token_id == join.rank + enc.merging.first_id
            for part in join.parts:
                assert spans.text_map.data[part.start : part.end] == part.token_bytes
                assert enc.ordinary[part.token_bytes] == part.token_id
    if why.kind == "out_of_reach":
        assert why.joined_id is not None and enc.token_bytes(why.joined_id) == why.joined
    else:
        assert why.kind == ("taken" if why.chances else "not_in_vocabulary")


def check_words(why: Explanation) -> None:
    words = cut_in_words(why)
    assert words[-1] == "." and "\n" not in words
    assert "None" not in re.sub("“.*?”", "“”", words)  # but for a text that says so
    assert len(words) < 600 and all(c == " " or spell_text(c) == c for c in words)
    if is_cut(why) and why.kind != "special":
        assert "ut: " not in words[:8]


def kinds(enc: BytePairEncoding, text: str, allowed_special: AllowedSpecial = ()) -> list[str]:
    return [explain_cut(enc, text, i, allowed_special).kind for i in range(len(text.encode()) + 1)]


def test_each_kind() -> None:
    gpt2 = byte_pairs("gpt2")
    assert kinds(gpt2, "") == ["begin"]
    assert kinds(gpt2, "a b") == ["begin", "wall", "merged", "end"]
    assert kinds(gpt2, "<|endoftext|>a", "all")[11:] == ["inside_special"] * 2 + ["special", "end"]
    assert explain_cut(gpt2, "tokenization", 5).kind == "taken"
    assert explain_cut(gpt2, "xqxq", 1).kind == "not_in_vocabulary"
    uploaded = from_ranks([b"ab", b"abcd"], r"\w+|\s")
    assert kinds(uploaded, "abcd") == ["begin", "looked_up", "looked_up", "looked_up", "end"]
    assert explain_cut(byte_pairs("cl100k_base"), "\U000323b0:A", 4).kind == "unsettled"
    # No text becomes token 258, "abc" by a|bc: a|b comes first.
    grove = tk.HomeEncoding([(97, 98), (98, 99), (97, 257)])
    cut = explain_cut(grove, "abc", 2)
    assert (cut.kind, cut.joined_id) == ("out_of_reach", 258)
    assert "no text ever becomes that token" in cut_in_words(cut)


def test_a_text_that_is_rewritten_first_is_explained_as_it_is_cut() -> None:
    enc = byte_pairs("qwen")
    assert kinds(enc, "e\u0301") == ["begin", "merged", "merged", "end"]
    assert explain_cut(enc, "caf\u00e9 b", 5).kind == explain_cut(enc, "cafe\u0301 b", 6).kind == "wall"


def test_of_equals_the_leftmost_goes_first() -> None:
    cut = explain_cut(tk.HomeEncoding([(97, 97)]), "aaa", 2)
    assert cut.kind == "taken" and cut.chances[0].taken == "left"
    assert "first (the same rank, further left)" in cut_in_words(cut)


def test_words() -> None:
    enc = byte_pairs("cl100k_base")
    for text, offset, words in [
        ("", 0, "The text is empty."),
        ("a", 0, "The text begins here."),
        ("a", 1, "The text ends here."),
        ("don't", 3, "Here, “don” (letters"),
        ("don't", 3, "ends and “'t” (an English contraction such as 's or 'LL) begins."),
        ("1234", 3, "Here, “123” ends and “4” begins (both: up to three digits)."),
        ("स", 1, "No cut: byte e0 and byte a4 became bytes e0 a4 here (rank 5,619)."),
        ("a\n\nb", 1, "“⏎⏎” (white space up to its last line end) begins."),
    ]:
        assert words in cut_in_words(explain_cut(enc, text, offset))
    assert quote(b"\xff" * 100).count("ff") == 40
    assert quote(b"x" * 100) == "“" + "x" * 20 + "…" + "x" * 20 + "”"
    own = tk.HomeEncoding([], "[a-z]+")
    assert cut_in_words(explain_cut(own, "ab, c", 2)) == (
        "A text is first split into pieces, and no token spans two of them. Here, “ab” ends and “,·” begins."
    )


def test_a_pattern_does_not_look_back_over_a_special_token() -> None:
    own = tk.HomeEncoding([], r"(?<=>)a+|b+|a", special_tokens={"<|x|>": 256})
    why = explain_cut(own, "<|x|>aab", 6, allowed_special="all")
    assert why.left_piece is not None and why.left_piece.text == "a"


def test_places_that_are_not_there() -> None:
    for bad in (-1, 4):
        with pytest.raises(ValueError, match=f"no place {bad} in this text: choose from 0 .* to 3"):
            explain_cut(byte_pairs("gpt2"), "abc", bad)


@examples(150)
@given(any_text, st.sampled_from(list(PATTERNS.values())))
def test_the_alternative_that_matched(text: str, pattern: str) -> None:
    # A pattern is its alternatives in order, so the first that matches here matches what the pattern does.
    known = known_pattern(pattern)
    assert known is not None and pattern == "|".join(alternative.regex for alternative in known.alternatives)
    for match in compile_regex(pattern).finditer(text):
        alternative = find_alternative(text, match.start(), pattern)
        assert alternative is not None
        again = compile_regex(alternative.regex).match(text, match.start())
        assert again is not None and again.span() == match.span()
