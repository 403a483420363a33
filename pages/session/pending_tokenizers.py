"""Pending tokenizers: read from files, until a person adds them to the choosers or discards them.

The content of a file decides its kind, never its name. Some files leave a question open: a .tiktoken does not
hold its split pattern. Some are halves, which wait for each other: vocab.json and merges.txt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from pages.session.tokenizer_files import TokenizerFile
from pages.session.trained_encoding import TrainedEncoding
from pages.session.workspace import SPLIT_SECONDS, Workspace
from tokenizers.bpe import HomeEncoding
from tokenizers.encoding import Encoding
from tokenizers.formats import (
    READERS,
    add_walls,
    estimate_room,
    from_vocab_txt,
    is_merges_txt,
    is_rank_file,
    is_template_file,
    is_tokenizer_json,
    is_vocab_json,
    is_vocab_txt,
    join_template,
    join_vocab_and_merges,
    read_any,
    read_grown,
    tokens_by_rank,
    trim_to_header,
)
from tokenizers.split import PATTERN_LABELS, PATTERNS, split

MAX_PENDING = 8
MAX_NAME = 40  # characters, as in Workspace
_MAX_HALVES = 2  # of each kind

RANKS, WORD_LIST = ".tiktoken", "vocab.txt"
VOCABULARY, MERGES, CONFIG = "vocab.json", "merges.txt", "tokenizer_config.json"
BOTH_HALVES = f"{VOCABULARY} and {MERGES}"

LABELS = [*(reader.label for reader in READERS), RANKS, WORD_LIST, BOTH_HALVES]
"""The names of all supported kinds of files."""

_KINDS: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
    (RANKS, is_rank_file),
    *((reader.label, reader.recognises) for reader in READERS),
    (CONFIG, is_template_file),
    (VOCABULARY, is_vocab_json),
    (WORD_LIST, is_vocab_txt),
    (MERGES, is_merges_txt),
)
"""The kinds and their checks. The first check that accepts a file's beginning decides."""


@dataclass(frozen=True)
class Question:
    """A question about a file that only a person can answer.

    Attributes:
        title: the question.
        why: what the file lacks, and what the answer changes; follows the file's name.
        choices: the possible answers, and their labels.
        default: the answer before a person chooses.
    """

    title: str
    why: str
    choices: dict[str, str]
    default: str


NO_PATTERN = "none"
CASE = Question(
    "Does it drop capitals and accents?",
    "lists tokens, and does not tell whether capitals become small letters and accents are dropped, as in "
    "bert-base-uncased. This is what each makes of a line:",
    {"yes": "yes: uncased", "no": "no: cased"},
    "yes",
)
PATTERN = Question(
    "Which walls does it have?",
    "lists tokens, but not the split pattern that it was made with. With another one it gives other ids. "
    "Whoever made it can tell; this is what each makes of a line:",
    {**dict(reversed(PATTERN_LABELS.items())), NO_PATTERN: "none: no walls"},
    "gpt4",
)
NAMED_PATTERN = replace(
    PATTERN, choices={name: label for name, label in PATTERN.choices.items() if name != NO_PATTERN}
)


