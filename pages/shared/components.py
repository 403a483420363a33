"""Our v2 components: a folder each in assets/components, with HTML, CSS and JavaScript modules."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import streamlit as st

from pages.server.component_files import FOLDER, files_version
from tokenizers.json_types import JsonObject


def register(name: str, *signals: str) -> Callable[[JsonObject, str], None]:
    """Make a function that mounts a component, given its data and its key.

    Args:
        name: the name of its folder.
        signals: what it sends: "event", "message".

    Streamlit sends the registered script with every answer. So it is only loader.js, which imports the
    component's own files by URL.
    """

    def mount(data: JsonObject, key: str) -> None:
        hears: dict[str, Any] = {f"on_{signal}_change": lambda: None for signal in signals}
        _registered(name, files_version())(data=data, key=key, **hears)

    return mount


@lru_cache(maxsize=64)
def _registered(name: str, version: str) -> Callable[..., Any]:
    return st.components.v2.component(f"token_grove.{name}", js=loader(name, version))


def loader(name: str, version: str) -> str:
    """The script that Streamlit gets: loader.js for this component.

    >>> "components/0123/" in loader("editor", "0123")
    True
    """
    return (FOLDER / "loader.js").read_text("utf-8").replace("$NAME", name).replace("$VERSION", version)


def base64_of(data: bytes) -> str:
    """Bytes as ``fromBase64`` of common/bytes.js reads them.

    >>> base64_of(b"the")
    'dGhl'
    """
    return base64.b64encode(data).decode()


def newest_message(key: str) -> JsonObject | None:
    """The last message of a component, before this run mounts it again."""
    return _newest(key, "message")


def newest_event(key: str) -> JsonObject | None:
    """The event of a component, if it started this run."""
    return _newest(key, "event")


def _newest(key: str, signal: str) -> JsonObject | None:
    sent = (st.session_state.get(key) or {}).get(signal)
    return sent if isinstance(sent, dict) else None
