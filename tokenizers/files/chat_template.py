"""A chat template in a file beside a tokenizer.json: in a tokenizer_config.json, or in a file of its own.

Hugging Face's library keeps the two apart. Here the template is put into the tokenizer.json, so that one file
holds all that is known of the encoding.
"""

from __future__ import annotations

import json
import re

from .tokenizer_json import ChatTemplate, read_json, template_in

MAX_BYTES = 8 << 20
"""No tokenizer_config.json is longer: it may list all added tokens."""

_CONFIG = re.compile(rb'"(?:chat_template|tokenizer_class|added_tokens_decoder)"\s*:')


def recognises(data: bytes) -> bool:
    """Whether this may be a tokenizer_config.json or a chat template.

    >>> recognises(b'{"chat_template": "{{ x }}"}'), recognises(b"{% for message in messages %}{% endfor %}")
    (True, True)
    >>> recognises(b'{"version": "1.0"}'), recognises(b"GIF89a")
    (False, False)
    """
    if len(data) > MAX_BYTES:
        return False
    if _is_template(data):
        return True
    return data[:100].lstrip().startswith(b"{") and _CONFIG.search(data) is not None


def _is_template(data: bytes) -> bool:
    """Whether this is a template by itself: statements in Jinja's language, about messages."""
    return re.match(rb"\s*\{\s*[\"}]", data) is None and b"{%" in data and b"messages" in data


def read_template(data: bytes) -> ChatTemplate | None:
    """The chat template in such a file; None: it holds none.

    Raises:
        ValueError: it is damaged.

    >>> read_template(b'{"chat_template": [{"name": "default", "template": "{{ x }}"}], "eos_token": "</s>"}')
    ChatTemplate(text='{{ x }}', names={'eos_token': '</s>'})
    """
    if _is_template(data):
        try:
            return ChatTemplate(data.decode("utf-8"), {})
        except UnicodeDecodeError:
            raise ValueError("The chat template is no text in UTF-8. Copy the file again.") from None
    return template_in(read_json(data))


def join_template(tokenizer: bytes, beside: bytes) -> bytes:
    """The content of a tokenizer.json, with the chat template of the file beside it.

    Raises:
        ValueError: one of the two is damaged.

    >>> join_template(b'{"version": "1.0"}', b'{"chat_template": "{{ x }}"}')
    b'{"version": "1.0", "chat_template": "{{ x }}"}'
    """
    template = read_template(beside)
    return tokenizer if template is None else put_template(tokenizer, template)


def put_template(tokenizer: bytes, template: ChatTemplate) -> bytes:
    """The content of a tokenizer.json, with a chat template and the tokens that it names.

    Raises:
        ValueError: the tokenizer.json is damaged.
    """
    content = read_json(tokenizer)
    if not isinstance(content, dict):
        raise ValueError("It is no tokenizer.json. Copy the file again.")
    joined = {**content, "chat_template": template.text, **template.names}
    return json.dumps(joined, ensure_ascii=False).encode("utf-8", "replace")
