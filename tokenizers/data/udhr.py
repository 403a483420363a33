"""One text in 500 languages: the Universal Declaration of Human Rights.

Languages are compared on it, and multilingual encodings are trained on it. Some translations are partial, so
compare lengths with care. Some have a number for a code, because the source has no better name for them.
assets/udhr/README.md says where the text comes from.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import lzma
import re
import unicodedata
from collections import Counter
from pathlib import Path

from ..encoding import ASSETS
from ..json_types import JsonObject
from ..shipped import reading
from ..text.code_points import is_assigned

UDHR_FILE = ASSETS / "udhr" / "udhr.jsonl.xz"


@dataclasses.dataclass(frozen=True, slots=True)
class Language:
    """The declaration in one language or variant.

    Attributes:
        code: unique here, as in the source: "eng", "deu_1996", "cmn_hans".
        name: its English name in the source. Two names occur twice; ``language_titles`` tells them apart.
        bcp47: its language tag; variants of one language may share it.
        latitude: degrees north, of a place where it is spoken; None: the source knows no place.
        longitude: degrees east; None: the source knows no place.
        stage: 4: complete and checked in form; lower: less so.
        text: paragraphs, joined by newlines.
        iso639_3: the language's code of three letters, which variants share; "und": unknown.
    """

    code: str
    name: str
    bcp47: str
    latitude: float | None
    longitude: float | None
    stage: int
    text: str = dataclasses.field(repr=False)
    iso639_3: str = "und"


def list_languages() -> list[Language]:
    """Every language, in the order of the source: by code, nearly.

    Raises:
        OSError: the corpus file is missing. ValueError: it is damaged.

    >>> len(list_languages())
    532
    """
    return list(_read(UDHR_FILE).values())


def code_of_tag(tag: str) -> str | None:
    """The code of the translation for a browser's language, such as "pt-BR"; None: there is none.

    >>> code_of_tag("pt-BR"), code_of_tag("de-AT"), code_of_tag("fr"), code_of_tag("tlh")
    ('por_BR', 'deu_1996', 'fra', None)
    """
    asked = tag.lower().split("-")

    def fit(language: Language) -> tuple[int, int, bool, int, str]:
        own = language.bcp47.lower().split("-")
        is_usual = language.code == language.iso639_3
        return len({*asked} & {*own}), -len(own), is_usual, -len(language.code), language.code

    candidates = [each for each in list_languages() if each.bcp47.lower().split("-")[0] == asked[0]]
    return max(candidates, key=fit).code if candidates else None


def get_language(code: str) -> Language:
    """The language of that code.

    Raises:
        ValueError: no such code.
        OSError: the corpus file is missing.

    >>> get_language("hin").text[:32]
    'मानव अधिकारों की सार्वभौम घोषणा\\n'
    >>> get_language("english")
    Traceback (most recent call last):
    ...
    ValueError: No translation here has the code 'english'. list_languages() has them all.
    """
    languages = _read(UDHR_FILE)
    if code not in languages:
        raise ValueError(f"No translation here has the code {code!r}. list_languages() has them all.")
    return languages[code]


@functools.cache
def language_titles() -> dict[str, str]:
    """What people call each language, by its code; no two are called the same. In the order of choosers.

    A name that occurs twice gets its code, and a decomposed text "(decomposed)". The source puts the names
    that it is not sure of in brackets; here they are names like any other.

    Raises:
        OSError: the corpus file is missing. ValueError: it is damaged.

    >>> [language_titles()[code] for code in ("eng", "013", "ven", "ven2")]
    ['English', 'Mijisa', 'Venda (ven)', 'Venda (ven2)']
    >>> [title for title in language_titles().values() if title.startswith("Viet")]
    ['Vietnamese (decomposed)', 'Vietnamese (Han nom)']
    """
    names = {each.code: re.sub(r"^\((.*)\)$", r"\1", each.name) or each.code for each in list_languages()}
    uses = Counter(names.values())
    titles = {code: name if uses[name] == 1 else f"{name} ({code})" for code, name in names.items()}
    in_order = sorted(titles, key=lambda code: _place_of(titles[code]))
    return {
        code: titles[code] + (" (decomposed)" if compose(get_language(code).text) else "")
        for code in in_order
    }


def compose(text: str) -> str | None:
    """A decomposed text in Unicode's normal form NFC, in which letters hold their accents; None: it is none.

    Decomposed is here a text in which at least one in a hundred characters is an accent that NFC puts into
    its letter. NFC may also take letters apart, as in Hindi.

    >>> compose("cafe\u0301"), compose("caf\u00e9"), compose("\u0958")
    ('café', None, None)
    """
    composed = unicodedata.normalize("NFC", text)
    return composed if len(composed) <= 0.99 * len(text) else None


def _place_of(title: str) -> tuple[str, int]:
    """The sort key of a title: a letter with an accent beside the one without, the newest orthography first.

    >>> sorted(["German (1901)", "German (1996)", "Faroese", "Éwé", "English"], key=_place_of)
    ['English', 'Éwé', 'Faroese', 'German (1996)', 'German (1901)']
    """
    year = re.search(r"\((\d{4})\)$", title)
    name = title[: year.start()] if year else title
    return unicodedata.normalize("NFD", name).casefold(), -int(year[1]) if year else 0


@functools.cache
def _read(path: Path) -> dict[str, Language]:
    """All languages in the file, by code: one JSON object a line, compressed by xz."""
    with reading(path, "The declaration's file"):
        rows = map(json.loads, lzma.decompress(path.read_bytes()).splitlines())
        return {row["code"]: _language(row) for row in rows}


def _language(row: JsonObject) -> Language:
    # Where the source knows no place, it puts the language in Antarctica.
    is_known = row["latitude"] > -60
    latitude, longitude = (float(row[each]) if is_known else None for each in ("latitude", "longitude"))
    names = row["code"], row["name"], row["bcp47"]
    return Language(*names, latitude, longitude, row["stage"], row["text"], row["iso6393"])


# How much of Unicode people use


@dataclasses.dataclass(frozen=True)
class CharacterUse:
    """The characters of some texts.

    Attributes:
        n_texts: how many texts they are of.
        counts: how often each character occurs.
    """

    n_texts: int
    counts: Counter[str]

    @property
    def n_assigned(self) -> int:
        """How many of them this Python's Unicode has assigned: not those for private use, or newer ones.

        >>> CharacterUse(1, Counter("a\\ue000")).n_assigned
        1
        """
        return sum(map(is_assigned, self.counts))

    def share_of_first(self, most: int) -> float:
        """The share of all places that the most frequent characters take, from 0 to 1.

        >>> CharacterUse(2, Counter("aabac")).share_of_first(1)
        0.6
        """
        return sum(count for _, count in self.counts.most_common(most)) / self.counts.total()


@functools.cache
def characters_of_the_declaration() -> CharacterUse:
    """The characters of the Universal Declaration of Human Rights, in every language that is here.

    Raises:
        OSError: the corpus file is missing. ValueError: it is damaged.
    """
    texts = [language.text for language in list_languages()]
    return CharacterUse(len(texts), Counter("".join(texts)))
