"""Explore · Merge trees, and what of it stands in the playground's inspector, in a real browser."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

import tokenizers as tk
from pages.explore.merge_trees.state import find_token
from pages.session.links import pack_state
from pages.session.workspace import WELCOME, Workspace
from tests.browser import PATIENCE, expect, save_file, settled
from tests.visit import Visit, components
from tokenizers.bpe.explain import explain_cut
from tokenizers.bpe.trees import trace
from tokenizers.registry import short_title
from tokenizers.text import CSV_ENCODING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

NAMES = ["gpt2", "cl100k_base", "grove-udhr-8k"]
STANDS = """() => [...document.querySelectorAll("*")]
  .map((e) => e.shadowRoot?.querySelector(".forest .stands")?.textContent)
  .find((text) => text !== undefined) ?? null"""


def stand(page: Page, name: str) -> Locator:
    return page.locator(f".forest .stand[data-encoding='{name}']")


def roots(page: Page, name: str) -> list[str]:
    """The labels of an encoding's trees at the top, as drawn."""
    return stand(page, name).locator(".node.root > .box > text.word").all_text_contents()


def open_trees(page: Page) -> None:
    page.goto("/merge_trees")
    expect(page.locator(".forest .node.root").first).to_be_visible()


def grow(page: Page, text: str) -> None:
    before = page.locator(".forest .stands").text_content()
    box = page.get_by_role("textbox", name="Your text")
    box.fill(text)
    box.press("Control+Enter")
    # Not by expect, which reads a whole forest out loud whenever it has to wait.
    page.wait_for_function(f"before => ![null, before].includes(({STANDS})())", arg=before, timeout=PATIENCE)
    settled(page)  # the forest comes before the tables: until then, a download is that of the text before


def tight_nodes(page: Page) -> list[str]:
    """What stands in a node and is too small to be read, or touches the node's edges."""
    tight: list[str] = page.locator(".forest .box").evaluate_all(
        """boxes => boxes.flatMap((box) => [...box.parentElement.querySelectorAll(
             ":scope > .box > text, :scope > .beside > text")].filter((text) =>
               parseFloat(getComputedStyle(text).fontSize) < 11
               || text.getBBox().width + 6 > box.querySelector("rect").getBBox().width)
             .map((text) => text.textContent))"""
    )
    return tight


def test_a_forest_grows_and_a_click_tells_a_tokens_life(page: Page) -> None:
    open_trees(page)
    text = "tokenization"
    for name in NAMES:
        enc = tk.get_encoding(name)
        assert roots(page, name) == [enc.token_bytes(token_id).decode() for token_id in enc.encode(text)]
        leaves = stand(page, name).locator(".node.leaf > .box > text.word").all_text_contents()
        assert leaves == list(text)
    assert tight_nodes(page) == []
    check_playback(page, text)
    check_life(page)


def check_playback(page: Page, text: str) -> None:
    """Merge by merge, forth and back: the count, and what is not merged yet."""
    slider, at = page.locator(".forest .slider"), page.locator(".forest .at")
    n_merges = {name: len(trace(tk.get_encoding(name), text)) for name in NAMES}
    last = max(n_merges.values())
    slider.focus()
    page.keyboard.press("Home")
    for step in (0, 1):
        expect(at).to_have_text(f"{step} of {last} merges")
        for name, total in n_merges.items():
            expect(stand(page, name).locator("strong")).to_have_text(str(len(text) - step))
            expect(stand(page, name).locator(".box.future")).to_have_count(total - step)
        page.keyboard.press("ArrowRight")
    page.locator("[data-go=first]").focus()
    page.keyboard.press("Enter")
    expect(slider).to_be_focused()  # the button is disabled now
    play = page.locator("[data-go=play]")
    play.click()
    expect(play).to_have_text("⏸ Pause")
    expect(at).to_have_text(re.compile(r"^[1-9] of"))
    play.click()
    expect(play).to_have_text("▶ Play")
    page.get_by_label("Speed").select_option("16 ×")
    play.click()
    expect(at).to_have_text(f"{last} of {last} merges")
    assert page.locator(".forest .future, .forest .fresh").count() == 0


