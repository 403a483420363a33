"""What a page that counts tokens says of encodings that lose text."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from pages.session.workspace import Workspace
from pages.shared.plain import plain


def tell_losses(workspace: Workspace, names: Iterable[str]) -> None:
    """Say which of these encodings lose a part of a text: few tokens are no merit there."""
    lossy = []
    for name in names:
        try:
            if not workspace.encoding(name).is_lossless:
                lossy.append(name)
        except (ValueError, OSError):
            pass  # it cannot be loaded, and the page says so
    if lossy:
        verb = "loses" if len(lossy) == 1 else "lose"
        st.caption(
            f"{plain(' and '.join(lossy))} {verb} what is not in the vocabulary: few tokens there can mean "
            "that text is lost, not that it is short. The playground shows what is lost."
        )
