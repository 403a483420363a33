"""Draws a trained encoding: its numbers, curve, recipe, merges, tokens and files; and all runs in a table."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import shorten

import pandas as pd
import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.vocabulary.state import VocabularyState
from pages.grow.by_hand.state import ByHandState
from pages.grow.train.charts import RATIO, curve_chart, curve_rows, ratio_chart, scripts_chart
from pages.grow.train.form import HELD_NAMES, NORMALISATION_NAMES, TIE_NAMES
from pages.grow.train.progress import token_text
from pages.grow.train.state import TrainState
from pages.session.own_texts import OwnText
from pages.session.train_methods import METHODS
from pages.session.train_plan import Recipe, is_bundled, title_of
from pages.session.train_run import SessionTrainings
from pages.session.trained_encoding import REFERENCES, TrainedEncoding
from pages.shared import page_files
from pages.shared.charts import TitledChart, show_chart
from pages.shared.colours import hue_in, hue_of
from pages.shared.markdown import escape
from pages.shared.session import get_workspace
from pages.shared.tables import file_name, show_table
from pages.shared.widgets import get_state, segments, show_info, show_warning, tied
from tokenizers.amounts import bytes_in_words, share_in_words
from tokenizers.bpe import HomeEncoding, find_nested_specials, home_trained
from tokenizers.data import LANGUAGE, read_bundled
from tokenizers.encoding import Encoding
from tokenizers.files import WRITERS, can_minbpe_read, file_of, format_of, tiktoken_snippet
from tokenizers.split import Difference, find_difference, find_pattern, has_huggingface, pattern_name
from tokenizers.text import COMMON, PART_OF_CHARACTER, quote
from tokenizers.utf8 import well_formed

_LEARNED, _HELD = "on the text it learned from", "on held-out text"
_MOST_SCRIPTS = 24
_LEAST_SHARE = 0.001  # of a script that is drawn


def draw_trained(trainings: SessionTrainings, state: TrainState) -> None:
    """Draw the chosen one of the session's own encodings."""
    workspace = get_workspace()
    names = list(workspace.trained)
    if trainings.newest in names:  # shown there once; the pages that measure choose it themselves
        state.encoding = trainings.newest
        get_state(VocabularyState).look_into(trainings.newest)
        get_state(MergeTreesState).add_encoding(trainings.newest)
    trainings.newest = None
    if state.encoding not in names:
        state.encoding = names[-1]
    if len(names) > 1:
        segments(st, "Your encodings", names, TrainState.encoding)
    name = state.encoding or names[-1]
    trained, hue = workspace.trained[name], hue_in(workspace, name)
    _draw_summary(trained)
    _draw_actions(name, trained)
    parts: dict[str, Callable[[], None]] = {
        "Curve": lambda: _draw_curve(name, trained, hue),
        "Recipe": lambda: draw_recipe(state, name, trained),
    }
    if (training := home_trained(trained.encoding)) is not None:
        parts["Merges"] = lambda: draw_merges(name, training, trained)
    parts["Longest tokens"] = lambda: draw_longest(trained)
    parts["Scripts"] = lambda: _draw_scripts(trained, hue)
    if len(names) > 1:
        parts["My runs"] = lambda: draw_runs(workspace.trained)
    for tab, draw in zip(st.tabs(list(parts)), parts.values(), strict=True):
        with tab:
            draw()


def _draw_summary(trained: TrainedEncoding) -> None:
    encoding = trained.encoding
    numbers = {"tokens in all": f"{encoding.n_tokens:,}"}
    if home_trained(encoding) is not None:
        numbers["merges learned"] = f"{len(trained.merges):,}"
    if trained.recipe is None:
        numbers["comes from"] = escape(trained.file or "a file")
        numbers["special tokens"] = f"{len(encoding.special_tokens):,}"
    else:
        if trained.held_out_ratio is not None:
            numbers["bytes per token, held-out"] = f"{trained.held_out_ratio:.2f}"
        elif trained.n_tokens:
            numbers[RATIO] = f"{trained.n_bytes / max(1, trained.n_tokens[-1]):.2f}"
        numbers["seconds"] = f"{trained.seconds:.1f}"
        if trained.lost_share:
            numbers["does not come back"] = share_in_words(trained.lost_share)
    explained = {
        "seconds": "Reading, splitting, counting and learning.",
        "does not come back": "Of the bytes that were held out: unknown, dropped or changed.",
    }
    row = st.container(horizontal=True, gap="medium", key=TrainState.key("summary"))
    for label, number in numbers.items():
        row.metric(label, number, help=explained.get(label), width="content")
    if trained.problem:
        show_warning(trained.problem)
    if trained.stopped:
        show_info(trained.stopped)


