"""The data of the rows of Unicode, and the sections below them: look-alikes, normal forms, code points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from pages.shared.markdown import escape
from pages.shared.tables import show_table
from tokenizers.amounts import plural, shorten
from tokenizers.data import characters_of_the_declaration
from tokenizers.encoding import Encoding
from tokenizers.json_types import JsonObject
from tokenizers.registry import short_title
from tokenizers.steps import first_few
from tokenizers.text import (
    CATEGORIES,
    FORMS,
    KINDS,
    UNICODE_VERSION,
    NormalForm,
    Spans,
    TextMap,
    code_point,
    count_assigned,
    find_kinds,
    isolate,
    looks_like,
    mixed_words,
    normal_form,
    spell_alone,
    spell_text,
)

_MAX_MARKED = 40  # sentences about invisible characters and look-alikes
_MAX_CHANGES = 50  # rows
_MAX_CHARS = 20  # of a change


def _count(encoding: Encoding, text: str) -> int | None:
    """How many tokens a text has; None: the encoding cannot, which its row says."""
    try:
        return len(encoding.encode_array(text))
    except (ValueError, OSError):
        return None


# Invisible characters and look-alikes


def draw_marked(text_map: TextMap) -> None:
    """The characters that are invisible, or look like others, in sentences."""
    sentences = _find_marked(text_map.text)
    label = f"Invisible characters and look-alikes ({len(sentences)})"
    with st.expander(label, icon=":material/visibility:", expanded=bool(sentences)):
        for sentence in sentences:
            st.markdown(f"- {escape(sentence)}")
        st.caption(
            "Listed are Unicode’s invisible characters, spaces and direction marks, and characters that look "
            "like English letters, digits and symbols in words that mix scripts (UTS #39, 13.0). A word in a "
            "single other script, such as раура in Cyrillic, is not listed. The row of scripts shows it."
        )


def _find_marked(text: str) -> list[str]:
    sentences = []
    kinds: dict[str, list[str]] = {}
    for at in find_kinds(text):
        point = code_point(text[at])
        kinds.setdefault(point.kind, []).append(point.number)
    for kind, numbers in kinds.items():
        distinct = first_few(list(dict.fromkeys(numbers)), 5)
        sentences.append(f"{kind.capitalize()}, {plural(len(numbers), 'time')} ({distinct}). {KINDS[kind]}")
    for word in mixed_words(text):
        points = [code_point(text[at]) for at in word.look_alikes[:5]]
        letters = ", ".join(
            f"{point.char} ({point.number} {point.name}) looks like {' or '.join(looks_like(point.char))}"
            for point in points
        )
        if letters:
            sentences.append(
                f"“{isolate(spell_text(word.text[:40]))}” mixes {' and '.join(word.scripts)}: {letters}."
            )
    return sentences[:_MAX_MARKED]


def facts_table(text_map: TextMap) -> pd.DataFrame:
    """A row for each code point of the text, in order."""
    places = text_map.byte_of_char[: text_map.n_chars]
    graphemes = text_map.is_grapheme_edge[places].cumsum()
    points = map(code_point, text_map.text)
    return pd.DataFrame(
        {
            "grapheme": grapheme,
            "byte": place,
            "character": spell_alone(point.char),
            "code point": point.number,
            "name": point.name,
            "category": f"{point.category}: {CATEGORIES[point.category]}",
            "script": point.script,
            "block": point.block,
            "UTF-8": " ".join(point.utf8),
            "UTF-16": " ".join(point.utf16),
            "UTF-32": point.utf32,
            "look out": point.kind,
            "looks like": " ".join(looks_like(point.char)),
        }
        for grapheme, place, point in zip(graphemes, places, points, strict=True)
    )


# Normal forms


def draw_forms(text_map: TextMap, encodings: Mapping[str, Encoding]) -> None:
    """What each normal form does to the text, and to what is counted."""
    st.subheader("The same text, written differently")
    normals = [normal_form(text_map.text, form) for form in FORMS]
    st.write(
        "Unicode can write many texts in several ways, which look the same but become different tokens. Each "
        "of its four normal forms settles on one way."
    )
    show_table(forms_table(text_map.text, normals, encodings), height="content")
    changes = changes_table(normals, text_map)
    if len(changes):
        st.markdown("**Changes, and where each occurs first**")
        show_table(changes.head(_MAX_CHANGES), height="content" if len(changes) < 9 else 320)
        if len(changes) > _MAX_CHANGES:
            st.caption(f"The first {_MAX_CHANGES} of {len(changes):,} changes.")
    st.caption(
        "NFC and NFD should not change what you see. NFKC and NFKD also turn ² into 2, for example, which "
        f"cannot be undone. These are the forms of Unicode {UNICODE_VERSION} (UAX #15)."
    )


def forms_table(text: str, normals: Sequence[NormalForm], encodings: Mapping[str, Encoding]) -> pd.DataFrame:
    """The counts of the text as it is and in each form: a row for each, and a column for each encoding."""
    forms = [("as typed", 0, text)]
    forms += [(normal.form, sum(each.count for each in normal.changes), normal.text) for normal in normals]
    rows = []
    for form, changed, written in forms:
        counts = count_units(TextMap(written))
        rows.append(
            {
                "form": form,
                "places changed": changed,
                "graphemes": counts["graphemes"],
                "code points": counts["code_points"],
                "UTF-8 bytes": counts["utf8"],
                "UTF-16 units": counts["utf16"],
                **{
                    f"tokens, {short_title(name)}": _count(encoding, written)
                    for name, encoding in encodings.items()
                },
            }
        )
    return pd.DataFrame(rows)


def changes_table(normals: Sequence[NormalForm], text_map: TextMap) -> pd.DataFrame:
    """What each form changes: a row for each stretch that it writes in another way."""
    return pd.DataFrame(
        {
            "form": normal.form,
            "was": spell_alone(shorten(change.old, _MAX_CHARS)),
            "becomes": spell_alone(shorten(change.new, _MAX_CHARS)),
            "times": change.count,
            "first at byte": int(text_map.byte_of_char[change.first]),
        }
        for normal in normals
        for change in normal.changes
    )


# Why not code points?


def draw_why() -> None:
    """Why code points make no good tokens, in numbers."""
    assigned = count_assigned()
    use = characters_of_the_declaration()
    unseen = assigned - use.n_assigned
    st.subheader("Why not just use code points?")
    st.markdown(
        f"- **Too many.** Unicode {UNICODE_VERSION} has {assigned:,} characters. A model’s tables would "
        "need a row for each, and each new version of Unicode would need a new model.\n"
        f"- **Most are hardly used.** The Universal Declaration of Human Rights in {use.n_texts:,} languages "
        f"and variants never uses {unseen:,} of them ({unseen / assigned:.1%}), and its 100 most "
        f"frequent characters take {use.share_of_first(100):.0%} of all places. A model learns nothing about "
        "a token that it does not see.\n"
        "- **Too long.** A model works once for each token, and most tokens of a model are longer than "
        "a character: type a text above, and compare the counts.\n"
        "- **And bytes?** 256 tokens are enough for every text, but texts get longest of all. Byte-level "
        "BPE begins there, and joins what often stands side by side."
    )
    st.caption(
        "Graphemes would be no better: a letter can carry any number of marks, so the list would have no end."
    )


MAX_GRAPHEMES = 60
"""Graphemes of a part of the text."""

MAX_PART_BYTES = 240
"""Bytes of a part of the text, each of which is a column."""


def find_parts(text_map: TextMap) -> list[tuple[int, int]]:
    """The parts of a text, as bytes [start, end); each of whole graphemes. An empty text has one, empty.

    >>> find_parts(TextMap("ab" * 40))
    [(0, 60), (60, 80)]
    """
    parts = []
    begin = n_graphemes = 0
    for start, end in text_map.cells(0, text_map.n_bytes):
        if n_graphemes == MAX_GRAPHEMES or (end - begin > MAX_PART_BYTES and start > begin):
            parts.append((begin, start))
            begin = start
            n_graphemes = 0
        n_graphemes += 1
    return [*parts, (begin, text_map.n_bytes)]


def describe_text(text_map: TextMap, start: int, end: int) -> JsonObject:
    """The counts of a text, and the graphemes and code points of its bytes [start, end)."""
    mixed = {at: " and ".join(word.scripts) for word in mixed_words(text_map.text) for at in word.look_alikes}
    points = []
    offset = start
    for at in range(text_map.char_index(start), text_map.char_index(end)):
        fact = code_point(text_map.text[at])
        points.append(
            {
                **vars(fact),
                "code": fact.number,
                "start": offset,
                "end": offset + len(fact.utf8),
                "category_words": CATEGORIES[fact.category],
                "like": looks_like(fact.char),
                "mixed": mixed.get(at, ""),
                "utf8": fact.utf8,
                "utf16": fact.utf16,
                "utf32": [fact.utf32],
            }
        )
        offset += len(fact.utf8)
    return {
        "start": start,
        "end": end,
        "counts": count_units(text_map),
        "graphemes": [
            {"start": begin, "end": stop, "text": text_map.data[begin:stop].decode("utf-8")}
            for begin, stop in text_map.cells(start, end)
        ],
        "points": points,
        "kinds": {point["kind"]: KINDS[point["kind"]] for point in points if point["kind"]},
    }


def count_units(text_map: TextMap) -> dict[str, int]:
    """A text in the five ways of counting.

    >>> count_units(TextMap("👩‍🚀"))
    {'graphemes': 1, 'code_points': 3, 'utf8': 11, 'utf16': 5, 'utf32': 3}
    """
    return {
        "graphemes": text_map.n_graphemes,
        "code_points": text_map.n_chars,
        "utf8": text_map.n_bytes,
        "utf16": int(text_map.utf16_at[text_map.n_bytes]),
        "utf32": text_map.n_chars,
    }


def describe_tokens(spans: Spans, start: int, end: int) -> list[JsonObject]:
    """The tokens that overlap the bytes [start, end), and the gaps between them, in order.

    A token that has nothing left of the bytes that it shares is listed with the one before it, as ``more``.
    """
    tokens: list[JsonObject] = []
    for owner, begin, stop in zip(*(edges.tolist() for edges in spans.stretches), strict=True):
        if begin == stop:
            if tokens and owner >= 0 and start < begin <= end:
                tokens[-1]["more"].append(int(spans.ids[owner]))
        elif begin < end and stop > start:
            token: JsonObject = {"start": begin, "end": stop, "id": None}
            if owner >= 0:
                token |= {"id": int(spans.ids[owner]), "bytes": spans.bytes_of(owner).hex()}
                token |= {"unknown": bool(spans.unknown[owner])}
            tokens.append({**token, "more": []})
    return tokens
