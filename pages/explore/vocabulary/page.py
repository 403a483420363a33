"""Explore · Vocabulary: search over all tokens of an encoding, and what they are like as a whole."""

from __future__ import annotations

import hashlib
import itertools
import re
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from pages.explore.vocabulary import charts as charts
from pages.session.workspace import Workspace
from pages.shared.biography import clicked_in, draw_life, hue_in, prepare_trees
from pages.shared.charts import show_chart
from pages.shared.plain import plain
from pages.shared.session import get_workspace
from tokenizers.encoding import Encoding
from tokenizers.measure import Filters, Overlap, SearchBy, TokenIds, Vocabulary, overlap, vocabulary_of
from tokenizers.text import spell_token

PAGE_ROWS = 100
DEFAULT = {
    "encoding": "o200k_base",
    "by": "text",
    "query": "token",
    "script": "",
    "only": "",
    "order": "",
    "case": "",
    "bytes": "",
    "chars": "",
}
DEFAULT_TOKEN = b" token"
ANY_SCRIPT = "any script"
BY: dict[str, SearchBy] = {"text": "text", "regex": "regex", "bytes": "bytes", "id": "id"}
ASKS = {
    "text": ("A part of the token’s text", "such as berry; empty: all of them"),
    "regex": ("A regular expression for the token’s text", r"such as ^ [A-Z]+$"),
    "bytes": ("Some of the token’s bytes, in hex", "such as f0 9f 98"),
    "id": ("Ids", "such as 5, 100-200"),
}
# What a pill says, and the filter behind it.
ONLY = {
    "leading space": "leading_space",
    "white space": "whitespace",
    "digits": "digits",
    "not valid UTF-8 alone": "not_utf8",
    "special": "special",
    "does not encode to itself": "unreachable",
}
ORDERS = ("by id", "longest first", "shortest first")
# In a link: an order's first word, "ignore" for both cases, and lengths such as 3-7, 3- or -7.
LINKED_ORDERS = {"longest": "longest first", "shortest": "shortest first"}
MAX_LENGTH = 100_000
LENGTHS = {
    "min_bytes": "At least, in bytes",
    "max_bytes": "At most, in bytes",
    "min_chars": "At least, in characters",
    "max_chars": "At most, in characters",
}
# Searches that show something in nearly every vocabulary: by, query, only, order.
TRIES: dict[str, tuple[str, str, list[str], str]] = {
    "All tokens": ("text", "", [], "by id"),
    "The longest": ("text", "", [], "longest first"),
    "White space": ("text", "", ["white space"], "longest first"),
    "SolidGoldMagikarp": ("text", "Magikarp", [], "by id"),
    "LONG CAPITALS": ("regex", "^ ?[A-Z]{9,}$", [], "longest first"),
    "Emoji, by their bytes": ("bytes", "f0 9f", [], "by id"),
    "Parts of characters": ("text", "", ["not valid UTF-8 alone"], "by id"),
    "Special tokens": ("text", "", ["special"], "by id"),
}
_K = "vocabulary_"
_TOKEN = _K + "token"


@dataclass(frozen=True)
class Search:
    """What is asked for; the same question is not answered twice."""

    name: str
    query: str
    by: SearchBy
    ignore_case: bool
    filters: Filters
    order: str


