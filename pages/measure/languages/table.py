"""What the charts of the page Languages are drawn from: a table, and the sentences over the charts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd

from pages.measure.languages.names import names_of
from pages.session.derived import derived
from pages.session.last_used import LastUsed
from tokenizers.data import ParallelText

CLASSES: tuple[tuple[float, str], ...] = (
    (1.0, "less than 1×"),
    (1.5, "1–1.5×"),
    (2.0, "1.5–2×"),
    (3.0, "2–3×"),
    (5.0, "3–5×"),
    (8.0, "5–8×"),
    (np.inf, "8× and more"),
)
"""The map's classes of premiums: each up to, not including, a bound."""

GROUP, GROUPED = "group:", 3
"""How the code of a language with several translations begins, and how many of them share a bar."""

# Of each encoding, in the tables. What a chart shows comes first, since a phone is narrow.
_FIGURES = ("premium", "tokens")


def times(premium: float) -> str:
    """A premium for people.

    >>> times(20.54), times(1.041), times(0.5)
    ('20.5×', '1.04×', '0.50×')
    """
    return f"{premium:.1f}×" if premium >= 9.95 else f"{premium:.2f}×"


def class_of(premium: float) -> str:
    """The map's class of a premium.

    >>> class_of(1.0), class_of(1.49), class_of(20)
    ('1–1.5×', '1–1.5×', '8× and more')
    """
    return next(label for bound, label in CLASSES if premium < bound)


def shorten(name: str, most: int = 24) -> str:
    """A name that fits beside a dot.

    >>> shorten("Hmong, Northern Qiandong and more")
    'Hmong, Northern Qiandon…'
    """
    return name if len(name) <= most else name[: most - 1] + "…"


def make_table(
    texts: Sequence[ParallelText],
    counted: Mapping[str, Mapping[str, int]],
    base: str,
    own: Sequence[ParallelText] = (),
    own_base: str = "",
) -> pd.DataFrame:
    """One row for each language, with columns for each encoding.

    Args:
        texts: the declarations.
        counted: encoding's name: tokens by code, of own texts too; encoding number i has columns t{i}
            (tokens) and p{i} (premium), in this order.
        base: the code of the language that the declarations are compared with.
        own: a person's own texts, which are compared with each other.
        own_base: the code of the one that they are compared with.

    Returns:
        Columns code, name, own_name and iso (empty: unknown), short (to write beside a dot), script,
        latitude, longitude, own, n_bytes, n_chars, bytes and chars (premiums), and those of the
        encodings. What cannot be compared, such as an empty text, is NaN.
    """
    rows = [*texts, *own]
    table = pd.DataFrame(
        {
            "code": [text.code for text in rows],
            "name": [text.name for text in rows],
            "own_name": [names_of(text.code).own for text in rows],
            "iso": [names_of(text.code).iso for text in rows],
            "short": [shorten(text.name) for text in rows],
            "script": [text.script for text in rows],
            "latitude": [text.latitude for text in rows],
            "longitude": [text.longitude for text in rows],
            "own": [False] * len(texts) + [True] * len(own),
            "n_bytes": [text.n_bytes for text in rows],
            "n_chars": [text.n_chars for text in rows],
        }
    )
    table[["latitude", "longitude"]] = table[["latitude", "longitude"]].astype(float)
    compared_with = table["own"].map({False: base, True: own_base})
    at = {code: i for i, code in enumerate(table["code"])}
    bases = np.array([at.get(code, -1) for code in compared_with])

    def premiums(amounts: pd.Series) -> pd.Series:
        values = amounts.to_numpy(dtype=float)
        below = np.where(bases >= 0, values[bases], np.nan)
        ratios = np.full(len(values), np.nan)
        np.divide(values, below, out=ratios, where=below > 0)
        return pd.Series(ratios, index=amounts.index)

    table["bytes"], table["chars"] = premiums(table["n_bytes"]), premiums(table["n_chars"])
    for number, counts in enumerate(counted.values()):
        table[f"t{number}"] = [counts.get(code) for code in table["code"]]
        table[f"t{number}"] = table[f"t{number}"].astype(float)
        table[f"p{number}"] = premiums(table[f"t{number}"])
    return table


