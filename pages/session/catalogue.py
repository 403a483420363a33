"""The texts that come with the app: each with one key, for every page where a text can be chosen.

A person's own texts are in ``own_texts.py``. What an encoding of a person's own learned from is not in the
catalogue: it goes when that encoding goes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pages.session.own_texts import OwnTexts, is_own_key, numbered
from pages.session.samples import read_samples
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
"""What the keys of these begin with: what an encoding learned from, and a sample of the playground."""

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
"""The keys of those that a page with room for a few offers first: each kind of text, and a few languages."""

_OLD_LANGUAGE = "udhr-"  # how links to Compression began a language's key before there was one catalogue


@dataclass(frozen=True)
class CatalogueText:
    """A text that comes with the app.

    Attributes:
        key: in links, and the same on every page.
        title: what it is called where one chooses. No two texts have the same.
        short: what it is called where there is little room, as beside a bar. No two texts have the same.
    """

    key: str
    title: str
    short: str

    @property
    def in_sentence(self) -> str:
        """What it is called in the midst of a sentence.

        Raises:
            OSError, ValueError: the file that says so is missing or damaged.

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
        """The keys of what it is made of, as in a ``Recipe``: by these it is known what learned from it.

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
    """The long ones, by key: stories, Python's own texts, and what the encodings grown here learned from."""
    titles = _LONG | {LEARNED + name: f"what {name} learned from" for name in list_models()}
    return {key: CatalogueText(key, title, title) for key, title in titles.items()}


def short_texts() -> dict[str, CatalogueText]:
    """The short ones, by key: each kind of text, the samples, and then all languages by name."""
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
    """A text's key as a link has it: what links had before there was one catalogue is still read.

    >>> key_in_link("udhr-kor"), key_in_link("udhr:kor"), key_in_link("own-1")
    ('udhr:kor', 'udhr:kor', 'own-1')
    """
    return LANGUAGE + key.removeprefix(_OLD_LANGUAGE) if key.startswith(_OLD_LANGUAGE) else key


def own_titles(own: OwnTexts, taken: Iterable[str] = ()) -> dict[str, str]:
    """What each of a person's own texts is called, by its key: never as one that comes with the app.

    Args:
        own: the texts.
        taken: titles of whatever else stands on the page.

    >>> own = OwnTexts(lambda: "")
    >>> own.add("Python", "x = 1")
    'own-1'
    >>> own_titles(own)
    {'own-1': 'Python 2', 'playground': 'Playground text'}
    """
    others = {name for text in catalogue().values() for name in (text.title, text.short)} | set(taken)
    used = others | {text.title for text in own.values()}
    titles: dict[str, str] = {}
    for key, text in own.items():
        titles[key] = numbered(text.title, used) if text.title in others else text.title
        used.add(titles[key])
    return titles


def begin(key: str, title: str) -> str:
    """A title as the beginning of a line; what a person named stays as they wrote it.

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
    """The title of each language. Without their file, of a few: what is chosen of them says what is wrong."""
    try:
        return language_titles()
    except SHIPPED_FILE_ERRORS:
        return _SHORT_LANGUAGES