def _seed(workspace: Workspace) -> None:
    """The first time in a session: take what the link says, or the defaults."""
    if _K + "seeded" in st.session_state:
        return
    st.session_state[_K + "seeded"] = True
    link = st.query_params
    values = {key: link.get(key, value) for key, value in DEFAULT.items()}
    if "token" in link and "query" not in link:
        values["query"] = ""
    if values["encoding"] not in workspace.encoding_names():
        values["encoding"] = DEFAULT["encoding"]
        st.session_state[_K + "note"] = (
            f"This link names an encoding that is not here, {link['encoding']!r}: "
            f"{values['encoding']} is shown instead."
        )
    for key in ("encoding", "query"):
        st.session_state[_K + key] = values[key]
    st.session_state[_K + "by"] = values["by"] if values["by"] in BY else "text"
    st.session_state[_K + "only"] = [word for word in values["only"].split(",") if word in ONLY]
    st.session_state[_K + "script_wanted"] = values["script"]
    st.session_state[_K + "order"] = LINKED_ORDERS.get(values["order"], ORDERS[0])
    st.session_state[_K + "case"] = values["case"] == "ignore"
    for unit in ("bytes", "chars"):
        least, most = _read_lengths(values[unit])
        st.session_state[f"{_K}min_{unit}"], st.session_state[f"{_K}max_{unit}"] = least, most
    token = (
        "" if _K + "note" in st.session_state else link.get("token", "")
    )  # of an encoding that is not here
    st.session_state[_TOKEN] = _read_token(workspace, token, values["encoding"])


def _read_token(workspace: Workspace, said: str, name: str) -> tuple[str, int] | None:
    """A link's token: its id, with the encoding before it if that is another one."""
    if ":" in said:
        name, _, said = said.rpartition(":")
    if name in workspace.encoding_names() and said.isascii() and said.isdigit() and len(said) < 12:
        return name, int(said)
    return None


def _read_lengths(said: str) -> tuple[int | None, int | None]:
    """A link's lengths; what cannot be is nothing.

    >>> _read_lengths("3-7"), _read_lengths("-7"), _read_lengths("9999999-x")
    ((3, 7), (None, 7), (None, None))
    """
    found = re.fullmatch(r"([0-9]{0,6})-([0-9]{0,6})", said)
    least, most = (int(number) if number else None for number in found.groups()) if found else (None, None)
    return (least, most) if max(least or 0, most or 0) <= MAX_LENGTH else (None, None)


def _write_lengths(least: int | None, most: int | None) -> str:
    if least is None and most is None:
        return ""
    return f"{'' if least is None else least}-{'' if most is None else most}"


def _write_link(search: Search, only: list[str]) -> None:
    """What is on the page, into the address."""
    token: tuple[str, int] | None = st.session_state.get(_TOKEN)
    now = {
        "encoding": search.name,
        "by": search.by,
        "query": search.query[:500],
        "script": search.filters.script or "",
        "only": ",".join(only),
        "order": "" if search.order == ORDERS[0] else search.order.split()[0],
        "case": "ignore" if search.ignore_case else "",
        "bytes": _write_lengths(search.filters.min_bytes, search.filters.max_bytes),
        "chars": _write_lengths(search.filters.min_chars, search.filters.max_chars),
    }
    wanted = {key: value for key, value in now.items() if value != DEFAULT[key]}
    if token:
        wanted["token"] = str(token[1]) if token[0] == search.name else f"{token[0]}:{token[1]}"
        wanted.setdefault("query", now["query"])
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _try(example: str) -> None:
    by, query, only, order = TRIES[example]
    st.session_state[_K + "by"], st.session_state[_K + "query"] = by, query
    st.session_state[_K + "only"], st.session_state[_K + "order"] = list(only), order
    st.session_state[_K + "script"] = ANY_SCRIPT
    st.session_state[_K + "case"] = False
    for key in LENGTHS:
        st.session_state[_K + key] = None


def _filters_label() -> str:
    """The button of the filters says how many are on."""
    state = st.session_state
    n_on = len(state.get(_K + "only") or []) + (state.get(_K + "script", ANY_SCRIPT) != ANY_SCRIPT)
    n_on += state.get(_K + "order", ORDERS[0]) != ORDERS[0]
    n_on += bool(state.get(_K + "case")) + sum(state.get(_K + key) is not None for key in LENGTHS)
    return f"Filter, order: {n_on} set" if n_on else "Filter, order"


