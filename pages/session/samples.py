"""Texts to measure: those that come with the app and a session's own, by their keys, up to limits."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from pages.session.catalogue import FEATURED, catalogue, find_text, own_titles
from pages.session.own_texts import OwnTexts, digest_of
from tokenizers.amounts import bytes_in_words
from tokenizers.data import LANGUAGE, LIBRARY, list_parallel, utf8_length
from tokenizers.steps import first_few
from tokenizers.text import TextMap, Words, find_words, isolate

MAX_TEXTS = 100
"""The most texts that are measured at a time."""
MAX_MEASURED_BYTES = 20 << 20
"""The most bytes of these texts together."""

_finding_words = ThreadPoolExecutor(2)  # as many as encodings that are measured at a time


@dataclass(frozen=True, eq=False)
class Sample:
    """A text to measure.

    Attributes:
        key: in links.
        title: its name, unique on the page.
        text: the text.
        digest: equal for equal texts.
        sources: the keys of its sources, as in a ``Recipe``.
    """

    key: str
    title: str
    text: str
    digest: str
    sources: tuple[str, ...] = ()

    @functools.cached_property
    def text_map(self) -> TextMap:
        """The text with its byte offsets, computed once for all encodings."""
        return TextMap(self.text)

    @functools.cached_property
    def words(self) -> Future[Words]:
        """Its words, found while encodings encode it in other threads."""
        return _finding_words.submit(find_words, self.text_map)

    @property
    def is_parallel(self) -> bool:
        """Whether it is a complete declaration, so that languages can be compared."""
        return self.key in [LANGUAGE + text.code for text in list_parallel()]


@functools.lru_cache(maxsize=64)
def bundled(key: str) -> Sample:
    """One of the texts that come with Token Grove; shared by all sessions.

    Raises:
        OSError: its file is missing. ValueError: it is damaged, or there is none of that key.

    >>> bundled("prose").title, bundled("udhr:kor").text[:4]
    ('English prose', '세 계 ')
    """
    text = find_text(key)
    content = text.read()
    return Sample(key, text.short, content, digest_of(content), text.sources)


def titles_of(own: OwnTexts) -> dict[str, str]:
    """Every text that can be chosen, by key, with its short title; no two titles are the same.

    The session's own come first, then the featured ones. Python's library is not among them: its 11 MB would
    take hundreds of MB of memory.

    >>> own = OwnTexts(lambda: "")
    >>> own.add("Python", "x = 1")
    'own-1'
    >>> list(titles_of(own).values())[:3]
    ['Python (yours)', 'Playground text', 'English prose']
    """
    texts = {key: text.short for key, text in catalogue().items() if key != LIBRARY}
    return own_titles(own) | {key: texts[key] for key in FEATURED} | texts


def choose(keys: Sequence[str], own: OwnTexts) -> tuple[list[Sample], list[str]]:
    """The chosen texts, in order, and sentences about those that are not measured.

    Args:
        keys: of the texts.
        own: the session's own texts.
    """
    titles = titles_of(own)
    samples: list[Sample] = []
    problems = []
    left_out = []
    room = MAX_MEASURED_BYTES
    for key in keys:
        try:
            text = own.get(key)
            sample = Sample(key, titles[key], text.text, text.digest, (key,)) if text else bundled(key)
        except (OSError, ValueError) as problem:
            problems.append(f"{isolate(titles[key])} is left out. {problem}")
            continue
        n_bytes = text.n_bytes if text else utf8_length(sample.text)
        if n_bytes > room or len(samples) == MAX_TEXTS:
            left_out.append(isolate(sample.title))
        else:
            samples.append(sample)
            room -= n_bytes
    if left_out:
        most = bytes_in_words(MAX_MEASURED_BYTES)
        limit = f"Up to {MAX_TEXTS} texts of {most} together are measured at a time."
        problems.append(f"{limit} Left out: {first_few(left_out, 3)}.")
    return samples, problems
