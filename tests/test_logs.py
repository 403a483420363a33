"""The log: no sentence of an error, and each error once."""

from __future__ import annotations

import logging
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


def test_what_was_typed_into_a_cell_is_not_written_and_long_lines_are_cut(lines: list[str]) -> None:
    data_editor._parse_value("a secret", ColumnDataKind.INTEGER)
    assert not lines
    logging.getLogger("token_grove.test").warning("Forged: %s", "a" * 1_000_000)
    assert len(lines[0]) == logs.MOST_CHARACTERS + 1
    logging.getLogger("token_grove.test").warning("%d %s", "a secret")
    assert lines[1] == "%d %s"
