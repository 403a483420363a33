"""The network between browser and server: requests that do not arrive, and one without WebSockets.

A connection that is lost while somebody types: test_saved_items.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import tokenizers as tk
from tests.browser import expect, expect_text, press, settled, visitor, watched_page
from tests.proxy import proxy_to
from tokenizers.files import file_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

UPLOAD, SAVED_ITEM = re.compile(r"/files\?"), re.compile("/items/")


def test_an_upload_and_saved_items_wait_for_the_connection(
    browser: Browser, server: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.model"
    file.write_bytes(file_of(tk.train("low lower lowest", 260, "gpt4o")))
    with visitor(browser, server) as context, watched_page(context, expected="net::ERR_") as page:
        page.clock.install()
        page.goto("/add_tokenizer")
        settled(page)
        page.route(UPLOAD, lambda route: route.abort())
        page.locator("input[type=file]").set_input_files(file)
        expect_text(page, "mine.model is uploaded as soon as there is one.")
        page.unroute(UPLOAD)
        page.clock.fast_forward(20_000)
        press(page, "Add")
        label = page.locator(".saved .label")
        expect(label).to_have_text("Saved here: 1")
        page.route(SAVED_ITEM, lambda route: route.abort())
        page.reload()
        expect(page.locator(".saved .problems")).to_contain_text("There is no connection.")
        expect_text(page, "Restoring your saved items…")
        page.unroute(SAVED_ITEM)
        page.clock.fast_forward(20_000)
        expect(page.get_by_role("heading", name="Your tokenizers (1)")).to_be_visible()
        expect(label).to_have_text("Saved here: 1")


def test_a_network_without_websockets_is_named(browser: Browser, server: str) -> None:
    with (
        proxy_to(server) as proxy,
        visitor(browser, proxy.address) as context,
        watched_page(context, expected="WebSocket") as page,
    ):
        proxy.allows_websockets = False
        page.clock.install()
        page.goto("/")
        page.clock.fast_forward(20_000)
        note = page.locator("#grove-waiting")
        expect(note).to_contain_text("your network may block WebSockets")
        proxy.allows_websockets = True
        page.clock.fast_forward(20_000)
        expect(page.locator("textarea.input")).to_be_visible()
        expect(note).to_have_count(0)
