"""The texts of the page Compression: samples of ours, the declaration, the playground's, a person's own."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pages.session.own_texts import PLAYGROUND, OwnText, OwnTexts, is_own_key, numbered
from tokenizers import limits
from tokenizers.amounts import bytes_in_words
from tokenizers.data import get_language
from tokenizers.encoding import ASSETS
from tokenizers.shipped import damaged, missing
from tokenizers.text import TextMap, Words, find_words

MAX_OWN_BYTES = limits.MEASURED_MB.value * limits.MB
"""The most bytes of a person's own texts that are measured at a time."""

ENGLISH = "udhr-eng"
"""The declaration in English: what the other languages' premium is measured by."""

_SAMPLES = {
    "prose": "English prose",
    "python": "Python",
    "json": "JSON",
    "numbers": "Numbers",
    "emoji": "Emoji",
    "indented": "Indentation",
}
_LANGUAGES = {
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

BUNDLED = {**_SAMPLES, **{f"udhr-{code}": name for code, name in _LANGUAGES.items()}}
"""The texts that come with Token Grove: what each is called, by its key."""

DEFAULT = ["prose", "python", "json", "numbers", "emoji", "indented"] + [
    f"udhr-{code}" for code in ("deu_1996", "rus", "hin", "mya", "cmn_hans", "kor")
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

    @functools.cached_property
    def words(self) -> Words:
        """Its words."""
        return find_words(self.text_map)

    @property
    def is_bundled(self) -> bool:
        """Whether it is the same for everybody."""
        return self.key in BUNDLED

    @property
    def is_parallel(self) -> bool:
        """Whether it is the declaration, so that languages can be compared."""
        return self.key.startswith("udhr-")


@functools.cache
def bundled(key: str) -> Sample:
    """One of the texts that come with Token Grove; shared by all sessions.

    Raises:
        OSError: its file is missing. ValueError: it is damaged.

    >>> bundled("prose").title, bundled("udhr-kor").text_map.text[:4]
    ('English prose', '세 계 ')
    """
    if key in _SAMPLES:
        path = ASSETS / "samples" / "groups" / f"{key}.txt"
        try:
            text = path.read_text("utf-8")
        except OSError as problem:
            raise missing(path, "Its file", problem) from None
        except UnicodeDecodeError:
            raise damaged(path, "Its file") from None
    else:
        text = get_language(key.removeprefix("udhr-")).text
    return Sample(key, BUNDLED[key], TextMap(text))


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
    """Every text that can be chosen, by key, with its title; no two titles are the same.

    >>> own = OwnTexts(lambda: "")
    >>> own.add("Python", "x = 1")
    'own-1'
    >>> [titles_of(own)[key] for key in ("own-1", "python", "playground")]
    ['Python 2', 'Python', 'Playground text']
    """
    taken = {*BUNDLED.values(), *(text.title for text in own.values())}
    titles: dict[str, str] = {}
    for key, text in own.items():
        is_taken = text.title in BUNDLED.values()
        titles[key] = numbered(text.title, taken) if is_taken else text.title
        taken.add(titles[key])
    live = titles.pop(PLAYGROUND)
    return {**titles, **BUNDLED, PLAYGROUND: live}


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
        try:
            samples.append(bundled(key))
        except (OSError, ValueError) as problem:
            problems[titles[key]] = str(problem)
    return samples, problems
