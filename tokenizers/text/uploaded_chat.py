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
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ..encoding import Encoding
from ..split import bounded
from ..utf8 import well_formed
from .chat import Chat, Part

SECONDS = 2.0

_TASKS = Path(__file__).with_name("jinja_tasks.py")

_TEXTS = frozenset(
    "content text arguments reasoning_content thinking reasoning".split()
    + "description title enum const default examples".split()
)
"""Keys of texts that somebody wrote. Others hold names, which a template may compare with its own."""


def render_uploaded(encoding: Encoding, chat: Chat) -> tuple[list[Part], list[str]]:
    """A chat in the template of an encoding's file, ready for the assistant's answer.

    Returns:
        As of ``render_template``.

    Raises:
        ValueError: its template does not take this chat, or needs too much time or memory.
    """
    template = (encoding.tool_template if chat.tools else None) or encoding.chat_template
    if template is None:
        raise ValueError(f"The template of {encoding.name} is for chats with tools alone: add a tool.")
    return render_template(template, chat, encoding.chat_names)


def render_template(template: str, chat: Chat, names: Mapping[str, str]) -> tuple[list[Part], list[str]]:
    """A chat in a template in Jinja's language.

    Args:
        template: of a file.
        chat: its messages and tools.
        names: of special tokens, such as ``bos_token``.

    Returns:
        The parts of its text, and the names of special tokens that it prints and ``names`` lacks.

    Raises:
        ValueError: the template does not parse, does not take this chat, or needs too much time or memory.

    >>> from tokenizers.text import Message
    >>> for part in render_template(
    ...     "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}</>{% endfor %}",
    ...     Chat([Message("user", " Hi <s> ")]), {},
    ... )[0]:
    ...     print(part.message, part.of_template, repr(part.text))
    0 True '<user>'
    0 False 'Hi <s>'
    0 True '</>'
    """
    tools = list(chat.tools) or None
    messages = [message.as_json() for message in chat.messages]
    given = {"messages": messages, "tools": tools, "add_generation_prompt": False}
    marks = _Marks(secrets.token_hex(8))
    marked = [marks.put(message, "", number) for number, message in enumerate(messages)]
    with_marks = {"messages": marked, "tools": marks.put(tools, "", None)}
    chats = [*({**each, "add_generation_prompt": True} for each in (given, with_marks)), given]
    try:
        texts, missing = bounded.run(_TASKS, "render_each", template, chats, dict(names), seconds=SECONDS)
    except bounded.TooSlowError:
        raise ValueError(f"The template was stopped after {SECONDS:g} seconds.") from None
    except bounded.TooMuchMemoryError:
        raise ValueError("The template was stopped: it takes too much memory, or nests too deeply.") from None
    text, text_with_marks, bare = map(well_formed, texts)  # a template can spell half of a surrogate pair
    n_bare = len(bare) if text.startswith(bare) else 0
    return marks.find(text, text_with_marks, n_bare) or [Part(text, None, True)], missing


class _Marks:
    """Marks in place of what people wrote.

    Attributes:
        texts: the text of each mark, and the number of its message; None: it is a tool's.
    """

    def __init__(self, secret: str) -> None:
        self.texts: dict[str, tuple[str, int | None]] = {}
        self._secret = secret

    def put(self, value: Any, key: str, message: int | None) -> Any:
        """JSON with a mark in place of each text that somebody wrote. A text without letters stays.

        Args:
            value: JSON.
            key: whose value it is. All texts in a call's arguments are theirs.
            message: its number.
        """
        if isinstance(value, str) and key in _TEXTS and value.strip():
            mark = f"mark{len(self.texts)}of{self._secret}"
            self.texts[mark] = (value, message)
            return mark
        if isinstance(value, list):
            return [self.put(each, key, message) for each in value]
        if isinstance(value, dict):
            is_call = key == "arguments"
            return {name: self.put(each, key if is_call else name, message) for name, each in value.items()}
        return value

    def find(self, text: str, marked: str, n_bare: int) -> list[Part] | None:
        """The parts of a text, found by means of the same text with marks; None: it differs elsewhere.

        Args:
            text: a chat in a template.
            marked: the same with marks.
            n_bare: characters of the text before the answer's opening.
        """
        first, *pieces = re.split(f"(mark[0-9]+of{self._secret})", marked)
        marks, between = pieces[::2], pieces[1::2]
        if not text.startswith(first) or any(mark not in self.texts for mark in marks):
            return None  # a template can make marks of its own
        written = [self.texts[mark] for mark in marks]
        parts = [Part(first, written[0][1] if written else None, True)]
        place = len(first)
        for (what, message), behind, following in zip_longest(written, between, written[1:]):
            spelled = next((form for form in _forms(what) if text.startswith(form + behind, place)), None)
            if spelled is None:
                return None
            parts.append(Part(spelled, message, False))
            place += len(spelled)
            end = place + len(behind)
            opening = end if following else min(max(place, n_bare), end)
            parts.append(Part(text[place:opening], following[1] if following else message, True))
            parts.append(Part(text[opening:end], None, True))
            place = end
        return [part for part in parts if part.text] if place == len(text) else None


def _forms(written: str) -> list[str]:
    """How a template may spell what somebody wrote: as it is, without spaces around it, in JSON.

    >>> _forms(' "é" ')
    [' "é" ', '"é"', '"é" ', ' "é"', ' \\\\"é\\\\" ', ' \\\\"\\\\u00e9\\\\" ']
    """
    bare = [written, written.strip(), written.lstrip(), written.rstrip()]
    return [*bare, *(json.dumps(written, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True))]