_tables = LastUsed[Hashable, pd.DataFrame](4)


def make_table_once(
    texts: Sequence[ParallelText], counted: Mapping[str, Mapping[str, int]], base: str
) -> pd.DataFrame:
    """As ``make_table``, which it calls once for the same counts: the table may not be changed.

    Not for a person's own texts: it is remembered for all sessions.
    """
    counts = tuple((name, frozenset(tokens.items())) for name, tokens in counted.items())
    key = tuple(texts), counts, base
    table = _tables.get(key)
    if table is None:
        table = make_table(texts, counted, base)
        _tables.put(key, table)
    return table


@derived
def mark_found(
    table: pd.DataFrame, query: str, script: str, codes: tuple[str, ...] | None = None
) -> pd.DataFrame:
    """The table with a column found: which rows a search finds, as ``find`` has it."""
    return table.assign(found=find(table, query, script, codes))


def find(table: pd.DataFrame, query: str, script: str, codes: Sequence[str] | None = None) -> pd.Series:
    """Which rows a search finds: by a part of the name, a beginning of the own name, the script, a code.

    Args:
        table: of ``make_table``.
        query: several words mean any of them, with commas between; empty: all.
        script: the script's name; empty: any.
        codes: keep only these; None: all.
    """
    matches = pd.Series(True, index=table.index)
    words = [word.strip().casefold() for word in query.split(",") if word.strip()]
    if words:
        names, scripts = table["name"].str.casefold(), table["script"].str.casefold()
        own_names = " " + table["own_name"].str.casefold()
        language_codes = [names_of(code).codes for code in table["code"]]
        matches = pd.Series(False, index=table.index)
        for word in words:
            matches |= names.str.contains(word, regex=False) | (scripts == word)
            matches |= own_names.str.contains(f" {word}", regex=False)
            matches |= table["code"].str.casefold() == word
            matches |= np.array([word in codes for codes in language_codes], dtype=bool)
    if script:
        matches &= table["script"] == script
    if codes is not None:
        matches &= table["code"].isin(codes)
    return matches


@derived
def group_translations(table: pd.DataFrame, lead: int, focus: str) -> pd.DataFrame:
    """The table with one row for each language that has ``GROUPED`` or more translations among those found.

    Its code is ``GROUP`` and the language's; its figures are the medians of its translations, and its columns
    low and high the least and the greatest premium, which are NaN elsewhere.

    Args:
        table: of ``make_table``, with a column found.
        lead: the number of the encoding that low and high are of.
        focus: the code of the translation that is looked at, which keeps its own row.
    """
    figures = [column for column in table.columns if column[1:].isdecimal()]
    groups = table["code"].map(lambda code: names_of(code).group).where(table["found"] & ~table["own"], "")
    sizes = groups[groups != ""].value_counts(sort=False)
    rows, hidden = [], pd.Series(False, index=table.index)
    for group in sorted(sizes.index[sizes >= GROUPED]):
        members = table[groups == group]
        name = re.split(r",| \(", members["name"].iloc[0])[0]
        row = members.iloc[0].to_dict() | members[figures].median().to_dict()
        rows.append(
            row
            | {"code": GROUP + group, "name": f"{name}, {len(members)} translations", "short": name}
            | {"low": members[f"p{lead}"].min(), "high": members[f"p{lead}"].max()}
        )
        hidden |= (groups == group) & (table["code"] != focus)
    table = table.assign(low=np.nan, high=np.nan)
    return pd.concat([table[~hidden], pd.DataFrame(rows, columns=table.columns)], ignore_index=True)


