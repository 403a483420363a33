"""The sections of the page Compare: tokens of either vocabulary, texts, chats and round trips."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple
from unicodedata import category

import numpy as np
import pandas as pd
import streamlit as st

from pages.measure.compare import charts
from pages.measure.compare.state import BY, GROUPS, KINDS, LANGUAGES, ONLY_A, TEXTS, CompareState
from pages.server.run_limit import limited_run
from pages.session.catalogue import FEATURED, find_text
from pages.session.own_texts import PLAYGROUND, OwnTexts, digest_of
from pages.session.samples import MAX_MEASURED_BYTES, Sample, choose, titles_of
from pages.session.workspace import WELCOME, Workspace
from pages.shared.biography import clicked_token, draw_biography
from pages.shared.charts import show_chart
from pages.shared.colours import css_hue
from pages.shared.components import register
from pages.shared.curves import n_tokens_of
from pages.shared.markdown import escape
from pages.shared.own_texts import draw_own_texts
from pages.shared.spam import may_be_spam, offer_spam
from pages.shared.tables import show_table
from pages.shared.warnings import lose, share_trained_on
from pages.shared.widgets import segments, show_errors, tied, write_link
from tokenizers.amounts import bytes_in_words, plural
from tokenizers.data import LANGUAGE, list_parallel, utf8_length
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.limits import MB
from tokenizers.measure import (
    Comparison,
    HardText,
    LineChange,
    Pairs,
    changed_lines,
    count_chat,
    difference_parts,
    losses_in_words,
    reading_order,
    search_tokens,
    shipped_counts,
    stream,
    vocabulary_of,
)
from tokenizers.registry import short_title
from tokenizers.text import (
    TEMPLATES,
    TextMap,
    encode_spans,
    isolate,
    parse_chat,
    quote,
    spell_alone,
    spell_token,
)

MAX_LINE_CHARS = 200_000
"""The most characters of a text whose lines are compared."""

_ROWS = 500  # of the table of tokens
_LINES = 2  # of a text that are drawn, with their tokens
_HARD_TEXTS = 8  # that are drawn, one of each kind
_TRIED = 50  # lines among which a plain one is looked for
_DRAWN = 40  # tokens that are drawn in a row
_MATCHED = 200  # tokens that are compared
_STEPS = 60  # tokens of a stream
_CHAT = parse_chat('[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]')

_mount = register("token_lines")


class Row(NamedTuple):
    """A row of tokens.

    Attributes:
        side: of A (0) or B (1).
        ids: of the tokens.
        says: a few words on them.
        before: how many tokens come before them.
    """

    side: int
    ids: Sequence[int]
    says: str = ""
    before: int = 0


class Line(NamedTuple):
    """A text in A and B: its title, a row or two, and notes."""

    title: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()


class ChosenText(NamedTuple):
    """The text whose lines are drawn.

    Attributes:
        key: of the text.
        losses: what A and B lose of it: how many bytes, and a sentence.
        lines: those that change.
    """

    key: str
    losses: Sequence[tuple[int, str]]
    lines: Sequence[LineChange]


@dataclass(frozen=True)
class Pair:
    """What is compared.

    Attributes:
        workspace, state: of the session, and of the page.
        comparison: of the two encodings. It calls them as the page does, by two different names.
        hues: their hues, by what the page calls them.
        lossy: the names of those that may lose a part of a text.
    """

    workspace: Workspace
    state: CompareState
    comparison: Comparison
    hues: dict[str, int]
    lossy: list[str]


# Vocabulary


def count_tokens(pair: Pair) -> pd.DataFrame:
    """How many tokens are in one of the two and in both, as ``charts.counts_chart`` draws it."""
    counts = pair.comparison.count_by(pair.state.by)
    columns = pair.comparison.ordinary._fields
    return pd.DataFrame([*counts.values()], [*counts], columns).rename_axis(pair.state.by).reset_index()


@st.fragment
@limited_run()
def draw_vocabulary(pair: Pair) -> None:
    """Draw the counts, and the tokens as a list with a biography."""
    workspace = pair.workspace
    state = pair.state
    ordinary = pair.comparison.ordinary
    if len(ordinary.only_a) or len(ordinary.only_b):
        _draw_counts(pair)
    st.text_input("Find tokens that contain", max_chars=200, **tied(CompareState.query))
    groups = _matching(pair.comparison, state.query)
    labels = {name: f"{says.format(*pair.hues)} · {len(groups[name]):,}" for name, says in GROUPS.items()}
    segments(st, "Tokens", labels, CompareState.group, label_visibility="collapsed")
    state.token = clicked_token(workspace, "compare_life") or state.token
    ids = groups[state.group]
    if len(ids):
        left, right = st.columns([2, 3], gap="medium")
        with left:
            side = _side(state.group)
            _draw_list(pair, ids, side)
        if state.token:
            name, token_id = state.token
            with right, show_errors():
                draw_biography(workspace, workspace.find_encoding(name), token_id, "compare_life")
    else:
        st.info("There are no such tokens. Choose another group, or change what is searched for.")
    write_link(state)


def _draw_counts(pair: Pair) -> None:
    """Draw how many tokens of each script, length or kind only one of the two has."""
    state = pair.state
    segments(st, "Tokens by", BY, CompareState.by)
    table = count_tokens(pair)
    chart = charts.counts_chart(table, pair.hues)
    show_chart(chart, "compare_counts", table, file=f"compare-{state.by}")


def _matching(comparison: Comparison, query: str) -> dict[str, Pairs]:
    """The tokens of each group that contain what is searched for; all, if nothing is."""
    groups: dict[str, Pairs] = comparison.ordinary._asdict()
    if not query:
        return groups
    spellings = {query, query.replace("·", " ")}  # a dot, or a space as tokens are drawn
    found = []
    for encoding in comparison.encodings:
        vocabulary = vocabulary_of(encoding)
        found.append(np.concatenate([search_tokens(vocabulary, spelling) for spelling in spellings]))
    matching = {}
    for name, ids in groups.items():
        side = _side(name)
        matching[name] = ids[np.isin(ids[:, side], found[side])]
    return matching


def _draw_list(pair: Pair, ids: Pairs, side: int) -> None:
    """Draw the tokens of a group as a list; what may be spam is apart, unless tokens are searched for."""
    listed = _in_order(pair, ids, side)
    chinese = listed[:0]
    if not pair.state.query:
        apart = may_be_spam(vocabulary_of(pair.comparison.encodings[side]), listed[:, side])
        chinese = listed[apart]
        listed = listed[~apart]
    _draw_found(pair, listed, side)
    offer_spam(len(chinese), lambda: _draw_found(pair, chinese, side), "compare_spam")


def _in_order(pair: Pair, ids: Pairs, side: int) -> Pairs:
    """Tokens as people read them. What was searched for comes before longer tokens that contain it."""
    encoding = pair.comparison.encodings[side]
    if pair.state.query:
        lengths = vocabulary_of(encoding).byte_lengths[ids[:, side]]
        return ids[np.argsort(lengths, kind="stable")]
    return ids[reading_order(encoding, ids[:, side])]


def _side(group: str) -> int:
    """Which of the two has all tokens of a group, 0 or 1."""
    return 0 if group == ONLY_A else 1


def tokens_table(pair: Pair, ids: Pairs) -> pd.DataFrame:
    """A row for each token."""
    a, b = pair.comparison.encodings
    tokens = [b.token_bytes(j) if j >= 0 else a.token_bytes(i) for i, j in ids.tolist()]
    table = pd.DataFrame(ids, columns=[f"id in {short_title(enc.name)}" for enc in (a, b)], dtype="Int64")
    table = table.mask(table < 0)
    return table.assign(token=list(map(spell_token, tokens)), hex=[token.hex(" ") for token in tokens])


def _draw_found(pair: Pair, ids: Pairs, side: int) -> None:
    """Draw the tokens that were found in a table. A click chooses one."""
    state = pair.state
    table = tokens_table(pair, ids[:_ROWS])
    asked = (state.a, state.b, state.group, state.query, ids[:1].tolist())
    key = f"compare_table_{digest_of(repr(asked))}"

    def choose() -> None:
        for row, _ in st.session_state[key]["selection"]["cells"]:
            state.token = pair.comparison.encodings[side].name, int(ids[row][side])

    st.dataframe(
        table[["token", *table.columns[:2]]].dropna(axis="columns"),
        hide_index=True,
        key=key,
        on_select=choose,
        selection_mode="single-cell",
    )
    more = f" The first {_ROWS} are listed; the report’s tables have all." if len(ids) > _ROWS else ""
    st.caption(
        f"{plural(len(ids), 'token')}. Click one to read about it.{more} "
        "A space (·) or ## is part of a token."
    )


# Texts


def texts_of(own: OwnTexts) -> dict[str, str]:
    """The content of own texts and samples, by key: as many as are measured, and none that is empty."""
    samples, _ = _choose_all(own)
    return {sample.key: sample.text for sample in samples if sample.text}


def _choose_all(own: OwnTexts) -> tuple[list[Sample], list[str]]:
    """The samples, the playground's text and the others, and sentences about those that are not measured."""
    added = [text.key for text in own.uploaded]
    return choose([*FEATURED, PLAYGROUND, *added], own)


