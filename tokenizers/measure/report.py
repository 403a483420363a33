"""A report of sentences, tables and pictures: as Markdown for a pull request, as HTML to read and print."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..amounts import shorten
from ..encoding import Encoding
from ..registry import encoding_title
from ..text.spelling import isolate
from .premiums import fingerprint

LONGEST_CELL = 120
"""Characters of a cell; of longer ones, such as chat templates, the beginning."""

_NUMBER = re.compile(r"[-+]?[\d,.]+ ?[%×]?")

# Markdown


def write_report(title: str, parts: Iterable[str]) -> str:
    """A report in Markdown.

    Args:
        title: plain text.
        parts: paragraphs, headings, lists and tables, in Markdown. Empty ones are left out.

    >>> write_report("a_b <i>", ["", "## *c*", "One\\n& two"])
    '# a_b \\\\<i\\\\>\\n\\n## *c*\\n\\nOne\\n& two\\n'
    """
    return "\n\n".join(filter(None, (f"# {escape_markdown(title)}", *parts))) + "\n"


@dataclass(frozen=True)
class Report:
    """A report of what was measured.

    Attributes:
        title: its headline. Here and in the next two, all is plain text.
        sentences: what stands below the title.
        tables: by their headings: columns by their names, or data frames. Cells are texts and numbers.
        method: how it was measured, in Markdown.
        encodings: what it is about.

    >>> from tokenizers import get_encoding
    >>> table = {"text": ["a"], "of": [0.5]}
    >>> report = Report("One text", ["It is <b>."], {"Tokens": table}, [], [get_encoding("gpt2")])
    >>> print(report.to_markdown("1 May 2026"))
    # One text
    <BLANKLINE>
    It is \\<b\\>.
    <BLANKLINE>
    ## Tokens
    <BLANKLINE>
    | text | of |
    | --- | ---: |
    | a | 0.500 |
    <BLANKLINE>
    ## How it was measured
    <BLANKLINE>
    | tokenizer | tokens | fingerprint |
    | --- | ---: | --- |
    | GPT-2 (gpt2) | 50,257 | `8d3dce2bda16c886` |
    <BLANKLINE>
    Written by Token Grove on 1 May 2026.
    <BLANKLINE>
    """

    title: str
    sentences: Sequence[str]
    tables: Mapping[str, Any]
    method: Sequence[str]
    encodings: Sequence[Encoding]

    def to_markdown(self, date: str) -> str:
        """The report as it is written on this date."""
        parts = list(map(escape_markdown, self.sentences))
        for heading, columns in self.tables.items():
            cells = ([_cell(value) for value in column] for _, column in columns.items())
            table = markdown_table(list(columns), list(zip(*cells, strict=True)))
            parts += [f"## {escape_markdown(heading)}", table]
        # The fingerprint tells two versions of one name apart.
        rows = [
            (_cell(encoding_title(enc.name)), enc.n_tokens, code(fingerprint(enc))) for enc in self.encodings
        ]
        tokenizers = markdown_table(("tokenizer", "tokens", "fingerprint"), rows)
        parts += ["## How it was measured", *self.method, tokenizers]
        return write_report(self.title, [*parts, f"Written by Token Grove on {date}."])


def _cell(value: Any) -> str | int:
    if isinstance(value, str):
        return escape_markdown(value)
    if isinstance(value, float):
        return "–" if math.isnan(value) else f"{value:,.3f}"
    return int(value)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table; empty if it has no rows. Cells are Markdown or numbers, which stand to the right."""
    if not rows:
        return ""
    rule = []
    for cell in rows[0]:
        is_number = isinstance(cell, int) or _NUMBER.fullmatch(cell)
        rule.append("---:" if is_number else "---")
    return "\n".join(map(_row, (map(escape_markdown, head), rule, *rows)))


def _row(cells: Iterable[Any]) -> str:
    texts = []
    for cell in cells:
        texts.append(f"{cell:,}" if isinstance(cell, int) else cell.replace("|", r"\|"))
    return f"| {' | '.join(texts)} |"


def escape_markdown(text: str) -> str:
    """A text in which nothing is Markdown.

    >>> print(escape_markdown("cl100k_base [a](b) _c_ `"))
    cl100k_base \\[a\\](b) \\_c\\_ \\`
    """
    return re.sub(r"[\\`*\[\]<>#&~]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)


def code(text: str) -> str:
    """A text in backticks, more of them than it has itself; of a long one, its beginning.

    >>> code("a`b"), code("`"), code("")
    ('``a`b``', '`` ` ``', '')
    """
    if not text:
        return ""
    text = re.sub("\r\n?|\n", "⏎", shorten(text, LONGEST_CELL))
    longest_run = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest_run + 1)
    edge = " " if "`" in (text[0], text[-1]) else ""
    return isolate(f"{fence}{edge}{text}{edge}{fence}")


# HTML

_STYLE = """
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif;
  color: #1b211e; background: #fff; overflow-wrap: break-word; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; font-size: .9rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #dde3df; text-align: left; vertical-align: top; }
td[style] { white-space: nowrap; font-variant-numeric: tabular-nums; }
code { background: #e6f0ea; border-radius: 4px; padding: .05rem .25rem; overflow-wrap: anywhere; }
figure { margin: 1rem 0; overflow-x: auto; }
svg { width: 100%; min-width: 40rem; height: auto; border-radius: 4px; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; }
  body { color: #e8ede9; background: #121614; }
  th, td { border-color: #333b36; }
  code { background: #24352c; }
  a { color: #7fc79a; }
}
@media print {
  body { max-width: none; margin: 0; }
  table { display: table; font-size: .7rem; }
  th, td { padding: .2rem .35rem; }
  figure, tr { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  svg { min-width: 0; }
}
"""


def report_as_html(report: str, charts: Mapping[str, str] | None = None) -> str:
    """A report as a page of its own, which fetches nothing.

    Args:
        report: of ``write_report``.
        charts: as SVG, by the heading of the second level that they stand under.

    >>> report_as_html("# a\\\\_b\\n\\n## c\\n\\n- `<` is", {"c": "<svg/>"}).split("</style>")[1]
    '<h1>a_b</h1>\\n<h2>c</h2>\\n<figure><svg/></figure>\\n<ul>\\n<li><code>&lt;</code> is</li>\\n</ul>\\n'
    """
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(report)
    for heading, chart in (charts or {}).items():
        tag = f"<h2>{heading}</h2>\n"
        body = body.replace(tag, f"{tag}<figure>{chart}</figure>\n")
    first_line, _, _ = body.partition("\n")
    title = first_line.replace("h1>", "title>")
    head = (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
    )
    return f"{head}{title}<style>{_STYLE}</style>{body}"
