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

Of these, harmony alone writes tools here, with their calls and their results; the others refuse such a chat.
The template of an uploaded file is in ``uploaded_chat.py``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from ..encoding import Encoding
from ..json_types import JsonMapping, JsonObject
from ..utf8 import utf8_length, well_formed
from .chat_settings import Settings
from .tool_schemas import tools_in_typescript

CHATML_ENCODING = "cl100k_im"
ROLES = ("system", "developer", "user", "assistant")
RESULT_ROLES = ("tool", "function")


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool by the assistant, with its arguments as JSON."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True)
class Message:
    """Who says what.

    Attributes:
        role: who.
        content: what.
        name: of the person or the tool; empty: none is given.
        texts: the content's parts, if it has some.
        calls: what the assistant calls.
        call_id: of the call that it answers.
        given: the whole message as JSON has it, for templates of files; empty: there is no more to it.
    """

    role: str
    content: str
    name: str = ""
    texts: tuple[str, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    given: JsonMapping = field(default_factory=dict, repr=False)

    @property
    def is_of_tools(self) -> bool:
        """Whether it calls tools, or is a result."""
        return bool(self.calls) or self.role in RESULT_ROLES

    @property
    def is_continued(self) -> bool:
        """Whether the model goes on with it if it is the last, as DeepSeek's and Mistral's APIs have it."""
        return self.given.get("prefix") is True

    def as_json(self) -> JsonObject:
        """The message as JSON has it."""
        return dict(self.given) or {"role": self.role, "content": well_formed(self.content)}


@dataclass(frozen=True)
class Chat:
    """Messages, the tools that the assistant may call, and what else a request says of the prompt.

    Attributes:
        messages: in their order.
        tools: as JSON has them.
        n_others: parts of contents that are no text: pictures, sound, files.
        settings: of the template.
    """

    messages: Sequence[Message]
    tools: Sequence[JsonMapping] = ()
    n_others: int = 0
    settings: Settings = field(default_factory=Settings)

    @property
    def last(self) -> Message:
        """The last message; one that says nothing if there is none."""
        return self.messages[-1] if self.messages else Message("", "")

    def without_tools(self) -> Sequence[Message]:
        """The messages, for a template that writes no tools.

        Raises:
            ValueError: there are tools, calls or results.
        """
        if self.tools or any(message.is_of_tools for message in self.messages):
            raise ValueError(
                "This template is written here without tools. Choose harmony, or the template of a file."
            )
        return self.messages


@dataclass(frozen=True)
class PromptPart:
    """A stretch of a rendered chat.

    Attributes:
        text: what it says.
        message: the number of the message that it belongs to; None: a tool, the beginning, or the opening.
        of_template: whether it is the template's, in which special tokens are tokens, or what a person wrote.
        starts_anew: whether it is encoded apart from the text before it, even without a special token there.
    """

    text: str
    message: int | None
    of_template: bool
    starts_anew: bool = False


def render_chatml(chat: Chat) -> Iterator[PromptPart]:
    """A chat in ChatML, ready for the assistant's answer.

    Raises:
        ValueError: the chat has tools.

    >>> "".join(part.text for part in render_chatml(Chat([Message("user", "Hello", name="Kim")])))
    '<|im_start|>user name=Kim\\nHello<|im_end|>\\n<|im_start|>assistant\\n'
    """
    for i, message in enumerate(chat.without_tools()):
        who = f"{message.role} name={message.name}" if message.name else message.role
        yield PromptPart(f"<|im_start|>{who}\n", i, True)
        yield PromptPart(message.content, i, False)
        yield PromptPart("<|im_end|>\n", i, True)
    yield PromptPart("<|im_start|>assistant\n", None, True)


def render_harmony(chat: Chat) -> Iterator[PromptPart]:
    """A chat in harmony, ready for the assistant's answer.

    Assistant messages are in the final channel, calls of tools in the commentary. A developer message is
    headed as instructions, and the tools follow it. OpenAI's library adds a system message of its own, with
    the date and the channels: here it counts if the chat has one.

    Raises:
        ValueError: a result does not say which tool gave it, or a tool cannot be written.

    >>> "".join(part.text for part in render_harmony(Chat([Message("assistant", "Hi")])))
    '<|start|>assistant<|channel|>final<|message|>Hi<|end|><|start|>assistant'
    """
    tools = tools_in_typescript(chat.tools)
    messages: list[tuple[int | None, Message]] = [*enumerate(chat.messages)]
    if tools and all(message.role != "developer" for _, message in messages):
        of_system = itertools.takewhile(lambda each: each[1].role == "system", messages)
        messages.insert(len(list(of_system)), (None, Message("developer", "")))
    names = {call.id: call.name for message in chat.messages for call in message.calls}
    for i, message in messages:
        who = f"{message.role}:{message.name}" if message.name else message.role
        heading = ""
        behind = ""
        if message.role == "assistant":
            who += "<|channel|>final"
        elif message.role == "developer":
            heading = "# Instructions\n\n" if i is not None else ""
            behind = f"\n\n{tools}" if tools and heading else tools
            tools = ""
        elif message.role in RESULT_ROLES:
            name = message.name or names.get(message.call_id)
            if name is None:
                raise ValueError("Harmony names the tool of each result: give its message a name.")
            who = f"functions.{name} to=assistant<|channel|>commentary"
        if message.content or not message.calls:
            yield PromptPart(f"<|start|>{who}<|message|>{heading}", i, True)
            yield PromptPart(message.content, i, False)
            if behind:
                yield PromptPart(behind, None, False)
            yield PromptPart("<|end|>", i, True)
        for call in message.calls:
            who = f"assistant to=functions.{call.name}<|channel|>commentary <|constrain|>json"
            yield PromptPart(f"<|start|>{who}<|message|>", i, True)
            yield PromptPart(call.arguments, i, False)
            yield PromptPart("<|call|>", i, True)
    yield PromptPart("<|start|>assistant", None, True)


def render_qwen(chat: Chat) -> Iterator[PromptPart]:
    """A chat as Qwen 2 reads it, ready for the assistant's answer.

    Raises:
        ValueError: the chat has tools.

    >>> "".join(part.text for part in render_qwen(Chat([])))
    '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n<|im_start|>assistant\\n'
    """
    if not chat.messages or chat.messages[0].role != "system":
        default = "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        yield PromptPart(default, None, True)
    yield from render_chatml(replace(chat, messages=[replace(each, name="") for each in chat.messages]))


def render_mistral(chat: Chat, begin: str, end: str, *, system_goes_last: bool) -> Iterator[PromptPart]:
    """A chat as Mistral's models read it, ready for the assistant's answer.

    As in Mistral's library, messages of one role that follow each other are one, with an empty line between.

    Args:
        chat: its messages.
        begin, end: the texts before and after what the user says.
        system_goes_last: whether what the system says comes before the user's last words, or their first.

    Raises:
        ValueError: the chat has tools, there is no message of the user, or one of a role that Mistral's
            models do not have.

    >>> chat = Chat([Message("system", "Be brief."), Message("user", "Hi")])
    >>> "".join(part.text for part in TEMPLATES["Mistral v1"].render(chat))
    '<s>[INST] Be brief.\\n\\nHi [/INST]'
    """
    numbered = [*enumerate(chat.without_tools())]
    other = next((message.role for _, message in numbered if message.role not in ROLES), None)
    if other is not None:
        raise ValueError(f"Mistral’s templates have no role “{other[:80]}”: use system, user or assistant.")
    talk = [each for each in numbered if each[1].role in ("user", "assistant")]
    roles = ["assistant", *(message.role for _, message in talk)]
    turns = [place for place, pair in enumerate(itertools.pairwise(roles)) if pair == ("assistant", "user")]
    if not turns:
        raise ValueError("Mistral’s templates need a message of the user: add one.")
    with_system = turns[-1 if system_goes_last else 0]
    talk[with_system:with_system] = [each for each in numbered if each[1].role in ("system", "developer")]
    yield PromptPart("<s>", None, True)
    for is_answer, group in itertools.groupby(talk, key=lambda each: each[1].role == "assistant"):
        turn = list(group)
        last = turn[-1][0]
        if not is_answer:
            yield PromptPart(begin, last, True, starts_anew=True)
        for place, (number, message) in enumerate(turn):
            if place:
                yield PromptPart("\n\n", number, True)
            text = "\n\n".join(message.texts) or message.content
            yield PromptPart(text, number, False, starts_anew=is_answer and not place)
        yield PromptPart("</s>" if is_answer else end, last, True)


class Template(NamedTuple):
    """How a model's chats are written.

    Attributes:
        encoding: the one that has its special tokens.
        render: the parts of a chat; a ValueError says why this chat cannot be written so.
    """

    encoding: str
    render: Callable[[Chat], Iterator[PromptPart]]

    def render_chat(self, chat: Chat) -> list[PromptPart]:
        """The parts of a chat, with its answer opened or its last message continued as the chat says.

        Raises:
            ValueError: this chat cannot be written so.

        >>> messages = [Message("user", "Hi"), Message("assistant", "Yes")]
        >>> chat = Chat(messages, settings=Settings(continues="content"))
        >>> "".join(part.text for part in TEMPLATES["ChatML"].render_chat(chat))
        '<|im_start|>user\\nHi<|im_end|>\\n<|im_start|>assistant\\nYes'
        """
        parts = list(self.render(chat))
        continues = chat.settings.continues
        last = chat.last
        if continues or last.is_continued:
            if continues not in ("", "content") or last.role != "assistant" or last.calls:
                raise ValueError(
                    "This template can continue a text of the assistant only, at the chat’s end."
                )
            text = (len(chat.messages) - 1, False)
            return parts[: [(part.message, part.of_template) for part in parts].index(text) + 1]
        return parts if chat.settings.opens_answer or parts[-1].message is not None else parts[:-1]


USED_SETTINGS = frozenset({"add_generation_prompt", "tools"})
"""What these templates use of a request besides its messages. (One that writes no tools refuses them.)"""

TEMPLATES = {
    "harmony": Template("o200k_harmony", render_harmony),
    "ChatML": Template(CHATML_ENCODING, render_chatml),
    "Qwen": Template("qwen3", render_qwen),
    "Mistral v1": Template(
        "mistral-v1", partial(render_mistral, begin="[INST] ", end=" [/INST]", system_goes_last=False)
    ),
    "Mistral, tekken": Template(
        "tekken", partial(render_mistral, begin="[INST]", end="[/INST]", system_goes_last=True)
    ),
}
"""The templates that come with the app, by name; a known answer for each is in tests/test_chat.py.

Of two templates of one encoding, the terminal and Compare take the first.
"""


def encode_parts(encoding: Encoding, parts: Sequence[PromptPart]) -> list[list[int]]:
    """The ids of each part: special tokens in the template's parts, plain text in the others.

    The stretches between special tokens are encoded whole, across parts, as the model reads them;
    a token that reaches over the edge of two parts counts for the part in which it begins.

    >>> from tokenizers import get_encoding
    >>> parts = list(render_harmony(Chat([Message("user", "<|end|> is text")])))
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
                owners.extend([number] * utf8_length(stretch))
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
