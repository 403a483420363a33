"""A comparison of two encodings as a report: in Markdown for a pull request, in HTML to look at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..amounts import shorten
from ..encoding import Encoding
from ..registry import encoding_title
from ..text.spans import encode_spans
from ..text.spelling import isolate, spell_alone, spell_token
from .compare import Comparison, reading_order
from .compare_texts import LineSide, TextChange, changed_lines, compare_texts

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
    title = " → ".join(encoding_title(enc.name) for enc in comparison.encodings)
    steps = []
    for side in comparison.sides:
        mark = "≠" if side.differs else ""
        steps.append((side.name, _code(side.a), _code(side.b), mark))
    parts = [
        f"# {_escape(title)}",
        _escape(comparison.sentence),
        "## What they are",
        _table(("", *comparison.called, "differs"), steps),
        *_vocabulary(comparison),
        *_texts(comparison, texts),
        *_hard_texts(comparison),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _vocabulary(comparison: Comparison) -> Iterator[str]:
    yield "## Vocabulary"
    a, b = comparison.encodings
    ordinary = comparison.ordinary
    only_in = [f"Only in {name}" for name in comparison.called]
    groups = {"ordinary": ordinary, "special": comparison.special, "other": comparison.other}
    tables = {
        "tokens": {name: group.counts for name, group in groups.items()},
        "ordinary tokens by kind": comparison.count_by("kind"),
        "ordinary tokens by script": comparison.count_by("script"),
    }
    for what, counts in tables.items():
        rows = [(name, *row) for name, row in counts.items() if any(row)]
        yield _table((what, *only_in, "Same id", "Other id"), rows[:MOST_ROWS])
    examples = (
        (only_in[0], a, ordinary.only_a[:, 0]),
        (only_in[1], b, ordinary.only_b[:, 1]),
        ("Under other ids", a, ordinary.moved[:, 0]),
    )
    for what, enc, ids in examples:
        if len(ids):
            in_order = ids[reading_order(enc, ids)]
            yield f"{_escape(what)}, for example: {_as_tokens(enc, in_order[:MOST_ROWS].tolist())}"
    yield _escape(comparison.merges_sentence)


def _texts(comparison: Comparison, texts: Mapping[str, str]) -> Iterator[str]:
    """The section on texts, if there are some."""
    if not texts:
        return
    yield "## Texts"
    yield _counts(comparison.called, compare_texts(*comparison.encodings, texts))
    for enc in comparison.encodings:
        if enc.drops_text:
            yield f"{_escape(enc.name)} can lose text, and what is lost takes few tokens or none."
    yield "### The lines that change most"
    yield from _lines(comparison, texts)


def _counts(names: tuple[str, str], changes: list[TextChange]) -> str:
    """The table of how many tokens each text has."""
    rows = sorted(changes, key=lambda change: change.percent, reverse=True)
    if len(rows) > 1:
        _, *columns = zip(*rows, strict=True)
        rows.append(TextChange("all", *map(sum, columns)))
    cells = []
    for row in rows:
        difference = f"{row.percent:+.1f} %"
        cells.append((_escape(row.name), row.n_bytes, row.n_a, row.n_b, difference))
    return _table(("text", "bytes", *names, "difference"), cells)


def _lines(comparison: Comparison, texts: Mapping[str, str]) -> Iterator[str]:
    """The lines that change most, of each text some, with the tokens around the first one that differs."""
    most = max(1, MOST_ROWS // len(texts))
    lines = []
    for name, text in texts.items():
        a, b = (encode_spans(enc, text) for enc in comparison.encodings)
        lines += [(name, line) for line in changed_lines(a, b, most)]
    lines.sort(key=lambda named: abs(named[1].difference), reverse=True)
    enc_a, enc_b = comparison.encodings
    called_a, called_b = comparison.called
    for name, line in lines[:MOST_ROWS]:
        counts = f"{line.a.n_tokens:,} → {line.b.n_tokens:,} tokens"
        yield f"**{isolate(_escape(name))}, line {line.number:,}: {counts}**"
        yield f"{_line_in(called_a, enc_a, line.a)}\n{_line_in(called_b, enc_b, line.b)}"
    if not lines:
        yield "Every line has as many tokens as before."


def _line_in(called: str, enc: Encoding, side: LineSide) -> str:
    """A line in one of the two encodings, as an item of a list."""
    before = "… " if len(side.ids) < side.n_tokens else ""
    item = f"- {_escape(called)}: {before}{_as_tokens(enc, side.ids)}"
    return f"{item}  \n  {_escape(side.reason)}" if side.reason else item


def _hard_texts(comparison: Comparison) -> Iterator[str]:
    """The section on hard texts."""
    a, b = comparison.encodings
    tried, differing = comparison.hard
    yield "## Hard texts"
    yield f"{len(differing):,} of {tried:,} hard texts get other tokens."
    rows = []
    for hard in differing[:MOST_ROWS]:
        spelled = _code(spell_alone(hard.text))
        rows.append((spelled, _as_tokens(a, hard.ids_a), _as_tokens(b, hard.ids_b)))
    yield _table(("the shortest", *comparison.called), rows)


def _as_tokens(enc: Encoding, ids: Sequence[int] | None) -> str:
    """Tokens in a row, each in its own block."""
    if ids is None:
        return "refused"
    blocks = [_code(spell_token(enc.token_bytes(token_id))) for token_id in ids[:MOST_TOKENS]]
    if len(ids) > MOST_TOKENS:
        blocks.append(f"and {len(ids) - MOST_TOKENS:,} more")
    return " ".join(blocks)


# Markdown


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table; empty if it has no rows. Cells are Markdown or numbers, which stand to the right."""
    if not rows:
        return ""
    rule = []
    for cell in rows[0]:
        is_number = isinstance(cell, int) or cell.endswith("%")
        rule.append("---:" if is_number else "---")
    return "\n".join(map(_row, (map(_escape, head), rule, *rows)))


def _row(cells: Iterable[Any]) -> str:
    texts = []
    for cell in cells:
        texts.append(f"{cell:,}" if isinstance(cell, int) else cell.replace("|", r"\|"))
    return f"| {' | '.join(texts)} |"


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
        tag = f"<h2>{heading}</h2>\n"
        body = body.replace(tag, f"{tag}<figure>{chart}</figure>\n")
    first_line, _, _ = body.partition("\n")
    title = first_line.replace("h1>", "title>")
    head = (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
    )
    return f"{head}{title}<style>{_STYLE}</style>{body}"
