"""Explore · Unicode: a text as graphemes, code points, units and tokens, in rows below each other."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from pages.explore.unicode.rows import (
    MANY_MARKS,
    MAX_BYTES,
    MAX_GRAPHEMES,
    describe_text,
    describe_tokens,
    find_parts,
    find_stacks,
)
from pages.explore.unicode.sections import draw_forms, draw_why
from pages.explore.unicode.state import EXAMPLE, MAX_ENCODINGS, MAX_LINK_BYTES, UnicodeState
from pages.session.one_text import MAX_TAKEN_BYTES
from pages.session.workspace import Workspace
from pages.shared.bring_link import draw_bring_link
from pages.shared.colours import hue_in
from pages.shared.components import newest_message, register
from pages.shared.own_texts import draw_take_one
from pages.shared.plain import plain
from pages.shared.question import draw_question
from pages.shared.session import get_workspace
from pages.shared.tables import offer_table
from pages.shared.widgets import open_state, say_note, tied, write_link
from tokenizers.encoding import Encoding
from tokenizers.shipped import SHIPPED_FILE_ERRORS
from tokenizers.text import (
    CATEGORIES,
    KINDS,
    LONGEST_GRAPHEME,
    UNICODE_VERSION,
    TextMap,
    code_point,
    encode_spans,
    find_kinds,
    look_alikes_problem,
    looks_like,
    mixed_words,
    spell_text,
)

KEY = "unicode"
_MOST_MARKED = 40

TWO_WAYS = "caf\u00e9 cafe\u0301"

# Label, text, and what to look at in it. What cannot be seen is written as an escape.
PRESETS = (
    ("é 👩‍🚀 안녕", EXAMPLE, "Two ways to write é, an astronaut of three characters, and two syllables."),
    ("é and é", TWO_WAYS, "One character, or a letter and a mark: they look the same."),
    ("👩‍🚀", "👩\u200d🚀 👨\u200d👩\u200d👧 👍🏽 🇰🇷", "A woman, a joiner and a rocket are one grapheme."),
    (
        "ﬁ and ½",
        "\ufb01ne \u00bd x\u00b2 \u2460 \uff21",
        "NFKC turns them into fi, 1 ⁄ 2, x2, 1 and A: their look is lost.",
    ),
    ("pаypal", "paypal p\u0430ypal", "The second а is Cyrillic. Find its box under “Look out”."),
    (
        "joiners",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645 \u0915\u094d\u200d\u0937 \u0915\u094d\u0937",
        "Persian keeps letters apart by a zero-width non-joiner; Hindi keeps a half letter by a joiner.",
    ),
    ("한 and 한", "\ud55c \u1112\u1161\u11ab", "A syllable, and its three letters (jamo). NFC joins them."),
    (
        "Zalgo",
        "Z\u0351\u036b\u0343\u036aa\u0310\u0352\u0308l\u030b\u0346\u0308\u0301g\u0306\u0314o\u0350\u030e",
        "Marks stacked on each letter: still five graphemes.",
    ),
    (
        "override",
        "user\u202etxt.exe\u202c",
        "A direction mark turns what comes after it: read the boxes, not the field.",
    ),
    (
        "BOM",
        "\ufeffid,name\u00a0\n1,a\u00ad\u200bb",
        "A byte order mark, a no-break space, a soft hyphen, and a zero-width space.",
    ),
)

_mount = register("unicode")


def _encoding_rows(
    workspace: Workspace, names: list[str], text_map: TextMap, start: int, end: int
) -> tuple[list[dict[str, Any]], dict[str, Encoding]]:
    """Each encoding's tokens for the component, and the encodings that could be used."""
    rows, usable = [], {}
    for name in names:
        row: dict[str, Any] = {"name": name, "hue": hue_in(workspace, name)}
        try:
            encoding = workspace.encoding(name)
            spans = encode_spans(encoding, text_map)
            row |= {"n_tokens": len(spans), "tokens": describe_tokens(spans, start, end)}
            usable[name] = encoding
        except (ValueError, OSError) as problem:
            row["problem"] = str(problem)
        rows.append(row)
    return rows, usable


@st.fragment
def _live(workspace: Workspace, state: UnicodeState) -> None:
    """All that follows from the text: it runs at each pause in typing."""
    message = newest_message(KEY)
    if message:
        state.apply(message)
        state.share_text(workspace, by_typing=True)
    text_map = TextMap(state.text)
    parts = find_parts(text_map)
    state.part = min(state.part, len(parts) - 1)
    start, end = parts[state.part]
    rows, encodings = _encoding_rows(workspace, state.encodings, text_map, start, end)
    data = {
        **describe_text(text_map, start, end),
        "text": text_map.text,
        "revision": state.revision,
        "seq": state.seq,
        "note": state.text_note,
        "part": state.part,
        "n_parts": len(parts),
        "encodings": rows,
    }
    _mount(data=data, key=KEY, on_message_change=lambda: None)
    write_link(state)
    if not state.text:
        st.info("Type a text above, or take one of the examples.")
    else:
        _draw_marked(text_map)
        draw_forms(state, text_map, encodings)
    try:
        draw_why(text_map, encodings)
    except SHIPPED_FILE_ERRORS as problem:
        st.warning(plain(str(problem)), icon=":material/warning:")
    if state.text:
        offer_table(
            "Every code point of the text as a table",
            lambda: facts_table(text_map),
            "unicode_facts",
            "unicode",
        )


