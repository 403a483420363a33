"""Writes a lesson as a worksheet and as an answer sheet, each an HTML file to print.

The files need no other files. All words of a lesson are escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from pages.teaching.kinds import KINDS
from pages.teaching.kinds.kind import DrawnStep
from tokenizers.amounts import plural
from tokenizers.encoding import ASSETS
from tokenizers.json_types import JsonObject

_STYLE = ASSETS / "lessons" / "worksheet.css"

_BLANKS = "· is a space, → a tab, ⏎ the end of a line."
_BYTES = "⟨0xf0 9f⟩ are bytes: such a token holds a part of a character only."

MANY = 30
"""The most tokens of an encoding on a sheet, if most of them hold only a part of a character."""


def write_worksheet(drawn: JsonObject, *, answered: bool) -> str:
    """The worksheet of a lesson as HTML, or its answer sheet.

    Args:
        drawn: the result of ``work_out``.
        answered: whether it has the answers.

    >>> from tokenizers import get_encoding
    >>> from pages.teaching.lesson_files import list_lessons
    >>> from pages.teaching.work_out import work_out
    >>> sheet = write_worksheet(work_out(list_lessons()[0], get_encoding), answered=False)
    >>> sheet.count("<h1>"), "<script" in sheet
    (1, False)
    """
    title = escape(drawn["title"])
    mark = ""
    heading = title
    name = "<span>Name: ____________________</span>"
    signs = _BLANKS
    if answered:
        mark = " class='answers'"
        heading += ": answers"
        name = ""
        signs = f"{_BLANKS} {_BYTES}"
    sections = []
    if answered and drawn["notes"]:
        sections.append(f"<p><b>For the teacher:</b> {escape(drawn['notes'])}</p>")
    for number, step in enumerate(drawn["steps"], 1):
        if answered or KINDS[step["kind"]].asks:  # words that ask nothing would give the answers away
            sections.append(_draw(number, step, answered))
    return f"""<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{title}</title>
<style>{_STYLE.read_text("utf-8")}</style></head><body{mark}>
<p class='hint'>Press Ctrl+P (⌘P on a Mac) to print this page, or to save it as a PDF.</p>
<h1>{heading}</h1><div class='head'><span>{escape(drawn["question"])}</span>
{name}</div>
<p class='blanks'>{signs}</p>
{"".join(sections)}
</body></html>"""


def _draw(number: int, step: DrawnStep, answered: bool) -> str:
    """A step as a question, or as its answer."""
    sources = [f"{escape(each['says'])}, {escape(each['address'])}" for each in step["sources"]]
    kind = KINDS[step["kind"]]
    if not kind.asks:
        said = "".join(f" ({source})" for source in sources)
        return f"<section><p><b>In short:</b> {escape(step['asks'])}{said}</p></section>"
    parts = [f"<section><h2>{number}. {escape(step['asks'])}</h2>"]
    if "stage" in step and not kind.holds_text:
        parts.append(_draw_boxes(step["next_stage" if answered else "stage"]))
    elif "text" in step and not kind.holds_text:
        parts.append(f"<p><code>{escape(step['text'])}</code></p>")
    parts.append(kind.write(step, answered=answered))
    if not answered:
        return "".join([*parts, "<p>Why?</p><div class='lines'></div></section>"])
    parts += map(_draw_tokens, step.get("shows", ()))
    parts.append(f"<p>{escape(step['reveals'])}</p>")
    parts += [f"<p>Source: {source}</p>" for source in sources]
    return "".join([*parts, "</section>"])


def _draw_boxes(texts: Iterable[str]) -> str:
    boxes = " ".join(f"<span>{escape(text)}</span>" for text in texts)
    return f"<code class='tokens'>{boxes}</code>"


def _draw_tokens(row: JsonObject) -> str:
    tokens = row["tokens"]
    many = plural(len(tokens), "token")
    n_parts = sum(token["part"] for token in tokens)
    if len(tokens) > MANY and n_parts > len(tokens) / 2:
        shown = f"{n_parts} of them hold only a part of a character."
    else:
        shown = _draw_boxes(token["text"] for token in tokens)
    return f"<p><b>{escape(row['name'])}</b>, {many}: {shown}</p>"
