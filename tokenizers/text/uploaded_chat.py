"""Chats in a template that came with a file: rendered in a process with limits, and told apart afterwards.

A template gives one text. To find out which parts of it a person wrote, the chat is rendered once more with a
mark in place of each message: what is between the marks is the template's. If the template changes the
messages, this is not possible, and the whole text counts as the template's, as in Hugging Face's library.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..encoding import Encoding
from ..split import bounded
from ..utf8 import well_formed
from .chat import Message, Part

MAX_TEMPLATE = 100_000
"""Characters of a template."""

MAX_WRITTEN = 200_000
"""Characters of the messages of a chat, together."""

SECONDS = 2.0

_TASKS = Path(__file__).with_name("jinja_tasks.py")


def render_uploaded(encoding: Encoding, messages: Sequence[Message]) -> list[Part]:
    """The messages in the template of an encoding's file, ready for the assistant's answer.

    Raises:
        ValueError: it has no template, or one that does not take this chat, or needs too much time or memory.
    """
    if encoding.chat_template is None:
        raise ValueError(f"{encoding.name} has no chat template.")
    return render_template(encoding.chat_template, messages, encoding.chat_names)


def render_template(template: str, messages: Sequence[Message], names: Mapping[str, str]) -> list[Part]:
    """The messages in a template in Jinja's language.

    Args:
        template: of a file.
        messages: of the chat.
        names: of special tokens, such as ``bos_token``.

    Raises:
        ValueError: the template is damaged, does not take this chat, or needs too much time or memory.

    >>> for part in render_template(
    ...     "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}</>{% endfor %}",
    ...     [Message("user", " Hi <s> ")], {},
    ... ):
    ...     print(part.message, part.of_template, repr(part.text))
    0 True '<user>'
    0 False 'Hi <s>'
    None True '</>'
    """
    contents = [well_formed(message.content) for message in messages]
    if len(template) > MAX_TEMPLATE:
        raise ValueError(f"The template has more than {MAX_TEMPLATE:,} characters, which no model's has.")
    if sum(map(len, contents)) > MAX_WRITTEN:
        raise ValueError(f"The messages have more than {MAX_WRITTEN:,} characters together: write less.")
    secret = secrets.token_hex(8)
    marks = [f"mark{number}of{secret}" for number in range(len(contents))]
    roles = [message.role for message in messages]
    chats = [list(zip(roles, texts, strict=True)) for texts in (contents, marks)]
    try:
        rendered = bounded.run(_TASKS, "render_each", template, chats, dict(names), seconds=SECONDS)
    except bounded.TooSlowError:
        raise ValueError(f"The template was stopped after {SECONDS:g} seconds.") from None
    except bounded.TooMuchMemoryError:
        raise ValueError("The template was stopped, because it needs too much memory.") from None
    text, marked = map(well_formed, rendered)  # a template can spell half of a surrogate pair
    for written in (contents, [content.strip() for content in contents]):
        parts = _parts(marked, secret, written)
        if "".join(part.text for part in parts) == text:
            return parts
    return [Part(text, None, True)]


def _parts(marked: str, secret: str, written: Sequence[str]) -> list[Part]:
    """The parts of a chat that was rendered with marks in place of what was written."""
    pieces = re.split(f"mark([0-9]+)of{secret}", marked)
    parts: list[Part] = []
    for place, piece in enumerate(pieces):
        if place % 2:
            parts.append(Part(written[int(piece)], int(piece), False))
        elif piece:
            parts.append(Part(piece, int(pieces[place + 1]) if place + 1 < len(pieces) else None, True))
    return parts
