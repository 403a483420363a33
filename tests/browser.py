"""What browser tests need: a server of our own, and pages that are watched for faults."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pages.session.menu import SECTIONS

if TYPE_CHECKING:
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Download,
        Locator,
        Page,
        Request,
        ViewportSize,
        WebSocket,
    )
    from playwright.sync_api import expect as expect
else:

    def expect(actual: Any) -> Any:
        """Playwright's ``expect``, imported at its first use: the other tests run without Playwright."""
        from playwright.sync_api import expect

        expect.set_options(timeout=PATIENCE)
        return expect(actual)


def press(page: Page, name: str) -> None:
    """Click a button, found by a part of its name."""
    page.get_by_role("button", name=name).click()


def expect_text(page: Page, text: str) -> None:
    """Wait until a text is seen on the page."""
    expect(page.get_by_text(text)).to_be_visible()


def expect_editor(page: Page, text: str) -> None:
    """Wait until a text stands in the playground's editor."""
    expect(page.locator("textarea.input")).to_have_value(text)


def add_model(page: Page, typed: str) -> None:
    """Add a panel with the first model that is found by what is typed."""
    press(page, "+ Add a tokenizer")
    page.get_by_label("Search tokenizers").fill(typed)
    page.keyboard.press("Enter")


def expect_panels(page: Page, names: list[str]) -> None:
    """Whether the playground has panels of these encodings, in this order, as soon as it can."""
    panels = page.locator(".panel")
    expect(panels).to_have_count(len(names))
    for place, name in enumerate(names):
        expect(panels.nth(place)).to_have_attribute("data-encoding", name)


def counted(page: Page) -> None:
    """Wait until no panel is being counted: on a busy machine, one may be a moment longer than the others."""
    expect(page.locator(".tokens[aria-busy=true]")).to_have_count(0)


def expect_offered(page: Page, name: str, count: int = 1) -> None:
    """Whether the list of models has an encoding, as soon as it can."""
    expect(page.locator(f".chooser [data-name='{name}']:enabled")).to_have_count(count)


def flip_switch(page: Page, key: str) -> None:
    """Press a switch of the playground that stands under More."""
    switch = page.locator(f".switches [data-set={key}]")
    if not switch.is_visible():
        page.get_by_role("button", name="More", exact=True).click()
    switch.click()


ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
PAGES = [(section, title, address) for section, pages in SECTIONS.items() for address, title in pages.items()]
"""Each page's section, title and address, in the order of the navigation."""

PATIENCE = int(os.environ.get("PATIENCE", 90)) * 1000
"""Milliseconds until something has to be on the page: a busy machine is no fault."""
WINDOW: ViewportSize = {"width": 1360, "height": 840}
PHONE: ViewportSize = {"width": 390, "height": 844}
PROJECTOR: ViewportSize = {"width": 1920, "height": 1080}
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-quic",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=BackForwardCache",  # a page that was left is not come back to
    # One process for all pages: each visit to a new one compiles the app's scripts again, for half its time.
    "--renderer-process-limit=1",
    "--js-flags=--no-turbofan",  # what is optimised most is not run for long enough to pay
]


