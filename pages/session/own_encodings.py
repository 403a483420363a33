"""A session's own encodings, trained or from files: with the facts about their training, and their limits.

A link *awaits* an encoding that is not here, by its name and digest, and has its recipe if anybody can train
it. A file that a person chose is *pending* (``pending_tokenizers.py``) until its question is answered. A
pending or a trained encoding is *added*: then every page can choose it, and it takes the place of an awaited
one. The browser *saves* it (``saved_items.py``).
"""

from __future__ import annotations

import functools
import hashlib
import re
import threading
from collections.abc import Collection, ItemsView, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass, field
from typing import NamedTuple

import tokenizers as tk
from pages.session.links import unpack_state
from pages.session.menu import MENU
from pages.session.own_texts import unused_name
from pages.session.train_plan import Recipe
from tokenizers import limits
from tokenizers.amounts import bytes_in_words
from tokenizers.bpe import STOPPED_BY_YOU, home_trained
from tokenizers.encoding import Encoding
from tokenizers.files import file_of
from tokenizers.json_types import JsonObject
from tokenizers.registry import model_name

REFERENCES = ("o200k_base", "cl100k_base", "gpt2")
"""The encodings that a trained one is compared with."""

SPLIT_SECONDS = float(limits.PATTERN_SECONDS)
"""How long a user's own split pattern may take on a text."""

MAX_OWN = 40
MAX_OWN_MEMORY = limits.OWN_ENCODINGS_MEMORY_MB * limits.MB
"""The most encodings of its own that a session may have, and the bytes of memory for all of them. An encoding
of Gemma's size takes a twelfth."""

_RECIPE = "~"  # between digest and recipe, neither of which has it

_MERGE_MEMORY = 1_000  # bytes for each merge
_FILE_MEMORY = 25  # bytes for each byte of a file


class Awaited(NamedTuple):
    """What a link says of an encoding that is not here: its digest, and its recipe, packed, or ""."""

    digest: str
    packed_recipe: str

    @property
    def mark(self) -> str:
        """It as a link holds it."""
        return self.digest + (_RECIPE + self.packed_recipe if self.packed_recipe else "")

    @property
    def recipe(self) -> Recipe | None:
        """The recipe, if the same texts are here; None: they are not, or there is no recipe."""
        return _read_recipe(self.packed_recipe) if self.packed_recipe else None


@functools.lru_cache(maxsize=MAX_OWN)
def _read_recipe(packed: str) -> Recipe | None:
    try:
        recipe, difference = Recipe.from_state(unpack_state(packed))
    except ValueError:
        return None
    return None if difference else recipe


def _digest(encoding: Encoding) -> str:
    return hashlib.sha256(file_of(encoding)).hexdigest()[:16]


