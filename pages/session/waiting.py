"""Tokenizers that were brought and wait: nothing is in a chooser before a person has seen what it does.

A file is recognised by its content, never by its name. Some do not hold everything (a .tiktoken its split
pattern), so there is a question to answer; and some are halves (vocab.json, merges.txt), which wait for each
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from pages.session.grown import Grown
from pages.session.incoming import Arrived, Kinds
from pages.session.own_texts import clean_title
from pages.session.workspace import MAX_OWN_BYTES, SPLIT_SECONDS, Workspace
from tokenizers.amounts import bytes_in_words
from tokenizers.bpe import HomeEncoding
from tokenizers.encoding import Encoding
from tokenizers.formats import (
    MAX_BYTES,
    READERS,
    add_walls,
    estimate_room,
    from_vocab_txt,
    has_header,
    is_merges_txt,
    is_rank_file,
    is_template_file,
    is_tokenizer_json,
    is_vocab_json,
    is_vocab_txt,
    is_whole_header,
    join_template,
    join_vocab_and_merges,
    read_any,
    read_grown,
    reading_place,
    tokens_by_rank,
)
from tokenizers.split import PATTERN_LABELS, PATTERNS, split

MAX_WAITING = 8
"""Tokenizers that wait at a time."""

NO_WALLS = "none"

WHOLE, RANKS, WORD_LIST = "a tokenizer", ".tiktoken", "vocab.txt"
VOCABULARY, MERGES, CONFIG = "vocab.json", "merges.txt", "tokenizer_config.json"
"""The kinds of files, as ``kind_of`` recognises them. Of the last three, none is enough by itself."""

BOTH_HALVES = f"{VOCABULARY} and {MERGES}"

LABELS = [*(reader.label for reader in READERS), RANKS, WORD_LIST, BOTH_HALVES]
"""What people call the kinds of files that can be brought."""

_MOST_HALVES = 2  # of each kind, that wait for the other

MAX_NAME = 40  # characters, as in Workspace


@dataclass(frozen=True)
class Question:
    """What a file does not say, so that a person has to.

    Attributes:
        asks: the question, as a title.
        why: that the file does not say it, and what follows from the answer; to follow the file's name.
        choices: the possible answers, and what they are called.
        default: the answer that is given until a person chooses.
    """

    asks: str
    why: str
    choices: dict[str, str]
    default: str


CASE = Question(
    "Does it drop capitals and accents?",
    "lists tokens, and does not tell whether capitals become small letters and accents are dropped, as in "
    "bert-base-uncased. This is what each makes of a line:",
    {"yes": "yes: uncased", "no": "no: cased"},
    "yes",
)

WALLS = Question(
    "Which walls does it have?",
    "lists tokens, but not the split pattern that it was made with. With another one it gives other ids. "
    "Whoever made it can tell; this is what each makes of a line:",
    {**dict(reversed(PATTERN_LABELS.items())), NO_WALLS: "none: no walls"},
    "gpt4",
)


NAMED_WALLS = replace(
    WALLS, choices={name: label for name, label in WALLS.choices.items() if name != NO_WALLS}
)


@dataclass
class Waiting:
    """A tokenizer that waits to be taken or left.

    Attributes:
        key: stays the same as long as it waits.
        file: the name of the file, or of the files.
        n_bytes: of all of them, as they lie there.
        held: bytes of them that are held here.
        memory: bytes of it that what is read takes, estimated.
        kind: what people call files of this kind.
        name: the one that it gets, unless a person chooses another.
        read: the encoding, by the answer to the question.
        question: what the file does not say; None: it says everything.
    """

    key: str
    file: str
    n_bytes: int
    held: int
    memory: int
    kind: str
    name: str
    read: Callable[[str], Encoding]
    question: Question | None = None
    _read: dict[str, Encoding] = field(default_factory=dict, repr=False)

    def encoding(self, answer: str = "") -> Encoding:
        """The encoding. That of the newest answer and that of the default are kept, and no others.

        Raises:
            ValueError: with this answer, there is none.
        """
        default = "" if self.question is None else self.question.default
        if self.question is not None and answer not in self.question.choices:
            answer = default
        if answer not in self._read:
            self._read = {key: encoding for key, encoding in self._read.items() if key == default}
            with reading_place():
                encoding = self.read(answer)
            encoding.split_timeout = SPLIT_SECONDS
            self._read[answer] = encoding
        return self._read[answer]

    def tokens(self, answer: str, line: str) -> list[bytes]:
        """What a line becomes with this answer: quick, since a person sees it for all of them at once.

        Raises:
            ValueError: with this answer, there is nothing.
        """
        if self.question in (WALLS, NAMED_WALLS):  # the answers differ in the pieces alone
            merging = self.encoding(self.question.default).merging
            if merging is not None:
                pieces = split(line, None if answer == NO_WALLS else PATTERNS[answer])
                ids = [token_id for piece in pieces for token_id in merging.encode_piece(piece)]
                return [merging.token_bytes(token_id) for token_id in ids]
        encoding = self.encoding(answer)
        return [encoding.token_bytes(token_id) for token_id in encoding.encode(line)]


@dataclass
class Tray:
    """All that waits in a session.

    Attributes:
        waiting: by key, in the order in which they came.
    """

    waiting: dict[str, Waiting] = field(default_factory=dict)
    _halves: dict[str, list[Arrived]] = field(default_factory=dict, repr=False)
    _number: int = 0

    def put(self, files: Sequence[Arrived], workspace: Workspace) -> list[str]:
        """Take files in; returns a sentence for each that cannot be read. The others wait.

        Nothing more is read once the browser has gone.
        """
        problems: list[str] = []
        for name, parts in self._sort(files, problems):
            try:
                room = sum(_estimate_memory(part.data) for part in parts)
                workspace.check_room(0, room + sum(each.memory for each in self.waiting.values()))
                self._check_room(name, sum(len(part.data) for part in parts))
                with reading_place():
                    self._add(name, parts)
            except (ValueError, OSError) as problem:
                problems.append(str(problem))
        return problems

    def _sort(self, files: Sequence[Arrived], problems: list[str]) -> list[tuple[str, list[Arrived]]]:
        """What belongs together, with its name, in the order in which it came.

        A half that comes alone waits for the other one, and ``problems`` gets a sentence about it.
        """
        kinds: dict[str, list[Arrived]] = {}
        named = [replace(file, name=clean_title(file.name) or "The file") for file in files]
        for file in named:
            kinds.setdefault(kind_of(file.data), []).append(file)
        halves = {id(file) for half in (VOCABULARY, MERGES, CONFIG) for file in kinds.get(half, [])}
        together = [[file] for file in named if id(file) not in halves]

        templates = kinds.get(CONFIG, [])
        pipelines = [parts for parts in together if is_tokenizer_json(parts[0].data)]
        if len(templates) == len(pipelines) == 1:
            pipelines[0].append(templates[0])
        elif templates:
            problems.append(
                f"{templates[0].name} tells no tokens. Bring it together with one tokenizer.json, whose chat "
                "template it may hold."
            )

        waiting = {half: [*self._halves.get(half, []), *kinds.get(half, [])] for half in (VOCABULARY, MERGES)}
        pairs = list(zip(waiting[VOCABULARY], waiting[MERGES], strict=False))
        together += [list(pair) for pair in pairs]
        for half, other in ((VOCABULARY, MERGES), (MERGES, VOCABULARY)):
            self._halves[half] = waiting[half][len(pairs) :][-_MOST_HALVES:]
            if kinds.get(half) and self._halves[half]:
                problems.append(
                    f"{self._halves[half][-1].name} is one half of a tokenizer: it waits for its {other}. "
                    "Bring that, too."
                )
        return [(" + ".join(part.name for part in parts), parts) for parts in together]

    def _check_room(self, name: str, n_bytes: int) -> None:
        if len(self.waiting) >= MAX_WAITING:
            raise ValueError(
                f"{name} is one too many: {MAX_WAITING} wait already. Take or leave some of them first."
            )
        if sum(each.held for each in self.waiting.values()) + n_bytes > MAX_OWN_BYTES:
            raise ValueError(
                f"{name} is too much: what waits may have {bytes_in_words(MAX_OWN_BYTES)} together. Take or "
                "leave some of it first."
            )

    def _add(self, file: str, parts: Sequence[Arrived]) -> None:
        name, data = name_of(parts[0].name), parts[0].data
        kind, question = kind_of(data), None
        if not kind:
            raise ValueError(f"{file} cannot be loaded. It is none of these: {', '.join(LABELS)}.")
        label = next((reader.label for reader in READERS if reader.recognises(data)), kind)
        if kind == RANKS:
            question, read = _by_walls(data, name, file)
        elif kind == WORD_LIST:
            question, read = CASE, _by_case(data, name, file)
        else:
            if kind == VOCABULARY:
                label = BOTH_HALVES
                with _named(file):
                    data = join_vocab_and_merges(data, parts[1].data)
            elif len(parts) > 1:
                with _named(file):
                    data = join_template(data, parts[1].data)
            read = _always(read_any(data, name, file=file))
        n_bytes, held = sum(part.size for part in parts), sum(len(part.data) for part in parts)
        self._number += 1
        key = str(self._number)
        self.waiting[key] = Waiting(
            key, file, n_bytes, held, _estimate_memory(data), label, name, read, question
        )

    def take(self, key: str, workspace: Workspace, *, name: str = "", answer: str = "") -> str:
        """Put one that waits into every chooser; returns its name there.

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
            encoding,
            Grown(encoding, file=waiting.file, pattern_chosen=waiting.question in (WALLS, NAMED_WALLS)),
        )
        del self.waiting[key]
        return taken

    def leave(self, key: str) -> None:
        """Let go of one that waits."""
        self.waiting.pop(key, None)


