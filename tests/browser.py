"""What browser tests need: a server of our own, and pages that are watched for faults."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Page, expect

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-quic",
    "--no-first-run",
    "--disable-component-update",
    "--disable-sync",
]


@contextmanager
def serve(seconds: float = 60, *, path: str = "") -> Iterator[str]:
    """Token Grove on a free port, for as long as the block lasts; its address, as http://host:port.

    Args:
        seconds: in which it must start.
        path: where it stands below the address, such as ``/class/grove``.

    Raises:
        AssertionError: it does not start, or its log has a traceback at the end.
    """
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += ["--server.port", str(port), "--server.headless", "true", "--server.baseUrlPath", path]
    with TemporaryFile() as log:

        def logged() -> str:
            log.seek(0)
            return log.read().decode(errors="replace")

        with subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT) as process:
            try:
                give_up = time.monotonic() + seconds
                while not _is_healthy(port, path):
                    assert process.poll() is None, f"The server ended:\n{logged()}"
                    assert time.monotonic() < give_up, f"The server did not start:\n{logged()}"
                    time.sleep(0.05)
                yield f"http://{HOST}:{port}"
            finally:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
        assert "Traceback" not in logged(), f"The server met an exception:\n{logged()}"


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((HOST, 0))
        port: int = found.getsockname()[1]
        return port


def _is_healthy(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", f"{path}/_stcore/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def watched_page(browser: Browser, base_url: str, *, expected: str | None = None) -> Iterator[Page]:
    """A page of a new browser context, not yet gone anywhere.

    Args:
        browser: where to open it.
        base_url: what ``page.goto("/")`` means.
        expected: console errors that hold these words are no fault.

    Raises:
        AssertionError: at the end, if there was an error in the page or its console, or a request
            to another host.
    """
    faults: list[str] = []

    def check_console(said: ConsoleMessage) -> None:
        if said.type == "error" and not _is_probe(said) and not (expected and expected in said.text):
            faults.append(f"error in the console: {said.text}")

    def check_host(url: str) -> None:
        address = urlsplit(url)
        if address.scheme not in ("data", "blob") and address.hostname != HOST:
            faults.append(f"another host was asked: {url}")

    context = browser.new_context(
        base_url=base_url,
        viewport={"width": 1360, "height": 840},
        permissions=["clipboard-read", "clipboard-write"],
    )
    try:
        context.on("weberror", lambda error: faults.append(f"error in the page: {error.error}"))
        context.on("console", check_console)
        context.on("request", lambda request: check_host(request.url))
        context.on("page", lambda page: page.on("websocket", lambda found: check_host(found.url)))
        yield context.new_page()
    finally:
        context.close()
    assert not faults, "\n".join(faults)


def settled(page: Page) -> None:
    """Wait until the page is drawn to its end: until then, a part of it may be old."""
    app = page.get_by_test_id("stApp")
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=15_000)


def _is_probe(said: ConsoleMessage) -> bool:
    """Whether this is the 404 of Streamlit's looking for its server, below a page's address first."""
    path = urlsplit(said.location["url"]).path
    return "404" in said.text and path.endswith(("/_stcore/health", "/_stcore/host-config"))
