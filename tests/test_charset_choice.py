"""A file whose character set is only a guess can be read in another one, wherever files are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pages.session.editor_request import apply_request, replace_text
from pages.session.workspace import Workspace
from tests.browser import expect, flip_switch
from tests.visit import Visit
from tests.wire import packed

if TYPE_CHECKING:
    from playwright.sync_api import FilePayload, Page

TEXT = "Все люди рождаются свободными и равными"
DATA = TEXT.encode("cp1251")
NOTE: FilePayload = {"name": "note.txt", "mimeType": "text/plain", "buffer": DATA}


def read_wrongly(codec: str = "koi8-r") -> str:
    return DATA.decode(codec)


# The playground


def open_note(workspace: Workspace, data: bytes = DATA) -> None:
    replace_text(workspace, "file", "note.txt", data)


def read_as(workspace: Workspace, charset: str) -> None:
    replace_text(workspace, "read_as", charset, b"")


def guess_in(workspace: Workspace) -> Any:
    return packed(workspace).header.get("guessed")


@pytest.mark.parametrize(
    "change",
    [
        lambda workspace: apply_request(workspace, {"text": TEXT + "!"}),
        lambda workspace: replace_text(workspace, "back", "", b""),
        lambda workspace: replace_text(workspace, "paste", "", b"a" * 200_000),
        lambda workspace: open_note(workspace, b"ASCII"),
        lambda workspace: open_note(workspace, TEXT.encode()),
        lambda workspace: workspace.take("another"),
    ],
    ids=["typing", "going back", "a long paste", "another file", "the same in UTF-8", "a button"],
)
def test_the_bytes_go_when_the_text_is_no_longer_the_files(change: Any) -> None:
    workspace = Workspace()
    open_note(workspace)
    assert workspace.guessed_file is not None
    change(workspace)
    assert workspace.guessed_file is None and guess_in(workspace) is None
    text = workspace.text
    read_as(workspace, "koi8-r")
    assert workspace.text == text and "Open the file again" in workspace.note


def test_in_the_editor(page: Page) -> None:
    page.goto("/")
    editor = page.locator("textarea.input")
    expect(page.locator(".counts")).to_contain_text("bytes")
    choice = page.get_by_label("Wrong letters? Read note.txt as")
    expect(choice).to_have_count(0)
    page.locator(".file").set_input_files(NOTE)
    expect(editor).to_have_value(TEXT)
    expect(page.locator(".notes")).to_contain_text("read as Windows-1251 (Cyrillic), which is a guess")
    expect(choice).to_have_value("cp1251")
    choice.select_option("koi8-r")
    expect(editor).to_have_value(read_wrongly())
    choice.select_option("utf-8")
    expect(page.locator(".notes .error")).to_contain_text("note.txt is not in UTF-8")
    expect(choice).to_have_value("koi8-r")
    expect(editor).to_have_value(read_wrongly())
    choice.select_option("cp1251")
    expect(editor).to_have_value(TEXT)
    flip_switch(page, "walls")
    expect(choice).to_be_visible()
    editor.press("End")
    editor.press_sequentially("!")
    expect(choice).to_be_hidden()


# The other pages


@pytest.mark.slow
def test_a_page_reads_a_file_again_or_says_why_not() -> None:
    visit = Visit("measure/compression/page.py", {"text": "prose", "encoding": "gpt2"})
    own = visit.test.session_state["workspace"].own_texts
    own.add_files([("note.txt", lambda: DATA), ("plain.txt", lambda: b"plain")])
    visit.run()
    key = "own_texts_charset_own-1"
    assert visit.test.selectbox(key=key).value == "cp1251"
    assert "own_texts_charset_own-2" not in [box.key for box in visit.test.selectbox]
    visit.set(key, "koi8-r")
    assert own["own-1"].text == read_wrongly()
    assert any("read as KOI8-R (Russian)" in line.value for line in visit.test.text)
    visit.set(key, "utf-8")
    assert "note.txt is not in UTF-8" in visit.test.error[0].value
    assert own["own-1"].text == read_wrongly()
    assert visit.test.selectbox(key=key).value == "koi8-r"
