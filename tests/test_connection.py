"""The network between browser and server: cut while somebody types, and one without WebSockets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser import expect, visitor, watched_page
from tests.proxy import proxy_to

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow


def test_what_is_typed_while_the_connection_is_cut_is_counted_afterwards(
    browser: Browser, server: str
) -> None:
    with (
        proxy_to(server) as proxy,
        visitor(browser, proxy.address) as context,
        # What the browser and Streamlit say while they reach nobody.
        watched_page(context, expected="net::ERR_|server endpoint|not responding|disconnected") as page,
    ):
        page.goto("/")
        field, counts = page.locator("textarea.input"), page.locator("output.counts")
        field.fill("before ")
        expect(counts).to_contain_text("7 bytes")
        proxy.cut()
        field.press("End")
        field.press_sequentially("during ")
        note = page.locator("#grove-lost")
        expect(note).to_contain_text("The connection to Token Grove’s server is lost")
        proxy.mend()
        field.press_sequentially("after")
        expect(field).to_have_value("before during after")
        expect(counts).to_contain_text("19 bytes")
        expect(note).to_have_count(0)
        page.wait_for_url(re.compile(r"\?s="))
        page.reload()
        expect(field).to_have_value("before during after")


def test_a_network_without_websockets_is_named(browser: Browser, server: str) -> None:
    with (
        proxy_to(server) as proxy,
        visitor(browser, proxy.address) as context,
        watched_page(context, expected="WebSocket") as page,
    ):
        proxy.allows_websockets = False
        page.goto("/")
        note = page.locator("#grove-waiting")
        expect(note).to_contain_text("your network may block WebSockets")
        proxy.allows_websockets = True
        expect(page.locator("textarea.input")).to_be_visible()
        expect(note).to_have_count(0)
