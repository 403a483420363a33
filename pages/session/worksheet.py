"""A lesson on paper: a worksheet, and behind it its answer sheet, as one file to be opened and printed.

It is HTML by itself, with nothing from elsewhere, in black on white. Whatever a lesson says is text in it:
every word goes through ``escape``.
"""

from __future__ import annotations

import unicodedata
from html import escape
from typing import Any

from tokenizers.encoding import ASSETS
from tokenizers.text import spell_text

_STYLE = ASSETS / "lessons" / "worksheet.css"

_WIDE = 4
"""Bytes of each grapheme of a short text that is set in large type: these are emoji."""

_BLANKS = "· is a space, → a tab, ⏎ the end of a line."
_BYTES = " ⟨0xf0 9f⟩ are bytes: such a token holds a part of a character only."

MANY = 30
"""Tokens of one encoding that are written out. Hindi in gpt2 would fill a page with bytes."""


def write_worksheet(drawn: dict[str, Any]) -> str:
    """The worksheet of a lesson and its answer sheet, as HTML.

    Args:
        drawn: of ``work_out``.

    >>> from tokenizers import get_encoding
    >>> from pages.session.lessons import list_lessons, work_out
    >>> sheet = write_worksheet(work_out(list_lessons()[0], get_encoding))
    >>> sheet.count("<h1>"), "<script" in sheet
    (2, False)
    """
    title = escape(drawn["title"])
    has_parts = any(
        token["part"] for step in drawn["steps"] for row in step.get("shows", ()) for token in row["tokens"]
    )
    parts = [
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>",
        f"<style>{_STYLE.read_text('utf-8')}</style></head><body>",
        "<p class='hint'>Print this page: the worksheet comes first, and its answers on a page of their own."
        "</p>",
        f"<h1>{title}</h1><div class='head'><span>{escape(drawn['question'])}</span>",
        "<span>Name: ____________________</span></div>",
        f"<p class='blanks'>{_BLANKS}</p>",
        *(_draw(number, step, False) for number, step in enumerate(drawn["steps"], 1) if _asks(step)),
        f"<div class='answers'><h1>{title}: answers</h1><div class='head'></div>",
        f"<p class='blanks'>{_BLANKS}{_BYTES if has_parts else ''}</p>",
        *(_draw(number, step, True) for number, step in enumerate(drawn["steps"], 1)),
        "</div></body></html>",
    ]
    return "\n".join(parts)


def _asks(step: dict[str, Any]) -> bool:
    """Whether a step is a question. One that only says something would give the answers away."""
    return bool(step["kind"] != "say")


def _draw(number: int, step: dict[str, Any], answered: bool) -> str:
    if not _asks(step):
        sources = "".join(f" ({escape(each['says'])}, {escape(each['address'])})" for each in step["sources"])
        return f"<section><p><b>In short:</b> {escape(step['asks'])}{sources}</p></section>"
    parts = [f"<section><h2>{number}. {escape(step['asks'])}</h2>"]
    if step["kind"] == "cuts":
        if not answered:
            parts.append("<p>Draw a line wherever you expect a cut.</p>")
        parts.append(_draw_text(step, answered))
    elif "text" in step:
        is_big = len(step["clusters"]) * _WIDE <= len(step["text"].encode()) <= _WIDE * 10
        parts.append(f"<p><code{' class=big' if is_big else ''}>{escape(step['text'])}</code></p>")
    if step["kind"] == "choice":
        for place, answer in enumerate(step["choices"]):
            is_right = answered and place == step["right"]
            box, mark = ("☑", " class='right'") if is_right else ("☐", "")
            parts.append(f"<ul><li{mark}>{box} {escape(answer)}</li></ul>")
    if step["kind"] == "number":
        parts.append(
            f"<p>Answer: <b>{_number(step['value'])}</b></p>" if answered else "<p>My guess: __________</p>"
        )
    if answered:
        for row in step.get("shows", ()):
            rest = "" if len(row["tokens"]) <= MANY else " …"
            boxes = (f"<span>{escape(token['text'])}</span>" for token in row["tokens"][:MANY])
            tokens = " ".join(boxes) + rest
            many = "1 token" if len(row["tokens"]) == 1 else f"{len(row['tokens']):,} tokens"
            about = f" ({escape(row['about'])})" if row["about"] else ""
            parts.append(
                f"<p><b>{escape(row['name'])}</b>{about}, {many}: <code class='tokens'>{tokens}</code></p>"
            )
        parts.append(f"<p>{escape(step['reveals'])}</p>")
        for source in step["sources"]:
            parts.append(f"<p>Source: {escape(source['says'])}, {escape(source['address'])}</p>")
    else:
        parts.append("<p>Why?</p><div class='lines'></div>")
    return "".join([*parts, "</section>"])


def _number(value: float) -> str:
    """As the lesson says it on the screen.

    >>> _number(100261), _number(24 / 13)
    ('100,261', '1.8')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _class_of(kinds: list[str]) -> str:
    return f" class='{' '.join(kinds)}'" if kinds else ""


def _draw_text(step: dict[str, Any], answered: bool) -> str:
    cuts = set(step["shows"][0]["cuts"]) if answered else set()
    spans = []
    for place, grapheme in enumerate(step["clusters"]):
        seen = spell_text(grapheme) if len(grapheme) == 1 else grapheme
        kinds = ["cut"] * (place in cuts) + ["rtl"] * (unicodedata.bidirectional(grapheme[0]) in ("R", "AL"))
        spans.append(f"<span{_class_of(kinds)}>{escape(seen)}</span>")
    return f"<p class='text'>{'<wbr>'.join(spans)}</p>"