@dataclass
class PendingTokenizer:
    """A tokenizer that a person has not yet added or discarded.

    Attributes:
        key: identifies it while it is pending.
        file: the name of its file, or of its files.
        n_bytes: the size of its whole files.
        memory: the estimated memory of the encoding in bytes.
        kind: the name of the kind of file.
        name: the default for the encoding's name.
        read: makes the encoding for an answer to the question.
        question: the open question; None: the file leaves none.
    """

    key: str
    file: str
    n_bytes: int
    memory: int
    kind: str
    name: str
    read: Callable[[str], Encoding]
    question: Question | None = None
    _encodings: dict[str, Encoding] = field(default_factory=dict, repr=False)

    def encoding(self, answer: str = "") -> Encoding:
        """The encoding for an answer. The encodings of the default and of the newest answer stay in memory.

        Raises:
            ValueError, OSError: it cannot be read with this answer.
        """
        default = self.question.default if self.question else ""
        if self.question is None or answer not in self.question.choices:
            answer = default
        if answer not in self._encodings:
            self._encodings = {key: each for key, each in self._encodings.items() if key == default}
            self._encodings[answer] = self.read(answer)
            self._encodings[answer].split_timeout = SPLIT_SECONDS
        return self._encodings[answer]

    def tokens(self, answer: str, line: str) -> list[bytes]:
        """The tokens of a line with an answer. Must be quick, since the page shows them for all answers.

        Raises:
            ValueError, OSError: it cannot be read with this answer.
        """
        if self.question in (PATTERN, NAMED_PATTERN):  # only the split differs between the answers
            merging = self.encoding().merging
            if merging is not None:
                pieces = split(line, None if answer == NO_PATTERN else PATTERNS[answer])
                ids = [token_id for piece in pieces for token_id in merging.encode_piece(piece)]
                return [self.encoding().token_bytes(token_id) for token_id in ids]
        encoding = self.encoding(answer)
        return [encoding.token_bytes(token_id) for token_id in encoding.encode(line)]


class PendingTokenizers:
    """A session's pending tokenizers.

    Attributes:
        pending: the tokenizers by key, in the order of their upload.
    """

    def __init__(self) -> None:
        self.pending: dict[str, PendingTokenizer] = {}
        self._halves: dict[str, list[TokenizerFile]] = {VOCABULARY: [], MERGES: []}
        self._last_key = 0

    def read(self, files: Sequence[TokenizerFile], workspace: Workspace) -> list[str]:
        """Read files into pending tokenizers; returns a sentence for each file that cannot be read."""
        problems: list[str] = []
        for parts in self._group(files, problems):
            try:
                self._read_one(parts, workspace)
            except (ValueError, OSError) as problem:
                problems.append(str(problem))
        return problems

    def _group(self, files: Sequence[TokenizerFile], problems: list[str]) -> list[list[TokenizerFile]]:
        """Group the files by tokenizer. A single half stays here, and ``problems`` gets a sentence."""
        of_kind: dict[str, list[TokenizerFile]] = {VOCABULARY: [], MERGES: [], CONFIG: []}
        groups = []
        for file in files:
            kind = kind_of(file.data)
            if kind in of_kind:
                of_kind[kind].append(file)
            else:
                groups.append([file])

        templates = of_kind[CONFIG]
        pipelines = [parts for parts in groups if is_tokenizer_json(parts[0].data)]
        if len(templates) == len(pipelines) == 1:
            pipelines[0].append(templates[0])
        elif templates:
            problems.append(
                f"{templates[0].name} tells no tokens. Bring it together with one tokenizer.json, whose chat "
                "template it may hold."
            )

        halves = {half: self._halves[half] + of_kind[half] for half in self._halves}
        pairs = list(zip(halves[VOCABULARY], halves[MERGES], strict=False))
        for half, other in ((VOCABULARY, MERGES), (MERGES, VOCABULARY)):
            self._halves[half] = halves[half][len(pairs) :][-_MAX_HALVES:]
            if of_kind[half] and self._halves[half]:
                problems.append(
                    f"{self._halves[half][-1].name} is one half of a tokenizer: it waits for its {other}. "
                    "Bring that, too."
                )
        return [*groups, *map(list, pairs)]

    def _read_one(self, parts: Sequence[TokenizerFile], workspace: Workspace) -> None:
        file = " + ".join(part.name for part in parts)
        kind = kind_of(parts[0].data)
        if not kind:
            raise ValueError(f"{file} cannot be loaded. It is none of these: {', '.join(LABELS)}.")
        if len(self.pending) >= MAX_PENDING:
            raise ValueError(
                f"{file} is one too many: {MAX_PENDING} wait already. Take or leave some of them first."
            )
        with _named(file):
            data, *others = (trim_to_header(part.data) for part in parts)
            n_encodings = 2 if kind in (RANKS, WORD_LIST) else 1  # of two answers
            memory = n_encodings * sum(map(estimate_room, (data, *others)))
        workspace.check_room(memory=memory + sum(each.memory for each in self.pending.values()))
        name = name_of(parts[0].name)
        question, read = _reader(kind, data, others, name, file)
        self._last_key += 1
        pending = PendingTokenizer(
            key=str(self._last_key),
            file=file,
            n_bytes=sum(part.size for part in parts),
            memory=memory,
            kind=BOTH_HALVES if kind == VOCABULARY else kind,
            name=name,
            read=read,
            question=question,
        )
        pending.encoding()
        self.pending[pending.key] = pending

    def add(self, key: str, workspace: Workspace, *, name: str = "", answer: str = "") -> str:
        """Add a pending tokenizer to every chooser; returns its name there.

        Args:
            key: of the pending tokenizer.
            workspace: of the session.
            name: that a person chose; empty: its default.
            answer: to the question, if there is one.

        Raises:
            ValueError: there is no room for it; it stays pending.
        """
        pending = self.pending[key]
        encoding = pending.encoding(answer)
        encoding.name = name.strip() or pending.name
        is_pattern_chosen = pending.question in (PATTERN, NAMED_PATTERN)
        added = workspace.bring(
            TrainedEncoding(encoding, file=pending.file, pattern_chosen=is_pattern_chosen)
        )
        del self.pending[key]
        return added

    def discard(self, key: str) -> None:
        """Forget a pending tokenizer."""
        self.pending.pop(key, None)


