"""Learn · Words and sources: what the words mean, how exact the figures are, where the data is from."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

import tokenizers as tk
from pages.learn.words.state import MAX_QUERY, WordsState
from pages.shared.frame import draw_in_two_columns, draw_question
from pages.shared.glossary import Word, read_words
from pages.shared.markdown import escape
from pages.shared.widgets import open_state, tied, write_link
from tokenizers.encoding import ASSETS
from tokenizers.registry import encoding_title, find_entry
from tokenizers.text import isolate

EXACT = """
- **Ids and counts** are exact. tiktoken's own engine gives them for its tokenizers and for home-trained ones,
  and tests compare all others with their publishers' libraries.
- **✓ exact** in a panel means that its ids were decoded again and gave your text, byte for byte.
- **Lone surrogates** (half of a UTF-16 pair) cannot be written in UTF-8. Each counts as U+FFFD, three
  bytes, as in tiktoken; the page says so when it happens.
- **Carriage returns** are kept. A browser's editor cannot hold them, so ␍ stands for them there.
- **Stacks of more than 16 combining marks** on one character are drawn mark by mark. Their tokens are exact.
- **What you type goes to the computer that runs Token Grove**, and no further. That is your own, or in a
  class the teacher’s, which neither stores nor logs it. Only if you fetch a file from Hugging Face does the
  app ask for that file there.
"""


def _draw_words(entries: Sequence[Word]) -> None:
    draw_in_two_columns(entries, lambda entry: st.markdown(entry.in_markdown()))


def _encodings() -> list[Word]:
    """The encodings that are in every chooser, as words."""
    entries = ((name, find_entry(name)) for name in tk.list_encodings())
    return [Word(encoding_title(name), f"{entry.maker}: {entry.about}") for name, entry in entries if entry]


def _draw_found(query: str) -> None:
    """Draw the entries that match a search, ignoring case."""
    hits = [word for word in [*read_words(), *_encodings()] if word.holds(query.strip())]
    if hits:
        _draw_words(hits)
    else:
        typed = isolate(query.strip())
        st.info(escape(f"No word here, and no tokenizer, has “{typed}” in it. Empty the field for all."))


def words() -> None:
    """The page."""
    state = open_state(WordsState, WordsState.from_link)
    st.title("Words and sources")
    draw_question(
        WordsState,
        "What does a word mean here, and where do the numbers come from?",
        "Each word has one meaning on every page, and you also see what others call it.",
        "find “pre-token”",
        state.look_for,
        ("pre-token",),
    )
    st.text_input("Find a word or a tokenizer", max_chars=MAX_QUERY, **tied(WordsState.find))
    write_link(state)
    if state.find.strip():
        _draw_found(state.find)
        return
    _draw_words(sorted(read_words(), key=lambda word: word.name.casefold()))
    st.header("How exact it is")
    st.markdown(EXACT)
    st.header("Tokenizers")
    st.write("You can choose these on every page; none needs a network.")
    _draw_words(_encodings())
    st.header("Sources and licences")
    with st.expander("What Token Grove ships from others"):
        st.markdown((ASSETS.parent / "THIRD_PARTY.md").read_text(encoding="utf-8"))


words()
