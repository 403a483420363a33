"""Explore · Merge trees, and what of it stands in the playground's inspector, in a real browser."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

import tokenizers as tk
from pages.explore.merge_trees.state import find_token
from pages.session.links import pack_state
from pages.session.own_encodings import OwnEncoding
from pages.session.workspace import WELCOME, Workspace
from tests.browser import PATIENCE, expect, expect_editor, press, save_file, settled
from tests.refusals import refused
from tests.visit import PageVisit, components
from tokenizers.bpe import HomeEncoding
from tokenizers.bpe.explain import explain_cut

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ["gpt2", "cl100k_base", "grove-udhr-8k"]
STANDS = """() => [...document.querySelectorAll("*")]
  .map((e) => e.shadowRoot?.querySelector(".forest .stands")?.textContent)
  .find((text) => text !== undefined) ?? null"""


def stand(page: Page, name: str) -> Locator:
    return page.locator(f".forest .stand[data-encoding='{name}']")


def words(page: Page, name: str, kind: str = "root") -> list[str]:
    """The labels of an encoding's trees at the top, as drawn, or at the bottom: of each "leaf"."""
    return stand(page, name).locator(f".node.{kind} > .box > text.word").all_text_contents()


def grow(page: Page, text: str) -> None:
    before = page.locator(".forest .stands").text_content()
    box = page.get_by_role("textbox", name="Your text")
    box.fill(text)
    box.press("Control+Enter")
    # Not by expect, which reads a whole forest out loud whenever it has to wait.
    page.wait_for_function(f"before => ![null, before].includes(({STANDS})())", arg=before, timeout=PATIENCE)
    settled(page)  # the forest comes before the tables: until then, a download is that of the text before


def has_no_tight_node(page: Page) -> bool:
    """Whether what stands in a node is large enough to be read, and does not touch the node's edges."""
    fits: bool = page.locator(".forest .box").evaluate_all(
        """boxes => boxes.every((box) => [...box.parentElement.querySelectorAll(
             ":scope > .box > text, :scope > .beside > text")].every((text) =>
               parseFloat(getComputedStyle(text).fontSize) >= 11
               && text.getBBox().width + 6 <= box.querySelector("rect").getBBox().width))"""
    )
    return fits


def test_the_page_in_one_visit(page: Page) -> None:
    """Each kind of text takes the place of the one before."""
    page.goto("/merge_trees")
    expect(page.locator(".forest .node.root").first).to_be_visible()
    for name in ("gpt2", "cl100k_base"):
        assert words(page, name) == ["token", "ization"]
        assert words(page, name, "leaf") == list("tokenization")
    assert has_no_tight_node(page)
    check_playback(page)
    check_life(page)
    check_odd_texts(page)
    check_a_long_text(page)
    check_a_wide_tree(page)


def check_playback(page: Page) -> None:
    """Merge by merge, forth and back: the count, and what is not merged yet."""
    slider, at = page.locator(".forest .slider"), page.locator(".forest .at")
    gpt2 = stand(page, "gpt2")
    slider.focus()
    page.keyboard.press("Home")
    for step, count in ((0, "12"), (1, "11")):
        expect(at).to_have_text(re.compile(rf"^{step} of \d+ merges"))
        expect(gpt2.locator("strong")).to_have_text(count)
        expect(gpt2.locator(".box.future")).to_have_count(10 - step)
        page.keyboard.press("ArrowRight")
    page.locator("[data-go=first]").press("Enter")
    expect(slider).to_be_focused()  # the button is disabled now
    page.get_by_label("Speed").select_option("16 ×")
    page.locator("[data-go=play]").click()
    expect(at).to_have_text(re.compile(r"^(\d+) of \1 merges"))
    expect(page.locator(".forest :is(.future, .fresh)")).to_have_count(0)