def _ask(name: str, vocabulary: Vocabulary) -> tuple[Search, list[str]]:
    """The controls of the search."""
    left, middle, right = st.columns([1.05, 2.4, 1], vertical_alignment="bottom")
    with left:
        by = st.segmented_control(
            "Search by", list(BY), required=True, key=_K + "by", persist_state="session", width="stretch"
        )
    by = by or "text"
    label, placeholder = ASKS[by]
    with middle:
        query = st.text_input(label, key=_K + "query", persist_state="session", placeholder=placeholder)
    counts = vocabulary.count_scripts()
    scripts = [ANY_SCRIPT, *counts]
    wanted = st.session_state.pop(_K + "script_wanted", None)
    if wanted in counts:
        st.session_state[_K + "script"] = wanted
    if st.session_state.get(_K + "script", ANY_SCRIPT) not in scripts:
        st.session_state[_K + "script"] = ANY_SCRIPT
    with right, st.popover(_filters_label(), icon=":material/filter_list:", width="stretch"):
        only = st.pills(
            "Keep only", list(ONLY), selection_mode="multi", key=_K + "only", persist_state="session"
        )
        script_box, order_box = st.columns(2)
        with script_box:
            script = st.selectbox("Script", scripts, key=_K + "script", persist_state="session")
        with order_box:
            order = st.selectbox("Order", ORDERS, key=_K + "order", persist_state="session")
        bounds: dict[str, Any] = {}
        boxes = st.columns(2)
        for number, (key, words) in enumerate(LENGTHS.items()):
            with boxes[number % 2]:
                value = st.number_input(
                    words,
                    0,
                    MAX_LENGTH,
                    None,
                    step=1,
                    key=_K + key,
                    persist_state="session",
                    placeholder="any",
                )
            bounds[key] = None if value is None else int(value)
        ignore_case = st.checkbox(
            "Ignore upper and lower case",
            key=_K + "case",
            persist_state="session",
            disabled=by not in ("text", "regex"),
        )
    with st.container(horizontal=True, gap="small", key=_K + "tries"):
        for number, example in enumerate(TRIES):
            st.button(example, key=f"{_K}try_{number}", on_click=_try, args=(example,), type="tertiary")
    flags: dict[str, Any] = {ONLY[word]: True for word in only}
    filters = Filters(script=None if script == ANY_SCRIPT else script, **bounds, **flags)
    return Search(name, query or "", BY[by], ignore_case, filters, order), list(only)


def _find(vocabulary: Vocabulary, search: Search) -> TokenIds:
    """What is found, in the order that was asked for; the last answer is kept."""
    kept = st.session_state.get(_K + "found")
    if kept and kept[0] == search and kept[1] is vocabulary:
        ids: TokenIds = kept[2]
        return ids
    ids = vocabulary.search(search.query, search.by, search.filters, ignore_case=search.ignore_case)
    if search.order != "by id":
        lengths = vocabulary.byte_lengths[ids]
        ids = ids[(-lengths if search.order == "longest first" else lengths).argsort(kind="stable")]
    st.session_state[_K + "found"] = (search, vocabulary, ids)
    return ids


def _csv(vocabulary: Vocabulary, ids: TokenIds) -> bytes:
    rows = [
        (
            row.token_id,
            row.token_bytes.hex(" "),
            None if vocabulary.not_utf8[row.token_id] else row.text,
            row.n_bytes,
            row.n_chars,
            row.script,
            row.special,
        )
        for row in vocabulary.rows(ids.tolist())
    ]
    columns = ["id", "bytes", "text", "length in bytes", "characters", "script", "special"]
    return pd.DataFrame(rows, columns=columns).to_csv(index=False).encode()


