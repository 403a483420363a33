"""What the page Train asks: how to learn, and from which texts."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

import pandas as pd
import streamlit as st

from pages.grow.train.bench import own_texts_of
from pages.grow.train.charts import bar_chart
from pages.grow.train.state import NO_WALLS, OWN_PATTERN, TrainState
from pages.session.train_methods import METHODS, MethodFacts
from pages.session.train_plan import (
    MAX_HELD_OUT,
    MAX_VOCAB,
    Recipe,
    bundled_bytes,
    preview_pieces,
    title_of,
)
from pages.shared.charts import Title, TitledChart, show_chart
from pages.shared.own_texts import draw_own_texts, own_texts
from pages.shared.plain import draw_box, plain
from pages.shared.widgets import tied
from tokenizers.amounts import bytes_in_words, share_in_words
from tokenizers.data import (
    DOCS,
    FIRST_MODEL,
    LANGUAGE,
    LIBRARY,
    MAX_CORPUS_BYTES,
    MAX_WEIGHT,
    STORIES,
    language_titles,
    read_bundled,
    read_recipe,
    weighed_bytes,
)
from tokenizers.growing import LEFT_OUT, LONGEST_LINE, Normalisation
from tokenizers.shipped import SHIPPED_FILE_ERRORS
from tokenizers.split import PATTERN_LABELS
from tokenizers.text import spell_text

PATTERN_NAMES = {
    **dict(reversed(PATTERN_LABELS.items())),  # the newest first
    NO_WALLS: "none: no walls",
    OWN_PATTERN: "your own regex",
}
TIE_NAMES = {"smallest": "the smallest ids", "first": "the first in the text"}
NORMALISATION_NAMES: dict[Normalisation, str] = {
    "identity": "as typed: nothing is changed",
    "nfkc": "nfkc: characters that look alike are one",
    "nmt_nfkc": "nmt_nfkc: the library’s default",
    "nmt_nfkc_cf": "nmt_nfkc_cf: and small letters",
}
HELD_NAMES = {"blocks": "blocks spread over each text", "end": "the end of each text"}


_BUNDLED = (
    (
        "Two stories in English",
        TrainState.stories,
        "English prose, written for Token Grove: 23 KB.",
    ),
    (
        "Python’s documentation",
        TrainState.docs,
        "What help() prints about the language: prose, tables and examples, half a megabyte.",
    ),
    (
        "Python’s library",
        TrainState.library,
        "Source code: the .py files of the Python that runs this, without its tests.",
    ),
)

FIRST_TRY = Recipe(vocab_size=512)
"""What the page offers to try: small enough to be learned at once."""


def mixes() -> dict[str, tuple[Recipe, str]]:
    """Corpora to start from, each a lesson: name: (recipe, what it shows)."""
    mixes = {
        "Stories": (
            Recipe(),
            "English prose, and the declaration of human rights: the longest tokens are words.",
        ),
        "Python docs": (
            Recipe(parts=((DOCS, 1.0),), vocab_size=4096, held_out=0.05),
            "Half a megabyte about Python: its words, and the rules of its tables, become tokens.",
        ),
        "Code": (
            Recipe(parts=((LIBRARY, 0.1),), vocab_size=8192, held_out=0.05),
            "A megabyte of Python’s library: indentation becomes single tokens.",
        ),
        "With Japanese": (
            Recipe(parts=((STORIES, 1.0), (LANGUAGE + "jpn", 0.5)), vocab_size=2048),
            "A fifth of the text buys Japanese its share of the merges.",
        ),
    }
    with contextlib.suppress(*SHIPPED_FILE_ERRORS):  # the panel of that encoding says what is wrong
        shipped = read_recipe(FIRST_MODEL)
        parts = tuple((LANGUAGE + code, 1.0) for code in shipped.languages)
        recipe = Recipe(parts=parts, vocab_size=shipped.vocab_size, special_tokens=shipped.special_tokens)
        mixes["28 languages"] = recipe, f"What {shipped.name} was grown from, nearly."
    return mixes


# How to learn


def draw_settings(
    state: TrainState, train: Callable[[], None], compare: Callable[[], None], why_not: str
) -> None:
    """The settings, and two buttons.

    Args:
        state: of the page.
        train, compare: the callbacks of the buttons.
        why_not: why nothing can be trained now; empty: it can.
    """
    with st.container(border=True):
        facts = METHODS[state.method]
        st.segmented_control(
            "Method",
            list(METHODS),
            format_func=lambda method: METHODS[method].label,
            required=True,
            **tied(TrainState.method),
        )
        idea, compare_column = st.columns([6.8, 2.5], vertical_alignment="center")
        library = ""
        if facts.learned_by != METHODS["byte-pairs"].learned_by:
            library = (
                f"Learned by {facts.learned_by}, which cannot stop half way: if you stop it, nothing is kept."
            )
        idea.caption(f"{facts.idea} {facts.keeps} {library}".strip())
        name, vocab, first, more, go = st.columns([2, 2, 2.4, 1.5, 1.4], vertical_alignment="bottom")
        name.text_input(
            "Name",
            placeholder=Recipe(vocab_size=state.vocab, method=state.method).title,
            max_chars=40,
            **tied(TrainState.name),
        )
        vocab.number_input(
            "Vocabulary, in tokens",
            step=1024,
            # No bounds here: Streamlit drops what is beyond them without a word, and we say what is wrong.
            help=f"{facts.holds} Up to {MAX_VOCAB:,}.",
            **tied(TrainState.vocab),
        )
        with first:
            _draw_first_setting(facts)
        with more.popover("More settings", width="stretch"):
            _draw_more_settings(facts)
        go.button(
            "Grow",
            key=state.key("grow"),
            on_click=train,
            type="primary",
            icon=":material/psychiatry:",
            width="stretch",
            disabled=bool(why_not),
            help=why_not or None,
        )
        compare_column.button(
            "Compare the methods",
            key=state.key("compare_methods"),
            on_click=compare,
            icon=":material/bar_chart:",
            width="stretch",
            disabled=bool(why_not),
            help=why_not
            or "Learns by each method, one after the other, from this mix and at this size, and draws how "
            "each does on the text that was held out.",
        )
        if _asks_for_own_pattern(state):
            _draw_own_pattern(state)


def _asks_for_own_pattern(state: TrainState) -> bool:
    return "pattern" in METHODS[state.method].settings and state.pattern == OWN_PATTERN


def own_pattern_works(state: TrainState) -> bool:
    """Whether nothing is wrong with the person's own split pattern, if it is used; the page says what is."""
    try:
        if _asks_for_own_pattern(state):
            preview_pieces(state.regex, state.regex_text)
    except ValueError:
        return False
    return True


