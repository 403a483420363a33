"""Writes a lesson as a worksheet with an answer sheet, in one HTML file to print.

The file needs no other files. All words of a lesson are escaped.
"""

from __future__ import annotations

import unicodedata
from html import escape
from typing import Any

from tokenizers.encoding import ASSETS
from tokenizers.text import spell_text

_STYLE = ASSETS / "lessons" / "worksheet.css"

_WIDE = 4
"""Bytes per grapheme from which a short text is set in large type, such as emoji."""

_BLANKS = "· is a space, → a tab, ⏎ the end of a line."
_BYTES = " ⟨0xf0 9f⟩ are bytes: such a token holds a part of a character only."

MANY = 30
"""The most tokens of an encoding on a sheet. Hindi in gpt2 would fill a page with bytes."""


def write_worksheet(drawn: dict[str, Any]) -> str:
    """The worksheet of a lesson and its answer sheet, as HTML.

    Args:
        drawn: the result of ``work_out``.

    >>> from tokenizers import get_encoding
    >>> from pages.session.lessons import list_lessons, work_out
    >>> sheet = write_worksheet(work_out(list_lessons()[0], get_encoding))
    >>> sheet.count("<h1>"), "<script" in sheet
    (2, False)
    """
    title, steps = escape(drawn["title"]), drawn["steps"]
    has_parts = any(
        token["part"] for step in steps for row in step.get("shows", ()) for token in row["tokens"]
    )
    # A step of kind "say" would give the answers away.
    questions = [_draw(n, step, False) for n, step in enumerate(steps, 1) if step["kind"] != "say"]
    answers = [_draw(n, step, True) for n, step in enumerate(steps, 1)]
    return f"""<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>
<style>{_STYLE.read_text("utf-8")}</style></head><body>
<p class='hint'>Print this page: the worksheet comes first, and its answers on a page of their own.</p>
<h1>{title}</h1><div class='head'><span>{escape(drawn["question"])}</span>
<span>Name: ____________________</span></div>
<p class='blanks'>{_BLANKS}</p>
{"".join(questions)}
<div class='answers'><h1>{title}: answers</h1><div class='head'></div>
<p class='blanks'>{_BLANKS}{_BYTES if has_parts else ""}</p>
{"".join(answers)}
</div></body></html>"""


def _draw(number: int, step: dict[str, Any], answered: bool) -> str:
    """A step as a question, or as its answer."""
    sources = [f"{escape(each['says'])}, {escape(each['address'])}" for each in step["sources"]]
    if step["kind"] == "say":
        said = "".join(f" ({source})" for source in sources)
        return f"<section><p><b>In short:</b> {escape(step['asks'])}{said}</p></section>"
    parts = [f"<section><h2>{number}. {escape(step['asks'])}</h2>"]
    if step["kind"] == "cuts":
        if not answered:
            parts.append("<p>Draw a line wherever you expect a cut.</p>")
        parts.append(_draw_text(step, answered))
    elif "text" in step:
        is_big = len(step["clusters"]) * _WIDE <= len(step["text"].encode()) <= _WIDE * 10
        parts.append(f"<p><code{' class=big' if is_big else ''}>{escape(step['text'])}</code></p>")
    for place, answer in enumerate(step.get("choices", ())):
        box, mark = ("☑", " class='right'") if answered and place == step["right"] else ("☐", "")
        parts.append(f"<ul><li{mark}>{box} {escape(answer)}</li></ul>")
    if step["kind"] == "number":
        value = f"Answer: <b>{_number(step['value'])}</b>" if answered else "My guess: __________"
        parts.append(f"<p>{value}</p>")
    if not answered:
        return "".join([*parts, "<p>Why?</p><div class='lines'></div></section>"])
    for row in step.get("shows", ()):
        boxes = " ".join(f"<span>{escape(token['text'])}</span>" for token in row["tokens"][:MANY])
        rest = " …" if len(row["tokens"]) > MANY else ""
        many = "1 token" if len(row["tokens"]) == 1 else f"{len(row['tokens']):,} tokens"
        about = f" ({escape(row['about'])})" if row["about"] else ""
        parts.append(
            f"<p><b>{escape(row['name'])}</b>{about}, {many}: <code class='tokens'>{boxes}{rest}</code></p>"
        )
    parts.append(f"<p>{escape(step['reveals'])}</p>")
    parts += [f"<p>Source: {source}</p>" for source in sources]
    return "".join([*parts, "</section>"])


def _number(value: float) -> str:
    """Format a number as the lesson does on the screen.

    >>> _number(100261), _number(24 / 13)
    ('100,261', '1.8')
    """
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def _draw_text(step: dict[str, Any], answered: bool) -> str:
    cuts = set(step["shows"][0]["cuts"]) if answered else set()
    spans = []
    for place, grapheme in enumerate(step["clusters"]):
        kinds = ["cut"] * (place in cuts) + ["rtl"] * (unicodedata.bidirectional(grapheme[0]) in ("R", "AL"))
        mark = f" class='{' '.join(kinds)}'" if kinds else ""
        spans.append(f"<span{mark}>{escape(spell_text(grapheme) if len(grapheme) == 1 else grapheme)}</span>")
    return f"<p class='text'>{'<wbr>'.join(spans)}</p>"
