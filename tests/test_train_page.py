"""The page Train: without a browser, and in one."""

from __future__ import annotations

import base64
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pages.grow.train.form import mixes
from pages.grow.train.result import recipe_rows
from pages.grow.train.state import PARAMETER, TrainState
from pages.session.own_encodings import OwnEncoding
from pages.session.train_methods import Method
from pages.session.train_plan import Recipe, bundled_bytes
from pages.session.train_run import Run
from pages.shared.markdown import escape
from tests.browser import expect, expect_text, go_to
from tests.trained import report_of
from tests.visit import TRAININGS, Visit, chart_titles
from tokenizers.bpe import HomeEncoding
from tokenizers.data.corpus import LIBRARY, hold_out, read_bundled

if TYPE_CHECKING:
    from playwright.sync_api import Page

SMALL = Recipe(parts=(("udhr:kor", 1.0),), vocab_size=300, held_out=0.0, name="han<b>*x*")


def link_to(recipe: Recipe) -> str:
    assert recipe.packed is not None
    return recipe.packed


# Without a browser


def open_train(recipe: Recipe | None = None) -> Visit:
    """The page, in a new session."""
    return Visit("grow/train/page.py", {} if recipe is None else {PARAMETER: link_to(recipe)})


def grow(page: Visit, button: str = "train_grow") -> None:
    """Press Train, or another button that starts a training, and wait for the end."""
    page.press(button)
    growing = page.test.session_state[TRAININGS].run
    assert growing is not None and growing.wait(60)
    page.run()


@pytest.mark.slow
@pytest.mark.parametrize("method", ["byte-pairs", "wordpiece"])
def test_special_tokens_in_the_text_are_named_and_can_be_left_out(method: Method) -> None:
    page, text = open_train(SMALL), "one two three <|end|>" * 50
    key = page.workspace.own_texts.add("mine", text)
    recipe = replace(SMALL, parts=((key, 1.0),), method=method, special_tokens=("<|end|>", "<|x|>"))
    page.state(TrainState).fill(recipe)
    page.run()
    (info,) = [each.value for each in page.test.info]
    assert escape("in the training text: <|end|> 50 times. They are learned as plain text") in info
    page.press("train_skip")
    assert not page.test.info and page.field("train_skip_specials").value
    grow(page)
    (trained,) = page.workspace.own_encodings.values()
    tokens = b" ".join(trained.encoding.ordinary)
    assert b"three" in tokens and b"end" not in tokens
    assert trained.recipe is not None
    assert ("Leave them out of the training text", "yes") in recipe_rows(trained, trained.recipe)


def test_the_first_screen_is_complete() -> None:
    damaged = "This link is damaged, so it could not restore anything. Ask for it again, and copy it whole."
    for link, said in (({}, ""), ({PARAMETER: "1nonsense"}, damaged)):
        page = Visit("grow/train/page.py", link)
        assert page.heading == "Train a tokenizer"
        assert page.field("train_texts").value == ["stories", "udhr:eng"]
        assert page.messages == said
        assert "  ·the  " in page.test.text[0].value  # the first tokens of these texts


@pytest.mark.slow
def test_a_recipe_in_the_address_fills_the_form_and_grows() -> None:
    page = open_train(SMALL)
    assert "This link holds a recipe" in page.test.success[0].value
    assert page.field("train_texts").value == ["udhr:kor"]
    assert page.field("train_vocab").value == 300
    assert "The page’s URL holds this recipe" in page.said
    grow(page)
    assert page.workspace.own_encodings[SMALL.name].encoding.token_bytes(280).hex() == "eb93"
    assert "learned 44 tokens" in page.said
    first, longest = page.test.text[0].value.splitlines()
    assert first.startswith("The first:    ⟨0x20 ec⟩  ⟨0xec 9d⟩  ⟨0x20 eb⟩")
    assert longest.startswith("The longest:  ⟨0x20 ea b6 8c eb a6⟩  ⟨0xaa a8 eb 93 a0⟩  ·자")
    assert not page.test.error
    grow(page)
    assert list(page.workspace.own_encodings) == [SMALL.name, f"{SMALL.name}-2"]
    page.press("train_remove")
    assert list(page.workspace.own_encodings) == [SMALL.name]


