"""Files from Hugging Face's hub, by the real library: its requests are answered here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.refusals import refused
from tokenizers.files import finding

httpx2 = pytest.importorskip("httpx2")
huggingface_hub = pytest.importorskip("huggingface_hub")


class LocalHub:
    """A hub: files by ``owner/name/file``, errors by ``owner/name``, and what it was asked for."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.errors: dict[str, tuple[int, str]] = {}
        self.asked: list[str] = []

    def answer(self, request: Any) -> Any:
        assert "authorization" not in request.headers  # the token of the server's owner is never sent
        repository, _, file = request.url.path.strip("/").partition("/resolve/main/")
        if file:  # the library has questions of its own, once a day
            self.asked.append(f"{request.method} {repository}/{file}")
        data = self.files.get(f"{repository}/{file}")
        if repository in self.errors or data is None:
            status, code = self.errors.get(repository, (404, "EntryNotFound"))
            return httpx2.Response(status, headers={"X-Error-Code": code})
        headers = {"X-Repo-Commit": "0123456789abcdef" * 2 + "01234567", "ETag": '"of-this-file"'}
        return httpx2.Response(200, headers=headers, content=data)


@pytest.fixture
def local_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    hub = LocalHub()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_TOKEN", "secret")
    huggingface_hub.set_client_factory(lambda: httpx2.Client(transport=httpx2.MockTransport(hub.answer)))
    yield hub
    huggingface_hub.set_client_factory(httpx2.Client)


@pytest.mark.slow
def test_fetch_from_hub_takes_the_first_file_and_keeps_it(
    local_hub: LocalHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    local_hub.files["some/one/tekken.json"] = b"{}"
    assert finding.fetch_from_hub("some/one") == ("tekken.json", b"{}")
    assert local_hub.asked[:2] == ["HEAD some/one/tokenizer.json", "HEAD some/one/tekken.json"]
    with refused("has no tokenizer file"):
        finding.fetch_from_hub("some/other")
    for status, code in ((401, "RepoNotFound"), (403, "GatedRepo"), (404, "RepoNotFound")):
        local_hub.errors["not/public"] = (status, code)
        with refused("no public repository"):
            finding.fetch_from_hub("not/public")

    def fail(request: Any) -> None:
        raise httpx2.ConnectError("There is no network.")

    monkeypatch.setattr(local_hub, "answer", fail)
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
    with refused("tokenizer.json of too/large has 4 MB, and the limit is 3 MB"):
        finding.fetch_from_hub("too/large")
    assert local_hub.asked == ["HEAD too/large/tokenizer.json"]
