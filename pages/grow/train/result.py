"""Draws a trained encoding: its tokens, numbers, recipe and files."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from pages.explore.merge_trees.state import MergeTreesState
from pages.explore.vocabulary.state import VocabularyState
from pages.grow.train.charts import RATIO, ratio_chart
from pages.grow.train.fairness import draw_fairness
from pages.grow.train.form import CHOICES, LABELS
from pages.grow.train.progress import token_text
from pages.grow.train.replay import draw_replay, held_out_beginning
from pages.grow.train.state import TrainState
from pages.measure.vocabulary_size.state import VocabularySizeState
from pages.session.catalogue import find_text
from pages.session.own_encodings import REFERENCES, OwnEncoding
from pages.session.train_methods import Setting
from pages.session.train_plan import Recipe, is_bundled
from pages.session.train_run import SessionTrainings
from pages.session.workspace import Workspace
from pages.shared import page_files
from pages.shared.charts import TitledChart, show_chart
from pages.shared.colours import hue_in, hue_of
from pages.shared.markdown import draw_box, escape
from pages.shared.own_texts import own_texts
from pages.shared.session import get_workspace
from pages.shared.tables import WHERE, draw_download, file_name, show_table
from pages.shared.widgets import get_state, segments, show_info, show_warning, side_by_side
from tokenizers.amounts import bytes_in_words, share_in_words
from tokenizers.bpe import HomeEncoding, home_trained
from tokenizers.encoding import Encoding
from tokenizers.families import SentencePieces
from tokenizers.files import WRITERS, file_of, pieces_to_json, tiktoken_snippet, why_other_ids
from tokenizers.registry import model_name, short_title
from tokenizers.split import Difference, find_difference, pattern_name
from tokenizers.steps import first_few
from tokenizers.text import quote

Written = TypeVar("Written", bound=Encoding)

_FIRST = 50  # tokens that are shown first
_LONGEST = 12


def names_of_trained(workspace: Workspace) -> list[str]:
    """The session's own encodings that were trained here. Those from a file are listed on Add a tokenizer."""
    return [name for name, own in workspace.own_encodings.items() if own.recipe is not None]


def draw_trained(trainings: SessionTrainings, state: TrainState) -> None:
    """Draw the chosen one of the encodings that were trained in this session."""
    workspace = get_workspace()
    names = names_of_trained(workspace)
    if trainings.newest in names:  # shown there once; the pages that measure choose it themselves
        state.encoding = trainings.newest
        get_state(VocabularyState).encoding = trainings.newest
        get_state(MergeTreesState).add_encoding(trainings.newest)
    trainings.newest = None
    if state.encoding not in names:
        state.encoding = names[-1]
    if len(names) > 1:
        segments(st, "Your tokenizers", names, TrainState.encoding)
    name = state.encoding or names[-1]
    trained = workspace.own_encodings[name]
    recipe = trained.recipe
    assert recipe is not None
    _draw_learned(name, trained)
    _draw_summary(trained)
    _draw_actions(name, trained, recipe)
    parts: dict[str, Callable[[], None]] = {}
    if recipe.method == "fair":
        parts["Who was worst off"] = lambda: draw_fairness(name, trained, recipe)
    parts |= {
        "Watch it learn": lambda: draw_replay(name, trained, recipe),
        "Tokens": lambda: draw_tokens(trained),
        "On new text": lambda: _draw_held_out(name, trained, hue_in(workspace, name)),
        "Recipe": lambda: _draw_recipe(state, trained, recipe),
        "Download": lambda: draw_downloads(name, trained.encoding),
    }
    tabs = st.tabs(list(parts), on_change="rerun", key=TrainState.key("parts"))
    for tab, draw in zip(tabs, parts.values(), strict=True):
        if tab.open:  # a large vocabulary's files take as long to write as it took to learn
            with tab:
                draw()


def _draw_learned(name: str, trained: OwnEncoding) -> None:
    """Draw the first tokens that it learned, and the longest ones."""
    encoding = trained.encoding
    ids = _learned_ids(trained)
    lengths = trained.encoding.byte_lengths.tolist()

    def spelled(some: Iterable[int]) -> str:
        return "  ".join(token_text(encoding.token_bytes(token_id)) for token_id in some)

    first = itertools.islice((token_id for token_id in ids if lengths[token_id] > 1), _FIRST)
    longest = sorted(ids, key=lengths.__getitem__, reverse=True)[:_LONGEST]
    base = ", beside the 256 bytes" if trained.merges else ""
    st.markdown(f"**{escape(name)} learned {len(ids):,} tokens**{base}")
    draw_box(f"The first:    {spelled(first)}\nThe longest:  {spelled(longest)}", TrainState.key("learned"))