def _in_words(search: Search) -> str:
    """The filters that are on, for who does not see them."""
    filters = search.filters
    on = [word for word, name in ONLY.items() if getattr(filters, name)]
    on += [filters.script] if filters.script else []
    for unit, least, most in (
        ("bytes", filters.min_bytes, filters.max_bytes),
        ("characters", filters.min_chars, filters.max_chars),
    ):
        if least is not None or most is not None:
            on.append(f"{least or 0:,} {'or more' if most is None else f'to {most:,}'} {unit}")
    on += [] if search.order == ORDERS[0] else [search.order]
    on += ["upper and lower case ignored"] if search.ignore_case else []
    return f" ({plain(', '.join(on))})" if on else ""


def _show_table(vocabulary: Vocabulary, search: Search, ids: TokenIds) -> None:
    """One page of what was found. A click chooses a token."""
    n_pages = -(-len(ids) // PAGE_ROWS)
    mark = hashlib.sha256(repr(search).encode("utf-8", "replace")).hexdigest()[:12]
    number = 1
    share = len(ids) / max(1, len(vocabulary))
    st.markdown(
        f"**{len(ids):,} {'token' if len(ids) == 1 else 'tokens'}** of {len(vocabulary):,}"
        + (f", {charts.percent(share)}" if 0.01 <= share < 1 else "")
        + _in_words(search)
        + ". Click one for its biography."
    )
    table = st.container()
    pager, save = st.columns([1.6, 1], vertical_alignment="bottom")
    with pager:
        if n_pages > 1:
            number = int(
                st.number_input(
                    f"Page, of {n_pages:,} ({PAGE_ROWS} tokens each)", 1, n_pages, 1, key=f"{_K}page_{mark}"
                )
            )
    with save:
        st.download_button(
            "Download all found (CSV)",
            lambda: _csv(vocabulary, ids),
            f"vocabulary-{search.name}.csv",
            "text/csv",
            on_click="ignore",
            width="stretch",
        )
    shown = ids[(number - 1) * PAGE_ROWS : number * PAGE_ROWS].tolist()
    rows = vocabulary.rows(shown)
    frame = pd.DataFrame(
        {
            "id": shown,
            "token": [spell_token(row.token_bytes) for row in rows],
            "bytes": [row.n_bytes for row in rows],
            "characters": [row.n_chars for row in rows],
            "script": [
                "special" if row.special else "–" if row.script == "Common" else row.script for row in rows
            ],
            "in hex": [row.token_bytes.hex(" ") for row in rows],
        }
    )
    key = f"{_K}table_{mark}_{number}"
    chosen = table.dataframe(
        frame,
        hide_index=True,
        height=528 if len(rows) > 13 else "content",
        key=key,
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "id": st.column_config.NumberColumn(format="%d", width=80),
            "token": st.column_config.TextColumn(width=190),
            "bytes": st.column_config.NumberColumn(width=65),
            "characters": st.column_config.NumberColumn(width=85),
            "script": st.column_config.TextColumn(width=100),
        },
    )
    cells = chosen["selection"]["cells"]
    if cells and (key, cells[0][0]) != st.session_state.get(_K + "cell"):
        st.session_state[_K + "cell"] = (key, cells[0][0])
        st.session_state[_TOKEN] = (search.name, shown[cells[0][0]])


@st.fragment
def _search(workspace: Workspace, encoding: Encoding, name: str) -> None:
    """The search, its table, and the chosen token's biography."""
    vocabulary = vocabulary_of(encoding)
    if not vocabulary.is_prepared():
        with st.spinner(f"Reading all {encoding.n_vocab:,} tokens of {plain(name)}: a moment, once."):
            vocabulary.prepare()
    went = clicked_in(workspace, "vocabulary_life")
    if went:
        st.session_state[_TOKEN] = went
    search, only = _ask(name, vocabulary)
    left, right = st.columns([1.12, 1], gap="medium")
    with left:
        try:
            if search.filters.unreachable:
                prepare_trees(vocabulary)
            ids = _find(vocabulary, search)
            if len(ids):
                _show_table(vocabulary, search, ids)
            else:
                st.info(
                    f"No token of {plain(name)} is like that. Search for less, or take a filter away: "
                    "“All tokens” above takes all of them away."
                )
        except ValueError as problem:
            st.error(plain(str(problem)), icon=":material/error:")
    with right:
        token: tuple[str, int] | None = st.session_state.get(_TOKEN)
        if token is None or token[0] not in workspace.encoding_names():
            found = encoding.token_id(DEFAULT_TOKEN)
            token = (name, int(vocabulary.ids[0]) if found is None else found)
        try:
            draw_life(workspace, workspace.encoding(token[0]), token[1], "vocabulary_life")
        except (ValueError, OSError) as problem:
            st.error(plain(str(problem)), icon=":material/error:")
    _write_link(search, only)


