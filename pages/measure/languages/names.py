"""What else a language is called: in its codes, and by those who speak it."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass

from tokenizers.data import list_languages
from tokenizers.encoding import ASSETS

OWN_NAMES_FILE = ASSETS / "udhr" / "own_names.json"
_UNKNOWN = "und"
_CHINESE = "Chinese, "  # how the names of its translations begin: ISO 639-3 calls all of it zho


@dataclass(frozen=True)
class LanguageNames:
    """Other names of a translation's language.

    Attributes:
        iso: its ISO 639-3 code, which all translations of a language share; empty: unknown.
        group: the code that translations are grouped by: iso, but one for all Chinese; empty: unknown.
        own: as its speakers call it; empty: not known here.
        codes: all that stand for it: ISO 639-3, its language tag's, and those of the group it belongs to.
    """

    iso: str = ""
    own: str = ""
    codes: frozenset[str] = frozenset()
    group: str = ""


@functools.cache
def _all_names() -> dict[str, LanguageNames]:
    try:
        own_names = json.loads(OWN_NAMES_FILE.read_text("utf-8"))
    except (OSError, ValueError):  # without them, languages are found by all else
        own_names = {}
    names = {}
    for language in list_languages():
        parts = language.bcp47.split("-")
        own = own_names.get("-".join(parts[:2])) or own_names.get(parts[0], "")
        codes = {language.iso639_3, parts[0], language.bcp47.lower()} - {_UNKNOWN}
        is_chinese = language.name.startswith(_CHINESE)
        if is_chinese:
            codes |= {"zho", "zh"}
        iso = "" if language.iso639_3 == _UNKNOWN else language.iso639_3
        names[language.code] = LanguageNames(iso, own, frozenset(codes), "zho" if is_chinese else iso)
    return names


def names_of(code: str) -> LanguageNames:
    """Other names of the translation with this code; of a person's own text, none.

    >>> names_of("ell_monotonic").own, names_of("deu_1996").iso, sorted(names_of("deu_1996").codes)
    ('Ελληνικά', 'deu', ['de', 'de-1996', 'deu'])
    """
    return _all_names().get(code, LanguageNames())


def count_language_codes(codes: Iterable[str]) -> int:
    """How many language codes these translations have among them; "unknown" counts as one."""
    return len({names_of(code).iso for code in codes})


def label_of(code: str, name: str) -> str:
    """A language in a chooser, where it is found by each of its names.

    >>> label_of("deu_1996", "German, Standard (1996)"), label_of("own-1", "Mine")
    ('German, Standard (1996) · Deutsch · deu', 'Mine')
    """
    names = names_of(code)
    own = "" if names.own.casefold() == name.casefold() else names.own
    return " · ".join(filter(None, (name, own, names.iso)))
