"""The ways to cut a text into the tokens of a byte pair encoding: all counted, the fewest, and by chance."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from pages.session.workspace import Workspace
from tests.examples import examples
from tests.refusals import refused
from tests.trained import few_letters
from tests.visit import Visit, components
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.measure import MAX_WAYS_BYTES, count_ways, drop_merges, fewest_tokens, open_end
from tokenizers.measure.ways import MAX_OPEN_BYTES

GROVE = tk.train("aaab aab abab baab é日 " * 9, 270, pattern="gpt2")


def every_way(encoding: Encoding, data: bytes) -> Iterator[list[int]]:
    """All of them, one by one."""
    if not data:
        yield []
    for end in range(1, len(data) + 1):
        if data[:end] in encoding.ordinary:
            for rest in every_way(encoding, data[end:]):
                yield [encoding.ordinary[data[:end]], *rest]


@given(text=few_letters.filter(lambda text: len(text.encode()) <= 11))
@examples(240)
def test_ways_are_those_that_can_be_listed(text: str) -> None:
    ways = list(every_way(GROVE, text.encode()))
    assert count_ways(GROVE, text) == dict(sorted(Counter(map(len, ways)).items()))
    fewest = fewest_tokens(GROVE, text)
    assert fewest in ways and len(fewest) == min(map(len, ways))


@given(text=few_letters, share=st.sampled_from([0.0, 0.3, 1.0]), seed=st.integers(1, 9))
@examples(240)
def test_merges_are_dropped_by_chance_but_the_same_chance(text: str, share: float, seed: int) -> None:
    ids = drop_merges(GROVE, text, share, seed)
    assert ids == drop_merges(GROVE, text, share, seed)
    assert GROVE.decode_bytes(ids) == text.encode()
    if share == 0:
        assert ids == GROVE.encode(text)
    if share == 1:
        assert ids == list(text.encode())


def test_a_merge_that_is_dropped_makes_way_for_others() -> None:
    gpt2 = tk.get_encoding("gpt2")
    drawn = {tuple(drop_merges(gpt2, "browsers", 0.5, seed)) for seed in range(200)}
    assert len(drawn) > 20
    made = {gpt2.decode([token_id]) for ids in drawn for token_id in ids}
    assert "brow" in made  # no merge of "browsers" by rank arrives there


def test_open_end_is_what_some_next_token_changes() -> None:
    for text in ("aab", "aab ", "ba", "é", "aaab aa", "ab" * (MAX_OPEN_BYTES // 2)):
        own = GROVE.encode(text)
        changes = {}
        for token, token_id in GROVE.ordinary.items():
            try:
                ids = GROVE.encode(text + token.decode())
            except UnicodeDecodeError:
                continue
            if ids[: len(own)] != own:
                same = (one == other for one, other in zip(own, ids, strict=False))
                changes[token_id] = len(list(itertools.takewhile(bool, same)))
        found = open_end(GROVE, text)
        assert found.changing == sorted(changes)
        assert found.n_settled == min(changes.values(), default=len(own))


@pytest.mark.parametrize("count", [count_ways, fewest_tokens])
def test_what_has_no_ways_is_refused(count: object) -> None:
    assert callable(count)
    with refused("does not merge bytes"):
        count(tk.get_encoding("words"), "a")
    with refused("up to 300 bytes, and this has 301"):
        count(GROVE, "a" * (MAX_WAYS_BYTES + 1))


# On the page


def open_tool(text: str, encodings: list[str]) -> Visit:
    visit = Visit("explore/playground/page.py", {}, workspace=Workspace(encodings=encodings))
    visit.set("playground_tool", "Ways")
    if visit.test.text_input:
        visit.set("playground_ways_text", text)
    return visit


def card_of(visit: Visit) -> JsonObject:
    """What is drawn of the ways."""
    (lines,) = (
        each.json for each in components(visit.test) if each.component_name == "token_grove.token_lines"
    )
    card: JsonObject = json.loads(lines)["lines"][0]
    return card


def rows_of(visit: Visit) -> dict[str, list[str]]:
    """The tokens of each row."""
    rows = card_of(visit)["rows"]
    return {row["name"]: [bytes.fromhex(each[1]).decode() for each in row["tokens"]] for row in rows}


@pytest.mark.slow
@pytest.mark.usefixtures("checked_charts")
def test_the_tool_shows_its_own_way_and_others() -> None:
    visit = open_tool("brow|sers", ["words", "gpt2"])
    assert "GPT-2 cuts “browsers” into 3 tokens. There are 92 other ways, of 2 to 8 tokens." in visit.said
    rows = rows_of(visit)
    assert rows["Its own way"] == ["b", "rows", "ers"]
    assert rows["A way with the fewest tokens"] == rows["Your way"] == ["brow", "sers"]
    visit.set("playground_ways_dropped", 1.0)
    assert rows_of(visit)["With merges left out"] == list("browsers")
    visit.set("playground_ways_text", "b|rowsers")
    card = card_of(visit)
    assert rows_of(visit)["Your way"] == ["b"] and card["rows"][-1]["says"] == "not all of it is tokens"
    assert card["notes"] == ["“rowsers” is no token: cut it once more."]
    visit.set("playground_ways_go_on", True)
    assert "Of 50,256 tokens, 680 would change" in visit.said
    visit.set("playground_ways_text", "x" * 61)
    assert "What may follow is tried for up to 60 bytes, and this has 61" in visit.messages
