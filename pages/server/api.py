"""The JSON interface for other programs; docs/api.md shows how to use it.

    GET  api/v1/encodings    the tokenizers that come with the app
    POST api/v1/encode       a text → its tokens, with their bytes, places and cuts
    POST api/v1/decode       ids → bytes and text
    POST api/v1/count        texts and tokenizers → numbers of tokens

It is off unless ``TOKEN_GROVE_API=on``. ``HostCheck`` decides which origins may use it. An answer depends on
its request alone: no session's text or tokenizer can be reached.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from pages.server.host_check import API_PATH, api_origins
from pages.server.requests import read_body
from pages.session.own_texts import MAX_TEXTS
from pages.session.workspace import MAX_PANELS
from tokenizers.amounts import bytes_in_words
from tokenizers.encoding import AllowedSpecial, Encoding
from tokenizers.json_types import JsonMapping, JsonObject, json_bytes
from tokenizers.limits import KB, MB
from tokenizers.registry import find_entry, get_encoding, list_encodings
from tokenizers.shipped import DamagedFileError
from tokenizers.text import MAX_IDS, MAX_TEXT_BYTES, Spans, decode_ids, encode_spans, text_of
from tokenizers.utf8 import count_lone_surrogates, utf8_length

MAX_ENCODED_BYTES = 16 * KB
"""Of a text whose tokens are described one by one. An answer of megabytes would keep all threads waiting."""
MAX_COUNTED_BYTES = MAX_TEXT_BYTES
"""Of all texts of a request that counts, once for each of its tokenizers."""
MAX_ENCODINGS = MAX_PANELS
MAX_WORKING = 2
"""So many requests are worked on at a time; the others wait. How many may come is for a proxy to say."""

_MAX_NAME = 100  # characters of an encoding's name: names that are close to it are looked for
_NO_PATH = "There is no such path, or the JSON interface is off: start the server with TOKEN_GROVE_API=on."


def list_all(_: JsonMapping) -> JsonObject:
    """The encodings that come with the app, in the order of the choosers. None is loaded."""
    rows = []
    for name in list_encodings():
        entry = find_entry(name)
        rows.append({"name": name} | {each: getattr(entry, each) for each in ("models", "maker", "about")})
    return {"encodings": rows}


def encode_text(fields: JsonMapping) -> JsonObject:
    """The tokens of a text."""
    text = fields.get("text")
    if not isinstance(text, str):
        raise ValueError("“text” should be a text.")
    _check_amount(utf8_length(text), MAX_ENCODED_BYTES, "This text has")
    encoding = _encoding(fields.get("encoding"))
    spans = encode_spans(encoding, text, allowed_special=_special(fields))
    return {
        "encoding": encoding.name,
        "ids": spans.ids.tolist(),
        "tokens": _describe_tokens(spans),
        "lone_surrogates": count_lone_surrogates(text),
    }


def _describe_tokens(spans: Spans) -> list[JsonObject]:
    """What there is to say of each token, and of the cut before it."""
    text_map = spans.text_map
    ids = spans.ids.tolist()
    own_bytes = [spans.encoding.token_bytes(token_id) for token_id in ids]
    columns = {
        "id": ids,
        "bytes": [each.hex() for each in own_bytes],
        "text": [text_of(each) for each in own_bytes],
        "special": spans.special.tolist(),
        "start_byte": spans.starts.tolist(),
        "end_byte": spans.ends.tolist(),
        "start_char": text_map.char_at[spans.starts].tolist(),
        "end_char": text_map.char_at[spans.ends].tolist(),
        "start_utf16": text_map.utf16_at[spans.starts].tolist(),
        "end_utf16": text_map.utf16_at[spans.ends].tolist(),
        "wall": [None] * len(spans),
        "splits_character": (~text_map.lead_bytes[spans.starts]).tolist(),
        "splits_grapheme": (~text_map.is_grapheme_edge[spans.starts]).tolist(),
    }
    with contextlib.suppress(ValueError):  # there is no split pattern, or its walls are not known
        columns["wall"] = spans.wall_starts.tolist()
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def decode(fields: JsonMapping) -> JsonObject:
    r"""What ids stand for.

    >>> decode({"encoding": "gpt2", "ids": [995, 168]})
    {'encoding': 'gpt2', 'bytes': '20776f726c64ec', 'text': ' world\ufffd', 'whole': False}
    """
    ids = _list_of(fields, "ids", int, MAX_IDS)
    encoding = _encoding(fields.get("encoding"))
    if any(not 0 <= token_id < encoding.n_vocab for token_id in ids):  # one may have thousands of digits
        raise ValueError(f"The ids of {encoding.name} run from 0 to {encoding.n_vocab - 1}.")
    data, _ = decode_ids(encoding, ids)
    text = data.decode("utf-8", errors="replace")
    return {"encoding": encoding.name, "bytes": data.hex(), "text": text, "whole": text_of(data) is not None}


def count(fields: JsonMapping) -> JsonObject:
    """How many tokens each text has in each encoding.

    >>> count({"encodings": ["gpt2", "bytes"], "texts": ["hello"]})
    {'texts': [{'bytes': 5, 'tokens': {'gpt2': 1, 'bytes': 5}}]}
    """
    names = _list_of(fields, "encodings", str, MAX_ENCODINGS)
    texts = _list_of(fields, "texts", str, MAX_TEXTS)
    sizes = list(map(utf8_length, texts))
    _check_amount(sum(sizes) * len(names), MAX_COUNTED_BYTES, "The texts, once for each tokenizer, have")
    special = _special(fields)
    encodings = list(map(_encoding, names))
    for encoding, text in itertools.product(encodings, texts):
        encoding.check_length(text)
    rows = []
    for text, n_bytes in zip(texts, sizes, strict=True):
        counts = {each.name: len(each.encode_array(text, allowed_special=special)) for each in encodings}
        rows.append({"bytes": n_bytes, "tokens": counts})
    return {"texts": rows}


def _encoding(name: object) -> Encoding:
    if not isinstance(name, str) or len(name) > _MAX_NAME:
        raise ValueError("A tokenizer is given by its name, such as “o200k_base”. GET encodings lists all.")
    return get_encoding(name)


def _special(fields: JsonMapping) -> AllowedSpecial:
    special = fields.get("special", "text")
    if special not in ("text", "tokens"):
        raise ValueError("“special” should be “text” or “tokens”: what a special token in a text becomes.")
    return "all" if special == "tokens" else ()


def _list_of(fields: JsonMapping, field: str, kind: type, most: int) -> list[Any]:
    items = fields.get(field)
    if not isinstance(items, list) or any(type(item) is not kind for item in items):  # True is an int, too
        raise ValueError(f"“{field}” should be a list of {'texts' if kind is str else 'whole numbers'}.")
    if len(items) > most:
        raise HTTPException(413, f"These are {len(items):,} {field}, and up to {most:,} are taken at a time.")
    return items


def _check_amount(n_bytes: int, most: int, what: str) -> None:
    if n_bytes > most:
        limit = bytes_in_words(most)
        raise HTTPException(413, f"{what} {bytes_in_words(n_bytes)}, and up to {limit} are taken at a time.")


class Operation(NamedTuple):
    """What a path does with the fields that a request may have, and the most bytes of its body."""

    work: Callable[[JsonMapping], JsonObject]
    fields: tuple[str, ...] = ()
    max_body: int = 0


OPERATIONS = {
    "encodings": Operation(list_all),
    "encode": Operation(encode_text, ("encoding", "text", "special"), 8 * MAX_ENCODED_BYTES),
    "decode": Operation(decode, ("encoding", "ids"), 2 * MB),
    "count": Operation(count, ("encodings", "texts", "special"), MAX_COUNTED_BYTES + 64 * KB),
}


def _make_answer(operation: Operation, body: bytes) -> bytes:
    try:
        return _write(operation.work(_read(body, operation.fields)))
    except (OSError, DamagedFileError) as problem:  # a file or a library is missing
        raise HTTPException(503, str(problem)) from None
    except ValueError as problem:
        raise HTTPException(400, str(problem)) from None


def _read(body: bytes, fields: tuple[str, ...]) -> JsonObject:
    try:
        request = json.loads(body)
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict) or not request.keys() <= set(fields):
        raise ValueError(f"The request should be an object in JSON, with no fields but {', '.join(fields)}.")
    return request


def _write(answer: JsonObject) -> bytes:
    return json_bytes({"version": 1, **answer}) + b"\n"


async def respond(request: Request, operation: Operation, slots: asyncio.Semaphore) -> Response:
    """Read a request, and make its answer in a thread, once one of the slots is free."""
    body = await _read_json(request, operation.max_body) if operation.fields else b"{}"
    async with slots:
        answer = await run_in_threadpool(_make_answer, operation, body)
    return _response(answer, 200)


async def _read_json(request: Request, most: int) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "Send JSON, with the header Content-Type: application/json.")
    return await read_body(request, most)


async def _refuse(_: Request, problem: Exception) -> Response:
    if not isinstance(problem, HTTPException):
        problem = HTTPException(500, "Something went wrong in Token Grove itself. Its log says where.")
    headers = problem.headers or {}
    fixed = {404: _NO_PATH, 405: f"This path takes {headers.get('Allow')}."}
    answer = _write({"error": fixed.get(problem.status_code, problem.detail)})
    return _response(answer, problem.status_code, headers)


def _response(answer: bytes, status: int, headers: Mapping[str, str] | None = None) -> Response:
    return Response(answer, status, {"Cache-Control": "no-store", **(headers or {})}, "application/json")


def api_route(variables: Mapping[str, str]) -> Mount:
    """The interface, also below a path, as environment variables say. It goes before paths that end alike."""
    origins = api_origins(variables)
    slots = asyncio.Semaphore(MAX_WORKING)
    routes = []
    for name, operation in OPERATIONS.items():
        method = "POST" if operation.fields else "GET"
        routes.append(Route(f"/{name}", partial(respond, operation=operation, slots=slots), methods=[method]))
    app = Starlette(
        routes=[] if origins is None else routes,
        middleware=[Middleware(CORSMiddleware, allow_origins=origins or [], allow_methods=["GET", "POST"])],
        exception_handlers={HTTPException: _refuse, Exception: _refuse},
    )
    return Mount(f"/{{prefix:path}}{API_PATH.strip('/')}", app)
