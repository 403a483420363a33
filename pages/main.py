"""The script of every page run: navigation, page configuration, and the page itself."""

import streamlit as st

from pages.server.ended_sessions import follow_session
from pages.server.run_limit import limited_run
from pages.session.menu import SECTIONS
from pages.shared.frame import draw_frame
from pages.shared.saved_items import draw_page
from pages.shared.widgets import note_page
from tokenizers.encoding import ASSETS

with limited_run():
    follow_session()
    sections = {
        section: [
            st.Page(
                f"{section.lower()}/{name}/page.py", title=title, url_path=name, default=name == "playground"
            )
            for name, title in pages.items()
        ]
        for section, pages in SECTIONS.items()
    }
    page = st.navigation(sections, position="top")
    note_page(page.url_path)
    st.set_page_config(
        page_title=f"{page.title} · Token Grove", page_icon=str(ASSETS / "favicon.svg"), layout="wide"
    )
    draw_frame(sections, page)
    draw_page(page)
