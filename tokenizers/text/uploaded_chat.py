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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..encoding import Encoding
from ..split import bounded
from ..utf8 import well_formed
from .chat import Chat, Part, check_chat

MAX_TEMPLATE = 100_000
"""Characters of a template."""

SECONDS = 2.0

_TASKS = Path(__file__).with_name("jinja_tasks.py")

_TEXTS = frozenset(
    "content text arguments reasoning_content thinking reasoning".split()
    + "description title enum const default examples".split()
)
"""Keys of texts that somebody wrote. Others hold names, which a template may compare with its own."""


@dataclass(frozen=True)
class Rendered:
    """A chat in a template.

    Attributes:
        parts: of its text.
        missing: names of special tokens that the template prints and the file does not give, as bos_token.
    """

    parts: list[Part]
    missing: Sequence[str] = ()


def render_uploaded(encoding: Encoding, chat: Chat) -> Rendered:
    """A chat in the template of an encoding's file, ready for the assistant's answer.

    Raises:
        ValueError: it has no template, or one that does not take this chat, or needs too much time or memory.
    """
    template = encoding.chat_template
    if chat.tools and encoding.tool_template is not None:
        template = encoding.tool_template
    if template is None and encoding.tool_template is not None:
        raise ValueError(f"The template of {encoding.name} is for chats with tools alone: add a tool.")
    if template is None:
        raise ValueError(f"{encoding.name} has no chat template.")
    return render_template(template, chat, encoding.chat_names)


def render_template(template: str, chat: Chat, names: Mapping[str, str]) -> Rendered:
    """A chat in a template in Jinja's language.

    Args:
        template: of a file.
        chat: its messages and tools.
        names: of special tokens, such as ``bos_token``.

    Raises:
        ValueError: the template does not parse, does not take this chat, or needs too much time or memory.

    >>> from tokenizers.text import Message
    >>> for part in render_template(
    ...     "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}</>{% endfor %}",
    ...     Chat([Message("user", " Hi <s> ")]), {},
    ... ).parts:
    ...     print(part.message, part.of_template, repr(part.text))
    0 True '<user>'
    0 False 'Hi <s>'
    0 True '</>'
    """
    if len(template) > MAX_TEMPLATE:
        raise ValueError(f"The template has more than {MAX_TEMPLATE:,} characters, which no model's has.")
    check_chat(chat)
    marks = _Marks()
    tools = list(chat.tools) or None
    given = {"messages": [message.as_json() for message in chat.messages], "tools": tools}
    opened = {**given, "add_generation_prompt": True}
    marked = [marks.put(message, number) for number, message in enumerate(given["messages"] or [])]
    with_marks = {**opened, "messages": marked, "tools": marks.put(tools, None)}
    chats = [opened, with_marks, {**given, "add_generation_prompt": False}]
    try:
        texts, missing = bounded.run(_TASKS, "render_each", template, chats, dict(names), seconds=SECONDS)
    except bounded.TooSlowError:
        raise ValueError(f"The template was stopped after {SECONDS:g} seconds.") from None
    except bounded.TooMuchMemoryError:
        raise ValueError("The template was stopped, because it needs too much memory.") from None
    text, text_with_marks, bare = map(well_formed, texts)  # a template can spell half of a surrogate pair
    n_bare = len(bare) if text.startswith(bare) else 0
    return Rendered(marks.find(text, text_with_marks, n_bare) or [Part(text, None, True)], missing)


class _Marks:
    """Marks in place of what people wrote.

    Attributes:
        texts: the text of each mark, and the number of its message; None: it is a tool's.
    """

    def __init__(self) -> None:
        self.texts: list[tuple[str, int | None]] = []
        self._secret = secrets.token_hex(8)

    def put(self, value: Any, message: int | None, *, is_written: bool = False) -> Any:
        """JSON with a mark in place of each text that somebody wrote. A text without letters stays."""
        if isinstance(value, str) and is_written and value.strip():
            self.texts.append((value, message))
            return f"mark{len(self.texts) - 1}of{self._secret}"
        if isinstance(value, list):
            return [self.put(each, message, is_written=is_written) for each in value]
        if isinstance(value, dict):
            return {
                key: self.put(each, message, is_written=is_written or self._is_text(key, each))
                for key, each in value.items()
            }
        return value

    @staticmethod
    def _is_text(key: str, value: Any) -> bool:
        return key in _TEXTS and not (key == "content" and isinstance(value, list))  # of parts with a type

    def find(self, text: str, marked: str, n_bare: int) -> list[Part] | None:
        """The parts of a text, found by means of the same text with marks; None: it differs elsewhere.

        Args:
            text: a chat in a template.
            marked: the same with marks.
            n_bare: characters of the text before the answer's opening.
        """
        first, *pieces = re.split(f"mark([0-9]+)of{self._secret}", marked)
        if not text.startswith(first):
            return None
        place = len(first)
        parts = [Part(first, self.texts[int(pieces[0])][1] if pieces else None, True)]
        for number in range(0, len(pieces), 2):
            (written, message), behind = self.texts[int(pieces[number])], pieces[number + 1]
            fits = (form for form in _forms(written) if text.startswith(form + behind, place))
            spelled = next(fits, None)
            if spelled is None:
                return None
            parts.append(Part(spelled, message, False))
            place += len(spelled)
            if number + 2 < len(pieces):
                parts.append(Part(behind, self.texts[int(pieces[number + 2])][1], True))
            else:
                parts.append(Part(text[place : max(place, n_bare)], message, True))
                parts.append(Part(text[max(place, n_bare) :], None, True))
            place += len(behind)
        return [part for part in parts if part.text] if place == len(text) else None


def _forms(written: str) -> list[str]:
    """How a template may spell what somebody wrote: as it is, without spaces around it, in JSON.

    >>> _forms(' "é" ')
    [' "é" ', '"é"', '"é" ', ' "é"', ' \\\\"é\\\\" ', ' \\\\"\\\\u00e9\\\\" ']
    """
    bare = [written, written.strip(), written.lstrip(), written.rstrip()]
    return [*bare, *(json.dumps(written, ensure_ascii=is_ascii)[1:-1] for is_ascii in (False, True))]
