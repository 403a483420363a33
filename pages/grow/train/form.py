"""The form of the page Train: the texts, how much of each, the method and its settings; and a forecast."""

from __future__ import annotations

import contextlib
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

import tokenizers as tk
from pages.grow.train.progress import token_text
from pages.grow.train.state import NO_WALLS, OWN_PATTERN, TrainState
from pages.session.catalogue import catalogue, own_titles
from pages.session.train_methods import METHODS, Setting
from pages.session.train_plan import (
    MAX_HELD_OUT,
    MAX_VOCAB,
    Recipe,
    bundled_bytes,
    is_bundled,
    preview_pieces,
)
from pages.session.train_run import SessionTrainings
from pages.shared.markdown import draw_box, escape
from pages.shared.own_texts import draw_own_texts, own_texts
from pages.shared.tables import file_name
from pages.shared.widgets import get_state, segments, show_error, show_errors, show_info, tied
from tokenizers.amounts import bytes_in_words, plural, share_in_words
from tokenizers.bpe import TIE_RULES, count_specials
from tokenizers.data import (
    DOCS,
    FIRST_MODEL,
    LANGUAGE,
    LIBRARY,
    MAX_WEIGHT,
    STORIES,
    read_bundled,
    read_recipe,
    weighed_bytes,
)
from tokenizers.families import LEFT_OUT, LONGEST_LINE
from tokenizers.split import PATTERN_LABELS, PATTERNS
from tokenizers.steps import first_few
from tokenizers.text import spell_alone

PATTERN_NAMES = {
    **dict(reversed(PATTERN_LABELS.items())),  # the newest first
    NO_WALLS: "none: no walls",
    OWN_PATTERN: "your own regex",
}
CHOICES: dict[Setting, Mapping[str, str]] = {
    "pattern": PATTERN_NAMES,
    "normalisation": {
        "identity": "as typed: nothing is changed",
        "nfkc": "nfkc: characters that look alike are one",
        "nmt_nfkc": "nmt_nfkc: SentencePiece’s default",
        "nmt_nfkc_cf": "nmt_nfkc_cf: the same in lower case",
    },
    "ties": {name: f"the {rule.label}" for name, rule in TIE_RULES.items()},
}
LABELS: dict[Setting, str] = {
    "pattern": "Walls between pieces",
    "normalisation": "Normalisation",
    "small_letters": "Lower case, no accents",
    "byte_fallback": "Byte fallback",
    "coverage": "Character coverage",
    "split_digits": "Every digit a token of its own",
    "special_tokens": "Special tokens, one a line",
    "skip_specials": "Leave them out of the training text",
    "ties": "When two pairs are equally frequent, merge",
}
_HELP: dict[Setting, str] = {
    "pattern": "A split pattern cuts the text into pieces before training. No token crosses a wall.",
    "normalisation": "How a text is changed before it is cut. All but “as typed” replace characters that "
    "look alike (² becomes 2) and turn several spaces into one, so the text cannot be restored exactly. "
    "SentencePiece’s default also turns tabs and line ends into spaces.",
    "small_letters": "Capitals become small letters and accents are removed, as in BERT “uncased”. Fewer "
    "words are unknown, but the text cannot be restored exactly.",
    "byte_fallback": "A character without a token becomes its bytes, so nothing is lost. This takes 256 "
    "tokens of the vocabulary. Without it, the character becomes one unknown token and is lost.",
    "coverage": "The share of the text’s characters that get their own token; the rarest get none. From 0.98 "
    "to 1. SentencePiece recommends 0.9995 for scripts with many characters, such as Chinese, and 1 for "
    "others.",
    "split_digits": "12345 becomes five tokens, as in Llama 1 and 2, so all numbers are written the same "
    "way. Without it, frequent numbers become tokens.",
    "special_tokens": "Each gets an id of its own.",
    "skip_specials": "A special token that stands in the training text is plain text otherwise, and its "
    "letters become tokens. SentencePiece always leaves them out.",
}


