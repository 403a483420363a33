"""Renders a chat by a template in Jinja's language, as Hugging Face's library does.

A template is a program that somebody else wrote. So it runs in Jinja's sandbox, and in a process with limits
(``split/bounded.py``). For that, this module imports nothing of the package.

Source: Hugging Face's transformers 5.24, utils/chat_template_utils.py.
"""

from __future__ import annotations

import datetime
import json
import re
from typing import Any, NoReturn

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_RENDERED = 1_000_000
"""Characters of a rendered chat."""

_REASONING = ("reasoning_content", "thinking", "reasoning")

# Around what the model itself wrote; here only its body counts. In Jinja, a block with variables of its own.
_GENERATION = re.compile(r"(\{%[-+]?\s*(?:end)?)generation(?=\s*[-+]?%\})")


def render_each(template: str, chats: list[dict[str, Any]], names: dict[str, str]) -> list[str]:
    """Render some chats; an empty text for each but the first that the template does not take.

    Args:
        template: in Jinja's language.
        chats: their ``messages`` and ``tools`` as JSON has them.
        names: of special tokens, such as ``bos_token``.

    Raises:
        ValueError: the template does not parse, does not take the first chat, or asks for what is not there.

    >>> render_each("{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}{{ eos_token }}",
    ...             [{"messages": [{"role": "user", "content": "Hi"}]}], {"bos_token": "<s>"})
    ['<s>Hi']
    """
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda format: datetime.datetime.now().strftime(format)
    texts: list[str] = []
    try:
        compiled = environment.from_string(_GENERATION.sub(r"\1with", template))
        for chat in chats:
            texts.append(_render(compiled, chat, names))
    except (MemoryError, RecursionError):
        raise
    except Exception as problem:  # a template can make Python raise any
        if not texts:
            is_syntax = isinstance(problem, jinja2.TemplateSyntaxError)
            what = "does not parse" if is_syntax else "does not take this chat"
            raise ValueError(f"The template {what}: {' '.join(str(problem).split())[:300]}") from None
    return [*texts, *[""] * (len(chats) - len(texts))]


def _render(compiled: jinja2.Template, chat: dict[str, Any], names: dict[str, str]) -> str:
    messages = []
    for given in chat["messages"]:
        message = {key: value for key, value in given.items() if value is not None}
        reasoning = next((message[key] for key in _REASONING if key in message), None)
        if reasoning is not None:
            message = {"thinking": reasoning, **message, "reasoning_content": reasoning}
        messages.append(message)
    given = {**names, **chat, "messages": messages, "documents": None, "add_generation_prompt": True}
    text = compiled.render(given)
    if len(text) > MAX_RENDERED:
        raise ValueError(f"it makes more than {MAX_RENDERED:,} characters of it.")
    return text


def _to_json(
    value: Any, ensure_ascii: Any = False, indent: Any = None, separators: Any = None, sort_keys: Any = False
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _refuse(message: object) -> NoReturn:
    raise jinja2.TemplateError(str(message))