def check_life(page: Page) -> None:
    """A hover lights a subtree and the same bytes; a click, a key or a search tells the life of a token."""
    gpt2 = stand(page, "gpt2")
    ization = gpt2.locator(".node.root").nth(1).locator("> .box")
    ization.hover()
    expect(gpt2.locator(".node.lit")).to_have_count(2 * len("ization") - 1)
    same = stand(page, "grove-udhr-8k").locator(".node.same > .box > text.word").all_text_contents()
    assert "".join(same) == "ization"
    expect(page.locator(".forest .tip")).to_contain_text("bytes 5–12: 69 7a 61 74 69 6f 6e")
    ization.click()
    life = page.locator(".life")
    box = page.get_by_role("textbox", name="A token id, or a text that is one token")
    expect(life.locator(".who")).to_have_text("GPT-2 (gpt2) token 1634")
    expect(page).to_have_url(re.compile("token=1634"))
    expect(life.locator("[data-list='Built from'] .chip b")).to_have_text(["iz", "ation"])
    # By keyboard: a tree is one stop, and arrow keys move in it.
    gpt2.get_by_role("button", name="ization rank").focus()
    for key, label in (("ArrowDown", "iz rank"), ("ArrowRight", "ation rank"), ("ArrowUp", "ization rank")):
        page.keyboard.press(key)
        expect(page.locator(".forest .box:focus")).to_have_attribute("aria-label", re.compile(f"^{label}"))
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(life.locator(".name")).to_have_text("token")
    box.fill("<|endoftext|>")
    box.press("Enter")
    expect(life.locator(".grown")).to_contain_text("No tree: it is a special token.")


def check_odd_texts(page: Page) -> None:
    """A text like HTML, and one with a byte order mark."""
    grow(page, "<img src=x onerror='window.hacked=1'><b>bold</b>")
    expect(stand(page, "gpt2").locator(".node.root").first).to_contain_text("<")
    assert page.evaluate("() => window.hacked") is None
    assert page.locator(".forest img, .forest b:not(.tip b)").count() == 0
    grow(page, "\ufeffab")
    assert words(page, "cl100k_base", "leaf") == "ef bb bf a b".split()


def test_a_link_to_a_biography_in_an_encoding_that_is_gone_shows_that_of_another() -> None:
    page = Trees(Workspace(), text="", encoding="*nope*", token="262")
    (biography,) = (json.loads(each.json) for each in components(page.test))
    assert biography["id"] == 262 and not biography["arrives"]  # the page stays at its top


def check_a_long_text(page: Page) -> None:
    """Rows out of sight are not drawn, but saved: one under the other."""
    grow(page, "Tokens aren't words, and numbers are not letters. " * 12)
    rows = stand(page, "gpt2").locator(".row svg")
    drawn = rows.evaluate_all(
        "all => all.map((svg) => svg.firstElementChild.checkVisibility({ contentVisibilityAuto: true }))"
    )
    assert drawn[0] and not drawn[-1]
    file = save_file(stand(page, "gpt2").get_by_role("button", name="SVG")).path()
    saved = ElementTree.fromstring(file.read_text("utf-8"))
    saved_roots = [g for g in saved.iter(f"{SVG}g") if "root" in g.get("class", "").split()]
    assert len(saved_roots) == len(words(page, "gpt2"))
    height = rows.evaluate_all("all => all.reduce((sum, e) => sum + e.viewBox.baseVal.height, 0)")
    assert height < float(saved.get("height", 0)) < height + 40  # its title is above the rows
    assert saved.findtext(f"{SVG}text") == "GPT-2 (gpt2)"


def check_a_wide_tree(page: Page) -> None:
    """One that is wider than its panel is drawn smaller, and can be zoomed."""
    grow(page, "x" + " " * 400)  # three times the longest token of spaces, whose tree is wider already
    one = stand(page, "cl100k_base")
    expect(one.locator(".wide")).to_be_visible()
    widest = one.locator(".node.root").nth(2)  # after x and the spaces before the last 128 that fit a token
    sticks_out = """(view) => [...view.querySelectorAll(".node.root")].some((tree) =>
      tree.getBoundingClientRect().right > view.getBoundingClientRect().right)"""
    assert not one.locator(".view").evaluate(sticks_out)
    widest.locator("> .box").click(force=True)
    expect(page.locator(".life .who")).to_contain_text("(cl100k_base) token")
    for _ in range(4):
        press(page, "Zoom in")
    assert one.locator(".view").evaluate("view => view.scrollWidth > view.clientWidth")
    expect(one.locator(".node.pin")).to_have_count(1)  # what was chosen is still marked


