"""The methods of the page Train: recipes and links, what they learn, measuring and comparing it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import tokenizers as tk
from pages.grow.train.comparison import comparison_table, verdict, what_is_equal
from pages.grow.train.progress import progress_of
from pages.grow.train.state import PARAMETER, TrainState
from pages.session import own_encodings as own_encodings_module
from pages.session.links import unpack_state
from pages.session.own_encodings import OwnEncoding
from pages.session.page_state import Link
from pages.session.train_methods import METHODS, Method
from pages.session.train_plan import Recipe, bundled_bytes
from pages.session.train_run import MethodsRun, Run
from pages.session.workspace import MAX_PANELS
from tests.refusals import refused
from tests.test_train_page import link_to
from tests.test_train_run import ENGLISH, PASTE, grow, grow_interrupted, pasted
from tests.visit import TRAININGS, Visit, chart_titles
from tokenizers.data.corpus import hold_out, read_bundled
from tokenizers.families import learn_characters, learn_fair, learn_pieces, learn_word_pieces, learn_words
from tokenizers.files import file_of, load
from tokenizers.json_types import JsonObject

SMALL = Recipe(parts=(("udhr:eng", 1.0),), vocab_size=500, held_out=0.2)
OF_ONE_TEXT = [method for method, facts in METHODS.items() if facts.least_texts == 1]

ODD = """
{"method": "byte-pairs", "pattern": "gpt2", "ties": "first", "special_tokens": ["<x>"], "skip_specials": true}
{"method": "fair", "pattern": "gpt2", "special_tokens": ["<x>"], "skip_specials": true}
{"method": "sp-bpe", "coverage": 0.99, "byte_fallback": false, "normalisation": "nfkc", "split_digits": false}
{"method": "sp-unigram", "coverage": 1.0, "special_tokens": ["<|a,b|>"], "normalisation": "nmt_nfkc"}
{"method": "wordpiece", "small_letters": false, "special_tokens": ["<x>"]}
{"method": "characters", "byte_fallback": false}
{"method": "words"}
""".strip().splitlines()
"""Settings of each method, as they are not at first."""

LOSSY: set[Method] = {"wordpiece", "words"}
"""Methods by which the declaration does not come back as it was."""


# Recipes and links


def odd_settings(written: str) -> dict[str, Any]:
    settings: dict[str, Any] = json.loads(written)
    if "special_tokens" in settings:
        settings["special_tokens"] = tuple(settings["special_tokens"])
    return settings


def test_each_method_has_settings_as_they_are_not_at_first() -> None:
    many = [odd_settings(written) for written in ODD]
    assert [settings.pop("method") for settings in many] == [*METHODS]
    for settings in many:
        assert not [name for name, value in settings.items() if value == getattr(SMALL, name)]


@pytest.mark.parametrize("written", ODD)
def test_a_recipe_goes_through_link_and_form_and_comes_back(written: str) -> None:
    recipe = replace(SMALL, parts=(*SMALL.parts, ("udhr:mya", 2.0)), **odd_settings(written))
    packed = link_to(recipe)
    assert Recipe.from_state(unpack_state(packed)) == (recipe, "")
    form = TrainState.from_link(Link({PARAMETER: packed}))
    assert form.recipe() == recipe and form.to_link() == {PARAMETER: packed}
    assert Recipe.from_record(json.loads(json.dumps(recipe.to_record()))) == recipe


def test_a_link_of_before_special_tokens_could_be_skipped() -> None:
    recipe = replace(SMALL, ties="first")
    record = recipe.to_record()
    del record["skip_specials"]
    assert Recipe.from_record(record) == recipe


def test_a_link_that_lacks_a_setting_is_damaged() -> None:
    record = replace(SMALL, method="sp-bpe").to_record()
    for setting in record.keys() - {"recipe", "texts"}:
        with refused("damaged"):
            Recipe.from_state({name: value for name, value in record.items() if name != setting})


def test_what_another_method_asks_for_stays_in_the_form_and_out_of_the_recipe() -> None:
    form = TrainState(
        method="words", pattern="gpt2", special_tokens="<|x|>", coverage=0.98, split_digits=False
    )
    assert form.recipe() == Recipe(method="words")
    assert form.recipe(every_setting=True).coverage == 0.98
    form.fill(replace(SMALL, method="characters"))
    assert form.pattern == "gpt2" and form.special_tokens == "<|x|>" and form.coverage == 0.98
    assert TrainState().recipe(every_setting=True) == Recipe()


# Learning


@pytest.mark.slow
@pytest.mark.parametrize("method", ["sp-bpe", "sp-unigram"])
def test_settings_reach_the_library(method: Any) -> None:
    (settings,) = (each for each in map(odd_settings, ODD) if each["method"] == method)
    _, (result,) = grow(replace(SMALL, **settings))
    kept, _ = hold_out([ENGLISH], 0.2)
    del settings["method"]
    is_same = file_of(result.encoding) == learn_pieces(kept, 500, method.removeprefix("sp-"), **settings)
    assert is_same  # pytest would take minutes to show the difference


@pytest.mark.slow
def test_a_size_that_is_too_large_gives_what_there_is() -> None:
    recipe = replace(SMALL, parts=((PASTE, 1.0),), method="sp-unigram", held_out=0.0)
    own = {PASTE: pasted("a rose is a rose")}
    _, (result,) = grow(replace(recipe, vocab_size=5000), own)
    n_vocab = result.encoding.n_vocab
    assert str(result.stopped).startswith(f"It stopped at {n_vocab:,} of 5,000 tokens:")
    assert result.encoding.name == f"my-unigram-{n_vocab}"


@pytest.mark.slow
def test_what_is_stopped_while_a_library_learns_leaves_nothing_and_says_so() -> None:
    recipe = Recipe(parts=(("library", 0.3),), method="sp-unigram", vocab_size=20_000)
    run, trained = grow_interrupted(lambda run: run.state == "learning", Run.cancel, recipe)
    assert not trained and not run.problem
    assert run.no_result.startswith("Stopped. Unigram has no tokenizer until it is done")


# Comparing


def compare(recipe: Recipe) -> MethodsRun:
    run = MethodsRun(recipe, {}, {key: bundled_bytes(key) for key, _ in recipe.parts})
    run.start()
    assert run.wait(120)
    return run


@pytest.mark.slow
def test_the_methods_are_compared_on_one_text_and_what_they_lose_is_told() -> None:
    run = compare(replace(SMALL, vocab_size=700))
    assert not run.problem and list(run.results) == OF_ONE_TEXT
    assert progress_of(run)["curve"] is None  # no method shows a part of its merges
    kept, held = hold_out([ENGLISH], 0.2)
    n_bytes = sum(len(text.encode()) for text in held)
    ours = tk.train(kept, 700, "gpt4o")
    learned: dict[Method, bytes] = {
        "sp-bpe": learn_pieces(kept, 700, "bpe"),
        "sp-unigram": learn_pieces(kept, 700, "unigram"),
        "wordpiece": learn_word_pieces(kept, 700),
        "characters": learn_characters(kept, 700),
        "words": learn_words(kept, 700),
    }
    for method, file in learned.items():
        result, directly = run.results[method], load(file, "direct")
        assert isinstance(result, OwnEncoding) and file_of(result.encoding) == file_of(directly)
        (source,) = result.report["sources"]
        assert source["held_tokens"] == sum(len(directly.encode(text)) for text in held)
        assert bool(source["lost_bytes"]) == (method in LOSSY)
    table = comparison_table(run.results)
    figures = table.set_index("method").to_dict("index")
    n_tokens = sum(len(ours.encode(text)) for text in held)
    figures_of_ours = figures["Byte-level BPE"]
    assert figures_of_ours["bytes per token"] == n_bytes / n_tokens
    assert {name for name, row in figures.items() if row["lost"]} == {METHODS[one].label for one in LOSSY}
    assert "nothing more to learn" in figures["Characters"]["note"] and "but loses" in verdict(table)
    assert "were asked for 700 tokens" in what_is_equal(run.recipe, run.trained)


@pytest.mark.slow
def test_a_method_that_cannot_learn_is_named_and_the_others_go_on() -> None:
    run = compare(replace(SMALL, parts=(("udhr:kor", 1.0),), vocab_size=300))
    problems = {method: result for method, result in run.results.items() if isinstance(result, str)}
    assert not run.problem and set(problems) == {"sp-bpe", "sp-unigram"}
    assert all("or more" in problem for problem in problems.values())
    assert len(run.trained) == len(OF_ONE_TEXT) - 2
    large = MethodsRun(SMALL, {}, {"udhr:eng": 30_000_000})
    assert [recipe.method for recipe in large.recipes] == [
        each for each in OF_ONE_TEXT if each != "sp-unigram"
    ]
    assert "up to 20 MB" in str(large.results["sp-unigram"])


@pytest.mark.slow
def test_a_comparison_that_is_stopped_keeps_the_figures_that_are_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Stopped(MethodsRun):
        def _handle(self, message: JsonObject) -> None:
            super()._handle(message)
            if len(self.results) == 2 and not self.is_cancelled:
                self.cancel()
                monkeypatch.setattr(self, "_handle", lambda message: None)  # what was on its way already

    run = Stopped(replace(SMALL, vocab_size=1000), {}, {"udhr:eng": 10_000})
    run.start()
    assert run.wait(60) and not run.problem
    assert run.no_result == f"Stopped after 2 of {len(OF_ONE_TEXT)} methods." and len(run.trained) == 2


@pytest.mark.slow
def test_fair_bpe_reads_each_language_as_often_as_its_weight_says() -> None:
    parts = (("udhr:eng", 1.0), ("udhr:kor", 2.0))
    _, (result,) = grow(Recipe(parts=parts, vocab_size=300, method="fair", held_out=0.0))
    (korean,) = read_bundled("udhr:kor").texts
    assert result.merges == learn_fair([[ENGLISH], [korean] * 2], 300).merges
    assert result.merges != learn_fair([[ENGLISH], [korean]], 300).merges


def test_fair_bpe_needs_walls() -> None:
    with refused("Fair BPE needs walls"):
        learn_fair([["a b"], ["c d"]], 300, None)


# The page


@pytest.mark.slow
def test_only_the_settings_of_the_method_are_drawn() -> None:
    visit = Visit("grow/train/page.py", {})
    every = {f"train_{setting}" for facts in METHODS.values() for setting in facts.settings}
    for method, facts in METHODS.items():
        visit.test.session_state["train_method"] = method
        visit.run()
        kinds = ("toggle", "selectbox", "number_input", "text_area", "segmented_control")
        drawn = {element.key for kind in kinds for element in visit.test.get(kind)}
        assert drawn & every == {f"train_{setting}" for setting in facts.settings}, method
        assert not visit.test.error


@pytest.mark.slow
@pytest.mark.usefixtures("checked_charts")
def test_the_page_grows_by_a_library_and_compares(monkeypatch: pytest.MonkeyPatch) -> None:
    link = {PARAMETER: link_to(replace(SMALL, method="words", vocab_size=400, name="w<b>*"))}
    visit = Visit("grow/train/page.py", link)
    test = visit.test
    for button in ("train_grow", "train_compare_methods"):
        visit.press(button)
        assert test.session_state[TRAININGS].run.wait(60)
        visit.run()
        workspace = test.session_state["workspace"]
        assert list(workspace.own_encodings) == ["w<b>*"]  # nothing of a comparison is kept unless asked
        assert any(metric.label == "lost" for metric in test.metric) and not test.error
    assert any("bytes per token, the most of" in title for title in chart_titles(test))
    with monkeypatch.context() as low:
        low.setattr(own_encodings_module, "MAX_OWN", 1)
        visit.press("train_grow")
        assert "a session takes no more" in test.error[0].value
    visit.press("train_keep_methods")
    names = [f"w<b>*-{METHODS[method].short or 'bpe'}" for method in OF_ONE_TEXT]
    assert list(workspace.own_encodings) == ["w<b>*", *names]
    assert workspace.encodings[: len(names)] == names[:MAX_PANELS]


def test_the_page_compares_on_what_is_held_out_alone() -> None:
    visit = Visit("grow/train/page.py", {PARAMETER: link_to(replace(SMALL, held_out=0.0))})
    visit.press("train_compare_methods")
    assert "Hold some out" in visit.test.error[0].value