def _learned_ids(trained: OwnEncoding) -> Sequence[int]:
    """The ids of the tokens that it learned, in order; without merges, of all but special ones."""
    if trained.merges:
        return range(256, 256 + len(trained.merges))
    return sorted(trained.encoding.ordinary.values())


def _draw_summary(trained: OwnEncoding) -> None:
    numbers = {"tokens": f"{trained.encoding.n_tokens:,}"}
    if trained.held_out_ratio is not None:
        numbers["bytes per token, held-out"] = f"{trained.held_out_ratio:.2f}"
    numbers["seconds"] = f"{trained.seconds:.1f}" if trained.seconds >= 0.05 else "< 0.1"
    if trained.lost_share:
        numbers["lost"] = share_in_words(trained.lost_share)
    explained = {
        "seconds": "Reading, splitting, counting and learning.",
        "lost": "The share of the held-out text that cannot be restored: it is unknown, dropped or changed.",
    }
    row = st.container(horizontal=True, gap="medium", key=TrainState.key("summary"))
    for label, number in numbers.items():
        row.metric(label, number, help=explained.get(label), width="content")
    if trained.problem:
        show_warning(trained.problem)
    if trained.stopped:
        show_info(trained.stopped)


def _draw_actions(name: str, trained: OwnEncoding, recipe: Recipe) -> None:
    with st.container(horizontal=True):
        if st.button(
            f"See it beside {model_name(REFERENCES[0])}",
            type="primary",
            icon=":material/compare:",
            key=TrainState.key("compare"),
            help="Opens the playground with text of the kind that it learned from, and has not seen.",
        ):
            get_workspace().put_first(name, REFERENCES[0])
            if held := held_out_beginning(trained, recipe):
                get_workspace().take(held)
            st.switch_page(page_files.PLAYGROUND)
        st.button(
            "Remove",
            icon=":material/delete:",
            key=TrainState.key("remove"),
            on_click=get_workspace().remove_encoding,
            args=(name,),
        )


_SHOWN_TOKENS = 5_000


def draw_tokens(trained: OwnEncoding) -> None:
    """Draw the learned tokens in order."""
    encoding = trained.encoding
    merges = trained.merges

    def spelled(token_id: int) -> str:
        return token_text(encoding.token_bytes(token_id))

    ids = list(_learned_ids(trained)[:_SHOWN_TOKENS])
    columns: dict[str, list[Any]] = {
        "id": ids,
        "token": list(map(spelled, ids)),
        "bytes": [len(encoding.token_bytes(token_id)) for token_id in ids],
    }
    if merges:
        pairs = [merges[token_id - 256] for token_id in ids]
        columns["made of"] = [f"{spelled(left)} + {spelled(right)}" for left, right in pairs]
    if trained.counts:
        columns["times"] = [trained.counts[token_id - 256] for token_id in ids]
    show_table(pd.DataFrame(columns), height=360)
    st.caption(
        f"The first {_SHOWN_TOKENS:,} at most; Vocabulary has all. Click “bytes” to find the longest. · is a "
        "space, ⏎ a line end; bytes that are not whole characters are in hex."
    )


# How it does on text that it has not seen


def _draw_held_out(name: str, trained: OwnEncoding, hue: int) -> None:
    """Draw bytes per token on held-out text, beside other encodings, and a button to see each size."""
    if trained.held_out_ratio is None:
        show_info("Nothing was held out, so there is no text of its kind to measure it on.")
    else:
        ratios = {name: trained.held_out_ratio} | trained.reference_ratios
        hues = {short_title(each): hue if each == name else hue_of(each) for each in ratios}
        rows = pd.DataFrame({"tokenizer": list(hues), RATIO: list(ratios.values())})
        title = _verdict(name, trained.encoding.n_tokens, trained.held_out_ratio, trained.reference_ratios)
        chart = TitledChart(ratio_chart(rows, hues), title)
        show_chart(chart, "train_held_out", rows, file=f"held-out-{name}")
        st.caption(held_out_in_words(trained))
        show_table(_by_source(trained), height="content" if len(trained.report["sources"]) < 9 else 320)
    if trained.encoding.has_merges and st.button(
        "At every vocabulary size", icon=":material/show_chart:", key=TrainState.key("sizes")
    ):
        get_state(VocabularySizeState).show_training(name)
        st.switch_page(page_files.VOCABULARY_SIZE)


