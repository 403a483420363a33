"""A setting of Streamlit's is read without waiting for others who read one.

Streamlit takes a lock for each. A page reads some hundred settings while it is drawn, one for every message,
and the server itself reads them, too. Where many pages are drawn, most of the time somebody has the lock and
waits for its turn of Python: all others queue behind it, the server with them.

The lock keeps a setting from being read while the settings are made: at the start, and when the file that
they are in is read again. Whoever reads one just then may have it as it is without that file, once.
Otherwise, each is one look into a dictionary.

When a run begins, the event loop reads six sections of settings about colours and fonts. For each, Streamlit
goes through all settings that there are: half of the loop's work while thirty people opened the app. Here,
which settings a section has is found once.
"""

from __future__ import annotations

from typing import Any

from streamlit import config

_get_option = config.get_option
_get_section = config.get_options_for_section


def read_settings_at_once() -> None:
    """From now on, whoever asks for a setting, or for a section of them, does not wait."""
    config.get_option = _get_at_once
    sections = _Sections()
    config.get_options_for_section = sections.get


def _get_at_once(key: str) -> Any:
    """In place of ``get_option``, which is asked for what is not there yet.

    Raises:
        RuntimeError: there is no such setting.
    """
    option = (config._config_options or {}).get(key)
    return _get_option(key) if option is None else option.value


class _Sections:
    """The settings of each section, found once for all the settings that there are."""

    def __init__(self) -> None:
        # The dictionary of all settings, how many there were, and those of each section.
        self._known: tuple[dict[str, Any], int, dict[str, list[Any]]] = ({}, 0, {})

    def get(self, section: str) -> dict[str, Any]:
        """In place of ``get_options_for_section``: by name, what each setting of the section is."""
        options: dict[str, Any] | None = config._config_options
        if options is None:
            return _get_section(section)
        all_settings, n_settings, sections = self._known
        if options is not all_settings or len(options) != n_settings:  # read again, or added to
            sections = {}
            for option in list(options.values()):
                sections.setdefault(option.section, []).append(option)
            self._known = options, len(options), sections
        return {option.name: option.value for option in sections.get(section, ())}
