"""Draws what fair BPE did: who was worst off at each merge, and plain BPE of the same size beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.grow.train.progress import token_text
from pages.grow.train.state import TrainState
from pages.measure.languages.charts import ChartData, map_chart
from pages.measure.languages.measurements import counts_of, make_table, values_of
from pages.measure.languages.state import BASE
from pages.server.run_limit import let_others_run, limited_run
from pages.session.catalogue import find_text, own_titles
from pages.session.own_encodings import OwnEncoding
from pages.session.own_texts import digest_of
from pages.session.train_plan import Recipe, is_bundled
from pages.shared.charts import show_chart
from pages.shared.colours import css_hue_in, hue_in
from pages.shared.components import base64_of, register
from pages.shared.curves import curve_of
from pages.shared.markdown import escape
from pages.shared.own_texts import own_texts
from pages.shared.session import get_workspace
from pages.shared.tables import show_table
from pages.shared.widgets import show_errors, show_info
from tokenizers.amounts import bytes_in_words
from tokenizers.bpe import HomeEncoding, SizeCurve, skip_specials
from tokenizers.data import Source, count_bytes, list_parallel, part_sources, read_bundled
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.measure import gini

PLAIN = "plain BPE"
MAX_LANGUAGES = 40
MAX_BYTES = 600 << 10
"""The most bytes of text, from which plain BPE is learned while a person waits."""

_mount = register("fairness")

Curves = Mapping[str, SizeCurve]
"""The tokens of each language at each size of a vocabulary, by the language's title."""


@st.fragment
@limited_run()
def draw_fairness(name: str, trained: OwnEncoding, recipe: Recipe) -> None:
    """Draw the numbers beside plain BPE's, the languages at each merge, and two maps."""
    texts = _learned_texts(trained, recipe)
    if len(texts) < 2:
        show_info(
            "The languages are compared on the texts that the tokenizer learned from, and fewer than two of "
            "them are here, or have anything in them. Add them again, or train on others."
        )
        return
    if len(texts) > MAX_LANGUAGES or sum(map(count_bytes, texts.values())) > MAX_BYTES:
        most = bytes_in_words(MAX_BYTES)
        show_info(f"Train on up to {MAX_LANGUAGES} texts of {most} together to compare the languages here.")
        return
    fair = trained.encoding
    assert isinstance(fair, HomeEncoding)
    with show_errors():
        with let_others_run():
            all_texts = [text for each in texts.values() for text in each]
            plain = _learn_plain(all_texts, recipe.vocab_size, recipe.pattern, recipe.special_tokens)
            fair_curves = {title: curve_of(fair, *each) for title, each in texts.items()}
            plain_curves = {title: curve_of(plain, *each) for title, each in texts.items()}
        table = compare(name, fair_curves, plain_curves)
        st.write(escape(_verdict(table)))
        if not recipe.is_of_translations:
            show_info("This compares languages only if the texts are translations of each other.")
        show_table(table, height="content")
        data = {"hue": css_hue_in(get_workspace(), name), **race_data(fair, fair_curves, plain_curves)}
        revision = digest_of(json.dumps(data))
        _mount({**data, "revision": revision}, TrainState.key("fairness"))
        st.caption(
            "The numbers above are of the texts that the tokenizer learned from: on other texts, the "
            "languages are usually further apart. A bar shows the tokens of a language, and the mark those "
            "that plain BPE makes after as many merges. The strip below shows when the language gave the "
            "next merge: of all that have a pair left, it had the most tokens ([Foroutan et al. "
            "2025](https://arxiv.org/abs/2508.04796))."
        )
        _draw_maps(name, fair, plain)


def _learned_texts(trained: OwnEncoding, recipe: Recipe) -> dict[str, list[str]]:
    """What each language gave to learn from, by its title; without those that are gone or empty."""
    own = own_texts().unchanged(trained.own_digests)
    titles = own_titles(own_texts())
    sources = []
    for key, weight in recipe.weighted_parts:
        if is_bundled(key):
            sources.append(Source(find_text(key).title, read_bundled(key).texts, weight))
        elif key in own:
            sources.append(Source(titles[key], (own[key].text,), weight))
    texts = {}
    for source, part in zip(sources, part_sources(sources, recipe.held_out), strict=True):
        read = part.texts()
        if recipe.skip_specials:
            read = skip_specials(read, recipe.special_tokens)
        texts[source.title] = list(read)
    return {title: each for title, each in texts.items() if each}


@st.cache_resource(max_entries=4, show_spinner="Training plain BPE on the same texts …")
def _learn_plain(
    texts: list[str], vocab_size: int, pattern: str | None, special_tokens: tuple[str, ...]
) -> HomeEncoding:
    return tk.train(texts, vocab_size, pattern, special_tokens, name=PLAIN)