def _draw_actions(name: str, trained: TrainedEncoding) -> None:
    with st.container(horizontal=True):
        if st.button(
            "See it beside cl100k_base",
            type="primary",
            icon=":material/compare:",
            key=TrainState.key("compare"),
        ):
            get_workspace().put_first(name, "cl100k_base")
            st.switch_page(page_files.PLAYGROUND)
        with st.popover("Download", icon=":material/download:", key=TrainState.key("downloads")):
            draw_downloads(name, trained.encoding)
        st.button(
            "Remove",
            icon=":material/delete:",
            key=TrainState.key("remove"),
            on_click=get_workspace().remove_encoding,
            args=(name,),
        )


# The curve


def _draw_curve(name: str, trained: TrainedEncoding, hue: int) -> None:
    """Draw bytes per token at each known size, on held-out text and on the training text."""
    if trained.recipe is None:
        show_info(
            "The text that it was grown from is not in the file, so there is no curve of it. Open it in the "
            "playground to see what it does."
        )
        return
    n_bytes, tokens, others = trained.held_out_curve()
    is_held_out, n_tokens = bool(tokens[-1]), trained.encoding.n_tokens
    has_merges, is_curve = home_trained(trained.encoding) is not None, len(trained.sizes) > 1
    if not is_held_out and not has_merges:
        show_info(
            "Nothing was held out, so nothing shows how it does on text that is new to it. Open it in the "
            "playground to see what it does."
        )
        return
    title = (
        f"{name}: {trained.n_bytes / trained.n_tokens[-1]:.2f} bytes per token" if trained.n_tokens else name
    )
    if is_held_out:
        title = _verdict(name, n_tokens, n_bytes / tokens[-1], others)
    if has_merges or is_curve:
        lines = []
        if has_merges:
            lines.append(curve_rows(_LEARNED, trained.sizes[1:], trained.n_bytes, trained.n_tokens))
        if is_held_out:
            lines.append(curve_rows(_HELD, trained.sizes, n_bytes, tokens))
        points = pd.concat(lines)
        chart = curve_chart(points, {_LEARNED: None, _HELD: hue}, most=n_tokens, others=others)
    else:
        points = pd.DataFrame({"encoding": [name, *others], RATIO: [n_bytes / tokens[-1], *others.values()]})
        chart = ratio_chart(points, {name: hue} | {other: hue_of(other) for other in others})
    show_chart(TitledChart(chart, title), "train_curve", points, file=f"growth-{name}")
    if not is_held_out:
        return
    lost = "" if has_merges else f" {escape(_what_is_lost(trained))}"
    st.caption(held_out_in_words(trained, "Dashed" if is_curve else "Below it") + lost)
    if not is_curve:
        why = METHODS[trained.recipe.method].why_no_curve
        st.caption(escape(f"There is no curve over sizes: {why}, so a smaller one has to be learned."))
    show_table(_by_source(trained), height="content" if len(trained.report["sources"]) < 9 else 320)


def _what_is_lost(trained: TrainedEncoding) -> str:
    """Sentences: how much of the held-out text is unknown, and how much decoding does not restore."""
    if not trained.lost_share:
        return "All of it comes back."
    sentence = f"{share_in_words(trained.lost_share)} of its bytes do not come back as they were"
    if trained.unknown_share:
        sentence += f", {share_in_words(trained.unknown_share)} because they are unknown"
    return f"{sentence}: bytes per token count them all the same."


