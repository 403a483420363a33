"""The table behind the page Languages, and its counts: names, tokens and premiums of each translation."""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pandas as pd
import streamlit as st

from pages.session.own_texts import OwnTexts
from pages.shared.curves import curve_of, n_tokens_of
from tokenizers.amounts import bytes_in_words, shorten
from tokenizers.data import ParallelText, list_languages, list_parallel, own_text
from tokenizers.encoding import ASSETS, Encoding
from tokenizers.measure import count_text, fingerprint, shipped_counts
from tokenizers.registry import short_title
from tokenizers.shipped import reading
from tokenizers.text import isolate

OWN_NAMES_FILE = ASSETS / "udhr" / "own_names.json"
SHORT = 24
"""Characters of a name beside a dot."""

_UNKNOWN = "und"


class LanguageNames(NamedTuple):
    """Other names of a translation's language; empty where unknown.

    Attributes:
        iso: its ISO 639-3 code, which all translations of a language share.
        own: what its speakers call it.
    """

    iso: str = ""
    own: str = ""


@functools.cache
def _all_names() -> dict[str, LanguageNames]:
    with reading(OWN_NAMES_FILE, "The languages’ own names"):
        own_names = json.loads(OWN_NAMES_FILE.read_text("utf-8"))
    names = {}
    for language in list_languages():
        parts = language.bcp47.split("-")
        with_script = "-".join(parts[:2])
        own = own_names.get(with_script) or own_names.get(parts[0], "")
        names[language.code] = LanguageNames(language.iso639_3.replace(_UNKNOWN, ""), own)
    return names


def names_of(code: str) -> LanguageNames:
    """Other names of the translation with this code; empty for an own text.

    >>> names_of("ell_monotonic").own, names_of("deu_1996").iso
    ('Ελληνικά', 'deu')
    """
    return _all_names().get(code, LanguageNames())


def label_of(code: str, name: str) -> str:
    """The label of a language in a select box, with each name that people may type.

    >>> label_of("deu_1996", "German, Standard (1996)"), label_of("own-1", "Mine")
    ('German, Standard (1996) · Deutsch · deu', 'Mine')
    """
    names = names_of(code)
    labels = [name]
    if names.own and names.own.casefold() != name.casefold():
        labels.append(names.own)
    if names.iso:
        labels.append(names.iso)
    return " · ".join(labels)


def times(premium: float) -> str:
    """Format a premium.

    >>> times(20.54), times(1.041), times(0.5)
    ('20.5×', '1.04×', '0.50×')
    """
    return f"{premium:.1f}×" if premium >= 9.95 else f"{premium:.2f}×"


def make_table(
    texts: Sequence[ParallelText],
    counted: Mapping[str, Mapping[str, int]],
    base: str,
    own: Sequence[ParallelText] = (),
) -> pd.DataFrame:
    """One row for each language, with columns for each encoding.

    Args:
        texts: the declarations.
        counted: tokens by code, for each encoding; number i has the columns t{i} (tokens) and p{i} (premium).
        base: the code of the language that the declarations are compared with.
        own: the session's own texts, which are compared with the first of them.

    Returns:
        Columns code, name, own_name and iso (empty: unknown), short (to write beside a dot), script,
        latitude, longitude, own, n_bytes, n_chars, bytes and chars (premiums), and those of the
        encodings. What cannot be compared, such as an empty text, is NaN.
    """
    rows = [*texts, *own]
    fields = ("code", "name", "script", "latitude", "longitude", "n_bytes", "n_chars")
    table = pd.DataFrame({field: [getattr(text, field) for text in rows] for field in fields})
    names = [names_of(text.code) for text in rows]
    table = table.astype({"latitude": float, "longitude": float}).assign(
        own_name=[each.own for each in names],
        iso=[each.iso for each in names],
        short=[shorten(name, SHORT) for name in table["name"]],
        own=[False] * len(texts) + [True] * len(own),
    )

    def premiums(amounts: pd.Series) -> pd.Series:
        by_code = dict(zip(table["code"], amounts, strict=True))
        of_own = by_code[own[0].code] if own else None
        bases = table["own"].map({False: by_code.get(base), True: of_own}).astype(float)
        return amounts / bases.where(bases > 0)

    table["bytes"] = premiums(table["n_bytes"])
    table["chars"] = premiums(table["n_chars"])
    for number, counts in enumerate(counted.values()):
        table[f"t{number}"] = table["code"].map(counts).astype(float)
        table[f"p{number}"] = premiums(table[f"t{number}"])
    return table