def compare(name: str, fair: Curves, plain: Curves) -> pd.DataFrame:
    """A row for plain and for fair BPE: how unequal the languages are, and all their tokens.

    Both have as many merges: where one stopped earlier, those of the other are cut off.

    Args:
        name: of the tokenizer that fair BPE learned.
        fair, plain: the languages in it, and in plain BPE.
    """
    both = {PLAIN: plain, f"{name} (fair)": fair}
    size = min(next(iter(curves.values())).full for curves in both.values())
    rows = []
    for title, curves in both.items():
        counts = [curve.at(size) for curve in curves.values()]
        row = {
            "tokenizer": title,
            "Gini": gini(counts),
            "most ÷ fewest": max(counts) / min(counts),
            "tokens of all": sum(counts),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _verdict(table: pd.DataFrame) -> str:
    """What fair BPE gains and costs, in two sentences.

    >>> columns = ["tokenizer", "Gini", "most ÷ fewest", "tokens of all"]
    >>> _verdict(pd.DataFrame([[PLAIN, 0.1, 1.9, 1000], ["fair", 0.0, 1.0, 1034]], columns=columns))
    'The language with the most tokens takes 1.00× as many as the one with the fewest; with plain BPE, \
1.90×. All languages together take 3.4% more tokens.'
    """
    plain, fair = table.to_dict("records")
    change = round(fair["tokens of all"] / plain["tokens of all"] - 1, 3)
    together = "as many"
    if change:
        together = f"{abs(change):.1%} {'more' if change > 0 else 'fewer'}"
    return (
        f"The language with the most tokens takes {fair['most ÷ fewest']:.2f}× as many as the one with the "
        f"fewest; with plain BPE, {plain['most ÷ fewest']:.2f}×. All languages together take {together} "
        "tokens."
    )


def givers(curves: Sequence[SizeCurve], n_merges: int) -> np.ndarray:
    """Which text gave each merge, shape (n_merges,): of those that it shortens, the one with the most tokens.

    Fair BPE takes the pair from the text that has the most tokens, as long as that one has a pair left.

    Args:
        curves: of each text.
        n_merges: of the encoding.

    >>> encoding = tk.train("abab cc", 258, None)
    >>> givers([curve_of(encoding, text) for text in ("abab", "ccc")], 2).tolist()
    [0, 0]
    """
    counts = np.stack([curve.at_sizes(256 + np.arange(n_merges + 1)) for curve in curves])
    before = counts[:, :-1]
    after = counts[:, 1:]
    worst: np.ndarray = np.where(before > after, before, 0).argmax(axis=0)
    return worst


def race_data(fair: HomeEncoding, curves: Curves, plain: Curves) -> JsonObject:
    """What the component plays: the tokens of each language after each merge, and which one gave it.

    Args:
        fair: what fair BPE learned.
        curves: of each language in it.
        plain: the same in plain BPE.
    """
    n_merges = len(fair.merges)
    return {
        "languages": [
            {"name": title, "fair": _packed(curve), "plain": _packed(plain[title])}
            for title, curve in curves.items()
        ],
        "givers": base64_of(givers(list(curves.values()), n_merges).astype("u1").tobytes()),
        "learned": [token_text(fair.token_bytes(256 + merge)) for merge in range(n_merges)],
    }


def _packed(curve: SizeCurve) -> dict[str, str]:
    """The sizes at which a count changes, and the counts from there on, as the browser reads them."""
    return {
        field: base64_of(values.astype("<u4").tobytes())
        for field, values in (("sizes", curve.sizes), ("counts", curve.counts))
    }


def _draw_maps(name: str, fair: Encoding, plain: Encoding) -> None:
    """Draw the premiums of all translations on two maps."""
    texts = list_parallel()
    names = [PLAIN, f"{name} (fair)"]
    with st.spinner("Counting the tokens of all translations …"):
        counted = {title: counts_of(each) for title, each in zip(names, (plain, fair), strict=True)}
    table = make_table(texts, counted, BASE)
    table["found"] = True
    base = next(text.name for text in texts if text.code == BASE)
    hues = [hue_in(get_workspace(), each) for each in (PLAIN, name)]
    for lead, place in enumerate(st.columns(2, gap="large")):
        data = ChartData(table, names, hues, lead, focus="", base=base)
        values = values_of(table, names, [lead], "latitude", "longitude")
        with place:
            show_chart(map_chart(data), TrainState.key(f"map{lead}"), values, source=data.source)