def held_out_in_words(trained: TrainedEncoding, others: str = "Dashed") -> str:
    """A note: what was held out, how much, and how new it is to the encoding."""
    assert trained.recipe is not None
    sources = trained.report["sources"]
    held, known, n_texts = (
        sum(source[count] for source in sources) for count in ("held_bytes", "known_bytes", "held_texts")
    )
    if trained.recipe.held_from == "end":
        what = f"the end of each text, {bytes_in_words(held)}"
    else:
        blocks = "1 block" if n_texts == 1 else f"{n_texts:,} blocks"
        what = (
            f"{bytes_in_words(held)} in {blocks} of whole lines, from all parts of each text by a fixed seed"
        )
    new = "None of it was learned from"
    if known >= 0.005 * held:
        new += f", though {known / held:.0%} of it are lines that also occur elsewhere in the text"
    without = [source["title"] for source in sources if not source["held_bytes"]]
    why = "it has too few lines, or all of them occur elsewhere in what was learned from"
    less = f" Of {', '.join(without)} nothing could be: {why}." if without else ""
    return escape(f"Held out: {what}.{less} {new}. {others}: other encodings on the same held-out text.")


def _verdict(name: str, n_tokens: int, ratio: float, others: dict[str, float]) -> str:
    """The title of the curve.

    >>> _verdict("mine", 600, 5.0, {"gpt2": 4.4, "cl100k_base": 4.5, "o200k_base": 4.6})
    'mine, with 600 tokens, beats gpt2, cl100k_base and o200k_base on text of its kind'
    """
    beaten = [other for other in REFERENCES if other in others and ratio > others[other]]
    if beaten:
        listed = ", ".join(beaten[:-2] + [" and ".join(beaten[-2:])])
        return f"{name}, with {n_tokens:,} tokens, beats {listed} on text of its kind"
    best = max(others, key=lambda other: others[other])
    share = ratio / others[best]
    return f"{name}, with {n_tokens:,} tokens, reaches {share:.0%} of {best}’s {others[best]:.2f}"


def _by_source(trained: TrainedEncoding) -> pd.DataFrame:
    """A row for each text: how much of it was read and held out, and bytes per token on that."""
    sources = pd.DataFrame(trained.report["sources"])
    held = sources["held_bytes"]
    tokens = sources["held_tokens"].map(lambda counts: counts[-1])
    table = {
        "source": sources["title"],
        "bytes read": sources["bytes"],
        "share": (sources["bytes"] / max(1, sources["bytes"].sum())).map("{:.1%}".format),
        "bytes held out": held,
        RATIO: held / tokens.where(tokens > 0),
    }
    for column, count in (("unknown", "unknown_bytes"), ("does not come back", "lost_bytes")):
        if trained.lost_share:
            table[column] = (sources[count] / held.clip(lower=1)).map("{:.1%}".format)
    for other in REFERENCES:
        tokens = sources["references"].map(lambda counts, other=other: counts.get(other, 0))
        table[f"in {other}"] = held / tokens.where(tokens > 0)
    return pd.DataFrame(table).round(2)


# Scripts


