"""The form of the page Train: the method and its settings."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.grow.train.state import NO_WALLS, OWN_PATTERN, TrainState
from pages.session.train_methods import METHODS, MethodFacts
from pages.session.train_plan import MAX_HELD_OUT, MAX_VOCAB, Recipe, preview_pieces
from pages.session.train_run import SessionTrainings
from pages.shared.markdown import draw_box
from pages.shared.widgets import segments, show_error, tied
from tokenizers.bpe import TIE_RULES
from tokenizers.families import LEFT_OUT, LONGEST_LINE, Normalisation
from tokenizers.split import PATTERN_LABELS
from tokenizers.text import spell_text

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
