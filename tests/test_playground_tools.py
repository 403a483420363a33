"""The playground's tools without a browser: what is chosen in them stays."""

from __future__ import annotations

import codecs
import csv
import json
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from pages.explore.playground import tools
from pages.explore.playground.state import EXAMPLE_IDS
from pages.session.own_encodings import OwnEncoding
from pages.session.tickets import find_by_ticket
from pages.session.workspace import Workspace
from pages.shared.markdown import escape
from pages.teaching.room import ClassPlan
from tests.browser import expect_text, press
from tests.visit import Visit, components
from tokenizers import train
from tokenizers.encoding import ChatTemplates
from tokenizers.text import CSV_ENCODING, EXPORTS

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLAYGROUND, BY_HAND = "explore/playground/page.py", "grow/by_hand/page.py"


class Playground(Visit):
    """The page, run as a browser would run it, in one session, with a tool that is open."""

    def __init__(self, tool: str = "") -> None:
        workspace = Workspace(text="one two three", encodings=["gpt2", "o200k_base"])
        super().__init__(PLAYGROUND, {}, workspace=workspace)
        if tool:
            self.open(tool)

    def open(self, tool: str) -> None:
        self.set("playground_tool", tool)
        assert not self.test.error


@pytest.mark.slow
def test_tools_keep_what_is_chosen_while_others_are_open() -> None:
    page = Playground()
    assert not page.test.selectbox  # nothing is drawn until a tool is chosen
    chosen = (
        ("Chunks", "playground_chunk_size", 20, 2),
        ("Chunks", "playground_chunk_encoding", "gpt2", "o200k_base"),
        ("Ids to text", "playground_ids_text", EXAMPLE_IDS, "31373 995"),
        ("Cost", "playground_price_o200k_base", None, 1000.0),
        ("Chat", "playground_chat_template", "harmony", "ChatML"),
    )
    for tool, key, first, value in chosen:
        page.open(tool)
        assert page.field(key).value == first
        page.set(key, value)
    assert escape("cl100k_im") in page.test.markdown[0].value
    page.open("Export")
    page.go(BY_HAND)
    page.go(PLAYGROUND)
    assert page.field("playground_tool").value == "Export"
    for tool, key, _, value in chosen:
        page.open(tool)
        assert page.field(key).value == value
    page.open("Cost")
    (metric,) = page.test.metric
    assert metric.value == "0.003"  # three tokens
    page.open("Chunks")
    assert page.test.dataframe[0].value["text"].tolist() == ["one two", " three"]


def test_tools_put_texts_into_the_editor() -> None:
    page = Playground("Ids to text")
    page.set("playground_ids_text", "[31373, 995]")
    page.press("playground_ids_to_editor")
    assert page.workspace.text == "hello world"
    page.open("Chat")
    page.press("playground_chat_to_editor")
    assert page.workspace.text.startswith("<|start|>system<|message|>")
    assert page.workspace.encodings[0] == "o200k_harmony" and page.workspace.special_as_tokens


SPELLINGS = """\
spelled;GPT-2 · gpt2;GPT-4o · o200k_base
"tokens";[83, 482, 641];[64329]
" tokens";[16326];[20290]
"Tokens";[22906];[30325]
" Tokens";[47365];[124325]
"TOKENS";[10468, 42, 16938];[199391, 17842]
" TOKENS";[5390, 42, 16938];[133802, 17842]
"""
"""The ids are tiktoken's."""


def test_all_spellings_of_a_word_and_those_of_one_token_for_logit_bias() -> None:
    page = Playground("Spellings")
    page.set("playground_word", "tokens")
    assert page.test.dataframe[0].value.to_csv(sep=";", index=False, quoting=csv.QUOTE_NONE) == SPELLINGS
    assert [each.value for each in page.test.text] == [
        '{"16326": -100, "22906": -100, "47365": -100}',
        '{"64329": -100, "20290": -100, "30325": -100, "124325": -100}',
    ]


def test_spellings_give_no_bias_to_a_space_or_an_unknown_token() -> None:
    page = Playground("Spellings")
    page.set("playground_word", "")
    assert not page.test.text and "Type a word" in page.messages
    page.workspace.encodings = ["words"]
    page.set("playground_word", "xylophones")
    assert json.loads(page.test.text[0].value) == {}


def test_chunks_fall_back_to_the_first_panels_encoding() -> None:
    page = Playground("Chunks")
    page.set("playground_chunk_encoding", "o200k_base")
    page.workspace.encodings = ["gpt2"]
    page.run()
    assert page.field("playground_chunk_encoding").value == "gpt2"
    page.workspace.set_text("글")  # three tokens: the last chunk begins inside it, and ends behind it
    page.set("playground_chunk_size", 1)
    assert page.test.dataframe[0].value["splits a character"].tolist() == ["yes"] * 3
    assert not page.test.error


@pytest.mark.slow
def test_a_chat_is_pasted_as_json_and_counted_by_the_published_formula() -> None:
    page = Playground("Chat")
    page.set("playground_chat_is_json", True)
    assert "published formula" in page.test.markdown[-1].value
    assert {"text", "framing", "tools", "together"} == page.test.table[0].value.to_dict("index").keys()
    page.set("playground_chat_template", "ChatML")
    assert "Choose harmony" in page.messages and not page.test.table
    page.set("playground_chat_template", "harmony")
    messages = [{"role": "user", "content": "Why?"}]
    request = {"messages": messages, "model": "m", "chat_template_kwargs": {"think*ing*": False}}
    page.set("playground_chat_json", json.dumps(request))
    total = page.test.table[0].value.to_dict("index")["together"]
    assert [*total.values()][:3] == ["9", "9", "8"]
    assert escape("does not use: think*ing*.") in page.messages
    assert escape("Not part of the prompt: model.") in [each.value for each in page.test.caption]
    page.set("playground_chat_json", "[{'role': 'user'}]")
    assert "It looks like Python" in page.messages and not page.test.table