def _draw_scripts(trained: TrainedEncoding, hue: int) -> None:
    if not trained.report:
        show_info("Tokens by script are known only for an encoding that was grown here, up to its end.")
        return
    amounts = pd.DataFrame(
        {
            "bytes in the text": trained.report["script_bytes"],
            "tokens learned": trained.report["script_tokens"],
        }
    )
    letters = amounts.drop(index=[COMMON, PART_OF_CHARACTER], errors="ignore").fillna(0)
    shares = (letters / letters.sum().clip(lower=1)).sort_values("bytes in the text", ascending=False)
    shares = shares[(shares > _LEAST_SHARE).any(axis=1)][:_MOST_SCRIPTS]
    if shares.empty:
        show_info("No letters, no scripts: the text has only digits, punctuation and symbols.")
        return
    table = shares.rename_axis("script").reset_index().melt("script", var_name="of", value_name="share")
    table["amount"] = letters.loc[shares.index].melt()["value"].astype(int)
    first, *others = shares.index
    if others:
        share, bought = (shares[of][others[0]] for of in shares.columns)
        title = f"{others[0]}: {share:.0%} of the letters’ bytes bought {bought:.0%} of their tokens"
    else:
        title = f"All text is {first}, and so are its {int(letters['tokens learned'][first]):,} tokens"
    show_chart(
        TitledChart(scripts_chart(table, hue), title),
        "train_scripts",
        table,
        column_config={"share": "percent"},
        file=f"scripts-{trained.encoding.name}",
    )
    other = sum(trained.report["script_tokens"].get(kind, 0) for kind in (COMMON, PART_OF_CHARACTER))
    st.caption(
        f"Letters only. Besides, {other:,} tokens are spaces, digits, symbols and parts of characters. A "
        "script’s share of the bytes buys it tokens, though not one to one."
    )


_SHOWN_MERGES = 5_000
_LINE = 240  # characters of the text that By hand and the playground open with


# The recipe


def draw_recipe(state: TrainState, name: str, trained: TrainedEncoding) -> None:
    """Draw how it was trained, a field for its name, and a button to train it again."""
    rows = recipe_rows(trained)
    st.markdown("\n".join(f"- **{label}**: {escape(value)}" for label, value in rows))
    field, again = st.columns([3, 2], vertical_alignment="bottom")
    key = state.key(f"rename_{name}")
    field.text_input(
        "Its name",
        value=name,
        max_chars=40,
        key=key,
        on_change=_rename,
        args=(state, name, key),
        help="Under this name, you can choose it on every page.",
    )
    if trained.recipe is not None:
        again.button(
            "Grow it again …",
            icon=":material/replay:",
            key=state.key("again"),
            width="stretch",
            on_click=_again,
            args=(state, trained, trained.recipe),
            help="Sets the form above to what this one was grown with: change something, and press Grow.",
        )


def _rename(state: TrainState, name: str, key: str) -> None:
    try:
        state.encoding = get_workspace().rename_encoding(name, str(st.session_state[key]))
    except ValueError as problem:
        state.say(str(problem), error=True)


def _again(state: TrainState, trained: TrainedEncoding, recipe: Recipe) -> None:
    own = _own_texts_here(trained)
    gone = [key for key, _ in recipe.weighted_parts if not is_bundled(key) and key not in own]
    note = "The recipe is filled in: press Grow to learn the same again, or change it first."
    if gone:
        note = (
            f"The recipe is filled in, but {len(gone)} of your own texts that it was grown from have "
            f"changed or are gone, so it would not learn the same. Bring them again, or change the recipe."
        )
    state.hand_over(recipe, note)
    state.own = list(own)


def _own_texts_here(trained: TrainedEncoding) -> dict[str, OwnText]:
    """The own texts that it was trained on, by key, if they have not changed."""
    own, digests = get_workspace().own_texts, trained.own_digests
    parts = trained.recipe.parts if trained.recipe else ()
    return {key: own[key] for key, _ in parts if key in own and own[key].digest == digests.get(key)}


