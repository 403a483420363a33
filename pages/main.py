"""What runs at every visit: page configuration, navigation, and the page itself."""

import streamlit as st

from pages.shared.frame import draw_frame
from tokenizers.encoding import ASSETS

st.set_page_config(page_title="Token Grove", page_icon=str(ASSETS / "favicon.svg"), layout="wide")
draw_frame()
page = st.navigation(
    {
        "Explore": [
            st.Page("explore/playground.py", title="Playground", default=True),
            st.Page("explore/merge_trees.py", title="Merge trees"),
            st.Page("explore/vocabulary.py", title="Vocabulary"),
        ],
        "Grow": [
            st.Page("grow/train.py", title="Train", url_path="train"),
            st.Page("grow/by_hand.py", title="By hand"),
        ],
        "Measure": [
            st.Page("measure/compression.py", title="Compression"),
            st.Page("measure/vocabulary_size.py", title="Vocabulary size"),
            st.Page("measure/languages.py", title="Languages"),
        ],
        "Learn": [st.Page("learn/words.py", title="Words and sources")],
    },
    position="top",
)
page.run()