def _overlaps(workspace: Workspace, encoding: Encoding) -> list[Overlap]:
    """What the encoding shares with each other one; worked out once in a session."""
    kept: dict[tuple[str, str], tuple[Encoding, Encoding, Overlap]] = st.session_state.setdefault(
        _K + "overlaps", {}
    )
    found = []
    for name in workspace.encoding_names():
        if name == encoding.name:
            continue
        try:
            other = workspace.encoding(name)
        except (ValueError, OSError):
            continue
        before = kept.get((encoding.name, name))
        if before is None or before[0] is not encoding or before[1] is not other:
            try:
                before = kept[encoding.name, name] = (encoding, other, overlap(encoding, other))
            except ValueError:  # its tokens are too long to spell out all of them
                continue
        found.append(before[2])
    return found


def _show_whole(workspace: Workspace, encoding: Encoding, name: str) -> None:
    """The vocabulary as a whole."""
    vocabulary = vocabulary_of(encoding)
    hue = hue_in(workspace, name)
    st.subheader("As a whole")
    scripts, lengths = charts.scripts_table(vocabulary), charts.lengths_table(vocabulary)
    longest = charts.longest_table(vocabulary, 12)
    left, right = st.columns(2, gap="large")
    with left:
        show_chart(
            charts.scripts_chart(scripts, name, hue),
            _K + "scripts",
            scripts,
            alt_text="Tokens of each script, as bars",
            column_config=_SHARE,
            file=f"scripts-{name}",
        )
    with right:
        show_chart(
            charts.lengths_chart(lengths, name, hue),
            _K + "lengths",
            lengths,
            alt_text="Tokens of each length, as bars",
            file=f"lengths-{name}",
        )
    left, right = st.columns(2, gap="large")
    with left:
        show_chart(
            charts.longest_chart(vocabulary, longest, name, hue),
            _K + "longest",
            charts.longest_table(vocabulary, 100),
            alt_text="The longest tokens, as bars",
            file=f"longest-{name}",
        )
    with right:
        overlaps = _overlaps(workspace, encoding)
        shared = charts.overlap_table(encoding, overlaps)
        hues = {other: hue_in(workspace, other) for other in workspace.encoding_names()}
        show_chart(
            charts.overlap_chart(shared, name, hues),
            _K + "overlap",
            shared,
            alt_text="Tokens shared with other encodings, as bars",
            column_config=_SHARE,
            file=f"overlap-{name}",
        )
        st.caption(
            "Shared means: both have a token of just these bytes, whatever its id. Special tokens aside."
        )
        compared = {name, *(each.right for each in overlaps)}
        left_out = [other for other in workspace.encoding_names() if other not in compared]
        if left_out:
            st.caption(
                plain(
                    "Left out, because they could not be loaded or their tokens are too long to spell out "
                    f"all of them: {', '.join(left_out)}."
                )
            )
    _show_unreachable(vocabulary, name)
    _show_looked_up(vocabulary, name)


_SHARE = {
    column: st.column_config.NumberColumn(format="percent")
    for column in ("share", "share of this", "share of that")
}


