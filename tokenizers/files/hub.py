"""A file of a tokenizer from Hugging Face's hub, where there is a network and the user asks for it.

The library huggingface_hub fetches it, and keeps it in a cache of its kind, in a folder with a limit
(``FOLDER``, ``MAX_KEPT_BYTES``). What is in the person's usual cache is read, and never removed. No token
is sent, so only what is public comes; nothing is run, and only files of tokenizers are asked for.

The library works in a process with limits (``hub_task.py``).
"""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from pathlib import Path

from ..amounts import bytes_in_words
from ..checks import check_string
from ..split import bounded
from .loading import MAX_BYTES

FILES = ("tokenizer.json", "tekken.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model")
"""The files that are asked for, in this order: the first that is there is taken."""

FOLDER = "token-grove"
"""Where files are kept that were fetched, within the library's home."""

MAX_KEPT_BYTES = 300 << 20
"""How many bytes are kept of what was fetched; what was fetched longest ago is removed first."""

SECONDS = 60.0
"""How long a fetch may take, in all."""

MEMORY = 1 << 30
"""Bytes of address space that the library may take, with the file."""

_slots = threading.BoundedSemaphore(2)
"""Fetches at a time. They have places of their own: one may last for a minute, and patterns take a second."""

_NAME = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A file from the hub: its name there, and its content."""

    file: str
    data: bytes


def check_repository(repository: str) -> str:
    """The name of a repository on the hub, without its address before it.

    Raises:
        ValueError: no name that the hub could have.

    >>> check_repository(" https://huggingface.co/mistralai/Mistral-7B-v0.3 ")
    'mistralai/Mistral-7B-v0.3'
    >>> check_repository("../etc")
    Traceback (most recent call last):
    ...
    ValueError: '../etc' is no name on Hugging Face's hub. Write it as owner/name, such as Qwen/Qwen2.5-7B.
    """
    name = check_string(repository, "repository").strip()
    name = re.sub(r"\A(?:https?://)?(?:huggingface\.co|hf\.co)/", "", name).rstrip("/")
    if not _NAME.fullmatch(name) or ".." in name or "--" in name or name.endswith((".git", ".ipynb")):
        raise ValueError(
            f"{repository.strip()[:80]!r} is no name on Hugging Face's hub. Write it as owner/name, such as "
            "Qwen/Qwen2.5-7B."
        )
    return name


def fetch(repository: str) -> Fetched:
    """The file of a tokenizer that a repository on the hub has.

    Raises:
        ValueError: no such name, it is not public, it has no such file, or the file is too large.
        OSError: there is no network, it is too slow, or the library is not installed.
        BusyError: others are fetching.
    """
    name = check_repository(repository)
    task = Path(__file__).with_name("hub_task.py")
    arguments = (name, list(FILES), FOLDER, MAX_BYTES, MAX_KEPT_BYTES)
    try:
        kind, what, data = bounded.run(
            task, "fetch", *arguments, seconds=SECONDS, memory=MEMORY, slots=_slots
        )
    except bounded.TooSlowError:
        raise OSError(
            f"Hugging Face's hub took more than {SECONDS:.0f} seconds. Try again later, or bring the file by "
            "hand."
        ) from None
    except bounded.TooMuchMemoryError:
        raise OSError(
            "What Hugging Face's hub sent took more memory than there is for it. Bring the file by hand."
        ) from None
    if kind == "file":
        return Fetched(what, data)
    if kind == "unreached":
        raise OSError(
            f"Hugging Face's hub cannot be reached from here ({what}). Try again later, or bring the file by "
            "hand."
        )
    if kind == "no library":
        raise OSError(
            "Hugging Face's hub is reached by the library huggingface_hub, which is not installed: pip "
            "install huggingface_hub"
        )
    raise ValueError(_refusal(name, kind, what, data))


def _refusal(name: str, kind: str, file: str, size: bytes) -> str:
    """Why nothing came of a fetch, and what to do."""
    if kind == "too large":
        n_bytes = bytes_in_words(int(size)) if size else "more"
        return f"{file} of {name} has {n_bytes}, and {bytes_in_words(MAX_BYTES)} are the limit here."
    if kind == "not public":
        return (
            f"Hugging Face's hub has no {name}, or shows it only to those who signed in. Check the name, or "
            "bring its tokenizer.json by hand."
        )
    return f"{name} has none of the files {', '.join(FILES)}, so there is no tokenizer to read."