def held_out_in_words(trained: OwnEncoding) -> str:
    """A note: what was held out, how much, how new it is to the encoding, and how much of it is lost."""
    sources = trained.report["sources"]
    held = sum(source["held_bytes"] for source in sources)
    note = f"Held out: {bytes_in_words(held)} in whole lines from all parts of each text."
    if trained.lost_share:
        note += f" {share_in_words(trained.lost_share)} of its bytes cannot be restored."
    return escape(note)


def _verdict(name: str, n_tokens: int, ratio: float, others: dict[str, float]) -> str:
    """The title of the chart.

    >>> _verdict("mine", 600, 5.0, {"gpt2": 4.4, "cl100k_base": 4.5, "o200k_base": 4.6})
    'mine, with 600 tokens, beats GPT-4o, GPT-4 and GPT-2 on text of its kind'
    """
    beaten = [model_name(other) for other in REFERENCES if other in others and ratio > others[other]]
    if beaten:
        listed = ", ".join(beaten[:-2] + [" and ".join(beaten[-2:])])
        return f"{name}, with {n_tokens:,} tokens, beats {listed} on text of its kind"
    best = max(others, key=lambda other: others[other])
    share = ratio / others[best]
    return f"{name}, with {n_tokens:,} tokens, reaches {share:.0%} of {model_name(best)}’s {others[best]:.2f}"


def _by_source(trained: OwnEncoding) -> pd.DataFrame:
    """A row for each text: how much of it was read and held out, and bytes per token on that."""
    sources = pd.DataFrame(trained.report["sources"])
    held = sources["held_bytes"]
    tokens = sources["held_tokens"]
    table = {
        "source": sources["title"],
        "bytes read": sources["bytes"],
        "bytes held out": held,
        RATIO: held / tokens.where(tokens > 0),
    }
    if trained.lost_share:
        table["lost"] = (sources["lost_bytes"] / held.clip(lower=1)).map("{:.1%}".format)
    for other in REFERENCES:
        table[short_title(other)] = held / sources[other].where(sources[other] > 0)
    return pd.DataFrame(table).round(2)


# The recipe


def _draw_recipe(state: TrainState, trained: OwnEncoding, recipe: Recipe) -> None:
    """Draw how it was trained, and a button to train it again."""
    rows = recipe_rows(trained, recipe)
    st.markdown("\n".join(f"- **{label}**: {escape(value)}" for label, value in rows))
    st.button(
        "Use this recipe again",
        icon=":material/replay:",
        key=state.key("again"),
        on_click=_again,
        args=(state, trained, recipe),
        help="Fills the form above with it. Change something, and press Train.",
    )


def _again(state: TrainState, trained: OwnEncoding, recipe: Recipe) -> None:
    own = own_texts().unchanged(trained.own_digests)
    n_gone = sum(not is_bundled(key) and key not in own for key, _ in recipe.weighted_parts)
    note = "The recipe is in the form: press Train to learn the same again, or change it first."
    if n_gone:
        note = f"The recipe is in the form, but {n_gone} of your own texts in it have changed or are gone."
    state.hand_over(recipe, note)
    state.texts = [key for key in state.texts if is_bundled(key) or key in own]


def recipe_rows(trained: OwnEncoding, recipe: Recipe) -> list[tuple[str, str]]:
    """The facts about a training: (label, words)."""
    return [
        ("Texts", _texts_in_words(trained, recipe)),
        ("Method", f"{recipe.facts.label}, by {recipe.facts.learned_by}"),
        ("Size", f"{trained.encoding.n_tokens:,} tokens"),
        *((LABELS[setting], _setting_in_words(recipe, setting)) for setting in recipe.facts.settings),
        ("Held out", f"{recipe.held_out:.0%}"),
        ("Time", f"{trained.seconds:.1f} seconds"),
    ]


def _setting_in_words(recipe: Recipe, setting: Setting) -> str:
    """The value of a setting.

    >>> _setting_in_words(Recipe(), "ties"), _setting_in_words(Recipe(), "split_digits")
    ('the smallest ids', 'yes')
    """
    value = getattr(recipe, setting)
    if setting == "pattern":
        return _walls_in_words(value)
    if setting == "special_tokens":
        return ", ".join(value) or "none"
    if setting == "coverage":
        return f"{value:g}"
    if setting in CHOICES:
        return CHOICES[setting][value]
    return "yes" if value else "no"


