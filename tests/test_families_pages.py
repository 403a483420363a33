"""Bytes, characters and words in every chooser, on every page, and what each page says of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import tokenizers as tk
from pages.session.links import pack_state
from pages.session.workspace import Pin, Workspace
from pages.shared.reply import mount_data
from tests.browser import counted, expect, flip_switch
from tests.texts import known_texts
from tests.visit import Visit, chart_titles, components
from tests.wire import packed
from tokenizers.registry import chooser_title
from tools.known_answers import FOLDER

if TYPE_CHECKING:
    from playwright.sync_api import Page

NAMES = ["bytes", "characters", "characters-unknown", "words", "rwkv-world", "mistral-v1", "j2"]
TEXT = "The law  of zyzzyvas, é!\n"


def reply(text: str = TEXT, **settings: Any) -> Any:
    workspace = Workspace()
    workspace.set_text(text)
    workspace.encodings = [*NAMES, "gpt2"]
    for key, value in settings.items():
        setattr(workspace, key, value)
    return packed(workspace)


def panel(answer: Any, name: str) -> dict[str, Any]:
    return next(panel for panel in answer.header["panels"] if panel["name"] == name)


def test_no_encoding_is_the_shortest_where_it_drops_a_part_of_the_text() -> None:
    panels = reply("½ of the zyzzyvas").header["panels"]
    assert [each["name"] for each in panels if each["losses"]] == ["words", "j2"]
    assert [each["name"] for each in panels if not each["best_of"]] == ["words"]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "mistral-v1"])
def test_the_inspector_says_what_does_not_apply(name: str) -> None:
    described = reply(pin=Pin(name, 0)).header["inspector"]
    assert described["tree"] is None and described["merges"] is described["splits"] is False
    assert described["rank"] is None and described["piece"] is None
    assert described["why"][0] == "The text begins here." and len(described["why"]) == 2


def test_the_inspector_shows_a_tree_of_what_a_token_stands_for() -> None:
    described = reply("the law", pin=Pin("mistral-v1", 0)).header["inspector"]
    assert described["stands_for"] == "“·the”" and bytes.fromhex(described["tree_bytes"]) == b" the"
    assert described["tree"]["end"] == 4 and described["merges"] and not described["splits"]
    assert reply("the law", pin=Pin("mistral-v1", 3)).header["inspector"]["stands_for"] is None


def visit(address: str, link: dict[str, str]) -> Any:
    """A page that has all of them in a chooser, leads from there to “Add a tokenizer”, and says no error."""
    test = Visit(f"{address}/page.py", link).test
    boxes = [*test.selectbox, *test.multiselect]
    assert any(set(map(chooser_title, NAMES)) <= set(box.options) for box in boxes), address
    assert [(each.proto.page, each.proto.label) for each in test.get("page_link")] == [
        ("bring", "Add a tokenizer…")
    ]
    assert not test.error
    return test


def test_the_playground_and_merge_trees_have_them() -> None:
    listed = [encoding["name"] for encoding in mount_data(Workspace())["available"]]
    assert set(NAMES) <= set(listed) == set(tk.list_encodings())
    visit("explore/merge_trees", {})


def test_the_lattice_of_a_unigram_stands_beside_the_trees() -> None:
    test = visit("explore/merge_trees", {"text": "hello ½ world"})
    test.multiselect[0].set_value(["mistral-v1", "j2"]).run()
    assert not test.exception and not test.error
    assert [heading.value for heading in test.subheader] == ["The lattice of Jurassic-2"]
    forest = json.loads(components(test)[0].json)
    stands = {stand["name"]: stand for stand in forest["stands"]}
    assert bytes.fromhex(stands["mistral-v1"]["bytes"]).decode() == " hello ½ world"
    assert len(stands["mistral-v1"]["roots"]) == len(tk.get_encoding("mistral-v1").encode("hello ½ world"))
    assert "there is no tree" in stands["j2"]["problem"] and stands["j2"]["is_family"]
    tables = [box.value for box in test.dataframe if "path" in box.value.columns]
    [best] = tables
    assert best["path"][0] == "·hello | · | 1 | ⁄ | 2 | ·world" and len(best) == 5
    scores = best["log-probability"].astype(float)
    assert scores.is_monotonic_decreasing
    test.text_area[0].set_value("\n").run()
    assert not test.exception


def test_a_cut_beside_a_token_over_nothing_names_that_token() -> None:
    test = visit("explore/merge_trees", {"text": "½ a"})
    test.multiselect[0].set_value(["j2"]).run()
    [cuts] = [box.value for box in test.table if "why here" in box.value.columns]
    assert cuts["cut"].iloc[0].startswith("· \\| ")  # j2's own space, which stands in front of all


def messages(test: Any) -> str:
    boxes = (*test.info, *test.warning, *test.error, *test.caption, *test.markdown)
    return "\n".join(str(box.value) for box in boxes)


@pytest.mark.parametrize("name", ["words", "characters-unknown"])
@pytest.mark.slow
def test_vocabulary_says_what_does_not_apply_and_calls_the_unknown_token_unknown(name: str) -> None:
    unknown_id = tk.get_encoding(name).unknown_id
    test = visit("explore/vocabulary", {"encoding": name, "by": "id", "query": str(unknown_id)})
    assert "merges nothing: its tokens have no parents" in messages(test).replace("\\", "")
    [row] = test.dataframe[0].value[["id", "token", "script"]].to_numpy().tolist()
    assert row == [unknown_id, "[UNK]", "unknown"]
    assert "merges nothing" not in messages(visit("explore/vocabulary", {"encoding": "gpt2"}))


@pytest.mark.slow
def test_compression() -> None:
    test = Visit("measure/compression/page.py", {"encoding": [*NAMES, "gpt2"]}).test
    assert not test.error
    [figures] = [box.value for box in test.dataframe if "fertility" in box.value.columns][-1:]
    assert set(figures["encoding"]) == {*NAMES, "gpt2"}
    words_there = messages(test).replace("\\", "")
    assert "characters-unknown and words lose what is not in the vocabulary" in words_there
    # j2 writes some characters in another way, but loses none of the text's length: it is compared.
    titles = [title for title in chart_titles(test) if "not compared" in title]
    assert titles and not any("j2" in title.split("not compared")[1] for title in titles)


@pytest.mark.slow
def test_vocabulary_size_has_nothing_to_drag_without_a_curve() -> None:
    test = visit("measure/vocabulary_size", {"encodings": "words,bytes"})
    assert not test.subheader and not components(test)
    assert [str(box.value).split(" has no merges")[0] for box in test.info] == ["words", "bytes"]
    test.multiselect(key="vocabulary_size_encodings").set_value(["words", "gpt2"]).run()
    assert not test.exception and len(test.subheader) == 2 and components(test)


@pytest.mark.slow
def test_a_text_that_is_too_long_for_one_encoding_is_measured_in_the_others() -> None:
    test = visit("measure/compression", {"text": "prose"})
    test.session_state["workspace"].own_texts.add("long", "low " * (600 << 10))
    test.run()
    test.multiselect(key="compression_encodings").set_value(["gpt2", "clip"])
    test.multiselect(key="compression_texts").set_value(["own-1"])
    test.run()
    assert not test.exception
    assert "clip takes texts of up to 2 MB here" in messages(test)


def open_playground(page: Page, text: str, encodings: list[str]) -> None:
    page.goto(f"/?s={pack_state({'text': text, 'encodings': encodings})}")


def test_one_text_in_eight_families_and_what_is_added_around_it(page: Page) -> None:
    """Counts are those of the publishers' libraries, which add BERT's [CLS] and [SEP], and Mistral's <s>."""
    title = "the one in the plan"
    text = known_texts()[title]
    expected = {"bytes": len(text.encode()), "characters": 27 + 2 * 4, "words": 11}
    for name in ("bert-uncased", "j2", "mistral-v1", "rwkv-world", "claude-2"):
        answers = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))["answers"]
        expected[name] = len(answers[title])
    open_playground(page, text, list(expected))
    for name, count in expected.items():
        expect(page.locator(f".panel[data-encoding={name}] strong")).to_have_text(str(count))
    flip_switch(page, "adds_frame")
    bert, mistral = (page.locator(f".panel[data-encoding={name}]") for name in ("bert-uncased", "mistral-v1"))
    expect(bert.locator(".frame .t")).to_have_text(["[CLS]", "[SEP]"])
    expect(bert.locator("strong")).to_have_text(str(expected["bert-uncased"] + 2))
    expect(mistral.locator(".frame .t")).to_have_text(["<s>"])
    expect(page.locator(".frame")).to_have_count(3)  # the other families add nothing
    page.locator("[data-set=view][value=ids]").click()
    expect(bert.locator(".frame .t")).to_have_text(["101", "102"])
    bert.get_by_label("Copy ids").click()
    ids = json.loads(page.evaluate("navigator.clipboard.readText()"))
    assert ids == [101, *tk.get_encoding("bert-uncased").encode(text), 102]