def count_texts(pair: Pair, kind: str) -> pd.DataFrame:
    """How many tokens each text of a kind takes in both: key, text, a, b, bytes, change; sorted by the last.

    Raises:
        ValueError, OSError: a text cannot be counted; says why.
    """
    own = pair.workspace.own_texts
    if kind == LANGUAGES:
        texts = {LANGUAGE + text.code: text.text for text in list_parallel()}
    else:
        texts = texts_of(own)
    titles = titles_of(own)
    table = pd.DataFrame({"key": list(texts), "text": [titles[key] for key in texts]})
    for column, encoding in zip("ab", pair.comparison.encodings, strict=True):
        table[column] = _counts_of(encoding, texts)
    table["bytes"] = list(map(utf8_length, texts.values()))
    counted = table[table["a"] > 0]
    return counted.assign(change=counted["b"] / counted["a"] - 1).sort_values("change")


def _counts_of(encoding: Encoding, texts: Mapping[str, str]) -> list[int]:
    """How many tokens each text takes. Those of the 494 languages are known for encodings that we ship."""
    shipped = shipped_counts(encoding) or {}
    known = {LANGUAGE + code: count for code, count in shipped.items()}
    return [known.get(key) or n_tokens_of(encoding, text) for key, text in texts.items()]


def draw_texts(pair: Pair) -> None:
    """Draw the answer, which names a text; the change in tokens of all texts; and lines of the one."""
    state = pair.state
    with st.spinner("Counting the tokens of each text: a moment, once."):
        table = count_texts(pair, state.kind)
        if state.text not in set(table["key"]):
            state.text = ""  # the chooser says no other text than the page
        chosen = _choose_text(pair, table)
        state.headline = chosen.key
        counted = set(table["key"])
        own = pair.workspace.own_texts.items()
        state.own_texts = [key for key, each in own if key in counted and each.text != WELCOME]
    row = table.loc[table["key"] == chosen.key].iloc[0]
    title = "the playground text" if chosen.key == PLAYGROUND else isolate(row["text"])
    with show_errors(), st.spinner("Comparing the two: a moment, once."):
        takes = charts.tokens_in_words(row["a"], row["b"], *pair.comparison.called)
        _draw_answer(pair, f"For {title}, {takes}", chosen)
        _draw_parts(pair, _read(pair.workspace.own_texts, chosen.key))
    _draw_warnings(pair, table, chosen)
    segments(st, "Texts", KINDS, CompareState.kind, label_visibility="collapsed")
    show_chart(
        charts.texts_chart(table, pair.hues, pair.lossy, chosen.key),
        "compare_texts",
        table.rename(
            columns={"a": f"tokens in {short_title(state.a)}", "b": f"tokens in {short_title(state.b)}"}
        ),
        on_click=state.click_text,
        column_config={"change": "percent"},
        file="compare-texts",
        source=KINDS[state.kind],
    )
    draw_own_texts(
        state.choose_texts, f"This page counts up to {bytes_in_words(MAX_MEASURED_BYTES)} of texts."
    )
    if state.kind == TEXTS:
        _, problems = _choose_all(pair.workspace.own_texts)
        for problem in problems:
            st.caption(escape(problem))
    st.subheader(f"Where {escape(title)} splits differently, and why", anchor=False)
    _draw_lines_of(pair, table, chosen)


