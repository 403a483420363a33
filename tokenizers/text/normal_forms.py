"""The four normal forms of Unicode (UAX #15), and what each changes in a text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Literal

import regex

from ..utf8 import well_formed

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

FORMS: dict[Form, str] = {
    "NFC": "Letters and marks are joined where Unicode has one character for them.",
    "NFD": "Such characters are taken apart: a letter, then its marks, in a fixed order.",
    "NFKC": "As NFC, and what is only another look of a character becomes that character: ﬁ becomes fi.",
    "NFKD": "As NFD, and what is only another look of a character becomes that character: ² becomes 2.",
}
"""The forms, and what each does."""

_SEGMENT = regex.compile(r"\p{RI}\p{M}*+|\X")
"""A grapheme: nothing combines across its edges. Half a flag will do: a run of flags takes quadratic time."""


@dataclass(frozen=True)
class Change:
    """A stretch of text that a form writes in another way, at all of its places.

    Attributes:
        old, new: the stretch, and what it becomes.
        count: at how many places.
        first: the first place, in characters of the text as it was.
    """

    old: str
    new: str
    count: int
    first: int


@dataclass(frozen=True)
class NormalForm:
    """A text in a normal form.

    Attributes:
        form: which one.
        text: the text in it.
        changes: what differs, the first place first; each stretch once.
    """

    form: Form
    text: str
    changes: tuple[Change, ...]


def normal_form(text: str, form: Form) -> NormalForm:
    """A text in a normal form, with what that changes.

    Raises:
        ValueError: there is no such form.

    >>> ligature = normal_form("ﬁne, ﬁne cafe\\u0301", "NFKC")
    >>> ligature.text, [(ascii(change.old), change.new, change.count) for change in ligature.changes]
    ('fine, fine caf\u00e9', [("'\\\\ufb01'", 'fi', 2), ("'e\\\\u0301'", '\u00e9', 1)])
    """
    if form not in FORMS:
        raise ValueError(f"There is no normal form {form!r}: choose one of {', '.join(FORMS)}.")
    text = well_formed(text)
    whole = unicodedata.normalize(form, text)
    if whole == text:
        return NormalForm(form, text, ())
    places: dict[tuple[str, str], list[int]] = {}  # of each change: how often, and where first
    parts = []
    at = 0
    for segment in _SEGMENT.findall(text):
        normal = unicodedata.normalize(form, segment)
        parts.append(normal)
        if normal != segment:
            places.setdefault((segment, normal), [0, at])[0] += 1
        at += len(segment)
    if "".join(parts) != whole:  # characters of two segments combine: one change, of everything
        places = {(text, whole): [1, 0]}
    changes = tuple(Change(old, new, count, first) for (old, new), (count, first) in places.items())
    return NormalForm(form, whole, changes)