def check_life(page: Page) -> None:
    """A hover lights a subtree and the same bytes; a click, a key or a search tells the life of a token."""
    ization = stand(page, "gpt2").locator(".node.root").nth(1).locator("> .box")
    ization.hover()
    assert stand(page, "gpt2").locator(".node.lit").count() == 2 * len("ization") - 1
    same = stand(page, "grove-udhr-8k").locator(".node.same > .box > text.word").all_text_contents()
    assert "".join(same) == "ization"
    expect(page.locator(".forest .tip")).to_contain_text("bytes 5–12: 69 7a 61 74 69 6f 6e")
    ization.click()
    life = page.locator(".life")
    box = page.get_by_role("textbox", name="A token id, or a text that is one token")
    token_id = tk.get_encoding("gpt2").token_id(b"ization")
    expect(life.locator(".who")).to_have_text(f"GPT-2 (gpt2) token {token_id}")
    expect(box).to_have_value(str(token_id))
    expect(page).to_have_url(re.compile(rf"token={token_id}"))
    assert life.locator("[data-list='Built from'] .chip b").all_text_contents() == ["iz", "ation"]
    assert life.locator(".grown .node.leaf > .box > text.word").all_text_contents() == list("ization")
    # By keyboard: a tree is one stop, and arrow keys move in it.
    stand(page, "gpt2").get_by_role("button", name="ization rank").focus()
    for key, label in (("ArrowDown", "iz rank"), ("ArrowRight", "ation rank"), ("ArrowUp", "ization rank")):
        page.keyboard.press(key)
        expect(page.locator(".forest .box:focus")).to_have_attribute("aria-label", re.compile(f"^{label}"))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(life.locator(".name")).to_have_text("token")
    same_bytes = life.locator("[data-list='The same bytes in other models'] .chip")
    same_bytes.filter(has_text=re.compile("^GPT-4[0-9]")).click()  # from life to life
    expect(life.locator(".who")).to_contain_text("(cl100k_base) token")
    for query, place, said in (
        ("*a* _b_", page.get_by_test_id("stAlert"), "has no single token for this text"),
        ("<|endoftext|>", life.locator(".grown"), "No tree: it is a special token."),
    ):
        box.fill(query)
        box.press("Enter")
        expect(place.filter(has_text=said)).to_be_visible()


def test_texts_of_all_kinds_are_drawn_and_saved(page: Page) -> None:
    """One visit: each kind takes the place of the one before."""
    open_trees(page)
    check_downloads(page)
    check_odd_texts(page)
    check_a_long_text(page)
    check_a_wide_tree(page)


def check_downloads(page: Page) -> None:
    """They are valid files."""
    text = "<b>안</b> & tokens"
    grow(page, text)
    gpt2 = tk.get_encoding("gpt2")
    expect(stand(page, "gpt2").locator(".node.root")).to_have_count(len(gpt2.encode(text)))
    for kind in ("SVG", "PNG"):
        saved = save_file(stand(page, "gpt2").get_by_role("button", name=kind))
        assert saved.suggested_filename == f"forest-gpt2.{kind.lower()}"
        path = saved.path()
        if kind == "PNG":
            assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n") and path.stat().st_size > 5_000
        else:
            svg = ElementTree.fromstring(path.read_text("utf-8"))
            drawn = {each.text for each in svg.iter("{http://www.w3.org/2000/svg}text")}
            assert {"</", "b", "·tokens"} <= drawn
    page.get_by_text("The merges as a table").click()
    expect(page.locator("[data-testid=stDataFrame] >> visible=true").first).to_be_visible()
    path = save_file(page.get_by_role("button", name="CSV", exact=True)).path()
    rows = list(csv.DictReader(io.StringIO(path.read_text(CSV_ENCODING))))
    ids = [int(row["id"]) for row in rows if row["encoding"] == short_title("gpt2")]
    assert ids == [merge.new_id for merge in trace(gpt2, text)]