def find_chromium() -> str | None:
    """Where Chromium is: where CHROMIUM says, or on the path; None: nowhere.

    The headless shell first: it is the same engine without the browser around it, and takes a quarter less
    processor time.
    """
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@contextmanager
def serve(
    *, path: str = "", port: int = 0, module: str = "streamlit", variables: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Token Grove, for as long as the block lasts; its address, as http://host:port.

    Args:
        path: where it stands below the address, such as ``/class/grove``.
        port: where it listens; 0: at a free one.
        module: what runs it.
        variables: of its environment, besides those of this process.

    Raises:
        AssertionError: it does not start, or its log has a traceback at the end.
    """
    port = port or free_port()
    options = f"--server.address {HOST} --server.port {port} --server.headless true"
    options += " --server.fileWatcherType none"  # no file of the app changes while it is tested
    with subprocess.Popen(
        [
            *(sys.executable, "-m", module, "run", "app.py"),
            *options.split(),
            *("--server.baseUrlPath", path),
        ],
        cwd=ROOT,
        env={**os.environ, "TOKEN_GROVE_LOG": "full", **(variables or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        log: list[str] = []
        for line in process.stdout:
            log.append(line)
            if "URL: " in line:  # said once requests are taken
                break
        else:
            raise AssertionError(f"The server did not start:\n{''.join(log)}")
        reader = threading.Thread(target=log.extend, args=[process.stdout], daemon=True)
        reader.start()
        try:
            yield f"http://{HOST}:{port}"
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
            reader.join()
    assert "Traceback" not in "".join(log), f"The server met an exception:\n{''.join(log)}"


def free_port() -> int:
    """A port at which nothing listens."""
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        port: int = listener.getsockname()[1]
        return port


CRASHED = "the page crashed"
_faults: dict[BrowserContext, list[str]] = {}  # of each visitor's pages, since the last test began


@contextmanager
def visitor(browser: Browser, base_url: str) -> Iterator[BrowserContext]:
    """A browser context: what one person's browser keeps. ``page.goto("/")`` in it opens ``base_url``."""
    context = browser.new_context(
        base_url=base_url, viewport=WINDOW, permissions=["clipboard-read", "clipboard-write"]
    )
    context.set_default_timeout(PATIENCE)
    faults = _faults[context] = []

    def check_console(message: ConsoleMessage) -> None:
        if message.type == "error" and not _is_probe(message):
            faults.append(f"error in the console: {message.text} {message.location['url']}")

    def check_host(request: Request | WebSocket) -> None:
        address = urlsplit(request.url)
        if address.scheme not in ("data", "blob") and address.hostname != HOST:
            faults.append(f"another host was asked: {request.url}")

    def check_page(page: Page) -> None:
        page.on("websocket", check_host)
        page.on("crash", lambda _: faults.append(CRASHED))

    context.on("weberror", lambda error: faults.append(f"error in the page: {error.error}"))
    context.on("console", check_console)
    context.on("request", check_host)
    context.on("page", check_page)
    try:
        yield context
    finally:
        context.close()
        del _faults[context]


@contextmanager
def watched(context: BrowserContext, *, expected: str | None = None) -> Iterator[None]:
    """A visitor's pages are watched for faults, as long as the block lasts.

    Args:
        context: the visitor whose pages they are.
        expected: a regular expression; a fault in which it is found is none.

    Raises:
        AssertionError: at the end, if there was an error in a page or its console, or a request
            to another host.
    """
    _faults[context].clear()
    yield
    faults = [each for each in _faults[context] if not (expected and re.search(expected, each))]
    assert not faults, "\n".join(faults)


@contextmanager
def watched_page(context: BrowserContext, *, expected: str | None = None) -> Iterator[Page]:
    """A page that shows nothing yet, and is watched for faults; arguments and errors as of ``watched``.

    It is that of the visit before: the app's scripts are compiled in it already, and nothing else is left.
    """
    with watched(context, expected=expected):
        page = context.pages[0] if context.pages else context.new_page()
        page.bring_to_front()  # behind another one, it may not fill the screen
        page.set_viewport_size(WINDOW)
        page.emulate_media(color_scheme="light", forced_colors="none")
        page.mouse.move(0, 0)
        try:
            yield page
        finally:
            if CRASHED in _faults[context]:
                page.close()  # the next visit gets a new one
            else:
                leave(page)
            context.clear_cookies()


def leave(page: Page) -> None:
    """Leave a page, and clear what the browser keeps of it: the next test is a new person's."""
    page.unroute_all(behavior="ignoreErrors")  # what a test held back is not the next one's
    was_at = urlsplit(page.url)
    if was_at.scheme != "http":
        return
    # Behind the page's own listeners, which write there when it is left.
    page.evaluate("() => addEventListener('pagehide', () => sessionStorage.clear())")
    page.goto("about:blank")
    session = page.context.new_cdp_session(page)  # only now: until here, the page could keep something
    kept = {"origin": f"http://{was_at.netloc}", "storageTypes": "local_storage,indexeddb"}
    session.send("Storage.clearDataForOrigin", kept)
    session.detach()


def go_to(page: Page, section: str, title: str) -> None:
    """Go to another page by the menu, until it is drawn.

    Args:
        page: the browser's.
        section: the word in the header.
        title: the page's; the menu says more behind it.
    """
    left = urlsplit(page.url).path
    page.get_by_test_id("stHeader").get_by_text(section, exact=True).click()
    page.get_by_role("menuitem", name=re.compile(f"^{title}: ")).click()
    page.wait_for_url(lambda url: urlsplit(url).path != left, wait_until="commit")
    settled(page)


def add_tokenizer(page: Page, file: Path) -> None:
    """Choose a tokenizer's file on the page for that, which is open, and add it."""
    settled(page)
    page.locator("input[type=file]").set_input_files(file)
    add = page.get_by_role("button", name="Add")
    expect(add).to_be_visible()
    idle(page)  # while the preview above it is drawn, it moves away from under the mouse
    add.click()
    expect_text(page, f"{file.stem} was added. You can choose it on every page.")


def settled(page: Page) -> None:
    """Wait until the page is drawn to its end: until then, a part of it may be old."""
    # Not by expect: whenever it has to wait, it writes down what the whole page says, for longer than a run.
    drawn = "[data-testid=stApp][data-test-script-state=notRunning]"
    page.locator(drawn).wait_for(state="attached", timeout=PATIENCE)


def idle(page: Page) -> None:
    """Wait until the page is drawn, and two frames have passed in which nothing moved or changed its colour.

    All that waited for its turn by then is done. What a timer or an answer of the server begins later
    is not waited for. ``requestIdleCallback`` would wait for one frame more, which a page where nothing moves
    does not draw before the caret blinks, or not at all.

    Raises:
        playwright.sync_api.Error: the page is busy for ``PATIENCE``.
    """
    settled(page)
    page.evaluate(
        """async (patience) => {
             const twoFrames = async () => {
               for (let round = 0; round < 2; round++) {
                 await new Promise(requestAnimationFrame);
                 await scheduler.postTask(() => {}, { priority: "background" });  // after all other tasks
               }
             };
             const isRunning = ({ playState, effect }) =>
               playState === "running" && effect.getComputedTiming().endTime < Infinity;
             const findMoving = () => {
               const hosts = [...document.querySelectorAll("*")].filter((each) => each.shadowRoot);
               const roots = [document, ...hosts.map((host) => host.shadowRoot)];
               return roots.flatMap((root) => root.getAnimations()).filter(isRunning);
             };
             // Not by their promise: it stays open if the element is taken out, and no frame follows.
             const rest = async () => { do await twoFrames(); while (findMoving().length); };
             const describe = ({ effect: { target } }) => target.cloneNode().outerHTML;
             const fail = () => {
               throw new Error(`The page does not come to rest: ${findMoving().map(describe)}`);
             };
             await Promise.race([rest(), new Promise((done) => setTimeout(done, patience)).then(fail)]);
           }""",
        PATIENCE,
    )


def save_file(button: Locator) -> Download:
    """Press a button that saves a file, as soon as it can."""
    expect(button).to_be_visible()
    # A button that is still drawn has no file yet, and a table above it that is may move it.
    idle(button.page)
    with button.page.expect_download() as waiting:
        button.click()
    return waiting.value


def click_mark(mark: Locator) -> None:
    """Click a chart's mark once it stands still: a chart is drawn a little after the page, or its size."""
    idle(mark.page)
    mark.scroll_into_view_if_needed()
    mark.click(force=True)  # the marks of a chart may lie on each other


def _is_probe(message: ConsoleMessage) -> bool:
    """Whether this is the 404 of Streamlit's looking for its server, below a page's address first."""
    path = urlsplit(message.location["url"]).path
    return "404" in message.text and path.endswith(("/_stcore/health", "/_stcore/host-config"))


def shows_words_alone(page: Page) -> None:
    """Wait for the page Words and sources, with the navigation, and under no dialog."""
    expect(page.get_by_role("heading", name="Words and sources", level=1)).to_be_visible()
    for section in ("Explore", "Learn"):
        expect(page.get_by_test_id("stHeader").get_by_text(section)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
