"""A setting is read while somebody else has the lock of all settings."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from streamlit import config

from pages.server import settings_at_once


def test_a_setting_is_read_while_another_thread_reads_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "get_option", config.get_option)
    monkeypatch.setattr(config, "get_options_for_section", config.get_options_for_section)
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


def test_a_section_is_read_at_once_and_as_it_is_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "get_option", config.get_option)
    monkeypatch.setattr(config, "get_options_for_section", config.get_options_for_section)
    sections = {option.section for option in config.get_config_options().values()} | {"no such"}

    def read() -> dict[str, Any]:
        return {section: config.get_options_for_section(section) for section in sections}

    before = read()
    settings_at_once.read_settings_at_once()
    assert read() == before and "theme.sidebar" in before and not before["no such"]
    with ThreadPoolExecutor(1) as thread, config._config_lock:
        assert thread.submit(read).result(60) == before
    config.set_option("theme.primaryColor", "#123456")
    try:
        assert config.get_options_for_section("theme") == before["theme"] | {"primaryColor": "#123456"}
    finally:
        config.set_option("theme.primaryColor", before["theme"]["primaryColor"])
    options = config.get_config_options()
    again = {name: copy.copy(option) for name, option in options.items()}
    again["theme.base"].set_value("dark", "a test")
    monkeypatch.setattr(config, "_config_options", again)  # as when the file of settings is read again
    assert config.get_options_for_section("theme")["base"] == "dark"
    again["theme.more"] = copy.copy(again["theme.base"])
    again["theme.more"].name = "more"
    assert config.get_options_for_section("theme")["more"] == "dark"
    monkeypatch.setattr(config, "_config_options", None)  # before they are read for the first time
    assert config.get_options_for_section("theme").keys() == before["theme"].keys()
