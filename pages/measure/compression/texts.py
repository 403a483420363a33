"""The texts of the page Compression: samples of ours, the declaration, the playground's, a person's own."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pages.session.guessed_file import GuessedFile, read_file
from tokenizers.data import udhr
from tokenizers.encoding import ASSETS
from tokenizers.text import TextMap, Words, check_size, find_words

MAX_OWN = 20
MAX_OWN_BYTES = 20_000_000

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
PLAYGROUND = "playground"
_OWN = "own-"

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
        text = (ASSETS / "samples" / "groups" / f"{key}.txt").read_text("utf-8")
    else:
        text = udhr.get_language(key.removeprefix("udhr-")).text
    return Sample(key, BUNDLED[key], TextMap(text))


@dataclass
class OwnTexts:
    """The texts that one session brought, by key, in the order in which they came."""

    samples: dict[str, Sample] = field(default_factory=dict)
    number: int = 0  # of the next one
    guessed: dict[str, GuessedFile] = field(default_factory=dict)  # whose character set is a guess, by key
    files_seen: set[str] = field(default_factory=set)  # ids of uploads that were taken or refused

    def titles(self) -> set[str]:
        """What is taken."""
        return {*BUNDLED.values(), *(sample.title for sample in self.samples.values())}

    def add(self, title: str, text: str) -> str:
        """Take a text; returns its key. A title that is taken gets a number behind it.

        Raises:
            ValueError: it is empty, or one too many, or too long; says so in one sentence.

        >>> own = OwnTexts()
        >>> own.add("notes", "a"), own.add("notes", "b")
        ('own-1', 'own-2')
        >>> [sample.title for sample in own.samples.values()]
        ['notes', 'notes 2']
        """
        base = " ".join(title.split())[:60] or "My text"
        if not text:
            raise ValueError(f"{base} is empty, so there is nothing to measure.")
        if len(self.samples) >= MAX_OWN:
            raise ValueError(f"{base} is one too many: remove one of your {MAX_OWN} texts first.")
        text_map = TextMap(text)
        check_size(text_map.n_bytes, base)
        others = sum(sample.text_map.n_bytes for sample in self.samples.values())
        self._check_room(others + text_map.n_bytes, base)
        name, number = base, 2
        while name in self.titles():
            name, number = f"{base} {number}", number + 1
        self.number += 1
        key = f"{_OWN}{self.number}"
        self.samples[key] = Sample(key, name, text_map)
        return key

    def remove(self, key: str) -> None:
        """Let go of a text."""
        self.samples.pop(key, None)
        self.guessed.pop(key, None)

    def add_files(self, files: Sequence[tuple[str, bytes]]) -> tuple[list[str], list[str]]:
        """Take several files: (keys of those that could be read, what is wrong with the others)."""
        keys, problems = [], []
        for name, data in files:
            name = name[:80]
            try:
                decoded, guessed = read_file(data, name)
                key = self.add(name, decoded.text)
            except ValueError as problem:
                problems.append(str(problem))
                continue
            keys.append(key)
            if guessed:
                self.guessed[key] = guessed
        return keys, problems

    def read_again(self, key: str, codec: str) -> None:
        """Read a file whose character set was guessed in another one.

        Raises:
            ValueError: it is not in that one, or too long then. Its text stays as it was.
        """
        decoded, guessed = self.guessed[key].read_as(codec)
        text_map = TextMap(decoded.text)
        others = sum(other.text_map.n_bytes for kept, other in self.samples.items() if kept != key)
        self._check_room(others + text_map.n_bytes, guessed.name)
        self.samples[key] = Sample(key, self.samples[key].title, text_map)
        self.guessed[key] = guessed

    def _check_room(self, n_bytes: int, name: str) -> None:
        if n_bytes > MAX_OWN_BYTES:
            raise ValueError(
                f"{name} is too much: your texts may have {MAX_OWN_BYTES // 1_000_000} MB together. Remove "
                "one of the others first."
            )


def titles_of(own: OwnTexts) -> dict[str, str]:
    """Every text that can be chosen, by key, with its title."""
    brought = {key: sample.title for key, sample in own.samples.items()}
    return {**brought, **BUNDLED, PLAYGROUND: _playground_title(own)}


def _playground_title(own: OwnTexts) -> str:
    name = "The playground’s text"
    return name if name not in own.titles() else name + " (live)"


def choose(keys: Sequence[str], own: OwnTexts, playground: TextMap) -> tuple[list[Sample], Mapping[str, str]]:
    """The chosen texts, in the order chosen, and what is wrong with those that cannot be had, by title."""
    titles = titles_of(own)
    samples, problems = [], {}
    for key in keys:
        try:
            if key == PLAYGROUND:
                samples.append(Sample(key, titles[key], playground))
            else:
                samples.append(own.samples[key] if key in own.samples else bundled(key))
        except (OSError, ValueError) as problem:
            problems[titles[key]] = str(problem)
    return samples, problems
