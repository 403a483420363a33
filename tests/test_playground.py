"""The playground, in a real browser: what people see and touch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tokenizers as tk
from pages.session.links import pack_state
from pages.session.workspace import WELCOME
from tests.browser import (
    PHONE,
    PROJECTOR,
    WINDOW,
    add_model,
    counted,
    expect,
    expect_editor,
    expect_offered,
    expect_panels,
    expect_text,
    flip_switch,
    idle,
    leave,
    press,
    visitor,
    watched,
)
from tests.examples import some
from tests.texts import NASTY
from tokenizers.json_types import JsonObject
from tokenizers.utf8 import well_formed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

SAMPLES = Path(__file__).parent.parent / "assets/samples/samples.json"
NAMES = ["o200k_base", "cl100k_base", "gpt2", "grove-udhr-8k"]
LONG = "All human beings are born free and equal. 모든 인간은 태어날 때부터 자유로우며 👩‍🚀.\n"

# Helpers


def open_with(page: Page, text: str, **settings: Any) -> None:
    """Open the playground through a link, and wait until it shows the text."""
    page.goto(f"/?s={pack_state({'text': text, **settings})}")
    wait_for_text(page, text)


def wait_for_text(page: Page, text: str) -> None:
    """Wait until the playground has counted a text: as many bytes, in every panel."""
    n_bytes = len(well_formed(text).encode())
    expect(page.locator(".counts")).to_have_text(re.compile(rf"^{n_bytes:,} bytes? "))
    counted(page)


def code_units(text: str) -> list[int]:
    raw = text.encode("utf-16-le", "surrogatepass")
    return [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]


ROOT = """window.root = () => [...document.querySelectorAll("*")]
  .map((e) => e.shadowRoot).find((r) => r?.querySelector("textarea.input"))"""

CHOICES = """JSON.stringify([".panel", "[aria-checked]"].map(
  (selector) => [...root().querySelectorAll(selector)].map(
    (e) => e.dataset.encoding ?? e.getAttribute("aria-checked"))))"""


@pytest.fixture(autouse=True, scope="module")
def helpers(context: BrowserContext) -> None:
    """root() in the page: the component's shadow root."""
    context.add_init_script(ROOT)


@pytest.fixture(scope="module")
def open_board(browser: Browser, server: str) -> Iterator[Page]:
    """A page of its own, for ``board``."""
    with visitor(browser, server) as context:
        context.add_init_script(ROOT)
        yield context.new_page()


@pytest.fixture
def board(open_board: Page) -> Iterator[Page]:
    """The playground with the panels ``NAMES``, in one visit for all tests that only ``put`` a text into it.

    It is opened anew if a test before left other panels, another view or other switches.
    """
    with watched(open_board.context):
        open_board.set_viewport_size(WINDOW)
        open_board.mouse.move(0, 0)
        if not open_board.evaluate(f"() => window.choices !== undefined && {CHOICES} === window.choices"):
            open_for_all(open_board, "x")
        open_board.keyboard.press("Escape")  # nothing is pinned
        yield open_board


def open_for_all(board: Page, text: str) -> None:
    open_with(board, text, encodings=NAMES)
    board.evaluate(f"() => {{ window.choices = {CHOICES}; }}")


def put(board: Page, text: str) -> None:
    """Replace the board's text as typing does, and wait until its tokens are shown."""
    if "\r" in text:
        return open_for_all(board, text)  # no field of a page can be given a carriage return
    for value in ("", text):  # by way of no text: else one of as many bytes would be taken for it
        board.locator("textarea.input").evaluate(
            "(e, units) => { e.value = String.fromCharCode(...units); e.dispatchEvent(new Event('input')); }",
            code_units(value),
        )
        wait_for_text(board, value)


