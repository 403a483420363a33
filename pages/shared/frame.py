"""What stands around every page: the logo, the mark of the section, and less empty space than Streamlit
leaves."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.errors import StreamlitAPIException
from streamlit.navigation.page import StreamlitPage

from tokenizers.encoding import ASSETS

# Static, ours, and no person's text in it. The colours are those of assets/components/common/common.css.
_STYLE = """
.stApp { --leaf: light-dark(#22704a, #67c394); --paper: light-dark(#fcfcf9, #121614);
  --ink: light-dark(#1c211e, #e9ede9);
  --soft: light-dark(#5b655f, #9aa59f); --line: light-dark(#e3e6e0, #2b332e);
  --card: light-dark(#ffffff, #181d1a); }
.stMainBlockContainer { max-width: 1760px; padding: 4.1rem 2rem 3rem; }
@media (max-width: 640px) {
  .stMainBlockContainer { padding: 4.2rem .75rem 3rem; }
  .stButtonGroup > div { flex-wrap: wrap; overflow: visible; }
  /* Segments are one bar: it scrolls, where a second line would be a bar of another length. */
  .stButtonGroup > div:has(> [data-variant="segmented_control"]) { flex-wrap: nowrap; overflow-x: auto;
    scrollbar-width: none; }
  .stButtonGroup > div > [data-variant="segmented_control"] { flex: none; }
  .st-key-train_summary { row-gap: 0; }
  /* Examples stand in one row that scrolls, so that what is below is not pushed down. */
  [class*="_tries"] { flex-wrap: nowrap !important; overflow-x: auto; scrollbar-width: none;
    padding-bottom: 4px; }
  [class*="_tries"] > div { flex: none; }
  .stApp [class*="_tries"] .stButton button { min-height: 2.25rem; }
}
/* What the browser keeps stands in the header, on every page. */
.stMainBlockContainer > .stVerticalBlock > :has(.st-key-keeper_place) { position: absolute; }
.st-key-keeper { position: fixed; top: .85rem; right: 1rem; width: auto; z-index: 999991; }
@media (max-width: 640px) { .st-key-keeper { right: .25rem; } }
.stApp [data-stale="true"] { opacity: 1; }
/* Choices are lower than fields. Where both stand in a row on one line, their labels do so, too. */
@media (min-width: 641px) {
  .stColumn .stButtonGroup:has(> label) { min-height: calc(2.5rem + 28px); }
}
/* What is filled has one green in our components and in Streamlit's, and on it the ground's colour. (What
   opens over the page is outside .stApp.) */
.stApp { --on-leaf: var(--paper); }
body button[kind="primary"]:not(:disabled), body .stMultiSelect [data-tag],
body .stMultiSelect [data-tag] * { color: var(--on-leaf); }
body .stCheckbox[data-selected="true"] polyline { stroke: var(--on-leaf); }
body .stCheckbox[data-selected="true"]:has([role="switch"]) label > div > div:only-child {
  background-color: var(--on-leaf); }
/* Words that stand back are still read: 4.5 : 1 or more in both themes. */
.stApp [data-testid="stCaptionContainer"] { color: var(--soft); opacity: 1; }
.stApp [class*="_files"] :is(summary, summary *, :has(summary)) { opacity: 1; }
.stApp [class*="_files"] summary p { color: var(--soft); }
/* One of several is chosen as in the components: filled, under the mouse too, which has just chosen it.
   Some of several: tinted, in ink that can be read. */
.stApp button[role="radio"][data-selected="true"] { background: var(--leaf) !important;
  border-color: var(--leaf); }
.stApp button[role="radio"][data-selected="true"] * { color: var(--paper);
  -webkit-text-stroke: .4px; } /* bold, and no wider: its neighbours stay where they are */
.stApp .stButtonGroup button[data-selected="true"]:not([role="radio"]) * { color: var(--leaf); }
/* Examples to try are chips, as the playground's samples in components/editor/component.css. */
[class*="_tries"] { gap: .375rem; }
[class*="_tries"] .stButton button { border: 1px solid var(--line); border-radius: 99px;
  background: var(--card); color: var(--soft); padding: .125rem .6875rem; min-height: 1.75rem;
  line-height: 1.45; }
[class*="_tries"] .stButton button p { font-size: .84375rem; line-height: inherit; }
[class*="_tries"] .stButton button:hover { color: var(--ink); border-color: var(--soft); }
/* The question at the top of a page, and what to try, run on as one text. */
.stVerticalBlock[class*="st-key-question_of_"] { display: block; margin-top: -.6rem; }
[class*="st-key-question_of_"] :is(div, p) { display: inline; }
[class*="st-key-question_of_"] button { display: inline; width: auto; min-height: 0; padding: 0;
  text-align: start; vertical-align: baseline; }
.stApp [class*="st-key-question_of_"] button:not(:disabled) { color: var(--leaf); } /* under the mouse, too */
[class*="st-key-try_of_"]::before { content: " "; word-spacing: .4rem; }
[class*="st-key-question_of_"] button p { text-decoration: underline; text-underline-offset: 3px; }
[class*="st-key-question_of_"] button:hover p { text-decoration-thickness: 2px; }
[class*="st-key-lessons_card_"] h2 { font-size: 1rem; font-weight: 600; padding: 0; line-height: 1.5; }
/* A text in a box: plain.py. */
.stApp [class*="st-key-box_of_"] { background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; padding: .625rem .875rem; }
.stApp [class*="st-key-box_of_"] :is(.stText, .stText *) { font-family: "Source Code Pro", monospace;
  font-size: .875rem; white-space: pre-wrap; overflow-wrap: anywhere; }
/* The link to Bring stands in the line of a chooser's label. */
.stColumn:has(.st-key-bring_link) { position: relative; }
.stColumn .stVerticalBlock > :has(> .st-key-bring_link) { position: absolute; top: 0; right: 0; width: auto; }
.st-key-bring_link a { padding: 0 4px; min-height: 0; }
.st-key-bring_link p { color: var(--soft); font-size: .875rem; text-decoration: underline; }
.st-key-bring_link a:hover p { color: var(--leaf); }
[data-testid="stLogoLink"] { cursor: pointer; }
/* A chart's toolbar stands at its foot: above the chart it lies on the title, and on fields. */
.stApp [class*="_chart"] [data-testid="stElementToolbar"] { top: calc(100% - .5rem) !important; }
/* A table's own CSV holds cells that a spreadsheet would run as formulas; ours do not (tables.py). */
.stApp [data-testid="stElementToolbar"] button[aria-label^="Download as CSV"] { display: none; }
/* A chart's own PNG has no title; ours has one (charts.py). */
.stApp [data-testid="stElementToolbar"] button[aria-label^="Download as PNG"] { display: none; }
/* A projector: all that is measured in rem is a quarter larger, letters in charts too (charts.py), and the
   page is as wide as the window. */
@media (min-width: 1800px) {
  html { font-size: 20px !important; }
  .stMainBlockContainer { max-width: none; }
}
"""


def draw_frame(sections: Mapping[str, Sequence[StreamlitPage]], page: StreamlitPage) -> None:
    """Draw the frame. Once, in pages/main.py.

    Args:
        sections: of the navigation, in its order.
        page: the one that is open.
    """
    with contextlib.suppress(StreamlitAPIException):  # its file is gone: the page does without
        st.logo(str(ASSETS / "logo.svg"), size="large")
    ground = "#121614" if st.context.theme.type == "dark" else "#fcfcf9"
    st.html(f"<style>body {{ --on-leaf: {ground}; }}{_STYLE}{_mark_section(sections, page)}</style>")


def _mark_section(sections: Mapping[str, Sequence[StreamlitPage]], page: StreamlitPage) -> str:
    """The style that marks the section one is in: Streamlit marks the page alone, in a closed menu."""
    number = next(
        number
        for number, pages in enumerate(sections.values(), 1)
        if page.url_path in [each.url_path for each in pages]
    )
    button = f'[data-testid="stTopNav"] > :nth-child({number}) > [data-testid="stTopNavSection"]'
    focused = (
        f"{button}:focus-visible {{ outline: 2px solid var(--leaf); }}"  # Streamlit’s ring is a shadow, too
    )
    return (
        f"{button} {{ box-shadow: inset 0 -2px var(--leaf); }} {button} p {{ color: var(--leaf); }} {focused}"
    )
