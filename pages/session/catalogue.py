"""The texts that come with the app, each under one key, for every page with a choice of texts.

A session's own texts are in ``own_texts.py``. Training texts of the session's own encodings are not in the
catalogue, since they disappear with the encoding.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass

from pages.session.own_texts import OwnTexts, is_own_key, numbered
from tokenizers.data import (
    DOCS,
    LANGUAGE,
    LIBRARY,
    STORIES,
    get_language,
    language_titles,
    list_models,
    read_bundled,
    read_recipe,
)
from tokenizers.encoding import ASSETS
from tokenizers.registry import sources_learned
from tokenizers.shipped import SHIPPED_FILE_ERRORS, damaged, missing

LEARNED, SAMPLE = "learned:", "sample:"
"""The prefixes of keys: of an encoding's training texts, and of the playground's samples."""

_LONG = {
    STORIES: "two stories in English",
    DOCS: "Python’s documentation",
    LIBRARY: "Python’s library (source code)",
}
_KINDS = {
    "prose": "English prose",
    "python": "Python",
    "json": "JSON",
    "numbers": "Numbers",
    "emoji": "Emoji",
    "indented": "Indentation",
}
_SHORT_LANGUAGES = {
    "eng": "English (declaration)",
    "deu_1996": "German",
    "rus": "Russian",
    "ell_monotonic": "Greek",
    "arb": "Arabic",
    "amh": "Amharic",
    "hin": "Hindi",
    "tam": "Tamil",
    "tha": "Thai",
    "mya": "Burmese",
    "cmn_hans": "Chinese",
    "jpn": "Japanese",
    "kor": "Korean",
}

FEATURED = (*_KINDS, *(LANGUAGE + code for code in _SHORT_LANGUAGES))
"""The keys of texts that a page offers first if it has room for a few."""

_OLD_LANGUAGE = "udhr-"  # the prefix of a language's key in old links to Compression


@dataclass(frozen=True)
class CatalogueText:
    """A text that comes with the app.

    Attributes:
        key: the same in links and on every page.
        title: its name in choosers, which is unique.
        short: its name where there is little room, as beside a bar, which is unique, too.
    """

    key: str
    title: str
    short: str

    @property
    def in_sentence(self) -> str:
        """Its name in the middle of a sentence.

        Raises:
            OSError, ValueError: the file with the name is missing or damaged.

        >>> find_text("udhr:kor").in_sentence, find_text("numbers").in_sentence
        ('the declaration in Korean', 'the text “Numbers”')
        """
        if self.key.startswith(LANGUAGE):
            return f"the declaration in {self.title}"
        if self.key.startswith(SAMPLE):
            return f"the sample “{self.key.removeprefix(SAMPLE)}”"
        if self.key.startswith(LEARNED):
            n_languages = len(read_recipe(self.key.removeprefix(LEARNED)).languages)
            return f"{self.title} ({n_languages} languages)"
        return f"the text “{self.title}”" if self.key in _KINDS else read_bundled(self.key).title

    @property
    def sources(self) -> tuple[str, ...]:
        """The keys of its sources, as in a ``Recipe``. They tell which encodings were trained on it.

        >>> find_text("udhr:kor").sources, "udhr:kor" in find_text("learned:grove-udhr-8k").sources
        (('udhr:kor',), True)
        """
        if self.key.startswith(LEARNED):
            return tuple(sorted(sources_learned(self.key.removeprefix(LEARNED))))
        return (self.key,)

    def read(self) -> str:
        """The text.

        Raises:
            OSError: its file is missing. ValueError: it is damaged.

        >>> find_text("prose").read()[:3], find_text("udhr:kor").read()[:4]
        ('The', '세 계 ')
        """
        if self.key in _KINDS:
            return _read_kind(self.key)
        if self.key.startswith(SAMPLE):
            return _samples()[self.key.removeprefix(SAMPLE)]
        if self.key.startswith(LEARNED):
            languages = read_recipe(self.key.removeprefix(LEARNED)).languages
            return "\n".join(get_language(code).text for code in languages)
        return "\n".join(read_bundled(self.key).texts)


def long_texts() -> dict[str, CatalogueText]:
    """The long texts by key: stories, Python's own texts, and training texts of the bundled encodings."""
    titles = _LONG | {LEARNED + name: f"what {name} learned from" for name in list_models()}
    return {key: CatalogueText(key, title, title) for key, title in titles.items()}


