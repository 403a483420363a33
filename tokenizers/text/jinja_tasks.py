"""Renders a chat by a template in Jinja's language, as Hugging Face's library does.

A template is a program that somebody else wrote. So it runs in Jinja's sandbox, and in a process with limits
(``split/bounded.py``). For that, this module imports nothing of the package.

Source: Hugging Face's transformers 5.24, utils/chat_template_utils.py.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from jinja2.utils import missing as no_object

MAX_RENDERED = 1_000_000
"""Characters of a rendered chat."""

_REASONING = ("reasoning_content", "thinking", "reasoning")


_PROBLEMS: list[tuple[type[Exception], str]] = [
    (jinja2.TemplateAssertionError, "asks for what transformers does not have"),
    (jinja2.TemplateSyntaxError, "does not parse"),
    (jinja2.TemplateNotFound, "asks for another file"),
    (jinja2.UndefinedError, "asks for what neither the chat nor its file gives"),
    (jinja2.TemplateError, "does not take this chat"),
    (Exception, "fails on this chat"),
]


class _Generation(Extension):
    """{% generation %}, around what the model itself wrote: here only its body counts."""

    tags = {"generation"}

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_body"), [], [], body).set_lineno(line)

    def _body(self, caller: Callable[[], str]) -> str:
        return caller()


def render_each(
    template: str, chats: list[dict[str, Any]], names: dict[str, str]
) -> tuple[list[str], list[str]]:
    """Render some chats.

    Args:
        template: in Jinja's language.
        chats: their ``messages`` and ``tools`` as JSON has them, and whether to ``add_generation_prompt``,
            the opening of the assistant's answer.
        names: of special tokens, such as ``bos_token``.

    Returns:
        The texts; empty ones from a chat behind the first on that the template does not take. And the names
        of special tokens for which nothing was printed in the first, since ``names`` lacks them.

    Raises:
        ValueError: the template does not parse, does not take the first chat, or asks for what is not there.

    >>> render_each("{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}{{ eos_token }}",
    ...             [{"messages": [{"role": "user", "content": "Hi"}]}], {"bos_token": "<s>"})
    (['<s>Hi'], ['eos_token'])
    """
    missing: set[str] = set()

    class Undefined(jinja2.Undefined):
        def __str__(self) -> str:
            name = self._undefined_name
            if self._undefined_obj is no_object and name is not None and name.endswith("_token"):
                missing.add(name)
            return ""

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[_Generation, loopcontrols],
        undefined=Undefined,
        loader=jinja2.DictLoader({}),
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda format: datetime.datetime.now().strftime(format)
    environment.globals["namespace"] = _namespace
    texts: list[str] = []
    printed: list[str] = []
    try:
        compiled = environment.from_string(template)
        for chat in chats:
            texts.append(_render(compiled, chat, names))
            printed = printed if texts[1:] else sorted(missing)
    except (MemoryError, RecursionError):
        raise
    except Exception as problem:  # a template can make Python raise any
        if not texts:
            what = next(what for kind, what in _PROBLEMS if isinstance(problem, kind))
            raise ValueError(f"The template {what}: {' '.join(str(problem).split())[:300]}") from None
    return [*texts, *[""] * (len(chats) - len(texts))], printed


def _render(compiled: jinja2.Template, chat: dict[str, Any], names: dict[str, str]) -> str:
    messages = []
    for given in chat["messages"]:
        message = {key: value for key, value in given.items() if value is not None}
        reasoning = next((message[key] for key in _REASONING if key in message), None)
        if reasoning is not None:
            message = {"thinking": reasoning, **message, "reasoning_content": reasoning}
        messages.append(message)
    text = ""
    for part in compiled.generate({"tools": None, "documents": None, **names, **chat, "messages": messages}):
        text += part
        if len(text) > MAX_RENDERED:
            raise jinja2.TemplateRuntimeError(f"it makes more than {MAX_RENDERED:,} characters of it.")
    return text


def _to_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: Any = None,
    separators: Any = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _namespace(*values: Any, **more: Any) -> Namespace:
    attributes = dict(*values, **more)
    hidden = [name for name in attributes if str(name).startswith("_")]
    if hidden:
        raise jinja2.exceptions.SecurityError(f"a namespace takes no name that begins with “_”: {hidden[0]}")
    return Namespace(attributes)


def _refuse(message: object) -> NoReturn:
    raise jinja2.TemplateError(str(message))
