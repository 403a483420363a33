"""The log says where an error is, and quotes nobody."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from streamlit.elements.lib.column_config_utils import ColumnDataKind
from streamlit.elements.widgets import data_editor

from pages.server import errors

NAMES = ("token_grove.test", data_editor.__name__)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is written once typed text is kept out."""
    factory = logging.getLogRecordFactory()
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(self.format(record))

    handler = Keep()
    monkeypatch.delenv(errors.VARIABLE, raising=False)
    for name in NAMES:
        logging.getLogger(name).addHandler(handler)
        monkeypatch.setattr(logging.getLogger(name), "propagate", False)
        monkeypatch.setattr(logging.getLogger(name), "level", logging.INFO)
    errors.keep_typed_text_out_of_logs()
    yield lines
    logging.setLogRecordFactory(factory)
    for name in NAMES:
        logging.getLogger(name).removeHandler(handler)


def test_an_error_is_written_in_a_line_without_what_it_quotes(lines: list[str]) -> None:
    try:
        try:
            int("a secret")
        except ValueError as problem:
            raise KeyError("another secret") from problem
    except KeyError:
        logging.getLogger("token_grove.test").exception("A page failed")
    (line,) = lines
    assert line.startswith("A page failed: KeyError at tests/test_logs.py:") and ", after ValueError" in line
    assert "\n" not in line and "secret" not in line


def test_what_was_typed_into_a_cell_is_not_written(lines: list[str]) -> None:
    data_editor._parse_value("a secret", ColumnDataKind.INTEGER)
    assert not lines


def test_whoever_looks_for_a_fault_can_have_the_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(errors.VARIABLE, "full")
    factory = logging.getLogRecordFactory()
    errors.keep_typed_text_out_of_logs()
    assert logging.getLogRecordFactory() is factory
