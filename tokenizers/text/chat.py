"""Chat messages as the text and the tokens that a model reads.

A template puts special tokens around each message. They are tokens; what people wrote between
them is plain text, even where it spells a special token. Glued into one string the two could no
longer be told apart, so a rendered chat is a list of parts, and each part is encoded by itself.

ChatML (OpenAI, openai-python's chatml.md, 2023), for cl100k_im::

    <|im_start|>user⏎
    Hello<|im_end|>⏎
    <|im_start|>assistant⏎

Harmony (OpenAI, cookbook "OpenAI harmony response format", 2025), for o200k_harmony::

    <|start|>user<|message|>Hello<|end|><|start|>assistant
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..encoding import Encoding, well_formed

CHATML_ENCODING = "cl100k_im"
ROLES = ("system", "developer", "user", "assistant")


@dataclass(frozen=True)
class Message:
    """Who says what."""

    role: str
    content: str


@dataclass(frozen=True)
class Part:
    """A stretch of a rendered chat: of which message (None: the opening of the answer), and whether
    it is the template's, in which special tokens are tokens, or what a person wrote."""

    text: str
    message: int | None
    of_template: bool


def render_chatml(messages: Sequence[Message]) -> list[Part]:
    """The messages in ChatML, ready for the assistant's answer.

    >>> "".join(part.text for part in render_chatml([Message("user", "Hello")]))
    '<|im_start|>user\\nHello<|im_end|>\\n<|im_start|>assistant\\n'
    """
    parts: list[Part] = []
    for i, message in enumerate(messages):
        parts.append(Part(f"<|im_start|>{message.role}\n", i, True))
        parts.append(Part(message.content, i, False))
        parts.append(Part("<|im_end|>\n", i, True))
    return [*parts, Part("<|im_start|>assistant\n", None, True)]


def render_harmony(messages: Sequence[Message]) -> list[Part]:
    """The messages in harmony, ready for the assistant's answer.

    Assistant messages stand in the final channel; a developer message is headed as instructions.

    >>> "".join(part.text for part in render_harmony([Message("assistant", "Hi")]))
    '<|start|>assistant<|channel|>final<|message|>Hi<|end|><|start|>assistant'
    """
    parts: list[Part] = []
    for i, message in enumerate(messages):
        channel = "<|channel|>final" if message.role == "assistant" else ""
        heading = "# Instructions\n\n" if message.role == "developer" else ""
        parts.append(Part(f"<|start|>{message.role}{channel}<|message|>{heading}", i, True))
        parts.append(Part(message.content, i, False))
        parts.append(Part("<|end|>", i, True))
    return [*parts, Part("<|start|>assistant", None, True)]


# template: (how it is rendered, the encoding that has its special tokens)
TEMPLATES: dict[str, tuple[Callable[[Sequence[Message]], list[Part]], str]] = {
    "ChatML": (render_chatml, CHATML_ENCODING),
    "harmony": (render_harmony, "o200k_harmony"),
}


def encode_parts(encoding: Encoding, parts: Sequence[Part]) -> list[list[int]]:
    """The ids of each part: special tokens in the template's parts, plain text in the others.

    The stretches between special tokens are encoded whole, across parts, as the model reads them;
    a token that reaches over the edge of two parts counts for the part in which it begins.

    >>> from tokenizers import get_encoding
    >>> parts = render_harmony([Message("user", "<|end|> is text")])
    >>> encode_parts(get_encoding("o200k_harmony"), parts)
    [[200006, 1428, 200008], [27, 91, 419, 91, 29, 382, 2201], [200007], [200006, 173781]]
    """
    ids: list[list[int]] = [[] for _ in parts]
    plain = ""
    owners: list[int] = []  # the part of each byte of ``plain``

    def flush() -> None:
        nonlocal plain
        at = 0
        for token_id in encoding.encode(plain):
            ids[owners[at]].append(token_id)
            at += len(encoding.token_bytes(token_id))
        plain = ""
        owners.clear()

    for number, part in enumerate(parts):
        text = well_formed(part.text)
        stretches = encoding.cut_at_specials(text) if part.of_template else [(text, None)]
        for stretch, special_id in stretches:
            if special_id is None:
                plain += stretch
                owners.extend([number] * len(stretch.encode("utf-8")))
            else:
                flush()
                ids[number].append(special_id)
    flush()
    return ids


def spells_special(encoding: Encoding, text: str) -> list[str]:
    """The special tokens that a text spells, each once, in order.

    >>> from tokenizers import get_encoding
    >>> spells_special(get_encoding("o200k_harmony"), "a <|end|> b <|end|>")
    ['<|end|>']
    """
    spelled = (stretch for stretch, special_id in encoding.cut_at_specials(text) if special_id is not None)
    return list(dict.fromkeys(spelled))
