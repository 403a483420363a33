"""A person's own parallel texts: taken in, checked, and counted to stand among the languages."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import streamlit as st

from pages.session.guessed_file import GuessedFile, read_file
from pages.shared.charset_choice import draw_charset_choice
from pages.shared.plain import plain
from tokenizers.data import ParallelText, own_text, utf8_length
from tokenizers.encoding import Encoding
from tokenizers.measure import iter_counts

K = "languages_own_"
MAX_BYTES = 500_000
MAX_TEXTS = 20
EXAMPLE = {
    "English, mine": "The same words should cost the same in every language. They do not.",
    "Deutsch": "Dieselben Worte sollten in jeder Sprache dasselbe kosten. Das tun sie nicht.",
    "Ελληνικά": "Τα ίδια λόγια θα έπρεπε να κοστίζουν το ίδιο σε κάθε γλώσσα. Δεν κοστίζουν.",
    "हिन्दी": "एक ही बात की क़ीमत हर भाषा में एक जैसी होनी चाहिए। ऐसा है नहीं।",
}
"""The same two sentences, to begin with."""


@dataclass
class OwnTexts:
    """A session's own texts.

    Attributes:
        texts: by code, which is not that of any language.
        base: the code of the one that the others are compared with.
        guessed: files whose character set is a guess, by the code of their text.
    """

    texts: dict[str, ParallelText] = field(default_factory=dict)
    base: str = ""
    note: str = ""
    note_is_error: bool = False
    files_seen: set[str] = field(default_factory=set)
    guessed: dict[str, GuessedFile] = field(default_factory=dict)
    _counts: dict[tuple[int, str], tuple[Encoding, int]] = field(default_factory=dict)

    def add(self, name: str, text: str) -> None:
        """Take a text, in the place of one with the same name.

        Raises:
            ValueError: it is empty, too long, one too many, or has no name.
        """
        name = " ".join(name.split())[:60]
        if not name:
            raise ValueError("Give the text a name, such as its language.")
        if not text.strip():
            raise ValueError(f"{name} has no text yet. Paste some.")
        if utf8_length(text) > MAX_BYTES:
            raise ValueError(
                f"{name} has {utf8_length(text) / 1000:,.0f} KB, and a text of your own can have up to "
                f"{MAX_BYTES // 1000} KB here. Take a part, and the same part of the others."
            )
        code = code_of(name)
        if code not in self.texts and len(self.texts) >= MAX_TEXTS:
            raise ValueError(f"{MAX_TEXTS} texts are as many as fit. Take one out first.")
        self.texts[code] = replace(own_text(name, text), code=code)
        self.guessed.pop(code, None)
        self.base = self.base or code

    def free_name(self, name: str) -> str:
        """The name, with a number behind it if it is taken: of two files, neither must push out the other.

        >>> own = OwnTexts()
        >>> own.add("en", "a"), own.free_name("en"), own.free_name("de")
        (None, 'en 2', 'de')
        """
        base = " ".join(name.split())[:56]
        found, number = base, 2
        while code_of(found) in self.texts:
            found, number = f"{base} {number}", number + 1
        return found

    def remove(self, code: str) -> None:
        """Take a text out again."""
        self.texts.pop(code, None)
        self.guessed.pop(code, None)
        if self.base == code:
            self.base = next(iter(self.texts), "")

    def say(self, note: str, *, error: bool = False) -> None:
        """Something to be said once."""
        self.note, self.note_is_error = note, error

    def count(self, encoding: Encoding) -> Mapping[str, int]:
        """Tokens of each text, by code; counted once.

        Raises:
            ValueError: a split pattern of a person's own that is too slow.
        """
        counts: dict[str, int] = {}
        for code, text in self.texts.items():
            key = (id(encoding), text.text)
            if key not in self._counts:
                *_, last = iter_counts(encoding, [text])
                self._counts[key] = encoding, last.counts[code]  # held, so that its id stays its own
            counts[code] = self._counts[key][1]
        if len(self._counts) > 500:
            self._counts.clear()
        return counts


def code_of(name: str) -> str:
    """The code of a text of one's own: that of no language."""
    return f"own:{name}"


