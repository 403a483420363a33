"""The form of the page Train: the texts, how much of each, the method and its settings; and a forecast."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping

import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.grow.train.charts import curve_chart, curve_rows, mix_chart
from pages.grow.train.state import NO_WALLS, OWN_PATTERN, TrainState
from pages.session.train_methods import METHODS, MethodFacts
from pages.session.train_plan import MAX_HELD_OUT, MAX_VOCAB, Recipe, bundled_bytes, preview_pieces, title_of
from pages.session.train_run import SessionTrainings
from pages.session.trained_encoding import REFERENCES
from pages.shared.charts import TitledChart, show_chart
from pages.shared.colours import hue_of
from pages.shared.markdown import draw_box, escape
from pages.shared.own_texts import draw_own_texts, own_texts
from pages.shared.widgets import segments, show_error, show_info, show_warning, tied
from tokenizers.amounts import bytes_in_words, share_in_words
from tokenizers.bpe import TIE_RULES
from tokenizers.bundled import load_model
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
from tokenizers.families import LEFT_OUT, LONGEST_LINE, Normalisation
from tokenizers.shipped import SHIPPED_FILE_ERRORS
from tokenizers.split import PATTERN_LABELS
from tokenizers.text import spell_text
from tokenizers.utf8 import well_formed

PATTERN_NAMES = {
    **dict(reversed(PATTERN_LABELS.items())),  # the newest first
    NO_WALLS: "none: no walls",
    OWN_PATTERN: "your own regex",
}
TIE_NAMES: dict[str, str] = {name: f"the {rule.label}" for name, rule in TIE_RULES.items()}
NORMALISATION_NAMES: dict[Normalisation, str] = {
    "identity": "as typed: nothing is changed",
    "nfkc": "nfkc: characters that look alike are one",
    "nmt_nfkc": "nmt_nfkc: the library’s default",
    "nmt_nfkc_cf": "nmt_nfkc_cf: and small letters",
}
HELD_NAMES = {"blocks": "blocks spread over each text", "end": "the end of each text"}


def draw_settings(trainings: SessionTrainings, state: TrainState, grow: Callable[..., None]) -> None:
    """Draw the settings, and two buttons that call ``grow``: for one method, or for all."""
    why_not = trainings.busy_message
    with st.container(border=True):
        facts = METHODS[state.method]
        segments(st, "Method", {name: method.label for name, method in METHODS.items()}, TrainState.method)
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
            # No bounds here: Streamlit would drop a larger value without a message.
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
            on_click=grow,
            args=(trainings, state),
            type="primary",
            icon=":material/psychiatry:",
            width="stretch",
            disabled=bool(why_not),
            help=why_not or None,
        )
        compare_column.button(
            "Compare the methods",
            key=state.key("compare_methods"),
            on_click=grow,
            args=(trainings, state),
            kwargs={"compares": True},
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
    """Whether the user's split pattern is valid, or not used. The page shows its error."""
    try:
        if _asks_for_own_pattern(state):
            preview_pieces(state.regex, state.regex_text)
    except ValueError:
        return False
    return True


def _draw_first_setting(facts: MethodFacts) -> None:
    """Draw the most important setting of a method, beside its size."""
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
    """Draw the other settings of a method, and what is held out."""
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
        segments(st, "When two pairs are equally frequent, merge", TIE_NAMES, TrainState.ties)
    st.slider(
        "Held out for measuring",
        0,
        round(100 * MAX_HELD_OUT),
        format="%d %%",
        help="It is not learned from, so it shows how the encoding does on text that is new to it.",
        **tied(TrainState.held),
    )
    segments(
        st,
        "Held out are",
        HELD_NAMES,
        TrainState.held_from,
        help="Blocks of whole lines from all parts of a text, always the same ones, are a fair "
        "sample of it. Its end may be unlike the rest; older recipes held out the end.",
    )


def _draw_own_pattern(state: TrainState) -> None:
    """Draw the field for the user's split pattern, and the pieces of a line."""
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
        show_error(problem)
        return
    draw_box("│".join(map(spell_text, pieces)), TrainState.key("pieces"))
    st.caption(f"{len(pieces):,} {'piece' if len(pieces) == 1 else 'pieces'}; │ is a wall, · is a space.")


def number_problem(recipe: Recipe) -> str:
    """The error in the numbers of the form; empty: none."""
    try:
        recipe.check_numbers()
    except ValueError as problem:
        return str(problem)
    return ""


