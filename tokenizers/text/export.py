"""All tokens of a text, as files, and cells that no spreadsheet runs; ``EXPORTS`` lists the formats."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..utf8 import text_of
from .spans import Spans

COLUMNS = ("index", "id", "bytes_hex", "text", "start_byte", "end_byte", "start_char", "end_char", "special")
"""The columns of a row. ``text`` is empty where the bytes are not whole characters; ``bytes_hex`` never
is."""


MAX_TOKENS = 500_000
"""The most tokens that are exported with all their facts; an export of ids alone has no such limit."""

Row = tuple[int, int, str, str, int, int, int, int, bool]


def iter_rows(spans: Spans) -> Iterator[Row]:
    """One row of ``COLUMNS`` for each token. A character index is of the character that holds the byte.

    >>> from tokenizers import encode_spans, get_encoding
    >>> list(iter_rows(encode_spans(get_encoding("gpt2"), "hello world")))[1]
    (1, 995, '20776f726c64', ' world', 5, 11, 5, 11, False)
    """
    text_map = spans.text_map
    columns = zip(
        spans.ids.tolist(),
        spans.starts.tolist(),
        spans.ends.tolist(),
        text_map.char_at[spans.starts].tolist(),
        text_map.char_at[spans.ends].tolist(),
        spans.special.tolist(),
        strict=True,
    )
    for index, (token_id, start, end, start_char, end_char, special) in enumerate(columns):
        raw = text_map.data[start:end]
        yield index, token_id, raw.hex(), text_of(raw) or "", start, end, start_char, end_char, special


def _check_size(many: Sequence[Spans]) -> None:
    total = sum(map(len, many))
    if total > MAX_TOKENS:
        raise ValueError(
            f"These are {total:,} tokens, and an export of all their facts takes up to {MAX_TOKENS:,}. "
            "Export the ids, or a part of the text."
        )


def tokens_csv(spans: Spans) -> str:
    """The rows as CSV with a header. Read it with a CSV reader: texts hold quotes and line ends.

    A text that a spreadsheet would run as a formula has an apostrophe before it (``safe_cell``);
    ``bytes_hex`` is exact.

    Raises:
        ValueError: more than ``MAX_TOKENS``.
    """
    _check_size([spans])
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in iter_rows(spans):
        writer.writerow((*row[:3], safe_cell(row[3]), *row[4:]))
    return out.getvalue()


def tokens_json(many: Sequence[Spans]) -> str:
    """The text, and each encoding's tokens, a line for each token.

    Raises:
        ValueError: more than ``MAX_TOKENS`` in all.
    """
    _check_size(many)
    text_map = many[0].text_map
    head = {"text": text_map.text, "bytes": text_map.n_bytes}
    encodings = ",\n".join(map(_encoding_json, many))
    return f'{json.dumps(head, ensure_ascii=False)[:-1]}, "encodings": [\n{encodings}]}}\n'


def _encoding_json(spans: Spans) -> str:
    head = {"name": spans.encoding.name, "token_count": len(spans), "ids": spans.ids.tolist()}
    rows = (dict(zip(COLUMNS, row, strict=True)) for row in iter_rows(spans))
    tokens = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{json.dumps(head)[:-1]}, "tokens": [\n{tokens}]}}'


def ids_text(spans: Spans) -> str:
    """The ids, with spaces between them; of any number.

    >>> from tokenizers import encode_spans, get_encoding
    >>> ids_text(encode_spans(get_encoding("gpt2"), "hello world"))
    '31373 995'
    """
    return " ".join(map(str, spans.ids.tolist()))


class Export(NamedTuple):
    """A format in which the tokens of a text can be saved.

    Attributes:
        label: what is in it, for people.
        file_name: of the file, with ``{}`` for the name of the encoding.
        write: its content, of a text in several encodings; a file of one encoding is of the first.
    """

    label: str
    file_name: str
    write: Callable[[Sequence[Spans]], str]


EXPORTS = (
    Export("Tokens (CSV)", "tokens-{}.csv", lambda many: tokens_csv(many[0])),
    Export("Ids", "ids-{}.txt", lambda many: ids_text(many[0])),
    Export("Tokens of all panels (JSON)", "tokens.json", tokens_json),
)
"""Every format that the playground offers, in order. One that holds more than ids keeps to ``MAX_TOKENS``."""


def spellings_of(word: str) -> list[str]:
    """A word as typed, in small letters, with a capital and in capitals, each also with a space in front.

    >>> spellings_of("the")
    ['the', ' the', 'The', ' The', 'THE', ' THE']
    """
    ways = dict.fromkeys((word, word.lower(), word.capitalize(), word.upper()))
    return [space + way for way in ways for space in ("", " ")]


# CSV files

CSV_ENCODING = "utf-8-sig"
"""UTF-8 with a byte order mark: without it, spreadsheets read other letters than those that are there."""


def encode_file(name: str, content: str) -> bytes:
    """The bytes of a file to save: of a CSV file, in ``CSV_ENCODING``.

    >>> encode_file("a.csv", "é"), encode_file("a.json", "é")
    (b'\\xef\\xbb\\xbf\\xc3\\xa9', b'\\xc3\\xa9')
    """
    return content.encode(CSV_ENCODING if name.endswith(".csv") else "utf-8")


# A spreadsheet takes a cell that begins with =, +, - or @ for a formula, and a formula can send what else is
# in the sheet to a stranger. Source: OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection

# At the beginning, and behind what some spreadsheets take for the end of a cell. Some leave out a tab or a
# line end before such a character. Japanese spreadsheets take the wide characters for the others.
_FORMULA_STARTS = "=+\\-@＝＋－＠"
_WOULD_RUN = re.compile(rf"^'*(?=[\t\r\n])|(^|[;\t\r\n])'*(?=[{_FORMULA_STARTS}])")

SAFE_CELLS = (
    "In the CSV, an apostrophe comes before a text that a spreadsheet would run as a formula: one that "
    "begins with =, +, - or @."
)
"""What a page says beside such a file."""


def safe_cell(text: str) -> str:
    r"""The text of a cell, with an apostrophe before what a spreadsheet would run.

    A text that already begins with an apostrophe gets another one, so that one can be taken off again.

    >>> print(safe_cell("=1+1"), safe_cell("-"), safe_cell("a-b"), safe_cell("'=x"), safe_cell("x;=1"))
    '=1+1 '- a-b ''=x x;'=1
    >>> safe_cell("\t=1"), safe_cell("\r")
    ("'\t'=1", "'\r")
    """
    return _WOULD_RUN.sub(lambda match: f"{match[0]}'", text)
