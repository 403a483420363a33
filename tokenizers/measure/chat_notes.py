"""What people should know of one chat in one template, in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..amounts import shorten
from ..encoding import Encoding
from ..text.chat import USED_SETTINGS, Chat, spells_special
from ..text.chat_settings import NOT_IN_PROMPT
from ..text.uploaded_chat import variables_of

_REASONING = {"reasoning_content", "reasoning", "thinking"}
_READ_BY_ALL = {"role", "content"}
_READ_HERE = "name tool_name tool_call_id tool_calls function_call prefix images reasoning type id"
"""The keys of messages that the templates of the app read, or that a note names."""

_MOST = 10


def notes_on_chat(chat: Chat, template: str | None, encoding: Encoding, is_told_apart: bool) -> Iterator[str]:
    """What its messages say, and how they are counted.

    Args:
        chat: its messages.
        template: in Jinja's language; None: one that comes with the app.
        encoding: of the template.
        is_told_apart: whether it is known what the template wrote, and what people.
    """
    if chat.n_others:
        yield "Only text is counted: what pictures, sounds and files take depends on the model."
    if template is None and any(_REASONING & message.as_json().keys() for message in chat.messages):
        yield "The reasoning in a message is not counted here."
    for name in sorted(
        {*re.findall(r"\b[a-z]+_token\b", template or "")} - encoding.chat_templates.names.keys()
    ):
        if name not in chat.settings.variables:
            yield (
                f"The template names {name}, which no file of this tokenizer gives: where it prints it, "
                "nothing is counted. Add the tokenizer_config.json; if that has none either, transformers "
                "may take one from its own code."
            )
    if "strftime_now" in (template or ""):
        yield "The template writes today's date, so the count can change from day to day."
    calls = [call for message in chat.messages for call in message.given.get("tool_calls") or []]
    if template is not None and any(isinstance(call["function"].get("arguments"), str) for call in calls):
        yield (
            "The template gets the arguments of calls as text, as in the request and in transformers. vLLM "
            "and SGLang make objects of them first, which a template may write in another way."
        )
    if not is_told_apart:
        yield (
            "The template's own words and those of the messages cannot be told apart: it changes them, or "
            "leaves them out. Where a message spells a special token, it becomes that token."
        )
    elif any(spells_special(encoding, message.content) for message in chat.messages):
        yield (
            "A message spells a special token. Here it counts as plain text. In the editor, with special "
            "tokens on, it becomes the token itself: that is how somebody could slip in a message of their "
            "own."
        )


def notes_on_settings(chat: Chat, template: str | None) -> Iterator[str]:
    """What its request asks for and this template does not use, and what servers do otherwise.

    Args:
        chat: with its settings.
        template: in Jinja's language; None: one that comes with the app.

    Raises:
        ValueError: the template does not parse.
    """
    settings = chat.settings
    used = USED_SETTINGS if template is None else variables_of(template)
    if settings.template is not None:
        yield "The request has its own chat_template. It is used instead of the chosen one."
    given = ["tools", *settings.variables] if chat.tools else [*settings.variables]
    not_used = [key for key in given if key not in used]
    not_used += [key for key in settings.unused if key not in NOT_IN_PROMPT]
    not_used += [f"{key} of messages" for key in _keys_not_in(template, chat)]
    if not_used:
        yield (
            f"This template does not use: {_listed(not_used)}. A server may put such a setting into the "
            "prompt in its own way."
        )
    if beside := [key for key in settings.beside_messages if key in used]:
        yield (
            f"Taken from beside the messages, as Hugging Face's apply_chat_template does: {_listed(beside)}. "
            "vLLM, SGLang and llama.cpp take such settings from chat_template_kwargs only."
        )
    choice = settings.variables.get("tool_choice", "auto")
    if chat.tools and choice not in ("auto", "required"):
        yield (
            "All tools are counted, as vLLM writes them. With this tool_choice, SGLang writes only the "
            "chosen tool, or none."
        )
    last = chat.last
    is_continued = last.is_continued and (template is None or "prefix" in template)
    if settings.opens_answer and last.role == "assistant" and not is_continued:
        yield (
            "The last message is the assistant's. Here it ends, and a new answer begins. llama.cpp and "
            "Anthropic's API go on with it: for that, set continue_final_message to true."
        )


def remark_on_settings(chat: Chat) -> str:
    """Which settings of its request say nothing of the prompt; empty: none."""
    ignored = [key for key in chat.settings.unused if key in NOT_IN_PROMPT]
    return f"Not part of the prompt: {_listed(ignored)}." if ignored else ""


def _keys_not_in(template: str | None, chat: Chat) -> list[str]:
    """The keys of messages that a template does not name, and so cannot read."""
    template = _READ_HERE if template is None else template
    keys = {key: None for message in chat.messages for key, value in message.given.items() if value}
    names_reasoning = any(key in template for key in _REASONING)
    known = _READ_BY_ALL | _REASONING if names_reasoning else _READ_BY_ALL
    return [key for key in keys if key not in template and key not in known]


def _listed(names: Sequence[str]) -> str:
    """Names in a list that is short enough to read.

    >>> _listed(["tools", "a" * 99, *"bcdefghijklm"])
    'tools, aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…, b, c, d, e, f, g, h, i, and 4 more'
    """
    listed = ", ".join(shorten(name, 40) for name in names[:_MOST])
    return listed if len(names) <= _MOST else f"{listed}, and {len(names) - _MOST} more"
