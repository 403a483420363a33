"""What a vocabulary learned along its ranks: the kinds, the stretches, and the chart that is clicked."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df

import tokenizers as tk
from pages.explore.vocabulary import eaten
from pages.explore.vocabulary.state import VocabularyState
from pages.session.own_encodings import OwnEncoding
from pages.session.workspace import Workspace
from tests.judge import judge
from tests.refusals import refused
from tests.visit import Visit, chart_titles
from tokenizers.data import get_language
from tokenizers.measure import learned_kinds, scaffolding, vocabulary_of
from tokenizers.split.bounded import LimitError

BARE = tk.HomeEncoding([], name="bare")


@pytest.mark.parametrize(
    ("token", "kind"),
    {
        "   \n": "white space",
        " 2024": "digits",
        "१९": "digits",
        "https": "web addresses",
        ".com": "web addresses",
        "://": "web addresses",
        "_name": "code and markup",
        " getName": "code and markup",
        "});": "code and markup",
        " Ünder": "Latin",
        "комп": "Cyrillic",
        " …": "other symbols",
        "—": "other symbols",
    }.items(),
)
def test_a_token_is_of_the_first_kind_that_fits(token: str, kind: str) -> None:
    trained = tk.train([token + token] * 50 + ["abcd абвг"] * 20, 600, pattern=None)
    vocabulary = vocabulary_of(trained)
    (learned,) = learned_kinds([vocabulary], 1)
    token_id = trained.token_id(token.encode())
    assert token_id is not None and token_id in learned.members(0, kind)


@pytest.mark.slow
def test_stretches_hold_every_learned_token_once_in_the_order_of_ranks() -> None:
    names = ["gpt2", "o200k_base", "grove-udhr-8k"]
    both = learned_kinds([vocabulary_of(tk.get_encoding(name)) for name in names], 12)
    for learned in both:
        assert learned.kinds == both[0].kinds and learned.first_rank == 256
        members = [
            token_id
            for stretch in range(len(learned.counts))
            for kind in learned.kinds
            for token_id in learned.members(stretch, kind)
        ]
        assert sorted(members) == learned.ids.tolist() and len(members) == learned.counts.sum()
        assert (learned.counts.sum(axis=1)[1:] >= learned.counts.sum(axis=1)[:-1]).all()  # each is longer
    ranks = judge("gpt2")._mergeable_ranks
    assert both[0].ids.tolist() == sorted(rank for data, rank in ranks.items() if len(data) > 1)


def test_scaffolding_is_what_merges_use_up() -> None:
    text = "the cat and the dog, the tree and the thing " * 3
    encoding = tk.get_encoding("gpt2")
    used = Counter(part for merge in tk.trace(encoding, text) for part in merge.parts)
    found = scaffolding(encoding, text)
    assert encoding.token_bytes(found[0].token_id) == b" t" and found[0].built == 17
    for each in found:
        assert each.left == encoding.encode(text).count(each.token_id)
        assert each.built == used[each.token_id] + each.left
        assert each.left <= 0.05 * each.built


@pytest.mark.slow
def test_a_pattern_that_takes_too_long_leaves_the_rest_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise LimitError("Too slow.")

    monkeypatch.setattr(eaten, "scaffolding", refuse)
    visit = Visit("explore/vocabulary/page.py", {"encoding": "gpt2"}, workspace=Workspace())
    assert visit.messages == "Too slow." and "has none: the text of every token" in visit.said


def test_what_has_no_merges_has_no_ranks() -> None:
    with refused("words does not merge bytes"):
        learned_kinds([vocabulary_of(tk.get_encoding("words"))])
    with refused("bare has learned no merges"):
        learned_kinds([vocabulary_of(BARE)])


def test_a_tokenizer_without_merges_leaves_the_rest_of_the_page() -> None:
    workspace = Workspace()
    workspace.own_encodings.add(OwnEncoding(BARE))
    visit = Visit("explore/vocabulary/page.py", {"encoding": "bare", "query": ""}, workspace=workspace)
    assert visit.messages == "bare has learned no merges, so it has no ranks to show."
    assert "bare has none: the text of every token" in visit.said


def drawn_parts(visit: Visit) -> pd.DataFrame:
    """The parts of the chart, by their cells."""
    chart = visit.test.get("vega_lite_chart")[-1]
    return convert_arrow_bytes_to_pandas_df(chart.proto.datasets[0].data.data).set_index("cell")


def clear_cells(visit: Visit) -> set[str]:
    """The parts of the chart that are not pale."""
    parts = drawn_parts(visit)
    return set(parts.index[parts["strong"]])


@pytest.mark.slow
def test_parts_lie_upon_each_other_and_their_scaffolding_is_lit() -> None:
    visit = Visit("explore/vocabulary/page.py", {"encoding": "gpt2"}, workspace=Workspace())
    visit.set(VocabularyState.beside.key, "r50k_base")  # the same vocabulary
    assert "merges build 847 tokens of GPT-2" in visit.said
    parts = drawn_parts(visit)
    above = parts[parts.index.str.startswith("0:")]
    below = parts[parts.index.str.startswith("1:")]
    assert above["scaffolding"].sum() == below["scaffolding"].sum() == 847
    assert (above[["bottom", "lit", "top"]].to_numpy() == -below[["bottom", "lit", "top"]].to_numpy()).all()
    for _, stretch in above.groupby("from rank"):
        assert stretch["bottom"].tolist() == [0, *stretch["top"][:-1]] and stretch["top"].iloc[-1] == 1
    heights = above["top"] - above["bottom"]
    assert heights.tolist() == pytest.approx(above["share"].tolist())
    lit_share = (above["lit"] - above["bottom"]) / heights
    assert lit_share.tolist() == pytest.approx((above["scaffolding"] / above["tokens"]).tolist())
    encoding = tk.get_encoding("gpt2")
    (learned,) = learned_kinds([vocabulary_of(encoding)])
    built = {each.token_id for each in scaffolding(encoding, get_language("eng").text)}
    assert len(built.intersection(learned.members(3, "Latin"))) == above["scaffolding"]["0:3:Latin"]


@pytest.mark.slow
def test_a_part_of_the_chart_shows_its_tokens() -> None:
    visit = Visit("explore/vocabulary/page.py", {"encoding": "gpt2"}, workspace=Workspace())
    assert "Click a part of the chart" in visit.said
    said = "“·t” is built 248 times, and remains 0 times. Later merges need them"
    assert said in visit.said and "Declaration of Human Rights in English, merges build" in visit.said
    visit.set(VocabularyState.beside.key, "cl100k_base")
    assert any(
        title.startswith("GPT-2: 94% is Latin outside code, 1.5% code") for title in chart_titles(visit.test)
    )
    visit.state(VocabularyState).open_stretch("1:0:white space")
    visit.run()
    assert "of GPT-4: white space**" in visit.said and "Ranks 256 to 296." in visit.said
    listed = next(each.value for each in visit.test.dataframe if list(each.value.columns) == ["id", "token"])
    assert listed["id"].tolist()[:2] == [256, 257] and set("".join(listed["token"])) <= set("·→⏎ ")
    assert clear_cells(visit) == {"1:0:white space"}
    visit.set(VocabularyState.beside.key, "gemma-4")
    assert (
        "gemma-4 does not merge bytes" in visit.messages.replace("\\", "")
        and "Click a part of the chart" in visit.said
    )
    assert {"0:0:Latin", "0:39:Latin"} <= clear_cells(visit)
    visit.set(VocabularyState.beside.key, "")
    assert "Click a part of the chart" in visit.said
    assert visit.workspace is not None
    visit.workspace.set_text("a cat " * 200)
    visit.run()
    assert "In the text of the playground, merges build" in visit.said