def _draw_answer(pair: Pair, takes: str, chosen: ChosenText) -> None:
    """Draw what the text takes, and how the two are related: first the one that matters more."""
    comparison = pair.comparison
    losers = [name for name, (n, _) in zip(comparison.called, chosen.losses, strict=True) if n]
    if losers:
        takes += f", and {lose(losers)} a part of it"
    headline = takes
    second = comparison.relation
    if comparison.is_related:
        headline, second = second, headline
    st.subheader(escape(headline), anchor=False)
    st.markdown(f"**{escape(second)}.** {escape(comparison.details)}")


def _draw_parts(pair: Pair, text: str) -> None:
    """Say how much of the difference comes from the walls, and how much from the vocabularies."""
    a, b = pair.comparison.encodings
    parts = difference_parts(a, b, text) if text and len(text) <= MB else None
    if parts is not None and parts.premium != 1:
        _, called = pair.comparison.called
        st.caption(
            f"{escape(called)} takes {parts.premium:.2f}× the tokens: {parts.walls:.2f}× the pieces, by its "
            f"walls, times {parts.vocabulary:.2f}× the tokens in a piece, by its vocabulary."
        )


def _draw_warnings(pair: Pair, table: pd.DataFrame, chosen: ChosenText) -> None:
    """Say what either loses of the text, and which one learned from the texts."""
    comparison = pair.comparison
    keys = table["key"].tolist()
    sides = zip(comparison.called, comparison.encodings, chosen.losses, strict=True)
    for called, encoding, (_, lost) in sides:
        if lost:
            st.caption(f"What {escape(called)} loses of this text: {lost}.")
        if share_trained_on(pair.workspace, encoding.name, keys):
            why = "learned from some of the texts below, so it takes too few tokens there"
            st.caption(f"{escape(called)} {why}.")


