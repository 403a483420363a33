"""The script of every page run: navigation, page configuration, and the page itself."""

import streamlit as st

from pages.server.ended_sessions import follow_session
from pages.server.run_limit import limited_run
from pages.shared.frame import draw_frame
from pages.shared.saved_items import draw_page
from tokenizers.encoding import ASSETS

with limited_run():
    follow_session()
    sections = {
        "Explore": [
            st.Page("explore/playground/page.py", title="Playground", url_path="playground", default=True),
            st.Page("explore/merge_trees/page.py", title="Merge trees", url_path="merge_trees"),
            st.Page("explore/vocabulary/page.py", title="Vocabulary", url_path="vocabulary"),
            st.Page("explore/unicode/page.py", title="Unicode", url_path="unicode"),
        ],
        "Grow": [
            st.Page("grow/train/page.py", title="Train", url_path="train"),
            st.Page("grow/bring/page.py", title="Bring", url_path="bring"),
            st.Page("grow/by_hand/page.py", title="By hand", url_path="by_hand"),
        ],
        "Measure": [
            st.Page("measure/compression/page.py", title="Compression", url_path="compression"),
            st.Page("measure/vocabulary_size/page.py", title="Vocabulary size", url_path="vocabulary_size"),
            st.Page("measure/languages/page.py", title="Languages", url_path="languages"),
        ],
        "Learn": [
            st.Page("learn/lessons/page.py", title="Lessons", url_path="lessons"),
            st.Page("learn/words/page.py", title="Words and sources", url_path="words"),
        ],
    }
    page = st.navigation(sections, position="top")
    st.set_page_config(
        page_title=f"{page.title} · Token Grove", page_icon=str(ASSETS / "favicon.svg"), layout="wide"
    )
    draw_frame(sections, page)
    draw_page(page)
