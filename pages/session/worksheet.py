"""Writes a lesson as a worksheet and as an answer sheet, each an HTML file to print.

The files need no other files. All words of a lesson are escaped.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from html import escape
from typing import Any

from pages.session.formulas import in_words
from tokenizers.amounts import plural
from tokenizers.encoding import ASSETS
from tokenizers.text import spell_alone

_STYLE = ASSETS / "lessons" / "worksheet.css"

_WIDE = 4
"""Bytes per grapheme from which a short text is set in large type, such as emoji."""

_BLANKS = "· is a space, → a tab, ⏎ the end of a line."
_BYTES = " ⟨0xf0 9f⟩ are bytes: such a token holds a part of a character only."

MANY = 30
"""The most tokens of an encoding on a sheet, if most of them hold only a part of a character."""


def write_worksheet(drawn: dict[str, Any], *, answered: bool) -> str:
    """The worksheet of a lesson as HTML, or its answer sheet.

    Args:
        drawn: the result of ``work_out``.
        answered: whether it has the answers.

    >>> from tokenizers import get_encoding
    >>> from pages.session.lessons import list_lessons, work_out
    >>> sheet = write_worksheet(work_out(list_lessons()[0], get_encoding), answered=False)
    >>> sheet.count("<h1>"), "<script" in sheet
    (1, False)
    """
    title = escape(drawn["title"])
    mark = ""
    heading = title
    name = "<span>Name: ____________________</span>"
    blanks = _BLANKS
    if answered:
        mark = " class='answers'"
        heading += ": answers"
        name = ""
        if _has_parts(drawn["steps"]):
            blanks += _BYTES
    sections = []
    for number, step in enumerate(drawn["steps"], 1):
        if answered or step["kind"] != "say":  # its words would give the answers away
            sections.append(_draw(number, step, answered))
    return f"""<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>
<style>{_STYLE.read_text("utf-8")}</style></head><body{mark}>
<p class='hint'>Press Ctrl+P (⌘P on a Mac) to print this page, or to save it as a PDF.</p>
<h1>{heading}</h1><div class='head'><span>{escape(drawn["question"])}</span>
{name}</div>
<p class='blanks'>{blanks}</p>
{"".join(sections)}
</body></html>"""


def _has_parts(steps: Iterable[dict[str, Any]]) -> bool:
    """Whether a token of the answers holds only a part of a character."""
    for step in steps:
        for row in step.get("shows", ()):
            if any(token["part"] for token in row["tokens"]):
                return True
    return False


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
    elif "stage" in step:
        parts.append(_draw_boxes(step["next_stage" if answered else "stage"]))
    elif "text" in step:
        is_big = len(step["clusters"]) * _WIDE <= len(step["text"].encode()) <= _WIDE * 10
        code = "<code class=big>" if is_big else "<code>"
        parts.append(f"<p>{code}{escape(step['text'])}</code></p>")
    for place, answer in enumerate(step.get("choices", ())):
        item = f"<li>☐ {escape(answer)}"
        if answered and place == step["right"]:
            item = f"<li class='right'>☑ {escape(answer)}"
        if answered:
            item += f" <small>{escape(step['whys'][place])}</small>"
        parts.append(f"<ul>{item}</li></ul>")
    if step["kind"] == "number":
        value = f"Answer: <b>{in_words(step['value'])}</b>" if answered else "My guess: __________"
        parts.append(f"<p>{value}</p>")
    if not answered:
        return "".join([*parts, "<p>Why?</p><div class='lines'></div></section>"])
    parts += map(_draw_tokens, step.get("shows", ()))
    parts.append(f"<p>{escape(step['reveals'])}</p>")
    parts += [f"<p>Source: {source}</p>" for source in sources]
    return "".join([*parts, "</section>"])


def _draw_boxes(texts: Iterable[str]) -> str:
    boxes = " ".join(f"<span>{escape(text)}</span>" for text in texts)
    return f"<code class='tokens'>{boxes}</code>"


def _draw_tokens(row: dict[str, Any]) -> str:
    tokens = row["tokens"]
    many = plural(len(tokens), "token")
    n_parts = sum(token["part"] for token in tokens)
    if len(tokens) > MANY and n_parts > len(tokens) / 2:
        shown = f"{n_parts} of them hold only a part of a character."
    else:
        shown = _draw_boxes(token["text"] for token in tokens)
    return f"<p><b>{escape(row['name'])}</b>, {many}: {shown}</p>"


def _draw_text(step: dict[str, Any], answered: bool) -> str:
    cuts = set(step["shows"][0]["cuts"]) if answered else set()
    spans = []
    for place, grapheme in enumerate(step["clusters"]):
        kinds = []
        if place in cuts:
            kinds.append("cut")
        if unicodedata.bidirectional(grapheme[0]) in ("R", "AL"):
            kinds.append("rtl")
        mark = f" class='{' '.join(kinds)}'" if kinds else ""
        shown = spell_alone(grapheme) if len(grapheme) == 1 else grapheme
        spans.append(f"<span{mark}>{escape(shown)}</span>")
    return f"<p class='text'>{'<wbr>'.join(spans)}</p>"
