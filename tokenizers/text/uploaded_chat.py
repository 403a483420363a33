"""Chats in the template of an uploaded file, rendered by ``jinja_tasks.py`` in a process with limits.

A template gives one text. To find out which parts of it a person wrote, the chat is rendered once more with a
mark in place of each text: what is between the marks is the template's. The texts may come back without the
spaces around them, or as JSON writes them. If the template changes them in another way, they cannot be told
apart: the whole text counts as the template's, as in Hugging Face's library.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..encoding import Encoding
from ..split import bounded
from ..utf8 import well_formed
from .chat import Chat, PromptPart

SECONDS = 2.0

_TASKS = Path(__file__).with_name("jinja_tasks.py")

_TEXTS = frozenset(
    "content text arguments documents reasoning_content thinking reasoning".split()
    + "description title enum const default examples".split()
)
"""Keys of texts that somebody wrote. Others hold names, which a template may compare with its own."""

_WHOLE = frozenset({"arguments", "documents"})
"""Keys of objects in which every text is somebody's."""


def template_for(encoding: Encoding, chat: Chat) -> str:
    """The template that a chat is rendered in: its own, or that of an encoding's file.

    Raises:
        ValueError: the file has none for a chat without tools.
    """
    known = encoding.chat_templates
    for_tools = known.tool_use if chat.tools else None
    template = chat.settings.template or for_tools or known.default
    if template is None:
        raise ValueError(f"The template of {encoding.name} is for chats with tools alone: add a tool.")
    return template


def variables_of(template: str) -> frozenset[str]:
    """The variables that a template reads, such as messages, tools and enable_thinking.

    Raises:
        ValueError: the template does not parse, or needs too much time or memory.

    >>> sorted(variables_of("{% if enable_thinking is defined %}{{ messages }}{% endif %}"))
    ['enable_thinking', 'messages']
    """
    return frozenset(_run("variables_of", template))


def _run(task: str, template: str, *arguments: Any) -> Any:
    return bounded.run(
        *(_TASKS, task, template, *arguments),
        seconds=SECONDS,
        too_slow=f"The template was stopped after {SECONDS:g} seconds.",
        too_large="The template was stopped: it takes too much memory, or nests too deeply.",
    )


class _Written(NamedTuple):
    """A text that somebody wrote, and the number of its message."""

    text: str
    message: int | None


def render_template(template: str, chat: Chat, names: Mapping[str, str]) -> list[PromptPart]:
    """The parts of a chat in a template in Jinja's language.

    Args:
        template: of a file, or the chat's own.
        chat: its messages, tools and settings.
        names: of special tokens, such as ``bos_token``.

    Raises:
        ValueError: the template does not parse, does not take this chat, or needs too much time or memory.

    >>> from tokenizers.text import Message
    >>> for part in render_template(
    ...     "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}</>{% endfor %}",
    ...     Chat([Message("user", " Hi <s> ")]), {},
    ... ):
    ...     print(part.message, part.of_template, repr(part.text))
    0 True '<user>'
    0 False 'Hi <s>'
    None True '</>'
    """
    secret = secrets.token_hex(8)
    marks: dict[str, _Written] = {}

    def put_marks(value: Any, key: str, message: int | None) -> Any:
        """JSON with a mark in place of each text that somebody wrote; ``key`` is whose value it is."""
        if isinstance(value, str) and key in _TEXTS and value.strip():
            mark = f"mark{len(marks)}of{secret}"
            marks[mark] = _Written(value, message)
            return mark
        if isinstance(value, list):
            return [put_marks(each, key, message) for each in value]
        if isinstance(value, dict):
            is_whole = key in _WHOLE
            return {name: put_marks(each, key if is_whole else name, message) for name, each in value.items()}
        return value

    def put_variable_mark(value: Any, key: str) -> Any:
        """As ``put_marks``; a variable of one word may be compared with the template's own words."""
        is_prose = isinstance(value, str) and len(value.split()) > 1 and not key.endswith("_token")
        return put_marks(value, "text" if is_prose else key, None)

    variables = {
        "documents": None,
        "add_generation_prompt": chat.settings.opens_answer,
        **names,
        **chat.settings.variables,
        "tools": list(chat.tools) or None,
    }
    messages = [message.as_json() for message in chat.messages]
    as_given = {"messages": messages, "variables": variables, "continues": chat.settings.continues}
    marked = as_given | {
        "messages": [put_marks(message, "", number) for number, message in enumerate(messages)],
        "variables": {key: put_variable_mark(value, key) for key, value in variables.items()},
    }
    texts = _run("render_each", template, [as_given, marked])
    text, text_with_marks = map(well_formed, texts)  # a template can spell half of a surrogate pair
    pieces = re.split(f"(mark[0-9]+of{secret})", text_with_marks)
    return _find_parts(text, pieces, marks) or [PromptPart(text, None, of_template=True)]


def _find_parts(text: str, pieces: Sequence[str], marks: Mapping[str, _Written]) -> list[PromptPart] | None:
    """The parts of a text, found by means of the same text with marks; None: it differs elsewhere.

    Args:
        text: a chat in a template.
        pieces: the same, cut at the marks.
        marks: the text of each, and the number of its message.
    """
    first, *pieces = pieces
    written = [marks[mark] for mark in pieces[::2] if mark in marks]
    if not text.startswith(first) or len(written) < len(pieces) / 2:
        return None  # a template can make marks of its own
    # What the template says belongs to the message behind it.
    owners = [mark.message for mark in written] + [None]
    parts = [PromptPart(first, owners[0], of_template=True)]
    place = len(first)
    for mark, behind, owner in zip(written, pieces[1::2], owners[1:], strict=True):
        fitting = (form for form in _forms(mark.text) if text.startswith(form + behind, place))
        form = next(fitting, None)
        if form is None:
            return None
        parts.append(PromptPart(form, mark.message, of_template=False))
        parts.append(PromptPart(behind, owner, of_template=True))
        place += len(form + behind)
    return [part for part in parts if part.text] if place == len(text) else None


def _forms(written: str) -> list[str]:
    """How a template may spell what somebody wrote: as it is, without spaces around it, in JSON.

    >>> _forms(' "é" ')
    [' "é" ', '"é"', '"é" ', ' "é"', ' \\\\"é\\\\" ', ' \\\\"\\\\u00e9\\\\" ']
    """
    bare = [written, written.strip(), written.lstrip(), written.rstrip()]
    in_json = [json.dumps(written, ensure_ascii=False), json.dumps(written)]
    return bare + [form[1:-1] for form in in_json]