def recipe_rows(trained: TrainedEncoding) -> list[tuple[str, str]]:
    """The facts about an encoding's origin: (label, words)."""
    encoding, training, recipe = trained.encoding, home_trained(trained.encoding), trained.recipe
    size = f"{encoding.n_tokens:,} tokens"
    if training is not None:
        size += f": 256 bytes, {len(trained.merges):,} merges"
        if encoding.special_tokens:
            size += f", {len(encoding.special_tokens):,} special"
    if recipe is None:
        rows = [("From", trained.file or "a file")]
        if training is None:
            return [*rows, *encoding.steps]
        source = ", as you said: the file does not tell" if trained.pattern_chosen else ", as the file says"
        return [*rows, ("Size", size), ("Walls", _walls_in_words(training.pattern) + source)]
    settings = {
        "pattern": ("Walls", _walls_in_words(find_pattern(recipe.pattern))),
        "ties": ("When two pairs tie", TIE_NAMES[recipe.ties]),
        "coverage": ("Character coverage", f"{100 * recipe.coverage:g}%"),
        "byte_fallback": ("Byte fallback", "yes" if recipe.byte_fallback else "no"),
        "normalisation": ("Normalisation", NORMALISATION_NAMES[recipe.normalisation]),
        "split_digits": ("Every digit a token", "yes" if recipe.split_digits else "no"),
        "small_letters": ("Small letters, no accents", "yes" if recipe.small_letters else "no"),
        "special_tokens": ("Special tokens", ", ".join(recipe.special_tokens) or "none of yours"),
    }
    held = f"{recipe.held_out:.0%}, {HELD_NAMES[recipe.held_from]}" if recipe.held_out else "nothing"
    return [
        ("Texts", _texts_in_words(trained, recipe)),
        ("Method", f"{recipe.facts.label}, learned by {recipe.facts.learned_by}"),
        ("Size", size),
        *(settings[setting] for setting in recipe.facts.settings),
        ("Held out", held),
        ("Time", f"{trained.seconds:.1f} seconds"),
    ]


def _texts_in_words(trained: TrainedEncoding, recipe: Recipe) -> str:
    """Its texts, by their titles at the training; after a stopped training, by their present titles."""
    own = _own_texts_here(trained)
    texts = []
    for number, (key, weight) in enumerate(recipe.weighted_parts):
        if key.startswith(LANGUAGE):
            title = f"the declaration in {title_of(key, own)}"
        elif trained.report:
            title = trained.report["sources"][number]["title"]
        else:
            title = title_of(key, own) if key in own or is_bundled(key) else "a text of yours"
        texts.append(title if weight == 1 else f"{title} × {weight:g}")
    return f"{', '.join(texts)}: {bytes_in_words(trained.n_bytes)} read"


def _walls_in_words(pattern: str | None) -> str:
    """The name of a split pattern.

    >>> _walls_in_words(None), _walls_in_words("[a-z]+")
    ('none', 'your own regex, [a-z]+')
    """
    if pattern is None:
        return "none"
    return pattern_name(pattern) or f"your own regex, {pattern}"


# The merges


def draw_merges(name: str, encoding: HomeEncoding, trained: TrainedEncoding) -> None:
    """Draw all merges, a search, and buttons to see them at work."""
    query = st.text_input(
        "Search the merges",
        placeholder="a part of a token, such as ing",
        max_chars=100,
        **tied(TrainState.search),
    )
    wanted = well_formed(query.replace("·", " ")).encode()
    chosen = [rank for rank, token in enumerate(encoding.tokens[256:]) if wanted in token]
    ranks = chosen[:_SHOWN_MERGES]
    if not chosen:
        show_info("No merge makes a token with that in it." if query else "There are no merges.")
        return
    texts = list(map(token_text, encoding.tokens))
    columns: dict[str, list[int] | list[str]] = {
        "rank": [rank + 1 for rank in ranks],
        "left": [texts[encoding.merges[rank][0]] for rank in ranks],
        "right": [texts[encoding.merges[rank][1]] for rank in ranks],
        "joined": [texts[256 + rank] for rank in ranks],
        "id": [256 + rank for rank in ranks],
    }
    if trained.counts:
        columns["count"] = [trained.counts[rank] for rank in ranks]
    show_table(pd.DataFrame(columns), height=320)
    more = f"; the first {_SHOWN_MERGES:,} are shown" if len(chosen) > len(ranks) else ""
    line = first_line(trained)
    st.caption(
        f"{len(chosen):,} of {len(encoding.merges):,} merges{more}. The pair that was side by side most "
        "often comes first; then all is counted again. Count: how often the pair occurred before the merge. "
        "· is a space, ⏎ a line feed; bytes that are not whole characters are in hex."
        + (" See it on a line of its own text:" if line else "")
    )
    if not line:
        return
    with st.container(horizontal=True):
        if st.button("The same by hand", icon=":material/touch_app:", key=TrainState.key("by_hand")):
            get_state(ByHandState).hand_over(line, encoding.pattern)
            st.switch_page(page_files.BY_HAND)
        if st.button("In the playground", icon=":material/edit_note:", key=TrainState.key("line_there")):
            workspace = get_workspace()
            workspace.put_first(name)
            workspace.take(line)
            st.switch_page(page_files.PLAYGROUND)