def lines_of(board: Page, text: str) -> JsonObject:
    """Of each panel, how it draws a text: its lines, and tokens that no mouse could find."""
    put(board, text)
    board.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    panels: JsonObject = board.evaluate(
        """() => Object.fromEntries([...root().querySelectorAll(".panel")].map((panel) => {
             const box = panel.querySelector(".tokens"), base = box.getBoundingClientRect();
             let last = null;
             const elements = [...box.querySelectorAll(".t, .lane")];
             const height = parseFloat(getComputedStyle(box).lineHeight);
             const lines = new Map(), nodes = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
             while (nodes.nextNode()) {
               const node = nodes.currentNode;
               for (let at = 0; at < node.length; at++) {
                 const range = document.createRange();
                 range.setStart(node, at);
                 range.setEnd(node, at + 1);
                 if (!node.data[at].trim()) continue;
                 const rect = range.getBoundingClientRect();
                 last = (rect.top + rect.bottom) / 2 - base.top;
                 const line = Math.floor(last / height);
                 lines.set(line, (lines.get(line) ?? "") + node.data[at]);
               }
             }
             const rectsOf = (element) => [...element.getClientRects()].filter((rect) => rect.width > 0);
             const lineEnds = (element) => Math.max(1, element.textContent.split("\\n").length - 1);
             const isFound = (element) => {
               const rects = rectsOf(element);
               // a token of several line ends has a stretch for each
               return rects.length >= lineEnds(element) && rects.every(({ left, top, width, height }) => {
                 const hit = root().elementFromPoint(left + width / 2, top + height / 2);
                 return hit?.closest(".t, .lane") === element;
               });
             };
             return [panel.dataset.encoding, {
               drawn: box.textContent,
               lines: [...lines.values()],
               last,
               hidden: elements.filter((element) => !isFound(element)).map((e) => e.className),
               narrowest: Math.min(...elements.flatMap(rectsOf).map((rect) => rect.width)),
             }];
           }))"""
    )
    return panels


def test_the_first_screen_is_complete_and_says_what_its_words_mean(page: Page) -> None:
    # In a window with a scroll bar, which Playwright's browser hides.
    page.set_viewport_size({"width": WINDOW["width"] - 15, "height": WINDOW["height"]})
    page.goto("/")
    wait_for_text(page, WELCOME)
    expect_editor(page, WELCOME)
    expect(page.locator(".compares")).to_have_text("GPT-2 needs 70% more tokens for this text than GPT-4o.")
    models = page.locator(".model b").all_text_contents()
    assert models == ["GPT-4o, GPT-5", "GPT-4", "GPT-2", "Home-trained"]
    panel, inspector = page.locator(".panel[data-encoding='o200k_base']"), page.locator(".inspector")
    expect_text(page, "A language model reads your text as tokens")
    expect(panel.locator(".about")).to_have_text("o200k_base · OpenAI, 2024")
    expect(inspector).to_be_hidden()
    expect(page.get_by_text("Click a token to see how it works.")).to_be_in_viewport(ratio=1)
    panel.locator(".t").first.click()
    inspector.locator("summary").click()
    page.get_by_role("button", name="More", exact=True).click()
    explained = page.locator(".explain")
    for place, word in (
        (panel, "✓ exact"),
        (page.locator(".switches"), "cuts only one makes"),
        (inspector, "UTF-8"),
        (page.locator(".strip"), "graphemes"),
    ):
        place.locator(".question").click()  # what is open closes by it
        expect(explained).to_contain_text(word)
        expect(explained).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(explained).to_be_hidden()
    expect(inspector).to_be_visible()  # the token stays pinned
    page.keyboard.press("Escape")
    expect(inspector).to_be_hidden()
    for name in NAMES:
        press(page, f"Remove: {name}")
    expect_text(page, "No tokenizer is chosen")


# Exactness


SHORT = {title: text for title, text in NASTY.items() if "\r" not in text and len(text) < 1_000}
DRAWN = {
    "short ones": "\n".join(SHORT.values()),
    "html below the window": "A line of plain words.\n" * 400 + NASTY["html"],
    **{title: NASTY[title] for title in NASTY if title not in SHORT},
}


@pytest.mark.parametrize("text", DRAWN.values(), ids=DRAWN)
def test_what_is_drawn_is_the_text_and_every_token_is_drawn(board: Page, text: str) -> None:
    put(board, text)
    panels = board.evaluate(
        """() => [...root().querySelectorAll(".panel")].map((panel) => {
             const box = panel.querySelector(".tokens"), drawn = box.textContent;
             const chunks = [...box.children].map((e) => e.chunk);
             return {
               name: panel.dataset.encoding,
               units: Array.from({ length: drawn.length }, (_, i) => drawn.charCodeAt(i)),
               tokens: chunks.length ? chunks.at(-1).last + 1 : 0,
               missing: chunks.filter((c) => c.painted && c.elements.some((e) => !e.length)).length,
               joins: panel.querySelector(".difference").classList.contains("ok"),
             };
           })"""
    )
    units = code_units(text)
    counts = {name: len(tk.get_encoding(name).encode(text)) for name in NAMES}
    assert panels == [
        {"name": name, "units": units, "tokens": counts[name], "missing": 0, "joins": True} for name in NAMES
    ]


