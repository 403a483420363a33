"""A comparison of two encodings as a report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..encoding import Encoding
from ..registry import encoding_title
from ..text.spans import encode_spans
from ..text.spelling import isolate, spell_alone, spell_token
from .compare import Comparison, reading_order
from .compare_texts import LineSide, TextChange, changed_lines, compare_texts
from .report import code, escape_markdown, markdown_table, write_report

MOST_ROWS = 10
"""Scripts, tokens, lines and hard texts of which a report gives the first."""

MOST_TOKENS = 40
"""Tokens that are shown in a row."""


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
        steps.append((side.name, code(side.a), code(side.b), mark))
    parts = [
        escape_markdown(comparison.sentence),
        "## What they are",
        markdown_table(("", *comparison.called, "differs"), steps),
        *_vocabulary(comparison),
        *_texts(comparison, texts),
        *_hard_texts(comparison),
    ]
    return write_report(title, parts)


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
        yield markdown_table((what, *only_in, "Same id", "Other id"), rows[:MOST_ROWS])
    examples = (
        (only_in[0], a, ordinary.only_a[:, 0]),
        (only_in[1], b, ordinary.only_b[:, 1]),
        ("Under other ids", a, ordinary.moved[:, 0]),
    )
    for what, enc, ids in examples:
        if len(ids):
            in_order = ids[reading_order(enc, ids)]
            yield f"{escape_markdown(what)}, for example: {_as_tokens(enc, in_order[:MOST_ROWS].tolist())}"
    yield escape_markdown(comparison.merges_sentence)


def _texts(comparison: Comparison, texts: Mapping[str, str]) -> Iterator[str]:
    """The section on texts, if there are some."""
    if not texts:
        return
    yield "## Texts"
    yield _counts(comparison.called, compare_texts(*comparison.encodings, texts))
    for enc in comparison.encodings:
        if enc.drops_text:
            yield f"{escape_markdown(enc.name)} can lose text, and what is lost takes few tokens or none."
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
        cells.append((escape_markdown(row.name), row.n_bytes, row.n_a, row.n_b, difference))
    return markdown_table(("text", "bytes", *names, "difference"), cells)


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
        yield f"**{isolate(escape_markdown(name))}, line {line.number:,}: {counts}**"
        yield f"{_line_in(called_a, enc_a, line.a)}\n{_line_in(called_b, enc_b, line.b)}"
    if not lines:
        yield "Every line has as many tokens as before."


def _line_in(called: str, enc: Encoding, side: LineSide) -> str:
    """A line in one of the two encodings, as an item of a list."""
    before = "… " if len(side.ids) < side.n_tokens else ""
    item = f"- {escape_markdown(called)}: {before}{_as_tokens(enc, side.ids)}"
    return f"{item}  \n  {escape_markdown(side.reason)}" if side.reason else item


def _hard_texts(comparison: Comparison) -> Iterator[str]:
    """The section on hard texts."""
    a, b = comparison.encodings
    tried, differing = comparison.hard
    yield "## Hard texts"
    yield f"{len(differing):,} of {tried:,} hard texts get other tokens."
    rows = []
    for hard in differing[:MOST_ROWS]:
        spelled = code(spell_alone(hard.text))
        rows.append((spelled, _as_tokens(a, hard.ids_a), _as_tokens(b, hard.ids_b)))
    yield markdown_table(("the shortest", *comparison.called), rows)


def _as_tokens(enc: Encoding, ids: Sequence[int] | None) -> str:
    """Tokens in a row, each in its own block."""
    if ids is None:
        return "refused"
    blocks = [code(spell_token(enc.token_bytes(token_id))) for token_id in ids[:MOST_TOKENS]]
    if len(ids) > MOST_TOKENS:
        blocks.append(f"and {len(ids) - MOST_TOKENS:,} more")
    return " ".join(blocks)
