"""The log: no sentence of an error, and each error once."""

from __future__ import annotations

import logging

import pytest

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