@pytest.mark.slow
def test_a_broken_pattern_is_one_sentence_and_nothing_starts() -> None:
    page = open_train(Recipe(parts=SMALL.parts, pattern="[a-z]+"))
    for pattern, problem in (("(a", "not a valid regular"), ("(a|aa)+$", "longer than")):
        page.field("train_regex").set_value(pattern)
        page.set("train_regex_text", "a" * 400 + "b")
        page.press("train_grow")
        assert len(page.test.error) == 1 and problem in page.messages
    assert page.test.session_state[TRAININGS].run is None
    page.set("train_regex", "a+")
    assert not page.test.error


@pytest.mark.parametrize(
    "pattern, warned, has_snippet",
    [
        (r"\p{L}+|\s+", "", True),
        ("[a&&b]", "tiktoken reads your split pattern differently: it splits ", False),
        (r"\w+", "Hugging Face’s tokenizers reads your split pattern", True),
    ],
)
def test_a_file_that_others_read_otherwise_is_told(pattern: str, warned: str, has_snippet: bool) -> None:
    page = open_train()
    page.workspace.own_encodings.add(
        OwnEncoding(HomeEncoding([(104, 105)], pattern, name="mine"), recipe=SMALL)
    )
    page.test.session_state["train_parts"] = "Download"
    page.run()
    snippets = [code for code in page.test.code if "import base64" in code.value]
    assert bool(snippets) == has_snippet
    warnings = " ".join(warning.value for warning in page.test.warning)
    assert escape(warned) in warnings and bool(warnings) == bool(warned)


@pytest.mark.usefixtures("checked_charts")
def test_held_out_results_stand_beside_those_of_others() -> None:
    page = open_train()
    encoding = HomeEncoding([(104, 111)], None, name="mine")
    page.workspace.own_encodings.add(OwnEncoding(encoding, recipe=SMALL, report=report_of()))
    page.test.session_state["train_parts"] = "On new text"
    page.run()
    assert any("mine" in title for title in chart_titles(page.test))
    assert "Held out\\: 300 bytes" in page.said


def test_learning_is_replayed_over_its_own_text_or_a_sentence_and_beside_a_rival() -> None:
    page = open_train()
    own = page.workspace.own_texts
    key = own.add("note.txt", "hoho")
    learned = replace(SMALL, parts=(("udhr:kor", 1.0), (key, 1.0)))
    digests = {key: own[key].digest}
    first = HomeEncoding([(104, 111), (256, 256)], None, name="first")
    second = HomeEncoding([(111, 104)], None, name="second")
    page.workspace.own_encodings.add(OwnEncoding(first, recipe=learned, own_digests=digests))
    page.workspace.own_encodings.add(OwnEncoding(second, recipe=SMALL))

    def look_at(name: str) -> None:
        page.test.session_state["train_encoding"] = name
        page.run()

    def told() -> tuple[str, str, list[str]]:
        data = page.sent
        text = base64.b64decode(data["bytes"]).decode()
        return text, data["note"], [stand["name"] for stand in data["stands"]]

    look_at("first")
    assert told() == ("hoho", "All 4 bytes of note.txt.", ["first"])
    page.set("train_sentence", "oh, ho")
    page.set("train_rival", "second")
    assert told() == ("oh, ho", "All 6 bytes of your sentence.", ["first", "second"])
    page.set("train_sentence", "")
    look_at("second")
    text, note, names = told()
    assert text in read_bundled("udhr:kor").texts[0] and note.startswith("The first 9,")
    assert names == ["second"], "nobody races against itself"


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_it_is_seen_beside_another_on_text_that_it_has_not_learned_from(share: float) -> None:
    page = open_train()
    before = page.workspace.text
    encoding = HomeEncoding([(104, 111)], None, name="first")
    page.workspace.own_encodings.add(OwnEncoding(encoding, recipe=replace(SMALL, held_out=share)))
    page.run()
    page.press("train_compare")
    _, held = hold_out(read_bundled("udhr:kor").texts, share)
    text = page.workspace.text
    assert text == before if not held else text in "".join(held)
    assert page.workspace.encodings[:2] == ["first", "o200k_base"]


