"""Pending tokenizers: read from files, until a person adds them to the choosers or discards them.

The content of a file decides its kind, never its name. Some files leave a question open: a .tiktoken does not
hold its split pattern. Some are halves, which wait for each other: vocab.json and merges.txt.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pages.session.own_encodings import SPLIT_SECONDS, OwnEncoding
from pages.session.tokenizer_files import TokenizerFile
from pages.session.workspace import Workspace
from tokenizers.encoding import Encoding
from tokenizers.files import (
    CONFIG,
    MERGES,
    RANKS,
    VOCABULARY,
    WORD_LIST,
    Known,
    format_of,
    join_configs,
    load,
    plain,
    recognise,
    trim,
    way_of,
    ways,
)
from tokenizers.text import FORMS

MAX_PENDING = 8
MAX_NAME = 40  # characters, as in Workspace

BOTH_HALVES = f"{VOCABULARY} and {MERGES}"


@dataclass(frozen=True)
class Question:
    """A question about a file that only a person can answer.

    Attributes:
        title: the question.
        why: what the file lacks, and what the answer changes; follows the file's name.
        choices: the possible answers, and their labels.
        default: the answer before a person chooses.
        form: the normal form of a recognised vocabulary, or ``NO_FORM``; ``NOT_CHOSEN``: not known, so a
            person chooses; None: such a file has none.
    """

    title: str
    why: str
    choices: dict[str, str]
    default: str
    form: str | None = None


NO_PATTERN = "none"
NO_FORM = "none"
NOT_CHOSEN = ""
FORM_LABELS: dict[str, str] = {
    NOT_CHOSEN: "Choose a normal form",
    NO_FORM: "none: the text stays as it is",
    **{form: form for form in FORMS},
}
CASE = Question(
    "Does it lowercase text and drop accents?",
    "lists tokens, but does not say whether text is lowercased first and loses its accents, as for "
    "bert-base-uncased.",
    {"yes": "Yes (uncased)", "no": "No (cased)"},
    "yes",
)


def ask_for_walls(known: Known | None, *, of_pairs: bool) -> Question:
    """The question how a text is cut, with the answer first that is recognised.

    Args:
        known: the vocabulary, if it is recognised.
        of_pairs: whether it is of a vocab.json and its merges.txt, and not of a .tiktoken file.
    """
    labels = {**ways(of_one_pattern=not of_pairs), NO_PATTERN: "no split pattern"}
    recognised = known.ways if known else ()
    first = {name: f"{labels.get(name, name)} (recognised)" for name in recognised}
    not_yet = {} if len(first) == 1 else {NOT_CHOSEN: "Choose a model or a pattern"}
    choices = {**not_yet, **first, **{name: label for name, label in labels.items() if name not in first}}
    known_form = known.form if known else None
    forms = {known_form or way_of(name).form or NO_FORM for name in recognised}
    form = forms.pop() if len(forms) == 1 else NOT_CHOSEN
    why = "The wrong pattern gives other ids. Choose the model, or a pattern that its publisher names"
    if known:
        why = f"Its vocabulary is that of {known.label}"
    return Question(
        "How does it split text?",
        f"lists tokens, but not the split pattern that was used in training. {why}.",
        choices,
        next(iter(choices)),
        form=form if of_pairs else None,
    )


@dataclass
class PendingTokenizer:
    """A tokenizer that a person has not yet added or discarded.

    Attributes:
        key: identifies it while it is pending.
        file: the name of its file, or of its files.
        n_bytes: the size of its whole files.
        kind: the name of the kind of file.
        name: the default for the encoding's name.
        read: makes the encoding for an answer to the question, and a normal form; remembers two.
        question: the open question; None: the file leaves none.
        memory: about the memory of the encodings, in bytes.
    """

    key: str
    file: str
    n_bytes: int
    kind: str
    name: str
    read: Callable[[str, str], Encoding]
    question: Question | None = None
    memory: int = 0

    def encoding(self, answer: str = "", form: str | None = None) -> Encoding:
        """The encoding for an answer to the question, if there is one.

        Args:
            answer: another one than the choices: the default.
            form: the normal form that a person chose; None: that of the question.

        Raises:
            ValueError, OSError: it cannot be read with this answer.
        """
        if self.question is None:
            return self.read("", NO_FORM)
        answer = answer if answer in self.question.choices else self.question.default
        return self.read(answer, form or self.question.form or NO_FORM)

    def is_answered(self, answer: str, form: str | None) -> bool:
        """Whether a person has chosen what the file does not tell."""
        return self.question is None or NOT_CHOSEN not in (answer, form)


class PendingTokenizers:
    """A session's pending tokenizers.

    Attributes:
        pending: the tokenizers by key, in the order of their upload.
    """

    def __init__(self) -> None:
        self.pending: dict[str, PendingTokenizer] = {}
        self._halves: list[TokenizerFile] = []
        self._last_key = 0

    def read(self, files: Sequence[TokenizerFile], workspace: Workspace) -> list[str]:
        """Read files into pending tokenizers; returns a sentence for each file that cannot be read."""
        problems = []
        unpacked = []
        for file in files:
            try:
                with _named(file.name):
                    unpacked.append(replace(file, data=plain(file.data)))
            except ValueError as problem:
                problems.append(str(problem))
        for parts in self._group(unpacked, problems):
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
        pipelines = [parts for parts in groups if kind_of(parts[0].data) == "tokenizer.json"]
        if templates and len(pipelines) == 1:
            name = " + ".join(file.name for file in templates)
            try:
                data = join_configs({file.name: trim(file.data) for file in templates})
                pipelines[0].append(TokenizerFile(name, data, sum(file.size for file in templates)))
            except ValueError as problem:
                problems.append(f"{name} cannot be loaded. {problem}")
        elif templates:
            problems.append(
                f"{templates[0].name} holds no tokens. Add it together with one tokenizer.json, to which "
                "its chat template belongs."
            )

        waiting = {half: [file for file in self._halves if kind_of(file.data) == half] for half in of_kind}
        vocabularies, merges = (waiting[half] + of_kind[half] for half in (VOCABULARY, MERGES))
        pairs = list(zip(vocabularies, merges, strict=False))
        self._halves = [*vocabularies[len(pairs) :], *merges[len(pairs) :]][-1:]
        if self._halves and self._halves[0] in files:
            other = MERGES if vocabularies[len(pairs) :] else VOCABULARY
            problems.append(f"{self._halves[0].name} is half of a tokenizer. Add its {other}, too.")
        return [*groups, *map(list, pairs)]

    def _read_one(self, parts: Sequence[TokenizerFile], workspace: Workspace) -> None:
        file = " + ".join(part.name for part in parts)
        name = name_of(parts[0].name)
        if len(self.pending) >= MAX_PENDING:
            raise ValueError(
                f"{file} is one too many: {MAX_PENDING} are waiting. Add or discard some of them first."
            )
        workspace.own_encodings.check_room()
        kind = kind_of(parts[0].data)
        question = None
        with _named(file):
            data = trim(parts[0].data)
            beside = b"".join(trim(part.data) for part in parts[1:])
            if kind in (RANKS, VOCABULARY):
                question = ask_for_walls(recognise(data, beside), of_pairs=kind == VOCABULARY)
            elif kind == WORD_LIST:
                question = CASE

        @functools.lru_cache(maxsize=2)
        def read(answer: str, form: str) -> Encoding:
            with _named(file):
                encoding = load(
                    data,
                    name,
                    beside=beside,
                    pattern=None if answer in (NO_PATTERN, NOT_CHOSEN) else answer,
                    normalizer=None if form == NO_FORM else form,
                    lowercase=answer == "yes",
                    is_trusted=False,
                )
            encoding.split_timeout = SPLIT_SECONDS
            return encoding

        key = str(self._last_key + 1)
        size = sum(part.size for part in parts)
        pending = PendingTokenizer(
            key, file, size, BOTH_HALVES if kind == VOCABULARY else kind, name, read, question
        )
        pending.memory = (2 if question else 1) * OwnEncoding(pending.encoding()).memory  # of two answers
        workspace.own_encodings.check_room(
            pending.memory + sum(each.memory for each in self.pending.values())
        )
        self.pending[key] = pending
        self._last_key += 1

    def add(
        self, key: str, workspace: Workspace, *, name: str = "", answer: str = "", form: str | None = None
    ) -> str:
        """Add a pending tokenizer to every chooser; returns its name there.

        Args:
            key: of the pending tokenizer.
            workspace: of the session.
            name: that a person chose; empty: its default.
            answer, form: as of ``PendingTokenizer.encoding``.

        Raises:
            ValueError: there is no room for it, or the question is open; it stays pending.
        """
        pending = self.pending[key]
        if not pending.is_answered(answer, form):
            raise ValueError(
                f"{pending.file} does not say how it splits text. Choose its split pattern and normal form."
            )
        encoding = pending.encoding(answer, form)
        encoding.name = name.strip() or pending.name
        added = workspace.import_encoding(OwnEncoding(encoding, file=pending.file))
        del self.pending[key]
        return added

    def discard(self, key: str) -> None:
        """Forget a pending tokenizer."""
        self.pending.pop(key, None)


@contextmanager
def _named(file: str) -> Iterator[None]:
    """Put the file's name before the message of a ValueError."""
    try:
        yield
    except ValueError as problem:
        raise ValueError(f"{file} cannot be loaded. {problem}") from None


def kind_of(data: bytes) -> str:
    """The name of the kind of a file, by its beginning; empty: unknown.

    >>> kind_of(b"minbpe v1"), kind_of(b"IQ== 0"), kind_of('{"!": 0, "Ġ": 1}'.encode()), kind_of(b"GIF89a")
    ('minbpe’s .model', '.tiktoken', 'vocab.json', '')
    """
    form = format_of(data)
    return form.label if form else ""


def name_of(file: str) -> str:
    """The default name of the tokenizer in a file, by the file's name.

    >>> name_of("gemma.model"), name_of(".gitignore"), name_of("a.b.json"), name_of("Qwen2.5: a.json")
    ('gemma', 'grove', 'a.b', 'Qwen2.5')
    """
    # The repository or the package of the file stands before ": ".
    stem = file.partition(": ")[0] if ": " in file else file.rpartition(".")[0]
    return stem[:MAX_NAME].strip() or "grove"
