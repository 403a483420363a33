"""The declarations that can be compared with each other: complete, clearly named, each with its script.

Translations differ in completeness, and a text without its preamble is a fifth shorter whatever its
language. So there is a rule, in one sentence (``RULE``), and what it leaves out can be listed.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..text.scripts import COMMON, SCRIPTS, find_scripts
from ..utf8 import utf8_length, well_formed
from .udhr import Language, language_titles, list_languages

COMPLETE_STAGE = 4
MIN_PARAGRAPHS = 80
MIN_UNNUMBERED = 88
MIN_PREAMBLE = 0.08

RULE = (
    "A translation counts as complete if its source calls it finished, and it has a preamble, all thirty "
    f"articles and at least {MIN_PARAGRAPHS} paragraphs (English has 92); where articles are not numbered in "
    f"figures, so that they cannot be counted here, {MIN_UNNUMBERED} paragraphs."
)
"""The rule of ``why_left_out``, for people."""

_HEADING = 60  # characters; an article's heading is a short paragraph with a number in it
_ALIASES = {"Hiragana": "Japanese"}  # kana and Han are written together: ISO 15924 has Jpan for it


@dataclass(frozen=True, slots=True)
class ParallelText:
    """The same text in one language, or a text of a person's own.

    Attributes:
        code: unique: that of ``udhr.Language``; of a person's own text, its name.
        name: for people, and unique too: from ``language_titles``.
        script: the writing system of most of its letters: from ``main_script``.
        latitude: degrees north; None: no place is known.
        longitude: degrees east; None: no place is known.
        text: the text itself.
    """

    code: str
    name: str
    script: str
    latitude: float | None
    longitude: float | None
    text: str = field(repr=False)

    @property
    def n_bytes(self) -> int:
        """Bytes of UTF-8."""
        return utf8_length(self.text)

    @property
    def n_chars(self) -> int:
        """Unicode code points."""
        return len(self.text)


@functools.cache
def list_parallel() -> tuple[ParallelText, ...]:
    """The declaration in every language in which it is complete, in the order of ``list_languages``.

    Raises:
        OSError: the corpus file is missing. ValueError: it is damaged.

    >>> len(list_parallel())
    494
    >>> [text for text in list_parallel() if text.code == "mya"]
    [ParallelText(code='mya', name='Burmese', script='Myanmar', latitude=20.79, longitude=93.97)]
    """
    kept = [language for language in list_languages() if why_left_out(language) is None]
    titles = language_titles()
    scripts = main_scripts([language.text for language in kept])
    return tuple(
        ParallelText(each.code, titles[each.code], script, each.latitude, each.longitude, each.text)
        for each, script in zip(kept, scripts, strict=True)
    )


def own_text(name: str, text: str) -> ParallelText:
    """A person's own text, in the form of the others.

    >>> own_text("mine", "мир")
    ParallelText(code='mine', name='mine', script='Cyrillic', latitude=None, longitude=None)
    """
    text = well_formed(text)
    return ParallelText(name, name, main_script(text), None, None, text)


def why_left_out(language: Language) -> str | None:
    """Why a translation is not compared with the others, in a few words; None: it is (see ``RULE``).

    The preamble is found without knowing the language: what comes before the heading of article 2
    is the title, the preamble and article 1, a fifth of the text. Without a preamble it is 2 to 7 %,
    with one at least 9 %; no translation is between the two.

    >>> from tokenizers.data.udhr import get_language
    >>> why_left_out(get_language("eng")) is None
    True
    >>> why_left_out(get_language("gug")), why_left_out(get_language("khk_mong"))
    ('little or no preamble', 'unfinished')
    """
    if language.stage < COMPLETE_STAGE:
        return "unfinished"
    paragraphs = language.text.split("\n")
    short = (paragraph if len(paragraph) <= _HEADING else "" for paragraph in paragraphs)
    headings = [{int(number) for number in re.findall(r"\d{1,4}", each)} for each in short]  # of any script
    articles = set().union(*headings) & set(range(1, 31))
    second = next((i for i, numbers in enumerate(headings) if 2 in numbers), None)
    if second is None or len(articles) < 15:  # numbered in words
        few = len(paragraphs) < MIN_UNNUMBERED
        return f"{len(paragraphs)} paragraphs, without numbers to tell what is missing" if few else None
    if sum(map(len, paragraphs[:second])) < MIN_PREAMBLE * len(language.text):
        return "little or no preamble"
    if len(paragraphs) < MIN_PARAGRAPHS:
        return f"{len(paragraphs)} paragraphs"
    # The first may be "Article premier", and the number in a heading may be mistyped.
    if len(articles) < 28 and len(paragraphs) < MIN_UNNUMBERED:
        return f"{len(articles)} articles"
    return None


@functools.cache
def list_left_out() -> tuple[tuple[Language, str], ...]:
    """The translations that are not compared, each with the reason.

    >>> len(list_left_out())
    38
    """
    return tuple((each, reason) for each in list_languages() if (reason := why_left_out(each)))


def main_script(text: str) -> str:
    """The script of most letters of a text; kana and Han together are "Japanese".

    >>> main_script("Миру мир (2024, peace)"), main_script("すべての人間は"), main_script("123")
    ('Cyrillic', 'Japanese', 'Common')
    """
    return main_scripts([text])[0]


def main_scripts(texts: Sequence[str]) -> list[str]:
    """``main_script`` of many texts: each character that occurs is looked up once."""
    scripts = find_scripts("".join(texts))
    names = []
    for part in np.split(scripts, np.cumsum([len(text) for text in texts])[:-1]):
        counts = np.bincount(part, minlength=len(SCRIPTS))
        counts[SCRIPTS.index(COMMON)] = 0
        name = SCRIPTS[int(counts.argmax())] if counts.any() else COMMON
        names.append(_ALIASES.get(name, name))
    return names


def fingerprint_of_texts(texts: Iterable[ParallelText]) -> str:
    """Sixteen hex digits of codes and texts, in their order: equal for equal corpora.

    >>> fingerprint_of_texts([own_text("a", "b")]) == fingerprint_of_texts([own_text("a", "c")])
    False
    """
    data = "".join(f"{text.code!r} {text.n_bytes}\n{text.text}" for text in texts)
    return hashlib.sha256(data.encode()).hexdigest()[:16]
