"""What runs at every visit: page configuration, navigation, and the page itself."""

import streamlit as st

from pages.server.ended_sessions import follow_session
from pages.shared.fragments import forget_press
from pages.shared.frame import draw_frame
from pages.shared.keeper import draw_page
from pages.shared.menu import page_at
from tokenizers.encoding import ASSETS

sections = {
    "Explore": [
        page_at("explore/playground/page.py", title="Playground", url_path="playground", default=True),
        page_at("explore/merge_trees/page.py", title="Merge trees", url_path="merge_trees"),
        page_at("explore/vocabulary/page.py", title="Vocabulary", url_path="vocabulary"),
        page_at("explore/unicode/page.py", title="Unicode", url_path="unicode"),
    ],
    "Grow": [
        page_at("grow/train/page.py", title="Train", url_path="train"),
        page_at("grow/bring/page.py", title="Bring", url_path="bring"),
        page_at("grow/by_hand/page.py", title="By hand", url_path="by_hand"),
    ],
    "Measure": [
        page_at("measure/compression/page.py", title="Compression", url_path="compression"),
        page_at("measure/vocabulary_size/page.py", title="Vocabulary size", url_path="vocabulary_size"),
        page_at("measure/languages/page.py", title="Languages", url_path="languages"),
    ],
    "Learn": [
        page_at("learn/lessons/page.py", title="Lessons", url_path="lessons"),
        page_at("learn/words/page.py", title="Words and sources", url_path="words"),
    ],
}
follow_session()
page = st.navigation(sections, position="top")
st.set_page_config(
    page_title=f"{page.title} · Token Grove", page_icon=str(ASSETS / "favicon.svg"), layout="wide"
)
draw_frame(sections, page)
draw_page(page)
forget_press()
