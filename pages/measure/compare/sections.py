"""The sections of the page Compare: tokens of either vocabulary, texts, chats and round trips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

from pages.measure.compare import charts
from pages.measure.compare.state import BY, GROUPS, KINDS, LANGUAGES, MOVED, ONLY_A, ONLY_B, CompareState
from pages.server.run_limit import limited_run
from pages.session.catalogue import FEATURED, catalogue, find_text, own_titles
from pages.session.own_texts import PLAYGROUND, OwnTexts, digest_of
from pages.session.workspace import WELCOME, Workspace
from pages.shared.biography import clicked_token, draw_biography
from pages.shared.charts import show_chart
from pages.shared.colours import css_hue, hue_in
from pages.shared.components import register
from pages.shared.markdown import escape
from pages.shared.own_texts import draw_own_texts
from pages.shared.tables import show_table
from pages.shared.warnings import lose, lossy_encodings, warn_of_losses
from pages.shared.widgets import segments, show_errors, tied, write_link
from tokenizers.amounts import bytes_in_words
from tokenizers.data import LANGUAGE, list_parallel, utf8_length
from tokenizers.encoding import Encoding
from tokenizers.limits import MB
from tokenizers.measure import (
    Comparison,
    LineChange,
    changed_lines,
    count_chat,
    fingerprint,
    round_trip,
    search_tokens,
    shipped_counts,
    stream,
    vocabulary_of,
)
from tokenizers.text import (
    TEMPLATES,
    TextMap,
    encode_spans,
    parse_chat,
    quote,
    spell_text,
    spell_token,
)

MAX_BYTES = 20 * MB
"""The most bytes of texts that are counted."""

MAX_LINE_CHARS = 200_000
"""The most characters of a text whose lines are compared."""

_ROWS, _LINES, _HARD_TEXTS = 500, 2, 5  # of the table of tokens; that are drawn, with their tokens
_TRIED = 50  # lines among which a plain one is looked for
_DRAWN, _MATCHED = 40, 200  # tokens that are drawn in a row, and compared
_STEPS = 60  # tokens of a stream
_CHAT = parse_chat('[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]')

Ids = npt.NDArray[np.int64]

Side = tuple[int, Sequence[int], str]
"""Ids of A (0) or B (1), and what is said of them."""

_mount = register("token_lines")


@dataclass(frozen=True)
class Pair:
    """What is compared.

    Attributes:
        workspace, state: of the session, and of the page.
        comparison: of the two encodings. It calls them as the page does, by two different names.
    """

    workspace: Workspace
    state: CompareState
    comparison: Comparison

    @property
    def names(self) -> tuple[str, str]:
        """The names of A and B."""
        return self.state.a, self.state.b

    @property
    def encodings(self) -> tuple[Encoding, Encoding]:
        """A and B."""
        return self.comparison.a, self.comparison.b

    @property
    def hues(self) -> dict[str, int]:
        """Their hues, by what the page calls them."""
        hues = (hue_in(self.workspace, name) for name in self.names)
        return dict(zip(self.comparison.called, hues, strict=True))

    @property
    def lossy(self) -> list[str]:
        """Those of the two that may lose a part of a text."""
        return lossy_encodings(self.workspace, self.names)


# Vocabulary


def count_tokens(pair: Pair) -> pd.DataFrame:
    """How many tokens are in one of the two and in both, as ``charts.counts_chart`` draws it."""
    counts = pair.comparison.count_by(BY[pair.state.by])
    return pd.DataFrame([*counts.values()], [*counts]).rename_axis(pair.state.by).reset_index()


@st.fragment
@limited_run()
def draw_vocabulary(pair: Pair) -> None:
    """Draw the counts, and the tokens as a list with a biography."""
    workspace, state, comparison = pair.workspace, pair.state, pair.comparison
    sizes = comparison.ordinary.counts._asdict()
    if sizes[ONLY_A] or sizes[ONLY_B]:
        segments(st, "Tokens by", list(BY), CompareState.by)
        table, key, file = count_tokens(pair), state.key("counts"), f"compare-{state.by}"
        show_chart(charts.counts_chart(table, pair.hues), key, table, file=file)
    labels = {group: f"{GROUPS[group].format(*pair.hues)} · {sizes[group]:,}" for group in GROUPS}
    segments(st, "Tokens", labels, CompareState.group, label_visibility="collapsed")
    st.text_input("Find tokens that contain", max_chars=200, **tied(CompareState.query))
    state.token = clicked_token(workspace, state.key("life")) or state.token
    ids, side = ids_of(pair, state.group), 0 if state.group == ONLY_A else 1
    vocabulary = vocabulary_of(pair.encodings[side])
    if state.query:
        ids = ids[np.isin(ids[:, side], search_tokens(vocabulary, state.query))]
    if len(ids):
        if state.query:  # the shortest come first, so that the token itself leads
            ids = ids[np.argsort(vocabulary.byte_lengths[ids[:, side]], kind="stable")]
        else:  # words come first, and what is not whole characters last
            texts = [vocabulary.texts[i].strip(" #") for i in ids[:, side].tolist()]
            is_word = np.array([len(text) > 2 and text.isalpha() for text in texts])
            ids = ids[np.lexsort((vocabulary.not_utf8[ids[:, side]], ~is_word))]
        left, right = st.columns([2, 3], gap="medium")
        with left:
            _draw_found(pair, ids)
        if state.token:
            name, token_id = state.token
            with right, show_errors():
                draw_biography(workspace, workspace.encoding(name), token_id, state.key("life"))
    else:
        st.info("There are no such tokens. Choose another group, or search for less.")
    write_link(state)


def ids_of(pair: Pair, group: str) -> Ids:
    """The tokens of a group, in a row each: the id in A, and that in B; -1: it does not have the token."""
    if group == MOVED:
        return pair.comparison.ordinary.moved
    ids = getattr(pair.comparison.ordinary, group)
    none = np.full_like(ids, -1)
    return np.column_stack((none if group == ONLY_B else ids, none if group == ONLY_A else ids))


def tokens_table(pair: Pair, ids: Ids) -> pd.DataFrame:
    """A row for each token of ``ids_of``."""
    a, b = (encoding.token_bytes for encoding in pair.encodings)
    tokens = [b(j) if j >= 0 else a(i) for i, j in ids.tolist()]
    table = pd.DataFrame(ids, columns=[f"id in {name}" for name in pair.names], dtype="Int64")
    table = table.mask(table < 0)
    return table.assign(token=list(map(spell_token, tokens)), hex=[token.hex(" ") for token in tokens])


def _draw_found(pair: Pair, ids: Ids) -> None:
    """Draw the tokens that were found in a table. A click chooses one."""
    state, table = pair.state, tokens_table(pair, ids[:_ROWS])
    key = state.key(f"table_{hash((pair.names, state.group, state.query))}")

    def choose() -> None:
        for row, _ in st.session_state[key]["selection"]["cells"]:
            side = 1 if ids[row][1] >= 0 else 0  # an encoding that has the token, B rather than A
            state.token = pair.names[side], int(ids[row][side])

    st.dataframe(
        table[["token", *table.columns[:2]]].dropna(axis="columns"),
        hide_index=True,
        key=key,
        on_select=choose,
        selection_mode="single-cell",
    )
    more = f" The first {_ROWS} are listed; tokens.csv has all." if len(ids) > _ROWS else ""
    st.caption(f"{len(ids):,} tokens. Click one to read about it.{more}")


# Texts


def titles_of(own: OwnTexts) -> dict[str, str]:
    """The texts that can be chosen, by key: a person's own, samples of many kinds, and all languages."""
    texts = catalogue().items()
    return own_titles(own) | {k: text.short for k, text in texts if k in FEATURED or k.startswith(LANGUAGE)}