def test_views_ids_and_bytes_draw_each_token_on_the_line_of_its_text(board: Page) -> None:
    text = "a\n\n\nb 안\n\n\n\nc"
    put(board, text)
    gpt2 = tk.get_encoding("gpt2")
    ids = gpt2.encode(text)
    drawn = {"ids": list(map(str, ids)), "bytes": [gpt2.token_bytes(each).hex(" ") for each in ids]}
    for view in ("ids", "bytes", "text"):
        board.locator(f"[data-set=view][value={view}]").click()
        if view in drawn:
            assert board.locator("[data-encoding=gpt2] .t").all_text_contents() == drawn[view]
        lines = board.evaluate(
            """() => [...root().querySelectorAll(".tokens")].map((box) => {
                 const height = parseFloat(getComputedStyle(box).lineHeight);
                 const tops = [...box.querySelectorAll(".t")].map((e) => e.getBoundingClientRect().top);
                 return Math.round((tops.at(-1) - tops[0]) / height);
               })"""
        )
        assert lines == [7] * len(NAMES), view


def test_a_line_end_has_a_chip_and_the_line_breaks_after_it(board: Page) -> None:
    text = "a\n\n\nb\r\nc\n \n\nd\r\n\r\ne"
    for name, panel in lines_of(board, text).items():
        assert panel["lines"] == [*"abcde"], name
        assert panel["drawn"] == text
        assert panel["hidden"] == [], name  # every token is where the mouse finds it
    ends = {panel["last"] for panel in lines_of(board, "안 👩\u200d🌾\nनमस्ते\n½\u0301\nx").values()}
    assert len(ends) == 1  # lines are as high in every panel
    put(board, "a():\n\nNew")
    token = board.locator(".panel").first.locator(".t.long")
    expect(token).to_have_text("():\n\n", use_inner_text=False)
    assert token.locator("b").evaluate("box => box.getClientRects().length") == 2, "nothing on the next line"


MIXED_DIRECTIONS = [  # each on one line of a panel
    "ދިވެހިބަސް",
    "ދިވެހި (abc) ބަސް",
    "𞤀𞤣𞤤 𞤆𞤵",
    "English שלום עולם then",
    "(שָׁלוֹם) 12, 34!",
    "नमस्ते דוגמה",
    "مرحبا 123 بالعالم abc",
    "a \u202ebc de, 12\u202c f",  # RLO
    "a \u202dשלום עו\u202c b",  # LRO
    "a \u2067bc (1) d\u2069 e",  # RLI
    "a \u200f- b \u202e c de",  # RLM, and RLO to the end of the line
]


def test_letters_stand_in_the_order_of_the_editor(board: Page) -> None:
    board.set_viewport_size({"width": 3200, "height": 900})  # without fonts for them, letters are wide
    text = "\n".join(MIXED_DIRECTIONS)
    put(board, text)
    editor, *panels = board.evaluate(
        """() => [root().querySelector(".mirror"), ...root().querySelectorAll(".tokens")].map((box) => {
             const nodes = [], walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
             while (walker.nextNode()) nodes.push(walker.currentNode);
             const place = (at) => {
               for (const node of nodes) { if (at <= node.length) return [node, at]; at -= node.length; }
             };
             const graphemes = [...new Intl.Segmenter().segment(box.textContent.replace("\\u200b", ""))];
             const lines = [[]];
             for (const { segment, index } of graphemes) {
               if (segment === "\\n") { lines.push([]); continue; }
               const range = document.createRange();
               range.setEnd(...place(index + segment.length));
               // its first character: not the end of the element before
               const [node, at] = place(index);
               range.setStart(...(at === node.length ? [nodes[nodes.indexOf(node) + 1], 0] : [node, at]));
               const { left, width } = range.getBoundingClientRect();
               if (width > 0) lines.at(-1).push([left + width / 2, segment]);
             }
             const inOrder = (line) => line.sort(([a], [b]) => a - b).map(([, segment]) => segment);
             return lines.map((line) => inOrder(line).join(" "));
           })"""
    )
    assert len(editor) == len(MIXED_DIRECTIONS) and len(panels) == len(NAMES)
    for name, panel in zip(NAMES, panels, strict=True):
        assert panel == editor, name


def test_every_token_of_a_tall_stack_can_be_touched(board: Page) -> None:
    for text in (
        "a" + "\u0301\u0302\u0303\u0304" * 5 + "b",
        "a" + "\u0301" * 15 + "b",
        "👨\u200d👩\u200d👧\u200d👦",
    ):
        for name, panel in lines_of(board, text).items():
            assert panel["hidden"] == [], (name, text)
            assert panel["narrowest"] >= 6, (name, text)


