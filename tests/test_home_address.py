"""The first page is found under its own name, too."""

from __future__ import annotations

from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from starlette.requests import Request
from starlette.routing import Match

from pages.server.page_script import home_route


@pytest.mark.parametrize("prefix", ["", "/grove", "/a/b/c"])
@pytest.mark.parametrize("query", ["", "s=1abc&tour=2"])
def test_its_name_leads_to_it_with_what_a_link_holds(prefix: str, query: str) -> None:
    path = f"{prefix}/playground"
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": query.encode(),
        "headers": [],
        "server": ("host", 80),
    }
    found, _ = home_route.matches(scope)
    assert found is Match.FULL
    answer = home_route.endpoint(Request(scope))
    assert answer.status_code == 307
    question = f"?{query}" if query else ""
    assert urljoin(f"http://host{path}", answer.headers["location"]) == f"http://host{prefix}/{question}"


def test_the_server_leads_there(server: str) -> None:
    with urlopen(f"{server}/playground?s=1abc") as answer:
        assert answer.url == f"{server}/?s=1abc" and b"<html" in answer.read()
