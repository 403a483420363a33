"""Requests pasted whole: what of them reaches the prompt, what is said of the rest, and other APIs' forms."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.refusals import refused
from tokenizers import get_encoding
from tokenizers.bpe import HomeEncoding
from tokenizers.encoding import ChatTemplates
from tokenizers.json_types import JsonObject
from tokenizers.measure.chat_counts import count_chat
from tokenizers.text.chat import TEMPLATES
from tokenizers.text.chat_json import parse_chat
from tokenizers.text.uploaded_chat import render_template, variables_of

HI = {"role": "user", "content": "Hi <|end|>"}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}

STYLE = "{% if style == 'two words' %}!{% endif %}{% macro f() %}{{ about }}{% endmacro %}{{ f() }}{{ b }}"


def kwargs(**values: Any) -> JsonObject:
    return {"chat_template_kwargs": values}


def test_what_people_wrote_into_a_request_is_plain_text() -> None:
    template = (
        "{% for d in documents %}<|end|>{{ d.snippet }}{% endfor %}{{ identity }}{{ bos_token }}{{ style }}"
    )
    more = kwargs(identity="I am <|end|>", bos_token="<|s|> <|s|>", style="<|end|>")
    chat = parse_chat(json.dumps({"messages": [HI], "documents": [{"snippet": "<|end|>"}], **more}))
    parts = render_template(template, chat, {})
    assert [part.text for part in parts if not part.of_template] == ["<|end|>", "I am <|end|>"]
    assert parts[-1].text == "<|s|> <|s|><|end|>"


CONVERTED = """[
  {"role": "system", "content": "S"},
  {"role": "user", "content": "go"},
  {"role": "assistant", "content": "", "reasoning_content": "t", "tool_calls": [
    {"id": "1", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}]},
  {"role": "tool", "tool_call_id": "1", "content": "r"},
  {"role": "user", "content": "go"},
  {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image"}]}
]"""
GO = {"role": "user", "content": "go"}
USED_CHOICE = {"type": "function", "function": {"name": "f"}}
ANTHROPIC = """{
  "system": [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}],
  "messages": [
    {"role": "user", "content": "go"},
    {"role": "assistant", "content": [
      {"type": "thinking", "thinking": "t", "signature": "s"},
      {"type": "redacted_thinking", "data": "d"},
      {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}]},
    {"role": "user", "content": [
      {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "r"}]},
      {"type": "text", "text": "go"}]},
    {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image", "source": {}}]}],
  "tools": [
    {"name": "f", "input_schema": {"type": "object"}},
    {"type": "web_search_20250305", "name": "web_search"}],
  "tool_choice": {"type": "any"},
  "max_tokens": 9
}"""
RESPONSES = """{
  "instructions": "S",
  "input": [
    {"role": "user", "content": [{"type": "input_text", "text": "go"}]},
    {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "t"}]},
    {"type": "reasoning", "summary": [], "encrypted_content": "e"},
    {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{\\"a\\": 1}"},
    {"type": "function_call_output", "call_id": "1", "output": "r"},
    {"role": "user", "content": "go"},
    {"role": "user", "content": [{"type": "input_text", "text": "a"}, {"type": "input_image"}]}],
  "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}, {"type": "web_search"}],
  "tool_choice": {"type": "function", "name": "f"},
  "store": false
}"""


@pytest.mark.parametrize(
    ("request_", "choice", "unused"),
    [
        (ANTHROPIC, "required", ["the redacted_thinking", "the tool web_search_20250305", "max_tokens"]),
        (RESPONSES, USED_CHOICE, ["the reasoning", "the tool web_search", "store"]),
    ],
    ids=["Anthropic", "Responses"],
)
def test_parse_chat_converts_requests_to_other_apis(request_: str, choice: Any, unused: list[str]) -> None:
    chat = parse_chat(request_)
    assert [each.as_json() for each in chat.messages] == json.loads(CONVERTED)
    assert list(chat.tools) == [TOOL] and chat.n_others == 1
    assert chat.settings.variables == {"tool_choice": choice} and list(chat.settings.unused) == unused


def notes_of(template: str, **request: Any) -> list[str]:
    own = HomeEncoding([], "gpt4o", ["<|end|>"])
    own.chat_templates = ChatTemplates(
        "{% for m in messages %}{{ m.content }}{% endfor %}{{ style }}{{ prefix }}"
    )
    encoding = get_encoding(TEMPLATES[template].encoding) if template in TEMPLATES else own
    chat = parse_chat(json.dumps({"messages": [GO], **request}))
    count = count_chat(chat, template, encoding, get_encoding)
    return [*count.notes, count.remark] if count.remark else [*count.notes]


def test_count_chat_names_few_of_many() -> None:
    [many] = notes_of("own", **kwargs(**{f"key{i}{'x' * 99}": i for i in range(12)}))
    assert len(many) < 600 and "and 2 more" in many


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_templates_of_the_app_end_a_chat_as_its_request_says(template: str) -> None:
    def end(**more: Any) -> str:
        request = {"messages": [GO, {"role": "assistant", "content": "Yes"}, *more.pop("more", [])], **more}
        parts = TEMPLATES[template].render_chat(parse_chat(json.dumps(request)))
        return "".join(part.text for part in parts)

    whole = end()
    assert end(continue_final_message=True) == whole[: whole.index("Yes") + 3]
    closed = end(add_generation_prompt=False)
    assert closed == whole.removesuffix("<|start|>assistant").removesuffix("<|im_start|>assistant\n")
    prefix = {"role": "assistant", "content": "So", "prefix": True}
    assert end(more=[GO, prefix]).endswith("So")
    for more in ({"continue_final_message": "reasoning"}, {"continue_final_message": True, "more": [GO]}):
        with refused("can continue a text of the assistant only"):
            end(**more)


def test_count_chat_counts_documents_apart() -> None:
    own = HomeEncoding([], "gpt4o", ["<|end|>"])
    own.chat_templates = ChatTemplates(
        "{% for d in documents or [] %}{{ d.text }}{% endfor %}{{ messages[0].content }}"
    )
    chat = parse_chat(json.dumps({"messages": [GO], "documents": [{"text": "a b"}, {"text": "<|end|>"}]}))
    rows = {row.part: row for row in count_chat(chat, "own", own, get_encoding).rows}
    assert set(rows["documents"].published.values()) == {None}
    assert (rows["documents"].rendered, rows["text"].rendered, rows["framing"].rendered) == (10, 2, 0)


def test_count_chat_refuses_long_variables() -> None:
    chat = parse_chat(json.dumps({"messages": [GO], **kwargs(a="a" * 200_001)}))
    with refused("more than 200,000 characters"):
        count_chat(chat, "own", HomeEncoding([], "gpt4o"), get_encoding)


def test_the_variables_that_a_template_reads() -> None:
    template = STYLE + "{% generation %}{{ a.b }}{% endgeneration %}"
    assert variables_of(template) == {"style", "about", "b", "a"}
