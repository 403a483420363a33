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
from jinja2 import meta
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

JsonObject = dict[str, Any]  # as in json_types.py, which is not imported here

MAX_RENDERED = 1_000_000
"""Characters of a rendered chat."""

_REASONING = ("reasoning_content", "thinking", "reasoning")

# Around what the model itself wrote; here only its body counts. In Jinja, a block with variables of its own.
_GENERATION = re.compile(r"(\{%[-+]?\s*(?:end)?)generation(?=\s*[-+]?%\})")


# What is put behind the text that a model goes on with, to cut the chat there.
_TAG = "CONTINUE_FINAL_MESSAGE_TAG "


def render_each(template: str, chats: list[JsonObject]) -> list[str]:
    """Render some chats; an empty text for each but the first that the template does not take.

    Args:
        template: in Jinja's language.
        chats: of each the ``messages`` as JSON has them, the other ``variables`` by name, and what it
            ``continues``: a key of its last message, with whose text it ends; empty: none.

    Raises:
        ValueError: the template does not parse, does not take the first chat, or asks for what is not there.

    >>> chat = {"messages": [{"role": "user", "content": "Hi"}], "variables": {"bos_token": "<s>"}}
    >>> template = "{{ bos_token }}{% for m in messages %}{{ m.content }}</s>{% endfor %}{{ eos_token }}"
    >>> render_each(template, [chat | {"continues": ""}, chat | {"continues": "content"}])
    ['<s>Hi</s>', '<s>Hi']
    """
    texts: list[str] = []
    try:
        compiled = _environment().from_string(_with_blocks(template))
        for chat in chats:
            texts.append(_render(compiled, template, **chat))
    except (MemoryError, RecursionError):
        raise
    except Exception as problem:  # a template can make Python raise any
        if not texts:
            raise _refusal(problem) from None
    return [*texts, *[""] * (len(chats) - len(texts))]


def variables_of(template: str) -> list[str]:
    """The variables that a template reads and does not set itself.

    Raises:
        ValueError: the template does not parse.

    >>> variables_of("{% set a = b | default(1) %}{% if c is defined %}{{ a }}{{ messages[0].d }}{% endif %}")
    ['b', 'c', 'messages']
    """
    try:
        parsed = _environment().parse(_with_blocks(template))
        return sorted(meta.find_undeclared_variables(parsed))
    except jinja2.TemplateError as problem:
        raise _refusal(problem) from None


def _environment() -> jinja2.Environment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda format: datetime.datetime.now().strftime(format)
    return environment


def _with_blocks(template: str) -> str:
    return _GENERATION.sub(r"\1with", template)


def _refusal(problem: Exception) -> ValueError:
    is_syntax = isinstance(problem, jinja2.TemplateSyntaxError)
    what = "does not parse" if is_syntax else "does not take this chat"
    return ValueError(f"The template {what}: {' '.join(str(problem).split())[:300]}")


def _render(
    compiled: jinja2.Template,
    template: str,
    *,
    messages: list[JsonObject],
    variables: JsonObject,
    continues: str,
) -> str:
    given = []
    for each in messages:
        message = {key: value for key, value in each.items() if value is not None}
        reasoning = next((message[key] for key in _REASONING if key in message), None)
        if reasoning is not None:
            message = {"thinking": reasoning, **message, "reasoning_content": reasoning}
        given.append(message)
    last_text = _tag_last_text(given, continues, template) if continues else ""
    text = compiled.render({**variables, "messages": given})
    if continues:
        text = _cut_at_tag(text, last_text)
    if len(text) > MAX_RENDERED:
        raise ValueError(f"it makes more than {MAX_RENDERED:,} characters of it.")
    return text


def _tag_last_text(messages: list[JsonObject], key: str, template: str) -> str:
    """Put the tag behind the text that the model goes on with, and return that text."""
    if not messages or messages[-1].get(key) is None:
        raise ValueError(f"continue_final_message is set, but the last message has no “{key}”.")
    last = messages[-1]
    text = last[key]
    keys = [each for each in _REASONING if last.get(each) == text] if key in _REASONING else [key]
    if not any(each in template for each in keys):
        raise ValueError(f"continue_final_message names “{key}”, which the template does not write.")
    if isinstance(text, str):
        last |= dict.fromkeys(keys, text + _TAG)
        return text
    parts = [dict(part) if isinstance(part, dict) else part for part in text]
    with_text = [part for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    if not with_text:
        raise ValueError("continue_final_message is set, but the last message has no text.")
    last_text: str = with_text[-1]["text"]
    with_text[-1]["text"] = last_text + _TAG
    last |= dict.fromkeys(keys, parts)
    return last_text


def _cut_at_tag(rendered: str, last_text: str) -> str:
    """What comes before the tag; without the spaces before it if the template took off those behind it."""
    tag = _TAG.strip()
    if last_text.strip() not in rendered or tag not in rendered:
        raise ValueError("continue_final_message is set, but the template changes the last message’s text.")
    place = rendered.rindex(tag)
    before = rendered[:place]
    return before if rendered.startswith(_TAG, place) else before.rstrip()


def _to_json(
    value: Any, ensure_ascii: Any = False, indent: Any = None, separators: Any = None, sort_keys: Any = False
) -> str:
    return json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )


def _refuse(message: object) -> NoReturn:
    raise jinja2.TemplateError(str(message))
