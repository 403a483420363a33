"""Every limit that a host may want to change, in one place: what a person's input can make a server do.

Each has a name, a default, a unit and what it protects. An environment variable, ``TOKEN_GROVE_`` and the
name, changes it when the server starts: ``TOKEN_GROVE_TEXT_MB=2``. The modules that keep a limit take it from
here; what is over it is refused with a sentence before any work starts. Limits that no host would change,
such as the depth of a regular expression, stay beside the code that they belong to.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass

from .memory import available_memory

PREFIX = "TOKEN_GROVE_"
KB = 1 << 10
MB = 1 << 20
"""Bytes. Limits and messages (``amounts.py``) count in these, and so does Streamlit's ``maxUploadSize``."""


@dataclass(frozen=True)
class Limit:
    """One limit.

    Attributes:
        name: its environment variable without ``PREFIX``.
        default: what it is unless a host changes it.
        unit: of what.
        protects: what would go wrong without it.
        least, most: between which it can be set.
        value: what it is here.
        computed: how the default comes about, where it depends on the machine.
    """

    name: str
    default: int
    unit: str
    protects: str
    least: int
    most: int
    value: int
    computed: str = ""

    @property
    def variable(self) -> str:
        """The environment variable that changes it."""
        return PREFIX + self.name


LIMITS: list[Limit] = []
"""All of them, in the order of the table in docs/limits.md."""

PROBLEMS: list[str] = []
"""A sentence for each environment variable that could not be read: its default is used instead."""


def read_value(
    variable: str, default: int, least: int, most: int, environ: Mapping[str, str]
) -> tuple[int, str]:
    """What an environment variable says, and what is wrong with it; empty: nothing.

    >>> read_value("TOKEN_GROVE_PANELS", 12, 1, 40, {"TOKEN_GROVE_PANELS": "8"})
    (8, '')
    >>> read_value("TOKEN_GROVE_PANELS", 12, 1, 40, {"TOKEN_GROVE_PANELS": "eight"})
    (12, "TOKEN_GROVE_PANELS is 'eight', and should be a whole number from 1 to 40: it stays at 12.")
    """
    value = environ.get(variable, "").strip()
    if not value:
        return default, ""
    if value.isascii() and value.isdigit() and len(value) < 16 and least <= int(value) <= most:
        return int(value), ""
    return default, (
        f"{variable} is {value[:40]!r}, and should be a whole number from {least} to {most}: it stays at "
        f"{default}."
    )


def _limit(
    name: str, default: int, unit: str, protects: str, *, between: tuple[int, int], computed: str = ""
) -> Limit:
    least, most = between
    value, problem = read_value(PREFIX + name, default, least, most, os.environ)
    if problem:
        PROBLEMS.append(problem)
    LIMITS.append(limit := Limit(name, default, unit, protects, least, most, value, computed))
    return limit


def likely_slips(environ: Mapping[str, str]) -> list[str]:
    """A sentence for each variable whose name is nearly that of a limit.

    >>> likely_slips({"TOKEN_GROVE_TEXTMB": "3", "TOKEN_GROVE_DATA": "x", "TOKEN_GROVE_TEXT_MB": "4"})
    ['There is no setting TOKEN_GROVE_TEXTMB. Is TOKEN_GROVE_TEXT_MB meant?']
    """
    names = [limit.variable for limit in LIMITS]
    sentences = []
    for variable in sorted(environ):
        if variable.startswith(PREFIX) and variable not in names:
            for meant in difflib.get_close_matches(variable[:60], names, 1, 0.92):
                sentences.append(f"There is no setting {variable[:60]}. Is {meant} meant?")
    return sentences


def table() -> str:
    """All limits as a table in Markdown."""
    rows = [
        f"| `{limit.variable}` | {limit.computed or f'{limit.default:,}'} | {limit.unit} | "
        f"{limit.least:,}–{limit.most:,} | {limit.protects} |"
        for limit in LIMITS
    ]
    head = "| variable | default | unit | from–to | what it protects |\n|---|--:|---|--:|---|"
    return "\n".join([head, *rows])