def test_a_token_of_half_characters_stays_on_one_line(board: Page) -> None:
    text = "नमस्ते 안녕하세요 の世界 👩‍🚀 " * 12
    for width in (1360, 900, 390):
        board.set_viewport_size({"width": width, "height": 840})
        put(board, text)
        broken = board.evaluate(
            """() => [...root().querySelectorAll(".chunk")].flatMap(({ chunk }) => (chunk.elements ?? [])
                 .filter((all) => new Set(all.map((part) => part.getBoundingClientRect().bottom)).size > 1)
                 .map((parts) => parts.map((part) => part.className).join()))"""
        )
        assert broken == [], width


@pytest.mark.parametrize(
    "text, size",
    [("low lower newest " * 125, PHONE), ("A line of words.\n" * 150, PROJECTOR)],
    ids=["one line on a phone", "lines on a projector"],
)
def test_nothing_moves_when_a_panel_comes_into_view(board: Page, text: str, size: ViewportSize) -> None:
    # A panel grew when it came into view, and whoever pressed a button below it just then missed it.
    board.set_viewport_size(size)
    main = board.locator("[data-testid=stMain]")
    main.evaluate("main => main.scrollTo(0, 0)")
    put(board, text)
    idle(board)
    height = main.evaluate("main => main.scrollHeight")
    main.evaluate("main => main.scrollTo(0, main.scrollHeight)")
    idle(board)
    assert main.evaluate("main => [main.scrollTop > 0, main.scrollHeight]") == [True, height]


# Typing


def test_typing_keeps_caret_editor_and_undo(board: Page) -> None:
    put(board, "one two three")
    editor = board.locator("textarea.input")
    editor.evaluate("e => { e.marked = true; }")
    editor.click()
    editor.evaluate("e => e.setSelectionRange(4, 4)")
    board.keyboard.type("and a half ")
    text = "one and a half two three"
    wait_for_text(board, text)
    expect_editor(board, text)
    assert editor.evaluate("e => [e.selectionStart, e.selectionEnd, e.marked]") == [15, 15, True]
    expect(editor).to_be_focused()
    for _ in "and a half":  # how much one undo takes back is the browser's affair
        if editor.input_value() != "one two three":
            board.keyboard.press("Control+z")
    expect_editor(board, "one two three")
    wait_for_text(board, "one two three")


def test_what_a_key_changed_is_seen_and_what_a_paste_changed_is_not(board: Page) -> None:
    changed = "() => [...root().querySelectorAll('[data-encoding=gpt2] .ripple')].map((e) => e.textContent)"
    put(board, "The quick brown fox jumps")
    board.locator("textarea.input").press("End")
    board.keyboard.type("e")
    wait_for_text(board, "The quick brown fox jumpse")
    assert board.evaluate(changed) == [" jump", "se"]
    board.keyboard.insert_text(long := " one more word" * 30)  # so many changes explain nothing
    wait_for_text(board, "The quick brown fox jumpse" + long)
    assert board.evaluate(changed) == []


def test_composing_with_an_input_method(board: Page) -> None:
    put(board, "")
    board.locator("textarea.input").click()
    devtools = board.context.new_cdp_session(board)
    for partial in ("ㅎ", "하", "한"):
        devtools.send("Input.imeSetComposition", {"text": partial, "selectionStart": 1, "selectionEnd": 1})
        expect(board.locator("[data-encoding=gpt2] .tokens")).to_have_text(partial)
    devtools.send("Input.insertText", {"text": "한"})
    board.keyboard.type("!")
    wait_for_text(board, "한!")
    expect_editor(board, "한!")


def test_samples_are_undone_and_nothing_moves_with_the_text(board: Page) -> None:
    places: dict[int, set[str]] = {}
    numbers = "[...root().querySelectorAll('.first > span, .first > strong')]"
    cut_off = f"() => {numbers}.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)"
    found = """() => JSON.stringify([".field", ".bar", ".tokens"].map((box) => {
      const { x, y } = root().querySelector(box).getBoundingClientRect();
      return [x, y];
    }))"""
    heights = "() => [...root().querySelectorAll('.figures')].map((e) => e.getBoundingClientRect().height)"

    def look_at_both_widths() -> None:
        for window in (PHONE, WINDOW):
            board.set_viewport_size(window)
            places.setdefault(window["width"], set()).add(board.evaluate(found))
            assert board.evaluate(cut_off) == []
            assert len(set(board.evaluate(heights))) == 1

    put(board, "mine")
    samples = some(json.loads(SAMPLES.read_text("utf-8")), 5)
    for sample in samples:
        board.locator(".samples button", has_text=sample["label"]).click()
        wait_for_text(board, sample["text"])
        expect(board.locator(".lesson")).to_have_text(sample["hint"])
        look_at_both_widths()
    board.locator("textarea.input").press("7")
    expect(board.locator(".lesson")).to_be_empty()
    for _ in ["7", *samples]:
        board.locator("textarea.input").press("Control+z")
    expect_editor(board, "mine")
    for text in ("", "line\n" * 40, "ⴰ" * 40_000):  # the last has 100,000 tokens: there must be room
        put(board, text)
        look_at_both_widths()
    assert [len(of_window) for of_window in places.values()] == [1, 1]
    put(board, "x")  # else the next test would first have all these tokens laid out in its window