def check_odd_texts(page: Page) -> None:
    """Texts like HTML, of wide characters, with a byte order mark, none, and a long one."""
    grow(page, "<img src=x onerror='window.hacked=1'><b>bold</b>")
    expect(stand(page, "gpt2").locator(".node.root").first).to_contain_text("<")
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".forest img, .forest b:not(.tip b)").count() == 0
    wide = "を受ける権利を有する"
    grow(page, wide)
    assert roots(page, "grove-udhr-8k") == [wide]
    assert tight_nodes(page) == []
    grow(page, "\ufeffab")
    leaves = stand(page, "cl100k_base").locator(".node.leaf > .box > text.word")
    assert leaves.all_text_contents() == ["ef", "bb", "bf", "a", "b"]
    box = page.get_by_role("textbox", name="Your text")
    for text, said in (
        ("", "Type a text above"),
        ("The same line, again and again. " * 80, "This text has 2,560 bytes. Its first 2,000 are drawn."),
    ):
        box.fill(text)
        box.press("Control+Enter")
        expect(page.get_by_text(said).first).to_be_visible()
        settled(page)
    assert 100 < len(stand(page, "gpt2").locator(".node.leaf").all()) <= 2_000


def test_a_number_with_a_leading_space_is_a_text() -> None:
    gpt2 = tk.get_encoding("gpt2")
    assert find_token(gpt2, "262") == 262
    assert find_token(gpt2, "262 ") == 262  # copied with what stood behind it
    assert find_token(gpt2, " 2") == gpt2.token_id(b" 2") != 2


def test_odd_links_to_a_biography_are_answered() -> None:
    page = Trees(Workspace(), text="", encoding="*nope*", token="262")
    assert "nope" in page.test.warning[0].value and "*nope*" not in page.test.warning[0].value
    assert [json.loads(each.json).get("id") for each in components(page.test)] == [262]


def check_a_long_text(page: Page) -> None:
    """Rows out of sight are not drawn, but saved."""
    grow(page, "Tokens aren't words, and numbers are not letters. " * 12)
    rows = stand(page, "gpt2").locator(".row")
    drawn = rows.locator("svg").evaluate_all(
        "all => all.map((svg) => svg.firstElementChild.checkVisibility({ contentVisibilityAuto: true }))"
    )
    assert drawn[0] and not drawn[-1]
    # A picture that is saved has the trees of all rows, one under the other.
    file = save_file(stand(page, "gpt2").get_by_role("button", name="SVG")).path()
    saved = ElementTree.fromstring(file.read_text("utf-8"))
    svg = "{http://www.w3.org/2000/svg}"
    assert len([g for g in saved.iter(svg + "g") if "root" in g.get("class", "").split()]) == len(
        roots(page, "gpt2")
    )
    heights = rows.locator("svg").evaluate_all("a => a.map((e) => e.viewBox.baseVal.height)")
    assert float(saved.get("height", 0)) == pytest.approx(sum(heights))


