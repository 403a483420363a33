"""What the server logs of a fault: where it happened and of which kind, without the sentence, and once.

The sentence of an error often quotes what a person typed, and that must not be in a log.
``TOKEN_GROVE_LOG=full`` keeps it, for whoever looks for a fault on their own machine.

Whoever forges what a browser sends, such as a number where a widget has words, breaks the pages of their own
session only. But Streamlit writes some fifty lines about each attempt, and could fill the disk. So an error
is written once, any other sentence a few times an hour, and all of it together is so many lines an hour.
"""

from __future__ import annotations

import logging
import os
import re
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

VARIABLE = "TOKEN_GROVE_LOG"
MOST_ERRORS = 200
"""Different errors that are remembered: beyond, no new one is written."""

MOST_LINES, MOST_ALIKE = 1_000, 20
"""Lines in an hour: of all kinds, and of those that differ only in what they quote."""

MOST_CHARACTERS = 2_000
"""Of a sentence. The calls that led to an error may take ten times as much."""

_HOUR = 3600.0
_QUOTES_VALUES = "streamlit.elements.widgets.data_editor"  # tells what was typed into a cell
# A browser that knows the whole name of a session takes it over: that is how it comes back after a cut.
_SESSION = re.compile(r"\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_OVER = "More was logged than %d lines in an hour: for the rest of it, nothing more is written."

_call_handlers = logging.Logger.callHandlers


def say_where(problem: BaseException) -> str:
    """The calls that led to an error and those behind it, and its kind; not its message.

    >>> try:
    ...     int("a secret")
    ... except ValueError as problem:
    ...     print(say_where(problem).splitlines()[-1])
    ValueError
    """
    behind = problem.__cause__ or (None if problem.__suppress_context__ else problem.__context__)
    first = f"{say_where(behind)}\n\n" if behind is not None else ""
    calls = "".join(traceback.format_tb(problem.__traceback__))
    return f"{first}Traceback (most recent call last):\n{calls}{type(problem).__qualname__}"


def without_messages(make: Callable[..., logging.LogRecord]) -> Callable[..., logging.LogRecord]:
    """A maker of log records that leaves out the messages of errors."""

    def make_record(*args: Any, **options: Any) -> logging.LogRecord:
        record = make(*args, **options)
        problem = record.exc_info[1] if record.exc_info else None
        if problem is not None:
            record.exc_text, record.exc_info = say_where(problem), None
        return record

    return make_record


class EachOnce(logging.Filter):
    """Lets each error through only once: errors are the same if their kind and their calls are.

    >>> once = EachOnce()
    >>> def fail():
    ...     try:
    ...         int("no number")
    ...     except ValueError as problem:
    ...         error = (ValueError, problem, problem.__traceback__)
    ...         return logging.LogRecord("a", logging.ERROR, "", 0, "Uncaught", (), error)
    >>> once.filter(fail()), once.filter(fail())
    (True, False)
    """

    def __init__(self) -> None:
        super().__init__()
        self._known: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written. One without an error always is."""
        problem = record.exc_info[1] if record.exc_info else None
        where = say_where(problem) if problem is not None else record.exc_text
        if where is None:
            return True
        if where in self._known or len(self._known) >= MOST_ERRORS:
            return False
        self._known.add(where)
        return True


class Budget:
    """How much is written in an hour.

    Args:
        clock: seconds that only rise.

    >>> budget = Budget(lambda: 0.0)
    >>> line = logging.LogRecord("a", logging.INFO, "", 0, "Fragment %s is gone", ("x",), None)
    >>> sum(budget.takes(line) for _ in range(50)) == MOST_ALIKE
    True
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._begun = -_HOUR
        self._lines = 0
        self._alike: Counter[tuple[str, str]] = Counter()

    def takes(self, record: logging.LogRecord) -> bool:
        """Whether there is room for a record; the first that finds none becomes a line that says so."""
        with self._lock:
            if self._clock() - self._begun >= _HOUR:
                self._begun, self._lines = self._clock(), 0
                self._alike.clear()
            if self._lines >= MOST_LINES:
                return False
            kind = (record.name, str(record.msg)[:MOST_CHARACTERS])
            if self._alike[kind] >= MOST_ALIKE:
                return False
            self._alike[kind] += 1
            self._lines += 1 + (record.exc_text or "").count("\n")
            if self._lines >= MOST_LINES:
                record.msg, record.args = _OVER, (MOST_LINES,)
                record.exc_info = record.exc_text = record.stack_info = None
            return True


def cut(record: logging.LogRecord) -> None:
    """Shorten a record that quotes a long text or names a session, and the calls that led to it.

    >>> import uuid
    >>> record = logging.LogRecord("a", logging.INFO, "", 0, "Session %s is gone", (str(uuid.uuid4()),), None)
    >>> cut(record)
    >>> len(record.getMessage())
    25
    """
    try:
        message = record.getMessage()
    except Exception:  # its words do not fit its values: Python would write both, with a traceback
        message, record.args = str(record.msg), ()
    shorter = _SESSION.sub(r"\1…", message[: 2 * MOST_CHARACTERS])  # first: a cut could leave most of a name
    if len(shorter) > MOST_CHARACTERS or len(message) > 2 * MOST_CHARACTERS:
        shorter = shorter[:MOST_CHARACTERS] + "…"
    if shorter != message:
        record.msg, record.args = shorter, ()
    if record.exc_text and len(record.exc_text) > 10 * MOST_CHARACTERS:
        record.exc_text = "…" + record.exc_text[-10 * MOST_CHARACTERS :]


def write_less(once: EachOnce, budget: Budget) -> Callable[[logging.Logger, logging.LogRecord], None]:
    """What stands in place of ``Logger.callHandlers``: it writes what is new, and as much as may be."""

    def call_handlers(self: logging.Logger, record: logging.LogRecord) -> None:
        if once.filter(record) and budget.takes(record):
            cut(record)
            _call_handlers(self, record)

    return call_handlers


def keep_logs_short_and_private() -> None:
    """From now on, no log of this process has the message of an error, and what repeats is in it once."""
    if os.environ.get(VARIABLE) != "full":
        logging.setLogRecordFactory(without_messages(logging.getLogRecordFactory()))
        logging.getLogger(_QUOTES_VALUES).addFilter(lambda _: False)
    # mypy: methods are no place to assign to
    setattr(logging.Logger, "callHandlers", write_less(EachOnce(), Budget()))  # noqa: B010
