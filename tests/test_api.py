"""The JSON interface: its answers, its limits, who may use it, and its page in the docs."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.testclient import TestClient

import tokenizers as tk
from pages.explore.playground.encode_route import ROUTES
from pages.server import api
from pages.server.host_check import HostCheck
from pages.server.security_headers import SecurityHeaders
from pages.session.own_texts import MAX_TEXTS
from tests.browser import ROOT
from tests.judge import judge
from tests.loops import run
from tests.test_modules import modules as modules
from tests.texts import NASTY
from tokenizers.json_types import JsonObject
from tokenizers.registry import list_encodings
from tokenizers.text import MAX_IDS, MAX_TEXT_BYTES

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE = (ROOT / "docs" / "api.md").read_text("utf-8")
DESCRIPTION = json.loads((ROOT / "docs" / "openapi.json").read_text("utf-8"))
FRIEND, STRANGER = "https://friend.example", "https://stranger.example"
ON = {"TOKEN_GROVE_API": "on", "TOKEN_GROVE_API_ORIGINS": FRIEND}


def client_of(variables: dict[str, str]) -> TestClient:
    """The interface as the app has it: before a route whose path ends alike, behind the checks."""
    middleware = [Middleware(SecurityHeaders), Middleware(HostCheck)]
    app = Starlette(routes=[api.api_route(variables), *ROUTES], middleware=middleware)
    return TestClient(app, raise_server_exceptions=False)


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    for name, value in ON.items():
        monkeypatch.setenv(name, value)
    return client_of(ON)


def is_valid(value: Any, schema: JsonObject) -> bool:
    """Whether a value is as a schema of the description says, whose components it may name."""
    whole = {**schema, "components": DESCRIPTION["components"]}
    return bool(Draft202012Validator(whole).is_valid(value))


def ask(client: TestClient, path: str, request: Any, status: int = 200) -> Any:
    """The answer to a request. It is compared with the description, and so is a request that is taken."""
    method = "post" if path in ("encode", "decode", "count") else "get"
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    headers = {"Content-Type": "application/json"}
    reply = client.request(method.upper(), f"/api/v1/{path}", content=body, headers=headers)
    assert reply.status_code == status, reply.text
    described = DESCRIPTION["paths"][f"/{path}"][method]
    response = described["responses"][str(status)]
    if "$ref" in response:
        response = DESCRIPTION["components"]["responses"][response["$ref"].rpartition("/")[2]]
    answer = reply.json()
    assert is_valid(answer, response["content"]["application/json"]["schema"]), answer
    if status == 200 and method == "post":
        assert is_valid(json.loads(body), described["requestBody"]["content"]["application/json"]["schema"])
    return answer


def refuse(client: TestClient, path: str, request: Any, status: int = 400) -> str:
    """The sentence with which a request is refused."""
    error: str = ask(client, path, request, status)["error"]
    assert error.endswith(".") and "\n" not in error
    return error


# Answers


@pytest.mark.parametrize(("special", "allowed"), [("text", set()), ("tokens", "all")])
def test_encode_and_count_agree_with_tiktoken(client: TestClient, special: str, allowed: Any) -> None:
    name = "cl100k_base"
    texts = ["<|endoftext|> naïve 안녕", NASTY["lone high surrogate"], NASTY["spaces"]]
    request = {"encodings": [name, "bytes"], "texts": texts, "special": special}
    for text, row in zip(texts, ask(client, "count", request)["texts"], strict=True):
        ids = judge(name).encode(text, allowed_special=allowed, disallowed_special=())
        answer = ask(client, "encode", {"encoding": name, "text": text, "special": special})
        assert answer["ids"] == ids and row["tokens"][name] == len(ids)
        hexes = [data.hex() for data in judge(name).decode_tokens_bytes(ids)]
        assert [token["bytes"] for token in answer["tokens"]] == hexes
        assert row["bytes"] == len(bytes.fromhex("".join(hexes)))


def test_encodings_are_those_that_come_with_the_app(client: TestClient) -> None:
    assert [each["name"] for each in ask(client, "encodings", None)["encodings"]] == list_encodings()


# What is refused


WRONG = [
    ("encode", b"[" * 100_000),
    ("decode", b'{"encoding": "gpt2", "ids": [' + b"9" * 5_000 + b"]}"),  # more digits than Python reads
    ("encode", b'{"encoding": "gpt3", "text": "a"}'),
    ("encode", b'{"encoding": "\\ud800", "text": "a"}'),
    ("encode", {"encoding": "g" * 100_000, "text": "a"}),
    ("encode", b'{"encoding": "assets/models/grove-udhr-8k.json", "text": "a"}'),
    ("decode", b'{"encoding": "gpt2", "ids": [' + b"9" * 4_000 + b"]}"),
]


@pytest.mark.parametrize(("path", "request_"), WRONG, ids=[f"{path} {body!s:.40}" for path, body in WRONG])
def test_what_is_wrong_is_refused_in_a_sentence(client: TestClient, path: str, request_: Any) -> None:
    assert len(refuse(client, path, request_)) < 600


def test_a_limit_is_taken_and_one_more_is_refused(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert api.MAX_COUNTED_BYTES == MAX_TEXT_BYTES
    monkeypatch.setattr(api, "MAX_ENCODED_BYTES", 2_000)
    most = "é" * 1_000
    assert ask(client, "encode", {"encoding": "gpt2", "text": most})["ids"] == judge("gpt2").encode(most)
    assert "2.0 KB" in refuse(client, "encode", {"encoding": "gpt2", "text": most + "a"}, 413)
    monkeypatch.setattr(api, "MAX_IDS", 1_500)
    ids = [11] * 1_500
    assert len(ask(client, "decode", {"encoding": "gpt2", "ids": ids})["text"]) == 1_500
    assert "1,501 ids" in refuse(client, "decode", {"encoding": "gpt2", "ids": [*ids, 11]}, 413)
    names, texts = ["bytes"] * api.MAX_ENCODINGS, ["a"] * MAX_TEXTS
    ask(client, "count", {"encodings": names, "texts": texts})
    refuse(client, "count", {"encodings": [*names, "gpt2"], "texts": texts}, 413)
    refuse(client, "count", {"encodings": names, "texts": [*texts, "a"]}, 413)
    monkeypatch.setattr(tk.get_encoding("bytes"), "longest_text", 3)
    too_long = b'{"encodings": ["gpt2", "bytes"], "texts": ["a", "abcd"]}'
    assert "up to 3 bytes" in refuse(client, "count", too_long)
    monkeypatch.setattr(api, "MAX_COUNTED_BYTES", 12)
    ask(client, "count", {"encodings": ["gpt2", "bytes"], "texts": ["aé", "abc"]})
    assert "12 bytes" in refuse(
        client, "count", {"encodings": ["gpt2", "bytes"], "texts": ["aéa", "abc"]}, 413
    )


def test_a_body_of_the_limit_is_read_and_a_longer_one_is_not(client: TestClient) -> None:
    for path, request in (
        ("encode", b'{"encoding": "gpt2", "text": "a"}'),
        ("decode", b'{"encoding": "gpt2", "ids": [1]}'),
        ("count", b'{"encodings": ["gpt2"], "texts": ["a"]}'),
    ):
        body = request.ljust(api.OPERATIONS[path].max_body)
        headers = {"Content-Type": "application/json"}
        assert client.post(f"/api/v1/{path}", content=body, headers=headers).status_code == 200
        refuse(client, path, body + b" ", 413)


def test_so_many_requests_are_worked_on_and_the_others_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    working: list[int] = []

    async def try_it() -> int:
        """How many requests are worked on while none has an answer."""
        door, slots = anyio.Event(), asyncio.Semaphore(api.MAX_WORKING)

        async def wait(*_: object) -> bytes:
            working.append(1)
            await door.wait()
            return b"{}"

        monkeypatch.setattr(api, "run_in_threadpool", wait)
        async with anyio.create_task_group() as group:
            for _ in range(6):
                request = Request({"type": "http", "method": "GET"})
                group.start_soon(api.respond, request, api.Operation(api.list_all), slots)
            await anyio.wait_all_tasks_blocked()
            at_once = len(working)
            door.set()
        return at_once

    assert run(try_it()) == api.MAX_WORKING
    assert len(working) == 6


def test_a_missing_file_and_a_fault_are_told_without_details(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(problem: Exception) -> None:
        def get_encoding(_: str) -> None:
            raise problem

        monkeypatch.setattr(api, "get_encoding", get_encoding)

    request = b'{"encoding": "gpt2", "text": "a secret"}'
    fail(OSError("This needs the library ftfy, which is not installed: pip install ftfy."))
    assert "ftfy" in refuse(client, "encode", request, 503)
    fail(KeyError("a secret"))
    assert "secret" not in refuse(client, "encode", request, 500)


def test_no_log_has_what_was_sent(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    ask(client, "encode", b'{"encoding": "gpt2", "text": "a secret"}')
    ask(client, "count", b'{"encodings": ["gpt2"], "texts": ["a secret"]}')
    refuse(client, "encode", b'{"encoding": "a secret", "text": "a secret"}')
    refuse(client, "encode", b'{"a secret')
    client.post("/api/v1/encode", content=b"a secret", headers={"Origin": STRANGER})
    ours = [record.getMessage() for record in caplog.records]
    assert any("another site" in message for message in ours)
    assert not [message for message in ours if "secret" in message]


# Who may use it


@pytest.mark.parametrize("variables", [{}, {"TOKEN_GROVE_API": "off"}, {"TOKEN_GROVE_API_ORIGINS": FRIEND}])
def test_it_is_off_by_default(variables: dict[str, str]) -> None:
    client = client_of(variables)
    for path in api.OPERATIONS:
        reply = client.post(f"/api/v1/{path}", content=b'{"encoding": "gpt2", "text": "a"}')
        assert reply.status_code == 404 and "TOKEN_GROVE_API=on" in reply.json()["error"]
    reply = client.get("/api/v1/encodings", headers={"Origin": FRIEND})
    assert "access-control-allow-origin" not in reply.headers


def access_of(asked: Any) -> str:
    """The answer's status, what it allows, how long it may be kept, and the words of a refusal.

    Of other sites, friend.example is listed.

    Asked with a method and a path, headers, and the names of ``TOKEN_GROVE_HOSTS``.
    """
    method, path, headers, names = asked
    body = b'{"encodings": [], "texts": []}' if method == "POST" else None
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (ON | {"TOKEN_GROVE_HOSTS": names}).items():
            patch.setenv(name, value)
        given = {"content-type": "application/json"} | headers
        reply = client_of(ON).request(method, path, content=body, headers=given)
    told = [f"{name}: {value}" for name, value in reply.headers.items() if "allow" in name or "cache" in name]
    by = "varies by Origin" if "Origin" in reply.headers.get("vary", "") else "does not vary"
    words = [reply.text.strip()] if reply.status_code >= 400 else []
    return "\n".join([f"{reply.status_code}, {by}", *sorted(told), *words])


# The description and the page


def test_the_description_has_each_path_and_what_a_request_may_say() -> None:
    assert DESCRIPTION["servers"] == [{"url": "/api/v1"}]
    assert set(DESCRIPTION["paths"]) == {f"/{name}" for name in api.OPERATIONS}
    Draft202012Validator.check_schema(DESCRIPTION["components"]["schemas"])
    for path, methods in DESCRIPTION["paths"].items():
        operation = api.OPERATIONS[path[1:]]
        assert list(methods) == (["post"] if operation.fields else ["get"])
        if operation.fields:
            schema = methods["post"]["requestBody"]["content"]["application/json"]["schema"]
            fields = DESCRIPTION["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["properties"]
            assert tuple(fields) == operation.fields
    counted = DESCRIPTION["components"]["schemas"]["CountRequest"]["properties"]
    assert counted["encodings"]["maxItems"] == api.MAX_ENCODINGS and counted["texts"]["maxItems"] == MAX_TEXTS
    assert DESCRIPTION["components"]["schemas"]["DecodeRequest"]["properties"]["ids"]["maxItems"] == MAX_IDS


def examples() -> Iterator[tuple[list[str], str]]:
    """Each curl of the page as words, and the answer below it; empty: there is none."""
    found = re.findall(r"```sh\n(curl .+?)```\n(?:\n```json\n(.+?)```)?", PAGE, re.DOTALL)
    for command, answer in found:
        yield shlex.split(command.replace("\\\n", " ")), answer


def test_the_page_tells_what_each_curl_answers(client: TestClient) -> None:
    paths = set()
    for (_, url, *options), answer in examples():
        path = url.removeprefix("http://localhost:8501")
        paths.add(path)
        if options:
            header, value, data, body = options
            assert (header, data) == ("-H", "-d")
            kind, _, media_type = value.partition(": ")
            reply = client.post(path, content=body.encode(), headers={kind: media_type})
        else:
            reply = client.get(path)
        assert reply.status_code == 200 and (not answer or reply.json() == json.loads(answer))
    assert paths == {f"/api/v1/{name}" for name in api.OPERATIONS}


def test_the_page_names_each_field_status_and_limit() -> None:
    schemas = DESCRIPTION["components"]["schemas"]
    table = PAGE.partition("| field | |")[2].partition("\n\n")[0]
    assert re.findall(r"`(\w+)`", table.replace("`null`", "")) == list(schemas["Token"]["properties"])
    statuses = {
        status
        for path in DESCRIPTION["paths"].values()
        for each in path.values()
        for status in each["responses"]
    }
    told = set(re.findall(r"\b[45]\d\d\b", PAGE.partition("## Errors")[2].partition("## Limits")[0]))
    assert told == statuses - {"200"} | {"405"}


def test_the_pages_javascript_says_what_each_token_is(client: TestClient, modules: Page) -> None:
    """As it is written, but for the network: the interface answers what it asks for."""
    (script,) = re.findall(r"```js\n(.+?)```", PAGE, re.DOTALL)

    def answer(url: str, options: JsonObject) -> Any:
        path = url.removeprefix("http://localhost:8501")
        return client.post(path, content=options["body"], headers=options["headers"]).json()

    modules.expose_function("answer", answer)
    said = modules.evaluate(
        f"""async () => {{
             const said = [], console = {{ log: (...words) => said.push(words.join(" ")) }};
             const fetch = async (...asked) => ({{ ok: true, json: () => window.answer(...asked) }});
             {script}
             return said;
           }}"""
    )
    assert said == [
        "1503 6e61 na",
        "9954 c3af ï",
        "737 7665 ve",
        "61138 20f09f91  ",
        "102 a9 👩",
        "2524 e2808d \u200d",
        "112927 f09f9a ",
        "222 80 🚀",
        "8",
    ]
