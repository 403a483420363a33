"""A file of a tokenizer from Hugging Face's hub, where there is a network and the user asks for it.

The library huggingface_hub fetches it, and keeps it in a cache of its kind, in a folder with a limit
(``FOLDER``, ``MAX_KEPT_BYTES``). What lies in the person's usual cache is read, and never removed. No token
is sent, so only what is public comes; nothing is run, and only files of tokenizers are asked for.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checks import check_string
from .pipeline import MAX_BYTES

FILES = ("tokenizer.json", "tekken.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model")
"""The files that are asked for, in this order: the first that is there is taken."""

FOLDER = "token-grove"
"""Of what was fetched, within the library's home."""

MAX_KEPT_BYTES = 300 << 20
"""What is kept of all that was fetched; beyond it, what was fetched longest ago goes first."""

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
        OSError: there is no network, or the library is not installed.
    """
    name = check_repository(repository)
    try:
        import huggingface_hub
        from huggingface_hub import constants, errors
    except ImportError:
        raise OSError(
            "Hugging Face's hub is reached by the library huggingface_hub, which is not installed: pip "
            "install huggingface_hub"
        ) from None
    folder = Path(constants.HF_HOME) / FOLDER
    try:
        return _fetch(name, huggingface_hub, errors, folder)
    except OSError:
        # Without a network, what came before is still there.
        kept = _find_kept(name, huggingface_hub, folder) or _find_kept(name, huggingface_hub, None)
        if kept is None:
            raise
        return kept


def _find_kept(name: str, library: Any, folder: Path | None) -> Fetched | None:
    """The file in a folder, or in the library's usual cache; None: it is not there."""
    for file in FILES:
        path = library.try_to_load_from_cache(name, file, cache_dir=folder)
        if isinstance(path, str):
            data = Path(path).read_bytes() if Path(path).stat().st_size <= MAX_BYTES else b""
            return Fetched(file, data) if data else None
    return None


def _make_room(folder: Path, newest: str) -> None:
    """Remove what was fetched longest ago until the rest is within the limit; the newest repository stays."""
    newest_folder = folder / f"models--{newest.replace('/', '--')}"
    os.utime(newest_folder)  # it may have lain there before
    kept: list[tuple[float, int, Path]] = []
    for each in folder.glob("models--*"):
        if each.is_symlink() or not each.is_dir():
            continue
        files = [path for path in each.rglob("*") if path.is_file() and not path.is_symlink()]
        kept.append((each.stat().st_mtime, sum(path.stat().st_size for path in files), each))
    n_bytes = sum(size for _, size, _ in kept)
    for _, size, each in sorted(kept):
        if n_bytes <= MAX_KEPT_BYTES:
            return
        if each != newest_folder:
            shutil.rmtree(each, ignore_errors=True)
            n_bytes -= size


def _fetch(name: str, library: Any, errors: Any, folder: Path) -> Fetched:
    """As ``fetch``, with what the library raises."""
    for file in FILES:
        try:
            address = library.hf_hub_url(name, file)
            size = library.get_hf_file_metadata(address, token=False, timeout=SECONDS).size
            if size is not None and size > MAX_BYTES:
                raise ValueError(
                    f"{file} of {name} has {size / (1 << 20):,.0f} MB, and {MAX_BYTES >> 20} MB are the "
                    "limit here."
                )
            path = Path(
                library.hf_hub_download(name, file, token=False, etag_timeout=SECONDS, cache_dir=folder)
            )
            with path.open("rb") as opened:
                data = opened.read(MAX_BYTES + 1)
            with contextlib.suppress(OSError):  # another process may have removed some of it
                _make_room(folder, name)
        except (errors.GatedRepoError, errors.RepositoryNotFoundError):
            raise ValueError(
                f"Hugging Face's hub has no {name}, or shows it only to those who signed in. Check the name, "
                "or bring its tokenizer.json by hand."
            ) from None
        except errors.LocalEntryNotFoundError as problem:  # the network is gone meanwhile
            raise _unreached(problem) from None
        except (errors.EntryNotFoundError, errors.RevisionNotFoundError):
            continue
        except ValueError:
            raise
        except Exception as problem:  # whatever the network or the library meets
            raise _unreached(problem) from None
        if len(data) > MAX_BYTES:
            raise ValueError(f"{file} of {name} has more than {MAX_BYTES >> 20} MB, the limit here.")
        return Fetched(file, data)
    raise ValueError(f"{name} has none of the files {', '.join(FILES)}, so there is no tokenizer to read.")


def _unreached(problem: Exception) -> OSError:
    return OSError(
        f"Hugging Face's hub cannot be reached from here ({type(problem).__name__}). Try again later, or "
        "bring the file by hand."
    )
