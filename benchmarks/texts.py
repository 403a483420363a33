"""Real text, about as much as is asked for, from what a machine with Python on it has.

The Universal Declaration of Human Rights in 500 languages (assets/udhr), the documentation's prose
(pydoc_data.topics), and the .py, .pyi, .txt, .md and .rst files of Python's library and of the installed
packages. Each text once, none above 2 MB, in an order that depends on nothing but the texts. So it is
nine parts source code with English in it to one part of other languages.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import pydoc_data.topics
import sysconfig
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

import tokenizers as tk
from tokenizers.data import list_parallel, udhr
from tokenizers.files import ranks

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "benchmarks"
MEGABYTE = 1_000_000


def corpus_file(megabytes: float) -> Path:
    """A file of one JSON string a line, each a text: so many MB of UTF-8, or all there is."""
    path = FOLDER / f"{megabytes:g}MB.jsonl"
    if not path.is_file():
        documentation = pydoc_data.topics.topics.values()
        files = _iter_files({".py", ".pyi", ".txt", ".md", ".rst"})
        every = itertools.chain((language.text for language in udhr.list_languages()), documentation, files)
        by_digest = {hashlib.sha256(text.encode()).digest(): text for text in every}
        write_texts(path, _take((text for _, text in sorted(by_digest.items())), megabytes))
    return path


def write_texts(path: Path, texts: Iterable[str]) -> Path:
    """A file of the same kind, of texts that are at hand."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(text) + "\n" for text in texts), "utf-8")
    return path


def read_texts(path: Path) -> list[str]:
    """The texts of such a file."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def save_for_peers(grove: tk.HomeEncoding) -> Path:
    """Save a home-trained encoding as ``peers.py`` reads it, in a folder, which is returned."""
    folder = FOLDER / "grove"
    folder.mkdir(parents=True, exist_ok=True)
    for ending in ("model", "tiktoken", "json"):
        tk.save(grove, folder / f"grove.{ending}")
    (folder / "grove.py").write_text(ranks.snippet(grove, str(folder / "grove.tiktoken")), "utf-8")
    return folder


def read_kinds(megabytes: int) -> dict[str, str]:
    """So many MB of prose and of source code, and the declaration in all languages."""
    kinds = {"prose": {".txt", ".md", ".rst"}, "code": {".py"}}
    texts = {kind: "\n".join(_take(_iter_files(suffixes), megabytes)) for kind, suffixes in kinds.items()}
    return texts | {"494 languages": "\n".join(each.text for each in list_parallel())}


def sample_text(n_bytes: int) -> str:
    """Prose of six languages in turn, that long; nothing is repeated."""
    texts = [udhr.get_language(code).text.split("\n") for code in ("eng", "rus", "kor", "spa", "hin", "fra")]
    lines = [line for group in zip(*texts, strict=False) for line in group]
    lines += [language.text for language in udhr.list_languages()]
    return "\n".join(lines).encode()[:n_bytes].decode("utf-8", errors="ignore")


def _take(texts: Iterable[str], megabytes: float) -> Iterator[str]:
    """So many MB of texts, or all."""
    n_bytes = 0
    for text in texts:
        yield text
        n_bytes += len(text.encode())
        if n_bytes >= megabytes * MEGABYTE:
            return


def _iter_files(suffixes: Container[str]) -> Iterator[str]:
    for folder in ("stdlib", "purelib", "platlib"):
        for path in sorted(Path(sysconfig.get_path(folder)).rglob("*")):
            if path.suffix in suffixes and path.is_file() and path.stat().st_size < 2_000_000:
                try:
                    yield path.read_text("utf-8")
                except UnicodeDecodeError:
                    pass