def test_one_at_a_time() -> None:
    page = open_train(SMALL)
    running = Run(SMALL, {}, lambda trained: None)  # never started, so it is not over either
    page.test.session_state[TRAININGS].run = running
    page.run()
    assert f"**{escape(f'Training {SMALL.name}')}**" in [each.value for each in page.test.markdown]
    for key in ("train_grow", "train_compare_methods"):
        assert (
            page.test.button(key=key).disabled and "being trained already" in page.test.button(key=key).help
        )
    page.press("try_of_train")
    assert "being trained already" in page.messages
    assert page.test.session_state[TRAININGS].run is running


@pytest.mark.parametrize(
    "key, value, sentence",
    [
        ("train_vocab", 10**9, "Choose a vocabulary from 257 to 100,000 tokens: 1,000,000,000 is too many."),
        (
            "train_times_udhr:kor",
            -1.0,
            "A text can be read 0 to 100 times, not -1 times. Choose a number between.",
        ),
    ],
)
def test_a_number_out_of_bounds_is_said_at_once_and_when_grow_is_pressed(
    key: str, value: float, sentence: str
) -> None:
    page = open_train(SMALL)
    page.set(key, value)
    assert page.messages == escape(sentence)
    assert PARAMETER not in page.link
    page.press("train_grow")
    assert page.messages == escape(sentence)
    assert page.test.session_state[TRAININGS].run is None


@pytest.mark.parametrize("name", list(mixes()))
def test_every_mix_can_be_grown(name: str) -> None:
    parts, hint = mixes()[name]
    Recipe(parts).check({key: bundled_bytes(key) for key, _ in parts})
    page = open_train()
    page.set("train_mix", name)
    assert page.test.session_state["train_texts"] == [key for key, _ in parts]
    assert hint


# In a browser


@contextmanager
def trainings_paused() -> Iterator[None]:
    """The processes that train stand still, as long as the block lasts."""
    send_to_trainings(signal.SIGSTOP)
    try:
        yield
    finally:
        send_to_trainings(signal.SIGCONT)


def send_to_trainings(message: signal.Signals) -> None:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended meanwhile
            if b"pages.session.train_worker" in (process / "cmdline").read_bytes():
                os.kill(int(process.name), message)


@pytest.mark.skipif(not Path("/proc").exists(), reason="It finds the process that trains in /proc.")
def test_leaving_finds_it_still_there_and_stopping_keeps_the_prefix(page: Page) -> None:
    recipe = Recipe(parts=((LIBRARY, 1.0),), vocab_size=100_000, pattern=None, name="long")
    page.goto(f"/train?{PARAMETER}={link_to(recipe)}")
    expect_text(page, "This link holds a recipe")
    with page.expect_response(re.compile(r"/training/[\w-]{32}$")) as asked:
        page.locator(".st-key-train_grow button").click()
    assert not asked.value.json()["over"] and page.request.get(asked.value.url[:-1]).status == 404
    stop = page.get_by_role("button", name="Stop")
    merges = page.get_by_text(re.compile(r"of 99,744 merges"))
    expect(merges).to_be_visible()
    with trainings_paused():  # else it may end before a slow browser is back
        go_to(page, "Learn", "Words and sources")
        go_to(page, "Grow", "Train")
        expect(stop).to_be_visible()
        expect(page.get_by_role("spinbutton", name="Vocabulary")).to_have_value("100000")
        expect(merges).to_be_visible()
        stop.click()
        expect(page.get_by_text("Stopping")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Stopped by you after [\d,]+ of 99,744 merges"))).to_be_visible()