def _draw_lines_of(pair: Pair, table: pd.DataFrame, chosen: ChosenText) -> None:
    """Draw a chooser of a text, and the lines of the chosen one that change."""
    own = pair.workspace.own_texts
    titles = titles_of(own) | {"": "Click a dot above, or choose any text here"}
    keys = ["", *table.sort_values("text")["key"]]
    st.selectbox("Text", keys, format_func=titles.__getitem__, **tied(CompareState.text))
    says = "Lines whose number of tokens changes" if chosen.lines else "Every line has as many tokens in both"
    is_whole = len(_read(own, chosen.key)) <= MAX_LINE_CHARS
    where = "" if is_whole else f" in its first {MAX_LINE_CHARS:,} characters"
    st.markdown(f"{says}{where}.")
    aside = ", capitals and blanks aside" if pair.lossy else ""
    only = f"In colour, with a full edge: tokens that only one of the two makes here{aside}."
    st.caption(f"{only} Framed: the first of them.")
    _draw_changes(pair, chosen.lines)


def _draw_changes(pair: Pair, lines: Sequence[LineChange]) -> None:
    """Draw lines in A and B, with the reasons."""
    drawn = []
    for line in lines:
        sides = (line.a, line.b)
        rows = [
            Row(number, side.ids, before=side.n_tokens - len(side.ids)) for number, side in enumerate(sides)
        ]
        named = zip(pair.comparison.called, sides, strict=True)
        notes = [f"{label}: {side.reason}" for label, side in named if side.reason]
        title = f"Line {line.number:,}: {line.a.n_tokens:,} → {line.b.n_tokens:,} tokens"
        drawn.append(Line(title, rows, notes))
    _draw_lines(pair, "lines", drawn)


def _read(own: OwnTexts, key: str) -> str:
    return own[key].text if key in own else find_text(key).read()


def _choose_text(pair: Pair, table: pd.DataFrame) -> ChosenText:
    """The text whose lines are drawn.

    A clicked text comes first, then one that somebody typed, then the first sample in which a line changes.
    """
    workspace = pair.workspace
    changed = table.loc[table["change"] != 0, "key"].tolist()
    if pair.state.text:
        keys = [pair.state.text]
    elif PLAYGROUND in changed and workspace.text != WELCOME:
        keys = [PLAYGROUND]
    else:
        readable = [] if pair.state.kind == LANGUAGES else [key for key in FEATURED if key in changed]
        changes_most = table["key"].iloc[charts.size_of_change(table).argmax()]
        keys = [*readable, changes_most]
    for key in keys:
        text_map = TextMap(_read(workspace.own_texts, key)[:MAX_LINE_CHARS])
        a, b = (encode_spans(encoding, text_map) for encoding in pair.comparison.encodings)
        lines = sorted(changed_lines(a, b, _TRIED), key=_how_hard)[:_LINES]
        if lines:
            break
    return ChosenText(key, [losses_in_words(a), losses_in_words(b)], lines)


def _how_hard(line: LineChange) -> tuple[bool, bool]:
    return not line.is_plain, not (line.a.ids and line.b.ids)


def _draw_lines(pair: Pair, name: str, lines: Iterable[Line]) -> None:
    """Draw texts in A and B, with those tokens marked that both rows have."""
    drawn = [
        {"title": line.title, "rows": _drawn_rows(pair, line.rows), "notes": line.notes} for line in lines
    ]
    _mount({"lines": drawn}, pair.state.key(name))


