"""What tests share: the kernels; one server and one Chromium for each worker, and a page for each test."""

from __future__ import annotations

import functools
import gc
import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tests.browser import CHROMIUM_FLAGS, HOST, find_chromium, serve, visitor, watched_page
from tests.commands import Command, Ran, exit_code
from tests.engines.drive import why_not
from tests.examples import USUAL, scaled
from tokenizers import kernels
from tokenizers.json_types import JsonObject

NO_CHROMIUM = "There is no Chromium: apt install chromium, or set CHROMIUM to the path of one."
NO_DRIVER = "Playwright does not start: apt install libatomic1."

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

# The vocabularies' half a million tokens stay for good, and a collector that goes over them again and again
# takes a tenth of the time. (The app freezes them.)
gc.set_threshold(100_000, 50, 100)

# No deadlines: a slow machine is no bug. CI repeats the same examples; everywhere else they are new.
settings.register_profile(
    "grove",
    max_examples=scaled(USUAL),
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("grove")


def _stay_here(event: str, args: tuple[Any, ...]) -> None:
    """No test asks another host, nor does what it loads: the app works with no network."""
    if event == "socket.connect" and isinstance(args[1], tuple) and args[0].type == socket.SOCK_STREAM:
        host = args[1][0]  # a socket of datagrams only finds its route by this, and sends nothing
    elif event == "socket.getaddrinfo":
        host = args[0]
    else:
        return
    assert host in (None, "localhost", "::1", HOST), f"another host was asked: {host}"


sys.addaudithook(_stay_here)


def pytest_collection_finish() -> None:
    """What the tests are made of stays to the end: no collection looks at it again."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that need a server or a browser: ``-m "not browser"`` leaves them out.

    They come first: of two workers, one has them all, and only it starts a server and a browser.
    Those whose browser is missing are deselected, and the summary says so in a line.
    """
    missing = _missing_browsers()
    deselected = set()
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        engine = item.get_closest_marker("engine")
        if engine or {"server", "chromium_path"} & fixtures:
            item.add_marker("browser")
        if (engine and engine.args[0] in missing) or ("chromium_path" in fixtures and "chromium" in missing):
            deselected.add(item)
    if deselected:
        config.hook.pytest_deselected(items=list(deselected))
        items[:] = [item for item in items if item not in deselected]
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say in a line for each browser that is missing that its tests were left out, and how to get it."""
    if "not browser" not in config.option.markexpr:
        for reason in _missing_browsers().values():
            terminalreporter.write_line(f"Tests in a browser were skipped. {reason}")


@functools.cache
def _missing_browsers() -> dict[str, str]:
    """How to get each browser that is missing. In CI, none may be: its tests fail."""
    if os.environ.get("CI"):
        return {}
    reasons = {"chromium": _why_no_chromium(), "firefox": why_not("firefox"), "webkit": why_not("webkit")}
    return {browser: reason for browser, reason in reasons.items() if reason}


def _why_no_chromium() -> str:
    if importlib.util.find_spec("playwright") is None:
        return "Those in Chromium need Playwright: pip install playwright."
    if find_chromium() is None:
        return NO_CHROMIUM
    # Its driver is a program with libraries of the system.
    driver = subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True)
    return f"{NO_DRIVER} It says: {driver.stderr.strip()}" if driver.returncode else ""


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """A command of the library, as it is typed: ``command("show", "gpt2", "a text").out``."""
    return lambda *words: Ran(exit_code(*words), *capsys.readouterr())


@pytest.fixture(scope="session")
def compiled() -> None:
    """The compiled kernels. Without Numba, what is said of them is skipped."""
    if not (kernels.ready_to_train() and kernels.ready_to_encode()):
        pytest.skip("there is no Numba here")


@pytest.fixture
def checked_charts(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compare the charts of this test with Vega-Lite's schema and with their data: every field is a column.
    Their heights are compared with a screen's.

    Without a chart, the test fails.
    """
    from pages.shared import charts
    from tests.vega import beyond_their_axis, missing_fields, names_beside, titles_beside

    checked = []

    def check(titled: charts.TitledChart) -> JsonObject:
        if isinstance(titled.chart, dict):  # it was checked when it was made
            return titled.chart
        spec: JsonObject = titled.chart.to_dict(validate=True)
        assert not missing_fields(spec)
        assert 60 <= spec["height"] <= 1500, "it has room for its marks, and fits a screen or two"
        assert spec["height"] >= 14 * names_beside(spec)  # each has a line
        assert not beyond_their_axis(spec)
        assert all(7 * len(line) <= spec["height"] for line in titles_beside(spec)), "pixels"
        checked.append(spec)
        return spec

    charts._cached.clear()  # those of another test are checked here again
    monkeypatch.setattr(charts.TitledChart, "spec", property(check))
    yield
    assert checked


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The files of the reports that the pages of this test offer, by their names."""
    files = dict[str, str]()

    def write_now(_: str, write: Callable[[], dict[str, bytes]], *__: str) -> None:
        files.update((name, data.decode()) for name, data in write().items())

    monkeypatch.setattr("pages.shared.reports.offer_files", write_now)
    return files


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Where Chromium is. Without one, these tests are not collected; in CI, they fail."""
    return find_chromium() or pytest.fail(NO_CHROMIUM)


@pytest.fixture(scope="session")
def browser(chromium_path: str) -> Iterator[Browser]:
    """Chromium with a new profile."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a running Token Grove."""
    with serve() as address:
        yield address


@pytest.fixture(scope="session")
def context(browser: Browser, server: str) -> Iterator[BrowserContext]:
    """A visitor who loads the app's scripts once, for all tests: half of what opening a page takes."""
    with visitor(browser, server) as context:
        yield context


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page, not yet gone anywhere; ``page.goto("/")`` opens the app. Faults in it fail the test."""
    with watched_page(context) as page:
        yield page
