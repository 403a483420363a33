"""Chats as JSON: messages, a request to an API, or arguments of Hugging Face's ``apply_chat_template``."""

from __future__ import annotations

import json
import re
from typing import Any

from ..json_types import JsonObject
from ..utf8 import well_formed
from .chat import Chat, Message, ToolCall
from .chat_requests import NO_CHAT, convert_request
from .chat_settings import read_settings, take_keywords
from .tool_schemas import function_of, is_tool

MAX_JSON = 2_000_000
"""Characters of a chat as JSON. Pictures may be in it."""

MAX_DEPTH = 60
"""Lists and objects in each other."""

_NAME = re.compile(r"[^<|>\r\n]+")
"""A role or a name. None spells a special token."""


def parse_chat(text: str) -> Chat:
    """The chat in a list of messages, in one message, or in a whole request.

    Raises:
        ValueError: it is no such JSON; one sentence says where, or names the key.

    >>> parts = '[{"type": "text", "text": "Hi"}, {"type": "image_url"}]'
    >>> parse_chat(f'[{{"role": "user", "content": {parts}}}]').n_others
    1
    """
    if len(text) > MAX_JSON:
        raise ValueError(f"This chat has more than {MAX_JSON:,} characters: leave out pictures.")
    try:
        given = _well_formed(json.loads(text.removeprefix("\ufeff")))
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        hint = " It looks like Python: JSON has double quotes, true, false and null." if "': " in text else ""
        if problem.msg == "Extra data":
            hint = " If each line is a chat, take one line."
        raise ValueError(f"This is no valid JSON ({where}: {problem.msg}).{hint}") from None
    except (ValueError, RecursionError):
        raise ValueError("This JSON is nested too deeply, or has a number that is too long.") from None
    request = given if isinstance(given, dict) else {"messages": given}
    request = {"messages": [request]} if "role" in request else _unwrap(request)
    keywords = take_keywords(request)
    request, left_out = convert_request(request)
    messages = request.get("messages")
    tools = request.get("tools") or request.get("functions") or []
    if not isinstance(messages, list) or not isinstance(tools, list):
        raise ValueError(NO_CHAT)
    for number, tool in enumerate(tools, 1):
        if not is_tool(tool) or not _NAME.fullmatch(function_of(tool)["name"]):
            raise ValueError(
                f"Tool {number} is no function with a name and a JSON schema of its parameters: leave it out."
            )
    read = []
    for number, message in enumerate(messages, 1):
        try:
            read.append(_message(message))
        except (AttributeError, KeyError, TypeError):
            raise ValueError(
                f"Message {number} is not as OpenAI or Hugging Face have it: it needs a role and a content, "
                "a text or a list of parts; a call needs a function. A name has no <, > or |."
            ) from None
    n_others = sum(n_others for _, n_others in read)
    return Chat([message for message, _ in read], tools, n_others, read_settings(request, keywords, left_out))


def _unwrap(request: JsonObject) -> JsonObject:
    """A request as it is sent: out of a line for the Batch API of OpenAI or Anthropic, with extra_body."""
    line = request if {"url", "custom_id"} & request.keys() else {}
    body = line.get("body", line.get("params"))
    request = {**body} if isinstance(body, dict) else {**request}
    if isinstance(request.get("extra_body"), dict):
        request |= request.pop("extra_body")
    if isinstance(request.get("conversation"), list):  # as apply_chat_template calls them
        request.setdefault("messages", request.pop("conversation"))
    return request


def _well_formed(value: Any, room: int = MAX_DEPTH) -> Any:
    if not room:
        raise RecursionError
    if isinstance(value, dict):
        return {well_formed(key): _well_formed(each, room - 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_well_formed(each, room - 1) for each in value]
    return well_formed(value) if isinstance(value, str) else value


def _message(given: Any) -> tuple[Message, int]:
    """A message, and how many of its parts are no text."""
    old_call = given.get("function_call")
    calls = given.get("tool_calls") or ([{"function": old_call}] if old_call else [])
    content = given.get("content", "") if calls else given["content"]
    if not isinstance(content, str | list | None):
        raise TypeError
    parts = content if isinstance(content, list) else [content or ""]
    texts = [part.get("text", part.get("refusal")) if isinstance(part, dict) else part for part in parts]
    written = tuple(text for text in texts if isinstance(text, str))
    name = given.get("name") or given.get("tool_name")  # the second is Ollama's
    name = _name(name) if name else ""
    called = tuple(map(_call, calls))
    answers = str(given.get("tool_call_id", ""))
    message = Message(_name(given["role"]), "".join(written), name, written, called, answers, given)
    images = given.get("images")  # Ollama's
    return message, len(texts) - len(written) + (len(images) if isinstance(images, list) else 0)


def _call(call: Any) -> ToolCall:
    arguments = call["function"].get("arguments", "")
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(_name(call["function"]["name"]), arguments, str(call.get("id", "")))


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):  # a TypeError if it is no text
        raise TypeError
    return value
