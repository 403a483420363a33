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

Qwen (Alibaba, the chat template of Qwen 2): as ChatML, with a system message of its own if there is none.

Mistral (Mistral AI, mistral-common's instruct.py: version 1 for mistral-v1, 3 for tekken): what a system says
comes before what the user says, and the first version has no special tokens around a message::

    <s>[INST] Hello [/INST]

A template that an uploaded file brings is rendered by ``jinja_tasks.py``, in a process with limits.
"""

from __future__ import annotations

import itertools
import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..encoding import Encoding
from ..split import bounded
from ..utf8 import well_formed

CHATML_ENCODING = "cl100k_im"
ROLES = ("system", "developer", "user", "assistant")


@dataclass(frozen=True)
class Message:
    """Who says what."""

    role: str
    content: str


@dataclass(frozen=True)
class Part:
    """A stretch of a rendered chat.

    Attributes:
        text: what it says.
        message: the number of the message that it belongs to; None: the beginning, or the answer's opening.
        of_template: whether it is the template's, in which special tokens are tokens, or what a person wrote.
        starts_anew: whether it is encoded apart from the text before it, even without a special token there.
    """

    text: str
    message: int | None
    of_template: bool
    starts_anew: bool = False


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

    Assistant messages are in the final channel; a developer message is headed as instructions.

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


def render_qwen(messages: Sequence[Message]) -> list[Part]:
    """The messages as Qwen 2 reads them, ready for the assistant's answer.

    >>> "".join(part.text for part in render_qwen([Message("user", "Hello")])[:1])
    '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n'
    """
    parts = render_chatml(messages)
    if not messages or messages[0].role != "system":
        default = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        parts.insert(0, Part(default, None, True))
    return parts


def render_mistral_v1(messages: Sequence[Message]) -> list[Part]:
    """The messages as Mistral's first models read them, ready for the assistant's answer.

    Raises:
        ValueError: there is no message of the user.

    >>> parts = render_mistral_v1([Message("system", "Be brief."), Message("user", "Hi")])
    >>> "".join(part.text for part in parts)
    '<s>[INST] Be brief.\\n\\nHi [/INST]'
    """
    return _render_mistral(messages, "[INST] ", " [/INST]", system_goes_last=False)


def render_mistral_v3(messages: Sequence[Message]) -> list[Part]:
    """The messages as Mistral's models with tekken read them, ready for the assistant's answer.

    Raises:
        ValueError: there is no message of the user.

    >>> "".join(part.text for part in render_mistral_v3([Message("user", "Hi"), Message("assistant", "Yes")]))
    '<s>[INST]Hi[/INST]Yes</s>'
    """
    return _render_mistral(messages, "[INST]", "[/INST]", system_goes_last=True)


def _render_mistral(
    messages: Sequence[Message], begin: str, end: str, *, system_goes_last: bool
) -> list[Part]:
    """As Mistral's library: messages of one role that follow each other are one, with an empty line between.

    Args:
        messages: of the chat.
        begin, end: the texts before and after what the user says.
        system_goes_last: whether what the system says comes before the user's last words, or their first.
    """
    numbered = list(enumerate(messages))
    system = [(number, message) for number, message in numbered if message.role in ("system", "developer")]
    talk = [(number, message) for number, message in numbered if message.role in ("user", "assistant")]
    turns = [(role, list(turn)) for role, turn in itertools.groupby(talk, key=lambda each: each[1].role)]
    of_user = [place for place, (role, _) in enumerate(turns) if role == "user"]
    if not of_user:
        raise ValueError("Mistral’s templates need a message of the user: add one.")
    with_system = of_user[-1 if system_goes_last else 0]
    parts = [Part("<s>", None, True)]
    for place, (role, turn) in enumerate(turns):
        if role == "user":
            texts = [*system, *turn] if place == with_system else turn
            parts.append(Part(begin, turn[0][0], True, starts_anew=True))
            parts += _with_empty_lines(texts)
            parts.append(Part(end, turn[-1][0], True))
        else:
            parts += _with_empty_lines(turn, starts_anew=True)
            parts.append(Part("</s>", turn[-1][0], True))
    return parts


def _with_empty_lines(turn: list[tuple[int, Message]], starts_anew: bool = False) -> Iterator[Part]:
    for place, (number, message) in enumerate(turn):
        if place:
            yield Part("\n\n", number, True)
        yield Part(message.content, number, False, starts_anew and not place)


@dataclass(frozen=True, slots=True)
class Template:
    """How a model's chats are written.

    Attributes:
        encoding: the one that has its special tokens.
        render: the parts of a chat; a ValueError says why this chat cannot be written so.
    """

    encoding: str
    render: Callable[[Sequence[Message]], list[Part]]


TEMPLATES = {
    "ChatML": Template(CHATML_ENCODING, render_chatml),
    "harmony": Template("o200k_harmony", render_harmony),
    "Qwen": Template("qwen", render_qwen),
    "Mistral v1": Template("mistral-v1", render_mistral_v1),
    "Mistral, tekken": Template("tekken", render_mistral_v3),
}
"""The templates that come with the app, by name."""


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
        placed = encoding.place(plain)
        for token_id, start in zip(placed.ids.tolist(), placed.starts.tolist(), strict=True):
            ids[owners[min(start, len(owners) - 1)]].append(token_id)
        plain = ""
        owners.clear()

    for number, part in enumerate(parts):
        text = well_formed(part.text)
        if part.starts_anew:
            flush()
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


# The chat template of an uploaded file

# A template gives one text. To find out which parts of it a person wrote, the chat is rendered once more with
# a mark in place of each message: what is between the marks is the template's. If the template changes the
# messages, this is not possible, and the whole text counts as the template's, as in Hugging Face's library.

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
