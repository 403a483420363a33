"""The tokens of a chat by the formula that OpenAI publishes, beside those of a template.

Source: OpenAI Cookbook, How to count tokens with tiktoken, sections 6 and 7 (commit c81359c, 2024). There, a
message is 3 tokens, its role and its content, and a name 1 more; the answer's opening is 3. Tools are 12, and
what ``_count_tool`` gives for each. Nothing is published for calls, results, or newer models.

The Cookbook calls it an estimate. It gives all 50 counts of messages without tools that people recorded from
OpenAI's API; with tools it gives those of its own example, and few others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..encoding import Encoding
from ..json_types import JsonMapping
from ..text.chat import TEMPLATES, Chat, PromptPart, encode_parts
from ..text.tool_schemas import function_of
from ..text.uploaded_chat import render_template, template_for
from .chat_notes import notes_on_chat, notes_on_settings, remark_on_settings

TEXT = "text"
FRAMING = "framing"
TOOLS = "tools"
CALLS = "calls and results"
TOGETHER = "together"
DOCUMENTS = "documents"


class Formula(NamedTuple):
    """OpenAI's formula for some models: their vocabulary, and the tokens that a function takes by itself."""

    encoding: str
    per_function: int


FORMULAS = {"GPT-4, GPT-3.5": Formula("cl100k_base", 10), "GPT-4o": Formula("o200k_base", 7)}
"""By the models that the Cookbook names."""


FORMULA_SOURCES = (
    "The formula is OpenAI’s, in its [Cookbook](https://github.com/openai/openai-cookbook/blob/main/examples/"
    "How_to_count_tokens_with_tiktoken.ipynb): an estimate, for tools as well. OpenAI publishes nothing for "
    "calls of tools, their results, the o-series, GPT-4.1 and later models; its exact counts come from its "
    "[API](https://developers.openai.com/api/docs/guides/token-counting). Anthropic publishes no formula "
    "and no vocabulary of Claude 3 and later: its "
    "[API](https://platform.claude.com/docs/en/build-with-claude/token-counting) gives an estimate."
)
"""What is published where, in Markdown."""


MAX_WRITTEN = 200_000
"""Characters of a chat: of its messages, their calls and the tools."""


class CountedPart(NamedTuple):
    """A part of a chat, counted in all ways.

    Attributes:
        part: which.
        published: its tokens by each of ``FORMULAS``; None: there is no formula for it.
        rendered: its tokens in the template; None: it has none, or they cannot be told apart.
        why: the reason for a difference; empty: there is none.
    """

    part: str
    published: Mapping[str, int | None]
    rendered: int | None
    why: str


class ChatCount(NamedTuple):
    """A chat in a template.

    Attributes:
        parts: of its text.
        ids: of each part.
        rows: its parts beside the published formulas, with the total last.
        notes: what is true of this chat alone.
        remark: what of its request is left out without harm; empty: nothing.
    """

    parts: Sequence[PromptPart]
    ids: Sequence[Sequence[int]]
    rows: Sequence[CountedPart]
    notes: Sequence[str]
    remark: str


def published_count(chat: Chat, formula: Formula, encoding: Encoding) -> dict[str, int | None]:
    """The tokens of a chat by OpenAI's formula, by part; None: it does not count this part of the chat.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.text import Message
    >>> chat = Chat([Message("user", "Hello")])
    >>> published_count(chat, FORMULAS["GPT-4o"], get_encoding("o200k_base"))
    {'text': 1, 'framing': 7}
    """

    def count(text: str) -> int:
        return len(encoding.encode(text))

    messages = [message for message in chat.messages if not message.is_of_tools]
    names = [count(message.name) + 1 for message in messages if message.name]
    counts: dict[str, int | None] = {
        TEXT: sum(count(text) for each in messages for text in each.texts or [each.content]),
        FRAMING: sum(3 + count(message.role) for message in messages) + sum(names) + 3,
    }
    if chat.tools:
        counts[TOOLS] = 12 + sum(_count_tool(function_of(tool), formula, count) for tool in chat.tools)
    if len(messages) < len(chat.messages):
        counts[CALLS] = None
    if chat.settings.variables.get("documents"):
        counts[DOCUMENTS] = None
    return counts


def _count_tool(function: JsonMapping, formula: Formula, count: Callable[[str], int]) -> int:
    total = formula.per_function + count(f"{function['name']}:{function['description'].removesuffix('.')}")
    properties = (function["parameters"] or {}).get("properties") or {}
    for name, value in properties.items():
        about = str(value.get("description") or "").removesuffix(".")
        total += 3 + count(f"{name}:{value.get('type', '')}:{about}")
        if isinstance(values := value.get("enum"), list):
            total += sum(3 + count(str(item)) for item in values) - 3
    return total + (3 if properties else 0)


def template_title(encoding: Encoding) -> str:
    """What ``count_chat`` calls the template of an encoding.

    Raises:
        ValueError: it has none; names some that have one.

    >>> from tokenizers import get_encoding
    >>> template_title(get_encoding("qwen3"))
    'Qwen'
    """
    if encoding.chat_templates.are_known:
        return f"{encoding.name} (file)"
    for title, template in TEMPLATES.items():
        if template.encoding == encoding.name:
            return title
    names = ", ".join(template.encoding for template in TEMPLATES.values())
    raise ValueError(
        f"{encoding.name} has no chat template. These have one: {names}, and a tokenizer.json with its "
        "tokenizer_config.json or chat_template.jinja."
    )


