"""A grown encoding's card: what it was grown from and how, its first merges, and all runs in a table."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages.grow.by_hand.state import ByHandState
from pages.grow.train.bench import Bench, own_texts_here, rename
from pages.grow.train.form import HELD_NAMES, NORMALISATION_NAMES, TIE_NAMES
from pages.grow.train.progress import token_text
from pages.grow.train.state import TrainState
from pages.session.grown import Grown
from pages.session.train_plan import Recipe, is_bundled, title_of
from pages.shared import page_files
from pages.shared.plain import plain
from pages.shared.session import get_workspace
from pages.shared.tables import show_table
from pages.shared.widgets import get_state
from tokenizers.amounts import bytes_in_words
from tokenizers.data import LANGUAGE, read_bundled
from tokenizers.split import pattern_name

FIRST = 10
_LINE = 240  # characters of the text that By hand and the playground open with


# The recipe


def draw_card(bench: Bench, state: TrainState, name: str, grown: Grown) -> None:
    """What it was grown from and how; its name, to change; and the way to grow it again."""
    rows = card_rows(grown)
    st.markdown("\n".join(f"- **{label}**: {plain(value)}" for label, value in rows))
    field, again = st.columns([3, 2], vertical_alignment="bottom")
    key = state.key(f"rename_{name}")
    field.text_input(
        "Its name",
        value=name,
        max_chars=40,
        key=key,
        on_change=_rename,
        args=(bench, state, name, key),
        help="Under this name, you can choose it on every page.",
    )
    if grown.recipe is not None:
        again.button(
            "Grow it again …",
            icon=":material/replay:",
            key=state.key("again"),
            width="stretch",
            on_click=_again,
            args=(state, grown, grown.recipe),
            help="Sets the form above to what this one was grown with: change something, and press Grow.",
        )


def _rename(bench: Bench, state: TrainState, name: str, key: str) -> None:
    try:
        state.encoding = rename(bench, name, str(st.session_state[key]))
    except ValueError as problem:
        bench.say(str(problem), error=True)


def _again(state: TrainState, grown: Grown, recipe: Recipe) -> None:
    own = own_texts_here(grown)
    gone = [key for key, _ in recipe.weighted_parts if not is_bundled(key) and key not in own]
    note = "The recipe is filled in: press Grow to learn the same again, or change it first."
    if gone:
        note = (
            f"The recipe is filled in, but {len(gone)} of your own texts that it was grown from have "
            f"changed or are gone, so it would not learn the same. Bring them again, or change the recipe."
        )
    state.hand_over(recipe, note)
    state.own = list(own)


def card_rows(grown: Grown) -> list[tuple[str, str]]:
    """What is known of how an encoding came to be: (label, words)."""
    encoding, recipe = grown.encoding, grown.recipe
    if encoding.training is None:
        if recipe is None:
            return [("From", grown.file or "a file"), *encoding.steps]
        return [
            ("Texts", _texts_in_words(grown, recipe)),
            ("Method", f"{recipe.facts.label}, learned by {recipe.facts.learned_by}"),
            ("Size", f"{encoding.n_vocab:,} tokens"),
            *_settings_rows(recipe),
            *_rows_of_time(grown, recipe),
        ]
    walls = walls_in_words(encoding.training.pattern)
    rows = [("Size", f"{encoding.n_vocab:,} tokens: 256 bytes, {len(grown.merges):,} merges")]
    if encoding.special_tokens:
        rows[0] = ("Size", f"{rows[0][1]}, {len(encoding.special_tokens):,} special")
    if recipe is None:
        source = ", as you said: the file does not tell" if grown.pattern_chosen else ", as the file says"
        return [("From", grown.file or "a file"), *rows, ("Walls", walls + source)]
    rows = [("Texts", _texts_in_words(grown, recipe)), *rows, ("Walls", walls)]
    rows.append(("When two pairs tie", TIE_NAMES[recipe.ties]))
    return rows + _rows_of_time(grown, recipe)


def _texts_in_words(grown: Grown, recipe: Recipe) -> str:
    texts = [
        f"{title}{'' if weight == 1 else f' × {weight:g}'}"
        for title, (_, weight) in zip(_titles(grown, recipe), recipe.weighted_parts, strict=True)
    ]
    return f"{', '.join(texts)}: {bytes_in_words(grown.n_bytes)} read"


def _rows_of_time(grown: Grown, recipe: Recipe) -> list[tuple[str, str]]:
    held = f"{recipe.held_out:.0%}, {HELD_NAMES[recipe.held_from]}" if recipe.held_out else "nothing"
    return [("Held out", held), ("Time", f"{grown.seconds:.1f} seconds")]


def _settings_rows(recipe: Recipe) -> list[tuple[str, str]]:
    """The settings of its method, and their values."""
    settings = {
        "coverage": ("Character coverage", f"{100 * recipe.coverage:g}%"),
        "byte_fallback": ("Byte fallback", "yes" if recipe.byte_fallback else "no"),
        "normalisation": ("Normalisation", NORMALISATION_NAMES[recipe.normalisation]),
        "split_digits": ("Every digit a token", "yes" if recipe.split_digits else "no"),
        "small_letters": ("Small letters, no accents", "yes" if recipe.small_letters else "no"),
        "special_tokens": ("Special tokens", ", ".join(recipe.special_tokens) or "none of yours"),
    }
    return [settings[setting] for setting in recipe.facts.settings if setting in settings]


def _titles(grown: Grown, recipe: Recipe) -> list[str]:
    """The titles of its texts when it learned from them; if it was stopped, their titles now."""
    own = own_texts_here(grown)
    titles = []
    for number, (key, _) in enumerate(recipe.weighted_parts):
        if key.startswith(LANGUAGE):
            titles.append(f"the declaration in {title_of(key, own)}")
        elif grown.report:
            titles.append(grown.report["sources"][number]["title"])
        else:
            titles.append(title_of(key, own) if key in own or is_bundled(key) else "a text of yours")
    return titles


def walls_in_words(pattern: str | None) -> str:
    """What people call a split pattern.

    >>> walls_in_words(None), walls_in_words("[a-z]+")
    ('none', 'your own regex, [a-z]+')
    """
    if pattern is None:
        return "none"
    return pattern_name(pattern) or f"your own regex, {pattern}"


# The first merges


def draw_first_merges(name: str, grown: Grown) -> None:
    """The merges that were learned first, and where to see them at work."""
    encoding = grown.encoding.training
    if encoding is None or not encoding.merges:
        st.info("There are no merges.", icon=":material/info:")
        return
    rows = []
    for rank, (left, right) in enumerate(encoding.merges[:FIRST]):
        parts = [token_text(encoding.token_bytes(each)) for each in (left, right, 256 + rank)]
        row: dict[str, object] = dict(zip(("left", "right", "new token"), parts, strict=True))
        row = {"merge": rank + 1, **row, "id": 256 + rank}
        if grown.counts:
            row["side by side"] = grown.counts[rank]
        rows.append(row)
    show_table(pd.DataFrame(rows), height="content")
    line = first_line(grown)
    caption = (
        "The pair that was side by side most often comes first; then all is counted again. · is a space."
    )
    if not line:
        st.caption(caption)
        return
    st.caption(f"{caption} See it on a line of its own text:")
    with st.container(horizontal=True):
        if st.button("The same by hand", icon=":material/touch_app:", key=TrainState.key("by_hand")):
            get_state(ByHandState).hand_over(line, encoding.pattern)
            st.switch_page(page_files.BY_HAND)
        if st.button("In the playground", icon=":material/edit_note:", key=TrainState.key("line_there")):
            workspace = get_workspace()
            workspace.put_first(name)
            workspace.take(line)
            st.switch_page(page_files.PLAYGROUND)


def first_line(grown: Grown) -> str:
    """The beginning of what it learned from, without its title; empty if that is no longer here."""
    if grown.recipe is None:
        return ""
    own = own_texts_here(grown)
    for key, _ in grown.recipe.weighted_parts:
        try:
            text = own[key].text if key in own else read_bundled(key).texts[0]
        except (OSError, ValueError, KeyError):
            continue
        lines = [line.strip() for line in text[:20_000].splitlines()]
        long = [line for line in lines if len(line) > 60] or [line for line in lines if line]
        if long:
            line = long[0][:_LINE]
            return line if len(long[0]) <= _LINE else line.rpartition(" ")[0] or line
    return ""


# All runs


def draw_runs(bench: Bench) -> None:
    """Every encoding of the session's own in a table, to be compared."""
    show_table(runs_table(bench), height="content" if len(bench.grown) < 12 else 420)
    st.caption(
        "Held-out text is each run’s own: figures of runs with the same texts and the same share held out "
        "can be compared. To compare all of them on one text, choose them on Compression."
    )


def runs_table(bench: Bench) -> pd.DataFrame:
    """A row for each encoding: what it was grown with, and what it reached."""
    rows = []
    for name, grown in bench.grown.items():
        facts, training = dict(card_rows(grown)), grown.encoding.training
        ratio = grown.held_out_ratio
        rows.append(
            {
                "name": name,
                "method": grown.recipe.facts.label if grown.recipe else grown.encoding.family,
                "tokens": grown.encoding.n_vocab,
                "bytes per token, held-out": None if ratio is None else round(ratio, 2),
                "bytes per token, learned": round(grown.n_bytes / grown.n_tokens[-1], 2)
                if grown.n_tokens
                else None,
                "walls": walls_in_words(training.pattern) if training is not None else None,
                "ties": TIE_NAMES[grown.recipe.ties] if grown.recipe and training is not None else None,
                "seconds": round(grown.seconds, 1) if grown.recipe else None,
                "texts": facts.get("Texts") or facts.get("From"),
            }
        )
    return pd.DataFrame(rows)
