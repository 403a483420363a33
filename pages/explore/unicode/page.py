"""Explore · Unicode: a text as graphemes, code points, units and tokens, in rows below each other."""

from __future__ import annotations

import streamlit as st

from pages.explore.unicode.sections import (
    describe_text,
    describe_tokens,
    draw_forms,
    draw_marked,
    draw_why,
    facts_table,
    find_parts,
)
from pages.explore.unicode.state import MAX_ENCODINGS, UnicodeState
from pages.server.run_limit import limited_run
from pages.session.one_text import MAX_TAKEN_BYTES
from pages.session.workspace import Workspace
from pages.shared.colours import css_hue_in
from pages.shared.components import newest_message, register
from pages.shared.frame import draw_question
from pages.shared.own_texts import draw_take_one
from pages.shared.page_files import choose_encodings
from pages.shared.session import get_workspace
from pages.shared.tables import offer_table
from pages.shared.widgets import open_state, say_note, show_errors, write_link
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.registry import model_name
from tokenizers.text import UNICODE_VERSION, TextMap, encode_spans

_KEY = "unicode"
_TWO_WAYS = "caf\u00e9 cafe\u0301"

# Label, text, and what to look at in it. What cannot be seen is written as an escape.
_PRESETS = (
    ("👩‍🚀", "👩\u200d🚀 👨\u200d👩\u200d👧 👍🏽 🇰🇷", "A woman, a joiner and a rocket are one grapheme."),
    (
        "ﬁ and ½",
        "\ufb01ne \u00bd x\u00b2 \u2460 \uff21",
        "NFKC turns them into fi, 1 ⁄ 2, x2, 1 and A. Their look is lost.",
    ),
    (
        "pаypal",
        "paypal p\u0430ypal",
        "In the second paypal, the first а is Cyrillic. Find its box under “Look out”.",
    ),
    (
        "Zalgo",
        "Z\u0351\u036b\u0343\u036aa\u0310\u0352\u0308l\u030b\u0346\u0308\u0301g\u0306\u0314o\u0350\u030e",
        "Marks stacked on each letter: still five graphemes.",
    ),
    (
        "override",
        "user\u202etxt.exe\u202c",
        "A direction mark turns the text after it. Read the boxes, not the field.",
    ),
    (
        "BOM",
        "\ufeffid,name\u00a0\n1,a\u00ad\u200bb",
        "A byte order mark, a no-break space, a soft hyphen, and a zero-width space.",
    ),
)

_mount = register("unicode", "message")


@st.fragment
@limited_run()
@show_errors()
def _draw_text(workspace: Workspace, state: UnicodeState) -> None:
    """Everything that depends on the text. It runs at each pause in typing."""
    message = newest_message(_KEY)
    if message:
        state.apply(message)
        state.share_text(workspace, by_typing=True)
    text_map = TextMap(state.text)
    parts = find_parts(text_map)
    state.part = min(state.part, len(parts) - 1)
    start, end = parts[state.part]
    rows: list[JsonObject] = []
    encodings: dict[str, Encoding] = {}
    for name in state.encodings:
        row: JsonObject = {"name": name, "model": model_name(name), "hue": css_hue_in(workspace, name)}
        try:
            encoding = workspace.find_encoding(name)
            spans = encode_spans(encoding, text_map)
            row |= {"n_tokens": len(spans), "tokens": describe_tokens(spans, start, end)}
            encodings[name] = encoding
        except (ValueError, OSError) as problem:
            row["problem"] = str(problem)
        rows.append(row)
    data = {
        **describe_text(text_map, start, end),
        "text": text_map.text,
        "revision": state.revision,
        "note": state.text_note,
        "part": state.part,
        "n_parts": len(parts),
        "encodings": rows,
    }
    _mount(data, _KEY)
    write_link(state)
    if state.text:
        draw_marked(text_map)
        draw_forms(text_map, encodings)
        label = "Every code point of the text as a table"
        offer_table(label, lambda: facts_table(text_map), "unicode_facts", "unicode")
    else:
        st.info("Type a text above, or choose an example.")


def unicode() -> None:
    """The page."""
    workspace = get_workspace()
    available = workspace.encoding_names()
    st.title("Unicode")
    state = open_state(UnicodeState, lambda link: UnicodeState.from_link(link, available))
    draw_question(
        UnicodeState,
        "How many characters does a text have?",
        "A reader, Python, a browser, a file and a tokenizer each count differently. Unicode gives each "
        "character a number, its code point, such as U+00E9 for é. Each row below is one way to count, and "
        "each column is one byte of the text in UTF-8.",
        "two é that look the same. Which rows tell them apart?",
        state.put_text,
        (_TWO_WAYS,),
    )
    say_note(state)
    state.let_go(UnicodeState.encodings, available)
    state.share_text(workspace)
    with st.container(horizontal=True, gap=None, key="unicode_tries"):
        for number, (label, text, hint) in enumerate(_PRESETS):
            key = f"unicode_preset_{number}"
            st.button(label, key, help=hint, on_click=state.put_text, args=(text, hint), type="tertiary")
    left, right = st.columns([2, 1.4], vertical_alignment="bottom")
    label = "Tokens of these tokenizers"
    choose_encodings(left, label, UnicodeState.encodings, max_selections=MAX_ENCODINGS)
    with right:
        draw_take_one("unicode_own", MAX_TAKEN_BYTES, state.put_text)
    _draw_text(workspace, state)
    draw_why()
    st.caption(
        f"Names and categories are those of Unicode {UNICODE_VERSION}; scripts and blocks may be newer."
    )


unicode()