def find(table: pd.DataFrame, query: str) -> pd.Series:
    """The rows that a search finds: by a part of the name, the own name, the script or the ISO code.

    Args:
        table: of ``make_table``.
        query: several words mean any of them, with commas between; empty: all.
    """
    words = [word.strip().casefold() for word in query.split(",") if word.strip()]
    labels = table["name"].str.cat(table[["own_name", "script", "iso"]], sep="\n").str.casefold()
    return labels.map(lambda label: not words or any(word in label for word in words)).astype(bool)


def choose_rows(table: pd.DataFrame, lead: int, focus: str, view: str, n_rows: int) -> pd.DataFrame:
    """The languages whose bars are drawn, in order.

    The selected language and the session's own texts are always among them.

    Args:
        table: of ``make_table``, with a column found.
        lead: the number of the encoding that orders them.
        focus: the code of the selected language.
        view: "around" it, or "highest" or "lowest" first.
        n_rows: to draw, of those that were found.
    """
    column = f"p{lead}"
    ordered = table.dropna(subset=[column]).sort_values(column, ascending=view == "lowest", kind="stable")
    matches = ordered[ordered["found"]]
    start = 0
    if view == "around":
        premium = float(table.loc[table["code"] == focus, column].iloc[0])
        n_before = int((matches[column] > premium).sum())
        start = max(0, min(n_before - n_rows // 2, len(matches) - n_rows))
    in_view = matches.iloc[start : start + n_rows]
    is_drawn = ordered["code"].isin([*in_view["code"], focus])
    return ordered[is_drawn | ordered["own"]]


def rank_in_words(table: pd.DataFrame, column: str, code: str) -> str:
    """The rank of a language among the declarations; the first has the highest value.

    >>> table = pd.DataFrame({"code": ["a", "b"], "own": False, "p0": [1.0, 2.0]})
    >>> rank_in_words(table, "p0", "b"), rank_in_words(table, "p0", "a")
    ('number 1 of 2', 'number 2 of 2')
    """
    values = table.loc[~table["own"], column]
    (value,) = table.loc[table["code"] == code, column]
    n_higher = int((values > value).sum())
    return f"number {n_higher + 1} of {len(values):,}"


# Exact values, in columns with names for people


def export(table: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """All exact values of all languages."""
    columns = {
        "code": "code",
        "name": "language",
        "own_name": "own name",
        "iso": "ISO 639-3",
        "script": "script",
        "latitude": "latitude",
        "longitude": "longitude",
        "n_bytes": "bytes",
        "bytes": "premium of the bytes",
        "n_chars": "characters",
        "chars": "premium of the characters",
    }
    for number, name in enumerate(map(short_title, names)):
        columns[f"t{number}"] = f"tokens in {name}"
        columns[f"p{number}"] = f"premium in {name}"
    whole_numbers = {f"tokens in {short_title(name)}": "Int64" for name in names}
    return table[list(columns)].rename(columns=columns).astype(whole_numbers)


def values_of(table: pd.DataFrame, names: Sequence[str], numbers: Sequence[int], *more: str) -> pd.DataFrame:
    """The exact values behind a chart, the highest premium in the first of its encodings first.

    The values in the chart come first, since a phone is narrow.

    Args:
        table: of ``make_table``.
        names: the encodings.
        numbers: those of the chart.
        more: names of further columns of ``export``.
    """
    rows = table.sort_values(f"p{numbers[0]}", ascending=False, kind="stable")
    chosen = [short_title(names[number]) for number in numbers]
    columns = [f"{what} in {name}" for name in chosen for what in ("premium", "tokens")]
    return export(rows, names)[["language", *columns, "code", *more]]


def script_values(table: pd.DataFrame, name: str, lead: int) -> pd.DataFrame:
    """The exact values behind the scripts: the median premium of each, without own texts, highest first."""
    by_script = table[~table["own"]].dropna(subset=[f"p{lead}"]).groupby("script")[f"p{lead}"]
    values = by_script.agg(["median", "size"]).sort_values("median", ascending=False, kind="stable")
    return values.set_axis([f"median premium in {short_title(name)}", "translations"], axis=1).reset_index()


MAX_TRANSLATION_BYTES = 500 << 10
"""A longer text is not compared: its beginning alone would not say the same as the other texts."""

MAX_TEXTS = 20

# The declarations


MAX_SECONDS = 20.0
"""Counting takes half a second. With a slow split pattern of a person's own, the page stops here."""


def counts_of(encoding: Encoding) -> Mapping[str, int]:
    """Tokens of each declaration, by code. They are bundled with the app, or counted once for all sessions.

    Raises:
        ValueError: an own split pattern is too slow. The next call continues.
    """
    if (shipped := shipped_counts(encoding)) is not None:
        return shipped
    counts = _counts(fingerprint(encoding))
    begun = time.monotonic()
    for text in list_parallel():
        if text.code not in counts:
            counts[text.code] = count_text(encoding, text)
            if time.monotonic() - begun > MAX_SECONDS:
                taken = f"Counting in {encoding.name} has taken {MAX_SECONDS:.0f} seconds."
                raise ValueError(f"{taken} Reload the page to go on.")
    return counts


@functools.lru_cache(maxsize=64)
def _counts(_: str) -> dict[str, int]:
    return {}


# A person's own parallel texts


def comparable_texts(keys: Sequence[str], own: OwnTexts) -> tuple[dict[str, ParallelText], list[str]]:
    """The chosen texts that can be compared, by their keys, and why the others cannot.

    Args:
        keys: of the chosen texts; those that were removed are left out.
        own: the session's own texts.
    """
    texts: dict[str, ParallelText] = {}
    problems = []
    for key in (key for key in keys if key in own):
        text = own[key]
        if not text.text.strip():
            problems.append(f"{isolate(text.title)} has nothing in it to compare. Choose another text.")
        elif text.n_bytes > MAX_TRANSLATION_BYTES:
            problems.append(
                f"{isolate(text.title)} has {bytes_in_words(text.n_bytes)}, and a text of up to "
                f"{bytes_in_words(MAX_TRANSLATION_BYTES)} is compared here. Take a part, and the same part "
                "of the others."
            )
        elif len(texts) >= MAX_TEXTS:
            problems.append(
                f"{isolate(text.title)} is one too many: up to {MAX_TEXTS} texts are compared at a time."
            )
        else:
            texts[key] = replace(_as_parallel(text.title, text.text), code=key)
    return texts, problems


_as_parallel = st.cache_data(show_spinner=False, max_size="16MB", ttl=3600)(own_text)


def count_own(encoding: Encoding, texts: Collection[ParallelText]) -> dict[str, int]:
    """Tokens of each of the session's own texts, by code.

    Raises:
        ValueError: an own split pattern is too slow.
    """
    return {text.code: n_tokens_of(encoding, text.text) for text in texts}


# Smaller vocabularies


def change_with_half(encoding: Encoding, text: str) -> float | None:
    """How many more tokens a text takes with half of the vocabulary, as a share; None: it cannot be cut.

    >>> from tokenizers import get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> change_with_half(gpt2, "the cat"), change_with_half(gpt2, " unbelievably")
    (0.0, 1.0)
    """
    if not encoding.has_merges:
        return None
    try:
        curve = curve_of(encoding, text)
    except ValueError:  # an own split pattern that is too slow on this text
        return None
    return curve.at(max(curve.full // 2, curve.smallest)) / max(1, curve.at(curve.full)) - 1