def test_carriage_returns_are_kept_by_undo_and_by_typing(page: Page) -> None:
    text = "a\r\nb\r\nc"
    open_with(page, text, encodings=["gpt2"])
    editor = page.locator("textarea.input")
    expect(editor).to_have_value("a␍\nb␍\nc")
    expect(page.locator(".notes")).to_contain_text("stands for a carriage return")
    page.locator(".samples button").first.click()
    expect(editor).to_have_value(re.compile("^word"))
    editor.press("Control+z")
    wait_for_text(page, text)
    editor.press("Control+End")
    page.keyboard.type("d")
    wait_for_text(page, text + "d")


# Hover, pin, keyboard


def test_hover_lights_the_same_bytes_everywhere(board: Page) -> None:
    put(board, "Unbelievably, 12345")
    board.locator("[data-encoding=cl100k_base] .t", has_text="belie").hover()
    lit = board.evaluate(
        """() => Object.fromEntries([...root().querySelectorAll(".panel")].map((p) => [p.dataset.encoding,
             [...p.querySelectorAll(".lit, .same")].map((e) => e.textContent).join("")]))"""
    )
    assert lit["cl100k_base"] == "belie"
    assert lit["gpt2"] == "believ" and lit["o200k_base"] == "believably"  # the tokens that share its bytes
    expect(board.locator(".marks i")).to_have_count(1)
    expect(board.locator(".tip")).to_contain_text("“belie”, id 32898, 5 bytes")
    board.locator(".lead").hover()
    expect(board.locator(".lit, .same, .marks i")).to_have_count(0)


def test_spotlight_lights_what_the_editor_selects_or_points_at(board: Page) -> None:
    put(board, "say 안녕 twice")
    editor = board.locator("textarea.input")
    editor.focus()
    for selected, tokens in (([4, 6], [2, 3, 6, 4]), ([0, 3], [1, 1, 1, 2]), ([5, 9], [2, 3, 4, 4])):
        editor.evaluate("(e, at) => e.setSelectionRange(...at)", selected)
        # a token has a lane in each of the characters that it has bytes of
        board.wait_for_function(
            """(tokens) => [...root().querySelectorAll(".panel")].every((panel, i) => {
                 const picked = [...panel.querySelectorAll(".picked")].map((e) => e.token);
                 return new Set(picked).size === tokens[i];
               })""",
            arg=tokens,
        )
    editor.evaluate("e => e.setSelectionRange(0, 0)")
    expect(board.locator(".picked")).to_have_count(0)
    place = board.locator(".mirror").evaluate(
        """(mirror) => {
             const range = document.createRange();
             range.setStart(mirror.firstChild, 4);
             range.setEnd(mirror.firstChild, 5);
             const { left, top, width, height } = range.getBoundingClientRect();
             return [left + 0.75 * width, top + height / 2];
           }"""
    )
    board.mouse.move(*place)
    expect(board.locator(".marks i")).to_have_count(1)
    for name in NAMES:
        expect(board.locator(f"[data-encoding={name}] .lit").first).to_be_attached()


def test_a_click_pins_and_the_inspector_tells(board: Page) -> None:
    put(board, "say 안녕 twice")
    board.locator("[data-encoding=gpt2] .t", has_text="say").click()
    inspector = board.locator(".inspector")
    # Its neighbours, whose lanes are narrow.
    after = inspector.get_by_role("button", name="The token after")
    after.press("Enter")
    for told in ("bytes 3 to 4 of", "inside a character", "U+C548", "GPT-4o"):
        expect(inspector).to_contain_text(told)
    expect(after).to_be_focused()
    inspector.get_by_role("button", name="The token before").click()
    expect(inspector).to_contain_text("bytes 0 to 2 of")
    inspector.get_by_text("More: its bytes").click()
    board.keyboard.press("Escape")
    expect(inspector).to_be_hidden()
    expect(board.locator("[data-encoding=gpt2] .tokens")).to_be_focused()
    board.set_viewport_size({**WINDOW, "height": 640})
    board.evaluate("() => scrollTo(0, 0)")
    board.keyboard.press("Enter")
    expect(inspector.get_by_text("The cuts, in full")).to_be_in_viewport()
    board.set_viewport_size(WINDOW)
    inspector.get_by_text("More: its bytes").click()
    board.keyboard.press("Escape")