def rank_in_words(table: pd.DataFrame, column: str, code: str) -> str:
    """The place of a language among the declarations, as "the 3rd most expensive of 494".

    >>> table = pd.DataFrame({"code": ["a", "b"], "own": False, "p0": [1.0, 2.0]})
    >>> rank_in_words(table, "p0", "b"), rank_in_words(table, "p0", "a")
    ('the most expensive of 2', 'the least expensive of 2')
    """
    others = table[~table["own"] | (table["code"] == code)]
    value = float(others.loc[others["code"] == code, column].iloc[0])
    rank = 1 + int((others[column] > value).sum())
    if rank == 1:
        return f"the most expensive of {len(others):,}"
    if not (others[column] < value).any():
        return f"the least expensive of {len(others):,}"
    ending = "th" if 10 <= rank % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"the {rank}{ending} most expensive of {len(others):,}"


def export(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """All exact figures of all languages, in columns with names for people."""
    columns = {"code": "code", "name": "language", "own_name": "own name", "iso": "ISO 639-3"}
    columns |= {"script": "script"}
    columns |= {"latitude": "latitude", "longitude": "longitude"}
    columns |= {"n_bytes": "bytes", "bytes": "premium of the bytes"}
    columns |= {"n_chars": "characters", "chars": "premium of the characters"}
    for number, name in enumerate(names):
        columns |= {f"t{number}": f"tokens in {name}", f"p{number}": f"premium in {name}"}
    kept = table[list(columns)].rename(columns=columns)
    for name in names:
        kept[f"tokens in {name}"] = kept[f"tokens in {name}"].astype("Int64")
    return kept


def bar_figures(
    table: pd.DataFrame, names: Sequence[str], lead: int, *, lowest_first: bool = False
) -> pd.DataFrame:
    """The exact figures behind the bars, of every language that the search found; if none, of all.

    Args:
        table: of ``make_table``, with a column found.
        names: the encodings.
        lead: the number of the one whose premium they are sorted by.
        lowest_first: which end comes first.
    """
    rows = table[table["found"]] if table["found"].any() else table
    rows = rows.sort_values(f"p{lead}", ascending=lowest_first, kind="stable")
    in_order = [names[lead], *(name for name in names if name != names[lead])]
    columns = [f"{what} in {name}" for name in in_order for what in _FIGURES]
    return export(rows, names)[["language", *columns, "code", "script"]]


def map_figures(table: pd.DataFrame, names: Sequence[str], lead: int) -> pd.DataFrame:
    """The exact figures behind the map, of the languages that are on it; else as ``bar_figures``."""
    column = f"p{lead}"
    rows = table.dropna(subset=["latitude", column]).sort_values(column, ascending=False, kind="stable")
    columns = ["language", f"premium in {names[lead]}", f"tokens in {names[lead]}"]
    return export(rows, names)[[*columns, "code", "latitude", "longitude"]]


def scatter_figures(table: pd.DataFrame, names: Sequence[str], across: int, up: int) -> pd.DataFrame:
    """The exact figures behind the scatter, the dearest on its y axis first; else as ``bar_figures``."""
    rows = table.sort_values(f"p{up}", ascending=False, kind="stable")
    columns = [f"{what} in {names[number]}" for number in dict.fromkeys((across, up)) for what in _FIGURES]
    return export(rows, names)[["language", *columns, "code", "script"]]


def script_figures(table: pd.DataFrame, names: Sequence[str], lead: int) -> pd.DataFrame:
    """The exact figures behind the scripts, the dearest script first; else as ``bar_figures``.

    A script's median is of the declarations alone, as in the chart.
    """
    column = f"p{lead}"
    rows = table.dropna(subset=[column])
    medians = rows[~rows["own"]].groupby("script")[column].median()
    rows = rows.assign(median=rows["script"].map(medians))
    rows = rows.sort_values(["median", column], ascending=False, kind="stable")
    columns = ["script", "language", f"premium in {names[lead]}", f"tokens in {names[lead]}", "code"]
    figures = export(rows, names)[columns]
    figures.insert(3, "median of the script", rows["median"])
    return figures