def first_line(trained: TrainedEncoding) -> str:
    """The first line of its training text, without a title; empty if the text is gone."""
    if trained.recipe is None:
        return ""
    own = _own_texts_here(trained)
    for key, _ in trained.recipe.weighted_parts:
        try:
            text = own[key].text if key in own else read_bundled(key).texts[0]
        except (OSError, ValueError, KeyError):
            continue
        lines = filter(None, map(str.strip, text[:20_000].splitlines()))
        if line := max(lines, key=lambda line: len(line) > 60, default=""):  # the first that is long
            return shorten(line, _LINE, placeholder="") or line[:_LINE]
    return ""


def draw_longest(trained: TrainedEncoding) -> None:
    """Draw the longest tokens."""
    encoding = trained.encoding
    lengths = encoding.byte_lengths.tolist()
    if home_trained(encoding) is not None:
        learned: Iterable[int] = range(256, 256 + len(trained.merges))
    else:
        learned = encoding.ordinary.values()
    ids = sorted(learned, key=lambda i: -lengths[i])[:100]
    if not ids:
        show_info("There are no merges.")
        return
    columns = {
        "token": [token_text(encoding.token_bytes(i)) for i in ids],
        "bytes": [lengths[i] for i in ids],
        "id": ids,
    }
    show_table(pd.DataFrame(columns), height=360)


# All runs


def draw_runs(own: Mapping[str, TrainedEncoding]) -> None:
    """Draw all own encodings in a table."""
    show_table(runs_table(own), height="content" if len(own) < 12 else 420)
    st.caption(
        "Held-out text is each run’s own: figures of runs with the same texts and the same share held out "
        "can be compared. To compare all of them on one text, choose them on Compression."
    )


def runs_table(own: Mapping[str, TrainedEncoding]) -> pd.DataFrame:
    """A row for each encoding: its settings and results."""
    rows = []
    for name, trained in own.items():
        facts, training, recipe = dict(recipe_rows(trained)), home_trained(trained.encoding), trained.recipe
        row = {
            "name": name,
            "method": recipe.facts.label if recipe else trained.encoding.family,
            "tokens": trained.encoding.n_tokens,
            "bytes per token, held-out": trained.held_out_ratio,
            "bytes per token, learned": trained.n_bytes / trained.n_tokens[-1] if trained.n_tokens else None,
            "walls": _walls_in_words(training.pattern) if training is not None else None,
            "ties": facts.get("When two pairs tie"),
            "seconds": trained.seconds if recipe else None,
            "texts": facts.get("Texts") or facts.get("From"),
        }
        rows.append(row)
    return pd.DataFrame(rows).round({"seconds": 1}).round(2)


_READ_BY = {".model": "Token Grove and minbpe", ".tiktoken": "tiktoken", ".json": "tokenizer.json"}
_MOST_PIECES = 4  # of a split that a warning quotes


def draw_downloads(name: str, encoding: Encoding) -> None:
    """Draw a download button for each format, and advice about the files."""
    training = home_trained(encoding)
    if training is None:
        data = encoding.cached(file_of)
        form = format_of(data)
        assert form is not None
        _draw_button(form.label, data, name, form.ending)
        st.caption("A file in its own format, which can be brought back here.")
        return
    with st.container(horizontal=True):
        for ending, data in training.cached(_files_of).items():
            _draw_button(_READ_BY[ending], data, name, ending)
    _draw_advice(name, training)


def _draw_button(label: str, data: bytes, name: str, ending: str) -> None:
    st.download_button(
        label,
        data,
        f"{file_name(name)}{ending}",
        "application/octet-stream",
        on_click="ignore",
        key=TrainState.key(f"download_{ending[1:]}"),
    )