def count_chat(chat: Chat, template: str, encoding: Encoding, get: Callable[[str], Encoding]) -> ChatCount:
    """Count a chat in a template, and by the published formulas.

    Args:
        chat: its messages and tools.
        template: a key of ``TEMPLATES``; another: the template of the encoding's file.
        encoding: of the template.
        get: gives the encodings of ``FORMULAS`` by name.

    Raises:
        ValueError: the chat is too long, or the template does not take it.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.text import Message
    >>> chat = Chat([Message("user", "Hello")])
    >>> for row in count_chat(chat, "ChatML", get_encoding("cl100k_im"), get_encoding).rows:
    ...     print(row.part, row.published["GPT-4, GPT-3.5"], row.rendered)
    text 1 1
    framing 7 8
    together 8 9
    """
    written = [f"{each.role}{each.name}{each.content}{each.calls}" for each in chat.messages]
    if len(f"{''.join(written)}{chat.tools}{chat.settings.variables}") > MAX_WRITTEN:
        raise ValueError(f"The chat has more than {MAX_WRITTEN:,} characters together: write less.")
    known = None if chat.settings.template else TEMPLATES.get(template)

    def render(each: Chat) -> list[PromptPart]:
        if known:
            return known.render_chat(each)
        # A file may have a template for tools alone.
        of_tools = chat if encoding.chat_templates.default is None else each
        return render_template(template_for(encoding, of_tools), each, encoding.chat_templates.names)

    parts = render(chat)
    ids = encode_parts(encoding, parts)
    n_tokens = sum(map(len, ids))
    rendered = _by_part(chat, parts, ids)
    variables = chat.settings.variables
    for part, is_there, without in (
        (TOOLS, bool(chat.tools), replace(chat, tools=())),
        (DOCUMENTS, bool(variables.get("documents")), _without_documents(chat)),
    ):
        if is_there and rendered:
            rendered[part] = n_tokens - sum(map(len, encode_parts(encoding, render(without))))
            rendered[FRAMING] -= rendered[part]
    published = {
        title: published_count(chat, formula, get(formula.encoding)) for title, formula in FORMULAS.items()
    }
    judge = "GPT-4, GPT-3.5" if template == "ChatML" else "GPT-4o"
    rows = list(_rows(template if known else "", rendered, published, judge))
    sums = {title: sum(n or 0 for n in count.values()) for title, count in published.items()}
    rows.append(CountedPart(TOGETHER, sums, n_tokens, ""))
    jinja = None if known else template_for(encoding, chat)
    notes = [*notes_on_chat(chat, jinja, encoding, bool(rendered)), *notes_on_settings(chat, jinja)]
    return ChatCount(parts, ids, rows, notes, remark_on_settings(chat))


def _rows(
    template: str,
    rendered: Mapping[str, int],
    published: Mapping[str, Mapping[str, int | None]],
    judge: str,
) -> Iterator[CountedPart]:
    """A row for each part: the template's count, the published ones, and why that of ``judge`` differs."""
    for part in published["GPT-4o"]:
        counts = {title: count[part] for title, count in published.items()}
        mine = rendered.get(part)
        why = "The template writes none of it."
        if mine:
            why = _WHY.get((template, part)) or _WHY["", part]
        is_same = mine in (None, counts[judge])
        yield CountedPart(part, counts, mine, "" if is_same else why)


def _without_documents(chat: Chat) -> Chat:
    variables = {key: value for key, value in chat.settings.variables.items() if key != "documents"}
    return replace(chat, settings=replace(chat.settings, variables=variables))


def _by_part(chat: Chat, parts: Sequence[PromptPart], ids: Sequence[Sequence[int]]) -> dict[str, int]:
    """The tokens of each part; none: the template's words and the messages' cannot be told apart."""
    if chat.messages and all(part.message is None for part in parts):
        return {}
    counts = Counter({TEXT: 0, FRAMING: 0})
    for part, its in zip(parts, ids, strict=True):
        is_of_tools = part.message is not None and chat.messages[part.message].is_of_tools
        is_text = part.message is not None and not part.of_template
        kind = TEXT if is_text else FRAMING
        counts[CALLS if is_of_tools else kind] += len(its)
    return counts


_WHY = {
    ("", TEXT): "Another vocabulary, or tokens that a text shares with the template.",
    ("", FRAMING): "The template has special tokens and words of its own.",
    ("", TOOLS): "What the template adds with tools, less what it leaves out. The formula is an estimate.",
    ("", CALLS): "OpenAI publishes no formula for them.",
    ("", DOCUMENTS): "OpenAI's API takes no documents apart from messages.",
    ("ChatML", FRAMING): (
        "ChatML has a line break behind each <|im_end|>. Today’s formula does not count it; that of "
        "gpt-3.5-turbo-0301 did (4 a message, not 3)."
    ),
    ("harmony", FRAMING): (
        "Harmony names the channel of an answer, and puts a heading above what a developer says. The model "
        "itself writes what follows the last <|start|>assistant."
    ),
    ("harmony", TOOLS): "Harmony writes the whole schema; the formula estimates it from its first level.",
}
"""Reasons for differences, by template and part; of any template without a reason of its own: ``""``."""