def texts_of(own: OwnTexts) -> dict[str, str]:
    """The content of own texts and samples, by key: as many as ``MAX_BYTES`` hold, and none that is empty.

    Raises:
        OSError, ValueError: a sample is missing or damaged.
    """
    known, texts, room = catalogue(), dict[str, str](), MAX_BYTES
    for key in (*own, *FEATURED):
        text = own[key].text if key in own else known[key].read()
        if text and utf8_length(text) <= room:
            texts[key] = text
            room -= utf8_length(text)
    return texts


@st.cache_data(show_spinner=False, max_size="8MB")
def _count(kind: str, digest: str, _encoding: Encoding, _text: str) -> int:
    return len(_encoding.encode_array(_text))


def count_texts(pair: Pair) -> pd.DataFrame:
    """How many tokens each text takes in both: key, text, a, b, bytes, change; sorted by the last.

    Raises:
        ValueError, OSError: a text cannot be counted; says why.
    """
    own = pair.workspace.own_texts
    parallel = list_parallel() if pair.state.kind == LANGUAGES else ()
    texts = {LANGUAGE + text.code: text.text for text in parallel} or texts_of(own)
    table = pd.DataFrame({"key": list(texts), "text": map(titles_of(own).__getitem__, texts)})
    for column, encoding in zip("ab", pair.encodings, strict=True):
        known = {LANGUAGE + code: count for code, count in (shipped_counts(encoding) or {}).items()}
        kind = fingerprint(encoding)
        table[column] = [known.get(k) or _count(kind, digest_of(t), encoding, t) for k, t in texts.items()]
    table["bytes"] = list(map(utf8_length, texts.values()))
    return table[table["a"] > 0].assign(change=table["b"] / table["a"] - 1).sort_values("change")