_BUNDLED = (
    ("Two stories in English", TrainState.stories, "English prose, written for Token Grove: 23 KB."),
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
_SAMPLE_CHARS = 60_000

PAGE_BYTES = 2_000
"""About so many bytes are a page of a book in English."""

BYTES_FOR_A_MERGE = 12
"""With fewer bytes of text than this for each merge, no pair occurs twice any more; measured on English."""


FIRST_TRY = Recipe(vocab_size=512)
"""What the page offers to try: small enough to be learned at once."""


def mixes() -> dict[str, tuple[Recipe, str]]:
    """Example corpora by name: (recipe, what it shows)."""
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
    with contextlib.suppress(*SHIPPED_FILE_ERRORS):  # the encoding's panel shows the error
        shipped = read_recipe(FIRST_MODEL)
        parts = tuple((LANGUAGE + code, 1.0) for code in shipped.languages)
        recipe = Recipe(parts=parts, vocab_size=shipped.vocab_size, special_tokens=shipped.special_tokens)
        mixes["28 languages"] = recipe, f"What {shipped.name} was grown from, nearly."
    return mixes


# Which texts


def draw_corpus(state: TrainState) -> None:
    """Draw the choosers of texts. Called before the recipe is read."""
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
        show_warning(problem)
    st.multiselect(
        "Languages: the Universal Declaration of Human Rights",
        list(names),
        format_func=lambda code: names.get(code, code),
        placeholder="Choose from 500",
        **tied(TrainState.languages),
    )
    own = own_texts()
    state.let_go(TrainState.own, own)
    st.multiselect(
        "Of your own",
        list(own),
        format_func=lambda key: own[key].title if key in own else str(key),
        placeholder="Choose among your texts, or bring some below",
        **tied(TrainState.own),
    )
    st.toggle(
        "Learn from texts that I add here",
        help="Off: they are only kept among your texts. So a text to judge by stays out of the mix: choose "
        "it on Compression or Vocabulary size.",
        **tied(TrainState.learns_added),
    )
    draw_own_texts(state.learn_from)


def _start_from(state: TrainState) -> None:
    """Fill in the texts and the size of an example corpus; name, method and a typed size stay."""
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
    own = own_texts()
    return {key: own[key].n_bytes if key in own else bundled_bytes(key) for key, _ in recipe.parts}


def draw_weights(recipe: Recipe) -> None:
    """Draw a field for each source: how often it is read."""
    if not recipe.parts:
        show_info("Nothing to learn from yet: choose a language, or add a text of your own.")
        return
    with st.expander("How often each is read", expanded=len(recipe.parts) <= 6):
        columns = st.columns(3)
        for number, (key, _) in enumerate(recipe.parts):
            columns[number % 3].number_input(
                escape(title_of(key, own_texts())),
                step=0.5,
                format="%g",
                **tied(TrainState.weight_of(key)),
            )
        st.caption(
            "1 reads it once, 3 three times, 0.1 only its first tenth, 0 leaves it out. Up to "
            f"{MAX_WEIGHT:g} times."
        )


def draw_mix(recipe: Recipe, lengths: Mapping[str, int]) -> None:
    """Draw the share of each source as bars; nothing for an empty mix."""
    total = recipe.n_bytes_of(lengths)
    if not total:
        return
    rows = [(title_of(key, own_texts()), weighed_bytes(lengths[key], weight)) for key, weight in recipe.parts]
    rows.sort(key=lambda row: -row[1])
    if len(rows) > 10:
        rows = [*rows[:9], (f"{len(rows) - 9} others", sum(n_bytes for _, n_bytes in rows[9:]))]
    data = pd.DataFrame(rows, columns=["source", "bytes"])
    nth = data.groupby("source").cumcount() + 1  # two of the same title are two bars
    data["source"] = data["source"].where(nth == 1, data["source"] + " (" + nth.astype(str) + ")")
    data.insert(1, "share", data["bytes"] / total)
    title, most = rows[0]
    titled = TitledChart(
        mix_chart(data.assign(label=[f"{bytes_in_words(n)}, {share_in_words(n / total)}" for _, n in rows])),
        f"{bytes_in_words(total)} to read, {share_in_words(most / total)} of it {title}",
    )
    show_chart(titled, TrainState.key("mix"), data)
    st.caption(
        f"Up to {bytes_in_words(MAX_CORPUS_BYTES)} are read, and one encoding is grown at a time for you."
    )


# How they begin


def draw_preview(recipe: Recipe) -> None:
    """Draw the start of each source, as plain text."""
    lines = []
    for key, _ in recipe.weighted_parts[:40]:
        start = " ".join(_start_of(key)[:600].split())[:180]
        lines.append(f"{title_of(key, own_texts())}: {start}…")
    if lines:
        st.caption("How they begin")
        draw_box("\n".join(lines), TrainState.key("beginnings"), height=min(220, 40 + 50 * len(lines)))


def _start_of(key: str) -> str:
    """The start of a source, or the reason why it cannot be read."""
    own = own_texts()
    return own[key].text[:_SAMPLE_CHARS] if key in own else _start_of_bundled(key)


@st.cache_data
def _start_of_bundled(key: str) -> str:
    try:
        return "\n".join(read_bundled(key).texts)[:_SAMPLE_CHARS]
    except OSError as problem:
        return str(problem)


# Before anything is trained


def forecast(recipe: Recipe, lengths: Mapping[str, int]) -> str:
    """A forecast of the training, in sentences; empty if the recipe holds no text.

    Args:
        recipe: a recipe with valid numbers.
        lengths: bytes of each source, by key.
    """
    n_bytes = round(recipe.n_bytes_of(lengths) * (1 - recipe.held_out))
    if n_bytes <= 0:
        return ""
    n_pages = max(1, round(n_bytes / PAGE_BYTES))
    pages = "about a page of text" if n_pages == 1 else f"text of about {n_pages:,} pages of a book"
    time = _time(n_bytes * recipe.facts.slowness)
    if recipe.method != "byte-pairs":
        return (
            f"Press Grow, and {recipe.facts.label} is learned from {pages}, up to {recipe.vocab_size:,} "
            f"tokens, in {time}. Or compare the methods: each learns from this mix, at this size."
        )
    merges = "1 merge" if recipe.n_merges == 1 else f"{recipe.n_merges:,} merges"
    sentences = (
        f"Press Grow, and it learns up to {merges} from {pages}, in {time}. First come pairs of "
        "letters that often stand side by side, then parts of words, and finally whole words."
    )
    if recipe.pattern is None:
        sentences += " Without walls, tokens can span several words, and whole phrases become tokens."
    if recipe.n_merges * BYTES_FOR_A_MERGE > n_bytes:
        enough = max(1, n_bytes // BYTES_FOR_A_MERGE)
        sentences += (
            f" That is little text for so many: after some {enough:,} merges, hardly any pair will occur "
            "twice. Take more text, or a smaller vocabulary."
        )
    return sentences


def _time(n_bytes: int) -> str:
    """The approximate time on a laptop, in words.

    >>> _time(30_000), _time(5_000_000), _time(80_000_000)
    ('a second or two', 'some seconds', 'up to a few minutes')
    """
    if n_bytes < 1_000_000:
        return "a second or two"
    return "some seconds" if n_bytes < 10_000_000 else "up to a few minutes"


def draw_first_look(recipe: Recipe, lengths: Mapping[str, int]) -> None:
    """Draw the curve of the bundled home-trained encoding on the start of the mix."""
    weights = {key: weight for key, weight in recipe.weighted_parts if lengths[key]}
    total = sum(weights.values())
    sample = "\n".join(
        _start_of(key)[: int(_SAMPLE_CHARS * weight / total) + 200] for key, weight in weights.items()
    )
    if not sample.strip():
        show_info("Choose a text to learn from, and its curve is drawn here.")
        return
    try:
        n_bytes, tokens, others = _measure_sample(sample)
    except SHIPPED_FILE_ERRORS as problem:  # training goes without
        show_warning(problem)
        return
    ratio = n_bytes / max(1, tokens[-1])
    best = max(others, key=lambda other: others[other])
    title = f"{FIRST_MODEL} reads this at {ratio:.2f} bytes per token, {best} at {others[best]:.2f}"
    rows = curve_rows(FIRST_MODEL, range(256, 256 + len(tokens)), n_bytes, tokens)
    chart = curve_chart(rows, {FIRST_MODEL: hue_of(FIRST_MODEL)}, most=8192, others=others)
    show_chart(TitledChart(chart, title), TrainState.key("first_look"), rows)
    st.caption(
        f"Measured on the first {bytes_in_words(n_bytes)} or so of your mix. Every point of the curve is a "
        "smaller vocabulary."
    )


@st.cache_data(max_entries=40)
def _measure_sample(sample: str) -> tuple[int, list[int], dict[str, float]]:
    """Bytes, tokens at every vocabulary size, and bytes per token in the encodings to compare with.

    The cache holds counts, and a digest of the sample, which may be an own text.
    """
    n_bytes = len(well_formed(sample).encode())
    others = {other: n_bytes / len(tk.get_encoding(other).encode(sample)) for other in REFERENCES}
    curve = tk.counts_by_size(load_model(FIRST_MODEL), sample)
    return n_bytes, curve.at_sizes(range(curve.smallest, curve.full + 1)).tolist(), others