def _estimate_memory(data: bytes) -> int:
    """Bytes of memory that comes of a file; of one that asks a question, that of two answers."""
    n_answers = 2 if kind_of(data) in (RANKS, WORD_LIST) else 1
    return n_answers * estimate_room(data)


@contextmanager
def _named(file: str) -> Iterator[None]:
    """Says which file a sentence about a problem is about."""
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"{file} cannot be loaded. {problem}") from None


def _always(encoding: Encoding) -> Callable[[str], Encoding]:
    return lambda _: encoding


def _by_walls(data: bytes, name: str, file: str) -> tuple[Question, Callable[[str], Encoding]]:
    """Reads a rank file with the walls of the answer.

    One whose ids 0 to 255 are the bytes in order may have been trained here; another one has walls for sure.

    Raises:
        ValueError: with no walls can it be read.
    """
    with _named(file):
        is_in_order = tokens_by_rank(data)[:256] == [bytes([byte]) for byte in range(256)]
    if is_in_order:
        bare = read_grown(data, name, None, file=file)

        def read(answer: str) -> Encoding:
            return HomeEncoding(bare.merges, None if answer == NO_WALLS else answer, name=name, learned=True)

        return WALLS, read

    def read_ranks(answer: str) -> Encoding:
        return read_any(add_walls(data, answer), name, file=file)

    read_ranks(WALLS.default)
    return NAMED_WALLS, read_ranks