def test_the_playground_draws_gaps_and_says_what_is_lost(page: Page) -> None:
    open_playground(page, TEXT, ["words", "gpt2"])
    words = page.locator(".panel[data-encoding=words]")
    words.locator(".t").first.wait_for()
    counted(page)
    assert words.locator(".t").count() == 7 and words.locator(".t.unknown").count() == 2
    assert words.locator(".gap").count() == 5
    assert "2 unknown · not restored: 5 places" in words.locator(".difference").inner_text()
    assert "“zyzzyvas” becomes “[UNK]”" in (words.locator(".difference").get_attribute("title") or "")
    assert page.locator(".panel[data-encoding=gpt2] .difference").inner_text() == "fewest, nothing lost"
    # The keyboard goes from token to token, over what belongs to none.
    words.locator(".tokens").focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".spoken")).to_contain_text("Token 2 of 7: “law”")
    page.keyboard.press("Enter")
    page.get_by_text("This encoding cuts a text into words and merges nothing").wait_for(state="attached")
    page.locator(".gap").nth(1).click()
    assert page.get_by_text("A token of").is_visible()  # a gap is nothing to be pinned


def test_the_playground_draws_what_is_put_in_front_and_what_is_rewritten(page: Page) -> None:
    open_playground(page, "½ a", ["j2", "mistral-v1"])
    panel = page.locator(".panel[data-encoding=j2]")
    front, lanes = panel.locator(".t.front"), panel.locator(".lane")
    front.wait_for()
    # A token over nothing can be seen and pointed at, and is no part of the text.
    box = front.bounding_box()
    assert box and box["width"] >= 8 and box["height"] >= 16
    assert panel.locator(".tokens").text_content() == "½ a"
    assert lanes.count() == 3 and panel.locator(".t").count() == 2
    tip = page.locator(".tip")
    front.hover()
    expect(tip).to_contain_text("“·”, id 1264, which is put there: it covers nothing of the text")
    lanes.nth(1).hover()
    expect(tip).to_contain_text("“⁄”, id 180422, which is here with others, for what was rewritten")
    # Each of the three pins the first one; the tree of mistral's token has the space that was put in front.
    lanes.nth(2).click()
    inspector = page.locator(".inspector")
    expect(inspector).to_contain_text("The model reads it as")
    expect(inspector).to_contain_text("No piece of j2 reaches over this place")
    # The bytes are those of the tokens, whatever stands under them.
    page.locator("[data-set=view][value=bytes]").click()
    expect(panel.locator(".t")).to_have_text(["20", "31", "e2 81 84", "32", "20 61"])
