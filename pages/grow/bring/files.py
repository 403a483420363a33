"""The place for files: what is chosen or dropped there comes piece by piece, and then waits."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages.grow.bring.state import Bringing, BringState
from pages.session.incoming import Arrived
from pages.shared.components import newest_message, register
from pages.shared.fragments import fragment
from pages.shared.session import get_workspace
from tokenizers.formats import READERS

KEY = BringState.key("files")

_mount = register("files")


def _kinds_in_words() -> str:
    labels = dict.fromkeys([*(reader.label for reader in READERS), ".tiktoken"])
    return f"{', '.join(labels)}: told by what is in them, several at once."


@fragment
def draw_files(bringing: Bringing) -> None:
    """Runs again at every piece that comes; the whole page does when all are there."""
    incoming = bringing.incoming
    message = newest_message(KEY)
    if message:
        incoming.hear(message)
    _mount(data={**incoming.next_step(), "how": _kinds_in_words()}, key=KEY, on_message_change=lambda: None)
    arrived = incoming.take_arrived()
    if arrived or (incoming.problems and not incoming.is_busy):
        with st.spinner("Reading what came…"):
            put(bringing, arrived, incoming.problems)
        incoming.problems = []
        st.rerun()


def put(bringing: Bringing, files: Sequence[Arrived], problems: Sequence[str] = ()) -> None:
    """Read files, so that they wait; what is wrong with them, and ``problems``, is said on the page."""
    bringing.taken = ""
    bringing.problems = [*problems, *bringing.tray.put(files, get_workspace())]