def _draw_first_setting(facts: MethodFacts) -> None:
    """The setting that matters most in a method, beside its size."""
    if "pattern" in facts.settings:
        st.selectbox(
            "Walls between pieces",
            list(PATTERN_NAMES),
            format_func=PATTERN_NAMES.__getitem__,
            help="A split pattern cuts the text into pieces before anything is learned. No token reaches "
            "across a wall.",
            **tied(TrainState.pattern),
        )
    elif "normalisation" in facts.settings:
        st.selectbox(
            "Normalisation",
            list(NORMALISATION_NAMES),
            format_func=NORMALISATION_NAMES.__getitem__,
            help="What a text goes through before it is cut. As typed: nothing is changed, spaces in rows "
            "included. All others fold characters that look alike (² becomes 2) and make one space of "
            "many, so a text may not come back as it was. NMT’s rules, the library’s default, also make "
            "spaces of tabs and line ends; small letters forget capitals too.",
            **tied(TrainState.normalisation),
        )
    elif "small_letters" in facts.settings:
        st.toggle(
            "Small letters, no accents",
            help="Capitals become small and accents are taken off, as in BERT “uncased”: fewer words are "
            "unknown, and the text does not come back as it was.",
            **tied(TrainState.small_letters),
        )
    elif "byte_fallback" in facts.settings:
        _draw_byte_fallback()


def _draw_byte_fallback() -> None:
    st.toggle(
        "Byte fallback",
        help="A character that is not in the vocabulary becomes its bytes, so that nothing is lost; 256 "
        "tokens of the vocabulary are bytes for that. Without, it becomes one unknown token, and does not "
        "come back.",
        **tied(TrainState.byte_fallback),
    )