def say_text(pair: Pair, key: str) -> str:
    """What a text takes in both, as a sentence; empty: A has no tokens of it.

    Raises:
        ValueError: it cannot be counted; says why.
    """
    text, (a, b) = _read(pair, key), pair.comparison.called
    n_a, n_b = (_count(fingerprint(each), digest_of(text), each, text) for each in pair.encodings)
    if not n_a:
        return ""
    takes = f"{charts.change_in_words(n_b / n_a - 1)} than {a}: {n_b:,} instead of {n_a:,}"
    takes = takes if n_a != n_b else f"as many tokens as {a}: {n_b:,}"
    loss = f" ({lose(pair.lossy)} text)" if pair.lossy else ""
    named = "the text in the playground" if key == PLAYGROUND else titles_of(pair.workspace.own_texts)[key]
    return f"For {named}, {b} takes {takes}{loss}"


def draw_texts(pair: Pair) -> None:
    """Draw the change in tokens of each text, and lines of one that change."""
    state, own = pair.state, pair.workspace.own_texts
    segments(st, "Texts", KINDS, CompareState.kind, label_visibility="collapsed")
    with st.spinner("Counting the tokens of each text: a moment, once."):
        table = count_texts(pair)
    show_chart(
        charts.texts_chart(table, pair.hues, pair.lossy),
        state.key("texts"),
        table.rename(columns={"a": f"tokens in {pair.names[0]}", "b": f"tokens in {pair.names[1]}"}),
        on_click=state.click_text,
        column_config={"change": "percent"},
        file="compare-texts",
    )
    warn_of_losses(pair.lossy)
    draw_own_texts(state.choose_texts, f"This page counts up to {bytes_in_words(MAX_BYTES)} of texts.")
    key, lines = _choose_lines(pair, table)
    says = "lines that change" if lines else "every line has as many tokens in both"
    where = "" if len(_read(pair, key)) <= MAX_LINE_CHARS else f", in its first {MAX_LINE_CHARS:,} characters"
    st.subheader("Where they split differently, and why", anchor=False)
    st.markdown(
        f"**{escape(titles_of(own)[key])}:** {says}{where}. {escape(say_text(pair, key))}. Click a dot above "
        "to see another text."
    )
    st.caption("In colour: tokens that only one of the two makes here. Framed: the first of them.")
    drawn = []
    for number, *sides in lines:
        named = list(zip(pair.comparison.called, sides, strict=True))
        notes = [f"{label}: {side.reason}" for label, side in named if side.reason]
        title = f"Line {number:,}: {sides[0].n_tokens:,} → {sides[1].n_tokens:,} tokens"
        rows = _rows(pair, [(at, side.ids, "") for at, side in enumerate(sides)])
        drawn.append({"title": title, "rows": rows, "notes": notes})
    _mount(data={"lines": drawn}, key=state.key("lines"))


def _read(pair: Pair, key: str) -> str:
    own = pair.workspace.own_texts
    return own[key].text if key in own else find_text(key).read()


def _choose_lines(pair: Pair, table: pd.DataFrame) -> tuple[str, list[LineChange]]:
    """The key of a text, with lines of it that change.

    A clicked text comes first, then one that somebody typed, then the first whose line is easy to read.
    """
    changed = table.loc[table["change"] != 0, "key"].tolist()
    typed = [PLAYGROUND] if PLAYGROUND in changed and pair.workspace.text != WELCOME else []
    chosen = [pair.state.text] if pair.state.text else typed
    for key in chosen or [each for each in FEATURED if each in changed]:
        lines = _lines_of(pair, key)
        if chosen or lines and lines[0].is_plain:
            return key, lines
    key = str(table["key"].iloc[table["change"].abs().argmax()])
    return key, _lines_of(pair, key)


def _lines_of(pair: Pair, key: str) -> list[LineChange]:
    """The lines of a text that change most; before them, those that are easy to read."""
    text_map = TextMap(_read(pair, key)[:MAX_LINE_CHARS])
    a, b = (encode_spans(encoding, text_map) for encoding in pair.encodings)
    return sorted(changed_lines(a, b, _TRIED), key=lambda line: not line.is_plain)[:_LINES]