@dataclass
class OwnEncoding:
    """A session's own encoding, and the facts about its training.

    Attributes:
        encoding: the encoding, with its name in the choosers.
        counts: how often each merge's pair was in the corpus; empty: not known.
        n_bytes: bytes of the corpus.
        recipe: the recipe of its training; None: it came from a file.
        seconds: how long reading, splitting and learning took.
        report: the worker's last message; empty: there was none.
        problem: the error that ended the training early.
        own_digests: ``digest_of`` each of the session's own texts that it learned from, by key.
        file: the name of its file.
    """

    encoding: Encoding
    counts: list[int] = field(default_factory=list)
    n_bytes: int = 0
    recipe: Recipe | None = None
    seconds: float = 0.0
    report: JsonObject = field(default_factory=dict)
    problem: str = ""
    own_digests: dict[str, str] = field(default_factory=dict)
    file: str = ""

    @property
    def memory(self) -> int:
        """About the encoding's memory, in bytes: measured when its file was tried, or estimated."""
        estimate = _MERGE_MEMORY * len(self.merges) or _FILE_MEMORY * len(self.encoding.saved or b"")
        return self.encoding.memory or estimate

    @property
    def digest(self) -> str:
        """A digest of its file, whatever the file is called: the first 16 digits of the SHA-256."""
        return self.encoding.cached(_digest)

    @property
    def mark(self) -> str:
        """What a link holds of it: the digest, and the recipe, if anybody who follows it learns the same."""
        return Awaited(self.digest, self._packed_recipe or "").mark

    @property
    def is_trained_anywhere(self) -> bool:
        """Whether who opens a link with it can train the same."""
        return self._packed_recipe is not None

    @property
    def _packed_recipe(self) -> str | None:
        # Where the text has nothing more to learn, everybody's training stops at the same place.
        is_interrupted = not self.report or (self.stopped or "").startswith(STOPPED_BY_YOU)
        if self.recipe is None or is_interrupted or self.problem:
            return None
        return self.recipe.packed

    @property
    def merges(self) -> list[tuple[int, int]]:
        """The learned merges in order; empty if the family has none."""
        trained = home_trained(self.encoding)
        return [] if trained is None else trained.merges

    @property
    def stopped(self) -> str | None:
        """Why it learned less than its recipe asks for; None: it learned all."""
        trained = home_trained(self.encoding)
        if trained is not None and trained.stopped:
            return trained.stopped
        stopped = self.report.get("stopped")
        return None if stopped is None else str(stopped)

    # Its results on the held-out text, with each source weighted as in training

    @property
    def held_out_ratio(self) -> float | None:
        """Bytes per token; None: there is no held-out text."""
        tokens = self.held_out_sum("held_tokens")
        return self.held_out_sum("held_bytes") / tokens if tokens else None

    @property
    def reference_ratios(self) -> dict[str, float]:
        """Bytes per token of the same text in each of ``REFERENCES``."""
        n_bytes = self.held_out_sum("held_bytes")
        return {name: n_bytes / (self.held_out_sum(name) or 1.0) for name in REFERENCES}

    @property
    def lost_share(self) -> float:
        """The share of the bytes that decoding does not restore, 0 to 1. Unknown tokens count, too."""
        return self.held_out_sum("lost_bytes") / (self.held_out_sum("held_bytes") or 1.0)

    def held_out_sum(self, count: str) -> float:
        """The weighted sum of one of the sources' counts, such as ``held_words``."""
        sources = self.report.get("sources", ())
        return sum(float(source["times"]) * float(source[count]) for source in sources)


