"""Chats: the template's tokens are tokens, and what people write never is."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokenizers as tk
from tests.examples import examples
from tests.refusals import refused
from tests.texts import any_text
from tokenizers.json_types import JsonObject
from tokenizers.text.chat import (
    ROLES,
    TEMPLATES,
    Chat,
    Message,
    PromptPart,
    encode_parts,
    render_harmony,
    spells_special,
)
from tokenizers.text.chat_json import parse_chat
from tokenizers.text.uploaded_chat import render_template
from tokenizers.utf8 import well_formed
from tools.known_answers import FOLDER

messages_of = st.lists(st.builds(Message, st.sampled_from(ROLES), any_text), max_size=4)


@pytest.mark.slow
@examples(100)
@given(messages_of, st.sampled_from(list(TEMPLATES)))
def test_what_people_write_is_never_a_special_token(messages: list[Message], template: str) -> None:
    enc = tk.get_encoding(TEMPLATES[template].encoding)
    try:
        parts = TEMPLATES[template].render_chat(Chat(messages))
    except ValueError:
        assert not any(message.role == "user" for message in messages)
        return
    ids = encode_parts(enc, parts)
    text = well_formed("".join(well_formed(part.text) for part in parts))
    for part, part_ids in zip(parts, ids, strict=True):
        assert part.of_template or not any(map(enc.is_special, part_ids))
    if enc.is_lossless and not any(spells_special(enc, part.text) for part in parts if not part.of_template):
        assert list(itertools.chain(*ids)) == enc.encode(text, allowed_special="all")


MISTRAL = json.loads((FOLDER / "mistral_chats.json").read_text("utf-8"))
"""What Mistral AI's mistral-common 1.13.1 makes of chats: InstructTokenizerV1 and V3, encode_instruct."""


@pytest.mark.parametrize("template", MISTRAL["ids"])
def test_mistrals_chats_are_those_of_its_own_library(template: str) -> None:
    encoding = tk.get_encoding(TEMPLATES[template].encoding)
    for title, chat in MISTRAL["chats"].items():
        parts = TEMPLATES[template].render_chat(parse_chat(json.dumps(chat)))
        assert sum(encode_parts(encoding, parts), []) == MISTRAL["ids"][template][title], title


def test_a_template_that_does_not_give_a_function_what_it_takes_is_refused() -> None:
    with pytest.raises(ValueError, match="does not take this chat"):  # the rest is Python's
        render_template("{{ strftime_now(1) }}", Chat([Message("user", "Hi")]), {})


@pytest.mark.parametrize("number", ["99", "9" * 5000])
def test_a_template_cannot_make_marks_of_its_own(number: str) -> None:
    template = "{{ 'mark" + number + "' ~ messages[0].content[5:] }}"
    rendered = render_template(template, Chat([Message("user", "Hi")]), {})
    assert rendered == [PromptPart("mark" + number, None, True)]


def list_rendered() -> Iterator[tuple[str, JsonObject, str]]:
    """Templates, requests, and the texts that transformers makes of them."""
    known = tomllib.loads((FOLDER / "transformers.toml").read_text("utf-8"))
    chats = known.pop("chats")
    for name, cases in known.items():
        chat = chats[name]
        for each in cases:
            for request, text in each["requests"]:
                yield each["template"], json.loads(chat) | json.loads(request), text


@pytest.mark.parametrize(("template", "request_", "text"), [*list_rendered()])
def test_render_template_is_transformers(template: str, request_: JsonObject, text: str) -> None:
    parts = render_template(template, parse_chat(json.dumps(request_)), {})
    assert "".join(part.text for part in parts) == text
    if "tools" in request_:  # what people wrote is told apart
        assert not any("<|end|>" in part.text for part in parts if part.of_template)


def test_reasoning_has_all_the_names_that_templates_give_it() -> None:
    chat = parse_chat('[{"role": "assistant", "content": "a", "reasoning": "r"}]')
    parts = render_template("{{ messages[0].reasoning_content }}|{{ messages[0].thinking }}", chat, {})
    assert "".join(part.text for part in parts) == "r|r"


# The text of openai-harmony 0.0.8 (Apache-2.0) for the same conversation, with the system message as typed.
HARMONY_TOOLS = (
    "<|start|>system<|message|>Be exact.<|end|><|start|>developer<|message|># Tools\n\n## functions\n\n"
    "namespace functions {\n\n// Get the weather\n// in a city\n"
    "type get = (_: {\n// Its name\ncity: string,\n"
    'unit?: "C" | "F", // default: C\ndays?: number[],\n// T\n//\nwhere?: {\n    // Examples:\n    // - "x"\n'
    "    at?: number | null,\n    },\nany?: any | null,\n}) => any;\n\ntype now = () => any;\n\n"
    "} // namespace functions<|end|><|start|>user<|message|>Hi<|end|>"
    "<|start|>assistant to=functions.get<|channel|>commentary <|constrain|>json<|message|>"
    '{"city": "Seoul"}<|call|>'
    "<|start|>functions.get to=assistant<|channel|>commentary<|message|>20<|end|><|start|>assistant"
)


HARMONY_CHAT = """{"messages": [
  {"role": "system", "content": "Be exact."},
  {"role": "user", "content": "Hi"},
  {"role": "assistant", "tool_calls": [
    {"id": "1", "function": {"name": "get", "arguments": {"city": "Seoul"}}}]},
  {"role": "tool", "tool_call_id": "1", "content": "20"}],
 "tools": [
  {"type": "function", "function": {"name": "get", "description": "Get the weather\\nin a city",
   "parameters": {"type": "object", "required": ["city"], "properties": {
      "city": {"type": "string", "description": "Its name"},
      "unit": {"type": "string", "enum": ["C", "F"], "default": "C"},
      "days": {"type": "array", "items": {"type": "integer"}},
      "where": {"type": "object", "title": "T",
                "properties": {"at": {"type": ["integer", "null"], "examples": ["x", 1]}}},
      "any": {"anyOf": [{"type": "string"}], "nullable": true}}}}},
  {"name": "now"}]}"""


def test_render_harmony_writes_tools_as_openais_library() -> None:
    chat = parse_chat(HARMONY_CHAT)
    parts = list(render_harmony(chat))
    assert "".join(part.text for part in parts) == HARMONY_TOOLS
    assert PromptPart('{"city": "Seoul"}', 2, False) in parts
    assert not any(part.of_template for part in parts if "namespace functions" in part.text)
    encoding = tk.get_encoding("o200k_harmony")
    ids = encode_parts(encoding, parts)
    assert sum(ids, []) == encoding.encode(HARMONY_TOOLS, allowed_special="all")
    *before, result = chat.messages
    named = replace(chat, messages=[*before, replace(result, name="now")])
    assert "<|start|>functions.now to=" in "".join(part.text for part in render_harmony(named))
    nameless = replace(chat, messages=[*before, replace(result, call_id="")])
    with refused("Harmony names the tool of each result"):
        list(render_harmony(nameless))


@pytest.mark.parametrize(
    ("pasted", "problem"),
    [
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "a number that is too long"),
        (" " * 2_000_001, "more than 2,000,000 characters"),
    ],
    ids=lambda value: value[:40],
)  # fmt: skip
def test_bad_json_is_one_sentence(pasted: str, problem: str) -> None:
    with refused(problem):
        parse_chat(pasted)
