"""What the app says and does when something is missing, damaged, full or cut off."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import streamlit
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from streamlit import config

from pages.server import start_check
from pages.server.component_files import FOLDER, files_version
from pages.server.errors import show_error
from pages.server.page_script import SCRIPTS, PageScript
from pages.server.start_check import class_urls
from pages.session import catalogue
from tests.browser import ROOT
from tests.processes import run_python
from tokenizers import shipped

_EACH_PAGE = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from streamlit.runtime import fragment
from streamlit.runtime.scriptrunner import exec_code
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash
from pages.server.errors import show_error

for module in (exec_code, fragment):  # an AppTest has no on_script_error, as st.App has
    module.handle_user_script_exception = lambda problem, _: show_error(problem)
for page in sys.argv[1:]:
    test = AppTest.from_file("pages/main.py", default_timeout=120)
    test.switch_page(page + "/page.py")
    test._page_hash = calc_hash(page.rpartition("/")[2])
    test.run()
    messages = [str(each.value) for kind in (test.error, test.warning, test.info) for each in kind]
    drawn = [str(getattr(element, "proto", "")) for element in test.main]
    print(json.dumps({"page": page, "faults": [each.value for each in test.exception], "messages": messages,
                      "drawn": "".join(drawn)}))
"""
PAGES = [path.parent.relative_to(ROOT / "pages").as_posix() for path in (ROOT / "pages").glob("*/*/page.py")]


@pytest.mark.slow
def test_every_page_says_which_of_the_files_that_come_with_the_app_is_missing(tmp_path: Path) -> None:
    """By its name in the repository, never by its place on the server."""
    for name in ("pages", "tokenizers", "assets", ".streamlit"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.xz"))
    shutil.copy(ROOT / "THIRD_PARTY.md", tmp_path)
    assets = tmp_path / "assets"
    for file in (assets / "encodings").glob("[0-9a-f]*[0-9a-f]"):
        file.write_bytes(b"")
    (assets / "models" / "grove-udhr-8k.json").unlink()
    (assets / "samples" / "samples.json").write_text("[{}]")
    (assets / "unicode" / "looks_like_ascii.txt").write_text("no number")
    (assets / "premiums" / "counts.json").write_text("[")
    shutil.rmtree(assets / "stories")
    command = [sys.executable, "-c", _EACH_PAGE, *PAGES]
    visits = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert visits.returncode == 0, visits.stderr[-2000:]
    visited = {visit["page"]: visit for visit in map(json.loads, visits.stdout.splitlines())}
    assert visited.keys() == set(PAGES)
    for visit in visited.values():
        assert not visit["faults"], visit
        assert str(tmp_path) not in "".join(visit["messages"]) + visit["drawn"], visit["page"]
    needs = {"explore/unicode", "measure/compression", "measure/vocabulary_size", "measure/languages"}
    for page in needs | {"explore/merge_trees", "explore/vocabulary", "grow/train"}:
        assert any("git checkout" in message for message in visited[page]["messages"]), page


def test_a_file_that_is_restored_is_read_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(catalogue, "ASSETS", tmp_path)
    catalogue.read_samples.cache_clear()
    with pytest.raises(shipped.MissingFileError, match=r"The file of samples samples\.json"):
        catalogue.read_samples()
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "samples.json").write_text('[{"label": "a", "hint": "b", "text": "c"}]')
    assert catalogue.read_samples() == [{"label": "a", "hint": "b", "text": "c"}]
    catalogue.read_samples.cache_clear()


def test_what_a_page_says_of_a_fault_names_what_to_do_and_no_details(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[str] = []
    monkeypatch.setattr(streamlit, "error", lambda words, **_: errors.append(words))
    secret = shipped.missing(
        ROOT / "assets" / "udhr" / "udhr.jsonl.xz", "The declaration's file", OSError(2, "")
    )
    for problem in (secret, MemoryError(), KeyError("/home/someone/a text that was typed")):
        assert show_error(problem)
    assert "assets/udhr" in errors[0] and "still here" in errors[0] and "less text" in errors[1]
    assert "load the page anew" in errors[2] and not any(
        "/home" in each or str(ROOT) in each for each in errors
    )


@pytest.mark.slow
def test_a_terminal_without_these_letters_gets_question_marks() -> None:
    """And the server starts, though something is missing whose name the terminal cannot write."""
    program = """if True:
        from streamlit import config
        import app
        config.set_option("server.address", "192.0.2.7")
        app.missing_packages = lambda: ["the package “é”"]
        app.report_start()
    """
    text = run_python("-c", program, PYTHONIOENCODING="ascii").stdout
    assert "For the class: http://192.0.2.7:8501" in text and "Missing: the package ???" in text


def listen(monkeypatch: pytest.MonkeyPatch, address: str | None, **more: Any) -> None:
    """The server listens there, with these options of Streamlit."""
    options = {"address": address, "port": 8501, "baseUrlPath": "", "headless": True, **more}
    monkeypatch.setattr(config, "get_option", {f"server.{name}": each for name, each in options.items()}.get)


def opened_in_browser(asked: Any) -> str:
    """What is opened in the browser of a Linux with this display, where the server has these options."""
    display, options = asked
    urls: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        listen(patch, **options)
        patch.setenv("DISPLAY", display)
        patch.delenv("WAYLAND_DISPLAY", raising=False)
        patch.setattr("sys.platform", "linux")
        patch.setattr("webbrowser.open", urls.append)
        patch.setattr("threading.Timer.start", lambda timer: timer.function(*timer.args))
        start_check.open_browser()
    return " ".join(urls)


def test_a_package_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not list(start_check.missing_packages())  # here, nothing is
    monkeypatch.setitem(start_check.PACKAGES, "no-such-package", "nothing works")
    (problem,) = start_check.missing_packages()
    assert problem == "The package no-such-package is not installed: nothing works."


def test_more_files_may_be_open_than_the_usual_limit() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, before[1]), before[1]))
        start_check.raise_open_files()
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (before[1], before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_class_urls_ask_no_other_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_check, "is_in_container", lambda: False)
    listen(monkeypatch, None)
    assert all(re.fullmatch(r"http://(?!127)[0-9.]+:8501", url) for url in class_urls())  # see conftest


def test_each_page_brings_our_styles_and_scripts() -> None:
    async def pages(scope: Scope, receive: Receive, send: Send) -> None:
        kind = "text/html" if scope["path"] == "/train" else "text/plain"
        await Response(b"<body></body>", headers={"etag": '"1"'}, media_type=kind)(scope, receive, send)

    browser = {"accept": "text/html,*/*", "accept-encoding": "gzip, br", "if-none-match": '"1"'}
    # Streamlit compresses its own page. Ours takes its place.
    page = TestClient(PageScript(GZipMiddleware(pages, minimum_size=1))).get("/train", headers=browser)
    ours = re.findall(r'(?:src|href)="\./components/(\w+)/([\w/]+\.\w+)"', page.text)
    assert int(page.headers["content-length"]) == len(page.content) and "etag" not in page.headers
    assert {version for version, _ in ours} == {files_version()}
    assert '<div id="root"><p class="grove-loading"' in page.text
    assert {name for _, name in ours} == {"common/theme.css", "page.css", *SCRIPTS}
    assert all((FOLDER / name).is_file() for _, name in ours)
    client = TestClient(PageScript(pages))
    for path, headers in (("/file", browser), ("/train", {"accept": "*/*"})):
        assert client.get(path, headers=headers).content == b"<body></body>"
