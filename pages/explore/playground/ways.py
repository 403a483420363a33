"""The playground's tool Ways: how else a short text could be cut into a tokenizer's tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import altair as alt
import pandas as pd
import streamlit as st

from pages.explore.playground.state import PlaygroundState
from pages.session.workspace import Workspace
from pages.shared.charts import TitledChart, cached_chart, paint, show_chart, tips
from pages.shared.colours import css_hue_in, hue_in
from pages.shared.components import register
from pages.shared.markdown import escape
from pages.shared.page_files import choose_encoding
from pages.shared.widgets import get_state, tied
from tokenizers.amounts import plural, shorten
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.measure import (
    MAX_WAYS_BYTES,
    count_ways,
    drop_merges,
    fewest_tokens,
    open_end,
    why_no_ways,
)
from tokenizers.registry import model_name
from tokenizers.text import isolate, quote

CUT = "|"
_MOST_CHIPS = 100
_EXAMPLES = 6
_SHOWN = 40  # characters of the text in a sentence

_mount_lines = register("token_lines")


def draw_ways(workspace: Workspace) -> None:
    """Draw the fields, how many ways there are, and some of them."""
    state = get_state(PlaygroundState)
    choosing, typing = st.columns(2)
    fitting = [name for name in workspace.encodings if not why_no_ways(workspace.find_encoding(name))]
    if not fitting:
        st.info(
            "Add a model above whose tokenizer merges bytes, such as GPT-4o: then its ways can be counted."
        )
        return
    if state.ways_encoding not in fitting:
        state.ways_encoding = fitting[0]
    choose_encoding(choosing, "Model", fitting, PlaygroundState.ways_encoding)
    typing.text_input(
        "A word or a sentence",
        max_chars=MAX_WAYS_BYTES,
        help=f"Type {CUT} where you would cut, and see whether your parts are tokens.",
        **tied(PlaygroundState.ways_text),
    )
    text = state.ways_text.replace(CUT, "")
    if not text:
        st.info("Type a word above.")
        return
    encoding = workspace.find_encoding(str(state.ways_encoding))
    ways = count_ways(encoding, text)
    own = encoding.encode(text)
    _draw_answer(encoding.name, text, ways, len(own))
    if len(ways) > 1:
        table = _ways_table(ways, len(own))
        chart = _ways_chart(table, model_name(encoding.name), len(own), hue_in(workspace, encoding.name))
        show_chart(chart, "playground_ways", table)
    _draw_dropping()
    _draw_rows(workspace, state, encoding, text, own)
    st.toggle(
        "What if the text goes on?",
        help="Tries every token of the vocabulary behind the text, in about a second.",
        **tied(PlaygroundState.ways_go_on),
    )
    if state.ways_go_on:
        _draw_open_end(encoding, text, own)


def _draw_dropping() -> None:
    """Draw the fields of BPE-dropout."""
    dropping, seeding = st.columns(2, vertical_alignment="bottom")
    dropping.slider(
        "Merges that are left out by chance (BPE-dropout)",
        0.0,
        1.0,
        step=0.05,
        format="percent",
        help="In training, a model may be shown a word cut in other ways each time, so that it learns what "
        "is in it (Provilkov and others 2020). 100%: every byte is a token.",
        **tied(PlaygroundState.ways_dropped),
    )
    seeding.number_input(
        "Draw number",
        1,
        1_000_000,
        help="The same number cuts the same way.",
        **tied(PlaygroundState.ways_seed),
    )


def _draw_rows(
    workspace: Workspace, state: PlaygroundState, encoding: Encoding, text: str, own: list[int]
) -> None:
    """Draw the tokenizer's own way, one with the fewest tokens, one by chance, and the person's own."""
    rows = [
        ("Its own way", own),
        ("A way with the fewest tokens", fewest_tokens(encoding, text)),
        ("With merges left out", drop_merges(encoding, text, state.ways_dropped, int(state.ways_seed))),
    ]
    notes = []
    if CUT in state.ways_text:
        parts = [part for part in state.ways_text.split(CUT) if part]
        rows.append(("Your way", [encoding.ordinary.get(part.encode(), -1) for part in parts]))
        notes = _notes_on(encoding, parts)
    hue = css_hue_in(workspace, encoding.name)
    lines = {"title": "", "rows": [_row(encoding, hue, *row) for row in rows], "notes": notes}
    _mount_lines({"lines": [lines]}, "playground_ways_lines")


def _draw_open_end(encoding: Encoding, text: str, own: Sequence[int]) -> None:
    """Say which of the text's last tokens could be others if the text went on."""
    with st.spinner("Trying every token …"):
        found = open_end(encoding, text)
    n_open = len(own) - found.n_settled
    if not n_open:
        st.write("Whichever token comes next, these stay as they are.")
        return
    last = "the last token" if n_open == 1 else f"one of the last {n_open:,} tokens"
    step = max(1, len(found.changing) // _EXAMPLES)  # examples are far apart
    examples = ", ".join(quote(encoding.token_bytes(each)) for each in found.changing[::step])
    st.write(
        f"Of {len(encoding.ordinary):,} tokens, {len(found.changing):,} would change {last}, if they came "
        f"next: {escape(examples)}, for example."
    )
    st.caption(
        "A model that goes on from these tokens rarely writes such a continuation: in what it has read, the "
        "tokens were others. So do not end a prompt in the middle of a word, or with a space. Some programs "
        "step back by a token for that: token healing (Lundberg 2023)."
    )


def _draw_answer(name: str, text: str, ways: Mapping[int, int], n_own: int) -> None:
    others = sum(ways.values()) - 1
    shown = escape(isolate(shorten(text, _SHOWN)))
    sentence = f"{escape(model_name(name))} cuts “{shown}” into {plural(n_own, 'token')}."
    if others:
        least, *_, most = ways
        between = plural(least, "token") if least == most else f"{least:,} to {plural(most, 'token')}"
        sentence += f" There are {_in_words(others, 'other way')}, of {between}."
    else:
        sentence += " There is no other way."
    st.markdown(f"**{sentence}**")
    if others:
        st.caption(
            f"Decoding gives the same text for each. Who pays by the token is billed for {n_own:,}; from the "
            f"text alone, nobody could tell that it was not {max(ways):,}. "
            "([Artola Velasco and others 2025](https://arxiv.org/abs/2505.21627))"
        )


def _in_words(count: int, what: str) -> str:
    """A count that may have a hundred digits.

    >>> _in_words(1, "way"), _in_words(12_345, "way"), _in_words(12_345 * 10**20, "way")
    ('1 way', '12,345 ways', 'about 1.2 × 10^24 ways')
    """
    if count < 10**15:
        return plural(count, what)
    digits = str(count)
    return f"about {digits[0]}.{digits[1]} × 10^{len(digits) - 1} {what}s"


def _ways_table(ways: Mapping[int, int], n_own: int) -> pd.DataFrame:
    """The ways by their number of tokens; as floats for the chart, which are exact up to 16 digits."""
    return pd.DataFrame(
        {"tokens": n_tokens, "ways": float(count), "exactly": f"{count:,}", "its own": n_tokens == n_own}
        for n_tokens, count in ways.items()
    )


@cached_chart
def _ways_chart(table: pd.DataFrame, model: str, n_own: int, hue: int) -> TitledChart:
    """How many ways have so many tokens, on a logarithmic axis; the tokenizer's own number in its hue."""
    colour = alt.condition("datum['its own']", alt.value(paint(hue)), alt.value("#9aa59f"))
    chart = (
        alt.Chart(table)
        .mark_bar(cornerRadiusEnd=2)
        .encode(
            x=alt.X("tokens:O", title="tokens", axis=alt.Axis(labelAngle=0, ticks=False, labelOverlap=True)),
            y=alt.Y(
                "ways:Q",
                title="ways (logarithmic)",
                scale=alt.Scale(type="log", domainMin=0.5),
                axis=alt.Axis(tickCount=4),
            ),
            y2=alt.Y2Datum(0.5),
            color=colour,
            tooltip=tips({"tokens": ",d", "exactly": ("ways", "")}),
        )
        .properties(height=200)
    )
    commonest = int(table["tokens"].iloc[table["ways"].argmax()])
    title = (
        f"{model} takes one of the ways with {plural(n_own, 'token')}; the commonest number is {commonest:,}"
    )
    return TitledChart(chart, title)


def _row(encoding: Encoding, hue: str, name: str, ids: Sequence[int]) -> JsonObject:
    """A way as its component draws it; an id of -1 is no token, and is not drawn."""
    known = [token_id for token_id in ids if token_id >= 0]
    chips = [[each, encoding.token_bytes(each).hex(), ""] for each in known[:_MOST_CHIPS]]
    says = plural(len(ids), "token") if len(known) == len(ids) else "not all of it is tokens"
    row = {"name": name, "hue": hue, "says": says, "tokens": chips, "count": len(known)}
    return row | {"before": 0, "isPlain": True}


def _notes_on(encoding: Encoding, parts: Sequence[str]) -> list[str]:
    """What is to be said of a person's own cuts."""
    missing = [part for part in parts if part.encode() not in encoding.ordinary]
    if missing:
        return [f"{quote(part.encode())} is no token: cut it once more." for part in missing[:5]]
    return ["Decoding your ids gives the same text, and encoding that text gives its own way again."]