def test_an_id_that_is_none_is_said() -> None:
    page = Playground("Ids to text")
    page.set("playground_ids_text", "31373 99999")
    assert "gpt2 has no token 99999" in page.messages


def test_a_name_of_a_special_token_in_a_chat_is_said() -> None:
    page = Playground("Chat")
    assert "spells a special token" in page.messages


@pytest.mark.slow
def test_chat_template_that_was_brought_goes_with_its_encoding() -> None:
    name, title = "Qwen", "Qwen (file)"
    page = Playground()
    own = train("hello hello", 258, "gpt4o", ["<|end|>"], name=name)
    own.chat_templates = ChatTemplates(
        "{% for m in messages %}{{ m.role }}: {{ m.content }}<|end|>{% endfor %}"
    )
    page.workspace.own_encodings.add(OwnEncoding(own))
    page.open("Chat")
    page.set("playground_chat_template", title)
    assert f"tokens** in {name}" in page.test.markdown[0].value and not page.test.error
    (table,) = (each.value for each in page.test.dataframe if "its text" in each.value.columns)
    assert table["message"].tolist() == ["system", "user", "assistant", "user", "(template)"]
    own.chat_templates = ChatTemplates("{{ raise_exception('Roles must alternate.') }}")
    page.run()
    assert "Roles must alternate" in page.messages
    page.workspace.remove_encoding(name)
    page.run()
    assert page.field("playground_chat_template").value == "harmony"


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """The files that the tools of this test offer, by their names."""
    files: dict[str, bytes] = {}
    monkeypatch.setattr(tools, "offer_files", lambda label, write, key: files.update(write()))
    return files


def test_what_is_exported_is_of_the_encoding_that_is_chosen(files: dict[str, bytes]) -> None:
    page = Playground("Export")
    page.field("playground_export_encoding").set_value("o200k_base")
    for number in range(len(EXPORTS)):
        page.set("playground_export_file", number)
    assert files["ids-o200k_base.txt"] == b"690 1920 3407"
    rows = csv.DictReader(files["tokens-o200k_base.csv"].decode(CSV_ENCODING).splitlines())
    assert [row["id"] for row in rows] == ["690", "1920", "3407"]
    marked = {file for file, data in files.items() if data.startswith(codecs.BOM_UTF8)}
    assert marked == {file for file in files if file.endswith(".csv")}
    together = json.loads(files["tokens.json"])["encodings"]
    ids = {"gpt2": [505, 734, 1115], "o200k_base": [690, 1920, 3407]}
    assert {each["name"]: each["ids"] for each in together} == ids


def test_a_picture_has_every_panel_and_no_markup_of_the_texts(files: dict[str, bytes]) -> None:
    page = Playground()
    page.workspace.set_text("<b>one</b> é")
    page.open("Export")
    page.set("playground_export_file", len(EXPORTS))
    assert files["tokens.png"].startswith(b"\x89PNG")
    page.set("playground_export_file", len(EXPORTS) + 1)
    light = ElementTree.fromstring(files["tokens.svg"])
    said = ["".join(each.itertext()) for each in light.iter("{http://www.w3.org/2000/svg}text")]
    heads = [words for words in said if "token" in words]
    assert [words.split(")")[0] for words in heads] == ["GPT-2 (gpt2", "GPT-4o, GPT-5 (o200k_base"]
    assert "".join(said[1 : said.index(heads[1])]) == "<b>one</b>·é"
    page.set("playground_export_dark", True)
    assert files["tokens.svg"] != ElementTree.tostring(light) and b"#121614" in files["tokens.svg"]
    (shown,) = (each.json for each in components(page.test) if each.component_name == "token_grove.picture")
    assert json.loads(shown)["svg"].encode() == files["tokens.svg"]
    page.set("playground_export_all", False)
    assert b"(gpt2)" in files["tokens.svg"] and b"o200k_base" not in files["tokens.svg"]
    page.set("playground_export_file", len(EXPORTS) + 2)
    text = re.sub("<[^>]*>", "", files["tokens.html"].decode())
    assert text.endswith("GPT-2 (gpt2): 8 tokens&lt;b&gt;one&lt;/b&gt;·é\n")


def test_a_class_is_asked_about_the_text() -> None:
    page = Playground("Ask a class")
    (button,) = page.test.get("link_button")
    plan = find_by_ticket(button.proto.url.rpartition("/")[2], ClassPlan)
    assert plan is not None
    (slide,) = plan.parts[0].slides
    assert (slide["asks"], slide["text"]) == ("Where does GPT-2 cut this text?", "one two three")
    assert [show["cuts"] for show in slide["shows"]] == [[3, 7], [3, 7]]
    page.workspace.set_text("a")
    page.open("Ask a class")
    assert "2 to 300 characters" in page.messages and not page.test.get("link_button")


def test_the_picture_is_copied_in_pixels(page: Page) -> None:
    page.goto("/")
    page.get_by_text("Export", exact=True).click()
    page.get_by_role("combobox", name="File").click()
    page.keyboard.type("PNG")
    page.keyboard.press("Enter")
    press(page, "Copy as picture")
    expect_text(page, "Copied. Paste it where you write.")
    read = """async () => {
        const [copied] = await navigator.clipboard.read();
        return (await createImageBitmap(await copied.getType("image/png"))).width;
    }"""
    assert page.evaluate(read) == 2 * 808