def _texts_in_words(trained: OwnEncoding, recipe: Recipe) -> str:
    """Its texts, those of one's own by their present titles."""
    own = own_texts().unchanged(trained.own_digests)
    texts = []
    for key, weight in recipe.weighted_parts:
        title = own[key].title if key in own else "a text of yours"
        if is_bundled(key):
            title = find_text(key).in_sentence
        texts.append(title if weight == 1 else f"{title} × {weight:g}")
    return f"{', '.join(texts)}: {bytes_in_words(trained.n_bytes)} read"


def _walls_in_words(pattern: str | None) -> str:
    """The name of a split pattern.

    >>> _walls_in_words(None), _walls_in_words("gpt4o"), _walls_in_words("[a-z]+")
    ('none', 'gpt4o', 'your own regex, [a-z]+')
    """
    if pattern is None or pattern in CHOICES["pattern"]:
        return pattern or "none"
    return pattern_name(pattern) or f"your own regex, {pattern}"


# Files

_READ_BY = {
    ".model": "Token Grove and minbpe",
    ".tiktoken": "tiktoken",
    ".tiktoken.json": "tiktoken in JavaScript",
    ".json": "tokenizer.json",
    ".sentencepiece.model": "SentencePiece’s .model",
}
_MOST_PIECES = 4  # of a split that a warning quotes


def draw_downloads(name: str, encoding: Encoding) -> None:
    """Draw a download button for each format, and advice about the files."""
    with side_by_side(), st.spinner("Writing the files …"):
        files = encoding.cached(_files_of)
        for ending, written in files.items():
            if isinstance(written, bytes):
                file = f"{file_name(name)}{ending}"
                draw_download(_READ_BY[ending], written, file, TrainState.key(f"download_{ending[1:]}"))
        st.caption(WHERE)
    for ending, written in files.items():
        if isinstance(written, str):
            st.caption(escape(f"Not as {_READ_BY[ending]}: {written}"))
    training = home_trained(encoding)
    has_json = isinstance(files[".json"], bytes)
    if training is not None:
        _draw_advice(name, training, has_json)
    elif has_json and (note := why_other_ids(encoding)):
        st.caption(note)


def _files_of(encoding: Encoding) -> dict[str, bytes | str]:
    """The files of an encoding, by ending, or why the format cannot hold it."""
    training = home_trained(encoding)
    if training is not None:
        return {ending: _file_or_reason(WRITERS[ending], training) for ending in _READ_BY}
    own = file_of(encoding)
    if isinstance(encoding, SentencePieces):
        return {".sentencepiece.model": own, ".json": _file_or_reason(pieces_to_json, encoding)}
    return {".json": own}


def _file_or_reason(write: Callable[[Written], bytes], encoding: Written) -> bytes | str:
    try:
        return write(encoding)
    except (ValueError, OSError) as problem:
        return str(problem)


def _draw_advice(name: str, encoding: HomeEncoding, has_json: bool) -> None:
    """Draw advice: where other libraries differ on its files, and code that loads one in tiktoken."""
    differences = {}
    try:
        differences["tiktoken"] = find_difference(encoding.pattern, "tiktoken")
        if has_json:
            differences["Hugging Face’s tokenizers"] = find_difference(encoding.pattern, "huggingface")
    except ValueError as problem:
        show_warning(f"Your split pattern could not be tried in other libraries. {problem}")
        return
    for engine, difference in differences.items():
        if difference is not None:
            show_warning(f"{difference_in_words(engine, difference)} Its ids can differ.")
    if differences["tiktoken"] is None:
        st.caption("Load the .tiktoken file like this:")
        snippet = tiktoken_snippet(encoding, f"{file_name(name)}.tiktoken")
        st.code(snippet, language="python", wrap_lines=True)


def difference_in_words(engine: str, difference: Difference) -> str:
    """How another engine differs on a split pattern of one's own.

    >>> difference_in_words("tiktoken", Difference("", ("a", "b"), ("ab",)))
    'tiktoken reads your split pattern differently: it splits “ab” into “ab”, and Token Grove into “a”, “b”.'
    >>> difference_in_words("tiktoken", Difference("Invalid escape"))
    'tiktoken does not accept your split pattern (Invalid escape).'
    """
    if difference.problem:
        return f"{engine} does not accept your split pattern ({difference.problem})."
    text = "".join(difference.ours)
    return (
        f"{engine} reads your split pattern differently: it splits {_listed([text])} into "
        f"{_listed(difference.theirs) or 'nothing'}, and Token Grove into {_listed(difference.ours)}."
    )


def _listed(pieces: Sequence[str]) -> str:
    """The first few pieces, quoted."""
    return first_few([quote(piece.encode("utf-8")) for piece in pieces], _MOST_PIECES)
