"""What stands around every page: the logo, and less empty space than Streamlit leaves."""

from __future__ import annotations

import streamlit as st

from tokenizers.encoding import ASSETS

# Static, ours, and no person's text in it.
_STYLE = """<style>
.stMainBlockContainer { max-width: 1760px; padding: 4.1rem 2rem 3rem; }
@media (max-width: 640px) {
  .stMainBlockContainer { padding: 4.2rem .75rem 3rem; }
  .stButtonGroup > div { flex-wrap: wrap; overflow: visible; }
  .st-key-train_summary { row-gap: 0; }
  /* Vocabulary's examples, in one row that scrolls, so that the table is not pushed down. */
  .st-key-vocabulary_tries { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; }
  .st-key-vocabulary_tries > div { flex: none; }
}
.stApp [data-stale="true"] { opacity: 1; }
</style>"""


def draw_frame() -> None:
    """Draw the frame. Once, at the top of pages/main.py."""
    st.logo(str(ASSETS / "logo.svg"), size="large")
    st.html(_STYLE)
