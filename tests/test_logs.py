"""The log: no sentence of an error, and each error once."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator

import pytest
from streamlit.elements.lib.column_config_utils import ColumnDataKind
from streamlit.elements.widgets import data_editor

from pages.server import logs


def test_an_error_is_written_once_without_what_it_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    factory = logging.getLogRecordFactory()
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler, once = Keep(), logs.EachOnce()
    logger = logging.getLogger("token_grove.test")
    handler.addFilter(once)
    logger.addHandler(handler)
    logger.propagate = False
    try:
        logging.setLogRecordFactory(logs.without_messages(factory))
        for typed in ("a secret", "another secret"):
            try:
                int(typed)
            except ValueError:
                logger.exception("A page failed")
        logger.error("Something else")
    finally:
        logging.setLogRecordFactory(factory)
        logger.removeHandler(handler)
    assert len(lines) == 2
    assert lines[0].startswith("A page failed\nTraceback") and lines[0].endswith("ValueError")
    assert "secret" not in "".join(lines)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is written once the log is kept short."""
    factory = logging.getLogRecordFactory()
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler = Keep()
    editor = logging.getLogger(data_editor.__name__)
    names = ("token_grove.test", data_editor.__name__, "uvicorn.test")
    monkeypatch.setattr(logging.Logger, "callHandlers", logging.Logger.callHandlers)
    monkeypatch.setattr(editor, "filters", [])
    monkeypatch.delenv(logs.VARIABLE, raising=False)
    for name in names:
        logging.getLogger(name).addHandler(handler)
        monkeypatch.setattr(logging.getLogger(name), "propagate", False)
        monkeypatch.setattr(logging.getLogger(name), "level", logging.INFO)
    logs.keep_logs_short_and_private()
    yield lines
    logging.setLogRecordFactory(factory)
    for name in names:
        logging.getLogger(name).removeHandler(handler)


@pytest.mark.slow
def test_whatever_a_stranger_makes_the_server_say_is_written_a_few_times(lines: list[str]) -> None:
    for number in range(5_000):
        logging.getLogger("token_grove.test").info("The fragment with id %s does not exist", number)
        logging.getLogger("uvicorn.test").warning("Invalid HTTP request received.")
    assert len(lines) == 2 * logs.MOST_ALIKE
    lines.clear()
    for number in range(5_000):
        typed = f"secret {number}"
        try:
            int(typed)
        except ValueError:
            logging.getLogger("uvicorn.test").exception("Exception in ASGI application\n")
    assert len(lines) == 1 and "secret" not in lines[0]


def test_an_hour_has_a_thousand_lines(lines: list[str]) -> None:
    for number in range(5_000):
        logging.getLogger("token_grove.test").warning(f"A line of its own: {number}")
    assert len(lines) == logs.MOST_LINES
    assert lines[-1].startswith("More was logged than 1000 lines") and lines[-2].endswith("998")


def test_after_an_hour_there_is_room_again() -> None:
    now = 5.0
    budget = logs.Budget(lambda: now)
    taken = [budget.takes(logging.LogRecord("a", 20, "", 0, f"{each}", (), None)) for each in range(1_001)]
    assert taken == [True] * 1_000 + [False]
    now += 3_600
    assert budget.takes(logging.LogRecord("a", 20, "", 0, "1", (), None))

    budget.takes(logging.LogRecord("a", 20, "", 0, "1", (), None))
    alike = [logging.LogRecord("a", 20, "", 0, "1", (), None) for _ in range(2 * logs.MOST_ALIKE)]
    assert sum(map(budget.takes, alike)) == logs.MOST_ALIKE - 2
    now += 3_600
    assert sum(map(budget.takes, alike)) == logs.MOST_ALIKE, "of a kind that had its share, too"


def test_sentences_that_differ_late_are_of_one_kind() -> None:
    """So no long sentence is remembered."""
    budget = logs.Budget(lambda: 0.0)
    long = [f"{'a' * logs.MOST_CHARACTERS}{number}" for number in range(2 * logs.MOST_ALIKE)]
    records = [logging.LogRecord("a", 20, "", 0, each, (), None) for each in long]
    assert sum(map(budget.takes, records)) == logs.MOST_ALIKE


def fail_at_depth(depth: int) -> None:
    """An error that other calls have led to than that of any other depth."""
    if depth == 0:
        raise ValueError("a secret")
    fail_at_depth(depth - 1)


def log_fault(depth: int) -> None:
    try:
        fail_at_depth(depth)
    except ValueError:
        logging.getLogger("uvicorn.test").exception(f"A fault of its own: {depth}")


@pytest.mark.slow
def test_the_calls_that_led_to_an_error_are_lines_of_the_hour_too(lines: list[str]) -> None:
    for depth in range(500):
        log_fault(depth)
    written = sum(line.count("\n") + 1 for line in lines)
    assert logs.MOST_LINES <= written < 1.2 * logs.MOST_LINES and len(lines) < 200
    assert lines[-1].startswith("More was logged than")


def test_different_errors_are_remembered_up_to_a_number(
    lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "MOST_ERRORS", 3)
    for depth in range(8):
        log_fault(depth)
    assert len(lines) == 3


def test_of_very_many_calls_the_last_are_written() -> None:
    record = logging.LogRecord("a", 40, "", 0, "A fault", (), None)
    record.exc_text = "an early call\n" * 100_000 + "ValueError"
    logs.cut(record)
    assert record.exc_text.endswith("ValueError") and len(record.exc_text) == 10 * logs.MOST_CHARACTERS + 1


def test_what_was_typed_into_a_cell_is_not_written_and_long_lines_are_cut(lines: list[str]) -> None:
    data_editor._parse_value("a secret", ColumnDataKind.INTEGER)
    assert not lines
    logging.getLogger("token_grove.test").warning("Forged: %s", "a" * 1_000_000)
    assert len(lines[0]) == logs.MOST_CHARACTERS + 1
    logging.getLogger("token_grove.test").warning("%d %s", "a secret")
    assert lines[1] == "%d %s"


def test_nobody_can_take_over_a_session_that_is_in_the_log(lines: list[str]) -> None:
    session = str(uuid.uuid4())
    logging.getLogger("token_grove.test").warning("Session with id %s is already connected!", session)
    logging.getLogger("uvicorn.test").warning(f"{session} and {session}")
    assert len(lines) == 2
    assert all(session[:8] + "…" in line and session[8:] not in line for line in lines)
