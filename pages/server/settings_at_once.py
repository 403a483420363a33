"""A setting of Streamlit's is read without waiting for others who read one.

Streamlit takes a lock for each. A page reads some hundred settings while it is drawn, one for every message,
and the server itself reads them, too. Where many pages are drawn, most of the time somebody has the lock and
waits for its turn of Python: all others queue behind it, the server with them.

The lock keeps a setting from being read while the settings are made: at the start, and when the file that
they are in is read again. Whoever reads one just then may have it as it is without that file, once.
Otherwise, each is one look into a dictionary.
"""

from __future__ import annotations

from typing import Any

from streamlit import config

_get_option = config.get_option


def read_settings_at_once() -> None:
    """From now on, whoever asks for a setting does not wait."""
    config.get_option = _get_at_once


def _get_at_once(key: str) -> Any:
    """In place of ``get_option``, which is asked for what is not there yet.

    Raises:
        RuntimeError: there is no such setting.
    """
    option = (config._config_options or {}).get(key)
    return _get_option(key) if option is None else option.value
