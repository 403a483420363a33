"""The tokens of a chat by the formula that OpenAI publishes, beside those of a template.

Source: OpenAI Cookbook, How to count tokens with tiktoken, sections 6 and 7 (commit c81359c, 2024). There, a
message is 3 tokens, its role and its content, and a name 1 more; the answer's opening is 3. Tools are what
``_count_tools`` gives. Nothing is published for calls, results, or newer models.

The Cookbook calls it an estimate. It gives all 50 counts of messages without tools that people recorded from
OpenAI's API; with tools it gives those of its own example, and few others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..encoding import Encoding
from ..text.chat import TEMPLATES, Chat, Part, Template, encode_parts, spells_special
from ..text.tool_schemas import function_of
from ..text.uploaded_chat import render_uploaded

WORDS, AROUND, OPENING = "words", "around each message", "beginning and opening"
TOOLS, CALLS, OTHERS, TOGETHER = "tools", "calls and results", "parts without text", "together"


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


@dataclass(frozen=True)
class CountedPart:
    """A part of a chat, counted in all ways.

    Attributes:
        part: which.
        published: its tokens by each of ``FORMULAS``; None: there is no formula for it.
        rendered: its tokens in the template; None: they are not in it, or cannot be told apart.
        why: the reason for a difference; empty: there is none.
    """

    part: str
    published: Mapping[str, int | None]
    rendered: int | None
    why: str


@dataclass(frozen=True)
class ChatCount:
    """A chat in a template.

    Attributes:
        parts: of its text.
        ids: of each part.
        rows: its parts beside the published formulas, with the total last.
        notes: what is true of this chat alone.
    """

    parts: Sequence[Part]
    ids: Sequence[Sequence[int]]
    rows: Sequence[CountedPart]
    notes: Sequence[str]


def published_count(chat: Chat, formula: Formula, encoding: Encoding) -> dict[str, int | None]:
    """The tokens of a chat by OpenAI's formula, by part; None: it does not count this part of the chat.

    >>> from tokenizers import get_encoding
    >>> from tokenizers.text import Message
    >>> chat = Chat([Message("user", "Hello")])
    >>> published_count(chat, FORMULAS["GPT-4o"], get_encoding("o200k_base"))
    {'words': 1, 'around each message': 4, 'beginning and opening': 3}
    """

    def count(text: str) -> int:
        return len(encoding.encode(text))

    messages = [message for _, message in chat.numbered(with_tools=False)]
    names = [count(message.name) + 1 for message in messages if message.name]
    counts: dict[str, int | None] = {
        WORDS: sum(count(text) for each in messages for text in each.texts or [each.content]),
        AROUND: sum(3 + count(message.role) for message in messages) + sum(names),
    }
    if chat.tools:
        counts[TOOLS] = 12 + sum(_count_tool(function_of(tool), formula, count) for tool in chat.tools)
    if len(messages) < len(chat.messages):
        counts[CALLS] = None
    if chat.n_others:
        counts[OTHERS] = None
    return {**counts, OPENING: 3}


def _count_tool(function: Mapping[str, Any], formula: Formula, count: Callable[[str], int]) -> int:
    total = formula.per_function + count(f"{function['name']}:{function['description'].removesuffix('.')}")
    properties = (function["parameters"] or {}).get("properties") or {}
    for name, value in properties.items():
        about = str(value.get("description") or "").removesuffix(".")
        total += 3 + count(f"{name}:{value.get('type', '')}:{about}")
        if isinstance(values := value.get("enum"), list):
            total += sum(3 + count(str(item)) for item in values) - 3
    return total + (3 if properties else 0)


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
    words 1 1
    around each message 4 5
    beginning and opening 3 3
    together 8 9
    """
    written = [f"{each.role}{each.name}{each.content}{each.calls}" for each in chat.messages]
    if len(f"{''.join(written)}{chat.tools}") > MAX_WRITTEN:
        raise ValueError(f"The chat has more than {MAX_WRITTEN:,} characters together: write less.")
    known = TEMPLATES.get(template)
    parts, ids, missing = _render(chat, known, encoding)
    total = sum(map(len, ids))
    rendered = _by_part(chat, parts, ids)
    notes = [_MISSING.format(name) for name in missing]
    if known is None and any(message.calls for message in chat.messages):
        notes.append(_ARGUMENTS)
    if known and any(_REASONING & message.as_json().keys() for message in chat.messages):
        notes.append("The reasoning in a message is not counted here.")
    if not rendered:
        notes.append(_MIXED)
    elif any(spells_special(encoding, message.content) for message in chat.messages):
        notes.append(_SPELLED)
    if chat.tools and rendered:
        try:
            rendered = _by_part(chat, *_render(replace(chat, tools=()), known, encoding)[:2])
        except ValueError:  # it is for chats with tools alone
            rendered = {}
        added = total - sum(rendered.values())
        rendered |= {TOOLS: added} if rendered and added else {}
    published = {
        title: published_count(chat, formula, get(formula.encoding)) for title, formula in FORMULAS.items()
    }
    rows = []
    for part in published["GPT-4o"]:
        mine = rendered.get(part)
        counts = {title: count[part] for title, count in published.items()}
        is_same = mine is not None and mine == counts["GPT-4, GPT-3.5" if template == "ChatML" else "GPT-4o"]
        kind = "mixed" if not rendered else "without" if mine is None else template
        why = next(_WHY[key] for key in ((kind, part), (kind, ""), ("", part)) if key in _WHY)
        rows.append(CountedPart(part, counts, mine, "" if is_same else why))
    sums = {title: sum(n or 0 for n in count.values()) for title, count in published.items()}
    uncounted = ", or ".join(part for part, n in published["GPT-4o"].items() if n is None)
    why = uncounted and f"The formula does not count {uncounted}."
    return ChatCount(parts, ids, [*rows, CountedPart(TOGETHER, sums, total, why)], notes)