# The playground's inspector


def test_the_inspector_shows_the_tree_and_why_and_leads_to_the_biography(page: Page) -> None:
    text = "say tokenization, twice"
    page.goto(f"/?s={pack_state({'text': text, 'encodings': NAMES})}")
    page.locator("[data-encoding=gpt2] .t", has_text="ization").click()
    inspector = page.locator(".inspector")
    expect(inspector.locator(".grown .node.root > .box > text.word")).to_have_text("ization")
    expect(inspector.locator(".grown .node.leaf > .box > text.word")).to_have_text(list("ization"))
    expect(inspector.locator(".why")).to_contain_text("After it. A new sign begins here.")
    more = explain_cut(tk.get_encoding("gpt2"), text, text.index("ization")).sentence
    expect(inspector.locator(".more")).to_contain_text(more)
    # Its biography leads to the token's page, and the text goes along.
    press(page, "See its merge tree")
    expect(page.locator(".life .who")).to_have_text("GPT-2 (gpt2) token 1634")
    expect(page.locator(".life .name")).to_be_in_viewport()
    expect(page.get_by_role("textbox", name="Your text")).to_have_value(text)
    page.go_back()
    expect_editor(page, text)


# One text for all pages of Explore


class Trees(PageVisit):
    """The page, run as a browser would run it, in one session."""

    PAGE = "explore/merge_trees/page.py"

    @property
    def text(self) -> str:
        return str(self.field("merge_trees_text").value)


def test_one_text_goes_through_the_playground_and_the_trees() -> None:
    page = Trees(Workspace(encodings=["gpt2"]))
    assert page.text == "tokenization" and page.workspace.text == WELCOME  # each has its own example
    page.set("merge_trees_text", "typed here")
    assert page.workspace.text == "typed here"
    assert page.workspace.set_aside and page.workspace.set_aside.text == WELCOME
    page.set("merge_trees_text", "typed anew")
    assert page.workspace.set_aside and page.workspace.set_aside.text == "typed here"
    page.workspace.set_text("typed there", by_typing=True)
    page.run()
    assert page.text == "typed there" == page.workspace.text
    assert Trees(Workspace(text="brought along")).text == "brought along"
    linked = Trees(Workspace(), text="from a link")
    assert linked.text == "from a link" == linked.workspace.text


@pytest.mark.slow
def test_a_text_that_is_not_drawn_whole_says_so() -> None:
    page = Trees(Workspace(), text="A line. " * 320)
    assert "This text has 2,560 bytes. Its first 2,000 are drawn." in page.said


@pytest.mark.slow
def test_merge_trees_leave_the_rest_of_a_long_text_alone() -> None:
    long = "я" * 15_000
    page = Trees(Workspace(text=long, encodings=["gpt2"]))
    assert page.text == "я" * 10_000
    page.set("merge_trees_text", "another")
    assert page.text == "another" and page.workspace.text == long


def test_only_short_numbers_in_ascii_are_ids() -> None:
    encoding = tk.get_encoding("o200k_base")
    assert find_token(encoding, "٣") == 81473 and find_token(encoding, "3 ") == 3
    with refused("has no single token for this text", longest=400):
        find_token(encoding, "9" * 5_000)


def test_a_tree_that_is_too_high_says_so_and_is_not_drawn() -> None:
    workspace = Workspace()
    merges = [(120, 97), *((number, 97) for number in range(256, 556))]  # xa, xaa, …: 301, each on the last
    workspace.own_encodings.add(OwnEncoding(HomeEncoding(merges, name="tower")))
    page = Trees(workspace, text="x" + "a" * 301, encodings="tower,gpt2")
    drawn, _ = page.sent["stands"]
    assert drawn["problem"].startswith("The tree of this text is 301 merges high") and "roots" not in drawn
    # The other one alone has cuts to show.
    assert page.field("merge_trees_cuts_encoding").options == ["GPT-2 (gpt2)"]
    page.set("merge_trees_text", "x" + "a" * 300)
    drawn, _ = page.sent["stands"]
    assert len(drawn["roots"]) == 1 and "problem" not in drawn