def _drawn_rows(pair: Pair, rows: Sequence[Row]) -> list[JsonObject]:
    encodings = pair.comparison.encodings
    hues = list(pair.hues.items())
    tokens = [[*map(encodings[row.side].token_bytes, row.ids[:_MATCHED])] for row in rows]
    # Where one of the two drops blanks and capitals, a word is the same token without them.
    keys = tokens if not pair.lossy else [[each.strip().lower() or each for each in row] for row in tokens]
    blocks = SequenceMatcher(None, keys[0], keys[-1], autojunk=False).get_matching_blocks()
    drawn = []
    for number, row in enumerate(rows):
        same = set[int]()
        for block in blocks:
            same.update(range(block[number], block[number] + block.size))
        chips = [
            (token_id, data.hex(), "same" if place in same else "")
            for place, (token_id, data) in enumerate(zip(row.ids[:_DRAWN], tokens[number], strict=False))
        ]
        name, hue = hues[row.side]
        drawn.append(
            {
                "name": name,
                "hue": css_hue(hue),
                "says": row.says,
                "before": row.before,
                "tokens": chips,
                "count": len(row.ids),
            }
        )
    return drawn


# Chats and round trips


def templates_of(pair: Pair) -> list[str]:
    """The chat templates of A and B, as ``count_chat`` knows them; fewer than two: one has none."""
    titles = []
    for encoding in pair.comparison.encodings:
        known = [title for title, template in TEMPLATES.items() if template.encoding == encoding.name]
        titles += [f"{encoding.name} (file)"] if encoding.chat_templates.default else known[:1]
    return titles


def draw_chat(pair: Pair) -> None:
    """Draw a chat of two messages in the templates of both."""
    rows = []
    for side, template in enumerate(templates_of(pair)):
        count = count_chat(_CHAT, template, pair.comparison.encodings[side], pair.workspace.find_encoding)
        ids = [each for part in count.ids for each in part]
        rows.append(Row(side, ids, f"{len(ids)} tokens"))
    _draw_lines(pair, "chat_lines", [Line("Two messages, as models read them", rows)])


def draw_hard_texts(pair: Pair) -> None:
    """Draw the shortest of those texts of which the two make other tokens, and how many were tried."""
    with st.spinner("Comparing what both make of thousands of hard texts: a moment, once."):
        tried, differing = pair.comparison.hard
    st.write(f"{len(differing):,} of {tried:,} texts get other tokens. Here is the shortest of each kind.")
    lines = []
    kinds = dict[frozenset[str], HardText]()  # by the kinds of characters: letters, marks, …
    for hard in differing:
        kinds.setdefault(frozenset(category(char)[0] for char in hard.text), hard)
    for hard in list(kinds.values())[:_HARD_TEXTS]:
        rows = []
        for side, ids in enumerate((hard.ids_a, hard.ids_b)):
            says = "refuses it" if ids is None else plural(len(ids), "token")
            rows.append(Row(side, ids or [], says))
        notes = ["With special tokens as tokens."] if hard.with_special else []
        lines.append(Line(quote(hard.text), rows, notes))
    _draw_lines(pair, "hard_lines", lines)


def draw_round_trips(pair: Pair) -> None:
    """Draw what a model's output becomes when it is fed back, and what a stream of it shows."""
    left, right = st.columns([3, 1])
    text = left.text_input("A text that a model writes", max_chars=500, **tied(CompareState.line))
    stop = right.number_input("Stop after token", 1, value=None, **tied(CompareState.stop))
    encodings = pair.comparison.encodings
    called = pair.comparison.called
    written = [encoding.encode(text)[:stop] for encoding in encodings]
    lines = []
    for writer, reader in ((0, 0), (1, 1), (0, 1)):
        between = encodings[writer].decode(written[writer])
        again = encodings[reader].encode(between)
        rows = [Row(writer, written[writer], "writes"), Row(reader, again, "reads")]
        notes = [f"The text in between: {quote(between)}."]
        if writer == reader and again == written[writer]:
            notes.append("The same tokens.")
        lines.append(Line(f"{called[writer]} writes, {called[reader]} reads", rows, notes))
    _draw_lines(pair, "trip_lines", lines)
    st.markdown("**What a stream shows after each token.** A part of a character waits for the rest.")
    for side, column in enumerate(st.columns(2, gap="large")):
        steps = stream(encodings[side], written[side][:_STEPS])
        cells = [
            (step.token_id, spell_alone(step.alone), spell_alone(step.added), step.waiting.hex(" "))
            for step in steps
        ]
        with column:
            head = ["id", f"alone in {called[side]}", "the stream shows", "bytes that wait"]
            show_table(pd.DataFrame(cells, columns=head))
