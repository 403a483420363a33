"""Draws what fair BPE did: who was worst off at each merge, and plain BPE of the same size beside it."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import tokenizers as tk
from pages.grow.train.progress import token_text
from pages.grow.train.state import TrainState
from pages.measure.languages.charts import ChartData, map_chart
from pages.measure.languages.measurements import counts_of, make_table, values_of
from pages.measure.languages.state import BASE
from pages.server.run_limit import limited_run
from pages.session.catalogue import find_text
from pages.session.own_encodings import OwnEncoding
from pages.session.train_plan import Recipe, is_bundled
from pages.shared.charts import show_chart
from pages.shared.colours import css_hue_in, hue_in
from pages.shared.components import register
from pages.shared.curves import curve_of
from pages.shared.markdown import escape
from pages.shared.own_texts import own_texts
from pages.shared.session import get_workspace
from pages.shared.tables import show_table
from pages.shared.widgets import show_errors, show_info
from tokenizers.amounts import bytes_in_words
from tokenizers.bpe import HomeEncoding, SizeCurve, skip_specials
from tokenizers.data import LANGUAGE, Source, count_bytes, list_parallel, part_sources, read_bundled
from tokenizers.encoding import Encoding
from tokenizers.limits import MB
from tokenizers.measure import fingerprint, gini

PLAIN = "plain BPE"
_MOST_LANGUAGES = 40
_MOST_BYTES = 4 * MB  # of text, from which plain BPE is learned while a person waits

_mount = register("fairness")


@st.fragment
@limited_run()
def draw_fairness(name: str, trained: OwnEncoding, recipe: Recipe) -> None:
    """Draw the numbers beside plain BPE's, the languages at each merge, and two maps."""
    texts = _learned_texts(trained, recipe)
    n_bytes = sum(map(count_bytes, texts.values()))
    if not texts:
        show_info("It learned from texts of yours that have changed or are gone, so they cannot be counted.")
        return
    if len(texts) > _MOST_LANGUAGES or n_bytes > _MOST_BYTES:
        show_info(
            f"Up to {_MOST_LANGUAGES} languages of {bytes_in_words(_MOST_BYTES)} together are counted here "
            f"at each merge, and these are {len(texts):,} of {bytes_in_words(n_bytes)}."
        )
        return
    fair = trained.encoding
    assert isinstance(fair, HomeEncoding)
    plain = _learn_plain(
        [text for each in texts.values() for text in each],
        recipe.vocab_size,
        recipe.pattern,
        recipe.special_tokens,
    )
    curves = {
        encoding_name: {title: curve_of(encoding, *each) for title, each in texts.items()}
        for encoding_name, encoding in ((PLAIN, plain), (name, fair))
    }
    table = compare(curves)
    st.write(escape(_verdict(table)))
    show_table(table, height="content")
    hue = css_hue_in(get_workspace(), name)
    _mount(data={"hue": hue, **race_data(fair, curves[name], curves[PLAIN])}, key=TrainState.key("fairness"))
    st.caption(
        "All numbers are of the texts that it learned from. The bar is the language’s tokens, and the mark "
        "those of plain BPE with as many merges. The strip below shows when the language had the most "
        "tokens: fair BPE then joins the most frequent pair of that language "
        "([Foroutan et al. 2025](https://arxiv.org/abs/2508.04796))."
    )
    _draw_maps({PLAIN: plain, name: fair}, recipe)


def _learned_texts(trained: OwnEncoding, recipe: Recipe) -> dict[str, list[str]]:
    """What was learned from, by title; empty: a person's own text has changed or is gone."""
    own = own_texts().unchanged(trained.own_digests)
    sources = []
    for key, weight in recipe.weighted_parts:
        if is_bundled(key):
            title = find_text(key).title
            sources.append(Source(title, read_bundled(key).texts, weight))
        elif key in own:
            sources.append(Source(own[key].title, (own[key].text,), weight))
        else:
            return {}
    texts = {}
    for source, part in zip(sources, part_sources(sources, recipe.held_out), strict=True):
        read = part.texts()
        texts[source.title] = list(
            skip_specials(read, recipe.special_tokens) if recipe.skip_specials else read
        )
    return texts


@st.cache_resource(max_entries=4, show_spinner="Training plain BPE on the same texts …")
def _learn_plain(
    texts: list[str], vocab_size: int, pattern: str | None, special_tokens: tuple[str, ...]
) -> HomeEncoding:
    return tk.train(texts, vocab_size, pattern, special_tokens, name=PLAIN)


