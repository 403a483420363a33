"""Files from Hugging Face's hub, by the real library, from a hub on this machine of the tests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tokenizers.files import finding

huggingface_hub = pytest.importorskip("huggingface_hub")
constants = pytest.importorskip("huggingface_hub.constants")
COMMIT = "0123456789abcdef" * 2 + "01234567"


class LocalHub(ThreadingHTTPServer):
    """A hub: repositories by name, files by name, and how it misbehaves.

    Attributes:
        files: contents by ``owner/name/file``.
        errors: what it answers instead, by ``owner/name``: a status and the hub's own code.
        asked: what it was asked for.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.files: dict[str, bytes] = {}
        self.errors: dict[str, tuple[int, str]] = {}
        self.asked: list[str] = []


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: LocalHub

    def do_GET(self) -> None:
        path = self.path.strip("/").replace("/resolve/main/", "/").replace(f"/resolve/{COMMIT}/", "/")
        if not path.startswith("api/"):  # the library's own, once a day
            token = self.headers.get("Authorization", "")
            self.server.asked.append(f"{self.command} {path} {token}".strip())
        data, error = self.server.files.get(path), self.server.errors.get(path.rpartition("/")[0])
        if error or data is None:
            status, code = error or (404, "EntryNotFound")
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", '"of-this-file"')
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data)

    do_HEAD = do_GET

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def local_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    with LocalHub() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        monkeypatch.setattr(constants, "ENDPOINT", address)
        template = constants.HUGGINGFACE_CO_URL_TEMPLATE.partition("/{")[2]
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", f"{address}/{{{template}")
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("HF_TOKEN", "secret")  # the token of the server's owner is never sent
        yield server
        server.shutdown()


@pytest.mark.slow
def test_fetch_from_hub_takes_the_first_file_and_keeps_it(local_hub: LocalHub) -> None:
    local_hub.files["some/one/tekken.json"] = b"{}"
    assert finding.fetch_from_hub("some/one") == ("tekken.json", b"{}")
    assert local_hub.asked[:2] == ["HEAD some/one/tokenizer.json", "HEAD some/one/tekken.json"]
    assert not any("secret" in asked for asked in local_hub.asked)
    with pytest.raises(ValueError, match="has no tokenizer file"):
        finding.fetch_from_hub("some/other")
    for status, code in ((401, "RepoNotFound"), (403, "GatedRepo"), (404, "RepoNotFound")):
        local_hub.errors["not/public"] = (status, code)
        with pytest.raises(ValueError, match="no public repository"):
            finding.fetch_from_hub("not/public")
    local_hub.shutdown()
    local_hub.server_close()
    huggingface_hub.close_session()
    assert finding.fetch_from_hub("some/one") == ("tekken.json", b"{}")
    with pytest.raises(OSError, match="cannot be reached from this computer"):
        finding.fetch_from_hub("some/third")


@pytest.mark.slow
def test_a_file_that_is_too_large_is_not_fetched(
    local_hub: LocalHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finding, "MAX_FILE_BYTES", 3 << 20)
    local_hub.files["too/large/tokenizer.json"] = bytes(4 << 20)
    with pytest.raises(ValueError, match="tokenizer.json of too/large has 4 MB, and the limit is 3 MB"):
        finding.fetch_from_hub("too/large")
    assert local_hub.asked == ["HEAD too/large/tokenizer.json"]


@pytest.mark.parametrize(
    "name", ["", "a/b/c", "../x", "a b", "a/..", "http://evil.example/a/b", "a/b.git", "é/b", "-a/b"]
)
def test_names_that_the_hub_cannot_have(name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of a repository"):
        finding.check_repository(name)