def draw_settings(trainings: SessionTrainings, state: TrainState, train: Callable[..., None]) -> None:
    """Draw the settings, and two buttons that call ``train``: for one method, or for all."""
    why_not = trainings.busy_message
    with st.container(border=True):
        facts = METHODS[state.method]
        segments(st, "Method", {name: method.label for name, method in METHODS.items()}, TrainState.method)
        idea, compare_column = st.columns([6.8, 2.5], vertical_alignment="center")
        idea.caption(f"{facts.idea} {facts.keeps}")
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
            for setting in facts.settings[:1]:
                _draw_setting(setting)
        with more.popover("More settings", width="stretch"):
            for setting in facts.settings[1:]:
                _draw_setting(setting)
            if facts.pieces is not None:
                st.caption(
                    f"SentencePiece skips lines of more than {LONGEST_LINE:,} bytes, so longer ones are cut "
                    f"at a space. {LEFT_OUT} is the only character that it cannot learn."
                )
            st.slider(
                "Held out for measuring",
                0,
                round(100 * MAX_HELD_OUT),
                format="%d %%",
                help="Whole lines from all parts of each text, always the same ones. They are not trained "
                "on, so they show how well the tokenizer does on new text.",
                **tied(TrainState.held),
            )
        go.button(
            "Train",
            key=state.key("grow"),
            on_click=train,
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
            on_click=train,
            args=(trainings, state),
            kwargs={"compares": True},
            icon=":material/bar_chart:",
            width="stretch",
            disabled=bool(why_not),
            help=why_not
            or "Trains by each method, one after the other, on these texts and at this size, and "
            "compares them on the held-out text.",
        )
        if _asks_for_own_pattern(state):
            _draw_own_pattern(state)


def _draw_setting(setting: Setting) -> None:
    field = getattr(TrainState, setting)
    label = LABELS[setting]
    more = {"help": _HELP.get(setting), **tied(field)}
    if setting == "ties":
        segments(st, label, CHOICES[setting], field)
    elif setting in CHOICES:
        st.selectbox(label, list(CHOICES[setting]), format_func=CHOICES[setting].__getitem__, **more)
    elif setting == "coverage":
        st.number_input(label, step=0.0005, format="%.4f", **more)
    elif setting == "special_tokens":
        st.text_area(label, height=90, placeholder="<|endoftext|>", **more)
    else:
        st.toggle(label, **more)


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


def _draw_own_pattern(state: TrainState) -> None:
    """Draw the field for the user's split pattern, and the pieces of a line."""
    left, right = st.columns(2)
    left.text_input(
        "Your regular expression: each match is a piece",
        max_chars=2000,
        help="In the syntax of Python’s regex module: \\p{L} is any letter. Text between two matches is a "
        "piece, too.",
        **tied(TrainState.regex),
    )
    right.text_input("Try it on", max_chars=500, **tied(TrainState.regex_text))
    try:
        pieces = preview_pieces(state.regex, state.regex_text)
    except ValueError as problem:
        show_error(problem)
        return
    draw_box("│".join(map(spell_alone, pieces)), TrainState.key("pieces"))
    st.caption(f"{plural(len(pieces), 'piece')}; │ is a wall, · is a space.")


def number_problem(recipe: Recipe) -> str:
    """The error in the numbers of the form; empty: none."""
    try:
        recipe.check_numbers()
    except ValueError as problem:
        return str(problem)
    return ""


FIRST_TRY = Recipe(parts=((STORIES, 1.0),), vocab_size=512)
"""What the page offers to try: small enough to be trained at once."""


# Which texts


def mixes() -> dict[str, tuple[tuple[tuple[str, float], ...], str]]:
    """Example corpora by name: (texts with their weights, what they show)."""
    languages = tuple((LANGUAGE + code, 1.0) for code in read_recipe().languages)
    return {
        "Stories": (FIRST_TRY.parts, "English prose: the longest tokens are words."),
        "Python docs": (((DOCS, 1.0),), "Words about Python, and the lines of its tables, become tokens."),
        "Code": (((LIBRARY, 0.1),), "A megabyte of Python’s library: indentation becomes single tokens."),
        "With Japanese": (
            ((STORIES, 1.0), (LANGUAGE + "jpn", 0.5)),
            "Japanese is a fifth of the text, and gets its share of the tokens.",
        ),
        f"{len(languages)} languages": (languages, f"What {FIRST_MODEL} was trained on."),
    }


