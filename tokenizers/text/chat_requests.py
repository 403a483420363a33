"""Requests to other APIs, converted to OpenAI's Chat Completions, in whose form templates take a chat.

OpenAI's Responses API and Anthropic's Messages API, as vLLM (entrypoints/anthropic/serving.py) and llama.cpp
(tools/server/server-common.cpp) convert them. As in vLLM, a template gets a call's arguments as an object.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..json_types import JsonObject

NO_CHAT = (
    "A chat is a list of messages, or a request with “messages” or “input”, as OpenAI’s and Anthropic’s APIs "
    "take it, and perhaps with “tools”. Convert what another API takes, such as Gemini’s “contents”."
)

_TEXTS = {"text", "input_text", "output_text"}
_IMAGES = {"image", "input_image"}
_CALLS = {"tool_use", "function_call"}
_RESULTS = {"tool_result", "function_call_output"}
_TYPES_OF_ANTHROPIC = {"tool_use", "tool_result", "redacted_thinking"}
_KEYS_OF_ANTHROPIC = {"input_schema", "signature"}
_CHOICES = {"auto": "auto", "none": "none", "any": "required"}


def convert_request(request: JsonObject) -> tuple[JsonObject, list[str]]:
    """A request in the form of Chat Completions, and what has no place there. One in that form stays so.

    Raises:
        ValueError: a message is not as its API has it; says which.

    >>> convert_request({"instructions": "Be brief.", "input": "Hi"})[0]["messages"]
    [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Hi'}]
    >>> result = {"type": "tool_result", "tool_use_id": "1", "content": "noon"}
    >>> convert_request({"messages": [{"role": "user", "content": [result]}]})[0]["messages"]
    [{'role': 'tool', 'tool_call_id': '1', 'content': 'noon'}]
    """
    is_of_responses = "input" in request and "messages" not in request
    if not is_of_responses and not _is_of_anthropic(request):
        return request, []
    system_key, key = ("instructions", "input") if is_of_responses else ("system", "messages")
    items = request.get(key)
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    if not isinstance(items, list):
        raise ValueError(NO_CHAT)
    named = [(f"“{key}”, number {number},", item) for number, item in enumerate(items, 1)]
    system = request.get(system_key)
    if system:
        named.insert(0, (f"“{system_key}”", {"role": "system", "content": system}))
    messages: list[JsonObject] = []
    left_out: list[str] = []
    for name, item in named:
        try:
            _add_item(messages, item, left_out)
        except (AttributeError, KeyError, TypeError):
            raise ValueError(
                f"{name} lacks a key, or has another kind of value than the API takes."
            ) from None
    converted = {name: value for name, value in request.items() if name not in (system_key, key)}
    converted["messages"] = messages
    tools = request.get("tools")
    if isinstance(tools, list):
        converted["tools"] = list(_convert_tools(tools, left_out))
    choice = request.get("tool_choice")
    if isinstance(choice, dict):
        converted["tool_choice"] = _convert_choice(choice)
    return converted, left_out


def _convert_choice(choice: JsonObject) -> Any:
    if "name" in choice:
        return {"type": "function", "function": {"name": choice["name"]}}
    return _CHOICES.get(str(choice.get("type")), choice)


def _is_of_anthropic(request: JsonObject) -> bool:
    """Whether this has what only Anthropic's requests have."""
    if "system" in request:
        return True
    blocks = _objects_in(request.get("tools"))
    for message in _objects_in(request.get("messages")):
        blocks += _objects_in(message.get("content"))
    for block in blocks:
        if str(block.get("type")) in _TYPES_OF_ANTHROPIC or _KEYS_OF_ANTHROPIC & block.keys():
            return True
    return False


def _objects_in(value: Any) -> list[JsonObject]:
    """The objects in a list; none: it is no list."""
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]


def _add_item(messages: list[JsonObject], item: JsonObject, left_out: list[str]) -> None:
    """Add a message of either API, or an item of Responses that has no role.

    The results of tools are messages of their own, before the text beside them. Reasoning, text and calls of
    the assistant are one message, also where they are several items.
    """
    role = item.get("role", "assistant")
    parts, calls = [], []
    thoughts = ""
    for block in _blocks(item["content"]) if "role" in item else [item]:
        kind = str(block.get("type"))
        if kind in _RESULTS:
            call_id = block.get("tool_use_id") or block["call_id"]
            content = _content(_blocks(block.get("output") or block.get("content") or ""))
            messages.append({"role": "tool", "tool_call_id": call_id, "content": content})
        elif kind in _CALLS:
            arguments = block["input"] if "input" in block else _arguments(block["arguments"])
            function = {"name": block["name"], "arguments": arguments}
            calls.append(
                {"id": block.get("call_id") or block["id"], "type": "function", "function": function}
            )
        elif kind == "thinking":
            thoughts += block["thinking"]
        elif kind == "reasoning" and block.get("content"):
            thoughts += "".join(part["text"] for part in block["content"])
        elif "role" in item and kind != "redacted_thinking":
            parts.append(block)
        else:
            left_out.append(f"the {kind}")
    if not (parts or calls or thoughts):
        return
    last: JsonObject = messages[-1] if messages else {"role": ""}
    goes_on = role == "assistant" and last["role"] == "assistant"
    if not goes_on or (parts and last["content"]):
        last = {"role": role, "content": ""}
        messages.append(last)
    if parts:
        last["content"] = _content(parts, is_one_text=role == "system")
    if thoughts:
        last["reasoning_content"] = last.get("reasoning_content", "") + thoughts
    if calls:
        last["tool_calls"] = last.get("tool_calls", []) + calls


def _blocks(content: Any) -> list[JsonObject]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else [*content]


def _content(blocks: list[JsonObject], *, is_one_text: bool = False) -> Any:
    """A content as Chat Completions has it: one block of text is that text, several are a list of parts."""
    parts: list[JsonObject] = []
    for block in blocks:
        kind = str(block.get("type", "text"))
        if kind in _TEXTS:
            parts.append({"type": "text", "text": block["text"]})
        elif kind in _IMAGES:
            parts.append({"type": "image"})
        else:
            parts.append(block)
    texts = [part["text"] for part in parts if part.get("type") == "text"]
    is_text_alone = len(parts) == len(texts)
    if is_text_alone and (is_one_text or len(texts) == 1):
        return "".join(texts)
    return parts


def _arguments(text: str) -> Any:
    """The arguments of a call as an object, if they are one."""
    try:
        arguments = json.loads(text)
    except ValueError:
        return text
    return arguments if isinstance(arguments, dict) else text


def _convert_tools(tools: list[Any], left_out: list[str]) -> Iterator[Any]:
    for tool in tools:
        if not isinstance(tool, dict) or "function" in tool:
            yield tool
        elif "input_schema" in tool:
            function = {key: tool[key] for key in ("name", "description") if key in tool}
            function["parameters"] = tool["input_schema"]
            yield {"type": "function", "function": function}
        elif tool.get("type") == "function":
            function = {key: value for key, value in tool.items() if key != "type"}
            yield {"type": "function", "function": function}
        elif "type" in tool:  # one that the API's own server runs
            left_out.append(f"the tool {tool['type']}")
        else:
            yield tool