def _draw_more_settings(facts: MethodFacts) -> None:
    """The other settings that a method has, and what is held out."""
    if "coverage" in facts.settings:
        st.number_input(
            "Character coverage, in per cent",
            step=0.05,
            format="%.3f",
            help="The share of the characters of the text, counted by frequency, that get a token of their "
            "own; the rarest are left out. 98 to 100. The library’s advice: 99.95 for scripts with very many "
            "characters, such as Chinese, and 100 for others.",
            **tied(TrainState.coverage),
        )
        _draw_byte_fallback()
        st.toggle(
            "Every digit a token of its own",
            help="12345 becomes five tokens, as in Llama 1 and 2, so that all numbers are written the same "
            "way. Without, frequent numbers become tokens.",
            **tied(TrainState.split_digits),
        )
        st.caption(
            f"SentencePiece learns from lines. It leaves out those of more than {LONGEST_LINE:,} bytes, so "
            f"longer ones are cut at a space. {LEFT_OUT} is the one character that it cannot learn."
        )
    if "special_tokens" in facts.settings:
        st.text_area(
            "Special tokens, one a line",
            height=90,
            placeholder="<|endoftext|>",
            help="They get the ids after the merges. In the text to learn from they are plain text."
            if "ties" in facts.settings
            else "They get ids before what is learned. In the text to learn from they are plain text.",
            **tied(TrainState.special),
        )
    if "ties" in facts.settings:
        st.segmented_control(
            "When two pairs are equally frequent, merge",
            list(TIE_NAMES),
            format_func=TIE_NAMES.__getitem__,
            required=True,
            **tied(TrainState.ties),
        )
    st.slider(
        "Held out for measuring",
        0,
        round(100 * MAX_HELD_OUT),
        format="%d %%",
        help="It is not learned from, so it shows how the encoding does on text that is new to it.",
        **tied(TrainState.held),
    )
    st.segmented_control(
        "Held out are",
        list(HELD_NAMES),
        format_func=HELD_NAMES.__getitem__,
        required=True,
        help="Blocks of whole lines from all parts of a text, always the same ones, are a fair "
        "sample of it. Its end may be unlike the rest; older recipes held out the end.",
        **tied(TrainState.held_from),
    )


def _draw_own_pattern(state: TrainState) -> None:
    """A person's own split pattern, tried on a line."""
    left, right = st.columns(2)
    left.text_input(
        "Your regular expression: each match is a piece",
        max_chars=2000,
        help="In the syntax of Python’s regex module, so \\p{L} means any letter. Text between two "
        "matches is a piece too: nothing is lost.",
        **tied(TrainState.regex),
    )
    right.text_input("Tried on", max_chars=500, **tied(TrainState.regex_text))
    try:
        pieces = preview_pieces(state.regex, state.regex_text)
    except ValueError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    draw_box("│".join(map(spell_text, pieces)), TrainState.key("pieces"))
    st.caption(f"{len(pieces):,} {'piece' if len(pieces) == 1 else 'pieces'}; │ is a wall, · is a space.")


# From which texts


def draw_corpus(state: TrainState) -> None:
    """The choice of texts; before the recipe is read."""
    choices = mixes()
    st.pills(
        "Start from",
        list(choices),
        help="\n".join(f"- **{name}**: {lesson}" for name, (_, lesson) in choices.items()),
        on_change=_start_from,
        args=(state,),
        **tied(TrainState.mix),
    )
    with st.container(horizontal=True):
        for label, field, about in _BUNDLED:
            st.toggle(label, help=about, **tied(field))
    try:
        names = language_titles()
    except SHIPPED_FILE_ERRORS as problem:
        names = {}
        st.warning(plain(str(problem)), icon=":material/warning:")
    st.multiselect(
        "Languages: the Universal Declaration of Human Rights",
        list(names),
        format_func=lambda code: names.get(code, code),
        placeholder="Choose from 500",
        **tied(TrainState.languages),
    )
    own = own_texts()
    state.prune(own)
    st.multiselect(
        "Of your own",
        list(own),
        format_func=lambda key: own[key].title if key in own else str(key),
        placeholder="Choose among your texts, or bring some below",
        **tied(TrainState.own),
    )
    draw_own_texts(state.learn_from)