def get_own() -> OwnTexts:
    """This session's own texts."""
    if K + "texts" not in st.session_state:
        st.session_state[K + "texts"] = OwnTexts()
    own = st.session_state[K + "texts"]
    assert isinstance(own, OwnTexts)
    return own


def draw_own(own: OwnTexts) -> None:
    """Where a person's texts are brought, and taken out again."""
    with st.expander("Your own parallel texts", icon=":material/translate:", expanded=bool(own.texts)):
        st.caption(
            "The same text in two languages or more: yours are compared with each other, and stand among "
            "the declarations in the charts. They stay in this session and in no link."
        )
        left, right = st.columns(2, gap="large")
        with left:
            _draw_form()
        with right:
            _draw_list(own)
        if own.note:
            (st.error if own.note_is_error else st.success)(plain(own.note))
            own.say("")


def _draw_form() -> None:
    with st.form(K + "form", clear_on_submit=False, border=False):
        st.text_input("Name", key=K + "name", max_chars=60, placeholder="such as English, or my dialect")
        st.text_area("Text", key=K + "text", height=120, placeholder="Paste the text in this language")
        st.form_submit_button("Add this text", icon=":material/add:", on_click=_add)
    st.file_uploader(
        "Or files, one for each language",
        accept_multiple_files=True,
        key=K + "files",
        on_change=_add_files,
        help="Plain text; UTF-8 is best. A file’s name becomes the text’s name.",
    )
    st.button("Try an example", key=K + "example", type="tertiary", on_click=_add_example)


def _draw_list(own: OwnTexts) -> None:
    if not own.texts:
        st.info("None yet. Add a text in one language, then its translation.", icon=":material/info:")
        return
    codes = list(own.texts)
    st.session_state[K + "base"] = own.base
    st.selectbox(
        "Compare yours with",
        codes,
        key=K + "base",
        format_func=lambda code: own.texts[code].name,
        on_change=_use_base,  # before the page is drawn: the figures stand above this field
    )
    for number, (code, text) in enumerate(list(own.texts.items())):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"**{plain(text.name)}** · {text.n_chars:,} characters, {text.n_bytes:,} bytes",
                width="stretch",
            )
            st.button(
                "Take out",
                key=f"{K}remove_{number}",
                type="tertiary",
                on_click=own.remove,
                args=(code,),
            )
        if code in own.guessed:
            draw_charset_choice(
                own.guessed[code], f"{K}charset_{number}", functools.partial(_read_again, code)
            )
    if len(own.texts) == 1:
        st.caption("Add its translation, and both are drawn.")


def _use_base() -> None:
    get_own().base = st.session_state[K + "base"]


def _read_again(code: str, codec: str) -> None:
    own = get_own()
    try:
        decoded, guessed = own.guessed[code].read_as(codec)
        own.add(own.texts[code].name, decoded.text)
        own.guessed[code] = guessed
    except ValueError as problem:
        own.say(str(problem), error=True)


def _add() -> None:
    own = get_own()
    name, text = st.session_state[K + "name"], st.session_state[K + "text"]
    try:
        own.add(name, text)
    except ValueError as problem:
        own.say(str(problem), error=True)
        return
    st.session_state[K + "name"] = st.session_state[K + "text"] = ""


def _add_files() -> None:
    own = get_own()
    problems: list[str] = []
    for file in st.session_state[K + "files"] or []:
        if file.file_id in own.files_seen:
            continue
        own.files_seen.add(file.file_id)
        try:
            decoded, guessed = read_file(file.getvalue(), file.name[:80])
            name = own.free_name(file.name.rsplit(".", 1)[0])
            own.add(name, decoded.text)
            if guessed:
                own.guessed[code_of(name)] = guessed
        except ValueError as problem:
            problems.append(str(problem))
    if problems:
        own.say(" ".join(problems), error=True)


def _add_example() -> None:
    own = get_own()
    try:
        for name, text in EXAMPLE.items():
            own.add(name, text)
    except ValueError as problem:
        own.say(str(problem), error=True)
