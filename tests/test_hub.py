"""Files from Hugging Face's hub, by the real library, from a hub on this machine that may mean harm."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tokenizers.files import hub, hub_task
from tokenizers.split import bounded

pytest.importorskip("huggingface_hub")
COMMIT = "0123456789abcdef" * 2 + "01234567"


class LocalHub(ThreadingHTTPServer):
    """A hub: repositories by name, files by name, and how it misbehaves.

    Attributes:
        files: contents by ``owner/name/file``.
        says: what it says the length is, by the same; the true one, where it is not here.
        seconds: that it waits before each part of a thousand bytes, until the test is over.
        errors: what it answers instead, by ``owner/name``: a status and the hub's own code.
        asked: what it was asked for.
        sent: the files of which a part was sent.
        is_over: that the test needs no more of it.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.files: dict[str, bytes] = {}
        self.says: dict[str, int] = {}
        self.errors: dict[str, tuple[int, str]] = {}
        self.seconds = 0.0
        self.asked: list[str] = []
        self.sent: set[str] = set()
        self.is_over = threading.Event()


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LocalHub

    def do_HEAD(self) -> None:
        self.answer(has_body=False)

    def do_GET(self) -> None:
        self.answer(has_body=True)

    def answer(self, *, has_body: bool) -> None:
        path = self.path.strip("/").replace("/resolve/main/", "/").replace(f"/resolve/{COMMIT}/", "/")
        if not path.startswith("api/"):  # the library's own, once a day
            self.server.asked.append(f"{self.command} {path}")
        data, error = self.server.files.get(path), self.server.errors.get(path.rpartition("/")[0])
        if error or data is None:
            status, code = error or (404, "EntryNotFound")
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        length = self.server.says.get(path, len(data))
        self.send_response(200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", '"of-this-file"')
        if has_body and length != len(data):
            self.send_header("Connection", "close")  # the body ends with the connection, whatever its length
        else:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        if has_body:
            self.send(path, data)

    def send(self, path: str, data: bytes) -> None:
        try:
            for start in range(0, len(data), 1000 if self.server.seconds else 1 << 20):
                self.server.is_over.wait(self.server.seconds)
                self.wfile.write(data[start : start + (1000 if self.server.seconds else 1 << 20)])
                self.server.sent.add(path)
        except OSError:
            pass  # nobody listens any more

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def local_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    with LocalHub() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("HF_HOME", str(tmp_path))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        for of_cache in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HUB_OFFLINE"):
            monkeypatch.delenv(of_cache, raising=False)
        bounded.close_idle()  # a process keeps the environment that it began with
        yield server
        server.is_over.set()
        bounded.close_idle()
        server.shutdown()


@pytest.mark.slow
def test_the_first_file_that_is_there_is_fetched_and_is_there_without_a_network(local_hub: LocalHub) -> None:
    local_hub.files["some/one/tekken.json"] = b"{}"
    assert hub.fetch("some/one") == hub.Fetched("tekken.json", b"{}")
    assert local_hub.asked[:2] == ["HEAD some/one/tokenizer.json", "HEAD some/one/tekken.json"]
    with pytest.raises(ValueError, match="has none of the files"):
        hub.fetch("some/other")
    for status, code in ((401, "RepoNotFound"), (403, "GatedRepo"), (404, "RepoNotFound")):
        local_hub.errors["not/public"] = (status, code)
        with pytest.raises(ValueError, match="shows it only to those who signed in"):
            hub.fetch("not/public")
    local_hub.shutdown()
    local_hub.server_close()
    bounded.close_idle()  # and with it a connection that is still open
    assert hub.fetch("some/one") == hub.Fetched("tekken.json", b"{}")
    with pytest.raises(OSError, match="cannot be reached from here"):
        hub.fetch("some/third")


@pytest.mark.slow
def test_what_is_larger_than_it_may_be_is_refused_whatever_the_hub_says(
    local_hub: LocalHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "MAX_BYTES", 3 << 20)
    local_hub.files |= {"too/large/tokenizer.json": bytes(4 << 20), "it/lies/tokenizer.json": bytes(9 << 20)}
    local_hub.says["it/lies/tokenizer.json"] = 100
    with pytest.raises(ValueError, match="tokenizer.json of too/large has 4 MB, and 3 MB are the limit here"):
        hub.fetch("too/large")
    assert local_hub.asked == ["HEAD too/large/tokenizer.json"]  # nothing was sent
    with pytest.raises((ValueError, OSError)):
        hub.fetch("it/lies")
    assert sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()) < 1 << 20


@pytest.mark.slow
def test_a_slow_hub_is_not_waited_for(local_hub: LocalHub, monkeypatch: pytest.MonkeyPatch) -> None:
    local_hub.files["very/slow/tokenizer.json"] = bytes(1 << 20)
    local_hub.seconds = 0.05
    monkeypatch.setattr(hub, "SECONDS", 1.5)
    with pytest.raises(OSError, match="took more than"):
        hub.fetch("very/slow")


def test_a_fetch_takes_no_place_from_the_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may take a minute, and held one of their two places."""
    free: list[int] = []

    def ask(*_: object) -> tuple[str, tuple[str, str, bytes]]:
        free.extend((bounded._slots._value, hub._slots._value))
        return "done", ("file", "tokenizer.json", b"{}")

    monkeypatch.setattr(bounded, "_ask", ask)
    hub.fetch("some/one")
    assert free == [bounded.MAX_PROCESSES, 1] and hub._slots._value == 2


def test_what_is_kept_of_the_hub_has_a_limit(tmp_path: Path) -> None:
    """The oldest goes first, and nothing but what was fetched: not a link, nor the newest."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_bytes(bytes(100))
    folder = tmp_path / "kept"
    for number, name in enumerate(("old--er", "a--b", "new--er")):
        blobs = folder / f"models--{name}" / "blobs"
        blobs.mkdir(parents=True)
        (blobs / "x").write_bytes(bytes(100))
        os.utime(blobs.parent, (number, number))
    (folder / "models--link").symlink_to(outside)
    (folder / "other").mkdir()
    hub_task._make_room(folder, "a/b", 200)
    assert sorted(each.name for each in folder.iterdir()) == [
        "models--a--b",
        "models--link",
        "models--new--er",
        "other",
    ]
    hub_task._make_room(folder, "a/b", 1)
    assert not (folder / "models--new--er").exists() and (folder / "models--a--b").exists()
    assert (outside / "mine").exists()


@pytest.mark.parametrize(
    "name", ["", "a/b/c", "../x", "a b", "a/..", "http://evil.example/a/b", "a/b.git", "é/b", "-a/b"]
)
def test_names_that_the_hub_cannot_have(name: str) -> None:
    with pytest.raises(ValueError, match="is no name on"):
        hub.check_repository(name)