def draw_corpus(state: TrainState) -> dict[str, str]:
    """Draw the choosers of texts, before the recipe is read; returns the title of each text."""
    draw_own_texts(state.learn_from)
    choices = mixes()
    st.pills(
        "Start from",
        list(choices),
        help="\n".join(f"- **{name}**: {lesson}" for name, (_, lesson) in choices.items()),
        on_change=_start_from,
        args=(state,),
        **tied(TrainState.mix),
    )
    titles = own_titles(own_texts())
    for key, text in catalogue().items():
        if is_bundled(key):
            titles[key] = f"{text.title} (declaration)" if key.startswith(LANGUAGE) else text.title
    state.let_go(TrainState.texts, titles)
    st.multiselect(
        "Texts",
        list(titles),
        format_func=lambda key: titles.get(key, key),
        filter_mode="contains",
        select_all=False,  # else the Enter key after "Hindi" chooses all that match, and not the first
        placeholder="Choose texts to train on",
        help="Two stories (23 KB), Python’s documentation (half a megabyte), its library (11 MB), and the "
        "Universal Declaration of Human Rights in 500 languages: type to search. A text that you leave out "
        "is new to the tokenizer, so you can measure on it.",
        **tied(TrainState.texts),
    )
    return titles


def _start_from(state: TrainState) -> None:
    """Choose the texts of an example corpus."""
    if state.mix:
        state.fill_texts(mixes()[state.mix][0])
        state.mix = None


# How much of each


def source_lengths(recipe: Recipe) -> dict[str, int]:
    """Bytes of each source, by key; 0, and a message, if it cannot be read."""
    own = own_texts()
    lengths = dict.fromkeys(dict(recipe.parts), 0)
    for key in lengths:
        with show_errors():
            lengths[key] = own[key].n_bytes if key in own else bundled_bytes(key)
    return lengths


def draw_weights(recipe: Recipe, lengths: Mapping[str, int], titles: Mapping[str, str]) -> None:
    """Draw a field for each source: how often it is read, and its share of the text."""
    if not recipe.parts:
        show_info("There is no text yet. Choose a language, or add a text of your own.")
        return
    total = recipe.n_bytes_of(lengths)
    with st.expander("How often each is read", expanded=len(recipe.parts) <= 6):
        columns = st.columns(3)
        for number, (key, weight) in enumerate(recipe.parts):
            n_bytes = weighed_bytes(lengths[key], weight)
            share = f" · {share_in_words(n_bytes / total)}" if 0 <= n_bytes <= total and total else ""
            columns[number % 3].number_input(
                escape(titles[key] + share),
                step=0.5,
                format="%g",
                **tied(TrainState.weight_of(key)),
            )
        st.caption(
            f"1 = once, 3 = three times, 0.1 = the first tenth, 0 = skip; up to {MAX_WEIGHT:g} times. The "
            "percentage is its share of the text."
        )
    st.caption(
        f"{bytes_in_words(max(0, total))} of text, of up to {bytes_in_words(recipe.facts.most_bytes)}."
    )


def draw_command(recipe: Recipe) -> None:
    """Draw the command that trains by the same settings on files of any size, for byte-level BPE."""
    if recipe.method == "byte-pairs":
        with st.expander("Train on larger files, in a terminal"):
            st.code(command_of(recipe), language="bash", wrap_lines=True)
            st.caption(
                "Run it in the folder of Token Grove. It reads your files in parts, so they can be larger "
                "than memory, and holds nothing out. Then open the result on Add a tokenizer."
            )


def command_of(recipe: Recipe) -> str:
    """The command that trains by these settings.

    >>> command_of(Recipe(special_tokens=("<|end|>",)))
    "python -m tokenizers train gpt4o my-texts.txt --vocab 2048 '--special=<|end|>' --out my-2k.model"
    """
    words = ["python", "-m", "tokenizers", "train", recipe.pattern or "none", "my-texts.txt"]
    words += ["--vocab", str(recipe.vocab_size), *(f"--special={token}" for token in recipe.special_tokens)]
    words += ["--skip-special"] if recipe.skip_specials else []
    words += ["--ties", recipe.ties] if recipe.ties != Recipe.ties else []
    return shlex.join([*words, "--out", f"{file_name(recipe.title)}.model"])


