"""Tokenizers that were brought and wait: nothing stands in a chooser before a person has seen what it does.

A file is told by its content, never by its name. Some do not tell everything (a .tiktoken its split pattern),
so there is a question to answer; and some are halves (vocab.json, merges.txt), which wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pages.session.incoming import Arrived, Kinds
from pages.session.own_texts import clean_title
from pages.session.train_run import Grown
from pages.session.workspace import MAX_OWN_BYTES, SPLIT_SECONDS, Workspace
from tokenizers.bpe import HomeEncoding
from tokenizers.encoding import Encoding
from tokenizers.formats import (
    MAX_BYTES,
    READERS,
    has_header,
    is_whole_header,
    read_any,
    storage,
    tiktoken_file,
)
from tokenizers.split import PATTERN_LABELS

MAX_WAITING = 8
"""Tokenizers that wait at a time."""

NO_WALLS = "none"

MAX_NAME = 40  # characters, as in Workspace


@dataclass(frozen=True)
class Question:
    """What a file does not tell, so that a person has to.

    Attributes:
        asks: the question, as a title.
        why: that the file does not tell it, and what follows from the answer; to follow the file's name.
        choices: the possible answers, and what they are called.
        default: the answer that is given until a person chooses.
    """

    asks: str
    why: str
    choices: dict[str, str]
    default: str


WALLS = Question(
    "Which walls does it have?",
    "lists tokens, but not the split pattern that it was made with. With another one it gives other ids. "
    "Whoever made it can tell; this is what each makes of a line:",
    {**dict(reversed(PATTERN_LABELS.items())), NO_WALLS: "none: no walls"},
    "gpt4",
)


@dataclass
class Waiting:
    """A tokenizer that waits to be taken or left.

    Attributes:
        key: stays the same as long as it waits.
        file: the name of the file, or of the files.
        n_bytes: of all of them, as they lie there.
        held: bytes of them that are held here.
        kind: what people call files of this kind.
        name: the one that it gets, unless a person chooses another.
        read: the encoding, by the answer to the question.
        question: what the file does not tell; None: it tells everything.
    """

    key: str
    file: str
    n_bytes: int
    held: int
    kind: str
    name: str
    read: Callable[[str], Encoding]
    question: Question | None = None
    _read: dict[str, Encoding] = field(default_factory=dict, repr=False)

    def encoding(self, answer: str = "") -> Encoding:
        """The encoding, read once for each answer.

        Raises:
            ValueError: with this answer, there is none.
        """
        if self.question is not None and answer not in self.question.choices:
            answer = self.question.default
        if answer not in self._read:
            encoding = self.read(answer)
            encoding.split_timeout = SPLIT_SECONDS
            self._read[answer] = encoding
        return self._read[answer]


@dataclass
class Tray:
    """All that waits in a session.

    Attributes:
        waiting: by key, in the order in which they came.
    """

    waiting: dict[str, Waiting] = field(default_factory=dict)
    _number: int = 0

    def put(self, files: Sequence[Arrived], workspace: Workspace) -> list[str]:
        """Take files in; returns a sentence for each that cannot be read. The others wait."""
        problems = []
        for file in files:
            name = clean_title(file.name) or "The file"
            try:
                workspace.check_room()
                self._check_room(name, len(file.data))
                self._add(name, file)
            except (ValueError, OSError) as problem:
                problems.append(str(problem))
        return problems

    def _check_room(self, name: str, n_bytes: int) -> None:
        if len(self.waiting) >= MAX_WAITING:
            raise ValueError(
                f"{name} is one too many: {MAX_WAITING} wait already. Take or leave some of them first."
            )
        if sum(each.held for each in self.waiting.values()) + n_bytes > MAX_OWN_BYTES:
            raise ValueError(
                f"{name} is too much: what waits may have {MAX_OWN_BYTES >> 20} MB together. Take or leave "
                "some of it first."
            )

    def _add(self, file: str, arrived: Arrived) -> None:
        name, data = name_of(file), arrived.data
        if tiktoken_file.is_rank_file(data):
            bare = storage.from_bytes(data, name, None, file=file)

            def with_walls(answer: str) -> Encoding:
                pattern = None if answer == NO_WALLS else answer
                return HomeEncoding(bare.merges, pattern, name=name, learned=True)

            self._wait(file, arrived, ".tiktoken", name, with_walls, WALLS)
            return
        encoding = read_any(data, name, file=file)
        kind = next(reader.label for reader in READERS if reader.recognises(data))
        self._wait(file, arrived, kind, name, lambda _: encoding)

    def _wait(
        self,
        file: str,
        arrived: Arrived,
        kind: str,
        name: str,
        read: Callable[[str], Encoding],
        question: Question | None = None,
    ) -> None:
        self._number += 1
        key = str(self._number)
        self.waiting[key] = Waiting(key, file, arrived.size, len(arrived.data), kind, name, read, question)

    def take(self, key: str, workspace: Workspace, *, name: str = "", answer: str = "") -> str:
        """Put one that waits into every chooser; returns the name that it stands under.

        Args:
            key: of the one that waits.
            workspace: of the session.
            name: that a person chose; empty: that of the file.
            answer: to the question, if there is one.

        Raises:
            ValueError: there is no room for it; it waits on.
        """
        waiting = self.waiting[key]
        encoding = waiting.encoding(answer)
        encoding.name = name.strip() or waiting.name
        taken = workspace.bring(
            encoding, Grown(encoding, file=waiting.file, walls_told=waiting.question is WALLS)
        )
        del self.waiting[key]
        return taken

    def leave(self, key: str) -> None:
        """Let go of one that waits."""
        self.waiting.pop(key, None)


def name_of(file: str) -> str:
    """What to call the tokenizer in a file, by the file's name.

    >>> name_of("gemma.model"), name_of(".gitignore"), name_of("a.b.json")
    ('gemma', 'grove', 'a.b')
    """
    return file.rpartition(".")[0][:MAX_NAME].strip() or "grove"


KINDS = Kinds(MAX_BYTES, has_header, is_whole_header)
"""What is fetched of files."""
