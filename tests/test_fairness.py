"""Fair BPE: each merge comes from the language with the most tokens, and the page Train plays it."""

from __future__ import annotations

import base64
import json
from collections import Counter

import numpy as np
import pytest

from pages.grow.train.fairness import PLAIN, givers
from pages.session.own_encodings import OwnEncoding
from pages.session.own_texts import PLAYGROUND
from pages.session.train_plan import Recipe
from pages.session.workspace import Workspace
from tests.trained import report_of
from tests.visit import Visit, chart_titles, components
from tokenizers import train
from tokenizers.bpe import HomeEncoding, counts_by_size
from tokenizers.bpe.plain import merge_pair
from tokenizers.data import get_language, list_languages
from tokenizers.families import learn_fair
from tokenizers.json_types import JsonObject
from tokenizers.split import find_pattern, split

CODES = ("eng", "mya", "kor")
Parts = tuple[tuple[str, float], ...]
"""Of a recipe: each text's key, and how often it is read."""


def learned(texts: list[str], n_merges: int) -> HomeEncoding:
    return learn_fair([[text] for text in texts], 256 + n_merges, "gpt4o")


LONG = [get_language(code).text[:2_000] for code in CODES]
USED_UP = ["a b c d e " * 60, "extraordinarily complicated circumstances"]


@pytest.mark.parametrize("texts", [LONG, USED_UP], ids=["long", "used up"])
def test_givers_have_the_pair_of_each_merge(texts: list[str]) -> None:
    fair = learned(texts, 60)
    gave = givers([counts_by_size(fair, text) for text in texts], len(fair.merges))
    pattern = find_pattern("gpt4o")
    assert pattern is not None
    pieces = [[list(piece.encode()) for piece in split(text, pattern)] for text in texts]
    for step, pair in enumerate(fair.merges):
        sizes = [sum(map(len, each)) for each in pieces]
        pairs = [Counter(both for ids in each for both in zip(ids, ids[1:], strict=False)) for each in pieces]
        assert sizes[gave[step]] == max(size for size, each in zip(sizes, pairs, strict=True) if each)
        assert pairs[gave[step]][pair] == max(pairs[gave[step]].values())
        pieces = [[merge_pair(ids, pair, 256 + step) for ids in each] for each in pieces]
    assert len(set(gave.tolist())) > 1


def unpacked(text: str, kind: str = "<u4") -> list[int]:
    numbers: list[int] = np.frombuffer(base64.b64decode(text), kind).tolist()
    return numbers


def visit_to(parts: Parts, encoding: HomeEncoding, workspace: Workspace | None = None, **own: str) -> Visit:
    """The page Train of a person who trained this fair encoding on these texts."""
    workspace = workspace or Workspace()
    recipe = Recipe(parts=parts, vocab_size=encoding.n_vocab, method="fair", held_out=0.0)
    trained = OwnEncoding(encoding, [], 100, recipe, 1.0, report_of(), own_digests=own)
    workspace.own_encodings.add(trained)
    return Visit("grow/train/page.py", {}, workspace=workspace)


def race_of(visit: Visit) -> JsonObject:
    """What the component gets."""
    (race,) = [json.loads(each.json) for each in components(visit.test) if "fairness" in each.component_name]
    return dict(race)


@pytest.mark.slow
@pytest.mark.usefixtures("checked_charts")
def test_train_page_plays_who_was_worst_off_beside_plain_bpe_of_the_same_size() -> None:
    texts = [get_language(code).text for code in CODES]
    fair = learned(texts, 444)
    visit = visit_to(tuple((f"udhr:{code}", 1.0) for code in CODES), fair)
    race = race_of(visit)
    plain = train(texts, 700, "gpt4o")
    assert [each["name"] for each in race["languages"]] == ["English", "Burmese", "Korean"]
    for language, text in zip(race["languages"], texts, strict=True):
        assert unpacked(language["fair"]["counts"])[-1] == len(fair.encode(text))
        assert unpacked(language["plain"]["counts"])[-1] == len(plain.encode(text))
    assert len(unpacked(race["givers"], "u1")) == len(race["learned"]) == 444
    assert unpacked(race["givers"], "u1")[0] == CODES.index("mya"), "in bytes, Burmese is the longest"
    table = visit.test.dataframe[0].value.set_index("tokenizer")
    assert table.loc["fair (fair)", "tokens of all"] == sum(len(fair.encode(text)) for text in texts)
    spread = {PLAIN: 1.4156, "fair (fair)": 1.0026}
    assert table["most ÷ fewest"].to_dict() == pytest.approx(spread, abs=1e-4)
    before, after = chart_titles(visit.test)[-2:]
    assert before.startswith(f"In {PLAIN}, ") and after.startswith("In fair (fair), ")


def test_train_page_says_what_to_do_where_it_does_not_play() -> None:
    fair = learned(["abab", "cdcd"], 2)
    parts = ((PLAYGROUND, 1.0), ("udhr:eng", 1.0))
    visit = visit_to(parts, fair, playground="another digest")
    assert "Add them again, or train on others." in visit.messages
    empty = (("udhr:eng", 1.0), ("udhr:mya", 0.000001))
    visit = visit_to(empty, fair)
    assert "fewer than two of them are here" in visit.messages
    many = tuple((f"udhr:{language.code}", 1.0) for language in list_languages()[:41])
    visit = visit_to(many, fair)
    assert "Train on up to 40 texts of 600 KB together" in visit.messages


@pytest.mark.slow
def test_train_page_plays_texts_of_equal_names_and_a_tokenizer_that_is_called_plain() -> None:
    workspace = Workspace()
    key = workspace.own_texts.add("English", "a text of my own, a text of my own")
    merges = learn_fair([[get_language("eng").text], [workspace.own_texts[key].text]], 300).merges
    fair = HomeEncoding(merges, "gpt4o", name=PLAIN)
    digests = {key: workspace.own_texts[key].digest}
    visit = visit_to((("udhr:eng", 1.0), (key, 1.0)), fair, workspace, **digests)
    names = [each["name"] for each in race_of(visit)["languages"]]
    assert names == ["English", "English (yours)"]
    assert "only if the texts are translations of each other" in visit.messages