class OwnEncodings(Mapping[str, OwnEncoding]):
    """A session's own encodings by name, in the order of their addition, and the awaited ones.

    Requests and page runs use it at the same time. A change holds the lock and makes a new dict, so readers
    need no lock.

    Args:
        lock: the session lock.

    Attributes:
        awaited: the encodings that a link names and that are not here, by name.

    >>> own = OwnEncodings(threading.RLock())
    >>> own.expect("tiny", "0123456789abcdef")
    >>> own.add(OwnEncoding(tk.HomeEncoding([(104, 105)], name="tiny")))
    'tiny-2'
    >>> list(own), list(own.awaited), own.all_names()[-2:]
    (['tiny-2'], ['tiny'], ['tiny-2', 'tiny'])
    """

    def __init__(self, lock: threading.RLock) -> None:
        self._lock = lock
        self._encodings: dict[str, OwnEncoding] = {}
        self.awaited: dict[str, Awaited] = {}

    def __getitem__(self, name: str) -> OwnEncoding:
        return self._encodings[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._encodings)

    def __len__(self) -> int:
        return len(self._encodings)

    # Those of Mapping look each name up again, and it may be removed by then.

    def items(self) -> ItemsView[str, OwnEncoding]:
        """The present names and encodings."""
        return self._encodings.items()

    def values(self) -> ValuesView[OwnEncoding]:
        """The present encodings."""
        return self._encodings.values()

    def all_names(self) -> list[str]:
        """The names of all encodings that the session can choose: bundled, its own, and awaited ones."""
        return [*tk.list_encodings(), *self, *self.awaited]

    def find_any(self, name: str) -> Encoding:
        """The encoding of that name, its own or a bundled one.

        Raises:
            ValueError, OSError: it cannot be loaded; says why.
        """
        if name in self.awaited:
            raise ValueError(self.say_awaited(name))
        own = self.get(name)
        return own.encoding if own else tk.get_encoding(name)

    def say_awaited(self, name: str) -> str:
        """A sentence about an awaited encoding: what to do."""
        awaited = self.awaited.get(name, Awaited("", ""))
        train = "train it above, or " if awaited.recipe is not None else ""
        return (
            f"This link was made with {name} (SHA-256 {awaited.digest[:8]}…), which is not here. To "
            f"complete it, {train}add the file on {MENU['add_tokenizer']}."
        )

    def marks(self, names: Sequence[str]) -> dict[str, str]:
        """What links hold of those of these encodings that do not come with the app, by name."""
        own = self._encodings
        awaited = self.awaited
        known = {name: own[name].mark for name in names if name in own}
        return known | {name: awaited[name].mark for name in names if name in awaited}

    def expect(self, name: str, mark: str) -> None:
        """Await an encoding that a link names, unless one of that name is here, until it is added.

        Args:
            name: the encoding's.
            mark: what the link holds of it.
        """
        digest, _, packed_recipe = mark.partition(_RECIPE)
        is_digest = re.fullmatch("[0-9a-f]{16}", digest)
        with self._lock:
            if is_digest and self._free_name(name) == name and len(self.awaited) < MAX_OWN:
                self.awaited = {**self.awaited, name: Awaited(digest, packed_recipe)}

    def stop_awaiting(self, names: Collection[str]) -> None:
        """Await these encodings no more."""
        with self._lock:
            self.awaited = {name: digest for name, digest in self.awaited.items() if name not in names}

    def check_room(self, memory: int = 0, beside: int = 0) -> None:
        """Refuse one more encoding, before any work starts.

        Args:
            memory: bytes of memory that the encoding takes, estimated.
            beside: how many others are about to be added.

        Raises:
            ValueError: there is no room for it; says what to do.
        """
        if len(self) + beside >= MAX_OWN:
            raise ValueError(
                f"There are {MAX_OWN} tokenizers of your own, and a session takes no more: remove one first."
            )
        used = sum(own.memory for own in self.values())
        if used + memory > MAX_OWN_MEMORY:
            raise ValueError(
                f"Your own tokenizers may take about {bytes_in_words(MAX_OWN_MEMORY)} of memory together. "
                f"Those that are here may take {bytes_in_words(used)}, and this one "
                f"{bytes_in_words(memory)}: remove one first. (Whoever runs the server can set "
                f"{limits.PREFIX}OWN_ENCODINGS_MEMORY_MB.)"
            )

    def add(self, own: OwnEncoding) -> str:
        """Add an encoding to every chooser; returns its name there.

        A name that exists already gets a number at its end. Invisible characters are removed: one that
        changes the direction of writing would also turn the text around the name. An awaited encoding gets
        the name that it has in its link, and so takes its place on every page.
        """
        with self._lock:
            name = next((each for each, awaited in self.awaited.items() if awaited.digest == own.digest), "")
            if name:
                self.stop_awaiting([name])
            else:
                name = self._free_name(own.encoding.name)
            own.encoding.name = name
            own.encoding.split_timeout = SPLIT_SECONDS
            self._encodings = {**self._encodings, name: own}
        return name

    def rename(self, name: str, wanted: str) -> str:
        """Rename an encoding; returns its new name. (``Workspace.rename_encoding`` renames it on all pages.)

        Raises:
            ValueError: the name is empty.
        """
        if not wanted.strip():
            raise ValueError("A name needs at least one letter. The old one stays.")
        if wanted.strip() == name:
            return name
        with self._lock:
            new = self._free_name(wanted)
            # The order stays, since it decides the colours.
            self._encodings = {new if each == name else each: own for each, own in self.items()}
            self[new].encoding.name = new
        return new

    def remove(self, name: str) -> None:
        """Remove an encoding. (``Workspace.remove_encoding`` removes it from all pages.)"""
        with self._lock:
            self._encodings = {each: own for each, own in self.items() if each != name}

    def _free_name(self, wanted: str) -> str:
        seen = "".join(char if char.isprintable() and char != "," else " " for char in wanted)
        used = {*self.all_names(), *map(model_name, tk.list_encodings())}  # pages show both
        return unused_name(" ".join(seen.split())[:40].strip() or "grove", used, "-")
