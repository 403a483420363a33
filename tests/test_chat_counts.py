"""Chats counted by the formula that OpenAI publishes, beside their templates."""

from __future__ import annotations

import json
from typing import Any

from tests.refusals import refused
from tokenizers import get_encoding
from tokenizers.bpe import HomeEncoding
from tokenizers.encoding import ChatTemplates
from tokenizers.measure.chat_counts import FORMULAS, ChatCount, count_chat, published_count
from tokenizers.text.chat import TEMPLATES, Chat, Message
from tokenizers.text.chat_json import parse_chat
from tools.known_answers import FOLDER


def published(request: Any, models: str) -> int:
    formula = FORMULAS[models]
    chat = parse_chat(json.dumps(request))
    return sum(n or 0 for n in published_count(chat, formula, get_encoding(formula.encoding)).values())


def count(chat: Chat, template: str) -> ChatCount:
    return count_chat(chat, template, get_encoding(TEMPLATES[template].encoding), get_encoding)


# OpenAI's own examples, and the counts of its API: openai-cookbook, How_to_count_tokens_with_tiktoken.ipynb
EXAMPLES = json.loads((FOLDER / "openai_examples.json").read_text("utf-8"))
JARGON = EXAMPLES["jargon"]
WEATHER = EXAMPLES["weather"]
ASKED = EXAMPLES["asked"]


def test_openais_own_examples() -> None:
    assert [published(JARGON, models) for models in FORMULAS] == [129, 124]
    assert [published({"messages": ASKED, "tools": [WEATHER]}, models) for models in FORMULAS] == [105, 101]
    assert published({"messages": ASKED, "functions": [WEATHER["function"]]}, "GPT-4o") == 101


def test_count_chat_has_parts_that_add_up_and_reasons() -> None:
    chat = parse_chat(json.dumps(EXAMPLES["with a call"]))
    counted = count(chat, "harmony")
    *rows, total = counted.rows
    assert sum(row.rendered or 0 for row in rows) == total.rendered == sum(map(len, counted.ids))
    for models in FORMULAS:
        assert sum(row.published[models] or 0 for row in rows) == total.published[models]
    by_part = {row.part: row for row in rows}
    assert set(by_part["calls and results"].published.values()) == {None}
    assert by_part["calls and results"].why and by_part["tools"].why
    assert "Only text is counted" in counted.notes[0]
    for template in TEMPLATES.keys() - {"harmony"}:
        with refused("without tools. Choose harmony"):
            count(chat, template)


def test_count_chat_without_tools_needs_a_template_for_them() -> None:
    own = HomeEncoding([], "gpt4o")
    own.chat_templates = ChatTemplates(tool_use="{{ tools }}")
    with refused("The template of .* is for chats with tools alone: add a tool."):
        count_chat(parse_chat('[{"role": "user", "content": "Hi"}]'), "own", own, get_encoding)


def test_a_chat_that_is_too_long_is_refused() -> None:
    with refused("more than 200,000"):
        count(Chat([Message("user", "a" * 200_001)]), "ChatML")
