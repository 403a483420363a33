"""The texts of the page Compression: those of the catalogue, the playground's, a person's own."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pages.session.catalogue import FEATURED, catalogue, find_text, own_titles
from pages.session.own_texts import PLAYGROUND, OwnText, OwnTexts, is_own_key
from tokenizers.amounts import bytes_in_words
from tokenizers.data import LANGUAGE, LIBRARY, list_parallel
from tokenizers.lazily import once
from tokenizers.text import TextMap, Words, find_words

MAX_OWN_BYTES = 20 << 20
"""The most bytes of a person's own texts that are measured at a time."""

MAX_BUNDLED = 40
"""The most texts that come with the app that are measured at a time: a link may name all 500 languages."""

ENGLISH = LANGUAGE + "eng"
"""The declaration in English: what the other languages' premium is measured by."""

NOT_OFFERED = {LIBRARY}
"""What the page leaves out of the catalogue. Python's library has 11 MB: that takes seconds in each encoding
and hundreds of MB of memory, and the page measures whole texts."""

DEFAULT = ["prose", "python", "json", "numbers", "emoji", "indented"] + [
    LANGUAGE + code for code in ("deu_1996", "rus", "hin", "mya", "cmn_hans", "kor")
]


@dataclass(frozen=True, eq=False)
class Sample:
    """A text to measure, with what is worked out of it once for all encodings.

    Attributes:
        key: in links.
        title: what people call it; no two on the page are the same.
        text_map: the text.
    """

    key: str
    title: str
    text_map: TextMap

    @once
    def words(self) -> Words:
        """Its words."""
        return find_words(self.text_map)

    @property
    def is_bundled(self) -> bool:
        """Whether it is the same for everybody."""
        return not is_own_key(self.key)

    @property
    def is_parallel(self) -> bool:
        """Whether it is the declaration, whole, so that languages can be compared."""
        return self.key.startswith(LANGUAGE) and (self.key in FEATURED or self.key in _complete())


@functools.cache
def _complete() -> frozenset[str]:
    """The keys of the languages in which the declaration is complete."""
    return frozenset(LANGUAGE + text.code for text in list_parallel())


@functools.lru_cache(maxsize=64)
def bundled(key: str) -> Sample:
    """One of the texts that come with Token Grove; shared by all sessions.

    Raises:
        OSError: its file is missing. ValueError: it is damaged, or there is none of that key.

    >>> bundled("prose").title, bundled("udhr:kor").text_map.text[:4]
    ('English prose', '세 계 ')
    """
    text = find_text(key)
    return Sample(key, text.short, TextMap(text.read()))


class OwnSamples:
    """A person's own texts as samples: of those that are measured now, what was worked out is kept."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[OwnText, Sample]] = {}

    def get(self, own: OwnText, title: str, text_map: TextMap | None = None) -> Sample:
        """The sample of a text.

        Args:
            own: the text.
            title: what to call it on this page.
            text_map: of the text, if there is one; else it is made.
        """
        kept = self._kept.get(own.key)
        if kept is None or kept[0] is not own or kept[1].title != title:
            same = kept[1].text_map if kept is not None and kept[0].text is own.text else None
            kept = self._kept[own.key] = own, Sample(own.key, title, text_map or same or TextMap(own.text))
        return kept[1]

    def keep_only(self, keys: Sequence[str]) -> None:
        """Drop the other texts: what is computed from a text takes several times its memory."""
        self._kept = {key: kept for key, kept in self._kept.items() if key in keys}


def titles_of(own: OwnTexts) -> dict[str, str]:
    """Every text that can be chosen, by key, with its short title; no two titles are the same.

    A person's own come first, then the kinds of text and the languages that are offered at once, then the
    playground's text, and then all others.

    >>> own = OwnTexts(lambda: "")
    >>> own.add("Python", "x = 1")
    'own-1'
    >>> [titles_of(own)[key] for key in ("own-1", "python", "playground")]
    ['Python 2', 'Python', 'Playground text']
    """
    texts = {key: text for key, text in catalogue().items() if key not in NOT_OFFERED}
    titles = own_titles(own)
    live = titles.pop(PLAYGROUND)
    titles |= {key: texts[key].short for key in FEATURED} | {PLAYGROUND: live}
    return titles | {key: text.short for key, text in texts.items() if key not in titles}


def more_texts() -> dict[str, str]:
    """The texts that the page does not offer at once, by key, with their full titles."""
    return {
        key: text.title for key, text in catalogue().items() if key not in FEATURED and key not in NOT_OFFERED
    }


def choose(
    keys: Sequence[str], own: OwnTexts, own_samples: OwnSamples, playground: TextMap
) -> tuple[list[Sample], Mapping[str, str]]:
    """The chosen texts, in the order chosen, and what is wrong with those that cannot be had, by title.

    Args:
        keys: of the texts.
        own: the session's own texts.
        own_samples: keeps what was worked out of these.
        playground: the playground's text, which is one of them.
    """
    titles = titles_of(own)
    samples, problems = [], {}
    own_samples.keep_only(keys)
    n_bundled = 0
    room = MAX_OWN_BYTES
    for key in keys:
        if is_own_key(key):
            text = own[key]
            if text.n_bytes > room:
                problems[titles[key]] = (
                    f"Up to {bytes_in_words(MAX_OWN_BYTES)} of your own texts are measured at a time: choose "
                    "fewer of them."
                )
                continue
            room -= text.n_bytes
            is_live = key == PLAYGROUND
            samples.append(own_samples.get(text, titles[key], playground if is_live else None))
            continue
        n_bundled += 1
        if n_bundled > MAX_BUNDLED:
            problems[titles[key]] = (
                f"Up to {MAX_BUNDLED} of the texts that come with the app are measured at a time: choose "
                "fewer of them."
            )
            continue
        try:
            samples.append(bundled(key))
        except (OSError, ValueError) as problem:
            problems[titles[key]] = str(problem)
    return samples, problems