def test_a_finger_beside_a_token_means_that_token(board: Page) -> None:
    put(board, "one two")
    board.evaluate(
        """() => {
             window.click = (pointerType) => {
               const last = root().querySelector("[data-encoding=gpt2] .t:last-child");
               const { right, top, height } = last.getBoundingClientRect();
               const beside = { clientX: right + 8, clientY: top + height / 2, bubbles: true };
               const click = new PointerEvent("click", { pointerType, ...beside });
               root().elementFromPoint(beside.clientX, beside.clientY).dispatchEvent(click);
               return root().querySelectorAll(".t.pin").length;
             };
           }"""
    )
    # A panel that is counted once more, as on a busy machine, takes no click.
    board.wait_for_function("() => window.click('touch') === 1")
    assert board.evaluate("() => window.click('mouse')") == 1, "a mouse beside it does not unpin it"
    expect(board.locator("[data-encoding=gpt2] .t.pin")).to_have_text(" two")
    board.keyboard.press("Escape")


def test_everything_by_keyboard(board: Page) -> None:
    put(board, "one two three")
    tokens, inspector = board.locator("[data-encoding=gpt2] .tokens"), board.locator(".inspector")
    tokens.focus()
    for key in ("ArrowRight", "ArrowRight"):
        board.keyboard.press(key)
    expect(board.locator(".spoken")).to_have_text("Token 2 of 3: “·two”, id 734, 4 bytes")
    idle(board)  # a panel that is counted once more takes no key
    board.keyboard.press("Enter")
    expect(inspector).to_be_visible()
    expect(inspector).to_contain_text("734")
    board.keyboard.press("Tab")  # the explanation is the next stop
    expect(inspector.locator(":focus")).to_have_count(1)
    board.keyboard.press("Shift+Tab")
    expect(tokens).to_be_focused()
    board.keyboard.press("Escape")
    expect(inspector).to_be_hidden()
    switch, ids = (board.locator(f"[data-set={each}]") for each in ("walls", "view][value=ids"))
    board.get_by_role("button", name="More", exact=True).press("Enter")
    switch.press("Space")
    expect(switch).to_have_attribute("aria-checked", "true")
    board.locator("[data-set=view][value=text]").press("ArrowRight")
    expect(ids).to_have_attribute("aria-checked", "true")
    board.locator("[data-set=view][value=text]").click()  # as it was, for the tests that come
    switch.click()


# Panels and switches


def test_panels_are_added_replaced_moved_and_removed(page: Page) -> None:
    open_with(page, "Tokens, tokens.", encodings=["gpt2", "o200k_base"])
    add_model(page, "p50k_base")
    expect_panels(page, ["gpt2", "o200k_base", "p50k_base"])
    page.locator("[data-encoding=p50k_base] [aria-label^='Move left']").click()
    expect_panels(page, ["gpt2", "p50k_base", "o200k_base"])
    page.locator("[data-encoding=gpt2] .model").click()
    page.get_by_label("Search tokenizers").fill("gpt4")
    page.locator(".chooser [data-name=cl100k_base]").click()
    expect_panels(page, ["cl100k_base", "p50k_base", "o200k_base"])
    page.locator("[data-encoding=p50k_base] [aria-label^='Remove']").click()
    expect_panels(page, ["cl100k_base", "o200k_base"])
    for name, count in (("cl100k_base", 0), ("o200k_base", 0), ("gpt2", 1)):
        expect_offered(page, name, count)


def test_a_model_is_found_by_any_of_its_names(board: Page) -> None:
    put(board, "x")
    press(board, "+ Add a tokenizer")
    search, first = board.get_by_label("Search tokenizers"), board.locator(".chooser li:not(.group)").first
    for typed, found in (
        ("gpt4", "GPT-4o, GPT-5 (o200k_base)"),
        ("CL100K", "GPT-4 (cl100k_base)"),
        ("gpt-2", "GPT-2 (gpt2): shown already"),
        ("gemini", "Gemma 4, Gemini SDK (gemma-4)"),
        ("claude opus", "Claude 3 and later (Opus, Sonnet, Haiku) is not here."),
        ("claude 3", "Closest here: Claude 2 (claude-2)"),
        ("no such model", "No tokenizer here has this name."),
        ("deepseek", "DeepSeek V3, R1 (deepseek-v3)"),
    ):
        search.fill(typed)
        expect(first).to_contain_text(found)
    board.keyboard.press("ArrowDown")
    board.keyboard.press("Enter")
    expect(board.locator("[data-encoding=deepseek-v3] .t")).to_have_count(1)
    press(board, "Remove: deepseek-v3")  # as it was, for the tests that come