def _files_of(encoding: Encoding) -> dict[str, bytes]:
    """The files of a home-trained encoding, by ending, in each format that can hold it."""
    trained = home_trained(encoding)
    assert trained is not None
    files = {}
    for ending, write in WRITERS.items():
        with contextlib.suppress(ValueError):  # it has tokens that this format cannot tell apart
            files[ending] = write(trained)
    return files


def _draw_advice(name: str, encoding: HomeEncoding) -> None:
    """Draw advice: how other libraries read these files, and code that loads the second in tiktoken."""
    if not can_minbpe_read(encoding):
        st.caption(
            "minbpe cannot read the .model file: a special token holds a blank, and its reader splits there."
        )
    nested = find_nested_specials(encoding.special_tokens)
    if nested:
        st.warning(
            escape(
                f"The special token {nested[1]} begins with another one, {nested[0]}. Where a text spells "
                "the longer one, it counts here and in Hugging Face’s tokenizers; minbpe takes the one that "
                "comes first in its file, and tiktoken may take either: the order of its hash table decides."
            )
        )
    try:
        in_tiktoken = find_difference(encoding.pattern, "tiktoken")
        in_huggingface = find_difference(encoding.pattern, "huggingface") if has_huggingface() else None
    except ValueError as problem:
        st.warning(escape(f"Your split pattern could not be tried elsewhere. {problem}"))
        return
    if in_huggingface is not None and ".json" in encoding.cached(_files_of):
        difference = difference_in_words("Hugging Face’s tokenizers", in_huggingface)
        st.warning(escape(f"tokenizer.json: {difference} Its ids may be other ones."))
    if in_tiktoken is not None:
        difference = difference_in_words("tiktoken", in_tiktoken)
        st.warning(
            escape(
                f"{difference} The .tiktoken file holds the right tokens, but no code is shown here that "
                "loads it: it would give other ids."
            )
        )
        return
    st.caption("How to load the second in tiktoken; the third is for Hugging Face’s tokenizers.")
    if encoding.pattern is not None and pattern_name(encoding.pattern) is None:
        st.caption(_tried_in_words(in_huggingface))
    snippet = tiktoken_snippet(encoding, f"{file_name(name)}.tiktoken")
    st.code(snippet, language="python", wrap_lines=True)


def difference_in_words(engine: str, difference: Difference) -> str:
    """How another engine differs on a split pattern of one's own.

    >>> difference_in_words("tiktoken", Difference("", ("a", "b"), ("ab",)))
    'tiktoken reads your split pattern in another way: it cuts “ab” into “ab”, and here it is “a”, “b”.'
    >>> difference_in_words("tiktoken", Difference("Invalid escape"))
    'tiktoken does not take your split pattern (Invalid escape).'
    """
    if difference.problem:
        return f"{engine} does not take your split pattern ({difference.problem})."
    text = "".join(difference.ours)
    theirs = _listed(difference.theirs) or "nothing"
    dropped = "" if "".join(difference.theirs) == text else ", and drops the rest"
    return (
        f"{engine} reads your split pattern in another way: it cuts {_listed([text])} into {theirs}"
        f"{dropped}, and here it is {_listed(difference.ours)}."
    )


def _tried_in_words(in_huggingface: Difference | None) -> str:
    others = " and Hugging Face’s tokenizers" if has_huggingface() and in_huggingface is None else ""
    tried = (
        f"Your own split pattern was tried in tiktoken{others} on several hundred short texts that are made "
        "to tell regular expression engines apart, and they cut all of them as here."
    )
    if has_huggingface():
        return tried
    return (
        f"{tried} Hugging Face’s tokenizers is not installed here, so it was not tried there: compare some "
        "ids before you rely on it."
    )


def _listed(pieces: Sequence[str]) -> str:
    """The first few pieces, quoted."""
    more = ", …" if len(pieces) > _MOST_PIECES else ""
    return ", ".join(quote(piece.encode("utf-8")) for piece in pieces[:_MOST_PIECES]) + more