# Before anything is trained


def draw_specials(recipe: Recipe) -> None:
    """Say which special tokens in the texts would be learned as text, and offer to leave them out."""
    if "skip_specials" not in recipe.facts.settings or recipe.skip_specials or not recipe.special_tokens:
        return
    own = own_texts()
    counts = Counter[str]()
    for key, _ in recipe.weighted_parts:
        with contextlib.suppress(ValueError, OSError):  # the page says it already
            texts = (own[key].text,) if key in own else read_bundled(key).texts
            counts.update(
                _count_specials(own[key].digest if key in own else key, recipe.special_tokens, texts)
            )
    if counts:
        listed = first_few([f"{special} {count:,} times" for special, count in counts.most_common()], 3)
        show_info(
            f"There are special tokens in the training text: {listed}. They are learned as plain text, "
            "unless you leave them out."
        )
        key = TrainState.key("skip")
        icon = ":material/content_cut:"
        st.button("Leave them out", key=key, icon=icon, on_click=_leave_specials_out)


def _leave_specials_out() -> None:
    get_state(TrainState).skip_specials = True


@st.cache_data(show_spinner=False, max_entries=500)
def _count_specials(key: str, specials: tuple[str, ...], _texts: Sequence[str]) -> Counter[str]:
    return sum((count_specials(text, specials) for text in _texts), Counter())


_BYTES_FOR_A_MERGE = 12
"""With fewer bytes of text than this for each merge, hardly any pair occurs twice; measured on English."""

_SAMPLE_CHARS = 30_000
_FIRST_TOKENS = 60


def forecast(recipe: Recipe, lengths: Mapping[str, int]) -> str:
    """A forecast of the training, in sentences; empty if the recipe holds no text.

    Args:
        recipe: a recipe with valid numbers.
        lengths: bytes of each source, by key.
    """
    n_bytes = round(recipe.n_bytes_of(lengths) * (1 - recipe.held_out))
    if n_bytes <= 0:
        return ""
    held = f" ({recipe.held_out:.0%} is held out, to test it on)" if recipe.held_out else ""
    merges = recipe.n_merges if recipe.method == "byte-pairs" else 0
    learned = plural(merges, "merge") if merges else plural(recipe.vocab_size, "token")
    sentences = (
        f"Press Train to learn up to {learned} from {bytes_in_words(n_bytes)} of text{held}, in "
        f"{_time(n_bytes * recipe.facts.slowness)}."
    )
    if merges * _BYTES_FOR_A_MERGE > n_bytes:
        sentences += (
            " That is little text for so many: the last pairs will hardly occur twice. Choose more text, or "
            "a smaller vocabulary."
        )
    if recipe.method == "fair" and not recipe.is_of_translations:
        sentences += (
            " Fair BPE needs translations of one text: choose languages alone, or your own translations."
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


def draw_first_tokens(recipe: Recipe, lengths: Mapping[str, int]) -> None:
    """Draw the first tokens that byte-level BPE learns from the start of the texts."""
    total = recipe.n_bytes_of(lengths)
    if recipe.method != "byte-pairs" or not total or recipe.pattern not in (None, *PATTERNS):
        return
    sample = "\n".join(
        _start_of(key)[: int(_SAMPLE_CHARS * weighed_bytes(lengths[key], weight) / total)]
        for key, weight in recipe.weighted_parts
        if lengths[key]
    )
    tokens = tk.train(sample, 256 + _FIRST_TOKENS, recipe.pattern, ties=recipe.ties).tokens[256:]
    st.markdown("**The first tokens that this text gives**")
    draw_box("  ".join(map(token_text, tokens)), TrainState.key("first_tokens"))
    st.caption("From its first pages, in the order in which they are learned. · is a space.")


def _start_of(key: str) -> str:
    own = own_texts()
    texts = (own[key].text,) if key in own else read_bundled(key).texts[:99]
    return "\n".join(text[:_SAMPLE_CHARS] for text in texts)[:_SAMPLE_CHARS]