def _by_case(data: bytes, name: str, file: str) -> Callable[[str], Encoding]:
    """Reads BERT's vocab.txt, with capitals or without.

    Raises:
        ValueError: it cannot be read at all.
    """

    def read(answer: str) -> Encoding:
        with _named(file):
            whole = from_vocab_txt(data, answer == "yes")
        return read_any(whole, name, file=file)

    read(CASE.default)
    return read


def kind_of(data: bytes) -> str:
    """What a file is, by a look at its beginning; empty: nothing that is known here.

    >>> kind_of(b"minbpe v1"), kind_of(b"IQ== 0"), kind_of(b'{"!": 0, "b": 1}'), kind_of(b"GIF89a")
    ('a tokenizer', '.tiktoken', 'vocab.json', '')
    """
    if is_rank_file(data):
        return RANKS
    if any(reader.recognises(data) for reader in READERS):
        return WHOLE
    if is_template_file(data):
        return CONFIG
    if is_vocab_json(data):
        return VOCABULARY
    if is_vocab_txt(data):
        return WORD_LIST
    if is_merges_txt(data):
        return MERGES
    return ""


def name_of(file: str) -> str:
    """What to call the tokenizer in a file, by the file's name.

    >>> name_of("gemma.model"), name_of(".gitignore"), name_of("a.b.json"), name_of("Qwen2.5: a.json")
    ('gemma', 'grove', 'a.b', 'Qwen2.5')
    """
    if ": " in file:  # the repository or the package that it is from
        return file.partition(": ")[0][:MAX_NAME].strip() or "grove"
    return file.rpartition(".")[0][:MAX_NAME].strip() or "grove"


KINDS = Kinds(MAX_BYTES, has_header, is_whole_header)
"""What is fetched of files."""
