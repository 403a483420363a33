"""A setting is read while somebody else has the lock of all settings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from streamlit import config

from pages.server import settings_at_once


def test_a_setting_is_read_while_another_thread_reads_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "get_option", config.get_option)
    names = [*config.get_config_options()]
    before = {name: config.get_option(name) for name in names}
    settings_at_once.read_settings_at_once()
    with ThreadPoolExecutor(1) as thread, config._config_lock:
        assert thread.submit(lambda: {name: config.get_option(name) for name in names}).result(60) == before
    config.set_option("server.maxUploadSize", before["server.maxUploadSize"] + 1)
    try:
        assert config.get_option("server.maxUploadSize") == before["server.maxUploadSize"] + 1
    finally:
        config.set_option("server.maxUploadSize", before["server.maxUploadSize"])
    with pytest.raises(RuntimeError, match="not defined"):
        config.get_option("no.such")
