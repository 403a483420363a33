"""The first page is found under its own name, too."""

from __future__ import annotations

from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from pages.server.page_script import home_route

CLIENT = TestClient(Starlette(routes=[home_route]))


@pytest.mark.parametrize("prefix", ["", "/grove", "/a/b/c"])
@pytest.mark.parametrize("query", ["", "s=1abc&tour=2"])
def test_its_name_leads_to_it_with_what_a_link_holds(prefix: str, query: str) -> None:
    path, question = f"{prefix}/playground", f"?{query}" if query else ""
    answer = CLIENT.get(path + question, follow_redirects=False)
    assert answer.status_code == 307
    assert urljoin(f"http://host{path}", answer.headers["location"]) == f"http://host{prefix}/{question}"


def test_the_server_leads_there(server: str) -> None:
    with urlopen(f"{server}/playground?s=1abc") as answer:
        assert answer.url == f"{server}/?s=1abc" and b"<html" in answer.read()