def _show_looked_up(vocabulary: Vocabulary, name: str) -> None:
    """The tokens that tiktoken reaches as a whole piece, by look-up, and merges alone would not."""
    merging = vocabulary.encoding.merging
    if merging is None:
        family = vocabulary.encoding.family
        st.caption(
            f"{plain(name)} cuts a text into {family} and merges nothing: its tokens have no parents, no "
            "children and no trees."
        )
        return
    if merging.known_merges is not None:
        return  # it never looks up: such a token never arises, and is listed above
    st.subheader("Tokens that only a look-up reaches")
    said = "tiktoken looks up a whole piece in the vocabulary before it merges anything."
    if not vocabulary.unreached:
        st.write(
            f"{said} In {plain(name)} that changes nothing: merges alone reach every token, so its trees "
            "show how each one grows."
        )
        return
    st.write(
        f"{said} Merges alone would not reach {len(vocabulary.unreached):,} of the tokens of {plain(name)}: "
        "each arises only where a piece is exactly its bytes, and its tree shows where the merges would stop."
    )
    rows = [
        (
            token_id,
            spell_token(vocabulary.token_bytes[token_id]),
            " + ".join(spell_token(vocabulary.token_bytes[part]) for part in parts),
            " ".join(map(str, parts)),
        )
        for token_id, parts in itertools.islice(vocabulary.unreached.items(), 500)
    ]
    st.dataframe(
        pd.DataFrame(rows, columns=["id", "token", "merges alone stop at", "as ids"]),
        hide_index=True,
        height="content" if len(rows) < 14 else 460,
        column_config={"id": st.column_config.NumberColumn(format="%d")},
    )


def _show_unreachable(vocabulary: Vocabulary, name: str) -> None:
    """The tokens that do not encode to themselves, and what they encode to instead."""
    st.subheader("Tokens that do not encode to themselves")
    prepare_trees(vocabulary)
    unreachable = vocabulary.unreachable
    if not unreachable:
        st.write(f"{plain(name)} has none: every token of it that is text, alone, encodes to itself.")
        return
    st.write(
        f"{len(unreachable):,} of the {len(vocabulary):,} tokens of {plain(name)}: encode such a token’s own "
        "text, and other tokens come out. In longer text they can arise all the same; the last column has an "
        "example of each where one was found."
    )
    rows = []
    for token_id, ids in list(unreachable.items())[:500]:
        example = vocabulary.example(token_id)
        rows.append(
            (
                token_id,
                spell_token(vocabulary.token_bytes[token_id]),
                " + ".join(spell_token(vocabulary.token_bytes[part]) for part in ids),
                " ".join(map(str, ids)),
                "none found" if example is None else spell_token(example.encode()),
            )
        )
    columns = ["id", "token", "encodes to", "as ids", "arises in"]
    st.dataframe(
        pd.DataFrame(rows, columns=columns),
        hide_index=True,
        height="content" if len(rows) < 14 else 460,
        column_config={"id": st.column_config.NumberColumn(format="%d")},
    )


def vocabulary() -> None:
    """The page."""
    workspace = get_workspace()
    _seed(workspace)
    title, chooser = st.columns([3, 1.2], vertical_alignment="bottom")
    with title:
        st.title("Vocabulary")
    available = workspace.encoding_names()
    if st.session_state.get(_K + "encoding", available[0]) not in available:
        st.session_state[_K + "encoding"] = DEFAULT["encoding"]
    with chooser:
        name = st.selectbox("Encoding", available, key=_K + "encoding", persist_state="session")
    note = st.session_state.pop(_K + "note", None)
    if note:
        st.warning(plain(note), icon=":material/warning:")
    try:
        encoding = workspace.encoding(name)
        vocabulary_of(encoding)  # says so if its tokens are too long for all that follows
    except (ValueError, OSError) as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return
    _search(workspace, encoding, name)
    _show_whole(workspace, encoding, name)


vocabulary()
