"""What of ``hub.py`` runs in a process with limits: the hub's library, the network and the disk.

Whatever answers at the hub's address decides how much is sent, how slowly, and which length is announced. So
the process has a limit of memory and a deadline. A file that it
writes cannot grow beyond the limit of a file that is brought.

The module is loaded alone, by its file (``split/bounded_worker.py``), and imports nothing of the package.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

SECONDS = 10.0
"""How long the hub may take to answer."""

Reply = tuple[str, str, bytes]
"""("file", its name, its content), ("too large", its name, its size in bytes as text, or nothing),
("not public", "", b""), ("no file", "", b""), ("no library", "", b"") or ("unreached", why, b"")."""


def fetch(name: str, files: list[str], folder: str, max_bytes: int, max_kept: int) -> Reply:
    """The first of ``files`` that a repository has; without a network, the one that was fetched before.

    Args:
        name: of the repository, checked.
        files: the names that are asked for, in this order.
        folder: of what was fetched, within the library's home.
        max_bytes: of a file.
        max_kept: bytes of all that is kept in the folder.
    """
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    try:
        import huggingface_hub
        from huggingface_hub import constants, errors
    except ImportError:
        return "no library", "", b""
    home = Path(constants.HF_HOME) / folder
    with _files_end_at(max_bytes):
        reply = fetch_with(huggingface_hub, errors, name, files, home, max_bytes, max_kept)
    if reply[0] == "unreached":
        kept = find_kept(huggingface_hub, name, files, home, max_bytes)
        return kept or find_kept(huggingface_hub, name, files, None, max_bytes) or reply
    return reply


@contextlib.contextmanager
def _files_end_at(n_bytes: int) -> Iterator[None]:
    """Files that are written in the block have no more bytes, even if the hub sends more than it said."""
    if resource is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes + 1, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fetch_with(
    library: Any, errors: Any, name: str, files: list[str], folder: Path, max_bytes: int, max_kept: int
) -> Reply:
    """As ``fetch``, by a library and its errors, and without what came before."""
    for file in files:
        try:
            address = library.hf_hub_url(name, file)
            size = library.get_hf_file_metadata(address, token=False, timeout=SECONDS).size
            if size is not None and size > max_bytes:
                return "too large", file, str(size).encode()
            path = Path(
                library.hf_hub_download(name, file, token=False, etag_timeout=SECONDS, cache_dir=folder)
            )
            with path.open("rb") as opened:
                data = opened.read(max_bytes + 1)
            with contextlib.suppress(OSError):  # another process may have removed some of it
                _make_room(folder, name, max_kept)
        except (errors.GatedRepoError, errors.RepositoryNotFoundError):
            return "not public", "", b""
        except errors.LocalEntryNotFoundError as problem:  # the network is gone meanwhile
            return "unreached", type(problem).__name__, b""
        except (errors.EntryNotFoundError, errors.RevisionNotFoundError):
            continue
        except MemoryError:
            raise
        except Exception as problem:  # whatever the network or the library meets
            n_bytes = _forget_half_files(folder)
            if n_bytes > max_bytes:
                return "too large", file, b""
            return "unreached", type(problem).__name__, b""
        if len(data) > max_bytes:
            return "too large", file, b""
        return "file", file, data
    return "no file", "", b""


def find_kept(library: Any, name: str, files: list[str], folder: Path | None, max_bytes: int) -> Reply | None:
    """The file in a folder, or in the library's usual cache; None: it is not there, or too large."""
    for file in files:
        path = library.try_to_load_from_cache(name, file, cache_dir=folder)
        if isinstance(path, str):
            small = Path(path).stat().st_size <= max_bytes
            return ("file", file, Path(path).read_bytes()) if small else None
    return None


def _make_room(folder: Path, newest: str, max_kept: int) -> None:
    """Remove what was fetched longest ago until the rest is within the limit; the newest repository stays."""
    newest_folder = folder / f"models--{newest.replace('/', '--')}"
    os.utime(newest_folder)  # it may have been there before
    kept: list[tuple[float, int, Path]] = []
    for each in folder.glob("models--*"):
        if each.is_symlink() or not each.is_dir():
            continue
        files = [path for path in each.rglob("*") if path.is_file() and not path.is_symlink()]
        kept.append((each.stat().st_mtime, sum(path.stat().st_size for path in files), each))
    n_bytes = sum(size for _, size, _ in kept)
    for _, size, each in sorted(kept):
        if n_bytes <= max_kept:
            return
        if each != newest_folder:
            shutil.rmtree(each, ignore_errors=True)
            n_bytes -= size


def _forget_half_files(folder: Path) -> int:
    """Remove what the library had begun to write; the bytes of the largest."""
    largest = 0
    for path in folder.glob("models--*/blobs/*.incomplete"):
        with contextlib.suppress(OSError):
            largest = max(largest, path.stat().st_size)
            path.unlink()
    return largest