def _rows(pair: Pair, sides: Sequence[Side]) -> list[dict[str, Any]]:
    """Rows of the component ``token_lines``, with those tokens marked that all of one or two have."""
    hues, rows = list(pair.hues.items()), []
    tokens = [[*map(pair.encodings[side].token_bytes, ids[:_MATCHED])] for side, ids, _ in sides]
    # Where one of the two drops blanks and capitals, a word is the same token without them.
    keys = tokens if not pair.lossy else [[each.strip().lower() or each for each in row] for row in tokens]
    blocks = SequenceMatcher(None, keys[0], keys[-1], autojunk=False).get_matching_blocks()
    for row, (side, ids, says) in enumerate(sides):
        same = {at for block in blocks for at in range(block[row], block[row] + block.size)}
        first = min(set(range(len(tokens[row]))) - same, default=-1)
        chips = [
            (each, data.hex(), "same" if at in same else "first" if at == first else "")
            for at, (each, data) in enumerate(zip(ids[:_DRAWN], tokens[row], strict=False))
        ]
        name, hue = hues[side]
        rows.append({"name": name, "hue": css_hue(hue), "says": says, "tokens": chips, "count": len(ids)})
    return rows


# Chats and round trips


def templates_of(pair: Pair) -> list[str]:
    """The chat templates of A and B, as ``count_chat`` knows them; fewer than two: one has none."""
    titles: list[str] = []
    for name, encoding in zip(pair.names, pair.encodings, strict=True):
        known = [title for title, template in TEMPLATES.items() if template.encoding == name]
        titles += [f"{name} (file)"] if encoding.chat_template else known[:1]
    return titles


def draw_chat(pair: Pair) -> None:
    """Draw a chat of two messages in the templates of both."""
    sides = []
    for side, template in enumerate(templates_of(pair)):
        count = count_chat(_CHAT, template, pair.encodings[side], pair.workspace.encoding)
        ids = [each for part in count.ids for each in part]
        sides.append((side, ids, f"{len(ids)} tokens"))
    line = {"title": "Two messages, as models read them", "rows": _rows(pair, sides), "notes": []}
    _mount(data={"lines": [line]}, key=pair.state.key("chat_lines"))


def draw_hard_texts(pair: Pair) -> None:
    """Draw the shortest of those texts of which the two make other tokens, and how many were tried."""
    with st.spinner("Comparing what both make of thousands of hard texts: a moment, once."):
        tried, differing = pair.comparison.hard
    st.write(f"{len(differing):,} of {tried:,} texts get other tokens.")
    lines = []
    for text, *both, with_special in differing[:_HARD_TEXTS]:
        sides = [
            (side, ids or [], "refuses it" if ids is None else f"{len(ids)} tokens")
            for side, ids in enumerate(both)
        ]
        notes = ["With special tokens as tokens."] if with_special else []
        lines.append({"title": quote(text.encode()), "rows": _rows(pair, sides), "notes": notes})
    _mount(data={"lines": lines}, key=pair.state.key("hard_lines"))


def draw_round_trips(pair: Pair) -> None:
    """Draw what a model's output becomes when it is fed back, and what a stream of it shows."""
    left, right = st.columns([3, 1])
    text = left.text_input("A text that a model writes", max_chars=500, **tied(CompareState.line))
    stop = right.number_input("Stop after token", 1, value=None, **tied(CompareState.stop))
    encodings, called = pair.encodings, pair.comparison.called
    written = [encoding.encode(text)[:stop] for encoding in encodings]
    lines = []
    for writer, reader in ((0, 0), (1, 1), (0, 1)):
        trip = round_trip(written[writer], encodings[writer], encodings[reader])
        sides, notes = [(writer, written[writer], "writes")], [f"Between them: {quote(trip.text.encode())}."]
        if writer == reader and trip.drifts_at is None:
            notes.append("It reads the same tokens.")
        else:
            sides.append((reader, trip.again, "reads"))
        title = f"{called[writer]} writes, {called[reader]} reads"
        lines.append({"title": title, "rows": _rows(pair, sides), "notes": notes})
    _mount(data={"lines": lines}, key=pair.state.key("trip_lines"))
    st.markdown("**What a stream shows after each token.** A part of a character waits for the rest.")
    for column, label, encoding, ids in zip(
        st.columns(2, gap="large"), called, encodings, written, strict=True
    ):
        steps = stream(encoding, ids[:_STEPS])
        cells = [(each.token_id, *map(spell_text, each[1:3]), each.waiting.hex(" ")) for each in steps]
        with column:
            st.caption(escape(label))
            show_table(pd.DataFrame(cells, columns=["id", "alone", "the stream shows", "bytes that wait"]))
