"""A comparison of two encodings as a report: in Markdown for a pull request, in HTML to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..amounts import shorten
from ..encoding import Encoding
from ..registry import encoding_title
from ..text.spans import encode_spans
from ..text.spelling import spell_alone, spell_token
from .compare import Comparison, reading_order
from .compare_texts import TextChange, changed_lines, compare_texts

MOST_ROWS = 10
"""Scripts, tokens, lines and hard texts of which a report gives the first."""

MOST_TOKENS = 40
"""Tokens that are shown in a row."""

LONGEST_CELL = 120
"""Characters of a cell; of longer ones, such as chat templates, the beginning."""


def compare_report(comparison: Comparison, texts: Mapping[str, str]) -> str:
    """The report: what differs, what it does to the texts, and the lines that change most.

    Args:
        comparison: of two encodings.
        texts: by name; none: the report is about the encodings alone.

    >>> from tokenizers import get_encoding
    >>> comparison = Comparison(get_encoding("gpt2"), get_encoding("cl100k_base"))
    >>> print(compare_report(comparison, {"a line": "naïve 1234567"})[:106])
    # GPT-2 (gpt2) → GPT-4 (cl100k_base)
    <BLANKLINE>
    Different vocabularies: gpt2 and cl100k_base share 43,066 tokens (86
    """
    (a, b), names = comparison.encodings, comparison.called
    title = " → ".join(encoding_title(enc.name) for enc in (a, b))
    rows = [(side.name, _code(side.a), _code(side.b), "≠" * side.differs) for side in comparison.sides]
    parts = [f"# {_escape(title)}", _escape(comparison.sentence), "## What they are"]
    parts += [_table(("", *names, "differs"), rows), "## Vocabulary", *_vocabulary(comparison)]
    if texts:
        parts += ["## Texts", _texts(names, compare_texts(a, b, texts))]
        lossy = [_escape(enc.name) for enc in (a, b) if enc.drops_text]
        parts += [f"{name} can lose text, and what is lost takes few tokens or none." for name in lossy]
        parts += ["### The lines that change most", *_lines(comparison, texts)]
    tried, differing = comparison.hard
    parts += ["## Hard texts", f"{len(differing):,} of {tried:,} hard texts get other tokens."]
    hard = [
        (_code(spell_alone(each.text)), _as_tokens(a, each.ids_a), _as_tokens(b, each.ids_b))
        for each in differing[:MOST_ROWS]
    ]
    return "\n\n".join(filter(None, (*parts, _table(("the shortest", *names), hard)))) + "\n"


def _vocabulary(comparison: Comparison) -> Iterator[str]:
    (a, b), ordinary = comparison.encodings, comparison.ordinary
    only_in = [f"Only in {name}" for name in comparison.called]
    groups = {"ordinary": ordinary, "special": comparison.special, "other": comparison.other}
    for what, counts in (
        ("tokens", {name: group.counts for name, group in groups.items()}),
        ("ordinary tokens by kind", comparison.count_by("kind")),
        ("ordinary tokens by script", comparison.count_by("script")),
    ):
        rows = [(name, *row) for name, row in counts.items() if any(row)]
        yield _table((what, *only_in, "Same id", "Other id"), rows[:MOST_ROWS])
    lists = (a, ordinary.only_a[:, 0]), (b, ordinary.only_b[:, 1]), (a, ordinary.moved[:, 0])
    for what, (enc, ids) in zip((*only_in, "Under other ids"), lists, strict=True):
        if len(ids):
            first = ids[reading_order(enc, ids)][:MOST_ROWS].tolist()
            yield f"{_escape(what)}, for example: {_as_tokens(enc, first)}"
    yield _escape(comparison.merges_sentence)


def _texts(names: tuple[str, str], changes: list[TextChange]) -> str:
    rows = sorted(changes, key=lambda change: -change.percent)
    if len(rows) > 1:
        rows.append(TextChange("all", *(sum(column) for column in list(zip(*rows, strict=True))[1:])))
    cells = [(_escape(row.name), *row[1:], f"{row.percent:+.1f} %") for row in rows]
    return _table(("text", "bytes", *names, "difference"), cells)


def _lines(comparison: Comparison, texts: Mapping[str, str]) -> Iterator[str]:
    """The lines that change most, of each text some, with the tokens around the first one that differs."""
    most = max(1, MOST_ROWS // len(texts))
    lines = []
    for name, text in texts.items():
        a, b = (encode_spans(enc, text) for enc in comparison.encodings)
        lines += [(name, line) for line in changed_lines(a, b, most)]
    lines.sort(key=lambda each: -abs(each[1].b.n_tokens - each[1].a.n_tokens))
    for name, (number, *sides) in lines[:MOST_ROWS]:
        yield f"**{_escape(name)}, line {number:,}: {sides[0].n_tokens:,} → {sides[1].n_tokens:,} tokens**"
        items = []
        for called, enc, side in zip(comparison.called, comparison.encodings, sides, strict=True):
            before = "… " if len(side.ids) < side.n_tokens else ""
            items.append(f"- {_escape(called)}: {before}{_as_tokens(enc, side.ids)}")
            if side.reason:
                items[-1] += f"  \n  {_escape(side.reason)}"
        yield "\n".join(items)
    if not lines:
        yield "Every line has as many tokens as before."


def _as_tokens(enc: Encoding, ids: Sequence[int] | None) -> str:
    """Tokens in a row, each in its own block."""
    if ids is None:
        return "refused"
    more = f" and {len(ids) - MOST_TOKENS:,} more" if len(ids) > MOST_TOKENS else ""
    return " ".join(_code(spell_token(enc.token_bytes(i))) for i in ids[:MOST_TOKENS]) + more


# Markdown


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table; empty if it has no rows. Cells are Markdown or numbers, which stand to the right."""
    if not rows:
        return ""
    rule = ["---:" if isinstance(cell, int) or cell.endswith("%") else "---" for cell in rows[0]]
    cells = [[f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows]
    lines = ([*map(_escape, head)], rule, *cells)
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _escape(text: str) -> str:
    """A text in which nothing is Markdown.

    >>> print(_escape("cl100k_base [a](b) _c_ `"))
    cl100k_base \\[a\\](b) \\_c\\_ \\`
    """
    return re.sub(r"[\\`*\[\]<>#&~]|(?<!\w)_|_(?!\w)", r"\\\g<0>", text)


def _code(text: str) -> str:
    """A text in backticks, more of them than it has itself; of a long one, its beginning.

    >>> _code("a`b"), _code("`"), _code("")
    ('``a`b``', '`` ` ``', '')
    """
    if not text:
        return ""
    text = re.sub("\r\n?|\n", "⏎", shorten(text, LONGEST_CELL))
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    edge = " " if "`" in (text[0], text[-1]) else ""
    return f"{fence}{edge}{text}{edge}{fence}"


# HTML

_STYLE = """
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif;
  color: #1b211e; background: #fff; overflow-wrap: break-word; }
table { border-collapse: collapse; display: block; overflow-x: auto; margin: 1rem 0; font-size: .9rem; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #dde3df; text-align: left; vertical-align: top; }
td[style] { white-space: nowrap; font-variant-numeric: tabular-nums; }
code { background: #e6f0ea; border-radius: 4px; padding: .05rem .25rem; overflow-wrap: anywhere; }
figure { margin: 1rem 0; overflow-x: auto; }
svg { width: 100%; min-width: 40rem; height: auto; }
"""


def report_as_html(report: str, charts: Mapping[str, str] | None = None) -> str:
    """A report as a page of its own, which fetches nothing.

    Args:
        report: of ``compare_report``.
        charts: as SVG, by the heading of the second level that they stand under.

    >>> report_as_html("# a\\\\_b\\n\\n## c\\n\\n- `<` is", {"c": "<svg/>"}).split("</style>")[1]
    '<h1>a_b</h1>\\n<h2>c</h2>\\n<figure><svg/></figure>\\n<ul>\\n<li><code>&lt;</code> is</li>\\n</ul>\\n'
    """
    from markdown_it import MarkdownIt

    body = MarkdownIt("commonmark", {"html": False}).enable("table").render(report)
    for heading, chart in (charts or {}).items():
        body = body.replace(f"<h2>{heading}</h2>\n", f"<h2>{heading}</h2>\n<figure>{chart}</figure>\n")
    title = body.partition("\n")[0].replace("h1>", "title>")
    head = (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
    )
    return f"{head}{title}<style>{_STYLE}</style>{body}"