def _render(
    chat: Chat, known: Template | None, encoding: Encoding
) -> tuple[list[Part], list[list[int]], list[str]]:
    """The parts of a chat, their ids, and the names of special tokens that the template lacks."""
    parts, missing = (known.render(chat), []) if known else render_uploaded(encoding, chat)
    return parts, encode_parts(encoding, parts), missing


def _by_part(chat: Chat, parts: Sequence[Part], ids: Sequence[Sequence[int]]) -> dict[str, int]:
    """The tokens of each part; none: the template's words and the messages' cannot be told apart."""
    if chat.messages and all(part.message is None for part in parts):
        return {}
    counts = {WORDS: 0, AROUND: 0, OPENING: 0}
    for part, its in zip(parts, ids, strict=True):
        if part.message is None:
            name = OPENING
        elif chat.messages[part.message].is_of_tools:
            name = CALLS
        else:
            name = AROUND if part.of_template else WORDS
        counts[name] = counts.get(name, 0) + len(its)
    return counts


_REASONING = {"reasoning_content", "reasoning", "thinking"}

_WHY = {
    ("", WORDS): "Another vocabulary, or tokens that a text shares with the template.",
    ("", AROUND): "The template has special tokens and words of its own.",
    ("", OPENING): "The template has special tokens and words of its own.",
    (
        "",
        TOOLS,
    ): "What the template adds with tools, less what it leaves out then. The formula is an estimate.",
    ("", CALLS): "OpenAI publishes no formula for them.",
    ("", OTHERS): "Only text is counted: a picture's tokens depend on its size and on the model.",
    ("mixed", ""): "Cannot be told apart in this template.",
    ("without", TOOLS): "Not written in this template here. Choose harmony, or the template of a file.",
    ("without", CALLS): "Not written in this template here, and OpenAI publishes no formula for them.",
    ("ChatML", AROUND): (
        "ChatML has a line break behind each <|im_end|>. Today’s formula does not count it; that of "
        "gpt-3.5-turbo-0301 did (4 a message, not 3)."
    ),
    ("harmony", AROUND): "Harmony names the channel of an answer, and heads the message of a developer.",
    ("harmony", TOOLS): "Harmony writes the whole schema; the formula estimates it from its first level.",
    ("harmony", OPENING): "In harmony the model itself writes what follows <|start|>assistant.",
}
"""Reasons for differences by template and part; "without": the part is not in the template."""

_MISSING = (
    "The template prints {}, which no file of this encoding gives: it is left out. Add the "
    "tokenizer_config.json; if that has none either, transformers may take one from its own code."
)
_ARGUMENTS = (
    "The arguments of calls go to the template as they are pasted: a text, as OpenAI has them, or an object, "
    "as Hugging Face asks."
)
_MIXED = (
    "The template's own words and those of the messages cannot be told apart: it changes them, or leaves "
    "them out. Where a message spells a special token, it becomes that token."
)
_SPELLED = (
    "A message spells a special token. Here it counts as plain text. In the editor, with special tokens on, "
    "it becomes the token itself: that is how somebody could slip in a message of their own."
)