def compare(curves: Mapping[str, Mapping[str, SizeCurve]]) -> pd.DataFrame:
    """A row for each encoding: how unequal the languages are at its full size, and all their tokens.

    Args:
        curves: of each language, by the name of the encoding.
    """
    rows = []
    for name, languages in curves.items():
        counts = [curve.at(curve.full) for curve in languages.values()]
        rows.append(
            {
                "tokenizer": name,
                "Gini": round(gini(counts), 3),
                "most ÷ fewest": round(max(counts) / min(counts), 2),
                "tokens of all": sum(counts),
            }
        )
    return pd.DataFrame(rows)


def _verdict(table: pd.DataFrame) -> str:
    """What fair BPE gains and costs, in a sentence.

    >>> rows = [["plain BPE", 0.1, 1.9, 1000], ["fair", 0.0, 1.0, 1034]]
    >>> _verdict(pd.DataFrame(rows, columns=["tokenizer", "Gini", "most ÷ fewest", "tokens of all"]))
    'The most tokens of a language are 1.00 times the fewest; with plain BPE, 1.90 times. All languages \
together take 3.4% more tokens.'
    """
    plain, fair = table.to_dict("records")
    change = fair["tokens of all"] / plain["tokens of all"] - 1
    return (
        f"The most tokens of a language are {fair['most ÷ fewest']:.2f} times the fewest; with plain BPE, "
        f"{plain['most ÷ fewest']:.2f} times. All languages together take {abs(change):.1%} "
        f"{'more' if change >= 0 else 'fewer'} tokens."
    )


def worst_off(curves: Sequence[SizeCurve], n_merges: int) -> np.ndarray:
    """Which text had the most tokens before each merge, shape (n_merges,): its number, the first of equals.

    Args:
        curves: of each text.
        n_merges: of the encoding.

    >>> encoding = tk.train("abab cc", 258, None)
    >>> worst_off([curve_of(encoding, text) for text in ("abab", "ccc")], 2).tolist()
    [0, 1]
    """
    sizes = 256 + np.arange(n_merges)
    worst: np.ndarray = np.stack([curve.at_sizes(sizes) for curve in curves]).argmax(axis=0)
    return worst


def race_data(
    fair: HomeEncoding, curves: Mapping[str, SizeCurve], plain: Mapping[str, SizeCurve]
) -> dict[str, Any]:
    """What the component plays: the tokens of each language after each merge, and who was worst off.

    Args:
        fair: what fair BPE learned.
        curves: of each language, by its title, in that.
        plain: the same in plain BPE.
    """
    n_merges = len(fair.merges)
    worst = worst_off(list(curves.values()), n_merges)
    return {
        "revision": fingerprint(fair),
        "languages": [
            {"name": title, "fair": _packed(curve), "plain": _packed(plain[title])}
            for title, curve in curves.items()
        ],
        "worst": base64.b64encode(worst.astype("u1").tobytes()).decode(),
        "learned": [token_text(fair.token_bytes(256 + merge)) for merge in range(n_merges)],
    }


def _packed(curve: SizeCurve) -> dict[str, str]:
    """The sizes at which a count changes, and the counts from there on, as the browser reads them."""
    return {
        field: base64.b64encode(values.astype("<u4").tobytes()).decode()
        for field, values in (("sizes", curve.sizes), ("counts", curve.counts))
    }


def _draw_maps(encodings: Mapping[str, Encoding], recipe: Recipe) -> None:
    """Draw the premiums of all translations on two maps; those that it did not learn from are faint."""
    learned = {key.removeprefix(LANGUAGE) for key, _ in recipe.weighted_parts}
    with show_errors():
        texts = list_parallel()
        with st.spinner("Counting the tokens of all translations …"):
            counted = {name: counts_of(encoding) for name, encoding in encodings.items()}
        table = make_table(texts, counted, BASE)
        table["found"] = table["code"].isin(learned)
        base = next(text.name for text in texts if text.code == BASE)
        names = list(encodings)
        hues = [hue_in(get_workspace(), name) for name in names]
        for lead, place in enumerate(st.columns(2, gap="large")):
            data = ChartData(table, names, hues, lead, focus="", base=base)
            values = values_of(table, names, [lead], "latitude", "longitude")
            with place:
                show_chart(map_chart(data), TrainState.key(f"map{lead}"), values, source=data.source)
        st.caption("The strong dots are the languages that it learned from.")
