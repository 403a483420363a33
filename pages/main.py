"""The script of every page run: navigation, page configuration, and the page itself."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from pages.server.ended_sessions import follow_session
from pages.server.run_limit import limited_run
from pages.session.menu import FOR_WHAT, SECTIONS
from pages.shared.frame import draw_frame
from pages.shared.saved_items import draw_page
from pages.shared.widgets import note_page
from tokenizers.encoding import ASSETS

with limited_run():
    follow_session()
    sections: dict[str, list[StreamlitPage]] = {section: [] for section in SECTIONS}
    for section, pages in SECTIONS.items():
        for name, title in pages.items():
            file = f"{section.lower()}/{name}/page.py"
            new = st.Page(
                file, title=f"{title}: {FOR_WHAT[name]}", url_path=name, default=name == "playground"
            )
            sections[section].append(new)
    page = st.navigation(sections, position="top")
    note_page(page.url_path)
    title = page.title.partition(":")[0]
    st.set_page_config(
        page_title=f"{title} · Token Grove", page_icon=str(ASSETS / "favicon.svg"), layout="wide"
    )
    draw_frame(sections, page)
    draw_page(page)
