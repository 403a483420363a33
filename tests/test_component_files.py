"""The components' files: served once by address, current after an edit, under any path, or failing."""

from __future__ import annotations

import os
import re
import shutil
import socket
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from pages.server.component_files import FOLDER, LOOK, ComponentFiles, component_files
from pages.shared.components import loader
from tests.browser import HOST, PATIENCE, expect, serve, shows_words_alone, watched_page
from tests.visit import Visit, components

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

FAILED = "could not be loaded"


def ask(files: ComponentFiles, path: str, **headers: str) -> Response | None:
    """The answer to a request for a path, or None if the route does not take it."""
    scope: dict[str, Any] = {"type": "http", "method": "GET", "path": path, "query_string": b""}
    scope["headers"] = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    match, child = files.route().matches(scope)
    return files.answer(Request({**scope, **child})) if match is Match.FULL else None


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of all files, to edit."""
    return Path(shutil.copytree(FOLDER, tmp_path / "components"))


def test_a_file_may_be_kept_for_ever_under_its_version() -> None:
    version = component_files.snapshot().version
    for path, kind in [
        ("editor/index.js", "javascript"),
        ("common/common.css", "css"),
        ("editor/component.html", "html"),
    ]:
        answer = ask(component_files, f"/components/{version}/{path}")
        assert answer is not None and answer.status_code == 200
        assert answer.body == (FOLDER / path).read_bytes()
        assert (
            "immutable" in answer.headers["cache-control"]
            and "max-age=31536000" in answer.headers["cache-control"]
        )
        assert (
            kind in answer.headers["content-type"] and answer.headers["x-content-type-options"] == "nosniff"
        )


def test_an_older_page_gets_the_present_file_and_does_not_keep_it() -> None:
    answer = ask(component_files, "/components/0123456789abcdef/editor/index.js")
    assert answer is not None and answer.body == (FOLDER / "editor/index.js").read_bytes()
    assert answer.headers["cache-control"] == "no-cache"
    again = ask(component_files, "/components/old/editor/index.js", if_none_match=answer.headers["etag"])
    assert again is not None and (again.status_code, again.body) == (304, b"")


@pytest.mark.parametrize(
    "condition",
    ["TAG", "W/TAG", '"other", TAG', '"other",W/TAG , "more"', '"with, a comma",TAG', "*", " * "],
)
def test_a_file_that_the_browser_has_is_not_sent_again(condition: str) -> None:
    version = component_files.snapshot().version
    condition = condition.replace("TAG", f'"{version}"')
    path = f"/components/{version}/editor/index.js"
    answer = ask(component_files, path, if_none_match=condition)
    assert answer is not None and (answer.status_code, answer.body) == (304, b"")
    assert answer.headers["etag"] == f'"{version}"'


@pytest.mark.parametrize("condition", ["", '"other"', "TAG without quotes", 'W/"other", "TAGs"', '"*"'])
def test_a_file_that_the_browser_does_not_have_is_sent(condition: str) -> None:
    version = component_files.snapshot().version
    path = f"/components/{version}/editor/index.js"
    answer = ask(component_files, path, if_none_match=condition.replace("TAG", version))
    assert answer is not None and answer.status_code == 200 and answer.body


@pytest.mark.parametrize("prefix", ["", "/grove", "/a/b/c"])
def test_files_are_found_under_any_path(prefix: str) -> None:
    answer = ask(component_files, f"{prefix}/components/v/common/mount.js")
    assert answer is not None and answer.status_code == 200


@pytest.mark.parametrize(
    "path", ["editor/none.js", "../../app.py", "..%2f..%2fapp.py", "editor/", "", "/etc/passwd"]
)
def test_nothing_else_is_served(path: str) -> None:
    answer = ask(component_files, f"/components/v/{path}")
    assert answer is not None and answer.status_code == 404


def test_other_addresses_are_left_to_streamlit() -> None:
    for path in ("/", "/playground", "/_stcore/health", "/component/x/y", "/components", "/components/v"):
        assert ask(component_files, path) is None


def test_an_edit_is_a_new_version_a_second_later(copy: Path) -> None:
    now = 0.0
    files = ComponentFiles(copy, lambda: now)
    before = files.snapshot()
    assert before.version == component_files.snapshot().version  # of the contents, not of the folder
    style = copy / "editor" / "component.css"
    style.write_text(style.read_text("utf-8") + "\n.edited {}\n", "utf-8")
    assert files.snapshot() is before  # it is not looked for at every question
    now += LOOK
    after = files.snapshot()
    assert after.version != before.version and b".edited" in after.files["editor/component.css"]
    now += LOOK
    assert files.snapshot() is after  # nothing is read again while nothing changes
    (copy / "editor" / "new.js").write_text("export {};", "utf-8")
    now += LOOK
    assert "editor/new.js" in files.snapshot().files
    os.remove(copy / "editor" / "new.js")
    now += LOOK
    assert files.snapshot().version == after.version


def test_what_travels_with_every_answer_is_small() -> None:
    for folder in FOLDER.iterdir():
        if folder.is_dir() and folder.name != "common":
            script = loader(folder.name, component_files.snapshot().version)
            assert len(script) < 1300 and "$" not in re.sub(r"\$\{", "", script)


def test_an_edit_shows_after_a_reload_with_no_restart(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    files = ComponentFiles(copy, lambda: now)
    monkeypatch.setattr("pages.shared.components.component_files", files)

    def sent_version() -> str:
        visit = Visit("grow/by_hand/page.py", {})
        sent = components(visit.test)[0]
        assert not sent.html_content and not sent.css_content
        return str(re.findall(r"components/(\w+)/", sent.js_content)[0])

    before = sent_version()
    assert before == files.snapshot().version
    script = copy / "by_hand" / "index.js"
    script.write_text(script.read_text("utf-8") + "// edited\n", "utf-8")
    now += LOOK
    assert sent_version() == files.snapshot().version != before


# In a browser


def test_a_failed_load_says_what_to_do(context: BrowserContext) -> None:
    with watched_page(context, expected="Failed to") as page:
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        failed = page.get_by_role("alert").filter(has_text=FAILED)
        for asked in ("common/mount.js", "editor/index.js", "editor/wire.js", "editor/component.css"):
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


def test_a_slow_load_shows_nothing_without_its_style_and_loses_no_message(page: Page) -> None:
    held: list[Route] = []
    page.route("**/editor/component.css", lambda route: held.append(route))
    with page.expect_event(
        "requestfinished", lambda request: request.url.endswith("/editor/index.js"), timeout=PATIENCE
    ):
        page.goto("/?s=")
    assert page.locator(".editor").count() == 0
    expect(page.locator(".panel")).to_have_count(0)
    for route in held:
        route.continue_()
    expect(page.locator(".panel .t").first).to_be_visible()
    assert page.locator(".input").input_value().startswith("Tokens")


def test_files_come_once_for_each_version(page: Page) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto("/")
    expect(page.locator(".panel .t").first).to_be_visible()
    expect(page.locator(".keeper .label")).to_be_visible()
    files = [url for url in asked if "/components/" in url]
    assert files and len(files) == len(set(files))
    asked.clear()
    before = page.locator(".counts").text_content()
    page.locator(".input").press_sequentially("x")
    expect(page.locator(".counts")).not_to_have_text(before or "")
    assert not [url for url in asked if "/components/" in url]


def opens_at(page: Page, address: str) -> None:
    page.goto(f"{address}/")
    expect(page.locator(".panel .t").first).to_be_visible()
    page.goto(f"{address}/by_hand")
    expect(page.locator(".hand .tok").first).to_be_visible()


def test_under_a_sub_path_where_a_cold_deep_link_shows_its_page_alone(context: BrowserContext) -> None:
    with serve(path="/class/grove") as address, watched_page(context) as page:
        # Nobody has been here before: this visitor is the first to run the script.
        page.goto(f"{address}/class/grove/words")
        shows_words_alone(page)
        opens_at(page, f"{address}/class/grove")


class _Proxy(socketserver.ThreadingTCPServer):
    """Takes /room/7 away from the path of each request, and asks the server at ``target``."""

    daemon_threads = True
    prefix = b"/room/7"

    def __init__(self, target: tuple[str, int]) -> None:
        super().__init__((HOST, 0), _Connection)
        self.target = target


class _Connection(socketserver.BaseRequestHandler):
    """One request, or one websocket."""

    def handle(self) -> None:
        proxy = self.server
        assert isinstance(proxy, _Proxy)
        head = b""
        while b"\r\n\r\n" not in head:
            part = self.request.recv(65536)
            if not part:
                return
            head += part
        method, path, rest = head.split(b" ", 2)
        if not path.startswith(proxy.prefix + b"/"):
            self.request.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        rest = rest.replace(b"Connection: keep-alive", b"Connection: close")
        with socket.create_connection(proxy.target) as upstream:
            upstream.sendall(b" ".join((method, path.removeprefix(proxy.prefix), rest)))
            back = threading.Thread(target=_pump, args=(upstream, self.request), daemon=True)
            back.start()
            _pump(self.request, upstream)
            back.join()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """Hand on what comes, until the end."""
    try:
        while part := source.recv(65536):
            sink.sendall(part)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # the browser or the server went away


@pytest.fixture(scope="module")
def proxy(server: str) -> Iterator[str]:
    """The address of a proxy in front of the server."""
    host, port = server.removeprefix("http://").split(":")
    with _Proxy((host, int(port))) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield f"http://{HOST}:{proxy.server_address[1]}"
        proxy.shutdown()


def test_behind_a_proxy_with_a_prefix(page: Page, proxy: str) -> None:
    opens_at(page, f"{proxy}/room/7")
