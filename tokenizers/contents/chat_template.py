"""A chat template, and the special tokens that it names, as files of Hugging Face's library hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..encoding import Encoding


@dataclass(frozen=True, slots=True)
class ChatTemplate:
    """How a publisher writes a conversation.

    Attributes:
        text: in Jinja's language.
        names: special tokens, by the names that the text may use, such as bos_token.
    """

    text: str
    names: Mapping[str, str]


_NAMES = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token")
_MOST_CHARACTERS = 1_000_000
_LONGEST_NAME = 2_000


def template_in(content: Any) -> ChatTemplate | None:
    """The chat template in what a tokenizer.json or a tokenizer_config.json holds; None: there is none.

    >>> template_in({"chat_template": "{{ bos_token }}", "bos_token": {"content": "<s>", "lstrip": False}})
    ChatTemplate(text='{{ bos_token }}', names={'bos_token': '<s>'})
    """
    if not isinstance(content, dict):
        return None
    template = content.get("chat_template")
    if isinstance(template, list):  # several, by name
        named = {each.get("name"): each.get("template") for each in template if isinstance(each, dict)}
        template = named.get("default")
    if not isinstance(template, str) or len(template) > _MOST_CHARACTERS:
        return None
    names: dict[str, str] = {}
    for key in _NAMES:
        token = content.get(key)
        if isinstance(token, dict):  # with how it is found in a text
            token = token.get("content")
        if isinstance(token, str) and len(token) <= _LONGEST_NAME:
            names[key] = token
    return ChatTemplate(template, names)


def set_template(encoding: Encoding, template: ChatTemplate | None) -> None:
    """Give an encoding the chat template of its file, if there is one."""
    if template is not None:
        encoding.chat_template, encoding.chat_names = template.text, template.names