def _find_marked(text_map: TextMap) -> list[str]:
    """What cannot be seen in the text, or looks like something else, in sentences."""
    text = text_map.text
    sentences = []
    kinds: dict[str, list[str]] = {}
    for at in find_kinds(text):
        point = code_point(text[at])
        kinds.setdefault(point.kind, []).append(point.number)
    for kind, numbers in kinds.items():
        times = {1: "once", 2: "twice"}.get(len(numbers), f"{len(numbers):,} times")
        distinct = list(dict.fromkeys(numbers))
        few = ", ".join(distinct[:5]) + (", …" if len(distinct) > 5 else "")
        sentences.append(f"{kind.capitalize()}, {times} ({few}). {KINDS[kind]}")
    if stacks := find_stacks(text_map):
        graphemes = "One grapheme has" if len(stacks) == 1 else f"{len(stacks):,} graphemes have"
        sentences.append(
            f"{graphemes} {MANY_MARKS} marks or more on a letter (up to {max(stacks):,}). Most writing needs "
            "no more than two."
        )
    for word in mixed_words(text):
        if word.look_alikes:
            letters = ", ".join(
                f"{text[at]} ({code_point(text[at]).number} {code_point(text[at]).name}) looks like "
                f"{' or '.join(looks_like(text[at]))}"
                for at in word.look_alikes[:5]
            )
            sentences.append(f"“{spell_text(word.text[:40])}” mixes {' and '.join(word.scripts)}: {letters}.")
        if len(sentences) >= _MOST_MARKED:
            break
    return sentences[:_MOST_MARKED]


def _draw_marked(text_map: TextMap) -> None:
    sentences = _find_marked(text_map)
    label = f"What cannot be seen, or deceives the eye ({len(sentences)})"
    with st.expander(label, icon=":material/visibility:", expanded=bool(sentences)):
        for sentence in sentences:
            st.markdown(f"- {plain(sentence)}")
        if problem := look_alikes_problem():
            st.warning(f"What looks alike is not known now. {plain(problem)}", icon=":material/warning:")
        st.caption(
            "This covers Unicode’s invisible characters, spaces and direction marks; and, in words that "
            "mix scripts, characters that look like English letters, digits and symbols, by Unicode’s "
            "list (UTS #39, 13.0). A word that is all in another script, such as раура in Cyrillic, is not "
            "listed, for it mixes nothing: the row of scripts shows it."
        )


def facts_table(text_map: TextMap) -> pd.DataFrame:
    """A row for each code point of the text, in order."""
    rows = []
    grapheme = 0
    for char, byte in zip(text_map.text, text_map.byte_of_char.tolist(), strict=False):
        fact = code_point(char)
        grapheme += int(text_map.is_grapheme_edge[byte])
        rows.append(
            {
                "grapheme": grapheme,
                "byte": byte,
                "character": spell_text(char),
                "code point": fact.number,
                "name": fact.name,
                "category": f"{fact.category}: {CATEGORIES[fact.category]}",
                "script": fact.script,
                "block": fact.block,
                "UTF-8": " ".join(fact.utf8),
                "UTF-16": " ".join(fact.utf16),
                "UTF-32": fact.utf32,
                "look out": fact.kind,
                "looks like": " ".join(looks_like(char)),
            }
        )
    return pd.DataFrame(rows)


def unicode() -> None:
    """The page."""
    workspace = get_workspace()
    available = workspace.encoding_names()
    st.title("Unicode")
    grown = list(workspace.grown)
    state = open_state(UnicodeState, lambda link: UnicodeState.from_link(link, available, grown))
    draw_question(
        UnicodeState,
        "How many characters does a text have?",
        "That depends on who counts: a reader, Python, a browser, a file, or a tokenizer. Unicode gives each "
        "character a number, its code point, such as U+00E9 for é. Here each way to count has a row of its "
        "own, and each column is one byte of the text as a computer stores it.",
        "two é that look the same, and find the rows that tell them apart",
        state.put_text,
        (TWO_WAYS,),
    )
    say_note(state)
    state.prune(available, grown)
    state.share_text(workspace)
    with st.container(horizontal=True, gap=None, key=UnicodeState.key("tries")):
        for number, (label, text, hint) in enumerate(PRESETS):
            st.button(
                label,
                help=hint,
                key=UnicodeState.key(f"preset_{number}"),
                on_click=state.put_text,
                args=(text,),
                type="tertiary",
            )
    left, right = st.columns([2, 1.4], vertical_alignment="bottom")
    with left:
        st.multiselect(
            "Tokens of these encodings",
            available,
            max_selections=MAX_ENCODINGS,
            **tied(UnicodeState.encodings),
        )
        draw_bring_link()
    with right:
        draw_take_one(state.key("own"), MAX_TAKEN_BYTES, state.put_text)
    _live(workspace, state)
    st.caption(
        f"Names and categories are those of Unicode {UNICODE_VERSION}, which this Python knows; scripts and "
        f"blocks may be newer. The page takes up to {MAX_TAKEN_BYTES:,} bytes of a text, draws up to "
        f"{MAX_GRAPHEMES} graphemes or {MAX_BYTES} bytes at a time, and a grapheme of more than "
        f"{LONGEST_GRAPHEME} characters one by one; a link holds up to {MAX_LINK_BYTES:,} bytes."
    )


unicode()