# What a person brings

TEXT_MB = _limit(
    "TEXT_MB",
    10,
    "MB",
    "memory: a text in the editor, pasted or from a file, with its tokens",
    between=(1, 100),
)
OWN_TEXTS = _limit(
    "OWN_TEXTS", 100, "texts", "memory: what a session keeps of its own texts", between=(1, 1_000)
)
OWN_TEXTS_MB = _limit(
    "OWN_TEXTS_MB", 100, "MB", "memory: all texts of a session together", between=(1, 2_000)
)
FILE_MB = _limit(
    "FILE_MB",
    64,
    "MB",
    "memory and time: one tokenizer's file, or a .gguf's header, before it is read",
    between=(1, 512),
)
FILES_AT_ONCE = _limit(
    "FILES_AT_ONCE", 20, "files", "memory: tokenizer files that are brought at a time", between=(1, 200)
)
FILES_AT_ONCE_MB = _limit(
    "FILES_AT_ONCE_MB", 200, "MB", "memory: what comes of them together", between=(1, 2_000)
)
WAITING = _limit(
    "WAITING", 8, "encodings", "memory: files that were read and wait to be taken or left", between=(1, 40)
)
OWN_ENCODINGS = _limit(
    "OWN_ENCODINGS", 40, "encodings", "memory: what a session trained or brought", between=(1, 400)
)
OWN_ENCODINGS_MB = _limit(
    "OWN_ENCODINGS_MB",
    200,
    "MB",
    "memory: the files of these together; in memory they take several times as much",
    between=(1, 4_000),
)
OWN_ENCODINGS_MEMORY_MB = _limit(
    "OWN_ENCODINGS_MEMORY_MB",
    2_000,
    "MB",
    "memory: what they take once they are loaded, by an estimate from above",
    between=(100, 100_000),
)
HUB_FETCHES = _limit(
    "HUB_FETCHES",
    100,
    "files",
    "the network: what is fetched from Hugging Face’s hub within an hour, for one address",
    between=(1, 10_000),
)
SPECIAL_TOKENS = _limit(
    "SPECIAL_TOKENS",
    50_000,
    "tokens",
    "time: all special tokens of a brought file become one pattern",
    between=(100, 100_000),
)
KEPT_MB = _limit(
    "KEPT_MB", 50, "MB", "the browser's storage, and what comes back from it at a visit", between=(1, 500)
)

# What a person asks for

PANELS = _limit(
    "PANELS", 12, "panels", "time of each keystroke: each panel encodes the text", between=(1, 40)
)
COMPARED = _limit(
    "COMPARED", 6, "encodings", "time, and room in the charts: Languages, Unicode", between=(1, 20)
)
QUERY = _limit(
    "QUERY",
    100_000,
    "characters",
    "time: a search in a vocabulary, in a link too",
    between=(1_000, 1_000_000),
)
EXPORTED = _limit(
    "EXPORTED",
    500_000,
    "tokens",
    "memory: ids and chunks that are exported at a time",
    between=(1_000, 20_000_000),
)
MEASURED_MB = _limit(
    "MEASURED_MB", 20, "MB", "time: own texts that Compression measures together", between=(1, 500)
)
CURVE_KB = _limit(
    "CURVE_KB",
    1000,
    "KB",
    "time: a text that Vocabulary size counts at all sizes",
    between=(10, 10_000),
)
PARALLEL_KB = _limit(
    "PARALLEL_KB", 500, "KB", "time: one own parallel text on Languages", between=(10, 10_000)
)
PARALLEL_TEXTS = _limit(
    "PARALLEL_TEXTS", 20, "texts", "time: own parallel texts on Languages", between=(1, 200)
)
COUNTING_SECONDS = _limit(
    "COUNTING_SECONDS",
    60,
    "seconds",
    "processors: counting all languages in one encoding",
    between=(1, 3_600),
)
CHART_POINTS = _limit(
    "CHART_POINTS", 240, "points", "what a browser draws: points of a learning curve", between=(10, 2_000)
)