def test_special_tokens_as_tokens_or_as_text(board: Page) -> None:
    put(board, "<|endoftext|>hello<|endoftext|>")
    special, plain = (
        board.locator(f"[data-encoding=gpt2] .t.{each}") for each in ("special", "looks-special")
    )
    expect(special).to_have_count(0)
    assert "".join(plain.all_text_contents()) == "<|endoftext|><|endoftext|>"
    flip_switch(board, "special_as_tokens")
    expect(special).to_have_count(2)
    expect(plain).to_have_count(0)
    expect(board.locator("[data-encoding=gpt2] strong")).to_have_text("3")
    flip_switch(board, "special_as_tokens")
    expect(special).to_have_count(0)


def test_walls_and_only_here_cuts(board: Page) -> None:
    put(board, "it's 12345")
    flip_switch(board, "walls")
    walls = board.locator("[data-encoding=cl100k_base] .t.wall")
    expect(walls).to_have_text(["it", "'s", " ", "123", "45"])
    expect(board.locator("[data-encoding=grove-udhr-8k] .t.only")).to_have_text(["s", "3", "5"])
    flip_switch(board, "walls")


def test_copied_tokens_are_the_text(board: Page) -> None:
    text = "one\n\n\ntwo ދިވެހި abc\r\nनमस्ते 👩\u200d🌾 안녕\n\te\u0301\n" + "const x = 1;\n\n" * 90 + "last"
    put(board, text)
    board.locator("[data-encoding=gpt2] .tokens").evaluate(
        "(e) => { getSelection().selectAllChildren(e); document.execCommand('copy'); }"
    )
    assert board.evaluate("() => navigator.clipboard.readText()") == text


# Keeping and sharing


def test_a_copied_link_restores_everything(page: Page) -> None:
    text = "shared 안녕 👩‍🚀\nline"
    open_with(page, text, encodings=["gpt2"])
    add_model(page, "o200k_base")
    flip_switch(page, "whitespace")
    page.locator("[data-encoding=o200k_base] .t").nth(1).click()
    expect(page.locator(".inspector")).to_contain_text("A token of GPT-4o")  # by then Python has answered
    page.locator("[data-do=link]").click()
    expect(page.locator(".explain")).to_contain_text("This link works on this computer only.")
    expect(page.locator("[data-do=link]")).to_have_text("Copied")
    link = page.evaluate("() => navigator.clipboard.readText()")
    leave(page)  # another person comes
    page.goto(link)
    expect_editor(page, text)
    expect_panels(page, ["gpt2", "o200k_base"])
    expect(page.locator("[data-set=whitespace]")).to_have_attribute("aria-checked", "false")
    expect(page.locator(".inspector")).to_contain_text("A token of GPT-4o")


def test_a_text_too_long_for_a_link_says_so(board: Page) -> None:
    text = " discrimination" * 4_000  # in few tokens: what draws many takes a browser seconds
    put(board, text)
    board.locator("[data-do=link]").click()
    expect(board.locator(".explain")).to_contain_text("too long for a link")

    # It is said until the person does something else, whatever is still under way.
    board.locator("textarea.input").evaluate(
        """(field) => {
             for (const more of "ab") { field.value += more; field.dispatchEvent(new Event("input")); }
             root().querySelector("[data-do=link]").click();
           }"""
    )
    wait_for_text(board, text + "ab")
    expect(board.locator(".explain")).to_contain_text("too long for a link")
    board.locator("textarea.input").click()
    expect(board.locator(".explain")).to_be_hidden()


# Files and long texts


def test_files_are_read_and_said(board: Page, tmp_path: Path) -> None:
    put(board, "kept")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    board.locator(".file").set_input_files(tmp_path / "picture.png")
    expect(board.locator(".notes")).to_contain_text("picture.png is not a text file")
    expect_editor(board, "kept")
    board.locator(".field").evaluate(
        """(field) => {
             const data = new DataTransfer();
             data.items.add(new File(["dropped"], "drop.txt", { type: "text/plain" }));
             for (const type of ["dragenter", "dragover", "drop"])
               field.dispatchEvent(new DragEvent(type, { dataTransfer: data, cancelable: true }));
           }"""
    )
    expect_editor(board, "dropped")


