"""What is missing on this machine, said when the app starts: a line for each, and what is lost without it.

The app starts all the same, and each page says what it cannot do. Files are looked at as far as that takes no
time: their first and last bytes, and the hashes of the rank files.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import importlib.util
import json
import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pages.server.open_files import visitors_for
from pages.session.data_folder import VARIABLE
from tokenizers import limits
from tokenizers.bundled import RANK_FILES
from tokenizers.data import HASHES
from tokenizers.encoding import ASSETS
from tokenizers.shipped import damaged, how_to_restore, missing

_XZ_BEGINS, _XZ_ENDS = b"\xfd7zXZ\x00", b"YZ"

PACKAGES = {
    "numba": "training is ten times slower",
    "sentencepiece": "SentencePiece’s encodings and methods are missing",
    "vl_convert": "charts cannot be saved as pictures",
}
"""What the app goes without, by the name under which it is imported."""


def check(environment: Mapping[str, str], files: int | None = None, assets: Path = ASSETS) -> list[str]:
    """What is missing, in sentences; empty: nothing.

    Args:
        environment: of the process.
        files: how many the process may hold open; None: not known.
        assets: the folder of the files that come with the app.
    """
    return [
        *_check_assets(assets),
        *_check_packages(),
        *_check_data_folder(environment),
        *([_say_few_files(files)] if files is not None and visitors_for(files) < limits.SESSIONS else []),
    ]


def _say_few_files(files: int) -> str:
    return (
        f"This process may hold {files:,} files open, enough for {visitors_for(files):,} browser tabs, "
        f"and lets no more in: raise the limit (ulimit -n) for {limits.SESSIONS:,}."
    )


def _check_assets(assets: Path) -> Iterator[str]:
    checks: dict[str, Callable[[bytes], object]] = {}
    checks |= {f"encodings/{name}": _has_hash(sha256) for name, sha256 in RANK_FILES.items()}
    checks |= {f"vocabularies/{name}.xz": _is_whole_xz for name in HASHES}
    checks |= {
        "udhr/udhr.jsonl.xz": _is_whole_xz,
        "udhr/own_names.json": json.loads,
        "samples/samples.json": json.loads,
        "premiums/counts.json": json.loads,
        "map/land-110m.json": json.loads,
        "models/grove-udhr-8k.json": json.loads,
        "models/grove-udhr-8k.model": _begins(b"minbpe v1\n"),
        "unicode/looks_like_ascii.txt": _begins(b"#"),
        "components/loader.js": bool,
        "components/page.css": bool,
        "components/editor/index.js": bool,
    }
    lessons = sorted((assets / "lessons").glob("*.toml"))
    checks |= {f"lessons/{path.name}": _is_toml for path in lessons}
    if not lessons:
        yield f"assets/lessons is missing: there are no lessons. {how_to_restore(ASSETS / 'lessons')}"
    if not any((assets / "stories").glob("*.txt")):
        yield f"assets/stories is missing: Train has no stories. {how_to_restore(ASSETS / 'stories')}"
    for name, is_right in checks.items():
        try:
            data = (assets / name).read_bytes()
        except OSError as problem:
            yield str(missing(ASSETS / name, "The file", problem))
            continue
        try:
            whole = is_right(data)
        except (ValueError, RecursionError):
            whole = False
        if whole is False:
            yield str(damaged(ASSETS / name, "The file"))


def _has_hash(sha256: str) -> Callable[[bytes], bool]:
    return lambda data: hashlib.sha256(data).hexdigest() == sha256


def _begins(start: bytes) -> Callable[[bytes], bool]:
    return lambda data: data.startswith(start)


def _is_whole_xz(data: bytes) -> bool:
    return data.startswith(_XZ_BEGINS) and data.endswith(_XZ_ENDS)


def _is_toml(data: bytes) -> object:
    return tomllib.loads(data.decode("utf-8"))


def _check_packages() -> Iterator[str]:
    for name, lost in PACKAGES.items():
        if importlib.util.find_spec(name) is None and not (name == "numba" and sys.version_info >= (3, 16)):
            yield f"The package {name.replace('_', '-')} is not installed: {lost}."
    try:
        importlib.metadata.version("tokenizers")
    except importlib.metadata.PackageNotFoundError:
        yield "The package tokenizers is not installed: bert-uncased and most tokenizer.json files fail."


def _check_data_folder(environment: Mapping[str, str]) -> Iterator[str]:
    named = environment.get(VARIABLE, "").strip()
    if not named:
        return
    folder = Path(os.path.abspath(os.path.expanduser(named)))
    nearest = next(each for each in (folder, *folder.parents) if each.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        yield f"{VARIABLE} names {folder}, which cannot be written: things are kept in browsers alone."
