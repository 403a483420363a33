"""Real text, about as much as is asked for, from what a machine with Python on it has.

The Universal Declaration of Human Rights in 500 languages (assets/udhr), the documentation's prose
(pydoc_data.topics), and the .py, .pyi, .txt, .md and .rst files of Python's library and of the installed
packages. Each text once, none above 2 MB, in an order that depends on nothing but the texts. So it is
nine parts source code with English in it to one part of other languages.
"""

from __future__ import annotations

import hashlib
import json
import math
import pydoc_data.topics
import string
import sysconfig
from collections.abc import Container, Iterator
from pathlib import Path

from tokenizers.data import list_parallel, udhr

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "benchmarks"
SUFFIXES = {".py", ".pyi", ".txt", ".md", ".rst"}


def corpus_file(megabytes: float) -> Path:
    """A file of one JSON string a line, each a text: so many MB of UTF-8, or all there is."""
    path = FOLDER / f"{megabytes:g}MB.jsonl"
    if not path.is_file():
        FOLDER.mkdir(parents=True, exist_ok=True)
        texts = {hashlib.sha256(text.encode()).digest(): text for text in _iter_texts()}
        room = int(megabytes * 1_000_000)
        with path.open("w", encoding="utf-8") as file:
            for _, text in sorted(texts.items()):
                if room <= 0:
                    break
                room -= len(text.encode())
                file.write(json.dumps(text) + "\n")
    return path


def text_files(megabytes: int) -> list[Path]:
    """Text files of 100 MB each: of the same texts, with other letters in each file, so with other words."""
    letters = string.ascii_lowercase
    paths = [FOLDER / f"letters-{number}.txt" for number in range(math.ceil(megabytes / 100))]
    for number, path in enumerate(paths):
        if not path.is_file():
            others = str.maketrans(letters, letters[number:] + letters[:number])
            with path.open("w", encoding="utf-8") as file:
                file.writelines(text.translate(others) for text in read_texts(corpus_file(100)))
    return paths


def write_texts(path: Path, texts: list[str]) -> Path:
    """A file of the same kind, of texts that are at hand."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(text) + "\n" for text in texts), encoding="utf-8")
    return path


def read_texts(path: Path) -> list[str]:
    """The texts of such a file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def read_kinds(megabytes: int) -> dict[str, str]:
    """So many MB of prose and of source code, and the declaration in all languages."""
    kinds = {"prose": _iter_files({".txt", ".md", ".rst"}), "code": _iter_files({".py"})}
    texts = {kind: "\n".join(_take(files, megabytes)) for kind, files in kinds.items()}
    return texts | {"494 languages": "\n".join(each.text for each in list_parallel())}


def _take(texts: Iterator[str], megabytes: int) -> Iterator[str]:
    room = megabytes * 1_000_000
    while room > 0 and (text := next(texts, None)):
        yield text[:room]
        room -= len(text)


def _iter_texts() -> Iterator[str]:
    yield from (language.text for language in udhr.list_languages())
    yield from pydoc_data.topics.topics.values()
    yield from _iter_files(SUFFIXES)


def _iter_files(suffixes: Container[str]) -> Iterator[str]:
    for folder in ("stdlib", "purelib", "platlib"):
        for path in sorted(Path(sysconfig.get_path(folder)).rglob("*")):
            if path.suffix in suffixes and path.is_file() and path.stat().st_size < 2_000_000:
                try:
                    yield path.read_text("utf-8")
                except UnicodeDecodeError:
                    pass
