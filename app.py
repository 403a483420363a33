"""Token Grove: page configuration, navigation, and the page itself."""

import streamlit as st

from pages.shared.frame import draw_frame

st.set_page_config(page_title="Token Grove", page_icon="assets/favicon.svg", layout="wide")
draw_frame()
page = st.navigation(
    {
        "Explore": [st.Page("pages/explore/playground.py", title="Playground", default=True)],
        "Grow": [st.Page("pages/grow/train.py", title="Train", url_path="train")],
        "Learn": [st.Page("pages/learn/words.py", title="Words and sources")],
    },
    position="top",
)
page.run()
