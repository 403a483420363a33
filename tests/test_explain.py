"""Every explanation is true: the plain rule, the ranks and the split patterns are asked.

That of any place of any text: ``check_explained``, which test_trees.py calls.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

import tokenizers as tk
from tests.judge import byte_pairs
from tests.refusals import refused
from tokenizers.bpe.byte_pairs import BytePairEncoding
from tokenizers.bpe.explain import Explanation, explain_cut, explain_in
from tokenizers.encoding import AllowedSpecial
from tokenizers.text import spell_text
from tokenizers.utf8 import well_formed


def plain_merges(
    ranks: Mapping[bytes, int], data: bytes, walls: Collection[int] = ()
) -> Iterator[tuple[list[int], tuple[int, int, int, int]]]:
    """The rule at its plainest, slowly: the edges before each merge, and it as (id, start, middle, end)."""
    edges = list(range(len(data) + 1))
    while True:
        can = [
            (ranks[data[start:end]], start, middle, end)
            for start, middle, end in zip(edges, edges[1:], edges[2:], strict=False)
            if middle not in walls and data[start:end] in ranks
        ]
        if not can:
            return
        yield edges, min(can)
        edges.remove(min(can)[2])


def plain_chances(ranks: Mapping[bytes, int], piece: bytes, cut: int) -> list[tuple[bytes, bytes]]:
    """The chances at a cut, from running the plain rule: (missed, winner)."""
    misses: list[tuple[bytes, bytes]] = []
    for edges, (_, start, _, end) in plain_merges(ranks, piece):
        if cut in (start, end):
            at = edges.index(cut)
            missed = piece[edges[at - 1] : edges[at + 1]]
            if missed in ranks:
                misses.append((missed, piece[start:end]))
    return misses


def check_explained(enc: BytePairEncoding, text: str, allowed_special: AllowedSpecial = ()) -> None:
    """Every place of a text has a true reason. The texts: test_trees.py."""
    text = well_formed(text)
    spans = tk.encode_spans(enc, text, allowed_special=allowed_special)
    data, starts = spans.text_map.data, set(spans.starts.tolist()) - {0}
    for offset in range(len(data) + 1):
        why = explain_in(spans, offset)
        check_words(why)
        if offset in (0, len(data)):
            assert why.kind == "edge"
            continue
        beside = {spans.covering(offset - 1), spans.covering(offset)}
        is_special = any(spans.special[index] for index in beside)
        assert is_special == (why.kind in ("special", "inside_special"))
        assert (why.kind in NO_CUT) == (offset not in starts) == (len(beside) == 1)
        if why.join is not None:
            parts, rank = why.join
            assert enc.ordinary[b"".join(parts)] == rank + enc.merging.first_id
            assert (why.kind == "looked_up") == (len(parts) > 2)
        elif why.kind == "unsettled":
            assert not enc.confirms_pieces(text, spans.ids)
        elif why.kind != "wall" and not is_special:
            check_inside(enc, why, spans, offset)


NO_CUT = ("edge", "inside_special", "merged", "looked_up")


def check_inside(enc: BytePairEncoding, why: Explanation, spans: tk.Spans, offset: int) -> None:
    walls = [*spans.starts[spans.wall_starts].tolist(), spans.text_map.n_bytes]
    begin = max(wall for wall in walls if wall <= offset)
    end = min(wall for wall in walls if wall > offset)
    assert begin < offset
    found = [(b"".join(missed.parts), b"".join(winner.parts)) for missed, winner in why.chances]
    assert found == plain_chances(enc.ordinary, spans.text_map.data[begin:end], offset - begin)
    for missed, winner in why.chances:
        assert winner.rank <= missed.rank
        for join in (missed, winner):
            assert enc.ordinary[b"".join(join.parts)] == join.rank + enc.merging.first_id
            assert all(part in enc.ordinary for part in join.parts)
    if why.kind != "out_of_reach":
        assert why.kind == ("taken" if why.chances else "not_in_vocabulary")


def check_words(why: Explanation) -> None:
    assert why.sentence[-1] == "." and "\n" not in why.sentence
    assert "None" not in re.sub("“.*?”", "“”", why.sentence)  # but for a text that says so
    letters = re.sub("[\u2068\u2069]", "", why.sentence)  # but for the marks around right-to-left words
    assert len(letters) < 600 and all(c == " " or spell_text(c) == c for c in letters)
    if why.kind not in NO_CUT:
        assert not why.sentence.startswith("No cut: ")


def test_words() -> None:
    inside = explain_cut(byte_pairs("cl100k_base"), "स", 1)
    assert inside.sentence == "No cut: byte e0 and byte a4 became bytes e0 a4 here (rank 5,619)."


def test_places_that_are_not_there() -> None:
    for bad in (-1, 4):
        with refused(f"no place {bad} in this text: choose from 0 .* to 3"):
            explain_cut(byte_pairs("gpt2"), "abc", bad)