def _start_from(state: TrainState) -> None:
    """Fill in the texts and the size of a mix; name, method and a size that was typed stay."""
    if state.mix:
        choices = mixes()
        sizes = {FIRST_TRY.vocab_size, *(recipe.vocab_size for recipe, _ in choices.values())}
        name, method, vocab = state.name, state.method, state.vocab
        state.fill(choices[state.mix][0])
        state.name, state.method = name, method
        if vocab not in sizes:
            state.vocab = vocab
    state.mix = None


# How much of each


def source_lengths(recipe: Recipe) -> dict[str, int]:
    """Bytes of each source, by key."""
    own = own_texts_of(recipe)
    return {key: own[key].n_bytes if key in own else bundled_bytes(key) for key, _ in recipe.parts}


def draw_weights(recipe: Recipe) -> None:
    """How often each source is read."""
    if not recipe.parts:
        st.info(
            "Nothing to learn from yet: choose a language, or add a text of your own.", icon=":material/info:"
        )
        return
    own = own_texts_of(recipe)
    with st.expander("How often each is read", expanded=len(recipe.parts) <= 6):
        columns = st.columns(3)
        for number, (key, _) in enumerate(recipe.parts):
            columns[number % 3].number_input(
                plain(title_of(key, own)),
                step=0.5,
                format="%g",
                **tied(TrainState.weight_of(key)),
            )
        st.caption(
            "1 reads it once, 3 three times, 0.1 only its first tenth, 0 leaves it out. Up to "
            f"{MAX_WEIGHT:g} times."
        )


def number_problem(recipe: Recipe) -> str:
    """What is wrong with the numbers in the form; empty: nothing."""
    try:
        recipe.check_numbers()
    except ValueError as problem:
        return str(problem)
    return ""


def draw_mix(recipe: Recipe, lengths: dict[str, int]) -> None:
    """What share of the mix each source has, as bars; nothing, if there is no text in it."""
    own = own_texts_of(recipe)
    rows = [(title_of(key, own), weighed_bytes(lengths[key], weight), weight) for key, weight in recipe.parts]
    total = sum(length for _, length, _ in rows)
    if not total:
        return
    rows.sort(key=lambda row: -row[1])
    if len(rows) > 10:
        rows = [*rows[:9], (f"{len(rows) - 9} others", sum(length for _, length, _ in rows[9:]), 1.0)]
    data = pd.DataFrame(rows, columns=["source", "bytes", "weight"])
    nth = data.groupby("source").cumcount() + 1  # two of the same title are two bars
    data["source"] = data["source"].where(nth == 1, data["source"] + " (" + nth.astype(str) + ")")
    data["share"] = data["bytes"] / total
    data["label"] = [f"{bytes_in_words(n)}, {share_in_words(n / total)}" for n in data["bytes"]]
    title, most, _ = rows[0]
    titled = TitledChart(
        bar_chart(data, "source", "bytes", 0),
        Title(f"{bytes_in_words(total)} to read, {share_in_words(most / total)} of it {title}"),
    )
    show_chart(titled, TrainState.key("mix"), data[["source", "share", "bytes"]])
    st.caption(
        f"Up to {bytes_in_words(MAX_CORPUS_BYTES)} are read, and one encoding is grown at a time for you."
    )


def draw_preview(recipe: Recipe) -> None:
    """The start of each source, as plain text."""
    own = own_texts_of(recipe)
    lines = []
    for key, _ in recipe.weighted_parts[:40]:
        text = own[key].text[:600] if key in own else _bundled_start(key)
        start = " ".join(text.split())[:180]
        lines.append(f"{title_of(key, own)}: {start}…")
    if lines:
        st.caption("How they begin")
        draw_box("\n".join(lines), TrainState.key("beginnings"), height=min(220, 40 + 50 * len(lines)))


@st.cache_data
def _bundled_start(key: str) -> str:
    try:
        return read_bundled(key).texts[0][:600]
    except OSError as problem:
        return str(problem)