# Training

CORPUS_MB = _limit(
    "CORPUS_MB",
    100,
    "MB",
    "memory and time: the corpus of a training, what is read again counted again",
    between=(1, 1_000),
)
VOCABULARY = _limit(
    "VOCABULARY", 100_000, "ids", "memory and time: the vocabulary of a training", between=(512, 400_000)
)
TRAININGS = _limit(
    "TRAININGS",
    max(2, min(4, (os.cpu_count() or 1) // 2)),
    "trainings",
    "processors and memory: trainings at a time",
    between=(1, 64),
    computed="half the cores, from 2 to 4",
)
TRAININGS_PER_PLACE = _limit(
    "TRAININGS_PER_PLACE",
    3,
    "trainings",
    "memory: how many share a place by turns, the one at work counted; one more on a megabyte or less",
    between=(1, 64),
)
TRAINING_TURN = _limit(
    "TRAINING_TURN",
    20,
    "seconds",
    "those in line: so long a training works before it makes room for the next",
    between=(1, 3_600),
)
TRAININGS_WAITING = _limit(
    "TRAININGS_WAITING", 60, "trainings", "memory: how many wait in line", between=(1, 1_000)
)
TRAININGS_PER_ADDRESS = _limit(
    "TRAININGS_PER_ADDRESS",
    30,
    "trainings",
    "the others: at work or in line from one address. A class of thirty behind one router fits",
    between=(1, 1_000),
)
TRAINING_MINUTES = _limit(
    "TRAINING_MINUTES",
    15,
    "minutes",
    "processors: the work of one training; then it keeps what it has learned",
    between=(1, 1_440),
)

# Own patterns

PATTERNS = _limit(
    "PATTERNS",
    2,
    "processes",
    "processors: own patterns at a time; each session has one of these places at most",
    between=(1, 64),
)
PATTERN_SECONDS = _limit(
    "PATTERN_SECONDS", 1, "seconds", "processors: an own split pattern on the text of a page", between=(1, 60)
)
PATTERN_MB = _limit(
    "PATTERN_MB", 120, "MB", "memory: of the process that runs an own pattern", between=(60, 2_000)
)

# Visitors

_MEMORY = available_memory()
_SERVER_MB = 10_000_000 if _MEMORY is None else max(1_000, _MEMORY * 6 // 10 // MB)

SERVER_MB = _limit(
    "SERVER_MB",
    _SERVER_MB,
    "MB",
    "memory of the server’s own process; over it, what would add much is refused. What trains, and what "
    "runs an own pattern, has processes of its own, and comes on top",
    between=(300, 10_000_000),
    computed="60 % of the machine’s memory, or of the container’s, at least 1,000",
)
SESSIONS = _limit(
    "SESSIONS",
    200,
    "browser tabs",
    "memory and open files: open at a time, in all. Fewer where the system allows fewer than 1,664 files",
    between=(1, 100_000),
)
SESSIONS_PER_ADDRESS = _limit(
    "SESSIONS_PER_ADDRESS",
    120,
    "browser tabs",
    "the others: open at a time from one address. A classroom behind one router has one address: "
    "thirty people with four tabs each fit",
    between=(1, 100_000),
)
# A visitor can write X-Forwarded-For too: only what the last proxies added counts.
OWN_MB_PER_ADDRESS = _limit(
    "OWN_MB_PER_ADDRESS",
    max(2_000, _SERVER_MB // 2),
    "MB",
    "the others: memory that texts and own encodings of all tabs of one address take, by an estimate",
    between=(10, 10_000_000),
    computed="half of `SERVER_MB`’s default, at least 2,000",
)
PROXIES = _limit(
    "PROXIES",
    0,
    "proxies",
    "what is counted by address: how many proxies of yours are in front of the server, each of which adds an "
    "address to X-Forwarded-For",
    between=(0, 10),
)
