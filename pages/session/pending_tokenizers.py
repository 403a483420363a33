"""Pending tokenizers: read from files, until a person adds them to the choosers or discards them.

The content of a file decides its kind, never its name. Some files leave a question open: a .tiktoken does not
hold its split pattern. Some are halves, which wait for each other: vocab.json and merges.txt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pages.session.tokenizer_files import TokenizerFile
from pages.session.trained_encoding import TrainedEncoding
from pages.session.workspace import SPLIT_SECONDS, Workspace
from tokenizers.encoding import Encoding
from tokenizers.files import (
    CONFIG,
    FORMS,
    MERGES,
    RANKS,
    VOCABULARY,
    WORD_LIST,
    Known,
    estimate_memory,
    format_of,
    join_configs,
    load,
    read_merges,
    read_ranks,
    recognise_merges,
    recognise_ranks,
    trim,
    way_of,
    ways,
    what_it_is,
)
from tokenizers.utf8 import well_formed

MAX_PENDING = 8
MAX_NAME = 40  # characters, as in Workspace
_MAX_HALVES = 2  # of each kind

BOTH_HALVES = f"{VOCABULARY} and {MERGES}"


@dataclass(frozen=True)
class Question:
    """A question about a file that only a person can answer.

    Attributes:
        title: the question.
        why: what the file lacks, and what the answer changes; follows the file's name.
        choices: the possible answers, and their labels.
        default: the answer before a person chooses.
        is_of_walls: whether the answers are ways of cutting a text, and the file tells no special tokens.
        form: the normal form of a recognised vocabulary, or ``NO_FORM``; "": not known, so a person chooses;
            None: such a file has none.
    """

    title: str
    why: str
    choices: dict[str, str]
    default: str
    is_of_walls: bool = False
    form: str | None = None


NO_PATTERN, NO_FORM, NOT_CHOSEN = "none", "none", ""
FORM_LABELS = {
    NOT_CHOSEN: "not chosen yet",
    NO_FORM: "none: a text stays as it is",
    **{form: form for form in FORMS},
}
CASE = Question(
    "Does it drop capitals and accents?",
    "lists tokens, and does not tell whether capitals become small letters and accents are dropped, as in "
    "bert-base-uncased. This is what each makes of a line:",
    {"yes": "yes: uncased", "no": "no: cased"},
    "yes",
)


def ask_for_walls(known: Known | None, *, of_pairs: bool) -> Question:
    """The question how a text is cut, with the answer first that is recognised.

    Args:
        known: the vocabulary, if it is recognised.
        of_pairs: whether it is of a vocab.json and its merges.txt, and not of a .tiktoken file.
    """
    labels = {**ways(of_one_pattern=not of_pairs), NO_PATTERN: "none: no walls"}
    form = None if not of_pairs else NOT_CHOSEN
    not_yet = {NOT_CHOSEN: FORM_LABELS[NOT_CHOSEN]}
    if known is None:
        choices = {**not_yet, **labels}
        why = "With another one it gives other ids. Whoever made it can tell"
    else:
        first = {name: f"{labels.get(name, name)}: recognised" for name in known.ways}
        rest = {name: label for name, label in labels.items() if name not in first}
        choices = {**first, **rest} if len(first) == 1 else {**not_yet, **first, **rest}
        why = f"Its vocabulary is recognised: it is that of {known.label}"
        if of_pairs:
            form, *others = {known.form or way_of(name).form for name in known.ways}
            form = NOT_CHOSEN if others else NO_FORM if form is None else form
    return Question(
        "Which walls does it have?",
        f"lists tokens, but not the split pattern that it was made with. {why}. "
        "This is where each cuts a line:",
        choices,
        next(iter(choices)),
        is_of_walls=True,
        form=form,
    )


def read_specials(typed: str) -> dict[str, int] | list[str]:
    """Special tokens as a person types them, one on a line, each with its id, or all without.

    >>> read_specials("<|end|> 7"), read_specials("<|end|>")
    ({'<|end|>': 7}, ['<|end|>'])
    """
    lines = [line.strip() for line in typed.splitlines() if line.strip()]
    parts = [line.rpartition(" ") for line in lines]
    if all(name and token_id.isdecimal() for name, _, token_id in parts):
        return {name.strip(): int(token_id) for name, _, token_id in parts}
    return lines


@dataclass
class PendingTokenizer:
    """A tokenizer that a person has not yet added or discarded.

    Attributes:
        key: identifies it while it is pending.
        file: the name of its file, or of its files.
        n_bytes: the size of its whole files.
        memory: about the memory of the encoding, or of two answers, in bytes.
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
    read: Callable[..., Encoding]
    question: Question | None = None
    _encodings: dict[tuple[str, str, str], Encoding] = field(default_factory=dict, repr=False)

    def encoding(self, answer: str = "", form: str = "", specials: str = "") -> Encoding:
        """The encoding for an answer. The encodings of the default and of the newest answer stay in memory.

        Args:
            answer: to the question; another one than its choices: the default.
            form: the normal form that a person chose, where the question asks for it.
            specials: the special tokens that a person typed.

        Raises:
            ValueError, OSError: it cannot be read with this answer.
        """
        default = self.question.default if self.question else ""
        if self.question is None or answer not in self.question.choices:
            answer = default
        key, first = (
            (answer, form, specials),
            (default, self.question.form or "" if self.question else "", ""),
        )
        if key not in self._encodings:
            self._encodings = {kept: each for kept, each in self._encodings.items() if kept == first}
            self._encodings[key] = self.read(answer, form, specials)
            self._encodings[key].split_timeout = SPLIT_SECONDS
        return self._encodings[key]

    def is_answered(self, answer: str, form: str) -> bool:
        """Whether a person has chosen what the file does not tell."""
        if self.question is None or not self.question.is_of_walls:
            return True
        return answer != NOT_CHOSEN and (self.question.form is None or form != NOT_CHOSEN)

    def parts(self, answer: str, line: str) -> list[bytes]:
        """The tokens of a line with an answer, or its pieces, if the question is where a text is cut.

        Raises:
            ValueError, OSError: it cannot be read with this answer.
        """
        if self.question is not None and self.question.is_of_walls:
            way = way_of(None if answer == NO_PATTERN else answer)
            return [piece.encode("utf-8") for piece in way.cut(well_formed(line))]
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
            raise ValueError(f"{file} cannot be loaded. {what_it_is(parts[0].data)}")
        if len(self.pending) >= MAX_PENDING:
            raise ValueError(
                f"{file} is one too many: {MAX_PENDING} wait already. Take or leave some of them first."
            )
        with _named(file):
            data, beside = trim(parts[0].data), b"".join(part.data for part in parts[1:])
            n_encodings = 2 if kind in (RANKS, VOCABULARY, WORD_LIST) else 1  # of two answers
            memory = n_encodings * (estimate_memory(data) + (estimate_memory(beside) if beside else 0))
        workspace.check_room(memory=memory + sum(each.memory for each in self.pending.values()))
        name = name_of(parts[0].name)

        question = CASE if kind == WORD_LIST else None
        with _named(file):
            if kind == RANKS:
                question = ask_for_walls(recognise_ranks(read_ranks(data)), of_pairs=False)
            elif kind == VOCABULARY:
                question = ask_for_walls(recognise_merges(read_merges(trim(beside))), of_pairs=True)

        def read(answer: str, form: str, specials: str) -> Encoding:
            pattern = None if answer in (NO_PATTERN, NOT_CHOSEN) else answer
            normalizer = None if form in (NO_FORM, NOT_CHOSEN) else form
            told: dict[str, Any] = {
                "pattern": pattern,
                "normalizer": normalizer,
                "lowercase": answer == "yes",
            }
            with _named(file):
                told["special_tokens"] = read_specials(specials)
                return load(data, name, beside=beside, is_trusted=False, **told)

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
        pending.memory = n_encodings * pending.encoding().memory or memory
        self.pending[pending.key] = pending

    def add(
        self,
        key: str,
        workspace: Workspace,
        *,
        name: str = "",
        answer: str = "",
        form: str = "",
        specials: str = "",
    ) -> str:
        """Add a pending tokenizer to every chooser; returns its name there.

        Args:
            key: of the pending tokenizer.
            workspace: of the session.
            name: that a person chose; empty: its default.
            answer: to the question, if there is one.
            form, specials: as of ``PendingTokenizer.encoding``.

        Raises:
            ValueError: there is no room for it, or the question is open; it stays pending.
        """
        pending = self.pending[key]
        if not pending.is_answered(answer, form):
            raise ValueError(
                f"{pending.file} does not tell how a text is cut. Choose its walls and its normaliser first."
            )
        encoding = pending.encoding(answer, form, specials)
        encoding.name = name.strip() or pending.name
        is_pattern_chosen = pending.question is not None and pending.question.is_of_walls
        added = workspace.import_encoding(
            TrainedEncoding(encoding, file=pending.file, pattern_chosen=is_pattern_chosen)
        )
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

    >>> kind_of(b"minbpe v1"), kind_of(b"IQ== 0"), kind_of(b'{"!": 0, "b": 1}'), kind_of(b"GIF89a")
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
