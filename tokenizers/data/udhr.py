"""One text in 500 languages: the Universal Declaration of Human Rights.

The text to compare languages on, and the text to grow multilingual encodings from. Some
translations are partial, and some live under a number, because the source had no better name for
them: compare lengths with care (``Language.n_paragraphs`` helps). Where it comes from is told in
assets/udhr/README.md.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import json
import lzma
from collections import Counter
from pathlib import Path
from typing import Any, Literal

from ..encoding import ASSETS
from ..shipped import damaged, missing

UDHR_FILE = ASSETS / "udhr" / "udhr.jsonl.xz"


@dataclasses.dataclass(frozen=True, slots=True)
class Language:
    """The declaration in one language or variant.

    Attributes:
        code: unique here, as in the source: "eng", "deu_1996", "cmn_hans".
        name: its English name. Two names occur twice.
        bcp47: its language tag; variants of one language may share it.
        direction: of its script.
        latitude: degrees north, of a place where it is spoken; None: the source knows no place.
        longitude: degrees east; None: the source knows no place.
        stage: 4: complete and checked in form; lower: less so.
        text: paragraphs, joined by newlines.
        iso639_3: the language's code of three letters, which variants share; "und": nobody knows it.
    """

    code: str
    name: str
    bcp47: str
    direction: Literal["ltr", "rtl"]
    latitude: float | None
    longitude: float | None
    stage: int
    text: str = dataclasses.field(repr=False)
    iso639_3: str = "und"

    @property
    def n_paragraphs(self) -> int:
        """Paragraphs of the text, title and headings included. English has 92, most others 88 to 95."""
        return self.text.count("\n") + 1


def list_languages() -> list[Language]:
    """Every language, in the order of the source: by code, nearly.

    Raises:
        OSError: the corpus file is missing. ValueError: it is damaged.

    >>> len(list_languages())
    532
    """
    return list(_languages().values())


def get_language(code: str) -> Language:
    """The language of that code.

    Raises:
        ValueError: no such code; names the close matches.
        OSError: the corpus file is missing.

    >>> get_language("hin").text[:32]
    'मानव अधिकारों की सार्वभौम घोषणा\\n'
    >>> get_language("english")
    Traceback (most recent call last):
    ...
    ValueError: The declaration is not here in a language of code 'english'. Did you mean eng?
    """
    languages = _languages()
    if code not in languages:
        close = difflib.get_close_matches(code, languages, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(close)}?" if close else "list_languages() has them all."
        raise ValueError(f"The declaration is not here in a language of code {code!r}. {hint}")
    return languages[code]


@functools.cache
def language_titles() -> dict[str, str]:
    """Each language's name by its code, with the code where two have the same name; sorted by name.

    Raises:
        OSError: the corpus file is missing. ValueError: it is damaged.

    >>> language_titles()["eng"]
    'English'
    """
    languages = sorted(list_languages(), key=lambda language: language.name)
    uses = Counter(language.name for language in languages)
    return {
        language.code: language.name if uses[language.name] == 1 else f"{language.name} ({language.code})"
        for language in languages
    }


@functools.cache
def _languages() -> dict[str, Language]:
    return {language.code: language for language in _read(UDHR_FILE)}


def _read(path: Path) -> list[Language]:
    """All languages in the file: one JSON object a line, compressed by xz."""
    try:
        compressed = path.read_bytes()
    except OSError as problem:
        raise missing(path, "The declaration's file", problem) from None
    try:
        return [_language(json.loads(line)) for line in lzma.decompress(compressed).splitlines()]
    except (lzma.LZMAError, EOFError, ValueError, KeyError, TypeError):
        raise damaged(path, "The declaration's file") from None


def _language(row: dict[str, Any]) -> Language:
    # Where the source knows no place, it puts the language in Antarctica.
    somewhere = row["latitude"] > -60
    return Language(
        code=row["code"],
        name=row["name"],
        bcp47=row["bcp47"],
        direction=row["direction"],
        latitude=float(row["latitude"]) if somewhere else None,
        longitude=float(row["longitude"]) if somewhere else None,
        stage=row["stage"],
        text=row["text"],
        iso639_3=row["iso6393"],
    )