PASTE = """(e, text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  e.focus();
  e.select();
  e.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def test_a_long_text_is_paged_and_not_edited(page: Page) -> None:
    """That it is left, replaced and gone back to: the walks of test_editor_walk.py."""
    open_with(page, "before", encodings=["gpt2"])
    text = LONG * 8000
    editor, tokens = page.locator("textarea.input"), page.locator(".tokens")
    editor.evaluate(PASTE, text)
    expect(page.locator(".pager")).to_be_visible()
    wait_for_text(page, text)
    following, number = page.locator("[data-do=next]"), page.locator(".page-number")
    following.click()
    expect(number).to_have_value("2")
    number.fill("999")
    page.keyboard.press("Enter")
    expect(following).to_be_disabled()
    assert text.endswith(tokens.text_content() or "?")
    counted(page)
    tokens.locator(".t").nth(2).click()
    expect(page.locator(".inspector")).to_be_visible()
    editor.press("x")
    expect(page.locator(".notes .error")).to_contain_text("cannot be edited here")


def test_above_ten_megabytes_is_refused_at_once(board: Page, tmp_path: Path) -> None:
    put(board, "kept")
    error = board.locator(".notes .error")
    board.locator("textarea.input").evaluate(f"(e, n) => ({PASTE})(e, 'a'.repeat(n))", 11 << 20)
    expect(error).to_contain_text("takes up to 10 MB")
    (tmp_path / "huge.txt").write_bytes(b"a" * (11 << 20))
    board.locator(".file").set_input_files(tmp_path / "huge.txt")
    expect(error).to_contain_text("huge.txt has 11 MB, and Token Grove takes up to 10 MB")
    expect_editor(board, "kept")


def test_an_encoding_that_fails_and_one_that_does_not_join_are_said(page: Page) -> None:
    # What Python replies then (test_workspace.py), drawn: of the first no chips, no number, nothing made up.
    open_with(page, "some text", encodings=["gpt2", "cl100k_base"])
    page.evaluate(
        """() => {
             const original = JSON.parse;
             JSON.parse = (text) => {
               const value = original(text);
               if (value?.panels) {
                 value.panels[0] = { name: "gpt2", problem: "gpt2 cannot be loaded." };
                 value.panels[1].joins = false;
               }
               return value;
             };
             root().querySelector("[data-set=whitespace]").click();
           }"""
    )
    failed, other = (page.locator(f"[data-encoding={name}]") for name in ("gpt2", "cl100k_base"))
    expect(failed.locator(".problem")).to_have_text("gpt2 cannot be loaded.")
    assert failed.locator(".t").count() == 0
    expect(failed.locator(".figures")).to_be_hidden()
    expect(other.locator(".t").first).to_be_visible()
    expect(other.locator(".difference")).to_have_class(re.compile("wrong"))


# The look


def test_nothing_sticks_out_and_panels_leave_no_hole_in_a_row(board: Page) -> None:
    board.set_viewport_size({"width": 360, "height": 900})
    add_model(board, "p50k_base")
    expect_panels(board, [*NAMES, "p50k_base"])
    put(board, "a" * 3000 + " " * 400 + "안녕" * 200)
    for width in (360, 768, 1360, 1920):
        board.set_viewport_size({"width": width, "height": 900})
        idle(board)
        assert board.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth"), width
        wide = board.evaluate(
            """() => [...root().querySelectorAll(".panel, .field, .inspector, .bar, .tokens .t")]
                 .filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1)
                 .map((e) => e.className)"""
        )
        assert wide == [], width
        ends = board.locator(".panel").evaluate_all(
            "(panels) => panels.map((panel) => Math.round(panel.getBoundingClientRect().right))"
        )
        assert ends[-1] == max(ends), width
    press(board, "Remove: p50k_base")  # as it was, for the tests that come


def test_spaces_still_let_lines_break(board: Page) -> None:
    put(board, "word " * 200)
    box = board.locator("[data-encoding=gpt2] .tokens")
    lefts = box.locator(".t").evaluate_all(
        "a => [...new Set(a.filter((e) => e.getClientRects().length > 1).map((e) => e.textContent.trim()))]"
    )
    assert lefts in ([], ["word"])  # a line breaks at the space, never inside a word
    assert box.evaluate("e => e.scrollWidth <= e.clientWidth")
