"""The components' files: served once by address, current after an edit, under any path, or failing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from pages.server import component_files
from pages.server.component_files import FOLDER, component_route, files_version
from tests.browser import PATIENCE, expect, serve, shows_words_alone, watched_page
from tests.proxy import proxy_to
from tests.visit import Visit, components

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

FAILED = "could not be loaded"
CLIENT = TestClient(Starlette(routes=[component_route()]))


def get(path: str, headers: Mapping[str, str] | None = None) -> Any:
    return CLIENT.get(path, headers=headers)


def test_a_file_may_be_kept_for_ever_under_its_version() -> None:
    for path, kind in [
        ("editor/index.js", "javascript"),
        ("common/common.css", "css"),
        ("editor/component.html", "html"),
    ]:
        answer = get(f"/components/{files_version()}/{path}")
        assert answer.status_code == 200 and answer.content == (FOLDER / path).read_bytes()
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert kind in answer.headers["content-type"]


def test_an_older_page_gets_the_present_file_and_does_not_keep_it() -> None:
    answer = get("/components/0123456789abcdef/editor/index.js")
    assert answer.content == (FOLDER / "editor/index.js").read_bytes()
    assert answer.headers["cache-control"] == "no-cache"
    again = get("/components/old/editor/index.js", {"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize("prefix", ["", "/grove", "/a/b/c"])
def test_files_are_found_under_any_path(prefix: str) -> None:
    assert get(f"{prefix}/components/v/common/mount.js").status_code == 200


def test_an_edit_is_a_new_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows after a reload of the page, with no restart of the server."""

    def sent_version() -> str:
        component_files._version_at.cache_clear()  # a second later
        visit = Visit("grow/by_hand/page.py", {})
        sent = components(visit.test)[0]
        assert not sent.html_content and not sent.css_content
        return str(re.findall(r"components/(\w+)/", sent.js_content)[0])

    copy = Path(shutil.copytree(FOLDER, tmp_path / "components"))
    before = sent_version()
    monkeypatch.setattr(component_files, "FOLDER", copy)
    assert sent_version() == before, "of the contents, not of the folder"
    script = copy / "by_hand" / "index.js"
    script.write_text(script.read_text("utf-8") + "// edited\n", "utf-8")
    assert sent_version() == files_version() != before
    component_files._version_at.cache_clear()


# In a browser


def test_a_failed_load_says_what_to_do(context: BrowserContext) -> None:
    with watched_page(context, expected="Failed to") as page:
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        failed = page.get_by_role("alert").filter(has_text=FAILED)
        for asked in ("editor/wire.js", "editor/component.css"):
            # Not by Playwright's route, which has every file of the page loaded and compiled anew.
            session.send("Network.setBlockedURLs", {"urls": [f"*/{asked}"]})
            page.goto("/")
            expect(failed.last).to_have_text(
                "This part of the page could not be loaded. "
                "Check that the server is running, then reload the page."
            )
            assert page.locator(".panel .t").count() == 0
        session.send("Network.setBlockedURLs", {"urls": []})
        page.reload()
        expect(page.locator(".panel .t").first).to_be_visible()
        assert failed.count() == 0
        session.detach()


def test_loader_waits_for_the_style_and_loses_no_message(page: Page) -> None:
    held: list[Route] = []
    page.route("**/editor/component.css", lambda route: held.append(route))
    with page.expect_event(
        "requestfinished", lambda request: request.url.endswith("/editor/index.js"), timeout=PATIENCE
    ):
        page.goto("/?s=")
    assert page.locator(".editor").count() == 0
    expect(page.locator(".panel")).to_have_count(0)
    (style,) = held
    style.continue_()
    expect(page.locator(".panel .t").first).to_be_visible()
    assert page.locator(".input").input_value().startswith("Tokens")


def opens_at(page: Page, address: str) -> None:
    page.goto(f"{address}/by_hand")
    expect(page.locator(".hand .tok").first).to_be_visible()


def test_under_a_sub_path_where_a_cold_deep_link_shows_its_page_alone(context: BrowserContext) -> None:
    api = {"TOKEN_GROVE_API": "on"}
    with serve(path="/class/grove", variables=api) as address, watched_page(context) as page:
        # Nobody has been here before: this visitor is the first to run the script.
        page.goto(f"{address}/class/grove/words")
        shows_words_alone(page)
        opens_at(page, f"{address}/class/grove")
        assert page.request.get(f"{address}/class/grove/api/v1/encodings").ok, "test_api.py has more of it"


def test_behind_a_proxy_with_a_prefix(context: BrowserContext, server: str) -> None:
    # The page is left before the proxy ends: it loads on when its first tokens are seen.
    with proxy_to(server, b"/room/7") as proxy, watched_page(context) as page:
        opens_at(page, f"{proxy.address}/room/7")
