"""A tokenizer file from Hugging Face's hub, fetched when a person asks for it.

The library huggingface_hub fetches it into its own cache, which is read where there is no network. No token
is sent, so only public files can be fetched.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..amounts import bytes_in_words
from .loading import MAX_BYTES

FILES = ("tokenizer.json", "tekken.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model")
"""The files that are asked for. The first one that the repository has is fetched."""

SECONDS = 10.0
"""How long the hub may take to answer."""

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
    name = re.sub(r"\A(?:https?://)?(?:huggingface\.co|hf\.co)/", "", repository.strip()).rstrip("/")
    if not _NAME.fullmatch(name) or ".." in name or "--" in name or name.endswith((".git", ".ipynb")):
        raise ValueError(
            f"{repository.strip()[:80]!r} is no name on Hugging Face's hub. Write it as owner/name, such as "
            "Qwen/Qwen2.5-7B."
        )
    return name


def fetch(repository: str) -> Fetched:
    """The tokenizer file of a repository on the hub.

    Raises:
        ValueError: no such name, it is not public, it has no such file, or the file is too large.
        OSError: there is no network and the file is not in the cache, or the library is not installed.
    """
    name = check_repository(repository)
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    try:
        import huggingface_hub as hub
        from huggingface_hub import errors
    except ImportError:
        raise OSError(
            "Hugging Face's hub is reached by the library huggingface_hub, which is not installed: pip "
            "install huggingface_hub"
        ) from None
    unreached: Exception | None = None
    for file in FILES:
        size: int | None = 0
        try:
            size = hub.get_hf_file_metadata(hub.hf_hub_url(name, file), token=False, timeout=SECONDS).size
        except errors.RepositoryNotFoundError:
            raise ValueError(
                f"Hugging Face's hub has no {name}, or shows it only to those who signed in. Check the name, "
                "or bring its tokenizer.json by hand."
            ) from None
        except errors.EntryNotFoundError:
            continue
        except Exception as problem:  # whatever the network or the library meets
            unreached = problem
        if size is not None and size > MAX_BYTES:
            raise ValueError(
                f"{file} of {name} has {bytes_in_words(size)}, and {bytes_in_words(MAX_BYTES)} are the limit "
                "here."
            )
        try:
            path = hub.hf_hub_download(
                name, file, token=False, etag_timeout=SECONDS, local_files_only=unreached is not None
            )
        except Exception as problem:
            unreached = unreached or problem
        else:
            return Fetched(file, Path(path).read_bytes())
    if unreached is not None:
        raise OSError(
            f"Hugging Face's hub cannot be reached from here ({type(unreached).__name__}). Try again later, "
            "or bring the file by hand."
        )
    raise ValueError(f"{name} has none of the files {', '.join(FILES)}, so there is no tokenizer to read.")
