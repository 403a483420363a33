"""Renders a chat by a template in Jinja's language, as Hugging Face's library does.

A template is a program that somebody else wrote. So it runs in Jinja's sandbox, and in a process with limits
(``split/bounded.py``). For that, this module imports nothing of the package.

Source: Hugging Face's transformers, utils/chat_template_utils.py.
"""

from __future__ import annotations

import datetime
import json
from typing import Any, NoReturn

import jinja2
import jinja2.meta
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_RENDERED = 1_000_000
"""Characters of a rendered chat."""


def render_each(template: str, chats: list[list[tuple[str, str]]], names: dict[str, str]) -> list[str]:
    """Render some chats, each ready for the assistant's answer.

    Args:
        template: in Jinja's language.
        chats: of each message, its role and its content.
        names: of special tokens, such as ``bos_token``.

    Raises:
        ValueError: the template is damaged, does not take such a chat, or asks for what is not there.

    >>> render_each("{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}", [[("user", "Hi")]],
    ...             {"bos_token": "<s>"})
    ['<s>Hi']
    """
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    try:
        wanted = jinja2.meta.find_undeclared_variables(environment.parse(template))
        missing = sorted(name for name in wanted if name.endswith("_token") and name not in names)
        if missing:
            raise ValueError(f"The template asks for {missing[0]}, and the file does not say which it is.")
        compiled = environment.from_string(template)
        return [_render(compiled, chat, names) for chat in chats]
    except jinja2.TemplateSyntaxError as problem:
        raise ValueError(f"The template is damaged: line {problem.lineno}, {problem.message}") from None
    except jinja2.TemplateError as problem:
        raise ValueError(f"The template does not take this chat: {str(problem)[:300]}") from None
    except (TypeError, AttributeError, KeyError, IndexError, ZeroDivisionError, OverflowError) as problem:
        raise ValueError(f"The template fails on this chat: {str(problem)[:300]}") from None


def _render(compiled: jinja2.Template, chat: list[tuple[str, str]], names: dict[str, str]) -> str:
    messages = [{"role": role, "content": content} for role, content in chat]
    parts, length = [], 0
    for part in compiled.generate(
        messages=messages, add_generation_prompt=True, tools=None, documents=None, **names
    ):
        length += len(part)
        if length > MAX_RENDERED:
            raise ValueError(f"The template makes more than {MAX_RENDERED:,} characters of this chat.")
        parts.append(part)
    return "".join(parts)


def _to_json(value: Any, indent: int | None = None, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def _refuse(message: object) -> NoReturn:
    raise jinja2.TemplateError(str(message))
