"""The texts that come with the app, each under one key, for every page with a choice of texts.

A session's own texts are in ``own_texts.py``. Training texts of the session's own encodings are not in the
catalogue, since they disappear with the encoding.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pages.session.own_texts import OwnTexts, unused_name
from tokenizers.data import (
    DOCS,
    FIRST_MODEL,
    LANGUAGE,
    LIBRARY,
    STORIES,
    get_language,
    language_titles,
    read_bundled,
    read_recipe,
)
from tokenizers.encoding import ASSETS
from tokenizers.registry import model_name, sources_learned
from tokenizers.shipped import reading

LEARNED = "learned:"
"""The prefix of the keys of an encoding's training texts."""

_SAMPLE = "sample:"
_LONG = {
    STORIES: "two stories in English",
    DOCS: "Python’s documentation",
    LIBRARY: "Python’s library (source code)",
}
_KINDS = {
    "prose": "English prose",
    "python": "Python",
    "json": "JSON",
    "numbers": "Numbers and dates",
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


@dataclass(frozen=True, eq=False)
class CatalogueText:
    """A text that comes with the app.

    Attributes:
        key: the same in links and on every page.
        title: its name in choosers, which is unique.
        short: its name where there is little room, as beside a bar, which is unique, too.
        in_sentence: its name in the middle of a sentence.
        read: returns the text. Raises an OSError if its file is missing, a ValueError if it is damaged.
    """

    key: str
    title: str
    short: str
    in_sentence: str
    read: Callable[[], str]

    @property
    def sources(self) -> tuple[str, ...]:
        """The keys of its sources, as in a ``Recipe``. They tell which encodings were trained on it.

        >>> find_text("udhr:kor").sources, "udhr:kor" in find_text("learned:grove-udhr-8k").sources
        (('udhr:kor',), True)
        """
        if self.key.startswith(LEARNED):
            return tuple(sorted(sources_learned(self.key.removeprefix(LEARNED))))
        return (self.key,)


def catalogue() -> dict[str, CatalogueText]:
    """Every text that comes with the app, by its key: long ones first, languages by name at the end."""
    return {text.key: text for text in _list_texts()}


def _list_texts() -> Iterator[CatalogueText]:
    for key, phrase in _LONG.items():
        title = phrase[:1].upper() + phrase[1:]
        yield CatalogueText(key, title, title, phrase, functools.partial(_read_source, key))
    phrase = f"what {model_name(FIRST_MODEL)} learned from"
    title = phrase[:1].upper() + phrase[1:]
    yield CatalogueText(LEARNED + FIRST_MODEL, title, title, phrase, _read_learned)
    for key, title in _KINDS.items():
        yield CatalogueText(key, title, title, f"the text “{title}”", functools.partial(_read_kind, key))
    for sample in read_samples():
        label = sample["label"]
        read = functools.partial(str, sample["text"])
        title = f"Sample: {label}"
        yield CatalogueText(_SAMPLE + label, title, title, f"the sample “{label}”", read)
    for code, title in language_titles().items():
        short = _SHORT_LANGUAGES.get(code, title)
        phrase = f"the declaration in {title}"
        read = functools.partial(_read_source, LANGUAGE + code)
        yield CatalogueText(LANGUAGE + code, title, short, phrase, read)


def find_text(key: str) -> CatalogueText:
    """The text of that key.

    Raises:
        ValueError: there is none.

    >>> german = find_text("udhr:deu_1996")
    >>> german.title, german.short, german.in_sentence
    ('German, Standard (1996)', 'German', 'the declaration in German, Standard (1996)')
    >>> find_text("prose").read()[:3], find_text("udhr:kor").read()[:4]
    ('The', '세 계 ')
    >>> find_text("nonsense")
    Traceback (most recent call last):
    ...
    ValueError: No text 'nonsense' comes with the app. Choose another one.
    """
    texts = catalogue()
    if key not in texts:
        raise ValueError(f"No text {key[:40]!r} comes with the app. Choose another one.")
    return texts[key]


def own_titles(own: OwnTexts, used_titles: Iterable[str] = ()) -> dict[str, str]:
    """The titles of a session's own texts by key, none of which equals a title of the catalogue.

    Args:
        own: the session's own texts.
        used_titles: other titles on the page.

    >>> own = OwnTexts(lambda: "")
    >>> own.add("Python", "x = 1")
    'own-1'
    >>> own_titles(own)
    {'own-1': 'Python (yours)', 'playground': 'Playground text'}
    """
    reserved = {name for text in _list_texts() for name in (text.title, text.short)} | set(used_titles)
    used = reserved | {text.title for text in own.values()}
    titles = {}
    for key, text in own.items():
        titles[key] = text.title
        if text.title in reserved:
            titles[key] = unused_name(f"{text.title} (yours)", used)
        used.add(titles[key])
    return titles


def _read_source(key: str) -> str:
    return "\n".join(read_bundled(key).texts)


def _read_learned() -> str:
    return "\n".join(get_language(code).text for code in read_recipe().languages)


def _read_kind(key: str) -> str:
    path = ASSETS / "samples" / "groups" / f"{key}.txt"
    with reading(path, "Its file"):
        return path.read_text("utf-8")


@functools.cache
def read_samples() -> list[dict[str, str]]:
    """The label, hint and text of each sample, in the order of their buttons. All sessions share this list.

    Raises:
        OSError, ValueError: their file is missing or damaged.
    """
    path = ASSETS / "samples" / "samples.json"
    with reading(path, "The file of samples"):
        rows = json.loads(path.read_text("utf-8"))
        return [{field: row[field] for field in ("label", "hint", "text")} for row in rows]