def short_texts() -> dict[str, CatalogueText]:
    """The short texts by key: each kind of text, the samples, and then all languages by name."""
    titles = _KINDS | {SAMPLE + label: f"sample: {label}" for label in _samples()}
    return {key: CatalogueText(key, title, title) for key, title in titles.items()} | {
        LANGUAGE + code: CatalogueText(LANGUAGE + code, title, _SHORT_LANGUAGES.get(code, title))
        for code, title in _languages().items()
    }


def catalogue() -> dict[str, CatalogueText]:
    """Every text that comes with the app, by its key."""
    return long_texts() | short_texts()


def find_text(key: str) -> CatalogueText:
    """The text of that key.

    Raises:
        ValueError: there is none.

    >>> find_text("udhr:deu_1996")
    CatalogueText(key='udhr:deu_1996', title='German, Standard (1996)', short='German')
    >>> find_text("nonsense")
    Traceback (most recent call last):
    ...
    ValueError: No text 'nonsense' comes with the app. Choose another one.
    """
    texts = catalogue()
    if key not in texts:
        raise ValueError(f"No text {key[:40]!r} comes with the app. Choose another one.")
    return texts[key]


def key_in_link(key: str) -> str:
    """A text's key, given its key in a link. Accepts the keys of old links, too.

    >>> key_in_link("udhr-kor"), key_in_link("udhr:kor"), key_in_link("own-1")
    ('udhr:kor', 'udhr:kor', 'own-1')
    """
    return LANGUAGE + key.removeprefix(_OLD_LANGUAGE) if key.startswith(_OLD_LANGUAGE) else key


def own_titles(own: OwnTexts, used_titles: Iterable[str] = ()) -> dict[str, str]:
    """The titles of a session's own texts by key, none of which equals a title of the catalogue.

    Args:
        own: the session's own texts.
        used_titles: other titles on the page.

    >>> own = OwnTexts(lambda: "")
    >>> own.add("Python", "x = 1")
    'own-1'
    >>> own_titles(own)
    {'own-1': 'Python 2', 'playground': 'Playground text'}
    """
    reserved = {name for text in catalogue().values() for name in (text.title, text.short)} | set(used_titles)
    used = reserved | {text.title for text in own.values()}
    titles: dict[str, str] = {}
    for key, text in own.items():
        titles[key] = numbered(text.title, used) if text.title in reserved else text.title
        used.add(titles[key])
    return titles


def begin(key: str, title: str) -> str:
    """A title for the beginning of a line: capitalised, unless a person wrote it.

    >>> begin("learned:gpt2", "what gpt2 learned from"), begin("own-1", "notes.txt")
    ('What gpt2 learned from', 'notes.txt')
    """
    return title if is_own_key(key) else title[:1].upper() + title[1:]


def _read_kind(key: str) -> str:
    path = ASSETS / "samples" / "groups" / f"{key}.txt"
    try:
        return path.read_text("utf-8")
    except OSError as problem:
        raise missing(path, "Its file", problem) from None
    except UnicodeDecodeError:
        raise damaged(path, "Its file") from None


def _samples() -> dict[str, str]:
    return {sample["label"]: sample["text"] for sample in read_samples()}


def _languages() -> dict[str, str]:
    """The titles of the languages. Without their file, those of a few, whose texts then show the error."""
    try:
        return language_titles()
    except SHIPPED_FILE_ERRORS:
        return _SHORT_LANGUAGES


def read_samples() -> list[dict[str, str]]:
    """The label, hint and text of each sample, in the order of their buttons. All sessions share this list.

    It is empty if the file is missing or damaged; ``start_check.py`` reports that.
    """
    try:
        return _read_samples_file()
    except (OSError, ValueError, TypeError, KeyError):
        return []


@functools.cache
def _read_samples_file() -> list[dict[str, str]]:
    rows = json.loads((ASSETS / "samples" / "samples.json").read_text("utf-8"))
    if not all(isinstance(row[field], str) for row in rows for field in ("label", "hint", "text")):
        raise ValueError("A sample has no text.")
    return list(rows)
