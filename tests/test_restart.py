"""The server is started anew while somebody types: what is typed meanwhile is there, and the caret stays."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import tokenizers as tk
from tests.browser import expect, serve, visitor
from tests.test_playground import wait_for_text
from tests.test_saved_items import take_file
from tokenizers.files import file_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_typing_goes_on_while_the_server_is_started_anew(browser: Browser, tmp_path: Path) -> None:
    first = ExitStack()
    address = first.enter_context(serve())
    with first, visitor(browser, address) as context:
        # What this browser keeps comes back first.
        model = tmp_path / "brought.model"
        model.write_bytes(file_of(tk.train("low lower lowest " * 9, 270, "gpt2")))
        other = context.new_page()
        other.goto("/bring")
        take_file(other, model)
        expect(other.locator(".saved .label")).to_have_text("Kept here: 1")
        page = context.new_page()
        page.goto("/")
        field = page.locator("textarea.input")
        field.fill("a line, and its end")
        wait_for_text(page, "", 19)
        for _ in " its end":
            field.press("ArrowLeft")
        page.keyboard.type(" before")
        first.close()
        lost = page.get_by_text("The connection to Token Grove’s server is lost")
        expect(lost).to_be_visible()
        page.keyboard.type(" meanwhile")
        typed = 0
        with serve(port=urlsplit(address).port or 0):
            while lost.count():  # it is typed on, whatever becomes of the page in this moment
                page.keyboard.type("x")
                typed += 1
            for _ in range(30):
                page.keyboard.type("y", delay=20)
            text = f"a line, and before meanwhile{'x' * typed}{'y' * 30} its end"
            wait_for_text(page, text, len(text))
            expect(field).to_have_value(text)
            expect(field).to_be_focused()