def _reader(
    kind: str, data: bytes, others: Sequence[bytes], name: str, file: str
) -> tuple[Question | None, Callable[[str], Encoding]]:
    """The question that a file leaves open, and a function that reads the file, given the answer."""
    if kind == RANKS:
        return _rank_reader(data, name, file)
    if kind == WORD_LIST:

        def read_word_list(answer: str) -> Encoding:
            with _named(file):
                described = from_vocab_txt(data, answer == "yes")
            return read_any(described, name, file=file)

        return CASE, read_word_list
    for other in others:
        with _named(file):
            data = (join_vocab_and_merges if kind == VOCABULARY else join_template)(data, other)
    encoding = read_any(data, name, file=file)
    return None, lambda _: encoding


def _rank_reader(data: bytes, name: str, file: str) -> tuple[Question, Callable[[str], Encoding]]:
    """The question and the reader of a .tiktoken file, as of ``_reader``.

    If the ids 0 to 255 are the bytes in order, it may be home-trained, and may have no split pattern.
    """
    with _named(file):
        is_in_order = tokens_by_rank(data)[:256] == [bytes([byte]) for byte in range(256)]
    if not is_in_order:
        return NAMED_PATTERN, lambda answer: read_any(add_walls(data, answer), name, file=file)
    merges = read_grown(data, name, None, file=file).merges

    def read_trained(answer: str) -> Encoding:
        return HomeEncoding(merges, None if answer == NO_PATTERN else answer, name=name, learned=True)

    return PATTERN, read_trained


@contextmanager
def _named(file: str) -> Iterator[None]:
    """Put the file's name before the message of a ValueError."""
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"{file} cannot be loaded. {problem}") from None


def kind_of(data: bytes) -> str:
    """The name of the kind of a file, by its beginning; empty: unknown.

    >>> kind_of(b"minbpe v1"), kind_of(b"IQ== 0"), kind_of(b'{"!": 0, "b": 1}'), kind_of(b"GIF89a")
    ('minbpe’s .model', '.tiktoken', 'vocab.json', '')
    """
    return next((kind for kind, recognises in _KINDS if recognises(data)), "")


def name_of(file: str) -> str:
    """The default name of the tokenizer in a file, by the file's name.

    >>> name_of("gemma.model"), name_of(".gitignore"), name_of("a.b.json"), name_of("Qwen2.5: a.json")
    ('gemma', 'grove', 'a.b', 'Qwen2.5')
    """
    # The repository or the package of the file stands before ": ".
    stem = file.partition(": ")[0] if ": " in file else file.rpartition(".")[0]
    return stem[:MAX_NAME].strip() or "grove"