def check_a_wide_tree(page: Page) -> None:
    """One that is wider than its panel is drawn smaller, and can be zoomed."""
    grow(page, "x" + " " * 400)  # three times the longest token of spaces, whose tree is wider already
    one = stand(page, "cl100k_base")
    expect(one.locator(".wide")).to_be_visible()
    widest = one.locator(".node.root").nth(2)  # after x and the spaces before the last 128 that fit a token
    view, tree = one.locator(".view").bounding_box(), widest.bounding_box()
    assert view is not None and tree is not None and tree["width"] > 300
    assert view["x"] <= tree["x"] and tree["x"] + tree["width"] <= view["x"] + view["width"]
    widest.locator("> .box").click(force=True)
    expect(page.locator(".life .who")).to_contain_text("(cl100k_base) token")
    zoom = page.get_by_role("group", name="Zoom")
    expect(zoom).to_contain_text("100%")
    for _ in range(4):
        zoom.get_by_role("button", name="Zoom in").click()
    expect(zoom).to_contain_text("207%")
    zoomed = one.locator(".node.root").last.bounding_box()
    assert one.locator(".view").evaluate("view => view.scrollWidth > view.clientWidth") and zoomed is not None
    expect(one.locator(".node.pin")).to_have_count(1)  # what was chosen is still marked
    expect(stand(page, "gpt2").locator(".wide")).to_be_hidden()


# The playground's inspector


@pytest.fixture
def playground(page: Page) -> Page:
    """The playground with a pinned token between two others."""
    packed = pack_state({"text": "say tokenization, twice", "encodings": NAMES})
    page.goto(f"/?s={packed}")
    page.locator("[data-encoding=gpt2] .t", has_text="ization").click()
    expect(page.locator(".inspector")).to_contain_text("Why is it cut here?")
    return page


def test_the_inspector_shows_the_tree_and_why_and_leads_to_the_biography(playground: Page) -> None:
    inspector, text = playground.locator(".inspector"), "say tokenization, twice"
    expect(inspector.locator(".grown .node.root > .box > text.word")).to_have_text("ization")
    leaves = inspector.locator(".grown .node.leaf > .box > text.word").all_text_contents()
    assert leaves == list("ization")
    gpt2 = tk.get_encoding("gpt2")
    start, end = text.index("ization"), text.index(",")
    expect(inspector.locator(".why")).to_contain_text("After it. A new word, number or sign begins here.")
    for place in (start, end):
        expect(inspector.locator(".more")).to_contain_text(explain_cut(gpt2, text, place).sentence)
    # Its biography leads to the token's page, and the text goes along.
    playground.get_by_role("button", name="See its merge tree").click()
    token_id = tk.get_encoding("gpt2").token_id(b"ization")
    expect(playground.locator(".life .who")).to_have_text(f"GPT-2 (gpt2) token {token_id}")
    expect(playground.locator(".life .name")).to_be_in_viewport()
    box = playground.get_by_role("textbox", name="Your text")
    expect(box).to_have_value("say tokenization, twice")
    playground.go_back()
    expect(playground.locator("textarea.input")).to_have_value("say tokenization, twice")


# One text for all pages of Explore


class Trees(Visit):
    """The page, run as a browser would run it, in one session."""

    def __init__(self, workspace: Workspace, **link: str) -> None:
        self.workspace = workspace
        super().__init__("explore/merge_trees/page.py", link, workspace=workspace)

    @property
    def text(self) -> str:
        return str(self.test.text_area(key="merge_trees_text").value)


def test_one_text_goes_through_the_playground_and_the_trees() -> None:
    page = Trees(Workspace(encodings=["gpt2"]))
    assert page.text == "tokenization" and page.workspace.text == WELCOME  # each has its own example
    page.set("merge_trees_text", "typed here")
    assert page.workspace.text == "typed here"
    assert page.workspace.set_aside and page.workspace.set_aside.text == WELCOME
    page.workspace.set_text("typed there", by_typing=True)
    page.run()
    assert page.text == "typed there" == page.workspace.text
    assert Trees(Workspace(text="brought along")).text == "brought along"
    linked = Trees(Workspace(), text="from a link")
    assert linked.text == "from a link" == linked.workspace.text


def test_the_beginning_of_a_long_text_does_not_take_the_place_of_the_whole() -> None:
    long = "я" * 15_000
    page = Trees(Workspace(text=long, encodings=["gpt2"]))
    assert page.text == "я" * 10_000
    page.set("merge_trees_text", "another")
    assert page.text == "another" and page.workspace.text == long
